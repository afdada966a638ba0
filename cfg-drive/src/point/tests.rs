use super::*;
use crate::seeds::parse_seeds;
use crate::{Nested, Options, Primal};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
use cfg_core::flat::Flat;
use cfg_core::ir::{
    Dim, Expr, Op,
    Order::{Column, Row},
    ScalarType::{Integer, Logical, Real, Real32},
};
use cfg_testkit::flat;

/// `f(n, x(n), m(2, 3) column, flag, s, out y(2*n), optional real o)` with the global `g(2)`.
fn sample() -> (Flat, RoutineId) {
    let mut program = ProgramBuilder::new();
    program.global("g", Real.array([2]));
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    f.input("x", Real.array([Dim::from(n)]));
    f.inout("m", Real.array([2, 3]).column());
    f.input("flag", Logical);
    f.input("s", Real32);
    let twice = Expr::op(Op::Mul, [Expr::Int(2), Expr::var(n)]);
    f.output("y", Real.array([Dim::with_extent(twice)]));
    f.optional("o", Real, Intent::In);
    f.local("t", Real);
    let f = program.add(f);
    (
        flat(&program.finish().expect("the builder is used right")),
        f,
    )
}

const GOOD: &str =
    r#"{"n": 2, "x": [1, "inf"], "m": [[1, 2, 3], [4, 5, 6]], "flag": true, "s": 0.1}"#;

fn parse(text: &str) -> Result<Point, String> {
    let (program, f) = sample();
    let primal = Primal::new(&program, f, &Options::default()).expect("it can be compiled");
    primal
        .read_point(text.as_bytes())
        .map_err(|d| d.to_string())
}

/// Elements in storage order, as reals.
fn elements(argument: &Argument) -> Vec<f64> {
    let value = argument.value().expect("a value");
    value.to_f64s().expect("it is initialised")
}

