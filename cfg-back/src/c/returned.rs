//! Functions whose results are arrays.
//!
//! If all extents of the result are constants, it goes to memory of the caller: a pointer to it stands behind the
//! arguments. Else the function makes it: it leaves it in the memory for work arrays, behind the caller's mark, and two
//! pointers say where it is and which extents it has.

use cfg_core::{
    entity::VarId,
    ir::{Dim, Extent, Routine, ScalarType, Variable},
};

/// The way in which an array comes back that is the result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Returned {
    /// In memory of the caller, of this many elements.
    Given(i64),
    /// In memory that the function has from the tape.
    Made,
}

/// The result of a function, if it is an array.
pub(super) fn array_result(routine: &Routine) -> Option<&Variable> {
    let variable = routine.variable(routine.result?);
    (variable.rank() > 0).then_some(variable)
}

/// The type of the result of a function, if it is a scalar.
pub(super) fn scalar_result(routine: &Routine) -> Option<ScalarType> {
    let variable = routine.variable(routine.result?);
    (variable.rank() == 0).then_some(variable.ty)
}

/// The dimensions of the result of a function that its declaration leaves open.
pub(super) fn deferred(routine: &Routine) -> Vec<usize> {
    let is_deferred = |dim: &Dim| dim.extent == Extent::Deferred;
    let shape = array_result(routine).into_iter().flat_map(|v| &v.shape);
    let dims = shape.enumerate().filter(|(_, dim)| is_deferred(dim));
    dims.map(|(k, _)| k).collect()
}

/// The extents of an array, if all are constants.
pub(super) fn constants(variable: &Variable) -> Option<Vec<i64>> {
    let constant = |dim: &Dim| match &dim.extent {
        Extent::Fixed(e) => e.constant().map(|n| n.max(0)),
        Extent::Deferred => None,
    };
    variable.shape.iter().map(constant).collect()
}

impl Returned {
    /// None if the result is no array.
    pub(super) fn classify(routine: &Routine) -> Option<Self> {
        Some(match array_result(routine)?.constant_size() {
            Some(n) => Self::Given(n),
            None => Self::Made,
        })
    }

    /// The result that goes to memory of the caller.
    pub(super) fn given(routine: &Routine) -> Option<VarId> {
        match Self::classify(routine)? {
            Self::Given(_) => routine.result,
            Self::Made => None,
        }
    }
}
