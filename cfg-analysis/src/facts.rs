//! The facts of activity about whole routines: of their variables wherever they stand, and of their parameters and
//! results at ENTRY and EXIT.

use cfg_core::{
    dataflow::Set,
    entity::{RoutineId, VarId},
    ir::{Place, Routine},
    memory::{global_set::GlobalSet, locations::Locations, named::global_variables},
};
use fixedbitset::FixedBitSet;

use crate::reach::Numbering;

/// The facts about the parameters and the result of one routine, by variable, joined over all calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interface {
    pub(crate) varied_at_entry: FixedBitSet,
    pub(crate) varied_at_exit: FixedBitSet,
    pub(crate) useful_at_entry: FixedBitSet,
    pub(crate) useful_at_exit: FixedBitSet,
}

impl Interface {
    pub(crate) fn empty(routine: &Routine) -> Self {
        let none = FixedBitSet::with_capacity(routine.variables.len());
        Self {
            varied_at_entry: none.clone(),
            varied_at_exit: none.clone(),
            useful_at_entry: none.clone(),
            useful_at_exit: none,
        }
    }
}

/// The facts about all routines.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) nodes: Numbering,
    /// Variables that some independent reaches in the graph of dependences, wherever they stand.
    pub(crate) varied: FixedBitSet,
    /// Variables that reach some dependent in that graph.
    pub(crate) useful: FixedBitSet,
    /// The globals among the useful variables.
    pub(crate) useful_globals: GlobalSet,
    pub(crate) interfaces: Vec<Interface>,
}

impl Facts {
    /// True if a variable may be varied somewhere.
    pub(crate) fn is_varied(&self, id: RoutineId, routine: &Routine, v: VarId) -> bool {
        self.varied.contains(self.nodes.node(id, routine, v))
    }

    /// True if a variable may be useful somewhere.
    pub(crate) fn is_useful(&self, id: RoutineId, routine: &Routine, v: VarId) -> bool {
        self.useful.contains(self.nodes.node(id, routine, v))
    }

    pub(crate) fn interface(&self, id: RoutineId) -> &Interface {
        &self.interfaces[id.index()]
    }
}

/// True if the place may have cells in a location of the set.
pub(crate) fn meets(locations: &Locations, set: &Set, place: &Place) -> bool {
    let mut found = false;
    locations.each_location(place, &mut |l| found |= set.contains(l.index()));
    found
}

/// The locations of these parameters and globals; without `globals`, of all globals for which `is_anywhere` holds.
pub(crate) fn boundary(
    routine: &Routine,
    locations: &Locations,
    formals: &FixedBitSet,
    globals: Option<&[VarId]>,
    is_anywhere: impl Fn(VarId) -> bool,
) -> Set {
    let mut state = Set::new(locations.len());
    let mut insert = |v: VarId| state.insert(locations.of_variable(v).index());
    formals.ones().map(VarId::new).for_each(&mut insert);
    match globals {
        Some(globals) => globals.iter().copied().for_each(&mut insert),
        None => global_variables(routine)
            .map(|(v, _)| v)
            .filter(|&v| is_anywhere(v))
            .for_each(&mut insert),
    }
    state
}
