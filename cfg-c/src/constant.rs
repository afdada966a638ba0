//! Integer constant expressions.

use crate::{
    ast::{Binary, ExprId, ExprKind, Unary, Unit},
    types::{Arith, Int, Type},
};

/// Deeper expressions have no value.
const MAX_DEPTH: usize = 300;

/// The value of an integer constant expression, and its type.
pub(crate) fn integer(unit: &Unit, e: ExprId) -> Option<(i128, Int)> {
    within(unit, e, MAX_DEPTH)
}

fn within(unit: &Unit, e: ExprId, depth: usize) -> Option<(i128, Int)> {
    let depth = depth.checked_sub(1)?;
    match &unit.expr(e).kind {
        ExprKind::Int(value, Arith::Int(ty)) => Some((*value, *ty)),
        ExprKind::Unary(op, a) => {
            let (a, ty) = within(unit, *a, depth)?;
            let ty = ty.promoted();
            match op {
                Unary::Plus => Some((a, ty)),
                Unary::Minus => fit(-a, ty),
                Unary::BitNot => fit(ty.wrap(!a), ty),
                Unary::Not => Some((i128::from(a == 0), Int::Int)),
                Unary::Deref | Unary::Address => None,
            }
        }
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (within(unit, *a, depth)?, within(unit, *b, depth)?);
            binary(*op, a, b)
        }
        ExprKind::Conditional(c, a, b) => {
            let (c, _) = within(unit, *c, depth)?;
            let (a, b) = (within(unit, *a, depth)?, within(unit, *b, depth)?);
            let ty = a.1.common(b.1);
            Some((ty.wrap(if c != 0 { a.0 } else { b.0 }), ty))
        }
        ExprKind::Cast(ty, a) => match ty.ty {
            Type::Arith(Arith::Int(to)) => {
                let (a, _) = within(unit, *a, depth)?;
                Some((to.wrap(a), to))
            }
            _ => None,
        },
        ExprKind::SizeofType(ty) => Some((size(unit, &ty.ty, depth)?, Int::ULong)),
        ExprKind::SizeofExpr(a) => {
            let ty = unit.expr(*a).ty.as_ref()?;
            Some((size(unit, &ty.ty, depth)?, Int::ULong))
        }
        _ => None,
    }
}

/// The size of a type in bytes.
pub(crate) fn size(unit: &Unit, ty: &Type, depth: usize) -> Option<i128> {
    let depth = depth.checked_sub(1)?;
    match ty {
        Type::Arith(ty) => Some(ty.size()),
        Type::Pointer(_) => Some(8),
        Type::Array(of, Some(extent)) => {
            let (extent, _) = within(unit, *extent, depth)?;
            size(unit, &of.ty, depth)?.checked_mul(extent)
        }
        Type::Struct(s) => {
            let (mut end, mut widest) = (0i128, 1);
            for member in &unit.structure(*s).members {
                let align = alignment(unit, &member.ty.ty, depth)?;
                let size = size(unit, &member.ty.ty, depth)?;
                end = rounded(end, align)?.checked_add(size)?;
                widest = widest.max(align);
            }
            rounded(end, widest)
        }
        Type::Array(_, None) | Type::Void | Type::Function(_) | Type::Refused(_) => None,
    }
}

/// The next multiple of a positive number.
fn rounded(size: i128, of: i128) -> Option<i128> {
    size.checked_add((of - size.rem_euclid(of)) % of)
}

/// What the address of a value of a type is a multiple of.
fn alignment(unit: &Unit, ty: &Type, depth: usize) -> Option<i128> {
    let depth = depth.checked_sub(1)?;
    match ty {
        Type::Array(of, _) => alignment(unit, &of.ty, depth),
        Type::Struct(s) => {
            let members = unit.structure(*s).members.iter();
            let mut all = members.map(|m| alignment(unit, &m.ty.ty, depth));
            all.try_fold(1, |most, align| Some(most.max(align?)))
        }
        Type::Arith(_) | Type::Pointer(_) | Type::Void | Type::Function(_) | Type::Refused(_) => {
            size(unit, ty, depth)
        }
    }
}

fn fit(value: i128, ty: Int) -> Option<(i128, Int)> {
    if !ty.signed() {
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
    let ty = if shift { at.promoted() } else { at.common(bt) };
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
            if ty.signed() && x < 0 {
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
