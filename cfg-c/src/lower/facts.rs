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
        let mut open: Vec<DeclId> = Vec::new();
        for &f in functions {
            for k in unit.functions[f].part.clone() {
                let e = ExprId(k);
                match &unit.expr(e).kind {
                    ExprKind::Name(d) => mentions.entry(*d).or_default().0 += 1,
                    ExprKind::Unary(Unary::Deref, a) => {
                        if let ExprKind::Name(d) = unit.expr(*a).kind {
                            mentions.entry(d).or_default().1 += 1;
                        }
                    }
                    ExprKind::Index(a, i) => {
                        if let (ExprKind::Name(d), ExprKind::Int(0, _)) =
                            (&unit.expr(*a).kind, &unit.expr(*i).kind)
                        {
                            mentions.entry(*d).or_default().1 += 1;
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
        let single = mentions
            .into_iter()
            .filter(|(_, (all, simple))| all == simple);
        facts.single = single.map(|(d, _)| d).collect();
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
