//! Checked operators over integers of 8, 16 and 32 bits and without sign, and conversions to integer types.
//!
//! With checks a value of such a type is an `int64_t` as in the executor: the number, and of `uint64` the one with the same
//! bits. So there is a number beside those of the type that marks what was never set.

use super::{
    CONVERSION, DIVISION, FaultCode, OVERFLOW, balanced, expect_operands, operator_name, strict,
    type_suffix,
};
use crate::c::operators::{Code, Infix, Malformed, Pieces, c_type, code::literal_cell, sized_text};
use cfg_core::elemental::{self, Math, Scalar};
use cfg_core::flat::FlatType;
use cfg_core::ir::{AnyInt, Conversion, IntType, Op, ScalarType};

fn found(code: FaultCode) -> String {
    format!("return cfgrev_found(check, at, {code});")
}

/// A value, if a condition that says otherwise does not hold.
fn unless(condition: &str, value: &str) -> String {
    format!(
        "    if ({condition}) {{\n        {}\n    }}\n    return {value};\n",
        found(OVERFLOW)
    )
}

/// The number r, if the type has it.
fn if_it_fits(ty: IntType, r: &str) -> String {
    let (min, max) = (literal(ty.min()), literal(ty.max()));
    format!(
        "    {{\n        const int64_t r = {r};\n        if (r < {min} || r > {max}) {{\n            {}\n        }}\n        return r;\n    }}\n",
        found(OVERFLOW)
    )
}

/// A number of at most 64 bits.
fn literal(n: i128) -> String {
    if n > i64::MAX.into() {
        format!("UINT64_C({n})")
    } else if n == i64::MIN.into() {
        "INT64_MIN".to_owned()
    } else {
        format!("INT64_C({n})")
    }
}

/// The number with the lowest bits of an unsigned expression.
fn lowest(ty: AnyInt, e: &str) -> String {
    match ty {
        AnyInt::Integer | AnyInt::Sized(IntType::Uint64) => format!("(int64_t)({e})"),
        AnyInt::Sized(_) => format!("(int64_t)({})({e})", c_type::c_type(ty.into())),
    }
}

const ZERO: &str = "    if (y == 0) {\n        return cfgrev_found(check, at, 204);\n    }\n";

/// The statements with which an operator ends, its operands being set: what may go wrong, and the value.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other operators have no value of such a type"
)]
fn body(op: Op, ty: IntType) -> Option<(&'static [FaultCode], String)> {
    if ty == IntType::Uint64 {
        return body_of_uint64(op);
    }
    let bits = ty.bits();
    let wrap = |e: &str| {
        (
            &[] as &[FaultCode],
            format!("    return {};\n", lowest(ty.into(), e)),
        )
    };
    let plain = |e: &str| (&[] as &[FaultCode], format!("    return {e};\n"));
    let tested = |e: &str| (&[OVERFLOW] as &[FaultCode], if_it_fits(ty, e));
    // A product may take all bits but the sign, if there is none in the type.
    let product = if ty.is_signed() {
        tested("x * y")
    } else {
        let beyond = format!("(uint64_t)x * (uint64_t)y > UINT64_C({})", ty.max());
        (&[OVERFLOW] as &[FaultCode], unless(&beyond, "x * y"))
    };
    Some(match op {
        Op::Add => tested("x + y"),
        Op::Sub => tested("x - y"),
        Op::Mul => product,
        Op::Neg => tested("-x"),
        Op::Abs => tested("x < 0 ? -x : x"),
        Op::Div => (
            &[OVERFLOW, DIVISION],
            format!("{ZERO}{}", if_it_fits(ty, "x / y")),
        ),
        Op::Mod => (&[DIVISION], format!("{ZERO}    return x % y;\n")),
        Op::Modulo => (
            &[DIVISION],
            format!(
                "{ZERO}    {{\n        const int64_t r = x % y;\n        return r != 0 && (r < 0) != (y < 0) ? r + y : r;\n    }}\n"
            ),
        ),
        Op::Pow => (&[OVERFLOW, DIVISION], power(ty)),
        Op::Min => plain("x <= y ? x : y"),
        Op::Max => plain("x >= y ? x : y"),
        Op::Sign => tested("(x < 0) == (y < 0) ? x : -x"),
        Op::PosDiff => tested("x > y ? x - y : 0"),
        Op::WrapAdd => wrap("(uint64_t)x + (uint64_t)y"),
        Op::WrapSub => wrap("(uint64_t)x - (uint64_t)y"),
        Op::WrapMul => wrap("(uint64_t)x * (uint64_t)y"),
        Op::WrapNeg => wrap("0 - (uint64_t)x"),
        Op::BitAnd => plain("x & y"),
        Op::BitOr => plain("x | y"),
        Op::BitXor => plain("x ^ y"),
        Op::BitNot => wrap("~(uint64_t)x"),
        Op::Shl => (
            &[OVERFLOW],
            format!(
                "    if (y < 0 || y >= {bits}) {{\n        if (x != 0) {{\n            {}\n        }}\n        return 0;\n    }}\n{}",
                found(OVERFLOW),
                if_it_fits(ty, "x * (INT64_C(1) << y)")
            ),
        ),
        Op::WrapShl => wrap(&format!("y < 0 || y >= {bits} ? 0 : (uint64_t)x << y")),
        Op::Shr => plain(&format!(
            "x < 0 ? ~(y < 0 || y >= {bits} ? 0 : ~x >> y) : y < 0 || y >= {bits} ? 0 : x >> y"
        )),
        Op::LogicalShr => wrap(&format!(
            "y < 0 || y >= {bits} ? 0 : ((uint64_t)x & UINT64_C({})) >> y",
            (1u64 << bits) - 1
        )),
        _ => return None,
    })
}

