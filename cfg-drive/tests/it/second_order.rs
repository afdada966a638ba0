//! What once had no second derivative, or no adjoint: products, and optional arguments inside conditional
//! expressions.

use crate::{checked, finish, merged_and_not, reals};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::ir::{Expr, Op, ScalarType::Real};
use cfg_core::validate::validate;
use cfg_drive::{Adjoint, Options, Tangent, declare};

/// The product of all elements but those at `without`.
fn product_but(x: &[f64], without: &[usize]) -> f64 {
    let kept = x.iter().enumerate().filter(|(i, _)| !without.contains(i));
    kept.map(|(_, x)| x).product()
}

#[test]
fn the_hessian_of_a_product_is_exact_where_elements_are_zero() {
    for shape in [vec![4], vec![2, 2]] {
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real.array(shape.clone()));
        let y = f.output("y", Real);
        f.independents([x]).dependents([y]);
        f.assign(y, Expr::op(Op::Product, [Expr::var(x)]) * 3.0);
        let (program, f) = finish(f);
        let reversal = cfg_reverse::reverse(&program, f, &cfg_reverse::Options::default())
            .expect("it has an adjoint");
        let mut program = reversal.program;
        let names = |s: &str| [s.to_owned()];
        declare(
            &mut program,
            reversal.gradient,
            Some(&names("x")),
            Some(&names("x_b")),
        )
        .expect("they are parameters");
        let program = validate(program).expect("it is valid");
        let mut tangent = Tangent::new(&program, reversal.gradient, &Options::default())
            .expect("it has a tangent");
        for x in [
            [2.0, 3.0, 5.0, 7.0],
            [2.0, 0.0, 5.0, 7.0],
            [0.0, 3.0, 0.0, 7.0],
            [0.0, 0.0, 0.0, 7.0],
        ] {
            let written = |x: &[f64]| match shape.len() {
                1 => format!("{x:?}"),
                _ => format!("[{:?}, {:?}]", &x[..2], &x[2..]),
            };
            let point = format!(
                r#"{{"x": {}, "x_b": {}, "y_b": 1}}"#,
                written(&x),
                written(&[0.0; 4])
            );
            let point = tangent.point(point.as_bytes()).expect("it is a point");
            for k in 0..4 {
                let mut unit = [0.0; 4];
                unit[k] = 1.0;
                let direction = format!(r#"{{"x": {}}}"#, written(&unit));
                let direction = tangent
                    .direction(direction.as_bytes(), &point)
                    .expect("a direction");
                let found = tangent.tangent(&point, &direction).expect("it runs");
                let gradient: Vec<f64> = (0..4).map(|j| 3.0 * product_but(&x, &[j])).collect();
                assert_eq!(reals(&found.value, "x_b"), gradient);
                let second = |j| match j == k {
                    true => 0.0,
                    false => 3.0 * product_but(&x, &[j, k]),
                };
                let column: Vec<f64> = (0..4).map(second).collect();
                assert_eq!(reals(&found.tangent, "x_b"), column, "{x:?} {k}");
            }
        }
    }
}

/// `y := x*if(present(z), z*z, if(x > 1, x, 3))`, with and without z.
#[test]
fn optional_arguments_inside_conditional_expressions() {
    let mut program = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let x = g.input("x", Real);
    let y = g.inout("y", Real);
    let z = g.optional("z", Real, cfg_core::ir::Intent::In);
    let present = Expr::op(Op::Present, [Expr::var(z)]);
    let inner = Expr::op(Op::If, [gt(x, 1), Expr::var(x), Expr::Real(3.0)]);
    let value = Expr::op(Op::If, [present, z * z, inner]);
    g.assign(y, y + x * value);
    let g = program.add(g);
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([2]));
    let y = f.output("y", Real.array([2]));
    f.independents([x]).dependents([y]);
    f.assign(y, 0.0);
    let (first, second) = (Expr::from(x.at(1)), Expr::from(x.at(2)));
    let (with, without) = (Expr::from(y.at(2)), Expr::from(y.at(1)));
    f.call_with(g, vec![Some(first.clone()), Some(without), None], None);
    f.call_with(g, vec![Some(first), Some(with), Some(second)], None);
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    for (point, rows) in [
        (r#"{"x": [2, 5]}"#, [[4.0, 0.0], [25.0, 20.0]]),
        (r#"{"x": [0.5, 5]}"#, [[3.0, 0.0], [25.0, 5.0]]),
    ] {
        let found = checked(&program, f, point);
        assert_eq!(found.agrees(), Some(true), "{found:?}");
        for options in merged_and_not() {
            let mut adjoint = Adjoint::new(&program, f, &options).expect("it has an adjoint");
            let point = adjoint.point(point.as_bytes()).expect("a point");
            let (seeds, _) = adjoint
                .seeds(br#"[{"y": [1, 0]}, {"y": [0, 1]}]"#, &point)
                .expect("seeds");
            for (seed, row) in seeds.iter().zip(rows) {
                let run = adjoint.gradient(&point, seed).expect("it runs");
                assert_eq!(reals(&run.gradient, "x"), row);
                assert_eq!(run.mirrored, Some(true));
            }
        }
    }
}
