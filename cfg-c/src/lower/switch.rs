//! Translates `switch`: to a branch with arms if no case falls through to the next, and otherwise to jumps to labels.

use super::{Lowered, routine::Body};
use crate::{
    ast::{ExprId, StmtId, StmtKind},
    codes, constant,
    types::Arith,
};
use cfg_core::ir::{CaseRange, Expr};

/// The statements from one group of cases to the next.
struct Section {
    cases: Vec<CaseRange>,
    default: bool,
    statements: Vec<StmtId>,
    /// True if the last statement is the break that ends the section.
    breaks: bool,
}

impl Body<'_, '_> {
    pub(super) fn lower_switch(
        &mut self,
        selector: ExprId,
        body: StmtId,
        last: bool,
    ) -> Lowered<()> {
        let span = self.span;
        let unit = self.l.unit;
        if unit.is_pointer(selector) {
            let at = unit.expr(selector).at;
            return self.error(
                &codes::OPERAND,
                at,
                "a switch over a pointer",
                "switch over an integer",
            );
        }
        let value_at = unit.expr(selector).at;
        let value = self.lower_expr(selector)?;
        let Arith::Int(ty) = value.ty else {
            return self.error(
                &codes::OPERAND,
                value_at,
                "a switch takes an integer",
                "convert it with (int)",
            );
        };
        let promoted = ty.promote();
        let value = value.convert(Arith::Int(promoted));
        let value = match value.constant {
            Some(k) => Expr::Int(self.within_integer(k, selector)?),
            None => self.widen_integer(value.e, promoted),
        };
        let all = self.cases_of(body);
        let sections = self.lower_sections(body, &all, promoted)?;
        let after = self.new_target();
        self.breaks.push(after);
        match sections {
            Some(sections) => {
                self.set_span();
                self.f.begin_cases(value);
                let has_default = sections.iter().any(|s| s.default);
                let mut label = 0;
                for section in sections {
                    label += 1;
                    self.f.begin_arm(label, section.cases, section.default);
                    let count = section.statements.len() - usize::from(section.breaks);
                    for (k, s) in section.statements[..count].iter().enumerate() {
                        self.lower_statement(*s, last && k + 1 == count);
                    }
                }
                if !has_default {
                    self.f.begin_arm(label + 1, [], true);
                }
                self.span = span;
                self.set_span();
                self.f.end_cases();
            }
            None => {
                self.lower_dispatch(value, &all, promoted)?;
                self.lower_statement(body, false);
                self.span = span;
            }
        }
        let after = self.breaks.pop();
        self.place_target(after);
        Ok(())
    }

    /// Writes the jump to the case of a value, or behind the switch.
    fn lower_dispatch(
        &mut self,
        value: Expr,
        all: &[StmtId],
        ty: crate::types::Int,
    ) -> Lowered<()> {
        let unit = self.l.unit;
        let mut targets = Vec::new();
        let mut default = None;
        for s in all {
            let label = self.f.label();
            self.cases.insert(*s, label);
            match unit.stmt(*s).kind {
                StmtKind::Case(first, end) => {
                    targets.push((self.lower_case(first, end, ty)?, label));
                }
                _ => default = Some(label),
            }
        }
        let out = default.or_else(|| {
            let after = self.breaks.last_mut()?;
            after.used = true;
            Some(after.label)
        });
        let Some(out) = out else { return Ok(()) };
        if targets.is_empty() {
            self.f.goto(out);
            return Ok(());
        }
        self.set_span();
        self.f.begin_cases(value);
        let mut number = 0;
        for (case, label) in targets {
            number += 1;
            self.f.begin_arm(number, [case], false);
            self.f.goto(label);
        }
        self.f.begin_arm(number + 1, [], true);
        self.f.goto(out);
        self.f.end_cases();
        Ok(())
    }

