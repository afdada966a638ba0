//! The choice of the segments that are preaccumulated.
//!
//! The measure is what a run costs: operations of both sweeps (a division or square root counts as 4, any
//! other elementary function as 12), and 6 for each word that is pushed and popped; all of it times an
//! estimate of how often the vertex is visited (eight times for each loop around it). If only the statements of one
//! segment keep a value in the to-be-recorded sets, preaccumulating the segment saves the pushes of that value; its
//! price are pushes of its Jacobian entries, or of the edges of the remainder graph where these are fewer.
//!
//! A choice must not record more values than the statements alone, whichever path a run takes ([`Comparison`] proves
//! it): a wrong estimate may cost time, but no tape. Segments share values, so whole choices are priced, not
//! segments: no segment, all segments, the segments of routines that pay, and the segments that pay alone. From the
//! last three, segments are removed until no path records more. The program takes the cheapest of the four.

use bb_preaccum::{
    cost::CostModel,
    lcg::Kind,
    scarcity::remainder,
    search::{Outcome, replay},
};
use cfg_core::diagnostic::Diagnostics;
use std::collections::HashMap;

use crate::{
    blocks::{
        drafts::drafts,
        elimination::{THOROUGH, eliminate, search_options},
        preaccumulated::Choice,
        price::{Calls, ELEMENTS, Measure, PUSH, rate, statement_cost, tape_cost},
        survey::{Found, survey_all},
    },
    options::Options,
    plan::{
        draft::Draft,
        provisions::Provisions,
        recorded::{Comparison, bits, calls, pushed},
        setting::Setting,
    },
};

/// Every segment by its whole Jacobian, or by the graph that the search left where elimination would be too long.
pub(crate) fn complete<'f>(all: &'f [Found], outcomes: &[Option<Outcome>]) -> Vec<Choice<'f>> {
    all.iter()
        .zip(outcomes)
        .map(|(found, outcome)| Choice {
            found,
            steps: outcome.as_ref().map_or(Vec::new(), |o| o.steps.clone()),
        })
        .collect()
}

/// Every segment by its Jacobian, or by the remainder graph from which a product is cheaper.
fn scarce<'f>(all: &'f [Found], outcomes: &[Option<Outcome>]) -> Vec<Choice<'f>> {
    let mut choices = complete(all, outcomes);
    for choice in &mut choices {
        let Some(lcg) = &choice.found.segment.lcg else {
            continue;
        };
        // One product, and a push and a pop of each label.
        let directions = 1 + PUSH;
        let rest = remainder(lcg, CostModel::ConstantAware, &choice.steps, directions);
        let whole = replay(lcg, &choice.steps).map_or(u64::MAX, |done| {
            let nontrivial = done.entries.iter().filter(|e| e.kind != Kind::Unit).count();
            done.counts.multiplications(CostModel::ConstantAware) + directions * nontrivial as u64
        });
        if rest.total(directions) < whole {
            choice.steps = rest.steps;
        }
    }
    choices
}

/// The number of times that a choice is tried again without the segments because of which more is recorded.
const ROUNDS: usize = 4;

