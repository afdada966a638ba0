//! Checked scalars: what decides, what is evaluated only if something else decides so, passes of counted loops.

use crate::c::faults::{Passes, UNSET};
use crate::c::operators::checked::FaultCode;
use crate::c::{
    Emitted,
    operators::{
        self, Code, checked,
        precedence::{CONDITIONAL, POSTFIX, RELATION, UNARY},
    },
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, ScalarType},
};

impl Writer<'_> {
    // --- scalars -------------------------------------------------------------------------------

    /// The call of a function that notes what it finds.
    pub(in crate::c) fn noting(
        &mut self,
        name: &str,
        codes: &[FaultCode],
        arguments: &[&str],
        ty: ScalarType,
    ) -> Code {
        let mut texts = vec![self.pieces.noting(codes)];
        texts.extend(arguments.iter().map(|a| (*a).to_owned()));
        Code::new(format!("{name}({})", texts.join(", ")), POSTFIX, ty)
    }

    /// The truth of a condition.
    pub(in crate::c) fn truth(&mut self, code: &Code) -> Code {
        if matches!(code.text.as_str(), "true" | "false") {
            return code.clone();
        }
        self.noting("cfgrev_true", &[UNSET], &[&code.text], ScalarType::Logical)
    }

    /// A condition that decides what is written next, with checks in a variable.
    pub(in crate::c) fn decision(&mut self, e: &Expr) -> Emitted<Code> {
        let code = self.scalar(e)?;
        if !self.checked() {
            return Ok(operators::convert(code, ScalarType::Logical, self.pieces));
        }
        let code = self.truth(&code);
        if code.text == "true" || code.text == "false" {
            self.stop();
            return Ok(code);
        }
        let name = self.helper("holds", ScalarType::Logical);
        self.lines.line(format_args!("{name} = {};", code.text));
        self.stop();
        Ok(Code::new(name, POSTFIX, ScalarType::Logical))
    }

    /// The opposite of a condition that has been looked at.
    pub(in crate::c) fn negated(&mut self, code: Code) -> Emitted<Code> {
        if !self.checked() {
            return self.apply(Op::Not, vec![code]);
        }
        let text = format!("!{}", code.at_least(UNARY));
        Ok(Code::new(text, UNARY, ScalarType::Logical))
    }

    /// An integer that must be set, in a variable.
    pub(in crate::c) fn set_integer(&mut self, name: &str, code: &Code) -> String {
        let code = if code.integer().is_some() {
            code.clone()
        } else {
            self.pieces.define("cfgrev_set_integer", || {
                "static inline int64_t cfgrev_set_integer(struct cfgrev_check *check, int at, int64_t n) {\n    return n == CFGREV_UNSET_INTEGER ? cfgrev_found(check, at, 202) : n;\n}\n".to_owned()
            });
            self.noting(
                "cfgrev_set_integer",
                &[UNSET],
                &[&code.text],
                ScalarType::Integer,
            )
        };
        let name = self.helper(name, ScalarType::Integer);
        self.lines.line(format_args!("{name} = {};", code.text));
        self.stop();
        name
    }

    /// `if`, `and`, `or`: operands that decide nothing are not evaluated. An operand without value is the value of
    /// `and` and `or`.
    pub(in crate::c) fn lazy(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(self.malformed("an operator has no operands"));
        };
        if op == Op::If {
            let condition = self.scalar(first)?;
            let condition = self.truth(&condition);
            let ty = self.common_type(rest)?;
            let mut arms = Vec::with_capacity(2);
            for e in rest {
                let code = self.scalar(e)?;
                arms.push(operators::convert(code, ty, self.pieces));
            }
            let [yes, no] = &arms[..] else {
                return Err(self.malformed("an operator has other operands"));
            };
            return Ok(checked::choice(&condition, yes, no, ty));
        }
        let so_far = self.helper("so_far", ScalarType::Logical);
        let goes_on = if op == Op::And { "1" } else { "0" };
        let first = self.scalar(first)?;
        let mut text = format!("({so_far} = {})", first.text);
        let Some((last, between)) = rest.split_last() else {
            return Ok(first);
        };
        for e in between {
            let code = self.scalar(e)?;
            text = format!(
                "{text} != {goes_on} ? {so_far} : ({so_far} = {})",
                code.text
            );
        }
        let code = self.scalar(last)?;
        let last = code.at_least(CONDITIONAL);
        text = format!("{text} != {goes_on} ? {so_far} : {last}");
        Ok(Code::new(text, CONDITIONAL, ScalarType::Logical))
    }

    /// The value of `if`, `and` or `or` with loops in an operand that may not be evaluated.
    pub(in crate::c) fn lazy_lines(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let Some((first, rest)) = operands.split_first() else {
            return Err(self.malformed("an operator has no operands"));
        };
        if op == Op::If {
            let ty = self.common_type(rest)?;
            let value = self.helper("chosen", ty);
            let condition = self.decision(first)?;
            self.lines.open(format_args!("if ({})", condition.text));
            for (k, e) in rest.iter().enumerate() {
                if k > 0 {
                    self.lines.reopen("} else {");
                }
                let code = self.scalar(e)?;
                let code = operators::convert(code, ty, self.pieces);
                self.lines.line(format_args!("{value} = {};", code.text));
                self.stop();
            }
            self.lines.close();
            return Ok(Code::new(value, POSTFIX, ty));
        }
        let value = self.helper("so_far", ScalarType::Logical);
        let first = self.scalar(first)?;
        self.lines.line(format_args!("{value} = {};", first.text));
        self.stop();
        let goes_on = match (op, self.checked()) {
            (Op::And, true) => format!("{value} == 1"),
            (_, true) => format!("{value} == 0"),
            (Op::Or, false) => format!("!{value}"),
            (_, false) => value.clone(),
        };
        for e in rest {
            self.lines.open(format_args!("if ({goes_on})"));
            let code = self.scalar(e)?;
            self.lines.line(format_args!("{value} = {};", code.text));
            self.stop();
            self.lines.close();
        }
        Ok(Code::new(value, POSTFIX, ScalarType::Logical))
    }

    /// The value of a condition that is this; one that has no value is not.
    pub(in crate::c) fn lenient(&mut self, e: &Expr, sense: bool) -> Emitted<Code> {
        let code = self.scalar(e)?;
        if !self.checked() {
            return if sense { Ok(code) } else { self.negated(code) };
        }
        let text = format!("{} == {}", code.at_least(RELATION), u8::from(sense));
        let name = self.helper("holds", ScalarType::Logical);
        self.lines.line(format_args!("{name} = {text};"));
        self.stop();
        Ok(Code::new(name, POSTFIX, ScalarType::Logical))
    }

    /// A reduction with one more element. A sum or product of integers that does not fit is told of when all elements are
    /// there.
    pub(in crate::c) fn folded(
        &mut self,
        op: Op,
        so_far: Code,
        x: Code,
        summed: bool,
    ) -> Emitted<Code> {
        if summed && self.checks.attempts == 0 {
            let x = self.hoisted(x);
            self.stop();
            let late = self.checks.late.clone();
            self.pieces.note_in(&late);
            let code = self.apply(op, vec![so_far, x]);
            let own = self.checks.variable.clone();
            self.pieces.note_in(&own);
            self.pieces.since_stop();
            return code;
        }
        self.apply(op, vec![so_far, x])
    }

    // --- loops ---------------------------------------------------------------------------------

    /// The head of a counted loop: passes are counted, and the index goes on at the end of each.
    pub(in crate::c) fn begin_checked_trips(
        &mut self,
        index: VarId,
        [first, last, step]: [&Expr; 3],
    ) -> Emitted<()> {
        self.reads(index);
        let i = self.scalar_place(index)?;
        let i = i.at_least(POSTFIX).into_owned();
        let mut kept = Vec::with_capacity(3);
        for (e, name) in [first, last, step]
            .into_iter()
            .zip(["first", "last", "step"])
        {
            let code = self.scalar(e)?;
            if code.integer().is_some() {
                kept.push(code.text);
                continue;
            }
            let name = self.helper(name, ScalarType::Integer);
            self.lines.line(format_args!("{name} = {};", code.text));
            kept.push(name);
        }
        let [first, last, step] = &kept[..] else {
            return Err(self.malformed("a loop has no range"));
        };
        let code = |text: &String| Code::new(text.clone(), POSTFIX, ScalarType::Integer);
        let count = checked::trips(&[code(first), code(last), code(step)], self.pieces);
        let trips = self.set_integer("trips", &count);
        self.lines
            .open(format_args!("for ({i} = {first}; {trips} > 0; --{trips})"));
        if let Some((_, passes)) = self.checks.open.last_mut() {
            *passes = Some(Passes {
                index: i,
                step: step.clone(),
            });
        }
        Ok(())
    }
}
