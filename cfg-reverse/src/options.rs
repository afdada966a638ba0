//! The options of the reversal.

use bb_preaccum::{
    cost::CostModel,
    heuristic::{Heuristic, Technique},
};
use cfg_core::elemental::Strong;

/// The method by which the adjoint of a basic block is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blocks {
    /// The adjoint is built statement by statement, from recorded values.
    #[default]
    Statement,
    /// The adjoint is built statement by statement, but loops and branches with few active inputs and outputs carry
    /// their Jacobian where that is estimated to cost less, and no run records more values.
    Carry,
    /// The adjoint is built from the Jacobian of the block, which the forward sweep accumulates and records. All loops
    /// and branches with few active inputs and outputs carry theirs.
    Preaccumulate,
    /// The method that is estimated to cost less is taken for each segment, beside the loops and branches that carry
    /// their Jacobians as with [`Blocks::Carry`]; no run records more values than by statement.
    Auto,
}

/// The promise of callers about the parameters of the routine that is differentiated, if it is `aliased`. In routines
/// that it calls, the calls tell what may overlap ([`cfg_transform::told_apart`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overlap {
    /// Parameters of one type, and globals, may share cells: derivatives are right in either case.
    #[default]
    Assume,
    /// No parameter shares cells with another one or with a global, if one of the two is written.
    None,
}

/// The order in which the gradient `NAME_grad` reverses iterations that share nothing but sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Each iteration is reversed before the next one begins, in the order of the program: no iteration is recorded,
    /// and sums of adjoints are formed in that order.
    #[default]
    Program,
    /// All iterations run before the last one is reversed first, as in the reverse sweep.
    Reverse,
}

/// The aim of choices between time and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prefer {
    /// Values of functions of a library are recorded where the reverse sweep would evaluate them again, a word for each
    /// evaluation, in loops and in routines that record something else. Loops with independent iterations whose
    /// adjoints are known too late for one body of both sweeps run a second time only without such functions and calls.
    #[default]
    Time,
    /// Values of functions are recorded only where no run records more for that, and all such loops that record run a
    /// second time. Integers are computed again from what nothing overwrites.
    Memory,
}

/// Choices of [`crate::tangent_with`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TangentOptions {
    /// The promise of callers about overlapping parameters.
    pub overlap: Overlap,
    /// The products of tangents and partials that are `strong*`.
    pub strong: Strong,
}

impl From<&Options> for TangentOptions {
    fn from(options: &Options) -> Self {
        Self {
            overlap: options.overlap,
            strong: options.strong,
        }
    }
}

