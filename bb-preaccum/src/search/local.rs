//! The local search in bit rows: annealing of vertex orders, then of token lists, in rounds.

use super::chains::{self, Finish};
use super::convergence;
use super::intervals;
use super::meter::Meter;
use super::order::{self, OrderState};
use super::rng::{Rng, Thresholds};
use super::tokens::{self, TokenState};
use super::{Options, Sequence, reduce};
use crate::bits::board::Token;
use crate::bits::cells::{CONSTANT_AWARE, PLAIN, UNIT_FREE};
use crate::bits::{BitGraph, has, items, size};
use crate::cost::CostModel;
use crate::eliminate::{Primal, Step};
use crate::exact;
use crate::heuristic::Technique;
use crate::lcg::Lcg;

/// Steps per vertex for one annealing run of orders, and of token lists.
const ORDER_WORK: u64 = 80_000;
const TOKEN_WORK: u64 = 300_000;
/// Steps per vertex for one annealing run of an order that is only a start for tokens.
const START_WORK: u64 = 15_000;
/// Temperatures, in multiplications, for tokens.
const TOKEN_HEAT: (f64, f64) = (0.28, 0.05);
/// The weight of products that the model does not count, at the beginning, in lists from orders that count them and
/// from others.
const FREE_OF_PLAIN: f64 = 1.0;
const FREE: f64 = 0.1;
/// Tenths of the budget for orders if tokens follow, in the plain model and in the others.
const ORDER_PART: (u64, u64) = (5, 3);
/// Lines that orders are cut from.
const LINES: u32 = 4;
/// Rounds without gain after which a search without clock ends.
const PATIENCE: u32 = 5;
/// Vertex sets that exact search may visit without being asked for more, and its part of the budget. If it does not
/// end soon, it hardly ever does.
const EXACT_SETS: u64 = 2_000;
const EXACT_PART: u64 = 16;
/// Most sets that are remembered, of 32 bytes each.
const MANY_SETS: u64 = 20_000_000;
/// The work of one set of vertices, per vertex in it.
const SET_WORK: u64 = 25;
/// Graphs that exact edge search may visit without being asked for more, and with.
const EXACT_GRAPHS: usize = 40_000;
const MANY_GRAPHS: usize = 4_000_000;
/// The bytes that the graphs of exact edge search may take.
pub(super) const GRAPH_BYTES: usize = 1 << 29;
/// Most vertices for which edge search tries to be exact without being asked.
const EXACT_EDGE_VERTICES: u32 = 6;

/// Intermediates with several neighbours on one side, in graphs worth reducing to 1024 vertices.
const MOST_BRANCHING: usize = 4096;

/// Results of the local search.
pub(crate) struct Local {
    pub(crate) vertex: Sequence,
    pub(crate) edge: Option<Sequence>,
    /// No vertex sequence costs less than this.
    pub(crate) vertex_bound: u64,
    /// No edge sequence costs less than this.
    pub(crate) edge_bound: u64,
}

/// Picks the narrowest rows that hold the graph; `None` if it is too large for bit rows.
pub(crate) fn run(
    lcg: &Lcg,
    options: &Options<'_>,
    sequences: &[Sequence],
    bounds: &[u64],
    meter: &mut Meter<'_>,
) -> Option<Local> {
    // Reduction takes out only vertices with one predecessor and one successor, so most branching vertices stay.
    let branching = |v: &u32| lcg.in_edges(*v).len() > 1 || lcg.out_edges(*v).len() > 1;
    if meter.should_stop() || lcg.intermediates().filter(branching).count() > MOST_BRANCHING {
        return None;
    }
    let mut graph = Primal::new(lcg);
    let prefix = reduce::reduce(&mut graph, options.model);
    let alive = (0..lcg.vertex_count() as u32)
        .filter(|&v| graph.in_degree(v) + graph.out_degree(v) > 0)
        .count();
    match alive {
        0..=64 => Rounds::<1>::run(&graph, prefix, options, sequences, bounds, meter),
        65..=128 => Rounds::<2>::run(&graph, prefix, options, sequences, bounds, meter),
        129..=192 => Rounds::<3>::run(&graph, prefix, options, sequences, bounds, meter),
        193..=256 => Rounds::<4>::run(&graph, prefix, options, sequences, bounds, meter),
        257..=512 => Rounds::<8>::run(&graph, prefix, options, sequences, bounds, meter),
        513..=1024 => Rounds::<16>::run(&graph, prefix, options, sequences, bounds, meter),
        _ => prove_wide(&graph, &prefix, options, sequences, bounds, meter),
    }
}

