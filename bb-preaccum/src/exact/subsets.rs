//! Optimal vertex elimination by dynamic programming over all sets of eliminated vertices.
//!
//! The cost of a vertex depends on the set S of vertices eliminated before it, not on their order. So the least cost
//! f(S) of eliminating S satisfies Held's and Karp's recurrence ("A dynamic programming approach to sequencing
//! problems", J. SIAM 10, 1962)
//!
//! f(S ∪ {v}) = min over v of f(S) + cost(v after S).
//!
//! The method takes 2^n values for any graph, so it also ends on dense graphs, in which branch and bound drowns. A
//! cost is the product of two degrees, each of which depends on a part of S (see [`super::degrees`]), so that
//! n·2^(n-1) costs need only about 2·2^n degrees, however many independents and dependents there are. Twins are
//! eliminated in order. A set is skipped if its cost and the disjoint-path bound of the remaining vertices reach the
//! best known cost.

use super::degrees::{Before, Behind, Packed, Set, Side};
use super::vertex::Outcome;
use crate::bits::ones;
use crate::cost::CostModel;
use crate::eliminate::Primal;
use crate::lcg::Role;

/// The most vertices to eliminate: 2^26 values of four bytes, and as many degrees of four or eight.
pub(crate) const MOST_VERTICES: usize = 26;

/// Sets between two questions whether to stop.
const PATIENCE: Set = 1 << 14;

/// The size of a block of sets that differ only in their lowest bits. Adding one higher vertex to each gives a block
/// again.
const BLOCK: Set = 1 << 6;

/// A value that is unknown or too large. A cost can be added to it without overflow.
const UNKNOWN: u32 = 1 << 31;

/// A problem to solve. Only the vertices to eliminate are numbered, in the order of the graph.
struct Problem {
    pred: Side,
    succ: Side,
    /// Vertices that stay as dependents.
    stays: Set,
    /// A lower bound on the cost of each vertex in any order.
    least: Vec<u32>,
    /// Twins that go before each vertex.
    earlier: Vec<Set>,
    below: u32,
}

