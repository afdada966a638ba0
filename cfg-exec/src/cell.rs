//! Cells: every scalar is one 64-bit word.
//!
//! A real is its IEEE bits, a 32-bit real is held as the 64-bit real of the same value (operations on
//! it are rounded to 32 bits afterwards, which is exact for `+ - * /` and `sqrt`: 53 >= 2*24 + 2), an
//! integer is two's complement, a logical is 0 or 1. One pattern of each type stands for
//! "uninitialised" and travels through copies, pushes and arithmetic like a value.

use cfg_core::ir::ScalarType;

/// The uninitialised real: a quiet NaN with a payload of its own.
pub const POISON_REAL: u64 = 0x7FF8_756E_696E_6974;
/// The NaN that arithmetic gives, on every platform.
pub(crate) const NAN: u64 = 0x7FF8_0000_0000_0000;
/// The uninitialised integer. It lies outside of every possible index and count, so that bounds tests catch it
/// without a test of its own.
pub const POISON_INT: i64 = -0x5CA1_AB1E_0DDB_A11D;
/// [`POISON_INT`] as a cell. Integer types below 64 bits have no such cell. If an operation modulo 2^64, over bits,
/// or over `uint64` yields it from operands that have values, the run ends (X222).
pub(crate) const POISON_INT_CELL: u64 = POISON_INT as u64;
/// The uninitialised logical.
pub const POISON_LOGICAL: u64 = 2;

/// The uninitialised cell of a type, records and pointers included: a host may make values of these.
pub fn poison(ty: ScalarType) -> u64 {
    if ty.is_real() {
        POISON_REAL
    } else if ty == ScalarType::Logical {
        POISON_LOGICAL
    } else {
        POISON_INT_CELL
    }
}

/// True if a cell of this type is uninitialised.
pub(crate) fn is_poison(ty: ScalarType, cell: u64) -> bool {
    cell == poison(ty)
}

/// The cell of a real; every NaN becomes the same one.
#[inline]
pub(crate) fn real(x: f64) -> u64 {
    if x.is_nan() { NAN } else { x.to_bits() }
}

/// Rounds a real cell to 32 bits.
#[inline]
pub(crate) fn round32(cell: u64) -> u64 {
    let x = f64::from_bits(cell);
    if x.is_nan() {
        cell
    } else {
        f64::from(x as f32).to_bits()
    }
}

#[cold]
#[inline(never)]
fn nan_of(operands: &[u64]) -> u64 {
    if operands.contains(&POISON_REAL) {
        POISON_REAL
    } else {
        NAN
    }
}

/// The result cell of an operation on one real cell.
#[inline(always)]
pub(crate) fn real1(result: f64, a: u64) -> u64 {
    if result.is_nan() {
        nan_of(&[a])
    } else {
        result.to_bits()
    }
}

/// The result cell of an operation on two real cells.
#[inline(always)]
pub(crate) fn real2(result: f64, a: u64, b: u64) -> u64 {
    if result.is_nan() {
        nan_of(&[a, b])
    } else {
        result.to_bits()
    }
}

/// The result cell of an operation on three real cells.
#[inline(always)]
pub(crate) fn real3(result: f64, a: u64, b: u64, c: u64) -> u64 {
    if result.is_nan() {
        nan_of(&[a, b, c])
    } else {
        result.to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poison_is_a_quiet_nan_that_survives_rounding() {
        assert!(f64::from_bits(POISON_REAL).is_nan());
        assert_ne!(POISON_REAL, NAN);
        assert_eq!(round32(POISON_REAL), POISON_REAL);
        assert_eq!(round32(0.1f64.to_bits()), f64::from(0.1f32).to_bits());
    }

    #[test]
    fn nan_of_poison_is_poison() {
        let one = 1.0f64.to_bits();
        assert_eq!(real2(f64::NAN, one, POISON_REAL), POISON_REAL);
        assert_eq!(real2(f64::NAN, one, one), NAN);
        assert_eq!(real2(2.0, one, one), 2.0f64.to_bits());
    }
}
