//! Runs by machine code are those of the executor.

mod calls;
mod corners;
mod engines;
mod fixtures;
mod loops;
mod random;

use std::sync::Arc;

use cfg_core::flat::Flat;
use cfg_drive::{Adjoint, Options, Point, Primal};
use cfg_exec::native::Engine;
use cfg_exec::{RunOptions, TapeCounts};
use cfg_jit::Jit;

/// Options of runs with these limits: by the executor, by machine code wherever that can be, and by machine code for
/// what follows behind some steps of each routine.
fn engines(run: &RunOptions, steps: u64) -> [Options; 3] {
    [None, Some(0), Some(steps)].map(|steps| Options {
        run: run.clone(),
        native: steps.map(|n| -> Arc<dyn Engine> { Arc::new(Jit::everywhere_after(n)) }),
        ..Options::default()
    })
}

/// The outcome of a gradient: values with their bits, or errors with their places; and the use of the tape.
fn gradient(
    program: &Flat,
    routine: cfg_core::entity::RoutineId,
    options: &Options,
    point: &dyn Fn(&Adjoint) -> Option<Point>,
) -> (String, Option<TapeCounts>) {
    let mut adjoint = match Adjoint::new(program, routine, options) {
        Ok(adjoint) => adjoint,
        Err(problems) => return (format!("{problems:?}"), None),
    };
    let Some(point) = point(&adjoint) else {
        return ("no point".to_owned(), None);
    };
    let seed = match adjoint.seed_of_ones(&point) {
        Ok(seed) => seed,
        Err(problems) => return (format!("{problems:?}"), None),
    };
    match adjoint.gradient(&point, &seed) {
        Ok(found) => {
            let values = (&found.value, &found.gradient, found.tapes_are_empty);
            (format!("{values:?}"), found.tape)
        }
        Err(problems) => (format!("{problems:?}"), None),
    }
}

/// The outcome of a run of the program itself.
fn primal(
    program: &Flat,
    routine: cfg_core::entity::RoutineId,
    options: &Options,
    point: &dyn Fn(&Primal) -> Option<Point>,
) -> String {
    let mut primal = match Primal::new(program, routine, options) {
        Ok(primal) => primal,
        Err(problems) => return format!("{problems:?}"),
    };
    match point(&primal) {
        Some(point) => format!("{:?}", primal.run(&point)),
        None => "no point".to_owned(),
    }
}
