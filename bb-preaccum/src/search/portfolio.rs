//! All greedy heuristics, as far as the budget goes.

use super::meter::Meter;
use super::{Options, Sequence};
use crate::heuristic::{Ended, Heuristic, Limits, Run, Technique};
use crate::lcg::Lcg;

/// A heuristic's elementary operation (ordered maps) in search steps.
const HEAVY: u64 = 8;

/// Heuristics that are near linear: they run whatever the budget.
const CHEAP: [&str; 3] = ["vertex-LM-RM", "vertex-RM", "vertex-FM"];

/// What the heuristics found.
#[derive(Default)]
pub(crate) struct Portfolio {
    /// Key and cost of every heuristic that ran to its end.
    pub(crate) table: Vec<(String, u64)>,
    /// Complete sequences, cheapest first (ties in order of the portfolio).
    pub(crate) sequences: Vec<Sequence>,
    /// If none is complete: the best remainder.
    pub(crate) remainder: Option<Sequence>,
}

pub(crate) fn run(lcg: &Lcg, options: &Options<'_>, meter: &mut Meter<'_>) -> Portfolio {
    let mut found = Portfolio::default();
    let mut list = Heuristic::portfolio();
    list.retain(|heuristic| match options.technique {
        None => true,
        // Vertex sequences are sequences of edges, and both are sequences of faces.
        Some(wanted) => heuristic.technique() <= wanted,
    });
    let is_cheap = |heuristic: &Heuristic| CHEAP.contains(&heuristic.to_string().as_str());
    list.sort_by_key(|heuristic| !is_cheap(heuristic));
    // The rest of the budget belongs to the search. But with the default budget nothing is to be worse
    // than a greedy heuristic, so all of them run.
    let all =
        meter.timer().is_none() && options.work >= super::DEFAULT_WORK && options.every_heuristic;
    let share = meter.left() / 2;
    let start = meter.spent;
    let fill_in = options.fill_limit(lcg);
    let mut least: Option<u64> = None;
    for (at, heuristic) in list.iter().enumerate() {
        let left = share.saturating_sub(meter.spent - start);
        let free = all || at < CHEAP.len();
        if at > 0 && (meter.stop() || (!free && left == 0)) {
            break;
        }
        let work = (!free).then_some(left / HEAVY);
        let limits = Limits {
            fill_in,
            work,
            interrupt: meter.interrupt(),
            timer: meter.timer(),
        };
        let Run {
            steps,
            counts,
            ended,
            edges_left,
            work,
        } = heuristic.run(lcg, &limits);
        meter.spend(work * HEAVY);
        let cost = counts.multiplications(options.model);
        let sequence = Sequence {
            technique: heuristic.technique(),
            cost,
            steps,
        };
        if ended == Ended::Complete {
            meter.found(cost);
            found.table.push((heuristic.to_string(), cost));
            found.sequences.push(sequence);
        } else if found.sequences.is_empty() && heuristic.technique() != Technique::Face {
            // Of remainders, the one that is cheapest to build and to use.
            let weight = cost.saturating_add(edges_left as u64);
            if least.is_none_or(|least| weight < least) {
                least = Some(weight);
                found.remainder = Some(sequence);
            }
        }
    }
    found
        .sequences
        .sort_by_key(|sequence| (sequence.cost, sequence.technique));
    found.table.sort();
    found
}
