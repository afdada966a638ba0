//! Local search on face eliminations, for small graphs: token lists as for edges, with single faces in
//! between, simulated on the dual graph in bit rows.

use super::Options;
use super::local::GRAPH_BYTES;
use super::meter::Meter;
use super::rng::{Rng, Thresholds};
use crate::bits::{Row, has, items, set, unset};
use crate::cost::CostModel;
use crate::eliminate::{Dual, Step};
use crate::exact::{self, astar::Limit};
use crate::lcg::{Kind, Lcg, Role};

/// Steps for one annealing run, per token.
const WORK: u64 = 400_000;
const HEAT: (f64, f64) = (0.6, 0.1);
const PENALTY: f64 = 0.02;
/// Runs without gain after which the search ends.
const PATIENCE: u32 = 4;
const MOST_FACES: usize = 16;
/// Most edges of a graph whose face sequences are searched.
pub(crate) const MOST_EDGES: usize = 64;
/// Most intermediates for which the optimum is sought without being asked for.
const PROVEN_VERTICES: usize = 6;
/// Faces tried in that search, times the square of the number of dual vertices: a tenth of a second.
const PROVEN_FACES: usize = 2_000_000;

/// One entry of a list, in vertices of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// All faces with this middle.
    Vertex(u32),
    /// All faces whose first dual vertex leads from the first vertex to the second.
    Front(u32, u32),
    /// All faces whose second dual vertex leads from the first vertex to the second.
    Back(u32, u32),
    /// The first face along the path of these three vertices.
    Face(u32, u32, u32),
}

/// The dual graph; dual vertices are numbered as in [`Dual`].
#[derive(Clone)]
struct Board<const W: usize> {
    ends: Vec<(u32, u32)>,
    kind: Vec<Kind>,
    pred: Vec<Row<W>>,
    succ: Vec<Row<W>>,
    alive: Row<W>,
    model: CostModel,
}

/// The error that there is no room for a result.
struct Full;

impl<const W: usize> Board<W> {
    fn new(lcg: &Lcg, model: CostModel) -> Self {
        let dual = Dual::new(lcg);
        let n = lcg.edges().len();
        let mut board = Self {
            ends: lcg
                .edges()
                .iter()
                .map(|edge| (edge.source, edge.target))
                .collect(),
            kind: lcg.edges().iter().map(|edge| edge.kind).collect(),
            pred: vec![[0; W]; n],
            succ: vec![[0; W]; n],
            alive: [0; W],
            model,
        };
        for at in 0..n {
            if let Some(vertex) = dual.vertex(at as u32) {
                set(&mut board.alive, at);
                for next in vertex.succs() {
                    set(&mut board.succ[at], next as usize);
                    set(&mut board.pred[next as usize], at);
                }
            }
        }
        board
    }

    fn find(&self, ends: (u32, u32), pred: &Row<W>, succ: &Row<W>, not: usize) -> Option<usize> {
        items(&self.alive).find(|&at| {
            at != not && self.ends[at] == ends && self.pred[at] == *pred && self.succ[at] == *succ
        })
    }

    /// Eliminates face `(i, j)`; see [`Dual`] for the meaning.
    fn face(&mut self, i: usize, j: usize, roles: &[Role]) -> Result<u64, Full> {
        let cost = self.model.product(self.kind[i], self.kind[j]);
        let product = self.kind[i].product(self.kind[j]);
        let ends = (self.ends[i].0, self.ends[j].1);
        let (pred, succ) = (self.pred[i], self.succ[j]);
        if let Some(at) = self.find(ends, &pred, &succ, usize::MAX) {
            self.kind[at] = product.sum(self.kind[at]);
        } else {
            let new = self.ends.len();
            if new >= 64 * W {
                return Err(Full);
            }
            self.ends.push(ends);
            self.kind.push(product);
            self.pred.push(pred);
            self.succ.push(succ);
            set(&mut self.alive, new);
            for p in items(&pred) {
                set(&mut self.succ[p], new);
            }
            for s in items(&succ) {
                set(&mut self.pred[s], new);
            }
        }
        unset(&mut self.succ[i], j);
        unset(&mut self.pred[j], i);
        self.tidy(i, roles);
        self.tidy(j, roles);
        Ok(cost)
    }