/// Exact search alone, for graphs with few intermediates that have too many neighbours for bit rows.
fn prove_wide(
    graph: &Primal<'_>,
    prefix: &[Step],
    options: &Options<'_>,
    sequences: &[Sequence],
    bounds: &[u64],
    meter: &mut Meter<'_>,
) -> Option<Local> {
    if !options.proves(graph.lcg()) && !options.exact {
        return None;
    }
    let base = graph.counts().multiplications(options.model);
    let orders = sequences
        .iter()
        .filter(|known| known.technique == Technique::Vertex);
    let known = orders.map(|known| known.cost.saturating_sub(base)).min();
    let below = known.map_or(u64::MAX, |cost| cost + 1);
    let stop = &mut || meter.should_stop();
    match exact::subsets::solve(graph, options.model, bounds, below, stop)? {
        exact::vertex::Outcome::Optimal(cost, order) => {
            let steps: Vec<Step> = order.iter().map(|&v| Step::Vertex(v as u32)).collect();
            meter.report_found(base + cost);
            Some(Local {
                vertex: finish(graph.lcg(), prefix, &steps, Technique::Vertex, options),
                edge: None,
                vertex_bound: base + cost,
                edge_bound: bounds.iter().sum(),
            })
        }
        exact::vertex::Outcome::NothingBelow | exact::vertex::Outcome::Unfinished => None,
    }
}

/// The extent of exact search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// A small part of the budget.
    Some,
    /// The search goes on until the optimum is proven, or there are too many sets.
    All,
}

/// The state with which a chain goes on in its next phase: its random numbers, and the best sequence that it has
/// found.
#[derive(Clone)]
struct Chain {
    /// The number of its first round, which determines where the round starts.
    round: u32,
    rng: Rng,
    order: (u64, Vec<usize>),
    tokens: Option<(u64, Vec<Token>)>,
}

struct Rounds<'g, 'm, 'a, const W: usize> {
    bits: &'g BitGraph<W>,
    /// The graph in the plain model, in which every product counts: good orders there are good starts for the other
    /// models.
    plain: &'g BitGraph<W>,
    rng: Rng,
    thresholds: &'g Thresholds,
    meter: &'m mut Meter<'a>,
    order: (u64, Vec<usize>),
    tokens: Option<(u64, Vec<Token>)>,
    /// Lower bounds on vertex sequences and on edge sequences.
    vertex_floor: u64,
    edge_floor: u64,
    /// The cost of the reduction.
    base: u64,
}

