//! Optimal vertex elimination by dynamic programming over all sets of eliminated vertices.
//!
//! What a vertex costs depends on the set S of vertices eliminated before it, not on their order. So the
//! least cost f(S) of eliminating S first satisfies Held's and Karp's recurrence ("A dynamic programming
//! approach to sequencing problems", J. SIAM 10, 1962)
//!
//! f(S ∪ {v}) = min over v of f(S) + cost(v after S).
//!
//! It takes 2^n values whatever the graph: where branch and bound drowns in dense graphs, this does not.
//! Sets are visited in numeric order, which visits subsets first, and from one set to the next only one
//! vertex has to be eliminated: the graph after every leading part of the set (from its highest bit
//! down) is kept. Of twins, the first goes first. A set that cannot be part of anything below the best
//! known cost is passed over, by the bound of the disjoint paths for the vertices that are left.

use super::vertex::{Outcome, twins};
use crate::cost::CostModel;
use crate::search::bits::{
    BitGraph, Row, Side, has, items, join, meet, ones, set as insert, size, unset,
};

/// A set of vertices to eliminate.
type Set = u32;

/// Vertices to eliminate at most: 2^26 values of four bytes.
pub(crate) const MOST_VERTICES: u32 = 26;

/// Sets between two questions whether to stop.
const PATIENCE: Set = 1 << 14;

/// Neighbours on one side: all, over an edge that is no unit, over a variable edge; the first `K`.
type Rows<const W: usize, const K: usize> = [Row<W>; K];

/// Edges on one side of a vertex that cost something, and those of them that are variable.
#[derive(Clone, Copy, Default)]
struct Degree {
    strong: u32,
    variable: u32,
}

/// The graph after some vertices are gone. Bits of the vertices to eliminate are the lowest ones.
#[derive(Clone)]
struct Level<const W: usize, const K: usize> {
    pred: Vec<Rows<W, K>>,
    succ: Vec<Rows<W, K>>,
    costs: Costs,
}

/// What each vertex costs now.
#[derive(Clone)]
struct Costs {
    pred: Vec<Degree>,
    succ: Vec<Degree>,
    product: Vec<u32>,
}

/// What there is to solve. The bits of a row are the vertices to eliminate and then the sources (of
/// `pred`) or the sinks (of `succ`), which keeps rows short.
struct Problem {
    /// By vertex: the bits of its neighbours of each kind.
    pred: Vec<[Vec<usize>; 3]>,
    succ: Vec<[Vec<usize>; 3]>,
    /// Bits of the longest row.
    width: usize,
    /// Vertices that stay as dependents.
    stays: Set,
    /// A lower bound on what each vertex costs in any order.
    least: Vec<u32>,
    /// Twins that go before each vertex.
    earlier: Vec<Set>,
    below: u32,
}

