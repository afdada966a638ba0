//! One search for elimination sequences over all segments of a program.

use bb_preaccum::{
    lcg::{Kind, Lcg},
    search::{self, Outcome, search},
};
use std::collections::HashMap;

use crate::{blocks::survey::Found, options::Options};

/// Most edges of a graph that gets every heuristic when a program is reversed, about a millisecond for each such
/// graph. Larger graphs get the cheap heuristics and their part of the budget.
pub(crate) const THOROUGH: usize = 1_000;

/// Fewest steps of the search for one graph, unless the budget of the whole program is smaller.
const LEAST: u64 = 1_000;

/// Searches for an elimination sequence of each segment: an outcome per segment, none where it has no graph. Equal
/// graphs are solved once; the others share the budget in proportion to their edges. A graph of at most `thorough`
/// edges gets every heuristic, if the options allow it. `time(x)`, if there is a clock, says whether the part `x`
/// (from 0 to 1) of the time is over.
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

/// The part of `work` steps that a graph of `weight` gets among graphs of weight `total`.
fn share(work: u64, weight: u64, total: u64) -> u64 {
    let share = u128::from(work) * u128::from(weight) / u128::from(total.max(1));
    let share = u64::try_from(share).unwrap_or(u64::MAX);
    share.max(LEAST.min(work))
}

/// True of a graph that has at most `edges` edges.
fn is_within(edges: usize, lcg: &Lcg) -> bool {
    lcg.edges().len() <= edges
}

/// The parts of a graph on which the result of a search depends: graphs with equal keys share one search.
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

    /// A graph gets its part of the steps, but at least [`LEAST`], and never more than there are.
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
