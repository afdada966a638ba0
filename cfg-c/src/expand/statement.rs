//! The statements of a copy.

use super::{Expand, frame::Frame};
use crate::{
    ast::initial_exprs,
    ast::{DeclId, DeclKind, ExprId, ExprKind, For, Init, Inlined, StmtId, StmtKind, StmtNode},
    constant,
    types::Type,
};
use std::rc::Rc;

impl Expand<'_> {
    /// Copies a statement. Recursion is as deep as statements nest, which the parser limits.
    pub(super) fn copy_statement(&mut self, s: StmtId, frame: &mut Frame, end: u32) -> StmtId {
        let node = self.unit.stmt(s).clone();
        let get = |frame: &Frame, e: ExprId| frame.copy_of(e);
        let kind = match node.kind {
            StmtKind::Expr(e) => match frame.values.get(&e) {
                Some(value) => StmtKind::Block(value.before.clone()),
                None => self.copied_expression(frame.copy_of(e)),
            },
            StmtKind::Decl(decls) => self.copied_declaration(&decls, s, frame),
            StmtKind::Block(list) => {
                let mut copied = Vec::new();
                for s in list {
                    copied.push(self.copy_statement(s, frame, end));
                }
                StmtKind::Block(copied)
            }
            StmtKind::If(arms, other) => self.copied_if(&arms, other, frame, end),
            StmtKind::While(c, s) => {
                let c = self.truth(c, frame);
                StmtKind::While(c, self.copy_statement(s, frame, end))
            }
            StmtKind::Do(s, c) => {
                let c = self.truth(c, frame);
                StmtKind::Do(self.copy_statement(s, frame, end), c)
            }
            StmtKind::For(of) => StmtKind::For(Box::new(For {
                init: of.init.map(|s| self.copy_statement(s, frame, end)),
                condition: of.condition.map(|c| self.truth(c, frame)),
                step: of.step.map(|e| self.copied_step(e, frame)),
                body: self.copy_statement(of.body, frame, end),
                part: frame.part(&of.part, end),
                entered: of.entered,
                promised: of.promised,
            })),
            StmtKind::Switch(e, s) => {
                StmtKind::Switch(get(frame, e), self.copy_statement(s, frame, end))
            }
            StmtKind::Checkpoint(n, s) => {
                StmtKind::Checkpoint(n, self.copy_statement(s, frame, end))
            }
            StmtKind::Case(a, b) => StmtKind::Case(get(frame, a), b.map(|b| get(frame, b))),
            StmtKind::Label(name) => {
                StmtKind::Label(frame.labels.get(&name).cloned().unwrap_or(name))
            }
            StmtKind::Goto(name) => {
                StmtKind::Goto(frame.labels.get(&name).cloned().unwrap_or(name))
            }
            StmtKind::Return(value) if frame.inline => self.copied_return(s, value, frame),
            StmtKind::Return(value) => match value.and_then(|e| frame.values.get(&e)) {
                Some(_) => {
                    // The type of the function has been refused.
                    StmtKind::Return(None)
                }
                None => {
                    let value = value.map(|e| self.returned_value(e, frame));
                    self.hoisted(value, StmtKind::Return)
                }
            },
            same @ (StmtKind::Empty
            | StmtKind::Default
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Leave) => same,
        };
        self.push_stmt(StmtNode { kind, ..node })
    }

    /// The returned value of a function that is called, not put in place of a call.
    fn returned_value(&mut self, e: ExprId, frame: &Frame) -> ExprId {
        let decl = self.unit.functions[frame.target].decl;
        match &self.unit.decl(decl).ty.ty {
            Type::Function(signature) => {
                let result = signature.result.clone();
                self.value_of(e, &result, frame)
            }
            _ => frame.copy_of(e),
        }
    }

    /// The step of a loop, executed between two passes.
    fn copied_step(&mut self, e: ExprId, frame: &Frame) -> ExprId {
        match frame.values.get(&e) {
            Some(value) => {
                let before = value.before.clone();
                self.add_sequence(&before, None, e)
            }
            None => frame.copy_of(e),
        }
    }

    /// Copies branches. Arms that are never taken are left out: their returns must not decide what the function
    /// returns.
    fn copied_if(
        &mut self,
        arms: &[(ExprId, StmtId)],
        other: Option<StmtId>,
        frame: &mut Frame,
        end: u32,
    ) -> StmtKind {
        let mut copied = Vec::new();
        let plain = self.unit.functions.get(frame.target).is_some() && frame.labels.is_empty();
        for (c, s) in arms {
            let c = self.truth(*c, frame);
            let never = constant::integer(self.unit, c).is_some_and(|(value, _)| value == 0);
            if never && plain && frame.inline && !self.has_cases(*s) {
                continue;
            }
            copied.push((c, self.copy_statement(*s, frame, end)));
        }
        let other = other.map(|s| self.copy_statement(s, frame, end));
        match (copied.is_empty(), other) {
            (true, Some(other)) => StmtKind::Block(vec![other]),
            (true, None) => StmtKind::Empty,
            (false, other) => StmtKind::If(copied, other),
        }
    }

    /// True if a statement contains cases of a switch around it.
    fn has_cases(&self, s: StmtId) -> bool {
        let mut open = vec![s];
        while let Some(s) = open.pop() {
            match &self.unit.stmt(s).kind {
                StmtKind::Case(..) | StmtKind::Default | StmtKind::Label(_) => return true,
                _ => open.extend(self.unit.statements_inside(s)),
            }
        }
        false
    }

    /// The copy of an expression statement. A pointer that needs statements is assigned behind them.
    fn copied_expression(&mut self, e: ExprId) -> StmtKind {
        if let ExprKind::Assign(None, target, value) = self.unit.expr(e).kind
            && let Some((before, value)) = self.apart(value)
        {
            self.unit.exprs[e.index()].kind = ExprKind::Assign(None, target, value);
            let assign = self.add_stmt(StmtKind::Expr(e), e);
            return StmtKind::Block(vec![before, assign]);
        }
        StmtKind::Expr(e)
    }

    /// For a pointer that needs statements, these statements and the pointer.
    pub(super) fn apart(&mut self, e: ExprId) -> Option<(StmtId, ExprId)> {
        let node = self.unit.expr(e);
        let ExprKind::Inlined(inlined) = &node.kind else {
            return None;
        };
        let value = inlined.value.filter(|_| self.unit.is_pointer(e))?;
        let only = Inlined {
            value: None,
            ..(**inlined).clone()
        };
        let only = self.add_expr(ExprKind::Inlined(Rc::new(only)), e);
        Some((self.add_stmt(StmtKind::Expr(only), e), value))
    }

    fn hoisted(
        &mut self,
        value: Option<ExprId>,
        kind: impl FnOnce(Option<ExprId>) -> StmtKind,
    ) -> StmtKind {
        if let Some(e) = value
            && let Some((before, value)) = self.apart(e)
        {
            let last = self.add_stmt(kind(Some(value)), e);
            return StmtKind::Block(vec![before, last]);
        }
        kind(value)
    }

    /// Copies declarations; a structure with pointers is declared by its members.
    fn copied_declaration(&mut self, decls: &[DeclId], s: StmtId, frame: &mut Frame) -> StmtKind {
        let plain = |b: &Self, d: &DeclId| {
            let new = frame.decls.get(d).copied().unwrap_or(*d);
            let behind = match b.unit.decl(new).init {
                Some(Init::Expr(e)) => matches!(b.unit.expr(e).kind, ExprKind::Inlined(_)),
                _ => false,
            };
            !behind
                && b.split_type(&b.unit.decl(*d).ty).is_none()
                && b.split_target(&b.unit.decl(*d).ty).is_none()
        };
        if decls.iter().all(|d| plain(self, d)) {
            let new = decls
                .iter()
                .map(|d| frame.decls.get(d).copied().unwrap_or(*d));
            return StmtKind::Decl(new.collect());
        }
        let mut list = Vec::new();
        let node = self.unit.stmt(s).clone();
        for d in decls {
            let new = frame.decls.get(d).copied().unwrap_or(*d);
            let decl = self.unit.decl(*d);
            if self.parts.contains_key(&new) {
                let at = decl.at;
                match frame.declared.remove(d) {
                    Some(declared) => list.extend(declared),
                    None => {
                        let here = self.constant(0, at, at);
                        list.extend(self.initialised(*d, new, here, frame));
                    }
                }
                continue;
            }
            if self.split_target(&decl.ty).is_some() && decl.kind == DeclKind::Local {
                if let Some(Init::Expr(e)) = decl.init
                    && let Some(value) = self.resolve_structure(e, frame)
                {
                    list.extend(value.before);
                }
                continue;
            }
            if let Some(Init::Expr(e)) = self.unit.decl(new).init
                && let Some((before, value)) = self.apart(e)
            {
                list.push(before);
                self.unit.decls[new.index()].init = Some(Init::Expr(value));
            }
            let kind = StmtKind::Decl(vec![new]);
            list.push(self.push_stmt(StmtNode { kind, ..node }));
        }
        match list[..] {
            [one] => self.unit.stmt(one).kind.clone(),
            _ => StmtKind::Block(list),
        }
    }

    /// Refuses expressions without a copy: an operand, or the expression of a statement, with a number below the
    /// first of the copy.
    pub(super) fn verify(&mut self, body: StmtId, start: u32, end: u32) {
        if self.sink.found.has_errors() {
            // Expressions that were refused have no copy: the problem has been reported.
            return;
        }
        let unit = &*self.unit;
        let mut old: Vec<ExprId> = Vec::new();
        for k in start..end {
            let operands = unit.operands(ExprId(k));
            old.extend(operands.into_iter().filter(|e| e.0 < start));
        }
        let mut open = vec![body];
        while let Some(s) = open.pop() {
            let mut see = |e: ExprId| old.extend(Some(e).filter(|e| e.0 < start));
            match &unit.stmt(s).kind {
                StmtKind::Expr(e) | StmtKind::Return(Some(e)) => see(*e),
                StmtKind::Decl(decls) => {
                    for d in decls {
                        let decl = unit.decl(*d);
                        if decl.kind == DeclKind::Local {
                            initial_exprs(decl.init.as_ref())
                                .into_iter()
                                .for_each(&mut see);
                        }
                    }
                }
                StmtKind::Block(list) => open.extend(list),
                StmtKind::If(arms, other) => {
                    open.extend(other);
                    for (c, s) in arms {
                        see(*c);
                        open.push(*s);
                    }
                }
                StmtKind::While(c, s) | StmtKind::Do(s, c) | StmtKind::Switch(c, s) => {
                    see(*c);
                    open.push(*s);
                }
                StmtKind::For(of) => {
                    of.condition.into_iter().chain(of.step).for_each(&mut see);
                    open.extend(of.init);
                    open.push(of.body);
                }
                StmtKind::Checkpoint(_, s) => open.push(*s),
                StmtKind::Case(a, b) => {
                    see(*a);
                    b.iter().copied().for_each(&mut see);
                }
                StmtKind::Empty
                | StmtKind::Default
                | StmtKind::Label(_)
                | StmtKind::Goto(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Return(None)
                | StmtKind::Leave => {}
            }
        }
        for e in old {
            let what = "a pointer to a pointer, or to a structure that has pointers, is used in a way that is not supported";
            self.refuse(e, what);
        }
    }
}
