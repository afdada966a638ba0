//! Conditional expressions over arrays: scalars in their arms, optional arguments.

use super::*;
use crate::flat;

/// Scalars inside an arm are evaluated once, if any element takes the arm.
#[test]
fn scalars_under_array_conditions() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([3]));
    let z = f.input("z", Real);
    let k = f.input("k", Integer);
    let y = f.output("y", Real.array([3]));
    f.independents([x, z]).dependents([y]);
    let choose = |c, a, b| Expr::op(Op::If, [c, a, b]);
    let larger = Expr::op(Op::Gt, [Expr::var(x), Expr::Real(1.0)]);
    let at_all = |arm: Expr| choose(larger.clone(), arm, Expr::Real(7.0));
    let inner = |arm: Expr| choose(gt(z, 0.0), arm, Expr::Real(2.0));
    f.assign(y, x);
    f.assign(y, y * at_all(sin(z * z) * x));
    f.assign(y, y + at_all(sin(z * z)) * x);
    f.assign(y, y + x * at_all(inner(z * x)));
    f.assign(y, y + at_all(inner(z * z) * exp(z)));
    // The index is in bounds, and the quotient of integers is defined, only if some element takes the arm.
    let quotient = Expr::op(
        Op::ToReal,
        [Expr::op(Op::Div, [Expr::Int(6), Expr::var(k)])],
    );
    f.assign(y, y * at_all(z * quotient));
    let negative = choose(
        gt(z, 9.0),
        Expr::var(z),
        at_all(z * z) * at_all(at_all(sin(z)) * x),
    );
    f.assign(y, y + negative);
    let (program, f) = finish(f);
    for point in [
        r#"{"x": [2, 0.5, 3], "z": 1.5, "k": 2}"#,
        r#"{"x": [2, 0.5, 3], "z": -1.5, "k": 2}"#,
        r#"{"x": [0.25, 0.5, -3], "z": 1.5, "k": 0}"#,
    ] {
        let found = checked(&program, f, point);
        assert_eq!(found.agrees(), Some(true), "{found:?}");
        assert_eq!(found.differences.compared, 3, "{found:?}");
    }
}

/// Optional arguments under an array condition, and where a scalar arm does not tell the shape of an array; with and
/// without the arguments.
#[test]
fn optional_arguments_inside_conditional_expressions_over_arrays() {
    let mut program = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let x = g.input("x", Real.array([3]));
    let y = g.inout("y", Real.array([3]));
    let z = g.optional("z", Real, cfg_core::ir::Intent::In);
    let w = g.optional("w", Real.array([3]), cfg_core::ir::Intent::In);
    let present = |v| Expr::op(Op::Present, [Expr::var(v)]);
    let choose = |c, a, b| Expr::op(Op::If, [c, a, b]);
    let positive = Expr::op(Op::Gt, [Expr::var(x), Expr::Real(1.0)]);
    let product = choose(positive.clone(), z * w, Expr::Real(3.0));
    let inner = choose(present(z), z * Expr::var(x), Expr::Real(2.0));
    let over_arrays = choose(positive.clone(), inner, Expr::Real(7.0));
    let square = choose(present(z), z * z, Expr::Real(1.5));
    let without = choose(positive, square, Expr::Real(3.0));
    g.if_else(
        present(w),
        |g| g.assign(y, y + x * product),
        |g| g.assign(y, y + x * without),
    );
    g.assign(y, y * over_arrays);
    g.assign(y, y + choose(present(w), w * w, Expr::Real(5.0)) * x);
    g.assign(y, choose(present(w), w * y, x * 0.5));
    let g = program.add(g);
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([3]));
    let v = f.input("v", Real);
    let y = f.output("y", Real.array([3]));
    let u = f.output("u", Real.array([3]));
    let t = f.output("t", Real.array([3]));
    f.independents([x, v]).dependents([y, u, t]);
    let all = [y, u, t];
    for to in all {
        f.assign(to, x);
    }
    let (given, scalar) = (Some(Expr::var(x)), Some(Expr::var(v)));
    let to = all.map(|v| Some(Expr::var(v)));
    let [y, u, t] = to;
    f.call_with(
        g,
        vec![given.clone(), y, scalar.clone(), given.clone()],
        None,
    );
    f.call_with(g, vec![given.clone(), u, scalar, None], None);
    let small = f.local("small", Real.array([3]));
    f.assign(small, x * 0.01);
    f.call_with(g, vec![Some(Expr::var(small)), t, None, None], None);
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    for point in [
        r#"{"x": [2, 0.5, 3], "v": 1.5}"#,
        r#"{"x": [0.5, 0.25, -1], "v": -2}"#,
    ] {
        let found = checked(&program, f, point);
        assert_eq!(found.agrees(), Some(true), "{found:?}");
        assert_eq!(found.differences.compared, 9, "{found:?}");
    }
}

/// An operand of a reduction that becomes a scalar is refused: the reduction must not become invalid.
#[test]
fn a_reduction_of_an_arm_without_a_shape() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    let w = f.optional("w", Real.array([3]), Intent::In);
    f.independents([x, w]).dependents([y]);
    let present = Expr::op(Op::Present, [Expr::var(w)]);
    let chosen = Expr::op(Op::If, [present, Expr::var(w), Expr::Real(5.0)]);
    f.assign(y, x * Expr::op(Op::Sum, [chosen]));
    let (program, f) = finish(f);
    let refused = cfg_reverse::reverse(&flat(&program), f, &cfg_reverse::Options::default());
    let refused = refused.expect_err("it is refused").to_string();
    assert!(refused.contains("R301"), "{refused}");
}
