//! A routine that is handed one storage twice, to be read, hands parts of it on to a routine with a given adjoint.

use super::*;

const GIVEN: &str = "
function g(in real u, in real v[3]) result real r
  adjoint g_b
  r := u*sum(v)
end
subroutine g_b(in real u, in real v[3], inout real r, inout real u_b, inout real v_b[3], inout real r_b)
  u_b := u_b + sum(v)*r_b
  v_b := v_b + u*r_b
  r_b := 0.0
end";

/// y = x[2] sum(x), in a routine that has the array under two names.
#[test]
fn adjoints_of_one_storage_are_added_up() {
    let by_two_parameters = "
main subroutine f(in real x[3], out real y)
  independent x
  dependent y
  call inner(x, x, y)
end
subroutine inner(in real a[3], in real b[3], out real y)
  y := call g(a[2], b)
end";
    let by_a_global = "
global real t[3]
main subroutine f(in real x[3], out real y)
  uses t
  independent x
  dependent y
  t := x
  call inner(t, y)
end
subroutine inner(in real a[3], out real y)
  uses t
  y := call g(a[2], t)
end";
    for main in [by_two_parameters, by_a_global] {
        let (program, main) = of_text(&format!("{main}{GIVEN}\n"));
        let found = gradient_at(&program, main, r#"{"x":[1.0,2.0,4.0]}"#);
        let gradient = found.gradient.iter();
        let gradient: Vec<f64> = gradient
            .flat_map(|(_, value)| value.to_f64s().unwrap())
            .collect();
        assert_eq!(gradient, [2.0, 9.0, 2.0]);
    }
}
