//! What stands for a variable of C in a routine.

use crate::types::Arith;
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Place, Range, Subscript},
};

/// What stands for a variable of C.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Scalar(VarId, Arith),
    /// An array of one element, of which pointers can be made.
    Cell(VarId, Arith),
    Array {
        var: VarId,
        elem: Arith,
        rank: usize,
        constant: bool,
    },
    /// A pointer that was replaced by what it points to.
    Alias(Pointer),
}

/// A pointer to an element or a row of an array.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) var: VarId,
    pub(super) elem: Arith,
    /// The rank of the array.
    pub(super) rank: usize,
    /// The first subscripts.
    pub(super) prefix: Vec<Expr>,
    /// The subscript that moves with the pointer.
    pub(super) offset: Expr,
    /// It must not be written through.
    pub(super) constant: bool,
}

impl Pointer {
    /// Dimensions of what it points to; 0 for a scalar.
    pub(super) fn inner(&self) -> usize {
        self.rank - self.prefix.len() - 1
    }

    pub(super) fn shift(mut self, by: Expr, op: Op) -> Self {
        let sum = match (&self.offset, op, &by) {
            (Expr::Int(a), Op::Add, Expr::Int(b)) => a.checked_add(*b),
            (Expr::Int(a), Op::Sub, Expr::Int(b)) => a.checked_sub(*b),
            _ => None,
        };
        self.offset = match (&self.offset, op) {
            _ if by == Expr::Int(0) => self.offset,
            _ if sum.is_some() => Expr::Int(sum.unwrap_or(0)),
            (Expr::Int(0), Op::Add) => by,
            _ => Expr::op(op, [self.offset, by]),
        };
        self
    }

    /// The row or element that it points to, as the array that its elements are.
    pub(super) fn section(self) -> Place {
        let inner = self.inner();
        if self.prefix.is_empty() && self.offset == Expr::Int(0) {
            return Place::whole(self.var);
        }
        let mut subscripts: Vec<Subscript> =
            self.prefix.into_iter().map(Subscript::Index).collect();
        let lower = (self.offset != Expr::Int(0)).then_some(self.offset);
        subscripts.push(Subscript::Range(Box::new(Range {
            lower,
            upper: None,
            stride: None,
        })));
        subscripts.extend((0..inner).map(|_| Subscript::Range(Box::default())));
        Place {
            var: self.var,
            subscripts: subscripts.into_boxed_slice(),
        }
    }
}
