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
