//! The exact values and partials at kinks, singular points, signed zeros, infinities and NaN.

use super::*;
use cfg_core::elemental::Event::{self, Kink, OutsideDomain, Singular};
use cfg_core::elemental::{binary, event, event_powi, powi};
use cfg_core::ir::Domain;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const PI: f64 = std::f64::consts::PI;
const TINY: f64 = f64::MIN_POSITIVE;

/// Operator, operands, value, partials by the operands, event.
pub(crate) type Corner = (Op, &'static [f64], f64, &'static [f64], Option<Event>);

pub(crate) const REAL: &[Corner] = &[
    (Op::Div, &[1.0, 0.0], INF, &[INF, -INF], Some(Singular)),
    (Op::Div, &[1.0, -0.0], -INF, &[-INF, -INF], Some(Singular)),
    (Op::Div, &[0.0, 0.0], NAN, &[INF, NAN], Some(Singular)),
    (Op::Div, &[1.0, INF], 0.0, &[0.0, -0.0], None),
    (Op::Pow, &[0.0, 0.0], 1.0, &[0.0, -INF], Some(Singular)),
    (Op::Pow, &[0.0, 0.5], 0.0, &[INF, 0.0], Some(Singular)),
    (Op::Pow, &[0.0, 1.0], 0.0, &[1.0, 0.0], None),
    (Op::Pow, &[0.0, 1.5], 0.0, &[0.0, 0.0], None),
    (Op::Pow, &[0.0, 2.0], 0.0, &[0.0, 0.0], None),
    (Op::Pow, &[-0.0, 3.0], -0.0, &[0.0, 0.0], None),
    (Op::Pow, &[0.0, -1.0], INF, &[-INF, -INF], Some(Singular)),
    (Op::Pow, &[-0.0, -1.0], -INF, &[-INF, INF], Some(Singular)),
    (Op::Pow, &[-2.0, 3.0], -8.0, &[12.0, NAN], None),
    (Op::Pow, &[-2.0, 0.5], NAN, &[NAN, NAN], Some(OutsideDomain)),
    (Op::Pow, &[NAN, 0.0], 1.0, &[0.0, NAN], None),
    (Op::Pow, &[1.0, NAN], 1.0, &[NAN, 0.0], None),
    (Op::Pow, &[INF, 2.0], INF, &[INF, INF], None),
    (Op::Pow, &[INF, -1.0], 0.0, &[-0.0, NAN], None),
    (Op::StrongMul, &[0.0, INF], 0.0, &[INF, 0.0], None),
    (Op::StrongMul, &[-0.0, NAN], 0.0, &[NAN, -0.0], None),
    (Op::StrongMul, &[2.0, INF], INF, &[INF, 2.0], Some(Singular)),
    (Op::StrongMul, &[NAN, 0.0], NAN, &[0.0, NAN], None),
    (Op::Sqrt, &[0.0], 0.0, &[INF], Some(Singular)),
    (Op::Sqrt, &[-0.0], -0.0, &[-INF], Some(Singular)),
    (Op::Sqrt, &[-1.0], NAN, &[NAN], Some(OutsideDomain)),
    (Op::Sqrt, &[INF], INF, &[0.0], None),
    (Op::Cbrt, &[0.0], 0.0, &[INF], Some(Singular)),
    (Op::Cbrt, &[-8.0], -2.0, &[1.0 / 12.0], None),
    (Op::Exp, &[1000.0], INF, &[INF], None),
    (Op::Exp, &[-INF], 0.0, &[0.0], None),
    (Op::Expm1, &[-INF], -1.0, &[0.0], None),
    (Op::Log, &[0.0], -INF, &[INF], Some(Singular)),
    (Op::Log, &[-1.0], NAN, &[-1.0], Some(OutsideDomain)),
    (Op::Log, &[INF], INF, &[0.0], None),
    (Op::Log1p, &[-1.0], -INF, &[INF], Some(Singular)),
    (Op::Log1p, &[-0.0], -0.0, &[1.0], None),
    (Op::Log1p, &[-2.0], NAN, &[-1.0], Some(OutsideDomain)),
    (Op::Log2, &[0.0], -INF, &[INF], Some(Singular)),
    (Op::Log10, &[0.0], -INF, &[INF], Some(Singular)),
    (Op::Sin, &[INF], NAN, &[NAN], Some(OutsideDomain)),
    (Op::Sin, &[-0.0], -0.0, &[1.0], None),
    (Op::Asin, &[1.0], PI / 2.0, &[INF], Some(Singular)),
    (Op::Asin, &[1.5], NAN, &[NAN], Some(OutsideDomain)),
    (Op::Acos, &[-1.0], PI, &[-INF], Some(Singular)),
    (Op::Acosh, &[1.0], 0.0, &[INF], Some(Singular)),
    (Op::Acosh, &[-2.0], NAN, &[NAN], Some(OutsideDomain)),
    (Op::Acosh, &[-432_079.875], NAN, &[NAN], Some(OutsideDomain)),
    (Op::Atanh, &[1.0], INF, &[INF], Some(Singular)),
    (Op::Atanh, &[-1.0], -INF, &[INF], Some(Singular)),
    (Op::Atan, &[INF], PI / 2.0, &[0.0], None),
    (Op::Tanh, &[800.0], 1.0, &[0.0], None),
    (Op::Atan2, &[0.0, 0.0], 0.0, &[NAN, NAN], Some(Singular)),
    (Op::Atan2, &[-0.0, 0.0], -0.0, &[NAN, NAN], Some(Singular)),
    (Op::Atan2, &[0.0, -2.0], PI, &[-0.5, -0.0], Some(Kink)),
    (Op::Atan2, &[-0.0, -2.0], -PI, &[-0.5, 0.0], Some(Kink)),
    (Op::Hypot, &[0.0, 0.0], 0.0, &[NAN, NAN], Some(Singular)),
    (Op::Hypot, &[0.0, -2.0], 2.0, &[0.0, -1.0], None),
    (Op::Hypot, &[INF, NAN], INF, &[NAN, NAN], None),
    (Op::Hypot, &[1e200, -0.0], 1e200, &[1.0, -0.0], None),
    (Op::Abs, &[0.0], 0.0, &[1.0], Some(Kink)),
    (Op::Abs, &[-0.0], 0.0, &[1.0], Some(Kink)),
    (Op::Abs, &[-INF], INF, &[-1.0], None),
    (Op::Min, &[1.0, 2.0], 1.0, &[1.0, 0.0], None),
    (Op::Min, &[2.0, 1.0], 1.0, &[0.0, 1.0], None),
    (Op::Max, &[1.0, 2.0], 2.0, &[0.0, 1.0], None),
    (Op::Max, &[2.0, 1.0], 2.0, &[1.0, 0.0], None),
    (Op::Min, &[2.0, 2.0], 2.0, &[1.0, 0.0], Some(Kink)),
    (Op::Min, &[0.0, -0.0], 0.0, &[1.0, 0.0], Some(Kink)),
    (Op::Min, &[-0.0, 0.0], -0.0, &[1.0, 0.0], Some(Kink)),
    (Op::Min, &[NAN, 1.0], NAN, &[0.0, 1.0], None),
    (Op::Min, &[1.0, NAN], NAN, &[0.0, 1.0], None),
    (
        Op::Min,
        &[3.0, 1.0, 2.0, 1.0],
        1.0,
        &[0.0, 1.0, 0.0, 0.0],
        Some(Kink),
    ),
    (
        Op::Min,
        &[3.0, 3.0, 2.0, 5.0],
        2.0,
        &[0.0, 0.0, 1.0, 0.0],
        None,
    ),
    (Op::Max, &[2.0, 2.0], 2.0, &[1.0, 0.0], Some(Kink)),
    (Op::Max, &[-0.0, 0.0], -0.0, &[1.0, 0.0], Some(Kink)),
    (Op::Max, &[1.0, NAN], NAN, &[0.0, 1.0], None),
    (Op::Max, &[3.0, 1.0, 3.0], 3.0, &[1.0, 0.0, 0.0], Some(Kink)),
    (Op::Sign, &[0.0, -1.0], -0.0, &[-1.0, 0.0], Some(Kink)),
    (Op::Sign, &[-3.0, 0.0], 3.0, &[-1.0, 0.0], Some(Kink)),
    (Op::Sign, &[3.0, -0.0], -3.0, &[-1.0, 0.0], Some(Kink)),
    (Op::Mod, &[6.0, 2.0], 0.0, &[1.0, -3.0], Some(Kink)),
    (Op::Mod, &[-6.0, 2.0], -0.0, &[1.0, 3.0], Some(Kink)),
    (Op::Mod, &[0.0, 2.0], 0.0, &[1.0, -0.0], None),
    (Op::Mod, &[1.0, 0.0], NAN, &[1.0, NAN], Some(OutsideDomain)),
    (Op::Mod, &[INF, 2.0], NAN, &[1.0, NAN], Some(OutsideDomain)),
    (Op::Mod, &[3.0, INF], 3.0, &[1.0, -0.0], None),
    // 1 - 10*0.1 is 0 or 0.1: the remainder of these numbers is just below 0.1, so the quotient is 9.
    (
        Op::Mod,
        &[1.0, 0.1],
        0.099_999_999_999_999_95,
        &[1.0, -9.0],
        None,
    ),
    (Op::Modulo, &[-6.0, 2.0], 0.0, &[1.0, 3.0], Some(Kink)),
    (Op::Modulo, &[0.0, -2.0], -0.0, &[1.0, 0.0], Some(Kink)),
    (
        Op::Modulo,
        &[1.0, 0.0],
        NAN,
        &[1.0, NAN],
        Some(OutsideDomain),
    ),
    (Op::PosDiff, &[2.0, 2.0], 0.0, &[0.0, 0.0], Some(Kink)),
    (Op::PosDiff, &[INF, INF], 0.0, &[0.0, 0.0], Some(Kink)),
    (Op::PosDiff, &[NAN, 1.0], NAN, &[0.0, 0.0], None),
    (Op::Floor, &[2.0], 2.0, &[0.0], Some(Kink)),
    (Op::Floor, &[-0.0], -0.0, &[0.0], Some(Kink)),
    (Op::Ceil, &[-0.5], -0.0, &[0.0], None),
    (Op::Round, &[2.5], 3.0, &[0.0], Some(Kink)),
    (Op::Round, &[-0.5], -1.0, &[0.0], Some(Kink)),
    (Op::Round, &[0.499_999_999_999_999_94], 0.0, &[0.0], None),
    (Op::Trunc, &[2.0], 2.0, &[0.0], Some(Kink)),
    (Op::Trunc, &[0.0], 0.0, &[0.0], None),
    (Op::Trunc, &[INF], INF, &[0.0], None),
    (Op::Erf, &[INF], 1.0, &[0.0], None),
    (Op::Erfc, &[INF], 0.0, &[-0.0], None),
    (Op::Gamma, &[0.0], INF, &[-INF], Some(Singular)),
    (Op::Gamma, &[-0.0], -INF, &[-INF], Some(Singular)),
    (Op::Gamma, &[-2.0], NAN, &[NAN], Some(Singular)),
    (Op::Gamma, &[-INF], NAN, &[NAN], Some(OutsideDomain)),
    (Op::Gamma, &[INF], INF, &[INF], None),
    (Op::Lgamma, &[0.0], INF, &[-INF], Some(Singular)),
    (Op::Lgamma, &[-2.0], INF, &[NAN], Some(Singular)),
    (Op::Digamma, &[0.0], -INF, &[INF], Some(Singular)),
    (Op::Digamma, &[-0.0], INF, &[INF], Some(Singular)),
    (Op::Digamma, &[-3.0], NAN, &[INF], Some(Singular)),
    (Op::Digamma, &[INF], INF, &[0.0], None),
    (Op::Digamma, &[-INF], NAN, &[NAN], Some(OutsideDomain)),
    (
        Op::Polygamma,
        &[1.0, -3.0],
        INF,
        &[0.0, NAN],
        Some(Singular),
    ),
    (
        Op::Polygamma,
        &[2.0, 0.0],
        -INF,
        &[0.0, INF],
        Some(Singular),
    ),
    (
        Op::Polygamma,
        &[-1.0, 1.0],
        NAN,
        &[0.0, -0.577_215_664_901_532_9],
        Some(OutsideDomain),
    ),
    (Op::Polygamma, &[2.0, INF], -0.0, &[0.0, 0.0], None),
    (Op::Polygamma, &[2.0, TINY], -INF, &[0.0, INF], None),
    (Op::If, &[1.0, 2.0, NAN], 2.0, &[0.0, 1.0, 0.0], None),
    (Op::Fma, &[0.0, INF, 1.0], NAN, &[INF, 0.0, 1.0], None),
    (Op::ToReal32, &[1e300], INF, &[1.0], None),
];

