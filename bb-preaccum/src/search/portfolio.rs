//! All greedy heuristics, as far as the budget goes.

use super::meter::Meter;
use super::{Options, Sequence};
use crate::heuristic::{Ended, Heuristic, Limits, Run, Technique};
use crate::lcg::Lcg;

/// A heuristic's elementary operation (ordered maps) in search steps.
const HEAVY: u64 = 15;

/// What the heuristics found.
#[derive(Default)]
pub(crate) struct Portfolio {
    /// Key and cost of every heuristic that ran to its end.
    pub(crate) table: Vec<(String, u64)>,
    /// Complete sequences, cheapest first (ties in order of the portfolio).
    pub(crate) sequences: Vec<Sequence>,
    /// If none is complete: the best remainder.
    pub(crate) remainder: Option<Sequence>,
    /// Why there is no complete one.
    pub(crate) ended: Option<Ended>,
}

pub(crate) fn run(lcg: &Lcg, options: &Options<'_>, meter: &mut Meter<'_>) -> Portfolio {
    let mut found = Portfolio::default();
    let mut list = Heuristic::portfolio();
    list.retain(|heuristic| match options.technique {
        None => true,
        // Vertex sequences are sequences of edges, and both are sequences of faces.
        Some(wanted) => heuristic.technique() <= wanted,
    });
    // One that is always affordable goes first, and only it may exceed the budget.
    let first = list
        .iter()
        .position(|heuristic| heuristic.to_string() == "vertex-LM-RM");
    list[..=first.unwrap_or(0)].rotate_right(1);
    let fill_in = options.fill_limit(lcg);
    let mut order = Vec::new();
    for (at, heuristic) in list.iter().enumerate() {
        if at > 0 && meter.is_over() {
            break;
        }
        let work = if at == 0 {
            None
        } else {
            Some(meter.left() / HEAVY / 2)
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
                found.ended = Some(ended);
            }
        }
    }
    found
        .sequences
        .sort_by_key(|sequence| (sequence.cost, sequence.technique));
    found.table.sort();
    found
}
