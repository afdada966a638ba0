//! Reading expressions and places.
//!
//! Names become provisional variables (positions in [`Context::variables`]), since they may be declared
//! later in the file; [`super::resolve`] replaces them.

use super::schema_parts::{any_of, described, tuple};
use super::{
    codes,
    context::{Context, Cure, Seg},
    decode::{Wire, next_element, skip_array},
    token::{Token, quote},
    types::{TypeName, pointer_to},
};
use cfg_core::diagnostic::similar::did_you_mean_text;
use cfg_core::ir::{AnyInt, Conversion, Expr, IntType, Op, Place, Range, ScalarType, Subscript};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::SeqAccess;
use serde_json::json;
use std::borrow::Cow;

/// An expression.
pub(super) struct Expression;

/// The conversion to 32 bits where its operand is a literal: `["real32", 0.1]` is the constant.
pub(super) const AS_REAL32: &str = "as_real32";

/// Names that other languages have for operators, where spelling does not suggest ours.
pub(super) const ELSEWHERE: [(&str, &str); 34] = [
    ("add", "+"),
    ("plus", "+"),
    ("sub", "-"),
    ("subtract", "-"),
    ("minus", "-"),
    ("mul", "*"),
    ("times", "*"),
    ("div", "/"),
    ("divide", "/"),
    ("^", "**"),
    ("pow", "**"),
    ("power", "**"),
    ("ln", "log"),
    ("fabs", "abs"),
    ("dabs", "abs"),
    ("fmin", "min"),
    ("fmax", "max"),
    ("amin1", "min"),
    ("amax1", "max"),
    ("fmod", "mod"),
    ("arsinh", "asinh"),
    ("float", "real"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("copysign", "sign"),
    ("%", "mod"),
    ("=", "=="),
    ("/=", "!="),
    ("<>", "!="),
    ("!", "not"),
    ("&&", "and"),
    ("||", "or"),
    ("?:", "if"),
];

/// The first element of an expression array, by its meaning for the array.
#[derive(Clone, Debug)]
pub(super) enum Head {
    Element,
    /// `.`: the field of a record.
    Field,
    /// `deref`: what a pointer points to.
    Deref,
    /// `addr`: the pointer to a place.
    Addr,
    /// `null`: the pointer that points nowhere.
    Null,
    Range,
    Call,
    Infinity,
    MinusInfinity,
    NotANumber,
    /// `as_real32`: the conversion, of a literal too.
    AsReal32,
    /// `-`: negation or difference, by the number of operands.
    Minus,
    /// `const`: a constant of an integer type.
    Const,
    /// `to`, `wrap`, `saturate`: a conversion to an integer type.
    Convert(Conversion),
    Op(Op),
    Unknown(Box<str>),
}

impl Wire for Head {
    type Out = Self;
    const WHAT: &'static str = "an operator's name";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Self> {
        let Token::Text(name) = token else {
            cx.wrong_type(Self::WHAT, &token);
            return None;
        };
        Some(match name {
            "[]" => Self::Element,
            "." => Self::Field,
            "deref" => Self::Deref,
            "addr" => Self::Addr,
            "null" => Self::Null,
            ":" => Self::Range,
            "call" => Self::Call,
            "inf" => Self::Infinity,
            "-inf" => Self::MinusInfinity,
            "nan" => Self::NotANumber,
            "-" => Self::Minus,
            AS_REAL32 => Self::AsReal32,
            "const" => Self::Const,
            "to" => Self::Convert(Conversion::To),
            "wrap" => Self::Convert(Conversion::Wrap),
            "saturate" => Self::Convert(Conversion::Saturate),
            _ => match Op::from_name(name).filter(|op| op.typed_conversion().is_none()) {
                Some(op) => Self::Op(op),
                None => Self::Unknown(name.into()),
            },
        })
    }
}

