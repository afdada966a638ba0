//! The search for a cheap elimination sequence: all greedy heuristics, then annealing of vertex orders and of
//! sequences with edge eliminations, then exact search as far as the budget goes.

mod chains;
mod convergence;
mod faces;
mod intervals;
mod local;
mod meter;
mod order;
mod portfolio;
mod reduce;
pub(crate) mod rng;
#[cfg(test)]
pub(crate) mod testing;
mod tokens;
mod trail;

use std::sync::atomic::AtomicBool;

use crate::bound;
use crate::cost::{CostModel, Counts};
use crate::eliminate::{Dual, Entry, JaeList, Primal, Step, StepError};
use crate::heuristic::{Ended, Heuristic, Limits, Technique};
use crate::lcg::Lcg;
use meter::Meter;

pub use meter::{DEFAULT_WORK, Monitor, Timer};

/// The default number of chains of annealing.
pub const DEFAULT_CHAINS: usize = 4;

/// The aim of a search, and how long it may take.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The cost model, which decides which products count.
    pub model: CostModel,
    /// The class of sequences; `None` takes the best of all.
    pub technique: Option<Technique>,
    /// The only heuristic to run; `None` leaves the choice to the search.
    pub heuristic: Option<Heuristic>,
    /// Seed of the pseudo-random numbers.
    pub seed: u64,
    /// Search steps; the same number gives the same result on every machine. The steps that the heuristics leave are
    /// the budget of a chain.
    pub work: u64,
    /// Chains of annealing, each on a thread of its own; the best result is taken. Several chains go on in phases
    /// until they agree: each has a quarter of the budget first, then half of it, and with 64 intermediates or more
    /// one and four times as much, as long as they end with different costs. The number does not depend on the
    /// processors, so that the result is the same everywhere. A single chain (also for 0, and for every budget below
    /// the default one) spends the budget once.
    pub chains: usize,
    /// Replaces the steps by a clock: returns true when time is up. The result may then depend on the machine.
    pub timer: Option<Timer<'a>>,
    /// A flag that another thread sets to end the search; the best sequence so far is returned.
    pub interrupt: Option<&'a AtomicBool>,
    /// A monitor that shows the progress to another thread.
    pub monitor: Option<&'a Monitor>,
    /// Prove the optimum without a limit of work (within the timer, if there is one).
    pub exact: bool,
    /// Run the greedy heuristics to their end even if that is beyond the budget (if it is not less than the
    /// default, and there is no timer), up to an amount of work that grows with the graph, tens of seconds at
    /// most (without limit if `exact`): the result is never worse than any heuristic it lists.
    pub every_heuristic: bool,
    /// Graphs with more edges than this stop at a remainder graph when fill-in passes four times the
    /// number of edges (with 25 intermediates or fewer, 2^20 edges if that is more).
    pub large: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            model: CostModel::Plain,
            technique: None,
            heuristic: None,
            seed: 0,
            work: DEFAULT_WORK,
            chains: DEFAULT_CHAINS,
            timer: None,
            interrupt: None,
            monitor: None,
            exact: false,
            every_heuristic: true,
            large: 10_000,
        }
    }
}

impl Options<'_> {
    fn fill_limit(&self, lcg: &Lcg) -> Option<usize> {
        let edges = lcg.edges().len();
        let least = if self.proves(lcg) { PROVEN_FILL_IN } else { 0 };
        (edges > self.large).then_some(least.max(4 * edges))
    }

    /// True if the optimum over vertex orders is proven without a limit of work: in small graphs, unless the budget is
    /// below the default.
    fn proves(&self, lcg: &Lcg) -> bool {
        lcg.intermediates().count() <= PROVEN_VERTICES && !self.is_small()
    }

    /// True if a search for faces is wanted, and the graph is small enough for it.
    fn wants_faces(&self, lcg: &Lcg) -> bool {
        let is_wanted = |wanted: Technique| wanted == Technique::Face;
        self.technique.is_none_or(is_wanted) && lcg.edges().len() <= faces::MOST_EDGES
    }

    /// True if the budget is less than the default one.
    fn is_small(&self) -> bool {
        self.timer.is_none() && self.work < DEFAULT_WORK
    }

    /// The number of chains of annealing.
    fn chain_count(&self) -> usize {
        if self.is_small() {
            1
        } else {
            self.chains.max(1)
        }
    }
}

