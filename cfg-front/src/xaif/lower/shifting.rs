//! `cshift` and `eoshift`, by one shift for all of the array.

use crate::xaif::{
    lower::{
        Lower,
        intrinsics::Failure,
        transformational::{
            Outcome, close_loops, deferred_array, dimension, element, over, shape_failure, size_of,
            unsupported_failure,
        },
        typed::Typed,
    },
    read::xml::NodeId,
};
use cfg_core::{
    builder::expr::*,
    ir::{Expr, Op, ScalarType, Subscript},
};

impl Lower<'_, '_> {
    pub(crate) fn lower_cshift(
        &mut self,
        v: NodeId,
        operands: Vec<Typed>,
    ) -> Outcome<Option<Typed>> {
        let mut operands = operands.into_iter();
        let (Some(array), Some(shift), along, None) = (
            operands.next(),
            operands.next(),
            operands.next(),
            operands.next(),
        ) else {
            return Err(Failure::Count("it must have 2 or 3 operands".to_owned()));
        };
        let (rank, ty) = (array.rank, array.ty);
        if rank == 0 {
            return Err(shape_failure("its operand is not an array"));
        }
        if shift.rank > 0 {
            return Err(unsupported_failure("a shift that is an array"));
        }
        let shift = self.convert_to_integer(shift)?;
        let along = match along {
            Some(along) => dimension(&along, rank)?,
            None => 0,
        };
        let key = format!("oad_cshift_{}_{rank}{}", ty.name(), along + 1);
        let callee = self.helpers.get(&key, |b| {
            let a = b.input("a", deferred_array(ty, rank));
            let n = b.input("n", ScalarType::Integer);
            let t = b.inout("t", deferred_array(ty, rank));
            let i = over(b, a, along);
            let (mut from, mut to) = (vec![full(); rank], vec![full(); rank]);
            to[along] = Subscript::Index(Expr::var(i));
            let moved = Expr::op(Op::Modulo, [i - 1 + n, size_of(a, along)]);
            from[along] = Subscript::Index(moved + 1);
            b.assign(element(t, to), element(a, from));
            close_loops(b, 1);
        });
        let Some(place) = self.as_place(v, array) else {
            return Ok(None);
        };
        let extents = self.extents_now(&place);
        let arguments = vec![Expr::Place(place), shift.expr];
        Ok(self.by_helper(v, callee, arguments, ty, extents))
    }

    /// `eoshift(array, shift, boundary, dim)`: what enters at the end is the boundary, or 0.
    pub(crate) fn lower_eoshift(
        &mut self,
        v: NodeId,
        operands: Vec<Typed>,
    ) -> Outcome<Option<Typed>> {
        let count = operands.len();
        let mut operands = operands.into_iter();
        let (Some(array), Some(shift)) = (operands.next(), operands.next()) else {
            return Err(Failure::Count("it must have 2 to 4 operands".to_owned()));
        };
        let (rank, ty) = (array.rank, array.ty);
        if rank == 0 {
            return Err(shape_failure("its operand is not an array"));
        }
        let (mut boundary, mut along) = (None, None);
        match (operands.next(), operands.next()) {
            (None, _) => {}
            (Some(b), Some(d)) if count == 4 => (boundary, along) = (Some(b), Some(d)),
            (Some(_), Some(_)) => {
                return Err(Failure::Count("it must have 2 to 4 operands".to_owned()));
            }
            // The document does not say which one of two optional operands is there.
            (Some(_), None) if ty == ScalarType::Integer => {
                return Err(unsupported_failure(
                    "of integers with three operands: the third is the boundary or the dimension",
                ));
            }
            (Some(d), None) if d.ty == ScalarType::Integer => along = Some(d),
            (Some(b), None) => boundary = Some(b),
        }
        if shift.rank > 0 || boundary.as_ref().is_some_and(|b| b.rank > 0) {
            return Err(unsupported_failure(
                "a shift or a boundary that is an array",
            ));
        }
        let shift = self.convert_to_integer(shift)?;
        let along = match along {
            Some(along) => dimension(&along, rank)?,
            None => 0,
        };
        let boundary = match (boundary, ty) {
            (Some(b), _) => b,
            (None, ScalarType::Logical) => Typed::leaf(Expr::Logical(false), ty),
            (None, _) => Typed::leaf(Expr::Int(0), ScalarType::Integer),
        };
        let boundary = boundary.convert_to(ty).map_err(Failure::Type)?;
        let key = format!("oad_eoshift_{}_{rank}{}", ty.name(), along + 1);
        let callee = self.helpers.get(&key, |b| {
            let a = b.input("a", deferred_array(ty, rank));
            let n = b.input("n", ScalarType::Integer);
            let z = b.input("z", ty);
            let t = b.inout("t", deferred_array(ty, rank));
            let j = b.local("j", ScalarType::Integer);
            let i = over(b, a, along);
            let (mut from, mut to) = (vec![full(); rank], vec![full(); rank]);
            to[along] = Subscript::Index(Expr::var(i));
            from[along] = Subscript::Index(Expr::var(j));
            b.assign(j, i + n);
            let inside = Expr::op(Op::And, [ge(j, 1), le(j, size_of(a, along))]);
            let target = element(t, to);
            let outside = target.clone();
            b.if_else(
                inside,
                |b| b.assign(target, element(a, from)),
                |b| b.assign(outside, z),
            );
            close_loops(b, 1);
        });
        let Some(place) = self.as_place(v, array) else {
            return Ok(None);
        };
        let extents = self.extents_now(&place);
        let arguments = vec![Expr::Place(place), shift.expr, boundary.expr];
        Ok(self.by_helper(v, callee, arguments, ty, extents))
    }
}
