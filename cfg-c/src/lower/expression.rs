//! Expressions: values, and the statements that compute them.

use super::{
    Lowered,
    routine::Body,
    value::{Value, literal},
};
use crate::{
    ast::{Binary, ExprId, ExprKind, Unary},
    codes, constant,
    source::Pos,
    types::{Arith, Int, Qualified, Type, Width},
};
use cfg_core::ir::{Expr, Op, Place, ScalarType};

impl Body<'_, '_> {
    /// The value of an expression. Emits statements only if the expression has effects.
    pub(super) fn lower_expr(&mut self, e: ExprId) -> Lowered<Value> {
        if self.depth == 0
            && !self.undecided_pointers(e).is_empty()
            && let Some(ty) = self.l.unit.expr(e).ty.as_ref().and_then(Qualified::arith)
        {
            let t = self.f.temporary(ty.scalar_type());
            self.decide_pointers(e, &mut |b| {
                let value = b.lower_expr(e)?.convert(ty);
                b.assign(t, value.e);
                Ok(())
            })?;
            return Ok(Value::new(Expr::var(t), ty, 1));
        }
        let value = self.enter_level(e, |b| b.expr_part(e))?;
        Ok(if self.l.unit.expr(e).effects {
            self.limit_depth(value)
        } else {
            value
        })
    }

