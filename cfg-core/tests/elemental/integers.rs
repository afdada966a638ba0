//! Integer arithmetic and conversions.

use super::*;
use Scalar::{Integer, Logical, Real, Real32};

fn int(op: Op, args: &[i64]) -> Result<Scalar, String> {
    let args: Vec<_> = args.iter().map(|&n| Integer(n)).collect();
    apply(op, &args, Math::Native).map_err(|e| e.to_string())
}

#[test]
fn checked_arithmetic() {
    const MIN: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;
    let overflow = Err("integer overflow: the result does not fit in 64 bits".to_string());
    let zero = Err("integer division by zero".to_string());
    type Row<'a> = (Op, &'a [i64], Result<i64, &'a Result<Scalar, String>>);
    let table: &[Row<'_>] = &[
        (Op::Add, &[1, 2, 3], Ok(6)),
        (Op::Add, &[MAX, 1], Err(&overflow)),
        (Op::Sub, &[MIN, 1], Err(&overflow)),
        (Op::Mul, &[MIN, -1], Err(&overflow)),
        (Op::Mul, &[2, 3, 7], Ok(42)),
        (Op::Neg, &[MIN], Err(&overflow)),
        (Op::Abs, &[MIN], Err(&overflow)),
        (Op::Abs, &[-3], Ok(3)),
        (Op::Div, &[-7, 2], Ok(-3)),
        (Op::Div, &[7, -2], Ok(-3)),
        (Op::Div, &[1, 0], Err(&zero)),
        (Op::Div, &[MIN, -1], Err(&overflow)),
        (Op::Mod, &[-7, 2], Ok(-1)),
        (Op::Mod, &[7, -2], Ok(1)),
        (Op::Mod, &[MIN, -1], Ok(0)),
        (Op::Mod, &[1, 0], Err(&zero)),
        (Op::Modulo, &[-7, 2], Ok(1)),
        (Op::Modulo, &[7, -2], Ok(-1)),
        (Op::Modulo, &[MIN, -1], Ok(0)),
        (Op::Modulo, &[-6, 2], Ok(0)),
        (Op::Sign, &[3, -1], Ok(-3)),
        (Op::Sign, &[-3, 0], Ok(3)),
        (Op::Sign, &[MIN, -1], Ok(MIN)),
        (Op::Sign, &[MIN, 1], Err(&overflow)),
        (Op::PosDiff, &[3, 5], Ok(0)),
        (Op::PosDiff, &[MAX, -1], Err(&overflow)),
        (Op::Min, &[3, -5, 4], Ok(-5)),
        (Op::Max, &[3, -5, 4], Ok(4)),
        (Op::Pow, &[3, 4], Ok(81)),
        (Op::Pow, &[-2, 63], Ok(MIN)),
        (Op::Pow, &[2, 63], Err(&overflow)),
        (Op::Pow, &[0, 0], Ok(1)),
        (Op::Pow, &[0, -1], Err(&zero)),
        (Op::Pow, &[2, -1], Ok(0)),
        (Op::Pow, &[1, MIN], Ok(1)),
        (Op::Pow, &[-1, MIN], Ok(1)),
        (Op::Pow, &[-1, -3], Ok(-1)),
        (Op::Pow, &[-1, MAX], Ok(-1)),
        (Op::Pow, &[0, MAX], Ok(0)),
        (Op::Pow, &[2, MAX], Err(&overflow)),
        (Op::Trips, &[MIN, MAX, MAX], Ok(3)),
        (Op::Trips, &[MIN, MAX, 1], Err(&overflow)),
        (Op::Trips, &[0, MAX, 1], Err(&overflow)),
        (Op::Trips, &[MAX, MIN, MIN], Ok(2)),
    ];
    for (op, args, want) in table {
        let want = match want {
            Ok(n) => Ok(Integer(*n)),
            Err(e) => (*e).clone(),
        };
        assert_eq!(int(*op, args), want, "{op:?} {args:?}");
    }
    assert_eq!(
        int(Op::Trips, &[1, 2, 0]),
        Err("the step of a counted loop is 0".into())
    );
}

#[test]
fn trips_count_the_loop() {
    for first in -6_i64..=6 {
        for last in -6..=6 {
            for step in (-4..=4).filter(|&s| s != 0) {
                let (mut i, mut n) = (first, 0);
                while if step > 0 { i <= last } else { i >= last } {
                    i += step;
                    n += 1;
                }
                assert_eq!(int(Op::Trips, &[first, last, step]), Ok(Integer(n)));
            }
        }
    }
}

