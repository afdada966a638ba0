//! Pointers that may be null: parameters that are tested for null, and variables that a null pointer reaches by
//! assignments and calls.
//!
//! Both analyses cover all functions at once, and ignore the order of statements.

use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Init, Unit},
    points,
    types::{Arith, Int, Type},
};
use std::collections::{BTreeMap, HashSet};

/// Assignments of pointers: for each target, its sources.
pub(super) type Flows = BTreeMap<DeclId, Vec<DeclId>>;

/// The parameters that may be null.
pub(super) fn parameters(unit: &Unit, functions: &[usize], flows: &Flows) -> HashSet<DeclId> {
    let is_pointer = |d: &DeclId| matches!(unit.decl(*d).ty.ty, Type::Pointer(_));
    let mut given = Flows::new();
    for (to, all) in flows {
        for from in all {
            given.entry(*from).or_default().push(*to);
        }
    }
    let null = closure(assigned_null(unit, functions), &given);
    // A test of a variable that a parameter flows to is a test of the parameter.
    let asked = tested(unit, functions, &null);
    let asked = closure(asked.into_iter().filter(is_pointer).collect(), flows);
    let is_parameter = |d: &&DeclId| unit.decl(**d).kind == DeclKind::Parameter;
    let open = asked.iter().filter(is_parameter).chain(&null).copied();
    let may_be = closure(open.collect(), &given);
    let mut found = HashSet::new();
    for function in functions.iter().map(|f| &unit.functions[*f]) {
        // A function with given derivatives has the same parameters as these, so all of them count.
        let all = if function.given.is_some() {
            &asked
        } else {
            &may_be
        };
        let own = function.parameters.iter().filter(|d| is_pointer(d));
        found.extend(own.filter(|d| all.contains(d)));
    }
    found
}

/// The pointers reachable from `open` along `next`.
pub(super) fn closure(mut open: Vec<DeclId>, next: &Flows) -> HashSet<DeclId> {
    let mut found = HashSet::new();
    while let Some(d) = open.pop() {
        if found.insert(d) {
            open.extend(next.get(&d).into_iter().flatten());
        }
    }
    found
}

/// The pointers that a null pointer is assigned or passed to.
fn assigned_null(unit: &Unit, functions: &[usize]) -> Vec<DeclId> {
    let mut found = Vec::new();
    for function in functions.iter().map(|f| &unit.functions[*f]) {
        for d in function.locals.iter().chain(&function.parameters) {
            if matches!(unit.decl(*d).ty.ty, Type::Pointer(_))
                && (points::assigned_values(unit, *d).iter()).any(|e| leads_to_null(unit, *e))
            {
                found.push(*d);
            }
        }
        for k in function.part.clone() {
            let Some((g, arguments)) = unit.own_call(ExprId(k)) else {
                continue;
            };
            let pairs = unit.functions[g].parameters.iter().zip(arguments.iter());
            let null = pairs.filter(|(_, a)| leads_to_null(unit, **a));
            found.extend(null.map(|(p, _)| *p));
        }
    }
    found
}

/// True of an expression of which one value is the null pointer.
fn leads_to_null(unit: &Unit, e: ExprId) -> bool {
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        let e = points::strip_conversions(unit, e);
        if points::is_null(unit, e) {
            return true;
        }
        match &unit.expr(e).kind {
            ExprKind::Conditional(_, a, b) => open.extend([*a, *b]),
            ExprKind::Binary(Binary::Comma, _, b) | ExprKind::Assign(None, _, b) => open.push(*b),
            ExprKind::Inlined(inlined) => open.extend(inlined.value),
            _ => {}
        }
    }
    false
}

/// The pointers that decide a condition, or are compared with one that may be null.
fn tested(unit: &Unit, functions: &[usize], null: &HashSet<DeclId>) -> Vec<DeclId> {
    let mut conditions: Vec<ExprId> = Vec::new();
    for &f in functions {
        let function = &unit.functions[f];
        for e in function.part.clone().map(ExprId) {
            asked_in(unit, e, null, &mut conditions);
        }
        if let Type::Function(signature) = &unit.decl(function.decl).ty.ty
            && is_truth(signature.result.arith())
        {
            conditions.extend(unit.returned_exprs(f));
        }
        for d in &function.locals {
            if let Some(Init::Expr(e)) = unit.decl(*d).init
                && is_truth(unit.decl(*d).ty.arith())
            {
                conditions.push(e);
            }
        }
    }
    conditions.extend(unit.conditions());
    conditions.retain(|e| unit.is_pointer(*e));
    conditions
        .into_iter()
        .flat_map(|e| unit.root_variables(e))
        .collect()
}

fn is_truth(ty: Option<Arith>) -> bool {
    ty == Some(Arith::Int(Int::Bool))
}

/// The operands of an expression that are asked whether they are 0.
fn asked_in(unit: &Unit, e: ExprId, null: &HashSet<DeclId>, found: &mut Vec<ExprId>) {
    let may_be_null = |e: ExprId| {
        points::is_null(unit, e)
            || unit.is_pointer(e) && unit.root_variables(e).iter().any(|d| null.contains(d))
    };
    found.extend(unit.asked_operands(e));
    match &unit.expr(e).kind {
        ExprKind::Binary(Binary::Eq | Binary::Ne, a, b) => {
            found.extend(Some(*a).filter(|_| may_be_null(*b)));
            found.extend(Some(*b).filter(|_| may_be_null(*a)));
        }
        ExprKind::Cast(ty, a) if is_truth(ty.arith()) => found.push(*a),
        ExprKind::Assign(None, target, value) => {
            let ty = unit.expr(*target).ty.as_ref();
            found.extend(Some(*value).filter(|_| is_truth(ty.and_then(|ty| ty.arith()))));
        }
        // Arguments may be conditions of assertions, or become a `_Bool`.
        ExprKind::Call(f, arguments) => {
            let Some(Type::Function(signature)) = unit.expr(*f).ty.as_ref().map(|ty| &ty.ty) else {
                return;
            };
            let parameters = signature.parameters.iter();
            let asked = parameters.zip(arguments.iter());
            let asked = asked.filter(|(p, _)| is_truth(p.ty.arith()));
            found.extend(asked.map(|(_, a)| *a));
            if points::library_call(unit, e) == Some("assert") {
                found.extend(arguments.first());
            }
        }
        _ => {}
    }
}