    fn expr_part(&mut self, e: ExprId) -> Lowered<Value> {
        let unit = self.l.unit;
        let node = unit.expr(e);
        match &node.kind {
            ExprKind::Int(value, Arith::Int(ty)) => Ok(Value::integer(*value, *ty)),
            ExprKind::Int(value, ty) => Ok(Value::new(literal(*value, *ty), *ty, 1)),
            ExprKind::Real(value) => Ok(Value::new(Expr::Real(*value), Arith::Double, 1)),
            ExprKind::Float(value) => Ok(Value::new(Expr::Real32(*value), Arith::Float, 1)),
            ExprKind::Name(d) => {
                if let Some(counting) = self.counting.iter().rev().find(|c| c.decl == *d)
                    && let Some(ty) = unit.decl(*d).ty.arith()
                {
                    let index = Value::new(Expr::var(counting.index), Arith::Int(Int::Long), 1);
                    return Ok(checked(index, ty));
                }
                self.read_place(e)
            }
            ExprKind::Index(..)
            | ExprKind::Unary(Unary::Deref, _)
            | ExprKind::Member(..)
            | ExprKind::Literal(_) => self.read_place(e),
            ExprKind::Unary(op, a) => self.lower_unary(*op, *a, node.at),
            ExprKind::Step { of, up, post } => self.lower_increment(*of, *up, *post, true),
            ExprKind::Binary(Binary::And | Binary::Or, ..) => self.lower_logical(e),
            ExprKind::Binary(Binary::Comma, a, b) => {
                self.lower_commas(*a)?;
                self.lower_expr(*b)
            }
            ExprKind::Binary(..) => self.lower_operators(e),
            ExprKind::Assign(op, target, value) => {
                let (place, ty) = self.lower_assignment(*op, *target, *value, node.at)?;
                let depth = 2;
                Ok(Value::new(Expr::Place(place), ty, depth))
            }
            ExprKind::Conditional(c, a, b) => self.lower_conditional(*c, *a, *b),
            ExprKind::Call(f, arguments) => match self.lower_call(e, *f, arguments)? {
                Some(value) => Ok(value),
                None => self.error(
                    &codes::OPERAND,
                    node.at,
                    "the call has no value",
                    "call a function that returns a number",
                ),
            },
            ExprKind::Cast(ty, a) => match ty.ty {
                Type::Arith(to) => {
                    // An address made from a number: the idiom for the offset of a member.
                    if unit.is_pointer(*a)
                        && let Some((value, ty)) = constant::integer(unit, e)
                    {
                        return Ok(Value::integer(value, ty));
                    }
                    let refused = (&codes::POINTER, node.at);
                    let message = "a pointer is converted to a number";
                    let value = self.lower_number(
                        (*a, Some(to)),
                        refused,
                        message,
                        "compare indices instead",
                    )?;
                    Ok(value.convert(to))
                }
                _ => {
                    let message = format!("a conversion to {} is used as a number", ty.name());
                    self.error(&codes::TYPE, node.at, message, "use arithmetic types")
                }
            },
            ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) => match constant::integer(unit, e) {
                Some((value, ty)) => Ok(Value::integer(value, ty)),
                None => self.size_of_array(e),
            },
            ExprKind::Str(_) => self.error(
                &codes::TYPE,
                node.at,
                "strings are not supported",
                "use numbers",
            ),
            ExprKind::Inlined(inlined) => {
                self.lower_inlined(inlined);
                match inlined.value {
                    Some(value) => self.lower_expr(value),
                    None => self.error(
                        &codes::OPERAND,
                        node.at,
                        "the call has no value",
                        "call a function that returns a number",
                    ),
                }
            }
            ExprKind::Bad => Err(super::Failed),
        }
    }

    fn read_place(&mut self, e: ExprId) -> Lowered<Value> {
        let (place, ty) = self.lower_place(e, false)?;
        Ok(self.value_at(e, place, ty))
    }

    /// The value of a place. The value of a bit-field is cut to its width, since an initial value from POINT or a
    /// caller may exceed it.
    fn value_at(&self, e: ExprId, place: Place, ty: Arith) -> Value {
        let depth = 1 + place.subscript_exprs().map(Expr::depth).max().unwrap_or(0);
        let value = Value::new(Expr::Place(place), ty, depth);
        value.kept(self.bit_field_width(e)).convert(ty)
    }

    /// The width of a bit-field.
    fn bit_field_width(&self, e: ExprId) -> Option<Width> {
        self.l.unit.expr(e).ty.as_ref()?.width
    }

    /// Evaluates an expression for its effects alone.
    pub(super) fn lower_for_effects(&mut self, e: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        let node = unit.expr(e);
        let comma = matches!(node.kind, ExprKind::Binary(Binary::Comma, ..));
        if self.depth == 0 && !comma && !self.undecided_pointers(e).is_empty() {
            return self.decide_pointers(e, &mut |b| b.lower_for_effects(e));
        }
        match &node.kind {
            ExprKind::Step { of, up, .. } if unit.is_pointer(*of) => {
                let op = if *up { Binary::Add } else { Binary::Sub };
                self.move_pointer(*of, None, op, false).map(|_| ())
            }
            ExprKind::Assign(None, target, value) if unit.is_pointer(e) => {
                self.enter_level(e, |b| b.set_pointer(*target, *value))
            }
            ExprKind::Assign(..) if unit.is_pointer(e) => self.lower_pointer(e).map(|_| ()),
            ExprKind::Step { of, up, post } => {
                self.lower_increment(*of, *up, *post, false).map(|_| ())
            }
            ExprKind::Assign(None, target, value) if unit.structure_of(*target).is_some() => self
                .enter_level(e, |b| b.copy_structure(*target, *value, node.at))
                .map(|_| ()),
            ExprKind::Assign(op, target, value) => self
                .enter_level(e, |b| b.lower_assignment(*op, *target, *value, node.at))
                .map(|_| ()),
            ExprKind::Call(f, arguments) => self
                .enter_level(e, |b| b.lower_call(e, *f, arguments))
                .map(|_| ()),
            ExprKind::Binary(Binary::Comma, ..) => self.lower_commas(e),
            ExprKind::Inlined(inlined) => {
                self.lower_inlined(inlined);
                match inlined.value {
                    Some(value) if unit.expr(value).effects => self.lower_for_effects(value),
                    _ => Ok(()),
                }
            }
            _ if unit.structure_of(e).is_some() => self.lower_path(e).map(|_| ()),
            ExprKind::Cast(ty, a)
                if ty.ty == Type::Void || unit.is_pointer(e) && unit.is_pointer(*a) =>
            {
                self.enter_level(e, |b| b.lower_for_effects(*a))
            }
            ExprKind::Conditional(c, a, b) if node.effects => self.enter_level(e, |body| {
                let condition = body.lower_condition(*c)?;
                if let Expr::Logical(value) = condition {
                    return body.lower_for_effects(if value { *a } else { *b });
                }
                body.set_span();
                body.f.begin_if(condition);
                let yes = body.lower_for_effects(*a);
                body.f.begin_else();
                let no = body.lower_for_effects(*b);
                body.f.end_if();
                yes.and(no)
            }),
            // The second operand may have no value, as in `level && printf(...)`.
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) if unit.expr(*b).effects => {
                self.enter_level(e, |body| {
                    let condition = body.lower_condition(*a)?;
                    let asked = match op {
                        Binary::And => condition,
                        _ => Expr::op(Op::Not, [condition]),
                    };
                    body.set_span();
                    body.f.begin_if(asked);
                    let rest = body.lower_for_effects(*b);
                    body.f.end_if();
                    rest
                })
            }
            _ if node.effects && unit.is_pointer(e) => self.lower_pointer(e).map(|_| ()),
            _ if node.effects => self.lower_expr(e).map(|_| ()),
            // An expression without effects is only checked for being supported.
            _ if self.l.unit.is_pointer(e) => Ok(()),
            _ => self.lower_expr(e).map(|_| ()),
        }
    }

    /// Evaluates all parts of a comma expression for their effects.
    fn lower_commas(&mut self, e: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        let mut parts = Vec::new();
        let mut e = e;
        while let ExprKind::Binary(Binary::Comma, a, b) = unit.expr(e).kind {
            parts.push(b);
            e = a;
        }
        self.lower_for_effects(e)?;
        for part in parts.into_iter().rev() {
            self.lower_for_effects(part)?;
        }
        Ok(())
    }

    /// The value of an expression as a logical.
    pub(super) fn lower_condition(&mut self, e: ExprId) -> Lowered<Expr> {
        // A text is true, as in `assert(n > 0 && "text")`.
        if let ExprKind::Str(_) = self.l.unit.expr(e).kind {
            return Ok(Expr::Logical(true));
        }
        if self.depth == 0 && !self.undecided_pointers(e).is_empty() {
            let t = self.f.temporary(ScalarType::Logical);
            self.decide_pointers(e, &mut |b| {
                let condition = b.lower_condition(e)?;
                b.assign(t, condition);
                Ok(())
            })?;
            return Ok(Expr::var(t));
        }
        if self.l.unit.is_pointer(e) {
            return self.enter_level(e, |b| b.not_null(e));
        }
        Ok(self.lower_expr(e)?.condition())
    }

    fn lower_unary(&mut self, op: Unary, a: ExprId, at: Pos) -> Lowered<Value> {
        if op == Unary::Not {
            let condition = self.lower_condition(a)?;
            let e = match condition {
                Expr::Logical(value) => return Ok(Value::integer(i128::from(!value), Int::Int)),
                condition => Expr::op(Op::Not, [condition]),
            };
            let depth = e.depth();
            return Ok(Value::truth(e, depth));
        }
        if op == Unary::Address {
            return self.error(
                &codes::POINTER,
                at,
                "an address is used as a number",
                "pass it to a function, or initialise a pointer with it",
            );
        }
        if let Some((value, ty)) = constant::integer(self.l.unit, a)
            && let Arith::Int(promoted) = Arith::Int(ty.promote())
        {
            let folded = match op {
                Unary::Minus if promoted.is_signed() && !promoted.contains(-value) => None,
                Unary::Minus => Some(promoted.wrap(-value)),
                Unary::BitNot => Some(promoted.wrap(!value)),
                _ => Some(value),
            };
            if let Some(value) = folded {
                return Ok(Value::integer(value, promoted));
            }
        }
        let value = self.lower_expr(a)?;
        let ty = promoted(value.ty);
        let value = value.convert(ty);
        let depth = value.depth + 1;
        let result = match (op, ty) {
            (Unary::Minus, Arith::Int(int)) if !int.is_signed() => Expr::op(Op::WrapNeg, [value.e]),
            (Unary::Minus, _) => match value.e {
                Expr::Real(c) => Expr::Real(-c),
                Expr::Real32(c) => Expr::Real32(-c),
                e => Expr::op(Op::Neg, [e]),
            },
            (Unary::BitNot, Arith::Int(_)) => Expr::op(Op::BitNot, [value.e]),
            (Unary::BitNot, _) => {
                return self.error(
                    &codes::OPERAND,
                    at,
                    "~ takes integers",
                    "convert the operand",
                );
            }
            _ => return Ok(value),
        };
        Ok(Value::new(result, ty, depth))
    }

    /// Translates a chain of operators, nested in left operands, in a loop rather than by recursion.
    fn lower_operators(&mut self, e: ExprId) -> Lowered<Value> {
        let unit = self.l.unit;
        let mut chain = Vec::new();
        let mut first = e;
        while let ExprKind::Binary(op, a, b) = unit.expr(first).kind {
            if matches!(op, Binary::And | Binary::Or | Binary::Comma) || unit.is_pointer(first) {
                break;
            }
            chain.push((op, b, unit.expr(first).at));
            first = a;
        }
        chain.reverse();
        // Two pointers may begin the chain.
        let mut begun = None;
        if let Some(&(op, b, at)) = chain.first()
            && (unit.is_pointer(first) || unit.is_pointer(b))
        {
            begun = Some(self.compare_pointers(op, first, b, at));
            chain.remove(0);
        }
        let mut operands = vec![first];
        operands.extend(chain.iter().map(|(_, b, _)| *b));
        if let Some(p) = operands[1..].iter().copied().find(|p| unit.is_pointer(*p)) {
            let at = unit.expr(p).at;
            let help = "compare and subtract indices instead";
            return self.error(
                &codes::POINTER,
                at,
                "a pointer is compared or computed with",
                help,
            );
        }
        self.refuse_unordered(&operands, None)?;
        let mut value = match begun {
            Some(value) => value,
            None => self.lower_expr(first),
        };
        for (op, b, at) in chain {
            if unit.expr(b).effects {
                value = value.map(|v| self.settle_value(v));
            }
            // Both operands are translated before an error returns, so that the problems of all are reported.
            let right = self.lower_expr(b);
            value = match (value, right) {
                (Ok(left), Ok(right)) => self.lower_operate(op, left, right, at),
                (Err(failed), _) | (_, Err(failed)) => Err(failed),
            };
            if unit.expr(e).effects {
                value = value.map(|v| self.limit_depth(v));
            }
        }
        value
    }

    /// A binary operator that evaluates both operands.
    pub(super) fn lower_operate(
        &mut self,
        op: Binary,
        a: Value,
        b: Value,
        at: Pos,
    ) -> Lowered<Value> {
        if let (Some(x), Some(y), Arith::Int(s), Arith::Int(t)) =
            (a.constant, b.constant, a.ty, b.ty)
            && let Some((value, ty)) = constant::binary(op, (x, s), (y, t))
        {
            return Ok(Value::integer(value, ty));
        }
        let depth = a.depth.max(b.depth) + 2;
        if let Some(comparison) = comparison(op) {
            let ty = a.ty.usual_conversion(b.ty);
            let e = Expr::op(comparison, [a.convert(ty).e, b.convert(ty).e]);
            return Ok(Value::truth(e, depth));
        }
        let shift = matches!(op, Binary::Shl | Binary::Shr);
        let ty = if shift {
            promoted(a.ty)
        } else {
            a.ty.usual_conversion(b.ty)
        };
        let integers = matches!((a.ty, b.ty), (Arith::Int(_), Arith::Int(_)));
        let Some(operator) = operator(op, ty).filter(|_| integers || !is_integer_only(op)) else {
            return self.error(
                &codes::OPERAND,
                at,
                "the operator takes integers",
                "convert the operands",
            );
        };
        // In the representation both operands of a shift have one type, that of the left one.
        let e = Expr::op(operator, [a.convert(ty).e, b.convert(ty).e]);
        Ok(Value::new(e, ty, depth))
    }

    /// Translates a chain of `&&` or of `||`.
    fn lower_logical(&mut self, e: ExprId) -> Lowered<Value> {
        let unit = self.l.unit;
        let ExprKind::Binary(op, ..) = unit.expr(e).kind else {
            return Err(super::Failed);
        };
        let mut chain = Vec::new();
        let mut first = e;
        while let ExprKind::Binary(same, a, b) = unit.expr(first).kind {
            if same != op {
                break;
            }
            chain.push(b);
            first = a;
        }
        let is_and = op == Binary::And;
        if !unit.expr(e).effects {
            let mut all = vec![self.lower_condition(first)?];
            for b in chain.into_iter().rev() {
                all.push(self.lower_condition(b)?);
            }
            // A constant operand decides the chain, or is dropped.
            if all.contains(&Expr::Logical(!is_and)) {
                return Ok(Value::integer(i128::from(!is_and), Int::Int));
            }
            all.retain(|e| *e != Expr::Logical(is_and));
            let e = match all.len() {
                0 => return Ok(Value::integer(i128::from(is_and), Int::Int)),
                1 => all.remove(0),
                _ => Expr::op(if is_and { Op::And } else { Op::Or }, all),
            };
            let depth = e.depth();
            return Ok(Value::truth(e, depth));
        }
        let t = self.f.temporary(ScalarType::Logical);
        let condition = self.lower_condition(first)?;
        self.assign(t, condition);
        for b in chain.into_iter().rev() {
            let go_on = if is_and {
                Expr::var(t)
            } else {
                Expr::op(Op::Not, [Expr::var(t)])
            };
            self.set_span();
            self.f.begin_if(go_on);
            let condition = self.lower_condition(b);
            if let Ok(condition) = condition {
                self.assign(t, condition);
                self.f.end_if();
            } else {
                self.f.end_if();
                return Err(super::Failed);
            }
        }
        Ok(Value::truth(Expr::var(t), 1))
    }

    fn lower_conditional(&mut self, c: ExprId, a: ExprId, b: ExprId) -> Lowered<Value> {
        let unit = self.l.unit;
        let condition = self.lower_condition(c)?;
        if unit.is_pointer(a) || unit.is_pointer(b) {
            let at = unit.expr(a).at;
            return self.error(
                &codes::POINTER,
                at,
                "a pointer is chosen by a condition",
                "choose an index, or use if",
            );
        }
        if !unit.expr(a).effects && !unit.expr(b).effects {
            let (yes, no) = (self.lower_expr(a)?, self.lower_expr(b)?);
            let ty = yes.ty.usual_conversion(no.ty);
            let depth = yes.depth.max(no.depth).max(condition.depth()) + 2;
            let e = Expr::op(Op::If, [condition, yes.convert(ty).e, no.convert(ty).e]);
            return Ok(Value::new(e, ty, depth));
        }
        let chosen = self.f.temporary(ScalarType::Logical);
        self.assign(chosen, condition);
        self.set_span();
        self.f.begin_if(Expr::var(chosen));
        let yes = self.lower_expr(a).map(|v| self.store_temporary(v));
        self.f.begin_else();
        let no = self.lower_expr(b).map(|v| self.store_temporary(v));
        self.f.end_if();
        let (yes, no) = (yes?, no?);
        let ty = yes.ty.usual_conversion(no.ty);
        let e = Expr::op(
            Op::If,
            [Expr::var(chosen), yes.convert(ty).e, no.convert(ty).e],
        );
        // The value goes to a variable: an operand that was not evaluated must not be evaluated later.
        Ok(self.store_temporary(Value::new(e, ty, 3)))
    }

    /// Translates an assignment; returns the place that was assigned.
    fn lower_assignment(
        &mut self,
        op: Option<Binary>,
        target: ExprId,
        value: ExprId,
        at: Pos,
    ) -> Lowered<(Place, Arith)> {
        let unit = self.l.unit;
        self.unordered_target(target, value)?;
        self.warn_of_updates(op, target, value);
        let (mut place, ty) = self.lower_place(target, true)?;
        if unit.expr(value).effects {
            place = self.settled_place(place);
        }
        let message = "a pointer is assigned to a number";
        let right = self.lower_number(
            (value, Some(ty).filter(|_| op.is_none())),
            (&codes::POINTER, at),
            message,
            "assign an element",
        )?;
        let new = match op {
            None => right,
            Some(op) => {
                let old = self.value_at(target, place.clone(), ty);
                self.lower_operate(op, old, right, at)?
            }
        };
        let new = new.kept(self.bit_field_width(target)).convert(ty);
        self.assign(place.clone(), new.e);
        Ok((place, ty))
    }

    /// The expressions that decide which element a place is.
    pub(super) fn subscripts_of(&self, mut e: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        loop {
            match self.l.unit.expr(e).kind {
                ExprKind::Index(a, i) | ExprKind::Binary(Binary::Add | Binary::Sub, a, i) => {
                    found.push(i);
                    e = a;
                }
                ExprKind::Unary(_, a) | ExprKind::Member(a, ..) | ExprKind::Cast(_, a) => e = a,
                ExprKind::Step { .. } | ExprKind::Assign(..) | ExprKind::Conditional(..) => {
                    found.push(e);
                    break;
                }
                _ => break,
            }
        }
        found.reverse();
        found
    }

    fn settled_place(&mut self, place: Place) -> Place {
        let mut settled = Vec::new();
        for e in place.subscript_exprs() {
            settled.push(e.clone());
        }
        let mut settled: Vec<Expr> = settled.into_iter().map(|e| self.settled_index(e)).collect();
        settled.reverse();
        place.map_subscripts(&mut |e| settled.pop().unwrap_or_else(|| e.clone()))
    }

    fn lower_increment(&mut self, of: ExprId, up: bool, post: bool, used: bool) -> Lowered<Value> {
        let at = self.l.unit.expr(of).at;
        let (place, ty) = self.lower_place(of, true)?;
        let place = if used {
            self.settled_place(place)
        } else {
            place
        };
        let mut old = self.value_at(of, place.clone(), ty);
        if used && post {
            old = self.store_temporary(old);
        }
        let op = if up { Binary::Add } else { Binary::Sub };
        let new = self.lower_operate(op, old.clone(), Value::integer(1, Int::Int), at)?;
        let new = new.kept(self.bit_field_width(of)).convert(ty);
        self.assign(place.clone(), new.e);
        if post {
            Ok(old)
        } else {
            Ok(self.value_at(of, place, ty))
        }
    }
}

