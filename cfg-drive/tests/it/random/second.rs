//! Second derivatives: tangent of tangent, tangent of adjoint and adjoint of tangent agree.

use super::{Failure, near, refusal};
use cfg_core::elemental::Scalar;
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::flat::Flat;
use cfg_core::ir::{Intent, Program, Role, Routine, ScalarType};
use cfg_core::validate::validate;
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_reverse::{Options, reverse, tangent};
use cfg_testkit::case::{Case, Elements};

/// Values of parameters, by position; `None` for what is absent or comes out.
type Given = Vec<Option<Value>>;

/// The real ones of the first `count` parameters.
fn reals(routine: &Routine, count: usize) -> Vec<usize> {
    let real = |k: &usize| routine.parameter(*k).is_some_and(|v| v.ty.is_real());
    (0..count).filter(real).collect()
}

fn fill(like: &Value, x: impl Fn(usize) -> f64) -> Value {
    let mut out = like.clone();
    for i in 0..out.len() {
        let x = x(i);
        assert!(out.set(i, Scalar::Real(x)) || out.set(i, Scalar::Real32(x as f32)));
    }
    out
}

/// Runs a routine and returns its parameters afterwards.
fn run(program: &Flat, routine: RoutineId, given: &Given) -> Result<Given, String> {
    let compiled = Compiled::new(program, &CompileOptions::default()).map_err(|d| d.to_string())?;
    let mut session = Session::new(&compiled);
    let r = program.routine(routine);
    let mut arguments: Vec<Argument> = (0..r.parameters.len())
        .map(|k| match given.get(k).and_then(Option::as_ref) {
            Some(value) => value.clone().into(),
            None => Argument::Absent,
        })
        .collect();
    for (k, p) in r.parameter_ids().enumerate() {
        let optional = matches!(r.variable(p).role, Role::Parameter { optional: true, .. });
        if arguments[k] == Argument::Absent
            && !optional
            && r.variable(p).intent() == Some(Intent::Out)
        {
            let made = session.uninitialised_argument(routine, p, &arguments);
            arguments[k] = made.map_err(|d| d.to_string())?;
        }
    }
    let report = session.run(routine, &mut arguments, &RunOptions::default());
    report.map_err(|d| d.to_string())?;
    Ok(arguments.iter().map(|a| a.value().cloned()).collect())
}

struct Setting {
    /// The primal parameters and result at entry, and afterwards.
    entry: Given,
    exit: Given,
    independents: Vec<usize>,
    dependents: Vec<usize>,
}

/// A whole number for each variable and element.
fn weight(salt: usize, k: usize, i: usize) -> f64 {
    ((salt * 7 + k * 5 + i * 3) % 5) as f64 - 2.0
}

impl Setting {
    fn new(case: &Case, program: &Flat) -> Result<Self, String> {
        let r = case.routine();
        let mut entry: Given = Vec::new();
        for p in r.parameter_ids() {
            entry.push(case.value(p).map(|datum| {
                let v = r.variable(p);
                let made = Value::uninitialised(v.ty, &datum.extents, v.order);
                let mut made = made.expect("shapes of cases are small");
                for i in 0..datum.len() {
                    let x = match &datum.elements {
                        Elements::Real(x) => Scalar::Real(x[i]),
                        Elements::Real32(x) => Scalar::Real32(x[i]),
                        Elements::Integer(x) => Scalar::Integer(x[i]),
                        Elements::Sized(ty, x) => Scalar::Sized(*ty, x[i]),
                        Elements::Logical(x) => Scalar::Logical(x[i]),
                    };
                    assert!(made.set(i, x));
                }
                made
            }));
        }
        let exit = run(program, case.main, &entry)?;
        let place = |v: &VarId| match r.variable(*v).role {
            Role::Parameter { .. } => r.parameter_position(*v),
            _ if r.result == Some(*v) => Some(r.parameters.len()),
            _ => None,
        };
        let list = |list: &[VarId]| -> Vec<usize> { list.iter().filter_map(place).collect() };
        Ok(Self {
            entry,
            exit,
            independents: list(&r.independents),
            dependents: list(&r.dependents),
        })
    }

    /// Values like those that go in or come out; none for an absent parameter.
    fn like(&self, k: usize, result: Option<&Value>) -> Option<Value> {
        let (Some(entry), Some(exit)) = (self.entry.get(k), self.exit.get(k)) else {
            return result.cloned();
        };
        entry.clone().or_else(|| exit.clone())
    }
}

fn valid(program: Program) -> Result<Flat, String> {
    let flat = validate(program).and_then(Flat::check);
    flat.map_err(|d| format!("second order: {d}"))
}

