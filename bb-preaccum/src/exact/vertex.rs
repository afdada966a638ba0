//! Optimal vertex elimination by branch and bound over the vertex eliminated *last*.
//!
//! Let f(C) be the least cost of eliminating the set C of intermediates first. The cost of a vertex depends only on
//! the eliminated vertices to which it is connected through eliminated vertices. So f is additive over the connected
//! components of C, and for a connected C
//!
//! f(C) = min over v in C of cost(v after C \ {v}) + Σ f(components of C \ {v}).
//!
//! Choosing the last vertex first makes it a separator: articulation vertices split the problem at once,
//! and only connected sets are ever looked at, far fewer than 2^n on sparse graphs. Intermediates with
//! the same neighbours (false twins) go together. Sets are remembered with their value or a lower bound;
//! the bound of the disjoint paths, which holds for every C, cuts off the rest.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::bits::flow::BitFlow;
use crate::bits::{BitGraph, Row, has, items, ones, set as insert};
use crate::cost::CostModel;

/// Sets of intermediates; at most 64 of them.
type Set = u64;

#[derive(Clone, Copy)]
struct Known {
    /// The value, or a lower bound.
    value: u32,
    exact: bool,
    /// The vertex to be eliminated last, once exact.
    last: u8,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The optimum, and an order (positions in the graph) that reaches it.
    Optimal(u64, Vec<usize>),
    /// No order costs less than the best known one.
    NothingBelow,
    /// The budget was spent.
    Unfinished,
}

/// Sets are hashed by one multiplication (Fibonacci hashing); the table is never iterated over.
#[derive(Default)]
struct SetHasher(u64);

impl Hasher for SetHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
    fn write_u64(&mut self, set: u64) {
        let mixed = (self.0 ^ set).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

struct Solver<'g, const W: usize> {
    graph: &'g BitGraph<W>,
    /// Positions of the intermediates, by bit of a set.
    places: Vec<usize>,
    /// Neighbours among the intermediates, in either direction.
    near: Vec<Set>,
    /// All vertices of the same twin class.
    twins: Vec<Set>,
    /// A lower bound on the cost of each vertex in any order.
    least: Vec<u32>,
    known: HashMap<Set, Known, BuildHasherDefault<SetHasher>>,
    flow: BitFlow,
    work: u64,
    limit: u64,
    stopped: bool,
}

/// Finds the optimum if it is below `below`; gives up when `limit` is spent or `stop` returns true.
pub(crate) fn solve<const W: usize>(
    graph: &BitGraph<W>,
    least: &[u32],
    below: u64,
    limit: u64,
    work: &mut u64,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Outcome> {
    let places: Vec<usize> = items(&graph.eliminable).collect();
    if places.len() > 64 {
        return None;
    }
    let n = places.len();
    let bit_of = |place: usize| places.binary_search(&place).ok();
    let mut near = vec![0; n];
    for (bit, &place) in places.iter().enumerate() {
        for other in items(&graph.succ.all[place]) {
            if let Some(other) = bit_of(other) {
                near[bit] |= 1 << other;
                near[other] |= 1 << bit;
            }
        }
    }
    let mut solver = Solver {
        graph,
        near,
        twins: twins(graph, &places),
        least: places.iter().map(|&place| least[place]).collect(),
        places,
        known: HashMap::default(),
        flow: BitFlow::new(graph.vertices.len()),
        work: 0,
        limit,
        stopped: false,
    };
    let outcome = solver.solve_components(below, stop);
    *work = solver.work;
    Some(outcome)
}

/// For each vertex among `places`, those with the same neighbours over edges of the same kinds.
fn twins<const W: usize>(graph: &BitGraph<W>, places: &[usize]) -> Vec<Set> {
    let (pred, succ) = (&graph.pred, &graph.succ);
    let side = |place: usize| {
        (
            (pred.all[place], pred.strong[place], pred.variable[place]),
            (succ.all[place], succ.strong[place], succ.variable[place]),
            has(&graph.stays, place),
        )
    };
    let same = |place: usize| {
        let equal = places.iter().enumerate();
        equal
            .filter(|(_, other)| side(**other) == side(place))
            .fold(0, |set, (bit, _)| set | 1 << bit)
    };
    places.iter().map(|&place| same(place)).collect()
}

impl<const W: usize> Solver<'_, W> {
    /// Solves component by component. Components that are not solved yet count with their bounds.
    fn solve_components(&mut self, below: u64, stop: &mut dyn FnMut() -> bool) -> Outcome {
        let n = self.places.len();
        let all: Set = if n == 64 { u64::MAX } else { (1 << n) - 1 };
        let below = u32::try_from(below).unwrap_or(u32::MAX);
        let components = self.components(all);
        let bounds: u32 = components.iter().map(|&set| self.bound(set)).sum();
        if bounds >= below {
            return Outcome::NothingBelow;
        }
        let mut slack = below - bounds;
        let mut order = Vec::new();
        let mut total = 0;
        for set in components {
            let bound = self.bound(set);
            let most = bound.saturating_add(slack);
            match self.search(set, most, stop) {
                _ if self.stopped => return Outcome::Unfinished,
                Some(value) => {
                    slack -= value - bound;
                    total += u64::from(value);
                    self.collect(set, &mut order);
                }
                None => return Outcome::NothingBelow,
            }
        }
        Outcome::Optimal(total, order)
    }
}

