//! Functions of other files that can change nothing here, such as error handlers and loggers: calls of them are left
//! out, with a warning.
//!
//! Such a function returns nothing, takes numbers, texts and pointers to constants only, and no global that it could
//! name is used here. A function that does not return stops the program, whatever it takes and changes.

use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Unit},
    calls::reachable,
    math::How,
    points::strip_conversions,
    source::Sink,
    types::{Qualified, Type},
};
use std::collections::BTreeMap;

/// Leaves out calls of such functions in the functions `roots` and their callees.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize], sink: &Sink) {
    let mut calls: BTreeMap<DeclId, Vec<ExprId>> = BTreeMap::new();
    let mut names: BTreeMap<DeclId, usize> = BTreeMap::new();
    let mut is_global_used = false;
    for f in reachable(unit, roots) {
        for e in unit.functions[f].part.clone().map(ExprId) {
            match unit.expr(e).kind {
                ExprKind::Name(d) => {
                    let decl = unit.decl(d);
                    let named_elsewhere = decl.kind == DeclKind::Global && !decl.internal;
                    is_global_used |=
                        named_elsewhere && !decl.ty.constant && !sink.is_header(decl.at);
                    *names.entry(d).or_default() += 1;
                }
                ExprKind::Call(callee, _) => {
                    if let ExprKind::Name(d) = unit.expr(callee).kind
                        && is_unseen(unit, d)
                    {
                        calls.entry(d).or_default().push(e);
                    }
                }
                _ => {}
            }
        }
    }
    for (d, calls) in calls {
        // A function that is named other than in calls may be called through a pointer.
        if names.get(&d) != Some(&calls.len()) {
            continue;
        }
        let nothing = || !is_global_used && calls.iter().all(|e| changes_nothing(unit, *e));
        let how = match unit.decl(d).noreturn {
            true => How::Stop,
            false if nothing() => How::Unseen,
            false => continue,
        };
        unit.decls[d.index()].library = Some(how);
    }
}

/// True of functions that return nothing and are defined elsewhere.
fn is_unseen(unit: &Unit, d: DeclId) -> bool {
    let decl = unit.decl(d);
    let nothing = match &decl.ty.ty {
        Type::Function(signature) => signature.result.ty == Type::Void && !signature.open,
        _ => false,
    };
    nothing && decl.definition.is_none() && decl.library.is_none()
}

/// True of a call whose arguments give no way to write to anything.
fn changes_nothing(unit: &Unit, call: ExprId) -> bool {
    let ExprKind::Call(f, arguments) = &unit.expr(call).kind else {
        return false;
    };
    let Some(Type::Function(signature)) = unit.expr(*f).ty.as_ref().map(|ty| &ty.ty) else {
        return false;
    };
    let declared = signature.parameters.iter();
    let parameters = declared.map(|p| Some(&p.ty)).chain(std::iter::repeat(None));
    arguments.len() >= signature.parameters.len()
        && (arguments.iter().zip(parameters))
            .all(|(a, p)| is_text(unit, *a) || p.or(unit.expr(*a).ty.as_ref()).is_some_and(is_read))
}

/// True of numbers and of pointers to constants that lead to no others.
fn is_read(ty: &Qualified) -> bool {
    match &ty.ty {
        Type::Arith(_) => true,
        Type::Pointer(to) => to.constant && matches!(to.ty, Type::Arith(_) | Type::Void),
        Type::Array(..) | Type::Struct(_) | Type::Void | Type::Function(_) | Type::Refused(_) => {
            false
        }
    }
}

/// True of texts in quotes.
fn is_text(unit: &Unit, e: ExprId) -> bool {
    match unit.expr(strip_conversions(unit, e)).kind {
        ExprKind::Str(_) => true,
        ExprKind::Conditional(_, a, b) => [a, b]
            .map(|e| strip_conversions(unit, e))
            .iter()
            .all(|e| matches!(unit.expr(*e).kind, ExprKind::Str(_))),
        _ => false,
    }
}