/// [`body`] where the operands are bits of unsigned numbers.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other operators have no value of such a type"
)]
fn body_of_uint64(op: Op) -> Option<(&'static [FaultCode], String)> {
    const U: &str = "(uint64_t)x";
    const V: &str = "(uint64_t)y";
    let plain = |e: String| (&[] as &[FaultCode], format!("    return (int64_t)({e});\n"));
    let tested = |condition: &str, e: &str| {
        (
            &[OVERFLOW] as &[FaultCode],
            unless(condition, &format!("(int64_t)({e})")),
        )
    };
    let divided = |sign: &str| {
        (
            &[DIVISION] as &[FaultCode],
            format!("{ZERO}    return (int64_t)({U} {sign} {V});\n"),
        )
    };
    Some(match op {
        Op::Add => tested(&format!("{U} > UINT64_MAX - {V}"), &format!("{U} + {V}")),
        Op::Sub => tested(&format!("{U} < {V}"), &format!("{U} - {V}")),
        Op::Mul => tested(
            &format!("y != 0 && {U} > UINT64_MAX / {V}"),
            &format!("{U} * {V}"),
        ),
        Op::Neg => tested("x != 0", "0"),
        Op::Abs => plain("x".to_owned()),
        Op::Div => divided("/"),
        Op::Mod | Op::Modulo => divided("%"),
        Op::Pow => (
            &[OVERFLOW],
            format!(
                "    uint64_t power, left = {V};\n    if ({U} <= 1) {{\n        return y == 0 ? 1 : x;\n    }}\n    for (power = 1; left > 0; --left) {{\n        if (power > UINT64_MAX / {U}) {{\n            {}\n        }}\n        power *= {U};\n    }}\n    return (int64_t)power;\n",
                found(OVERFLOW)
            ),
        ),
        Op::Min => plain(format!("{U} <= {V} ? x : y")),
        Op::Max => plain(format!("{U} >= {V} ? x : y")),
        Op::Sign => (&[], "    (void)y;\n    return x;\n".to_owned()),
        Op::PosDiff => plain(format!("{U} > {V} ? {U} - {V} : 0")),
        Op::WrapAdd => plain(format!("{U} + {V}")),
        Op::WrapSub => plain(format!("{U} - {V}")),
        Op::WrapMul => plain(format!("{U} * {V}")),
        Op::WrapNeg => plain(format!("0 - {U}")),
        Op::BitAnd => plain("x & y".to_owned()),
        Op::BitOr => plain("x | y".to_owned()),
        Op::BitXor => plain("x ^ y".to_owned()),
        Op::BitNot => plain("~x".to_owned()),
        Op::Shl => tested(
            &format!("{V} < 64 ? {U} > UINT64_MAX >> y : x != 0"),
            &format!("{V} < 64 ? {U} << y : 0"),
        ),
        Op::WrapShl => plain(format!("{V} < 64 ? {U} << y : 0")),
        Op::Shr | Op::LogicalShr => plain(format!("{V} < 64 ? {U} >> y : 0")),
        _ => return None,
    })
}

