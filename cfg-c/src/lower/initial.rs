//! Initial values: of globals and static variables, which are constants, and of local arrays.

use super::{Failed, Lower, Lowered, value::literal};
use crate::{
    ast::{DeclId, Designator, ExprId, ExprKind, Init, Unary, Unit},
    codes, constant,
    source::Pos,
    types::{Arith, Int, Type},
};
use cfg_core::{
    builder::VarType,
    entity::GlobalId,
    ir::{Dim, Expr, Extent, Order},
};

/// Elements of globals.
const MAX_ELEMENTS: i64 = 1 << 24;

/// The elements that a list in braces gives, by their place in storage order.
pub(super) fn elements(
    l: &mut Lower<'_>,
    extents: &[i64],
    init: &Init,
    at: Pos,
) -> Lowered<Vec<(i64, ExprId)>> {
    let mut out = Vec::new();
    match init {
        Init::Expr(e) if extents.is_empty() => out.push((0, *e)),
        Init::Expr(e) => {
            let at = l.unit.expr(*e).at;
            l.sink.error(
                &codes::INITIAL,
                at,
                "an array is initialised by a value",
                "write the values in braces",
            );
            return Err(Failed);
        }
        Init::List(list, at) => fill(l, extents, list, *at, 0, &mut out)?,
    }
    let _ = at;
    Ok(out)
}

type List = [(Vec<Designator>, Init)];

/// Recursion is as deep as braces nest, which the parser limits.
fn fill(
    l: &mut Lower<'_>,
    extents: &[i64],
    list: &List,
    at: Pos,
    start: i64,
    out: &mut Vec<(i64, ExprId)>,
) -> Lowered<()> {
    let Some((&extent, inner)) = extents.split_first() else {
        return match list {
            [(designators, Init::Expr(e))] if designators.is_empty() => {
                out.push((start, *e));
                Ok(())
            }
            _ => {
                l.sink.error(
                    &codes::INITIAL,
                    at,
                    "a number is initialised by several values",
                    "give one",
                );
                Err(Failed)
            }
        };
    };
    let size: i64 = inner.iter().fold(1, |a, b| a.saturating_mul(*b));
    let end = extent.saturating_mul(size);
    // The next element, counted from the start of this list.
    let mut next = 0i64;
    for (designators, value) in list {
        match &designators[..] {
            [] => {}
            [Designator::Index(e)] => {
                let Some((k, _)) = constant::integer(l.unit, *e) else {
                    let at = l.unit.expr(*e).at;
                    l.sink.error(
                        &codes::VALUE,
                        at,
                        "a designator is no constant",
                        "write a number",
                    );
                    return Err(Failed);
                };
                next = i64::try_from(k).unwrap_or(i64::MAX).saturating_mul(size);
            }
            [Designator::Field(at), ..] | [_, Designator::Field(at), ..] => {
                l.sink.error(
                    &codes::TYPE,
                    *at,
                    "structures are not supported",
                    "use arrays",
                );
                return Err(Failed);
            }
            _ => {
                l.sink.error(
                    &codes::INITIAL,
                    at,
                    "several designators in a row are not supported",
                    "write braces for each level",
                );
                return Err(Failed);
            }
        }
        let list_value = matches!(value, Init::List(..));
        if list_value && next % size.max(1) != 0 {
            next = (next / size + 1).saturating_mul(size);
        }
        if next < 0 || next >= end {
            l.sink.error(
                &codes::INITIAL,
                at,
                "there are more values than elements",
                "give at most one for each element",
            );
            return Err(Failed);
        }
        match value {
            Init::Expr(e) => {
                out.push((start + next, *e));
                next += 1;
            }
            Init::List(list, at) => {
                fill(l, inner, list, *at, start + next, out)?;
                next += size;
            }
        }
    }
    Ok(())
}

/// The number of elements of an array of one dimension whose extent is left out.
pub(super) fn length(l: &mut Lower<'_>, list: &List, at: Pos) -> Lowered<i64> {
    let mut out = Vec::new();
    fill(l, &[i64::MAX], list, at, 0, &mut out)?;
    Ok(out.iter().map(|(k, _)| k + 1).max().unwrap_or(0))
}

