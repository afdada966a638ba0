//! The decisions for the whole program, made before any routine is written.

use cfg_analysis::{activity::Activity, reach::Numbering};
use cfg_core::{
    elemental::Strong,
    entity::{GlobalId, RoutineId, VarId},
    ir::{Program, Routine},
    memory::global_set::GlobalSet,
};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

use crate::{
    memory::summary::Summary,
    options::Prefer,
    prepare::{other_names::Change, reruns::Kept},
};

/// The decisions for the whole program, made before any routine is written.
pub(crate) struct Context {
    /// The program: routines that are differentiated in normal form, the others as they are.
    pub(crate) program: Program,
    pub(crate) summary: Summary,
    pub(crate) activity: Activity,
    /// Forward and reverse routine of each routine that is differentiated.
    pub(crate) sweeps: Vec<Option<(RoutineId, RoutineId)>>,
    /// The routines with sweeps that run another routine again, from states that they keep.
    pub(crate) reruns: Vec<Option<Kept>>,
    /// The routines that routines with sweeps call.
    pub(crate) called: FixedBitSet,
    /// For each `aliased` routine, the parameters that are `in` and may change by another name.
    pub(crate) changed: Vec<BTreeMap<VarId, Change>>,
    /// For each routine, the parameters whose cells nothing overwrites.
    pub(crate) lasting: Vec<FixedBitSet>,
    /// Adjoint of each real global.
    pub(crate) adjoint_globals: Vec<Option<GlobalId>>,
    /// Globals that are recorded cell by cell by the routines that write them, rather than as a whole by their
    /// callers.
    pub(crate) recorded_inside: GlobalSet,
    /// Routines whose adjoint parameters may share storage with one another, or with adjoint globals.
    pub(crate) overlapping: FixedBitSet,
    pub(crate) counters: bool,
    /// True if every branch is reversed by a marker.
    pub(crate) markers: bool,
    /// True if running indices are recorded before each step.
    pub(crate) indices: bool,
    /// True if every value that a statement overwrites is recorded.
    pub(crate) values: bool,
    /// True if graphs are reversed by the numbers of their blocks.
    pub(crate) trace: bool,
    /// Adjoints of assignments read operands alone.
    pub(crate) operands: bool,
    /// The aim of choices between time and memory.
    pub(crate) prefer: Prefer,
    /// The memory in bytes for the states of each loop that keeps one for each iteration.
    pub(crate) state_memory: Option<u64>,
    /// True if loops with checkpoints keep their progress in a file.
    pub(crate) restarts: bool,
    /// The products of adjoints and partials that are strong.
    pub(crate) strong: Strong,
    /// Most bits that the states of one data-flow analysis of one routine may take.
    pub(crate) flow_limit: usize,
}

impl Context {
    pub(crate) fn is_active(&self, id: RoutineId, routine: &Routine, v: VarId) -> bool {
        self.activity.is_active(id, routine, v)
    }

    /// The numbers of all variables of the program.
    pub(crate) fn nodes(&self) -> &Numbering {
        self.activity.nodes()
    }
}