/// Finds the optimum if it is below `below`; `None` if the graph has too many vertices to eliminate, or
/// there is no room for the values.
pub(crate) fn solve<const W: usize>(
    graph: &BitGraph<W>,
    least: &[u32],
    below: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Outcome> {
    if size(&graph.eliminable) > MOST_VERTICES {
        return None;
    }
    let places: Vec<usize> = items(&graph.eliminable).collect();
    let (pred, pred_width) = lists(graph, &graph.pred, &places);
    let (succ, succ_width) = lists(graph, &graph.succ, &places);
    let stays = places.iter().enumerate();
    let stays = stays.filter(|(_, place)| has(&graph.stays, **place));
    let twins = twins(graph, &places);
    let problem = Problem {
        pred,
        succ,
        width: pred_width.max(succ_width),
        stays: stays.fold(0, |set, (bit, _)| set | 1 << bit),
        least: places.iter().map(|&place| least[place]).collect(),
        earlier: twins
            .iter()
            .enumerate()
            .map(|(v, &set)| set as Set & ((1 << v) - 1))
            .collect(),
        below: u32::try_from(below).unwrap_or(u32::MAX),
    };
    let found = match graph.model {
        CostModel::Plain => problem.solve::<1>(stop),
        CostModel::UnitFree => problem.solve::<2>(stop),
        CostModel::ConstantAware => problem.solve::<3>(stop),
    }?;
    Some(match found {
        Outcome::Optimal(cost, order) => {
            Outcome::Optimal(cost, order.into_iter().map(|v| places[v]).collect())
        }
        other => other,
    })
}

/// Neighbours on one side in the numbers of [`Problem`], and how many numbers there are.
fn lists<const W: usize>(
    graph: &BitGraph<W>,
    side: &Side<W>,
    places: &[usize],
) -> (Vec<[Vec<usize>; 3]>, usize) {
    let mut bit_of = vec![usize::MAX; graph.vertices.len()];
    for (bit, &place) in places.iter().enumerate() {
        bit_of[place] = bit;
    }
    let mut width = places.len();
    let kinds = [&side.all, &side.strong, &side.variable];
    let mut list = Vec::new();
    for &place in places {
        list.push(kinds.map(|rows| {
            let mut bits = Vec::new();
            for near in items(&rows[place]) {
                if bit_of[near] == usize::MAX {
                    bit_of[near] = width;
                    width += 1;
                }
                bits.push(bit_of[near]);
            }
            bits
        }));
    }
    (list, width)
}

impl Problem {
    fn solve<const K: usize>(&self, stop: &mut dyn FnMut() -> bool) -> Option<Outcome> {
        match self.width {
            0..=64 => self.run::<1, K>(stop),
            65..=128 => self.run::<2, K>(stop),
            129..=256 => self.run::<4, K>(stop),
            257..=512 => self.run::<8, K>(stop),
            513..=1024 => self.run::<16, K>(stop),
            _ => None,
        }
    }

    fn run<const W: usize, const K: usize>(
        &self,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Outcome> {
        let n = self.least.len();
        let mut values: Vec<u32> = Vec::new();
        values.try_reserve_exact(1 << n).ok()?;
        values.resize(1 << n, u32::MAX);
        values[0] = 0;
        let all: Set = ((1u64 << n) - 1) as Set;
        let bound = Remaining::new(&self.least);
        let mut prefixes = Prefixes::<W, K>::new(self);
        for set in 0..all {
            if set % PATIENCE == 0 && stop() {
                return Some(Outcome::Unfinished);
            }
            let value = values[set as usize];
            if value.saturating_add(bound.after(set)) >= self.below {
                continue;
            }
            let costs = prefixes.after(set);
            for v in ones(all & !set) {
                if self.earlier[v] & !set == 0 {
                    let slot = &mut values[(set | 1 << v) as usize];
                    *slot = value.saturating_add(costs[v]).min(*slot);
                }
            }
        }
        let best = values[all as usize];
        if best >= self.below {
            return Some(Outcome::NothingBelow);
        }
        // The way back: a vertex can be the last one if its cost makes up the difference.
        let mut order = Vec::with_capacity(n);
        let mut set = all;
        while set != 0 {
            let last = ones(set).find(|&v| {
                let rest = set & !(1 << v);
                let value = values[rest as usize];
                value <= values[set as usize]
                    && value.saturating_add(prefixes.after(rest)[v]) == values[set as usize]
            })?;
            order.push(last);
            set &= !(1 << last);
        }
        order.reverse();
        Some(Outcome::Optimal(u64::from(best), order))
    }
}

/// What is certain to be paid for the vertices outside a set: sums by the lower and the upper half of its
/// bits.
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
                    .fold(0u32, |sum, (_, &cost)| sum.saturating_add(cost))
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
        self.low[low].saturating_add(self.high[high as usize])
    }
}

/// The graph after each leading part of a set.
struct Prefixes<const W: usize, const K: usize> {
    /// Vertices that stay as dependents, by bit.
    stays: Set,
    all: Set,
    /// `levels[k]`: after the `k` highest elements of `set`, which is even.
    levels: Vec<Level<W, K>>,
    set: Set,
    /// After an odd set.
    last: Costs,
}

impl<const W: usize, const K: usize> Prefixes<W, K> {
    fn new(problem: &Problem) -> Self {
        let n = problem.least.len();
        let rows = |lists: &[Vec<usize>; 3]| -> Rows<W, K> {
            std::array::from_fn(|kind| {
                let mut row = [0; W];
                lists[kind].iter().for_each(|&bit| insert(&mut row, bit));
                row
            })
        };
        let pred: Vec<_> = problem.pred.iter().map(rows).collect();
        let succ: Vec<_> = problem.succ.iter().map(rows).collect();
        let costs = Costs {
            pred: pred.iter().map(degree).collect(),
            succ: succ.iter().map(degree).collect(),
            product: vec![0; n],
        };
        let mut first = Level { pred, succ, costs };
        (0..n).for_each(|v| first.costs.multiply(v, K));
        Self {
            stays: problem.stays,
            all: ((1u64 << n) - 1) as Set,
            last: first.costs.clone(),
            levels: vec![first; n + 1],
            set: 0,
        }
    }

    /// What each vertex costs after `set` is gone; what `set` has in common with the set asked for
    /// before, from the highest bit down, is not done again.
    fn after(&mut self, set: Set) -> &[u32] {
        // Behind the lowest bit there is no further elimination: the graph itself is not asked for.
        let even = set & !1;
        let changed = Set::BITS - (even ^ self.set).leading_zeros();
        let high = Set::MAX.checked_shl(changed).unwrap_or(0);
        let mut gone = even & high;
        let mut depth = gone.count_ones() as usize;
        while gone != even {
            let v = (Set::BITS - 1 - (even & !gone).leading_zeros()) as usize;
            gone |= 1 << v;
            let (before, behind) = self.levels.split_at_mut(depth + 1);
            behind[0].eliminate(&before[depth], v, self.all & !gone, self.stays);
            depth += 1;
        }
        self.set = even;
        let level = &self.levels[depth];
        if set == even {
            return &level.costs.product;
        }
        level.costs_after(0, self.all & !set, self.stays, &mut self.last);
        &self.last.product
    }
}

