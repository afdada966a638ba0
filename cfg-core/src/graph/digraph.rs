//! Directed graphs as algorithms see them: the [`DiGraph`] trait, reversal by view, traversals.
//!
//! Nothing here recurses: the depth of a graph is bounded by memory only.

use crate::{entity::VertexId, ir::Cfg};
use fixedbitset::FixedBitSet;

/// A directed graph on the vertices `0 .. len()`: all that a graph algorithm may ask for. A parallel edge appears once
/// for each time that it exists.
pub trait DiGraph {
    /// Number of vertices.
    fn len(&self) -> usize;

    /// Targets of the edges that leave `v`, in a fixed order.
    fn successors(&self, v: usize) -> impl Iterator<Item = usize>;

    /// Sources of the edges that enter `v`, in a fixed order.
    fn predecessors(&self, v: usize) -> impl Iterator<Item = usize>;

    /// True if there are no vertices.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl DiGraph for Cfg {
    fn len(&self) -> usize {
        self.vertex_count()
    }
    fn successors(&self, v: usize) -> impl Iterator<Item = usize> {
        self.successors(VertexId::new(v)).map(VertexId::index)
    }
    fn predecessors(&self, v: usize) -> impl Iterator<Item = usize> {
        self.predecessors(VertexId::new(v)).map(VertexId::index)
    }
}

/// A view of the graph with its edges turned round, at no cost. Its dominators are the post-dominators of the graph.
pub struct Reversed<'g, G>(pub &'g G);

impl<G: DiGraph> DiGraph for Reversed<'_, G> {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn successors(&self, v: usize) -> impl Iterator<Item = usize> {
        self.0.predecessors(v)
    }
    fn predecessors(&self, v: usize) -> impl Iterator<Item = usize> {
        self.0.successors(v)
    }
}

/// A graph given by adjacency lists: for generated graphs, tests and graphs without a [`Cfg`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    succs: Vec<Vec<usize>>,
    preds: Vec<Vec<usize>>,
}

impl Adjacency {
    /// The graph on `0 .. n` with these edges; edges that leave the range are dropped.
    pub fn new(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut graph = Self {
            succs: vec![Vec::new(); n],
            preds: vec![Vec::new(); n],
        };
        for (from, to) in edges {
            if from < n && to < n {
                graph.succs[from].push(to);
                graph.preds[to].push(from);
            }
        }
        graph
    }
}

impl DiGraph for Adjacency {
    fn len(&self) -> usize {
        self.succs.len()
    }
    fn successors(&self, v: usize) -> impl Iterator<Item = usize> {
        self.succs[v].iter().copied()
    }
    fn predecessors(&self, v: usize) -> impl Iterator<Item = usize> {
        self.preds[v].iter().copied()
    }
}

/// The vertices that can be reached from `root`, itself included.
pub fn reachable(graph: &impl DiGraph, root: usize) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(graph.len());
    let mut work = Vec::new();
    if root < graph.len() {
        seen.insert(root);
        work.push(root);
    }
    while let Some(v) = work.pop() {
        for next in graph.successors(v) {
            if !seen.put(next) {
                work.push(next);
            }
        }
    }
    seen
}

/// Depth-first postorder from `root`: the reachable vertices, each after its descendants in the depth-first tree.
pub fn postorder(graph: &impl DiGraph, root: usize) -> Vec<usize> {
    let mut seen = FixedBitSet::with_capacity(graph.len());
    let mut order = Vec::new();
    if root >= graph.len() {
        return order;
    }
    seen.insert(root);
    let mut stack = vec![(root, graph.successors(root))];
    while let Some((v, rest)) = stack.last_mut() {
        if let Some(next) = rest.find(|&s| !seen.put(s)) {
            stack.push((next, graph.successors(next)));
        } else {
            order.push(*v);
            stack.pop();
        }
    }
    order
}

/// Reverse postorder from `root`: a topological order if no cycle is reachable.
pub fn reverse_postorder(graph: &impl DiGraph, root: usize) -> Vec<usize> {
    let mut order = postorder(graph, root);
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_that_leave_the_range_are_dropped() {
        let edges = [(0, 1), (0, 2), (2, 0), (1, 5), (7, 1), (3, 3)];
        let graph = Adjacency::new(2, edges);
        assert_eq!(graph, Adjacency::new(2, [(0, 1)]));
        assert!(graph.successors(0).eq([1]) && graph.predecessors(1).eq([0]));
    }

    #[test]
    fn nothing_is_reached_from_a_root_that_is_not_there() {
        let empty = Adjacency::new(0, std::iter::empty());
        let one = Adjacency::new(1, [(0, 0)]);
        assert_eq!(reachable(&empty, 0).count_ones(..), 0);
        assert_eq!(reachable(&one, 0).count_ones(..), 1);
        assert_eq!(reachable(&one, 1).count_ones(..), 0);
        for root in 0..3 {
            let order = postorder(&one, root);
            assert_eq!(order, [0][usize::from(root > 0)..]);
        }
    }
}
