//! The storages of a program, each with the globals that lie in it.

use super::global_set::GlobalSet;
use crate::{
    entity::GlobalId,
    ir::{Program, ScalarType},
};
use std::collections::HashMap;

/// The globals of a program, grouped by storage.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    owner: Vec<GlobalId>,
    /// All globals in the storage of each owner that shares it.
    shared: HashMap<GlobalId, GlobalSet>,
    by_type: HashMap<ScalarType, GlobalSet>,
    overlaid: GlobalSet,
}

impl Storage {
    /// The storages of a program, which need not be valid.
    pub fn group(program: &Program) -> Self {
        let mut all = Self::default();
        for (g, global) in program.globals.iter().enumerate() {
            let g = GlobalId::new(g);
            let owner = program.storage(g).0;
            all.owner.push(owner);
            all.by_type.entry(global.variable.ty).or_default().insert(g);
            if owner != g {
                let shared = all.shared.entry(owner).or_default();
                for g in [g, owner] {
                    shared.insert(g);
                    all.overlaid.insert(g);
                }
            }
        }
        all
    }

    /// The global that owns the storage of this one.
    pub fn owner(&self, g: GlobalId) -> GlobalId {
        self.owner.get(g.index()).copied().unwrap_or(g)
    }

    /// All globals in the storage of a global, itself included; `None` if it has the storage alone.
    pub fn overlaid_with(&self, g: GlobalId) -> Option<&GlobalSet> {
        self.shared.get(&self.owner(g))
    }

    /// True if a global in the set lies in the storage of this one.
    pub fn meets(&self, set: &GlobalSet, g: GlobalId) -> bool {
        set.contains(g) || self.overlaid_with(g).is_some_and(|all| all.intersects(set))
    }

    /// The globals of a type, if there are any.
    pub fn of_type(&self, ty: ScalarType) -> Option<&GlobalSet> {
        self.by_type.get(&ty)
    }

    /// All globals that lie in one storage with another one.
    pub fn overlaid(&self) -> &GlobalSet {
        &self.overlaid
    }

    /// The globals of real types.
    pub fn real(&self) -> GlobalSet {
        let mut real = GlobalSet::default();
        for ty in [ScalarType::Real, ScalarType::Real32] {
            if let Some(all) = self.of_type(ty) {
                real.extend(all);
            }
        }
        real
    }
}
