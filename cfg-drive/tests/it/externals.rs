//! External functions of arrays and optional parameters: arguments are bound to their parameters as in any call.

use super::*;
use crate::flat;
use cfg_core::diagnostic::Diagnostics;

/// A section, an element and what is behind it, an expression, other bounds, and more elements than the parameter has: adjoint, tangent
/// and divided differences agree for values and for partials.
#[test]
fn arrays_are_bound_as_in_any_call() {
    for known in [
        "value 0.5*a*b[k]*b[0] + sum(b)",
        "value a*sum(b*b)*real(k)\n  partial a: sum(b*b)*real(k)\n  partial b: 2.0*a*b*real(k)",
        "value sum(b)\n  partial b: 1.0",
    ] {
        for arguments in [
            "y, z, 1",
            "y, z[3:1:-1], 2",
            "y, 2.0*z, 1",
            "z[2], z, 2",
            "y, u, 1",
            "y, u[2], 1",
            "y, u[1:5:2], 2",
            "y, m[:, 2], 1",
            "m[1, 1], m, 2",
        ] {
            let source = format!(
                "external function e(in real a, in real b[3 from 0], in integer k) result real r
  {known}
end
main subroutine f(in real z[3], in real u[5], in real m[3, 2], inout real y)
  independent y, z, u, m
  dependent y
  y := call e({arguments})
  y := y*sin(y)
end
"
            );
            let (program, f) = of_text(&source);
            let point = r#"{"y": 0.5, "z": [0.25, 0.75, 0.5], "u": [1, 0.5, 0.25, 0.75, 2],
                "m": [[0.5, 1], [0.25, 1.5], [2, 0.75]]}"#;
            let found = super::checked(&program, f, point);
            assert_eq!(found.agrees(), Some(true), "{found:?}\n{source}");
        }
    }
}

