//! The loops of a graph, their indices, and what is written in them.

use cfg_core::{
    entity::VarId,
    graph::{
        Adjacency, Reversed,
        loops::{LoopForest, LoopId},
        reachable,
    },
    ir::{Cfg, Program, Routine, visit::each_written},
    memory::{locations::Locations, named::Named},
};
use fixedbitset::FixedBitSet;

use crate::memory::summary::Summary;

/// The vertices on paths from ENTRY to EXIT, the only ones in a run that ends, and the loops among them.
pub(crate) fn live_loops(cfg: &Cfg) -> (FixedBitSet, LoopForest) {
    let (Some(entry), Some(exit)) = (cfg.entry(), cfg.exit()) else {
        return (
            FixedBitSet::with_capacity(cfg.vertex_count()),
            LoopForest::default(),
        );
    };
    let mut live = reachable(cfg, entry.index());
    live.intersect_with(&reachable(&Reversed(cfg), exit.index()));
    let edges = cfg.edges().map(|(_, e)| (e.from.index(), e.to.index()));
    let among = edges.filter(|&(a, b)| live.contains(a) && live.contains(b));
    let graph = Adjacency::new(cfg.vertex_count(), among);
    let forest = LoopForest::new(&graph, entry.index());
    (live, forest)
}

/// The places where variables may be written: by location, the places of vertices in the forest, in ascending order.
pub(crate) struct Writes<'a> {
    locations: &'a Locations,
    forest: &'a LoopForest,
    places: Vec<Vec<usize>>,
}

impl<'a> Writes<'a> {
    pub(crate) fn of(
        program: &Program,
        summary: &Summary,
        routine: &Routine,
        cfg: &Cfg,
        locations: &'a Locations,
        forest: &'a LoopForest,
    ) -> Self {
        let globals = Named::of(routine);
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); routine.variables.len()];
        for (v, vertex) in cfg.vertices() {
            let Some(place) = forest.place(v.index()) else {
                continue;
            };
            let mut at = |u: VarId| {
                let list = &mut places[locations.of_variable(u).index()];
                if list.last() != Some(&place) {
                    list.push(place);
                }
            };
            vertex.kind.index().into_iter().for_each(&mut at);
            for statement in vertex.statements() {
                each_written(program, statement, &mut at);
                if let Some(callee) = statement.kind.callee() {
                    let written = globals.among(summary.written(callee));
                    written.into_iter().for_each(&mut at);
                }
            }
        }
        places.iter_mut().for_each(|list| list.sort_unstable());
        Self {
            locations,
            forest,
            places,
        }
    }

    /// True if a vertex of the loop other than `but` may write the variable.
    pub(crate) fn inside(&self, l: LoopId, v: VarId, but: Option<usize>) -> bool {
        let places = &self.places[self.locations.of_variable(v).index()];
        let but = but.and_then(|v| self.forest.place(v));
        // Each vertex is there once.
        match self.forest.among(l, places) {
            [] => false,
            [one] => Some(*one) != but,
            _ => true,
        }
    }
}
