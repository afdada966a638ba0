//! Routines as their callers see them.

use cfg_core::entity::RoutineId;
use cfg_core::ir::{Intent, ScalarType};
use std::collections::BTreeSet;

/// A formal parameter.
#[derive(Clone, Debug)]
pub(super) struct Formal {
    pub(super) ty: ScalarType,
    pub(super) intent: Intent,
    pub(super) shape: Shape,
    /// The range of an integer, at entry and at all times.
    pub(super) range: (i64, i64),
    /// The caller may leave it out.
    pub(super) optional: bool,
}

/// The shape of a formal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar,
    /// Extents known to the generator; the cells from the actual on.
    Explicit(Vec<i64>),
    /// The actual's descriptor, of rank 1 and this extent.
    Assumed(i64),
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Returns {
    Nothing,
    /// A scalar; an integer is good as an index.
    Scalar(ScalarType),
    /// Four reals.
    Four,
}

/// A routine as its callers know it.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) id: RoutineId,
    pub(super) formals: Vec<Formal>,
    pub(super) result: Returns,
    /// Bound on the steps of a call.
    pub(super) cost: u64,
    /// Globals.
    pub(super) reads: BTreeSet<usize>,
    pub(super) writes: BTreeSet<usize>,
    /// Real parameters that go in may overlap.
    pub(super) aliased: bool,
}
