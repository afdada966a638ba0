//! Comparisons and differences of pointers, and null pointers.

use super::{
    Lowered, flat,
    routine::Body,
    slot::{Pointer, Slot},
    value::Value,
    walk::NULL,
};
use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, Unary, Unit},
    codes, points,
    source::Pos,
    types::{Arith, Int},
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Role, ScalarType, Subscript},
};

impl Body<'_, '_> {
    /// True if a pointer is not null.
    pub(super) fn not_null(&mut self, e: ExprId) -> Lowered<Expr> {
        if self.holds_value(e) {
            return self.is_not_null(e);
        }
        let unit = self.l.unit;
        let e = points::strip_conversions(unit, e);
        match &unit.expr(e).kind {
            ExprKind::Inlined(inlined) => {
                self.lower_inlined(inlined);
                self.not_null(inlined.value.ok_or(super::Failed)?)
            }
            ExprKind::Binary(Binary::Comma, a, b) => {
                self.lower_for_effects(*a)?;
                self.not_null(*b)
            }
            ExprKind::Conditional(c, a, b) => {
                self.enter_level(e, |body| body.chosen_not_null(*c, [*a, *b]))
            }
            &ExprKind::Assign(None, target, value) => {
                self.set_pointer(target, value)?;
                self.leads_somewhere(target)
            }
            _ => {
                if unit.expr(e).effects {
                    self.lower_pointer(e)?;
                }
                self.leads_somewhere(e)
            }
        }
    }

    /// True if the pointer that a condition chooses is not null.
    fn chosen_not_null(&mut self, c: ExprId, [yes, no]: [ExprId; 2]) -> Lowered<Expr> {
        let unit = self.l.unit;
        let condition = self.lower_condition(c)?;
        if !unit.expr(yes).effects && !unit.expr(no).effects {
            let arms = [self.not_null(yes)?, self.not_null(no)?];
            let [yes, no] = arms;
            let chosen = and(condition.clone(), yes);
            return Ok(or(chosen, and(not(condition), no)));
        }
        let t = self.f.temporary(ScalarType::Logical);
        self.set_span();
        self.f.begin_if(condition);
        let chosen = self.not_null(yes).map(|e| self.assign(t, e));
        self.f.begin_else();
        let other = self.not_null(no).map(|e| self.assign(t, e));
        self.f.end_if();
        chosen.and(other).map(|()| Expr::var(t))
    }

    /// The condition that a pointer, which has been evaluated, is not null: the pointer that it is made from is not.
    pub(super) fn leads_somewhere(&mut self, mut e: ExprId) -> Lowered<Expr> {
        let unit = self.l.unit;
        loop {
            e = points::strip_conversions(unit, e);
            if points::is_null(unit, e) {
                return Ok(Expr::Logical(false));
            }
            if unit.is_array(e) {
                return Ok(Expr::Logical(true));
            }
            e = match &unit.expr(e).kind {
                ExprKind::Name(d) => {
                    let slot = self.slot_of(*d, unit.expr(e).at)?;
                    return Ok(self.slot_leads_somewhere(&slot));
                }
                ExprKind::Assign(_, of, _) | ExprKind::Step { of, .. } => *of,
                ExprKind::Binary(Binary::Add | Binary::Sub, a, b) => {
                    if unit.is_pointer(*a) {
                        *a
                    } else {
                        *b
                    }
                }
                ExprKind::Binary(Binary::Comma, _, b) => *b,
                ExprKind::Inlined(inlined) => inlined.value.ok_or(super::Failed)?,
                ExprKind::Unary(Unary::Address, of) => match pointer_to(unit, *of) {
                    Some(pointer) => pointer,
                    None => return Ok(Expr::Logical(true)),
                },
                ExprKind::Str(_) => return Ok(Expr::Logical(true)),
                ExprKind::Call(..) if points::allocates(unit, e) => return Ok(Expr::Logical(true)),
                ExprKind::Index(..) | ExprKind::Unary(Unary::Deref, _) if self.has_all_rows(e) => {
                    return Ok(Expr::Logical(true));
                }
                ExprKind::Bad => return Err(super::Failed),
                _ => return self.pointer_problem(e, "whether this pointer is null is not known"),
            };
        }
    }

