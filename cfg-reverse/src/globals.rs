//! Which globals a routine names, and which it leaves to the routines that it calls.
//!
//! A routine in normal form names what it used before, and of what its callees use only
//!
//! - globals in the storage of one that it names itself, and all that its parameters may be the same
//!   cells as: these the analyses must see together;
//! - what the shapes of results are declared with, and everything that a callee uses whose adjoint the
//!   user gives: its statements read these.
//!
//! The values of all others are followed from call to call ([`crate::callee_globals`]). So programs stay
//! linear in size, however deep the calls are.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Program, Role, Routine, ScalarType},
    memory::global_set::GlobalSet,
};
use std::collections::HashMap;

use crate::{normalize::Effects, plan::each_extent};

/// The routine's variables that are globals.
pub(crate) fn variables(routine: &Routine) -> impl Iterator<Item = (VarId, GlobalId)> {
    let all = routine.variables.iter().enumerate();
    all.filter_map(|(v, variable)| match variable.role {
        Role::Global(g) => Some((VarId::new(v), g)),
        Role::Parameter { .. } | Role::Local => None,
    })
}

/// The globals that a routine names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    set: GlobalSet,
    variable: HashMap<GlobalId, VarId>,
}

impl Named {
    pub(crate) fn of(routine: &Routine) -> Self {
        Self {
            set: variables(routine).map(|(_, g)| g).collect(),
            variable: variables(routine).map(|(v, g)| (g, v)).collect(),
        }
    }

    /// The globals.
    pub(crate) fn set(&self) -> &GlobalSet {
        &self.set
    }

    /// The variable that a global is here.
    pub(crate) fn variable(&self, g: GlobalId) -> Option<VarId> {
        self.variable.get(&g).copied()
    }

    /// Those of a set that are named, in the order of the variables.
    pub(crate) fn among(&self, set: &GlobalSet) -> Vec<VarId> {
        let mut found = Vec::new();
        self.set
            .each_common(set, |g| found.extend(self.variable(g)));
        found.sort_unstable();
        found
    }
}

/// Globals that may be the same cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storage {
    /// By global that owns storage: all globals in it, if there are others.
    shared: HashMap<GlobalId, GlobalSet>,
    by_type: HashMap<ScalarType, GlobalSet>,
    /// All that share their storage with another one.
    pub(crate) overlaid: GlobalSet,
}

impl Storage {
    pub(crate) fn of(program: &Program) -> Self {
        let mut all = Self::default();
        for (g, global) in program.globals.iter().enumerate() {
            let g = GlobalId::new(g);
            all.by_type.entry(global.variable.ty).or_default().insert(g);
            if let Some(overlay) = global.overlay {
                let shared = all.shared.entry(overlay.base).or_default();
                for g in [g, overlay.base] {
                    shared.insert(g);
                    all.overlaid.insert(g);
                }
            }
        }
        all
    }

    /// All globals in the storage of one, if there are others.
    fn around(&self, program: &Program, g: GlobalId) -> Option<&GlobalSet> {
        let base = program.global(g).overlay.map_or(g, |o| o.base);
        self.shared.get(&base)
    }

    /// Globals of real types.
    pub(crate) fn real(&self) -> GlobalSet {
        let mut real = GlobalSet::default();
        for ty in [ScalarType::Real, ScalarType::Real32] {
            if let Some(all) = self.by_type.get(&ty) {
                real.extend(all);
            }
        }
        real
    }
}

/// The globals that a routine is to name although only its callees do, in ascending order.
pub(crate) fn to_import(program: &Program, effects: &Effects, id: RoutineId) -> Vec<GlobalId> {
    let callees = &effects.callees[id.index()];
    let touched = &effects.touched[id.index()];
    if callees.is_empty() || touched.is_empty() {
        return Vec::new();
    }
    let routine = program.routine(id);
    let own: GlobalSet = variables(routine).map(|(_, g)| g).collect();
    let mut all = own.clone();
    for &callee in callees {
        let called = program.routine(callee);
        if called
            .derivatives
            .as_ref()
            .is_some_and(|d| d.adjoint.is_some())
        {
            all.extend(&effects.touched[callee.index()]);
        }
        if called.result.is_some_and(|r| called.variable(r).rank() > 0) {
            for variable in &called.variables {
                each_extent(variable, &mut |e| {
                    e.walk_places(&mut |p| {
                        if let Role::Global(g) = called.variable(p.var).role {
                            all.insert(g);
                        }
                    });
                });
            }
        }
    }
    let of_callees = |set: &GlobalSet, all: &mut GlobalSet| {
        touched.each_common(set, |g| all.insert(g));
    };
    if routine.aliased {
        for p in routine.parameter_ids() {
            if let Some(set) = effects.storage.by_type.get(&routine.variable(p).ty) {
                of_callees(set, &mut all);
            }
        }
    }
    let mut with_overlays = all.clone();
    all.each_common(&effects.storage.overlaid, |g| {
        if let Some(set) = effects.storage.around(program, g) {
            of_callees(set, &mut with_overlays);
        }
    });
    with_overlays.minus(&own).to_vec()
}