/// A sequence and its cost.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) technique: Technique,
    pub(crate) cost: u64,
    pub(crate) steps: Vec<Step>,
}

/// The result of a replayed sequence.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The cost of the sequence.
    pub counts: Counts,
    /// The Jacobian accumulation expressions.
    pub jaes: JaeList,
    /// The edges left: the Jacobian, if the sequence is complete.
    pub entries: Vec<Entry>,
    /// True if the sequence is complete.
    pub complete: bool,
}

/// The cost of a sequence, and the number of edges that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recounted {
    /// The cost of the sequence.
    pub counts: Counts,
    /// Number of edges left.
    pub edges_left: usize,
    /// True if only the Jacobian is left.
    pub complete: bool,
}

/// A graph on which a sequence has been done.
enum Left<'a> {
    Primal(Primal<'a>),
    Dual(Dual<'a>),
}

fn done<'a>(lcg: &'a Lcg, steps: &[Step], with_jaes: bool) -> Result<Left<'a>, StepError> {
    if steps.iter().any(|step| matches!(step, Step::Face(..))) {
        let mut graph = if with_jaes {
            Dual::new(lcg)
        } else {
            Dual::without_jaes(lcg)
        };
        for &step in steps {
            graph.apply(step)?;
        }
        return Ok(Left::Dual(graph));
    }
    let mut graph = if with_jaes {
        Primal::new(lcg)
    } else {
        Primal::without_jaes(lcg)
    };
    for &step in steps {
        graph.apply(step)?;
    }
    Ok(Left::Primal(graph))
}

/// Replays a sequence.
///
/// # Errors
/// The first step that is not possible.
pub fn replay(lcg: &Lcg, steps: &[Step]) -> Result<Replayed, StepError> {
    Ok(match done(lcg, steps, true)? {
        Left::Primal(graph) => Replayed {
            counts: *graph.counts(),
            entries: graph.entries().collect(),
            complete: graph.is_complete(),
            jaes: graph.into_jaes(),
        },
        Left::Dual(graph) => Replayed {
            counts: *graph.counts(),
            entries: graph.entries().collect(),
            complete: graph.is_complete(),
            jaes: graph.into_jaes(),
        },
    })
}

/// Replays a sequence without a list of JAEs, which can take gigabytes.
///
/// # Errors
/// The first step that is not possible.
pub fn recount(lcg: &Lcg, steps: &[Step]) -> Result<Recounted, StepError> {
    Ok(match done(lcg, steps, false)? {
        Left::Primal(graph) => Recounted {
            counts: *graph.counts(),
            edges_left: graph.edge_count(),
            complete: graph.is_complete(),
        },
        Left::Dual(graph) => Recounted {
            counts: *graph.counts(),
            edges_left: graph.entries().count(),
            complete: graph.is_complete(),
        },
    })
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The model that the search counted in.
    pub model: CostModel,
    /// The kind of the best sequence.
    pub technique: Technique,
    /// The multiplications of the best sequence.
    pub cost: u64,
    /// A lower bound: no sequence of the class searched costs less.
    pub bound: u64,
    /// The widest class in which the sequence is proven to be optimal.
    pub optimal: Option<Technique>,
    /// The proof that the sequence is optimal.
    pub proof: Proof,
    /// Costs and bounds of each class that was searched, narrowest first.
    pub classes: Vec<Class>,
    /// The sequence of eliminations.
    pub steps: Vec<Step>,
    /// True if the sequence leaves only the Jacobian. Otherwise a remainder graph is left, and the cost of the steps
    /// so far may be less than the bound, which is one on complete sequences.
    pub complete: bool,
    /// The reason for which the sequence is not complete.
    pub stopped: Option<Cause>,
    /// Cost of every heuristic that was run to its end, by key.
    pub heuristics: Vec<(String, u64)>,
    /// Heuristics that were ended when they reached the cost of another one, with their cost by then.
    pub beaten: Vec<(String, u64)>,
    /// Heuristics that were left out because the budget ran out, or fill-in passed its limit, before they reached that
    /// cost.
    pub left_out: Vec<String>,
    /// True if the search was told to stop.
    pub interrupted: bool,
    /// Search steps spent; of the chains of annealing, only the one that found the best sequence counts.
    pub work: u64,
}

