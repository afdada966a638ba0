//! Names of compilers that look like functions but are none of the library: their value is one of their operands, or
//! they ask about types.

use super::{Fail, Parse, Parser, Scope, typing::decayed};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Init},
    codes, constant,
    lex::{Kind, Token},
    source::Pos,
    types::{Arith, Int, Qualified, Type},
    words::is_keyword,
};
use std::rc::Rc;

impl Parser<'_> {
    /// The value of a call of such a name, which has been passed; `None` for other names.
    pub(super) fn of_compiler(&mut self, token: &Token) -> Parse<Option<ExprId>> {
        let at = token.at;
        if !(token.text.starts_with("__builtin_") && self.peek().is("(")) {
            return Ok(None);
        }
        let int = |value: bool| ExprKind::Int(i128::from(value), Arith::INT);
        let kind = match &token.text["__builtin_".len()..] {
            "expect" | "expect_with_probability" => {
                let e = self.first_operand()?;
                // The value has type long. An int operand is left as it is: these names stand in conditions, where
                // the type does not show.
                if self.unit.expr(e).ty.as_ref().and_then(Qualified::arith) == Some(Arith::INT) {
                    return Ok(Some(e));
                }
                let long = Qualified::unqualified(Type::Arith(Arith::Int(Int::Long)));
                ExprKind::Cast(Rc::new(long), e)
            }
            "complex" => {
                let operands = self.operands_of_compiler()?;
                let [re, im] = operands[..] else {
                    return Err(self.syntax_error(at, format!("{} has two operands", token.text)));
                };
                return Ok(Some(self.of_parts([re, im], at)));
            }
            "assume_aligned" => {
                let void = Rc::new(Qualified::unqualified(Type::Void));
                let pointer = Qualified::unqualified(Type::Pointer(void));
                ExprKind::Cast(Rc::new(pointer), self.first_operand()?)
            }
            "constant_p" => {
                let e = self.first_operand()?;
                let number = matches!(
                    self.unit.expr(e).kind,
                    ExprKind::Real(_) | ExprKind::Float(_)
                );
                int(number || constant::integer(&self.unit, e).is_some())
            }
            "va_arg" => {
                self.expect("(", "before a list")?;
                let list = self.parse_assignment()?;
                self.expect(",", "before a type")?;
                let ty = self.type_name()?;
                self.expect(")", "after a type")?;
                let Some(d) = self.declare_builtin(&token.text, at) else {
                    return Ok(None);
                };
                let f = self.add_expr(ExprKind::Name(d), at, at);
                let call = self.add_expr(ExprKind::Call(f, [list].into()), at, at);
                ExprKind::Cast(Rc::new(ty), call)
            }
            "types_compatible_p" => {
                self.expect("(", "before types")?;
                let a = self.type_name()?;
                self.expect(",", "between types")?;
                let b = self.type_name()?;
                self.expect(")", "after types")?;
                int(a.ty == b.ty && a.long_double == b.long_double)
            }
            "choose_expr" => {
                let operands = self.operands_of_compiler()?;
                let [condition, yes, no] = operands[..] else {
                    return Err(self.syntax_error(at, format!("{} has three operands", token.text)));
                };
                return match constant::integer(&self.unit, condition) {
                    Some((value, _)) => Ok(Some(if value != 0 { yes } else { no })),
                    None => {
                        let message = format!("the condition of {} is no constant", token.text);
                        self.sink
                            .error(&codes::VALUE, at, message, "write an integer constant");
                        Err(Fail)
                    }
                };
            }
            _ => return Ok(None),
        };
        Ok(Some(self.add_expr(kind, at, at)))
    }

    /// The expression that `_Generic`, which has been passed, chooses by the type of another one. The latter and the
    /// other choices are not evaluated.
    pub(super) fn chosen_by_type(&mut self, at: Pos) -> Parse<ExprId> {
        self.enter_level()?;
        self.expect("(", "before what chooses")?;
        let of = self.parse_assignment()?;
        let ty = self.unit.expr(of).ty.clone().map(decayed);
        let (mut chosen, mut other) = (None, None);
        while self.take(",") {
            let wanted = match self.take("default") {
                true => None,
                false => Some(self.type_name()?),
            };
            self.expect(":", "before the expression for a type")?;
            let place = match &wanted {
                None => &mut other,
                Some(_) => &mut chosen,
            };
            let fits = match (&wanted, &ty) {
                (Some(wanted), Some(ty)) => {
                    wanted.ty == ty.ty && wanted.long_double == ty.long_double
                }
                (wanted, _) => wanted.is_none(),
            };
            if fits && place.is_none() {
                *place = Some(self.at);
            }
            self.pass_operand();
        }
        self.expect(")", "after the expressions for types")?;
        let end = self.at;
        let Some(start) = chosen.or(other) else {
            return Err(self.syntax_error(at, "no type of _Generic is that of the expression"));
        };
        self.at = start;
        let e = self.parse_assignment()?;
        self.at = end;
        self.depth -= 1;
        Ok(e)
    }

    /// Skips tokens up to the comma or the parenthesis behind an operand.
    fn pass_operand(&mut self) {
        let mut depth = 0usize;
        while self.peek().kind != Kind::End {
            let token = self.peek();
            if depth == 0 && (token.is(",") || token.is(")")) {
                return;
            }
            depth += usize::from(["(", "[", "{"].iter().any(|open| token.is(open)));
            let closes = [")", "]", "}"].iter().any(|close| token.is(close));
            depth = depth.saturating_sub(usize::from(closes));
            self.next();
        }
    }

    /// A statement expression of GNU C, whose value is that of its last statement: its declarations and expressions
    /// become a comma expression.
    pub(super) fn parse_statement_expression(&mut self, at: Pos) -> Parse<ExprId> {
        self.enter_level()?;
        let start = self.at;
        self.expect("{", "before statements")?;
        self.scopes.push(Scope::default());
        let mut all = Vec::new();
        while !self.take("}") {
            if self.take(";") {
                continue;
            }
            if self.begins_declaration() {
                for d in self.parse_declaration(false)? {
                    all.extend(self.assigned_where_declared(d)?);
                }
                continue;
            }
            let from = self.peek().at;
            if !self.in_function() || self.peek().is("{") || is_keyword(&self.peek().text) {
                self.syntax_error(from, "such a statement in an expression is not C99");
                self.at = start;
                self.skip_between("{", "}")?;
                all = vec![self.add_expr(ExprKind::Bad, at, at)];
                break;
            }
            all.push(self.parse_expression()?);
            self.end_of("the statement")?;
        }
        self.scopes.pop();
        self.expect(")", "after statements")?;
        self.depth -= 1;
        let mut all = all.into_iter();
        let Some(mut value) = all.next() else {
            let zero = self.add_expr(ExprKind::Int(0, Arith::INT), at, at);
            let nothing = Rc::new(Qualified::unqualified(Type::Void));
            return Ok(self.add_expr(ExprKind::Cast(nothing, zero), at, at));
        };
        for e in all {
            value = self.add_expr(ExprKind::Binary(Binary::Comma, value, e), at, at);
        }
        self.unit.exprs[value.index()].enclosed = true;
        Ok(value)
    }

    /// The initial value of a variable as an assignment.
    fn assigned_where_declared(&mut self, d: DeclId) -> Parse<Option<ExprId>> {
        let decl = &mut self.unit.decls[d.index()];
        let at = decl.at;
        let Some(init) = decl.init.take() else {
            return Ok(None);
        };
        let Init::Expr(value) = init else {
            return Err(self.syntax_error(at, "a list of values in an expression is not read"));
        };
        if decl.kind != DeclKind::Local || matches!(decl.ty.ty, Type::Array(..)) {
            return Err(self.syntax_error(at, "such a variable in an expression is not read"));
        }
        decl.ty.constant = false;
        let target = self.add_expr(ExprKind::Name(d), at, at);
        Ok(Some(self.add_expr(
            ExprKind::Assign(None, target, value),
            at,
            at,
        )))
    }

    /// The operands between the present parentheses.
    fn operands_of_compiler(&mut self) -> Parse<Vec<ExprId>> {
        self.enter_level()?;
        self.expect("(", "before operands")?;
        let mut operands = vec![self.parse_assignment()?];
        while self.take(",") {
            operands.push(self.parse_assignment()?);
        }
        self.expect(")", "after operands")?;
        self.depth -= 1;
        Ok(operands)
    }

    /// The first operand between the present parentheses; the others only say how it is compiled.
    fn first_operand(&mut self) -> Parse<ExprId> {
        Ok(self.operands_of_compiler()?[0])
    }
}
