//! Derivatives of small programs, against values known in closed form.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests say plainly what they skip"
)]

mod absent;
mod aliasing;
mod array_expressions;
mod broadcast_results;
mod closure;
mod conditional;
mod corpus;
mod counted;
mod deep;
mod deferred;
mod externals;
mod far;
mod fixtures;
mod fuzz_corpus;
mod given;
mod global_index;
mod handed_on;
mod jumps;
mod kinks;
mod layouts;
mod limits;
mod linked;
mod memory;
mod mixed;
mod names;
mod nested_pointers;
mod overlapping_adjoints;
mod places;
mod pointers;
mod pointers_random;
mod portable;
mod random;
mod record_derivatives;
mod record_structs;
mod records;
mod reordered;
mod second_order;
mod sections;
mod shallow;
mod strong;
mod threads;
mod uninitialised;
mod unrecorded;
mod wide;

use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::diagnostic::Diagnostics;
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::flat::Flat;
use cfg_core::ir::{
    Dim, Expr, External, Intent, Op, Partial, ScalarType,
    ScalarType::{Integer, Real, Real32},
};
use cfg_core::validate::{ValidProgram, validate};
use cfg_drive::{
    Adjoint, Checked, Mode, Named, Options, Point, Primal, Tangent, Tolerances, check,
    compressed_jacobian, declare, jacobian,
};
use cfg_reverse::Unstructured;
use cfg_transform::flatten;

/// A program without pointers as a flat one.
pub(crate) fn flat(program: &ValidProgram) -> Flat {
    let made = flatten(
        program.clone(),
        &[],
        &cfg_transform::flat::Options::default(),
    );
    made.unwrap_or_else(|problems| panic!("{problems}")).program
}

/// The reversal of a program, with its records.
pub(crate) fn reversed(
    program: &ValidProgram,
    main: RoutineId,
    options: &cfg_reverse::Options,
) -> Result<cfg_reverse::Reversal, Diagnostics> {
    let flat = flat(program);
    cfg_reverse::reverse(&flat, main, options)?.regrouped(&flat)
}

/// The tangent of a program, with its records.
pub(crate) fn tangent_of(
    program: &ValidProgram,
    main: RoutineId,
) -> Result<cfg_reverse::Tangent, Diagnostics> {
    let flat = flat(program);
    cfg_reverse::tangent(&flat, main)?.regrouped(&flat)
}

fn finish(f: RoutineBuilder) -> (ValidProgram, RoutineId) {
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    (program.finish().expect("the builder is used right"), f)
}

/// A program in the text form, and the routine that it marks.
fn of_text(source: &str) -> (ValidProgram, RoutineId) {
    let parsed = cfg_format::text::parse(source);
    let problems = parsed.problems;
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
    let main = program.main.expect("one is marked");
    (validate(program).unwrap_or_else(|d| panic!("{d}")), main)
}

/// The gradient of a routine with a single dependent.
fn gradient_at(program: &ValidProgram, f: RoutineId, point: &str) -> cfg_drive::Gradient {
    let mut adjoint =
        Adjoint::new(&flat(program), f, &Options::default()).unwrap_or_else(|d| panic!("{d}"));
    let point = adjoint.read_point(point.as_bytes()).expect("a point");
    let seed = adjoint.default_seed(&point).expect("a seed");
    let found = adjoint.gradient(&point, &seed);
    found.unwrap_or_else(|d| panic!("{d}"))
}

fn reals(values: &Named, name: &str) -> Vec<f64> {
    let (_, value) = values.iter().find(|(n, _)| n == name).expect(name);
    value.to_f64s().expect("it is initialised")
}

/// With traces, the inserted blocks merged and not.
fn merged_and_not() -> [Options; 2] {
    [false, true].map(|merge| {
        let mut options = Options {
            trace: true,
            ..Options::default()
        };
        options.reversal.merge = merge;
        options
    })
}

fn checked(program: &ValidProgram, f: RoutineId, point: &str) -> Checked {
    check(
        &flat(program),
        f,
        &Options::default(),
        |t| t.read_point(point.as_bytes()),
        Tolerances::default(),
    )
    .expect("it can be checked")
}

