//! Statements: assignments, calls, pushes and pops, opaque statements, ends of the program, and operations on the
//! heap.

use super::{Annotations, At, Expr, Place, StatementOrigin};
use crate::entity::{RoutineId, VarId};

/// A statement of a basic block.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The action of the statement, with its operands.
    pub kind: StmtKind,
    /// The piece of a source that the statement stands for.
    pub at: At,
    /// The statement of the original from which a transformation made this one.
    pub origin: StatementOrigin,
    /// Free-form data of the front end.
    pub annotations: Annotations,
}

/// The action of a [`Stmt`], with its operands.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `target = value`. The right side and the target's subscripts are complete before the store. An
    /// array target takes a conforming array or a scalar. Types must be equal.
    Assign {
        /// The place that is overwritten.
        target: Place,
        /// The new value.
        value: Expr,
    },
    /// A call. Places are bound by reference; other expressions only to `in` parameters (their value is
    /// copied to a temporary). `None` stands for an optional argument that is not given.
    Call {
        /// The routine called.
        callee: RoutineId,
        /// The arguments, one per parameter, in order.
        arguments: Box<[Option<Expr>]>,
        /// The place of a function's result; assigned after the call.
        result: Option<Place>,
    },
    /// Pushes a scalar, or an array element by element in storage order, with whether each cell is
    /// initialised.
    Push {
        /// The tape (a variable of type tape).
        tape: VarId,
        /// The stack and encoding.
        class: TapeClass,
        /// The value that is pushed; a place, or an expression of the class's type.
        value: Expr,
    },
    /// Pops the value that a push of the same class and shape has pushed.
    Pop {
        /// The tape that is popped from.
        tape: VarId,
        /// The stack and encoding.
        class: TapeClass,
        /// The place that takes the value.
        target: Place,
    },
    /// A statement that is not numeric (input, output, a marker), kept at its place. A run computes nothing for it;
    /// the variables that it writes are undefined afterwards.
    Opaque {
        /// The text of the statement, for people to read.
        text: Box<str>,
        /// The variables that the statement reads.
        reads: Box<[VarId]>,
        /// The variables that the statement writes.
        writes: Box<[VarId]>,
    },
    /// The end of the whole program, with a message. Control does not pass the statement, yet the graph keeps the
    /// edges that it would have without it.
    Stop {
        /// The message.
        text: Box<str>,
    },
    /// A new object on the heap, to which the place then points.
    Allocate {
        /// The place that is assigned, a pointer; its pointee is the type of the elements.
        pointer: Place,
        /// The number of elements, an integer, not negative.
        count: Expr,
        /// True if the cells are zero, false or null at first; otherwise they are uninitialised.
        zeroed: bool,
    },
    /// The end of the object on the heap to whose first cell the place points; a null pointer ends nothing. Every use
    /// of the object afterwards is an error.
    Free {
        /// The place that is read, a pointer.
        pointer: Place,
    },
    /// A new object, and the end of the old one, to which the place points. Elements that both objects have are
    /// copied, then the place points to the new object. For a null pointer it is an allocation.
    Resize {
        /// The place that is read and then assigned, a pointer.
        pointer: Place,
        /// The number of elements of the new object, an integer, not negative.
        count: Expr,
    },
}

/// The stack of a tape that a push or pop uses, and the encoding of values there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TapeClass {
    /// Bits on the control stack: markers, trip counts, logicals.
    Control(ControlWidth),
    /// The stack of 64-bit integers.
    Integer,
    /// The stack of 64-bit reals.
    Real,
    /// The stack of 32-bit reals.
    Real32,
    /// The stack in a file: scalars of any type, and arrays as a whole. A pop takes the type and the number of elements
    /// that were pushed.
    Disk,
}

/// The number of bits that a control value takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlWidth {
    /// A fixed number of bits, 1 to 63; the value is in `0 .. 2^bits`. A logical takes 1.
    Bits(u8),
    /// A non-negative count in a self-delimiting code that is readable from its end:
    /// `2*floor(log2(n+1)) + 1` bits (Elias gamma of n+1, P. Elias 1975, mirrored).
    Count,
}

impl StmtKind {
    /// The routine that a call calls.
    pub fn callee(&self) -> Option<RoutineId> {
        match self {
            Self::Call { callee, .. } => Some(*callee),
            Self::Assign { .. }
            | Self::Push { .. }
            | Self::Pop { .. }
            | Self::Opaque { .. }
            | Self::Stop { .. }
            | Self::Allocate { .. }
            | Self::Free { .. }
            | Self::Resize { .. } => None,
        }
    }

    /// The target and the value of an assignment; `None` for other statements.
    pub fn assignment(&self) -> Option<(&Place, &Expr)> {
        match self {
            Self::Assign { target, value } => Some((target, value)),
            Self::Call { .. }
            | Self::Push { .. }
            | Self::Pop { .. }
            | Self::Opaque { .. }
            | Self::Stop { .. }
            | Self::Allocate { .. }
            | Self::Free { .. }
            | Self::Resize { .. } => None,
        }
    }
}

impl Stmt {
    /// A statement without span, origin and annotations.
    pub fn new(kind: StmtKind) -> Self {
        Self {
            kind,
            at: None,
            origin: StatementOrigin::default(),
            annotations: None,
        }
    }

    /// An assignment `target = value`.
    pub fn assign(target: Place, value: Expr) -> Self {
        Self::new(StmtKind::Assign { target, value })
    }
}

impl TapeClass {
    /// The name in files, without the control width.
    pub fn name(self) -> &'static str {
        match self {
            Self::Control(_) => "control",
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Real32 => "real32",
            Self::Disk => "disk",
        }
    }
}