#[test]
fn conversions_and_mixed_operands() {
    let at = |op, args: &[Scalar]| apply(op, args, Math::Native);
    assert_eq!(at(Op::TO_INT, &[Real(-2.9)]), Ok(Integer(-2)));
    assert_eq!(
        at(Op::TO_INT, &[Real(-9_223_372_036_854_775_808.0)]),
        Ok(Integer(i64::MIN))
    );
    for x in [
        9_223_372_036_854_775_808.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1e19,
    ] {
        assert_eq!(
            at(Op::TO_INT, &[Real(x)]),
            Err(ArithmeticError::NotRepresentable(x))
        );
    }
    let nan = at(Op::TO_INT, &[Real(f64::NAN)]).unwrap_err();
    assert_eq!(
        nan.to_string(),
        "NaN is not representable as a 64-bit integer"
    );
    assert_eq!(at(Op::ToReal32, &[Real(0.1)]), Ok(Real32(0.1)));
    // Rounded once: through 64 bits this would be 2^60.
    let n = (1_i64 << 60) + (1 << 36) + 1;
    assert_eq!(
        at(Op::ToReal32, &[Integer(n)]),
        Ok(Real32(1_152_921_642_045_800_448.0))
    );
    assert_eq!(
        at(Op::Add, &[Integer(n), Real32(0.0)]),
        Ok(Real32(1_152_921_642_045_800_448.0))
    );
    assert_eq!(at(Op::ToReal, &[Real32(0.1)]), Ok(Real(f64::from(0.1_f32))));
    assert_eq!(at(Op::ToLogical, &[Real(f64::NAN)]), Ok(Logical(true)));
    assert_eq!(at(Op::ToLogical, &[Integer(0)]), Ok(Logical(false)));
    assert_eq!(at(Op::TO_INT, &[Logical(true)]), Ok(Integer(1)));
    assert_eq!(at(Op::Div, &[Integer(1), Real(4.0)]), Ok(Real(0.25)));
    assert_eq!(at(Op::Lt, &[Integer(1), Real(1.5)]), Ok(Logical(true)));
    assert_eq!(
        at(Op::Eq, &[Logical(true), Logical(true)]),
        Ok(Logical(true))
    );
    assert_eq!(at(Op::Ne, &[Real(f64::NAN), Real(1.0)]), Ok(Logical(true)));
    assert_eq!(
        at(Op::Pow, &[Integer(2), Real(0.5)]),
        Ok(Real(2.0_f64.powf(0.5)))
    );
    assert_eq!(
        at(Op::If, &[Logical(false), Real(1.0), Integer(2)]),
        Ok(Real(2.0))
    );
    for (op, args) in [
        (Op::Add, &[Real(1.0), Real32(1.0)][..]),
        (Op::Sin, &[Integer(1)]),
        (Op::Floor, &[Integer(1)]),
        (Op::Atan2, &[Integer(1), Integer(1)]),
        (Op::Lt, &[Logical(true), Logical(false)]),
        (Op::Add, &[Logical(true), Integer(1)]),
        (Op::And, &[Logical(true), Integer(1)]),
        (Op::Not, &[Real(1.0)]),
        (Op::Add, &[Real(1.0)]),
        (Op::Sum, &[Real(1.0)]),
        (Op::Polygamma, &[Real(1.0), Real(1.0)]),
        (Op::Trips, &[Real(1.0), Integer(1), Integer(1)]),
    ] {
        assert_eq!(at(op, args), Err(ArithmeticError::Operands(op)), "{args:?}");
    }
}

/// Every elemental operator over every combination of types of up to three operands: a value or an
/// error, never a panic; and integer, logical operands and results have zero partials.
#[test]
fn total() {
    let pool = [
        Real(-0.5),
        Real32(2.0),
        Integer(-3),
        Integer(i64::MIN),
        Logical(true),
    ];
    for &op in Op::ALL {
        for n in 0..=3_usize {
            for index in 0..pool.len().pow(n as u32) {
                let args: Vec<_> = (0..n as u32)
                    .map(|k| pool[index / pool.len().pow(k) % pool.len()])
                    .collect();
                let types: Vec<_> = args.iter().map(|x| x.ty()).collect();
                let value = apply(op, &args, Math::Native);
                for k in 0..n {
                    let p = partial(op, &variables(n), &types, k, None);
                    let passive =
                        !types[k].is_real() || matches!(value, Ok(Integer(_) | Logical(_)));
                    if let (Ok(p), true) = (p, passive) {
                        assert_eq!(p, Partial::Zero, "{op:?} {args:?} {k}");
                    }
                }
            }
        }
    }
}

/// Single functions, for hot loops, are those of `apply`.
#[test]
fn single_functions() {
    use cfg_core::elemental::{binary, ternary, unary, value_real, value_real32};
    let mut rng = Rng(5);
    for (op, n) in real_ops() {
        for _ in 0..50 {
            let x: Vec<f64> = (0..n).map(|_| 3.0 * rng.unit()).collect();
            if op == Op::If || op == Op::Polygamma {
                continue;
            }
            let want = apply(op, &typed(op, &x), Math::Portable)
                .expect("value")
                .to_f64();
            let got = match x[..] {
                [x] => unary(op, Math::Portable).map(|f| f(x)),
                [x, y] => binary(op, Math::Portable).map(|f| f(x, y)),
                [x, y, z] => ternary(op, Math::Portable).map(|f| f(x, y, z)),
                _ => value_real(op, &x, Math::Portable),
            };
            let got = got.expect("function");
            assert!(
                same(got, want) || op == Op::ToReal32,
                "{op:?} {x:?}: {got} {want}"
            );
            let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            let scalars: Vec<_> = narrow.iter().map(|&x| Real32(x)).collect();
            let want = apply(op, &scalars, Math::Portable).expect("value").to_f64();
            let got = value_real32(op, &narrow, Math::Portable).expect("value");
            assert!(
                same(f64::from(got), want),
                "{op:?} {narrow:?}: {got} {want}"
            );
        }
    }
}

