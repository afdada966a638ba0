//! Where derivatives become infinite or NaN although values are finite. It is found out afterwards, by a run that records events.

use crate::codes;
use crate::mode::{Adjoint, Named};
use crate::options::Options;
use crate::point::Point;
use cfg_core::diagnostic::Diagnostic;
use cfg_core::entity::RoutineId;
use cfg_core::flat::Flat;
use cfg_exec::Value;

/// True if all elements of values are finite.
pub fn are_finite(values: &Named) -> bool {
    let mut all = values
        .iter()
        .flat_map(|(_, v)| (0..v.len()).map(|i| v.get_f64(i)));
    all.all(|x| x.is_some_and(f64::is_finite))
}

/// The operation at which the derivatives of a routine at a point stop being finite, as a warning with its statement: with this seed,
/// or that of all dependents. `None` if none does at a singular point: then they overflow on the way.
pub fn singular(
    (program, routine): (&Flat, RoutineId),
    options: &Options,
    point: &Point,
    seed: Option<&[Value]>,
) -> Option<Diagnostic> {
    let options = Options {
        events: true,
        trace: false,
        engine: None,
        ..options.clone()
    };
    // What cannot be run again, within the limits, has been run without events.
    let mut adjoint = Adjoint::new(program, routine, &options).ok()?;
    let ones = adjoint.ones(point).ok()?;
    adjoint.singular(point, seed.unwrap_or(&ones)).ok()?
}

/// [`singular`], or that a derivative overflows, of derivatives that are not finite where values are.
pub fn not_finite(
    what: (&Flat, RoutineId),
    options: &Options,
    point: &Point,
    seed: Option<&[Value]>,
) -> Diagnostic {
    singular(what, options, point, seed).unwrap_or_else(|| {
        let message =
            "a derivative is infinite or NaN, and the value is not: it overflows on the way";
        let help = "choose another point, or scale the variables";
        Diagnostic::error(&codes::NOT_DIFFERENTIABLE, message, help).warning()
    })
}
