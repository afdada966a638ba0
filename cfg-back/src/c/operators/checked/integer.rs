//! Checked operators over integers.

use super::{
    DIVISION, FaultCode, Function, OVERFLOW, STEP, balanced, convert, operator_name, rounded,
    spreading, strict, type_suffix,
};
use crate::c::operators::word;
use crate::c::operators::{
    Code, Malformed, Piece, Pieces, expect_operands, literal_integer, of_library,
};
use cfg_core::ir::{Op, ScalarType};

/// The statements with which an integer operator ends, its operands being set: what may go wrong, and the value.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other operators have no integer value"
)]
fn integer_body(op: Op) -> Option<(&'static [FaultCode], String)> {
    let fault = |code: FaultCode| format!("return cfgrev_found(check, at, {code});");
    let overflow = fault(OVERFLOW);
    let when = |condition: &str, value: &str| {
        format!("    if ({condition}) {{\n        {overflow}\n    }}\n    return {value};\n")
    };
    let zero = format!("    if (y == 0) {{\n        {}\n    }}\n", fault(DIVISION));
    Some(match op {
        Op::Add => (
            &[OVERFLOW],
            when("y > 0 ? x > INT64_MAX - y : x < INT64_MIN - y", "x + y"),
        ),
        Op::Sub => (
            &[OVERFLOW],
            when("y > 0 ? x < INT64_MIN + y : x > INT64_MAX + y", "x - y"),
        ),
        Op::Mul => (
            &[OVERFLOW],
            when(
                "x > 0 ? (y > 0 ? x > INT64_MAX / y : y < INT64_MIN / x)\n              : x != 0 && (y > 0 ? x < INT64_MIN / y : y < INT64_MAX / x)",
                "x * y",
            ),
        ),
        Op::Div => (
            &[OVERFLOW, DIVISION],
            zero + &when("x == INT64_MIN && y == -1", "x / y"),
        ),
        Op::Mod => (&[DIVISION], zero + "    return y == -1 ? 0 : x % y;\n"),
        Op::Modulo => (
            &[DIVISION],
            zero + "    {\n        int64_t r = y == -1 ? 0 : x % y;\n        return r != 0 && (r < 0) != (y < 0) ? r + y : r;\n    }\n",
        ),
        Op::Sign => (
            &[OVERFLOW],
            when(
                "(x < 0) != (y < 0) && x == INT64_MIN",
                "(x < 0) == (y < 0) ? x : -x",
            ),
        ),
        Op::PosDiff => (
            &[OVERFLOW],
            when("x > y && y < 0 && x > INT64_MAX + y", "x <= y ? 0 : x - y"),
        ),
        Op::Min => (&[], "    return x <= y ? x : y;\n".to_owned()),
        Op::Max => (&[], "    return x >= y ? x : y;\n".to_owned()),
        Op::Neg => (&[OVERFLOW], when("x == INT64_MIN", "-x")),
        Op::Abs => (&[OVERFLOW], when("x == INT64_MIN", "x < 0 ? -x : x")),
        Op::Shl => (&[OVERFLOW], when(word::SHIFT_OVERFLOWS, word::value(op)?)),
        _ => (&[], format!("    return {};\n", word::value(op)?)),
    })
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other operators have names that are identifiers"
)]
pub(super) fn integer(op: Op, operands: Vec<Code>, pieces: &mut Pieces) -> Result<Code, Malformed> {
    let (codes, then) = integer_body(op).ok_or(Malformed(op))?;
    let name = match super::super::form_of(op) {
        super::super::Form::Infix(operator) => operator_name(operator),
        _ => word::name(op),
    };
    let name = format!("cfgrev_{name}_integer");
    let constant = |operands: &[Code]| match super::super::constant(op, operands) {
        Some(Ok(n)) => Some(literal_integer(n)),
        Some(Err(())) | None => None,
    };
    let ty = ScalarType::Integer;
    if matches!(op, Op::Neg | Op::Abs | Op::WrapNeg | Op::BitNot) {
        let operands = expect_operands::<1>(op, operands)?;
        return Ok(constant(&operands)
            .unwrap_or_else(|| strict(&name, ty, &[ty], codes, &then, operands, pieces)));
    }
    balanced(op, operands, |x, y| {
        let pair = [x, y];
        constant(&pair).unwrap_or_else(|| strict(&name, ty, &[ty; 2], codes, &then, pair, pieces))
    })
}