    fn tidy(&mut self, at: usize, roles: &[Role]) {
        if !has(&self.alive, at) {
            return;
        }
        let (source, target) = self.ends[at];
        let leads = self.succ[at] != [0; W] || roles[target as usize] == Role::Dependent;
        let comes = self.pred[at] != [0; W] || roles[source as usize] == Role::Independent;
        if !leads || !comes {
            self.delete(at);
            return;
        }
        let (pred, succ) = (self.pred[at], self.succ[at]);
        if let Some(other) = self.find((source, target), &pred, &succ, at) {
            let (kept, lost) = (at.min(other), at.max(other));
            self.kind[kept] = self.kind[kept].sum(self.kind[lost]);
            self.delete(lost);
        }
    }

    fn delete(&mut self, at: usize) {
        unset(&mut self.alive, at);
        for p in items(&self.pred[at]) {
            unset(&mut self.succ[p], at);
        }
        for s in items(&self.succ[at]) {
            unset(&mut self.pred[s], at);
        }
        self.pred[at] = [0; W];
        self.succ[at] = [0; W];
    }

    /// The first remaining face that a token stands for.
    fn next(&self, token: Token) -> Option<(usize, usize)> {
        let faces = |at: usize| items(&self.succ[at]).next().map(|next| (at, next));
        let with =
            |wanted: (u32, u32)| items(&self.alive).filter(move |&at| self.ends[at] == wanted);
        match token {
            Token::Vertex(v) => items(&self.alive)
                .filter(|&at| self.ends[at].1 == v)
                .find_map(faces),
            Token::Front(i, j) => with((i, j)).find_map(faces),
            Token::Back(j, k) => {
                with((j, k)).find_map(|at| items(&self.pred[at]).next().map(|before| (before, at)))
            }
            Token::Face(a, b, c) => with((a, b)).find_map(|at| {
                items(&self.succ[at])
                    .find(|&next| self.ends[next].1 == c)
                    .map(|next| (at, next))
            }),
        }
    }

    /// Applies a token; returns the cost, and whether the token had an effect.
    fn apply(
        &mut self,
        token: Token,
        roles: &[Role],
        steps: &mut Option<Vec<Step>>,
    ) -> Result<Option<u64>, Full> {
        let mut total = None;
        while let Some((i, j)) = self.next(token) {
            if let Some(steps) = steps {
                steps.push(Step::Face(i as u32, j as u32));
            }
            *total.get_or_insert(0) += self.face(i, j, roles)?;
            if matches!(token, Token::Face(..)) {
                break;
            }
        }
        Ok(total)
    }
}

/// The extent of exact search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// A small part of the budget, in small graphs.
    Some,
    /// The search goes on until the optimum is proven, or there is no memory left.
    All,
}

/// Looks for a sequence of faces below the known cost, but not below `floor`. Returns the sequence and a lower bound
/// on all sequences. Annealing starts from a sequence of vertices and edges.
pub(crate) fn search(
    lcg: &Lcg,
    options: &Options<'_>,
    start: Option<&[Step]>,
    (known, floor): (u64, u64),
    meter: &mut Meter<'_>,
) -> (u64, Option<(u64, Vec<Step>)>) {
    let mut bound = floor;
    let mut best = None;
    let cost = |best: &Option<(u64, Vec<Step>)>| best.as_ref().map_or(known, |(cost, _)| *cost);
    let (proven, found) = prove(lcg, options, Effort::Some, known, meter);
    bound = bound.max(proven);
    best = found.or(best);
    if cost(&best) > bound
        && let Some(start) = start
    {
        let found = run(lcg, options.model, start, options.seed, bound, meter);
        best = found.filter(|(found, _)| *found < cost(&best)).or(best);
    }
    if options.exact && cost(&best) > bound {
        let (proven, found) = prove(lcg, options, Effort::All, cost(&best), meter);
        bound = bound.max(proven);
        best = found.or(best);
    }
    (bound, best)
}

/// Exact search below a known cost: a bound, and an optimal sequence if it costs less.
fn prove(
    lcg: &Lcg,
    options: &Options<'_>,
    effort: Effort,
    below: u64,
    meter: &mut Meter<'_>,
) -> (u64, Option<(u64, Vec<Step>)>) {
    let size = lcg.edges().len() + lcg.inputs().len() + lcg.outputs().len();
    let faces = match effort {
        Effort::Some if lcg.intermediates().count() > PROVEN_VERTICES => return (0, None),
        Effort::Some if !options.proves(lcg) => return (0, None),
        Effort::Some => PROVEN_FACES / (size * size).max(1),
        Effort::All => usize::MAX,
    };
    prove_within(faces, lcg, options.model, below, meter)
}

