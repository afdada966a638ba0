//! Loops. A `for` loop that certainly counts becomes a counted loop; all others test a condition.

use super::{
    Lowered,
    checkpoint::Exits,
    declare::index_type,
    facts::is_fixed,
    routine::{Body, Counting},
    slot::{Elem, Slot},
    value::conversion,
};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, For, Init, Part, StmtId, StmtKind},
    codes, constant,
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::{
    entity::VarId,
    ir::{Checkpoint, Conversion, Expr, INDEPENDENT, Op, ScalarType},
};

/// A for loop that counts.
struct Shape {
    variable: DeclId,
    ty: Int,
    /// True if the variable is declared in the head.
    inside: bool,
    first: ExprId,
    comparison: Binary,
    bound: ExprId,
    step: i64,
}

impl Body<'_, '_> {
    /// Translates a loop that tests first, if there is a condition; `step` is executed at the end of each pass.
    pub(super) fn while_loop(
        &mut self,
        c: Option<ExprId>,
        body: StmtId,
        step: Option<ExprId>,
        checkpoint: Option<Checkpoint>,
    ) -> Lowered<()> {
        let condition = match c {
            Some(c) => self.lower_condition(c)?,
            None => Expr::Logical(true),
        };
        let has_effects = c
            .is_some_and(|c| self.l.unit.expr(c).effects || !self.undecided_pointers(c).is_empty());
        let exits = checkpoint.map(|_| self.exits_of_loop(body));
        if !has_effects && !exits.as_ref().is_some_and(Exits::are_any) {
            self.set_span();
            checkpoint
                .into_iter()
                .for_each(|c| self.f.checkpoint_loop(c));
            self.f.begin_while(condition);
            self.lower_loop_body(body, step);
            self.set_span();
            self.f.end_loop();
            let after = self.breaks.pop();
            self.place_target(after);
            return Ok(());
        }
        self.loop_by_variable(condition, c, body, step, checkpoint.zip(exits))
    }

    /// Translates a loop with a variable for its condition, which is evaluated anew at the end of each pass. Of a loop
    /// with a checkpoint, jumps out of it set the variable.
    fn loop_by_variable(
        &mut self,
        first: Expr,
        c: Option<ExprId>,
        body: StmtId,
        step: Option<ExprId>,
        checkpoint: Option<(Checkpoint, Exits)>,
    ) -> Lowered<()> {
        let span = self.span;
        let more = self.f.temporary(ScalarType::Logical);
        self.assign(more, first);
        let is_marked = checkpoint.is_some();
        if let Some((checkpoint, exits)) = checkpoint {
            self.begin_region(exits, Some(more));
            self.f.checkpoint_loop(checkpoint);
        }
        self.set_span();
        self.f.begin_while(Expr::var(more));
        self.lower_loop_body(body, step);
        self.span = span;
        // The problems of a condition in front of the loop have been reported there.
        if let Some(Ok(condition)) = c.map(|c| self.lower_condition(c)) {
            self.assign(more, condition);
        }
        let region = self.regions.pop_if(|_| is_marked);
        self.place_target(region.as_ref().map(|region| region.end));
        self.set_span();
        self.f.end_loop();
        let after = self.breaks.pop();
        self.place_target(after);
        self.leave_region(region)
    }

    /// Translates the body of a loop and its step. The label behind the loop stays on the stack.
    fn lower_loop_body(&mut self, body: StmtId, step: Option<ExprId>) {
        let span = self.span;
        let (after, next) = (self.new_target(), self.new_target());
        self.breaks.push(after);
        self.continues.push(next);
        self.lower_statement(body, false);
        self.span = span;
        let next = self.continues.pop();
        self.place_target(next);
        if let Some(step) = step {
            let done = self.lower_for_effects(step);
            self.report_untold(&done, self.l.unit.expr(step).at);
        }
    }

    /// True of a loop that tests last and has one pass.
    pub(super) fn is_once(&self, c: ExprId) -> bool {
        constant::integer(self.l.unit, c).is_some_and(|(value, _)| value == 0)
    }

