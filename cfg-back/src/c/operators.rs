//! The scalar operators in C. Each has the value that the executor gives, bit for bit, where the compiler keeps to
//! the standard (no contraction, no fast mathematics): C's own operator or library function where that is
//! the same, a helper function elsewhere.

pub(crate) mod c_type;
pub(crate) mod checked;
mod code;
mod conversion;
pub(crate) mod node;
mod noting;
mod pieces;
pub(crate) mod precedence;
mod sized;
mod sized_text;
mod word;

pub(crate) use code::{
    Code, literal_cell, literal_constant, literal_integer, literal_logical, literal_real,
    literal_real32, literal_sized,
};
pub(crate) use node::{Infix, Name, Node, Prefix};
pub(crate) use pieces::{Number, Piece, Pieces};

use cfg_core::elemental::{self, Math, Scalar};
use cfg_core::flat::FlatType;
use cfg_core::ir::{IntType, Op, OpClass, ScalarType};
use cfg_core::typing::{self, Type};
use precedence::{BITS, POSTFIX};
use std::collections::HashSet;

/// The operands of an operator are not what it takes: a program that was not validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` does not apply to operands of these types", .0.name())]
pub(crate) struct Malformed(pub(crate) Op);

/// How an operator is written.
enum Form {
    /// Between its operands, which are converted to one type.
    Infix(Infix),
    /// As `&`, `|` or `^` between integers.
    Bits(Infix),
    /// As a helper function of one or two integers that the operator names, nested for more.
    Words,
    /// As a comparison.
    Comparison(Infix),
    /// As `&&` or `||`.
    Lazy(Infix),
    /// As a function of C's library, for `double` or for `float`.
    Library(&'static str),
    /// As the function over `double` whose text is in the table.
    Own,
    /// As a helper function of two operands, nested for more.
    Helper(fn(Number) -> Piece),
    /// As a conversion to this type.
    Conversion(ScalarType),
    /// In a way of its own.
    Special(Special),
    /// As an operator that is repeated over the elements of an array, from this value on.
    Reduction(Op, Start),
    /// Not over scalars.
    None,
}

/// The value as one of another type: the implicit promotion in mixed operations and assignments, and
/// the explicit conversions. A real must be in the range of integers to become one.
pub(crate) fn convert(code: Code, to: ScalarType, pieces: &mut Pieces) -> Code {
    if pieces.is_checked() {
        return checked::convert(code, to, pieces);
    }
    conversion::convert_unchecked(code, to, pieces)
}

/// The operators that are written in a way of their own.
enum Special {
    Neg,
    BitNot,
    Not,
    Pow,
    Abs,
    Mod,
    Polygamma,
    If,
    Trips,
}

/// The values that reductions begin with.
enum Start {
    Number(i8),
    Least,
    Greatest,
    Logical(bool),
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "of functions the table says how they are written"
)]
fn form_of(op: Op) -> Form {
    match op {
        Op::Add => Form::Infix(Infix::Add),
        Op::Sub => Form::Infix(Infix::Sub),
        Op::Mul => Form::Infix(Infix::Mul),
        Op::Div => Form::Infix(Infix::Div),
        Op::BitAnd => Form::Bits(Infix::BitAnd),
        Op::BitOr => Form::Bits(Infix::BitOr),
        Op::BitXor => Form::Bits(Infix::BitXor),
        Op::BitNot => Form::Special(Special::BitNot),
        Op::WrapAdd
        | Op::WrapSub
        | Op::WrapNeg
        | Op::WrapMul
        | Op::Shl
        | Op::WrapShl
        | Op::Shr
        | Op::LogicalShr => Form::Words,
        Op::StrongMul => Form::Helper(Piece::Strong),
        Op::Min => Form::Helper(Piece::Min),
        Op::Max => Form::Helper(Piece::Max),
        Op::Sign => Form::Helper(Piece::Sign),
        Op::Modulo => Form::Helper(Piece::Modulo),
        Op::PosDiff => Form::Helper(Piece::PosDiff),
        Op::Eq => Form::Comparison(Infix::Eq),
        Op::Ne => Form::Comparison(Infix::Ne),
        Op::Lt => Form::Comparison(Infix::Lt),
        Op::Le => Form::Comparison(Infix::Le),
        Op::Gt => Form::Comparison(Infix::Gt),
        Op::Ge => Form::Comparison(Infix::Ge),
        Op::And => Form::Lazy(Infix::And),
        Op::Or => Form::Lazy(Infix::Or),
        Op::ToReal => Form::Conversion(ScalarType::Real),
        Op::ToReal32 => Form::Conversion(ScalarType::Real32),
        Op::TO_INT => Form::Conversion(ScalarType::Integer),
        Op::ToLogical => Form::Conversion(ScalarType::Logical),
        Op::Neg => Form::Special(Special::Neg),
        Op::Not => Form::Special(Special::Not),
        Op::Pow => Form::Special(Special::Pow),
        Op::Abs => Form::Special(Special::Abs),
        Op::Mod => Form::Special(Special::Mod),
        Op::Polygamma => Form::Special(Special::Polygamma),
        Op::If => Form::Special(Special::If),
        Op::Trips => Form::Special(Special::Trips),
        Op::Sum => Form::Reduction(Op::Add, Start::Number(0)),
        Op::Product => Form::Reduction(Op::Mul, Start::Number(1)),
        Op::MaxVal => Form::Reduction(Op::Max, Start::Least),
        Op::MinVal => Form::Reduction(Op::Min, Start::Greatest),
        Op::Any => Form::Reduction(Op::Or, Start::Logical(false)),
        Op::All => Form::Reduction(Op::And, Start::Logical(true)),
        _ if !op.info().c.is_empty() => Form::Library(op.info().c),
        _ if !op.info().c_text.is_empty() => Form::Own,
        _ => Form::None,
    }
}