impl<const W: usize> Solver<'_, W> {
    fn components(&self, set: Set) -> Vec<Set> {
        let mut rest = set;
        let mut list = Vec::new();
        while rest != 0 {
            let mut component = rest & rest.wrapping_neg();
            let mut fresh = component;
            while fresh != 0 {
                let mut next = 0;
                for bit in ones(fresh) {
                    next |= self.near[bit];
                }
                fresh = next & rest & !component;
                component |= fresh;
            }
            rest &= !component;
            list.push(component);
        }
        list
    }

    fn bound(&self, set: Set) -> u32 {
        let cheap = || ones(set).map(|bit| self.least[bit]).sum();
        self.known.get(&set).map_or_else(cheap, |known| known.value)
    }

    /// The disjoint-path bound if only this set is eliminated, with all other vertices as terminals.
    fn local_bound(&mut self, set: Set) -> u32 {
        let inside = self.row(set);
        let graph = self.graph;
        let mut total = 0;
        for bit in ones(set) {
            let v = self.places[bit];
            let mut count = |forward: bool, first: &Row<W>| {
                let side = if forward { &graph.succ } else { &graph.pred };
                // A dependent that other vertices read is an end of paths, too.
                let is_end = |w: usize| !has(&inside, w) || (forward && has(&graph.stays, w));
                self.flow.count(v, first, &side.all, is_end)
            };
            let (pred, succ) = (&graph.pred, &graph.succ);
            let products = match graph.model {
                CostModel::Plain => count(false, &pred.all[v]) * count(true, &succ.all[v]),
                CostModel::UnitFree => count(false, &pred.strong[v]) * count(true, &succ.strong[v]),
                CostModel::ConstantAware => {
                    let (all_in, all_out) =
                        (count(false, &pred.strong[v]), count(true, &succ.strong[v]));
                    let (var_in, var_out) = (
                        count(false, &pred.variable[v]),
                        count(true, &succ.variable[v]),
                    );
                    all_in * all_out - (all_in - var_in) * (all_out - var_out)
                }
            };
            total += products.max(self.least[bit]);
        }
        total
    }

    /// The set as a row of the graph.
    fn row(&self, set: Set) -> Row<W> {
        let mut row = [0; W];
        for bit in ones(set) {
            insert(&mut row, self.places[bit]);
        }
        row
    }

    /// The value of a connected set, if it is below `below`. The depth of the recursion is at most the
    /// number of intermediates, 64.
    fn search(&mut self, set: Set, below: u32, stop: &mut dyn FnMut() -> bool) -> Option<u32> {
        if let Some(known) = self.known.get(&set)
            && known.exact
        {
            return (known.value < below).then_some(known.value);
        }
        if self.bound(set) >= below {
            return None;
        }
        self.work += 1;
        if self.work > self.limit || (self.work.is_multiple_of(1024) && stop()) {
            self.stopped = true;
            return None;
        }
        if !self.known.contains_key(&set) && set.count_ones() > 1 {
            let value = self.local_bound(set);
            self.known.insert(
                set,
                Known {
                    value,
                    exact: false,
                    last: 0,
                },
            );
            if value >= below {
                return None;
            }
        }
        // Every choice of the last vertex (or class of twins), best bound first.
        let mut choices: Vec<(u32, u32, usize, Vec<Set>)> = Vec::new();
        let mut seen: Set = 0;
        for bit in ones(set) {
            if seen >> bit & 1 == 1 {
                continue;
            }
            let class = self.twins[bit] & set;
            seen |= class;
            let rest = set & !class;
            let row = self.row(rest);
            let one = self.graph.cost(self.places[bit], &row).0;
            let cost = one * class.count_ones();
            let parts = self.components(rest);
            let bounds: u32 = parts.iter().map(|&part| self.bound(part)).sum();
            if cost + bounds < below {
                choices.push((cost + bounds, cost, bit, parts));
            }
        }
        choices.sort_by_key(|choice| (choice.0, choice.2));
        let mut best = below;
        let mut last = None;
        for (bound, cost, bit, parts) in choices {
            if bound >= best {
                break;
            }
            // The bounds of parts may have risen since the choice was listed.
            let mut open: u32 = parts.iter().map(|&part| self.bound(part)).sum();
            let mut total = cost;
            let mut failed = false;
            for part in parts {
                open -= self.bound(part);
                if total + open >= best {
                    failed = true;
                    break;
                }
                let Some(value) = self.search(part, best - total - open, stop) else {
                    failed = true;
                    break;
                };
                total += value;
            }
            if self.stopped {
                return None;
            }
            // All parts are solved within the rest of the budget.
            if !failed {
                best = total;
                last = Some(bit);
            }
        }
        let known = match last {
            Some(bit) => Known {
                value: best,
                exact: true,
                last: bit as u8,
            },
            None => Known {
                value: below,
                exact: false,
                last: 0,
            },
        };
        self.known.insert(set, known);
        last.map(|_| best)
    }

    /// Appends the best order of a solved set.
    fn collect(&self, set: Set, order: &mut Vec<usize>) {
        let Some(known) = self.known.get(&set) else {
            return;
        };
        let class = self.twins[known.last as usize] & set;
        for part in self.components(set & !class) {
            self.collect(part, order);
        }
        order.extend(ones(class).map(|bit| self.places[bit]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eliminate::Primal;
    use crate::lcg::{Kind, Lcg, NewEdge};
    use crate::search::testing::chain;

    /// Each vertex of a chain costs one multiplication in any order, and the bound of any part says so.
    #[test]
    fn bounds_end_the_search_where_they_are_what_is_paid() {
        let n = 10;
        let lcg = chain(n + 1);
        let primal = Primal::new(&lcg);
        for model in CostModel::ALL {
            let bits = BitGraph::<1>::new(&primal, model).expect("few vertices");
            let run = |least: u32, below| {
                let mut work = 0;
                let least = vec![least; bits.vertices.len()];
                let found = solve(&bits, &least, below, u64::MAX, &mut work, &mut || false);
                (found.expect("few intermediates"), work)
            };
            let Outcome::NothingBelow = run(1, 10).0 else {
                panic!("a chain of {n} costs {n}");
            };
            // With the least cost of each vertex no set is opened; without it, only the whole set.
            assert_eq!(run(1, 10).1, 0);
            assert_eq!(run(0, 10).1, 1);
            let (Outcome::Optimal(cost, order), work) = run(1, 11) else {
                panic!("a chain has an order");
            };
            assert_eq!((cost, order.len()), (10, 10));
            assert_eq!(work, 10, "a set for each vertex");
            let within = |limit| {
                let least = vec![1; bits.vertices.len()];
                solve(&bits, &least, 11, limit, &mut 0, &mut || false)
            };
            assert!(matches!(within(10), Some(Outcome::Optimal(10, _))));
            assert!(matches!(within(9), Some(Outcome::Unfinished)));
        }
    }

    /// The bound of a set counts disjoint paths by the kinds of their first edges. Here the bound is the cost of the
    /// set, so no other set is opened if that is too much.
    #[test]
    fn sets_are_bounded_by_the_kinds_of_their_edges() {
        use Kind::{Constant, Unit, Variable};
        let edges = [
            (0, 4, Unit),
            (1, 4, Constant),
            (2, 4, Constant),
            (3, 4, Variable),
            (4, 5, Variable),
            (4, 6, Constant),
            (4, 7, Constant),
            (4, 8, Constant),
            (5, 9, Variable),
        ];
        let edges = edges.map(|(i, k, kind)| NewEdge::new(i, k, kind));
        let lcg = Lcg::new("kinds", &[0, 1, 2, 3], &[6, 7, 8, 9], edges).expect("a graph");
        for (model, least) in [
            (CostModel::Plain, 4 * 4 + 1),
            (CostModel::UnitFree, 3 * 4 + 1),
            (CostModel::ConstantAware, 3 * 4 - 2 * 3 + 1),
        ] {
            let bits = BitGraph::<1>::new(&Primal::new(&lcg), model).expect("few vertices");
            let run = |below| {
                let (mut work, none) = (0, vec![0; bits.vertices.len()]);
                let found = solve(&bits, &none, below, u64::MAX, &mut work, &mut || false);
                (found, work)
            };
            let nothing = (Some(Outcome::NothingBelow), 1);
            assert_eq!(run(least), nothing, "{model:?}");
            // The set, each vertex alone: the first one tried as the last is too much.
            let found = (Some(Outcome::Optimal(least, vec![5, 4])), 3);
            assert_eq!(run(least + 1), found, "{model:?}");
        }
    }

    /// The cost of a component above its bound reduces the budget of the next one.
    #[test]
    fn components_share_what_is_left() {
        // Two chains of two vertices, one of which is known to cost something: two more than the bounds in all.
        let chain = |first: i64| (first..first + 3).map(|v| NewEdge::new(v, v + 1, Kind::Variable));
        let edges = chain(0).chain(chain(4));
        let lcg = Lcg::new("chains", &[0, 4], &[3, 7], edges).expect("a graph");
        let graph = BitGraph::<1>::new(&Primal::new(&lcg), CostModel::Plain);
        let bits = graph.expect("few vertices");
        let least = [0, 1, 0, 0, 0, 1, 0, 0];
        for (below, expected) in [
            (2, Outcome::NothingBelow),
            (3, Outcome::NothingBelow),
            (4, Outcome::NothingBelow),
            (5, Outcome::Optimal(4, vec![2, 1, 6, 5])),
            (6, Outcome::Optimal(4, vec![2, 1, 6, 5])),
        ] {
            let found = solve(&bits, &least, below, u64::MAX, &mut 0, &mut || false);
            assert_eq!(found, Some(expected), "{below}");
        }
    }

    /// A set has room for 64 vertices.
    #[test]
    fn sixty_four_intermediates_have_room() {
        for (n, fits) in [(63, true), (64, true), (65, false)] {
            let graph = BitGraph::<2>::new(&Primal::new(&chain(n + 1)), CostModel::Plain);
            let bits = graph.expect("few vertices");
            let least = vec![1; bits.vertices.len()];
            let cost = n as u64;
            let found = solve(&bits, &least, cost + 1, u64::MAX, &mut 0, &mut || false);
            let size = found.map(|found| match found {
                Outcome::Optimal(cost, order) => (cost, order.len()),
                other => panic!("{other:?}"),
            });
            assert_eq!(size, fits.then_some((cost, n)), "{n}");
        }
    }

    /// No cost is below 0, not even that of an empty graph.
    #[test]
    fn an_empty_graph_costs_nothing() {
        let edge = NewEdge::new(0, 1, Kind::Variable);
        let lcg = Lcg::new("edge", &[0], &[1], [edge]).expect("a graph");
        let graph = BitGraph::<1>::new(&Primal::new(&lcg), CostModel::Plain);
        let bits = graph.expect("few vertices");
        for (below, expected) in [
            (0, Outcome::NothingBelow),
            (1, Outcome::Optimal(0, Vec::new())),
        ] {
            let found = solve(&bits, &[0, 0], below, u64::MAX, &mut 0, &mut || false);
            assert_eq!(found, Some(expected), "{below}");
        }
    }
}
