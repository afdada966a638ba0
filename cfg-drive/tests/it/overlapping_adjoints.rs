//! A routine that is handed one storage twice, to be read, hands parts of it on to a routine with a given adjoint.

use super::*;
use crate::flat;

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

/// An aliased routine reads under the name of its `out` parameter what was written under the name of a global: y = x^5.
#[test]
fn what_was_written_under_another_name_is_varied() {
    let routines = "
global real ga[2] = 0.1
global real gb = 0.2
global real gy = 0.3
aliased subroutine outer(out real p[2])
  p := 0.2
  call inner(p[1])
  p[2] := p[1]
end
aliased subroutine inner(out real q)
  uses ga, gb, gy
  q := 0.5
  ga[1] := gb*gb
  gy := q
end
main subroutine f(in real x, out real y)
  uses ga, gb, gy
  independent x
  dependent y
  gb := x*x
  ";
    for call in ["inner(ga[1])", "outer(ga)"] {
        let (program, f) = of_text(&format!("{routines}call {call}\n  y := gy*x\nend"));
        let found = gradient_at(&program, f, r#"{"x": 2}"#);
        assert_eq!(reals(&found.gradient, "x"), [80.0], "{call}");
        let mut tangent =
            Tangent::new(&flat(&program), f, &Options::default()).expect("it has a tangent");
        let point = tangent.read_point(br#"{"x": 2}"#).expect("a point");
        let direction = tangent
            .read_direction(br#"{"x": 1}"#, &point)
            .expect("a direction");
        let run = tangent.tangent(&point, &direction).expect("it runs");
        assert_eq!(reals(&run.tangent, "y"), [80.0], "{call}");
    }
}
