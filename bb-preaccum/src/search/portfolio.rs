//! All greedy heuristics, as far as the budget goes.

use std::collections::BTreeSet;

use super::meter::Meter;
use super::{Options, Sequence};
use crate::heuristic::{Bar, Ended, Heuristic, Limits, Run, Technique};
use crate::lcg::Lcg;

/// A heuristic's elementary operation (ordered maps) in search steps, and one on faces.
const HEAVY: u64 = 8;
const HEAVY_FACE: u64 = 2;

/// Heuristics of nearly linear time, which run with any budget.
const CHEAP: [&str; 3] = ["vertex-LM-RM", "vertex-RM", "vertex-FM"];

/// Elementary operations of all other heuristics together, unless a smaller budget limits them: tens of seconds. With
/// much fill-in, a single heuristic could take minutes.
const MOST_WORK: u64 = 1 << 29;

/// Elementary operations of all other heuristics together on small graphs: about a second, and more for each
/// edge, so that the time is in proportion to the size.
const LEAST_WORK: u64 = 1 << 24;
const WORK_PER_EDGE: u64 = 1 << 11;

fn most_work(edges: usize) -> u64 {
    let by_size = LEAST_WORK + WORK_PER_EDGE * edges as u64;
    by_size.min(MOST_WORK)
}

/// One heuristic may take one part in this many of the work that is left.
const PART: u64 = 4;

/// Elementary operations of the first heuristic that neither a clock nor an interrupt cuts short: a tenth of a second,
/// so that every graph that is not large gets a complete sequence.
const LEAST: u64 = 1 << 20;

/// Elementary operations for which a heuristic runs on even if another one is cheaper. Beyond these, it stops when it
/// reaches the best known cost.
const LISTED: u64 = 1 << 23;

/// Sequences and costs that the heuristics found.
#[derive(Default)]
pub(crate) struct Portfolio {
    /// Key and cost of every heuristic that ran to its end.
    pub(crate) table: Vec<(String, u64)>,
    /// Heuristics that were ended when they reached the cost of another one, with their cost by then.
    pub(crate) beaten: Vec<(String, u64)>,
    /// Heuristics that were left out.
    pub(crate) left_out: Vec<String>,
    /// Complete sequences, cheapest first (ties in order of the portfolio).
    pub(crate) sequences: Vec<Sequence>,
    /// The best remainder if no sequence is complete, and the reason for which it is incomplete.
    pub(crate) remainder: Option<(Sequence, Ended)>,
}

pub(crate) fn run(lcg: &Lcg, options: &Options<'_>, meter: &mut Meter<'_>) -> Portfolio {
    let most = most_work(lcg.edges().len());
    within([most, LISTED, LEAST], lcg, options, meter)
}

