//! Comparisons and differences of pointers, and null pointers.

use super::{
    Lowered, flat, points,
    routine::Body,
    slot::{Pointer, Slot},
    value::Value,
    walk::NULL,
};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind},
    codes,
    source::Pos,
    types::{Arith, Int},
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Role, Subscript},
};

impl Body<'_, '_> {
    /// True if a pointer is not null.
    pub(super) fn not_null(&mut self, e: ExprId) -> Lowered<Expr> {
        if self.holds_value(e) {
            return self.is_not_null(e);
        }
        let unit = self.l.unit;
        let e = points::bare(unit, e);
        if points::is_null(unit, e) {
            return Ok(Expr::Logical(false));
        }
        let name = match &unit.expr(e).kind {
            &ExprKind::Assign(None, target, value) => {
                self.assign_pointer(target, value)?;
                target
            }
            ExprKind::Name(_) => e,
            ExprKind::Inlined(inlined) if inlined.value.is_some() => {
                self.inlined(inlined);
                match inlined.value {
                    Some(value) => return self.not_null(value),
                    None => return Err(super::Failed),
                }
            }
            _ => {
                self.pointer(e)?;
                return Ok(Expr::Logical(true));
            }
        };
        let ExprKind::Name(d) = unit.expr(name).kind else {
            return Ok(Expr::Logical(true));
        };
        match self.slot(d, unit.expr(name).at)? {
            Slot::Walker(walker) if walker.null => Ok(Expr::op(
                Op::Ne,
                [Expr::var(walker.offset), Expr::Int(NULL)],
            )),
            Slot::Array { var, .. } if self.is_optional(d) => {
                Ok(Expr::op(Op::Present, [Expr::var(var)]))
            }
            Slot::Array { .. }
            | Slot::Alias(_)
            | Slot::Walker(_)
            | Slot::Scalar(..)
            | Slot::Cell(..) => Ok(Expr::Logical(true)),
        }
    }

    /// True of a parameter that a call may leave out with a null pointer.
    pub(super) fn is_optional(&self, d: DeclId) -> bool {
        let decl = self.l.unit.decl(d);
        decl.kind == DeclKind::Parameter
            && !self.l.values
            && decl.assigned.is_empty()
            && !decl.address
            && self.l.facts.is_tested(d)
    }

