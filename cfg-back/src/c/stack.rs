//! The stack of the machine: what lies on it, and what that takes.

use cfg_core::{flat::FlatType, ir::ScalarType};

/// The largest local array that lies on the stack of the machine, in bytes.
pub(super) const LARGEST_ON_STACK: i64 = 4096;

/// The bytes of a scalar.
pub(super) fn bytes(ty: ScalarType, checks: bool) -> i64 {
    match FlatType::view(ty) {
        FlatType::Real | FlatType::Integer => 8,
        FlatType::Real32 => 4,
        FlatType::Sized(_) if checks => 8,
        FlatType::Sized(ty) => i64::from(ty.bits() / 8),
        FlatType::Logical => 1,
        FlatType::Tape => 0,
    }
}