/// Declares a global or static variable.
pub(super) fn global(l: &mut Lower<'_>, d: DeclId) -> Lowered<GlobalId> {
    let unit = l.unit;
    let decl = unit.decl(d);
    let mut extents = Vec::new();
    let mut ty = &decl.ty;
    while let Type::Array(of, extent) = &ty.ty {
        let value = match (extent, &decl.init) {
            (Some(e), _) => {
                constant::integer(unit, *e).map(|(v, _)| i64::try_from(v).unwrap_or(-1))
            }
            (None, Some(Init::List(list, at)))
                if extents.is_empty() && !matches!(of.ty, Type::Array(..)) =>
            {
                Some(length(l, list, *at)?)
            }
            _ => None,
        };
        let Some(value) = value.filter(|v| *v > 0) else {
            let message = format!("an extent of {} is no positive constant", decl.name);
            l.sink
                .error(&codes::VALUE, decl.at, message, "write a number");
            return Err(Failed);
        };
        extents.push(value);
        ty = of;
    }
    let Type::Arith(elem) = ty.ty else {
        let message = format!(
            "{} is {}, which is not supported",
            decl.name,
            decl.ty.name()
        );
        l.sink.error(
            &codes::TYPE,
            decl.at,
            message,
            "use numbers and arrays of numbers",
        );
        return Err(Failed);
    };
    let count = extents.iter().fold(1i64, |a, b| a.saturating_mul(*b));
    if count > MAX_ELEMENTS {
        let message = format!("{} has more than {MAX_ELEMENTS} elements", decl.name);
        l.sink
            .error(&codes::LIMIT, decl.at, message, "pass it as a parameter");
        return Err(Failed);
    }
    let mut initial = None;
    if !decl.external {
        let mut values = vec![literal(0, elem)];
        if let Some(init) = &decl.init {
            let given = elements(l, &extents, init, decl.at)?;
            if !given.is_empty() && count > 1 {
                values = vec![literal(0, elem); count as usize];
            }
            for (k, e) in given {
                let Some(value) = number(unit, e, 300) else {
                    let at = unit.expr(e).at;
                    l.sink.error(
                        &codes::INITIAL,
                        at,
                        "the initial value is no constant",
                        "write a number",
                    );
                    return Err(Failed);
                };
                values[k as usize] = value.literal(elem);
            }
        }
        initial = Some(values);
    }
    if decl.address && extents.is_empty() {
        extents.push(1);
    }
    let shape = extents.iter().map(|n| Dim {
        lower: Expr::Int(0),
        extent: Extent::Fixed(Expr::Int(*n)),
    });
    let ty = VarType {
        ty: elem.scalar(),
        shape: shape.collect(),
        order: Order::Row,
    };
    let name = l.global_name(d);
    let id = l.program.global(name, ty);
    if let Some(values) = initial {
        l.program.initialize(id, values);
    }
    if let Some(span) = decl.at.to(decl.at) {
        l.program.global_span(id, span);
    }
    Ok(id)
}

/// A constant number.
#[derive(Clone, Copy)]
enum Number {
    Int(i128),
    Float(f32),
    Double(f64),
}

impl Number {
    fn double(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => f64::from(value),
            Self::Double(value) => value,
        }
    }

    /// In a type, as C converts it.
    fn literal(self, ty: Arith) -> Expr {
        match (self, ty) {
            (Self::Int(value), Arith::Int(int)) => literal(int.wrap(value), ty),
            (Self::Int(value), _) => literal(value, ty),
            (value, Arith::Double) => Expr::Real(value.double()),
            (Self::Float(value), Arith::Float) => Expr::Real32(value),
            (value, Arith::Float) => Expr::Real32(value.double() as f32),
            (value, Arith::Int(Int::Bool)) => Expr::Logical(value.double() != 0.0),
            (value, Arith::Int(int)) => literal(int.wrap(value.double() as i128), ty),
        }
    }
}

/// The value of a constant expression of numbers.
fn number(unit: &Unit, e: ExprId, depth: usize) -> Option<Number> {
    use crate::ast::Binary;
    if let Some((value, _)) = constant::integer(unit, e) {
        return Some(Number::Int(value));
    }
    let depth = depth.checked_sub(1)?;
    match &unit.expr(e).kind {
        ExprKind::Real(value) => Some(Number::Double(*value)),
        ExprKind::Float(value) => Some(Number::Float(*value)),
        ExprKind::Unary(Unary::Plus, a) => number(unit, *a, depth),
        ExprKind::Unary(Unary::Minus, a) => match number(unit, *a, depth)? {
            Number::Double(value) => Some(Number::Double(-value)),
            Number::Float(value) => Some(Number::Float(-value)),
            Number::Int(_) => None,
        },
        ExprKind::Cast(ty, a) => {
            let value = number(unit, *a, depth)?;
            match ty.arith()? {
                Arith::Double => Some(Number::Double(value.double())),
                Arith::Float => match value.literal(Arith::Float) {
                    Expr::Real32(value) => Some(Number::Float(value)),
                    _ => None,
                },
                Arith::Int(_) => None,
            }
        }
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (number(unit, *a, depth)?, number(unit, *b, depth)?);
            if !matches!(a, Number::Double(_)) && !matches!(b, Number::Double(_)) {
                return None;
            }
            let (a, b) = (a.double(), b.double());
            Some(Number::Double(match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                _ => return None,
            }))
        }
        _ => None,
    }
}