    fn slot_leads_somewhere(&self, slot: &Slot) -> Expr {
        match slot {
            Slot::Walker(walker) if walker.null => {
                Expr::op(Op::Ne, [Expr::var(walker.offset), Expr::Int(NULL)])
            }
            Slot::Array { var, .. } | Slot::Alias(Pointer { var, .. }) => {
                self.presence_condition(*var)
            }
            Slot::Walker(_) | Slot::Scalar(..) | Slot::Cell(..) => Expr::Logical(true),
        }
    }

    /// The condition that a variable is present: true, unless it is a parameter that may be left out.
    pub(super) fn presence_condition(&self, v: VarId) -> Expr {
        match self.f.get(v).map(|v| &v.role) {
            Some(Role::Parameter { optional: true, .. }) => Expr::op(Op::Present, [Expr::var(v)]),
            _ => Expr::Logical(true),
        }
    }

    /// True of a row whose pointer is never null. In a table from a parameter no pointer counts as null; in one from
    /// malloc a pointer has no value before it is assigned. Only calloc makes null pointers.
    fn has_all_rows(&self, e: ExprId) -> bool {
        let unit = self.l.unit;
        unit.root_variable(e).is_some_and(|d| {
            let cleared = |e: &ExprId| {
                points::library_call(unit, points::strip_conversions(unit, *e)) == Some("calloc")
            };
            self.is_rows(d) && !points::assigned_values(unit, d).iter().any(cleared)
        })
    }

    /// True of a parameter that may be null: a call may leave it out.
    pub(super) fn is_optional(&self, d: DeclId) -> bool {
        let decl = self.l.unit.decl(d);
        !self.is_value(&decl.ty) && !decl.address && self.l.facts.may_be_null(d)
    }