/// fma over 32-bit reals is rounded once: this sum is a tie after rounding to 64 bits.
#[test]
fn fma32_rounds_once() {
    let (x, y, z) = (
        1.0 + f32::EPSILON,
        1.0 + f32::EPSILON,
        f32::EPSILON * 2.0_f32.powi(-40),
    );
    for math in [Math::Native, Math::Portable] {
        let got = apply(Op::Fma, &[Real32(x), Real32(y), Real32(z)], math);
        // x*y = 1 + 2^-22 + 2^-46, no tie; a product that is one: (1 + 2^-12)(1 + 2^-12) + tiny.
        assert_eq!(got, Ok(Real32(1.0 + 2.0 * f32::EPSILON)));
        let a = 1.0 + 2.0_f32.powi(-12);
        let tiny = 2.0_f32.powi(-80);
        let up = apply(Op::Fma, &[Real32(a), Real32(a), Real32(tiny)], math);
        let down = apply(Op::Fma, &[Real32(a), Real32(a), Real32(-tiny)], math);
        let base = 1.0 + 2.0_f32.powi(-11);
        assert_eq!(up, Ok(Real32(base + f32::EPSILON)));
        assert_eq!(down, Ok(Real32(base)));
    }
}

/// Operations modulo 2^64, on bits, and shifts, at every pair of nasty integers, against formulas over 128 bits.
#[test]
fn words() {
    const WIDTH: i128 = 1 << 64;
    let mut nasty: Vec<i64> = vec![
        0,
        1,
        2,
        3,
        5,
        7,
        13,
        31,
        32,
        33,
        62,
        63,
        64,
        65,
        127,
        1 << 32,
    ];
    nasty.extend([i64::MAX, i64::MAX - 1, i64::MAX / 2, 0x5555_5555_5555_5555]);
    nasty.extend([3_037_000_499, 3_037_000_500, 1 << 62, (1 << 62) - 1]);
    let negative: Vec<i64> = nasty
        .iter()
        .map(|n| !n)
        .chain(nasty.iter().map(|n| -n))
        .collect();
    nasty.extend(negative);
    let unsigned = |x: i64| i128::from(x).rem_euclid(WIDTH);
    let wrapped = |x: i128| {
        let rest = x.rem_euclid(WIDTH);
        Ok((if rest >= WIDTH / 2 {
            rest - WIDTH
        } else {
            rest
        }) as i64)
    };
    let checked = |x: Option<i128>| {
        let x = x.and_then(|x| i64::try_from(x).ok());
        x.ok_or("integer overflow: the result does not fit in 64 bits".to_owned())
    };
    for &x in &nasty {
        let wide = i128::from(x);
        assert_eq!(int(Op::WrapNeg, &[x]), wrapped(-wide).map(Integer), "{x}");
        assert_eq!(
            int(Op::BitNot, &[x]),
            wrapped(-1 - wide).map(Integer),
            "{x}"
        );
        for &y in &nasty {
            let (w, far) = (i128::from(y), !(0..64).contains(&y));
            let power = if far { 0 } else { 1i128 << y };
            let and: i128 = (0..64)
                .map(|k| (unsigned(x) >> k & unsigned(y) >> k & 1) << k)
                .sum();
            let shift = match (far, x) {
                (true, 0) => Some(0),
                (true, _) => None,
                (false, _) => wide.checked_mul(power),
            };
            let right = match (far, x < 0) {
                (true, true) => -1,
                (true, false) => 0,
                (false, _) => wide.div_euclid(power),
            };
            let logical = if far { 0 } else { unsigned(x) / power };
            for (op, want) in [
                (Op::WrapAdd, wrapped(wide + w)),
                (Op::WrapSub, wrapped(wide - w)),
                (Op::WrapMul, wrapped(wide * w)),
                (Op::BitAnd, wrapped(and)),
                (Op::BitOr, wrapped(wide + w - and)),
                (Op::BitXor, wrapped(wide + w - 2 * and)),
                (Op::Shl, checked(shift)),
                (Op::WrapShl, wrapped(wide * power)),
                (Op::Shr, wrapped(right)),
                (Op::LogicalShr, wrapped(logical)),
            ] {
                assert_eq!(int(op, &[x, y]), want.map(Integer), "{op:?} {x} {y}");
            }
        }
    }
    assert_eq!(int(Op::WrapAdd, &[i64::MAX, 1, i64::MAX]), Ok(Integer(-1)));
    assert_eq!(int(Op::BitXor, &[1, 3, 7]), Ok(Integer(5)));
}
