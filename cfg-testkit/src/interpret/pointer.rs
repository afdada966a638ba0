//! Pointers, objects, and the faults of their use.

use cfg_core::entity::{RoutineId, VertexId};
use cfg_core::ir::ScalarType;

/// The routine, the vertex and the statement at which something happened.
pub type Moment = (RoutineId, VertexId, usize);

/// A pointer that is not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The number of the object; no two objects of a run have the same.
    pub object: usize,
    /// The cell, from 0.
    pub cell: i64,
}

/// The fault of a use of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerFault {
    /// A null pointer is used.
    Null,
    /// The cells do not lie in the object that was made there.
    Outside(Moment),
    /// The cells do not have the types of what the pointer points to; where the object was made.
    Layout(Moment),
    /// The object has ended: where it was made, and where it was freed.
    Freed(Moment, Moment),
    /// The object was the storage of a variable of a call that is over.
    Left,
    /// The pointer does not point to the beginning of an object on the heap; where the object was made.
    NoObject(Moment),
    /// Two pointers into different objects are compared or subtracted; where these were made.
    Apart(Moment, Moment),
    /// A negative number of elements.
    Count,
}

/// An object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    /// The number of the object.
    pub(super) id: usize,
    /// Its first cell.
    pub(super) base: usize,
    /// The number of its cells.
    pub(super) cells: usize,
    /// The type of the elements.
    pub(super) ty: ScalarType,
    /// Where it was made.
    pub(super) made: Moment,
    /// Where an object on the heap was freed.
    pub(super) freed: Option<Moment>,
}

impl Object {
    pub(super) fn new(id: usize, base: usize, cells: usize, ty: ScalarType, made: Moment) -> Self {
        Self {
            id,
            base,
            cells,
            ty,
            made,
            freed: None,
        }
    }

    pub(super) fn is_alive(&self) -> bool {
        self.freed.is_none()
    }

    /// The number of the object, and its cells.
    pub(super) fn extent(&self) -> (usize, std::ops::Range<usize>) {
        (self.id, self.base..self.base + self.cells)
    }
}
