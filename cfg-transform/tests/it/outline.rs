//! Programs with regions as routines of their own compute the same, bit for bit, and so do their adjoints.

use cfg_core::{
    entity::{EdgeId, RoutineId, VertexId},
    ir::{Program, VertexKind},
    validate::{ValidProgram, validate},
};
use cfg_drive::{Adjoint, Options, Primal};
use cfg_format::text;
use cfg_testkit::flat;
use cfg_testkit::{
    case::Case,
    general,
    generate::{self, generate},
    interpret::{Limits, Outcome},
    property::check_numbered,
    reorder::spread,
    rng::Rng,
};
use cfg_transform::outline::{Region, outline};
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The regions that were outlined, and the gradients that were compared.
#[derive(Default)]
struct Counts {
    regions: AtomicU64,
    gradients: AtomicU64,
}

impl Counts {
    fn are_at_least(&self, regions: u64, gradients: u64) {
        let found = (self.regions.load(Relaxed), self.gradients.load(Relaxed));
        assert!(found.0 >= regions && found.1 >= gradients, "{found:?}");
    }
}

fn valid(program: Program) -> Result<ValidProgram, String> {
    validate(program).map_err(|d| d.to_string())
}

/// A region of some routine: a loop, a branch with its end, a block, or the vertices between two edges.
fn region(
    program: &ValidProgram,
    rng: &mut Rng,
    among: &[RoutineId],
) -> Option<(RoutineId, Region)> {
    let id = *rng.pick(among)?;
    let cfg = program.routine(id).body.as_ref()?;
    let v = VertexId::new(rng.below(cfg.vertex_count()));
    let edge = |rng: &mut Rng| EdgeId::new(rng.below(cfg.edge_count()));
    let region = match &cfg.vertex(v).kind {
        _ if rng.percent(15) => Region::between(cfg, edge(rng), edge(rng)),
        VertexKind::Loop { .. } => Region::of_loop(cfg, v)?,
        VertexKind::Branch(_) => {
            let end = program.structure(id)?.partner(v)?;
            let (&[entry], &[exit]) = (cfg.in_edges(v), cfg.out_edges(end)) else {
                return None;
            };
            Region::between(cfg, entry, exit)
        }
        _ => Region::new([v]),
    };
    Some((id, region))
}

/// Outlines some regions; the number of those that were.
fn outlined(
    program: &ValidProgram,
    seed: u64,
    among: &[RoutineId],
) -> Result<(ValidProgram, u64), String> {
    let mut rng = Rng::new(seed);
    let mut program = program.clone();
    let mut all = among.to_vec();
    let mut done = 0;
    for _ in 0..6 {
        let Some((id, region)) = region(&program, &mut rng, &all) else {
            continue;
        };
        if let Ok(made) = outline(&program, id, &region) {
            all.push(RoutineId::new(made.routines.len() - 1));
            program = valid(made).map_err(|e| format!("invalid: {e}"))?;
            done += 1;
        }
    }
    Ok((program, done))
}

/// All that a run leaves, as text in which zeros of either sign are told apart.
fn left(outcome: &Outcome<()>) -> String {
    format!(
        "{:?} {:?} {:?}",
        outcome.parameters, outcome.globals, outcome.result
    )
}

/// The result of the executor, or the code of the problem.
fn executed(program: &ValidProgram, case: &Case) -> Result<String, &'static str> {
    let code = |d: cfg_core::diagnostic::Diagnostics| d.0.first().map_or("", |d| d.code);
    let mut primal = Primal::new(&flat(program), case.main, &Options::default()).map_err(code)?;
    let point = primal
        .read_point(case.point_text().as_bytes())
        .map_err(code)?;
    let run = primal.run(&point).map_err(code)?;
    Ok(format!("{:?}", run.value))
}

/// The gradient of the sum of all dependents by both sweeps, or the code of the problem.
fn gradient(
    adjoint: Result<Adjoint, cfg_core::diagnostic::Diagnostics>,
    case: &Case,
) -> Result<String, &'static str> {
    let code = |d: cfg_core::diagnostic::Diagnostics| d.0.first().map_or("", |d| d.code);
    let mut adjoint = adjoint.map_err(code)?;
    let point = adjoint
        .read_point(case.point_text().as_bytes())
        .map_err(code)?;
    let seed = adjoint.seed_of_ones(&point).map_err(code)?;
    let found = adjoint.gradient(&point, &seed).map_err(code)?;
    Ok(format!("{:?} {:?}", found.value, found.gradient))
}

/// An error if two things differ as text.
fn same(what: &str, a: &impl Debug, b: &impl Debug) -> Result<(), String> {
    let (a, b) = (format!("{a:?}"), format!("{b:?}"));
    match a == b {
        true => Ok(()),
        false => Err(format!("{what}: {a}\nbut {b}")),
    }
}

