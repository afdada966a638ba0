//! Several directions at once: each has the values of the routine for one direction, in the executor and as C.

use crate::families::options;
use crate::random::{check, seeds};
use crate::support::flat;
use crate::support::{Job, compile, fill, filled_point, finished, routines, several, weights};
use cfg_back::c;
use cfg_core::elemental::Scalar;
use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{Order, ParameterRole, Program, Signature},
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, RunOptions, Session, Value};
use cfg_reverse::{Count, Directions};
use cfg_testkit::{case::Case, general, generate, jumps, kernels, needs, rng::Rng};
use std::num::NonZeroU32;

const COUNT: usize = 3;

/// Values of one derivative in all directions, next to each other.
pub(crate) fn combined(values: &[Value]) -> Value {
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
    let reversal = cfg_reverse::reverse(&flat(&program), case.main, options).ok();
    let tangent = cfg_reverse::tangent(&flat(&program), case.main).ok();
    let reversal = reversal.map(|m| ("gradient", m.program, m.gradient, m.adjoint_globals));
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

/// The result of a function, as the executor computes it.
fn result_of(case: &Case, (point, globals): Point<'_>) -> Option<Value> {
    let program = validate(case.program.clone()).unwrap();
    let compiled = compile(&program);
    let mut session = Session::new(&compiled);
    for (g, value) in globals {
        session.set_global(*g, value).unwrap();
    }
    let mut arguments = point.to_vec();
    let ran = session.run(case.main, &mut arguments, &RunOptions::default());
    ran.ok()?.result
}

/// Arguments before and after a run in one direction, and derivatives of globals before and after it.
type Run = (Vec<Argument>, Vec<Argument>, Vec<Value>, Vec<Value>);

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
    let signature = Signature::from_origins(&single, r);
    let position = |v| routine.parameter_ids().position(|p| p == v);
    let mut rng = Rng::new(seed);
    let result = result_of(case, (point, globals));
    let compiled = compile(&single);
    let mut runs: Vec<Run> = Vec::new();
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
                            let like = result.as_ref().filter(|_| routine.result == Some(*v));
                            weights(like.unwrap_or(&scalar), &mut rng).into()
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
        // A cell with two names was set twice; the last value counts for both.
        let more: Vec<Value> = derivatives
            .iter()
            .zip(more)
            .map(|(g, _)| session.global(*g))
            .collect();
        let before = arguments.clone();
        if session
            .run(r, &mut arguments, &RunOptions::default())
            .is_err()
        {
            return Ok(None);
        }
        let after: Vec<Value> = derivatives.iter().map(|g| session.global(*g)).collect();
        runs.push((before, arguments, more, after));
    }
    let fixed = Directions::Fixed(NonZeroU32::new(COUNT as u32).unwrap());
    let count = [Directions::Given, fixed][seed as usize % 2];
    let (vector, made) = cfg_reverse::directions(derived, &[r], derivatives, count)
        .map_err(|e| format!("refused: {e}"))?;
    let vector = validate(vector).map_err(|e| format!("not valid: {e}"))?;
    let made = &made[0];
    let bases: Vec<_> = made
        .globals
        .iter()
        .map(|(_, g)| vector.storage(*g).0)
        .collect();
    if (1..bases.len()).any(|k| bases[..k].contains(&bases[k])) {
        // Arguments of the executor do not overlap.
        return Ok(None);
    }
    let of_vector = vector.routine(made.routine);
    let mut arguments: Vec<Argument> = Vec::new();
    let mut expected: Vec<Option<Vec<Value>>> = Vec::new();
    if let Count::Parameter(_) = made.count {
        arguments.push(Value::integer(COUNT as i64).into());
        expected.push(None);
    }
    for (k, role) in signature.parameters.iter().enumerate() {
        let each = |which: &dyn Fn(&Run) -> Argument| {
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
    let Some(job) = job else {
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
                return Err(format!(
                    "{name} in direction {k}: {found:?} instead of {value:?}"
                ));
            }
        }
    }
    Ok(Some(job))
}

fn family(name: &str, case: impl Fn(u64) -> Case) {
    let (mut all, mut refused) = (Vec::new(), 0);
    for seed in seeds() {
        let name = format!("{name} {seed}");
        all.extend(vector_jobs(
            &name,
            &case(seed),
            &options(seed),
            seed,
            &mut refused,
        ));
    }
    let least = 2 * seeds().count() * 2 / 3;
    assert!(
        all.len() >= least,
        "{} jobs of at least {least}, {refused} refused",
        all.len()
    );
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
        all.extend(vector_jobs(
            kernel.name,
            &case,
            &options(seed),
            seed,
            &mut refused,
        ));
    }
    for (seed, shape) in (0..).zip(jumps::shapes()) {
        all.extend(vector_jobs(
            shape.name,
            &shape.case,
            &options(seed),
            seed,
            &mut refused,
        ));
    }
    assert_eq!(refused, 0);
    check(&all);
}