impl<const W: usize> Rounds<'_, '_, '_, W> {
    fn run(
        graph: &Primal<'_>,
        prefix: Vec<Step>,
        options: &Options<'_>,
        sequences: &[Sequence],
        bounds: &[u64],
        meter: &mut Meter<'_>,
    ) -> Option<Local> {
        let model = options.model;
        let base = graph.counts().multiplications(model);
        let bits = BitGraph::<W>::new(graph, model)?;
        let plain = BitGraph::<W>::new(graph, CostModel::Plain)?;
        let mut starts: Vec<Vec<usize>> = sequences
            .iter()
            .filter(|sequence| sequence.technique == Technique::Vertex)
            .map(|sequence| order_of(&bits, &sequence.steps))
            .collect();
        if starts.is_empty() {
            let mut reverse: Vec<usize> = items(&bits.eliminable).collect();
            reverse.reverse();
            starts.push(reverse);
        }
        let best = starts
            .iter()
            .map(|order| (bits.total(order), order))
            .min_by_key(|pair| pair.0)?;
        let order = (best.0, best.1.clone());
        let total_bound: u64 = bounds.iter().sum();
        let floor = total_bound.saturating_sub(base);
        let thresholds = Thresholds::new();
        let mut rounds = Rounds {
            rng: Rng::new(options.seed),
            thresholds: &thresholds,
            meter,
            order,
            tokens: None,
            vertex_floor: floor,
            edge_floor: floor,
            base,
            bits: &bits,
            plain: &plain,
        };
        let edges = options.technique != Some(Technique::Vertex);
        let small = options.proves(graph.lcg());
        rounds.prove_order(graph, bounds, Effort::Some);
        rounds.cut(&mut starts);
        if edges && size(&rounds.bits.eliminable) <= EXACT_EDGE_VERTICES {
            rounds.prove_tokens(EXACT_GRAPHS);
        }
        if small || options.exact {
            // Exact search comes after annealing: the better the known order, the more sets are cut off.
            let some = rounds.meter.spent + super::DEFAULT_WORK / 4;
            rounds.improve(0, &starts, edges, some);
            rounds.prove_order(graph, bounds, Effort::All);
        }
        rounds.improve_in_chains(&starts, edges, options.chain_count());
        if options.exact && edges {
            rounds.prove_tokens(MANY_GRAPHS);
        }
        let vertex = finish(
            graph.lcg(),
            &prefix,
            &rounds.vertex_steps(),
            Technique::Vertex,
            options,
        );
        let edge = rounds.tokens.as_ref().map(|(_, tokens)| {
            finish(
                graph.lcg(),
                &prefix,
                &rounds.steps(tokens),
                Technique::Edge,
                options,
            )
        });
        Some(Local {
            vertex,
            edge,
            vertex_bound: rounds.vertex_floor + base,
            edge_bound: rounds.edge_floor.min(rounds.vertex_floor) + base,
        })
    }

    fn best(&self) -> u64 {
        self.tokens
            .as_ref()
            .map_or(self.order.0, |(cost, _)| self.order.0.min(*cost))
    }

    /// Orders from cuts of random lines; the best ones are starts.
    fn cut(&mut self, starts: &mut Vec<Vec<usize>>) {
        let n = self.order.1.len();
        if !(3..=intervals::MOST).contains(&n) {
            return;
        }
        let mut found: Vec<(u64, Vec<usize>)> = Vec::new();
        for turn in 0..LINES {
            if self.meter.is_over() {
                break;
            }
            let line = if turn == 0 {
                items(&self.bits.eliminable).collect()
            } else {
                intervals::line(self.bits, turn % 2 == 0, &mut self.rng)
            };
            let (order, work) = intervals::order(self.bits, &line, turn % 4 < 2);
            self.meter.spend(work + 30 * n as u64);
            found.push((self.bits.total(&order), order));
        }
        found.sort();
        if let Some((cost, order)) = found.first()
            && *cost < self.order.0
        {
            self.meter.report_found(self.base + cost);
            self.order = (*cost, order.clone());
        }
        starts.extend(found.into_iter().map(|(_, order)| order));
    }

    /// True if the known cost meets the bound.
    fn is_finished(&self, edges: bool) -> bool {
        let goal = if edges {
            self.edge_floor
        } else {
            self.vertex_floor
        };
        self.best() <= goal
    }

    /// Anneals in `count` chains, in phases, until they agree ([`convergence`]). The best result is kept; among
    /// equals, that of the first chain. A single chain has all of the budget.
    fn improve_in_chains(&mut self, starts: &[Vec<usize>], edges: bool, count: usize) {
        if count == 1 || self.order.1.len() < 2 || self.is_finished(edges) || self.meter.is_over() {
            self.improve(0, starts, edges, u64::MAX);
            return;
        }
        let mut seeds = self.rng.clone();
        let others = (1..count).map(|_| Rng::new(seeds.next()));
        let rngs = std::iter::once(self.rng.clone()).chain(others);
        let rngs = (0u32..).zip(rngs);
        // Chains begin differently, so that their agreement means more.
        let begin = |(number, rng)| Chain {
            round: number,
            rng,
            order: self.order.clone(),
            tokens: self.tokens.clone(),
        };
        let mut chains: Vec<Chain> = rngs.map(begin).collect();
        let budget = self.meter.left();
        let mut phase = 0;
        while let Some(steps) = convergence::steps(budget, self.order.1.len(), phase) {
            let before = self.best();
            self.meter.begin(steps);
            let Some(costs) = self.side_by_side(starts, edges, &mut chains) else {
                return;
            };
            if convergence::is_reached(phase, before, &costs) || self.meter.should_stop() {
                return;
            }
            phase += 1;
        }
    }

    /// Lets each chain spend the steps of a phase. Returns their costs, or `None` if one has met the bound.
    fn side_by_side(
        &mut self,
        starts: &[Vec<usize>],
        edges: bool,
        chains: &mut [Chain],
    ) -> Option<Vec<u64>> {
        let finish = Finish::new();
        let (common, begun) = (&*self, &*chains);
        let found = chains::run(begun.len(), |number| {
            let mut meter = common.meter.of_chain(number, &finish);
            let Chain {
                round,
                rng,
                order,
                tokens,
            } = begun[number].clone();
            let mut rounds = Rounds {
                rng,
                meter: &mut meter,
                order,
                tokens,
                ..*common
            };
            rounds.improve(round, starts, edges, u64::MAX);
            let cost = rounds.best();
            let Rounds {
                rng, order, tokens, ..
            } = rounds;
            let ended = Chain {
                round: 0,
                rng,
                order,
                tokens,
            };
            (cost, ended, meter.reading())
        });
        // Chains behind the first one that met the bound may have been stopped anywhere, so their results do not
        // count.
        let first = finish.first();
        let counting = first.map_or(chains.len(), |first| first + 1);
        let mut costs = Vec::new();
        for (chain, (cost, ended, reading)) in chains.iter_mut().zip(found).take(counting) {
            if costs.iter().all(|&known| cost < known) {
                self.meter.take_over(reading);
            }
            if ended.order.0 < self.order.0 {
                self.order = ended.order.clone();
            }
            if let Some(tokens) = &ended.tokens
                && self.tokens.as_ref().is_none_or(|known| tokens.0 < known.0)
            {
                self.tokens = Some(tokens.clone());
            }
            costs.push(cost);
            *chain = ended;
        }
        first.is_none().then_some(costs)
    }

    /// Anneals until the budget or `most` steps in all are spent, or a bound is reached. Rounds are counted from
    /// `round` on.
    fn improve(&mut self, mut round: u32, starts: &[Vec<usize>], edges: bool, most: u64) {
        let n = self.order.1.len() as u64;
        if n < 2 {
            return;
        }
        let mut since = 0;
        while self.meter.spent < most && !self.meter.is_over() {
            if self.is_finished(edges) {
                self.meter.finished();
                return;
            }
            if gives_up(self.meter, since) {
                return;
            }
            let (before, known) = (self.meter.spent, self.best());
            let start = if round.is_multiple_of(2) {
                self.order.1.clone()
            } else {
                starts[self.rng.below(starts.len())].clone()
            };
            // Orders get their share of a small rest, too.
            let plain = self.bits.model == CostModel::Plain;
            let part = match (edges, plain) {
                (false, _) => 10,
                (true, true) => ORDER_PART.0,
                (true, false) => ORDER_PART.1,
            };
            let share = self.meter.left() / 10 * part;
            let work = share.min(n * ORDER_WORK);
            // Orders that are good if every product counts are the better starts for tokens.
            let as_plain = edges && !plain && round > 0;
            let order = if as_plain {
                self.anneal_order_in(true, &start, share.min(n * START_WORK))
            } else if self.order.0 <= self.vertex_floor {
                self.order.1.clone()
            } else {
                self.anneal_order(&start, work)
            };
            if edges {
                let free = if as_plain { FREE_OF_PLAIN } else { FREE };
                self.anneal_tokens(&order, n * TOKEN_WORK, free);
            }
            if self.meter.spent - before < 1000 {
                return;
            }
            round += 1;
            since = if self.best() < known { 0 } else { since + 1 };
        }
    }

    fn anneal_order(&mut self, start: &[usize], work: u64) -> Vec<usize> {
        let order = self.anneal_order_in(false, start, work);
        let total = self.bits.total(&order);
        if total < self.order.0 {
            self.meter.report_found(self.base + total);
            self.order = (total, order.clone());
        }
        order
    }

    fn anneal_order_in(&mut self, as_plain: bool, start: &[usize], work: u64) -> Vec<usize> {
        let graph = if as_plain { self.plain } else { self.bits };
        let mut state = OrderState::new(graph, start);
        let meter = &mut *self.meter;
        let (_, order) = order::anneal(
            &mut state,
            work,
            &mut self.rng,
            self.thresholds,
            &mut || meter.should_stop(),
        );
        meter.spend(state.work);
        order
    }

    fn anneal_tokens(&mut self, order: &[usize], work: u64, free: f64) {
        match self.bits.model {
            CostModel::Plain => self.anneal_tokens_in::<PLAIN>(order, work, free),
            CostModel::UnitFree => self.anneal_tokens_in::<UNIT_FREE>(order, work, free),
            CostModel::ConstantAware => {
                self.anneal_tokens_in::<CONSTANT_AWARE>(order, work, free);
            }
        }
    }

    /// Anneals token lists in a model with `L` layers of neighbours.
    fn anneal_tokens_in<const L: usize>(&mut self, order: &[usize], work: u64, free: f64) {
        let list: Vec<Token> = order.iter().map(|&v| Token::Vertex(v as u16)).collect();
        let mut state = TokenState::<W, L>::new(self.bits, &list);
        let meter = &mut *self.meter;
        let (cost, best) = tokens::anneal(
            &mut state,
            TOKEN_HEAT,
            free,
            work.min(meter.left()),
            &mut self.rng,
            self.thresholds,
            &mut || meter.should_stop(),
        );
        meter.spend(state.work());
        if self.tokens.as_ref().is_none_or(|(known, _)| cost < *known) {
            self.meter.report_found(self.base + cost);
            self.tokens = Some((cost, best));
        }
    }

    /// Exact search over vertex orders.
    fn prove_order(&mut self, graph: &Primal<'_>, bounds: &[u64], effort: Effort) {
        if self.order.0 <= self.vertex_floor {
            return;
        }
        let n = size(&self.bits.eliminable);
        let set_work = SET_WORK * u64::from(n);
        let sets = match effort {
            Effort::Some => some_sets(self.meter.left(), set_work),
            Effort::All => MANY_SETS,
        };
        let meter = &mut *self.meter;
        let below = self.order.0;
        // If a part of the sets was not enough for a small graph, going through all sets in order is faster.
        let found = if effort == Effort::All && n as usize <= exact::subsets::MOST_VERTICES {
            let model = self.bits.model;
            let place = |v| self.bits.vertices.binary_search(&(v as u32)).ok();
            let stop = &mut || meter.should_stop();
            match exact::subsets::solve(graph, model, bounds, below, stop) {
                Some(exact::vertex::Outcome::Optimal(cost, order)) => {
                    let order = order.into_iter().filter_map(place).collect();
                    Some(exact::vertex::Outcome::Optimal(cost, order))
                }
                other => other,
            }
        } else {
            let least: Vec<u32> = self
                .bits
                .vertices
                .iter()
                .map(|&v| u32::try_from(bounds[v as usize]).unwrap_or(u32::MAX))
                .collect();
            let mut work = 0;
            let stop = &mut || meter.should_stop();
            let found = exact::vertex::solve(self.bits, &least, below, sets, &mut work, stop);
            meter.spend(work * set_work);
            found
        };
        match found {
            Some(exact::vertex::Outcome::Optimal(cost, order)) => {
                self.order = (cost, order);
                self.vertex_floor = cost;
            }
            Some(exact::vertex::Outcome::NothingBelow) => self.vertex_floor = self.order.0,
            Some(exact::vertex::Outcome::Unfinished) | None => {}
        }
    }

    /// Exact search over edge sequences.
    fn prove_tokens(&mut self, most: usize) {
        let best = self.best();
        if best <= self.edge_floor {
            return;
        }
        let limit = exact::astar::Limit {
            graphs: most,
            bytes: GRAPH_BYTES,
        };
        let meter = &mut *self.meter;
        match exact::edge::solve(self.bits, best, limit, &mut || meter.should_stop()) {
            exact::edge::Outcome::Optimal(cost, tokens) => {
                self.tokens = Some((cost, tokens));
                self.edge_floor = cost;
            }
            exact::edge::Outcome::NothingBelow => self.edge_floor = best,
            exact::edge::Outcome::Unfinished(bound) => {
                self.edge_floor = self.edge_floor.max(bound);
            }
        }
        // An edge bound holds for vertex sequences, too.
        self.vertex_floor = self.vertex_floor.max(self.edge_floor);
    }

    fn vertex_steps(&self) -> Vec<Step> {
        self.order
            .1
            .iter()
            .map(|&v| Step::Vertex(self.bits.vertices[v]))
            .collect()
    }

    fn steps(&self, tokens: &[Token]) -> Vec<Step> {
        let vertex = |at: u16| self.bits.vertices[usize::from(at)];
        let step = |token: &Token| match *token {
            Token::Vertex(j) => Step::Vertex(vertex(j)),
            Token::Front(i, j) => Step::Front(vertex(i), vertex(j)),
            Token::Back(j, k) => Step::Back(vertex(j), vertex(k)),
        };
        tokens.iter().map(step).collect()
    }
}

