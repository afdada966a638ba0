//! Graphs from lists.

use cfg_core::{
    entity::VertexId,
    ir::{Cfg, Edge, Expr, LoopForm, LoopTest, Selector, Vertex, VertexKind},
};

/// A vertex for each letter, numbered from 1: E(ntry), X (exit), b(lock), l(oop), `)` ENDLOOP, c (two-way
/// branch), `]` ENDBRANCH. Edges are `from, to, label`; label -1 is none.
pub(super) fn listed(letters: &str, edges: &[(usize, usize, i64)]) -> Cfg {
    let kind = |letter| match letter {
        'E' => VertexKind::Entry,
        'X' => VertexKind::Exit,
        'b' => VertexKind::Block(Vec::new()),
        'l' => VertexKind::Loop {
            form: LoopForm::Loop,
            test: Box::new(LoopTest::Pre(Expr::Logical(false))),
        },
        ')' => VertexKind::EndLoop,
        'c' => VertexKind::Branch(Box::new(Selector::Condition(Expr::Logical(true)))),
        ']' => VertexKind::EndBranch,
        other => panic!("no vertex type {other}"),
    };
    let vertices = (1..).zip(letters.chars().map(kind));
    let vertices = vertices.map(|(id, kind)| Vertex::new(id, kind)).collect();
    let at = |id: usize| VertexId::new(id - 1);
    let edges = edges
        .iter()
        .map(|&(from, to, label)| Edge::new(at(from), at(to), (label >= 0).then_some(label)));
    Cfg::new(vertices, edges.collect()).expect("edges of a test graph are in range")
}
