//! Scalar types and array shapes.

use super::Expr;

/// The type of a scalar or of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalarType {
    /// IEEE binary64.
    Real,
    /// IEEE binary32: every operation is rounded to 32 bits.
    Real32,
    /// 64-bit two's complement; overflow is a run-time error.
    Integer,
    /// True or false.
    Logical,
    /// A tape: a stack of control bits, one of integers, one of reals, one of 32-bit reals.
    Tape,
}

impl ScalarType {
    /// All types, in the order of the declaration.
    pub const ALL: [Self; 5] = [
        Self::Real,
        Self::Real32,
        Self::Integer,
        Self::Logical,
        Self::Tape,
    ];

    /// The name in files: `real`, `real32`, `integer`, `logical`, `tape`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Real32 => "real32",
            Self::Integer => "integer",
            Self::Logical => "logical",
            Self::Tape => "tape",
        }
    }

    /// True of tapes.
    pub fn is_tape(self) -> bool {
        matches!(self, Self::Tape)
    }

    /// True of both real types: the types that have derivatives.
    pub fn is_real(self) -> bool {
        matches!(self, Self::Real | Self::Real32)
    }
}

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
    pub fn of(extent: Expr) -> Self {
        Self {
            lower: Expr::Int(1),
            extent: Extent::Fixed(extent),
        }
    }
}

/// The number of elements along one dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// Integer scalar expression over parameters, globals and constants, evaluated once on entry of the
    /// routine. Negative counts as 0.
    Fixed(Expr),
    /// A parameter: taken from the actual argument. A local: unallocated at entry; an assignment to the
    /// whole array gives it the shape of the right side (as Fortran's allocatable arrays).
    Deferred,
}