/// True if a search without clock ends after `since` rounds without gain.
fn gives_up(meter: &Meter<'_>, since: u32) -> bool {
    meter.timer().is_none() && since > PATIENCE
}

/// Vertex sets that exact search may visit without being asked for more, given the steps left and the steps for each
/// set.
fn some_sets(left: u64, set_work: u64) -> u64 {
    EXACT_SETS.min(left / (EXACT_PART * set_work))
}

/// The order in which a vertex sequence eliminates the vertices of the reduced graph.
fn order_of<const W: usize>(bits: &BitGraph<W>, steps: &[Step]) -> Vec<usize> {
    let mut order = Vec::new();
    for step in steps {
        if let Step::Vertex(v) = step
            && let Ok(at) = bits.vertices.binary_search(v)
            && has(&bits.eliminable, at)
        {
            order.push(at);
        }
    }
    order
}

/// The whole sequence, without eliminations that have no effect.
fn finish(
    lcg: &Lcg,
    prefix: &[Step],
    rest: &[Step],
    technique: Technique,
    options: &Options<'_>,
) -> Sequence {
    let mut graph = Primal::without_jaes(lcg);
    let mut steps = Vec::with_capacity(prefix.len() + rest.len());
    for &step in prefix.iter().chain(rest) {
        if graph.apply(step).is_ok() {
            steps.push(step);
        }
    }
    let cost = graph.counts().multiplications(options.model);
    Sequence {
        technique,
        cost,
        steps,
    }
}