/// y(1) = product of x, y(2) = sum of sin(x(i)) * g; x has n elements.
fn product_and_sum() -> (ValidProgram, RoutineId) {
    let mut program = ProgramBuilder::new();
    let g = program.global("g", Real);
    program.initialize(g, [2.0]);
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let x = f.input("x", Real.array([Dim::from(n)]));
    let y = f.output("y", Real.array([2]));
    let i = f.local("i", Integer);
    let g = f.global(program.program(), g);
    f.independents([x, g]).dependents([y]);
    f.assign(y.at(1), 1.0);
    f.assign(y.at(2), 0.0);
    f.for_loop(i, 1, n, |f| {
        f.assign(y.at(1), y.at(1) * x.at(i));
        f.assign(y.at(2), y.at(2) + sin(x.at(i)) * g);
    });
    let f = program.add(f);
    (program.finish().expect("the builder is used right"), f)
}

#[test]
fn gradients_of_several_dependents_and_globals() {
    let (program, f) = product_and_sum();
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let point = adjoint.read_point(br#"{"n": 3, "x": [2, 3, 5], "g": 4}"#);
    let point = point.expect("it is a point");
    assert!(adjoint.default_seed(&point).is_err());
    let (seeds, list) = adjoint
        .read_seeds(br#"[{"y": [1, 0]}, {"y": [0, 1]}]"#, &point)
        .expect("they are seeds");
    assert!(list);
    let first = adjoint.gradient(&point, &seeds[0]).expect("it runs");
    assert_eq!(reals(&first.value, "y")[0], 30.0);
    assert_eq!(reals(&first.gradient, "x"), [15.0, 10.0, 6.0]);
    assert_eq!(reals(&first.gradient, "g"), [0.0]);
    let tape = first.tape.as_ref().expect("the executor counts");
    assert!(tape.pushes > 0 && tape.pushes == tape.pops);
    let second = adjoint.gradient(&point, &seeds[1]).expect("it runs");
    let cosines: Vec<f64> = [2.0f64, 3.0, 5.0].iter().map(|x| 4.0 * x.cos()).collect();
    assert_eq!(reals(&second.gradient, "x"), cosines);
    let sines: f64 = [2.0f64, 3.0, 5.0].iter().map(|x| x.sin()).sum();
    assert!((reals(&second.gradient, "g")[0] - sines).abs() < 1e-15);
    // The session is used again: the first result comes out again, also after another point.
    let other = adjoint
        .read_point(br#"{"n": 1, "x": [7]}"#)
        .expect("it is a point");
    let (seed, _) = adjoint
        .read_seeds(br#"{"y": [0, 1]}"#, &other)
        .expect("a seed");
    let third = adjoint.gradient(&other, &seed[0]).expect("it runs");
    assert_eq!(reals(&third.gradient, "x"), [2.0 * 7f64.cos()]);
    assert_eq!(adjoint.gradient(&point, &seeds[0]), Ok(first));
}

#[test]
fn rows_columns_and_closed_form_agree() {
    let (program, f) = product_and_sum();
    let point = br#"{"n": 3, "x": [2, 3, 5]}"#;
    let matrix = |mode| {
        let options = Options::default();
        jacobian(&flat(&program), f, &options, |t| t.read_point(point), mode)
            .expect("it has a Jacobian")
    };
    let (rows, columns) = (matrix(Some(Mode::Adjoint)), matrix(Some(Mode::Tangent)));
    assert_eq!(rows.rows, [("y".to_owned(), 2)]);
    assert_eq!(rows.columns, [("x".to_owned(), 3), ("g".to_owned(), 1)]);
    assert_eq!(rows.entries.len(), 8);
    for (a, b) in rows.entries.iter().zip(&columns.entries) {
        assert!((a - b).abs() < 1e-14 * a.abs().max(1.0), "{a} {b}");
    }
    assert_eq!(rows.entries[..3], [15.0, 10.0, 6.0]);
    assert_eq!(rows.entry(1, 0), Some(2.0 * 2f64.cos()));
    assert_eq!((rows.entry(2, 0), rows.entry(0, 4)), (None, None));
    // Two rows and four columns: rows are fewer.
    assert_eq!(matrix(None).mode, Mode::Adjoint);
}

#[test]
fn functions_return_their_result() {
    let mut f = RoutineBuilder::new("square");
    let x = f.input("x", Real);
    let r = f.result("r", Real);
    f.independents([x]).dependents([r]);
    f.assign(r, x * x);
    let (program, f) = finish(f);
    let mut primal = Primal::new(&flat(&program), f, &Options::default()).expect("it can be run");
    let point = primal.read_point(br#"{"x": 3}"#).expect("it is a point");
    assert_eq!(
        reals(&primal.run(&point).expect("it runs").value, "return"),
        [9.0]
    );
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let seed = adjoint.default_seed(&point).expect("one scalar");
    let gradient = adjoint.gradient(&point, &seed).expect("it runs");
    assert_eq!(reals(&gradient.value, "return"), [9.0]);
    assert_eq!(reals(&gradient.gradient, "x"), [6.0]);
    let (seeds, _) = adjoint
        .read_seeds(br#"{"return": 10}"#, &point)
        .expect("a seed");
    let gradient = adjoint.gradient(&point, &seeds[0]).expect("it runs");
    assert_eq!(reals(&gradient.gradient, "x"), [60.0]);
    let mut tangent =
        Tangent::new(&flat(&program), f, &Options::default()).expect("it has a tangent");
    let direction = tangent
        .read_direction(br#"{"x": 0.5}"#, &point)
        .expect("a direction");
    let found = tangent.tangent(&point, &direction).expect("it runs");
    assert_eq!(reals(&found.tangent, "return"), [3.0]);
}

#[test]
fn an_inout_variable_is_seeded_at_exit_and_differentiated_at_entry() {
    let mut f = RoutineBuilder::new("f");
    let x = f.inout("x", Real);
    f.independents([x]).dependents([x]);
    f.assign(x, x * x * x);
    let (program, f) = finish(f);
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let point = adjoint.read_point(br#"{"x": 2}"#).expect("it is a point");
    let seed = adjoint.default_seed(&point).expect("one scalar");
    let gradient = adjoint.gradient(&point, &seed).expect("it runs");
    assert_eq!(reals(&gradient.value, "x"), [8.0]);
    assert_eq!(reals(&gradient.gradient, "x"), [12.0]);
    assert_eq!(checked(&program, f, r#"{"x": 2}"#).agrees(), Some(true));
}

#[test]
fn the_tangent_of_the_gradient_is_a_hessian() {
    // f = x^2 y: the gradient is (2xy, x^2), its derivative in direction (1, 0) is (2y, 2x).
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.input("y", Real);
    let z = f.output("z", Real);
    f.independents([x, y]).dependents([z]);
    f.assign(z, x * x * y);
    let (program, f) = finish(f);
    let reversal = cfg_reverse::reverse(&flat(&program), f, &cfg_reverse::Options::default())
        .expect("it has an adjoint");
    let mut program = reversal.program;
    let names = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    declare(
        &mut program,
        reversal.gradient,
        Some(&names(&["x", "y"])),
        Some(&names(&["x_b", "y_b"])),
    )
    .expect("they are parameters");
    let program = validate(program).expect("it is valid");
    let mut tangent = Tangent::new(&flat(&program), reversal.gradient, &Options::default())
        .expect("it has a tangent");
    let point = br#"{"x": 3, "y": 5, "x_b": 0, "y_b": 0, "z_b": 1}"#;
    let point = tangent.read_point(point).expect("it is a point");
    let direction = tangent
        .read_direction(br#"{"x": 1}"#, &point)
        .expect("a direction");
    let found = tangent.tangent(&point, &direction).expect("it runs");
    assert_eq!(reals(&found.value, "x_b"), [30.0]);
    assert_eq!(reals(&found.tangent, "x_b"), [10.0]);
    assert_eq!(reals(&found.tangent, "y_b"), [6.0]);
    let checked = checked(
        &program,
        reversal.gradient,
        r#"{"x": 3, "y": 5, "x_b": 0, "y_b": 0, "z_b": 1}"#,
    );
    assert_eq!(checked.dot_product.agrees, Some(true), "{checked:?}");
}

#[test]
fn traces_are_of_the_original_and_mirror_each_other() {
    let (program, f) = product_and_sum();
    // The general method writes loops as jumps first.
    for unstructured in [Unstructured::Structure, Unstructured::Trace] {
        let mut options = Options {
            trace: true,
            ..Options::default()
        };
        options.reversal.unstructured = unstructured;
        let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
        let point = adjoint
            .read_point(br#"{"n": 2, "x": [2, 3]}"#)
            .expect("it is a point");
        let (seed, _) = adjoint
            .read_seeds(br#"{"y": [1, 1]}"#, &point)
            .expect("a seed");
        let trace = adjoint.gradient(&point, &seed[0]).expect("it runs").trace;
        let mut primal = Primal::new(&flat(&program), f, &options).expect("it can be run");
        let run = primal.run(&point).expect("it runs");
        assert_eq!(trace.forward, run.trace.forward);
        let body = program.routine(f).body.as_ref().expect("it has a body");
        let plain = |ids: &[i64]| -> Vec<i64> {
            let of_loop: Vec<i64> = body
                .vertices()
                .filter(|(_, v)| v.vertex_type().name().contains("LOOP"))
                .map(|(_, v)| v.id)
                .collect();
            let others = ids.iter().filter(|id| !of_loop.contains(id));
            others.copied().collect()
        };
        let mut reverse = plain(&trace.reverse);
        reverse.reverse();
        assert_eq!(reverse, plain(&trace.forward));
        assert!(!reverse.is_empty());
    }
}

#[test]
fn right_derivatives_are_confirmed() {
    let (program, f) = product_and_sum();
    let found = checked(&program, f, r#"{"n": 3, "x": [2, -3, 0], "g": 1e6}"#);
    assert_eq!(found.agrees(), Some(true), "{found:?}");
    assert_eq!(found.differences.compared, 2, "{found:?}");
    assert!(found.dot_product.gap < 1e-14, "{found:?}");
    assert!(found.dot_product.scale > 0.5, "{found:?}");
    assert!(found.remarks.is_empty());
}

/// y = e(x) for an external e with a value and a partial.
fn external(
    ty: ScalarType,
    value: impl Fn(VarId) -> Expr,
    partial: impl Fn(VarId) -> Expr,
) -> (ValidProgram, RoutineId) {
    let mut program = ProgramBuilder::new();
    let mut e = RoutineBuilder::new("e");
    let u = e.input("u", ty);
    e.result("v", ty);
    let e = program.add(e);
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", ty);
    let y = f.output("y", ty);
    f.independents([x]).dependents([y]);
    f.call_function(y, e, [Expr::var(x)]);
    let f = program.add(f);
    let mut program = program.into_program().expect("the builder is used right");
    let routine = &mut program.routines[e.index()];
    routine.body = None;
    routine.external = Some(Box::new(External {
        value: Some(value(u)),
        partials: Some(vec![Partial {
            parameter: u,
            value: partial(u),
        }]),
    }));
    (validate(program).expect("it is valid"), f)
}

#[test]
fn wrong_partials_are_found() {
    let square = |partial: fn(VarId) -> Expr| external(Real, |u| u * u, partial);
    let (right, f) = square(|u| 2.0 * u);
    let found = checked(&right, f, r#"{"x": 3}"#);
    assert!(
        found.agrees() == Some(true) && found.differences.compared == 1,
        "{found:?}"
    );
    let (wrong, f) = square(|u| 2.001 * u);
    let found = checked(&wrong, f, r#"{"x": 3}"#);
    // Adjoint and tangent use the same partial, so only differences can tell.
    assert!(
        found.dot_product.agrees == Some(true) && found.differences.agrees == Some(false),
        "{found:?}"
    );
    assert!(
        found.remarks.to_string().contains("P432"),
        "{}",
        found.remarks
    );
    // A dependence that is forgotten altogether, and a derivative that really is zero.
    let (forgotten, f) = square(|_| Expr::Real(0.0));
    let found = checked(&forgotten, f, r#"{"x": 3}"#);
    assert!(found.differences.agrees == Some(false), "{found:?}");
    let found = checked(&right, f, r#"{"x": 0}"#);
    assert!(
        found.agrees() == Some(true) && found.differences.compared == 1,
        "{found:?}"
    );
}

#[test]
fn a_kink_is_reported_and_does_not_fail() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real.array([3]));
    f.independents([x]).dependents([y]);
    f.assign(y.at(1), Expr::op(Op::Abs, [x - 1.0]));
    f.assign(y.at(2), x * x);
    f.if_else(
        lt(x, 1.0),
        |f| f.assign(y.at(3), x),
        |f| f.assign(y.at(3), 2.0 * x),
    );
    let (program, f) = finish(f);
    let at_kink = checked(&program, f, r#"{"x": 1}"#);
    assert_eq!(at_kink.agrees(), None, "{at_kink:?}");
    assert_eq!(at_kink.differences.crossed, 3, "{at_kink:?}");
    assert!(at_kink.remarks.to_string().contains("P430"));
    let beside = checked(&program, f, r#"{"x": 1.5}"#);
    assert!(
        beside.agrees() == Some(true) && beside.differences.compared == 3,
        "{beside:?}"
    );
    // Too near for every step but not at the kink: the path tells.
    let near = checked(&program, f, r#"{"x": 1.00000000001}"#);
    assert_eq!(near.agrees(), None, "{near:?}");
    assert!(near.remarks.to_string().contains("P434"));
}

#[test]
fn single_precision_is_held_to_what_it_can_do() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real32.array([2]));
    let y = f.output("y", Real32);
    f.independents([x]).dependents([y]);
    f.assign(y, sin(x.at(1)) * x.at(2) + x.at(1) / x.at(2));
    let (program, f) = finish(f);
    let found = checked(&program, f, r#"{"x": [0.7, 1.3]}"#);
    assert!(
        found.agrees() == Some(true) && found.differences.compared == 1,
        "{found:?}"
    );
    assert!(
        found.dot_product.gap > 0.0 && found.dot_product.gap < 1e-5,
        "{found:?}"
    );
}

#[test]
fn operations_in_single_precision_are_held_to_what_they_can_do() {
    let single = |e: Expr| Expr::op(Op::ToReal32, [e]);
    let double = |e: Expr| Expr::op(Op::ToReal, [e]);
    for in_condition in [false, true] {
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real);
        let y = f.output("y", Real);
        f.independents([x]).dependents([y]);
        let s = || single(Expr::var(x));
        if in_condition {
            let large = Expr::op(Op::Gt, [s(), Expr::Real32(9.0)]);
            f.if_else(large, |f| f.assign(y, x), |f| f.assign(y, x * x));
        } else {
            f.assign(y, double(s() * s() * sin(s())));
        }
        let (program, f) = finish(f);
        let found = checked(&program, f, r#"{"x": 0.7}"#);
        assert_eq!(found.agrees(), Some(true), "{found:?}");
        assert_eq!(found.differences.compared, 1, "{found:?}");
    }
}

/// Equal infinities agree as far as they can be compared; the rest is checked without them.
#[test]
fn derivatives_that_are_not_finite() {
    let reciprocal = |x: Expr| 1.0 / x;
    let cases: [(&str, &dyn Fn(Expr) -> Expr); 4] = [
        ("1e308", &|x| x.clone() * x),
        ("0", &sqrt),
        ("-0.0", &reciprocal),
        ("0", &|x: Expr| sqrt(x.clone()) - sqrt(x)),
    ];
    for (at, value) in cases {
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real);
        let z = f.input("z", Real);
        let y = f.output("y", Real.array([2]));
        f.independents([x, z]).dependents([y]);
        f.assign(y.at(1), value(Expr::var(x)));
        f.assign(y.at(2), sin(z));
        let (program, f) = finish(f);
        let found = checked(&program, f, &format!(r#"{{"x": {at}, "z": 0.5}}"#));
        assert_eq!(found.agrees(), Some(true), "{at}: {found:?}");
        assert_eq!(found.dot_product.not_finite, 1, "{at}: {found:?}");
        assert!(found.dot_product.gap < 1e-15, "{at}: {found:?}");
        assert!(found.dot_product.scale > 0.4, "{at}: {found:?}");
        assert!(
            found.remarks.to_string().contains("P433"),
            "{at}: {found:?}"
        );
    }
    // Alone, there is nothing left to compare.
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    f.independents([x]).dependents([y]);
    f.assign(y, sqrt(x));
    let (program, f) = finish(f);
    let found = checked(&program, f, r#"{"x": 0}"#);
    assert!(
        found.agrees().is_none() && found.dot_product.gap.is_nan(),
        "{found:?}"
    );
    assert_eq!(found.differences.compared, 0, "{found:?}");
}

/// A wrong derivative beside an infinite one is found, and one that is infinite in one program only.
#[test]
fn wrong_derivatives_beside_infinite_ones() {
    for (u, x) in [("cos(v)", "0"), ("cos(v) + 0.01", "0"), ("v_b", "4")] {
        let text = format!(
            r#"{{"format":"cfgrev/1","main":"f","routines":[
            {{"name":"f","parameters":[{{"name":"x","type":"real","intent":"in"}},
              {{"name":"z","type":"real","intent":"in"}},
              {{"name":"y","type":"real","shape":[2],"intent":"out"}}],
              "independents":["x","z"],"dependents":["y"],
              "vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[
                ["=",["[]","y",1],["sqrt","x"]],["call","g",["z",["[]","y",2]]]]}},{{"id":3,"type":"EXIT"}}],
              "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}]}},
            {{"name":"g","parameters":[{{"name":"v","type":"real","intent":"in"}},
              {{"name":"w","type":"real","intent":"out"}}],
              "vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[
                ["=","w",["sin","v"]]]}},{{"id":3,"type":"EXIT"}}],
              "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}],"derivatives":{{"adjoint":"g_b"}}}},
            {{"name":"g_b","parameters":[{{"name":"v","type":"real","intent":"in"}},
              {{"name":"w","type":"real","intent":"in"}},
              {{"name":"v_b","type":"real","intent":"inout"}},
              {{"name":"w_b","type":"real","intent":"inout"}}],
              "vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[
                ["=","v_b",["+","v_b",["*",{},"w_b"]]],["=","w_b",0.0]]}},{{"id":3,"type":"EXIT"}}],
              "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}]}}]}}"#,
            match u {
                "cos(v)" => r#"["cos","v"]"#,
                "v_b" => r#"["inf"]"#,
                _ => r#"["+",["cos","v"],0.01]"#,
            }
        );
        let program = cfg_format::json::read(text.as_bytes()).expect("it is a program");
        let program = validate(program).expect("it is valid");
        let found = checked(
            &program,
            RoutineId::new(0),
            &format!(r#"{{"x": {x}, "z": 0.5}}"#),
        );
        assert_eq!(found.agrees(), Some(u == "cos(v)"), "{found:?}");
    }
}

/// Shapes that depend on globals: those of POINT, or the initial ones, whatever ran before.
#[test]
fn shapes_that_depend_on_globals() {
    let text = r#"{"format":"cfgrev/1","globals":[{"name":"n","type":"integer","initial":3}],
        "routines":[{"name":"f","parameters":[{"name":"x","type":"real","intent":"in"},
        {"name":"y","type":"real","shape":["n"],"intent":"out"}],"locals":[{"name":"i","type":"integer"}],
        "independents":["x"],"dependents":["y"],"vertices":[{"id":1,"type":"ENTRY"},
        {"id":2,"type":"LOOP","test":"counted","index":"i","first":1,"last":"n"},
        {"id":3,"type":"BASICBLOCK","statements":[["=",["[]","y","i"],["*","x","i"]]]},
        {"id":4,"type":"ENDLOOP"},{"id":5,"type":"EXIT"}],"edges":[{"from":1,"to":2},
        {"from":2,"to":3,"label":1},{"from":3,"to":4},{"from":4,"to":2},{"from":2,"to":5}]}]}"#;
    let program = cfg_format::json::read(text.as_bytes()).expect("it is a program");
    let program = validate(program).expect("it is valid");
    let f = RoutineId::new(0);
    let options = Options::default();
    let mut primal = Primal::new(&flat(&program), f, &options).expect("it can be run");
    let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
    let mut tangent = Tangent::new(&flat(&program), f, &options).expect("it has a tangent");
    for (text, y) in [
        (r#"{"x": 2, "n": 2}"#, &[2.0, 4.0][..]),
        (r#"{"x": 2}"#, &[2.0, 4.0, 6.0]),
        (r#"{"n": 4, "x": 1}"#, &[1.0, 2.0, 3.0, 4.0]),
        (r#"{"n": 0, "x": 1}"#, &[]),
        (r#"{"n": 1, "x": 1, "y": [5]}"#, &[1.0]),
    ] {
        let point = primal.read_point(text.as_bytes()).expect("a point");
        assert_eq!(reals(&primal.run(&point).expect("it runs").value, "y"), y);
        let point = adjoint.read_point(text.as_bytes()).expect("a point");
        let seed = adjoint.seed_of_ones(&point).expect("it has dependents");
        let run = adjoint.gradient(&point, &seed).expect("it runs");
        assert_eq!(reals(&run.value, "y"), y);
        let sum: usize = (1..=y.len()).sum();
        assert_eq!(reals(&run.gradient, "x"), [sum as f64]);
        let point = tangent.read_point(text.as_bytes()).expect("a point");
        let direction = tangent.read_direction(br#"{"x": 1}"#, &point).expect("one");
        let run = tangent.tangent(&point, &direction).expect("it runs");
        assert_eq!(reals(&run.tangent, "y").len(), y.len());
        assert_eq!(
            checked(&program, f, text).agrees(),
            Some(!y.is_empty()).filter(|some| *some)
        );
    }
    let wrong = primal.read_point(br#"{"x": 2, "n": 2, "y": [1, 2, 3]}"#);
    let message = wrong.expect_err("y is too long").to_string();
    assert!(
        message.contains("P416") && message.contains("(2)"),
        "{message}"
    );
}

#[test]
fn cancelling_terms_are_measured_by_their_size() {
    // The derivative is 0 up to rounding of terms of size 1e8: no relative test could pass.
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    let t = f.local("t", Real);
    f.independents([x]).dependents([y]);
    f.assign(t, sin(x) * 1e8);
    f.assign(y, t * 3.0 - sin(x) * 3e8);
    let (program, f) = finish(f);
    let found = checked(&program, f, r#"{"x": 0.3}"#);
    assert_eq!(found.agrees(), Some(true), "{found:?}");
    assert!(found.dot_product.scale > 0.1, "{found:?}");
}

#[test]
fn what_cannot_be_done_is_an_error() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    f.if_else(gt(x, 0.0), |f| f.assign(y, 1.0 / x), |_| {});
    let (program, f) = finish(f);
    let nothing =
        Adjoint::new(&flat(&program), f, &Options::default()).expect_err("nothing declared");
    assert!(nothing.to_string().contains("P418"), "{nothing}");
    let mut program = program.into_program();
    let name = |s: &str| Some(vec![s.to_owned()]);
    let chosen = declare(&mut program, f, name("x").as_deref(), name("y").as_deref());
    chosen.expect("they are real");
    for (independent, dependent, part) in [
        ("z", "y", "no independent z"),
        ("x", "x_", "did you mean `x`?"),
    ] {
        let wrong = declare(
            &mut program.clone(),
            f,
            name(independent).as_deref(),
            name(dependent).as_deref(),
        );
        let message = wrong.expect_err("it is unknown").to_string();
        assert!(message.contains(part), "{message}");
    }
    let program = validate(program).expect("it is valid");
    // y stays without a value: an error in every mode, since it is a dependent.
    let mut primal = Primal::new(&flat(&program), f, &Options::default()).expect("it can be run");
    let point: Point = primal.read_point(br#"{"x": -1}"#).expect("it is a point");
    let message = primal.run(&point).expect_err("no value").to_string();
    assert!(message.contains("X202"), "{message}");
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let seed = adjoint.default_seed(&point).expect("one scalar");
    assert!(adjoint.gradient(&point, &seed).is_err());
}

#[test]
fn intents_of_arguments_do_not_confuse_positions() {
    // Integers and reals mixed, a parameter without derivative in between.
    let mut f = RoutineBuilder::new("f");
    let k = f.input("k", Integer);
    let a = f.parameter("a", Real, Intent::InOut);
    let m = f.output("m", Integer);
    let b = f.input("b", Real.array([2]));
    f.independents([b]).dependents([a]);
    f.assign(m, k + 1);
    f.assign(a, a * b.at(k));
    let (program, f) = finish(f);
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let point = adjoint
        .read_point(br#"{"k": 2, "a": 3, "b": [5, 7]}"#)
        .expect("a point");
    let seed = adjoint.default_seed(&point).expect("one scalar");
    let gradient = adjoint.gradient(&point, &seed).expect("it runs");
    assert_eq!(reals(&gradient.value, "a"), [21.0]);
    assert_eq!(reals(&gradient.gradient, "b"), [0.0, 3.0]);
}

/// y(i) = x(i-1) x(i) + a sin(x(i+1)), i = 2..n-1; z = b.
fn band(n: i64) -> (ValidProgram, RoutineId) {
    let mut f = RoutineBuilder::new("band");
    let x = f.input("x", Real.array([n]));
    let a = f.input("a", Real);
    let b = f.input("b", Real);
    let y = f.output("y", Real.array([n]));
    let z = f.output("z", Real);
    let i = f.local("i", Integer);
    f.independents([x, a, b]).dependents([y, z]);
    f.assign(y, 0.0);
    f.assign(z, b);
    f.for_loop(i, 2, n - 1, |f| {
        f.assign(y.at(i), x.at(i - 1) * x.at(i) + a * sin(x.at(i + 1)));
    });
    finish(f)
}

#[test]
fn sparse_jacobians_take_fewer_sweeps() {
    let n = 200;
    let (program, f) = band(n as i64);
    let x: Vec<String> = (0..n).map(|i| format!("{}", f64::from(i) / 7.0)).collect();
    let point = format!("{{\"x\": [{}], \"a\": 2, \"b\": 3}}", x.join(", "));
    let options = Options::default();
    let read = |p: &Primal| p.read_point(point.as_bytes());
    for mode in [Some(Mode::Adjoint), Some(Mode::Tangent), None] {
        let full = jacobian(&flat(&program), f, &options, read, mode).expect("it has a Jacobian");
        let few =
            compressed_jacobian(&flat(&program), f, &options, read, mode).expect("it has one");
        assert_eq!((full.probes, full.entries.len()), (0, 201 * 202));
        assert_eq!(few.entries, full.entries, "{mode:?}");
        let dense = if full.mode == Mode::Adjoint { 201 } else { 202 };
        assert_eq!(full.sweeps, dense);
        match few.mode {
            // Three columns of x at a time, and that of a, which is full.
            Mode::Tangent => assert!(few.sweeps <= 5, "{}", few.sweeps),
            // The column of a has an entry in every row.
            Mode::Adjoint => assert!(few.sweeps >= 198, "{}", few.sweeps),
        }
        if mode != Some(Mode::Adjoint) {
            assert_eq!(few.mode, Mode::Tangent);
            assert!(
                few.sweeps + few.probes < 80,
                "{} {}",
                few.sweeps,
                few.probes
            );
        }
    }
    // Without a the rows have colours, too.
    let declared = ["x".to_owned(), "b".to_owned()];
    let mut changed = program.program().clone();
    declare(&mut changed, f, Some(&declared), None).expect("they are there");
    let program = validate(changed).expect("it is valid");
    let full = jacobian(&flat(&program), f, &options, read, None).expect("it has a Jacobian");
    let by_rows = compressed_jacobian(&flat(&program), f, &options, read, Some(Mode::Adjoint));
    let by_rows = by_rows.expect("it has a Jacobian");
    assert!(by_rows.sweeps <= 5, "{}", by_rows.sweeps);
    assert_eq!(by_rows.entries, full.entries);
}

#[test]
fn full_jacobians_cost_at_most_twice() {
    let (program, f) = product_and_sum();
    let point = br#"{"n": 3, "x": [2, 3, 5]}"#;
    let options = Options::default();
    let full =
        jacobian(&flat(&program), f, &options, |t| t.read_point(point), None).expect("a Jacobian");
    for mode in [Mode::Adjoint, Mode::Tangent] {
        let read = |p: &Primal| p.read_point(point);
        let few = compressed_jacobian(&flat(&program), f, &options, read, Some(mode)).expect("one");
        for (a, b) in few.entries.iter().zip(&full.entries) {
            assert!((a - b).abs() < 1e-14 * a.abs().max(1.0), "{a} {b}");
        }
        let dense = if mode == Mode::Adjoint { 2 } else { 4 };
        assert!(few.probes <= dense && few.sweeps <= dense, "{few:?}");
    }
}

/// Bounds of rounding that grow with each pass of an iteration, as the derivative does not, are not what derivatives are measured by.
#[test]
fn checks_of_iterations_are_not_measured_by_bounds_that_allow_anything() {
    let mut program = ProgramBuilder::new();
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    let (a, b) = (f.local("a", Real), f.local("b", Real));
    let i = f.local("i", Integer);
    f.independents([x]).dependents([y]);
    f.assign(y, x);
    f.for_loop(i, 1, 8, |f| {
        f.assign(a, 100.0 * y);
        f.assign(b, 99.5 * y);
        f.assign(y, a - b + 0.1);
    });
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let found = checked(&program, f, r#"{"x": 0.7}"#);
    assert_eq!(found.agrees(), Some(true));
    let product = found.dot_product;
    assert!(product.scale < 10.0 * product.tangent.abs(), "{product:?}");
    assert!(found.differences.gap.is_some_and(|gap| gap < 1e-5));
}
