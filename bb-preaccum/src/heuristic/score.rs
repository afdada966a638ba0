//! The rules' scores for vertex and edge eliminations; lower is better.

use super::reach::Reach;
use crate::eliminate::{Primal, Step};
use crate::lcg::Role;

/// Vertex numbers are below 2^30, by the reader's limit on edges.
const TOP: i64 = 1 << 30;

/// The vertex between the edges that a step joins.
pub(super) fn middle(step: Step) -> u32 {
    match step {
        Step::Vertex(j) | Step::Front(_, j) | Step::Back(j, _) | Step::Face(j, _) => j,
    }
}

/// Forward order as one number; reverse order if `sign` is -1.
pub(super) fn order(step: Step, reverse: bool) -> i64 {
    let flip = |v: u32| {
        if reverse {
            TOP - i64::from(v)
        } else {
            i64::from(v)
        }
    };
    match step {
        Step::Vertex(j) => flip(j) << 32,
        Step::Front(i, j) => flip(j) << 32 | flip(i),
        Step::Back(j, k) => flip(j) << 32 | 1 << 31 | flip(k),
        Step::Face(i, j) => i64::from(i) << 32 | i64::from(j),
    }
}

/// |P||S|, |S_j| or |P_j|: the number of products.
pub(super) fn markowitz(graph: &Primal<'_>, step: Step) -> i64 {
    let count = match step {
        Step::Vertex(j) => graph.in_degree(j) * graph.out_degree(j),
        Step::Front(_, j) => graph.out_degree(j),
        Step::Back(j, _) => graph.in_degree(j),
        Step::Face(..) => 1,
    };
    count as i64
}

/// The Markowitz degree minus that of the same elimination done last.
pub(super) fn relative(graph: &Primal<'_>, reach: &Reach, step: Step) -> i64 {
    let last = match step {
        Step::Vertex(j) => {
            i64::from(reach.independents[j as usize]) * i64::from(reach.dependents[j as usize])
        }
        Step::Front(_, j) => i64::from(reach.dependents[j as usize]),
        Step::Back(j, _) => i64::from(reach.independents[j as usize]),
        Step::Face(..) => 1,
    };
    markowitz(graph, step) - last
}

/// True if a step makes more than this many new edges.
pub(super) fn makes_more(graph: &Primal<'_>, step: Step, most: usize) -> bool {
    let Step::Vertex(j) = step else {
        return fill_in(graph, step) > most as i64;
    };
    let pairs = graph
        .preds(j)
        .flat_map(|i| graph.succs(j).map(move |k| (i, k)));
    pairs
        .filter(|&(i, k)| !graph.has_edge(i, k))
        .nth(most)
        .is_some()
}

/// The number of new edges.
pub(super) fn fill_in(graph: &Primal<'_>, step: Step) -> i64 {
    let count: usize = match step {
        Step::Vertex(j) => graph.preds(j).map(|i| graph.new_succs(i, j)).sum(),
        Step::Front(i, j) => graph.new_succs(i, j),
        Step::Back(j, k) => graph.new_preds(j, k),
        Step::Face(..) => 0,
    };
    count as i64
}

/// The growth of the Markowitz degrees of the neighbours. The degree of `j` itself, which an edge elimination lowers,
/// is left out. The removal of `j` with its last in- or out-edge is counted (in edge eliminations even if `j` is a
/// dependent, which stays). Only this reading reproduces the published counts of edge heuristics.
pub(super) fn damage(graph: &Primal<'_>, step: Step) -> i64 {
    // A neighbour without in-edges (or out-edges) of its own has no Markowitz degree that could change.
    let degree_in = |v: u32| graph.in_degree(v) as i64;
    let degree_out = |v: u32| graph.out_degree(v) as i64;
    match step {
        Step::Vertex(j) => {
            let goes = i64::from(graph.lcg().role(j) == Role::Intermediate);
            let before = graph.inner_preds(j);
            let behind = graph.inner_succs(j);
            let from = before.map(|i| degree_in(i) * (graph.new_succs(i, j) as i64 - goes));
            let into = behind.map(|k| degree_out(k) * (graph.new_preds(j, k) as i64 - 1));
            from.sum::<i64>() + into.sum::<i64>()
        }
        Step::Front(i, j) => {
            let goes = i64::from(graph.in_degree(j) == 1);
            let new = |k: u32| i64::from(!graph.has_edge(i, k));
            let behind = graph.inner_succs(j);
            let growth: i64 = behind.map(|k| degree_out(k) * (new(k) - goes)).sum();
            match degree_in(i) {
                0 => growth,
                degree => growth + degree * (graph.new_succs(i, j) as i64 - 1),
            }
        }
        Step::Back(j, k) => {
            let goes = i64::from(graph.out_degree(j) == 1);
            let new = |i: u32| i64::from(!graph.has_edge(i, k));
            let before = graph.inner_preds(j);
            let growth: i64 = before.map(|i| degree_in(i) * (new(i) - goes)).sum();
            match degree_out(k) {
                0 => growth,
                degree => growth + degree * (graph.new_preds(j, k) as i64 - 1),
            }
        }
        Step::Face(..) => 0,
    }
}

/// The decrease of the sum of all Markowitz degrees.
pub(super) fn reduction(graph: &Primal<'_>, step: Step) -> i64 {
    let own = match step {
        Step::Vertex(_) => markowitz(graph, step),
        Step::Front(_, j) => graph.out_degree(j) as i64,
        Step::Back(j, _) => graph.in_degree(j) as i64,
        Step::Face(..) => 0,
    };
    own - damage(graph, step)
}
