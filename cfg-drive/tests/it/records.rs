//! Programs with records: values and gradients against the interpreter, which keeps records as runs of cells.

use crate::flat;
use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    ir::{Program, ScalarType},
    validate::{ValidProgram, validate},
};
use cfg_drive::{Adjoint, Members, Options, Primal, Tangent};
use cfg_format::json;
use cfg_testkit::{
    interpret::{Argument, Derivative, Limits, Value, interpret},
    records,
    rng::Rng,
};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

pub(crate) fn read(text: &str) -> ValidProgram {
    let parsed = cfg_format::text::parse(text);
    let problems = parsed.problems.to_string();
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{problems}\n{text}"));
    validate(program).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub(crate) fn main_of(program: &Program) -> RoutineId {
    program.main.expect("one is marked")
}

/// Name, type and extents of the parameters and globals of these programs.
fn interface(program: &Program) -> Vec<(String, ScalarType, Vec<usize>)> {
    let routine = program.routine(main_of(program));
    let parameters = routine.parameter_ids().map(|v| routine.variable(v));
    let globals = program.globals.iter().map(|g| &g.variable);
    let extents = |v: &cfg_core::ir::Variable| {
        let extent = |d: &cfg_core::ir::Dim| match &d.extent {
            cfg_core::ir::Extent::Fixed(e) => e.constant().unwrap_or(0) as usize,
            cfg_core::ir::Extent::Deferred => 0,
        };
        v.shape.iter().map(extent).collect()
    };
    parameters
        .chain(globals)
        .map(|v| (v.name.clone(), v.ty, extents(v)))
        .collect()
}

fn number(x: &Json) -> f64 {
    match x {
        Json::Bool(b) => f64::from(u8::from(*b)),
        other => other.as_f64().unwrap_or(f64::NAN),
    }
}

/// All cells, with a derivative for each real one.
fn argument<D: Derivative>(
    program: &Program,
    ty: ScalarType,
    extents: &[usize],
    tree: &Json,
    attach: &mut impl FnMut() -> D,
) -> Argument<D> {
    let cells = records::cells(program, ty, extents, Some(tree));
    let per_element = cells.len() / extents.iter().product::<usize>().max(1);
    let mut all = extents.to_vec();
    if ty.record().is_some() {
        all.push(per_element);
    }
    let value = |cell: Option<Json>| match cell.expect("points have all fields") {
        Json::Bool(b) => Value::Logical(b),
        Json::Number(n) => match n.as_i64() {
            Some(i) => Value::Integer(i),
            None => Value::Real(n.as_f64().expect("a number"), attach()),
        },
        other => panic!("{other}"),
    };
    Argument {
        elements: cells.into_iter().map(value).collect(),
        extents: all,
    }
}

fn close(a: f64, b: f64, scale: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * scale.max(1.0)
}

/// A random program at a random point: values, gradient and tangent.
fn agrees(seed: u64) {
    let text = records::text(seed);
    let program = read(&text);
    let main = main_of(&program);
    // The printed program is read back as the same one.
    let printed = program.program().to_string();
    assert_eq!(read(&printed).program(), program.program(), "{text}");
    let mut written = Vec::new();
    json::write(&program, &mut written).expect("it is written");
    let back = json::read_valid(&written).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(back.program(), program.program(), "{text}");

    let mut rng = Rng::new(seed ^ 0x5eed);
    let interface = interface(&program);
    let mut point = Map::new();
    for (name, ty, extents) in &interface {
        if name != "y" {
            let mut cell = |ty| records::scalar(&mut rng, ty);
            point.insert(
                name.clone(),
                records::value(&program, *ty, extents, &mut cell),
            );
        }
    }
    // By operator overloading, one direction for each real cell.
    let mut count = 0;
    let given = interface.iter().filter(|(name, ..)| name != "y");
    for (name, ty, extents) in given.clone() {
        argument::<()>(&program, *ty, extents, &point[name], &mut || count += 1);
    }
    let mut next = 0;
    let mut unit = || {
        let mut unit = vec![0.0; count];
        unit[next] = 1.0;
        next += 1;
        unit
    };
    let mut arguments = Vec::new();
    let mut globals = BTreeMap::new();
    for (name, ty, extents) in &interface {
        let own = point
            .get(name)
            .map(|tree| argument(&program, *ty, extents, tree, &mut unit));
        match name.as_str() {
            "kept" => _ = globals.insert(0, own.expect("it is given")),
            _ => arguments.push(own),
        }
    }
    let outcome = interpret(&program, main, &arguments, &globals, Limits::default())
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let after = outcome.parameters.iter().chain(&outcome.globals);
    let after: Vec<&Argument<Vec<f64>>> = after.collect();

    let point_text = Json::Object(point).to_string();
    let fail = |e: Diagnostics| -> ! { panic!("{e}\n{text}\n{point_text}") };
    let mut primal =
        Primal::new(&flat(&program), main, &Options::default()).unwrap_or_else(|e| fail(e));
    let point = primal
        .read_point(point_text.as_bytes())
        .unwrap_or_else(|e| fail(e));
    let run = primal.run(&point).unwrap_or_else(|e| fail(e));
    let values = serde_json::to_value(Members::new(&run.value, &program, main)).expect("values");
    let mut seeds = Map::new();
    let mut gradient = vec![0.0; count];
    for ((name, ty, extents), after) in interface.iter().zip(&after) {
        let dependent = !matches!(name.as_str(), "q" | "t");
        let mut cell = |ty: ScalarType| match ty.is_real() {
            true => json!(rng.between(-2, 2) as f64),
            false => Json::Null,
        };
        let seed = records::value(&program, *ty, extents, &mut cell);
        let weights = records::cells(&program, *ty, extents, Some(&seed));
        let found = records::cells(&program, *ty, extents, values.get(name));
        for (k, element) in after.elements.iter().enumerate() {
            if let Some(found) = &found[k] {
                let same = match element {
                    Value::Real(x, _) => close(*x, number(found), x.abs()),
                    Value::Integer(i) => found.as_i64() == Some(*i),
                    Value::Logical(b) => found.as_bool() == Some(*b),
                    other => panic!("{other:?}"),
                };
                assert!(
                    same,
                    "{name} {k}: {element:?} {found}\n{text}\n{point_text}"
                );
            }
            if let (true, Value::Real(_, d)) = (dependent, element) {
                let weight = weights[k].as_ref().map_or(0.0, number);
                for (g, d) in gradient.iter_mut().zip(d) {
                    *g += weight * d;
                }
            }
        }
        assert!(
            name == "kept" || !dependent || found.iter().all(Option::is_some),
            "{name}"
        );
        if dependent {
            seeds.insert(name.clone(), without_nulls(seed));
        }
    }
    let seed_text = Json::Object(seeds).to_string();
    let mut adjoint =
        Adjoint::new(&flat(&program), main, &Options::default()).unwrap_or_else(|e| fail(e));
    let (all, _) = adjoint
        .read_seeds(seed_text.as_bytes(), &point)
        .unwrap_or_else(|e| fail(e));
    let result = adjoint
        .gradient(&point, &all[0])
        .unwrap_or_else(|e| fail(e));
    let found = Members::new(&result.gradient, &program, main);
    let found = serde_json::to_value(found).expect("values");
    let mut at = 0;
    let scale = gradient.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
    for (name, ty, extents) in given {
        let shape = records::value(&program, *ty, extents, &mut |ty| json!(ty.is_real()));
        let real = records::cells(&program, *ty, extents, Some(&shape));
        let found = records::cells(&program, *ty, extents, found.get(name));
        for (found, real) in found.iter().zip(real) {
            if real == Some(json!(true)) {
                let found = found.as_ref().map_or(f64::NAN, number);
                let wanted = gradient[at];
                assert!(
                    close(wanted, found, scale),
                    "{name}: {wanted} {found}\n{text}\n{point_text}\n{seed_text}"
                );
                at += 1;
            } else {
                assert_eq!(found, &None, "only reals have derivatives");
            }
        }
    }
    assert_eq!(at, count);
    if seed.is_multiple_of(8) {
        Tangent::new(&flat(&program), main, &Options::default()).unwrap_or_else(|e| fail(e));
    }
}

fn without_nulls(tree: Json) -> Json {
    match tree {
        Json::Array(items) => items.into_iter().map(without_nulls).collect(),
        Json::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, tree)| (name, without_nulls(tree)));
            Json::Object(members.filter(|(_, tree)| !tree.is_null()).collect())
        }
        other => other,
    }
}