fn promoted(ty: Arith) -> Arith {
    match ty {
        Arith::Int(int) => Arith::Int(int.promote()),
        real => real,
    }
}

/// The index of a counted loop as a value of its variable's type, which it is known to fit.
fn checked(index: Value, ty: Arith) -> Value {
    use super::value::conversion;
    use cfg_core::ir::Conversion;
    if ty.scalar_type() == ScalarType::Integer {
        return Value { ty, ..index };
    }
    Value::new(Expr::op(conversion(Conversion::To, ty), [index.e]), ty, 2)
}

pub(super) fn comparison(op: Binary) -> Option<Op> {
    Some(match op {
        Binary::Lt => Op::Lt,
        Binary::Gt => Op::Gt,
        Binary::Le => Op::Le,
        Binary::Ge => Op::Ge,
        Binary::Eq => Op::Eq,
        Binary::Ne => Op::Ne,
        _ => return None,
    })
}

fn is_integer_only(op: Binary) -> bool {
    matches!(
        op,
        Binary::Rem | Binary::Shl | Binary::Shr | Binary::BitAnd | Binary::BitOr | Binary::BitXor
    )
}

fn operator(op: Binary, ty: Arith) -> Option<Op> {
    let unsigned = matches!(ty, Arith::Int(int) if !int.is_signed());
    Some(match (op, unsigned) {
        (Binary::Add, false) => Op::Add,
        (Binary::Add, true) => Op::WrapAdd,
        (Binary::Sub, false) => Op::Sub,
        (Binary::Sub, true) => Op::WrapSub,
        (Binary::Mul, false) => Op::Mul,
        (Binary::Mul, true) => Op::WrapMul,
        (Binary::Div, _) => Op::Div,
        (Binary::Rem, _) => Op::Mod,
        (Binary::Shl, false) => Op::Shl,
        (Binary::Shl, true) => Op::WrapShl,
        (Binary::Shr, false) => Op::Shr,
        (Binary::Shr, true) => Op::LogicalShr,
        (Binary::BitAnd, _) => Op::BitAnd,
        (Binary::BitOr, _) => Op::BitOr,
        (Binary::BitXor, _) => Op::BitXor,
        _ => return None,
    })
}
