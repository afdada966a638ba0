//! Parameters for messages: pointers to characters that a function only prints, as in `die("no memory")`.
//!
//! Printing is left out, so nothing asks for such a parameter: it is taken out of its function, and with it the argument of
//! each call. A parameter stays if anything else is done with it, or with what it is passed on to as a parameter for messages.

use crate::{
    ast::{DeclId, ExprId, ExprKind, Unit},
    calls::reachable,
    lower::math,
    types::{Arith, Int, Type},
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
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize]) {
    let mut candidates = Candidates::of(unit, roots);
    if candidates.all.is_empty() {
        return;
    }
    candidates.look_at_uses(unit);
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
        let Some((f, arguments)) = own_call(unit, ExprId(e as u32)) else {
            continue;
        };
        if (0..arguments.len()).all(|k| stays(f, k)) {
            continue;
        }
        let kept = arguments.iter().enumerate();
        let kept: Rc<[ExprId]> = kept
            .filter(|(k, _)| stays(f, *k))
            .map(|(_, a)| *a)
            .collect();
        if let ExprKind::Call(_, arguments) = &mut unit.exprs[e].kind {
            *arguments = kept;
        }
    }
}

/// The function of the file that an expression calls by its name, and the arguments.
fn own_call(unit: &Unit, e: ExprId) -> Option<(usize, Rc<[ExprId]>)> {
    let ExprKind::Call(f, arguments) = &unit.expr(e).kind else {
        return None;
    };
    let ExprKind::Name(d) = unit.expr(*f).kind else {
        return None;
    };
    Some((unit.decl(d).definition?, Rc::clone(arguments)))
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
            if roots.contains(&f) || variadic {
                continue;
            }
            for (k, &d) in function.parameters.iter().enumerate() {
                let decl = unit.decl(d);
                let text = matches!(&decl.ty.ty, Type::Pointer(of)
                    if of.arith() == Some(Arith::Int(Int::Char)));
                if text && decl.assigned.is_empty() && !decl.address {
                    found.at.insert((f, k), d);
                    found.all.insert(d);
                }
            }
        }
        found
    }

    /// Looks at everything that names a candidate, or its function.
    fn look_at_uses(&mut self, unit: &Unit) {
        let mut allowed: HashSet<ExprId> = HashSet::new();
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            let ExprKind::Call(f, arguments) = &unit.expr(e).kind else {
                continue;
            };
            if let ExprKind::Name(d) = unit.expr(*f).kind {
                allowed.insert(*f);
                if unit.decl(d).definition.is_none()
                    && math::how(&unit.decl(d).name) == Some(math::How::Passive)
                {
                    for a in arguments.iter() {
                        unit.walk(*a, &mut |e| {
                            allowed.insert(e);
                        });
                    }
                }
            }
            let Some((f, arguments)) = own_call(unit, e) else {
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
                if unit.expr(a).effects {
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
