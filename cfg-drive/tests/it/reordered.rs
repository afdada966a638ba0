//! Programs whose parameters are not their first variables: texts, generated programs and results are the same as
//! with the parameters first.

use crate::flat;
use crate::random::{Depth, Found, agrees, drawn};
use cfg_back::dot::{DotOptions, write_cfg};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{
    Expr, External, Place, Program, Role,
    ScalarType::{Integer, Real},
};
use cfg_core::text;
use cfg_core::validate::{ValidProgram, validate};
use cfg_drive::{Adjoint, Options, Primal, check};
use cfg_format::json;
use cfg_front::xaif;
use cfg_testkit::case::Case;
use cfg_testkit::generate::{Options as Generate, dressed};
use cfg_testkit::reorder::{as_declared, shuffled, spread};
use cfg_testkit::rng::Rng;
use cfg_testkit::same::same;
use cfg_testkit::{general, property};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A program as JSON, text, XAIF and pictures.
fn written(program: &Program) -> Vec<(&'static str, String)> {
    let mut bytes = Vec::new();
    json::write(program, &mut bytes).expect("it can be written");
    let mut printed = String::new();
    text::program(&mut printed, program).expect("a string takes everything");
    let mut pictures = String::new();
    for r in (0..program.routines.len()).map(RoutineId::new) {
        write_cfg(&mut pictures, program, r, &DotOptions::default()).expect("a string");
    }
    // XAIF has no statement that stops a program.
    let xaif = xaif::to_string(program).unwrap_or_else(|refused| refused.to_string());
    vec![
        ("JSON", String::from_utf8(bytes).expect("JSON is UTF-8")),
        ("text", printed),
        ("XAIF", xaif),
        ("pictures", pictures),
    ]
}

/// The texts of a program and of its transformed versions; the codes of problems for a refused transformation.
fn outputs(case: &Case, options: &cfg_reverse::Options) -> Result<Vec<(String, String)>, String> {
    let valid = validate(case.program.clone()).map_err(|d| d.to_string())?;
    let mut all = Vec::new();
    let mut add = |what: &str, made: Result<Program, cfg_core::diagnostic::Diagnostics>| match made
    {
        Ok(program) => {
            let forms = written(&program).into_iter();
            all.extend(forms.map(|(form, text)| (format!("{what} as {form}"), text)));
        }
        Err(problems) => all.push((what.to_owned(), problems.to_string())),
    };
    add("the program", Ok(case.program.clone()));
    let reversal = cfg_reverse::reverse(&flat(&valid), case.main, options);
    add("the adjoint", reversal.map(|r| r.program));
    let tangent = cfg_reverse::tangent(&flat(&valid), case.main);
    add("the tangent", tangent.map(|t| t.program));
    Ok(all)
}

/// True if some parameter stands behind a variable that is none.
fn is_spread(program: &Program) -> bool {
    let first = |v: &VarId, k: usize| v.index() == k;
    let mut routines = program.routines.iter();
    routines.any(|r| !(r.parameters.iter().zip(0..)).all(|(v, k)| first(v, k)))
}

/// Where parameters stand among the variables does not show in anything that is written.
fn shows_nothing(seed: u64, case: &Case, moved: &AtomicU64) -> Result<(), String> {
    let other = spread(case, &mut Rng::new(seed));
    moved.fetch_add(u64::from(is_spread(&other.program)), Relaxed);
    let options = drawn(seed).options().reversal;
    let pairs = outputs(case, &options)?
        .into_iter()
        .zip(outputs(&other, &options)?);
    for ((what, a), (_, b)) in pairs {
        if a != b {
            let mut lines = a.lines().zip(b.lines());
            let (a, b) = lines.find(|(a, b)| a != b).unwrap_or(("", "other length"));
            return Err(format!("{what} changes: {a}\nbut {b}"));
        }
    }
    Ok(())
}

#[test]
fn it_does_not_show_where_parameters_stand() {
    let moved = AtomicU64::new(0);
    property::check_numbered(&Generate::WIDE, 64_000..64_150, |seed, case| {
        shows_nothing(seed, case, &moved)
    });
    for seed in 0..60 {
        let case = dressed(&general::generate(91_000 + seed), seed);
        shows_nothing(seed, &case, &moved).unwrap_or_else(|e| panic!("{seed}: {e}"));
    }
    assert!(moved.into_inner() > 120);
}

/// Values, tangents, gradients, Jacobians and second derivatives do not depend on the order of variables.
#[test]
fn variables_in_any_order() {
    property::check_numbered(&Generate::WIDE, 65_000..65_060, |seed, case| {
        let other = shuffled(case, &mut Rng::new(seed));
        let setting = drawn(seed);
        let depth = Depth::drawn(seed);
        let (a, b) = (
            agrees(case, true, &setting, depth)?,
            agrees(&other, true, &setting, depth)?,
        );
        match a == b {
            true => Ok(()),
            false => Err(format!("{a:?}, but {b:?} with variables in another order")),
        }
    });
    for seed in 0..60 {
        let case = shuffled(&general::generate(92_000 + seed), &mut Rng::new(seed));
        let found = agrees(&case, true, &drawn(seed), Depth::drawn(seed));
        assert!(
            matches!(found, Ok(Found::Agrees | Found::Refused(_))),
            "{seed}: {found:?}"
        );
    }
}