    /// A comparison or difference of pointers.
    pub(super) fn compare_pointers(
        &mut self,
        op: Binary,
        a: ExprId,
        b: ExprId,
        at: Pos,
    ) -> Lowered<Value> {
        let unit = self.l.unit;
        let null = match (points::is_null(unit, a), points::is_null(unit, b)) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => None,
        };
        if let Some(pointer) = null
            && matches!(op, Binary::Eq | Binary::Ne)
        {
            let not_null = self.not_null(pointer)?;
            return Ok(match (op, not_null) {
                (Binary::Ne, Expr::Logical(value)) => Value::integer(value.into(), Int::Int),
                (_, Expr::Logical(value)) => Value::integer((!value).into(), Int::Int),
                (Binary::Ne, e) => Value::truth(e, 2),
                (_, e) => Value::truth(Expr::op(Op::Not, [e]), 3),
            });
        }
        if !unit.is_pointer(a) || !unit.is_pointer(b) {
            let help = "compare it with another pointer into the same array";
            return self.error(&codes::POINTER, at, "a pointer is computed with", help);
        }
        if self.holds_value(a) {
            return self.compare_values(op, a, b, at);
        }
        self.unordered(&[a, b], None)?;
        let mut left = self.pointer(a)?;
        if unit.expr(b).effects {
            self.settle(&mut left);
        }
        let right = self.pointer(b)?;
        if matches!(op, Binary::Eq | Binary::Ne)
            && self.are_apart(left.var, right.var)
            && let Some(equal) = self.are_null([(a, left.var), (b, right.var)])?
        {
            return Ok(match (op, equal) {
                (_, Expr::Logical(equal)) => {
                    Value::integer((equal == (op == Binary::Eq)).into(), Int::Int)
                }
                (Binary::Ne, equal) => {
                    let depth = equal.depth() + 1;
                    Value::truth(Expr::op(Op::Not, [equal]), depth)
                }
                (_, equal) => {
                    let depth = equal.depth();
                    Value::truth(equal, depth)
                }
            });
        }
        let Some(order) = positions(&left, &right) else {
            return self.different_arrays(a, b, at);
        };
        if op == Binary::Sub {
            // In one row or member, which nothing but its own subscript tells, the places in it are subtracted.
            let in_one = order
                .split_last()
                .filter(|(_, outer)| outer.iter().all(|(a, b)| a == b));
            let Some(((x, y), _)) = in_one else {
                let message = "the distance of pointers into rows or members is not supported";
                let help = "subtract indices instead";
                return self.error(&codes::POINTER, at, message, help);
            };
            let e = Expr::op(Op::Sub, [x.clone(), y.clone()]);
            let depth = e.depth();
            return Ok(Value::new(e, Arith::Int(Int::Long), depth));
        }
        let Some(comparison) = super::expression::comparison(op) else {
            let message = "a pointer is computed with";
            let help = "subtract or compare pointers";
            return self.error(&codes::POINTER, at, message, help);
        };
        // The first positions that differ decide.
        let strict = match comparison {
            Op::Le => Op::Lt,
            Op::Ge => Op::Gt,
            other => other,
        };
        let mut e: Option<Expr> = None;
        for (x, y) in order.into_iter().rev() {
            let equal = Expr::op(Op::Eq, [x.clone(), y.clone()]);
            e = Some(match (e, comparison) {
                (None, _) => Expr::op(comparison, [x, y]),
                (Some(e), Op::Eq) => Expr::op(Op::And, [equal, e]),
                (Some(e), Op::Ne) => Expr::op(Op::Or, [Expr::op(Op::Ne, [x, y]), e]),
                (Some(e), _) => {
                    let behind = Expr::op(Op::And, [equal, e]);
                    Expr::op(Op::Or, [Expr::op(strict, [x, y]), behind])
                }
            });
        }
        let e = e.unwrap_or(Expr::Logical(matches!(
            comparison,
            Op::Eq | Op::Le | Op::Ge
        )));
        let depth = e.depth();
        Ok(Value::truth(e, depth))
    }

    /// True of two variables that are certain to be different arrays where both are there: one of them is a local, or both are
    /// `restrict`. Of parameters that are `restrict` one must be written, since only then they do not meet, and no call in the files may
    /// hand over parts of one array.
    fn are_apart(&self, a: VarId, b: VarId) -> bool {
        let is_local = |v: VarId| {
            let variable = self.f.get(v);
            variable.is_some_and(|v| matches!(v.role, Role::Local))
        };
        let unit = self.l.unit;
        let parameters = &unit.functions[self.function].parameters;
        let parameter = |v: VarId| parameters.get(v.index()).copied();
        let is_restricted = |d: DeclId| unit.decl(d).ty.restrict && !self.is_rows(d);
        let are_restricted = || {
            let (Some(a), Some(b)) = (parameter(a), parameter(b)) else {
                return false;
            };
            let is_written = self.l.facts.is_written(a) || self.l.facts.is_written(b);
            is_written
                && is_restricted(a)
                && is_restricted(b)
                && !self.l.facts.is_shared(self.function)
        };
        a != b && (is_local(a) || is_local(b) || are_restricted())
    }

    /// Whether two pointers into different arrays are both null, which alone makes them equal. None if that is not known: a pointer may
    /// point into an array that is absent.
    fn are_null(&mut self, pointers: [(ExprId, VarId); 2]) -> Lowered<Option<Expr>> {
        let unit = self.l.unit;
        let parameters = &unit.functions[self.function].parameters;
        let mut nulls = Vec::new();
        let mut is_known = true;
        for (e, var) in pointers {
            let e = points::bare(unit, e);
            let not_null = match unit.expr(e).kind {
                ExprKind::Name(_) => self.not_null(e)?,
                _ => Expr::Logical(true),
            };
            let parameter = parameters.get(var.index());
            let may_be_absent = parameter.is_some_and(|d| self.is_optional(*d));
            if not_null == Expr::Logical(true) && !may_be_absent {
                return Ok(Some(Expr::Logical(false)));
            }
            is_known &= !may_be_absent || matches!(not_null, Expr::Op(Op::Present, _));
            nulls.push(Expr::op(Op::Not, [not_null]));
        }
        Ok(is_known.then(|| Expr::op(Op::And, nulls)))
    }

    /// Pointers into different arrays are compared: of those that may point into several arrays this is known in a run.
    fn different_arrays(&mut self, a: ExprId, b: ExprId, at: Pos) -> Lowered<Value> {
        let unit = self.l.unit;
        let open = [a, b].map(|e| unit.roots(e));
        if open.iter().flatten().any(|d| self.bound.contains_key(d)) {
            let file = self.l.sink.files.get(at.file as usize);
            let file = file.map_or("", String::as_str);
            let text = format!(
                "{file}:{}: pointers into different arrays are compared",
                at.line
            );
            self.mark();
            self.f.stop(text);
            return Ok(Value::integer(0, Int::Int));
        }
        let message = "two pointers are compared that may point into different arrays";
        let help = "compare pointers into one array, or their numbers of elements";
        self.error(&codes::POINTER, at, message, help)
    }
}

/// The subscripts of two pointers, in pairs, where they are not the same; the last of them may move. None if the
/// pointers point into different arrays.
fn positions(left: &Pointer, right: &Pointer) -> Option<Vec<(Expr, Expr)>> {
    if left.var != right.var || left.prefix.len() != right.prefix.len() {
        return None;
    }
    if let Some(extents) = left.flat.as_ref().or(right.flat.as_ref()) {
        let (a, b) = (flat::number(left, extents)?, flat::number(right, extents)?);
        return Some(vec![(a, b)]);
    }
    let mut pairs = Vec::new();
    for (a, b) in left.prefix.iter().zip(&right.prefix) {
        match (a, b) {
            (a, b) if a == b => {}
            (Subscript::Index(a), Subscript::Index(b)) => pairs.push((a.clone(), b.clone())),
            _ => return None,
        }
    }
    match (&left.offset, &right.offset) {
        (Some(a), Some(b)) => pairs.push((a.clone(), b.clone())),
        (None, None) => {}
        _ => return None,
    }
    Some(pairs)
}