/// Real base, integer exponent: operands, value, partial by the base, event.
pub(crate) const INTEGER_POWER: &[(f64, i64, f64, f64, Option<Event>)] = &[
    (0.0, 0, 1.0, 0.0, None),
    (0.0, 1, 0.0, 1.0, None),
    (0.0, 2, 0.0, 0.0, None),
    (-0.0, 3, -0.0, 0.0, None),
    (0.0, -1, INF, -INF, Some(Singular)),
    (-0.0, -1, -INF, -INF, Some(Singular)),
    (-0.0, -2, INF, INF, Some(Singular)),
    (-2.0, 3, -8.0, 12.0, None),
    (-2.0, -3, -0.125, -0.1875, None),
    (NAN, 0, 1.0, 0.0, None),
    (NAN, 1, NAN, 1.0, None),
    (INF, -1, 0.0, -0.0, None),
    (-INF, -3, -0.0, -0.0, None),
    (-1.0, i64::MAX, -1.0, i64::MAX as f64, None),
    (2.0, i64::MAX, INF, INF, None),
    (-2.0, -1075, -0.0, -0.0, None),
    (
        -2.0,
        -1073,
        -f64::from_bits(2),
        -1073.0 * f64::from_bits(1),
        None,
    ),
];

#[test]
fn real_operands() {
    for math in [Math::Native, Math::Portable] {
        for &(op, args, value, partials, at) in REAL {
            assert_eq!(event(op, args), at, "{op:?} {args:?}");
            let scalars = typed(op, args);
            let got = apply(op, &scalars, math).expect("value").to_f64();
            assert!(
                same(got, value),
                "{op:?} {args:?} {math:?}: {got:?} not {value:?}"
            );
            for (k, &want) in partials.iter().enumerate() {
                let got = partial_value(op, &scalars, k, math);
                let close =
                    error(got, want) < 1e-15 && got.is_sign_negative() == want.is_sign_negative();
                assert!(
                    close || same(got, want) || (got.is_nan() && want.is_nan()),
                    "{op:?} {args:?} {math:?} partial {k}: {got:?} not {want:?}"
                );
            }
        }
    }
}