    fn lower_case(
        &mut self,
        first: ExprId,
        end: Option<ExprId>,
        ty: crate::types::Int,
    ) -> Lowered<CaseRange> {
        let unit = self.l.unit;
        let mut value = |e: ExprId| match constant::integer(unit, e) {
            Some((value, _)) => {
                let converted = ty.wrap(value);
                i64::try_from(converted).or_else(|_| {
                    let message = match converted == value {
                        true => format!("the case {value} is too large"),
                        false => {
                            let name = Arith::Int(ty).name();
                            format!("the case {value} is {converted} as {name}, which is too large")
                        }
                    };
                    let help = "cases have 63 bits: compare with it in an if before the switch";
                    self.error(&codes::VALUE, unit.expr(e).at, message, help)
                })
            }
            None => self.error(
                &codes::VALUE,
                unit.expr(e).at,
                "a case is no integer constant",
                "write a number",
            ),
        };
        let lower = value(first)?;
        let upper = end.map_or(Ok(lower), value)?;
        Ok(CaseRange {
            lower: Some(lower),
            upper: Some(upper),
        })
    }

    /// The cases of a switch, including those inside of other statements.
    fn cases_of(&self, body: StmtId) -> Vec<StmtId> {
        let unit = self.l.unit;
        let mut found = Vec::new();
        let mut open = vec![body];
        while let Some(s) = open.pop() {
            match &unit.stmt(s).kind {
                StmtKind::Case(..) | StmtKind::Default => found.push(s),
                StmtKind::Block(list) => open.extend(list.iter().rev()),
                StmtKind::If(arms, other) => {
                    open.extend(other);
                    open.extend(arms.iter().rev().map(|(_, s)| *s));
                }
                StmtKind::While(_, s) | StmtKind::Do(s, _) | StmtKind::Checkpoint(_, s) => {
                    open.push(*s);
                }
                StmtKind::For(of) => open.push(of.body),
                _ => {}
            }
        }
        found
    }

    /// The sections of a switch whose cases do not fall through; `None` if one does.
    fn lower_sections(
        &mut self,
        body: StmtId,
        all: &[StmtId],
        ty: crate::types::Int,
    ) -> Lowered<Option<Vec<Section>>> {
        let unit = self.l.unit;
        let StmtKind::Block(list) = &unit.stmt(body).kind else {
            return Ok(None);
        };
        let is_case =
            |s: StmtId| matches!(unit.stmt(s).kind, StmtKind::Case(..) | StmtKind::Default);
        let top = list.iter().filter(|s| is_case(**s)).count();
        if top != all.len() || !list.first().is_some_and(|s| is_case(*s)) {
            return Ok(None);
        }
        let mut sections: Vec<Section> = Vec::new();
        for s in list {
            let new = sections
                .last()
                .is_none_or(|section| !section.statements.is_empty());
            let label = matches!(unit.stmt(*s).kind, StmtKind::Label(_));
            if label {
                return Ok(None);
            }
            if !is_case(*s) {
                if let Some(section) = sections.last_mut() {
                    section.statements.push(*s);
                }
                continue;
            }
            if new {
                sections.push(Section {
                    cases: Vec::new(),
                    default: false,
                    statements: Vec::new(),
                    breaks: false,
                });
            }
            let case = match unit.stmt(*s).kind {
                StmtKind::Case(first, end) => Some(self.lower_case(first, end, ty)?),
                _ => None,
            };
            if let Some(section) = sections.last_mut() {
                section.default |= case.is_none();
                section.cases.extend(case);
            }
        }
        let count = sections.len();
        for (k, section) in sections.iter_mut().enumerate() {
            // The break may be the last statement in braces around the statements of a case.
            let mut end = section.statements.last().copied();
            while let Some(StmtKind::Block(list)) = end.map(|s| &unit.stmt(s).kind) {
                end = list.last().copied();
            }
            let kind = end.map(|s| &unit.stmt(s).kind);
            let ends = matches!(
                kind,
                Some(
                    StmtKind::Break | StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Continue
                )
            );
            section.breaks = section
                .statements
                .last()
                .is_some_and(|s| matches!(unit.stmt(*s).kind, StmtKind::Break));
            if !ends && k + 1 < count {
                return Ok(None);
            }
            // Cases beside a `default` need no arm of their own.
            if section.default {
                section.cases.clear();
            }
        }
        Ok((count > 0).then_some(sections))
    }
}
