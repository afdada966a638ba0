//! The shape of a graph: its structure, or its regions.

use cfg_core::{entity::VertexId, structure::Structure};

use crate::plan::regions::Regions;

/// The shape of a graph: its structure if it nests, otherwise its regions.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'p> {
    Structured(&'p Structure),
    General(&'p Regions),
}

impl<'p> Shape<'p> {
    /// All vertices, predecessors first where there is no cycle.
    pub(crate) fn order(self) -> &'p [VertexId] {
        match self {
            Shape::Structured(structure) => &structure.order,
            Shape::General(general) => &general.order,
        }
    }

    /// Number of loops around a vertex.
    pub(crate) fn loop_depth(self, v: VertexId) -> u32 {
        match self {
            Shape::Structured(structure) => structure.loop_depth[v.index()],
            Shape::General(general) => general.forest.depth(v.index()),
        }
    }

    /// The other end of a loop or branch of a structured graph, else the vertex itself.
    pub(crate) fn partner(self, v: VertexId) -> VertexId {
        match self {
            Shape::Structured(structure) => structure.partner(v).unwrap_or(v),
            Shape::General(_) => v,
        }
    }
}