/// The ends of domains are where values end, and no event is inside.
#[test]
fn domains_are_those_of_the_values() {
    let mut seen = 0;
    for &op in Op::ALL {
        let (inside, edges, outside) = match op.info().domain {
            Domain::From(least) => (vec![least + 0.5], vec![least], vec![least - 0.5, -INF]),
            Domain::Within(most) => (
                vec![-most / 2.0, most / 2.0],
                vec![-most, most],
                vec![-2.0 * most, 2.0 * most, INF],
            ),
            Domain::Finite => (vec![-1e300, 0.0], vec![], vec![-INF, INF]),
            Domain::Except(point) => (vec![point - 0.5, point + 0.5], vec![point], vec![]),
            Domain::All | Domain::Poles => continue,
        };
        for math in [Math::Native, Math::Portable] {
            let number = |x: f64| apply(op, &[Scalar::Real(x)], math).expect("value").to_f64();
            let slope = |x: f64| partial_value(op, &[Scalar::Real(x)], 0, math);
            for &x in &inside {
                assert_eq!(event(op, &[x]), None, "{op:?} {x}");
                assert!(number(x).is_finite() && slope(x).is_finite(), "{op:?} {x}");
            }
            for &x in &edges {
                assert_eq!(event(op, &[x]), Some(Singular), "{op:?} {x}");
                assert!(!slope(x).is_finite(), "{op:?} {x}");
            }
            for &x in &outside {
                assert_eq!(event(op, &[x]), Some(OutsideDomain), "{op:?} {x}");
                assert!(number(x).is_nan(), "{op:?} {x}");
            }
        }
        seen += 1;
    }
    assert!(seen >= 13, "{seen}");
}

