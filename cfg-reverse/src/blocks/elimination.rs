//! One search for elimination sequences over all segments of a program.

use bb_preaccum::{
    lcg::{Kind, Lcg},
    search::{self, Outcome, search},
};
use std::collections::HashMap;

use crate::{blocks::survey::Found, options::Options};

/// Edges of a graph that gets every heuristic where a program is reversed, which takes about a millisecond for
/// each: the time of larger ones is that of the cheap heuristics, and of the budget.
pub(crate) const THOROUGH: usize = 1_000;

/// The steps of a search may be fewer, but not more, than this share of them all.
const LEAST: u64 = 1_000;

/// Searches for sequences; equal graphs are solved once, and the budget is shared by number of edges.
/// One outcome per segment that has a graph. A clock says when a part of the time is over. `thorough`: graphs
/// of at most so many edges get every heuristic, if the options say so.
pub(crate) fn eliminate(
    all: &[Found],
    options: &search::Options<'_>,
    thorough: usize,
    time: Option<&(dyn Fn(f64) -> bool + Sync)>,
) -> Vec<Option<Outcome>> {
    let mut index: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut graphs: Vec<&Lcg> = Vec::new();
    let mut which = Vec::with_capacity(all.len());
    for found in all {
        which.push(found.segment.lcg.as_ref().map(|lcg| {
            *index.entry(key(lcg)).or_insert_with(|| {
                graphs.push(lcg);
                graphs.len() - 1
            })
        }));
    }
    let weight = |lcg: &Lcg| lcg.edges().len() as u64 + 1;
    let total: u64 = graphs.iter().map(|lcg| weight(lcg)).sum();
    let mut before = 0u64;
    let outcomes: Vec<Outcome> = graphs
        .iter()
        .map(|lcg| {
            before += weight(lcg);
            let part = before as f64 / total.max(1) as f64;
            let slice = || time.is_some_and(|is_over| is_over(part));
            let timer: search::Timer<'_> = &slice;
            let options = search::Options {
                work: share(options.work, weight(lcg), total),
                timer: time.map(|_| timer).or(options.timer),
                every_heuristic: options.every_heuristic && is_within(thorough, lcg),
                ..*options
            };
            search(lcg, &options)
        })
        .collect();
    which
        .into_iter()
        .map(|at| at.map(|at| outcomes[at].clone()))
        .collect()
}

/// The steps of a search for a graph of some weight, among graphs of a total weight, of so many steps for all.
fn share(work: u64, weight: u64, total: u64) -> u64 {
    let share = u128::from(work) * u128::from(weight) / u128::from(total.max(1));
    let share = u64::try_from(share).unwrap_or(u64::MAX);
    share.max(LEAST.min(work))
}

/// True of a graph that has at most so many edges.
fn is_within(edges: usize, lcg: &Lcg) -> bool {
    lcg.edges().len() <= edges
}

/// Everything that a search looks at.
fn key(lcg: &Lcg) -> Vec<u32> {
    let mut key = vec![lcg.vertex_count() as u32, lcg.inputs().len() as u32];
    key.extend_from_slice(lcg.inputs());
    key.push(lcg.outputs().len() as u32);
    key.extend_from_slice(lcg.outputs());
    for edge in lcg.edges() {
        let kind = match edge.kind {
            Kind::Unit => 0,
            Kind::Constant => 1,
            Kind::Variable => 2,
        };
        key.extend([edge.source, edge.target, kind]);
    }
    key
}

/// The options of a search for the blocks of a program.
pub(crate) fn search_options(options: &Options) -> search::Options<'static> {
    let told = options.search;
    search::Options {
        model: told.model,
        technique: told.technique,
        heuristic: told.heuristic,
        seed: told.seed,
        chains: told.chains,
        exact: told.exact,
        work: options.work,
        ..search::Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bb_preaccum::lcg::NewEdge;

    /// A graph gets its part of the steps, a number at least, but not more than all.
    #[test]
    fn shares_on_both_sides_of_the_least() {
        for (work, expected) in [
            (10 * LEAST + 10, LEAST + 1),
            (10 * LEAST, LEAST),
            (10 * LEAST - 10, LEAST),
            (LEAST + 1, LEAST),
            (LEAST, LEAST),
            (LEAST - 1, LEAST - 1),
            (0, 0),
            (u64::MAX, u64::MAX / 10),
        ] {
            assert_eq!(share(work, 1, 10), expected, "{work}");
        }
        assert_eq!(share(u64::MAX, 7, 7), u64::MAX);
    }

    /// Graphs get every heuristic up to a number of edges.
    #[test]
    fn graphs_on_both_sides_of_the_limit() {
        for (edges, expected) in [(THOROUGH, true), (THOROUGH + 1, false)] {
            let end = edges as i64;
            let chain = (0..end).map(|v| NewEdge::new(v, v + 1, Kind::Variable));
            let lcg = Lcg::new("chain", &[0], &[end], chain).expect("it is a graph");
            assert_eq!(is_within(THOROUGH, &lcg), expected, "{edges}");
        }
    }
}
