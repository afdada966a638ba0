//! Digamma and polygamma functions.
//!
//! Recurrence to a large argument and the asymptotic series there (Abramowitz and Stegun 6.3.5, 6.3.18,
//! 6.4.10, 6.4.11; the DLMF's 5.5.2, 5.11.2, 5.15.8). Negative arguments: reflection (5.5.4) for
//! digamma, the two-sided sum of 5.15.1 for polygamma.

use super::math::{Binary, Math, Unary};

/// The functions of a library of which digamma and polygamma are made.
struct Library {
    exp: Unary,
    log: Unary,
    tan: Unary,
    pow: Binary,
    lgamma: Unary,
}

const NATIVE: Library = Library {
    exp: f64::exp,
    log: f64::ln,
    tan: f64::tan,
    pow: f64::powf,
    lgamma: cfg_math::lgamma,
};

const PORTABLE: Library = Library {
    exp: libm::exp,
    log: libm::log,
    tan: libm::tan,
    pow: libm::pow,
    lgamma: libm::lgamma,
};

/// B(2j)/(2j), j = 1, 2, ...
const DIGAMMA_SERIES: [f64; 9] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
    43867.0 / 14364.0,
];

/// The positive zero of digamma, high and low part, and the Taylor coefficients there:
/// polygamma(k, root)/k!, k = 1, 2, ... (computed with mpmath 1.3 at 50 digits).
const ROOT: (f64, f64) = (1.461_632_144_968_362_2, 9.549_995_429_965_697e-17);
const ROOT_SERIES: [f64; 16] = [
    0.967_672_245_447_621_2,
    -0.442_763_168_983_592_1,
    0.258_499_760_955_651,
    -0.163_942_705_442_406_52,
    0.107_824_050_691_262_37,
    -0.072_199_561_256_454_71,
    0.048_804_288_164_143_11,
    -0.033_161_126_474_847_36,
    0.022_597_648_232_218_104,
    -0.015_424_765_904_948_96,
    0.010_538_791_616_612_175,
    -0.007_204_534_386_356_869,
    0.004_926_781_395_729_853,
    -0.003_369_801_655_439_328,
    0.002_305_126_326_734_928,
    -0.001_576_936_771_430_197_2,
];

fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// True if `x` is a pole of gamma: 0, -1, -2, ...
pub(super) fn is_pole(x: f64) -> bool {
    x <= 0.0 && x == x.floor() && x.is_finite()
}

/// The digamma function, derivative of log|gamma|, within about 2e-15 of max(|value|, 1), and for positive x
/// within about 1.2e-14 of the value, also near its zero 1.46. At +0 it is -inf, at -0 +inf, at negative
/// whole numbers and -inf NaN.
pub fn digamma(math: Math) -> Unary {
    match math {
        Math::Native => |x| digamma_by(&NATIVE, x),
        Math::Portable => |x| digamma_by(&PORTABLE, x),
    }
}

fn digamma_by(library: &Library, x: f64) -> f64 {
    if x == 0.0 {
        return -1.0 / x;
    }
    if x == f64::INFINITY {
        return x;
    }
    if x < 0.0 {
        if is_pole(x) || x == f64::NEG_INFINITY {
            return f64::NAN;
        }
        // pi*x reduced exactly first; both have period 1.
        let d = x - x.round();
        return digamma_positive(library, 1.0 - x)
            - std::f64::consts::PI / (library.tan)(std::f64::consts::PI * d);
    }
    digamma_positive(library, x)
}

fn digamma_positive(library: &Library, x: f64) -> f64 {
    let from_root = (x - ROOT.0) - ROOT.1;
    if from_root.abs() < 0.125 {
        return from_root * horner(&ROOT_SERIES, from_root);
    }
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += 1.0 / x;
        x += 1.0;
    }
    let r = 1.0 / x;
    (library.log)(x) - 0.5 * r - r * r * horner(&DIGAMMA_SERIES, r * r) - shift
}

/// B(2j)/(2j)!, j = 1, 2, ...
const ZETA_SERIES: [f64; 14] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3.389_680_296_322_582_7e-13,
    8.586_062_056_277_845e-15,
    -2.174_868_698_558_062e-16,
    5.509_002_828_360_229_5e-18,
    -1.395_446_468_581_252_3e-19,
    3.534_707_039_629_467e-21,
    -8.953_517_427_037_546e-23,
];

/// The n-th derivative of [`digamma`]. For n ≤ 100 within about 1e-13 of the value (for negative
/// x: of its largest term); for n > 10 000 the logarithm of the value has that accuracy. NaN for negative n and for
/// x = -inf. At the poles: +inf for odd n; for even n -inf at +0, +inf at -0 and NaN at negative whole
/// numbers.
pub fn polygamma(math: Math) -> fn(i64, f64) -> f64 {
    match math {
        Math::Native => |n, x| polygamma_by(&NATIVE, n, x),
        Math::Portable => |n, x| polygamma_by(&PORTABLE, n, x),
    }
}