/// The reason for which a sequence stops at a remainder graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Fill-in passed its limit.
    FillIn,
    /// Time was up.
    Time,
    /// The caller interrupted the search.
    Interrupt,
    /// The steps of the budget were spent.
    Work,
}

impl Cause {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::FillIn => "fill-in",
            Self::Time => "time",
            Self::Interrupt => "interrupt",
            Self::Work => "work",
        }
    }

    /// A clause for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::FillIn => "going on would make too many edges",
            Self::Time => "time was up",
            Self::Interrupt => "it was interrupted",
            Self::Work => "the steps of the budget were spent",
        }
    }
}

/// Cost and bound of one class of sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The class of eliminations. Vertex sequences belong to the edge sequences, and these to the face sequences.
    pub technique: Technique,
    /// The least cost found in the class.
    pub cost: u64,
    /// A lower bound: no sequence in the class costs less.
    pub bound: u64,
}

/// The proof that a sequence is optimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The sequence is not known to be optimal.
    None,
    /// The sequence has as many products as the disjoint paths need (see [`crate::bound::paths`]): optimal among
    /// vertex, edge and face sequences.
    Paths,
    /// A search of the class found nothing cheaper before it was exhausted.
    Exhausted(Technique),
}

/// The optimum of graphs with at most this many intermediates is always proven.
const PROVEN_VERTICES: usize = 25;

/// New edges that such a graph may always have: 100 MB.
const PROVEN_FILL_IN: usize = 1 << 20;

/// Most flow steps for the bound.
const BOUND_WORK: u64 = 2_000_000;

/// Searches for a cheap elimination sequence of a graph.
pub fn search(lcg: &Lcg, options: &Options<'_>) -> Outcome {
    let mut meter = Meter::new(options);
    let (parts, work) = bound::by_vertex(lcg, options.model, meter.grant(BOUND_WORK));
    meter.spend(work);
    let floor: u64 = parts.iter().sum();
    if let Some(heuristic) = options.heuristic {
        return single(lcg, options, heuristic, floor, &mut meter);
    }
    let found = portfolio::run(lcg, options, &mut meter);
    let Some(mut best) = found.sequences.first().cloned() else {
        return unfinished(lcg, options, found, floor, &mut meter);
    };
    let wants_faces = options.wants_faces(lcg);
    let mut bounds = [floor; 3];
    let least = |class: Technique| {
        let within = found
            .sequences
            .iter()
            .filter(|sequence| sequence.technique <= class);
        within.map(|sequence| sequence.cost).min()
    };
    let mut costs = [Technique::Vertex, Technique::Edge, Technique::Face].map(least);
    if best.cost > floor || options.exact {
        let reserved = if wants_faces {
            meter.reserve(meter.left() / 3)
        } else {
            0
        };
        let local = local::run(lcg, options, &found.sequences, &parts, &mut meter);
        meter.release(reserved);
        if let Some(local) = local {
            bounds[0] = local.vertex_bound;
            bounds[1] = local.edge_bound;
            for sequence in std::iter::once(local.vertex).chain(local.edge) {
                lower(&mut costs, sequence.technique, sequence.cost);
                if sequence.cost < best.cost {
                    best = sequence;
                }
            }
        }
    }
    if wants_faces && best.cost > floor {
        let start = if best.technique == Technique::Face {
            let others = |sequence: &&Sequence| sequence.technique != Technique::Face;
            found.sequences.iter().find(others)
        } else {
            Some(&best)
        };
        let start = start.map(|start| start.steps.clone());
        let known = (best.cost, floor);
        let (bound, steps) = faces::search(lcg, options, start.as_deref(), known, &mut meter);
        if let Some((cost, steps)) = steps {
            lower(&mut costs, Technique::Face, cost);
            best = Sequence {
                technique: Technique::Face,
                cost,
                steps,
            };
        }
        // A face bound holds for edge and vertex sequences, too.
        bounds = bounds.map(|known| known.max(bound));
    }
    let widest = options.technique.unwrap_or(Technique::Face);
    let classes: Vec<Class> = [Technique::Vertex, Technique::Edge, Technique::Face]
        .into_iter()
        .zip(costs.into_iter().zip(bounds))
        .filter(|(technique, _)| *technique <= widest)
        .filter_map(|(technique, (cost, bound))| {
            Some(Class {
                technique,
                cost: cost?,
                bound,
            })
        })
        .collect();
    let (optimal, proof) = proof(&best, floor, bounds);
    Outcome {
        model: options.model,
        technique: best.technique,
        cost: best.cost,
        bound: bounds[widest as usize],
        optimal,
        proof,
        classes,
        complete: true,
        stopped: None,
        steps: best.steps,
        heuristics: found.table,
        beaten: found.beaten,
        left_out: found.left_out,
        interrupted: meter.interrupted,
        work: meter.spent,
    }
}