/// The routines with each segment in the way that is estimated to cost less.
pub(crate) fn cheapest<'p>(
    setting: &'p Setting<'_>,
    options: &Options,
) -> Result<Vec<Option<Draft<'p>>>, Diagnostics> {
    let statements = drafts(setting, &[])?;
    let all = survey_all(setting);
    if all.is_empty() {
        return Ok(statements);
    }
    let outcomes = eliminate(&all, &search_options(options), THOROUGH, None);
    let choices = scarce(&all, &outcomes);
    let of = |which: &[usize]| -> Vec<Choice<'_>> {
        which.iter().map(|&k| choices[k].clone()).collect()
    };
    let no_calls = |draft: &Option<Draft<'_>>| {
        let context = &setting.prepared.context;
        draft
            .as_ref()
            .map_or(Vec::new(), |draft| calls(context, draft))
    };
    let calls: Vec<Calls> = statements.iter().map(no_calls).collect();
    let by_statement = Measure::estimate(setting, &calls, &statements);
    let together = drafts(setting, &choices)?;
    let by_block = Measure::estimate(setting, &calls, &together);
    let alone = one_by_one(setting, &statements, &together, &choices);
    drop(together);
    let mut least = by_statement.total;
    let mut best = None;
    let every = (0..choices.len()).collect();
    let by_routine = (0..choices.len()).filter(|&k| {
        let r = choices[k].found.routine.index();
        by_block.costs[r] < by_statement.costs[r]
    });
    for tried in [alone, by_routine.collect(), every] {
        in_rounds(tried, |tried| {
            let drafted = drafts(setting, &of(tried))?;
            let now = Measure::estimate(setting, &calls, &drafted);
            let comparison = Comparison::new(
                &setting.prepared.reachable,
                &statements,
                &calls,
                &now.recorded,
                &by_statement.recorded,
            );
            if comparison.is_never_more() {
                if now.total < least {
                    least = now.total;
                    best = Some(drafted);
                }
                return Ok(true);
            }
            tried.retain(|&k| {
                let found = choices[k].found;
                !comparison.is_due_to(found.routine, found.vertex)
            });
            Ok(false)
        })?;
    }
    Ok(best.unwrap_or(statements))
}

/// Calls `attempt`, which removes segments from the choice, until it returns true, the choice is empty, or [`ROUNDS`]
/// attempts have been made.
fn in_rounds(
    mut tried: Vec<usize>,
    mut attempt: impl FnMut(&mut Vec<usize>) -> Result<bool, Diagnostics>,
) -> Result<(), Diagnostics> {
    for _ in 0..ROUNDS {
        if tried.is_empty() || attempt(&mut tried)? {
            break;
        }
    }
    Ok(())
}

/// Most segments among which the cost of a push is divided.
const MOST_READERS: usize = 16;

/// The readers of a location's value in the reverse sweep.
#[derive(Clone, Default)]
struct Readers {
    segments: Vec<usize>,
    others: bool,
}

impl Readers {
    /// Adds a reader: a statement of `segment`, or a statement outside of all segments. Readers of one segment are
    /// added one after the other.
    fn add(&mut self, segment: Option<usize>) {
        match segment {
            Some(k) if self.segments.last() == Some(&k) => {}
            // Among more readers the part of each is too small to change the choice.
            Some(_) if self.segments.len() == MOST_READERS => self.others = true,
            Some(k) => self.segments.push(k),
            None => self.others = true,
        }
    }
}

