//! Instructions of integers and of conversions that are functions of cells alone, and not worth a way of their own in
//! machine code.

use cfg_core::{elemental::integer, ir::Op};

use super::slow_path::{converted, converted_real, fits, integer_result, sized, trips, unmarked};
use crate::{
    cell::{POISON_INT_CELL, POISON_LOGICAL, POISON_REAL},
    code::Instr,
    fault::Fault,
};

/// An operator of one integer.
#[inline(always)]
pub(super) fn int1(op: Op, x: u64) -> Result<u64, Box<Fault>> {
    match integer::unary(op).map(|f| f(x as i64)) {
        Some(Ok(y)) if x != POISON_INT_CELL => unmarked(y),
        result => integer_result(x, 0, op, result.and_then(Result::err)),
    }
}

/// An operator of two integers.
#[inline(always)]
pub(super) fn int2(op: Op, x: u64, y: u64) -> Result<u64, Box<Fault>> {
    match integer::binary(op).map(|f| f(x as i64, y as i64)) {
        Some(Ok(z)) if x != POISON_INT_CELL && y != POISON_INT_CELL => unmarked(z),
        result => integer_result(x, y, op, result.and_then(Result::err)),
    }
}

/// The whole part of a real.
#[inline(always)]
pub(super) fn real_to_int(a: u64) -> Result<u64, Box<Fault>> {
    let x = f64::from_bits(a);
    match integer::from_real(x) {
        Ok(n) => Ok(n as u64),
        Err(_) if a == POISON_REAL => Ok(POISON_INT_CELL),
        Err(_) => Err(Box::new(Fault::Conversion(x, "integer"))),
    }
}

/// An integer as a real, by the rounding of its type.
#[inline(always)]
pub(super) fn to_real(n: u64, rounded: impl FnOnce(u64) -> f64) -> u64 {
    match n {
        POISON_INT_CELL => POISON_REAL,
        n => rounded(n).to_bits(),
    }
}

/// A number as a logical, which is uninitialised if the number is.
#[inline(always)]
pub(super) fn to_logical(a: u64, poison: u64, is_true: bool) -> u64 {
    if a == poison {
        POISON_LOGICAL
    } else {
        u64::from(is_true)
    }
}

/// The value of an instruction that depends on nothing but its operands, cells in the order `a b c` (`d` for
/// [`Instr::Fit`]); for [`Instr::LoopInit`] that of [`Instr::Trips`]. `None` if it fails, and of instructions of other
/// kinds.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other instructions have no value of their own, or are quick"
)]
pub fn pure(instr: Instr, [a, b, c]: [u64; 3]) -> Option<u64> {
    let value = match instr {
        Instr::Int1 { op, .. } => int1(op, a),
        Instr::Int2 { op, .. } => int2(op, a, b),
        Instr::Sized1 { op, ty, .. } => sized(op, ty, a, None),
        Instr::Sized2 { op, ty, .. } => sized(op, ty, a, Some(b)),
        Instr::Fit { ty, .. } => fits(ty, a).map(|()| a),
        Instr::IntToInt { how, to, from, .. } => converted(how, to, from, a),
        Instr::RealToAnyInt { how, to, .. } => converted_real(how, to, a),
        Instr::UintToReal { .. } => Ok(to_real(a, |n| n as f64)),
        Instr::UintToReal32 { .. } => Ok(to_real(a, |n| f64::from(n as f32))),
        Instr::IntToReal32 { .. } => Ok(to_real(a, |n| f64::from(n as i64 as f32))),
        Instr::RealToInt { .. } => real_to_int(a),
        Instr::RealToLogical { .. } => Ok(to_logical(a, POISON_REAL, f64::from_bits(a) != 0.0)),
        Instr::Trips { .. } | Instr::LoopInit { .. } => trips(a, b, c),
        _ => return None,
    };
    value.ok()
}