fn within(
    [most, listed, least_work]: [u64; 3],
    lcg: &Lcg,
    options: &Options<'_>,
    meter: &mut Meter<'_>,
) -> Portfolio {
    let mut found = Portfolio::default();
    let mut list = Heuristic::portfolio();
    list.retain(|heuristic| match options.technique {
        None => true,
        // Vertex sequences are sequences of edges, and both are sequences of faces.
        Some(wanted) => heuristic.technique() <= wanted,
    });
    let is_cheap = |heuristic: &Heuristic| CHEAP.contains(&heuristic.to_string().as_str());
    list.sort_by_key(|heuristic| !is_cheap(heuristic));
    // Annealing needs the rest of the budget. But with the default budget the result must not be worse than a greedy
    // heuristic, so all heuristics run that end in reasonable time.
    let all =
        meter.timer().is_none() && options.work >= super::DEFAULT_WORK && options.every_heuristic;
    let share = if all && options.exact {
        u64::MAX
    } else if all {
        most
    } else {
        meter.left() / (2 * HEAVY)
    };
    let mut used = 0;
    let fill_in = options.fill_limit(lcg);
    let mut least: Option<u64> = None;
    let mut best: Option<u64> = None;
    for (at, heuristic) in list.iter().enumerate() {
        let left = share.saturating_sub(used);
        let cheap = at < CHEAP.len();
        if at > 0 && (meter.should_stop() || (!cheap && left == 0)) {
            break;
        }
        let work = (!cheap).then_some(if all { left / PART } else { left });
        let limits = Limits {
            fill_in,
            work,
            interrupt: meter.interrupt(),
            timer: meter.timer(),
            least: if at == 0 && lcg.edges().len() <= options.large {
                least_work
            } else {
                0
            },
            bar: best.filter(|_| !options.exact).map(|cost| Bar {
                model: options.model,
                cost,
                after: listed,
            }),
        };
        let Run {
            steps,
            counts,
            ended,
            edges_left,
            work,
        } = heuristic.run(lcg, &limits);
        let weight = if heuristic.technique() == Technique::Face {
            HEAVY_FACE
        } else {
            HEAVY
        };
        meter.spend(work * weight);
        used += work;
        let cost = counts.multiplications(options.model);
        let sequence = Sequence {
            technique: heuristic.technique(),
            cost,
            steps,
        };
        if ended == Ended::Complete {
            meter.report_found(cost);
            best = Some(best.map_or(cost, |best| best.min(cost)));
            found.table.push((heuristic.to_string(), cost));
            found.sequences.push(sequence);
        } else if ended == Ended::Beaten || best.is_some_and(|best| cost >= best) {
            found.beaten.push((heuristic.to_string(), cost));
        } else if found.sequences.is_empty() && heuristic.technique() != Technique::Face {
            // The remainder that is cheapest to build and to use is kept. The reason for its incompleteness is that of
            // the first heuristic, which is not limited to a share of the work.
            let weight = cost.saturating_add(edges_left as u64);
            let cause = found.remainder.as_ref().map_or(ended, |first| first.1);
            if least.is_none_or(|least| weight < least) {
                least = Some(weight);
                found.remainder = Some((sequence, cause));
            }
        }
    }
    found
        .sequences
        .sort_by_key(|sequence| (sequence.cost, sequence.technique));
    let known: BTreeSet<&String> = found
        .table
        .iter()
        .chain(&found.beaten)
        .map(|(key, _)| key)
        .collect();
    let keys = list.iter().map(ToString::to_string);
    let mut left_out: Vec<String> = keys.filter(|key| !known.contains(key)).collect();
    left_out.sort();
    found.left_out = left_out;
    found.table.sort();
    found.beaten.sort();
    found
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::lcg::{Kind, NewEdge};
    use crate::search::rng::Rng;
    use crate::search::testing::chain;

    /// A vertex with many neighbours on both sides: comparing its edges takes far longer than eliminating them.
    /// Heuristics that compare edges are left out, later ones run.
    #[test]
    fn heuristics_that_take_too_long_are_stopped() {
        let (inputs, outputs): (Vec<i64>, Vec<i64>) = ((0..60).collect(), (100..160).collect());
        let into = inputs.iter().map(|&i| NewEdge::new(i, 99, Kind::Variable));
        let out = outputs.iter().map(|&k| NewEdge::new(99, k, Kind::Variable));
        let lcg = Lcg::new("star", &inputs, &outputs, into.chain(out)).expect("a graph");
        let options = Options::default();
        let keys_of = |most, options: &Options<'_>| -> Vec<String> {
            let limits = [most, LISTED, LEAST];
            let found = within(limits, &lcg, options, &mut Meter::new(options));
            assert!(found.table.iter().all(|&(_, cost)| cost == 3600));
            found.table.into_iter().map(|(key, _)| key).collect()
        };
        let keys = |most| keys_of(most, &options);
        let exact = Options {
            exact: true,
            ..options
        };
        let all = Heuristic::portfolio().len();
        assert_eq!(keys(MOST_WORK).len(), all);
        assert_eq!(keys_of(1_000_000, &exact).len(), all);
        let some = keys(380_000);
        let has = |key: &str| some.iter().any(|other| other == key);
        assert!(!has("edge-LFI-FM") && !has("edge-emLMMD-RM"), "{some:?}");
        assert!(
            has("vertex-LFI-FM") && has("edge-FM") && has("edge-emLM-RM"),
            "{some:?}"
        );
        assert_eq!(keys(0), ["vertex-FM", "vertex-LM-RM", "vertex-RM"]);
        let limits = [0, LISTED, LEAST];
        let none = within(limits, &lcg, &options, &mut Meter::new(&options));
        assert_eq!(none.left_out.len(), all - 3);
    }

    /// Heuristics that stop at the cost of another leave the best result unchanged, and all are listed.
    #[test]
    fn heuristics_end_when_they_are_beaten() {
        let mut rng = Rng::new(7);
        let mut beaten = 0;
        for _ in 0..100 {
            let mut edges = Vec::new();
            for v in 3..15i64 {
                for u in 0..v.min(12) {
                    if u == v - 3 || rng.below(2) == 0 {
                        edges.push(NewEdge::new(u, v, Kind::Variable));
                    }
                }
            }
            let lcg = Lcg::new("dense", &[0, 1, 2], &[12, 13, 14], edges).expect("a graph");
            let options = Options::default();
            let run = |listed| {
                let mut meter = Meter::new(&options);
                within([MOST_WORK, listed, LEAST], &lcg, &options, &mut meter)
            };
            let (all, some) = (run(u64::MAX), run(0));
            assert!(all.beaten.is_empty());
            assert_eq!(all.sequences[0].cost, some.sequences[0].cost);
            assert_eq!(all.table.len(), some.table.len() + some.beaten.len());
            assert_eq!((all.left_out.len(), some.left_out.len()), (0, 0));
            for (key, least) in &some.beaten {
                let whole = all.table.iter().find(|(other, _)| other == key);
                assert!(whole.is_some_and(|(_, cost)| cost >= least), "{key}");
                assert!(*least >= all.sequences[0].cost, "{key}");
            }
            beaten += some.beaten.len();
        }
        assert!(beaten > 1000, "{beaten}");
    }

    /// A heuristic that is stopped before its first step may leave the cheapest remainder, but the reported cause is
    /// that of the heuristic without a limit of work.
    #[test]
    fn the_cause_of_a_remainder_is_that_of_the_first_heuristic() {
        let mut rng = Rng::new(1);
        let mut edges = Vec::new();
        let mut read = [false; 3000];
        for v in 30..3000 {
            let first = rng.below(v);
            for u in [first, (first + 1 + rng.below(v - 1)) % v] {
                edges.push(NewEdge::new(u as i64, v as i64, Kind::Variable));
                read[u] = true;
            }
        }
        let inputs: Vec<i64> = (0..30).collect();
        let outputs: Vec<i64> = (30..3000).filter(|&v| !read[v as usize]).collect();
        let lcg = Lcg::new("wide", &inputs, &outputs, edges).expect("a graph");
        let options = Options {
            large: 100,
            ..Options::default()
        };
        let mut least = usize::MAX;
        for bit in 16..24 {
            let found = within(
                [1 << bit, LISTED, LEAST],
                &lcg,
                &options,
                &mut Meter::new(&options),
            );
            assert!(found.sequences.is_empty());
            let (sequence, cause) = found.remainder.expect("a remainder");
            assert_eq!(cause, Ended::FillIn);
            least = least.min(sequence.steps.len());
        }
        assert_eq!(least, 0, "one is stopped before its first step");
    }

    /// The work of a heuristic before its last step, which is the last time that it looks at its limits.
    fn last_look(key: &str, lcg: &Lcg) -> u64 {
        let heuristic = Heuristic::from_key(key).expect("a key");
        let mut most = 0;
        loop {
            let limits = Limits {
                work: Some(most),
                ..Limits::default()
            };
            let run = heuristic.run(lcg, &limits);
            if run.ended == Ended::Complete {
                return most;
            }
            most = run.work;
        }
    }

    #[test]
    fn work_on_both_sides_of_its_limit() {
        let edges = ((MOST_WORK - LEAST_WORK) / WORK_PER_EDGE) as usize;
        assert_eq!(most_work(0), LEAST_WORK);
        assert_eq!(most_work(edges - 1), MOST_WORK - WORK_PER_EDGE);
        assert_eq!(most_work(edges), MOST_WORK);
        assert_eq!(most_work(edges + 1), MOST_WORK);
    }

    /// The first heuristic that is not cheap takes a part of the budget that the cheap ones leave.
    #[test]
    fn the_work_of_one_heuristic_on_both_sides_of_its_limit() {
        let (key, lcg) = ("vertex-LM-FM", chain(10));
        let cheap = CHEAP.map(|key| {
            let heuristic = Heuristic::from_key(key).expect("a key");
            heuristic.run(&lcg, &Limits::default()).work
        });
        let enough = cheap.iter().sum::<u64>() + PART * last_look(key, &lcg);
        let options = Options::default();
        for (most, is_complete) in [(enough, true), (enough - 1, false)] {
            let limits = [most, LISTED, LEAST];
            let found = within(limits, &lcg, &options, &mut Meter::new(&options));
            let has = found.table.iter().any(|(other, _)| other == key);
            assert_eq!(has, is_complete, "{most}");
        }
    }

    /// If the search is interrupted from the beginning, the first heuristic still ends, unless it takes too much work
    /// or the graph is large.
    #[test]
    fn the_least_work_on_both_sides_of_its_limits() {
        let lcg = chain(10);
        let enough = last_look("vertex-FM", &lcg);
        let flag = AtomicBool::new(true);
        for (least, large, complete) in [(enough, 10, 1), (enough - 1, 10, 0), (enough, 9, 0)] {
            let options = Options {
                interrupt: Some(&flag),
                large,
                ..Options::default()
            };
            let limits = [MOST_WORK, LISTED, least];
            let found = within(limits, &lcg, &options, &mut Meter::new(&options));
            assert_eq!(found.sequences.len(), complete, "{least} {large}");
        }
    }
}
