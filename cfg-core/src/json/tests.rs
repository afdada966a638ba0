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