#[test]
fn integer_exponents() {
    for math in [Math::Native, Math::Portable] {
        for &(x, n, value, slope, at) in INTEGER_POWER {
            assert_eq!(event_powi(x, n), at, "{x} {n}");
            let args = [Scalar::Real(x), Scalar::Integer(n)];
            let got = apply(Op::Pow, &args, math).expect("value").to_f64();
            assert!(same(got, value), "{x}**{n}: {got:?} not {value:?}");
            let got = partial_value(Op::Pow, &args, 0, math);
            assert!(same(got, slope), "{x}**{n} partial: {got:?} not {slope:?}");
            // The same with the exponent as a constant of the program.
            let operands = [variables(1)[0].clone(), Expr::Int(n)];
            let types = [ScalarType::Real, ScalarType::Integer];
            let p = partial(Op::Pow, &operands, &types, 0, None).expect("partial");
            let got = eval(&p.to_expr(ScalarType::Real), &args, math)
                .expect("value")
                .to_f64();
            assert!(same(got, slope), "{x}**{n} constant: {got:?} not {slope:?}");
        }
    }
}

/// Constant exponents and factors give the simplest partials.
#[test]
fn constants_simplify() {
    let x = variables(1)[0].clone();
    let real = ScalarType::Real;
    let by_x =
        |op, y: Expr, ty| partial(op, &[x.clone(), y], &[real, ty], 0, None).expect("partial");
    for (y, ty) in [(Expr::Int(0), ScalarType::Integer), (Expr::Real(0.0), real)] {
        assert_eq!(by_x(Op::Pow, y.clone(), ty), Partial::Zero);
        assert_eq!(by_x(Op::Mul, y, ty), Partial::Zero);
    }
    for (y, ty) in [(Expr::Int(1), ScalarType::Integer), (Expr::Real(1.0), real)] {
        assert_eq!(by_x(Op::Pow, y.clone(), ty), Partial::One);
        assert_eq!(by_x(Op::Mul, y.clone(), ty), Partial::One);
        assert_eq!(by_x(Op::Div, y, ty), Partial::One);
    }
    assert_eq!(by_x(Op::Mul, Expr::Real(-1.0), real), Partial::MinusOne);
    let twice = by_x(Op::Pow, Expr::Int(2), ScalarType::Integer);
    let want = Expr::op(Op::Mul, [Expr::Real(2.0), x.clone()]);
    assert_eq!(twice.to_expr(real), want);
    assert!(!twice.is_singular() && !twice.is_constant());
    let half = by_x(Op::Div, Expr::Real(2.0), real);
    assert!(half.is_constant() && !half.is_singular());
    assert!(by_x(Op::Div, Expr::Real(0.0), real).is_singular());
    assert!(by_x(Op::Mul, Expr::Real(3.0), real).is_constant());
}

