//! The loops of a graph that are in runs that end.

use cfg_core::{
    graph::{Adjacency, Reversed, loops::LoopForest, reachable},
    ir::Cfg,
};
use fixedbitset::FixedBitSet;

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
