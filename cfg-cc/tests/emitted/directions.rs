//! Several directions at once: each has the values of the routine for one direction, in the executor and as C.

use crate::random::{check, options, seeds};
use crate::support::{Job, compile, fill, filled_point, finished, weights};
use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{Order, ParameterRole, Program, ScalarType, Signature},
    validate::validate,
};
use cfg_exec::{Argument, RunOptions, Session, Value};
use cfg_core::elemental::Scalar;
use cfg_testkit::{case::Case, general, generate, jumps, kernels, rng::Rng};

const COUNT: usize = 3;

/// Values of one derivative in all directions, next to each other.
fn combined(values: &[Value]) -> Value {
    let first = &values[0];
    let mut shape = first.shape().to_vec();
    match first.order() {
        Order::Row => shape.push(values.len()),
        Order::Column => shape.insert(0, values.len()),
    }
    let mut made = Value::uninitialised(first.ty(), &shape, first.order()).unwrap();
    for (k, value) in values.iter().enumerate() {
        for e in 0..value.len() {
            if let Some(x) = value.get(e) {
                made.set(e * values.len() + k, x);
            }
        }
    }
    made
}

/// The value of one direction among all.
fn one_of(all: &Value, k: usize, like: &Value) -> Value {
    let mut made = Value::uninitialised(like.ty(), like.shape(), like.order()).unwrap();
    for e in 0..like.len() {
        if let Some(x) = all.get(e * COUNT + k) {
            made.set(e, x);
        }
    }
    made
}

fn same(a: &Value, b: &Value) -> bool {
    (0..a.len()).all(|k| match (a.get(k), b.get(k)) {
        (None, None) => true,
        (Some(Scalar::Real(a)), Some(Scalar::Real(b))) => {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        }
        (Some(Scalar::Real32(a)), Some(Scalar::Real32(b))) => {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        }
        (a, b) => a == b,
    })
}

/// The gradient and the tangent of a case in several directions, compared with one direction after the other in the
/// executor, as jobs for the compiler. `refused` counts those that have none.
fn vector_jobs(
    name: &str,
    case: &Case,
    options: &cfg_reverse::Options,
    seed: u64,
    refused: &mut usize,
) -> Vec<Job> {
    let program = validate(case.program.clone()).unwrap();
    let (point, globals) = filled_point(case, &program);
    let reversal = cfg_reverse::reverse(&program, case.main, options).ok();
    let tangent = cfg_reverse::tangent(&program, case.main).ok();
    let reversal =
        reversal.map(|m| ("gradient", m.program, m.gradient, m.adjoint_globals));
    let tangent = tangent.map(|m| ("tangent", m.program, m.tangent, m.tangent_globals));
    let mut jobs = Vec::new();
    for (what, derived, r, pairs) in reversal.into_iter().chain(tangent) {
        let derivatives: Vec<GlobalId> = pairs.iter().map(|(_, g)| *g).collect();
        match vector_job(case, derived, r, &derivatives, (&point, &globals), seed) {
            Ok(Some(mut job)) => {
                job.title = format!("{name}, {what} in several directions");
                jobs.push(job);
            }
            Ok(None) => {}
            Err(why) if why.starts_with("refused") => *refused += 1,
            Err(why) => panic!("{name}, {what}: {why}"),
        }
    }
    jobs
}

/// Arrays as results of functions are not written as C.
fn routine_has_array_result(program: &Program) -> bool {
    let mut routines = program.routines.iter();
    routines.any(|r| r.result.is_some_and(|v| r.variable(v).rank() > 0))
}

type Point<'a> = (&'a [Argument], &'a [(GlobalId, Value)]);