#[test]
fn conversions_convert_derivatives() {
    let x = variables(1);
    let d = Expr::Real32(0.5);
    let p = partial(Op::ToReal, &x, &[ScalarType::Real32], 0, None).expect("partial");
    let tangent = p
        .tangent(d.clone(), ScalarType::Real, Strong::Always)
        .expect("tangent");
    assert_eq!(tangent, Expr::op(Op::ToReal, [d.clone()]));
    let adjoint = p
        .adjoint(Expr::Real(0.5), ScalarType::Real)
        .expect("adjoint");
    assert_eq!(adjoint, Expr::op(Op::ToReal32, [Expr::Real(0.5)]));
    let p = partial(Op::ToReal, &x, &[ScalarType::Real], 0, None).expect("partial");
    assert_eq!(p, Partial::One);
    let p = partial(Op::ToReal32, &x, &[ScalarType::Integer], 0, None).expect("partial");
    assert_eq!(p, Partial::Zero);
}

/// Where a branch is not taken, its derivative is not even evaluated, let alone multiplied by 0.
#[test]
fn branch_not_taken_is_cut_off() {
    let v = variables(3);
    let types = [ScalarType::Logical, ScalarType::Real, ScalarType::Real];
    let p = partial(Op::If, &v, &types, 2, None).expect("partial");
    let product = p
        .tangent(Expr::Real(NAN), ScalarType::Real, Strong::Always)
        .expect("product");
    let at = |c| {
        eval(&product, &[Scalar::Logical(c)], Math::Native)
            .expect("value")
            .to_f64()
    };
    assert_eq!(at(true), 0.0);
    assert!(at(false).is_nan());
}

