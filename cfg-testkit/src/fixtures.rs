//! The files in the folder `fixtures`: points and expected values.

use crate::case::{Datum, Elements};
use crate::kernels::Kernel;
use cfg_core::ir::{Order, Routine, ScalarType, Variable};
use serde_json::{Map, Value as Json};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// The results that a fixture's program must have, from an independent source.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Adjoint seeds; none for a single scalar dependent, which has 1.
    pub seed: Option<Json>,
    /// The dependents by name; the result of a function is `return`.
    pub value: Map<String, Json>,
    /// The gradient by independent.
    pub gradient: Map<String, Json>,
    /// The source of the expected values, such as a script.
    pub source: String,
}

/// Reads `NAME.expected.json`.
///
/// # Panics
/// If the file is missing or is not what `expected.py` writes.
#[track_caller]
pub fn expected(name: &str) -> Expected {
    let path = folder().join(format!("{name}.expected.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let json: Json =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let object = |key: &str| match json.get(key) {
        Some(Json::Object(map)) => map.clone(),
        _ => panic!("{}: no object {key}", path.display()),
    };
    Expected {
        seed: json.get("seed").cloned(),
        value: object("value"),
        gradient: object("gradient"),
        source: json["source"].as_str().unwrap_or_default().to_owned(),
    }
}

/// The numbers in nested arrays, the last subscript varying fastest.
pub fn numbers(json: &Json) -> Vec<f64> {
    match json {
        Json::Array(items) => items.iter().flat_map(numbers).collect(),
        other => other.as_f64().into_iter().collect(),
    }
}

/// A variable's name in values: `return` for the result of a function.
pub fn name_of(routine: &Routine, variable: &Variable) -> String {
    match routine.result.map(|v| routine.variable(v)) {
        Some(result) if result.name == variable.name => "return".to_owned(),
        _ => variable.name.clone(),
    }
}

/// Elements in storage order as nested arrays with the shape of a datum.
pub fn shaped(extents: &[usize], order: Order, values: &[f64]) -> Json {
    let datum = Datum {
        extents: extents.to_vec(),
        elements: Elements::Real(values.to_vec()),
    };
    datum.to_json(order)
}

/// Largest difference of two lists relative to the largest expected number (and 1e-3 at least).
pub fn largest_error(expected: &[f64], actual: &[f64]) -> f64 {
    if expected.len() != actual.len() {
        return f64::INFINITY;
    }
    let scale = expected.iter().fold(1e-3, |s: f64, x| s.max(x.abs()));
    expected
        .iter()
        .zip(actual)
        .map(|(a, b)| (a - b).abs() / scale)
        .fold(
            0.0,
            |m: f64, e| if e.is_nan() { f64::INFINITY } else { m.max(e) },
        )
}

/// The text of a kernel's point file.
pub fn point_text(kernel: &Kernel) -> String {
    kernel.case(kernel.size).point_text()
}

/// True if the variable has derivatives.
pub fn is_active(variable: &Variable) -> bool {
    matches!(variable.ty, ScalarType::Real | ScalarType::Real32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::golden;
    use crate::interpret::{Limits, Value};
    use crate::kernels;

    #[test]
    fn point_files_are_what_the_kernels_say() {
        for kernel in kernels::all() {
            let path = folder().join(format!("{}.point.json", kernel.name));
            golden(path, &point_text(&kernel));
        }
    }

    /// The naive interpreter and its gradient by operator overloading against the independent source.
    #[test]
    fn naive_values_and_gradients_are_the_expected_ones() {
        for kernel in kernels::all() {
            let case = kernel.case(kernel.size);
            let expected = expected(kernel.name);
            let routine = case.routine();
            let outcome = match case.run(Limits::default()) {
                Ok(outcome) => outcome,
                Err(fault) => panic!("{}: {fault:?}", kernel.name),
            };
            for &v in &routine.dependents {
                let found = case.after(&outcome, v);
                let values: Vec<f64> = (found.iter().flat_map(|a| &a.elements))
                    .map(|x| match x {
                        Value::Real(x, ()) => *x,
                        _ => f64::NAN,
                    })
                    .collect();
                let name = name_of(routine, routine.variable(v));
                let error = largest_error(&numbers(&expected.value[&name]), &values);
                assert!(
                    error < 1e-12,
                    "{}: value {name} differs by {error:e}",
                    kernel.name
                );
            }
            let gradient = match case.gradient(Limits::default()) {
                Ok(gradient) => gradient,
                Err(fault) => panic!("{}: {fault:?}", kernel.name),
            };
            assert_eq!(gradient.len(), expected.gradient.len(), "{}", kernel.name);
            for (v, g) in gradient {
                let variable = routine.variable(v);
                let extents = case.value(v).map(|d| d.extents.clone()).unwrap_or_default();
                let shaped = shaped(&extents, variable.order, &g);
                let error = largest_error(
                    &numbers(&expected.gradient[&variable.name]),
                    &numbers(&shaped),
                );
                assert!(
                    error < 1e-11,
                    "{}: gradient by {} differs by {error:e}",
                    kernel.name,
                    variable.name
                );
            }
        }
    }
}
