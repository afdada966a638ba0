//! Array shapes.

use super::Expr;

/// Storage order of an array of rank 2 or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last subscript varies fastest (C).
    #[default]
    Row,
    /// The first subscript varies fastest (Fortran).
    Column,
}

impl Order {
    /// The name in files: `row` or `column`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Column => "column",
        }
    }
}

/// One dimension of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Dim {
    /// The first subscript: an integer scalar expression, evaluated once on entry of the routine.
    pub lower: Expr,
    /// Number of elements.
    pub extent: Extent,
}

impl Dim {
    /// Lower bound 1 and this extent.
    pub fn with_extent(extent: Expr) -> Self {
        Self {
            lower: Expr::Int(1),
            extent: Extent::Fixed(extent),
        }
    }

    /// The number of elements, if it is constant; a negative one counts as 0.
    pub fn constant_extent(&self) -> Option<usize> {
        match &self.extent {
            Extent::Fixed(e) => usize::try_from(e.constant()?.max(0)).ok(),
            Extent::Deferred => None,
        }
    }
}

/// The number of elements along one dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// Integer scalar expression over parameters, globals and constants, evaluated once on entry of the
    /// routine. Negative counts as 0.
    Fixed(Expr),
    /// For a parameter, the extent of the actual argument. A local is unallocated at entry, and an assignment to the
    /// whole array gives it the shape of the right side (as for Fortran's allocatable arrays).
    Deferred,
}