/// The segments that pay, each judged alone.
fn one_by_one(
    setting: &Setting<'_>,
    statements: &[Option<Draft<'_>>],
    together: &[Option<Draft<'_>>],
    choices: &[Choice<'_>],
) -> Vec<usize> {
    let mut saved = vec![0u64; choices.len()];
    let mut of_routine: HashMap<usize, Vec<usize>> = HashMap::new();
    for (k, choice) in choices.iter().enumerate() {
        let r = choice.found.routine.index();
        of_routine.entry(r).or_default().push(k);
    }
    for (r, draft) in statements.iter().enumerate() {
        let (Some(draft), Some(own)) = (draft, of_routine.get(&r)) else {
            continue;
        };
        let provisions = Provisions::solve(&setting.prepared.context, draft);
        attribute(draft, &provisions, own, choices, &mut saved);
    }
    let pays = |k: &usize| {
        let found = choices[*k].found;
        let r = found.routine.index();
        let (Some(Some(before)), Some(Some(after))) = (statements.get(r), together.get(r)) else {
            return false;
        };
        let all = &before.cfg.vertex(found.vertex).statements()[found.range.clone()];
        let cost = |draft: &Draft<'_>| -> u64 {
            let codes = &draft.code.row(found.vertex)[found.range.clone()];
            let adjoints = &draft.adjoints.row(found.vertex)[found.range.clone()];
            let forward = codes.iter().filter_map(|c| c.forward.as_deref());
            let bits = forward.map(pushed).sum();
            let written = codes.iter().zip(adjoints);
            let costs = all.iter().zip(written).map(|(s, w)| statement_cost(s, w));
            tape_cost(bits) + costs.sum::<u64>()
        };
        let rate = rate(before, found.vertex);
        let by_statement = cost(before).saturating_mul(rate).saturating_add(saved[*k]);
        cost(after).saturating_mul(rate) < by_statement
    };
    (0..choices.len()).filter(pays).collect()
}

/// Adds to each segment the cost of the pushes that only its statements need. The cost of a push that several
/// segments need, and no statement outside of them, is divided among these segments.
fn attribute(
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
    own: &[usize],
    choices: &[Choice<'_>],
    saved: &mut [u64],
) {
    let mut segment_at: HashMap<(usize, usize), usize> = HashMap::new();
    for &k in own {
        let found = choices[k].found;
        for s in found.range.clone() {
            segment_at.insert((found.vertex.index(), s), k);
        }
    }
    let mut readers = vec![Readers::default(); draft.locations.len()];
    for (v, _) in draft.cfg.vertices() {
        for (s, code) in draft.code.row(v).iter().enumerate() {
            let segment = segment_at.get(&(v.index(), s)).copied();
            let before = code.reads_before.as_slice().iter();
            for &location in before.chain(code.reads_after.as_slice()) {
                readers[location as usize].add(segment);
            }
        }
    }
    let mut share = |cost: u64, place: &cfg_core::ir::Place| {
        let mut asked: Vec<usize> = Vec::new();
        let mut others = false;
        draft.locations.each_location(place, &mut |l| {
            others |= readers[l.index()].others;
            asked.extend_from_slice(&readers[l.index()].segments);
        });
        if !others && !asked.is_empty() {
            for k in &asked {
                saved[*k] += cost / asked.len() as u64;
            }
        }
    };
    for (v, _) in draft.cfg.vertices() {
        let rate = rate(draft, v);
        provisions.each_save(v, |_, place| {
            let bits = tape_cost(bits(draft, place, ELEMENTS));
            share(rate.saturating_mul(bits), place);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A choice is tried again while it becomes smaller, at most [`ROUNDS`] times.
    #[test]
    fn rounds_on_both_sides_of_the_limit() {
        // One segment is left out after each attempt; the choice is right when `right` segments are left.
        let rounds = |segments: usize, right: usize| {
            let (mut count, mut is_done) = (0, false);
            let ended = in_rounds((0..segments).collect(), |tried| {
                count += 1;
                is_done = tried.len() == right;
                tried.pop();
                Ok(is_done)
            });
            assert!(ended.is_ok());
            (count, is_done)
        };
        assert_eq!(rounds(9, 9), (1, true));
        assert_eq!(rounds(9, 10 - ROUNDS), (ROUNDS, true));
        assert_eq!(rounds(9, 9 - ROUNDS), (ROUNDS, false));
        // The choice is empty before the rounds are over.
        assert_eq!(rounds(ROUNDS - 1, 0), (ROUNDS - 1, false));
        assert_eq!(rounds(0, 0), (0, false));
        assert!(in_rounds(vec![0], |_| Err(Diagnostics::default())).is_err());
    }

    /// Segments that read a value are told apart up to a number, and the statements of one of them count once.
    #[test]
    fn readers_on_both_sides_of_the_limit() {
        for (count, others) in [(MOST_READERS, false), (MOST_READERS + 1, true)] {
            let mut readers = Readers::default();
            for k in 0..count {
                readers.add(Some(k));
                readers.add(Some(k));
            }
            assert_eq!(readers.segments, Vec::from_iter(0..MOST_READERS));
            assert_eq!(readers.others, others, "{count}");
        }
        let mut readers = Readers::default();
        readers.add(None);
        assert!(readers.segments.is_empty() && readers.others);
    }
}