/// Choices of [`crate::reverse()`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Count the iterations of counted loops, too, although the reverse sweep could recompute their number from the
    /// bounds.
    pub counters: bool,
    /// Record a marker for every branch, although the reverse sweep could evaluate the selectors of some again.
    pub markers: bool,
    /// Record every integer that the reverse sweep needs, although it could step running indices back and compute other
    /// integers from what is there.
    pub indices: bool,
    /// Record every value that a statement overwrites, whether an adjoint reads it or not.
    pub values: bool,
    /// Adjoints of assignments read operands alone, although results would serve them and no run would record more.
    pub operands: bool,
    /// The aim of choices between time and memory.
    pub prefer: Prefer,
    /// The memory in bytes for the states of all loops that keep the state in front of each iteration
    /// ([`cfg_core::ir::Checkpoint::Each`]): such a loop keeps as many as fit into its share beside the
    /// record of one step; the run stops if none does.
    /// [`keep_states`](crate::keep_states) chooses loops in a program without checkpoints.
    pub tape_memory: Option<u64>,
    /// Loops with checkpoints tell their progress, and keep it in a file, from which a run that was killed goes on. The
    /// executor does so as its options say, emitted C as its tape says; all else runs as without.
    pub restarts: bool,
    /// Reverse the control flow alone, as if there were neither independents nor dependents: every loop is counted, every branch
    /// recorded, nothing is differentiated, and the adjoint of every basic block is an empty one, a place for statements of the caller's
    /// own.
    pub control_only: bool,
    /// The promise of callers about overlapping parameters.
    pub overlap: Overlap,
    /// The order in which the gradient reverses independent iterations.
    pub order: Order,
    /// The values that the gradient leaves in parameters and globals of the original.
    pub results: Results,
    /// Merge the inserted control blocks into neighbouring basic blocks.
    pub merge: bool,
    /// The method by which the adjoints of basic blocks are built.
    pub blocks: Blocks,
    /// Steps of the search for elimination sequences, for the whole program.
    pub work: u64,
    /// Further options of the search for elimination sequences.
    pub search: Search,
    /// The method by which routines with general control flow are reversed; [`Unstructured::Trace`] is for all.
    pub unstructured: Unstructured,
    /// The products of adjoints and partials that are `strong*`, in blocks that are reversed statement by statement;
    /// products with entries of preaccumulated Jacobians are always.
    pub strong: Strong,
    /// Most bits that the states of one data-flow analysis of one routine may take. Beyond the limit one state serves
    /// all points of the routine: derivatives stay right, but more is recorded; see
    /// [`cfg_core::dataflow::solve_within`].
    pub flow_limit: usize,
    /// The global arrays that are recorded by the routines that write them, cell by cell, not by the callers of these as a whole.
    pub inside: Inside,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            counters: false,
            markers: false,
            indices: false,
            values: false,
            operands: false,
            prefer: Prefer::default(),
            tape_memory: None,
            restarts: false,
            control_only: false,
            overlap: Overlap::default(),
            order: Order::default(),
            results: Results::default(),
            merge: false,
            blocks: Blocks::default(),
            work: bb_preaccum::search::DEFAULT_WORK,
            search: Search::default(),
            unstructured: Unstructured::default(),
            strong: Strong::default(),
            flow_limit: cfg_core::dataflow::FLOW_LIMIT,
            inside: Inside::default(),
        }
    }
}

/// The values that a gradient leaves in parameters and globals of the original. Forward and reverse sweeps on their own
/// are the same in both cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Results {
    /// The results of the original: what the reverse sweep changes is kept aside before, and restored.
    #[default]
    Keep,
    /// Whatever is left there: callers want derivatives alone. Values of `inout` parameters and of locals that no
    /// derivative needs are not computed.
    Drop,
}

/// The global arrays that routines record where they write them, cell by cell. All other globals are recorded as a
/// whole, before each call of a routine that may write them, which is less if most cells are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Pools, which hold the objects of pointers, and their tables: a call writes a few of their cells
    /// ([`cfg_core::ir::NameRole::is_pool`]).
    #[default]
    Pools,
    /// All global arrays that share no storage.
    Arrays,
    /// No arrays.
    Nothing,
}

/// The options of the search for elimination sequences; see [`bb_preaccum::search::Options`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The cost model, which weighs products by their factors.
    pub model: CostModel,
    /// The class of sequences; `None` takes the best of all.
    pub technique: Option<Technique>,
    /// The only heuristic to run; `None` leaves the choice to the search.
    pub heuristic: Option<Heuristic>,
    /// Seed of the pseudo-random numbers.
    pub seed: u64,
    /// Chains of annealing, each on a thread of its own. The default is one: a program is reversed often while it is
    /// developed.
    pub chains: usize,
    /// Prove the optimum, however many steps that takes.
    pub exact: bool,
}

impl Search {
    /// The default options: only operations at run time cost.
    pub const DEFAULT: Self = Self {
        model: CostModel::ConstantAware,
        technique: None,
        heuristic: None,
        seed: 0,
        chains: 1,
        exact: false,
    };
}

impl Default for Search {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The method by which routines with general control flow are reversed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unstructured {
    /// Routines are reversed by their loops and merges: trip counts, and at each merge which edge was taken.
    #[default]
    Structure,
    /// Routines, structured ones too, are reversed by recording the number of each executed block. Serves as a
    /// comparison.
    Trace,
}
