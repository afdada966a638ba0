//! Runs routines of generated programs on the point of a random case.

use cfg_core::flat::Flat;
use cfg_core::{
    elemental::Scalar,
    entity::{RoutineId, VarId},
    ir::{Intent, Program, ScalarType},
    validate::{self, ValidProgram},
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_testkit::case::{Case, Datum, Elements};
use cfg_testkit::flat;
use std::collections::BTreeMap;

/// Values by name.
pub(crate) type Named = BTreeMap<String, Value>;

pub(crate) fn valid(program: Program) -> Result<Flat, String> {
    let flat = validate::validate(program).and_then(Flat::check);
    flat.map_err(|d| d.to_string())
}

/// A datum of a case as a value of the executor.
pub(crate) fn value(case: &Case, v: VarId, datum: &Datum) -> Value {
    let variable = case.routine().variable(v);
    let mut value = Value::uninitialised(variable.ty, &datum.extents, variable.order)
        .expect("shapes of cases are small");
    for i in 0..datum.len() {
        let x = match &datum.elements {
            Elements::Real(x) => Scalar::Real(x[i]),
            Elements::Real32(x) => Scalar::Real32(x[i]),
            Elements::Integer(x) => Scalar::Integer(x[i]),
            Elements::Sized(ty, x) => Scalar::Sized(*ty, x[i]),
            Elements::Logical(x) => Scalar::Logical(x[i]),
        };
        assert!(value.set(i, x));
    }
    value
}

/// A value of the shape of another one, filled by a function of the position.
pub(crate) fn filled(like: &Value, x: impl Fn(usize) -> f64) -> Value {
    let mut out = like.clone();
    for i in 0..out.len() {
        let x = x(i);
        let done = out.set(i, Scalar::Real(x)) || out.set(i, Scalar::Real32(x as f32));
        assert!(done);
    }
    out
}

/// Equal, both NaN excepted, or within the tolerance relative to the larger one and 1.
pub(crate) fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

/// The point of a case.
pub(crate) fn point(case: &Case) -> Named {
    let named = case.routine().parameter_ids().filter_map(|p| {
        let datum = case.value(p)?;
        Some((
            case.routine().variable(p).name.clone(),
            value(case, p, datum),
        ))
    });
    named.collect()
}

/// Runs a routine; parameters that are not given are `out`. Returns all values afterwards.
pub(crate) fn run(
    program: &ValidProgram,
    routine: RoutineId,
    given: &Named,
) -> Result<Named, String> {
    let compiled =
        Compiled::new(&flat(program), &CompileOptions::default()).map_err(|d| d.to_string())?;
    let mut session = Session::new(&compiled);
    let r = program.routine(routine);
    let mut arguments: Vec<Argument> = r
        .parameter_ids()
        .map(|p| match given.get(&r.variable(p).name) {
            Some(value) => value.clone().into(),
            None => Argument::Absent,
        })
        .collect();
    for (k, p) in r.parameter_ids().enumerate() {
        let variable = r.variable(p);
        if arguments[k] == Argument::Absent
            && variable.ty != ScalarType::Tape
            && variable.intent() == Some(Intent::Out)
        {
            arguments[k] = session
                .uninitialised_argument(routine, p, &arguments)
                .map_err(|d| d.to_string())?;
        }
    }
    let report = session
        .run(routine, &mut arguments, &RunOptions::default())
        .map_err(|d| d.to_string())?;
    let mut out = Named::new();
    for (p, argument) in r.parameter_ids().zip(&arguments) {
        if let Argument::Value(value) = argument {
            out.insert(r.variable(p).name.clone(), value.clone());
        }
    }
    if let (Some(result), Some(value)) = (r.result, report.result) {
        out.insert(r.variable(result).name.clone(), value);
    }
    Ok(out)
}
