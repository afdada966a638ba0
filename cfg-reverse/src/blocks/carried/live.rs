//! The variables that are live on the edges of a graph.

use cfg_analysis::liveness::Liveness;
use cfg_core::{
    dataflow::{Point, Set, Solution},
    entity::EdgeId,
    ir::Cfg,
};

/// The variables that are live.
pub(crate) struct Live<'p> {
    pub(super) analysis: Liveness<'p>,
    pub(super) solution: Solution<Set>,
}

impl Live<'_> {
    /// The live variables on an edge.
    pub(crate) fn on(&self, cfg: &Cfg, e: EdgeId) -> Set {
        self.solution.at(cfg, &self.analysis, Point::Edge(e))
    }
}