impl Wire for Expression {
    type Out = Expr;
    const WHAT: &'static str = "an expression";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Expr> {
        if !enter(cx) {
            return None;
        }
        match token {
            Token::Int(i) => Some(Expr::Int(i)),
            Token::Real(r) => Some(Expr::Real(r)),
            Token::Logical(b) => Some(Expr::Logical(b)),
            Token::Text(name) => Some(Expr::var(cx.variable(name))),
            Token::WideInt(_) => None,
            Token::Null | Token::Array | Token::Object => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<Expr>, A::Error> {
        match head(&mut seq, cx)? {
            Some(head) => after_head(head, seq, cx),
            None => {
                skip_array(seq)?;
                Ok(None)
            }
        }
    }
}

/// Reads the first element of an expression array; reports if there is none or it is not a string.
pub(super) fn head<'de, A: SeqAccess<'de>>(
    seq: &mut A,
    cx: &mut Context,
) -> Result<Option<Head>, A::Error> {
    match next_element::<Head, A>(seq, 0, cx)? {
        Some(head) => Ok(head),
        None => {
            cx.report(
                &codes::WRONG_TYPE,
                "expected an expression, found an empty array",
                "write an operator and its operands, [\"+\", \"x\", 1]",
            );
            Ok(None)
        }
    }
}

/// Reads the rest of an expression array.
pub(super) fn after_head<'de, A: SeqAccess<'de>>(
    head: Head,
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<Expr>, A::Error> {
    if !enter(cx) {
        skip_array(seq)?;
        return Ok(None);
    }
    match head {
        Head::Infinity => constant(Expr::Real(f64::INFINITY), "inf", seq, cx),
        Head::MinusInfinity => constant(Expr::Real(f64::NEG_INFINITY), "-inf", seq, cx),
        Head::NotANumber => constant(Expr::Real(f64::NAN), "nan", seq, cx),
        Head::Element => Ok(level(seq, cx, subscripts)?.map(Expr::Place)),
        Head::Field => Ok(level(seq, cx, field)?.map(Expr::Place)),
        Head::Deref => Ok(level(seq, cx, deref)?.map(Expr::Place)),
        Head::Addr => Ok(level(seq, cx, address)?.map(Expr::Addr)),
        Head::Null => null(seq, cx),
        Head::Op(Op::ToReal32) => real32(seq, cx),
        Head::Minus => operation(Op::Sub, true, seq, cx),
        Head::AsReal32 => operation(Op::ToReal32, false, seq, cx),
        Head::Const => typed_constant(seq, cx),
        Head::Convert(how) => conversion(how, seq, cx),
        Head::Op(op) => operation(op, false, seq, cx),
        Head::Range => {
            cx.report(
                &codes::RANGE_OUTSIDE,
                "a range stands where an expression is expected",
                "write it as a subscript, [\"[]\", \"a\", [\":\", 2, \"n\"]]",
            );
            skip_array(seq)?;
            Ok(None)
        }
        Head::Call => {
            cx.report(
                &codes::CALL_IN_EXPRESSION,
                "a call stands inside an expression",
                "assign its result to a local before, [\"=\", \"t\", [\"call\", \"f\", [\"x\"]]], and use the local here",
            );
            skip_array(seq)?;
            Ok(None)
        }
        Head::Unknown(name) => {
            let names = plain().map(Op::name).chain(HEADS);
            let otherwise = "`cfgrev explain operators` lists the operators; a routine is called by [\"=\", \"t\", [\"call\", \"f\", [\"x\"]]]";
            let help = match ELSEWHERE.iter().find(|(other, _)| *other == &*name) {
                Some((_, ours)) => did_you_mean_text(ours),
                None => cx.suggest(&name, names, otherwise),
            };
            cx.report_at(
                Seg::Index(0),
                &codes::UNKNOWN_OPERATOR,
                format!("unknown operator {}", quote(&name)),
                help,
            );
            cx.cure(Cure::Operation, 1);
            // The operands are read nevertheless: they may have problems of their own.
            cx.depth += 1;
            let mut index = 1;
            while next_element::<Expression, A>(&mut seq, index, cx)?.is_some() {
                index += 1;
            }
            cx.depth -= 1;
            Ok(None)
        }
    }
}

/// Enters a level; false, after one report per expression, if there are too many levels around already.
fn enter(cx: &mut Context) -> bool {
    if cx.depth == 0 {
        cx.too_deep = false;
        cx.root = cx.path.len();
    }
    if cx.depth < Expr::MAX_DEPTH {
        return true;
    }
    if !cx.too_deep {
        cx.too_deep = true;
        // Reported at the whole expression, since the pointer to the deepest level would fill the screen.
        let inner = cx.path.split_off(cx.root.min(cx.path.len()));
        cx.report(
            &codes::EXPRESSION_DEPTH,
            format!("expression with more than {} levels", Expr::MAX_DEPTH),
            "assign parts of it to temporaries",
        );
        cx.path.extend(inner);
    }
    false
}

fn constant<'de, A: SeqAccess<'de>>(
    value: Expr,
    name: &str,
    seq: A,
    cx: &mut Context,
) -> Result<Option<Expr>, A::Error> {
    let extra = skip_array(seq)?;
    if extra > 0 {
        wrong_count(name, "no operands", extra, cx);
        return Ok(None);
    }
    Ok(Some(value))
}

/// The first elements of expressions that are no operators with operands.
const HEADS: [&str; 7] = ["const", "to", "wrap", "saturate", "deref", "addr", "null"];

/// The operators whose names stand first in an array.
fn plain() -> impl Iterator<Item = Op> {
    let ops = Op::ALL.iter().copied();
    ops.filter(|op| op.typed_conversion().is_none())
}

/// The integer of a typed constant.
struct WideInteger;

impl Wire for WideInteger {
    type Out = i128;
    const WHAT: &'static str = "an integer";
    const WIDE: bool = true;

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<i128> {
        match token {
            Token::Int(i) => Some(i.into()),
            Token::WideInt(u) => Some(u.into()),
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }
}

/// `["const", type, integer]`.
fn typed_constant<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<Expr>, A::Error> {
    let ty = next_element::<IntegerTypeName, A>(&mut seq, 1, cx)?;
    let value = next_element::<WideInteger, A>(&mut seq, 2, cx)?;
    let count = usize::from(ty.is_some()) + usize::from(value.is_some()) + skip_array(seq)?;
    if count != 2 {
        wrong_count("const", "an integer type and an integer", count, cx);
        return Ok(None);
    }
    let (Some(ty), Some(value)) = (ty.flatten(), value.flatten()) else {
        return Ok(None);
    };
    // The constant is a conversion of a number, and counts as a level.
    cx.depth += 1;
    let deep = ty != AnyInt::Integer && !enter(cx);
    cx.depth -= 1;
    if deep {
        return Ok(None);
    }
    let constant = match ty {
        AnyInt::Integer => i64::try_from(value).ok().map(Expr::Int),
        AnyInt::Sized(ty) => Expr::sized(ty, value),
    };
    if constant.is_none() {
        cx.report_at(
            Seg::Index(2),
            &codes::NUMBER,
            format!("{} has no value {value}", ty.name()),
            "write a value that the type has, or choose a wider type",
        );
    }
    Ok(constant)
}

/// `["to", type, e]` and its like.
fn conversion<'de, A: SeqAccess<'de>>(
    how: Conversion,
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<Expr>, A::Error> {
    let ty = next_element::<IntegerTypeName, A>(&mut seq, 1, cx)?;
    cx.depth += 1;
    let operand = next_element::<Expression, A>(&mut seq, 2, cx)?;
    cx.depth -= 1;
    let count = usize::from(ty.is_some()) + usize::from(operand.is_some()) + skip_array(seq)?;
    if count != 2 {
        wrong_count(how.name(), "an integer type and 1 operand", count, cx);
        return Ok(None);
    }
    let (Some(ty), Some(operand)) = (ty.flatten(), operand.flatten()) else {
        return Ok(None);
    };
    Ok(Some(Expr::op(Op::Convert(how, ty), [operand])))
}

/// The type that a conversion or constant names: an integer type.
struct IntegerTypeName;

impl Wire for IntegerTypeName {
    type Out = AnyInt;
    const WHAT: &'static str = "an integer type";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<AnyInt> {
        let Token::Text(word) = token else {
            cx.wrong_type(Self::WHAT, &token);
            return None;
        };
        let named = ScalarType::from_name(word);
        if let Some(ty) = named.and_then(ScalarType::any_int) {
            return Some(ty);
        }
        let help = match cx.nearest(word, AnyInt::ALL.map(AnyInt::name)) {
            Some(near) => did_you_mean_text(near),
            None if named.is_some() => {
                format!("write [\"{word}\", e]")
            }
            None => "write int8, int16, int32, integer, uint8, uint16, uint32 or uint64".to_owned(),
        };
        let message = format!("{} is not an integer type", quote(word));
        cx.report(&codes::UNKNOWN_WORD, message, help);
        Some(AnyInt::Integer)
    }
}

fn wrong_count(name: &str, wanted: &str, found: usize, cx: &mut Context) {
    cx.report(
        &codes::OPERANDS,
        format!("`{name}` takes {wanted}, found {found}"),
        format!("give `{name}` {wanted}"),
    );
}

/// `["real32", literal]` is a constant, anything else a conversion.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "any other expression is kept as it is"
)]
fn real32<'de, A: SeqAccess<'de>>(mut seq: A, cx: &mut Context) -> Result<Option<Expr>, A::Error> {
    // The literal is part of the constant and no level of its own.
    let operand = next_element::<Expression, A>(&mut seq, 1, cx)?;
    let count = usize::from(operand.is_some()) + skip_array(seq)?;
    if count != 1 {
        wrong_count("real32", "1 operand", count, cx);
        return Ok(None);
    }
    Ok(operand.flatten().and_then(|e| match e {
        Expr::Real(r) => Some(Expr::Real32(r as f32)),
        e if cx.depth + 1 + e.depth() > Expr::MAX_DEPTH => {
            cx.depth += Expr::MAX_DEPTH;
            enter(cx);
            cx.depth -= Expr::MAX_DEPTH;
            None
        }
        e @ (Expr::Int(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Null(_)
        | Expr::Addr(_)
        | Expr::Place(_)
        | Expr::Op(..)) => Some(Expr::op(Op::ToReal32, [e])),
    }))
}

fn operation<'de, A: SeqAccess<'de>>(
    op: Op,
    minus: bool,
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<Expr>, A::Error> {
    let (min, max) = op.arity();
    let mut operands = Vec::with_capacity(if minus { 2 } else { min });
    let mut count = 0;
    cx.depth += 1;
    while let Some(operand) = next_element::<Expression, A>(&mut seq, count + 1, cx)? {
        count += 1;
        operands.extend(operand);
    }
    cx.depth -= 1;
    let op = if minus && count == 1 { Op::Neg } else { op };
    if op != Op::Neg && !(min..=max).contains(&count) {
        let wanted = match (min, max) {
            _ if minus => "1 or 2 operands".to_owned(),
            (1, 1) => "1 operand".to_owned(),
            (a, b) if a == b => format!("{a} operands"),
            (a, usize::MAX) => format!("{a} or more operands"),
            (a, b) => format!("{a} to {b} operands"),
        };
        wrong_count(op.name(), &wanted, count, cx);
        return Ok(None);
    }
    if op == Op::Neg && count != 1 {
        wrong_count("neg", "1 operand", count, cx);
        return Ok(None);
    }
    Ok((operands.len() == count).then(|| Expr::op(op, operands)))
}

/// The base of subscripts and fields: a variable's name, or a place.
struct Base;

impl Wire for Base {
    type Out = Place;
    const WHAT: &'static str = "a variable's name or a place";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Place> {
        match token {
            Token::Text(name) => Some(Place::whole(cx.variable(name))),
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }

    fn array<'de, A: SeqAccess<'de>>(seq: A, cx: &mut Context) -> Result<Option<Place>, A::Error> {
        Target::array(seq, cx)
    }
}

/// The name of a field.
struct FieldName;

impl Wire for FieldName {
    type Out = Box<str>;
    const WHAT: &'static str = "the name of a field";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Box<str>> {
        match token {
            Token::Text(name) => Some(name.into()),
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }
}

/// A place with projections behind those that it has.
fn projected(base: Place, behind: impl IntoIterator<Item = Subscript>) -> Place {
    let mut subscripts = base.subscripts.into_vec();
    subscripts.extend(behind);
    Place {
        var: base.var,
        subscripts: subscripts.into_boxed_slice(),
    }
}

/// Reads base and name after `.`.
pub(super) fn field<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<Place>, A::Error> {
    let base = next_element::<Base, A>(&mut seq, 1, cx)?;
    let name = next_element::<FieldName, A>(&mut seq, 2, cx)?;
    let count = usize::from(base.is_some()) + usize::from(name.is_some()) + skip_array(seq)?;
    if count != 2 {
        wrong_count(".", "a place and the name of a field", count, cx);
        return Ok(None);
    }
    let (Some(base), Some(name)) = (base.flatten(), name.flatten()) else {
        return Ok(None);
    };
    Ok(Some(projected(base, [Subscript::Field(name)])))
}

/// Reads pointer and offset after `deref`.
fn deref<'de, A: SeqAccess<'de>>(mut seq: A, cx: &mut Context) -> Result<Option<Place>, A::Error> {
    let base = next_element::<Base, A>(&mut seq, 1, cx)?;
    let offset = next_element::<SubscriptItem, A>(&mut seq, 2, cx)?;
    let extra = skip_array(seq)?;
    if base.is_none() || extra > 0 {
        let count = usize::from(base.is_some()) + usize::from(offset.is_some()) + extra;
        let wanted = "a place and at most one number of elements";
        wrong_count("deref", wanted, count, cx);
        return Ok(None);
    }
    let (Some(base), Some(offset)) = (base.flatten(), offset.map_or(Some(None), |k| k.map(Some)))
    else {
        return Ok(None);
    };
    Ok(Some(projected(
        base,
        [Subscript::Deref].into_iter().chain(offset),
    )))
}

/// Reads the place after `addr`.
fn address<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<Place>, A::Error> {
    let place = next_element::<Target, A>(&mut seq, 1, cx)?;
    let count = usize::from(place.is_some()) + skip_array(seq)?;
    if count != 1 {
        wrong_count("addr", "1 place", count, cx);
        return Ok(None);
    }
    Ok(place.flatten())
}

/// Reads the type after `null`.
fn null<'de, A: SeqAccess<'de>>(mut seq: A, cx: &mut Context) -> Result<Option<Expr>, A::Error> {
    let pointee = next_element::<TypeName, A>(&mut seq, 1, cx)?;
    let count = usize::from(pointee.is_some()) + skip_array(seq)?;
    if count != 1 {
        wrong_count("null", "the type of what the pointer points to", count, cx);
        return Ok(None);
    }
    let Some(pointee) = pointee.flatten() else {
        return Ok(None);
    };
    Ok(cx
        .at_segment(Seg::Index(1), |cx| pointer_to(pointee, cx))
        .map(Expr::Null))
}

/// Reads base and subscripts after `[]`.
pub(super) fn subscripts<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<Place>, A::Error> {
    let base = next_element::<Base, A>(&mut seq, 1, cx)?;
    let mut list = Vec::with_capacity(1);
    let mut count = 0;
    while let Some(subscript) = next_element::<SubscriptItem, A>(&mut seq, count + 2, cx)? {
        count += 1;
        list.extend(subscript);
    }
    if base.is_none() || count == 0 {
        cx.report(
            &codes::OPERANDS,
            "`[]` takes an array's name and at least one subscript",
            "write [\"[]\", \"a\", 1]; the whole array is just \"a\"",
        );
        return Ok(None);
    }
    let Some(base) = base.flatten() else {
        return Ok(None);
    };
    if base.subscripts.last() == Some(&Subscript::Deref) {
        cx.report(
            &codes::OPERANDS,
            "subscripts are applied to what a pointer points to",
            "write the number of elements behind the pointer, [\"deref\", \"p\", 2]",
        );
        return Ok(None);
    }
    if base.subscripts.last().is_some_and(|s| s.field().is_none()) {
        cx.report(
            &codes::OPERANDS,
            "subscripts are applied to subscripts",
            "write all subscripts of an array in one list, [\"[]\", \"a\", 1, 2]",
        );
        return Ok(None);
    }
    Ok(
        (list.len() == count).then(|| match base.subscripts.is_empty() {
            true => Place {
                var: base.var,
                subscripts: list.into_boxed_slice(),
            },
            false => projected(base, list),
        }),
    )
}

/// An index or a range.
struct SubscriptItem;

impl Wire for SubscriptItem {
    type Out = Subscript;
    const WHAT: &'static str = "a subscript";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Subscript> {
        Expression::scalar(token, cx).map(Subscript::Index)
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<Subscript>, A::Error> {
        match head(&mut seq, cx)? {
            Some(Head::Range) => range(seq, cx),
            Some(head) => Ok(after_head(head, seq, cx)?.map(Subscript::Index)),
            None => {
                skip_array(seq)?;
                Ok(None)
            }
        }
    }
}

fn range<'de, A: SeqAccess<'de>>(
    mut seq: A,
    cx: &mut Context,
) -> Result<Option<Subscript>, A::Error> {
    let mut parts = [None, None, None];
    let mut bad = false;
    let mut count = 0;
    for part in &mut parts {
        match next_element::<Bound, A>(&mut seq, count + 1, cx)? {
            None => break,
            Some(None) => bad = true,
            Some(Some(bound)) => *part = bound,
        }
        count += 1;
    }
    count += skip_array(seq)?;
    if count > 3 {
        wrong_count(":", "at most lower, upper and stride", count, cx);
        bad = true;
    }
    let [lower, upper, stride] = parts;
    let range = Range {
        lower,
        upper,
        stride,
    };
    Ok((!bad).then(|| Subscript::Range(Box::new(range))))
}

/// An expression, or null for an omitted one.
pub(super) struct Bound;

impl Wire for Bound {
    type Out = Option<Expr>;
    const WHAT: &'static str = "an expression or null";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Self::Out> {
        match token {
            Token::Null => Some(None),
            _ => Expression::scalar(token, cx).map(Some),
        }
    }

    fn array<'de, A: SeqAccess<'de>>(
        seq: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        Ok(Expression::array(seq, cx)?.map(Some))
    }
}

/// Reads a place that adds a level to its base.
fn level<'de, A: SeqAccess<'de>>(
    seq: A,
    cx: &mut Context,
    read: impl FnOnce(A, &mut Context) -> Result<Option<Place>, A::Error>,
) -> Result<Option<Place>, A::Error> {
    if !enter(cx) {
        skip_array(seq)?;
        return Ok(None);
    }
    cx.depth += 1;
    let place = read(seq, cx);
    cx.depth -= 1;
    place
}

/// Something that can be assigned.
pub(super) struct Target;

impl Wire for Target {
    type Out = Place;
    const WHAT: &'static str = "a variable, element or section";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Place> {
        match token {
            Token::Text(name) => Some(Place::whole(cx.variable(name))),
            _ => {
                not_assignable(&token.describe(), cx);
                None
            }
        }
    }

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<Place>, A::Error> {
        match head(&mut seq, cx)? {
            Some(Head::Element) => level(seq, cx, subscripts),
            Some(Head::Field) => level(seq, cx, field),
            Some(Head::Deref) => level(seq, cx, deref),
            Some(_) => {
                not_assignable("the result of an operator", cx);
                skip_array(seq)?;
                Ok(None)
            }
            None => {
                skip_array(seq)?;
                Ok(None)
            }
        }
    }
}

fn not_assignable(what: &str, cx: &mut Context) {
    cx.report(
        &codes::NOT_ASSIGNABLE,
        format!("{what} cannot be assigned"),
        "assign to a variable \"a\", an element [\"[]\", \"a\", 1] or a section [\"[]\", \"a\", [\":\", 1, 3]]",
    );
}

impl JsonSchema for Expression {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let this = generator.subschema_for::<Self>().to_value();
        let place = generator.subschema_for::<Element>().to_value();
        let mut forms = vec![
            json!({ "type": ["integer", "number", "boolean"], "description": "A constant: integer without `.` and exponent, real with one of them." }),
            json!({ "type": "string", "description": "The value of a variable." }),
            place,
            json!({ "enum": [["inf"], ["-inf"], ["nan"]], "description": "Infinity, minus infinity, not a number." }),
        ];
        // One form per number of operands that operators take.
        let mut arities: Vec<(usize, usize)> = plain().map(Op::arity).collect();
        arities.sort_unstable();
        arities.dedup();
        for (min, max) in arities {
            let names: Vec<&str> = plain()
                .filter(|op| op.arity() == (min, max))
                .map(Op::name)
                .chain(
                    ["-", AS_REAL32]
                        .into_iter()
                        .filter(|_| (min, max) == (1, 1)),
                )
                .collect();
            forms.push(tuple(
                vec![json!({ "enum": names })],
                Some(this.clone()),
                min,
                (max != usize::MAX).then_some(max),
            ));
        }
        let mut types = vec![ScalarType::Integer.name(), "int64"];
        types.extend(IntType::ALL.map(IntType::name));
        let types = json!({ "enum": types });
        forms.push(json!({
            "type": "array",
            "prefixItems": [{ "const": "const" }, types, { "type": "integer" }],
            "items": false,
            "minItems": 3,
            "description": "A constant of an integer type.",
        }));
        forms.push(json!({
            "type": "array",
            "prefixItems": [{ "enum": Conversion::ALL.map(Conversion::name) }, types, this],
            "items": false,
            "minItems": 3,
            "description": "A conversion to an integer type: checked, modulo 2 to its bits, or to the nearest value.",
        }));
        let pointee = generator.subschema_for::<TypeName>().to_value();
        let target = generator.subschema_for::<Target>().to_value();
        forms.push(tuple(
            vec![json!({ "const": "null" }), pointee],
            None,
            0,
            None,
        ));
        forms.push(tuple(
            vec![json!({ "const": "addr" }), target],
            None,
            0,
            None,
        ));
        json_schema!({
            "description": "An expression of at most 100 levels: constant, variable, element or section of an array, or an operator with its operands.",
            "anyOf": forms,
        })
    }
}

