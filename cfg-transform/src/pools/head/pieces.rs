//! The graph of the routine by which a program is entered: blocks, loops and branches in a row.

use cfg_core::{
    entity::{VarId, VertexId},
    ir::{Cfg, Edge, Expr, LoopForm, LoopTest, Selector, Stmt, Vertex, VertexKind},
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
pub(in crate::pools) fn graph(pieces: Vec<Piece>) -> Option<Cfg> {
    let mut parts = Parts::default();
    let entry = parts.vertex(VertexKind::Entry);
    let (last, label) = parts.row(pieces, (entry, None));
    let exit = parts.vertex(VertexKind::Exit);
    parts.edges.push(Edge::new(last, exit, label));
    Cfg::new(parts.vertices, parts.edges)
}

#[derive(Default)]
struct Parts {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
}

/// The vertex that the next edge leaves, and the label of this edge.
type Open = (VertexId, Option<i64>);

impl Parts {
    fn vertex(&mut self, kind: VertexKind) -> VertexId {
        self.vertices.push(Vertex {
            id: self.vertices.len() as i64 + 1,
            kind,
            origin: None,
            at: None,
            annotations: None,
        });
        VertexId::new(self.vertices.len() - 1)
    }

    /// A vertex behind the open edge.
    fn behind(&mut self, (from, label): Open, kind: VertexKind) -> VertexId {
        let to = self.vertex(kind);
        self.edges.push(Edge::new(from, to, label));
        to
    }

    /// Recursion is over the nesting of loops, which the nesting of types bounds.
    fn row(&mut self, pieces: Vec<Piece>, mut open: Open) -> Open {
        for piece in pieces {
            match piece {
                Piece::Block(statements) => {
                    open = (self.behind(open, VertexKind::Block(statements)), None);
                }
                Piece::Loop { index, last, body } => {
                    let test = Box::new(LoopTest::Counted {
                        index,
                        first: Expr::Int(1),
                        last,
                        step: Expr::Int(1),
                    });
                    let form = LoopForm::Loop;
                    let header = self.behind(open, VertexKind::Loop { form, test });
                    let inside = self.row(body, (header, Some(1)));
                    let end = self.behind(inside, VertexKind::EndLoop);
                    self.edges.push(Edge::new(end, header, None));
                    open = (header, None);
                }
                Piece::If(condition, body) => {
                    let selector = Box::new(Selector::Condition(condition));
                    let branch = self.behind(open, VertexKind::Branch(selector));
                    let block = self.behind((branch, Some(1)), VertexKind::Block(body));
                    let end = self.behind((block, None), VertexKind::EndBranch);
                    self.edges.push(Edge::new(branch, end, Some(0)));
                    open = (end, None);
                }
            }
        }
        open
    }
}