#[cfg(test)]
mod tests {
    use super::super::BOUND_WORK;
    use super::super::testing::{LION, chain, star, variable};
    use super::*;
    use crate::bound;

    /// The result without a budget for annealing, above the bounds of disjoint paths.
    fn found(lcg: &Lcg) -> Option<Local> {
        let options = Options {
            work: 0,
            ..Options::default()
        };
        let (bounds, _) = bound::by_vertex(lcg, options.model, BOUND_WORK);
        run(lcg, &options, &[], &bounds, &mut Meter::new(&options))
    }

    /// Each size of rows at its largest and, with one vertex more, the next.
    #[test]
    fn vertices_on_both_sides_of_the_rows() {
        for vertices in [64, 65, 128, 129, 192, 193, 256, 257, 512, 513, 1024, 1025] {
            let inputs = vertices / 2;
            let outputs = vertices - 1 - inputs;
            let local = found(&star(inputs, outputs));
            let cost = (vertices <= 1024).then_some((inputs * outputs) as u64);
            assert_eq!(local.map(|local| local.vertex.cost), cost, "{vertices}");
        }
    }

    /// Chains of diamonds, which reduce to one edge.
    #[test]
    fn branching_on_both_sides_of_the_limit() {
        for (branching, is_searched) in [(MOST_BRANCHING, true), (MOST_BRANCHING + 1, false)] {
            let diamonds = branching as i64 + 1;
            let ends = (0..diamonds).flat_map(|at| {
                let first = 3 * at;
                let sides = [first + 1, first + 2];
                sides
                    .into_iter()
                    .flat_map(move |v| [(first, v), (v, first + 3)])
            });
            let lcg = Lcg::new("diamonds", &[0], &[3 * diamonds], variable(ends));
            let local = found(&lcg.expect("a graph"));
            assert_eq!(local.is_some(), is_searched, "{branching}");
        }
    }