    pub(super) fn do_loop(
        &mut self,
        body: StmtId,
        c: ExprId,
        checkpoint: Option<Checkpoint>,
    ) -> Lowered<()> {
        let span = self.span;
        let exits = checkpoint.map(|_| self.exits_of_loop(body));
        if let Some((checkpoint, exits)) = checkpoint.zip(exits).filter(|(_, e)| e.are_any()) {
            let first = Expr::Logical(true);
            return self.loop_by_variable(first, Some(c), body, None, Some((checkpoint, exits)));
        }
        self.set_span();
        if self.is_once(c) {
            self.lower_loop_body(body, None);
        } else {
            checkpoint
                .into_iter()
                .for_each(|c| self.f.checkpoint_loop(c));
            self.f.begin_repeat();
            self.lower_loop_body(body, None);
            self.span = span;
            let condition = self.lower_condition(c);
            self.report_untold(&condition, self.l.unit.expr(c).at);
            let condition = condition.unwrap_or(Expr::Logical(true));
            self.set_span();
            self.f.end_repeat(condition);
        }
        let after = self.breaks.pop();
        self.place_target(after);
        Ok(())
    }

    pub(super) fn for_loop(&mut self, of: &For, checkpoint: Option<Checkpoint>) -> Lowered<()> {
        let span = self.span;
        let is_left = checkpoint.is_some() && self.exits_of_loop(of.body).are_any();
        if let Some(shape) = self.counted_shape(of).filter(|_| !is_left) {
            return self.lower_counted(of, &shape, checkpoint);
        }
        if of.promised {
            let unit = self.l.unit;
            let at = (of.condition).map_or_else(|| unit.stmt(of.body).from, |c| unit.expr(c).at);
            let message = "$AD II-LOOP is passed over: the loop is not one that surely counts";
            let help =
                "write a loop such as for (int i = 0; i < n; i++) that assigns neither i nor n";
            (self.l.sink).warning(&codes::IGNORED, at, message, help);
        }
        if let Some(init) = of.init {
            self.lower_statement(init, false);
            self.span = span;
        }
        match of.condition {
            Some(c) if constant::integer(self.l.unit, c).is_none_or(|(value, _)| value == 0) => {
                self.while_loop(Some(c), of.body, of.step, checkpoint)
            }
            _ if checkpoint.is_some() => self.while_loop(None, of.body, of.step, checkpoint),
            _ => {
                self.lower_endless_loop(of.body, of.step);
                Ok(())
            }
        }
    }

    /// Translates a loop that ends by jumps only.
    fn lower_endless_loop(&mut self, body: StmtId, step: Option<ExprId>) {
        let span = self.span;
        let top = self.f.label();
        self.set_span();
        self.f.place_label(top);
        self.lower_loop_body(body, step);
        self.span = span;
        self.f.goto(top);
        let after = self.breaks.pop();
        self.place_target(after);
    }

    fn lower_counted(
        &mut self,
        of: &For,
        shape: &Shape,
        checkpoint: Option<Checkpoint>,
    ) -> Lowered<()> {
        let span = self.span;
        let ty = Arith::Int(shape.ty);
        let first = self.lower_expr(shape.first)?.convert(ty);
        let first = self.widen_integer(first.e, shape.ty);
        let bound = self.lower_expr(shape.bound)?;
        let common = match bound.ty {
            Arith::Int(int) => shape.ty.common(int),
            Arith::Float | Arith::Double => return Err(super::Failed),
        };
        let bound = bound.convert(Arith::Int(common));
        let bound = match bound.constant {
            Some(k) => Expr::Int(self.within_integer(k, shape.bound)?),
            None => self.widen_integer(bound.e, common),
        };
        let last = match shape.comparison {
            Binary::Lt => minus(bound, 1),
            Binary::Gt => minus(bound, -1),
            _ => bound,
        };
        let index = self.index_of(shape.variable, shape.inside);
        // The index ends behind the bound. If an unsigned variable cannot hold that value, C's variable would have
        // wrapped around and the loop gone on: the assignment of the index then stops the run.
        let risky = !shape.ty.is_signed() && matches!(shape.comparison, Binary::Le);
        let kept = !shape.inside || risky;
        self.set_span();
        checkpoint
            .into_iter()
            .for_each(|c| self.f.checkpoint_loop(c));
        if of.promised {
            let promise = [(INDEPENDENT.to_owned(), true.into())];
            self.f.note(Some(Box::new(promise.into_iter().collect())));
        }
        self.f.begin_for(index, first, last, shape.step);
        self.counting.push(Counting {
            decl: shape.variable,
            index,
            kept: !shape.inside,
        });
        let frozen = self.frozen.insert(index);
        self.lower_loop_body(of.body, None);
        self.span = span;
        self.set_span();
        self.f.end_loop();
        self.counting.pop();
        if frozen {
            self.frozen.remove(&index);
        }
        let after = self.breaks.pop();
        self.place_target(after);
        if kept {
            self.assign_loop_variable(shape.variable, index);
        }
        Ok(())
    }

