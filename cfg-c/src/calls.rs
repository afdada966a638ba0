//! The functions that a function names: the call graph, and its closure.

use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Unit, initial_exprs},
    types::{Arith, Qualified, Type},
};
use std::collections::{BTreeSet, HashSet};

/// The functions that a function names, also through the initial values of variables, and those that are given as its
/// derivatives.
pub(crate) fn named(unit: &Unit, f: usize) -> Vec<usize> {
    let mut found: Vec<usize> = match &unit.functions[f].given {
        Some(given) => {
            let named = given.named();
            named.filter_map(|d| unit.decl(d).definition).collect()
        }
        None => Vec::new(),
    };
    let mut variables = BTreeSet::new();
    let mut open: Vec<ExprId> = unit.functions[f].part.clone().map(ExprId).collect();
    while let Some(e) = open.pop() {
        let ExprKind::Name(d) = unit.expr(e).kind else {
            continue;
        };
        let decl = unit.decl(d);
        found.extend(decl.definition);
        if leads_to_functions(unit, &decl.ty) && variables.insert(d) {
            open.extend(initial_expressions(unit, d));
        }
    }
    found
}

/// The functions `roots` and all that they name, to any depth, in the order of the file.
pub(crate) fn reachable(unit: &Unit, roots: &[usize]) -> Vec<usize> {
    let mut seen: BTreeSet<usize> = roots.iter().copied().collect();
    let mut open = roots.to_vec();
    while let Some(f) = open.pop() {
        for g in named(unit, f) {
            if seen.insert(g) {
                open.push(g);
            }
        }
    }
    seen.into_iter().collect()
}

/// All that functions name, also through the initial values of variables that are kept, to any depth.
pub(crate) fn names(unit: &Unit, functions: &[usize]) -> BTreeSet<DeclId> {
    let mut names = BTreeSet::new();
    let mut open: Vec<DeclId> = Vec::new();
    let mut see = |e: ExprId, open: &mut Vec<DeclId>| {
        if let ExprKind::Name(d) = unit.expr(e).kind
            && names.insert(d)
        {
            open.push(d);
        }
    };
    let parts = functions
        .iter()
        .flat_map(|f| unit.functions[*f].part.clone());
    for e in parts {
        see(ExprId(e), &mut open);
    }
    while let Some(d) = open.pop() {
        for e in initial_expressions(unit, d) {
            see(e, &mut open);
        }
    }
    names
}

/// The expressions of the initial value of a variable that is kept between calls, with all in them.
pub(crate) fn initial_expressions(unit: &Unit, d: DeclId) -> Vec<ExprId> {
    let decl = unit.decl(d);
    let mut found = Vec::new();
    if matches!(decl.kind, DeclKind::Global | DeclKind::Static) {
        for leaf in initial_exprs(decl.init.as_ref()) {
            unit.walk(leaf, &mut |e| found.push(e));
        }
    }
    found
}

/// True of a pointer to a function.
pub(crate) fn is_function_pointer(ty: &Qualified) -> bool {
    matches!(&ty.ty, Type::Pointer(to) if matches!(to.ty, Type::Function(_)))
}

/// True if a function may be called through a pointer to a function type: result and parameters are the same, except
/// that `void *` matches any pointer.
pub(crate) fn callable(pointer: &Type, function: &Type) -> bool {
    let (Type::Function(pointer), Type::Function(function)) = (pointer, function) else {
        return true;
    };
    if pointer.open || pointer.variadic || function.open || function.variadic {
        return true;
    }
    let alike = |a: &Qualified, b: &Qualified| match (&a.ty, &b.ty) {
        (Type::Pointer(a), Type::Pointer(b)) => {
            let functions = [a, b].map(|to| matches!(to.ty, Type::Function(_)));
            a.ty == Type::Void || b.ty == Type::Void || a.ty == b.ty || functions == [true; 2]
        }
        // Structures and numbers must be equal.
        (a, b) => a == b,
    };
    // In copies, pointers to functions have become numbers: both stand for one type.
    let number = |ty: &Qualified| ty.arith() == Some(Arith::ADDRESS) || is_function_pointer(ty);
    let alike = |a: &Qualified, b: &Qualified| alike(a, b) || number(a) && number(b);
    let (ours, theirs) = (&pointer.parameters, &function.parameters);
    ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|(a, b)| alike(&a.ty, &b.ty))
        && alike(&pointer.result, &function.result)
}

/// True of types in which there are pointers to functions.
pub(crate) fn holds_functions(unit: &Unit, ty: &Qualified) -> bool {
    let function =
        |ty: &Type| matches!(ty, Type::Pointer(to) if matches!(to.ty, Type::Function(_)));
    holds_type(unit, ty, function)
}

/// True of types that may lead to pointers to functions: a pointer to void may lead anywhere.
fn leads_to_functions(unit: &Unit, ty: &Qualified) -> bool {
    holds_type(unit, ty, |ty| matches!(ty, Type::Function(_) | Type::Void))
}

/// True of a type for which `wanted` is true, and of pointers, arrays and structures that lead to such a type.
pub(crate) fn holds_type(unit: &Unit, ty: &Qualified, wanted: impl Fn(&Type) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![ty];
    while let Some(ty) = open.pop() {
        match &ty.ty {
            ty if wanted(ty) => return true,
            Type::Pointer(of) | Type::Array(of, _) => open.push(of),
            Type::Struct(s) if seen.insert(*s) => {
                open.extend(unit.structure(*s).members.iter().map(|m| &m.ty));
            }
            Type::Struct(_)
            | Type::Void
            | Type::Arith(_)
            | Type::Function(_)
            | Type::Refused(_) => {}
        }
    }
    false
}
