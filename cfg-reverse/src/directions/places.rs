//! Places and expressions with one more dimension, that of the direction. It is the dimension in which neighbouring
//! elements lie next to each other in memory, so that loops over directions have stride 1.

use cfg_core::{
    entity::{RoutineId, VarId},
    flat::FlatExpr,
    ir::{Expr, Op, OpClass, Order, Place, Range, Subscript, Variable},
};

use super::spread::Spread;
use crate::code::expressions::as_place;

/// The directions for which a place or an expression is written.
#[derive(Clone, Debug)]
pub(super) enum For {
    /// One direction.
    One(Expr),
    /// All directions: one more dimension.
    All,
}

/// The storage order of a variable with one more dimension; that of a vector is free.
pub(super) fn order(variable: &Variable) -> Order {
    match variable.rank() {
        0 | 1 => Order::Row,
        _ => variable.order,
    }
}

/// The places of a routine.
pub(super) struct Places<'a> {
    pub(super) variables: &'a [Variable],
    pub(super) spread: &'a Spread,
    pub(super) routine: RoutineId,
}

impl Places<'_> {
    /// True of a variable of the original that has one more dimension. Added variables are declared as they are.
    pub(super) fn has(&self, v: VarId) -> bool {
        let variable = self.variables.get(v.index());
        variable.is_some_and(|variable| !variable.ty.is_tape()) && self.spread.has(self.routine, v)
    }

    /// A place in one direction, or in all.
    pub(super) fn widen_place(&self, place: &Place, directions: &For) -> Place {
        let mut place = place.map_subscripts(&mut |e| self.expr(e, &For::All));
        if !self.has(place.var) {
            return place;
        }
        let variable = &self.variables[place.var.index()];
        let own = match directions {
            For::One(e) => Subscript::Index(e.clone()),
            For::All if place.subscripts.is_empty() => return place,
            For::All => Subscript::Range(Box::default()),
        };
        let mut subscripts = Vec::from(std::mem::take(&mut place.subscripts));
        if subscripts.is_empty() {
            subscripts = vec![Subscript::Range(Box::<Range>::default()); variable.rank()];
        }
        match order(variable) {
            Order::Row => subscripts.push(own),
            Order::Column => subscripts.insert(0, own),
        }
        place.subscripts = subscripts.into();
        place
    }

    /// An expression in one direction, or in all.
    pub(super) fn expr(&self, e: &Expr, directions: &For) -> Expr {
        match FlatExpr::view(e) {
            FlatExpr::Constant(_) => e.clone(),
            FlatExpr::Place(place) => Expr::Place(self.widen_place(place, directions)),
            FlatExpr::Op(op, operands) if op.class() == OpClass::Inquiry => {
                self.inquiry(op, operands, directions)
            }
            FlatExpr::Op(op, operands) => {
                Expr::op(op, operands.iter().map(|e| self.expr(e, directions)))
            }
        }
    }

    /// An inquiry about a whole variable is about its own dimensions; any other inquiry is about one direction.
    fn inquiry(&self, op: Op, operands: &[Expr], directions: &For) -> Expr {
        let rest = operands.iter().skip(1).map(|e| self.expr(e, &For::All));
        let mut rest: Vec<Expr> = rest.collect();
        let Some(first) = operands.first() else {
            return Expr::op(op, rest);
        };
        let place = as_place(first).filter(|p| p.subscripts.is_empty() && self.has(p.var));
        let Some(whole) = place.map(|place| place.var) else {
            let one = match directions {
                For::One(_) => directions.clone(),
                For::All => For::One(Expr::Int(1)),
            };
            let first = self.expr(first, &one);
            return Expr::op(op, std::iter::once(first).chain(rest));
        };
        if op == Op::Present {
            return Expr::op(op, [first.clone()]);
        }
        let variable = &self.variables[whole.index()];
        let shift = match order(variable) {
            Order::Row => 0,
            Order::Column => 1,
        };
        let size = |k: usize| Expr::op(Op::Size, [first.clone(), Expr::Int(k as i64 + shift)]);
        match rest.pop() {
            None if variable.rank() == 1 => size(1),
            None => Expr::op(Op::Mul, (1..=variable.rank()).map(size)),
            Some(Expr::Int(k)) => Expr::op(op, [first.clone(), Expr::Int(k + shift)]),
            Some(k) => {
                let k = match shift {
                    0 => k,
                    _ => Expr::op(Op::Add, [k, Expr::Int(shift)]),
                };
                Expr::op(op, [first.clone(), k])
            }
        }
    }

    /// True if an expression reads a variable that depends on the direction, but for subscripts.
    pub(super) fn reads(&self, e: &Expr) -> bool {
        let mut found = false;
        super::spread::each_read(e, &mut |v| found |= self.has(v));
        found
    }
}
