//! The variables that records became.

use cfg_core::{
    entity::{GlobalId, VarId},
    ir::Variable,
};

/// The variables of a program without records that the records of another one became.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The globals that each global became: of a record one for each leaf of its type, in order.
    pub(super) globals: Vec<Vec<GlobalId>>,
    /// The records of each routine.
    pub(super) routines: Vec<Vec<RecordParts>>,
}

/// A record of a routine, and what it became.
#[derive(Clone, Debug)]
pub(super) struct RecordParts {
    /// The declaration of the record. Its shape is that of its parts.
    pub(super) variable: Variable,
    /// A variable for each leaf of its type, in order.
    pub(super) parts: Vec<VarId>,
}
