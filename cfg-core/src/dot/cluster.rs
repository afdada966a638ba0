//! Loops as clusters: which vertices are inside which box, in linear time.

use super::MAX_CLUSTER_DEPTH;
use crate::{
    entity::VertexId,
    ir::{Cfg, VertexKind},
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