/// A function with a result, globals of which one lies over another, an optional argument, 32 bits, and a call.
const MIXED: &str = "
global real g[3] = 1.5
global real over[2] overlays g at 1

subroutine step(in real a[:], inout real y, optional in real p)
  uses over
  local integer i
  for i = 1, size(a, 1)
    y := y + a[i]*over[1]*y
  end
  if present(p)
    y := y*p
  end
end

main function f(in real c, in real a[:], inout real32 w[2], optional in real p) result r
  local real r
  uses g
  local integer i
  independent c, a, w, p, g
  dependent r, w
  r := c
  call step(a, r, p)
  for i = 1, 3
    r := r + sin(g[i]*c)
  end
  w[1] := w[1]*w[2]*real32(r)
end
";

const MIXED_MAIN: &str = r#"
#include "adjoint.h"
#include "tangent.h"
#include <stdio.h>
#include <string.h>
enum { ND = 5, N = 4 };
static int failures;
static void same(const void *a, const void *b, size_t n, const char *what)
{
    if (memcmp(a, b, n)) {
        printf("%s\n", what);
        ++failures;
    }
}
int main(void)
{
    const double a[N] = {0.5, -1.25, 2, 0.125}, p = 1.5;
    double c = 0.75, value, seeds[ND], c_b[ND] = {0}, a_b[N][ND] = {{0}}, p_b[ND] = {0}, g_b[3][ND];
    float w0[2] = {1.5f, -2}, w[2], w_b[2][ND];
    struct cfgrev_tape tape = {0};
    struct f_globals_b_v globals = {0};
    int d, k, sweeps, given;
    for (given = 0; given < 2; ++given)
        for (sweeps = 0; sweeps < 2; ++sweeps) {
            memset(c_b, 0, sizeof c_b);
            memset(a_b, 0, sizeof a_b);
            memset(p_b, 0, sizeof p_b);
            for (d = 0; d < ND; ++d) {
                seeds[d] = 1 + 0.25 * d;
                for (k = 0; k < 2; ++k)
                    w_b[k][d] = (float)(d - k);
                for (k = 0; k < 3; ++k)
                    g_b[k][d] = 0.5 * k;
            }
            globals.g_b = &g_b[0][0];
            memcpy(w, w0, sizeof w);
            if (sweeps) {
                if (f_fwd(c, N, a, w, given ? &p : NULL, &value, &tape)
                    || f_rev_v(ND, c, c_b, N, a, &a_b[0][0], w, &w_b[0][0], given ? &p : NULL, given ? p_b : NULL, seeds, &globals, &tape))
                    return 1;
            } else if (f_grad_v(ND, c, c_b, N, a, &a_b[0][0], w, &w_b[0][0], given ? &p : NULL, given ? p_b : NULL, &value, seeds, &globals, given ? &tape : NULL)) {
                return 2;
            }
            for (d = 0; d < ND; ++d) {
                double x_c = 0, x_a[N] = {0}, x_p = 0, x_value;
                float x_w[2], x_w_b[2];
                struct f_globals_b x_g;
                memcpy(x_w, w0, sizeof w);
                for (k = 0; k < 2; ++k)
                    x_w_b[k] = (float)(d - k);
                for (k = 0; k < 3; ++k)
                    x_g.g_b[k] = 0.5 * k;
                if (f_grad(c, &x_c, N, a, x_a, x_w, x_w_b, given ? &p : NULL, given ? &x_p : NULL, &x_value, 1 + 0.25 * d, &x_g, &tape))
                    return 3;
                same(&x_c, &c_b[d], sizeof x_c, "c_b");
                same(&x_p, &p_b[d], sizeof x_p, "p_b");
                for (k = 0; k < N; ++k)
                    same(&x_a[k], &a_b[k][d], sizeof x_a[k], "a_b");
                for (k = 0; k < 2; ++k)
                    same(&x_w_b[k], &w_b[k][d], sizeof x_w_b[k], "w_b");
                for (k = 0; k < 3; ++k)
                    same(&x_g.g_b[k], &g_b[k][d], sizeof x_g.g_b[k], "g_b");
                same(&x_value, &value, sizeof value, "value");
                if (!sweeps)
                    same(x_w, w, sizeof w, "w");
            }
            if (x_a_is_zero(&a_b[0][0]) || seeds[1] != 1.25)
                return 4;
        }
    /* No directions, and globals whose derivatives nobody wants. */
    memcpy(w, w0, sizeof w);
    if (f_grad_v(0, c, c_b, N, a, &a_b[0][0], w, &w_b[0][0], NULL, NULL, NULL, seeds, NULL, NULL)
        || f_grad_v(ND, c, c_b, N, a, &a_b[0][0], w, &w_b[0][0], NULL, NULL, NULL, seeds, NULL, &tape))
        return 5;
    {
        double c_t[ND], a_t[N][ND], value_t[ND], p_t[ND] = {1, 2, 3, 4, 5};
        float w_t[2][ND];
        struct f_globals_t_v globals_t = {0};
        globals_t.g_t = &g_b[0][0];
        memcpy(w, w0, sizeof w);
        for (d = 0; d < ND; ++d) {
            c_t[d] = d;
            for (k = 0; k < N; ++k)
                a_t[k][d] = k - d;
            for (k = 0; k < 2; ++k)
                w_t[k][d] = (float)(k + d);
            for (k = 0; k < 3; ++k)
                g_b[k][d] = k * d;
        }
        if (f_t_v(ND, c, c_t, N, a, &a_t[0][0], w, &w_t[0][0], &p, p_t, &value, value_t, &globals_t, &tape))
            return 6;
        for (d = 0; d < ND; ++d) {
            double x_a[N], x_value, x_value_t;
            float x_w[2], x_w_t[2];
            struct f_globals_t x_g;
            memcpy(x_w, w0, sizeof w);
            for (k = 0; k < N; ++k)
                x_a[k] = k - d;
            for (k = 0; k < 2; ++k)
                x_w_t[k] = (float)(k + d);
            for (k = 0; k < 3; ++k)
                x_g.g_t[k] = k * d;
            if (f_t(c, d, N, a, x_a, x_w, x_w_t, &p, &p_t[d], &x_value, &x_value_t, &x_g, NULL))
                return 7;
            same(&x_value_t, &value_t[d], sizeof value_t[d], "value_t");
            for (k = 0; k < 2; ++k)
                same(&x_w_t[k], &w_t[k][d], sizeof x_w_t[k], "w_t");
        }
    }
    cfgrev_tape_free(&tape);
    return failures ? 8 : 0;
}
"#;