/// Finds the optimum for a remaining graph, if it is below `below`, as an order of vertex numbers. `least` has a lower
/// bound on the cost of each vertex in any order. `None` if there are too many vertices to eliminate, if a vertex may
/// cost 2^31 products, or if there is no room for the values.
pub(crate) fn solve(
    graph: &Primal<'_>,
    model: CostModel,
    least: &[u64],
    below: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Outcome> {
    within(MOST_VERTICES, graph, model, least, below, stop)
}

/// [`solve`], for at most `most` vertices.
fn within(
    most: usize,
    graph: &Primal<'_>,
    model: CostModel,
    least: &[u64],
    below: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Outcome> {
    let vertices = 0..graph.lcg().vertex_count() as u32;
    let left = vertices.filter(|&v| graph.is_eliminable(v));
    let places: Vec<u32> = left.take(most + 1).collect();
    if places.len() > most {
        return None;
    }
    let (pred, succ) = (
        Side::new(graph, model, &places, false),
        Side::new(graph, model, &places, true),
    );
    // Even a single elimination may cost more than the 32-bit values of the table can hold.
    if pred.most.saturating_mul(succ.most) >= u64::from(UNKNOWN) {
        return None;
    }
    let stays = |v: usize| graph.lcg().role(places[v]) == Role::Dependent;
    let same = |v: usize, w: usize| {
        pred.row(v) == pred.row(w) && succ.row(v) == succ.row(w) && stays(v) == stays(w)
    };
    let set = |chosen: &mut dyn Iterator<Item = usize>| chosen.fold(0, |set, v| set | 1 << v);
    let n = places.len();
    let problem = Problem {
        stays: set(&mut (0..n).filter(|&v| stays(v))),
        least: places
            .iter()
            .map(|&v| least[v as usize].min(u64::from(UNKNOWN)) as u32)
            .collect(),
        earlier: (0..n)
            .map(|v| set(&mut (0..v).filter(|&w| same(v, w))))
            .collect(),
        below: below.min(u64::from(UNKNOWN)) as u32,
        pred,
        succ,
    };
    let found = if problem.pred.fits::<u32>() {
        problem.solve::<u32>(stop)?
    } else {
        problem.solve::<u64>(stop)?
    };
    Some(match found {
        Outcome::Optimal(cost, order) => {
            let vertices = order.into_iter().map(|v| places[v] as usize);
            Outcome::Optimal(cost, vertices.collect())
        }
        other @ (Outcome::NothingBelow | Outcome::Unfinished) => other,
    })
}

impl Problem {
    fn solve<P: Packed>(&self, stop: &mut dyn FnMut() -> bool) -> Option<Outcome> {
        let n = self.least.len();
        let mut values: Vec<u32> = Vec::new();
        values.try_reserve_exact(1 << n).ok()?;
        values.resize(1 << n, UNKNOWN);
        values[0] = 0;
        let all: Set = ((1u64 << n) - 1) as Set;
        let low: Set = all & (BLOCK - 1);
        let bound = Remaining::new(&self.least);
        let mut before = Before::<P>::new(&self.pred, n)?;
        let mut behind = Behind::new(&self.succ, n, self.stays);
        for block in (0..=all).step_by(low as usize + 1) {
            if block % PATIENCE == 0 && stop() {
                return Some(Outcome::Unfinished);
            }
            let mut open = false;
            for set in block..=block | low {
                let value = values[set as usize];
                if value + bound.after(set) < self.below {
                    open = true;
                    let succ = behind.after(set);
                    for v in ones(low & !set) {
                        if self.earlier[v] & !set == 0 {
                            let cost = before.degrees(v, set, 1)[0].unpack().products(succ[v]);
                            let slot = &mut values[(set | 1 << v) as usize];
                            *slot = (value + cost).min(*slot);
                        }
                    }
                }
            }
            if !open {
                continue;
            }
            // All sets of the block have the same successors behind the other vertices.
            let succ = behind.after(block);
            let (done, ahead) = values.split_at_mut((block | low) as usize + 1);
            let done = &done[block as usize..];
            for v in ones(all & !block & !low) {
                if self.earlier[v] & !(block | low) == 0 {
                    let pred = before.degrees(v, block, done.len());
                    let slots = &mut ahead[(1 << v) - done.len()..][..done.len()];
                    for ((slot, value), pred) in slots.iter_mut().zip(done).zip(pred) {
                        *slot = (value + pred.unpack().products(succ[v])).min(*slot);
                    }
                }
            }
        }
        let best = values[all as usize];
        if best >= self.below {
            // No order costs less than `below`. If `below` itself does not fit into 31 bits, nothing is proven.
            return (self.below < UNKNOWN).then_some(Outcome::NothingBelow);
        }
        // The order is found backwards: a vertex can be the last one if its cost is the difference of the values.
        let mut order = Vec::with_capacity(n);
        let mut set = all;
        while set != 0 {
            let last = ones(set).find(|&v| {
                let rest = set & !(1 << v);
                let pred = before.degrees(v, rest, 1)[0].unpack();
                let cost = pred.products(behind.after(rest)[v]);
                values[rest as usize] + cost == values[set as usize]
            })?;
            order.push(last);
            set &= !(1 << last);
        }
        order.reverse();
        Some(Outcome::Optimal(u64::from(best), order))
    }
}

/// A lower bound on the cost of the vertices outside a set, as two tables of sums, by the lower and the upper half of
/// the bits.
struct Remaining {
    half: usize,
    low: Vec<u32>,
    high: Vec<u32>,
}

impl Remaining {
    fn new(least: &[u32]) -> Self {
        let half = least.len() / 2;
        let sums = |least: &[u32]| -> Vec<u32> {
            let outside = |set: usize| {
                let open = least.iter().enumerate();
                open.filter(|(bit, _)| set >> bit & 1 == 0)
                    .fold(0u32, |sum, (_, &cost)| {
                        sum.saturating_add(cost).min(UNKNOWN / 4)
                    })
            };
            (0..1usize << least.len()).map(outside).collect()
        };
        let (low, high) = least.split_at(half);
        Self {
            half,
            low: sums(low),
            high: sums(high),
        }
    }

    fn after(&self, set: Set) -> u32 {
        let (low, high) = (set as usize & ((1 << self.half) - 1), set >> self.half);
        self.low[low] + self.high[high as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::vertex;
    use super::*;
    use crate::bits::BitGraph;
    use crate::bound::by_vertex;
    use crate::eliminate::Step;
    use crate::lcg::{Kind, Lcg, NewEdge};
    use crate::search::testing::{chain, star};

    /// A random graph: each earlier vertex is read with a chance of `chance` in eight; some dependents are read again.
    fn graph(mut state: u64, inputs: i64, middle: i64, chance: u64) -> Lcg {
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005);
            state = state.wrapping_add(1);
            (state >> 33) % bound
        };
        let end = inputs + middle;
        let mut edges = Vec::new();
        let mut outputs: Vec<i64> = (end..end + 2).collect();
        for v in inputs..end + 2 {
            let readable = v.min(end);
            let sure = below(readable as u64) as i64;
            for u in 0..readable {
                if u == sure || below(8) < chance {
                    let kind = [Kind::Unit, Kind::Constant, Kind::Variable][below(3) as usize];
                    edges.push(NewEdge::new(u, v, kind));
                }
            }
            if v < end && below(6) == 0 {
                outputs.push(v);
            }
        }
        let inputs: Vec<i64> = (0..inputs).collect();
        Lcg::new("random", &inputs, &outputs, edges).expect("a graph")
    }

    /// Layers in which many vertices have the predecessors, the successors or both of another.
    fn twinned(mut state: u64) -> Lcg {
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005);
            state = state.wrapping_add(1);
            (state >> 33) % bound
        };
        let mut edges: Vec<NewEdge> = Vec::new();
        // Vertices of a layer, in groups that have their successors in common.
        let mut layer: Vec<Vec<i64>> = vec![vec![0], vec![1], vec![2]];
        let mut next = 3;
        let middle = 2 + below(2);
        for depth in 0..=middle {
            let kind = [Kind::Unit, Kind::Constant, Kind::Variable][below(3) as usize];
            let mut groups: Vec<Vec<i64>> = Vec::new();
            let mut before = Vec::new();
            for _ in 0..2 + below(3) {
                let chosen: Vec<usize> = match before.is_empty() || below(2) == 0 {
                    true => (0..layer.len()).filter(|_| below(2) == 0).collect(),
                    false => before.clone(),
                };
                let chosen = if chosen.is_empty() { vec![0] } else { chosen };
                for &u in chosen.iter().flat_map(|&group| &layer[group]) {
                    edges.push(NewEdge::new(u, next, kind));
                }
                before = chosen;
                match groups.last_mut() {
                    Some(last) if below(2) == 0 => last.push(next),
                    _ => groups.push(vec![next]),
                }
                next += 1;
            }
            if depth == middle {
                let outputs: Vec<i64> = groups.into_iter().flatten().collect();
                return Lcg::new("twins", &[0, 1, 2], &outputs, edges).expect("a graph");
            }
            layer = groups;
        }
        unreachable!("the last layer returns")
    }

    /// The cost of a whole elimination in this order.
    fn paid(graph: &Primal<'_>, model: CostModel, order: &[usize]) -> u64 {
        let mut graph = graph.clone();
        for &v in order {
            graph.apply(Step::Vertex(v as u32)).expect("a legal step");
        }
        assert!(graph.is_complete());
        graph.counts().multiplications(model)
    }

    fn solutions<const W: usize>(lcg: &Lcg, model: CostModel) -> Option<u64> {
        let graph = Primal::new(lcg);
        let bits = BitGraph::<W>::new(&graph, model)?;
        let never = &mut || false;
        let no_bounds = vec![0; bits.vertices.len()];
        let expected = vertex::solve(&bits, &no_bounds, u64::MAX, u64::MAX, &mut 0, never)?;
        let Outcome::Optimal(cost, _) = expected else {
            panic!("branch and bound has no limits here");
        };
        let least = vec![0; lcg.vertex_count()];
        let Outcome::Optimal(found, order) = solve(&graph, model, &least, u64::MAX, never)? else {
            panic!("there is an order");
        };
        assert_eq!(found, cost, "{model:?} {}", lcg.to_json());
        assert_eq!(
            paid(&graph, model, &order),
            cost,
            "{model:?} {}",
            lcg.to_json()
        );
        // Without a bound for each vertex, and with that of disjoint paths.
        for least in [least, by_vertex(lcg, model, u64::MAX).0] {
            let tight = solve(&graph, model, &least, cost + 1, never)?;
            let place = || format!("{model:?} {}", lcg.to_json());
            let Outcome::Optimal(again, order) = tight else {
                panic!("{tight:?} {}", place());
            };
            assert_eq!(again, cost, "{}", place());
            assert_eq!(paid(&graph, model, &order), cost, "{}", place());
            assert_eq!(
                solve(&graph, model, &least, cost, never)?,
                Outcome::NothingBelow,
                "{}",
                place()
            );
            let least: Vec<u32> = bits
                .vertices
                .iter()
                .map(|&v| least[v as usize] as u32)
                .collect();
            let mut branch = |below| vertex::solve(&bits, &least, below, u64::MAX, &mut 0, never);
            let tight = branch(cost + 1)?;
            let Outcome::Optimal(again, order) = tight else {
                panic!("{tight:?} {}", place());
            };
            let order: Vec<usize> = order.iter().map(|&at| bits.vertices[at] as usize).collect();
            assert_eq!(again, cost, "{}", place());
            assert_eq!(paid(&graph, model, &order), cost, "{}", place());
            assert_eq!(branch(cost)?, Outcome::NothingBelow, "{}", place());
        }
        Some(cost)
    }

    /// The search accepts graphs up to a number of vertices.
    #[test]
    fn vertices_on_both_sides_of_the_limit() {
        let lcg = graph(3, 2, 6, 4);
        let graph = Primal::new(&lcg);
        let vertices = 0..lcg.vertex_count() as u32;
        let n = vertices.filter(|&v| graph.is_eliminable(v)).count();
        assert!(n > 1);
        let least = vec![0; lcg.vertex_count()];
        for (most, is_found) in [(n, true), (n - 1, false)] {
            let never = &mut || false;
            let found = within(most, &graph, CostModel::Plain, &least, u64::MAX, never);
            assert_eq!(found.is_some(), is_found, "{most} of {n}");
        }
    }

    /// All chances, all models, dependents that are read again, rows of one and of several words.
    #[test]
    fn subsets_find_what_branch_and_bound_finds() {
        let mut total = 0;
        for seed in 0..90 {
            let wide = seed % 9 == 0;
            let inputs = if wide { 70 } else { 2 + seed as i64 % 4 };
            let lcg = graph(seed, inputs, 1 + seed as i64 % 11, 1 + seed % 8);
            for model in CostModel::ALL {
                let cost = if wide {
                    solutions::<2>(&lcg, model)
                } else {
                    solutions::<1>(&lcg, model)
                };
                total += cost.expect("it fits");
            }
        }
        assert!(total > 10_000, "graphs that cost something: {total}");
        // Vertices that have their neighbours in common, or those on one side only.
        for seed in 0..200 {
            let lcg = twinned(seed);
            for model in CostModel::ALL {
                assert!(solutions::<1>(&lcg, model).is_some(), "it fits");
            }
        }
    }

    #[test]
    fn subsets_stop_when_told_to() {
        let lcg = graph(1, 3, 20, 4);
        let least = vec![0; lcg.vertex_count()];
        let graph = Primal::new(&lcg);
        let found = solve(&graph, CostModel::Plain, &least, u64::MAX, &mut || true);
        assert_eq!(found, Some(Outcome::Unfinished));
    }

    /// The optimum of a graph without a known cost.
    fn optimum_of(lcg: &Lcg) -> Option<Outcome> {
        let least = vec![0; lcg.vertex_count()];
        let never = &mut || false;
        solve(&Primal::new(lcg), CostModel::Plain, &least, u64::MAX, never)
    }

    /// Degrees of more than 16 bits, which have no room in the smaller of the packed forms.
    #[test]
    fn many_inputs_cost_what_they_cost() {
        for inputs in [65_533, 65_534, 65_535, 65_536, 70_000] {
            let lcg = star(inputs, 3);
            let middle = inputs as u32;
            let side = Side::new(&Primal::new(&lcg), CostModel::Plain, &[middle], false);
            assert_eq!(side.fits::<u32>(), inputs <= 65_533, "{inputs} inputs");
            let optimum = Outcome::Optimal(3 * inputs as u64, vec![inputs]);
            assert_eq!(optimum_of(&lcg), Some(optimum), "{inputs} inputs");
        }
    }

    /// Costs must stay below 2^31. Degrees may be one more than there are ends, so that 65 535 inputs and 32 767
    /// outputs are too many.
    #[test]
    fn products_on_both_sides_of_the_limit() {
        for (inputs, cost) in [(65_534, Some(65_534 * 32_767)), (65_535, None)] {
            let found = optimum_of(&star(inputs, 32_767));
            let expected = cost.map(|cost| Outcome::Optimal(cost, vec![inputs]));
            assert_eq!(found, expected, "{inputs} inputs");
        }
    }

    /// `stop` is asked at the first set, and again after each `PATIENCE` sets.
    #[test]
    fn sets_on_both_sides_of_a_question() {
        assert_eq!(PATIENCE, 1 << 14);
        for (vertices, questions) in [(14, 1), (15, 2)] {
            let lcg = chain(vertices + 1);
            let least = vec![0; lcg.vertex_count()];
            let mut asked = 0;
            let stop = &mut || {
                asked += 1;
                false
            };
            let found = solve(&Primal::new(&lcg), CostModel::Plain, &least, u64::MAX, stop);
            assert!(matches!(found, Some(Outcome::Optimal(..))), "{found:?}");
            assert_eq!(asked, questions, "{vertices}");
        }
    }

    /// An optimum of 2^31 products or more is not found; the search proves only that no sequence is below a smaller
    /// known cost.
    #[test]
    fn costs_that_do_not_fit_are_unknown() {
        // Two vertices between the same ends cost 33 000 squared each.
        let ends = 33_000;
        let middle = [ends, ends + 1];
        let edges = middle.iter().flat_map(|&v| {
            let into = (0..ends).map(move |u| NewEdge::new(u, v, Kind::Variable));
            let out = (ends + 2..2 * ends + 2).map(move |w| NewEdge::new(v, w, Kind::Variable));
            into.chain(out)
        });
        let sources: Vec<i64> = (0..ends).collect();
        let outputs: Vec<i64> = (ends + 2..2 * ends + 2).collect();
        let lcg = Lcg::new("wide", &sources, &outputs, edges).expect("a graph");
        let (graph, least) = (Primal::new(&lcg), vec![0; lcg.vertex_count()]);
        let run = |below| solve(&graph, CostModel::Plain, &least, below, &mut || false);
        assert_eq!(run(u64::MAX), None);
        assert_eq!(run(1 << 31), None);
        assert_eq!(run((1 << 31) - 1), Some(Outcome::NothingBelow));
    }
}
