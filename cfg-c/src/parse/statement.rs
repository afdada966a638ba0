//! Reads statements, and notes the labels and cases inside of loops.

use super::{Around, Cases, Entry, Fail, Parse, Parser, Scope};
use crate::{
    ast::{DeclId, DeclKind, ExprId, For, StmtId, StmtKind},
    codes, constant,
    lex::{Kind, Mark, Token},
    source::Pos,
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::Checkpoint;
use std::rc::Rc;

impl Parser<'_> {
    /// A block in braces, with a scope of its own.
    pub(super) fn parse_block(&mut self, scope: bool) -> Parse<StmtId> {
        let from = self.expect("{", "before a block")?;
        if scope {
            self.scopes.push(Scope::default());
        }
        let level = (self.scopes.len(), self.around.len(), self.depth);
        let mut statements = Vec::new();
        // For each part with a checkpoint that is open, the directive at its start, and the number of its first statement.
        let mut parts: Vec<(Token, usize)> = Vec::new();
        while !self.peek().is("}") {
            if self.peek().kind == Kind::End {
                let at = self.peek().at;
                if self.sink.found.has_errors() {
                    // Recovery from an earlier problem may have passed the brace.
                    return Err(Fail);
                }
                return Err(self.syntax_error(at, "a block has no closing brace"));
            }
            self.take_promises();
            match self.peek().kind {
                Kind::Mark(Mark::Start) => {
                    parts.push((self.next(), statements.len()));
                    continue;
                }
                Kind::Mark(Mark::End) => {
                    let end = self.next();
                    match parts.pop() {
                        Some((start, first)) => {
                            let part = statements.drain(first.min(statements.len())..).collect();
                            let part = self.add_stmt(StmtKind::Block(part), start.at);
                            statements.push(
                                self.add_stmt(
                                    StmtKind::Checkpoint(Checkpoint::Each, part),
                                    start.at,
                                ),
                            );
                        }
                        None => self.report_mark(
                            &end,
                            "$AD CHECKPOINT-END ends no part of this block",
                            "write $AD CHECKPOINT-START in front of a statement of the same block",
                        ),
                    }
                    continue;
                }
                _ => {}
            }
            let start = self.at;
            match self.parse_item(&mut statements) {
                Ok(()) => {}
                Err(Fail) => {
                    self.scopes.truncate(level.0);
                    self.around.truncate(level.1);
                    self.depth = level.2;
                    self.prints = false;
                    self.skip_statement();
                }
            }
            if self.at == start && !self.peek().is("}") {
                self.next();
            }
        }
        self.expect("}", "after a block")?;
        for (start, _) in parts {
            self.report_mark(
                &start,
                "$AD CHECKPOINT-START begins a part that does not end in this block",
                "write $AD CHECKPOINT-END behind the last statement of the part",
            );
        }
        if scope {
            self.scopes.pop();
        }
        Ok(self.add_stmt(StmtKind::Block(statements), from))
    }

    fn report_mark(&mut self, mark: &Token, message: &str, help: &str) {
        self.sink
            .error(&codes::PREPROCESSOR, mark.at, message, help);
    }

    /// Reads a statement with the checkpoint in front of it.
    fn parse_checkpoint(&mut self) -> Parse<StmtKind> {
        let token = self.next();
        let Kind::Mark(Mark::Checkpoint(checkpoint)) = token.kind else {
            let help = "write it in a block, between the statements";
            let message = format!("{} stands between the parts of a statement", token.text);
            self.report_mark(&token, &message, help);
            return Err(Fail);
        };
        let is_label = self.peek_nth(1).is(":") || self.peek().is("case");
        if is_label || self.begins_declaration() || self.begins_assertion() {
            let (what, help) = match is_label {
                true => ("a label", "write it behind the label"),
                false => (
                    "a declaration",
                    "declare the variable in front of it, and assign the value behind it",
                ),
            };
            let message = format!("{what} follows {}", token.text);
            self.report_mark(&token, &message, help);
            if !is_label {
                return Err(Fail);
            }
        }
        let inner = self.parse_inner()?;
        let is_loop = match self.unit.stmt(inner).kind {
            StmtKind::While(..) | StmtKind::Do(..) | StmtKind::For(_) => true,
            StmtKind::Checkpoint(..) => {
                let message = format!("{} is about a statement with a checkpoint", token.text);
                self.report_mark(&token, &message, "leave one of the two out");
                true
            }
            _ => false,
        };
        if checkpoint != Checkpoint::Each && !is_loop {
            let message = "a number of snapshots is for loops, and no loop follows";
            let help = "write it in front of for, while or do, or leave the number out: the statement runs again once";
            self.report_mark(&token, message, help);
        }
        Ok(StmtKind::Checkpoint(checkpoint, inner))
    }

    /// Reads a declaration or a statement of a block, with the labels before it.
    fn parse_item(&mut self, out: &mut Vec<StmtId>) -> Parse<()> {
        self.parse_labels(out)?;
        if let Kind::Mark(Mark::Start | Mark::End) = self.peek().kind {
            // The block reads the mark.
            return Ok(());
        }
        if self.begins_declaration() || self.begins_assertion() {
            let from = self.peek().at;
            let decls = self.parse_declaration(false)?;
            out.push(self.add_stmt(StmtKind::Decl(decls), from));
        } else if !self.peek().is("}") {
            let statement = self.parse_statement()?;
            out.push(statement);
        }
        Ok(())
    }

    /// Reads labels and attributes.
    fn parse_labels(&mut self, out: &mut Vec<StmtId>) -> Parse<()> {
        loop {
            if self.peek().kind == Kind::Ident && self.peek().text.starts_with("__attribute")
                || self.is_bracketed()
            {
                let before = self.at;
                self.parse_attributes()?;
                // An attribute of a declaration is read with the declaration.
                if self.begins_declaration() && !self.tokens[before].is("[") {
                    self.at = before;
                    return Ok(());
                }
            }
            let from = self.peek().at;
            if self.peek().is("case") {
                self.next();
                let first = self.parse_conditional()?;
                let last = if self.take("...") {
                    Some(self.parse_conditional()?)
                } else {
                    None
                };
                self.expect(":", "after a case")?;
                self.add_case(from, Some((first, last.unwrap_or(first))));
                out.push(self.add_stmt(StmtKind::Case(first, last), from));
            } else if self.peek().is("default") && self.peek_nth(1).is(":") {
                self.next();
                self.next();
                self.add_case(from, None);
                out.push(self.add_stmt(StmtKind::Default, from));
            } else if self.peek().kind == Kind::Ident && self.peek_nth(1).is(":") {
                let name = self.next().text;
                self.next();
                if !self.label_names.insert(Rc::clone(&name)) {
                    let message = format!("the label {name} is placed twice");
                    self.sink
                        .error(&codes::TWICE, from, message, "rename one of the two");
                }
                self.labels.push((Rc::clone(&name), from));
                let place = self.unit.exprs.len() as u32;
                self.placed.push((Rc::clone(&name), place));
                for around in &mut self.around {
                    around.entered = true;
                }
                out.push(self.add_stmt(StmtKind::Label(name), from));
            } else {
                return Ok(());
            }
        }
    }

    /// Notes a case or a default: it enters all loops between itself and its switch.
    fn add_case(&mut self, at: Pos, values: Option<(ExprId, ExprId)>) {
        let mut cases = None;
        for around in self.around.iter_mut().rev() {
            cases = around.switch.as_mut();
            if cases.is_some() {
                break;
            }
            around.entered = true;
        }
        let Some(cases) = cases else {
            let message = "the case is in no switch";
            self.sink
                .error(&codes::CONTROL, at, message, "put it into one");
            return;
        };
        let is_new = match values {
            None => !std::mem::replace(&mut cases.has_default, true),
            Some((first, last)) => {
                let value = |e: ExprId| match constant::integer(&self.unit, e) {
                    Some((value, _)) => Ok(cases.ty.map_or(value, |ty| ty.wrap(value))),
                    None => Err(self.unit.expr(e).at),
                };
                match value(first).and_then(|first| Ok((first, value(last)?))) {
                    Ok((first, last)) => {
                        let before = cases.values.range(..=last).next_back();
                        let is_new = before.is_none_or(|(_, end)| *end < first);
                        // A range of cases whose end is below its beginning is empty.
                        if first <= last {
                            cases.values.insert(first, last);
                        }
                        is_new || first > last
                    }
                    Err(at) => {
                        let message = "a case is no integer constant";
                        self.sink
                            .error(&codes::VALUE, at, message, "write a number");
                        true
                    }
                }
            }
        };
        if !is_new {
            let message = "the switch has this case twice";
            self.sink
                .error(&codes::TWICE, at, message, "remove one of the two");
        }
    }

    /// Reads a statement that is part of another. With a label, it is a list.
    pub(super) fn parse_inner(&mut self) -> Parse<StmtId> {
        let from = self.peek().at;
        let mut list = Vec::new();
        self.parse_labels(&mut list)?;
        if list.is_empty() || !self.peek().is("}") {
            list.push(self.parse_statement()?);
        }
        Ok(match list[..] {
            [one] => one,
            _ => self.add_stmt(StmtKind::Block(list), from),
        })
    }

    /// Passes marks of independent iterations, behind which other marks and a `for` loop follow.
    fn take_promises(&mut self) {
        while self.peek().kind == Kind::Mark(Mark::Independent) {
            self.next();
            self.promised = true;
        }
    }

    fn parse_statement(&mut self) -> Parse<StmtId> {
        self.enter_level()?;
        self.take_promises();
        let from = self.peek().at;
        let token = self.peek().clone();
        let is_marked = matches!(token.kind, Kind::Mark(_));
        let start = self.unit.exprs.len() as u32;
        let word = if matches!(token.kind, Kind::Ident | Kind::Punct) {
            &*token.text
        } else {
            ""
        };
        let kind = match word {
            _ if is_marked => self.parse_checkpoint()?,
            "{" => {
                let block = self.parse_block(true)?;
                self.depth -= 1;
                return Ok(block);
            }
            ";" => {
                self.next();
                StmtKind::Empty
            }
            "if" => self.if_chain()?,
            "while" => {
                self.next();
                let condition = self.parse_condition()?;
                let (body, _) = self.parse_body(None)?;
                StmtKind::While(condition, body)
            }
            "do" => {
                self.next();
                let (body, _) = self.parse_body(None)?;
                self.expect("while", "after the body of do")?;
                let condition = self.parse_condition()?;
                self.end_of("do ... while")?;
                StmtKind::Do(body, condition)
            }
            "for" => self.for_loop()?,
            "switch" => {
                self.next();
                let value = self.parse_parenthesised()?;
                self.check_integer(value, "a switch takes an integer", "convert it with (int)");
                let ty = self.unit.expr(value).ty.as_ref();
                let ty = match ty.and_then(Qualified::arith) {
                    Some(Arith::Int(ty)) => Some(ty.promote()),
                    _ => None,
                };
                let (body, _) = self.parse_body(Some(Cases {
                    ty,
                    ..Cases::default()
                }))?;
                StmtKind::Switch(value, body)
            }
            "goto" => {
                self.next();
                if self.peek().kind != Kind::Ident {
                    let at = self.peek().at;
                    return Err(self.syntax_error(at, "goto names no label"));
                }
                let name = self.next().text;
                self.end_of("goto")?;
                let place = self.unit.exprs.len() as u32;
                self.jumps.push((Rc::clone(&name), place, from));
                StmtKind::Goto(name)
            }
            "break" | "continue" => {
                self.next();
                let is_break = word == "break";
                if !self.around.iter().any(|a| is_break || a.switch.is_none()) {
                    let message = format!("{word} stands in no loop");
                    self.sink
                        .error(&codes::CONTROL, from, message, "put it into one");
                }
                self.end_of("the jump")?;
                if is_break {
                    StmtKind::Break
                } else {
                    StmtKind::Continue
                }
            }
            "return" => {
                self.next();
                let value = if self.peek().is(";") {
                    None
                } else {
                    let e = self.parse_expression()?;
                    self.check_returned(e);
                    Some(self.converted_result(e))
                };
                self.end_of("return")?;
                StmtKind::Return(value)
            }
            "asm" | "__asm__" | "__asm" => {
                return Err(self.syntax_error(from, "assembly is not read"));
            }
            "else" => return Err(self.syntax_error(from, "else without if")),
            _ => {
                let e = self.parse_expression()?;
                self.end_of("the statement")?;
                StmtKind::Expr(self.discard_value(e))
            }
        };
        self.depth -= 1;
        if matches!(
            kind,
            StmtKind::While(..) | StmtKind::Do(..) | StmtKind::For(_)
        ) {
            self.loops.push(start..self.unit.exprs.len() as u32);
        }
        Ok(self.add_stmt(kind, from))
    }

    /// The returned value of a function, in the type of its result.
    fn converted_result(&mut self, e: ExprId) -> ExprId {
        let ty = self.function.map(|d| &self.unit.decl(d).ty.ty);
        match ty {
            Some(Type::Function(signature)) => {
                let result = signature.result.clone();
                self.converted_to(e, &result)
            }
            _ => e,
        }
    }

    fn parse_parenthesised(&mut self) -> Parse<ExprId> {
        self.expect("(", "before the condition")?;
        let e = self.parse_expression()?;
        self.expect(")", "after the condition")?;
        Ok(e)
    }

    fn parse_condition(&mut self) -> Parse<ExprId> {
        let e = self.parse_parenthesised()?;
        self.check_condition(e);
        Ok(self.complex_truth(e))
    }

    /// Reads the body of a loop or switch; returns also whether a label leads into it.
    fn parse_body(&mut self, switch: Option<Cases>) -> Parse<(StmtId, bool)> {
        self.around.push(Around {
            switch,
            entered: false,
        });
        self.scopes.push(Scope::default());
        let body = self.parse_inner()?;
        self.scopes.pop();
        let entered = self.around.pop().is_some_and(|a| a.entered);
        Ok((body, entered))
    }

    /// Reads a chain of `else if` as one statement. An `else` belongs to the nearest `if`.
    fn if_chain(&mut self) -> Parse<StmtKind> {
        let mut arms = Vec::new();
        let mut other = None;
        loop {
            self.next();
            let condition = self.parse_condition()?;
            let then = self.parse_in_scope()?;
            arms.push((condition, then));
            if !self.take("else") {
                break;
            }
            if !self.peek().is("if") {
                other = Some(self.parse_in_scope()?);
                break;
            }
        }
        Ok(StmtKind::If(arms, other))
    }

    fn parse_in_scope(&mut self) -> Parse<StmtId> {
        self.scopes.push(Scope::default());
        let statement = self.parse_inner()?;
        self.scopes.pop();
        Ok(statement)
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        let promised = std::mem::take(&mut self.promised);
        self.next();
        self.expect("(", "after for")?;
        self.scopes.push(Scope::default());
        let from = self.peek().at;
        let before = self.unit.exprs.len() as u32;
        let init = if self.take(";") {
            None
        } else if self.begins_declaration() {
            let decls = self.parse_declaration(false)?;
            let is_variable = |d: &DeclId| self.unit.decl(*d).kind == DeclKind::Local;
            let others = self.scopes.last().is_some_and(|s| {
                let is_type = |entry: &Entry| matches!(entry, Entry::Typedef(_));
                !s.tags.is_empty() || s.names.values().any(is_type)
            });
            if others || !decls.iter().all(is_variable) {
                self.syntax_error(
                    from,
                    "the head of for declares more than variables of its own",
                );
            }
            // Variables declared in the head live before the loop and through all passes.
            for d in &decls {
                self.unit.decls[d.index()].place = before;
            }
            Some(self.add_stmt(StmtKind::Decl(decls), from))
        } else {
            let e = self.parse_expression()?;
            self.expect(";", "in the head of for")?;
            Some(self.add_stmt(StmtKind::Expr(e), from))
        };
        let condition = if self.peek().is(";") {
            None
        } else {
            let e = self.parse_expression()?;
            self.check_condition(e);
            Some(self.complex_truth(e))
        };
        self.expect(";", "in the head of for")?;
        let step = if self.peek().is(")") {
            None
        } else {
            Some(self.parse_expression()?)
        };
        self.expect(")", "after the head of for")?;
        let start = self.unit.exprs.len() as u32;
        let (body, entered) = self.parse_body(None)?;
        let part = start..self.unit.exprs.len() as u32;
        self.scopes.pop();
        Ok(StmtKind::For(Box::new(For {
            init,
            condition,
            step,
            body,
            part,
            entered,
            promised,
        })))
    }
}