    /// Translates a comparison or difference of pointers.
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
            return Ok(match op {
                Binary::Ne => truth(not_null),
                _ => truth(not(not_null)),
            });
        }
        if !unit.is_pointer(a) || !unit.is_pointer(b) {
            let help = "compare it with another pointer into the same array";
            return self.error(&codes::POINTER, at, "a pointer is computed with", help);
        }
        if self.holds_value(a) {
            return self.compare_values(op, a, b, at);
        }
        self.refuse_unordered(&[a, b], None)?;
        let mut left = self.lower_pointer(a)?;
        if unit.expr(b).effects {
            self.settle_pointer(&mut left);
        }
        let right = self.lower_pointer(b)?;
        if matches!(op, Binary::Eq | Binary::Ne) {
            let equal = self.are_equal([(a, &left), (b, &right)], at)?;
            return Ok(match op {
                Binary::Eq => truth(equal),
                _ => truth(not(equal)),
            });
        }
        let Some(order) = positions(&left, &right) else {
            return self.ordered_apart(a, b, at);
        };
        if op == Binary::Sub {
            // The pointers differ in their last subscript only: the places in one row or member are subtracted.
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
        // As in lexicographic order, the first positions that differ decide.
        let strict = match comparison {
            Op::Le => Op::Lt,
            Op::Ge => Op::Gt,
            other => other,
        };
        let mut e: Option<Expr> = None;
        for (x, y) in order.into_iter().rev() {
            e = Some(match e {
                None => Expr::op(comparison, [x, y]),
                Some(e) => {
                    let equal = Expr::op(Op::Eq, [x.clone(), y.clone()]);
                    let behind = Expr::op(Op::And, [equal, e]);
                    Expr::op(Op::Or, [Expr::op(strict, [x, y]), behind])
                }
            });
        }
        let always = Expr::Logical(matches!(comparison, Op::Le | Op::Ge));
        Ok(truth(e.unwrap_or(always)))
    }

    /// The condition that two pointers are equal: both are null, or neither is and they lead to the same place.
    fn are_equal(
        &mut self,
        [(a, left), (b, right)]: [(ExprId, &Pointer); 2],
        at: Pos,
    ) -> Lowered<Expr> {
        let there = [self.leads_somewhere(a)?, self.leads_somewhere(b)?];
        let absent = there.iter().any(|e| matches!(e, Expr::Op(Op::Present, _)));
        let [a_there, b_there] = there;
        let none = and(not(a_there.clone()), not(b_there.clone()));
        let Some(order) = positions(left, right) else {
            if self.are_apart(left.var, right.var) {
                return Ok(none);
            }
            return self.different_arrays(at);
        };
        let same = order
            .into_iter()
            .rev()
            .fold(Expr::Logical(true), |same, (x, y)| {
                and(Expr::op(Op::Eq, [x, y]), same)
            });
        // A null pointer has a position of its own ([`super::walk::NULL`]), but a parameter that is left out has
        // none.
        Ok(match absent {
            true => or(and(and(a_there, b_there), same), none),
            false => same,
        })
    }

    /// True of two variables that, if both are present, are certainly different arrays: one is a local, both are
    /// globals, or both are `restrict` parameters. `restrict` counts under two conditions: one of the arrays is
    /// written, since C allows two names for an array that is only read, and no call in the files passes two parts of
    /// one array.
    fn are_apart(&self, a: VarId, b: VarId) -> bool {
        let role = |v: VarId| self.f.get(v).map(|v| &v.role);
        let is_local = |v: VarId| matches!(role(v), Some(Role::Local));
        let is_global = |v: VarId| matches!(role(v), Some(Role::Global(_)));
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
        a != b && (is_local(a) || is_local(b) || is_global(a) && is_global(b) || are_restricted())
    }

    /// An order of pointers into different arrays, which C leaves undefined. If one of them may point into several
    /// arrays, the program stops at run time; otherwise the comparison is refused.
    fn ordered_apart(&mut self, a: ExprId, b: ExprId, at: Pos) -> Lowered<Value> {
        let unit = self.l.unit;
        let open = [a, b].map(|e| unit.root_variables(e));
        if open.iter().flatten().any(|d| self.bound.contains_key(d)) {
            let file = self.l.sink.files.get(at.file as usize);
            let file = file.map_or("", String::as_str);
            let text = format!(
                "{file}:{}: pointers into different arrays are compared",
                at.line
            );
            self.set_span();
            self.f.stop(text);
            return Ok(Value::integer(0, Int::Int));
        }
        self.different_arrays(at)
    }

    fn different_arrays<T>(&mut self, at: Pos) -> Lowered<T> {
        let message = "two pointers are compared that may point into different arrays";
        let help = "compare pointers into one array, or their numbers of elements";
        self.error(&codes::POINTER, at, message, help)
    }
}

/// The pointer through which a place is reached; `None` for a variable.
fn pointer_to(unit: &Unit, mut place: ExprId) -> Option<ExprId> {
    loop {
        place = match unit.expr(place).kind {
            ExprKind::Member(of, _, false) => of,
            ExprKind::Member(pointer, _, true) | ExprKind::Unary(Unary::Deref, pointer) => {
                return Some(pointer);
            }
            ExprKind::Index(a, b) => return Some(if unit.is_pointer(a) { a } else { b }),
            _ => return None,
        }
    }
}

fn truth(e: Expr) -> Value {
    match e {
        Expr::Logical(value) => Value::integer(value.into(), Int::Int),
        e => {
            let depth = e.depth();
            Value::truth(e, depth)
        }
    }
}

fn not(e: Expr) -> Expr {
    match e {
        Expr::Logical(value) => Expr::Logical(!value),
        Expr::Op(Op::Not, operand) if operand.len() == 1 => operand.into_vec().remove(0),
        Expr::Op(Op::Eq, operands) => Expr::Op(Op::Ne, operands),
        Expr::Op(Op::Ne, operands) => Expr::Op(Op::Eq, operands),
        e => Expr::op(Op::Not, [e]),
    }
}

fn and(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Logical(true), e) | (e, Expr::Logical(true)) => e,
        (Expr::Logical(false), _) | (_, Expr::Logical(false)) => Expr::Logical(false),
        (a, b) => Expr::op(Op::And, [a, b]),
    }
}

fn or(a: Expr, b: Expr) -> Expr {
    not(and(not(a), not(b)))
}

/// The pairs of subscripts in which two pointers differ; the last of them may move. `None` if the pointers point into
/// different arrays.
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
