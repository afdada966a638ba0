//! Divided differences of the naive interpreter: the measure of a smooth program's tangent that shares
//! nothing with any derivative code.

use crate::case::{Case, Cell, Elements};
use crate::interpret::{Absolute, Fault, Limits, Outcome, Value};
use cfg_core::entity::VarId;
use std::collections::BTreeMap;

/// A tangent compared with central differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compared {
    /// Largest error over the dependents, relative to the derivative with absolute values.
    Error(f64),
    /// A perturbation changes the path, or a value jumps.
    Kink,
}

/// Perturbations, relative to a direction of size 1.
const STEPS: [f64; 5] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// For each element of the dependents the tangent along [`Case::direction`] with the absolute values of
/// direction and all local partials: what rounding errors are measured by.
///
/// # Errors
/// A fault at the point.
pub fn scales(case: &Case) -> Result<Vec<f64>, Fault> {
    let mut direction: BTreeMap<Cell, f64> = BTreeMap::new();
    for (v, weights) in &case.direction {
        for (cell, d) in case.cells(*v).into_iter().zip(weights) {
            *direction.entry(cell).or_default() += d.abs();
        }
    }
    let outcome = case.run_with(Limits::default(), |cell| {
        Absolute(direction.get(&cell).copied().unwrap_or_default())
    })?;
    Ok(dependents(case, &outcome, |value| match value {
        Value::Real(_, s) | Value::Real32(_, s) => s.0,
        Value::Integer(_)
        | Value::Sized(..)
        | Value::Logical(_)
        | Value::Pointer(..)
        | Value::Undefined => f64::NAN,
    }))
}

/// Compares `tangents` (by dependent, along [`Case::direction`]) with central differences, each element
/// with the best of several steps.
///
/// # Errors
/// A fault at the point itself; one at a perturbed point counts as a kink.
pub fn compare(case: &Case, tangents: &[(VarId, Vec<f64>)]) -> Result<Compared, Fault> {
    let direction: BTreeMap<VarId, &Vec<f64>> =
        case.direction.iter().map(|(v, d)| (*v, d)).collect();
    let scales = scales(case)?;
    let limits = Limits {
        trace: true,
        ..Limits::default()
    };
    let path = case.run(limits)?.visits;
    let tangents: Vec<f64> = tangents.iter().flat_map(|(_, t)| t.clone()).collect();
    let mut errors = vec![f64::INFINITY; tangents.len()];
    let mut whole = 0;
    for h in STEPS {
        let mut ends = Vec::new();
        for sign in [1.0, -1.0] {
            match moved(case, &direction, sign * h).run(limits) {
                Ok(outcome) if outcome.visits == path => ends.push(values(case, &outcome)),
                Ok(_) | Err(_) => break,
            }
        }
        let [above, below] = &ends[..] else {
            continue;
        };
        whole += 1;
        for (k, error) in errors.iter_mut().enumerate() {
            let difference = (above[k] - below[k]) / (2.0 * h);
            // A value of size 1 has rounding errors even if its derivative is 0, so the scale has a lower bound.
            let scale = scales[k].max(1e-3);
            *error = error.min((difference - tangents[k]).abs() / scale);
        }
    }
    // The path must hold for the smaller steps at least.
    Ok(if whole < 3 {
        Compared::Kink
    } else {
        Compared::Error(errors.into_iter().fold(0.0, f64::max))
    })
}

/// The case with its point moved along the direction.
fn moved(case: &Case, direction: &BTreeMap<VarId, &Vec<f64>>, h: f64) -> Case {
    let mut case = case.clone();
    for (v, datum) in &mut case.point {
        if let (Some(d), Elements::Real(x)) = (direction.get(v), &mut datum.elements) {
            for (x, d) in x.iter_mut().zip(*d) {
                *x += h * d;
            }
        }
    }
    case
}

fn values(case: &Case, outcome: &Outcome<()>) -> Vec<f64> {
    dependents(case, outcome, |value| match value {
        Value::Real(x, ()) => *x,
        _ => f64::NAN,
    })
}

fn dependents<D>(case: &Case, outcome: &Outcome<D>, of: impl Fn(&Value<D>) -> f64) -> Vec<f64> {
    let routine = case.routine();
    (routine.dependents.iter())
        .filter_map(|&v| case.after(outcome, v))
        .flat_map(|argument| argument.elements.iter().map(&of))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Options, generate};

    /// Derivatives by operator overloading against differences, and how often a point is no good.
    #[test]
    fn smooth_programs_have_the_derivatives_that_differences_show() {
        let n = 600u32;
        let (mut kinks, mut bad) = (0, Vec::new());
        for seed in 0..n {
            let case = generate(&Options::SMOOTH, u64::from(seed)).expect("it runs");
            let tangents = case.tangent(Limits::default()).expect("it runs");
            match compare(&case, &tangents).expect("it runs") {
                Compared::Kink => kinks += 1,
                Compared::Error(e) if e < 1e-6 => {}
                Compared::Error(e) => bad.push((seed, e)),
            }
        }
        assert!(bad.is_empty(), "{bad:?}");
        assert!(f64::from(kinks) < 0.02 * f64::from(n), "{kinks} of {n}");
    }
}