fn vector_job(
    case: &Case,
    derived: Program,
    r: RoutineId,
    derivatives: &[GlobalId],
    (point, globals): Point<'_>,
    seed: u64,
) -> Result<Option<Job>, String> {
    let routine = case.routine();
    let single = validate(derived.clone()).unwrap();
    let signature = Signature::of(&single, r);
    let position = |v| routine.parameter_ids().position(|p| p == v);
    let mut rng = Rng::new(seed);
    let compiled = compile(&single);
    let mut runs = Vec::new();
    for _ in 0..COUNT {
        let mut session = Session::new(&compiled);
        for (g, value) in globals {
            session.set_global(*g, value).unwrap();
        }
        let mut arguments = Vec::new();
        for role in &signature.parameters {
            arguments.push(match role {
                ParameterRole::Primal(v) => {
                    position(*v).map(|k| point[k].clone()).unwrap_or_default()
                }
                ParameterRole::Adjoint(v) | ParameterRole::Tangent(v) => {
                    match position(*v).map(|k| &point[k]) {
                        Some(Argument::Value(value)) => weights(value, &mut rng).into(),
                        Some(_) => Argument::Absent,
                        None => {
                            let ty = routine.variable(*v).ty;
                            let scalar = Value::uninitialised(ty, &[], Order::Row).unwrap();
                            weights(&scalar, &mut rng).into()
                        }
                    }
                }
                ParameterRole::Tape | ParameterRole::Own(_) => Argument::Absent,
            });
        }
        fill(&session, &single, r, &mut arguments);
        let more: Vec<Value> = derivatives
            .iter()
            .map(|g| {
                let value = weights(&session.global(*g), &mut rng);
                session.set_global(*g, &value).unwrap();
                value
            })
            .collect();
        // What overlaps was set more than once.
        let more: Vec<Value> = derivatives.iter().zip(more).map(|(g, _)| session.global(*g)).collect();
        let before = arguments.clone();
        if session.run(r, &mut arguments, &RunOptions::default()).is_err() {
            return Ok(None);
        }
        let after: Vec<Value> = derivatives.iter().map(|g| session.global(*g)).collect();
        runs.push((before, arguments, more, after));
    }
    let (vector, made) = cfg_reverse::directions(derived, &[r], derivatives)
        .map_err(|e| format!("refused: {e}"))?;
    let vector = validate(vector).map_err(|e| format!("not valid: {e}"))?;
    let made = &made[0];
    let bases: Vec<_> = made.globals.iter().map(|(_, g)| vector.storage(*g).0).collect();
    if (1..bases.len()).any(|k| bases[..k].contains(&bases[k])) {
        // Arguments of the executor do not overlap.
        return Ok(None);
    }
    let of_vector = vector.routine(made.routine);
    let count = Value::integer(COUNT as i64);
    let mut arguments: Vec<Argument> = vec![count.into()];
    let mut expected: Vec<Option<Vec<Value>>> = vec![None];
    for (k, role) in signature.parameters.iter().enumerate() {
        let each = |which: &dyn Fn(&(Vec<Argument>, Vec<Argument>, Vec<Value>, Vec<Value>)) -> Argument| {
            let all = runs.iter().map(which);
            all.map(|a| match a {
                Argument::Value(v) => Some(v),
                _ => None,
            })
            .collect::<Option<Vec<Value>>>()
        };
        let (before, after) = (each(&|r| r.0[k].clone()), each(&|r| r.1[k].clone()));
        match role {
            ParameterRole::Adjoint(_) | ParameterRole::Tangent(_) => {
                arguments.push(before.map_or(Argument::Absent, |b| combined(&b).into()));
                expected.push(after);
            }
            _ => {
                arguments.push(runs[0].0[k].clone());
                expected.push(after.map(|a| vec![a[0].clone()]));
            }
        }
    }
    for (_, g) in &made.globals {
        let k = derivatives.iter().position(|d| d == g).unwrap();
        let before: Vec<Value> = runs.iter().map(|r| r.2[k].clone()).collect();
        arguments.push(combined(&before).into());
        expected.push(Some(runs.iter().map(|r| r.3[k].clone()).collect()));
    }
    let set = |session: &mut Session| {
        for (g, value) in globals {
            session.set_global(*g, value).unwrap();
        }
    };
    let why = {
        let compiled = compile(&vector);
        let mut session = Session::new(&compiled);
        set(&mut session);
        let mut arguments = arguments.clone();
        let ran = session.run(made.routine, &mut arguments, &RunOptions::default());
        ran.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let job = finished(String::new(), vector.clone(), made.routine, arguments, &set);
    if vector.routines.iter().any(|r| r.aliased) {
        // Elements with gaps as an array of another rank: extents are never constant here.
        let options = cfg_back::c::Options::default();
        let alone = cfg_back::c::server(&[(&vector, made.routine)], options, false);
        if alone.is_err_and(|e| e.iter().all(|d| d.code == "B802")) {
            return Ok(None);
        }
    }
    let Some(job) = job else {
        if routine_has_array_result(&vector) {
            return Ok(None);
        }
        return Err(format!("the run in several directions fails: {why}"));
    };
    for ((p, found), expected) in of_vector
        .parameter_ids()
        .zip(&job.expected.arguments)
        .zip(&expected)
    {
        let (Argument::Value(found), Some(expected)) = (found, expected) else {
            continue;
        };
        let name = &of_vector.variable(p).name;
        for (k, value) in expected.iter().enumerate() {
            let found = if expected.len() == 1 && found.len() == value.len() {
                found.clone()
            } else {
                one_of(found, k, value)
            };
            if !same(value, &found) {
                return Err(format!("{name} in direction {k}: {found:?} instead of {value:?}"));
            }
        }
    }
    Ok(Some(job))
}

fn family(name: &str, case: impl Fn(u64) -> Case) {
    let (mut all, mut refused) = (Vec::new(), 0);
    for seed in seeds() {
        let name = format!("{name} {seed}");
        all.extend(vector_jobs(&name, &case(seed), &options(seed), seed, &mut refused));
    }
    let least = 2 * seeds().count() * 3 / 4;
    assert!(all.len() >= least, "{} jobs of at least {least}, {refused} refused", all.len());
    check(&all);
}

#[test]
fn structured_programs() {
    for (name, options) in [
        ("exact", generate::Options::EXACT),
        ("wide", generate::Options::WIDE),
        ("wide smooth", generate::Options::WIDE_SMOOTH),
    ] {
        family(name, |seed| generate::generate(&options, seed).unwrap());
    }
}

#[test]
fn general_programs() {
    family("general", general::generate);
}

#[test]
fn fixtures_and_shapes_of_jumps() {
    let (mut all, mut refused) = (Vec::new(), 0);
    for (seed, kernel) in (0..).zip(kernels::all()) {
        let case = kernel.case(kernel.size);
        all.extend(vector_jobs(kernel.name, &case, &options(seed), seed, &mut refused));
    }
    for (seed, shape) in (0..).zip(jumps::shapes()) {
        all.extend(vector_jobs(shape.name, &shape.case, &options(seed), seed, &mut refused));
    }
    assert_eq!(refused, 0);
    check(&all);
    let _ = ScalarType::Real;
}
