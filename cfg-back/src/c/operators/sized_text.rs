//! The functions over integers of 8, 16 and 32 bits and without sign, and of conversions to integer types, as text.

use super::c_type::c_type;
use super::word;
use cfg_core::ir::{AnyInt, Conversion, IntType, Op, ScalarType};

/// The name of the operator in the names of functions.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other operators have names that are identifiers"
)]
pub(super) fn name(op: Op) -> &'static str {
    match op {
        Op::Add => "add",
        Op::Sub => "sub",
        Op::Mul => "mul",
        Op::Div => "div",
        Op::Pow => "pow",
        Op::Lt => "lt",
        Op::Le => "le",
        Op::Gt => "gt",
        Op::Ge => "ge",
        other => word::name(other),
    }
}

/// The smallest and the largest number as C has them.
fn bounds(ty: IntType) -> (String, String) {
    let prefix = if ty.is_signed() { "INT" } else { "UINT" };
    let bits = ty.bits();
    let least = if ty.is_signed() {
        format!("{prefix}{bits}_MIN")
    } else {
        "0".to_owned()
    };
    (least, format!("{prefix}{bits}_MAX"))
}

/// The function of an operator.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators of other kinds are none of these"
)]
pub(super) fn function(name: &str, op: Op, ty: IntType) -> String {
    let c = c_type(ScalarType::Sized(ty));
    let bits = ty.bits();
    let signed = ty.is_signed();
    // Arithmetic without sign, in a type that is not promoted to `int`.
    let wide = if bits > 32 { "uint64_t" } else { "uint32_t" };
    let unsigned = format!("uint{bits}_t");
    let wrap = |e: &str| format!("    return ({c})({e});\n");
    let w = |x: &str| format!("({wide}){x}");
    let beyond = if signed {
        format!("y < 0 || y >= {bits}")
    } else {
        format!("y >= {bits}")
    };
    let body = match op {
        Op::Add if signed => wrap("x + y"),
        Op::Sub if signed => wrap("x - y"),
        Op::Mul if signed => wrap("x * y"),
        Op::Neg if signed => wrap("-x"),
        Op::Add | Op::WrapAdd => wrap(&format!("{} + {}", w("x"), w("y"))),
        Op::Sub | Op::WrapSub => wrap(&format!("{} - {}", w("x"), w("y"))),
        Op::Mul | Op::WrapMul => wrap(&format!("{} * {}", w("x"), w("y"))),
        Op::Neg | Op::WrapNeg => wrap(&format!("0 - {}", w("x"))),
        Op::Abs if signed => wrap("x < 0 ? -x : x"),
        Op::Div => wrap("x / y"),
        // The least number has no quotient by -1, but a remainder.
        Op::Mod if signed => wrap("y == -1 ? 0 : x % y"),
        Op::Modulo if signed => format!(
            "    {c} r = ({c})(y == -1 ? 0 : x % y);\n    return ({c})(r != 0 && (r < 0) != (y < 0) ? r + y : r);\n"
        ),
        Op::Mod | Op::Modulo => wrap("x % y"),
        Op::Min => wrap("x <= y ? x : y"),
        Op::Max => wrap("x >= y ? x : y"),
        Op::Sign if signed => wrap("(x < 0) == (y < 0) ? x : -x"),
        Op::Abs => wrap("x"),
        Op::Sign => format!("    (void)y;\n{}", wrap("x")),
        Op::PosDiff => wrap("x > y ? x - y : 0"),
        Op::Pow => {
            let negative = if signed {
                "    if (y < 0) {\n        return x == 1 || (x == -1 && y % 2 == 0) ? 1 : x == -1 ? -1 : 0;\n    }\n"
            } else {
                ""
            };
            format!(
                "    uint64_t base = (uint64_t)x, power = 1;\n{negative}    while (y) {{\n        if (y & 1) {{\n            power *= base;\n        }}\n        base *= base;\n        y = ({c})(y >> 1);\n    }}\n    return ({c})power;\n"
            )
        }
        Op::BitAnd => wrap("x & y"),
        Op::BitOr => wrap("x | y"),
        Op::BitXor => wrap("x ^ y"),
        Op::BitNot => wrap("~x"),
        Op::Shl | Op::WrapShl => wrap(&format!("{beyond} ? 0 : {} << y", w("x"))),
        Op::Shr if signed => wrap(&format!(
            "x < 0 ? ~({beyond} ? 0 : ~x >> y) : {beyond} ? 0 : x >> y",
            beyond = format_args!("({beyond})")
        )),
        Op::Shr | Op::LogicalShr => wrap(&format!("{beyond} ? 0 : ({unsigned})x >> y")),
        Op::Lt => "    return x < y;\n".to_owned(),
        Op::Le => "    return x <= y;\n".to_owned(),
        Op::Gt => "    return x > y;\n".to_owned(),
        Op::Ge => "    return x >= y;\n".to_owned(),
        _ => wrap("x"),
    };
    let result = if matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge) {
        "bool"
    } else {
        c
    };
    let operands = if matches!(op, Op::Neg | Op::WrapNeg | Op::Abs | Op::BitNot) {
        format!("{c} x")
    } else {
        format!("{c} x, {c} y")
    };
    format!("static inline {result} {name}({operands}) {{\n{body}}}\n")
}

/// The function of a conversion from a type; reals are `double`.
pub(super) fn conversion(name: &str, how: Conversion, to: AnyInt, from: ScalarType) -> String {
    let c = c_type(to.into());
    let (least, greatest) = match to {
        AnyInt::Sized(ty) => bounds(ty),
        AnyInt::Integer => ("INT64_MIN".to_owned(), "INT64_MAX".to_owned()),
    };
    let value = match (how, from.any_int()) {
        (Conversion::Wrap, Some(_)) => format!("({c})(uint64_t)x"),
        (Conversion::Saturate, Some(from)) => {
            // What no value of the type of x passes is not compared.
            let above = if from.max() > to.max() {
                format!("x > {greatest} ? {greatest} : ")
            } else {
                String::new()
            };
            let below = if from.min() < to.min() {
                format!("x < {least} ? {least} : ")
            } else {
                String::new()
            };
            format!("{below}{above}({c})x")
        }
        (Conversion::Saturate, None) if from != ScalarType::Logical => {
            format!(
                "x != x ? 0 : x <= (double){least} ? {least} : x >= (double){greatest} ? {greatest} : ({c})x"
            )
        }
        (Conversion::To | Conversion::Wrap | Conversion::Saturate, _) => format!("({c})x"),
    };
    let x = if from == ScalarType::Real {
        "double"
    } else {
        c_type(from)
    };
    format!("static inline {c} {name}({x} x) {{\n    return {value};\n}}\n")
}
