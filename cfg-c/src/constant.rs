//! Constant expressions: of integers, of numbers, and sizes and places in structures.

use crate::{
    ast::{Binary, ExprId, ExprKind, Member, StructId, Unary, Unit},
    math::{BUILTIN, How},
    number::Number,
    structures,
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::{
    elemental::{Math, value_real, value_real32},
    ir::Op,
};
use std::collections::HashSet;

/// Deeper expressions have no value.
const MAX_DEPTH: usize = 300;

/// The kinds of expressions that count as constant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Constants {
    /// The expressions of C99 6.6, which extents and cases take.
    Standard,
    /// The expressions of C99 6.6 and, as compilers accept them in initial values, constant variables and functions
    /// of the library.
    Folded,
}

/// The value of an integer constant expression, and its type.
pub(crate) fn integer(unit: &Unit, e: ExprId) -> Option<(i128, Int)> {
    within(unit, e, MAX_DEPTH)
}

/// The number in the initial value of a constant variable that is kept between calls.
pub(crate) fn fixed(unit: &Unit, ty: &Qualified, e: ExprId) -> Option<Number> {
    let is_fixed = ty.constant && !ty.volatile && ty.width.is_none();
    number(unit, e)?.converted(ty.arith().filter(|_| is_fixed)?)
}

fn within(unit: &Unit, e: ExprId, depth: usize) -> Option<(i128, Int)> {
    match unit.expr(e).ty.as_ref()?.arith()? {
        Arith::Int(_) => {}
        Arith::Float | Arith::Double => return None,
    }
    match number_within(unit, e, Constants::Standard, depth)? {
        Number::Int(value, ty) => Some((value, ty)),
        Number::Float(_) | Number::Double(_) => None,
    }
}

/// The value of a constant expression of numbers, by the rules for initial values.
pub(crate) fn number(unit: &Unit, e: ExprId) -> Option<Number> {
    number_within(unit, e, Constants::Folded, MAX_DEPTH)
}