impl<const W: usize, const K: usize> Level<W, K> {
    /// Becomes `before` without `v`; `open` are the vertices that are left then.
    fn eliminate(&mut self, before: &Self, v: usize, open: Set, stays: Set) {
        for u in ones(open) {
            self.pred[u] = before.pred[u];
            self.succ[u] = before.succ[u];
        }
        for u in ones(before.pred[v][0][0] as Set & open) {
            self.succ[u] = before.succ_after(u, v, stays);
        }
        for w in ones(before.succ[v][0][0] as Set & open) {
            self.pred[w] = before.pred_after(w, v);
        }
        before.costs_after(v, open, stays, &mut self.costs);
    }

    /// What the vertices in `open` cost after `v` is gone, too.
    fn costs_after(&self, v: usize, open: Set, stays: Set, costs: &mut Costs) {
        costs.pred.copy_from_slice(&self.costs.pred);
        costs.succ.copy_from_slice(&self.costs.succ);
        costs.product.copy_from_slice(&self.costs.product);
        for u in ones(self.pred[v][0][0] as Set & open) {
            costs.succ[u] = degree(&self.succ_after(u, v, stays));
            costs.multiply(u, K);
        }
        for w in ones(self.succ[v][0][0] as Set & open) {
            costs.pred[w] = degree(&self.pred_after(w, v));
            costs.multiply(w, K);
        }
    }

    fn succ_after(&self, u: usize, v: usize, stays: Set) -> Rows<W, K> {
        let mut rows = extended(&self.succ[u], &self.succ[v], v);
        if stays >> v & 1 == 0 {
            rows.iter_mut().for_each(|row| unset(row, v));
        }
        rows
    }

    fn pred_after(&self, w: usize, v: usize) -> Rows<W, K> {
        let mut rows = extended(&self.pred[w], &self.pred[v], v);
        rows.iter_mut().for_each(|row| unset(row, v));
        rows
    }
}

impl Costs {
    fn multiply(&mut self, v: usize, kinds: usize) {
        let (pred, succ) = (self.pred[v], self.succ[v]);
        self.product[v] = pred.strong * succ.strong;
        if kinds == 3 {
            self.product[v] -= (pred.strong - pred.variable) * (succ.strong - succ.variable);
        }
    }
}

fn degree<const W: usize, const K: usize>(rows: &Rows<W, K>) -> Degree {
    Degree {
        strong: size(&rows[usize::from(K > 1)]),
        variable: if K > 2 { size(&rows[2]) } else { 0 },
    }
}

/// With the edges that continue the edge to `v` over the edges `far` behind it (see
/// [`crate::search::bits`] for when a sum is a unit or variable).
fn extended<const W: usize, const K: usize>(
    near: &Rows<W, K>,
    far: &Rows<W, K>,
    v: usize,
) -> Rows<W, K> {
    let mut rows = *near;
    for kind in 1..K {
        let whole = has(&near[kind], v);
        join(&mut rows[kind], if whole { &far[0] } else { &far[kind] });
    }
    if K > 1 {
        join(&mut rows[1], &meet(&near[0], &far[0]));
    }
    join(&mut rows[0], &far[0]);
    rows
}

#[cfg(test)]
mod tests {
    use super::super::vertex;
    use super::*;
    use crate::eliminate::Primal;
    use crate::lcg::{Kind, Lcg, NewEdge};

    /// Each earlier vertex is read with a chance of `chance` in eight; some dependents are read again.
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

    fn solutions<const W: usize>(lcg: &Lcg, model: CostModel) -> Option<u64> {
        let graph = BitGraph::<W>::new(&Primal::new(lcg), model)?;
        let least = vec![0; graph.vertices.len()];
        let never = &mut || false;
        let expected = vertex::solve(&graph, &least, u64::MAX, u64::MAX, &mut 0, never)?;
        let Outcome::Optimal(cost, _) = expected else {
            panic!("branch and bound has no limits here");
        };
        let Outcome::Optimal(found, order) = solve(&graph, &least, u64::MAX, never)? else {
            panic!("there is an order");
        };
        assert_eq!(found, cost, "{model:?} {}", lcg.to_json());
        assert_eq!(graph.total(&order), cost, "{model:?} {}", lcg.to_json());
        assert_eq!(order.len() as u32, size(&graph.eliminable));
        let tight = solve(&graph, &least, cost + 1, never)?;
        assert!(matches!(tight, Outcome::Optimal(again, _) if again == cost));
        assert_eq!(
            solve(&graph, &least, cost, never)?,
            Outcome::NothingBelow,
            "{}",
            lcg.to_json()
        );
        Some(cost)
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
    }

    #[test]
    fn subsets_stop_when_told_to() {
        let graph = BitGraph::<1>::new(&Primal::new(&graph(1, 3, 20, 4)), CostModel::Plain)
            .expect("a small graph");
        let least = vec![0; graph.vertices.len()];
        let found = solve(&graph, &least, u64::MAX, &mut || true);
        assert_eq!(found, Some(Outcome::Unfinished));
    }
}
