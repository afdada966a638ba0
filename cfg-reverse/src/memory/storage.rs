//! Variables that may be the same cells.

use cfg_core::{
    entity::GlobalId,
    ir::{Program, Role, Routine, ScalarType},
    memory::global_set::GlobalSet,
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

/// Globals that may be the same cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storage {
    /// By global that owns storage: all globals in it, if there are others.
    shared: HashMap<GlobalId, GlobalSet>,
    pub(crate) by_type: HashMap<ScalarType, GlobalSet>,
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
    pub(crate) fn around(&self, program: &Program, g: GlobalId) -> Option<&GlobalSet> {
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

/// A class per variable such that two variables of one routine that may share storage have the same
/// class: globals that overlay each other; parameters of a routine whose parameters may overlap, and
/// globals of their type, which they may overlap as well.
pub(crate) fn storage_classes(program: &Program, routine: &Routine) -> Vec<u32> {
    let n = routine.variables.len();
    let mut class: Vec<u32> = (0..n as u32).collect();
    let mut of_global = HashMap::new();
    let mut of_parameters: [Option<u32>; 5] = [None; 5];
    if routine.aliased {
        for p in routine.parameter_ids() {
            let ty = routine.variable(p).ty;
            if ty != ScalarType::Tape {
                let first = of_parameters[ty as usize].get_or_insert(p.index() as u32);
                class[p.index()] = *first;
            }
        }
    }
    for (v, variable) in routine.variables.iter().enumerate() {
        if let Role::Global(g) = variable.role {
            let base = program.global(g).overlay.map_or(g, |o| o.base);
            let own = of_parameters[variable.ty as usize].unwrap_or(v as u32);
            class[v] = *of_global.entry(base).or_insert(own);
        }
    }
    class
}

/// Classes of more than one variable.
pub(crate) fn shared_classes(class: &[u32]) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(class.len());
    let mut shared = FixedBitSet::with_capacity(class.len());
    for &c in class {
        if seen.put(c as usize) {
            shared.insert(c as usize);
        }
    }
    shared
}