/// [`prove`], for at most this many faces.
fn prove_within(
    mut faces: usize,
    lcg: &Lcg,
    model: CostModel,
    below: u64,
    meter: &mut Meter<'_>,
) -> (u64, Option<(u64, Vec<Step>)>) {
    let limit = Limit {
        graphs: u32::MAX as usize,
        bytes: GRAPH_BYTES,
    };
    let stop = &mut || {
        faces = faces.saturating_sub(1);
        faces == 0 || meter.should_stop()
    };
    match exact::face::solve(lcg, model, below, limit, stop) {
        Some(exact::face::Outcome::Optimal(cost, steps)) => {
            meter.report_found(cost);
            (cost, Some((cost, steps)))
        }
        Some(exact::face::Outcome::NothingBelow) => (below, None),
        Some(exact::face::Outcome::Unfinished(bound)) => (bound, None),
        None => (0, None),
    }
}

/// A complete sequence of faces that starts from a sequence of vertices and edges; `None` if the graph
/// is too large for this.
fn run(
    lcg: &Lcg,
    model: CostModel,
    start: &[Step],
    seed: u64,
    floor: u64,
    meter: &mut Meter<'_>,
) -> Option<(u64, Vec<Step>)> {
    // Rows with room for the dual vertices that products add.
    match lcg.edges().len() {
        0..=24 => Search::<1>::run(lcg, model, start, seed, floor, meter),
        25..=MOST_EDGES => Search::<2>::run(lcg, model, start, seed, floor, meter),
        _ => None,
    }
}

struct Search<const W: usize> {
    start: Board<W>,
    scratch: Board<W>,
    roles: Vec<Role>,
    tokens: Vec<Token>,
    total: u64,
    work: u64,
}

impl<const W: usize> Search<W> {
    fn run(
        lcg: &Lcg,
        model: CostModel,
        start: &[Step],
        seed: u64,
        floor: u64,
        meter: &mut Meter<'_>,
    ) -> Option<(u64, Vec<Step>)> {
        let mut search = Self::new(lcg, model, start);
        let mut list = search.tokens.clone();
        search.total = search.evaluate(&mut list)?;
        search.tokens = list;
        search.anneal(seed, floor, meter)
    }

    /// The list of a sequence, whose cost is not known yet.
    fn new(lcg: &Lcg, model: CostModel, start: &[Step]) -> Self {
        let token = |step: &Step| match *step {
            Step::Vertex(v) => Some(Token::Vertex(v)),
            Step::Front(i, j) => Some(Token::Front(i, j)),
            Step::Back(j, k) => Some(Token::Back(j, k)),
            Step::Face(..) => None,
        };
        let mut tokens: Vec<Token> = start.iter().filter_map(token).collect();
        // Vertex tokens at the end eliminate all faces that are left.
        let rest = (0..lcg.vertex_count() as u32).filter(|&v| lcg.role(v) != Role::Independent);
        tokens.extend(
            rest.map(Token::Vertex)
                .filter(|token| !tokens.contains(token))
                .collect::<Vec<_>>(),
        );
        let board = Board::new(lcg, model);
        Self {
            scratch: board.clone(),
            start: board,
            roles: (0..lcg.vertex_count() as u32)
                .map(|v| lcg.role(v))
                .collect(),
            tokens,
            total: 0,
            work: 0,
        }
    }

    /// The cost of a list; face and edge tokens without effect are dropped from it.
    fn evaluate(&mut self, list: &mut Vec<Token>) -> Option<u64> {
        self.scratch.clone_from(&self.start);
        self.work += 60;
        let mut total = 0;
        let mut full = false;
        let (scratch, roles, work) = (&mut self.scratch, &self.roles, &mut self.work);
        list.retain(|&token| {
            *work += 40;
            match scratch.apply(token, roles, &mut None) {
                Ok(Some(cost)) => {
                    total += cost;
                    *work += 60 * cost;
                    true
                }
                Ok(None) => matches!(token, Token::Vertex(_)),
                Err(Full) => {
                    full = true;
                    false
                }
            }
        });
        (!full).then_some(total)
    }