#[test]
fn random_programs_with_records_agree_with_the_interpreter() {
    for seed in 0..200 {
        agrees(seed);
    }
}

/// The value of `y` of a program at a point, and its gradient.
fn gradient(text: &str, point: &str) -> (Json, Json) {
    let program = read(text);
    let main = main_of(&program);
    let mut adjoint =
        Adjoint::new(&flat(&program), main, &Options::default()).expect("it has an adjoint");
    let point = adjoint
        .read_point(point.as_bytes())
        .unwrap_or_else(|e| panic!("{e}"));
    let seed = adjoint.default_seed(&point).expect("a scalar");
    let found = adjoint
        .gradient(&point, &seed)
        .unwrap_or_else(|e| panic!("{e}"));
    let of = |named| serde_json::to_value(Members::new(named, &program, main)).expect("values");
    (of(&found.value), of(&found.gradient))
}

const POINT: &str = "record P\n  real x\n  integer k\n  real v[2]\nend\n\n";

#[test]
fn a_copy_whose_subscripts_read_the_target_is_made_at_once() {
    // Field by field, `a[2].k` would be overwritten before `a[a[2].k].v` is read.
    let text = format!(
        "{POINT}main subroutine f(in record P a[3], out real y)
  local record P b[3]
  independent a
  dependent y
  b := a
  b[b[2].k] := b[3]
  b[2] := b[b[2].k]
  y := b[2].x + 10.0*b[2].v[1]
end
"
    );
    let (value, gradient) = gradient(
        &text,
        r#"{"a": [{"x": 1, "k": 1, "v": [2, 3]}, {"x": 4, "k": 2, "v": [5, 6]}, {"x": 7, "k": 1, "v": [8, 9]}]}"#,
    );
    // a[3] is copied to b[2]; its k is 1, so that b[1] is copied next.
    assert_eq!(value, json!({"y": 21.0}));
    assert_eq!(
        gradient,
        json!({"a": [{"x": 1.0, "v": [10.0, 0.0]}, {"x": 0.0, "v": [0.0, 0.0]}, {"x": 0.0, "v": [0.0, 0.0]}]})
    );
}