/// The trip count.
pub(crate) fn trip_count(range: [Code; 3], pieces: &mut Pieces) -> Code {
    let ty = ScalarType::Integer;
    let then = format!(
        "    uint64_t count;\n    if (z == 0) {{\n        return cfgrev_found(check, at, {STEP});\n    }}\n    if (z > 0 ? x > y : x < y) {{\n        return 0;\n    }}\n    count = z > 0 ? ((uint64_t)y - (uint64_t)x) / (uint64_t)z : ((uint64_t)x - (uint64_t)y) / (0 - (uint64_t)z);\n    if (count >= (uint64_t)INT64_MAX) {{\n        return cfgrev_found(check, at, {OVERFLOW});\n    }}\n    return (int64_t)count + 1;\n"
    );
    let body = format!(
        "    uint64_t count;\n{}",
        spreading(
            &[ty; 3],
            ty,
            then.trim_start_matches("    uint64_t count;\n")
        )
    );
    let codes: &[FaultCode] = match range[2].integer() {
        Some(n) if n != 0 => &[OVERFLOW],
        Some(_) | None => &[OVERFLOW, STEP],
    };
    let function = Function {
        name: "cfgrev_trips_integer",
        result: ty,
        operands: &[ty; 3],
        codes,
        body,
    };
    function.call(range, pieces)
}

pub(super) fn power(
    operands: Vec<Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    use ScalarType::Integer;
    let [x, y] = expect_operands(Op::Pow, operands)?;
    if y.ty != Integer {
        let operands = [convert(x, ty, pieces), convert(y, ty, pieces)];
        let name = format!("cfgrev_pow_{}", type_suffix(ty));
        let then = format!("    return {}(x, y);\n", of_library("pow", ty));
        return Ok(strict(&name, ty, &[ty; 2], &[], &then, operands, pieces));
    }
    if ty != Integer {
        pieces.require(Piece::AnyPower);
        let name = format!("cfgrev_powi_{}", type_suffix(ty));
        let then = format!("    return {};\n", rounded("cfgrev_powi", ty, "x, y"));
        return Ok(strict(
            &name,
            ty,
            &[ty, Integer],
            &[],
            &then,
            [x, y],
            pieces,
        ));
    }
    if let Some(Ok(n)) = super::super::constant(Op::Pow, &[x.clone(), y.clone()]) {
        return Ok(literal_integer(n));
    }
    // The products are checked under the number of the power.
    let times = integer_body(Op::Mul);
    if let Some((codes, then)) = times {
        pieces.define("cfgrev_mul_integer", || {
            let function = Function {
                name: "cfgrev_mul_integer",
                result: Integer,
                operands: &[Integer; 2],
                codes,
                body: spreading(&[Integer; 2], Integer, &then),
            };
            format!("{}{}}}\n", function.head(), function.body)
        });
    }
    let then = format!(
        "    if (x == 0 && y < 0) {{\n        return cfgrev_found(check, at, {DIVISION});\n    }}\n    if (x == 0 || x == 1) {{\n        return y == 0 ? 1 : x;\n    }}\n    if (x == -1) {{\n        return y % 2 == 0 ? 1 : -1;\n    }}\n    if (y < 0) {{\n        return 0;\n    }}\n    for (power = 1; y > 0; y /= 2) {{\n        if (y % 2 == 1) {{\n            power = cfgrev_mul_integer(check, at, power, x);\n        }}\n        if (y > 1) {{\n            x = cfgrev_mul_integer(check, at, x, x);\n        }}\n    }}\n    return power;\n"
    );
    let body = format!(
        "    int64_t power;\n{}",
        spreading(&[Integer; 2], Integer, &then)
    );
    let function = Function {
        // It stands behind the product.
        name: "cfgrev_pow_integer",
        result: Integer,
        operands: &[Integer; 2],
        codes: &[OVERFLOW, DIVISION],
        body,
    };
    Ok(function.call([x, y], pieces))
}
