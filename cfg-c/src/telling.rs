//! Calls of functions that only tell something, as `name_of(status)` among the arguments of a message: all that they
//! change is their own variables. Where what they return is not asked, they need not be called.

use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Unit},
    math::How,
    types::Type,
};
use std::collections::BTreeSet;

/// True of an expression that may be left out where its value is not asked.
pub(crate) fn only_tells(unit: &Unit, e: ExprId) -> bool {
    let mut called: Vec<usize> = Vec::new();
    let mut of_expression = Vec::new();
    unit.walk(e, &mut |e| of_expression.push(e));
    let nothing = |_| false;
    if !(of_expression.into_iter()).all(|e| changes_own(unit, e, &nothing, &mut called)) {
        return false;
    }
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    while let Some(f) = called.pop() {
        if !seen.insert(f) {
            continue;
        }
        let function = &unit.functions[f];
        let own = |d: DeclId| {
            let decl = unit.decl(d);
            let is_variable = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter);
            is_variable && (function.parameters.contains(&d) || decl.function == Some(f))
        };
        let mut part = function.part.clone().map(ExprId);
        if function.given.is_some() || !part.all(|e| changes_own(unit, e, &own, &mut called)) {
            return false;
        }
    }
    true
}

/// True if an expression itself changes nothing but these variables; functions that it calls are added.
fn changes_own(
    unit: &Unit,
    e: ExprId,
    own: &impl Fn(DeclId) -> bool,
    called: &mut Vec<usize>,
) -> bool {
    match &unit.expr(e).kind {
        ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
            is_part_of(unit, *target, own)
        }
        ExprKind::Call(f, _) => {
            if let Some((g, _)) = unit.own_call(e) {
                called.push(g);
                return true;
            }
            let ExprKind::Name(d) = unit.expr(*f).kind else {
                return false;
            };
            let decl = unit.decl(d);
            let reads = match &decl.ty.ty {
                Type::Function(signature) => {
                    let targets = signature.parameters.iter().filter_map(|p| p.ty.target());
                    targets.into_iter().all(|to| to.constant)
                }
                _ => false,
            };
            match decl.how() {
                // Calls that print are left out.
                Some(How::Passive | How::Silent) => true,
                how => reads && how.is_some_and(How::is_pure),
            }
        }
        ExprKind::Inlined(_) => false,
        _ => true,
    }
}

/// True of one of these variables, or of a part of one, that no pointer leads to.
fn is_part_of(unit: &Unit, place: ExprId, own: &impl Fn(DeclId) -> bool) -> bool {
    let mut e = place;
    loop {
        e = match unit.expr(e).kind {
            ExprKind::Name(d) => return own(d),
            ExprKind::Literal(_) => return true,
            ExprKind::Member(of, _, false) => of,
            ExprKind::Index(a, _) if unit.is_array(a) => a,
            _ => return false,
        };
    }
}