/// seed' * (second derivative along u and v) in three ways.
pub(super) fn agrees(
    case: &Case,
    program: &Flat,
    options: &Options,
    tolerance: f64,
) -> Result<(), Failure> {
    let s = Setting::new(case, program)?;
    let r = case.routine();
    let count = r.parameters.len() + usize::from(r.result.is_some());
    // A value in the shape of the result, which is numbered behind the parameters.
    let result = r.result.map(|v| {
        let variable = r.variable(v);
        let extents: Vec<usize> = match variable.rank() {
            0 => vec![],
            _ => case.extents(v),
        };
        let made = Value::uninitialised(variable.ty, &extents, variable.order);
        let mut made = made.expect("it is small");
        made.fill(Scalar::Real(0.0));
        made.fill(Scalar::Real32(0.0));
        made
    });
    let is_real = |k: usize| match r.result {
        Some(v) if k == r.parameters.len() => r.variable(v).ty.is_real(),
        _ => r.parameter(k).is_some_and(|v| v.ty.is_real()),
    };
    let real: Vec<usize> = (0..count).filter(|&k| is_real(k)).collect();
    let place = |k: usize| real.iter().position(|&j| j == k).expect("it is real");
    let filled = |x: &dyn Fn(usize, usize) -> f64| -> Given {
        let one = |&k: &usize| Some(fill(&s.like(k, result.as_ref())?, |i| x(k, i)));
        real.iter().map(one).collect()
    };
    let chosen = |list: &[usize], k: usize, x: f64| if list.contains(&k) { x } else { 0.0 };
    let u = |k: usize, i: usize| chosen(&s.independents, k, weight(1, k, i));
    let v = |k: usize, i: usize| chosen(&s.independents, k, weight(2, k, i));
    let seed = |k: usize, i: usize| chosen(&s.dependents, k, weight(3, k, i));
    let zero = |_: usize, _: usize| 0.0;
    let mut primal = s.entry.clone();
    primal.resize(count, None);
    let dot = |from: &[Option<Value>], list: &[usize], x: &dyn Fn(usize, usize) -> f64| {
        let mut sum = 0.0;
        for &k in list {
            let Some(value) = &from[place(k)] else {
                continue;
            };
            let values = value.to_f64s().ok_or("second order: no value")?;
            sum += values
                .iter()
                .enumerate()
                .map(|(i, y)| x(k, i) * y)
                .sum::<f64>();
        }
        Ok::<f64, String>(sum)
    };

    let refused = |d| refusal("second order", &d);
    let n = real.len();
    let once = tangent(program, case.main).map_err(refused)?;
    let twice = tangent(&valid(once.program.clone())?, once.tangent).map_err(refused)?;
    let given = [primal.clone(), filled(&u), filled(&v), filled(&zero)].concat();
    let out = outs(&valid(twice.program)?, twice.tangent, given)
        .map_err(|e| format!("tangent of tangent: {e}"))?;
    let by_tangents = dot(&out[count + 2 * n..], &s.dependents, &seed)?;

    let back = reverse(program, case.main, options).map_err(refused)?;
    let both = tangent(&valid(back.program)?, back.gradient).map_err(refused)?;
    let given = [primal.clone(), filled(&seed), filled(&u), filled(&zero)].concat();
    let out = outs(&valid(both.program)?, both.tangent, given)
        .map_err(|e| format!("tangent of adjoint: {e}"))?;
    let by_adjoint = dot(&out[count + 2 * n..], &s.independents, &v)?;

    let mut changed = once.program;
    let routine = &mut changed.routines[once.tangent.index()];
    debug_assert_eq!(reals(routine, count), real);
    let first = |k: usize| routine.parameters[count + place(k)];
    routine.dependents = s.dependents.iter().map(|&k| first(k)).collect();
    let independents = s.independents.iter().map(|&k| routine.parameters[k]);
    routine.independents = independents.collect();
    if routine.independents.is_empty() || routine.dependents.is_empty() {
        return Ok(());
    }
    let back = reverse(&valid(changed)?, once.tangent, options).map_err(refused)?;
    let given = [primal, filled(&u), filled(&zero), filled(&seed)].concat();
    let out = outs(&valid(back.program)?, back.gradient, given)
        .map_err(|e| format!("adjoint of tangent: {e}"))?;
    let by_both = dot(&out[count + n..], &s.independents, &v)?;

    // Whole numbers are exact as long as they are small enough.
    let exact = by_tangents.abs() < 2f64.powi(45) && tolerance == 0.0;
    let narrow = program
        .routines
        .iter()
        .any(|r| r.variables.iter().any(|v| v.ty == ScalarType::Real32));
    let tolerance = match (exact, narrow) {
        (true, false) => 0.0,
        (false, false) => 1e-7,
        (_, true) => 1e-2,
    };
    if !near(by_adjoint, by_tangents, tolerance) || !near(by_both, by_tangents, tolerance) {
        return Err(Failure::Wrong(format!(
            "second-order: tangent of tangent {by_tangents}, tangent of adjoint {by_adjoint}, adjoint of \
             tangent {by_both}"
        )));
    }
    Ok(())
}

/// Runs without values for `out` parameters.
fn outs(program: &Flat, routine: RoutineId, mut given: Given) -> Result<Given, String> {
    let r = program.routine(routine);
    for (k, p) in r.parameter_ids().enumerate() {
        let role = r.variable(p).role;
        if let Role::Parameter {
            intent: Intent::Out,
            optional: false,
        } = role
        {
            given[k] = None;
        }
    }
    run(program, routine, &given)
}
