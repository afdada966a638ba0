//! The table is closed under differentiation.

use super::*;

/// The derivative of a scalar expression with respect to variable `v`, by the chain rule over the table;
/// `None` if it is identically zero.
pub(crate) fn differentiate(e: &Expr, v: usize, types: &[ScalarType]) -> Option<Expr> {
    match e {
        Expr::Place(place) if place.var.index() == v => Some(Expr::Real(1.0)),
        Expr::Op(op, operands) => {
            let operand_types: Vec<_> = operands.iter().map(|e| type_of(e, types)).collect();
            let mut sum = None;
            for (k, operand) in operands.iter().enumerate() {
                let Some(inner) = differentiate(operand, v, types) else {
                    continue;
                };
                let p = partial(*op, operands, &operand_types, k, None).expect("partial");
                let Some(term) = p.tangent(inner, ScalarType::Real, Strong::Always) else {
                    continue;
                };
                sum = Some(match sum {
                    None => term,
                    Some(sum) => Expr::op(Op::Add, [sum, term]),
                });
            }
            sum
        }
        _ => None,
    }
}

fn type_of(e: &Expr, types: &[ScalarType]) -> ScalarType {
    let env: Vec<Scalar> = types
        .iter()
        .map(|ty| match ty {
            ScalarType::Integer => Scalar::Integer(1),
            ScalarType::Logical => Scalar::Logical(true),
            _ => Scalar::Real(1.0),
        })
        .collect();
    eval(e, &env, Math::Native).expect("type").ty()
}

/// Derivatives of orders 1, 2 and 3 of every operator exist as expressions, evaluate to reals, and are the
/// divided differences of the order before.
#[test]
fn every_operator_three_times() {
    let mut rng = Rng(11);
    let mut checked = 0;
    let mut compared = 0;
    // Rounding to 32 bits is a staircase to differences.
    for (op, n) in real_ops().into_iter().filter(|x| x.0 != Op::ToReal32) {
        let variables = variables(n);
        for _ in 0..20 {
            let args = super::differences::inside(op, n, &mut rng);
            let args = typed(op, &args);
            let types: Vec<_> = args.iter().map(|x| x.ty()).collect();
            for v in 0..n {
                if types[v] != ScalarType::Real {
                    continue;
                }
                let mut e = Expr::op(op, variables.clone());
                for order in 1..=3 {
                    let Some(d) = differentiate(&e, v, &types) else {
                        break;
                    };
                    let value = eval(&d, &args, Math::Native).expect("value").to_f64();
                    checked += 1;
                    // The third derivative is compared too: its formulas are long, so the tolerance is wide.
                    if let Some((slope, size)) = super::differences::slope(&e, &args, v) {
                        let scale = size.max(value.abs()).max(1.0);
                        let tolerance = [0.0, 1e-8, 1e-7, 1e-6][order];
                        assert!(
                            (slope - value).abs() <= tolerance * scale,
                            "{op:?} {args:?} order {order} by {v}: {value} not {slope}"
                        );
                        compared += 1;
                    }
                    e = d;
                }
            }
        }
    }
    assert!(
        checked > 2000 && compared * 10 > checked * 9,
        "{compared} of {checked}"
    );
}

/// The rule d + p' of the strong product, differentiated: a zero derivative stays zero although the
/// partial and its own derivative are infinite.
#[test]
fn strong_product_at_second_order() {
    // e = strong*(y, 0.5/sqrt(x)) at x = 0, y = 0: de/dx = 0, de/dy = inf, but tangent y_t = 0 kills it.
    let v = variables(2);
    let sqrt = |x: Expr| Expr::op(Op::Sqrt, [x]);
    let p = Expr::op(Op::Div, [Expr::Real(0.5), sqrt(v[0].clone())]);
    let e = Expr::op(Op::StrongMul, [v[1].clone(), p]);
    let types = [ScalarType::Real; 2];
    let at = |y: f64| [Scalar::Real(0.0), Scalar::Real(y)];
    let by_x = differentiate(&e, 0, &types).expect("derivative");
    assert_eq!(eval(&by_x, &at(0.0), Math::Native), Ok(Scalar::Real(0.0)));
    let there = eval(&by_x, &at(1.0), Math::Native).expect("value").to_f64();
    assert!(!there.is_finite());
    let by_y = differentiate(&e, 1, &types).expect("derivative");
    assert_eq!(
        eval(&by_y, &at(0.0), Math::Native),
        Ok(Scalar::Real(f64::INFINITY))
    );
}

