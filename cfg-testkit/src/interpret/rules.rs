//! Values and partial derivatives of the real operators, written independently of the product's own table: an error
//! is unlikely to be in both. Values are those of C's library, as the product's are with native mathematics.

use cfg_core::ir::Op;

/// A value and the partials with respect to the operands.
pub(super) type Rule = (f64, [f64; 3]);

/// The rule of an operator at these operands (one to three); `None` if it has none here.
pub(super) fn real_rule(op: Op, x: &[f64]) -> Option<Rule> {
    let one = |v: f64, p: f64| Some((v, [p, 0.0, 0.0]));
    let two = |v: f64, p: f64, q: f64| Some((v, [p, q, 0.0]));
    match (op, x) {
        (Op::Add, &[a, b]) => two(a + b, 1.0, 1.0),
        (Op::Sub, &[a, b]) => two(a - b, 1.0, -1.0),
        (Op::Mul, &[a, b]) => two(a * b, b, a),
        (Op::Div, &[a, b]) => two(a / b, 1.0 / b, -(a / b) / b),
        (Op::Neg, &[a]) => one(-a, -1.0),
        (Op::Fma, &[a, b, c]) => Some((a.mul_add(b, c), [b, a, 1.0])),
        (Op::Pow, &[a, b]) => two(a.powf(b), b * a.powf(b - 1.0), a.powf(b) * a.ln()),
        (Op::StrongMul, &[d, p]) => two(if d == 0.0 { 0.0 } else { d * p }, p, d),
        (Op::Sqrt, &[a]) => one(a.sqrt(), 0.5 / a.sqrt()),
        (Op::Cbrt, &[a]) => one(cfg_math::cbrt(a), 1.0 / (3.0 * a.cbrt().powi(2))),
        (Op::Exp, &[a]) => one(a.exp(), a.exp()),
        (Op::Expm1, &[a]) => one(a.exp_m1(), a.exp()),
        (Op::Log, &[a]) => one(a.ln(), 1.0 / a),
        (Op::Log1p, &[a]) => one(a.ln_1p(), 1.0 / (1.0 + a)),
        (Op::Log2, &[a]) => one(a.log2(), 1.0 / (a * std::f64::consts::LN_2)),
        (Op::Log10, &[a]) => one(a.log10(), 1.0 / (a * std::f64::consts::LN_10)),
        (Op::Sin, &[a]) => one(a.sin(), a.cos()),
        (Op::Cos, &[a]) => one(a.cos(), -a.sin()),
        (Op::Tan, &[a]) => one(a.tan(), 1.0 + a.tan().powi(2)),
        (Op::Asin, &[a]) => one(a.asin(), 1.0 / (1.0 - a * a).sqrt()),
        (Op::Acos, &[a]) => one(a.acos(), -1.0 / (1.0 - a * a).sqrt()),
        (Op::Atan, &[a]) => one(a.atan(), 1.0 / (1.0 + a * a)),
        (Op::Atan2, &[y, t]) => {
            let r = y * y + t * t;
            two(y.atan2(t), t / r, -y / r)
        }
        (Op::Sinh, &[a]) => one(a.sinh(), a.cosh()),
        (Op::Cosh, &[a]) => one(a.cosh(), a.sinh()),
        (Op::Tanh, &[a]) => one(a.tanh(), 1.0 - a.tanh().powi(2)),
        (Op::Asinh, &[a]) => one(cfg_math::asinh(a), 1.0 / (1.0 + a * a).sqrt()),
        (Op::Acosh, &[a]) => one(cfg_math::acosh(a), 1.0 / (a * a - 1.0).sqrt()),
        (Op::Atanh, &[a]) => one(cfg_math::atanh(a), 1.0 / (1.0 - a * a)),
        (Op::Hypot, &[a, b]) => two(a.hypot(b), a / a.hypot(b), b / a.hypot(b)),
        (Op::Abs, &[a]) => one(a.abs(), slope_of_abs(a)),
        (Op::Min, &[a, b]) if b < a || b.is_nan() => two(b, 0.0, 1.0),
        (Op::Max, &[a, b]) if b > a || b.is_nan() => two(b, 0.0, 1.0),
        (Op::Min | Op::Max, &[a, _]) => two(a, 1.0, 0.0),
        (Op::Sign, &[a, b]) => two(
            a.copysign(b),
            // At 0 the slope is that of positive operands.
            if (a < 0.0) == b.is_sign_negative() {
                1.0
            } else {
                -1.0
            },
            0.0,
        ),
        (Op::Mod, &[a, b]) => two(a % b, 1.0, -(a / b).trunc()),
        (Op::Modulo, &[a, b]) => {
            let r = a % b;
            let v = if r == 0.0 {
                // The sign of the divisor, also if it is zero.
                r.copysign(b)
            } else if (r < 0.0) != (b < 0.0) {
                r + b
            } else {
                r
            };
            two(v, 1.0, -(a / b).floor())
        }
        (Op::PosDiff, &[a, b]) if a > b => two(a - b, 1.0, -1.0),
        (Op::PosDiff, &[a, b]) if a.is_nan() || b.is_nan() => two(f64::NAN, 0.0, 0.0),
        (Op::PosDiff, &[_, _]) => two(0.0, 0.0, 0.0),
        (Op::Floor, &[a]) => one(a.floor(), 0.0),
        (Op::Ceil, &[a]) => one(a.ceil(), 0.0),
        (Op::Round, &[a]) => one(a.round(), 0.0),
        (Op::Trunc, &[a]) => one(a.trunc(), 0.0),
        (Op::Erf, &[a]) => one(cfg_math::erf(a), gauss(a)),
        (Op::Erfc, &[a]) => one(cfg_math::erfc(a), -gauss(a)),
        (Op::Gamma, &[a]) => {
            let v = cfg_math::tgamma(a);
            one(v, v * polygamma(0, a))
        }
        (Op::Lgamma, &[a]) => one(cfg_math::lgamma(a), polygamma(0, a)),
        (Op::Digamma, &[a]) => one(polygamma(0, a), polygamma(1, a)),
        (Op::Polygamma, &[n, a]) => two(polygamma(n as i32, a), 0.0, polygamma(n as i32 + 1, a)),
        _ => None,
    }
}