    /// Assigns the index of a counted loop to its variable.
    pub(super) fn assign_loop_variable(&mut self, variable: DeclId, index: VarId) {
        let at = self.l.unit.decl(variable).at;
        // A variable without a slot has been refused.
        if let Ok(Slot::Scalar(v, Elem::Arith(ty))) = self.slot_of(variable, at) {
            let value = if ty.scalar_type() == ScalarType::Integer {
                Expr::var(index)
            } else {
                Expr::op(conversion(Conversion::To, ty), [Expr::var(index)])
            };
            self.assign(v, value);
        }
    }

    /// The shape of a loop that certainly counts: no other statement assigns the variable, the bound does not change,
    /// and neither wraps around. `None` for other loops.
    fn counted_shape(&self, of: &For) -> Option<Shape> {
        let unit = self.l.unit;
        if of.entered {
            return None;
        }
        let (variable, first, inside) = match &unit.stmt(of.init?).kind {
            StmtKind::Decl(decls) => match decls[..] {
                [d] => match &unit.decl(d).init {
                    Some(Init::Expr(e)) => (d, *e, true),
                    _ => return None,
                },
                _ => return None,
            },
            StmtKind::Expr(e) => match unit.expr(*e).kind {
                ExprKind::Assign(None, target, value) => match unit.expr(target).kind {
                    ExprKind::Name(d) => (d, value, false),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        let decl = unit.decl(variable);
        let ty = index_type(&decl.ty)?;
        let local = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter);
        if !local
            || decl.address
            || decl.ty.volatile
            || self.counting.iter().any(|c| c.decl == variable)
        {
            return None;
        }
        if assigned(&decl.assigned, &of.part) || unit.expr(first).effects {
            return None;
        }
        let (comparison, bound) = self.loop_test(of.condition?, variable)?;
        let step = self.loop_stride(of.step?, variable)?;
        let up = matches!(comparison, Binary::Lt | Binary::Le);
        if up != (step > 0) || !self.is_integer(first) || !self.is_integer(bound) {
            return None;
        }
        let invariant = self.is_invariant(bound, variable, &of.part);
        if !invariant || !self.cannot_wrap(ty, first, bound, up) {
            return None;
        }
        Some(Shape {
            variable,
            ty,
            inside,
            first,
            comparison,
            bound,
            step,
        })
    }

    /// The comparison of a loop's test, with the variable on the left.
    fn loop_test(&self, c: ExprId, variable: DeclId) -> Option<(Binary, ExprId)> {
        let unit = self.l.unit;
        let ExprKind::Binary(op, a, b) = unit.expr(c).kind else {
            return None;
        };
        let is = |e: ExprId| matches!(unit.expr(e).kind, ExprKind::Name(d) if d == variable);
        let mirrored = match op {
            Binary::Lt => Binary::Gt,
            Binary::Gt => Binary::Lt,
            Binary::Le => Binary::Ge,
            Binary::Ge => Binary::Le,
            _ => return None,
        };
        if is(a) {
            Some((op, b))
        } else if is(b) {
            Some((mirrored, a))
        } else {
            None
        }
    }

    /// The constant by which a loop's step moves the variable.
    fn loop_stride(&self, e: ExprId, variable: DeclId) -> Option<i64> {
        let unit = self.l.unit;
        let is = |e: ExprId| matches!(unit.expr(e).kind, ExprKind::Name(d) if d == variable);
        let small = |e: ExprId| {
            let (value, _) = constant::integer(unit, e)?;
            i64::try_from(value)
                .ok()
                .filter(|v| (1..=1 << 20).contains(v))
        };
        match unit.expr(e).kind {
            ExprKind::Step { of, up, .. } if is(of) => Some(if up { 1 } else { -1 }),
            ExprKind::Assign(Some(Binary::Add), t, by) if is(t) => small(by),
            ExprKind::Assign(Some(Binary::Sub), t, by) if is(t) => small(by).map(|v| -v),
            ExprKind::Assign(None, t, value) if is(t) => match unit.expr(value).kind {
                ExprKind::Binary(Binary::Add, a, b) if is(a) => small(b),
                ExprKind::Binary(Binary::Add, a, b) if is(b) => small(a),
                ExprKind::Binary(Binary::Sub, a, b) if is(a) => small(b).map(|v| -v),
                _ => None,
            },
            _ => None,
        }
    }

    fn integer_type(&self, e: ExprId) -> Option<Int> {
        match self.l.unit.expr(e).ty.as_ref()?.arith()? {
            Arith::Int(ty) => Some(ty),
            Arith::Float | Arith::Double => None,
        }
    }

    fn is_integer(&self, e: ExprId) -> bool {
        self.integer_type(e).is_some() && !self.l.unit.expr(e).effects
    }

    /// True if the body changes nothing that the bound reads.
    fn is_invariant(&self, bound: ExprId, variable: DeclId, body: &Part) -> bool {
        let unit = self.l.unit;
        let mut calls = None;
        let mut invariant = true;
        unit.walk(bound, &mut |e| match &unit.expr(e).kind {
            ExprKind::Name(d) => {
                let decl = unit.decl(*d);
                let own = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter)
                    && decl.ty.arith().is_some()
                    && !decl.address;
                let global = matches!(decl.kind, DeclKind::Global | DeclKind::Static)
                    && decl.ty.arith().is_some()
                    && !decl.address
                    && !*calls.get_or_insert_with(|| {
                        body.clone().any(|k| {
                            matches!(&unit.exprs[k as usize].kind, ExprKind::Call(..))
                                && unit.exprs[k as usize].effects
                        })
                    });
                let same = *d != variable && !assigned(&decl.assigned, body);
                invariant &= match decl.ty.ty {
                    Type::Pointer(_) => same && !decl.address,
                    // Elements and members are checked where the bound reads them.
                    Type::Array(..) | Type::Struct(_) => true,
                    _ => is_fixed(unit, *d) || (own || global) && same,
                };
            }
            ExprKind::Call(..) | ExprKind::Literal(_) | ExprKind::Inlined(_) => invariant = false,
            ExprKind::Index(..)
            | ExprKind::Member(..)
            | ExprKind::Unary(crate::ast::Unary::Deref, _) => {
                invariant &= !self.may_store(unit.expr(e).ty.as_ref(), body);
            }
            _ => {}
        });
        invariant
    }

    /// True if an element or member of this type may be assigned.
    fn may_store(&self, ty: Option<&Qualified>, body: &Part) -> bool {
        let unit = self.l.unit;
        let Some(ty) = ty else { return true };
        // A row or a structure is only a step on the way to a number.
        let number = ty.arith();
        if number.is_none() && !self.l.values {
            return false;
        }
        body.clone().any(|k| {
            let target = match &unit.exprs[k as usize].kind {
                ExprKind::Call(..) => return unit.exprs[k as usize].effects,
                ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => *target,
                ExprKind::Literal(_) => return true,
                _ => return false,
            };
            let own = match unit.expr(target).kind {
                ExprKind::Name(d) => {
                    let decl = unit.decl(d);
                    let local = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter);
                    local && !decl.address && decl.ty.arith().is_some()
                }
                _ => false,
            };
            let stored = unit.expr(target).ty.as_ref();
            !own && stored.is_none_or(|ty| ty.arith().is_none_or(|ty| Some(ty) == number))
        })
    }

