//! The globals that a routine names.

use super::global_set::GlobalSet;
use crate::{
    entity::{GlobalId, VarId},
    ir::{Role, Routine},
};
use std::collections::HashMap;

/// The routine's variables that are globals.
pub fn global_variables(routine: &Routine) -> impl Iterator<Item = (VarId, GlobalId)> {
    let all = routine.variables.iter().enumerate();
    all.filter_map(|(v, variable)| match variable.role {
        Role::Global(g) => Some((VarId::new(v), g)),
        Role::Parameter { .. } | Role::Local => None,
    })
}

/// The globals that a routine names.
#[derive(Clone, Debug, Default)]
pub struct Named {
    set: GlobalSet,
    variable: HashMap<GlobalId, VarId>,
}

impl Named {
    /// The globals of a routine, which need not be valid.
    pub fn collect(routine: &Routine) -> Self {
        Self {
            set: global_variables(routine).map(|(_, g)| g).collect(),
            variable: global_variables(routine).map(|(v, g)| (g, v)).collect(),
        }
    }

    /// The globals that are named, as a set.
    pub fn set(&self) -> &GlobalSet {
        &self.set
    }

    /// The variable of the routine that names the global.
    pub fn variable(&self, g: GlobalId) -> Option<VarId> {
        self.variable.get(&g).copied()
    }

    /// The variables that name globals of a set, in the order of the variables.
    pub fn variables_in(&self, set: &GlobalSet) -> Vec<VarId> {
        let mut found = Vec::new();
        self.set
            .each_common(set, |g| found.extend(self.variable(g)));
        found.sort_unstable();
        found
    }
}
