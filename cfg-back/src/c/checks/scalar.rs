//! Checked scalars: what decides, what is evaluated only if something else decides so, passes of counted loops.

use crate::c::faults::{Passes, UNSET};
use crate::c::operators::checked::FaultCode;
use crate::c::{
    Emitted,
    lines::Statement,
    operators::{self, Code, Infix, Prefix, checked, precedence::POSTFIX},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, ScalarType},
};

impl Writer<'_> {
    // --- scalars -------------------------------------------------------------------------------

    /// The call of a function that notes what it finds.
    pub(in crate::c) fn noting_call(
        &mut self,
        name: &str,
        codes: &[FaultCode],
        arguments: impl IntoIterator<Item = Code>,
        ty: ScalarType,
    ) -> Code {
        let noting = self.pieces.noting_arguments(codes).into_iter();
        Code::call(name, noting.chain(arguments), ty)
    }

    /// The truth of a condition.
    pub(in crate::c) fn truth_of(&mut self, code: Code) -> Code {
        match code.logical() {
            Some(_) => code,
            None => self.noting_call("cfgrev_true", &[UNSET], [code], ScalarType::Logical),
        }
    }

    /// A condition that decides what is written next, with checks in a variable.
    pub(in crate::c) fn emit_decision(&mut self, e: &Expr) -> Emitted<Code> {
        let mut code = self.emit_scalar(e)?;
        if !self.is_checked() {
            return Ok(operators::convert(code, ScalarType::Logical, self.pieces));
        }
        code = self.truth_of(code);
        if code.logical().is_none() {
            code = self.keep("holds", code);
        }
        self.stop_on_fault();
        Ok(code)
    }

    /// The opposite of a condition that has been looked at.
    pub(in crate::c) fn negate(&mut self, code: Code) -> Emitted<Code> {
        if !self.is_checked() {
            return self.emit_operator(Op::Not, vec![code]);
        }
        Ok(code.prefix(Prefix::Not))
    }

    /// An integer that must be set, in a variable.
    pub(in crate::c) fn set_integer(&mut self, name: &str, mut code: Code) -> Code {
        if code.integer().is_none() {
            self.pieces.define("cfgrev_set_integer", || {
                "static inline int64_t cfgrev_set_integer(struct cfgrev_check *check, int at, int64_t n) {\n    return n == CFGREV_UNSET_INTEGER ? cfgrev_found(check, at, 202) : n;\n}\n".to_owned()
            });
            code = self.noting_call("cfgrev_set_integer", &[UNSET], [code], ScalarType::Integer);
        }
        let kept = self.keep(name, code);
        self.stop_on_fault();
        kept
    }

    /// `if`, `and`, `or`: operands that decide nothing are not evaluated. An operand without value is the value of
    /// `and` and `or`.
    pub(in crate::c) fn emit_lazy(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(self.malformed("an operator has no operands"));
        };
        if op == Op::If {
            let condition = self.emit_scalar(first)?;
            let condition = self.truth_of(condition);
            let ty = self.common_type(rest)?;
            let mut arms = Vec::with_capacity(2);
            for e in rest {
                let code = self.emit_scalar(e)?;
                arms.push(operators::convert(code, ty, self.pieces));
            }
            let Ok([yes, no]) = <[Code; 2]>::try_from(arms) else {
                return Err(self.malformed("an operator has other operands"));
            };
            return Ok(checked::choice(condition, yes, no, ty));
        }
        let so_far = self.declare_helper("so_far", ScalarType::Logical);
        let goes_on = i64::from(op == Op::And);
        let mut codes = vec![self.emit_scalar(first)?];
        for e in rest {
            codes.push(self.emit_scalar(e)?);
        }
        // The last operand is the value if the others decide nothing.
        let Some(last) = codes.pop() else {
            return Err(self.malformed("an operator has no operands"));
        };
        let decides = |code| so_far.clone().set(code).is(Infix::Ne, goes_on);
        let tests = codes.into_iter().map(decides);
        Ok(Code::choose_first(tests, &so_far, last))
    }

    /// The value of `if`, `and` or `or` with loops in an operand that may not be evaluated.
    pub(in crate::c) fn lazy_lines(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(self.malformed("an operator has no operands"));
        };
        if op == Op::If {
            let ty = self.common_type(rest)?;
            let value = self.declare_helper("chosen", ty);
            let condition = self.emit_decision(first)?;
            self.add(Statement::If(condition));
            for (k, e) in rest.iter().enumerate() {
                if k > 0 {
                    self.add(Statement::Else);
                }
                let code = self.emit_scalar(e)?;
                let code = operators::convert(code, ty, self.pieces);
                self.set(&value, code);
                self.stop_on_fault();
            }
            self.lines.close_block();
            return Ok(value);
        }
        let value = self.declare_helper("so_far", ScalarType::Logical);
        let first = self.emit_scalar(first)?;
        self.set(&value, first);
        self.stop_on_fault();
        let goes_on = match (op, self.is_checked()) {
            (Op::And, true) => value.clone().is(Infix::Eq, 1),
            (_, true) => value.clone().is(Infix::Eq, 0),
            (Op::Or, false) => value.clone().prefix(Prefix::Not),
            (_, false) => value.clone(),
        };
        for e in rest {
            self.add(Statement::If(goes_on.clone()));
            let code = self.emit_scalar(e)?;
            self.set(&value, code);
            self.stop_on_fault();
            self.lines.close_block();
        }
        Ok(value)
    }

    /// The value of a condition that is this; one that has no value is not.
    pub(in crate::c) fn emit_lenient(&mut self, e: &Expr, sense: bool) -> Emitted<Code> {
        let code = self.emit_scalar(e)?;
        if !self.is_checked() {
            return if sense { Ok(code) } else { self.negate(code) };
        }
        let holds = self.keep("holds", code.is(Infix::Eq, i64::from(sense)));
        self.stop_on_fault();
        Ok(holds)
    }

    /// A reduction with one more element. A sum or product of integers that does not fit is told of when all elements are
    /// there.
    pub(in crate::c) fn fold_element(
        &mut self,
        op: Op,
        so_far: Code,
        x: Code,
        summed: bool,
    ) -> Emitted<Code> {
        if summed && self.checks.attempts == 0 {
            let x = self.hoist(x);
            self.stop_on_fault();
            let late = self.checks.late.clone();
            self.pieces.note_in(&late);
            let code = self.emit_operator(op, vec![so_far, x]);
            let own = self.checks.variable.clone();
            self.pieces.note_in(&own);
            self.pieces.since_stop();
            return code;
        }
        self.emit_operator(op, vec![so_far, x])
    }

    // --- loops ---------------------------------------------------------------------------------

    /// The head of a counted loop: passes are counted, and the index goes on at the end of each.
    pub(in crate::c) fn begin_checked_trips(
        &mut self,
        index: VarId,
        [first, last, step]: [&Expr; 3],
    ) -> Emitted<()> {
        self.note_read(index);
        let i = self.scalar_place(index)?;
        let i = i.at_least(POSTFIX);
        let mut kept = Vec::with_capacity(3);
        for (e, name) in [first, last, step]
            .into_iter()
            .zip(["first", "last", "step"])
        {
            let mut code = self.emit_scalar(e)?;
            if code.integer().is_none() {
                code = self.keep(name, code);
            }
            kept.push(code);
        }
        let Ok([first, last, step]) = <[Code; 3]>::try_from(kept) else {
            return Err(self.malformed("a loop has no range"));
        };
        let count = checked::trip_count([first.clone(), last, step.clone()], self.pieces);
        let trips = self.set_integer("trips", count);
        let rest = [
            trips.clone().is(Infix::Gt, 0),
            trips.prefix(Prefix::Decrement),
        ];
        self.add(Statement::For(
            Some(i.clone().set(first)),
            rest.into(),
            false,
        ));
        if let Some((_, passes)) = self.checks.open.last_mut() {
            *passes = Some(Passes { index: i, step });
        }
        Ok(())
    }
}
