//! Options of the search for elimination sequences.

use bb_preaccum::heuristic::Heuristic;
use clap::{Args, ValueEnum};

/// What to search for.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Search options")]
pub(crate) struct Search {
    /// Which products count: all; all but those with ±1; and products of constants neither [default: plain, for
    /// `reverse` constant-aware].
    #[arg(long, value_enum, value_name = "MODEL")]
    pub(crate) model: Option<Model>,
    /// Nothing but this heuristic, e.g. vertex-LM-RM or edge-HS-LM-RM: what is eliminated, then rules (FM, RM, LM,
    /// LR, LFI, LMMD, MOMR, HS) that end in FM or RM; `paper` is the chain of Naumann et al. 2004.
    #[arg(long, value_name = "KEY", value_parser = Heuristic::from_key, conflicts_with_all = ["technique", "exact", "rng", "chains"])]
    pub(crate) heuristic: Option<Heuristic>,
    /// What is eliminated step by step; auto takes the best of all.
    #[arg(long, value_enum, default_value_t, value_name = "KIND")]
    pub(crate) technique: Elimination,
    /// Seed of the pseudo-random numbers.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) rng: u64,
    /// Chains of annealing, each on a thread of its own; the best is taken. Several take longer on a graph on which they do not
    /// agree. There is one with a budget that several blocks share [default: 4, for `reverse` 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) chains: Option<u8>,
    /// Prove the optimum, whatever it takes (as far as memory and a time limit allow).
    #[arg(long)]
    pub(crate) exact: bool,
}

impl Search {
    /// True if anything is asked for.
    pub(crate) fn is_given(&self) -> bool {
        self.model.is_some()
            || self.heuristic.is_some()
            || self.technique != Elimination::Auto
            || self.rng != 0
            || self.chains.is_some()
            || self.exact
    }
}

/// How long to search, in place of a fixed number of steps.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Search options")]
pub(crate) struct SearchTime {
    /// Search for so many milliseconds by the clock, in place of a fixed number of steps. The result may then
    /// depend on the machine and on what else it does.
    #[arg(long, value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// Time for the search in milliseconds of processor time of all its threads, at most three times as long by the clock.
    #[arg(long, value_name = "MS", conflicts_with = "time")]
    pub(crate) cpu_time: Option<u64>,
}

/// Which products count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// All.
    #[default]
    Plain,
    /// All but those with ±1.
    UnitFree,
    /// All but those with ±1 and those of two constants.
    ConstantAware,
}

/// What is eliminated step by step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Elimination {
    /// Vertices.
    Vertex,
    /// Edges.
    Edge,
    /// Faces.
    Face,
    /// Whatever is best.
    #[default]
    Auto,
}
