//! Integers of 8, 16 and 32 bits and without sign in C: each operator is a function of its own, whose parameters have
//! the type, so that C's promotions to `int` change no result. What wraps is computed in unsigned numbers.

use super::c_type::c_type;
use super::code::{Code, literal_sized};
use super::{Infix, Malformed, Node, Piece, Pieces, Prefix, call, expect_operands, folded};
use cfg_core::elemental::{self, Math, Scalar};
use cfg_core::flat::FlatType;
use cfg_core::ir::{Conversion, IntType, Op, ScalarType};

/// The C of an operator over integers of a type other than `integer`, or of a conversion to an integer type that is
/// named in files; gives the operands back where it is neither.
pub(super) fn apply(
    op: Op,
    operands: Vec<Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Result<Result<Code, Vec<Code>>, Malformed> {
    if let Some((how, to)) = op.typed_conversion() {
        let [x] = expect_operands(op, operands)?;
        let constant = x
            .integer()
            .map(|n| elemental::apply(op, &[Scalar::Integer(n)], Math::Native));
        if let Some(Ok(Scalar::Sized(ty, cell))) = constant {
            return Ok(Ok(literal_sized(ty, cell)));
        }
        // A value that does not fit is undefined, as in C.
        if how == Conversion::To && !x.is_number() {
            return Ok(Ok(x.cast(c_type(to.into()), ty)));
        }
        let from = match FlatType::view(x.ty) {
            FlatType::Real | FlatType::Real32 => ScalarType::Real,
            FlatType::Integer | FlatType::Logical | FlatType::Sized(_) | FlatType::Tape => x.ty,
        };
        pieces.include("stdint.h");
        return Ok(Ok(call(Piece::Convert(how, to, from), [x], ty, pieces)));
    }
    if let ScalarType::Sized(of) = ty
        && op != Op::If
    {
        if let (Op::Neg, true, [x]) = (op, of == IntType::Int32, &*operands)
            && !x.is_number()
        {
            let [x] = expect_operands(op, operands)?;
            return Ok(Ok(x.prefix(Prefix::Minus)));
        }
        let piece = Piece::Sized(op, of);
        if operands.len() == 1 {
            // The smallest of one is itself.
            if matches!(op, Op::Min | Op::Max) {
                let [x] = expect_operands(op, operands)?;
                return Ok(Ok(x));
            }
            return Ok(Ok(call(piece, operands, ty, pieces)));
        }
        return folded(op, operands, |x, y| match native(op, of, &x, &y) {
            Some(operator) => x.infix(operator, y, ty),
            None => call(piece, [x, y], ty, pieces),
        })
        .map(Ok);
    }
    let sized = operands
        .iter()
        .any(|c| matches!(c.ty, ScalarType::Sized(_)));
    let order = matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge);
    // Compilers warn of comparisons with the ends of a type, which always hold or never.
    // Nor of comparisons of what is 0 or 1.
    let may_be_logical = |code: &Code| {
        let is_plain = |node: &Node| {
            let is_operand = matches!(node, Node::Name(_) | Node::Integer(_) | Node::Element);
            is_operand || matches!(node, Node::Infix(Infix::Add | Infix::Sub | Infix::Mul))
        };
        !code.nodes().iter().all(is_plain)
    };
    let is_end = |code: &Code| match (code.ty.any_int(), code.whole()) {
        (Some(ty), Some(n)) => [ty.min(), ty.max()].contains(&i128::from(n)),
        _ => code.is_number() || operands.iter().any(Code::is_number) && may_be_logical(code),
    };
    if sized && order && operands.iter().any(is_end) {
        let [x, y] = expect_operands(op, operands)?;
        let ScalarType::Sized(of) = x.ty else {
            return Err(Malformed(op));
        };
        let ty = ScalarType::Logical;
        return Ok(Ok(call(Piece::Sized(op, of), [x, y], ty, pieces)));
    }
    Ok(Err(operands))
}

/// C's own operator where that has the same value: its operands are not promoted, and a result that does not fit is
/// undefined in the program, too, or reduced as C does. Constants are left to functions, since compilers complain of
/// results that do not fit even where nothing evaluates them.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other operators have functions"
)]
fn native(op: Op, of: IntType, x: &Code, y: &Code) -> Option<Infix> {
    let signed = of == IntType::Int32;
    let unsigned = matches!(of, IntType::Uint32 | IntType::Uint64);
    let one_is_computed = !(x.is_number() && y.is_number());
    let operator = match op {
        Op::Add | Op::WrapAdd => Infix::Add,
        Op::Sub | Op::WrapSub => Infix::Sub,
        Op::Mul | Op::WrapMul => Infix::Mul,
        Op::Div | Op::Mod if y.whole().is_some_and(|n| n > 0) => {
            if op == Op::Div {
                Infix::Div
            } else {
                Infix::Rem
            }
        }
        _ => return None,
    };
    let wraps = matches!(op, Op::WrapAdd | Op::WrapSub | Op::WrapMul);
    (one_is_computed && (signed && !wraps || unsigned)).then_some(operator)
}