    /// Lion beside outputs with out-edges, which cost one product each, as disjoint paths prove.
    #[test]
    fn exact_edge_search_on_both_sides_of_its_limit() {
        for (vertices, gap) in [(EXACT_EDGE_VERTICES, 11 - 8), (EXACT_EDGE_VERTICES + 1, 0)] {
            // Two of them are in Lion.
            let read = (0..i64::from(vertices) - 2).map(|at| (10 + 2 * at, 11 + 2 * at));
            let ends = read.clone().flat_map(|(v, w)| [(1, v), (v, w)]);
            let others = read.flat_map(|(v, w)| [v, w]);
            let outputs: Vec<i64> = (5..9).chain(others).collect();
            let edges = variable(LION.into_iter().chain(ends));
            let lcg = Lcg::new("lion", &[1, 2], &outputs, edges).expect("a graph");
            let floor = bound::bound(&lcg, CostModel::Plain, BOUND_WORK);
            let local = found(&lcg).expect("a small graph");
            assert_eq!(local.edge_bound, floor + gap, "{vertices}");
        }
    }

    /// Orders are cut from lines of at least the least and at most the greatest length.
    #[test]
    fn lines_on_both_sides_of_their_limits() {
        let (options, thresholds) = (Options::default(), Thresholds::new());
        for (vertices, lines) in [
            (2, 0),
            (3, LINES),
            (intervals::MOST, LINES),
            (intervals::MOST + 1, 0),
        ] {
            let lcg = chain(vertices + 1);
            let bits = BitGraph::<8>::new(&Primal::new(&lcg), options.model).expect("it has room");
            let order: Vec<usize> = items(&bits.eliminable).collect();
            assert_eq!(order.len(), vertices);
            let mut meter = Meter::new(&options);
            let mut rounds = Rounds {
                bits: &bits,
                plain: &bits,
                rng: Rng::new(1),
                thresholds: &thresholds,
                meter: &mut meter,
                order: (bits.total(&order), order),
                tokens: None,
                vertex_floor: 0,
                edge_floor: 0,
                base: 0,
            };
            let mut starts = Vec::new();
            rounds.cut(&mut starts);
            assert_eq!(starts.len(), lines as usize, "{vertices}");
        }
    }

    #[test]
    fn patience_on_both_sides_of_its_end() {
        let options = Options::default();
        let meter = Meter::new(&options);
        assert!(!gives_up(&meter, PATIENCE) && gives_up(&meter, PATIENCE + 1));
        let late = || false;
        let by_clock = Options {
            timer: Some(&late),
            ..Options::default()
        };
        assert!(!gives_up(&Meter::new(&by_clock), PATIENCE + 1));
    }

    #[test]
    fn sets_on_both_sides_of_their_limits() {
        let all = EXACT_SETS * EXACT_PART * 7;
        for (left, sets) in [
            (0, 0),
            (all - 1, EXACT_SETS - 1),
            (all, EXACT_SETS),
            (2 * all, EXACT_SETS),
        ] {
            assert_eq!(some_sets(left, 7), sets, "{left}");
        }
    }
}
