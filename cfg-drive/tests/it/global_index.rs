//! A routine that is called counts with a global that its caller uses as a subscript.

use super::*;

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
            let (program, main) = of_text(&source);
            let found = gradient_at(&program, main, r#"{"x":[0.5,0.25,2.0,1.0]}"#);
            let square = 0.25_f64 * 0.25;
            let expected = [0.0, square.cos() * 2.0 * 0.25 * 2.0, square.sin(), 0.0];
            assert_eq!(reals(&found.gradient, "x"), expected, "{kind}{callee}");
        }
    }
}

/// A loop is recovered as a counted loop only if nothing in it may write its index or bound, under any name: the
/// recovered program has the values of the original.
#[test]
fn loops_are_counted_only_where_nothing_else_writes_their_index() {
    let by_a_call = "
global integer i = 0
main general subroutine f(in integer n, inout real x)
  uses i
  independent x
  dependent x
  i := 1
  while i <= n
    x := x*x
    call bump()
    i := i + 1
  end
end
subroutine bump()
  uses i
  i := i + 1
end
";
    let beside_another = "
global integer both[2] = 0, 0
global integer i overlays both at 0
global integer c overlays both at 1
main general subroutine f(in integer n, inout real x)
  uses i, c
  independent x
  dependent x
  i := 1
  while i <= n
    x := x*x
    c := c + 1
    i := i + 1
  end
end
";
    let bound_by_another_name = "
global integer k = 3
global integer z
main subroutine top(in integer n, inout real x)
  uses k
  independent x
  dependent x
  k := n
  call f(k, x)
end
aliased general subroutine f(in integer n, inout real x)
  uses z
  local integer i
  z := 0
  i := 1
  while i <= n
    x := x*x
    call bump()
    i := i + 1
  end
end
subroutine bump()
  uses k
  k := k - 1
end
";
    for (source, power) in [
        (by_a_call, 4),
        (beside_another, 8),
        (bound_by_another_name, 4),
    ] {
        let (program, main) = of_text(source);
        let recovered = cfg_core::recover::recover_program(&program);
        let recovered = validate(recovered).unwrap_or_else(|d| panic!("{d}"));
        for program in [program, recovered] {
            let found = gradient_at(&program, main, r#"{"n": 3, "x": 1.5}"#);
            assert_eq!(reals(&found.value, "x"), [1.5_f64.powi(power)]);
            let expected = f64::from(power) * 1.5_f64.powi(power - 1);
            assert_eq!(reals(&found.gradient, "x"), [expected]);
        }
    }
}

/// A given adjoint writes the global over which the caller of its routine counts, directly or another level up.
#[test]
fn given_adjoints_may_write_what_a_caller_counts_with() {
    let given = "
global integer k = 1
subroutine h(in real x, inout real y)
  adjoint h_b
  y := y*x
end
subroutine h_b(in real x, in real y, inout real xb, inout real yb)
  uses k
  for k = 1, 5
    xb := xb + 0.2*yb*y
  end
  yb := yb*x
end
subroutine m(in real x, inout real y)
  call h(x, y)
  y := y + x
end
";
    for callee in ["h", "m"] {
        for kind in ["", "general "] {
            let source = format!(
                "{given}
                main {kind}subroutine f(in real x[4], out real y)
                  uses k
                  independent x
                  dependent y
                  y := 1.0
                  for k = 1, 3
                    call {callee}(x[k], y)
                    y := sin(y)*x[k + 1]
                  end
                end"
            );
            let (program, main) = of_text(&source);
            let found = checked(&program, main, r#"{"x": [1.1, 0.7, 0.9, 0.8]}"#);
            assert_eq!(found.agrees(), Some(true), "{kind}{callee}: {found:?}");
        }
    }
}
