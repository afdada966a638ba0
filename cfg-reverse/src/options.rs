//! What the reversal is told.

use bb_preaccum::{
    cost::CostModel,
    heuristic::{Heuristic, Technique},
};

/// How the adjoint of a basic block is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blocks {
    /// Statement by statement, from recorded values.
    #[default]
    Statement,
    /// From its Jacobian, which the forward sweep accumulates and records.
    Preaccumulate,
    /// Whichever is estimated to cost less, for each segment; no run records more than by statement.
    Auto,
}

/// Choices of [`crate::reverse()`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Count the iterations of counted loops too, although the reverse sweep could recompute how many
    /// there were.
    pub counters: bool,
    /// Merge the inserted control blocks into neighbouring basic blocks.
    pub merge: bool,
    /// How the adjoints of basic blocks are built.
    pub blocks: Blocks,
    /// Steps of the search for elimination sequences, for the whole program.
    pub work: u64,
    /// What else the search is told.
    pub search: Search,
    /// How routines with general control flow are reversed; [`Unstructured::Trace`] is for all.
    pub unstructured: Unstructured,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            counters: false,
            merge: false,
            blocks: Blocks::default(),
            work: bb_preaccum::search::DEFAULT_WORK,
            search: Search::default(),
            unstructured: Unstructured::default(),
        }
    }
}

/// What the search for elimination sequences is told; see [`bb_preaccum::search::Options`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// Which products count.
    pub model: CostModel,
    /// The class of sequences; `None` takes the best of all.
    pub technique: Option<Technique>,
    /// Nothing but this heuristic.
    pub heuristic: Option<Heuristic>,
    /// Seed of the pseudo-random numbers.
    pub seed: u64,
    /// Prove the optimum, whatever it takes.
    pub exact: bool,
}

impl Search {
    /// What counts is what is computed at run time.
    pub const DEFAULT: Self = Self {
        model: CostModel::ConstantAware,
        technique: None,
        heuristic: None,
        seed: 0,
        exact: false,
    };
}

impl Default for Search {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How routines with general control flow are reversed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unstructured {
    /// By their loops and merges: trip counts, and at each merge which edge was taken.
    #[default]
    Structure,
    /// By recording the number of each block that is executed, for comparison: structured routines too.
    Trace,
}
