//! External functions of arrays: arguments are bound to their parameters as in any call.

use super::*;
use cfg_core::text;

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
            let parsed = text::parse(&source);
            let program = parsed
                .program
                .unwrap_or_else(|| panic!("{}", parsed.problems));
            let program = validate(program).unwrap_or_else(|d| panic!("{d}\n{source}"));
            let f = program.main.expect("one is marked");
            let point = r#"{"y": 0.5, "z": [0.25, 0.75, 0.5], "u": [1, 0.5, 0.25, 0.75, 2],
                "m": [[0.5, 1], [0.25, 1.5], [2, 0.75]]}"#;
            let found = check(
                &program,
                f,
                &Options::default(),
                |t| t.point(point.as_bytes()),
                Tolerances::default(),
            );
            let found = found.unwrap_or_else(|d| panic!("{d}\n{source}"));
            assert_eq!(found.agrees(), Some(true), "{found:?}\n{source}");
        }
    }
}