/// A zero derivative is never turned into NaN, whatever the partial and the operands are; checked over all
/// operators and a grid that contains every corner. Partials called finite are, at finite operands.
#[test]
fn zero_derivatives_stay_zero() {
    let grid = [
        f64::NEG_INFINITY,
        -1e308,
        -2.5,
        -2.0,
        -1.0,
        -0.0,
        0.0,
        1e-320,
        0.5,
        1.0,
        3.0,
        1e308,
        f64::INFINITY,
        f64::NAN,
    ];
    let mut infinite = std::collections::BTreeSet::new();
    for (op, n) in real_ops() {
        let operands = variables(n);
        let count = grid.len().pow(n as u32);
        // The grids of 4 operands are sampled.
        for index in (0..count).step_by(1 + count / 5000) {
            let args: Vec<f64> = (0..n as u32)
                .map(|k| grid[index / grid.len().pow(k) % grid.len()])
                .collect();
            let args = typed(op, &args);
            let types: Vec<_> = args.iter().map(|x| x.ty()).collect();
            for k in 0..n {
                let p = partial(op, &operands, &types, k, None).expect("partial");
                if !partial_value(op, &args, k, Math::Portable).is_finite() {
                    infinite.insert(op);
                    let finite = args.iter().all(|x| x.to_f64().is_finite());
                    assert!(
                        !finite
                            || !matches!(&p, Partial::Expr(p) if p.finiteness == cfg_core::elemental::Finiteness::Finite),
                        "{op:?} {args:?} {k}"
                    );
                }
                for product in [
                    p.tangent(Expr::Real(0.0), ScalarType::Real, Strong::Always),
                    p.adjoint(Expr::Real(0.0), ScalarType::Real),
                ] {
                    let value =
                        product.map(|e| eval(&e, &args, Math::Portable).expect("value").to_f64());
                    assert!(
                        value.is_none_or(|v| v == 0.0),
                        "{op:?} {args:?} {k}: {value:?}"
                    );
                }
            }
        }
    }
    // The grid does reach the infinite partials.
    for op in [
        Op::Sqrt,
        Op::Div,
        Op::Log,
        Op::Pow,
        Op::Exp,
        Op::Asin,
        Op::Hypot,
        Op::Gamma,
        Op::Atan2,
        Op::Mod,
    ] {
        assert!(infinite.contains(&op), "{op:?}");
    }
}

/// A value that is infinite but not used does not reach the derivative.
#[test]
fn guarded_logarithm() {
    // if(x > 0, x*log(x), 0), with the product in the branch and as the tangent of a temporary.
    let x = variables(1)[0].clone();
    let types = [ScalarType::Real];
    let log = Expr::op(Op::Log, [x.clone()]);
    let product = Expr::op(Op::Mul, [x.clone(), log]);
    let derivative = differentiate(&product, 0, &types).expect("derivative");
    let at = [Scalar::Real(0.0)];
    assert!(
        !eval(&derivative, &at, Math::Native)
            .expect("value")
            .to_f64()
            .is_finite()
    );
    let p = partial(
        Op::Mul,
        &[x.clone(), Expr::op(Op::Log, [x])],
        &[types[0]; 2],
        0,
        None,
    );
    let adjoint = p
        .expect("partial")
        .adjoint(Expr::Real(0.0), types[0])
        .expect("product");
    assert_eq!(eval(&adjoint, &at, Math::Native), Ok(Scalar::Real(0.0)));
}
