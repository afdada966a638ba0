//! The globals of a program whose records are put together: the original's, and derivatives of records as records.

use crate::{
    names::fresh_name,
    records::{layout::Layouts, split::is_derivative},
};
use cfg_core::{
    entity::{GlobalId, RecordId},
    flat::Parts,
    ir::{Expr, Global, NameOrigin, NameRole, Overlay, Program, Role, Variable},
};
use std::collections::{HashMap, HashSet};

/// The globals, and the places of those of the program without records.
pub(super) struct Globals {
    pub(super) grouped: Vec<Global>,
    /// The new global of each.
    pub(super) ids: Vec<GlobalId>,
    /// The leaf of the record that it is in the new one.
    pub(super) leaves: Vec<Option<usize>>,
}

impl Globals {
    /// The globals of `derived`, with the first ones, which are parts, replaced by the original's.
    pub(super) fn regroup(
        original: &Program,
        parts: &Parts,
        derived: &Program,
        layouts: &Layouts<'_>,
    ) -> Self {
        let mut globals = Self {
            grouped: original.globals.clone(),
            ids: Vec::with_capacity(derived.globals.len()),
            leaves: Vec::with_capacity(derived.globals.len()),
        };
        for (g, own) in parts.globals.iter().enumerate() {
            let record = original.globals[g].variable.ty.record().is_some();
            for k in 0..own.len() {
                globals.ids.push(GlobalId::new(g));
                globals.leaves.push(record.then_some(k));
            }
        }
        let first = globals.ids.len();
        let routines = original.routines.iter().chain(&derived.routines);
        let names = routines.flat_map(|r| r.variables.iter().map(|v| &v.name));
        let names = names.chain(original.globals.iter().map(|g| &g.variable.name));
        let names = names.chain(derived.globals.iter().map(|g| &g.variable.name));
        let mut names: HashSet<String> = names.cloned().collect();
        let split = derived.globals.iter().take(first).enumerate();
        let by_name: HashMap<&str, usize> = split.map(|(g, d)| (&*d.variable.name, g)).collect();
        let mut records: HashMap<(GlobalId, NameRole), GlobalId> = HashMap::new();
        for global in derived.globals.iter().skip(first) {
            let origin = global.variable.origin.as_deref();
            let origin = origin.filter(|o| is_derivative(&o.role) && global.overlay.is_none());
            let of = origin.and_then(|o| Some((o, *by_name.get(&*o.of)?)));
            let of = of.and_then(|(o, g)| Some((o, globals.ids[g], globals.leaves[g]?)));
            let record = of.and_then(|(o, g, k)| {
                Some((
                    o,
                    g,
                    k,
                    original.globals.get(g.index())?.variable.ty.record()?,
                ))
            });
            let Some((origin, g, leaf, record)) = record else {
                globals.scalar(global);
                continue;
            };
            // The derivatives of the fields of a global are fields of one derivative.
            let made = *records.entry((g, origin.role.clone())).or_insert_with(|| {
                let variable = &original.globals[g.index()].variable;
                globals.record(variable, record, &origin.role, layouts, &mut names)
            });
            if let Some(slot) = globals.grouped[made.index()].initial.as_mut()
                && let (Some(slot), Some([value])) = (slot.get_mut(leaf), global.initial.as_deref())
            {
                *slot = value.clone();
            }
            globals.ids.push(made);
            globals.leaves.push(Some(leaf));
        }
        globals
    }

    /// Adds a global that is no part of a record.
    fn scalar(&mut self, global: &Global) {
        let id = GlobalId::new(self.grouped.len());
        let mut global = global.clone();
        global.variable.role = Role::Global(id);
        global.overlay = global.overlay.map(|o| Overlay {
            base: self.ids.get(o.base.index()).copied().unwrap_or(o.base),
            ..o
        });
        self.grouped.push(global);
        self.ids.push(id);
        self.leaves.push(None);
    }

    /// Adds the derivative of a record.
    fn record(
        &mut self,
        of: &Variable,
        record: RecordId,
        role: &NameRole,
        layouts: &Layouts<'_>,
        names: &mut HashSet<String>,
    ) -> GlobalId {
        let id = GlobalId::new(self.grouped.len());
        let name = fresh_name(format!("{}_{}", of.name, suffix(role)), names);
        let leaves = &layouts.layout(record).leaves;
        self.grouped.push(Global {
            variable: Variable {
                name,
                role: Role::Global(id),
                origin: Some(Box::new(NameOrigin::new(role.clone(), &*of.name))),
                ..of.clone()
            },
            initial: Some(leaves.iter().map(|leaf| Expr::zero(leaf.ty)).collect()),
            overlay: None,
        });
        id
    }
}

/// The end of the name of a derivative.
pub(super) fn suffix(role: &NameRole) -> &'static str {
    if *role == NameRole::Tangent { "t" } else { "b" }
}
