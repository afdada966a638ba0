//! Validation of statements: assignments, pushes, pops, opaque statements; calls are in [`super::calls`].

use super::{
    calls,
    checker::{At, Checker},
    expressions::Shaped,
    targets::{assignable, check_writable, writable_place},
};
use crate::diagnostic::site::{Element, Part};
use crate::{
    codes,
    entity::VarId,
    ir::{ControlWidth, Expr, Place, ScalarType, Stmt, StmtKind, TapeClass, VertexKind},
};

pub(super) fn check(c: &mut Checker<'_>) {
    let Some(cfg) = &c.routine.body else { return };
    for (v, vertex) in cfg.vertices() {
        if let VertexKind::Block(statements) = &vertex.kind {
            for (s, statement) in statements.iter().enumerate() {
                check_statement(c, Element::Statement(v, s), statement);
            }
        }
    }
}

fn check_statement(c: &mut Checker<'_>, base: Element, statement: &Stmt) {
    let kind = &statement.kind;
    let target_site = At::new(base, Part::Target);
    match kind {
        StmtKind::Assign { target, value } => {
            writable_place(c, target_site, target);
            let left = c.check_place(target_site, target);
            let right = c.check_expr(At::new(base, Part::Value), value);
            if let (Some(left), Some(right)) = (left, right) {
                assignable(c, At::whole(base), target, &left, Some(value), &right);
            }
        }
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => calls::check(c, base, *callee, arguments, result.as_ref()),
        StmtKind::Push { tape, class, value } => {
            check_tape(c, At::whole(base), *tape);
            let site = At::new(base, Part::Value);
            if let Some(found) = c.check_expr(site, value) {
                check_class(c, site, *class, &found);
            }
        }
        StmtKind::Pop {
            tape,
            class,
            target,
        } => {
            check_tape(c, At::whole(base), *tape);
            writable_place(c, target_site, target);
            if let Some(found) = c.check_place(target_site, target) {
                check_class(c, target_site, *class, &found);
            }
        }
        StmtKind::Opaque {
            text: _,
            reads: _,
            writes,
        } => {
            for (i, &v) in writes.iter().enumerate() {
                check_writable(c, At::new(base, Part::Writes).index(i), v);
            }
        }
        StmtKind::Stop { text: _ } => {}
        StmtKind::Allocate { pointer, count, .. } | StmtKind::Resize { pointer, count } => {
            writable_place(c, target_site, pointer);
            check_pointer(c, target_site, pointer);
            check_count(c, At::new(base, Part::Value), count);
        }
        StmtKind::Free { pointer } => check_pointer(c, target_site, pointer),
    }
}

/// Checks that the target of `allocate`, `free` or `resize` is a scalar pointer.
fn check_pointer(c: &mut Checker<'_>, site: At, pointer: &Place) {
    let Some(found) = c.check_place(site, pointer) else {
        return;
    };
    if found.ty.ty.pointer().is_none() || found.ty.rank > 0 {
        c.error(
            site,
            &codes::POINTER,
            format!(
                "{} is {}, and no pointer to an object",
                c.name(pointer.var),
                found.ty
            ),
            "name a scalar that is declared with {\"pointer\": type}",
        );
    }
}

/// Checks that the number of elements of an object is an integer scalar.
fn check_count(c: &mut Checker<'_>, site: At, count: &Expr) {
    let Some(found) = c.check_index(site, count) else {
        return;
    };
    if !found.ty.ty.is_integer() || found.ty.rank > 0 {
        c.error(
            site,
            &codes::TYPE,
            format!("the number of elements is {}", found.ty),
            "write an integer scalar",
        );
    }
}

fn check_tape(c: &mut Checker<'_>, site: At, tape: VarId) {
    let name = c.name(tape);
    if c.variable(tape).ty != ScalarType::Tape {
        c.error(
            site,
            &codes::TAPE_VARIABLE,
            format!("{name} is not a tape"),
            "name a variable of type tape",
        );
    }
    check_writable(c, site, tape);
}

fn check_class(c: &mut Checker<'_>, site: At, class: TapeClass, found: &Shaped) {
    let ty = found.ty.ty;
    let (fits, wanted) = match class {
        TapeClass::Integer => (ty.is_integer(), "an integer"),
        TapeClass::Real => (ty == ScalarType::Real, "a real"),
        TapeClass::Real32 => (ty == ScalarType::Real32, "a real32"),
        TapeClass::Disk => (
            !matches!(
                ty,
                ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_)
            ),
            "a number or a logical",
        ),
        TapeClass::Control(ControlWidth::Count) => (ty == ScalarType::Integer, "an integer"),
        TapeClass::Control(ControlWidth::Bits(1)) => (
            matches!(ty, ScalarType::Integer | ScalarType::Logical),
            "an integer or a logical",
        ),
        TapeClass::Control(ControlWidth::Bits(bits)) => {
            if !(1..=63).contains(&bits) {
                c.error(
                    site,
                    &codes::TAPE_CLASS,
                    format!("a control value has {bits} bits"),
                    "use 1 to 63 bits, or \"count\"",
                );
            }
            (ty == ScalarType::Integer, "an integer")
        }
    };
    if !fits {
        c.error(
            site,
            &codes::TAPE_CLASS,
            format!(
                "class {} takes {wanted}, this is {}",
                class.name(),
                found.ty
            ),
            "use the class of the value's type",
        );
    }
}