/// The widest class in which a sequence is optimal, and the proof; `bounds` by class.
fn proof(best: &Sequence, floor: u64, bounds: [u64; 3]) -> (Option<Technique>, Proof) {
    let [vertex_bound, edge_bound, face_bound] = bounds;
    if best.cost <= floor {
        (Some(Technique::Face), Proof::Paths)
    } else if best.cost == face_bound {
        (Some(Technique::Face), Proof::Exhausted(Technique::Face))
    } else if best.technique <= Technique::Edge && best.cost == edge_bound {
        (Some(Technique::Edge), Proof::Exhausted(Technique::Edge))
    } else if best.technique == Technique::Vertex && best.cost == vertex_bound {
        (Some(Technique::Vertex), Proof::Exhausted(Technique::Vertex))
    } else {
        (None, Proof::None)
    }
}

/// A cost found in a class holds for the wider ones, too.
fn lower(costs: &mut [Option<u64>; 3], technique: Technique, cost: u64) {
    for slot in &mut costs[technique as usize..] {
        *slot = Some(slot.map_or(cost, |known| known.min(cost)));
    }
}

/// The outcome of one heuristic, without annealing and exact search.
fn single(
    lcg: &Lcg,
    options: &Options<'_>,
    heuristic: Heuristic,
    floor: u64,
    meter: &mut Meter<'_>,
) -> Outcome {
    let limits = Limits {
        fill_in: options.fill_limit(lcg),
        work: None,
        interrupt: meter.interrupt(),
        timer: meter.timer(),
        least: 0,
        bar: None,
    };
    let run = heuristic.run(lcg, &limits);
    let cost = run.counts.multiplications(options.model);
    let complete = run.ended == Ended::Complete;
    let stopped = match run.ended {
        Ended::Complete => None,
        Ended::FillIn => Some(Cause::FillIn),
        Ended::Stopped | Ended::Beaten if meter.should_stop() && meter.interrupted => {
            Some(Cause::Interrupt)
        }
        Ended::Stopped | Ended::Beaten => Some(Cause::Time),
    };
    if complete {
        meter.report_found(cost);
    }
    meter.spend(run.work);
    let technique = heuristic.technique();
    let proven = complete && cost <= floor;
    let class = Class {
        technique,
        cost,
        bound: floor,
    };
    Outcome {
        model: options.model,
        technique,
        cost,
        bound: floor,
        optimal: proven.then_some(Technique::Face),
        proof: if proven { Proof::Paths } else { Proof::None },
        classes: if complete { vec![class] } else { Vec::new() },
        steps: run.steps,
        complete,
        stopped,
        heuristics: if complete {
            vec![(heuristic.to_string(), cost)]
        } else {
            Vec::new()
        },
        beaten: Vec::new(),
        left_out: if complete {
            Vec::new()
        } else {
            vec![heuristic.to_string()]
        },
        interrupted: meter.interrupted,
        work: meter.spent,
    }
}

