//! Checks of places that are written: by assignments, pops, calls and counted loops.

use super::{
    checker::{At, Checker},
    expressions::Shaped,
};
use crate::{
    codes,
    entity::VarId,
    ir::{Expr, Place, ScalarType},
    text::Name,
    typing,
};

/// Reports a write to an `in` parameter.
pub(super) fn check_writable(c: &mut Checker<'_>, site: At, v: VarId) {
    if c.is_in(v) {
        let name = c.name(v);
        c.error(
            site,
            &codes::WRITE_IN,
            format!("the in parameter {name} is written"),
            format!("declare {name} inout, or copy it to a local variable first"),
        );
    }
}

/// Reports a write to a part of an `in` parameter. The target of a pointer that is an `in` parameter may be written.
pub(super) fn writable_place(c: &mut Checker<'_>, site: At, place: &Place) {
    if !place.is_through_pointer() {
        check_writable(c, site, place.var);
    }
}

/// Checks that the two sides have the same type and conforming shapes.
pub(super) fn assignable(
    c: &mut Checker<'_>,
    site: At,
    target: &Place,
    left: &Shaped,
    value: Option<&Expr>,
    right: &Shaped,
) {
    let name = c.name(target.var);
    if left.ty.ty != right.ty.ty || left.ty.ty == ScalarType::Tape {
        let help = match (left.ty.ty, value) {
            (ScalarType::Pointer(_), _) => {
                "assign a pointer to the same type; the pointer to a place is [\"addr\", place], in text addr(x)"
                    .to_owned()
            }
            _ if right.ty.ty.pointer().is_some() => typing::NAME_POINTED.to_owned(),
            (ScalarType::Tape, _) => "pass tapes as arguments".to_owned(),
            (ty, _) if ty.record().is_none() && right.ty.ty.record().is_some() => {
                typing::NAME_FIELD.to_owned()
            }
            (ScalarType::Real, Some(Expr::Int(i))) => format!("write {i}.0"),
            (ScalarType::Real32, Some(Expr::Int(i))) => {
                format!("write [\"real32\", {i}.0], in text {i}.0f")
            }
            (ScalarType::Integer, _) => {
                "convert the value with [\"int\", e], in text int(e)".to_owned()
            }
            (ScalarType::Sized(ty), Some(Expr::Int(i))) => {
                format!(
                    "write [\"const\", \"{0}\", {i}], in text {0}({i})",
                    ty.name()
                )
            }
            (ScalarType::Sized(ty), _) => format!(
                "convert the value with [\"to\", \"{0}\", e], in text {0}(e), or modulo with \"wrap\"",
                ty.name()
            ),
            (ScalarType::Record(_), _) => {
                "assign another record of the same type, or its fields one by one".to_owned()
            }
            (ty, _) => format!(
                "convert the value with [\"{0}\", e], in text {0}(e)",
                ty.name()
            ),
        };
        c.error(
            site,
            &codes::ASSIGN,
            match (left.ty.ty, right.ty.ty) {
                (ScalarType::Record(_), ScalarType::Record(_)) => format!(
                    "a record of type {} is assigned to {name}, which is {}",
                    Name(&c.program.type_name(right.ty.ty)),
                    Name(&c.program.type_name(left.ty.ty))
                ),
                (ScalarType::Pointer(_), ScalarType::Pointer(_)) => format!(
                    "a pointer of type {} is assigned to {name}, which is of type {}",
                    c.program.type_name(right.ty.ty),
                    c.program.type_name(left.ty.ty)
                ),
                _ => format!("{} is assigned to {name}, which is {}", right.ty, left.ty),
            },
            help,
        );
    } else if right.ty.rank == 0 && left.ty.rank != 0 && c.has_array_fields(left.ty.ty) {
        c.error(
            site,
            &codes::RECORD_USE,
            format!("{} with array fields is assigned to {}", right.ty, left.ty),
            "assign to one element after the other, in a loop",
        );
    } else if right.ty.rank != 0 && right.ty.rank != left.ty.rank {
        c.error(
            site,
            &codes::SHAPE,
            format!("{} is assigned to {}", right.ty, left.ty),
            "assign an array of the same shape, or a scalar",
        );
    } else if let Some((a, b)) = left.differs(right) {
        c.error(
            site,
            &codes::SHAPE,
            format!("an array with extent {b} is assigned to {name} where the extent is {a}"),
            "use sections of the same shape",
        );
    }
}
