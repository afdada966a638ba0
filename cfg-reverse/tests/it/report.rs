//! The figures of L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957: the programs whose adjoints lie in
//! `src/passes` as text have the right derivatives, by the executor against operator overloading, and their reverse
//! sweeps read what was there.

use crate::{bounds::valid, run, witness::witnessed};
use cfg_core::ir::{ScalarType, Stmt, StmtKind};
use cfg_reverse::{Options, Prefer, Results, reverse};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    flat,
    interpret::Limits,
    rng::Rng,
};

/// A program at a point: integers by name, and the extents of arrays by name. Reals are drawn.
fn case(
    source: &str,
    integers: &[(&str, &[i64])],
    extents: &[(&str, &[usize])],
    rng: &mut Rng,
) -> Case {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let routine = program.routine(main);
    let find = |name: &str| extents.iter().find(|(of, _)| *of == name);
    let extents_of = |name: &str| find(name).map_or(Vec::new(), |(_, extents)| extents.to_vec());
    let mut reals = |name: &str| -> Vec<f64> {
        let n = extents_of(name).iter().product();
        (0..n).map(|_| rng.real(-1.5, 1.5)).collect()
    };
    let point = routine.parameter_ids().map(|v| {
        let name = &*routine.variable(v).name;
        let elements = match integers.iter().find(|(of, _)| *of == name) {
            Some((_, values)) => Elements::Integer(values.to_vec()),
            None => Elements::Real(reals(name)),
        };
        let extents = extents_of(name);
        (v, Datum { extents, elements })
    });
    let point = point.collect();
    let mut weights = |of: &[_]| -> Vec<_> {
        let of = of.iter();
        of.map(|&v| (v, reals(&routine.variable(v).name))).collect()
    };
    Case {
        direction: weights(&routine.independents),
        seed: weights(&routine.dependents),
        main,
        point,
        program: program.program().clone(),
    }
}

/// Runs the gradient of a case, and compares its adjoints with derivatives by operator overloading; then runs it under
/// the witness.
fn agrees(case: &Case, options: &Options) -> Result<(), String> {
    let limits = Limits::default();
    let expected = case.gradient(limits).map_err(|f| format!("{f:?}"))?;
    let flat = run::valid(case.program.clone())?;
    let made = reverse(&flat, case.main, options).map_err(|d| d.to_string())?;
    let mut given = run::point(case);
    let routine = case.routine();
    for v in routine.parameter_ids() {
        let variable = routine.variable(v);
        if variable.ty == ScalarType::Real {
            let seed = case.seed.iter().find(|(of, _)| *of == v);
            let seed = |i: usize| seed.map_or(0.0, |(_, seed)| seed[i]);
            let adjoint = run::filled(&given[&variable.name], seed);
            given.insert(format!("{}_b", variable.name), adjoint);
        }
    }
    let program = run::valid(made.program)?;
    let found = run::run(&program, made.gradient, &given)?;
    for (v, expected) in expected {
        let name = format!("{}_b", routine.variable(v).name);
        for (i, &expected) in expected.iter().enumerate() {
            let found = found[&name].get_f64(i);
            if !found.is_some_and(|found| run::near(found, expected, 1e-12)) {
                return Err(format!("{name}[{i}] is {found:?}, not {expected}"));
            }
        }
    }
    let report = witnessed(case, &flat, options)?.ok_or("there is no adjoint")?;
    match report.wrong == 0 && report.astray.is_empty() {
        true => Ok(()),
        false => Err(format!("{report:?}")),
    }
}

/// Compares the derivatives of a program at several points under several options.
fn check(
    source: &str,
    integers: &[(&str, &[i64])],
    extents: &[(&str, &[usize])],
    options: &[Options],
) {
    for seed in 0..10 {
        let case = case(source, integers, extents, &mut Rng::new(seed));
        for options in options {
            let found = agrees(&case, options);
            assert!(
                found.is_ok(),
                "seed {seed}: {found:?}\n{options:?}\n{source}"
            );
        }
    }
}

/// Adjoints read operands, as in the report.
fn operands() -> Options {
    Options {
        operands: true,
        ..Options::default()
    }
}

