//! Expressions.

use super::{Entry, Parse, Parser, literal};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Unary, new_decl},
    braces::Written,
    codes,
    complex::PARTS,
    constant,
    lex::{Kind, Token},
    math::How,
    points,
    preprocess::condition,
    source::Pos,
    structures,
    types::{Arith, Int, Qualified, Type},
    words::is_keyword,
};
use std::rc::Rc;

fn binary(text: &str) -> Option<(Binary, u8)> {
    Some(match text {
        "||" => (Binary::Or, 1),
        "&&" => (Binary::And, 2),
        "|" => (Binary::BitOr, 3),
        "^" => (Binary::BitXor, 4),
        "&" => (Binary::BitAnd, 5),
        "==" => (Binary::Eq, 6),
        "!=" => (Binary::Ne, 6),
        "<" => (Binary::Lt, 7),
        ">" => (Binary::Gt, 7),
        "<=" => (Binary::Le, 7),
        ">=" => (Binary::Ge, 7),
        "<<" => (Binary::Shl, 8),
        ">>" => (Binary::Shr, 8),
        "+" => (Binary::Add, 9),
        "-" => (Binary::Sub, 9),
        "*" => (Binary::Mul, 10),
        "/" => (Binary::Div, 10),
        "%" => (Binary::Rem, 10),
        _ => return None,
    })
}

