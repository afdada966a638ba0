//! `pack` and `unpack`: between an array with a mask and a vector, in storage order.

use crate::xaif::{
    lower::{
        Lower,
        intrinsics::Failure,
        transformational::{Outcome, close_loops, deferred_array, element, over, shape_failure},
        typed::Typed,
    },
    read::xml::NodeId,
};
use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    entity::VarId,
    ir::{Expr, Op, Place, ScalarType, Stmt, Subscript},
};

/// Loops over all elements of `a`, the first subscript innermost; the subscripts.
fn over_all(b: &mut RoutineBuilder, a: VarId, rank: usize) -> Vec<Subscript> {
    let mut at = vec![full(); rank];
    for d in (0..rank).rev() {
        let i = over(b, a, d);
        at[d] = Subscript::Index(Expr::var(i));
    }
    at
}

impl Lower<'_, '_> {
    /// A scalar repeated in these extents, or the array itself, as a place.
    fn spread_out(&mut self, v: NodeId, value: Typed, extents: &[Expr]) -> Option<Place> {
        if value.rank > 0 {
            return self.as_place(v, value);
        }
        let fill = std::iter::once(value.expr).chain(extents.iter().cloned());
        let value = Typed {
            expr: Expr::op(Op::Fill, fill),
            ty: value.ty,
            rank: extents.len(),
            depth: value.depth + 2,
        };
        self.as_place(v, value)
    }

    /// `pack(array, mask, vector)`: the elements under the mask; with a vector, its elements after them.
    pub(crate) fn lower_pack(&mut self, v: NodeId, operands: Vec<Typed>) -> Outcome<Option<Typed>> {
        let count = operands.len();
        let mut operands = operands.into_iter();
        let (Some(array), Some(mask), vector, true) = (
            operands.next(),
            operands.next(),
            operands.next(),
            count <= 3,
        ) else {
            return Err(Failure::Count("it must have 2 or 3 operands".to_owned()));
        };
        let (rank, ty) = (array.rank, array.ty);
        if rank == 0 || mask.rank != 0 && mask.rank != rank {
            return Err(shape_failure("its mask has another shape than its array"));
        }
        if mask.ty != ScalarType::Logical {
            return Err(Failure::Type("its mask is not logical".to_owned()));
        }
        let vector = match vector {
            Some(w) if w.rank != 1 => {
                return Err(shape_failure("its third operand is not a vector"));
            }
            Some(w) => Some(w.convert_to(ty).map_err(Failure::Type)?),
            None => None,
        };
        let padded = if vector.is_some() { "v" } else { "" };
        let key = format!("oad_pack_{}_{rank}{padded}", ty.name());
        let callee = self.helpers.get(&key, |b| {
            let a = b.input("a", deferred_array(ty, rank));
            let m = b.input("m", deferred_array(ScalarType::Logical, rank));
            let w = (!padded.is_empty()).then(|| b.input("w", deferred_array(ty, 1)));
            let t = b.inout("t", deferred_array(ty, 1));
            let k = b.local("k", ScalarType::Integer);
            if let Some(w) = w {
                b.assign(t, w);
            }
            b.assign(k, 0);
            let at = over_all(b, a, rank);
            b.if_then(Expr::Place(element(m, at.clone())), |b| {
                b.assign(k, k + 1);
                b.assign(t.at(k), element(a, at));
            });
            close_loops(b, rank);
        });
        let Some(place) = self.as_place(v, array) else {
            return Ok(None);
        };
        let extents = self.extents_now(&place);
        let Some(mask) = self.spread_out(v, mask, &extents) else {
            return Ok(None);
        };
        let mut arguments = vec![Expr::Place(place), Expr::Place(mask.clone())];
        let length = match vector {
            Some(vector) => {
                let Some(vector) = self.as_place(v, vector) else {
                    return Ok(None);
                };
                let length = self.extents_now(&vector);
                arguments.push(Expr::Place(vector));
                length
            }
            None => {
                let mask = Typed {
                    rank,
                    ..Typed::leaf(Expr::Place(mask), ScalarType::Logical)
                };
                let ones = mask
                    .convert_to(ScalarType::Integer)
                    .map_err(Failure::Type)?;
                let n = self.declare_temporary(ScalarType::Integer, 0);
                let sum = Expr::op(Op::Sum, [ones.expr]);
                self.emit_before(v, Stmt::assign(Place::whole(n), sum));
                vec![Expr::var(n)]
            }
        };
        Ok(self.by_helper(v, callee, arguments, ty, length))
    }

    /// `unpack(vector, mask, field)`: the vector's elements under the mask, the field's elsewhere.
    pub(crate) fn lower_unpack(
        &mut self,
        v: NodeId,
        operands: Vec<Typed>,
    ) -> Outcome<Option<Typed>> {
        let [vector, mask, field]: [Typed; 3] = operands
            .try_into()
            .map_err(|_| Failure::Count("it must have 3 operands".to_owned()))?;
        let (rank, ty) = (mask.rank, vector.ty);
        if vector.rank != 1 || rank == 0 || field.rank != 0 && field.rank != rank {
            return Err(shape_failure(
                "it needs a vector, a mask, and a field like the mask",
            ));
        }
        if mask.ty != ScalarType::Logical {
            return Err(Failure::Type("its mask is not logical".to_owned()));
        }
        let field = field.convert_to(ty).map_err(Failure::Type)?;
        let key = format!("oad_unpack_{}_{rank}", ty.name());
        let callee = self.helpers.get(&key, |b| {
            let w = b.input("w", deferred_array(ty, 1));
            let m = b.input("m", deferred_array(ScalarType::Logical, rank));
            let f = b.input("f", deferred_array(ty, rank));
            let t = b.inout("t", deferred_array(ty, rank));
            let k = b.local("k", ScalarType::Integer);
            b.assign(k, 0);
            let at = over_all(b, m, rank);
            let (target, other) = (element(t, at.clone()), element(t, at.clone()));
            b.if_else(
                Expr::Place(element(m, at.clone())),
                |b| {
                    b.assign(k, k + 1);
                    b.assign(target, w.at(k));
                },
                |b| b.assign(other, element(f, at)),
            );
            close_loops(b, rank);
        });
        let Some(mask) = self.as_place(v, mask) else {
            return Ok(None);
        };
        let extents = self.extents_now(&mask);
        let (Some(vector), Some(field)) = (
            self.as_place(v, vector),
            self.spread_out(v, field, &extents),
        ) else {
            return Ok(None);
        };
        let arguments = [vector, mask, field].map(Expr::Place).to_vec();
        Ok(self.by_helper(v, callee, arguments, ty, extents))
    }
}
