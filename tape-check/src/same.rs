//! Equality of expressions and places of two routines: variables correspond by name.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Extent, Place, Range, Role, Routine, Subscript},
};
use std::collections::HashMap;

/// True if two expressions of one routine are the same; a NaN among their constants is the same as itself.
pub(crate) fn are_identical(a: &Expr, b: &Expr) -> bool {
    Correspondence::identity().same(a, b)
}

/// The variable of the reverse sweep that corresponds to each variable of the forward sweep.
pub(crate) struct Correspondence(Option<Vec<Option<VarId>>>);

impl Correspondence {
    /// The correspondence of two sweeps in one routine: each variable is itself.
    pub(crate) fn identity() -> Self {
        Self(None)
    }

    /// The correspondence by name; types must agree, and both are locals, parameters, or the same global.
    pub(crate) fn by_name(forward: &Routine, reverse: &Routine) -> Self {
        let there: HashMap<&str, usize> = reverse
            .variables
            .iter()
            .enumerate()
            .map(|(i, v)| (v.name.as_str(), i))
            .collect();
        Self(Some(
            forward
                .variables
                .iter()
                .map(|v| {
                    let i = *there.get(v.name.as_str())?;
                    let there = &reverse.variables[i];
                    let is_same = match (v.role, there.role) {
                        (Role::Local, Role::Local)
                        | (Role::Parameter { .. }, Role::Parameter { .. }) => true,
                        (Role::Global(a), Role::Global(b)) => a == b,
                        _ => false,
                    };
                    (is_same && there.ty == v.ty).then(|| VarId::new(i))
                })
                .collect(),
        ))
    }

    /// The variable of the reverse sweep.
    pub(crate) fn variable(&self, v: VarId) -> Option<VarId> {
        match &self.0 {
            None => Some(v),
            Some(map) => map.get(v.index()).copied().flatten(),
        }
    }

    pub(crate) fn same_variable(&self, a: VarId, b: VarId) -> bool {
        self.variable(a) == Some(b)
    }

    pub(crate) fn same(&self, a: &Expr, b: &Expr) -> bool {
        match (a, b) {
            (Expr::Int(a), Expr::Int(b)) => a == b,
            (Expr::Real(a), Expr::Real(b)) => a.to_bits() == b.to_bits(),
            (Expr::Real32(a), Expr::Real32(b)) => a.to_bits() == b.to_bits(),
            (Expr::Logical(a), Expr::Logical(b)) => a == b,
            (Expr::Place(a), Expr::Place(b)) => self.same_place(a, b),
            (Expr::Op(f, a), Expr::Op(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.same(a, b))
            }
            _ => false,
        }
    }

    pub(crate) fn same_place(&self, a: &Place, b: &Place) -> bool {
        let optional = |a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => self.same(a, b),
            _ => false,
        };
        let range = |a: &Range, b: &Range| {
            optional(&a.lower, &b.lower)
                && optional(&a.upper, &b.upper)
                && optional(&a.stride, &b.stride)
        };
        self.same_variable(a.var, b.var)
            && a.subscripts.len() == b.subscripts.len()
            && a.subscripts
                .iter()
                .zip(&b.subscripts)
                .all(|pair| match pair {
                    (Subscript::Index(a), Subscript::Index(b)) => self.same(a, b),
                    (Subscript::Range(a), Subscript::Range(b)) => range(a, b),
                    _ => false,
                })
    }

    /// True if the two variables have the same rank, bounds and storage order.
    pub(crate) fn same_shape(
        &self,
        forward: &Routine,
        a: VarId,
        reverse: &Routine,
        b: VarId,
    ) -> bool {
        let (a, b) = (forward.variable(a), reverse.variable(b));
        let extent = |a: &Extent, b: &Extent| match (a, b) {
            (Extent::Deferred, Extent::Deferred) => true,
            (Extent::Fixed(a), Extent::Fixed(b)) => self.same(a, b),
            _ => false,
        };
        (a.rank() < 2 || a.order == b.order)
            && a.shape.len() == b.shape.len()
            && a.shape
                .iter()
                .zip(&b.shape)
                .all(|(a, b)| self.same(&a.lower, &b.lower) && extent(&a.extent, &b.extent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::Op;

    /// Each expression is the same as itself, even a NaN, and differs from all others: zeros of two signs are two
    /// values.
    #[test]
    fn expressions_are_the_same_part_by_part() {
        let place = |var, subscripts: Vec<Subscript>| {
            let subscripts = subscripts.into_boxed_slice();
            Expr::Place(Place {
                var: VarId::new(var),
                subscripts,
            })
        };
        let index = |i| Subscript::Index(Expr::Int(i));
        let range = |bounds: [Option<i64>; 3]| {
            let [lower, upper, stride] = bounds.map(|bound| bound.map(Expr::Int));
            Subscript::Range(Box::new(Range {
                lower,
                upper,
                stride,
            }))
        };
        let op = |op, operands: &[i64]| {
            let operands = operands.iter().map(|&i| Expr::Int(i));
            Expr::Op(op, operands.collect())
        };
        let all = [
            Expr::Int(1),
            Expr::Int(2),
            Expr::Real(0.0),
            Expr::Real(-0.0),
            Expr::Real(f64::NAN),
            Expr::Real32(0.0),
            Expr::Real32(-0.0),
            Expr::Real32(f32::NAN),
            Expr::Logical(true),
            Expr::Logical(false),
            place(0, vec![]),
            place(1, vec![]),
            place(0, vec![index(1)]),
            place(0, vec![index(2)]),
            place(0, vec![index(1), index(1)]),
            place(0, vec![index(1), index(2)]),
            place(0, vec![range([None, None, None])]),
            place(0, vec![range([Some(1), None, None])]),
            place(0, vec![range([Some(2), None, None])]),
            place(0, vec![range([None, Some(1), None])]),
            place(0, vec![range([None, None, Some(1)])]),
            place(0, vec![range([Some(1), Some(1), Some(1)])]),
            place(0, vec![range([Some(1), Some(1), Some(2)])]),
            op(Op::Add, &[1, 2]),
            op(Op::Sub, &[1, 2]),
            op(Op::Add, &[2, 1]),
            op(Op::Max, &[1, 2]),
            op(Op::Max, &[1, 2, 3]),
        ];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                assert_eq!(are_identical(a, b), i == j, "{a:?} {b:?}");
            }
        }
    }
}