fn number_within(unit: &Unit, e: ExprId, constants: Constants, depth: usize) -> Option<Number> {
    let depth = depth.checked_sub(1)?;
    let part = |e: ExprId| number_within(unit, e, constants, depth);
    let size = |size: i128| Some(Number::Int(size, Int::ULong));
    match &unit.expr(e).kind {
        ExprKind::Int(value, Arith::Int(ty)) => Some(Number::Int(*value, *ty)),
        ExprKind::Float(value) => Some(Number::Float(*value)),
        ExprKind::Real(value) => Some(Number::Double(*value)),
        ExprKind::Unary(Unary::Deref | Unary::Address, _) => None,
        ExprKind::Unary(op, a) => unary(*op, part(*a)?),
        ExprKind::Binary(op, a, b) => {
            let a = part(*a)?;
            let b = part(*b)?;
            match (a, b) {
                (Number::Int(a, at), Number::Int(b, bt)) => {
                    binary(*op, (a, at), (b, bt)).map(|(value, ty)| Number::Int(value, ty))
                }
                _ => binary_of_reals(*op, a, b),
            }
        }
        ExprKind::Conditional(c, a, b) => {
            let c = part(*c)?;
            let a = part(*a)?;
            let b = part(*b)?;
            let ty = a.ty().usual_conversion(b.ty());
            if c.is_zero() { b } else { a }.converted(ty)
        }
        ExprKind::Cast(ty, a) => {
            let to = ty.arith()?;
            match (part(*a), to) {
                (Some(value), _) => value.converted(to),
                (None, Arith::Int(int)) if unit.is_pointer(*a) => {
                    let value = address(unit, *a, depth)?;
                    Some(Number::Int(int.wrap(value), int))
                }
                (None, _) => None,
            }
        }
        ExprKind::SizeofType(ty) => size(self::size(unit, ty, depth)?),
        ExprKind::SizeofExpr(a) => size(size_of_operand(unit, *a, depth)?),
        ExprKind::Name(d) if constants == Constants::Folded => unit.decl(*d).fixed,
        ExprKind::Call(f, arguments) => {
            let ExprKind::Name(f) = unit.expr(*f).kind else {
                return None;
            };
            if let ([a], Some(name)) = (&arguments[..], unit.decl(f).name.strip_prefix(BUILTIN))
                && let Some((value, _)) = within(unit, *a, depth)
                && let Some(value) = count_of_bits(name, value)
            {
                return Some(Number::Int(value.into(), Int::Int));
            }
            let ty = unit.expr(e).ty.as_ref()?.arith()?;
            match unit.decl(f).how()? {
                _ if constants == Constants::Standard => None,
                How::Infinity => Number::Double(f64::INFINITY).converted(ty),
                How::NotANumber => Number::Double(f64::NAN).converted(ty),
                How::Op(op) | How::Least(op) => {
                    let arguments = arguments.iter().map(|a| part(*a));
                    of_the_library(op, &arguments.collect::<Option<Vec<_>>>()?, ty)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The value of a function of the library, computed as on every machine; `None` if it is not finite, where the
/// function would report an error.
fn of_the_library(op: Op, arguments: &[Number], ty: Arith) -> Option<Number> {
    let value = match ty {
        Arith::Float => {
            let arguments: Vec<f32> = arguments.iter().map(|a| a.float()).collect();
            Number::Float(value_real32(op, &arguments, Math::Portable)?)
        }
        Arith::Double => {
            let arguments: Vec<f64> = arguments.iter().map(|a| a.double()).collect();
            Number::Double(value_real(op, &arguments, Math::Portable)?)
        }
        Arith::Int(_) => return None,
    };
    value.double().is_finite().then_some(value)
}

/// The value of a compiler's function that counts the bits of a number; `None` where it is undefined.
fn count_of_bits(name: &str, value: i128) -> Option<u32> {
    let stem = name.trim_end_matches('l');
    let bits = if stem == name { 32 } else { 64 };
    let value = value.rem_euclid(1 << bits) as u64;
    let has_bits = value != 0;
    match stem {
        "popcount" => Some(value.count_ones()),
        "parity" => Some(value.count_ones() % 2),
        "ffs" => Some(if has_bits {
            value.trailing_zeros() + 1
        } else {
            0
        }),
        "ctz" => has_bits.then(|| value.trailing_zeros()),
        "clz" => has_bits.then(|| value.leading_zeros() - (64 - bits)),
        _ => None,
    }
}

fn unary(op: Unary, a: Number) -> Option<Number> {
    match (op, a) {
        (Unary::Not, a) => Some(Number::Int(a.is_zero().into(), Int::Int)),
        (_, Number::Int(a, ty)) => {
            let ty = ty.promote();
            let (value, ty) = match op {
                Unary::Plus => (a, ty),
                Unary::Minus => fit(-a, ty)?,
                Unary::BitNot => (ty.wrap(!a), ty),
                Unary::Not | Unary::Deref | Unary::Address => return None,
            };
            Some(Number::Int(value, ty))
        }
        (Unary::Plus, a) => Some(a),
        (Unary::Minus, Number::Float(a)) => Some(Number::Float(-a)),
        (Unary::Minus, Number::Double(a)) => Some(Number::Double(-a)),
        _ => None,
    }
}

/// The value of an operator with a real operand.
fn binary_of_reals(op: Binary, a: Number, b: Number) -> Option<Number> {
    let truth = |t: bool| Some(Number::Int(t.into(), Int::Int));
    match op {
        Binary::And => return truth(!a.is_zero() && !b.is_zero()),
        Binary::Or => return truth(!a.is_zero() || !b.is_zero()),
        _ => {}
    }
    let single = a.ty().usual_conversion(b.ty()) == Arith::Float;
    // Doubles compare `float` operands exactly, but an integer operand must be rounded to `float` first.
    let (x, y) = match single {
        true => (f64::from(a.float()), f64::from(b.float())),
        false => (a.double(), b.double()),
    };
    let value = match op {
        Binary::Lt => return truth(x < y),
        Binary::Gt => return truth(x > y),
        Binary::Le => return truth(x <= y),
        Binary::Ge => return truth(x >= y),
        Binary::Eq => return truth(x == y),
        Binary::Ne => return truth(x != y),
        // Rounding the double-precision result to single gives the single-precision result: double has more than
        // twice the digits.
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x / y,
        _ => return None,
    };
    Some(match single {
        true => Number::Float(value as f32),
        false => Number::Double(value),
    })
}

/// The size of an operand of `sizeof`, where arrays and texts do not become pointers.
fn size_of_operand(unit: &Unit, e: ExprId, depth: usize) -> Option<i128> {
    let mut e = e;
    while let ExprKind::Unary(Unary::Deref, a) = unit.expr(e).kind
        && let ExprKind::Unary(Unary::Address, of) = unit.expr(a).kind
    {
        e = of;
    }
    match &unit.expr(e).kind {
        ExprKind::Str(bytes) => Some(bytes.as_ref()?.len() as i128 + 1),
        _ => size(unit, unit.expr(e).ty.as_ref()?, depth),
    }
}

/// The size of `long double`, which is read as `double`.
const LONG_DOUBLE: i128 = 16;

/// The size of a type in bytes.
pub(crate) fn size(unit: &Unit, ty: &Qualified, depth: usize) -> Option<i128> {
    let depth = depth.checked_sub(1)?;
    match &ty.ty {
        Type::Arith(_) if ty.long_double => Some(LONG_DOUBLE),
        Type::Arith(own) => Some(ty.width.map_or(*own, |width| Arith::Int(width.of)).size()),
        Type::Pointer(_) => Some(8),
        Type::Array(of, Some(extent)) => {
            let (extent, _) = within(unit, *extent, depth)?;
            size(unit, of, depth)?.checked_mul(extent)
        }
        Type::Struct(s) => Some(laid_out(unit, *s, None, depth)?.0),
        Type::Array(_, None) | Type::Void | Type::Function(_) | Type::Refused(_) => None,
    }
}

/// True if the members of a structure lie where compilers have them. `long double` is read as `double`.
pub(crate) fn has_known_places(unit: &Unit, s: StructId) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![s];
    while let Some(s) = open.pop() {
        for member in unit.structure(s).declared_members() {
            let element = member.ty.element();
            match element.ty {
                Type::Struct(inner) if seen.insert(inner) => open.push(inner),
                _ if element.long_double || element.width.is_some() => return false,
                _ => {}
            }
        }
    }
    size(unit, &Qualified::unqualified(Type::Struct(s)), MAX_DEPTH).is_some()
}

/// Where a member of a structure begins.
pub(crate) fn beginning(unit: &Unit, s: StructId, member: &str) -> Option<i128> {
    first_bit(unit, s, member).map(|bits| bits / 8)
}

/// The bits before a member of a structure.
pub(crate) fn first_bit(unit: &Unit, s: StructId, member: &str) -> Option<i128> {
    laid_out(unit, s, Some(member), MAX_DEPTH).map(|(_, begin)| begin)
}

/// The size of a structure, and the bits before a member of it.
fn laid_out(unit: &Unit, s: StructId, member: Option<&str>, depth: usize) -> Option<(i128, i128)> {
    if unit.structure(s).packed {
        return None;
    }
    // Ends and beginnings are counted in bits.
    let (mut end, mut widest, mut found) = (0i128, 8, 0);
    for m in unit.structure(s).declared_members() {
        let align = alignment(unit, &m.ty, depth)?.checked_mul(8)?;
        let width = m.ty.width.map(|width| i128::from(width.bits));
        let begin = match width {
            _ if unit.structure(s).union => 0,
            // A bit-field does not straddle two units of its type.
            Some(bits) if end % align + bits <= align => end,
            _ => rounded(end, align)?,
        };
        let own = match m.ty.ty {
            // A flexible array member adds nothing to the size.
            Type::Array(_, None) => 0,
            _ => size(unit, &m.ty, depth)?.checked_mul(8)?,
        };
        let own = width.unwrap_or(own);
        end = end.max(begin.checked_add(own)?);
        widest = widest.max(align);
        if let Some(member) = member
            && let Some(within) = beginning_within(unit, m, member, depth)
        {
            found = begin.checked_add(within)?;
        }
    }
    Some((rounded(end, widest)? / 8, found))
}

/// The bits from the beginning of `m` to the member: `m` itself, or a member inside of an unnamed `m`.
fn beginning_within(unit: &Unit, m: &Member, member: &str, depth: usize) -> Option<i128> {
    match m.ty.ty {
        _ if *m.name == *member => Some(0),
        Type::Struct(inner) if structures::has_within(unit, m, member) => {
            laid_out(unit, inner, Some(member), depth.checked_sub(1)?).map(|(_, begin)| begin)
        }
        _ => None,
    }
}

/// The size, rounded up to a multiple of `of`, which is positive.
fn rounded(size: i128, of: i128) -> Option<i128> {
    size.checked_add((of - size.rem_euclid(of)) % of)
}

/// The alignment of a type in bytes.
pub(crate) fn alignment_of(unit: &Unit, ty: &Qualified) -> Option<i128> {
    alignment(unit, ty, MAX_DEPTH)
}

fn alignment(unit: &Unit, ty: &Qualified, depth: usize) -> Option<i128> {
    let depth = depth.checked_sub(1)?;
    match &ty.ty {
        Type::Array(of, _) => alignment(unit, of, depth),
        Type::Struct(s) => {
            let members = unit.structure(*s).declared_members().iter();
            let mut all = members.map(|m| alignment(unit, &m.ty, depth));
            all.try_fold(1, |most, align| Some(most.max(align?)))
        }
        Type::Arith(_) | Type::Pointer(_) | Type::Void | Type::Function(_) | Type::Refused(_) => {
            size(unit, ty, depth)
        }
    }
}

/// The value of a pointer or array that is made from a number alone, such as `&((struct s *)0)->v[2]`, the idiom for
/// the offset of a member.
fn address(unit: &Unit, e: ExprId, depth: usize) -> Option<i128> {
    let depth = depth.checked_sub(1)?;
    let node = unit.expr(e);
    let moved = |p: ExprId, by: ExprId, back: bool| {
        let size = size(unit, unit.expr(p).ty.as_ref()?.target()?, depth)?;
        let by = within(unit, by, depth)?.0.checked_mul(size)?;
        address(unit, p, depth)?.checked_add(if back { -by } else { by })
    };
    match &node.kind {
        ExprKind::Cast(_, a) if unit.is_pointer(*a) => address(unit, *a, depth),
        ExprKind::Cast(_, a) => within(unit, *a, depth).map(|(value, _)| value),
        ExprKind::Unary(Unary::Address, of) => place_address(unit, *of, depth),
        ExprKind::Binary(Binary::Add, a, b) if unit.is_pointer(*a) => moved(*a, *b, false),
        ExprKind::Binary(Binary::Add, a, b) => moved(*b, *a, false),
        ExprKind::Binary(Binary::Sub, a, b) if unit.is_pointer(*a) => moved(*a, *b, true),
        _ if unit.is_array(e) => place_address(unit, e, depth),
        _ => None,
    }
}

/// The address of a place to which such a pointer leads.
fn place_address(unit: &Unit, e: ExprId, depth: usize) -> Option<i128> {
    let depth = depth.checked_sub(1)?;
    match &unit.expr(e).kind {
        ExprKind::Unary(Unary::Deref, a) => address(unit, *a, depth),
        ExprKind::Index(a, i) => {
            let (a, i) = if unit.is_pointer(*a) {
                (*a, *i)
            } else {
                (*i, *a)
            };
            let size = size(unit, unit.expr(e).ty.as_ref()?, depth)?;
            let by = within(unit, i, depth)?.0.checked_mul(size)?;
            address(unit, a, depth)?.checked_add(by)
        }
        ExprKind::Member(of, name, arrow) => {
            let (s, _) = unit.member_of(e)?;
            let base = match arrow {
                true => address(unit, *of, depth)?,
                false => place_address(unit, *of, depth)?,
            };
            base.checked_add(laid_out(unit, s, Some(name), depth)?.1 / 8)
        }
        _ => None,
    }
}

fn fit(value: i128, ty: Int) -> Option<(i128, Int)> {
    if !ty.is_signed() {
        return Some((ty.wrap(value), ty));
    }
    ty.contains(value).then_some((value, ty))
}

/// The value of an operator; `None` if C leaves it undefined.
pub(crate) fn binary(
    op: Binary,
    (a, at): (i128, Int),
    (b, bt): (i128, Int),
) -> Option<(i128, Int)> {
    let shift = matches!(op, Binary::Shl | Binary::Shr);
    let ty = if shift { at.promote() } else { at.common(bt) };
    let (x, y) = if shift {
        (a, b)
    } else {
        (ty.wrap(a), ty.wrap(b))
    };
    let truth = |t: bool| Some((i128::from(t), Int::Int));
    match op {
        Binary::Add => fit(x + y, ty),
        Binary::Sub => fit(x - y, ty),
        Binary::Mul => fit(x.checked_mul(y)?, ty),
        Binary::Div => fit(x.checked_div(y)?, ty),
        Binary::Rem => fit(x.checked_rem(y)?, ty),
        Binary::Shl => {
            let count = u32::try_from(y).ok().filter(|c| *c < ty.bits())?;
            if ty.is_signed() && x < 0 {
                return None;
            }
            fit(x << count, ty)
        }
        Binary::Shr => {
            let count = u32::try_from(y).ok().filter(|c| *c < ty.bits())?;
            fit(x >> count, ty)
        }
        Binary::BitAnd => fit(x & y, ty),
        Binary::BitXor => fit(x ^ y, ty),
        Binary::BitOr => fit(x | y, ty),
        Binary::Lt => truth(x < y),
        Binary::Gt => truth(x > y),
        Binary::Le => truth(x <= y),
        Binary::Ge => truth(x >= y),
        Binary::Eq => truth(x == y),
        Binary::Ne => truth(x != y),
        Binary::And => truth(a != 0 && b != 0),
        Binary::Or => truth(a != 0 || b != 0),
        Binary::Comma => None,
    }
}