/// Events agree with values and partials on a grid: no event and finite operands means finite value and
/// partials (overflow aside); outside the domain means NaN.
#[test]
fn events_agree_with_values() {
    let grid = [
        -3.0, -2.5, -2.0, -1.5, -1.0, -0.75, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 7.0,
    ];
    for (op, n) in real_ops() {
        for index in 0..grid.len().pow(n.min(3) as u32) {
            let args: Vec<f64> = (0..n as u32)
                .map(|k| grid[index / grid.len().pow(k) % grid.len()])
                .collect();
            let scalars = typed(op, &args);
            let exact: Vec<f64> = scalars.iter().map(|x| x.to_f64()).collect();
            let value = apply(op, &scalars, Math::Portable).expect("value").to_f64();
            let mut partials = (0..n).map(|k| partial_value(op, &scalars, k, Math::Portable));
            match event(op, &exact) {
                Some(OutsideDomain) => assert!(value.is_nan(), "{op:?} {args:?}: {value}"),
                Some(Singular) => assert!(
                    !value.is_finite() || partials.any(|p| !p.is_finite()),
                    "{op:?} {args:?}: {value}"
                ),
                Some(Kink) => assert!(value.is_finite() && partials.all(f64::is_finite)),
                // The exponent's partial at a negative base does not exist.
                None if op == Op::Pow && args[0] < 0.0 => assert!(value.is_finite()),
                None => {
                    assert!(value.is_finite(), "{op:?} {args:?}: {value}");
                    assert!(partials.all(f64::is_finite), "{op:?} {args:?}");
                }
            }
        }
    }
    // Comparisons and conversions have events too.
    assert_eq!(event(Op::Lt, &[1.0, 1.0]), Some(Kink));
    assert_eq!(event(Op::Lt, &[1.0, 2.0]), None);
    assert_eq!(event(Op::TO_INT, &[2.0]), Some(Kink));
    assert_eq!(event(Op::ToLogical, &[0.0]), Some(Kink));
    assert_eq!(event(Op::Sqrt, &[NAN]), None);
    // A strong product with a partial that is not finite, if anything is left of it.
    for (a, b, at) in [
        (1.0, INF, Some(Singular)),
        (-2.0, NAN, Some(Singular)),
        (0.0, INF, None),
        (INF, INF, None),
        (NAN, INF, None),
        (1e300, 1e300, None),
    ] {
        assert_eq!(event(Op::StrongMul, &[a, b]), at, "{a} {b}");
    }
    assert_eq!(Kink.describe(), "at a kink or jump");
}

/// Powers are multiplied out up to an exponent of 64 in magnitude; beyond they are those of `pow`.
#[test]
fn powers_are_multiplied_out_up_to_an_exponent() {
    let x = 1.7;
    let multiplied = (0..6).fold(x, |square: f64, _| square * square);
    for math in [Math::Native, Math::Portable] {
        let (power, pow) = (
            powi(math),
            binary(Op::Pow, math).expect("it has two operands"),
        );
        assert_eq!(power(x, 64), multiplied, "{math:?}");
        assert_eq!(power(x, -64), 1.0 / multiplied, "{math:?}");
        for n in [65, -65] {
            assert_eq!(power(x, n), pow(x, n as f64), "{math:?}");
        }
        // At this x the two powers differ.
        assert_ne!(pow(x, 64.0), multiplied, "{math:?}");
        assert_ne!(pow(x, 65.0), multiplied * x, "{math:?}");
    }
}