#[test]
fn the_subscripts_of_a_result_are_those_before_the_call() {
    let text = format!(
        "{POINT}global integer at

function g(in real t) result record P r
  uses at
  at := 1
  r.x := t
  r.k := 0
  r.v := t*t
end

main subroutine f(in real t, out real y)
  uses at
  local record P a[2]
  independent t
  dependent y
  a.x := 0.0
  a.v := 0.0
  at := 2
  a[at] := call g(t)
  y := a[1].x + 3.0*a[2].x + a[2].v[2]
end
"
    );
    assert_eq!(
        gradient(&text, r#"{"t": 5}"#),
        (json!({"y": 40.0}), json!({"t": 13.0}))
    );
}

#[test]
fn optional_records_are_asked_for_and_left_out() {
    let text = format!(
        "{POINT}subroutine g(optional in record P p, inout real s)
  if present(p)
    s := s + p.x*p.v[2]
  end
end

main subroutine f(in record P p, out real y)
  independent p
  dependent y
  y := 0.0
  call g(p, y)
  call g(absent, y)
end
"
    );
    let (value, gradient) = gradient(&text, r#"{"p": {"x": 2, "k": 0, "v": [1, 3]}}"#);
    assert_eq!(value, json!({"y": 6.0}));
    assert_eq!(gradient, json!({"p": {"x": 3.0, "v": [0.0, 2.0]}}));
}

#[test]
fn points_name_the_fields_that_are_missing_or_wrong() {
    let text = format!(
        "{POINT}main subroutine f(in record P p, in record P a[2], out real y)
  y := p.x + a[2].x
end
"
    );
    let program = read(&text);
    let primal =
        Primal::new(&flat(&program), main_of(&program), &Options::default()).expect("it runs");
    for (point, wanted) in [
        (r#"{"p": 1}"#, "no parameter p"),
        (r#"{"p": {"x": 1, "z": 2}}"#, "/p/z"),
        (r#"{"p": {"x": "NaN", "k": 1.5}}"#, "/p/k"),
        (
            r#"{"p": {"x": 1, "k": 1}, "a": [{"x": 1, "k": 1, "v": [1, 2]}, {"x": 1, "k": 1, "v": [1, 2]}]}"#,
            "p.v",
        ),
        (
            r#"{"p": {"x": 1, "k": 1, "v": [1, 2]}, "a": [{"x": 1, "k": 1, "v": [1, 2]}, {"k": 1, "v": [1, 2]}]}"#,
            "its field x\n  at: (/a/1)",
        ),
        (
            r#"{"p": {"x": 1, "k": 1, "v": [1, 2]}, "a": [{"k": 1, "v": [1, 2]}, {"x": 5, "k": 1, "v": [1, 2]}]}"#,
            "its field x\n  at: (/a/0)",
        ),
        (
            r#"{"p": {"x": 1, "k": 1, "v": [1, 2]}, "a": [{"x": 5, "k": 1, "v": [1, 2]}, 3]}"#,
            "a record is expected here\n  at: (/a/1)",
        ),
    ] {
        let problems = primal
            .read_point(point.as_bytes())
            .expect_err(point)
            .to_string();
        assert!(problems.contains(wanted), "{point}: {problems}");
    }
}

#[test]
fn a_problem_of_a_run_is_at_the_statement_of_the_file() {
    let text = format!(
        "{POINT}main subroutine f(in record P p, out real y)
  local record P a[2]
  local integer i
  independent p
  dependent y
  a[1] := p
  a[2] := p
  i := 3
  y := a[i].x
end
"
    );
    let program = read(&text);
    let mut primal =
        Primal::new(&flat(&program), main_of(&program), &Options::default()).expect("runs");
    let point = primal
        .read_point(br#"{"p": {"x": 1, "k": 1, "v": [1, 2]}}"#)
        .expect("a point");
    let problem = primal.run(&point).expect_err("out of bounds").to_string();
    assert!(problem.contains("statement 4"), "{problem}");
    let options = Options::default();
    let mut adjoint =
        Adjoint::new(&flat(&program), main_of(&program), &options).expect("an adjoint");
    let point = adjoint
        .read_point(br#"{"p": {"x": 1, "k": 1, "v": [1, 2]}}"#)
        .expect("a point");
    let seed = adjoint.default_seed(&point).expect("a scalar");
    let problem = adjoint
        .gradient(&point, &seed)
        .expect_err("out of bounds")
        .to_string();
    assert!(
        problem.contains("routine f, vertex 2, statement 4"),
        "{problem}"
    );
}

/// In an array of records with open extents each record must have all fields, in any order: a missing field is not
/// taken from another record.
#[test]
fn lists_of_records_are_whole() {
    let text = format!(
        "{POINT}main subroutine f(in integer n, in record P q[:], out real y)
  local integer i
  independent q
  dependent y
  y := 1.0
  for i = 1, n
    y := y + q[i].x*real(q[i].k) + q[i].v[2]
  end
end
"
    );
    let program = read(&text);
    let main = main_of(&program);
    let two = r#"{"n": 2, "q": [{"x": 1, "k": 10, "v": [1, 2]}, {"v": [3, 4], "k": 3, "x": 5}]}"#;
    let (value, found) = gradient(&text, two);
    assert_eq!(value, json!({"y": 32.0}));
    let expected = json!([{"x": 10.0, "v": [0.0, 1.0]}, {"x": 3.0, "v": [0.0, 1.0]}]);
    assert_eq!(found, json!({ "q": expected }));

    let adjoint =
        Adjoint::new(&flat(&program), main, &Options::default()).expect("it has an adjoint");
    for (list, wanted) in [
        (
            r#"[{"k": 10, "v": [1, 2]}, {"x": 5, "k": 3, "v": [3, 4]}]"#,
            "its field x\n  at: (/q/0)",
        ),
        (
            r#"[{"x": 1, "k": 10, "v": [1, 2]}, {"x": 5, "k": 3}]"#,
            "its field v\n  at: (/q/1)",
        ),
        (
            r#"[{"x": 1, "k": 10, "v": [1, 2]}, []]"#,
            "a record is expected here\n  at: (/q/1)",
        ),
    ] {
        let point = format!(r#"{{"n": 1, "q": {list}}}"#);
        let problems = adjoint
            .read_point(point.as_bytes())
            .expect_err(list)
            .to_string();
        assert!(problems.contains(wanted), "{list}: {problems}");
    }
    // An array without records.
    for none in ["[]", "null", r#"{"size": 0}"#] {
        let point = format!(r#"{{"n": 0, "q": {none}}}"#);
        let (value, found) = gradient(&text, &point);
        assert_eq!(
            (value, found),
            (json!({"y": 1.0}), json!({"q": []})),
            "{none}"
        );
        let mut tangent =
            Tangent::new(&flat(&program), main, &Options::default()).expect("it has one");
        let there = tangent.read_point(point.as_bytes()).expect("a point");
        for direction in [r#"{"q": []}"#, r#"{"q": null}"#, "{}"] {
            let direction = tangent
                .read_direction(direction.as_bytes(), &there)
                .expect(direction);
            assert!(tangent.tangent(&there, &direction).is_ok());
        }
    }
    // Fields that a direction leaves out are zero, in each record.
    let mut tangent = Tangent::new(&flat(&program), main, &Options::default()).expect("it has one");
    let there = tangent.read_point(two.as_bytes()).expect("a point");
    for (direction, expected) in [
        (r#"{"q": [{"x": 1}, {"v": [0, 1]}]}"#, 11.0),
        (r#"{"q": [{"v": [5, 7]}, {"x": 2}]}"#, 13.0),
        (r#"{"q": null}"#, 0.0),
    ] {
        let given = tangent
            .read_direction(direction.as_bytes(), &there)
            .expect(direction);
        let found = tangent.tangent(&there, &given).expect(direction);
        let found =
            serde_json::to_value(Members::new(&found.tangent, &program, main)).expect("values");
        assert_eq!(found, json!({ "y": expected }), "{direction}");
    }
    let wrong = tangent
        .read_direction(br#"{"q": []}"#, &there)
        .expect_err("there are two")
        .to_string();
    assert!(wrong.contains('q'), "{wrong}");
}
