//! Parameters for messages: pointers to characters that a function only prints, as in `die("no memory")`, and the arguments behind
//! them, as in `die("no root near %g", x)`.
//!
//! Printing is left out, so nothing asks for such a parameter: it is taken out of its function, and with it the argument of
//! each call. A parameter stays if anything else is done with it, or with what it is passed on to as a parameter for messages.
//! Of the arguments behind the last parameter a function can do nothing but print them, since `va_arg` is refused. Of those of a handler
//! that nothing sets, a pointer to a function that is null, nothing is done.

use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Unary, Unit},
    calls::reachable,
    math::How,
    points::{is_null, sources},
    telling::Telling,
    texts::{forget, is_text},
    types::Type,
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The parameters that may be for messages.
#[derive(Default)]
struct Candidates {
    /// By the function and the position.
    at: HashMap<(usize, usize), DeclId>,
    all: HashSet<DeclId>,
    /// Those that are no candidates if this one is none, because they are passed on to it.
    passed: HashMap<DeclId, Vec<DeclId>>,
    /// Those for which something has been found that stands against them.
    against: Vec<DeclId>,
}

/// Leaves out the parameters for messages of all functions but these, and their arguments.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize], telling: &Telling) {
    leave_out_arguments_for_nobody(unit);
    leave_out_arguments(unit, roots, telling);
    let mut candidates = Candidates::of(unit, roots);
    if candidates.all.is_empty() {
        return;
    }
    candidates.look_at_uses(unit, telling);
    while let Some(d) = candidates.against.pop() {
        if candidates.all.remove(&d) {
            let others = candidates.passed.remove(&d);
            candidates.against.extend(others.into_iter().flatten());
        }
    }
    let Candidates { at, all, .. } = candidates;
    let stays = |f: usize, k: usize| at.get(&(f, k)).is_none_or(|d| !all.contains(d));
    for (f, function) in unit.functions.iter_mut().enumerate() {
        let mut k = 0;
        function.parameters.retain(|_| {
            k += 1;
            stays(f, k - 1)
        });
    }
    for decl in &mut unit.decls {
        if let (Some(f), Type::Function(signature)) = (decl.definition, &mut decl.ty.ty)
            && (0..signature.parameters.len()).any(|k| !stays(f, k))
        {
            let mut k = 0;
            Rc::make_mut(signature).parameters.retain(|_| {
                k += 1;
                stays(f, k - 1)
            });
        }
    }
    for e in 0..unit.exprs.len() {
        let Some((f, arguments)) = unit.own_call(ExprId(e as u32)) else {
            continue;
        };
        let arguments = Rc::clone(arguments);
        if (0..arguments.len()).all(|k| stays(f, k)) {
            continue;
        }
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        for (k, a) in arguments.iter().enumerate() {
            if stays(f, k) { &mut kept } else { &mut left }.push(*a);
        }
        for a in left {
            forget(unit, a);
        }
        let kept: Rc<[ExprId]> = kept.into();
        if let ExprKind::Call(_, arguments) = &mut unit.exprs[e].kind {
            *arguments = kept;
        }
    }
}

/// Leaves out the arguments of calls through variables that are always null: such a call is a run-time error.
fn leave_out_arguments_for_nobody(unit: &mut Unit) {
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
        if is_known && sources(unit, d).iter().all(|e| is_null(unit, *e)) {
            for a in Rc::clone(arguments).iter() {
                forget(unit, *a);
            }
        }
    }
}

/// Leaves out the arguments behind the last parameter of functions that have a variable number of them, if they change nothing.
/// Such a function that is named elsewhere than in calls stays as it is.
fn leave_out_arguments(unit: &mut Unit, roots: &[usize], telling: &Telling) {
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
                forget(unit, a);
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

impl Candidates {
    /// The pointers to characters among the parameters.
    fn of(unit: &Unit, roots: &[usize]) -> Self {
        let mut found = Self::default();
        for f in reachable(unit, roots) {
            let function = &unit.functions[f];
            let variadic = match &unit.decl(function.decl).ty.ty {
                Type::Function(signature) => signature.variadic,
                _ => true,
            };
            // What is done with the arguments behind them is not known.
            if roots.contains(&f) || variadic {
                continue;
            }
            for (k, &d) in function.parameters.iter().enumerate() {
                let decl = unit.decl(d);
                if is_text(&decl.ty) && decl.assigned.is_empty() && !decl.address {
                    found.at.insert((f, k), d);
                    found.all.insert(d);
                }
            }
        }
        found
    }

    /// Looks at everything that names a candidate, or its function.
    fn look_at_uses(&mut self, unit: &Unit, telling: &Telling) {
        let mut allowed: HashSet<ExprId> = HashSet::new();
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            let ExprKind::Call(f, arguments) = &unit.expr(e).kind else {
                continue;
            };
            if let ExprKind::Name(d) = unit.expr(*f).kind {
                allowed.insert(*f);
                if unit.decl(d).how().is_some_and(How::is_without_use) {
                    for a in arguments.iter() {
                        unit.walk(*a, &mut |e| {
                            allowed.insert(e);
                        });
                    }
                }
            }
            let Some((f, arguments)) = unit.own_call(e) else {
                continue;
            };
            for k in 0..unit.functions[f].parameters.len() {
                let Some(&p) = self.at.get(&(f, k)) else {
                    continue;
                };
                let Some(&a) = arguments.get(k) else {
                    self.against.push(p);
                    continue;
                };
                if unit.expr(a).effects && !telling.only_tells(unit, a) {
                    self.against.push(p);
                }
                unit.walk(a, &mut |e| {
                    allowed.insert(e);
                    if let ExprKind::Name(d) = unit.expr(e).kind {
                        self.passed.entry(p).or_default().push(d);
                    }
                });
            }
        }
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            let ExprKind::Name(d) = unit.expr(e).kind else {
                continue;
            };
            if allowed.contains(&e) {
                continue;
            }
            self.against.push(d);
            if let Some(f) = unit.decl(d).definition {
                let parameters = unit.functions[f].parameters.iter();
                self.against.extend(parameters.copied());
            }
        }
    }
}
