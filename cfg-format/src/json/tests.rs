//! Tests of reading and writing together.

use super::*;

const PAPER: &[u8] = include_bytes!("paper_example.json");

fn written(program: &Program) -> String {
    let mut out = Vec::new();
    write(program, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_paper_example_reads_and_writes() {
    let program = read(PAPER).unwrap_or_else(|e| panic!("{e}"));
    let graph = program.routines[0].body.as_ref().unwrap();
    assert_eq!((graph.vertex_count(), graph.edge_count()), (12, 13));
    let text = written(&program);
    let again = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(again, program);
    assert_eq!(written(&again), text);
}

/// Names are quoted in full up to a length, and cut beyond it.
#[test]
fn long_names_are_cut() {
    let [most, more] = [60, 61].map(|n| "é".repeat(n));
    assert_eq!(token::quote(&most), format!("\"{most}\""));
    assert_eq!(token::quote(&more), format!("\"{most}\"..."));
}

/// Integers out of range are told up to a number.
#[test]
fn odd_numbers_on_both_sides_of_the_limit() {
    for count in [MAX_ODD_NUMBERS, MAX_ODD_NUMBERS + 1] {
        let wide = vec!["18446744073709551616"; count].join(", ");
        let text = format!("{{\"format\": \"cfgrev/1\", \"a\": [{wide}]}}");
        let problems = parse(text.as_bytes()).problems;
        let told = problems.iter().filter(|d| d.code == codes::NUMBER.code);
        assert_eq!(told.count(), MAX_ODD_NUMBERS, "{count}");
    }
}
