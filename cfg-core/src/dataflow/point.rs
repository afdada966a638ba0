//! Program points: before and after each statement, and on each edge.

use crate::{
    entity::{EdgeId, VertexId},
    ir::{Cfg, Stmt},
};

/// The place of a statement: its vertex, and its position there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The block that has the statement.
    pub vertex: VertexId,
    /// The number of the statement in the block, from 0.
    pub statement: usize,
}

impl Position {
    /// The statement at the position, if there is one.
    pub fn statement(self, cfg: &Cfg) -> Option<&Stmt> {
        cfg.vertex(self.vertex).statements().get(self.statement)
    }
}

/// A point of a routine at which facts hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// The point before a vertex is executed.
    Start(VertexId),
    /// The point after a vertex has been executed, its decision included.
    End(VertexId),
    /// The point before a statement.
    Before(Position),
    /// The point after a statement.
    After(Position),
    /// The point at the far end of an edge in the direction of the analysis, where the effect of the edge is included.
    Edge(EdgeId),
}