/// A case gives the same results after outlining.
fn agrees(seed: u64, case: &Case, counted: &Counts) -> Result<(), String> {
    let original = valid(case.program.clone())?;
    let all: Vec<RoutineId> = (0..original.routines.len()).map(RoutineId::new).collect();
    let (program, done) = outlined(&original, seed, &all)?;
    if done == 0 {
        return Ok(());
    }
    counted.regions.fetch_add(done, Relaxed);
    let other = Case {
        program: program.program().clone(),
        ..case.clone()
    };
    let run = |case: &Case| case.run(Limits::default()).map(|o| left(&o));
    same("run", &run(case), &run(&other))?;
    same(
        "executor",
        &executed(&original, case),
        &executed(&program, case),
    )?;
    let options = Options::default();
    let expected = gradient(Adjoint::new(&flat(&original), case.main, &options), case);
    if expected.is_ok() {
        counted.gradients.fetch_add(1, Relaxed);
        let found = gradient(Adjoint::new(&flat(&program), case.main, &options), case);
        same("gradient", &expected, &found)?;
    }
    Ok(())
}

#[test]
fn exact_programs() {
    let counted = Counts::default();
    check_numbered(&generate::Options::EXACT, 0..300, |seed, case| {
        agrees(seed, case, &counted)
    });
    counted.are_at_least(600, 150);
}

#[test]
fn wide_programs() {
    let counted = Counts::default();
    check_numbered(&generate::Options::WIDE, 1000..1250, |seed, case| {
        agrees(seed, case, &counted)
    });
    counted.are_at_least(400, 80);
}

#[test]
fn general_programs() {
    let counted = Counts::default();
    for seed in 0..150 {
        let case = general::generate(seed);
        agrees(seed, &case, &counted).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
    counted.are_at_least(150, 50);
}

/// The position of parameters among the variables matters neither for the routine nor for the new one.
#[test]
fn parameters_anywhere() {
    let mut count = 0;
    for seed in 0..200 {
        let Ok(case) = generate(&generate::Options::WIDE, 2000 + seed) else {
            continue;
        };
        let other = spread(&case, &mut Rng::new(seed));
        let [(a, done), (b, _)] = [case, other].map(|case| {
            let program = valid(case.program).expect("programs are valid");
            let all: Vec<RoutineId> = (0..program.routines.len()).map(RoutineId::new).collect();
            outlined(&program, seed, &all).unwrap_or_else(|e| panic!("seed {seed}: {e}"))
        });
        assert_eq!(a.to_string(), b.to_string(), "seed {seed}");
        count += done;
    }
    assert!(count > 300, "{count}");
}

/// Loops of the sweeps, which push and pop, become routines that take the tape.
#[test]
fn sweeps() {
    let mut count = 0;
    for seed in 0..100 {
        let case = generate(&generate::Options::EXACT, seed).expect("programs run");
        let original = valid(case.program.clone()).expect("programs are valid");
        let options = Options::default();
        let Ok(mut reversal) = cfg_reverse::reverse(&flat(&original), case.main, &options.reversal)
        else {
            continue;
        };
        let Ok(expected) = gradient(Adjoint::new(&flat(&original), case.main, &options), &case)
        else {
            continue;
        };
        let program = valid(reversal.program.clone()).expect("sweeps are valid");
        let sweeps: Vec<RoutineId> = reversal.sweeps.iter().flat_map(|s| [s.1, s.2]).collect();
        let (program, done) =
            outlined(&program, seed, &sweeps).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        reversal.program = program.into_program();
        let found = gradient(Adjoint::compile(reversal, &options), &case);
        assert_eq!(found.as_ref(), Ok(&expected), "seed {seed}");
        count += done;
    }
    assert!(count > 150, "{count}");
}

/// An error in a region becomes one in its routine, with the same code and at the same vertex.
#[test]
fn errors() {
    let source = |n: &str, e: &str| {
        format!(
            "subroutine f(in integer n, inout real x[n])\n  local integer i\n  local real w[3]\n  \
             for i = 1, {n}\n    x[i] := {e}\n  end\n  w := x\nend\n"
        )
    };
    for (n, e) in [
        ("n + 1", "2.0"),
        ("n", "x[i + 1]"),
        ("n", "real(1/(n - i))"),
        ("n", "w[i]"),
    ] {
        let parsed = text::parse(&source(n, e));
        let original = valid(parsed.program.expect("it is the text form")).expect("it is valid");
        let f = RoutineId::new(0);
        let cfg = original.routine(f).body.as_ref().expect("there is a body");
        let region = cfg.with_id(2).and_then(|v| Region::of_loop(cfg, v));
        let made = outline(&original, f, &region.expect("vertex 2 is the loop"));
        let outlined = valid(made.expect("loops can be outlined")).expect("it is valid");
        let problem = |program: &ValidProgram| {
            let mut primal =
                Primal::new(&flat(program), f, &Options::default()).expect("it compiles");
            let point = primal
                .read_point(br#"{"n": 2, "x": [1, 2]}"#)
                .expect("it is a point");
            let problems = primal.run(&point).map(|run| format!("{:?}", run.value));
            problems.map_err(|d| (d.0[0].code, d.0[0].message.clone()))
        };
        let (expected, found) = (problem(&original), problem(&outlined));
        assert!(expected.is_err(), "{expected:?}");
        assert_eq!(expected, found);
    }
}