/// The value by C's function for `float`; `None` for operators whose 32-bit value is the rounded one of 64 bits.
pub(super) fn single_value(op: Op, x: &[f64]) -> Option<f32> {
    match (op, x) {
        (Op::Pow, &[a, b]) => Some((a as f32).powf(b as f32)),
        (Op::Atan2, &[a, b]) => Some((a as f32).atan2(b as f32)),
        (Op::Hypot, &[a, b]) => Some((a as f32).hypot(b as f32)),
        (_, &[a]) => {
            let a = a as f32;
            match op {
                Op::Cbrt => Some(cfg_math::cbrtf(a)),
                Op::Exp => Some(a.exp()),
                Op::Expm1 => Some(a.exp_m1()),
                Op::Log => Some(a.ln()),
                Op::Log1p => Some(a.ln_1p()),
                Op::Log2 => Some(a.log2()),
                Op::Log10 => Some(a.log10()),
                Op::Sin => Some(a.sin()),
                Op::Cos => Some(a.cos()),
                Op::Tan => Some(a.tan()),
                Op::Asin => Some(a.asin()),
                Op::Acos => Some(a.acos()),
                Op::Atan => Some(a.atan()),
                Op::Sinh => Some(a.sinh()),
                Op::Cosh => Some(a.cosh()),
                Op::Tanh => Some(a.tanh()),
                Op::Asinh => Some(cfg_math::asinhf(a)),
                Op::Acosh => Some(cfg_math::acoshf(a)),
                Op::Atanh => Some(cfg_math::atanhf(a)),
                Op::Erf => Some(cfg_math::erff(a)),
                Op::Erfc => Some(cfg_math::erfcf(a)),
                Op::Gamma => Some(cfg_math::tgammaf(a)),
                Op::Lgamma => Some(cfg_math::lgammaf(a)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Power with an integer exponent, by the power rule.
pub(super) fn integer_power(a: f64, n: i64) -> Rule {
    let power = |n: i64| match i32::try_from(n) {
        Ok(n) => a.powi(n),
        Err(_) => a.powf(n as f64),
    };
    let partial = if n == 0 { 0.0 } else { n as f64 * power(n - 1) };
    (power(n), [partial, 0.0, 0.0])
}

/// The documented convention: at 0 the slope for positive operands.
fn slope_of_abs(a: f64) -> f64 {
    if a < 0.0 { -1.0 } else { 1.0 }
}

/// The n-th derivative of digamma for positive `x`: by the recurrence (DLMF 5.15.5), then by the asymptotic
/// series (5.11.2, 5.15.8).
fn polygamma(n: i32, x: f64) -> f64 {
    // B_2k for k = 1, 2, ...
    const BERNOULLI: [f64; 8] = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2730.0,
        7.0 / 6.0,
        -3617.0 / 510.0,
    ];
    let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
    let sign = if n % 2 == 0 { -1.0 } else { 1.0 };
    let (mut y, mut sum) = (x, 0.0);
    while y < 20.0 {
        sum += sign * factorial(n) / y.powi(n + 1);
        y += 1.0;
    }
    let mut rest = match n {
        0 => -y.ln() + 0.5 / y,
        n => factorial(n - 1) / y.powi(n) + factorial(n) / (2.0 * y.powi(n + 1)),
    };
    for (b, k) in BERNOULLI.iter().zip(1..) {
        rest += b * factorial(2 * k + n - 1) / (factorial(2 * k) * y.powi(2 * k + n));
    }
    sum + sign * rest
}

fn gauss(a: f64) -> f64 {
    std::f64::consts::FRAC_2_SQRT_PI * (-a * a).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at corners bit for bit, in which signs of zero, infinities and NaN differ most easily: of the
    /// operators that are exact, so that both ways to write them must agree.
    #[test]
    fn values_at_corners_are_those_of_the_products_table() {
        use cfg_core::elemental::{Math, binary, unary};
        let corners = [
            0.0,
            0.5,
            1.0,
            1.5,
            2.0,
            3.0,
            6.0,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        let corners = || corners.iter().flat_map(|&x: &f64| [x, -x]);
        let bits = |x: f64| if x.is_nan() { None } else { Some(x.to_bits()) };
        let mut seen = 0;
        use Op::{Abs, Add, Ceil, Div, Floor, Max, Min, Mod, Modulo, Mul, Neg};
        for op in [Abs, Neg, Floor, Ceil, Op::Round, Op::Trunc, Op::Sqrt] {
            let Some(f) = unary(op, Math::Native) else {
                continue;
            };
            for x in corners() {
                let rule = real_rule(op, &[x]).expect("a rule").0;
                assert_eq!(bits(rule), bits(f(x)), "{op:?} {x:?}: {rule:?}");
                seen += 1;
            }
        }
        let others = [Op::Sub, Op::StrongMul, Op::Sign, Op::PosDiff];
        for op in [Add, Mul, Div, Min, Max, Mod, Modulo]
            .into_iter()
            .chain(others)
        {
            let Some(f) = binary(op, Math::Native) else {
                continue;
            };
            for (x, y) in corners().flat_map(|x| corners().map(move |y| (x, y))) {
                let rule = real_rule(op, &[x, y]).expect("a rule").0;
                assert_eq!(bits(rule), bits(f(x, y)), "{op:?} {x:?} {y:?}: {rule:?}");
                seen += 1;
            }
        }
        assert!(seen > 3000, "{seen}");
    }

    /// Every rule against central differences at a point inside its domain.
    #[test]
    fn partials_agree_with_differences() {
        let mut checked = 0;
        for &op in Op::ALL {
            // Operators that are not defined at 0.7 are tested at the second point.
            let beyond = real_rule(op, &[0.7]).is_some_and(|(value, _)| value.is_nan());
            for point in [&[0.7][..], &[1.6], &[1.9, 0.6], &[0.7, 1.3, -0.4]] {
                if beyond != (point == [1.6]) {
                    continue;
                }
                let Some((_, partials)) = real_rule(op, point) else {
                    continue;
                };
                for k in 0..point.len() {
                    let h = 1e-5;
                    let at = |d: f64| {
                        let mut x = point.to_vec();
                        x[k] += d;
                        real_rule(op, &x).map_or(f64::NAN, |r| r.0)
                    };
                    let difference = (at(h) - at(-h)) / (2.0 * h);
                    assert!(
                        (difference - partials[k]).abs() < 1e-8,
                        "{op:?} {point:?} operand {k}: {difference} against {}",
                        partials[k]
                    );
                    checked += 1;
                }
            }
        }
        assert!(checked >= 45, "{checked}");
    }
}
