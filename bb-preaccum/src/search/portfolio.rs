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
    // The rest of the budget belongs to the search.
    let share = meter.left() / 2;
    let start = meter.spent;
    let fill_in = options.fill_limit(lcg);
    let mut order = Vec::new();
    for (at, heuristic) in list.iter().enumerate() {
        let left = share.saturating_sub(meter.spent - start);
        if at > 0 && (meter.stop() || (at >= CHEAP.len() && left == 0)) {
            break;
        }
        let work = if at < CHEAP.len() {
            None
        } else {
            Some(left / HEAVY)
        };
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
            order.push((cost, heuristic.technique(), at));
            found.sequences.push(sequence);
        } else if found.sequences.is_empty() && heuristic.technique() != Technique::Face {
            // Of remainders, the one that is cheapest to build and to use.
            let weight = |cost: u64, edges: usize| cost.saturating_add(edges as u64);
            let better = match &found.remainder {
                None => true,
                Some(old) => weight(cost, edges_left) < weight(old.cost, old.edges_left(lcg)),
            };
            if better {
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