/// The C of an elemental operator over scalar operands. Of several operands C evaluates any first; only those of
/// `and`, `or` and `if` that decide nothing are not evaluated.
///
/// # Errors
/// The operands do not fit the operator, or it is not elemental.
pub(crate) fn apply(op: Op, operands: Vec<Code>, pieces: &mut Pieces) -> Result<Code, Malformed> {
    let types: Vec<Type> = operands.iter().map(|c| Type::scalar(c.ty)).collect();
    if op.class() != OpClass::Elemental {
        return Err(Malformed(op));
    }
    let ty = typing::apply(op, &types).map_err(|_| Malformed(op))?.ty;
    let same = matches!(op, Op::And | Op::Or) && share_names(&operands);
    let bits = matches!(op, Op::Eq | Op::Ne) && operands.iter().any(|c| c.precedence() == BITS);
    if same || bits {
        pieces.may_contradict();
    }
    if pieces.is_checked() {
        return checked::apply(op, operands, ty, pieces);
    }
    let operands = match sized::apply(op, operands, ty, pieces)? {
        Ok(code) => return Ok(code),
        Err(operands) => operands,
    };
    match form_of(op) {
        Form::Infix(operator) => infix(op, operator, operands, ty, pieces),
        Form::Bits(operator) => folded(op, operands, |x, y| x.infix(operator, y, ty)),
        Form::Words => words_function(op, operands, ty, pieces),
        Form::Comparison(operator) => compare(op, operator, operands, pieces),
        Form::Lazy(operator) => (operands.into_iter())
            .reduce(|x, y| x.is(operator, y))
            .ok_or(Malformed(op)),
        Form::Library(name) => {
            let operands = promoted(operands, ty, pieces);
            Ok(Code::call(&of_library(name, ty), operands, ty))
        }
        Form::Own => Ok(own(Piece::Own(op), operands, ty, pieces)),
        Form::Helper(piece) => helper(op, piece, operands, ty, pieces),
        Form::Conversion(to) => {
            let [x] = expect_operands(op, operands)?;
            Ok(convert(x, to, pieces))
        }
        Form::Special(special) => self::special(&special, op, operands, ty, pieces),
        Form::Reduction(..) | Form::None => Err(Malformed(op)),
    }
}

/// The operator of two operands that a reduction repeats, in storage order, and the value that it begins with. A
/// reduction to the logical `any` or `all` may end as soon as it is decided. `None` if the operator is no reduction.
pub(crate) fn reduction(op: Op, ty: ScalarType, checks: bool) -> Option<(Op, Code)> {
    let Form::Reduction(step, start) = form_of(op) else {
        return None;
    };
    let number = |integer: i128, real: f64| match FlatType::view(ty) {
        FlatType::Integer => literal_integer(integer as i64),
        FlatType::Sized(ty) if checks => literal_cell(ty, ty.wrap(integer)),
        FlatType::Sized(ty) => literal_sized(ty, ty.wrap(integer)),
        FlatType::Real32 => literal_real32(real as f32),
        FlatType::Real | FlatType::Logical | FlatType::Tape => literal_real(real),
    };
    let (least, greatest) = ty.any_int().map_or((0, 0), |ty| (ty.min(), ty.max()));
    let start = match start {
        Start::Number(n) => number(n.into(), n.into()),
        Start::Least => number(least, f64::NEG_INFINITY),
        Start::Greatest => number(greatest, f64::INFINITY),
        Start::Logical(b) => literal_logical(b),
    };
    Some((step, start))
}