#[test]
fn figure_7() {
    let source = include_str!("../../src/passes/save_on_kill/fig7.cfgrev");
    let integers: &[(&str, &[i64])] = &[("n", &[83]), ("m", &[4])];
    check(source, integers, &[("b", &[1000])], &[operands()]);
}

#[test]
fn figure_10() {
    let source = include_str!("../../src/passes/save_on_kill/fig10.cfgrev");
    let extents: &[(&str, &[usize])] = &[("w", &[4, 4]), ("g", &[4, 4]), ("z", &[4]), ("v", &[4])];
    check(source, &[("i", &[2]), ("j", &[3])], extents, &[operands()]);
}

/// All four columns: as they are, without diff-liveness, without the to-be-recorded analysis, with recomputation.
#[test]
fn figure_11() {
    let source = include_str!("../../src/passes/naive/fig11.cfgrev");
    let integers: &[(&str, &[i64])] = &[
        ("i", &[3]),
        ("ind1", &[1, 2, 5, 7, 3, 4, 8, 6, 1]),
        ("ind2", &[4, 4, 6, 5, 3, 2, 8, 1, 7]),
    ];
    let mut extents: Vec<(&str, &[usize])> = Vec::new();
    for name in ["ind1", "ind2", "a", "b", "z", "t"] {
        extents.push((name, &[9]));
    }
    let options = |k: usize| Options {
        results: [Results::Keep, Results::Drop][k % 2],
        values: k / 2 % 2 == 1,
        prefer: [Prefer::Time, Prefer::Memory][k / 4],
        ..Options::default()
    };
    let options: Vec<Options> = (0..8).map(options).collect();
    check(source, integers, &extents, &options);
}

#[test]
fn figure_13() {
    let source = include_str!("../../src/passes/save_on_kill/fig13.cfgrev");
    let vectors = ["a", "b", "t", "c"].map(|name| (name, &[5][..]));
    let extents = [&vectors[..], &[("d", &[5, 5])]].concat();
    check(source, &[("n", &[5])], &extents, &[operands()]);
}

/// Integers that are overwritten in straight lines, from what nothing, something, or the line itself overwrites.
#[test]
fn integers_computed_again() {
    let extents: &[(&str, &[usize])] = &[("ind", &[9]), ("other", &[9]), ("x", &[9])];
    let integers: &[(&str, &[i64])] = &[
        ("i", &[3]),
        ("ind", &[1, 2, 5, 7, 3, 4, 8, 6, 1]),
        ("other", &[4, 4, 6, 5, 3, 2, 8, 1, 7]),
    ];
    let mut again = 0;
    for seed in 0..100 {
        let mut rng = Rng::new(7_000 + seed);
        let mut lines = String::new();
        for _ in 0..12 {
            let [k, m] = [["k", "m"], ["m", "k"]][rng.below(2)];
            let line = match rng.below(9) {
                0 | 1 => format!("{k} := ind[i]"),
                2 => format!("{k} := other[{m}]"),
                3 => format!("{k} := {m}"),
                4 => format!("{k} := ind[modulo({k}, 9) + 1]"),
                5 => format!("other[{m}] := ind[{k}]"),
                6 => format!("{k} := 9 - ind[i + 1]"),
                _ => format!("x[{k}] := x[{k}]*x[{m}]"),
            };
            lines.push_str(&line);
            lines.push('\n');
        }
        let source = format!(
            "subroutine f(in integer i, in integer ind[9], inout integer other[9], inout real x[9])
  local integer k
  local integer m
  independent x
  dependent x
  k := 1
  m := 2
{lines}end
"
        );
        let options = [Prefer::Time, Prefer::Memory].map(|prefer| Options {
            prefer,
            ..Options::default()
        });
        check(&source, integers, extents, &options);
        let pushed = options.map(|options| {
            let program = valid(&source);
            let main = program.find_routine("f").expect("it is there");
            let made = reverse(&flat(&program), main, &options).expect("it has an adjoint");
            let statements = made.program.routine(made.forward).statements();
            let is_push = |s: &&Stmt| matches!(s.kind, StmtKind::Push { .. });
            statements.filter(is_push).count()
        });
        assert!(pushed[1] <= pushed[0], "{pushed:?}\n{source}");
        again += pushed[0] - pushed[1];
    }
    assert!(again > 20, "{again}");
}
