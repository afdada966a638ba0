//! Promises of independent iterations: loops whose promise is disproved have other values if their iterations run in
//! the other order, by the executor.

use crate::bounds::valid;
use cfg_core::ir::{INDEPENDENT, Order};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_reverse::{Options, reverse};
use cfg_testkit::flat;

/// Bodies of loops whose iterations depend on each other.
const DEPENDENT: &[&str] = &[
    "s := s*x[i] + y[i]",
    "s := s + x[i]\n y[i] := s",
    "y[i] := s\n s := x[i]",
    "x[i] := x[i - 1]*0.5 + y[i]",
    "x[i] := x[i + 1]*0.5 + y[i]",
    "x[i + 1] := x[i]*0.5 + y[i]",
    "y[i] := x[i - 1]\n x[i] := y[i]*y[i]",
    "x[i] := y[i]*0.5\n y[i] := x[i - 1]",
    "a[2, i] := a[2, i - 1]*x[i]",
    "a[i, i] := x[i]\n y[i] := a[i - 1, i - 1]",
    "for j = 1, n\n y[j] := y[j]*x[i] + a[j, i]\n end",
    "for j = 1, n\n w[j] := y[j]*x[i] + 1.0\n end\n for k = 1, n\n y[k] := w[k]\n end",
    "for j = 1, n\n s := s*0.5 + x[j]\n end\n y[i] := s",
    "if x[i] > 0.0\n t := x[i]\n else\n t := 2.0\n end\n s := s*t - 1.0",
    "y := y*x[i] + 0.25",
];

/// Bodies of loops whose iterations are independent, but for sums.
const INDEPENDENT_BODIES: &[&str] = &[
    "y[i] := x[i]*x[i + 1]*x[i - 1]",
    "t := x[i]\n y[i] := t*t",
    "s := s + x[i]",
    "s := s - x[i]*x[i]\n y[i] := x[i]",
    "t := s\n t := t + x[i]\n s := t",
    "s := x[i] + (s - x[i]*x[i])",
    "s := x[i] - (1.0 - s)",
    "s := fma(x[i], x[i], s)",
    "s := real(real32(0.5)) + s",
    "x[i] := x[i]*x[i]",
    "a[1, i] := a[2, i - 1]",
    "for j = 1, n\n w[j] := x[i]*x[j]\n end\n for j = 1, n\n y[i] := y[i] + w[j]\n end",
    "for j = 1, n\n a[j, i] := a[j, i]*x[i]\n end",
    "for j = i, i\n x[j] := x[j]*x[j]\n end",
    "w[1] := x[i]\n y[i] := w[1]*w[1]",
    "w[1] := x[i]\n w[2] := w[1]*w[1]\n y[i] := w[2] + w[1]",
    "t := 1.0\n for j = 1, n\n t := t*x[j]\n end\n y[i] := t*x[i]",
    "y[i] := if(i == 0, s, x[i])\n s := 2.0",
];

/// The values of a loop, its iterations from the first to the last one, or the other way round.
fn values(body: &str, head: &str) -> Vec<f64> {
    let program = valid(&source(body, head));
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).expect("it compiles");
    let main = program.find_routine("f").expect("it is there");
    let drawn = |k: usize| (k as f64 * 0.7).sin() + 0.1;
    let row = |from: usize, count: usize| -> Vec<f64> { (from..from + count).map(drawn).collect() };
    let array = |from, extents: &[usize]| {
        let count = extents.iter().product();
        let value = Value::real_array(extents, Order::Column, &row(from, count));
        Argument::from(value.expect("it fits"))
    };
    let mut arguments: Vec<Argument> = vec![
        Value::integer(8).into(),
        Value::real(1.3).into(),
        array(2, &[8]),
        array(30, &[8]),
        array(60, &[8, 8]),
    ];
    let report = Session::new(&compiled).run(main, &mut arguments, &RunOptions::default());
    report.unwrap_or_else(|d| panic!("{d}"));
    let values = arguments.iter().skip(1).filter_map(|a| a.value());
    values
        .flat_map(|v| v.to_f64s().expect("it is real"))
        .collect()
}

fn source(body: &str, head: &str) -> String {
    format!(
        "main subroutine f(in integer n, inout real s, inout real x[8], inout real y[8], inout real a[8, 8])\n \
         local integer i, j, k\n local real t, w[8]\n independent s, x, y\n dependent s, x, y\n for {head}\n {body}\n end\nend\n"
    )
}

fn is_refused(body: &str, head: &str) -> bool {
    let mut program = valid(&source(body, head)).into_program();
    let cfg = program.routines[0].body.as_mut().expect("it has one");
    let promised = cfg.vertices_mut().find(|v| v.kind.test().is_some());
    let promised = promised.expect("there is a loop");
    promised.annotations = Some(Box::new(
        [(INDEPENDENT.to_owned(), true.into())]
            .into_iter()
            .collect(),
    ));
    let program = cfg_core::validate::validate(program).unwrap_or_else(|d| panic!("{d}"));
    let main = program.find_routine("f").expect("it is there");
    match reverse(&flat(&program), main, &Options::default()) {
        Ok(_) => false,
        Err(found) => {
            assert_eq!(found.0[0].code, "R315", "{found}");
            assert!(found.0[0].at.site.is_some());
            true
        }
    }
}

#[test]
fn disproved_promises_are_refused() {
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    let heads = ["i = 2, n - 1", "i = n - 1, 2, -1"];
    for (bodies, is_dependent) in [(DEPENDENT, true), (INDEPENDENT_BODIES, false)] {
        for body in bodies {
            let [up, down] = heads.map(|head| values(body, head));
            assert_eq!(close(&up, &down), !is_dependent, "{body}");
            for head in heads {
                assert_eq!(is_refused(body, head), is_dependent, "{head}: {body}");
            }
        }
    }
    // Every second cell is assigned, and the others are read.
    let other = "x[i] := x[i - 1]*0.5";
    assert!(is_refused(other, "i = 2, n - 1") && !is_refused(other, "i = 2, n - 1, 2"));
    assert!(is_refused("x[i] := x[i + 2]*0.5", "i = 2, n - 2, 2"));
    // Iterations so far apart that there are not two of them.
    for (body, few, more) in [
        ("x[i] := x[i - 4]*2.0", "i = 5, 8", "i = 5, 9"),
        ("x[i] := x[i + 2]*2.0", "i = 4, 1, -3", "i = 7, 1, -1"),
        ("s := s*x[i]", "i = 2, 2", "i = 2, 3"),
    ] {
        assert!(!is_refused(body, few) && is_refused(body, more), "{body}");
    }
    // Nothing is sure of subscripts that the iteration computes, and of arms.
    for body in [
        "k := 2\n x[k] := x[k]*x[i]",
        "if x[i] > 0.0\n s := s*x[i]\n end",
        "for j = 2, n\n y[j] := y[j - 1] + x[i]\n end\n y[1] := y[1]*x[i] - 0.5",
        "while s < 0.0\n s := s*x[i]\n end",
    ] {
        assert!(!is_refused(body, "i = 2, n - 1"), "{body}");
    }
}