/// The outcome when no heuristic came to its end.
fn unfinished(
    lcg: &Lcg,
    options: &Options<'_>,
    found: portfolio::Portfolio,
    floor: u64,
    meter: &mut Meter<'_>,
) -> Outcome {
    let (best, ended) = found.remainder.unwrap_or_else(|| {
        let none = Sequence {
            technique: options.technique.unwrap_or(Technique::Vertex),
            cost: 0,
            steps: Vec::new(),
        };
        (none, Ended::Stopped)
    });
    let complete = recount(lcg, &best.steps).is_ok_and(|result| result.complete);
    let cause = if ended == Ended::FillIn {
        Cause::FillIn
    } else if !meter.should_stop() {
        Cause::Work
    } else if meter.interrupted {
        Cause::Interrupt
    } else {
        Cause::Time
    };
    Outcome {
        model: options.model,
        technique: best.technique,
        cost: best.cost,
        bound: floor,
        optimal: None,
        proof: Proof::None,
        classes: Vec::new(),
        complete,
        stopped: (!complete).then_some(cause),
        steps: best.steps,
        heuristics: found.table,
        beaten: found.beaten,
        left_out: found.left_out,
        interrupted: meter.interrupted,
        work: meter.spent,
    }
}

#[cfg(test)]
mod tests {
    use super::testing::chain;
    use super::*;

    /// Graphs of few intermediates are proven, unless the budget is less than the default one.
    #[test]
    fn proofs_on_both_sides_of_their_limits() {
        let [few, many] = [PROVEN_VERTICES, PROVEN_VERTICES + 1].map(|n| chain(n + 1));
        let options = Options::default();
        assert!(options.proves(&few) && !options.proves(&many));
        let less = Options {
            work: DEFAULT_WORK - 1,
            ..options
        };
        assert!(!less.proves(&few));
        let chains = [options.chain_count(), less.chain_count()];
        assert_eq!(chains, [DEFAULT_CHAINS, 1]);
    }

    /// New edges are limited in graphs with more edges than `large`; graphs whose optimum is proven may have more.
    #[test]
    fn fill_in_on_both_sides_of_its_limits() {
        let (few, many) = (chain(10), chain(40));
        let limit = |large: usize, lcg: &Lcg| {
            let options = Options {
                large,
                ..Options::default()
            };
            options.fill_limit(lcg)
        };
        assert_eq!(limit(10, &few), None);
        assert_eq!(limit(9, &few), Some(PROVEN_FILL_IN));
        assert_eq!(limit(40, &many), None);
        assert_eq!(limit(39, &many), Some(160));
    }

    /// Face sequences are searched in graphs up to a number of edges.
    #[test]
    fn faces_on_both_sides_of_their_limit() {
        let [few, many] = [faces::MOST_EDGES, faces::MOST_EDGES + 1].map(chain);
        let options = Options::default();
        assert!(options.wants_faces(&few) && !options.wants_faces(&many));
    }

    /// Each vertex of a chain takes two steps more than the chain has edges. Vertices after the last step prove
    /// nothing if edges may be units.
    #[test]
    fn steps_for_the_bound_on_both_sides_of_their_limit() {
        let options = Options {
            model: CostModel::UnitFree,
            heuristic: Heuristic::from_key("vertex-FM").ok(),
            ..Options::default()
        };
        assert_eq!(BOUND_WORK, 1_000 * 2_000);
        for (edges, bound) in [(1_998, 1_001), (1_999, 1_000)] {
            assert_eq!(search(&chain(edges), &options).bound, bound, "{edges}");
        }
    }
}
