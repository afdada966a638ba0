//! Random graphs for the unit tests of the search.

use super::rng::Rng;
use crate::lcg::{Kind, Lcg, NewEdge};

/// A graph with three inputs and `count` vertices, some outputs read again.
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
