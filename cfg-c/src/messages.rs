//! Leaves out arguments for messages. A function can only print the arguments behind its last parameter, as in
//! `die("no root near %g", x)`, since `va_arg` is refused. The arguments of a handler that nothing sets, a null
//! pointer to a function, are not used at all.

use crate::{
    ast::{DeclKind, ExprId, ExprKind, Unary, Unit},
    calls::reachable,
    points::{assigned_values, is_null},
    telling::Telling,
    texts::erase_expr,
    types::Type,
};
use std::{collections::HashSet, rc::Rc};

/// Leaves out the arguments of calls through variables that are always null: such a call is a run-time error.
pub(crate) fn leave_out_for_nobody(unit: &mut Unit) {
    for e in 0..unit.exprs.len() {
        let ExprKind::Call(callee, arguments) = &unit.exprs[e].kind else {
            continue;
        };
        let mut callee = *callee;
        while let ExprKind::Unary(Unary::Deref, a) = unit.expr(callee).kind {
            callee = a;
        }
        let ExprKind::Name(d) = unit.expr(callee).kind else {
            continue;
        };
        let decl = unit.decl(d);
        let is_kept = matches!(decl.kind, DeclKind::Global | DeclKind::Static);
        let is_known = is_kept && !decl.external && !decl.address;
        if is_known && assigned_values(unit, d).iter().all(|e| is_null(unit, *e)) {
            for a in Rc::clone(arguments).iter() {
                erase_expr(unit, *a);
            }
        }
    }
}

/// Leaves out arguments without effects behind the last parameter of functions with a variable number of arguments.
/// Functions that are named other than in calls stay as they are.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize], telling: &Telling) {
    let mut closed: HashSet<usize> = HashSet::new();
    for f in reachable(unit, roots) {
        let decl = unit.decl(unit.functions[f].decl);
        let Type::Function(signature) = &decl.ty.ty else {
            continue;
        };
        if signature.variadic && !roots.contains(&f) {
            closed.insert(f);
        }
    }
    if closed.is_empty() {
        return;
    }
    let mut callees: HashSet<ExprId> = HashSet::new();
    let mut calls = Vec::new();
    for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
        let Some((f, arguments)) = unit.own_call(e) else {
            continue;
        };
        if let ExprKind::Call(callee, _) = unit.expr(e).kind {
            callees.insert(callee);
        }
        let count = unit.functions[f].parameters.len();
        let more = arguments.get(count..).unwrap_or_default();
        let stays = |a: &ExprId| unit.expr(*a).effects && !telling.only_tells(unit, *a);
        if more.iter().any(stays) {
            closed.remove(&f);
        }
        calls.push((e, f, count));
    }
    for (e, node) in unit.exprs.iter().enumerate() {
        if let ExprKind::Name(d) = node.kind
            && let Some(f) = unit.decl(d).definition
            && !callees.contains(&ExprId(e as u32))
        {
            closed.remove(&f);
        }
    }
    for (e, f, count) in calls {
        if let ExprKind::Call(_, arguments) = &mut unit.exprs[e.index()].kind
            && closed.contains(&f)
            && count < arguments.len()
        {
            let left = arguments[count..].to_vec();
            *arguments = Rc::from(&arguments[..count]);
            for a in left {
                erase_expr(unit, a);
            }
        }
    }
    for decl in &mut unit.decls {
        if let (Some(f), Type::Function(signature)) = (decl.definition, &mut decl.ty.ty)
            && closed.contains(&f)
        {
            Rc::make_mut(signature).variadic = false;
        }
    }
}
