//! Functions that return arrays: callers give the variables of their results the shapes that these will have.

use crate::run::{Named, run, valid};
use cfg_core::{elemental::Scalar, ir::Order, ir::ScalarType};
use cfg_exec::Value;
use cfg_format::text;
use cfg_reverse::{Options, reverse, tangent};
use cfg_testkit::flat;

/// The result of `g` has two more elements than its parameter, which has none if `n` is below zero.
const PROGRAM: &str = "main subroutine f(in integer n, in real x[4], inout real y)
  independent x
  dependent y
  local real t[:]
  t := call g(n, x)
  y := sum(t*t)
end

function g(in integer n, in real a[n]) result real r[size(a, 1) + 2]
  r := 2.0
  if n > 0
    r[1] := a[1]*3.0
  end
end
";

fn scalar(ty: ScalarType, x: Scalar) -> Value {
    let mut value = Value::uninitialised(ty, &[], Order::Row).expect("it is small");
    assert!(value.set(0, x));
    value
}

fn point(n: i64) -> Named {
    let mut x = Value::uninitialised(ScalarType::Real, &[4], Order::Row).expect("it is small");
    for i in 0..4 {
        assert!(x.set(i, Scalar::Real(1.0 + i as f64)));
    }
    Named::from([
        (
            "n".to_owned(),
            scalar(ScalarType::Integer, Scalar::Integer(n)),
        ),
        ("x".to_owned(), x.clone()),
        ("x_t".to_owned(), x),
        ("y".to_owned(), scalar(ScalarType::Real, Scalar::Real(0.0))),
        (
            "y_t".to_owned(),
            scalar(ScalarType::Real, Scalar::Real(0.0)),
        ),
    ])
}

#[test]
fn extents_below_zero_are_sizes_of_zero() {
    let parsed = text::parse(PROGRAM);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let program = valid(program).unwrap();
    let main = program.main.expect("there is one");
    let made = tangent(&flat(&program), main).unwrap();
    let derived = valid(made.program).unwrap();
    for n in -3..=4 {
        let expected = run(&program, main, &point(n)).unwrap();
        let found = run(&derived, made.tangent, &point(n)).unwrap_or_else(|e| panic!("{n}: {e}"));
        assert_eq!(found["y"], expected["y"], "{n}");
        // y is 9 x[1]² and a constant.
        let slope = if n > 0 { 18.0 } else { 0.0 };
        assert_eq!(
            found["y_t"],
            scalar(ScalarType::Real, Scalar::Real(slope)),
            "{n}"
        );
    }
    // The forward sweep shapes the variable of the result in the same way.
    let made = reverse(&flat(&program), main, &Options::default()).unwrap();
    let text = made.program.to_string();
    assert!(text.contains(":= fill(0.0, max(n, 0) + 2)"), "{text}");
}
