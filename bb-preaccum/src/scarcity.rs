//! Scarcity (Griewank and Vogel): a transposed Jacobian times a vector, computed through a partly eliminated graph,
//! costs one multiplication per edge that is no unit. A remainder graph can have far fewer edges than the Jacobian has
//! entries, so that it pays to stop early.
//!
//! The remainder graph does not depend on the order in which a set of intermediates is eliminated, so the search goes
//! over sets: vertices are put in and taken out while that lowers (multiplications for the set) + k·(remaining edges
//! that are no units), for k products with vectors. Rerouting and normalization of edges are not done.

use crate::cost::CostModel;
use crate::eliminate::{Primal, Step};
use crate::lcg::{Kind, Lcg, Role};

/// A point at which to stop: the eliminations before it, and the size of the remainder graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// The eliminations to do.
    pub steps: Vec<Step>,
    /// The cost of the eliminations.
    pub cost: u64,
    /// The number of edges left.
    pub edges: usize,
    /// Remaining edges that are no units: the cost of one product with a vector.
    pub nontrivial: u64,
    /// Entries of the full Jacobian that are no units.
    pub jacobian: u64,
    /// Edges of the whole graph that are no units.
    pub graph: u64,
}

impl Remainder {
    /// Multiplications for the eliminations and `directions` products with vectors.
    pub fn total(&self, directions: u64) -> u64 {
        self.cost + directions * self.nontrivial
    }
}

/// Most vertices for a search over sets; larger graphs get the best prefix of the sequence.
const MOST: usize = 400;

/// Most edges that a search over sets visits, over all sets that it tries.
const EVALUATED: usize = 200_000;

fn nontrivial(graph: &Primal<'_>) -> u64 {
    graph
        .entries()
        .filter(|entry| entry.kind != Kind::Unit)
        .count() as u64
}

/// The remainder graph that is cheapest for a number of products with vectors, starting from a complete
/// sequence of vertex and edge eliminations (such as a search found; faces give the whole graph).
pub fn remainder(lcg: &Lcg, model: CostModel, steps: &[Step], directions: u64) -> Remainder {
    remainder_until(lcg, model, steps, directions, &mut || false)
}

/// [`remainder`], until `stop` returns true: the best remainder graph so far, at least the best prefix of the
/// sequence.
pub fn remainder_until(
    lcg: &Lcg,
    model: CostModel,
    steps: &[Step],
    directions: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Remainder {
    let mut graph = Primal::without_jaes(lcg);
    let whole = nontrivial(&graph);
    let mut best = Remainder {
        steps: Vec::new(),
        cost: 0,
        edges: graph.edge_count(),
        nontrivial: whole,
        jacobian: whole,
        graph: whole,
    };
    // Every prefix of the sequence.
    let mut left = whole as i64;
    let mut at_best = 0;
    for (at, &step) in steps.iter().enumerate() {
        left += change(&mut graph, step);
        let cost = graph.counts().multiplications(model);
        let nontrivial = left.max(0) as u64;
        if cost + directions * nontrivial < best.total(directions) {
            best = Remainder {
                cost,
                edges: graph.edge_count(),
                nontrivial,
                ..best
            };
            at_best = at + 1;
        }
        best.jacobian = nontrivial;
    }
    best.steps = steps[..at_best].to_vec();
    if lcg.vertex_count() <= MOST {
        let order: Vec<u32> = order_of(lcg, steps);
        let by_prefix: Vec<bool> = order
            .iter()
            .map(|v| best.steps.contains(&Step::Vertex(*v)))
            .collect();
        for chosen in [by_prefix, vec![false; order.len()], vec![true; order.len()]] {
            if stop() {
                break;
            }
            improve(lcg, model, &order, chosen, directions, &mut best, stop);
        }
    }
    best
}

/// Applies a step and returns the growth of the number of nontrivial edges. Only rows that change are counted.
fn change(graph: &mut Primal<'_>, step: Step) -> i64 {
    let mut near: Vec<u32> = match step {
        Step::Vertex(j) => graph.preds(j).chain([j]).collect(),
        Step::Front(i, j) => vec![i, j],
        Step::Back(j, _) => graph.preds(j).chain([j]).collect(),
        Step::Face(..) => Vec::new(),
    };
    near.dedup();
    let count = |graph: &Primal<'_>| -> i64 {
        let row = |&v: &u32| {
            let kinds = graph.succs(v).filter_map(|k| graph.edge_kind(v, k));
            kinds.filter(|&kind| kind != Kind::Unit).count() as i64
        };
        near.iter().map(row).sum()
    };
    let before = count(graph);
    if graph.apply(step).is_err() {
        return 0;
    }
    count(graph) - before
}

