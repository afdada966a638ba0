//! Expressions: places in pools, and pointers as an object and a cell.

use super::{
    address::{Address, Located},
    arithmetic::{add, all, either, eq, mul, sub},
    cells,
    plan::{CELL, OBJECT},
    writer::{Mode, Refused, Writer, field, internal_error},
};
use cfg_core::{
    ir::{Expr, Op, OpClass, Place, ScalarType},
    typing::type_in,
};

/// A lowered pointer: the number of its object, and its cell; both are 0 for null.
pub(super) struct Pointer {
    pub(super) object: Expr,
    pub(super) cell: Expr,
}

impl Writer<'_, '_> {
    /// The place after the lowering: part of a variable, or cells of a pool.
    pub(super) fn lower_place(&mut self, place: &Place, mode: Mode) -> Result<Place, Refused> {
        // A statement that names a place twice computes its index once. Only a few places are kept, so that searches
        // stay short.
        const KEPT: usize = 8;
        if let Some((_, known)) = self.found.iter().find(|(known, _)| known == place) {
            return Ok(known.clone());
        }
        let address = match self.locate_place(place, mode)? {
            Located::Plain(place) => return Ok(place),
            Located::Pooled(address) => address,
        };
        let cells = self.place_of_cells(address, mode)?;
        if mode == Mode::Ahead {
            if self.found.len() == KEPT {
                self.found.remove(0);
            }
            self.found.push((place.clone(), cells.clone()));
        }
        Ok(cells)
    }