/// f(n, a, x, y), declared as w, y, k, v, c, x, n, a: y is the sum of a**4 times x. A routine and an external function that
/// it calls have orders of their own.
fn by_hand() -> (ValidProgram, RoutineId) {
    let mut program = ProgramBuilder::new();
    let c = program.global("c", Real);
    let mut h = RoutineBuilder::new("h");
    let t = h.local("t", Real);
    let x = h.input("x", Real);
    let y = h.output("y", Real);
    h.assign(t, x * x);
    h.assign(y, t * t);
    let h = program.add(h);
    let mut e = RoutineBuilder::new("e");
    e.result("r", Real);
    let q = e.input("q", Real);
    let p = e.input("p", Real);
    e.external(External {
        value: Some(q * p),
        partials: None,
    });
    let e = program.add(e);
    let mut f = RoutineBuilder::new("f");
    let w = f.local("w", Real);
    let y = f.output("y", Real);
    let k = f.local("k", Integer);
    let v = f.local("v", Real);
    let g = f.global(program.program(), c);
    let x = f.input("x", Real);
    let n = f.input("n", Integer);
    let a = f.inout("a", Real.array([n]));
    f.assign(y, 0.0);
    f.for_loop(k, 1, n, |f| {
        f.call(h, [a.at(k), w.into()]);
        let product = vec![Some(w.into()), Some(x.into())];
        f.call_with(e, product, Some(Place::whole(v)));
        f.assign(y, y + v);
        f.assign(a.at(k), a.at(k) * x + g);
    });
    f.independents([x, a]);
    f.dependents([y, a]);
    let f = program.add(f);
    program.main(f);
    let mut made = program.into_program().expect("the builder is used right");
    // The signature is n, a, x, y.
    made.globals[0].initial = Some(Box::new([Expr::Real(2.0)]));
    made.routines[f.index()].parameters = vec![n, a, x, y];
    (validate(made).expect("it is valid"), f)
}

#[test]
fn built_by_hand() {
    let (program, f) = by_hand();
    let head = "subroutine f(in integer n, inout real a[n], in real x, out real y)";
    let forms = written(&program);
    assert!(forms[1].1.contains(head), "{}", forms[1].1);
    // Read again, and printed again.
    let from_json = json::read(forms[0].1.as_bytes()).expect("JSON reads");
    let from_text = cfg_format::text::read(forms[1].1.as_bytes())
        .program
        .expect("text reads");
    let (from_xaif, problems) = xaif::read_xaif(forms[2].1.as_bytes(), &Default::default());
    let from_xaif = from_xaif.unwrap_or_else(|| panic!("{problems}"));
    let declared = as_declared(&program);
    assert_eq!([&from_json, &from_xaif], [&declared; 2]);
    // The text form does not keep the order of edges.
    assert_eq!(same(&from_text, &program), Ok(()));
    for again in [from_json, from_xaif] {
        assert_eq!(written(&again), forms);
    }
    assert_eq!(written(&from_text)[1], forms[1]);
    let options = Options::default();
    let point = br#"{"n": 2, "a": [1, 3], "x": 0.5}"#;
    // y = x sum a**4, a = a x + c.
    let mut primal = Primal::new(&flat(&program), f, &options).expect("it runs");
    let at = primal.read_point(point).expect("a point");
    let run = primal.run(&at).expect("it runs");
    let value = |name: &str| {
        run.value
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.to_f64s())
    };
    assert_eq!(value("y"), Some(Some(vec![41.0])));
    assert_eq!(value("a"), Some(Some(vec![2.5, 3.5])));
    let blocks = [
        cfg_reverse::Blocks::Statement,
        cfg_reverse::Blocks::Preaccumulate,
    ];
    for blocks in blocks {
        let mut options = Options::default();
        options.reversal.blocks = blocks;
        let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
        let at = adjoint.read_point(point).expect("a point");
        let seed = adjoint.seed_of_ones(&at).expect("a seed");
        let found = adjoint.gradient(&at, &seed).expect("it runs");
        let of = |name: &str| {
            found
                .gradient
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v.to_f64s())
        };
        assert_eq!(of("x"), Some(Some(vec![82.0 + 4.0])), "{blocks:?}");
        assert_eq!(
            of("a"),
            Some(Some(vec![2.0 + 0.5, 54.0 + 0.5])),
            "{blocks:?}"
        );
        let checked = check(
            &flat(&program),
            f,
            &options,
            |t: &Primal| t.read_point(point),
            Default::default(),
        );
        let checked = checked.expect("it can be checked");
        assert!(
            checked.dot_product.agrees == Some(true) && checked.differences.agrees == Some(true),
            "{checked:?}"
        );
        assert!(checked.stack.agrees, "{checked:?}");
    }
}

/// The sweeps and the tangent have the variables of the original under their numbers.
#[test]
fn generated_routines_keep_the_numbers() {
    let (program, f) = by_hand();
    let reversal =
        cfg_reverse::reverse(&flat(&program), f, &Default::default()).expect("an adjoint");
    let tangent = cfg_reverse::tangent(&flat(&program), f).expect("a tangent");
    for (made, r) in [
        (&reversal.program, reversal.forward),
        (&reversal.program, reversal.reverse),
        (&tangent.program, tangent.tangent),
    ] {
        let routine = made.routine(r);
        for (k, variable) in program.routine(f).variables.iter().enumerate() {
            assert_eq!(routine.variables[k].name, variable.name);
        }
        assert_eq!(routine.parameters[..4], program.routine(f).parameters);
        let listed = routine.parameters.iter();
        assert!(
            listed
                .clone()
                .all(|p| matches!(routine.variable(*p).role, Role::Parameter { .. }))
        );
    }
}
