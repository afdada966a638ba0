//! Loops as clusters: which vertices are inside which box, in linear time.

use super::MAX_CLUSTER_DEPTH;
use crate::{
    entity::VertexId,
    ir::{Cfg, VertexKind},
    loops::LoopForest,
    structure::Structure,
};

/// One step of writing nested clusters.
pub(super) enum Step {
    /// Opens the cluster of this LOOP.
    Open(VertexId),
    /// Closes the innermost open cluster.
    Close,
    /// A vertex of the innermost open cluster.
    Vertex(VertexId),
}

/// The forest of clusters: for each LOOP that has one, and for the graph itself (the last list), the
/// vertices that are directly inside.
pub(super) struct Clusters {
    /// By vertex, then the graph itself; only those of LOOPs that have a cluster, and the last, are used.
    start: Vec<u32>,
    members: Vec<VertexId>,
    /// LOOPs that have a cluster.
    opens: Vec<bool>,
}

impl Clusters {
    pub(super) fn new(cfg: &Cfg, structure: &Structure) -> Self {
        let n = cfg.vertex_count();
        // The cluster that each vertex's region belongs to, outermost first; `n` is the graph itself.
        // Parents come before their children in the order.
        let mut inside = vec![n; n];
        let mut opens = vec![false; n];
        for &v in &structure.order {
            let Some(slot) = structure.parent.get(v.index()) else {
                continue;
            };
            if let Some(p) = *slot {
                inside[v.index()] = if opens[p.index()] {
                    p.index()
                } else {
                    inside[p.index()]
                };
            }
            opens[v.index()] = matches!(cfg.vertex(v).kind, VertexKind::Loop { .. })
                && structure.loop_depth[v.index()] < MAX_CLUSTER_DEPTH;
        }
        // A LOOP opens its own cluster at the place where it stands outside; an ENDLOOP is in its LOOP's.
        let home = |v: VertexId| {
            let partner = structure.partner[v.index()].filter(|p| opens[p.index()]);
            match (&cfg.vertex(v).kind, partner) {
                (VertexKind::EndLoop, Some(p)) => p.index(),
                _ => inside[v.index()],
            }
        };
        Self::by_home(cfg, opens.clone(), home)
    }

    /// Of a graph that does not nest: its loops, reducible or not, named by their headers.
    pub(super) fn of_loops(cfg: &Cfg, forest: &LoopForest) -> Self {
        let n = cfg.vertex_count();
        let mut opens = vec![false; n];
        let mut home_of: Vec<usize> = Vec::with_capacity(forest.len());
        for l in forest.loops() {
            let this = forest.get(l);
            let opened = this.depth <= MAX_CLUSTER_DEPTH;
            opens[this.header] = opened;
            home_of.push(match this.parent {
                _ if opened => this.header,
                Some(parent) => home_of[parent.index()],
                None => n,
            });
        }
        let home = |v: VertexId| {
            let own = forest.headed_by(v.index()).filter(|_| opens[v.index()]);
            let around = match own {
                Some(own) => forest.get(own).parent,
                None => forest.innermost(v.index()),
            };
            around.map_or(n, |l| home_of[l.index()])
        };
        Self::by_home(cfg, opens.clone(), home)
    }

    fn by_home(cfg: &Cfg, opens: Vec<bool>, home: impl Fn(VertexId) -> usize) -> Self {
        let n = cfg.vertex_count();
        let mut start = vec![0u32; n + 2];
        for (v, _) in cfg.vertices() {
            start[home(v) + 1] += 1;
        }
        for i in 0..=n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut members = vec![VertexId::new(0); n];
        for (v, _) in cfg.vertices() {
            let slot = &mut next[home(v)];
            members[*slot as usize] = v;
            *slot += 1;
        }
        Self {
            start,
            members,
            opens,
        }
    }

    /// All vertices, with the clusters opened and closed around them; at most
    /// [`MAX_CLUSTER_DEPTH`] are open at a time.
    pub(super) fn walk(&self) -> impl Iterator<Item = Step> + '_ {
        let graph = self.opens.len();
        let list = |cluster: usize| self.start[cluster]..self.start[cluster + 1];
        let mut open = vec![list(graph)];
        let mut header = None;
        std::iter::from_fn(move || {
            if let Some(v) = header.take() {
                return Some(Step::Vertex(v));
            }
            let Some(i) = open.last_mut()?.next() else {
                open.pop();
                return (!open.is_empty()).then_some(Step::Close);
            };
            let v = self.members[i as usize];
            if self.opens[v.index()] {
                open.push(list(v.index()));
                header = Some(v);
                return Some(Step::Open(v));
            }
            Some(Step::Vertex(v))
        })
    }
}
