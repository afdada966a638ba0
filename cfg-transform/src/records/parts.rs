//! The variables that records became.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{StatementOrigin, Variable},
};

/// The variables of a program without records that the records of another one became.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The globals that each global became: of a record one for each leaf of its type, in order.
    pub(super) globals: Vec<Vec<GlobalId>>,
    /// What each routine became.
    pub(super) routines: Vec<RoutineParts>,
}

/// A routine, and what it became.
#[derive(Clone, Debug, Default)]
pub(super) struct RoutineParts {
    /// The variables that each variable became.
    pub(super) variables: Vec<Vec<VarId>>,
    /// Its records, and those that were made.
    pub(super) records: Vec<RecordParts>,
    /// The statement that each statement was made from.
    pub(super) statements: Vec<StatementOrigin>,
}

impl Parts {
    /// The globals that each global became: of a record one for each leaf of its type, in order.
    pub fn globals(&self) -> &[Vec<GlobalId>] {
        &self.globals
    }

    /// The variables that each variable of a routine became: of a record one for each leaf of its type, in order.
    pub fn variables(&self, routine: RoutineId) -> &[Vec<VarId>] {
        let found = self.routines.get(routine.index());
        found.map_or(&[], |parts| &parts.variables)
    }
}

/// A record of a routine, and what it became.
#[derive(Clone, Debug)]
pub(super) struct RecordParts {
    /// The declaration of the record. Its shape is that of its parts.
    pub(super) variable: Variable,
    /// A variable for each leaf of its type, in order.
    pub(super) parts: Vec<VarId>,
}
