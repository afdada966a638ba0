//! Declarations of the functions of C's mathematical library that Rust's standard library does not call.
//!
//! All functions take any number. Their only side effects are on C's `errno` and on the flags of floating-point
//! exceptions, which Rust does not read. NaN and infinite results follow C99, annex F.
//!
//! ```
//! assert_eq!(cfg_math::tgamma(5.0), 24.0);
//! assert_eq!(cfg_math::erf(f64::INFINITY), 1.0);
//! ```
#![no_std]
#![expect(unsafe_code, reason = "declarations of C's functions are")]

// The declarations are C's own. Each function is defined for every argument and may be called by several threads at
// once.
unsafe extern "C" {
    /// Inverse hyperbolic sine.
    pub safe fn asinh(x: f64) -> f64;
    /// Inverse hyperbolic cosine.
    pub safe fn acosh(x: f64) -> f64;
    /// Inverse hyperbolic tangent.
    pub safe fn atanh(x: f64) -> f64;
    /// Cube root.
    // Rust's runtime has a `cbrt` that linkers find first; glibc's has a second name, from TS 18661-3.
    #[cfg_attr(all(target_os = "linux", target_env = "gnu"), link_name = "cbrtf64")]
    pub safe fn cbrt(x: f64) -> f64;
    /// Error function.
    pub safe fn erf(x: f64) -> f64;
    /// Complementary error function.
    pub safe fn erfc(x: f64) -> f64;
    /// Gamma function.
    pub safe fn tgamma(x: f64) -> f64;
    #[cfg(unix)]
    safe fn lgamma_r(x: f64, sign: &mut core::ffi::c_int) -> f64;
    /// Logarithm of the magnitude of the gamma function.
    #[cfg(not(unix))]
    pub safe fn lgamma(x: f64) -> f64;
    /// Inverse hyperbolic sine of a `float`.
    pub safe fn asinhf(x: f32) -> f32;
    /// Inverse hyperbolic cosine of a `float`.
    pub safe fn acoshf(x: f32) -> f32;
    /// Inverse hyperbolic tangent of a `float`.
    pub safe fn atanhf(x: f32) -> f32;
    /// Cube root of a `float`.
    #[cfg_attr(all(target_os = "linux", target_env = "gnu"), link_name = "cbrtf32")]
    pub safe fn cbrtf(x: f32) -> f32;
    /// Error function of a `float`.
    pub safe fn erff(x: f32) -> f32;
    /// Complementary error function of a `float`.
    pub safe fn erfcf(x: f32) -> f32;
    /// Gamma function of a `float`.
    pub safe fn tgammaf(x: f32) -> f32;
    #[cfg(unix)]
    safe fn lgammaf_r(x: f32, sign: &mut core::ffi::c_int) -> f32;
    /// Logarithm of the magnitude of the gamma function of a `float`.
    #[cfg(not(unix))]
    pub safe fn lgammaf(x: f32) -> f32;
}

/// Logarithm of the magnitude of the gamma function.
#[cfg(unix)]
pub fn lgamma(x: f64) -> f64 {
    // C's `lgamma` leaves the sign in a global variable, a race between threads; `lgamma_r` takes its address instead.
    lgamma_r(x, &mut 0)
}

/// Logarithm of the magnitude of the gamma function of a `float`.
#[cfg(unix)]
pub fn lgammaf(x: f32) -> f32 {
    lgammaf_r(x, &mut 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each declaration is bound to the function of its name: values of mpmath 1.3, and corners of annex F.
    #[test]
    fn names_and_functions_agree() {
        type Row = (fn(f64) -> f64, f64, f64);
        let rows: [Row; 9] = [
            (|x| asinh(x), 0.7, 0.652_666_566_082_355_7),
            (|x| acosh(x), 1.7, 1.123_230_982_587_296),
            (|x| atanh(x), 0.7, 0.867_300_527_694_053_1),
            (|x| cbrt(x), -0.7, -0.887_904_001_742_600_6),
            (|x| erf(x), 0.7, 0.677_801_193_837_418_4),
            (|x| erfc(x), 0.7, 0.322_198_806_162_581_56),
            (|x| tgamma(x), 0.7, 1.298_055_332_647_558),
            (lgamma, 0.7, 0.260_867_246_531_666_54),
            (lgamma, -0.7, 1.452_472_938_756_807_8),
        ];
        for (k, (f, x, value)) in rows.into_iter().enumerate() {
            assert!((f(x) - value).abs() < 1e-15, "{k}: {:?}", f(x));
        }
        type Single = (fn(f32) -> f32, f32, f64);
        let singles: [Single; 9] = [
            (|x| asinhf(x), 0.7, 0.652_666_566_082_355_7),
            (|x| acoshf(x), 1.7, 1.123_230_982_587_296),
            (|x| atanhf(x), 0.7, 0.867_300_527_694_053_1),
            (|x| cbrtf(x), -0.7, -0.887_904_001_742_600_6),
            (|x| erff(x), 0.7, 0.677_801_193_837_418_4),
            (|x| erfcf(x), 0.7, 0.322_198_806_162_581_56),
            (|x| tgammaf(x), 0.7, 1.298_055_332_647_558),
            (lgammaf, 0.7, 0.260_867_246_531_666_54),
            (lgammaf, -0.7, 1.452_472_938_756_807_8),
        ];
        for (k, (f, x, value)) in singles.into_iter().enumerate() {
            assert!((f64::from(f(x)) - value).abs() < 3e-7, "{k}: {:?}", f(x));
        }
        assert!(acosh(0.5).is_nan() && atanh(2.0).is_nan() && tgamma(-1.0).is_nan());
        assert_eq!(tgamma(-0.0), f64::NEG_INFINITY);
        assert_eq!(lgamma(-1.0), f64::INFINITY);
        assert_eq!(lgamma(f64::NEG_INFINITY), f64::INFINITY);
        assert_eq!(atanh(-1.0), f64::NEG_INFINITY);
    }
}
