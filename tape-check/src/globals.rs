//! The globals that each routine may write, calls included.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Intent, Place, Program, Role, Routine, ScalarType,
        visit::{PlaceRole, Visit, walk_place},
    },
    memory::{callgraph::CallGraph, global_set::GlobalSet},
};
use std::collections::{BTreeSet, HashMap};

/// Most globals in one storage whose cells are compared one by one for each call.
const MOST_LYING: usize = 64;

/// The storages that each routine may write, itself or by calls. The global that owns a storage stands for all globals
/// in it.
pub(crate) struct GlobalWrites {
    owner: Vec<GlobalId>,
    /// The globals in each storage that has several, by its owner.
    lying: HashMap<GlobalId, Vec<GlobalId>>,
    writes: Vec<Writes>,
}

/// The globals that a routine may write, itself or by calls.
#[derive(Clone, Default)]
struct Writes {
    /// The owners of their storages.
    owners: GlobalSet,
    /// The globals among them that share their storage.
    themselves: GlobalSet,
    types: BTreeSet<ScalarType>,
}

impl GlobalWrites {
    pub(crate) fn summarise(program: &Program) -> Self {
        let owner: Vec<GlobalId> = program
            .globals
            .iter()
            .enumerate()
            .map(|(g, global)| global.overlay.map_or(GlobalId::new(g), |o| o.base))
            .collect();
        let mut lying: HashMap<GlobalId, Vec<GlobalId>> = HashMap::new();
        for (g, &owner) in owner.iter().enumerate() {
            let g = GlobalId::new(g);
            if g != owner {
                lying.entry(owner).or_insert_with(|| vec![owner]).push(g);
            }
        }
        let mut writes = vec![Writes::default(); program.routines.len()];
        for (routine, writes) in program.routines.iter().zip(&mut writes) {
            Direct {
                program,
                routine,
                owner: &owner,
                lying: &lying,
                writes,
            }
            .visit_routine(routine);
        }
        CallGraph::build(program).propagate(&mut writes, |all, of| {
            all.owners.extend(&of.owners);
            all.themselves.extend(&of.themselves);
            all.types.extend(&of.types);
        });
        Self {
            owner,
            lying,
            writes,
        }
    }

    /// The global that owns the storage of `g`.
    pub(crate) fn storage(&self, g: GlobalId) -> GlobalId {
        self.owner.get(g.index()).copied().unwrap_or(g)
    }

    /// The types of the globals that the routine may write.
    pub(crate) fn types(&self, r: RoutineId) -> impl Iterator<Item = ScalarType> + '_ {
        let writes = self.writes.get(r.index());
        writes.into_iter().flat_map(|w| &w.types).copied()
    }

    /// True if the routine may write a cell of a global. If more than [`MOST_LYING`] globals share the storage, a
    /// write to any of them counts.
    pub(crate) fn meets(&self, program: &Program, r: RoutineId, g: GlobalId) -> bool {
        let (Some(lying), Some(writes)) =
            (self.lying.get(&self.storage(g)), self.writes.get(r.index()))
        else {
            return true;
        };
        let Some((_, mine)) = program.cells(g) else {
            return true;
        };
        lying.len() > MOST_LYING
            || lying
                .iter()
                .filter(|&&other| writes.themselves.contains(other))
                .any(|&other| {
                    // A global of unknown extent may take all of the storage.
                    program
                        .cells(other)
                        .is_none_or(|(_, cells)| cells.start < mine.end && mine.start < cells.end)
                })
    }

    /// The owners of the storages that the routine may write.
    pub(crate) fn written(&self, r: RoutineId) -> Option<&GlobalSet> {
        self.writes.get(r.index()).map(|w| &w.owners)
    }
}

/// A visitor that collects the globals that a routine writes itself.
struct Direct<'a> {
    program: &'a Program,
    routine: &'a Routine,
    owner: &'a [GlobalId],
    lying: &'a HashMap<GlobalId, Vec<GlobalId>>,
    writes: &'a mut Writes,
}

impl<'ir> Visit<'ir> for Direct<'_> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        let role = match role {
            PlaceRole::Bind { callee, formal } => {
                let formal = self.program.routine(callee).parameter(formal);
                match formal.is_some_and(|f| f.intent().is_some_and(Intent::writes)) {
                    true => PlaceRole::Define { whole: false },
                    false => PlaceRole::Read,
                }
            }
            role => role,
        };
        self.visit_variable(&place.var, role);
        walk_place(self, place);
    }

    fn visit_variable(&mut self, v: &VarId, role: PlaceRole) {
        let variable = self.routine.variable(*v);
        if let Role::Global(g) = variable.role
            && role.writes()
        {
            let owner = self.owner.get(g.index()).copied().unwrap_or(g);
            self.writes.types.insert(variable.ty);
            self.writes.owners.insert(owner);
            if self.lying.contains_key(&owner) {
                self.writes.themselves.insert(g);
            }
        }
    }
}