/// A power where the type has at most 32 bits: each product fits into 64.
fn power(ty: IntType) -> String {
    let (min, max) = (literal(ty.min()), literal(ty.max()));
    let beyond = if ty.is_signed() {
        format!("power * x < {min} || power * x > {max}")
    } else {
        format!("power > {max} / x")
    };
    format!(
        "    int64_t power;\n    if (x == 0 && y < 0) {{\n        {}\n    }}\n    if (x == 0 || x == 1) {{\n        return y == 0 ? 1 : x;\n    }}\n    if (x == -1) {{\n        return y % 2 == 0 ? 1 : -1;\n    }}\n    if (y < 0) {{\n        return 0;\n    }}\n    for (power = 1; y > 0; --y) {{\n        if ({beyond}) {{\n            {}\n        }}\n        power *= x;\n    }}\n    return power;\n",
        found(DIVISION),
        found(OVERFLOW)
    )
}

/// The value of an operator over constants, if it has one.
fn constant(op: Op, ty: IntType, operands: &[Code]) -> Option<Code> {
    let scalars: Option<Vec<Scalar>> = operands
        .iter()
        .map(|x| x.cell().map(|cell| Scalar::Sized(ty, cell)))
        .collect();
    match elemental::apply(op, &scalars?, Math::Native) {
        Ok(Scalar::Sized(ty, cell)) => Some(literal_cell(ty, cell)),
        Ok(Scalar::Real(_) | Scalar::Real32(_) | Scalar::Integer(_) | Scalar::Logical(_))
        | Err(_) => None,
    }
}

/// The C of an operator over integers of this type.
pub(super) fn sized(
    op: Op,
    ty: IntType,
    operands: Vec<Code>,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    if operands.len() == 1 && matches!(op, Op::Min | Op::Max) {
        let [x] = expect_operands(op, operands)?;
        return Ok(x);
    }
    let (codes, then) = body(op, ty).ok_or(Malformed(op))?;
    let name = format!("cfgrev_checked_{}_{}", sized_text::name(op), ty.name());
    let of = ScalarType::Sized(ty);
    // A declaration stands before the test of operands.
    let then = match then.split_once(";\n") {
        Some((declaration, rest)) if matches!(op, Op::Pow) => (format!("{declaration};\n"), rest),
        _ => (String::new(), then.as_str()),
    };
    let count = operands.len().min(2);
    let mut call = |operands: Vec<Code>| match constant(op, ty, &operands) {
        Some(code) => code,
        None => super::strict_with(
            &name,
            of,
            &[of; 2][..count],
            codes,
            (&then.0, then.1),
            operands,
            pieces,
        ),
    };
    if count == 1 {
        return Ok(call(operands));
    }
    balanced(op, operands, |x, y| call(vec![x, y]))
}

/// A comparison of numbers without sign.
pub(super) fn compare_uint64(operator: Infix, operands: [Code; 2], pieces: &mut Pieces) -> Code {
    let ty = ScalarType::Sized(IntType::Uint64);
    let name = format!("cfgrev_{}_uint64", operator_name(operator));
    let [x, y] = ["x", "y"].map(|name| Code::name(name, ty).cast("uint64_t", ty));
    let then = format!("    return {};\n", x.is(operator, y));
    strict(
        &name,
        ScalarType::Logical,
        &[ty; 2],
        &[],
        &then,
        operands,
        pieces,
    )
}