/// All vertices that can be eliminated, in the order of their last step in the sequence.
fn order_of(lcg: &Lcg, steps: &[Step]) -> Vec<u32> {
    let mut seen = vec![false; lcg.vertex_count()];
    let mut order = Vec::new();
    let rest = (0..lcg.vertex_count() as u32).filter(|&v| lcg.role(v) != Role::Independent);
    let last_first = steps.iter().rev().filter_map(|step| match *step {
        Step::Vertex(j) | Step::Front(_, j) | Step::Back(j, _) => Some(j),
        Step::Face(..) => None,
    });
    for v in last_first.chain(rest) {
        if !std::mem::replace(&mut seen[v as usize], true) {
            order.push(v);
        }
    }
    order.reverse();
    order
}

fn evaluate(lcg: &Lcg, model: CostModel, order: &[u32], chosen: &[bool]) -> (Remainder, Vec<Step>) {
    let mut graph = Primal::without_jaes(lcg);
    let mut steps = Vec::new();
    for (&v, _) in order.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        if graph.apply(Step::Vertex(v)).is_ok() {
            steps.push(Step::Vertex(v));
        }
    }
    let found = Remainder {
        steps: Vec::new(),
        cost: graph.counts().multiplications(model),
        edges: graph.edge_count(),
        nontrivial: nontrivial(&graph),
        jacobian: 0,
        graph: 0,
    };
    (found, steps)
}

/// Puts single vertices in and out as long as the cost falls.
fn improve(
    lcg: &Lcg,
    model: CostModel,
    order: &[u32],
    mut chosen: Vec<bool>,
    directions: u64,
    best: &mut Remainder,
    stop: &mut dyn FnMut() -> bool,
) {
    let (first, steps) = evaluate(lcg, model, order, &chosen);
    let mut total = first.total(directions);
    if total < best.total(directions) {
        *best = Remainder {
            steps,
            jacobian: best.jacobian,
            graph: best.graph,
            ..first
        };
    }
    // A full pass without gain ends the search; passes are few because every change gains at least 1.
    let mut idle = 0;
    let mut at = 0;
    let mut work =
        (4 * order.len() * order.len().min(64)).min(EVALUATED / lcg.edges().len().max(1));
    while idle < order.len() && work > 0 && !order.is_empty() && !stop() {
        work -= 1;
        chosen[at] = !chosen[at];
        let (found, steps) = evaluate(lcg, model, order, &chosen);
        if found.total(directions) < total {
            total = found.total(directions);
            idle = 0;
            if total < best.total(directions) {
                *best = Remainder {
                    steps,
                    jacobian: best.jacobian,
                    graph: best.graph,
                    ..found
                };
            }
        } else {
            chosen[at] = !chosen[at];
            idle += 1;
        }
        at = (at + 1) % order.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::variable;

    /// Only a search over sets leaves out the first elimination of a sequence, which makes more edges than it deletes,
    /// and takes the second.
    #[test]
    fn vertices_on_both_sides_of_the_limit() {
        let dear = [(0, 4), (1, 4), (2, 4), (4, 6), (4, 7), (4, 8)];
        let cheap = [(3, 5), (5, 9)];
        let steps = [Step::Vertex(4), Step::Vertex(5)];
        for (vertices, is_searched) in [(MOST, true), (MOST + 1, false)] {
            // Inputs that no vertex reads are vertices, too.
            let inputs: Vec<i64> = (0..4).chain(10..vertices as i64).collect();
            let edges = variable(dear.into_iter().chain(cheap));
            let lcg = Lcg::new("two", &inputs, &[6, 7, 8, 9], edges).expect("a graph");
            assert_eq!(lcg.vertex_count(), vertices);
            let found = remainder(&lcg, CostModel::Plain, &steps, 100);
            let expected: &[Step] = if is_searched { &steps[1..] } else { &[] };
            assert_eq!(found.steps, expected, "{vertices}");
        }
    }

    /// A search without gain tries sets until these had `EVALUATED` edges in all, from each of three starts.
    #[test]
    fn edges_of_sets_on_both_sides_of_the_limit() {
        let inputs: Vec<i64> = (0..101).collect();
        let outputs: Vec<i64> = (101..301).collect();
        let ends = (0..101).flat_map(|i| (101..301).map(move |k| (i, k)));
        for (edges, sets) in [(EVALUATED / 10, 10), (EVALUATED / 10 + 1, 9)] {
            let some = variable(ends.clone().take(edges));
            let lcg = Lcg::new("entries", &inputs, &outputs, some).expect("a graph");
            assert_eq!(lcg.edges().len(), edges);
            let mut asked = 0;
            let mut stop = || {
                asked += 1;
                false
            };
            remainder_until(&lcg, CostModel::Plain, &[], 1, &mut stop);
            assert_eq!(asked, 3 * (1 + sets), "{edges}");
        }
    }
}