fn assignment_operator(text: &str) -> Option<Option<Binary>> {
    Some(match text {
        "=" => None,
        "+=" | "-=" | "*=" | "/=" | "%=" | "<<=" | ">>=" | "&=" | "^=" | "|=" => {
            Some(binary(&text[..text.len() - 1])?.0)
        }
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads an expression with commas.
    pub(super) fn parse_expression(&mut self) -> Parse<ExprId> {
        let from = self.peek().at;
        let mut left = self.parse_assignment()?;
        while self.peek().is(",") {
            let at = self.next().at;
            let right = self.parse_assignment()?;
            left = self.add_operation(ExprKind::Binary(Binary::Comma, left, right), at, from);
        }
        Ok(left)
    }

    pub(super) fn parse_assignment(&mut self) -> Parse<ExprId> {
        let from = self.peek().at;
        let left = self.parse_conditional()?;
        let token = self.peek();
        let operator = (token.kind == Kind::Punct)
            .then(|| assignment_operator(&token.text))
            .flatten();
        let result = match operator {
            Some(operator) => {
                let at = self.next().at;
                self.enter_level()?;
                let right = self.parse_assignment()?;
                self.depth -= 1;
                self.add_operation(ExprKind::Assign(operator, left, right), at, from)
            }
            None => left,
        };
        Ok(result)
    }

    pub(super) fn parse_conditional(&mut self) -> Parse<ExprId> {
        let from = self.peek().at;
        let mut condition = self.parse_operators(1)?;
        let result = if self.peek().is("?") {
            let at = self.next().at;
            self.enter_level()?;
            let (before, yes) = match self.peek().is(":") {
                true => self.evaluated_once(&mut condition, at),
                false => (None, self.parse_expression()?),
            };
            self.expect(":", "in a conditional expression")?;
            let no = self.parse_conditional()?;
            self.depth -= 1;
            let chosen = self.add_operation(ExprKind::Conditional(condition, yes, no), at, from);
            match before {
                Some(first) => {
                    self.add_expr(ExprKind::Binary(Binary::Comma, first, chosen), at, from)
                }
                None => chosen,
            }
        } else {
            condition
        };
        Ok(result)
    }

    /// The middle operand of `a ?: b` (GNU C), which is the condition. If that has effects, its value is first
    /// assigned to a variable.
    fn evaluated_once(&mut self, condition: &mut ExprId, at: Pos) -> (Option<ExprId>, ExprId) {
        let node = self.unit.expr(*condition);
        let Some(ty) = node
            .ty
            .clone()
            .filter(|_| node.effects && self.in_function())
        else {
            return (None, *condition);
        };
        let ty = Qualified::unqualified(ty.ty);
        let (first, d) = self.kept_in_local("condition", ty, *condition, at, at);
        let [tested, value] = [(); 2].map(|()| self.add_expr(ExprKind::Name(d), at, at));
        *condition = tested;
        (Some(first), value)
    }

    /// The assignment of a value to a new local variable, and the variable.
    pub(super) fn kept_in_local(
        &mut self,
        name: &str,
        ty: Qualified,
        value: ExprId,
        at: Pos,
        from: Pos,
    ) -> (ExprId, DeclId) {
        let mut decl = new_decl(&Rc::from(name), DeclKind::Local, ty, at);
        decl.place = self.unit.exprs.len() as u32;
        let d = DeclId(self.unit.decls.len() as u32);
        self.unit.decls.push(decl);
        self.locals.push(d);
        let target = self.add_expr(ExprKind::Name(d), at, from);
        (
            self.add_expr(ExprKind::Assign(None, target, value), at, from),
            d,
        )
    }

    /// Reads binary operators of this level of precedence and above; there are ten levels.
    fn parse_operators(&mut self, least: u8) -> Parse<ExprId> {
        let from = self.peek().at;
        let mut left = self.parse_cast()?;
        loop {
            let token = self.peek();
            let found = (token.kind == Kind::Punct)
                .then(|| binary(&token.text))
                .flatten();
            let Some((operator, level)) = found.filter(|(_, level)| *level >= least) else {
                return Ok(left);
            };
            let at = self.next().at;
            let right = self.parse_operators(level + 1)?;
            left = self.add_operation(ExprKind::Binary(operator, left, right), at, from);
        }
    }

    fn parse_cast(&mut self) -> Parse<ExprId> {
        if !(self.peek().is("(") && self.begins_type_at(1)) {
            return self.parse_unary();
        }
        self.enter_level()?;
        let from = self.next().at;
        let ty = self.type_name()?;
        self.expect(")", "after a type")?;
        let result = if self.peek().is("{") {
            let literal = self.parse_compound(ty, from)?;
            self.parse_suffixed(literal, from)?
        } else {
            let mut of = self.parse_cast()?;
            if let Type::Pointer(to) = &ty.ty
                && !matches!(to.ty, Type::Array(..))
            {
                of = self.first_of(of);
            }
            self.add_operation(ExprKind::Cast(Rc::new(ty), of), from, from)
        };
        self.depth -= 1;
        Ok(result)
    }

    /// `&array` as `array`, where only the address of the first element counts.
    fn first_of(&self, e: ExprId) -> ExprId {
        match self
            .unit
            .expr(points::strip_conversions(&self.unit, e))
            .kind
        {
            ExprKind::Unary(Unary::Address, of) if self.unit.is_array(of) => of,
            _ => e,
        }
    }

    /// True of the name of a function that only prints.
    fn is_printing_function(&self, f: ExprId) -> bool {
        let how = match self.unit.expr(f).kind {
            ExprKind::Name(d) => self.unit.decl(d).how(),
            _ => None,
        };
        how == Some(How::Passive)
    }

    /// True of the name of a function that takes bytes.
    fn takes_bytes(&self, f: ExprId) -> bool {
        match self.unit.expr(f).kind {
            ExprKind::Name(d) => {
                let decl = self.unit.decl(d);
                decl.library.is_some() && points::takes_bytes(&decl.name)
            }
            _ => false,
        }
    }

    /// Reads a compound literal: a variable without a name that is initialised where it stands.
    fn parse_compound(&mut self, ty: Qualified, at: Pos) -> Parse<ExprId> {
        let written = self.parse_initializer()?;
        Ok(self.declare_literal(ty, &written, at))
    }

    /// The variable of a compound literal with this initial value.
    pub(super) fn declare_literal(&mut self, ty: Qualified, written: &Written, at: Pos) -> ExprId {
        let kind = match self.in_function() {
            true => DeclKind::Local,
            // Outside of functions a compound literal has static storage.
            false => DeclKind::Global,
        };
        let decl = new_decl(&Rc::from("literal"), kind, ty.clone(), at);
        let id = DeclId(self.unit.decls.len() as u32);
        self.unit.decls.push(decl);
        self.initialise_variable(id, &ty, written);
        if !self.in_function() {
            self.unit.decls[id.index()].internal = true;
            return self.add_expr(ExprKind::Name(id), at, at);
        }
        self.locals.push(id);
        self.add_expr(ExprKind::Literal(id), at, at)
    }

    fn parse_unary(&mut self) -> Parse<ExprId> {
        let token = self.peek().clone();
        let from = token.at;
        let operator = match (token.kind, &*token.text) {
            (Kind::Punct, "-") => Unary::Minus,
            (Kind::Punct, "+") => Unary::Plus,
            (Kind::Punct, "!") => Unary::Not,
            (Kind::Punct, "~") => Unary::BitNot,
            (Kind::Punct, "*") => Unary::Deref,
            (Kind::Punct, "&") => Unary::Address,
            (Kind::Punct, "++" | "--") => {
                self.enter_level()?;
                self.next();
                let of = self.parse_unary()?;
                self.depth -= 1;
                let up = &*token.text == "++";
                let post = false;
                return Ok(self.add_operation(ExprKind::Step { of, up, post }, from, from));
            }
            (Kind::Ident, "sizeof") => {
                self.enter_level()?;
                self.next();
                let kind = if self.peek().is("(") && self.begins_type_at(1) {
                    self.next();
                    let ty = self.type_name()?;
                    self.expect(")", "after a type")?;
                    match self.peek().is("{") {
                        true => ExprKind::SizeofExpr(self.parse_compound(ty, from)?),
                        false => ExprKind::SizeofType(Rc::new(ty)),
                    }
                } else {
                    let of = self.parse_unary()?;
                    let ty = self.unit.expr(of).ty.as_ref();
                    // The type is kept in place of the operand: a copy of a literal no longer says that it was `long
                    // double`.
                    match ty.filter(|ty| ty.long_double && ty.arith().is_some()) {
                        Some(ty) => ExprKind::SizeofType(Rc::new(ty.clone())),
                        None => ExprKind::SizeofExpr(of),
                    }
                };
                self.depth -= 1;
                return Ok(self.add_operation(kind, from, from));
            }
            (Kind::Ident, "_Alignof" | "__alignof__" | "__alignof") => {
                self.enter_level()?;
                self.next();
                let ty = if self.peek().is("(") && self.begins_type(self.peek_nth(1)) {
                    self.next();
                    let ty = self.type_name()?;
                    self.expect(")", "after a type")?;
                    Some(ty)
                } else {
                    let of = self.parse_unary()?;
                    self.unit.expr(of).ty.clone()
                };
                self.depth -= 1;
                let align = ty.and_then(|ty| constant::alignment_of(&self.unit, &ty));
                let Some(align) = align else {
                    let message = "the alignment of this is not known";
                    self.report_unsupported(from, message, "use types that are complete");
                    return Ok(self.add_expr(ExprKind::Bad, from, from));
                };
                let kind = ExprKind::Int(align, Arith::Int(Int::ULong));
                return Ok(self.add_expr(kind, from, from));
            }
            (Kind::Ident, "__real__" | "__real" | "__imag__" | "__imag") => {
                self.enter_level()?;
                self.next();
                let of = self.parse_cast()?;
                self.depth -= 1;
                let k = usize::from(token.text.starts_with("__imag"));
                return Ok(self.part_named(of, PARTS[k], from));
            }
            (Kind::Ident, "__extension__") => {
                self.next();
                return self.parse_cast();
            }
            _ => return self.parse_postfix(),
        };
        self.enter_level()?;
        self.next();
        let of = self.parse_cast()?;
        self.depth -= 1;
        let ty = self.unit.expr(of).ty.as_ref();
        if operator == Unary::Address && ty.is_some_and(|ty| ty.width.is_some()) {
            let message = "a bit-field has no address";
            let help = "take that of a variable which has its value";
            self.sink.error(&codes::OPERAND, from, message, help);
        }
        Ok(self.add_operation(ExprKind::Unary(operator, of), from, from))
    }

    fn parse_postfix(&mut self) -> Parse<ExprId> {
        let from = self.peek().at;
        let e = self.parse_primary()?;
        self.parse_suffixed(e, from)
    }

    /// Subscripts, arguments, members and steps behind an operand.
    fn parse_suffixed(&mut self, mut e: ExprId, from: Pos) -> Parse<ExprId> {
        loop {
            let token = self.peek().clone();
            if token.kind != Kind::Punct {
                return Ok(e);
            }
            match &*token.text {
                "[" => {
                    self.enter_level()?;
                    self.next();
                    let index = self.parse_expression()?;
                    self.expect("]", "after a subscript")?;
                    self.depth -= 1;
                    e = self.add_operation(ExprKind::Index(e, index), token.at, from);
                }
                "(" => {
                    self.enter_level()?;
                    self.next();
                    let mut arguments = Vec::new();
                    let takes_bytes = self.takes_bytes(e);
                    let prints = self.is_printing_function(e);
                    let prints = std::mem::replace(&mut self.prints, prints);
                    let mut goes_on = !self.peek().is(")");
                    while goes_on {
                        let argument = self.parse_assignment()?;
                        arguments.push(match takes_bytes {
                            true => self.first_of(argument),
                            false => argument,
                        });
                        goes_on = self.take(",");
                    }
                    self.prints = prints;
                    self.expect(")", "after the arguments")?;
                    self.depth -= 1;
                    self.check_call(e, &arguments, token.at);
                    e = self.add_call(e, arguments, token.at, from);
                }
                "." | "->" => {
                    self.next();
                    let name = self.next();
                    if name.kind != Kind::Ident {
                        return Err(self.syntax_error(name.at, "a member is a name"));
                    }
                    let arrow = &*token.text == "->";
                    e = self.member_of(e, &name, arrow, from);
                }
                "++" | "--" => {
                    self.next();
                    let up = &*token.text == "++";
                    let post = true;
                    e = self.add_operation(ExprKind::Step { of: e, up, post }, token.at, from);
                }
                _ => return Ok(e),
            }
        }
    }

    fn member_of(&mut self, of: ExprId, name: &Token, arrow: bool, from: Pos) -> ExprId {
        let base = self.unit.expr(of).ty.as_ref();
        let no_pointer = base.is_some_and(|ty| ty.target().is_none());
        let base = match arrow {
            true if !no_pointer => base.and_then(Qualified::target),
            _ => base,
        };
        if let Some(Type::Struct(s)) = base.map(|ty| &ty.ty)
            && let Some(union) = structures::around(&self.unit, *s, &name.text)
        {
            let of = self.add_expr(ExprKind::Member(of, union, arrow), name.at, from);
            return self.member_of(of, name, false, from);
        }
        let kind = match base.map(|ty| &ty.ty) {
            Some(Type::Struct(_)) if arrow && no_pointer => self.no_members(name, arrow),
            Some(Type::Struct(s)) if self.unit.member(*s, &name.text).is_none() => {
                let structure = self.unit.structure(*s);
                let tag = structure.name.as_deref().unwrap_or("the structure");
                if let Some(what) = &structure.refused {
                    let message = format!(
                        "{tag} has {what}, which is not supported, and {} may be in it",
                        name.text
                    );
                    let help = "keep its members in the structure itself";
                    self.sink.error(&codes::TYPE, name.at, message, help);
                    return self.add_expr(ExprKind::Bad, name.at, from);
                }
                let message = if structure.complete {
                    format!("{tag} has no member {}", name.text)
                } else {
                    format!("the members of {tag} are not declared")
                };
                let members = structure.members.iter().map(|m| &*m.name);
                let near = self.similarity.did_you_mean(&name.text, members);
                let help = near.unwrap_or_else(|| "name a member that is declared".to_owned());
                self.sink.error(&codes::UNKNOWN, name.at, message, help);
                ExprKind::Bad
            }
            Some(ty @ (Type::Struct(_) | Type::Refused(_))) => {
                let real = match ty {
                    Type::Struct(s) => self.real_of_bits(*s, &name.text),
                    _ => None,
                };
                if let Some((real, ty)) = real {
                    let place = self.add_expr(ExprKind::Member(of, real, arrow), name.at, from);
                    if let Some(read) = self.bits_of(place, ty, name.at, from) {
                        return read;
                    }
                }
                ExprKind::Member(of, Rc::clone(&name.text), arrow)
            }
            None => ExprKind::Bad,
            Some(_) => self.no_members(name, arrow),
        };
        self.add_expr(kind, name.at, from)
    }

    fn no_members(&mut self, name: &Token, arrow: bool) -> ExprKind {
        let sign = if arrow { "->" } else { "." };
        let message = format!("what stands before {sign}{} has no members", name.text);
        let help = "write . after a structure and -> after a pointer to one";
        self.sink.error(&codes::OPERAND, name.at, message, help);
        ExprKind::Bad
    }

    fn parse_primary(&mut self) -> Parse<ExprId> {
        let token = self.next();
        let at = token.at;
        let kind = match token.kind {
            Kind::Number if literal::is_imaginary(&token.text) => {
                let zero = self.add_expr(ExprKind::Float(0.0), at, at);
                let Some((kind, false)) = literal::number(&literal::without_unit(&token.text))
                else {
                    let message = format!("{} is no number that is supported", token.text);
                    return Err(self.syntax_error(at, message));
                };
                let one = self.add_expr(kind, at, at);
                return Ok(self.of_parts([zero, one], at));
            }
            Kind::Number => match literal::number(&token.text) {
                Some((kind, long)) => {
                    if long {
                        let help = "leave out the suffix to be clear";
                        self.sink.warning(
                            &codes::LONG_DOUBLE,
                            at,
                            "long double is read as double",
                            help,
                        );
                        let e = self.add_expr(kind, at, at);
                        let ty = &mut self.unit.exprs[e.index()].ty;
                        ty.iter_mut().for_each(|ty| ty.long_double = true);
                        return Ok(e);
                    }
                    kind
                }
                None => {
                    return Err(self.syntax_error(
                        at,
                        format!("{} is no number that is supported", token.text),
                    ));
                }
            },
            Kind::Char => match condition::character(&token.text) {
                Some(value) => ExprKind::Int(i128::from(value), literal::character(&token.text)),
                None => {
                    return Err(self.syntax_error(
                        at,
                        format!("{} is no character that is supported", token.text),
                    ));
                }
            },
            Kind::Str => {
                let mut text = literal::string(&token.text);
                let mut wide = literal::is_wide(&token.text);
                while self.peek().kind == Kind::Str {
                    wide |= literal::is_wide(&self.peek().text);
                    let more = literal::string(&self.next().text);
                    text = text.zip(more).map(|(text, more)| [text, more].concat());
                }
                if wide && !self.prints {
                    let message = "texts of wide characters are only printed here";
                    return Err(self.syntax_error(at, message));
                }
                ExprKind::Str(text.map(Rc::from))
            }
            Kind::Ident => return self.parse_name(&token),
            Kind::Punct if token.is("(") => {
                if self.peek().is("{") {
                    if let Some(assertion) = self.parse_assertion(at)? {
                        return Ok(assertion);
                    }
                    return self.parse_statement_expression(at);
                }
                self.enter_level()?;
                let e = self.parse_expression()?;
                self.expect(")", "after an expression")?;
                self.depth -= 1;
                let node = &mut self.unit.exprs[e.index()];
                node.enclosed = true;
                return Ok(e);
            }
            Kind::Punct | Kind::Other | Kind::Directive | Kind::Mark(_) | Kind::End => {
                let found = if token.kind == Kind::End {
                    "the end of the file"
                } else {
                    &token.text
                };
                return Err(self.syntax_error(at, format!("expected an expression, found {found}")));
            }
        };
        Ok(self.add_expr(kind, at, at))
    }

    /// The form that `assert` of the GNU C library has for gcc, `({ if (condition) ; else __assert_fail(..); })`, as
    /// the conditional expression that it is for other compilers. `None` for other statements.
    fn parse_assertion(&mut self, at: Pos) -> Parse<Option<ExprId>> {
        if !(self.peek_nth(1).is("if") && self.peek_nth(2).is("(")) {
            return Ok(None);
        }
        let statements = |p: &mut Self, word: &str| match p.take(word) {
            true => Ok(()),
            false => Err(p.syntax_error(at, "statements in expressions are not C99")),
        };
        self.enter_level()?;
        for word in ["{", "if", "("] {
            statements(self, word)?;
        }
        let condition = self.parse_expression()?;
        for word in [")", ";", "else"] {
            statements(self, word)?;
        }
        let fails = self.parse_expression()?;
        for word in [";", "}", ")"] {
            statements(self, word)?;
        }
        self.depth -= 1;
        let zero = self.add_expr(ExprKind::Int(0, Arith::INT), at, at);
        let nothing = Rc::new(Qualified::unqualified(Type::Void));
        let holds = self.add_expr(ExprKind::Cast(nothing, zero), at, at);
        let kind = ExprKind::Conditional(condition, holds, fails);
        Ok(Some(self.add_expr(kind, at, at)))
    }

    fn parse_name(&mut self, token: &crate::lex::Token) -> Parse<ExprId> {
        let at = token.at;
        if let Some(d) = self.named_by_library(token) {
            return Ok(self.add_expr(ExprKind::Name(d), at, at));
        }
        let kind = match self.find_name(&token.text) {
            Some(Entry::Decl(d)) => ExprKind::Name(*d),
            Some(Entry::Typedef(_)) => {
                return Err(self.syntax_error(at, format!("{} is a type here", token.text)));
            }
            None if self.begins_type(token) || is_keyword(&token.text) => {
                return Err(
                    self.syntax_error(at, format!("expected an expression, found {}", token.text))
                );
            }
            None if matches!(
                &*token.text,
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__"
            ) =>
            {
                let name = self.function.map(|d| &self.unit.decl(d).name);
                ExprKind::Str(name.map(|name| name.as_bytes().into()))
            }
            None if &*token.text == "_Generic" => return self.chosen_by_type(at),
            None => {
                if let Some(e) = self.of_compiler(token)? {
                    return Ok(e);
                }
                if let Some(d) = self.declare_builtin(&token.text, at) {
                    return Ok(self.add_expr(ExprKind::Name(d), at, at));
                }
                let call = self.peek().is("(");
                let message = format!("{} is not declared", token.text);
                let header = self.library.header(&token.text).filter(|_| call);
                let help = if let Some(header) = header {
                    format!("#include {header}, which declares it")
                } else {
                    let known = self.scopes.iter().flat_map(|s| s.names.keys());
                    // The name itself may be among the declared ones, with a type that is not known: it is no
                    // suggestion.
                    let known = known.chain(self.names).filter(|k| **k != token.text);
                    let mut known: Vec<&str> = known.map(|k| &**k).collect();
                    known.sort_unstable();
                    let near = self.similarity.did_you_mean(&token.text, known);
                    near.or_else(|| self.where_declared())
                        .unwrap_or_else(|| "declare it before it is used".to_owned())
                };
                self.sink.error(&codes::UNKNOWN, at, message, help);
                if call {
                    self.sink.lacks(&token.text);
                }
                ExprKind::Bad
            }
        };
        if let ExprKind::Name(d) = kind
            && let DeclKind::Constant(value) = self.unit.decl(d).kind
        {
            return Ok(self.add_expr(ExprKind::Int(value, Arith::INT), at, at));
        }
        let e = self.add_expr(kind, at, at);
        Ok(self.named_pointer(e))
    }
}
