//! The graph of the routine by which a program is entered: blocks, loops and branches in a row.

use cfg_core::{
    edit::{Editor, Tail},
    entity::VarId,
    ir::{Cfg, Expr, LoopTest, Stmt, VertexKind},
};

/// A piece of the routine's graph.
pub(in crate::pools) enum Piece {
    Block(Vec<Stmt>),
    /// A counted loop from 1 to a number.
    Loop {
        index: VarId,
        last: Expr,
        body: Vec<Piece>,
    },
    /// Statements that are executed if a condition is true.
    If(Expr, Vec<Stmt>),
}

/// The graph of pieces in a row.
pub(in crate::pools) fn graph_of_pieces(pieces: Vec<Piece>) -> Cfg {
    let mut graph = Editor::default();
    let mut tail = Tail(graph.add(VertexKind::Entry), None);
    append(&mut graph, &mut tail, pieces);
    graph.append(&mut tail, VertexKind::Exit);
    graph.finish()
}

/// Recursion is over the nesting of loops, which the nesting of types bounds.
fn append(graph: &mut Editor, tail: &mut Tail, pieces: Vec<Piece>) {
    for piece in pieces {
        match piece {
            Piece::Block(statements) => {
                graph.append_block(tail, statements);
            }
            Piece::Loop { index, last, body } => {
                let header = graph.begin_loop(tail, LoopTest::up_to(index, last));
                append(graph, tail, body);
                graph.end_loop(tail, header);
            }
            Piece::If(condition, body) => {
                let [branch, _] = graph.append_if(tail, condition, body);
                graph.add_edge(branch, tail.0, Some(0));
            }
        }
    }
}