/// `["[]", place, subscript...]`, `[".", place, field]` and `["deref", place, offset]`.
struct Element;

impl JsonSchema for Element {
    fn schema_name() -> Cow<'static, str> {
        "Element".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let expression = generator.subschema_for::<Expression>().to_value();
        let bound = any_of(vec![expression.clone(), json!({ "type": "null" })]);
        let range = tuple(vec![json!({ "const": ":" })], Some(bound), 0, Some(3));
        let subscript = any_of(vec![expression.clone(), range]);
        let this = generator.subschema_for::<Self>().to_value();
        let base = any_of(vec![json!({ "type": "string" }), this]);
        let element = tuple(
            vec![json!({ "const": "[]" }), base.clone()],
            Some(subscript),
            1,
            None,
        );
        let field = json!({
            "type": "array",
            "prefixItems": [{ "const": "." }, base, { "type": "string" }],
            "items": false,
            "minItems": 3,
        });
        let deref = tuple(
            vec![json!({ "const": "deref" }), base],
            Some(expression),
            0,
            Some(1),
        );
        described(
            any_of(vec![element, field, deref]),
            "An element or section: the array, then one index or range [\":\", lower, upper, stride] per dimension; the field of a record; or what a pointer points to, so many elements behind it.",
        )
    }
}

impl JsonSchema for Target {
    fn schema_name() -> Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let element = generator.subschema_for::<Element>().to_value();
        described(
            any_of(vec![json!({ "type": "string" }), element]),
            "What is assigned: a variable, an element or a section.",
        )
    }
}
