//! Statements, expressions, subscripts, types and classes of operators as they are in flat programs.

use crate::{
    entity::{RoutineId, VarId},
    ir::{Expr, IntType, Op, OpClass, Place, Range, ScalarType, StmtKind, Subscript, TapeClass},
};

/// The action of a statement of a [`Flat`](super::Flat) program, borrowed from its [`StmtKind`], which documents the
/// fields.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of StmtKind")]
pub enum FlatStmt<'s> {
    /// `target = value`.
    Assign { target: &'s Place, value: &'s Expr },
    /// A call.
    Call {
        callee: RoutineId,
        arguments: &'s [Option<Expr>],
        result: Option<&'s Place>,
    },
    /// Pushes a scalar, or an array element by element.
    Push {
        tape: VarId,
        class: TapeClass,
        value: &'s Expr,
    },
    /// Pops the value that a push of the same class and shape has pushed.
    Pop {
        tape: VarId,
        class: TapeClass,
        target: &'s Place,
    },
    /// A statement that computes nothing.
    Opaque {
        text: &'s str,
        reads: &'s [VarId],
        writes: &'s [VarId],
    },
    /// The end of the whole program.
    Stop { text: &'s str },
}

/// An expression of a [`Flat`](super::Flat) program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlatExpr<'e> {
    /// A constant.
    Constant(Constant),
    /// The value of a variable, an element or a section.
    Place(&'e Place),
    /// An operator or intrinsic applied to operands; none has the class [`OpClass::Pointer`].
    Op(Op, &'e [Expr]),
}

/// A constant of a type that has a literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// Of the type `integer`.
    Int(i64),
    /// Of the type `real`.
    Real(f64),
    /// Of the type `real32`.
    Real32(f32),
    /// Of the type `logical`.
    Logical(bool),
}

/// A subscript of a place of a [`Flat`](super::Flat) program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlatSubscript<'e> {
    /// An index.
    Index(&'e Expr),
    /// A range.
    Range(&'e Range),
}

/// The type of a variable or an expression of a [`Flat`](super::Flat) program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlatType {
    /// IEEE binary64.
    Real,
    /// IEEE binary32.
    Real32,
    /// 64-bit integer.
    Integer,
    /// True or false.
    Logical,
    /// An integer of another width, or without sign.
    Sized(IntType),
    /// A tape.
    Tape,
}

/// The class of an operator in a [`Flat`](super::Flat) program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatClass {
    /// Scalar function, applied element by element to arrays.
    Elemental,
    /// Reduces an array to a scalar.
    Reduction,
    /// Array to array, not element by element.
    Transformational,
    /// Asks about an array's shape or an argument's presence.
    Inquiry,
}

/// Panics: `what` occurs in no flat program, so [`Flat::check`](super::Flat::check) has not seen this one.
#[cold]
#[track_caller]
fn not_flat(what: &str) -> ! {
    unreachable!("V164: {what} is viewed as part of a flat program; `Flat::check` comes first")
}

impl<'s> FlatStmt<'s> {
    /// The view of a statement.
    ///
    /// # Panics
    /// The statement makes or ends objects on the heap, as in no [`Flat`](super::Flat) program.
    #[inline]
    #[track_caller]
    pub fn view(kind: &'s StmtKind) -> Self {
        match kind {
            StmtKind::Assign { target, value } => Self::Assign { target, value },
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => Self::Call {
                callee: *callee,
                arguments,
                result: result.as_ref(),
            },
            StmtKind::Push { tape, class, value } => Self::Push {
                tape: *tape,
                class: *class,
                value,
            },
            StmtKind::Pop {
                tape,
                class,
                target,
            } => Self::Pop {
                tape: *tape,
                class: *class,
                target,
            },
            StmtKind::Opaque {
                text,
                reads,
                writes,
            } => Self::Opaque {
                text,
                reads,
                writes,
            },
            StmtKind::Stop { text } => Self::Stop { text },
            StmtKind::Allocate { .. } | StmtKind::Free { .. } | StmtKind::Resize { .. } => {
                not_flat("a statement of the heap")
            }
        }
    }
}

impl<'e> FlatExpr<'e> {
    /// The view of an expression. Its operands are references: each needs a view of its own.
    ///
    /// # Panics
    /// The expression makes a pointer, as in no [`Flat`](super::Flat) program.
    #[inline]
    #[track_caller]
    pub fn view(e: &'e Expr) -> Self {
        match e {
            Expr::Int(value) => Self::Constant(Constant::Int(*value)),
            Expr::Real(value) => Self::Constant(Constant::Real(*value)),
            Expr::Real32(value) => Self::Constant(Constant::Real32(*value)),
            Expr::Logical(value) => Self::Constant(Constant::Logical(*value)),
            Expr::Place(place) => Self::Place(place),
            Expr::Op(op, operands) => Self::Op(*op, operands),
            Expr::Null(_) | Expr::Addr(_) => not_flat("a pointer"),
        }
    }
}

impl<'e> FlatSubscript<'e> {
    /// The view of a subscript.
    ///
    /// # Panics
    /// The subscript is a field or a step through a pointer, as in no [`Flat`](super::Flat) program.
    #[inline]
    #[track_caller]
    pub fn view(subscript: &'e Subscript) -> Self {
        match subscript {
            Subscript::Index(e) => Self::Index(e),
            Subscript::Range(range) => Self::Range(range),
            Subscript::Field(_) | Subscript::Deref => not_flat("a field or a step of a pointer"),
        }
    }
}

impl FlatType {
    /// The view of a type.
    ///
    /// # Panics
    /// The type is a record or a pointer, as in no [`Flat`](super::Flat) program.
    #[inline]
    #[track_caller]
    pub fn view(ty: ScalarType) -> Self {
        match ty {
            ScalarType::Real => Self::Real,
            ScalarType::Real32 => Self::Real32,
            ScalarType::Integer => Self::Integer,
            ScalarType::Logical => Self::Logical,
            ScalarType::Sized(ty) => Self::Sized(ty),
            ScalarType::Tape => Self::Tape,
            ScalarType::Record(_) | ScalarType::Pointer(_) => not_flat("a record or a pointer"),
        }
    }
}

impl FlatClass {
    /// The class of an operator.
    ///
    /// # Panics
    /// The operator moves pointers, as in no [`Flat`](super::Flat) program.
    #[inline]
    #[track_caller]
    pub fn view(op: Op) -> Self {
        match op.class() {
            OpClass::Elemental => Self::Elemental,
            OpClass::Reduction => Self::Reduction,
            OpClass::Transformational => Self::Transformational,
            OpClass::Inquiry => Self::Inquiry,
            OpClass::Pointer => not_flat("an operator of pointers"),
        }
    }
}