/// The operands, if there are as many as the operator has.
fn expect_operands<const N: usize>(op: Op, operands: Vec<Code>) -> Result<[Code; N], Malformed> {
    <[Code; N]>::try_from(operands).map_err(|_| Malformed(op))
}

/// Operands converted to one type.
fn promoted(operands: Vec<Code>, ty: ScalarType, pieces: &mut Pieces) -> Vec<Code> {
    let convert = |code| convert(code, ty, pieces);
    operands.into_iter().map(convert).collect()
}

/// The type that the operands of a comparison or of a power are converted to.
fn common(operands: &[Code]) -> ScalarType {
    let other = operands.iter().find(|c| c.ty != ScalarType::Integer);
    other.map_or(ScalarType::Integer, |c| c.ty)
}

/// The name of a function of C's library over reals of this type.
fn of_library(name: &str, ty: ScalarType) -> String {
    let suffix = if ty == ScalarType::Real32 { "f" } else { "" };
    format!("{name}{suffix}")
}

/// The call of a helper function.
fn call(
    piece: Piece,
    operands: impl IntoIterator<Item = Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Code {
    pieces.require(piece);
    Code::call(&piece.name(), operands, ty)
}

/// The call of a helper function over 64-bit reals; its value over 32-bit ones is rounded.
fn own(piece: Piece, operands: Vec<Code>, ty: ScalarType, pieces: &mut Pieces) -> Code {
    let code = call(piece, operands, ScalarType::Real, pieces);
    if ty == ScalarType::Real32 {
        code.cast("float", ty)
    } else {
        code
    }
}

/// The value of an integer operator over constants; an error if it has none, `None` if they are not constants. Written
/// as it stands it would be computed with 32 bits, and compilers complain of it though it may never be evaluated.
fn constant(op: Op, operands: &[Code]) -> Option<Result<i64, ()>> {
    let scalars: Option<Vec<Scalar>> = operands
        .iter()
        .map(|c| c.integer().map(Scalar::Integer))
        .collect();
    match elemental::apply(op, &scalars?, Math::Native) {
        Ok(Scalar::Integer(n)) => Some(Ok(n)),
        Ok(Scalar::Real(_) | Scalar::Real32(_) | Scalar::Sized(..) | Scalar::Logical(_)) => None,
        Err(_) => Some(Err(())),
    }
}

/// A value that the compiler takes as unknown.
fn hidden(code: Code, pieces: &mut Pieces) -> Code {
    let ty = code.ty;
    let piece = match FlatType::view(ty) {
        FlatType::Sized(IntType::Uint64) => Piece::Unsigned,
        FlatType::Sized(_)
        | FlatType::Integer
        | FlatType::Logical
        | FlatType::Real
        | FlatType::Real32
        | FlatType::Tape => Piece::Value,
    };
    call(piece, [code], ty, pieces)
}

/// True if two of the operands name the same.
fn share_names(operands: &[Code]) -> bool {
    let mut seen = HashSet::new();
    operands.iter().any(|operand| {
        let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        let names: HashSet<&str> = operand.words().filter(is_name).collect();
        let known = names.iter().any(|name| seen.contains(name));
        seen.extend(names);
        known
    })
}

/// True if two expressions have the same parts, in whatever order: `n + k` and `k + n`.
fn same_parts(x: &Code, y: &Code) -> bool {
    let sorted = |code: &Code| {
        let mut parts: Vec<String> = code.nodes().iter().map(Node::to_string).collect();
        parts.sort_unstable();
        parts
    };
    x.to_string().len() == y.to_string().len() && sorted(x) == sorted(y)
}

/// True if a compiler might find that this divisor is always 0, and complain: `n - n`, but not `n`, `-n`, `n + 1`.
fn may_vanish(divisor: &Code) -> bool {
    let plain = |node: &Node| {
        let simple = matches!(node, Node::Name(_) | Node::Integer(_) | Node::Element);
        let minus = matches!(node, Node::Prefix(Prefix::Minus));
        simple || minus || matches!(node, Node::Infix(Infix::Times))
    };
    let is_plain = |nodes: &[Node]| nodes.iter().all(plain);
    let is_number = |nodes: &[Node]| matches!(nodes, [Node::Integer(n)] if *n != 0);
    match divisor.nodes() {
        [Node::Integer(n)] => *n == 0,
        _ if divisor.precedence() == POSTFIX => false,
        [
            operands @ ..,
            Node::Infix(Infix::Add | Infix::Plus | Infix::Sub | Infix::Mul),
        ] => {
            let (x, y) = operands.split_at(node::last(operands));
            !(is_plain(x) && is_number(y) || is_plain(y) && is_number(x))
        }
        nodes => !is_plain(nodes),
    }
}

/// A left fold of an operator between operands.
fn infix(
    op: Op,
    operator: Infix,
    operands: Vec<Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    let mut operands = promoted(operands, ty, pieces).into_iter();
    let mut x = operands.next().ok_or(Malformed(op))?;
    for mut y in operands {
        let pair = [x, y];
        let value = constant(op, &pair);
        [x, y] = pair;
        match value {
            Some(Ok(n)) => {
                x = literal_integer(n);
                continue;
            }
            Some(Err(())) => x = hidden(x, pieces),
            None => {}
        }
        if op == Op::Div && ty == ScalarType::Integer && may_vanish(&y) {
            y = hidden(y, pieces);
        }
        if op == Op::Sub && x.is_real_zero() {
            let number = Number::from_type(ty).ok_or(Malformed(op))?;
            x = call(Piece::Minus(number), [y], ty, pieces);
            continue;
        }
        x = x.infix(operator, y, ty);
    }
    Ok(x)
}

/// A left fold of integers; what is constant is computed.
fn folded(
    op: Op,
    operands: Vec<Code>,
    mut pair: impl FnMut(Code, Code) -> Code,
) -> Result<Code, Malformed> {
    let mut operands = operands.into_iter();
    let first = operands.next().ok_or(Malformed(op))?;
    Ok(operands.fold(first, |x, y| {
        let both = [x, y];
        let value = constant(op, &both);
        let [x, y] = both;
        match value {
            Some(Ok(n)) => literal_integer(n),
            Some(Err(())) | None => pair(x, y),
        }
    }))
}

/// The call of the function of integers that an operator has.
fn words_function(
    op: Op,
    operands: Vec<Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    let piece = Piece::Words(op);
    if op != Op::WrapNeg {
        return folded(op, operands, |x, y| call(piece, [x, y], ty, pieces));
    }
    let operands = expect_operands::<1>(op, operands)?;
    Ok(match constant(op, &operands) {
        Some(Ok(n)) => literal_integer(n),
        Some(Err(())) | None => call(piece, operands, ty, pieces),
    })
}

fn compare(
    op: Op,
    operator: Infix,
    operands: Vec<Code>,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    let ty = common(&operands);
    let [mut x, mut y] = expect_operands(op, promoted(operands, ty, pieces))?;
    // Compilers warn of integers that are compared with themselves, of comparisons of comparisons, and of those whose
    // value is compared with a number that is neither 0 nor 1.
    let decided = |a: &Code, b: &Code| {
        a.integer().is_some()
            && matches!(b.first_written(), Some(Node::Cast(to)) if &**to == "int64_t")
    };
    if decided(&x, &y) {
        y = hidden(y, pieces);
    } else if decided(&y, &x) {
        x = hidden(x, pieces);
    }
    if !ty.is_real() && same_parts(&x, &y) {
        x = hidden(x, pieces);
    }
    Ok(x.is(operator, y))
}

/// A helper function of two operands, folded from the left.
fn helper(
    op: Op,
    piece: fn(Number) -> Piece,
    operands: Vec<Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    if let Some(Ok(n)) = constant(op, &operands) {
        return Ok(literal_integer(n));
    }
    let piece = piece(Number::from_type(ty).ok_or(Malformed(op))?);
    let mut operands = promoted(operands, ty, pieces);
    // Of many operands halves are compared, so that calls do not nest deeper than compilers allow.
    while matches!(op, Op::Min | Op::Max) && operands.len() > 8 {
        let mut pairs = Vec::with_capacity(operands.len() / 2 + 1);
        let mut rest = operands.into_iter();
        while let Some(x) = rest.next() {
            pairs.push(match rest.next() {
                Some(y) => call(piece, [x, y], ty, pieces),
                None => x,
            });
        }
        operands = pairs;
    }
    let mut operands = operands.into_iter();
    let mut x = operands.next().ok_or(Malformed(op))?;
    for y in operands {
        // Only of a NaN C's own function takes the sign.
        x = if op == Op::Sign && ty.is_real() && y.is_number() {
            Code::call(&of_library("copysign", ty), [x, y], ty)
        } else {
            call(piece, [x, y], ty, pieces)
        };
    }
    Ok(x)
}

/// The operators that are written in a way of their own.
fn special(
    special: &Special,
    op: Op,
    operands: Vec<Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    let operands = match constant(op, &operands) {
        Some(Ok(n)) => return Ok(literal_integer(n)),
        Some(Err(())) => operands.into_iter().map(|c| hidden(c, pieces)).collect(),
        None => operands,
    };
    let integer = ty == ScalarType::Integer;
    match special {
        Special::Neg => {
            let [x] = expect_operands(op, operands)?;
            if let Some(value) = x.real() {
                return Ok(literal_real(-value));
            }
            Ok(x.prefix(Prefix::Minus))
        }
        Special::BitNot => {
            let [x] = expect_operands(op, operands)?;
            Ok(x.prefix(Prefix::Complement))
        }
        Special::Not => {
            let [x] = expect_operands(op, operands)?;
            Ok(x.prefix(Prefix::Not))
        }
        Special::Abs if integer => {
            pieces.include("stdlib.h");
            Ok(Code::call("llabs", operands, ty))
        }
        Special::Abs => Ok(Code::call(&of_library("fabs", ty), operands, ty)),
        Special::Mod if integer => {
            let [x, y] = expect_operands(op, operands)?;
            if y.integer().is_none_or(|n| n == 0 || n == -1) {
                return Ok(call(Piece::Remainder, [x, y], ty, pieces));
            }
            infix(op, Infix::Rem, vec![x, y], ty, pieces)
        }
        Special::Mod => {
            let operands = promoted(operands, ty, pieces);
            Ok(Code::call(&of_library("fmod", ty), operands, ty))
        }
        Special::Polygamma => Ok(own(Piece::Polygamma, operands, ty, pieces)),
        Special::Trips => Ok(call(Piece::Trips, operands, ty, pieces)),
        Special::Pow => power(operands, ty, pieces),
        Special::If => choice(operands, ty, pieces),
    }
}

/// A power. One that is small and constant has a function of its own, a square may be a product.
fn power(operands: Vec<Code>, ty: ScalarType, pieces: &mut Pieces) -> Result<Code, Malformed> {
    /// Greatest magnitude of exponents up to which powers are products.
    const MOST: u64 = 64;
    let [x, y] = expect_operands(Op::Pow, operands)?;
    if y.ty != ScalarType::Integer {
        let operands = promoted(vec![x, y], ty, pieces);
        return Ok(Code::call(&of_library("pow", ty), operands, ty));
    }
    match y.integer() {
        Some(1) => return Ok(x),
        Some(2) if x.is_short() => {
            return infix(Op::Mul, Infix::Mul, vec![x.clone(), x], ty, pieces);
        }
        _ => {}
    }
    if ty == ScalarType::Integer {
        return Ok(call(Piece::IntegerPower, [x, y], ty, pieces));
    }
    let small = y.integer().filter(|&n| n != 0 && n.unsigned_abs() <= MOST);
    let (piece, operands) = match small.and_then(|n| i8::try_from(n).ok()) {
        Some(n) => (Piece::Power(n), vec![x]),
        None => (Piece::AnyPower, vec![x, y]),
    };
    Ok(own(piece, operands, ty, pieces))
}

/// A conditional expression.
fn choice(operands: Vec<Code>, ty: ScalarType, pieces: &mut Pieces) -> Result<Code, Malformed> {
    let [condition, yes, no] = expect_operands(Op::If, operands)?;
    let mut yes = convert(yes, ty, pieces);
    let no = convert(no, ty, pieces);
    // Of two constants the result would have the type of these.
    let are_numbers = yes.is_number() && no.is_number();
    match FlatType::view(ty) {
        FlatType::Integer if are_numbers => {
            pieces.include("stdint.h");
            yes = yes.cast("int64_t", ty);
        }
        FlatType::Sized(of) if are_numbers && !of.is_signed() => {
            yes = yes.cast(c_type::c_type(ty), ty);
        }
        FlatType::Integer
        | FlatType::Sized(_)
        | FlatType::Real
        | FlatType::Real32
        | FlatType::Logical
        | FlatType::Tape => {}
    }
    Ok(condition.choose(yes, no))
}
