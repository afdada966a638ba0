//! The plan of the forward sweep's records: how loops are counted, which way was taken, which overwritten values the
//! reverse sweep needs.
//!
//! `setting` has the plans of a program and `draft` those of a routine: how loops are counted (`counters`; `regions` in
//! general graphs), and the adjoint of every statement with the locations that it reads (`adjoints`), which `blocks`
//! fills in. `carried` has the regions that act like one statement, `steps` finds the steps that are undone,
//! `recomputed` the values that are computed again, `left_out` those that no derivative needs. `reads` collects the
//! locations that the reverse sweep reads, `element_reads` the elements of arrays among them; `provisions` decides how
//! it gets each value and loop, `at_exit` and `callee_globals` what callers and callees contribute; `recorded` counts
//! the bits.

pub(crate) mod adjoints;
pub(crate) mod at_exit;
pub(crate) mod branches;
pub(crate) mod callee_globals;
pub(crate) mod carried;
pub(crate) mod counters;
pub(crate) mod draft;
pub(crate) mod element_reads;
pub(crate) mod extents;
pub(crate) mod left_out;
pub(crate) mod provisions;
pub(crate) mod reads;
pub(crate) mod recomputed;
pub(crate) mod recorded;
pub(crate) mod regions;
pub(crate) mod setting;
pub(crate) mod shape;
pub(crate) mod steps;
pub(crate) mod undone;
pub(crate) mod written;
