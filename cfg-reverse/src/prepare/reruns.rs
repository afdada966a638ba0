//! The routines that run another one again in the reverse sweep, and the states that they keep.

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{RoutineId, VarId},
    flat::FlatStmt,
    ir::{Checkpoint, Expr, Intent, Program, Role, Routine, ScalarType, Stmt},
    memory::global_set::GlobalSet,
    text,
};
use cfg_transform::checkpoint::Rerun;
use fixedbitset::FixedBitSet;

use crate::{code::routines::is_deferred, codes, memory::summary::Summary};

/// A routine with sweeps that runs another one again, and the state that it keeps.
pub(crate) struct Kept {
    /// The vertex of the checkpoint, the block with the call, and the step.
    pub(crate) rerun: Rerun,
    /// The parameters and locals that the step reads and writes.
    pub(crate) state: Vec<VarId>,
    /// The parameters that have their values from before at the end of the reverse sweep.
    pub(crate) restored: FixedBitSet,
    /// The globals that the step may write.
    pub(crate) globals: GlobalSet,
    /// True of a loop.
    pub(crate) is_loop: bool,
    /// True if the forward sweep records the last step: the trip count is known before the loop.
    pub(crate) records_last: bool,
}

/// The routines with sweeps that run another one with sweeps again; none if all is recorded by the numbers of blocks.
///
/// # Errors
/// R314: a state has variables that cannot be kept.
pub(crate) fn reruns(
    program: &Program,
    summary: &Summary,
    sweeps: &[Option<(RoutineId, RoutineId)>],
    trace: bool,
) -> Result<Vec<Option<Kept>>, Diagnostics> {
    let mut problems = Vec::new();
    let mut kept = |r: usize, routine: &Routine| {
        sweeps[r].filter(|_| !trace)?;
        let rerun = Rerun::find(program, RoutineId::new(r))?;
        sweeps[rerun.callee.index()]?;
        let cfg = routine.body.as_ref()?;
        let mut statements = cfg.vertex(rerun.call).statements().iter();
        let arguments = statements.find_map(call_arguments)?;
        let called = program.routine(rerun.callee);
        let index = cfg.vertex(rerun.vertex).kind.index();
        let (mut state, mut has_locals) = (Vec::new(), false);
        for (p, argument) in called.parameter_ids().zip(arguments) {
            let Some(Expr::Place(place)) = argument else {
                continue;
            };
            let is_local = routine.variable(place.var).role == Role::Local;
            has_locals |= is_local && index != Some(place.var);
            if called.variable(p).intent() == Some(Intent::InOut) {
                state.push(place.var);
            }
        }
        let mut restored = FixedBitSet::with_capacity(routine.variables.len());
        // An `out` parameter has no value where the state is kept.
        let is_kept = |v: &VarId| routine.variable(*v).intent() == Some(Intent::InOut);
        let kept = routine.parameter_ids();
        let kept = kept.filter(|v| is_kept(v) && state.contains(v));
        restored.extend(kept.map(VarId::index));
        for &v in &state {
            let variable = routine.variable(v);
            let is_optional = matches!(variable.role, Role::Parameter { optional: true, .. });
            let why = match is_optional {
                true => "is optional",
                false if variable.ty == ScalarType::Tape => "is a tape",
                false if is_deferred(variable) => "gets its shape by assignment",
                false => continue,
            };
            let message = format!(
                "`{}` belongs to the state of a checkpoint and {why}",
                variable.name
            );
            let site = Site::whole(RoutineId::new(r), Element::Variable(v));
            let problem =
                Diagnostic::error(&codes::CHECKPOINT, message, codes::CHECKPOINT.explanation);
            let words = text::site_text(program, &site);
            problems.push(problem.at_element(words).at_site_in(program, site));
        }
        Some(Kept {
            is_loop: cfg.vertex(rerun.vertex).kind.test().is_some(),
            // Locals do not outlive the forward sweep.
            records_last: index.is_some() && !has_locals,
            globals: summary.written(rerun.callee).clone(),
            rerun,
            state,
            restored,
        })
    };
    let routines = program.routines.iter().enumerate();
    let found = routines.map(|(r, routine)| kept(r, routine)).collect();
    match problems.is_empty() {
        true => Ok(found),
        false => Err(Diagnostics(problems)),
    }
}

/// The arguments of a call.
pub(crate) fn call_arguments(statement: &Stmt) -> Option<&[Option<Expr>]> {
    if let FlatStmt::Call { arguments, .. } = FlatStmt::view(&statement.kind) {
        return Some(arguments);
    }
    None
}

impl Kept {
    /// True of a loop that keeps the state in front of each iteration.
    pub(crate) fn keeps_each(&self) -> bool {
        self.is_loop && self.rerun.checkpoint == Checkpoint::Each
    }

    /// The number of states of a loop that are kept in a file at once.
    pub(crate) fn disk(&self) -> u32 {
        match self.rerun.checkpoint {
            Checkpoint::Snapshots { disk, .. } => disk,
            Checkpoint::Each => 0,
        }
    }
}
