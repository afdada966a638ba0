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
            let share =
                u128::from(options.work) * u128::from(weight(lcg)) / u128::from(total.max(1));
            let work = u64::try_from(share).unwrap_or(u64::MAX);
            let timer: search::Timer<'_> = &slice;
            let options = search::Options {
                work: work.max(LEAST.min(options.work)),
                timer: time.map(|_| timer).or(options.timer),
                every_heuristic: options.every_heuristic && lcg.edges().len() <= thorough,
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
