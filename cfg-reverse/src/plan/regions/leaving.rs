//! Edges that leave many loops at once, if the blocks on them would outnumber the graph.
//!
//! An edge that leaves several loops with a count records each of their counts, on blocks of its own. In a deep nest
//! many such edges would make the sweeps quadratic. There all of them go through one chain instead, which has one
//! *way out* per loop:
//!
//! ```text
//! forward    i , way := e , marker , way out of l1 , marker , way out of l2 ... , enter(e)... , j
//!   way out  push(ctr); a BRANCH on the way: edges that leave no more loops, or the way out of the next loop
//!   marker   which edge, or which loop inside, comes to this way out
//!
//! adjoint    way in of the outermost loop that e leaves: pop(ctr), the marker; where the loop's first pass
//!            begins; the FORLOOP. Its first pass leads to the way in of the loop inside.
//! ```
//!
//! The graphs stay linear in the original. The price is a marker per loop that is left, so other graphs keep blocks
//! on each edge.

use cfg_core::{entity::EdgeId, graph::loops::LoopId, ir::Cfg};

use crate::plan::regions::Regions;

/// The way out of one loop, for edges that leave others as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    /// Edges from vertices that are in no loop with a count inside this one.
    pub(crate) edges: Vec<EdgeId>,
    /// Loops inside that are left at the same time.
    pub(crate) inside: Vec<LoopId>,
    /// Edges that leave this loop last.
    pub(crate) ends: Vec<EdgeId>,
    /// The loop around, if it is left at the same time, and this loop's position in its `inside`.
    pub(crate) on: Option<(LoopId, usize)>,
}

impl Way {
    pub(crate) fn markers(&self) -> usize {
        self.edges.len() + self.inside.len()
    }
}

/// The ways by which edges leave several loops together.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    /// The way out of each loop that some edge leaves together with others.
    pub(crate) ways: Vec<Option<Way>>,
    /// The way of each edge that takes these ways.
    pub(crate) shared: Vec<Option<Shared>>,
    /// The number of edges that take these ways.
    pub(crate) count: i64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    pub(crate) number: i64,
    /// The position of the edge in the `edges` of the loop that it leaves first.
    pub(crate) place: usize,
    /// The loop that the edge leaves last.
    last: LoopId,
}

impl Leaving {
    /// The ways, if blocks on each edge would outnumber the vertices and edges.
    pub(crate) fn find(cfg: &Cfg, general: &Regions) -> Option<Self> {
        let forest = &general.forest;
        let around = |l: LoopId| {
            let parent = forest.get(l).parent;
            parent.and_then(|p| general.counted_around[p.index()])
        };
        // Number of loops with a count around each one, itself included.
        let mut depth = vec![0usize; forest.len()];
        for l in forest.loops() {
            if general.counted(l).is_some() {
                depth[l.index()] = 1 + around(l).map_or(0, |p| depth[p.index()]);
            }
        }
        let mut far = Vec::new();
        let mut blocks = 0;
        for (e, edge) in cfg.edges() {
            let (from, to) = (edge.from.index(), edge.to.index());
            if !general.is_live(cfg, e) {
                continue;
            }
            let inner = general.innermost(edge.from);
            let (Some(inner), Some(outer)) = (inner, forest.outermost_left(from, to)) else {
                continue;
            };
            let kept = around(outer).map_or(0, |p| depth[p.index()]);
            let left = depth[inner.index()].saturating_sub(kept);
            if left > 1 {
                blocks += left;
                far.push((e, inner, outer, kept));
            }
        }
        if blocks <= cfg.vertex_count() + cfg.edge_count() {
            return None;
        }
        let mut ways: Vec<Option<Way>> = vec![None; forest.len()];
        let mut lowest = depth.clone();
        let mut shared = vec![None; cfg.edge_count()];
        let mut count = 0;
        for (e, inner, outer, kept) in far {
            let mut last = outer;
            if general.counted(outer).is_none() {
                // The outermost loop is irreducible: the edge leaves last the counted loop just inside it.
                last = inner;
                while let Some(p) = around(last).filter(|p| depth[p.index()] > kept) {
                    last = p;
                }
            }
            let edges = &mut ways[inner.index()].get_or_insert_default().edges;
            shared[e.index()] = Some(Shared {
                number: count,
                place: edges.len(),
                last,
            });
            edges.push(e);
            count += 1;
            lowest[inner.index()] = lowest[inner.index()].min(kept);
            ways[last.index()].get_or_insert_default().ends.push(e);
        }
        for l in forest.loops().rev() {
            let low = lowest[l.index()];
            if let Some(p) = around(l)
                && low < depth[p.index()]
                && ways[l.index()].is_some()
            {
                let place = ways[p.index()].as_ref().map_or(0, |w| w.inside.len());
                if let Some(way) = &mut ways[l.index()] {
                    way.on = Some((p, place));
                }
                ways[p.index()].get_or_insert_default().inside.push(l);
                lowest[p.index()] = lowest[p.index()].min(low);
            }
        }
        Some(Self {
            ways,
            shared,
            count,
        })
    }

    /// True of an edge that takes the ways out.
    pub(crate) fn is_shared(&self, e: EdgeId) -> bool {
        self.shared[e.index()].is_some()
    }

    /// The loop that a shared edge leaves last.
    pub(crate) fn last(&self, e: EdgeId) -> Option<LoopId> {
        self.shared[e.index()].map(|s| s.last)
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, &Way)> {
        let ways = self.ways.iter().enumerate();
        ways.filter_map(|(l, way)| Some((l, way.as_ref()?)))
    }
}
