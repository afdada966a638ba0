//! What is known of pointers and variables before functions are translated.

use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Init, Unary, Unit},
    types::Type,
};
use std::collections::{HashMap, HashSet};

/// Facts about the variables of the functions that are translated.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Pointers and arrays of which an element may be written.
    written: HashSet<DeclId>,
    /// Pointers that are only dereferenced.
    single: HashSet<DeclId>,
}

impl Facts {
    pub(super) fn of(unit: &Unit, functions: &[usize]) -> Self {
        let mut facts = Self::default();
        // What is written through the first is written in the second.
        let mut flows: HashMap<DeclId, Vec<DeclId>> = HashMap::new();
        let mut mentions: HashMap<DeclId, (usize, usize)> = HashMap::new();
        // The pointers that are passed as they are.
        let mut passes: HashMap<DeclId, Vec<DeclId>> = HashMap::new();
        let mut open: Vec<DeclId> = Vec::new();
        for &f in functions {
            for k in unit.functions[f].part.clone() {
                let e = ExprId(k);
                match &unit.expr(e).kind {
                    ExprKind::Name(d) => mentions.entry(*d).or_default().0 += 1,
                    ExprKind::Unary(Unary::Deref, a) | ExprKind::Member(a, _, true) => {
                        if let ExprKind::Name(d) = unit.expr(*a).kind {
                            mentions.entry(d).or_default().1 += 1;
                        }
                    }
                    ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. }
                        if !matches!(unit.expr(*target).kind, ExprKind::Name(_)) =>
                    {
                        open.extend(unit.root(*target));
                    }
                    ExprKind::Call(callee, arguments) => {
                        let ExprKind::Name(d) = unit.expr(*callee).kind else {
                            continue;
                        };
                        let Some(g) = unit.decl(d).definition else {
                            continue;
                        };
                        for (p, argument) in
                            unit.functions[g].parameters.iter().zip(arguments.iter())
                        {
                            if matches!(unit.decl(*p).ty.ty, Type::Pointer(_))
                                && let Some(root) = unit.root(*argument)
                            {
                                flows.entry(*p).or_default().push(root);
                                if matches!(unit.expr(*argument).kind, ExprKind::Name(_)) {
                                    passes.entry(*p).or_default().push(root);
                                    mentions.entry(root).or_default().1 += 1;
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
            for d in &unit.functions[f].locals {
                let decl = unit.decl(*d);
                if let (Type::Pointer(_), Some(Init::Expr(e))) = (&decl.ty.ty, &decl.init)
                    && let Some(root) = unit.root(*e)
                {
                    flows.entry(*d).or_default().push(root);
                }
            }
        }
        while let Some(d) = open.pop() {
            if facts.written.insert(d) {
                open.extend(flows.get(&d).into_iter().flatten());
            }
        }
        // A pointer that is passed on points to one number if what it is passed to does.
        let simple = |d: &DeclId| mentions.get(d).is_some_and(|(all, simple)| all == simple);
        let mut open: Vec<DeclId> = passes.keys().filter(|d| !simple(d)).copied().collect();
        let mut several: HashSet<DeclId> = HashSet::new();
        while let Some(d) = open.pop() {
            for from in passes.get(&d).into_iter().flatten() {
                if several.insert(*from) {
                    open.push(*from);
                }
            }
        }
        let single = mentions
            .keys()
            .filter(|d| simple(d) && !several.contains(d));
        facts.single = single.copied().collect();
        facts
    }

    /// True if an element of a pointer or array may be written.
    pub(super) fn is_written(&self, d: DeclId) -> bool {
        self.written.contains(&d)
    }

    /// True if a pointer is used as a pointer to one value.
    pub(super) fn is_single(&self, d: DeclId) -> bool {
        self.single.contains(&d)
    }
}

/// True if a variable keeps the value that it is declared with.
pub(super) fn is_fixed(unit: &Unit, d: DeclId) -> bool {
    let decl = unit.decl(d);
    let local = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter);
    let constant = decl.ty.constant && decl.kind == DeclKind::Global && !decl.external;
    (local || constant) && decl.assigned.is_empty() && !decl.address
}
