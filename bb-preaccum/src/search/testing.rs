//! Graphs for unit tests.

use super::rng::Rng;
use crate::lcg::{Kind, Lcg, NewEdge};

/// A graph with three inputs and `count` vertices; some outputs have out-edges.
pub(super) fn graph(rng: &mut Rng, count: usize) -> Lcg {
    let kinds = [Kind::Unit, Kind::Constant, Kind::Variable];
    let mut edges = Vec::new();
    for v in 3..count {
        for _ in 0..1 + rng.below(3) {
            let edge = NewEdge::new(rng.below(v) as i64, v as i64, kinds[rng.below(3)]);
            if edges
                .iter()
                .all(|e: &NewEdge| (e.source, e.target) != (edge.source, edge.target))
            {
                edges.push(edge);
            }
        }
    }
    // Some outputs are read again.
    let read = |v: usize| edges.iter().any(|edge| edge.source == v as i64);
    let is_output = |v: &usize| !read(*v) || v.is_multiple_of(5);
    let outputs: Vec<i64> = (3..count).filter(is_output).map(|v| v as i64).collect();
    Lcg::new("random", &[0, 1, 2], &outputs, edges).expect("a graph")
}

/// Variable edges between these ends.
pub(crate) fn variable(
    ends: impl IntoIterator<Item = (i64, i64)>,
) -> impl Iterator<Item = NewEdge> {
    let edge = |(i, k)| NewEdge::new(i, k, Kind::Variable);
    ends.into_iter().map(edge)
}

/// A chain of `edges` edges.
pub(crate) fn chain(edges: usize) -> Lcg {
    let end = edges as i64;
    let edges = variable((0..end).map(|v| (v, v + 1)));
    Lcg::new("chain", &[0], &[end], edges).expect("a graph")
}

/// One vertex that reads `inputs` inputs and is read by `outputs` outputs.
pub(crate) fn star(inputs: usize, outputs: usize) -> Lcg {
    let middle = inputs as i64;
    let inputs: Vec<i64> = (0..middle).collect();
    let outputs: Vec<i64> = (middle + 1..=middle + outputs as i64).collect();
    let into = inputs.iter().map(|&u| (u, middle));
    let out = outputs.iter().map(|&v| (middle, v));
    Lcg::new("star", &inputs, &outputs, variable(into.chain(out))).expect("a graph")
}

/// `count` vertices between one input and one output.
pub(super) fn parallel(count: usize) -> Lcg {
    let end = count as i64 + 1;
    let edges = variable((1..end).flat_map(|v| [(0, v), (v, end)]));
    Lcg::new("parallel", &[0], &[end], edges).expect("a graph")
}

/// Lion (Naumann 2004) from 1 and 2 to 5, 6, 7 and 8: disjoint paths need 8 products, edges and faces 11.
pub(crate) const LION: [(i64, i64); 8] = [
    (1, 3),
    (2, 3),
    (3, 4),
    (3, 8),
    (4, 5),
    (4, 6),
    (4, 7),
    (4, 8),
];

/// The number of places in a scan that ends behind the first one that costs more than `most` above the best before it.
pub(super) fn looked_at(changes: &[i64], most: i64) -> usize {
    let mut least = 0;
    let ends = |&change: &i64| {
        least = least.min(change);
        change > least + most
    };
    let end = changes.iter().position(ends);
    end.map_or(changes.len(), |at| at + 1)
}