    fn steps(&mut self, list: &[Token]) -> Option<Vec<Step>> {
        let mut steps = Some(Vec::new());
        self.scratch.clone_from(&self.start);
        for &token in list {
            self.scratch.apply(token, &self.roles, &mut steps).ok()?;
        }
        steps
    }

    fn anneal(&mut self, seed: u64, floor: u64, meter: &mut Meter<'_>) -> Option<(u64, Vec<Step>)> {
        let (mut rng, thresholds) = (Rng::new(seed), Thresholds::new());
        let start = (self.total, self.tokens.clone());
        let mut best = start.clone();
        let mut idle = 0;
        while idle < PATIENCE && best.0 > floor && !meter.is_over() {
            let known = best.0;
            (self.total, self.tokens) = start.clone();
            self.round(&mut best, floor, &mut rng, &thresholds, meter);
            meter.report_found(best.0);
            idle = if best.0 < known { 0 } else { idle + 1 };
        }
        let steps = self.steps(&best.1)?;
        Some((best.0, steps))
    }

    fn round(
        &mut self,
        best: &mut (u64, Vec<Token>),
        floor: u64,
        rng: &mut Rng,
        thresholds: &Thresholds,
        meter: &mut Meter<'_>,
    ) {
        let work = meter.grant(WORK * self.tokens.len() as u64);
        let mut moves = 0u32;
        self.work = 0;
        while self.work < work && best.0 > floor {
            if moves.is_multiple_of(64) && meter.should_stop() {
                break;
            }
            moves = moves.wrapping_add(1);
            self.work += 20;
            let Some(mut candidate) = self.propose(rng) else {
                continue;
            };
            let Some(total) = self.evaluate(&mut candidate) else {
                continue;
            };
            let done = self.work as f64 / work as f64;
            let temperature = HEAT.0 + (HEAT.1 - HEAT.0) * done;
            let more = candidate.len() as f64 - self.tokens.len() as f64;
            let change = total as f64 - self.total as f64 + PENALTY * more;
            if thresholds.accept(change, temperature, rng) {
                self.tokens = candidate;
                self.total = total;
                if total < best.0 {
                    *best = (total, self.tokens.clone());
                }
            }
        }
        meter.spend(self.work);
    }

