//! Zero adjoints that stay zero, whatever the partials are.

use super::*;
use crate::flat;
use cfg_reverse::Strong;

/// y = x, where z = e(x, p) is computed and not chosen; the gradient with the products that are strong.
fn derivative(e: impl Fn(Expr, Expr) -> Expr, p: f64, strong: Strong) -> f64 {
    let mut f = RoutineBuilder::new("f");
    let (x, p_in) = (f.input("x", Real), f.input("p", Real));
    let y = f.output("y", Real);
    let [z] = ["z"].map(|name| f.local(name, Real));
    f.independents([x]).dependents([y]);
    f.assign(z, e(Expr::var(x), Expr::var(p_in)));
    f.assign(
        y,
        Expr::op(Op::If, [gt(x, 9.0), Expr::var(z), Expr::var(x)]),
    );
    let (program, f) = finish(f);
    let mut options = Options::default();
    options.reversal.strong = strong;
    let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
    let at = adjoint.read_point(format!(r#"{{"x": 0, "p": {p}}}"#).as_bytes());
    let at = at.expect("a point");
    let seed = adjoint.default_seed(&at).expect("one scalar");
    let run = adjoint.gradient(&at, &seed).expect("it runs");
    reals(&run.gradient, "x")[0]
}

#[test]
fn a_zero_adjoint_stays_zero_where_partials_can_be_infinite_at_finite_operands() {
    for strong in [Strong::Needed, Strong::Always] {
        assert_eq!(derivative(|x, p| x / p, 0.0, strong), 1.0, "{strong:?}");
        assert_eq!(derivative(|x, p| log(x * p), 1.0, strong), 1.0);
        let guarded = |x: Expr, p: Expr| {
            let chosen = Expr::op(Op::Gt, [x.clone(), p]);
            Expr::op(Op::If, [chosen, x.clone() * log(x), 0.0.into()])
        };
        assert_eq!(derivative(guarded, 0.0, strong), 1.0);
    }
}

#[test]
fn with_infinite_operands_it_does_if_products_are_strong() {
    // The factor exp(p) overflows.
    let infinite = |x: Expr, p: Expr| x * exp(p);
    assert!(derivative(infinite, 1000.0, Strong::Needed).is_nan());
    assert_eq!(derivative(infinite, 1000.0, Strong::Always), 1.0);
    assert_eq!(derivative(infinite, 1.0, Strong::Needed), 1.0);
}

/// The derivatives by x = 0 and `a` of a loop of `n` passes with an infinite partial, w = sqrt(z), and then `step`.
fn behind_a_root(
    (step, a, n): (&str, f64, u32),
    blocks: cfg_reverse::Blocks,
    strong: Strong,
) -> [f64; 2] {
    let source = format!(
        "main function f(in real x, in real a, in integer n) result y
  local real y
  local real w
  local real z
  local integer k
  independent x, a
  dependent y
  z := x
  k := 0
  while k < n
    k := k + 1
    w := sqrt(z)
    z := {step}
  end
  y := x + z
end
"
    );
    let (program, f) = of_text(&source);
    let mut options = Options::default();
    (options.reversal.blocks, options.reversal.strong) = (blocks, strong);
    let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
    let point = format!(r#"{{"x": 0, "a": {a}, "n": {n}}}"#);
    let at = adjoint.read_point(point.as_bytes()).expect("a point");
    let seed = adjoint.default_seed(&at).expect("one scalar");
    let run = adjoint.gradient(&at, &seed).expect("it runs");
    ["x", "a"].map(|name| reals(&run.gradient, name)[0])
}

/// A partial that is 0 ends a path, in whichever order the products along it are formed: the region is reversed by
/// statements, or its Jacobian is carried.
#[test]
fn a_zero_partial_cancels_an_infinite_one_before_it() {
    use cfg_reverse::Blocks;
    // The partial by w that is 0 is finite for all operands, or may be infinite; at last it is not 0, but the tangent
    // by a is where the partial by z is infinite.
    for (case, by_x) in [
        (("w*a", 0.0, 2), 1.0),
        (("a/(1.0 + w)", 0.0, 2), 1.0),
        (("w*a", 2.0, 1), f64::INFINITY),
    ] {
        let by_statements = behind_a_root(case, Blocks::Statement, Strong::Needed);
        for blocks in [Blocks::Carry, Blocks::Auto, Blocks::Preaccumulate] {
            for strong in [Strong::Needed, Strong::Always] {
                let found = behind_a_root(case, blocks, strong);
                assert_eq!(found, by_statements, "{case:?}, {blocks:?}, {strong:?}");
            }
        }
        assert_eq!(by_statements[0], by_x, "{case:?}");
    }
}