    /// True if test and step never wrap around while the loop runs, so that C's arithmetic is that of whole numbers.
    /// Depends on the type of the variable (`ty`) and on the common type of variable and bound.
    fn cannot_wrap(&self, ty: Int, first: ExprId, bound: ExprId, up: bool) -> bool {
        let unit = self.l.unit;
        let Some(other) = self.integer_type(bound).map(Int::promote) else {
            return false;
        };
        let positive = |e| constant::integer(unit, e).is_some_and(|(value, _)| value >= 0);
        let common = ty.common(other);
        match (ty.is_signed(), common.is_signed()) {
            // Signed overflow is undefined in C.
            (true, true) => true,
            // The signed variable is compared as unsigned: it must not be negative.
            (true, false) => up && positive(first),
            // An unsigned variable that counts down would wrap around at 0.
            (false, false) => up && common.bits() == ty.bits(),
            (false, true) => {
                up && constant::integer(unit, bound).is_some_and(|(v, _)| v >= 0 && ty.contains(v))
            }
        }
    }
}

fn minus(e: Expr, by: i64) -> Expr {
    match e.constant().and_then(|value| value.checked_sub(by)) {
        Some(value) => Expr::Int(value),
        None if by > 0 => Expr::op(Op::Sub, [e, Expr::Int(by)]),
        None => Expr::op(Op::Add, [e, Expr::Int(-by)]),
    }
}

/// True if one of the expressions is in a part of the function. Assumes that they are sorted.
fn assigned(all: &[ExprId], part: &Part) -> bool {
    let k = all.partition_point(|e| e.0 < part.start);
    all.get(k).is_some_and(|e| e.0 < part.end)
}