    /// An expression that is no pointer. Recursion is bounded: expressions have at most [`Expr::MAX_DEPTH`] levels.
    pub(super) fn lower_expr(&mut self, e: &Expr, mode: Mode) -> Result<Expr, Refused> {
        match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => Ok(e.clone()),
            Expr::Null(_) | Expr::Addr(_) => Err(internal_error("a pointer where there is none")),
            Expr::Place(place) => Ok(self.lower_place(place, mode)?.into()),
            Expr::Op(op, operands) => self.lower_operator(*op, operands, mode),
        }
    }

    fn lower_operator(&mut self, op: Op, operands: &[Expr], mode: Mode) -> Result<Expr, Refused> {
        match (op, operands) {
            (Op::Eq | Op::Ne, [a, b]) if self.is_pointer(a) => {
                let (a, b) = (self.lower_pointer(a, mode)?, self.lower_pointer(b, mode)?);
                let same = all(vec![eq(a.object, b.object), eq(a.cell, b.cell)]);
                Ok(match (op, same) {
                    (Op::Eq, same) => same,
                    (_, Expr::Logical(same)) => Expr::Logical(!same),
                    (_, same) => Expr::op(Op::Not, [same]),
                })
            }
            (Op::Lt | Op::Le | Op::Gt | Op::Ge, [a, b]) if self.is_pointer(a) => {
                let distance = self.lower_distance(a, b, mode)?;
                Ok(Expr::op(op, [distance, Expr::Int(0)]))
            }
            (Op::Distance, [a, b]) => {
                let pointer = self.type_of(a)?.pointer();
                let pointee = pointer.ok_or_else(|| internal_error("a distance of no pointers"))?;
                let size = cells::cell_count(self.plan.program, pointee.pointee());
                let distance = self.lower_distance(a, b, mode)?;
                Ok(match size {
                    0 | 1 => distance,
                    size => Expr::op(Op::Div, [distance, Expr::Int(size)]),
                })
            }
            // Operands that may not be evaluated are computed in their place, not ahead.
            (Op::And | Op::Or | Op::If, [first, rest @ ..]) => {
                let mut all = vec![self.lower_expr(first, mode)?];
                for e in rest {
                    all.push(self.lower_expr(e, Mode::InPlace)?);
                }
                Ok(Expr::op(op, all))
            }
            (_, [Expr::Place(place), rest @ ..]) if op.class() == OpClass::Inquiry => {
                self.lower_inquiry(op, place, rest, mode)
            }
            _ => {
                let mut all = Vec::with_capacity(operands.len());
                for e in operands {
                    all.push(self.lower_expr(e, mode)?);
                }
                Ok(Expr::op(op, all))
            }
        }
    }

    /// The distance of two pointers in cells. Pointers to different objects are a run-time error, since the table has
    /// no such entry.
    fn lower_distance(&mut self, a: &Expr, b: &Expr, mode: Mode) -> Result<Expr, Refused> {
        let led_to = self.plan.classes.led_to_by(self.id, [a, b]);
        let (a, b) = (self.lower_pointer(a, mode)?, self.lower_pointer(b, mode)?);
        let cells = sub(a.cell, b.cell);
        let Some(pool) = led_to.and_then(|class| self.plan.pool(class)) else {
            return Ok(cells);
        };
        let same = eq(a.object.clone(), b.object.clone());
        // Not simplified if both are the same expression: C compilers would warn of a constant that is no subscript.
        let apart = Expr::op(Op::Sub, [a.object, b.object]);
        // Entry -1 is the error for lack of room, so this one starts at -2.
        let apart = sub(
            Expr::op(Op::Neg, [Expr::op(Op::Abs, [apart])]),
            Expr::Int(1),
        );
        let missing = self.table_entry(self.plan.pools[pool].first, apart);
        Ok(either(same, cells, missing.into()))
    }

    fn lower_inquiry(
        &mut self,
        op: Op,
        place: &Place,
        rest: &[Expr],
        mode: Mode,
    ) -> Result<Expr, Refused> {
        let address = match self.locate_place(place, mode)? {
            Located::Plain(place) => {
                let operands = std::iter::once(place.into()).chain(rest.iter().cloned());
                return Ok(Expr::op(op, operands));
            }
            Located::Pooled(address) => address,
        };
        let dimension = match rest {
            [Expr::Int(k)] => usize::try_from(*k - 1).ok(),
            _ => None,
        };
        let shape = self.shapes.get(&place.var).cloned();
        let whole = place.subscripts.is_empty();
        match (op, dimension) {
            (Op::Size, None) => {
                let counts = address.open.into_iter().map(|open| open.count);
                Ok(counts.fold(Expr::Int(1), mul))
            }
            (Op::Size, Some(k)) => (address.open.into_iter().nth(k))
                .map(|open| open.count)
                .ok_or_else(|| internal_error("a dimension that is not there")),
            (Op::LBound | Op::UBound, Some(k)) => {
                let count = address.open.into_iter().nth(k).map(|open| open.count);
                let count = count.ok_or_else(|| internal_error("a dimension that is not there"))?;
                let lower = shape
                    .filter(|_| whole)
                    .and_then(|shape| shape.into_iter().nth(k));
                let lower = lower.map_or(Expr::Int(1), |(lower, _)| lower);
                if op == Op::LBound {
                    return Ok(lower);
                }
                Ok(add(lower, sub(count, Expr::Int(1))))
            }
            _ => Err(Refused::new(
                "an optional parameter lives in a pool, since its address is taken",
                "pass a pointer, which may be null",
            )),
        }
    }

    /// The object and the cell of a pointer.
    pub(super) fn lower_pointer(&mut self, e: &Expr, mode: Mode) -> Result<Pointer, Refused> {
        match e {
            Expr::Null(_) => Ok(Pointer {
                object: Expr::Int(0),
                cell: Expr::Int(0),
            }),
            Expr::Addr(place) => match self.locate_place(place, mode)? {
                Located::Pooled(Address { object, cell, .. }) => Ok(Pointer { object, cell }),
                Located::Plain(_) => Err(internal_error("the address of what is in no pool")),
            },
            Expr::Place(place) => {
                let place = self.lower_place(place, mode)?;
                Ok(Pointer {
                    object: field(&place, OBJECT).into(),
                    cell: field(&place, CELL).into(),
                })
            }
            Expr::Op(Op::Shift, operands) => {
                let [pointer, count] = &**operands else {
                    return Err(internal_error("a shift of nothing"));
                };
                let ty = self.type_of(pointer)?.pointer();
                let pointee = ty
                    .ok_or_else(|| internal_error("a shift of no pointer"))?
                    .pointee();
                let Pointer { object, cell } = self.lower_pointer(pointer, mode)?;
                let count = self.lower_expr(count, mode)?;
                let size = Expr::Int(cells::cell_count(self.plan.program, pointee));
                let cell = add(cell, mul(count, size));
                Ok(Pointer { object, cell })
            }
            Expr::Op(Op::If, operands) => {
                let [condition, a, b] = &**operands else {
                    return Err(internal_error("a choice of nothing"));
                };
                let condition = self.lower_expr(condition, mode)?;
                let a = self.lower_pointer(a, Mode::InPlace)?;
                let b = self.lower_pointer(b, Mode::InPlace)?;
                Ok(Pointer {
                    object: either(condition.clone(), a.object, b.object),
                    cell: either(condition, a.cell, b.cell),
                })
            }
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Op(..) => {
                Err(internal_error("no pointer where there should be one"))
            }
        }
    }

    pub(super) fn type_of(&self, e: &Expr) -> Result<ScalarType, Refused> {
        let ty = type_in(&self.plan.program.records, &self.routine.variables, e);
        Ok(ty
            .map_err(|_| internal_error("an expression without a type"))?
            .ty)
    }

    fn is_pointer(&self, e: &Expr) -> bool {
        self.type_of(e).is_ok_and(|ty| ty.pointer().is_some())
    }
}
