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
pub(crate) mod joint;
pub(crate) mod measured;
mod numbers;
mod online;
pub(crate) mod placement;
pub(crate) mod restart;
pub(crate) mod schedule;
mod writer;

use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, ir::Routine};

use crate::{
    code::rows::Rows, plan::adjoints::StatementAdjoint, prepare::reruns::Kept, sweeps::Sweeps,
};
use measured::Measured;
use writer::Writer;

/// The routines that sweeps call: [`advance::advance_routine`], which plans the schedule,
/// [`placement::placement_routine`], which says where states lie, and the first one of [`restart::write_routines`] if
/// progress is kept.
#[derive(Clone, Copy)]
pub(crate) struct Planning {
    pub(crate) advance: RoutineId,
    pub(crate) placement: RoutineId,
    pub(crate) restarts: Option<RoutineId>,
}

/// The forward and the reverse sweep of a routine that runs another one again. `measured` has the steps that count bits.
///
/// # Errors
/// R312: a graph breaks a rule.
pub(crate) fn checkpointed(
    sweeps: &Sweeps<'_, '_>,
    kept: &Kept,
    (planning, measured): (Planning, &mut Measured),
    adjoints: &Rows<StatementAdjoint>,
    [forward, reverse]: [String; 2],
) -> Result<(Routine, Routine), Diagnostics> {
    let mut writer =
        |is_forward| Writer::new(sweeps, kept, planning, measured, adjoints, is_forward);
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
