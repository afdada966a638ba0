//! Functions of reals that the libraries do not have, or have with other values.

/// `acosh`, NaN below 1: the function of the `libm` crate gives numbers for some operands below -2.
pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// `acosh` over 32-bit reals.
pub(super) fn acoshf(x: f32) -> f32 {
    if x < 1.0 { f32::NAN } else { libm::acoshf(x) }
}