    fn propose(&mut self, rng: &mut Rng) -> Option<Vec<Token>> {
        let n = self.tokens.len();
        let mut list = self.tokens.clone();
        let single: Vec<usize> = (0..n)
            .filter(|&at| !matches!(list[at], Token::Vertex(_)))
            .collect();
        let choice = rng.below(10);
        if choice < 4 && single.len() < MOST_FACES {
            let at = rng.below(n);
            self.scratch.clone_from(&self.start);
            for &token in &list[..at] {
                self.work += 60;
                self.scratch.apply(token, &self.roles, &mut None).ok()?;
            }
            let board = &self.scratch;
            let open: Vec<usize> = items(&board.alive)
                .filter(|&at| board.succ[at] != [0; W])
                .collect();
            if open.is_empty() {
                return None;
            }
            let first = open[rng.below(open.len())];
            let next: Vec<usize> = items(&board.succ[first]).collect();
            let second = next[rng.below(next.len())];
            let ((a, b), (_, c)) = (board.ends[first], board.ends[second]);
            let token = match rng.below(4) {
                0 => Token::Front(a, b),
                1 => Token::Back(b, c),
                _ => Token::Face(a, b, c),
            };
            list.insert(at, token);
            return Some(list);
        }
        let from = if choice < 7 {
            *single.get(rng.below(single.len().max(1)))?
        } else {
            rng.below(n)
        };
        let token = list.remove(from);
        if choice >= 5 || matches!(token, Token::Vertex(_)) {
            list.insert(rng.below(n), token);
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{LION, chain, variable};
    use super::*;

    /// The cost of the sequence that annealing finds, above a floor.
    fn annealed(lcg: &Lcg, vertices: std::ops::Range<u32>, floor: u64) -> Option<u64> {
        let start: Vec<Step> = vertices.map(Step::Vertex).collect();
        let mut meter = Meter::new(&Options::default());
        let found = run(lcg, CostModel::Plain, &start, 1, floor, &mut meter);
        found.map(|(cost, _)| cost)
    }

    #[test]
    fn edges_on_both_sides_of_the_limit() {
        for (edges, cost) in [(MOST_EDGES, Some(63)), (MOST_EDGES + 1, None)] {
            let found = annealed(&chain(edges), 1..edges as u32, 63);
            assert_eq!(found, cost, "{edges}");
        }
    }

    /// Two vertices with six edges on each side make 72 dual vertices. One edge more, and there is room for them.
    #[test]
    fn edges_on_both_sides_of_the_narrow_rows() {
        let inputs: Vec<i64> = (0..12).collect();
        let outputs: Vec<i64> = (14..26).collect();
        let ends = [(12, 0), (13, 6)].into_iter().flat_map(|(v, at)| {
            let into = (at..at + 6).map(move |u| (u, v));
            into.chain((at + 14..at + 20).map(move |w| (v, w)))
        });
        for (edges, cost) in [(24, None), (25, Some(72))] {
            let all = variable(ends.clone().chain([(0, 14)]).take(edges));
            let lcg = Lcg::new("stars", &inputs, &outputs, all).expect("a graph");
            assert_eq!(lcg.edges().len(), edges);
            assert_eq!(annealed(&lcg, 12..14, 72), cost, "{edges}");
        }
    }

    /// Annealing without possible gain ends after `PATIENCE` rounds.
    #[test]
    fn rounds_without_gain_are_counted() {
        let options = Options::default();
        let mut meter = Meter::new(&options);
        let start = [Step::Vertex(1), Step::Vertex(2)];
        let found = run(&chain(3), CostModel::Plain, &start, 1, 0, &mut meter);
        assert_eq!(found.map(|(cost, _)| cost), Some(2));
        // The vertices and the output.
        let round = 3 * WORK;
        assert_eq!(meter.spent / round, u64::from(PATIENCE));
    }

    /// A list gets no more single faces than there may be.
    #[test]
    fn single_faces_on_both_sides_of_their_limit() {
        let lcg = chain(3);
        // No such face exists, so the token may occur several times.
        let face = Token::Face(2, 1, 0);
        for count in [MOST_FACES - 1, MOST_FACES] {
            let mut search = Search::<1>::new(&lcg, CostModel::Plain, &[]);
            search.tokens.splice(..0, vec![face; count]);
            let mut rng = Rng::new(3);
            let lists = (0..1000).filter_map(|_| search.propose(&mut rng));
            let singles = lists.map(|list| {
                let is_single = |token: &&Token| !matches!(token, Token::Vertex(_));
                list.iter().filter(is_single).count()
            });
            assert_eq!(singles.max(), Some(MOST_FACES), "{count}");
        }
    }

    /// The cost of a chain is the bound of disjoint paths, so exact search ends at once if it is tried.
    #[test]
    fn vertices_on_both_sides_of_the_limit() {
        let options = Options::default();
        for (vertices, is_tried) in [(PROVEN_VERTICES, true), (PROVEN_VERTICES + 1, false)] {
            let (lcg, cost) = (chain(vertices + 1), vertices as u64);
            let mut meter = Meter::new(&options);
            let proven = prove(&lcg, &options, Effort::Some, cost, &mut meter);
            let bound = if is_tried { cost } else { 0 };
            assert_eq!(proven, (bound, None), "{vertices}");
        }
    }

    #[test]
    fn faces_of_exact_search_on_both_sides_of_their_limit() {
        let lcg = Lcg::new("lion", &[1, 2], &[5, 6, 7, 8], variable(LION)).expect("a graph");
        let unlimited = Limit {
            graphs: usize::MAX,
            bytes: usize::MAX,
        };
        let mut tried = 0;
        let stop = &mut || {
            tried += 1;
            false
        };
        let whole = exact::face::solve(&lcg, CostModel::Plain, u64::MAX, unlimited, stop);
        assert!(matches!(whole, Some(exact::face::Outcome::Optimal(11, _))));
        for (faces, optimum) in [(tried + 1, Some(11)), (tried, None)] {
            let mut meter = Meter::new(&Options::default());
            let (_, found) = prove_within(faces, &lcg, CostModel::Plain, u64::MAX, &mut meter);
            assert_eq!(found.map(|(cost, _)| cost), optimum, "{faces}");
        }
    }
}