/// The check of `y := call` to a function that is given so.
fn checked(head: &str, given: &str, call: &str) -> Result<Checked, Diagnostics> {
    let source = format!(
        "external function e({head}) result real r
{given}
end
main subroutine f(in integer n, optional in real w, in real x[4], out real y)
  local real m[2, 2], c[4]
  independent x, w
  dependent y
  m[1, :] := x[3:4]*x[1]
  m[2, :] := sin(x[1:2])
  c := 2.0
  y := call e({call})
  y := y*y
end
"
    );
    let (program, f) = of_text(&source);
    check(
        &flat(&program),
        f,
        &Options::default(),
        |t| t.read_point(br#"{"n": 2, "x": [1.5, 2, 3, 4]}"#),
        Tolerances::default(),
    )
}

/// A value is one of the parameters, whatever they are handed.
#[test]
fn values_over_arrays() {
    for (head, value, call) in [
        ("in real u[2]", "sum(u*u)", "x"),
        ("in real u[2]", "sum(u*u)*real(size(u))", "x[2]"),
        ("in real u[2]", "u[1]*u[2]", "x[2:3]"),
        ("in real u[2]", "u[1]*u[2]**2", "x[4:1:-3]"),
        ("in real u[4]", "u[1]*u[2]", "x*x"),
        ("in real u[4 from 0]", "u[0]*u[3]", "x"),
        ("in real u[2, 2]", "u[1, 1]*u[2, 2] + u[1, 2]", "x"),
        ("in real u[2, 2] column", "u[1, 1]*u[2, 2] + u[1, 2]", "x"),
        ("in real u[3]", "u[1]*u[2] + u[3]", "m"),
        ("in real u[:]", "u[1]*u[2] + sum(u)", "x[2:4]"),
        ("in integer k, in real u[k]", "sum(u)*u[k]", "n, x"),
        (
            "in real u, optional in real v",
            "if(present(v), u*v, u*u)",
            "x[2], absent",
        ),
        (
            "in real u, optional in real v",
            "if(present(v), u*v, u*u)",
            "x[2], x[3]",
        ),
        (
            "in real u, optional in real v",
            "if(present(v), u*v, u*u)",
            "x[2], w",
        ),
    ] {
        let found = checked(head, &format!("  value {value}"), call);
        let found = found.unwrap_or_else(|d| panic!("{head}, {value}, {call}: {d}"));
        assert_eq!(
            found.agrees(),
            Some(true),
            "{head}, {value}, {call}: {found:?}"
        );
    }
}

/// Partials are of the cells that arguments are, whatever these are.
#[test]
fn partials_over_arrays() {
    let whole = "  value sum(u*u)*v\n  partial u: 2.0*u*v\n  partial v: sum(u*u)";
    let element = "  value u[2]*v\n  partial v: u[2]";
    for (head, given, call) in [
        ("in real u[4], in real v", whole, "x, x[4]"),
        ("in real u[2], in real v", whole, "x, x[4]"),
        ("in real u[4 from 0], in real v", whole, "x, x[4]"),
        ("in real u[2], in real v", whole, "x[2:3], x[4]"),
        ("in real u[2], in real v", whole, "x[2], x[4]"),
        ("in real u[:], in real v", whole, "x[4:1:-1], x[4]"),
        ("in real u[2, 2], in real v", whole, "m, x[1]"),
        ("in real u[2, 2] column, in real v", whole, "m, x[1]"),
        ("in real u[4], in real v", element, "c, x[4]"),
        ("in real u[2], in real v", element, "c, x[4]"),
        ("in real u[n], in real v, in integer n", whole, "x, x[4], n"),
    ] {
        let found = checked(head, given, call);
        let found = found.unwrap_or_else(|d| panic!("{head}, {call}: {d}"));
        assert_eq!(found.agrees(), Some(true), "{head}, {call}: {found:?}");
    }
}

/// Where what is optional is absent, partials that name it have no value; what asks whether it is there cannot be asked elsewhere.
#[test]
fn partials_over_optional_parameters() {
    let plain = "  value u*u\n  partial u: 2.0*u\n  partial v: 0.0";
    let both = "  value u*u*v\n  partial u: 2.0*u*v\n  partial v: u*u";
    let asks = "  value u*u\n  partial u: if(present(v), 2.0*u, 2.0*u)";
    let head = "in real u, optional in real v";
    for (given, call, is_known) in [
        (plain, "x[2], absent", true),
        (both, "x[2], x[3]", true),
        (both, "x[2], absent", false),
        (asks, "x[2], x[3]", false),
        (asks, "x[2], absent", false),
    ] {
        match checked(head, given, call) {
            Ok(found) => {
                assert_eq!(found.agrees(), Some(true), "{given}, {call}: {found:?}");
                assert!(is_known, "{given}, {call}");
            }
            Err(problems) => {
                let text = problems.to_string();
                assert!(
                    !is_known && text.contains("R303"),
                    "{given}, {call}: {text}"
                );
            }
        }
    }
}

/// Functions that return arrays, by value and by partials of each element by its like, or of all by a scalar.
#[test]
fn results_that_are_arrays() {
    for (head, result, given) in [
        ("in real a, in real c[3]", "r[3]", "value a*c*c"),
        ("in real a, in real c[3]", "r[size(c)]", "value a*c*c"),
        ("in real a, in real c[:]", "r[size(c)]", "value a*c*c"),
        ("in real a, in real c[3]", "r[3]", "value a"),
        (
            "in real a, in real c[3]",
            "r[3]",
            "value a*c*c\n  partial a: c*c\n  partial c: 2.0*a*c",
        ),
        (
            "in real a, in real c[:]",
            "r[size(c)]",
            "value a*c*c\n  partial a: c*c\n  partial c: 2.0*a*c",
        ),
        (
            "in real a, in real c[3]",
            "r[3]",
            "value a + c\n  partial a: 1.0\n  partial c: 1.0",
        ),
    ] {
        for call in ["y, z", "z[1], z", "y*z[2], 2.0*z", "y, z[3:1:-1]"] {
            let source = format!(
                "external function e({head}) result real {result}
  {given}
end
main subroutine f(in real z[3], inout real y)
  local real w[4]
  independent y, z
  dependent y
  w := y
  w[1:3] := call e({call})
  y := sum(w*w)
end
"
            );
            let (program, f) = of_text(&source);
            let found = super::checked(&program, f, r#"{"y": 0.5, "z": [0.25, 0.75, 0.5]}"#);
            assert_eq!(found.agrees(), Some(true), "{found:?}\n{source}");
        }
    }
}

/// Parameters and results may have different precisions.
#[test]
fn partials_of_another_precision() {
    for (parameter, result, value, partials) in [
        (
            "real32",
            "real",
            "real(u)*real(u)*a",
            ["2.0*real(u)*a", "real(u)*real(u)"],
        ),
        (
            "real",
            "real32",
            "real32(u*u*a)",
            ["real32(2.0*u*a)", "real32(u*u)"],
        ),
    ] {
        for extent in ["", "[2]"] {
            let [by_u, by_a] = partials;
            let argument = if extent.is_empty() { "x[2]" } else { "x" };
            let source = format!(
                "external function e(in {parameter} u{extent}, in real a) result {result} r{extent}
  value {value}
  partial u: {by_u}
  partial a: {by_a}
end
main subroutine f(in {parameter} x[2], in real b, out {result} y)
  local {result} w[2]
  independent x, b
  dependent y
  w := call e({argument}, b)
  y := w[1]*w[2]
end
"
            );
            let (program, f) = of_text(&source);
            let found = super::checked(&program, f, r#"{"x": [1.5, 0.75], "b": 0.5}"#);
            assert_eq!(found.agrees(), Some(true), "{found:?}\n{source}");
        }
    }
}

/// If one derivative of a function is given, the other one is generated from its value or its partials, bound as in
/// any call.
#[test]
fn one_derivative_is_given() {
    let adjoint = "subroutine e_b(in real a[2], in real r, inout real a_b[2], inout real r_b)
  a_b[1] := a_b[1] + r_b*a[2]
  a_b[2] := a_b[2] + r_b*a[1]
  r_b := 0.0
end";
    let tangent = "subroutine e_t(in real a[2], out real r, in real a_t[2], out real r_t)
  r := a[1]*a[2]
  r_t := a_t[1]*a[2] + a[1]*a_t[2]
end";
    for (names, routine) in [("adjoint e_b", adjoint), ("tangent e_t", tangent)] {
        for known in [
            "value a[1]*a[2]",
            "value a[1]*a[2]\n  partial a: product(a)/a",
        ] {
            for argument in ["z[2:3]", "z[3:1:-2]", "z[2]", "z", "2.0*z", "u"] {
                let source = format!(
                    "external function e(in real a[2]) result real r
  {names}
  {known}
end
{routine}
main subroutine f(in real z[3], inout real y)
  local real u[2 from 0]
  independent y, z
  dependent y
  u := z[2:3]*y
  y := call e({argument})
  y := y*sin(y)
end
"
                );
                let (program, f) = of_text(&source);
                let found = super::checked(&program, f, r#"{"y": 0.5, "z": [0.25, 0.75, 0.5]}"#);
                assert_eq!(found.agrees(), Some(true), "{found:?}\n{source}");
            }
        }
    }
}

/// Parameters that a function may write, and does not, are bound as those that it only reads.
#[test]
fn parameters_that_may_be_written() {
    for (head, value, call) in [
        ("inout real a[2]", "a[1]*a[2]", "w[2:3]"),
        ("inout real a[2]", "a[1]*a[2]", "w[3:1:-2]"),
        ("inout real a, in real b[2]", "a*b[1]*b[2]", "w[1], w[2:3]"),
        ("in real a[2], inout real b", "a[1]*a[2]*b", "2.0*z, w[2]"),
    ] {
        let source = format!(
            "external function e({head}) result real r
  value {value}
end
main subroutine f(in real z[3], inout real y)
  local real w[3]
  independent y, z
  dependent y
  w := z*y
  y := call e({call})
  y := y*w[2]
end
"
        );
        let (program, f) = of_text(&source);
        let found = super::checked(&program, f, r#"{"y": 0.5, "z": [0.25, 0.75, 0.5]}"#);
        assert_eq!(found.agrees(), Some(true), "{found:?}\n{source}");
    }
}

/// A partial has the type of the result; the derivatives of parameters of the other real type are converted.
#[test]
fn two_real_types() {
    for (head, result, given, call) in [
        (
            "in real32 a",
            "real r",
            "value real(a)*2.0\n  partial a: 2.0",
            "s[1]",
        ),
        (
            "in real32 a[2]",
            "real r",
            "value real(a[1])*2.0 + real(a[2])*2.0\n  partial a: 2.0",
            "s",
        ),
        (
            "in real32 a[2], in real b",
            "real r[2]",
            "value real(a)*b\n  partial a: b\n  partial b: real(a)",
            "s, y",
        ),
        (
            "in real32 a, in real b[2]",
            "real r[2]",
            "value real(a)*b\n  partial a: b\n  partial b: real(a)",
            "s[2], z",
        ),
    ] {
        let target = if result.contains('[') { "w" } else { "w[1]" };
        let source = format!(
            "external function e({head}) result {result}
  {given}
end
main subroutine f(in real z[2], inout real y)
  local real32 s[2]
  local real w[2]
  independent y, z
  dependent y
  s := real32(z)
  w := y
  {target} := call e({call})
  y := sum(w*w)
end
"
        );
        let (program, f) = of_text(&source);
        // The tolerances for 32-bit reals.
        let point = r#"{"y": 0.5, "z": [0.25, 0.75]}"#;
        let found = check(
            &flat(&program),
            f,
            &Options::default(),
            |t| t.read_point(point.as_bytes()),
            Tolerances {
                dot_product: 1e-6,
                differences: 1e-2,
            },
        );
        let found = found.unwrap_or_else(|d| panic!("{d}\n{source}"));
        assert_eq!(found.agrees(), Some(true), "{found:?}\n{source}");
    }
}

/// An external function without calls does not keep a program from having derivatives, whatever its partials are.
#[test]
fn what_is_not_called_gets_no_derivatives() {
    let source = "external function e(in real a[2]) result real r
  partial a: 2.0*a
end
main subroutine f(inout real y)
  independent y
  dependent y
  y := y*y
end
";
    let (program, f) = of_text(source);
    let found = super::checked(&program, f, r#"{"y": 0.5}"#);
    assert_eq!(found.agrees(), Some(true), "{found:?}");
    let options = cfg_reverse::Options::default();
    let reversal =
        cfg_reverse::reverse(&flat(&program), f, &options).unwrap_or_else(|d| panic!("{d}"));
    let mut names = reversal.program.routines.iter().map(|r| r.name.as_str());
    assert!(!names.any(|name| name.starts_with("e_")));
}
