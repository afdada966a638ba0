//! Loops as clusters: which vertices are inside which box, in linear time.

use super::MAX_CLUSTER_DEPTH;
use cfg_core::{entity::VertexId, graph::loops::LoopForest};

/// One step of writing nested clusters.
pub(super) enum Step {
    /// Opens the cluster of the loop with this header.
    Open(VertexId),
    /// Closes the innermost open cluster.
    Close,
    /// A vertex of the innermost open cluster.
    Vertex(VertexId),
}

/// The forest of clusters: for each header that has one, and for the graph itself (the last list), the
/// vertices that are directly inside.
pub(super) struct Clusters {
    /// The start of each list by vertex, then of the graph itself; only those of headers that have a cluster, and the
    /// last, are used.
    start: Vec<u32>,
    members: Vec<VertexId>,
    /// Headers that have a cluster.
    opens: Vec<bool>,
}

impl Clusters {
    /// The loops of any graph, reducible or not, named by their headers. `vertices` has all vertices, in the order in
    /// which those of one cluster are written.
    pub(super) fn new(vertices: &[VertexId], forest: &LoopForest) -> Self {
        let n = vertices.len();
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
        Self::by_home(vertices, opens.clone(), home)
    }

    fn by_home(vertices: &[VertexId], opens: Vec<bool>, home: impl Fn(VertexId) -> usize) -> Self {
        let n = vertices.len();
        let mut start = vec![0u32; n + 2];
        for &v in vertices {
            start[home(v) + 1] += 1;
        }
        for i in 0..=n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut members = vec![VertexId::new(0); n];
        for &v in vertices {
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
