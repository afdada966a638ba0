//! Operators over the 64 bits of integers in C: arithmetic modulo 2^64, computed in unsigned so that nothing is undefined,
//! operations on bits, and shifts, whose counts are read as unsigned numbers.

use cfg_core::ir::Op;

/// The name of the operator in the names of functions.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other operators have names that are identifiers"
)]
pub(super) fn name(op: Op) -> &'static str {
    match op {
        Op::WrapAdd => "wrap_add",
        Op::WrapSub => "wrap_sub",
        Op::WrapNeg => "wrap_neg",
        Op::WrapMul => "wrap_mul",
        Op::Shl => "shift_left",
        Op::WrapShl => "wrap_shift_left",
        Op::Shr => "shift_right",
        Op::LogicalShr => "logical_shift_right",
        other => other.name(),
    }
}

/// The value over `int64_t` x and y, where there is one; `None` of operators of another kind.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators of other kinds are none of these"
)]
pub(super) fn value(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::WrapAdd => "(int64_t)((uint64_t)x + (uint64_t)y)",
        Op::WrapSub => "(int64_t)((uint64_t)x - (uint64_t)y)",
        Op::WrapNeg => "(int64_t)(0 - (uint64_t)x)",
        Op::WrapMul => "(int64_t)((uint64_t)x * (uint64_t)y)",
        Op::BitAnd => "x & y",
        Op::BitOr => "x | y",
        Op::BitXor => "x ^ y",
        Op::BitNot => "~x",
        Op::Shl | Op::WrapShl => "(uint64_t)y < 64 ? (int64_t)((uint64_t)x << y) : 0",
        // A negative number is shifted through its complement: C leaves what `>>` does to it to the compiler.
        Op::Shr => "x < 0 ? ~((uint64_t)y < 64 ? ~x >> y : 0) : (uint64_t)y < 64 ? x >> y : 0",
        Op::LogicalShr => "(uint64_t)y < 64 ? (int64_t)((uint64_t)x >> y) : 0",
        _ => return None,
    })
}

/// The condition under which the checked shift to the left does not fit: what is lost, or changes the sign, does not
/// come back.
pub(super) const SHIFT_OVERFLOWS: &str =
    "(uint64_t)y < 64 ? (x < 0 ? ~x : x) > INT64_MAX >> y : x != 0";

/// The function of that name.
pub(super) fn function(name: &str, op: Op) -> String {
    let operands = if matches!(op, Op::WrapNeg | Op::BitNot) {
        "int64_t x"
    } else {
        "int64_t x, int64_t y"
    };
    let value = value(op).unwrap_or("x");
    format!("static inline int64_t {name}({operands}) {{\n    return {value};\n}}\n")
}