/// The statements of a conversion, its operand being set.
fn conversion_body(
    how: Conversion,
    to: AnyInt,
    from: ScalarType,
) -> (&'static [FaultCode], String) {
    let (least, greatest) = (literal(to.min()), literal(to.max()));
    let is_uint64 = to == AnyInt::Sized(IntType::Uint64);
    if let Some(from) = from.any_int() {
        let above = match from {
            AnyInt::Sized(IntType::Uint64) => format!("(uint64_t)x > UINT64_C({})", to.max()),
            AnyInt::Integer | AnyInt::Sized(_) => format!("x > {greatest}"),
        };
        if how == Conversion::Wrap {
            return (&[], format!("    return {};\n", lowest(to, "(uint64_t)x")));
        }
        let above = (from.max() > to.max()).then_some(above);
        let below = (from.min() < to.min()).then(|| format!("x < {least}"));
        if how == Conversion::Saturate {
            let above = above.map_or(String::new(), |test| format!("{test} ? {greatest} : "));
            let below = below.map_or(String::new(), |test| format!("{test} ? {least} : "));
            return (&[], format!("    return {below}{above}x;\n"));
        }
        let tests: Vec<String> = below.into_iter().chain(above).collect();
        if tests.is_empty() {
            return (&[], "    return x;\n".to_owned());
        }
        return (&[OVERFLOW], unless(&tests.join(" || "), "x"));
    }
    if from == ScalarType::Logical {
        return (&[], "    return x;\n".to_owned());
    }
    let value = if is_uint64 {
        "(int64_t)(uint64_t)x"
    } else {
        "(int64_t)x"
    };
    // The first whole number above, which a real of 64 bits has as of all smaller types the first one below.
    let beyond = format!("{}.0", to.max() + 1);
    if how == Conversion::Saturate {
        let greatest = if is_uint64 { "-1" } else { &greatest };
        return (
            &[],
            format!(
                "    return x != x ? 0 : (double)x < {}.0 ? {least} : (double)x >= {beyond} ? {greatest} : {value};\n",
                to.min()
            ),
        );
    }
    let below = match to {
        AnyInt::Integer => format!("(double)x >= {}.0", to.min()),
        AnyInt::Sized(_) => format!("(double)x > {}.0", to.min() - 1),
    };
    (
        &[CONVERSION],
        format!(
            "    if (!({below} && (double)x < {beyond})) {{\n        {}\n    }}\n    return {value};\n",
            found(CONVERSION)
        ),
    )
}

/// A conversion to an integer type.
pub(super) fn convert_to(how: Conversion, to: AnyInt, x: Code, pieces: &mut Pieces) -> Code {
    let from = x.ty;
    let cell = match FlatType::view(from) {
        FlatType::Integer => x.integer().map(Scalar::Integer),
        FlatType::Sized(ty) => x.cell().map(|cell| Scalar::Sized(ty, cell)),
        FlatType::Real | FlatType::Real32 | FlatType::Logical | FlatType::Tape => None,
    };
    let constant = cell.map(|x| elemental::apply(Op::Convert(how, to), &[x], Math::Native));
    match constant {
        Some(Ok(Scalar::Sized(ty, cell))) => return literal_cell(ty, cell),
        Some(Ok(Scalar::Integer(n))) => return super::super::literal_integer(n),
        Some(Ok(Scalar::Real(_) | Scalar::Real32(_) | Scalar::Logical(_)) | Err(_)) | None => {}
    }
    let (codes, then) = conversion_body(how, to, from);
    let from_name = match FlatType::view(from) {
        FlatType::Sized(ty) => ty.name(),
        FlatType::Integer
        | FlatType::Real
        | FlatType::Real32
        | FlatType::Logical
        | FlatType::Tape => type_suffix(from),
    };
    let name = format!("cfgrev_checked_{}_{}_of_{from_name}", how.name(), to.name());
    strict(&name, to.into(), &[from], codes, &then, [x], pieces)
}

/// The number from a tape, if the type has it.
pub(crate) fn fit(ty: IntType, x: Code, pieces: &mut Pieces) -> Code {
    let of = ScalarType::Sized(ty);
    if ty == IntType::Uint64 {
        return x.typed(of);
    }
    let (min, max) = (literal(ty.min()), literal(ty.max()));
    let then = unless(&format!("x < {min} || x > {max}"), "x");
    let name = format!("cfgrev_fit_{}", ty.name());
    strict(&name, of, &[of], &[OVERFLOW], &then, [x], pieces)
}
