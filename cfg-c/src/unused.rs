//! Removes unused parameters of unsupported types, with the arguments for them: the `void *context` of a function
//! that an optimiser calls, a `FILE *` that is only printed to, unions, texts as in `die("no memory")`, and
//! structures with functions in them.

use crate::{
    ast::{DeclId, ExprId, ExprKind, StructId, Unit},
    calls::holds_type,
    lower::is_recursive,
    math::How,
    points::how_called,
    telling::Telling,
    texts::erase_expr,
    types::{Arith, Int, Qualified, Type},
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// Removes the unused parameters.
pub(crate) fn leave_out(unit: &mut Unit, telling: &Telling) {
    let mut candidates = candidates(unit);
    if candidates.is_empty() {
        return;
    }
    let (mut used, handed_on) = uses(unit, &candidates, telling);
    // A parameter that is handed on is used if the parameter that it is handed to is.
    while let Some(d) = used.pop() {
        if candidates.remove(&d) {
            used.extend(handed_on.get(&d).into_iter().flatten());
        }
    }
    take_out(unit, &candidates);
}

/// True of a type without a value in POINT.
fn is_unread(unit: &Unit, ty: &Qualified) -> bool {
    holds_unread(unit, ty, |_| true)
}

/// True of a type that contains, or leads to, unsupported types, bit-fields, or unions for which `union` is true.
pub(crate) fn holds_unread(unit: &Unit, ty: &Qualified, union: impl Fn(StructId) -> bool) -> bool {
    let is_bit_field = |ty: &Qualified| ty.width.is_some();
    let unread = |ty: &Type| match ty {
        Type::Void | Type::Function(_) | Type::Refused(_) => true,
        Type::Struct(s) => {
            let structure = unit.structure(*s);
            !structure.complete
                || structure.union && union(*s)
                || structure.refused.is_some()
                || structure.members.iter().any(|m| is_bit_field(&m.ty))
        }
        Type::Arith(_) | Type::Pointer(_) | Type::Array(..) => false,
    };
    let is_text = ty.target().is_some() && ty.bottom().arith() == Some(Arith::Int(Int::Char));
    is_bit_field(ty) || is_text || holds_type(unit, ty, unread) || is_recursive(unit, ty)
}

/// The parameters of functions that are only called by their names, and without given derivatives.
fn candidates(unit: &Unit) -> HashSet<DeclId> {
    let mut called = HashSet::new();
    for node in &unit.exprs {
        if let ExprKind::Call(f, _) = node.kind {
            called.insert(f);
        }
    }
    let mut taken = HashSet::new();
    for (k, node) in unit.exprs.iter().enumerate() {
        if let ExprKind::Name(d) = node.kind
            && !called.contains(&ExprId(k as u32))
        {
            taken.extend(unit.decl(d).definition);
        }
    }
    let mut found = HashSet::new();
    for (f, function) in unit.functions.iter().enumerate() {
        let count = match &unit.decl(function.decl).ty.ty {
            Type::Function(signature) => signature.parameters.len(),
            _ => continue,
        };
        if function.given.is_none() && !taken.contains(&f) && count == function.parameters.len() {
            let own = function.parameters.iter().copied();
            found.extend(own.filter(|d| is_unread(unit, &unit.decl(*d).ty)));
        }
    }
    found.retain(|d| !unit.callbacks.contains_key(d));
    found
}

/// The candidates that are used, and for each candidate those that are handed to it.
fn uses(
    unit: &Unit,
    candidates: &HashSet<DeclId>,
    telling: &Telling,
) -> (Vec<DeclId>, HashMap<DeclId, Vec<DeclId>>) {
    let mut used = Vec::new();
    let mut handed_on: HashMap<DeclId, Vec<DeclId>> = HashMap::new();
    let mut allowed: HashSet<ExprId> = HashSet::new();
    for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
        match &unit.expr(e).kind {
            ExprKind::Cast(ty, a) if ty.ty == Type::Void => {
                allowed.insert(*a);
            }
            ExprKind::Call(_, arguments) => {
                if let Some((g, arguments)) = unit.own_call(e) {
                    let parameters = &unit.functions[g].parameters;
                    if parameters.len() != arguments.len() {
                        used.extend(parameters);
                    }
                    for (p, a) in parameters.iter().zip(arguments.iter()) {
                        if !candidates.contains(p) {
                            continue;
                        }
                        if unit.expr(*a).effects && !telling.only_tells(unit, *a) {
                            used.push(*p);
                        }
                        unit.walk(*a, &mut |e| {
                            allowed.insert(e);
                            if let ExprKind::Name(d) = unit.expr(e).kind {
                                handed_on.entry(*p).or_default().push(d);
                            }
                        });
                    }
                } else if how_called(unit, e).is_some_and(How::is_without_use) {
                    // Printed arguments without effects are not evaluated.
                    for a in arguments.iter().filter(|a| !unit.expr(**a).effects) {
                        unit.walk(*a, &mut |e| {
                            allowed.insert(e);
                        });
                    }
                }
            }
            _ => {}
        }
    }
    for (k, node) in unit.exprs.iter().enumerate() {
        if let ExprKind::Name(d) = node.kind
            && candidates.contains(&d)
            && !allowed.contains(&ExprId(k as u32))
        {
            used.push(d);
        }
    }
    (used, handed_on)
}

fn take_out(unit: &mut Unit, gone: &HashSet<DeclId>) {
    for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
        if let ExprKind::Cast(_, a) = unit.expr(e).kind
            && matches!(unit.expr(a).kind, ExprKind::Name(d) if gone.contains(&d))
        {
            erase_expr(unit, e);
        }
        let Some((g, arguments)) = unit.own_call(e) else {
            continue;
        };
        let parameters = &unit.functions[g].parameters;
        let (out, kept): (Vec<_>, Vec<_>) =
            (parameters.iter().zip(arguments.iter())).partition(|(p, _)| gone.contains(p));
        if out.is_empty() {
            continue;
        }
        let out: Vec<ExprId> = out.into_iter().map(|(_, a)| *a).collect();
        let kept: Rc<[ExprId]> = kept.into_iter().map(|(_, a)| *a).collect();
        if let ExprKind::Call(_, arguments) = &mut unit.exprs[e.index()].kind {
            *arguments = kept;
        }
        for a in out {
            erase_expr(unit, a);
        }
    }
    for f in 0..unit.functions.len() {
        let function = &mut unit.functions[f];
        let stays: Vec<bool> = (function.parameters.iter())
            .map(|d| !gone.contains(d))
            .collect();
        if stays.iter().all(|stays| *stays) {
            continue;
        }
        function.parameters.retain(|d| !gone.contains(d));
        if let Type::Function(signature) = &mut unit.decls[function.decl.index()].ty.ty {
            let mut stays = stays.into_iter();
            let parameters = &mut Rc::make_mut(signature).parameters;
            parameters.retain(|_| stays.next().unwrap_or(true));
        }
    }
}
