//! Parts that run again in the reverse sweep, from states that were kept, rather than being recorded.
//!
//! [`cfg_transform::checkpoint`] writes such a part as a routine W that does nothing but call another one, the step,
//! once or in a loop. The step has sweeps like any other routine. Those of W differ:
//!
//! - The forward sweep pushes the state, that is all that the step reads and writes, and runs the step itself.
//! - The reverse sweep pops the state, runs the forward sweep of the step from there, and then its reverse sweep. At
//!   its end the state is what it was before W.
//!
//! Of a loop the reverse sweep needs the states in front of all iterations, the last one first. [`driver`] has the
//! schedule, binomial checkpointing, in which at most c states are kept at once. States lie on the tape: the one that
//! is needed next is always the last one that was kept.
//!
//! For callers, W is a routine with two sweeps. Parameters and globals that belong to the state need no record there.

pub(crate) mod advance;
mod driver;
mod writer;

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId, VarId},
    ir::{Checkpoint, Expr, Intent, Program, Role, Routine, ScalarType, Stmt, StmtKind},
    memory::global_set::GlobalSet,
};
use cfg_transform::checkpoint::Rerun;
use fixedbitset::FixedBitSet;

use crate::{
    code::{routines::is_deferred, rows::Rows},
    codes,
    memory::summary::{Summary, given_adjoint},
    plan::{adjoints::StatementAdjoint, at_exit::Needed},
    prepare::context::Context,
    sweeps::Sweeps,
};
use writer::Writer;

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

/// The routines with sweeps that run another one with sweeps again.
///
/// # Errors
/// R314: a state has variables that cannot be kept.
pub(crate) fn reruns(
    program: &Program,
    summary: &Summary,
    sweeps: &[Option<(RoutineId, RoutineId)>],
) -> Result<Vec<Option<Kept>>, Diagnostics> {
    let mut problems = Vec::new();
    let mut kept = |r: usize, routine: &Routine| {
        sweeps[r]?;
        let rerun = Rerun::find(routine)?;
        let called = program.routine(rerun.callee);
        if sweeps[rerun.callee.index()].is_none() || given_adjoint(called).is_some() {
            return None;
        }
        let cfg = routine.body.as_ref()?;
        let statements = cfg.vertex(rerun.call).statements().iter();
        let arguments = statements.rev().find_map(call_arguments)?;
        let mut state = Vec::new();
        for (p, argument) in called.parameter_ids().zip(arguments) {
            if let (Some(Intent::InOut), Some(Expr::Place(place))) =
                (called.variable(p).intent(), argument)
            {
                state.push(place.var);
            }
        }
        let mut restored = FixedBitSet::with_capacity(routine.variables.len());
        // An `out` parameter has no value where the state is kept.
        let is_kept = |v: &VarId| routine.variable(*v).intent() == Some(Intent::InOut);
        let kept = routine
            .parameter_ids()
            .filter(|v| is_kept(v) && state.contains(v));
        restored.extend(kept.map(VarId::index));
        for &v in &state {
            let variable = routine.variable(v);
            let is_optional = matches!(variable.role, Role::Parameter { optional: true, .. });
            if is_optional || is_deferred(variable) || variable.ty == ScalarType::Tape {
                let message = format!(
                    "`{}` belongs to the state of a checkpoint, and is optional, a tape, or gets its shape by assignment",
                    variable.name
                );
                let element = format!("routine {}", routine.name);
                let help = codes::CHECKPOINT.explanation;
                problems
                    .push(Diagnostic::error(&codes::CHECKPOINT, message, help).at_element(element));
            }
        }
        Some(Kept {
            is_loop: cfg.vertex(rerun.vertex).kind.test().is_some(),
            records_last: cfg.vertex(rerun.vertex).kind.index().is_some(),
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

fn call_arguments(statement: &Stmt) -> Option<&[Option<Expr>]> {
    match &statement.kind {
        StmtKind::Call { arguments, .. } => Some(arguments),
        StmtKind::Assign { .. }
        | StmtKind::Push { .. }
        | StmtKind::Pop { .. }
        | StmtKind::Opaque { .. }
        | StmtKind::Stop { .. }
        | StmtKind::Allocate { .. }
        | StmtKind::Free { .. }
        | StmtKind::Resize { .. } => None,
    }
}

impl Kept {
    /// The values at the end of the routine that its reverse sweep reads: all that the step reads and does not write,
    /// and if the last step is recorded, the values that the step's reverse sweep reads, `of_last`.
    pub(crate) fn needed_at_exit(
        &self,
        context: &Context,
        r: RoutineId,
        of_last: Needed,
    ) -> Needed {
        let routine = context.program.routine(r);
        let mut needed = of_last;
        if !self.records_last {
            needed.globals = GlobalSet::default();
            let parameters = routine.parameter_ids();
            let written = parameters.filter(|v| routine.variable(*v).intent() != Some(Intent::In));
            written.for_each(|v| needed.variables.set(v.index(), false));
        }
        let parameters = routine.parameter_ids();
        let read = parameters.filter(|v| routine.variable(*v).intent() == Some(Intent::In));
        needed.variables.grow(routine.variables.len());
        needed.variables.extend(read.map(VarId::index));
        needed.globals.extend(
            &context
                .summary
                .touched(self.rerun.callee)
                .minus(&self.globals),
        );
        needed
    }

    /// True of a loop that keeps the state in front of each iteration.
    pub(crate) fn keeps_each(&self) -> bool {
        self.is_loop && self.rerun.checkpoint == Checkpoint::Each
    }

    /// The globals of the state.
    fn globals(&self) -> Vec<GlobalId> {
        self.globals.to_vec()
    }
}

/// The forward and the reverse sweep of a routine that runs another one again. `advance` is the routine that plans the
/// schedule, [`advance::advance_routine`].
///
/// # Errors
/// R312: a graph breaks a rule.
pub(crate) fn checkpointed(
    sweeps: &Sweeps<'_, '_>,
    kept: &Kept,
    advance: RoutineId,
    adjoints: &Rows<StatementAdjoint>,
    [forward, reverse]: [String; 2],
) -> Result<(Routine, Routine), Diagnostics> {
    let writer = |is_forward| Writer::new(sweeps, kept, advance, adjoints, is_forward);
    Ok(match kept.is_loop {
        true => (
            driver::forward(writer(true)).finish(forward),
            driver::reverse(writer(false)).finish(reverse),
        ),
        false => (
            writer(true).once_forward().finish(forward),
            writer(false).once_reverse().finish(reverse),
        ),
    })
}