fn polygamma_by(library: &Library, n: i64, x: f64) -> f64 {
    if n == 0 {
        return digamma_by(library, x);
    }
    if n < 0 || x.is_nan() || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    let odd = n % 2 == 1;
    if is_pole(x) {
        return match (odd, x == 0.0) {
            (true, _) => f64::INFINITY,
            (false, true) => -1.0 / x,
            (false, false) => f64::NAN,
        };
    }
    if x > 0.0 {
        let magnitude = polygamma_positive(library, n, x);
        return if odd { magnitude } else { -magnitude };
    }
    // n! * sum over all k >= 0 of 1/(x + k)^(n+1), split into the terms with positive and with negative
    // base; each is a difference of one-sided sums. d is exact, so is the distance to the near pole.
    let d = x - x.round();
    let (right, left) = if d > 0.0 { (d, 1.0 - d) } else { (1.0 + d, -d) };
    let right = polygamma_positive(library, n, right);
    let mut left = polygamma_positive(library, n, left);
    if left.is_finite() {
        left -= polygamma_positive(library, n, 1.0 - x);
    }
    if odd {
        left + right
    } else if left == right {
        // Equal sums cancel; if both overflow, the nearer pole prevails.
        if left.is_finite() {
            0.0
        } else {
            (-d).signum() * f64::INFINITY
        }
    } else {
        left - right
    }
}

/// The largest number of terms. No sum needs more: x + k reaches s + 10, or the terms vanish.
const MOST_TERMS: u32 = 400;

/// |polygamma(n, x)| = n! * zeta(n + 1, x) for n >= 1, x > 0: the factor (n - 1)!/x^n and the Hurwitz
/// zeta function by Euler-Maclaurin summation, multiplied by n*x^n (DLMF 25.11.5).
fn polygamma_positive(library: &Library, n: i64, x: f64) -> f64 {
    if x == f64::INFINITY {
        return 0.0;
    }
    let n_real = n as f64;
    let s = n_real + 1.0;
    let (mut a, mut sum) = (x, 0.0);
    for k in 1..=MOST_TERMS {
        if a >= s + 10.0 {
            break;
        }
        let term = n_real / x * (library.pow)(x / a, s);
        sum += term;
        if term <= sum * 1e-18 {
            return scaled(library, n, x, sum);
        }
        a = x + f64::from(k);
    }
    // 1 + n/(2a) + n * sum of B(2j)/(2j)! * (s+0)(s+1)...(s+2j-2) / a^(2j)
    let mut rising = s / a;
    let mut tail = 0.5;
    for (j, c) in (1_u32..).zip(ZETA_SERIES) {
        tail += c * rising;
        let m = s + f64::from(2 * j - 1);
        rising *= (m / a) * ((m + 1.0) / a);
    }
    sum += (library.pow)(x / a, n_real) * (1.0 + n_real / a * tail);
    scaled(library, n, x, sum)
}

/// The largest n for which the product is multiplied out; for larger ones it is computed by logarithms.
const LONGEST: i64 = 10_000;

/// (n - 1)!/x^n * sum, without overflow on the way.
fn scaled(library: &Library, n: i64, x: f64, sum: f64) -> f64 {
    const STEP: f64 = 1.340_780_792_994_259_7e154; // 2**512
    if n > LONGEST {
        let n = n as f64;
        return (library.exp)((library.lgamma)(n) - n * (library.log)(x) + (library.log)(sum));
    }
    let (mut product, mut exponent) = (1.0 / x, 0_i64);
    for k in 1..n {
        product *= k as f64 / x;
        if product > STEP {
            product /= STEP;
            exponent += 1;
        } else if product < 1.0 / STEP {
            product *= STEP;
            exponent -= 1;
        }
    }
    let mut value = product * sum;
    while exponent != 0 && value != 0.0 && value.is_finite() {
        value = if exponent > 0 {
            value * STEP
        } else {
            value / STEP
        };
        exponent -= exponent.signum();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        static POWERS: Cell<u32> = const { Cell::new(0) };
    }

    /// A sum ends at the largest number of terms if nothing else ends it.
    #[test]
    fn terms_on_both_sides_of_the_limit() {
        // No term vanishes. Each takes one power, and so does the remainder.
        let library = Library {
            pow: |_, _| {
                POWERS.set(POWERS.get() + 1);
                1.0
            },
            ..PORTABLE
        };
        let terms = |n: i64| {
            POWERS.set(0);
            polygamma_positive(&library, n, 1.0);
            POWERS.get() - 1
        };
        let most = i64::from(MOST_TERMS);
        // From 1 to s + 10 = n + 11 there are n + 10 terms.
        let found = [most - 1, most, most + 1].map(|wanted| terms(wanted - 10));
        assert_eq!(found, [MOST_TERMS - 1, MOST_TERMS, MOST_TERMS]);
    }

    /// Products are multiplied out up to a length; only longer ones are exponentials.
    #[test]
    fn products_on_both_sides_of_the_limit() {
        let library = Library {
            exp: |_| f64::NAN,
            ..PORTABLE
        };
        for (n, is_exponential) in [(LONGEST, false), (LONGEST + 1, true)] {
            let found = scaled(&library, n, 3_700.0, 1.0);
            assert_eq!(found.is_nan(), is_exponential, "{n}");
        }
    }
}
