//! What the forward sweep records: how loops are counted, which way was taken, which overwritten values the
//! reverse sweep needs.

pub(crate) mod adjoints;
pub(crate) mod at_exit;
pub(crate) mod atoms;
pub(crate) mod callee_globals;
pub(crate) mod counters;
pub(crate) mod draft;
pub(crate) mod extents;
pub(crate) mod recorded;
pub(crate) mod regions;
pub(crate) mod setting;
pub(crate) mod shape;
pub(crate) mod tbr;
pub(crate) mod worklist;
