//! Finds the operation at which derivatives become infinite or NaN although values are finite, by a second run that
//! records events.

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

/// The operation at which the derivatives of a routine at a point stop being finite, as a warning with its statement,
/// for a seed (by default, ones for all dependents). `None` if there is no singular point: then derivatives overflow.
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
    // A run with events takes more: if it exceeds the limits, nothing is reported.
    let mut adjoint = Adjoint::new(program, routine, &options).ok()?;
    let ones = adjoint.seed_of_ones(point).ok()?;
    adjoint.singular(point, seed.unwrap_or(&ones)).ok()?
}

/// The warning for derivatives that are not finite although values are: that of [`singular`], or that a derivative
/// overflows.
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