#[test]
fn callers_in_c() {
    let Some(cc) = needs::tool("cc") else { return };
    let program = crate::interface::parse(MIXED);
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let fixed = Directions::Fixed(NonZeroU32::new(5).unwrap());
    for (checks, count) in [
        (false, Directions::Given),
        (true, Directions::Given),
        (false, fixed),
        (true, fixed),
    ] {
        for header in [false, true] {
            let options = c::Options {
                checks,
                header,
                ..c::Options::default()
            };
            let [adjoint, tangent] = files(&program, count, options);
            let ending = if header { "h" } else { "c" };
            write(&format!("adjoint.{ending}"), &adjoint);
            write(&format!("tangent.{ending}"), &tangent);
        }
        // Linked apart both would define the globals.
        write("all.c", "#include \"adjoint.c\"\n#include \"tangent.c\"\n");
        let main = MIXED_MAIN.replace("int main(void)", ZERO);
        let main = match count {
            Directions::Given => main,
            Directions::Fixed(_) => main.replace("_v(ND, ", "_v(").replace("_v(0, ", "_v("),
        };
        write("main.c", &main);
        for how in ["-O2", "-fsanitize=address,undefined"] {
            let arguments = [
                how,
                "-ffp-contract=off",
                "-o",
                "main",
                "main.c",
                "all.c",
                "-lm",
            ];
            crate::interface::compile(folder.path(), &cc, &arguments);
            let ran = std::process::Command::new(folder.path().join("main"))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
            assert!(
                ran.status.success() && said.is_empty(),
                "{how}: {} {said}",
                ran.status
            );
        }
    }
}

const ZERO: &str = "static int x_a_is_zero(const double *x)
{
    int k;
    for (k = 0; k < N * ND; ++k)
        if (x[k] != 0)
            return 0;
    return 1;
}
int main(void)";

/// The adjoint and the tangent file with functions in several directions.
fn files(program: &ValidProgram, count: Directions, options: c::Options) -> [String; 2] {
    let main = program.main.unwrap();
    let made =
        cfg_reverse::reverse(&flat(program), main, &cfg_reverse::Options::default()).unwrap();
    let globals: Vec<GlobalId> = made.adjoint_globals.iter().map(|(_, g)| *g).collect();
    let routines = routines(&made);
    let heads = [made.reverse, made.gradient];
    let (derived, all) = cfg_reverse::directions(made.program, &heads, &globals, count).unwrap();
    let derived = validate(derived).unwrap_or_else(|e| panic!("{e}"));
    let both = [several(&all[0]), several(&all[1])];
    let adjoint =
        c::adjoint_in_directions(&flat(&derived), routines, Some(&both), options).unwrap();
    let made = cfg_reverse::tangent(&flat(program), main).unwrap();
    let globals: Vec<GlobalId> = made.tangent_globals.iter().map(|(_, g)| *g).collect();
    let (derived, all) =
        cfg_reverse::directions(made.program, &[made.tangent], &globals, count).unwrap();
    let derived = validate(derived).unwrap_or_else(|e| panic!("{e}"));
    let one = several(&all[0]);
    let tangent = c::tangent_in_directions(
        &flat(&derived),
        made.original,
        made.tangent,
        Some(&one),
        options,
    )
    .unwrap();
    [adjoint, tangent]
}
