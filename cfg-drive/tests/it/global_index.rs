//! A routine that is called counts with a global that its caller uses as a subscript.

use super::*;
use cfg_core::text;

const COUNTS: &str = "
subroutine counts()
  uses k
  local integer j
  for k = 1, 2
    j := k
  end
end
subroutine deeper()
  call counts()
end
";

/// y = sin(x[2]^2) x[3]: the subscript is 2 in front of the call and 3 behind it.
#[test]
fn what_a_called_routine_counts_with_is_recorded() {
    for kind in ["", "general "] {
        for callee in ["counts", "deeper"] {
            let source = format!(
                "global integer k = 2
                main {kind}subroutine f(in real x[4], out real y)
                  uses k
                  independent x
                  dependent y
                  k := 2
                  y := x[k]*x[k]
                  call {callee}()
                  y := sin(y)*x[k]
                end{COUNTS}"
            );
            let parsed = text::parse(&source);
            let problems = parsed.problems;
            let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
            let program = cfg_core::validate::validate(program).expect("a valid program");
            let main = program.main.expect("one is marked");
            let mut adjoint =
                Adjoint::new(&program, main, &Options::default()).expect("an adjoint");
            let point = adjoint.point(br#"{"x":[0.5,0.25,2.0,1.0]}"#);
            let point = point.expect("a point");
            let seed = adjoint.default_seed(&point).expect("a seed");
            let found = adjoint.gradient(&point, &seed).expect("it runs");
            let square = 0.25_f64 * 0.25;
            let expected = [0.0, square.cos() * 2.0 * 0.25 * 2.0, square.sin(), 0.0];
            assert_eq!(reals(&found.gradient, "x"), expected, "{kind}{callee}");
        }
    }
}
