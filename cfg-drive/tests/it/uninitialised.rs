//! Values that a program computes with although they were never set, which no result depends on.

use super::*;
use crate::flat;

/// y = x*x, and z = e(x, u), which is not used where u has no value.
fn unused(e: impl Fn(Expr, Expr) -> Expr) -> (ValidProgram, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    let [u, z] = ["u", "z"].map(|name| f.local(name, Real));
    f.independents([x]).dependents([y]);
    f.if_else(gt(x, 9.0), |f| f.assign(u, x * 2.0), |_| {});
    f.assign(z, e(Expr::var(x), Expr::var(u)));
    f.assign(y, x * x);
    f.if_else(gt(x, 9.0), |f| f.assign(y, y + z), |_| {});
    finish(f)
}

/// Derivative programs run, or stop because the value decides a partial (docs/limits.md).
#[test]
fn an_unused_value_decides_no_more_than_a_partial() {
    let value = |op| move |x, u| Expr::op(op, [x, u]);
    for (op, runs) in [
        (Op::Mul, true),
        (Op::Div, true),
        (Op::Hypot, true),
        (Op::Atan2, true),
        (Op::Mod, true),
        (Op::Max, false),
        (Op::PosDiff, false),
        (Op::Pow, false),
    ] {
        let (program, f) = unused(value(op));
        let point = br#"{"x": 2}"#;
        let mut primal =
            Primal::new(&flat(&program), f, &Options::default()).expect("it can be run");
        let at = primal.read_point(point).expect("a point");
        assert_eq!(reals(&primal.run(&at).expect("it runs").value, "y"), [4.0]);
        for (blocks, strong) in [
            (cfg_reverse::Blocks::Statement, cfg_reverse::Strong::Needed),
            (cfg_reverse::Blocks::Statement, cfg_reverse::Strong::Always),
            (
                cfg_reverse::Blocks::Preaccumulate,
                cfg_reverse::Strong::Needed,
            ),
        ] {
            let mut options = Options::default();
            options.reversal.blocks = blocks;
            options.reversal.strong = strong;
            // The partial of a plain product is the other operand, which is uninitialised.
            let plain = (cfg_reverse::Blocks::Statement, cfg_reverse::Strong::Needed);
            let runs = runs && !(op == Op::Mul && (blocks, strong) == plain);
            let mut adjoint =
                Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
            let seed = adjoint.default_seed(&at).expect("one scalar");
            match adjoint.gradient(&at, &seed) {
                Ok(run) if runs => assert_eq!(reals(&run.gradient, "x"), [4.0], "{op:?}"),
                Err(problem) if !runs => {
                    assert!(problem.to_string().contains("X202"), "{op:?}: {problem}");
                }
                other => panic!("{op:?}: {other:?}"),
            }
        }
    }
}

/// The message names the variables that have no value: those that are read at the place and nothing need have assigned.
#[test]
fn variables_without_a_value_are_named() {
    for (statement, names, place) in [
        ("if u > x", "that of u", "a condition"),
        ("if u > v", "that of u or of v", "a condition"),
        ("if w[k] > x", "that of k", "a subscript"),
        ("while u > g", "that of u", "a condition"),
        ("if x > 0.0\n  y := w[k + n]", "that of k", "a subscript"),
    ] {
        let source = format!(
            "global real g = 1.0
main subroutine f(in real x, in integer n, out real y)
  uses g
  local real u, v, w[3]
  local integer k
  independent x
  dependent y
  w := 0.0
  y := x
  if n > 5
    u := 1.0
    v := 1.0
    k := 1
  end
  {statement}
    y := 2.0*x
  end
end
"
        );
        let (program, f) = of_text(&source);
        let options = Options::default();
        let point = br#"{"x": 1, "n": 1}"#;
        let mut primal = Primal::new(&flat(&program), f, &options).expect("it can be run");
        let at = primal.read_point(point).expect("a point");
        let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
        let there = adjoint.read_point(point).expect("a point");
        let seed = adjoint.default_seed(&there).expect("a seed");
        let found = [
            primal.run(&at).expect_err("no value"),
            adjoint.gradient(&there, &seed).expect_err("no value"),
        ];
        for problem in found.iter().map(|found| &found.0[0]) {
            assert!(problem.message.starts_with(place), "{}", problem.message);
            assert!(
                problem.message.ends_with(&format!(": {names}")),
                "{statement}: {}",
                problem.message
            );
        }
    }
}
