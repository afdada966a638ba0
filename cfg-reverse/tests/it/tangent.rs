//! The tangent program against derivatives by operator overloading.

use crate::run::near;
use cfg_core::{entity::VarId, validate};
use cfg_reverse::tangent;
use cfg_testkit::flat;
use cfg_testkit::{
    case::Case,
    generate::Options,
    interpret::{Argument, Limits, Value, interpret},
    property,
};
use std::collections::BTreeMap;

type Arguments = Vec<Argument<()>>;

/// Runs NAME_t naively and returns the primal parameters and the tangents of the real ones.
fn run(case: &Case) -> Result<[Arguments; 2], String> {
    let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
    let made = tangent(&flat(&valid), case.main).map_err(|d| d.to_string())?;
    let program = validate::validate(made.program)
        .map_err(|d| format!("the tangent program is not valid: {d}"))?;
    let original = case.routine();
    let t = program.routine(made.tangent);
    let mut arguments: Vec<Option<Argument<()>>> = original
        .parameter_ids()
        .map(|p| case.value(p).map(|d| d.argument(|_| ())))
        .collect();
    let first = original.parameters.len() + usize::from(original.result.is_some());
    arguments.resize(first, None);
    for p in original.parameter_ids() {
        if !original.variable(p).ty.is_real() {
            continue;
        }
        let direction = case.direction.iter().find(|(v, _)| *v == p);
        arguments.push(case.value(p).map(|datum| {
            let mut argument = datum.argument(|_| ());
            for (i, slot) in argument.elements.iter_mut().enumerate() {
                let d = direction.map_or(0.0, |(_, d)| d[i]);
                *slot = match slot {
                    Value::Real32(..) => Value::Real32(d as f32, ()),
                    _ => Value::Real(d, ()),
                };
            }
            argument
        }));
    }
    arguments.resize(t.parameters.len(), None);
    let outcome = interpret(
        program.program(),
        made.tangent,
        &arguments,
        &BTreeMap::new(),
        Limits::default(),
    )
    .map_err(|f| format!("the tangent program fails: {f:?}"))?;
    let mut parameters = outcome.parameters;
    let tangents = parameters.split_off(first);
    Ok([parameters, tangents])
}

fn reals(argument: &Argument<()>) -> Vec<f64> {
    argument
        .elements
        .iter()
        .map(|e| match e {
            Value::Real(x, ()) => *x,
            Value::Real32(x, ()) => f64::from(*x),
            _ => f64::NAN,
        })
        .collect()
}

/// Tangents of the dependents, from the tangent program.
pub(crate) fn of_dependents(case: &Case) -> Result<Vec<(VarId, Vec<f64>)>, String> {
    let [_, tangents] = run(case)?;
    let dependents = case.routine().dependents.iter();
    Ok(dependents
        .filter_map(|&v| Some((v, tangent_of(case, &tangents, v)?)))
        .collect())
}

fn tangent_of(case: &Case, tangents: &Arguments, v: VarId) -> Option<Vec<f64>> {
    let original = case.routine();
    if original.result == Some(v) {
        return tangents.last().map(reals);
    }
    let before = original.parameter_ids().take_while(|&p| p != v);
    let position = before
        .filter(|&p| original.variable(p).ty.is_real())
        .count();
    tangents.get(position).map(reals)
}

fn agrees(case: &Case, tolerance: f64) -> Result<(), String> {
    let [primal, tangents] = run(case)?;
    let expected = case
        .run(Limits::default())
        .map_err(|f| format!("the program itself fails: {f:?}"))?;
    let original = case.routine();
    for (k, p) in original.parameter_ids().enumerate() {
        if format!("{:?}", primal[k]) != format!("{:?}", expected.parameters[k]) {
            return Err(format!(
                "{} differs from the original's",
                original.variable(p).name
            ));
        }
    }
    for (v, oracle) in case
        .tangent(Limits::default())
        .map_err(|f| format!("{f:?}"))?
    {
        let ours = tangent_of(case, &tangents, v);
        let ours = ours.ok_or("no tangent")?;
        for (i, (a, b)) in ours.iter().zip(&oracle).enumerate() {
            if !near(*a, *b, tolerance) {
                let name = &original.variable(v).name;
                return Err(format!("tangent of {name}[{i}]: {a} instead of {b}"));
            }
        }
    }
    Ok(())
}

#[test]
fn exact_programs() {
    property::check(&Options::EXACT, 0..2000, |case| agrees(case, 0.0));
}

#[test]
fn smooth_programs() {
    property::check(&Options::SMOOTH, 0..2000, |case| agrees(case, 1e-9));
}
