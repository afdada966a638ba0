//! The vertices that control can reach. A statement that stops the program ends every path through it, although the
//! graph goes on.

use crate::{
    entity::VertexId,
    ir::{Cfg, Stmt, StmtKind, Vertex},
};
use fixedbitset::FixedBitSet;

/// The vertices to which a path leads from ENTRY that passes no statement that stops the program.
#[derive(Clone, Debug)]
pub struct Reached {
    entered: FixedBitSet,
}

/// True if the statement stops the program.
fn stops(statement: &Stmt) -> bool {
    matches!(statement.kind, StmtKind::Stop { .. })
}

/// The statements of a block that may be executed: up to the first that stops the program.
pub fn executed_prefix(statements: &[Stmt]) -> &[Stmt] {
    let first = statements.iter().position(stops);
    first.map_or(statements, |first| &statements[..=first])
}

/// True if a statement of the vertex stops the program whenever control comes there.
fn ends(vertex: &Vertex) -> bool {
    vertex.statements().iter().any(stops)
}

impl Reached {
    /// Follows the paths of a graph; `None` if no statement of it stops the program. O(vertices + edges).
    pub fn from_entry(cfg: &Cfg) -> Option<Self> {
        if !cfg.vertices().any(|(_, vertex)| ends(vertex)) {
            return None;
        }
        let mut entered = FixedBitSet::with_capacity(cfg.vertex_count());
        let mut open: Vec<VertexId> = cfg.entry().into_iter().collect();
        while let Some(v) = open.pop() {
            if !entered.put(v.index()) && !ends(cfg.vertex(v)) {
                open.extend(cfg.successors(v));
            }
        }
        Some(Self { entered })
    }

    /// True if control may come to the vertex.
    pub fn enters(&self, v: VertexId) -> bool {
        self.entered.contains(v.index())
    }
}
