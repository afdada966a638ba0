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

use crate::{
    code::{routines::is_deferred, rows::Rows},
    codes,
    memory::summary::Summary,
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
fn call_arguments(statement: &Stmt) -> Option<&[Option<Expr>]> {
    if let FlatStmt::Call { arguments, .. } = FlatStmt::view(&statement.kind) {
        return Some(arguments);
    }
    None
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
            driver::forward(writer(true)?).finish(forward),
            driver::reverse(writer(false)?).finish(reverse),
        ),
        false => (
            writer(true)?.once_forward().finish(forward),
            writer(false)?.once_reverse().finish(reverse),
        ),
    })
}