#[test]
fn values_are_bound_in_storage_order() {
    let point = parse(GOOD).expect("it is a point");
    let [n, x, m, flag, s, y, o] = &point.arguments[..] else {
        panic!("seven arguments");
    };
    assert_eq!(elements(n), [2.0]);
    assert_eq!(elements(x), [1.0, f64::INFINITY]);
    assert_eq!(elements(m), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(m.value().map(Value::order), Some(Column));
    assert_eq!(flag, &Argument::from(true));
    assert_eq!(s, &Argument::Value(Value::real32(0.1)));
    assert_eq!(
        Some(y),
        Value::uninitialised(Real, &[4], Row)
            .map(Argument::Value)
            .as_ref()
    );
    assert_eq!(o, &Argument::Absent);
    assert_eq!(point.globals, []);
    // Printed values are those that were read.
    let json = |a: &Argument| {
        serde_json::to_string(&Nested(a.value().expect("a value"))).expect("it can be written")
    };
    assert_eq!(json(m), "[[1.0,2.0,3.0],[4.0,5.0,6.0]]");
    assert_eq!(json(x), "[1.0,\"inf\"]");
    assert_eq!(json(s), "0.1");
    assert_eq!(json(y), "[null,null,null,null]");
}

#[test]
fn globals_and_optional_parameters_can_be_given() {
    let text = GOOD.replace('}', r#", "g": [7, 8], "o": 1, "y": [0, 0, 0, 0]}"#);
    let point = parse(&text).expect("it is a point");
    assert_eq!(point.globals[0].1, Value::from_reals(&[7.0, 8.0]));
    assert_eq!(point.arguments[6], Argument::from(1.0));
    assert_eq!(elements(&point.arguments[5]), [0.0; 4]);
}

/// An output array of which the size is given has no values, whatever its intent and type.
#[test]
fn sizes_give_extents_only() {
    let cases = [
        (vec![5], r#"{"size": 5}"#),
        (vec![0], r#"{"size": [0]}"#),
        (vec![2, 3], r#"{"size": [2, 3]}"#),
        (vec![1, 2, 3], r#"{"size": [1, 2, 3]}"#),
    ];
    for ((extents, text), ty) in cases
        .iter()
        .flat_map(|case| [Real, Real32, Integer, Logical].map(|ty| (case, ty)))
    {
        for order in [Row, Column] {
            for intent in [Intent::Out, Intent::InOut] {
                let mut f = RoutineBuilder::new("f");
                let shape = extents.iter().map(|_| Dim::deferred());
                let declared = ty.array(shape.collect::<Vec<_>>());
                let declared = match order {
                    Row => declared,
                    Column => declared.column(),
                };
                f.optional("y", declared, intent);
                let mut program = ProgramBuilder::new();
                let f = program.add(f);
                let program = program.finish().expect("the builder is used right");
                let primal = Primal::new(&flat(&program), f, &Options::default())
                    .expect("it can be compiled");
                let point = primal.read_point(format!("{{\"y\": {text}}}").as_bytes());
                let expected = Value::uninitialised(ty, extents, order).expect("it is small");
                assert_eq!(
                    point.expect("it is a point").arguments,
                    [Argument::Value(expected)]
                );
            }
        }
    }
}

/// Replaces a part of the good point and returns the diagnostic.
fn wrong(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    parse(&GOOD.replacen(from, to, 1)).expect_err("it is no point")
}

/// `null` leaves out what is optional, an output or a global; an array of open extents has no elements.
#[test]
fn null_leaves_a_variable_out() {
    let given = |more: &str| parse(&GOOD.replace('}', more)).expect("it is a point");
    let left_out = given(r#", "o": null, "y": null, "g": null}"#);
    assert_eq!(left_out, given("}"));
    let mut f = RoutineBuilder::new("f");
    f.input("x", Real.array([Dim::deferred()]));
    f.input("m", Real.array([Dim::deferred(), Dim::deferred()]));
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let primal = Primal::new(&flat(&program), f, &Options::default()).expect("it can be compiled");
    let point = primal
        .read_point(br#"{"x": null, "m": null}"#)
        .expect("it is a point");
    let shapes = point
        .arguments
        .iter()
        .map(|a| a.value().expect("a value").shape().to_vec());
    assert_eq!(shapes.collect::<Vec<_>>(), [vec![0], vec![0, 0]]);
}

#[test]
fn what_is_wrong_is_named() {
    let cases = [
        (("\"n\": 2, ", ""), "P414", "no value for n"),
        (("\"flag\": true, ", ""), "P414", "integer"),
        (("\"n\": 2", "\"n\": 2.0"), "P415", "n is integer"),
        (
            ("\"n\": 2", "\"n\": 9223372036854775808"),
            "P415",
            "n is integer",
        ),
        (("true", "2"), "P415", "write true or false"),
        (("\"inf\"", "\"Infinity\""), "J041", "/x/1"),
        (("\"inf\"", "null"), "P415", "null"),
        (("\"n\": 2", "\"n\": null"), "P414", "no value for n"),
        (("[1, \"inf\"]", "null"), "P414", "no value for x"),
        (
            ("\"flag\"", "\"flog\": null, \"flag\""),
            "P412",
            "did you mean `flag`?",
        ),
        (("[1, \"inf\"]", "[1]"), "P416", "shape (2)"),
        (("[1, \"inf\"]", "1"), "P416", "array of rank 1"),
        (("[1, \"inf\"]", "[1, [2]]"), "P416", "/x/1"),
        (("[4, 5, 6]", "[4, 5]"), "P416", "/m/1"),
        (("[4, 5, 6]", "4"), "P416", "depth 1"),
        (("\"flag\"", "\"flog\""), "P412", "did you mean `flag`?"),
        (("\"flag\"", "\"t\": 1, \"flag\""), "P412", "local"),
        (("\"flag\"", "\"n\": 2, \"flag\""), "J011", "n"),
        (("0.1", "1e999"), "J004", "infinity is the string \"inf\""),
        (("0.1", "NaN"), "J005", "not JSON"),
        (("0.1", "{\"a\": 1}"), "P415", "has an object"),
        (("0.1", "{\"size\": 1}"), "P414", "s is no output"),
        (("[1, \"inf\"]", "{\"size\": 2}"), "P414", "x is no output"),
        (
            ("[1, \"inf\"]", "[1, {\"size\": 2}]"),
            "P415",
            "a size alone",
        ),
        (
            ("\"flag\"", "\"y\": {\"size\": 3}, \"flag\""),
            "P416",
            "shape (4)",
        ),
        (
            ("\"flag\"", "\"y\": {\"size\": [2, 2]}, \"flag\""),
            "P416",
            "1 dimensions, but its size has 2",
        ),
        (
            (
                "\"flag\"",
                "\"y\": {\"size\": 4611686018427387904}, \"flag\"",
            ),
            "P419",
            "y of shape",
        ),
        (
            ("\"flag\"", "\"g\": {\"size\": 2}, \"flag\""),
            "P414",
            "g is no output",
        ),
        (
            ("\"n\": 2", "\"n\": 9223372036854775807"),
            "P419",
            "x of shape",
        ),
    ];
    for ((from, to), code, part) in cases {
        let text = wrong(from, to);
        assert!(text.contains(code), "{from} -> {to}: {text}");
        if part != "integer" {
            assert!(text.contains(part), "{from} -> {to}: {text}");
        }
    }
    for text in ["", "[]", "1", "{\"n\"", "{}x", "\u{0}"] {
        parse(text).expect_err("no object");
    }
    let all = parse("{}").expect_err("everything is missing");
    assert_eq!(all.matches("P414").count(), 1, "{all}");
    let (_, whole) = all
        .split_once("numbers to change: ")
        .expect("a whole point");
    parse(whole.lines().next().unwrap_or_default()).expect("it is a point");
}

#[test]
fn nesting_that_promises_more_than_there_is() {
    // The first rows say 3000 by 3000, the others are empty.
    let row = format!("[{}]", vec!["0"; 3000].join(","));
    let rest = vec!["[]"; 2999].join(",");
    let text = GOOD.replacen("[[1, 2, 3], [4, 5, 6]]", &format!("[{row},{rest}]"), 1);
    let message = parse(&text).expect_err("rows differ");
    assert!(
        message.contains("P416") && message.contains("/m/1"),
        "{message}"
    );
    let deep = format!("{{\"x\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(&deep).expect_err("too deep").contains("J003"));
}

#[test]
fn extents_are_computed_from_the_point() {
    let mut f = RoutineBuilder::new("f");
    let a = f.input("a", Real.array([Dim::deferred(), Dim::deferred()]));
    let k = f.input("k", Integer.array([0..=1]));
    let size = |d| Expr::op(Op::Size, [Expr::var(a), Expr::Int(d)]);
    let quotient = Expr::op(Op::Div, [size(1), Expr::Place(k.at(1))]);
    f.output(
        "y",
        Real.array([Dim::with_extent(quotient), Dim::with_extent(size(2))]),
    );
    f.output("z", Real.array([Dim::deferred()]));
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let primal = Primal::new(&flat(&program), f, &Options::default()).expect("it can be compiled");
    let parse = |text: &str| {
        primal
            .read_point(text.as_bytes())
            .map_err(|d| d.to_string())
    };
    let shape = |point: &Point, i: usize| {
        point.arguments[i]
            .value()
            .expect("a value")
            .shape()
            .to_vec()
    };

    let point = parse(r#"{"a": [[1], [2], [3], [4]], "k": [0, 2], "z": [0]}"#);
    assert_eq!(shape(&point.expect("it is a point"), 2), [2, 1]);
    // Extents below an empty dimension are unknown; then a division by zero, and an array `z` without a shape.
    let point = parse(r#"{"a": [], "k": [0, 2], "z": []}"#).expect("it is a point");
    assert_eq!(shape(&point, 2), [0, 0]);
    let zero = parse(r#"{"a": [[1]], "k": [2, 0], "z": [0]}"#).expect_err("division by zero");
    assert!(zero.contains("cannot be computed"), "{zero}");
    let open = parse(r#"{"a": [[1]], "k": [0, 2]}"#).expect_err("no shape");
    assert!(
        open.contains("P414") && open.contains("assumed shape"),
        "{open}"
    );
}

#[test]
fn seeds_fill_what_is_missing_with_zeros() {
    let (program, f) = sample();
    let routine = program.routine(f);
    let zeros =
        |shape: &[usize], order| Value::uninitialised(Real, shape, order).expect("it is small");
    let slots = [
        (Slot::Parameter(VarId::new(2)), zeros(&[2, 3], Column)),
        (Slot::Parameter(VarId::new(5)), zeros(&[4], Row)),
    ];
    let parse = |text: &str| {
        let declared = slots.each_ref().map(|(slot, _)| *slot);
        let within = |words| Options::default().lease(words, routine);
        parse_seeds(
            text.as_bytes(),
            "SEED",
            &program,
            routine,
            (&slots, &declared),
            &Sizes::new(),
            within,
        )
        .map_err(|d| d.to_string())
    };
    let (seeds, list, _) = parse(r#"{"y": [1, 2, 3, 4]}"#).expect("it is a seed");
    assert!(!list);
    assert_eq!(seeds[0][0].to_f64s(), Some(vec![0.0; 6]));
    assert_eq!(seeds[0][1].to_f64s(), Some(vec![1.0, 2.0, 3.0, 4.0]));
    let (seeds, list, _) = parse(r#"[{}, {"m": [[1, 2, 3], [4, 5, 6]]}]"#).expect("two seeds");
    assert!(list);
    assert_eq!(seeds.len(), 2);
    assert_eq!(
        seeds[1][0].to_f64s(),
        Some(vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0])
    );
    let unknown = parse(r#"[{}, {"n": 1}]"#).expect_err("no dependent");
    assert!(
        unknown.contains("P412") && unknown.contains("/1/n"),
        "{unknown}"
    );
    let shape = parse(r#"{"y": [1]}"#).expect_err("too short");
    assert!(shape.contains("P416"), "{shape}");
}
