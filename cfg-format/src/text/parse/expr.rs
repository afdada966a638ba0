//! Expressions and places, by precedence climbing.

use super::{Fail, Kind, Parse, Parser, codes, routine::Names};
use cfg_core::{
    diagnostic::similar::did_you_mean,
    entity::VarId,
    ir::{AnyInt, Conversion, Expr, Op, Place, Range, ScalarType, Subscript},
    text::{
        Name,
        precedence::{AND, COMPARISON, NEGATION, NOT, OR, POWER, PRODUCT, SHIFT, SUM},
    },
};

/// An expression with its depth.
type Deep = (Expr, usize);

/// Deepest nesting of parentheses and prefix operators that is read.
const MAX_NESTING: usize = 256;

impl Parser<'_> {
    /// Parses an expression.
    pub(super) fn parse_expr(&mut self, names: &Names) -> Parse<Expr> {
        self.parse_level(names, OR, 0).map(|(e, _)| e)
    }

    /// The infix operator at this token, with its level.
    fn peek_infix(&self) -> Option<(Op, u8)> {
        let token = self.current_token();
        let op = match (token.kind, self.token_text(token)) {
            (Kind::Word, "or") => (Op::Or, OR),
            (Kind::Word, "and") => (Op::And, AND),
            (Kind::Symbol, "==") => (Op::Eq, COMPARISON),
            (Kind::Symbol, "!=") => (Op::Ne, COMPARISON),
            (Kind::Symbol, "<") => (Op::Lt, COMPARISON),
            (Kind::Symbol, "<=") => (Op::Le, COMPARISON),
            (Kind::Symbol, ">") => (Op::Gt, COMPARISON),
            (Kind::Symbol, ">=") => (Op::Ge, COMPARISON),
            (Kind::Symbol, "+") => (Op::Add, SUM),
            (Kind::Symbol, "-") => (Op::Sub, SUM),
            (Kind::Symbol, "+%") => (Op::WrapAdd, SUM),
            (Kind::Symbol, "-%") => (Op::WrapSub, SUM),
            (Kind::Symbol, "*%") => (Op::WrapMul, PRODUCT),
            (Kind::Symbol, "<<") => (Op::Shl, SHIFT),
            (Kind::Symbol, "<<%") => (Op::WrapShl, SHIFT),
            (Kind::Symbol, ">>") => (Op::Shr, SHIFT),
            (Kind::Symbol, ">>>") => (Op::LogicalShr, SHIFT),
            (Kind::Symbol, "*") => (Op::Mul, PRODUCT),
            (Kind::Symbol, "/") => (Op::Div, PRODUCT),
            (Kind::Symbol, "*!") => (Op::StrongMul, PRODUCT),
            (Kind::Symbol, "**") => (Op::Pow, POWER),
            _ => return None,
        };
        Some(op)
    }

    /// An expression whose infix operators bind at least as tightly as `least`.
    fn parse_level(&mut self, names: &Names, least: u8, nesting: usize) -> Parse<Deep> {
        if nesting > MAX_NESTING {
            return Err(self.too_deep());
        }
        let mut left = self.parse_prefix(names, least, nesting)?;
        // Operators of one level in a row make one sum, product, conjunction or disjunction.
        let mut chain = None;
        while let Some((op, level)) = self.peek_infix().filter(|(_, level)| *level >= least) {
            if op == Op::Pow {
                self.at += 1;
                // To the right: a**b**c is a**(b**c).
                let right = self.parse_level(names, POWER, nesting + 1)?;
                left = self.apply_operator(op, vec![left, right])?;
                chain = None;
                continue;
            }
            self.at += 1;
            let right = self.parse_level(names, level + 1, nesting + 1)?;
            if level == COMPARISON
                && let Some((_, COMPARISON)) = self.peek_infix()
            {
                return Err(self.report_unexpected(
                    "the end of the comparison",
                    "compare two values at a time: `a < b and b < c`",
                ));
            }
            let many = op.arity().1 == usize::MAX;
            if many
                && chain == Some(op)
                && let (Expr::Op(_, operands), depth) = left
            {
                let mut operands = operands.into_vec();
                let depth = depth.max(1 + right.1);
                operands.push(right.0);
                left = self.check_depth((Expr::Op(op, operands.into()), depth))?;
                continue;
            }
            left = self.apply_operator(op, vec![left, right])?;
            chain = Some(op);
        }
        Ok(left)
    }

    fn apply_operator(&mut self, op: Op, operands: Vec<Deep>) -> Parse<Deep> {
        let depth = 1 + operands.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
        let operands = operands.into_iter().map(|(e, _)| e);
        self.check_depth((Expr::op(op, operands), depth))
    }

    fn check_depth(&mut self, deep: Deep) -> Parse<Deep> {
        if deep.1 > Expr::MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(deep)
    }

    fn too_deep(&mut self) -> Fail {
        let at = self.current_token().start;
        self.report(
            at,
            &codes::DEPTH,
            "expression too deep",
            "assign a part of it to a variable",
        )
    }

    fn parse_prefix(&mut self, names: &Names, least: u8, nesting: usize) -> Parse<Deep> {
        let next = self.token_at(1);
        let literal = (matches!(next.kind, Kind::Integer | Kind::Real)
            || next.kind == Kind::Word && matches!(self.token_text(next), "inf" | "inff"))
            && !self.symbol_at(2, "**");
        if self.is_symbol("-") && (literal || least <= NEGATION) {
            if literal {
                return self.parse_literal().map(|e| (e, 1));
            }
            self.at += 1;
            let operand = self.parse_level(names, NEGATION, nesting + 1)?;
            return self.apply_operator(Op::Neg, vec![operand]);
        }
        if self.is_symbol("-%") && least <= NEGATION {
            self.at += 1;
            let operand = self.parse_level(names, NEGATION, nesting + 1)?;
            return self.apply_operator(Op::WrapNeg, vec![operand]);
        }
        if self.is_word("not") && least <= NOT {
            self.at += 1;
            let operand = self.parse_level(names, NOT, nesting + 1)?;
            return self.apply_operator(Op::Not, vec![operand]);
        }
        self.parse_primary(names, nesting)
    }

    fn parse_primary(&mut self, names: &Names, nesting: usize) -> Parse<Deep> {
        let token = self.current_token();
        match token.kind {
            Kind::Integer | Kind::Real => self.parse_literal().map(|e| (e, 1)),
            Kind::Symbol if self.is_symbol("(") => {
                self.at += 1;
                let inside = self.parse_level(names, OR, nesting + 1)?;
                self.expect_symbol(")", "close the parenthesis")?;
                Ok(inside)
            }
            Kind::Word => {
                let word = self.token_text(token);
                if self.symbol_at(1, "(") {
                    return self.parse_function(names, word.to_owned(), nesting);
                }
                match word {
                    "true" | "false" => {
                        self.at += 1;
                        Ok((Expr::Logical(word == "true"), 1))
                    }
                    "inf" | "inff" | "nan" | "nanf" => self.parse_literal().map(|e| (e, 1)),
                    "not" => Err(self.report_unexpected(
                        "a value",
                        "put `not` and what it negates in parentheses: `(not x)`",
                    )),
                    "and" | "or" | "absent" | "pop" => Err(self.report_unexpected(
                        "a value",
                        "names like this one stand in double quotes",
                    )),
                    "call" => Err(self.report_unexpected(
                        "a value",
                        "a call is a statement of its own: `t := call f(x)`",
                    )),
                    _ => self
                        .deep_place(names, nesting)
                        .map(|(p, d)| (Expr::Place(p), d)),
                }
            }
            Kind::Quoted => self
                .deep_place(names, nesting)
                .map(|(p, d)| (Expr::Place(p), d)),
            // In other places a minus has been read already.
            Kind::Symbol if self.is_symbol("-") || self.is_symbol("-%") => Err(self
                .report_unexpected(
                    "a value",
                    "an exponent with a minus that is no number stands in parentheses: `x**(-y)`",
                )),
            Kind::Symbol | Kind::Newline | Kind::Bad => Err(self.report_unexpected(
                "a value",
                "write a number, a variable, a function or an expression in parentheses there",
            )),
        }
    }

    /// Parses a constant with its sign.
    fn parse_literal(&mut self) -> Parse<Expr> {
        let negative = self.take_symbol("-");
        let token = self.current_token();
        let text = self.token_text(token);
        let sign = if negative { -1.0 } else { 1.0 };
        let value = match (token.kind, text) {
            (_, "nan") => Expr::Real(f64::NAN),
            (_, "nanf") => Expr::Real32(f32::NAN),
            (_, "inf") => Expr::Real(sign * f64::INFINITY),
            (_, "inff") => Expr::Real32(sign as f32 * f32::INFINITY),
            (Kind::Integer, _) => {
                self.at -= usize::from(negative);
                return self.parse_integer("an integer").map(Expr::Int);
            }
            _ => match text.strip_suffix('f') {
                Some(text) => match text.parse::<f32>() {
                    Ok(value) if value == 0.0 && is_not_zero(text) => {
                        return Err(self.too_small("binary32"));
                    }
                    Ok(value) if value.is_finite() => Expr::Real32(sign as f32 * value),
                    _ => return Err(self.out_of_range("write a number that a binary32 can hold")),
                },
                None => match text.parse::<f64>() {
                    Ok(value) if value == 0.0 && is_not_zero(text) => {
                        return Err(self.too_small("binary64"));
                    }
                    Ok(value) if value.is_finite() => Expr::Real(sign * value),
                    _ => return Err(self.out_of_range("write a number that a binary64 can hold")),
                },
            },
        };
        self.at += 1;
        Ok(value)
    }

    fn out_of_range(&mut self, help: &str) -> Fail {
        let at = self.current_token().start;
        self.report(at, &codes::NUMBER, "number out of range", help)
    }

    fn too_small(&mut self, ty: &str) -> Fail {
        let at = self.current_token().start;
        let message = format!("the number is not 0, but nearer to it than any other {ty}");
        self.report(at, &codes::NUMBER, message, "write 0.0, or a larger number")
    }

    fn parse_function(&mut self, names: &Names, name: String, nesting: usize) -> Parse<Deep> {
        match name.as_str() {
            "addr" => return self.parse_address(names, nesting),
            "null" => return self.parse_null(),
            _ => {}
        }
        let start = self.current_token().start;
        let Some(op) = Op::from_name(&name) else {
            let help = if names.find(&name).is_some() {
                format!("subscripts stand in brackets: `{name}[...]`")
            } else if self.routines.contains_key(&name) {
                format!("a call is a statement of its own: `t := call {name}(...)`")
            } else {
                let known = Op::ALL.iter().map(|op| op.name()).chain(["addr", "null"]);
                did_you_mean(&name, known)
                    .unwrap_or_else(|| "`cfgrev explain operators` lists the functions".to_owned())
            };
            let message = format!("unknown function `{name}`");
            return Err(self.report(start, &codes::UNKNOWN, message, help));
        };
        self.at += 2;
        if let Some(constant) = self.typed_constant(op)? {
            return Ok((constant, 2));
        }
        let mut operands = Vec::new();
        if !self.take_symbol(")") {
            loop {
                operands.push(self.parse_level(names, OR, nesting + 1)?);
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.expect_symbol(")", "close the parenthesis, or write a comma")?;
        }
        let (least, most) = op.arity();
        if operands.len() < least || operands.len() > most {
            let number = match (least, most) {
                (a, b) if a == b => format!("{a}"),
                (a, usize::MAX) => format!("at least {a}"),
                (a, b) => format!("{a} to {b}"),
            };
            let message = format!("`{name}` has {} operands", operands.len());
            let help = format!("it takes {number}");
            return Err(self.report(start, &codes::SYNTAX, message, help));
        }
        self.apply_operator(op, operands)
    }

    /// The pointer to a place, `addr(x[i])`.
    fn parse_address(&mut self, names: &Names, nesting: usize) -> Parse<Deep> {
        self.at += 2;
        let (place, depth) = self.deep_place(names, nesting)?;
        self.expect_symbol(")", "close the parenthesis: `addr` has one place")?;
        self.check_depth((Expr::Addr(place), depth + 1))
    }

    /// The pointer that points nowhere, `null(real)`.
    fn parse_null(&mut self) -> Parse<Deep> {
        self.at += 2;
        let start = self.current_token().start;
        let pointee = self.expected_type()?;
        let pointer = self.pointer_to(pointee, start)?;
        self.expect_symbol(
            ")",
            "close the parenthesis: `null` has the type of what the pointer points to",
        )?;
        Ok((Expr::Null(pointer), 1))
    }

    /// The constant of an integer type, `uint8(7)`: a number alone in the parentheses of a conversion.
    fn typed_constant(&mut self, op: Op) -> Parse<Option<Expr>> {
        let Some((Conversion::To, AnyInt::Sized(ty))) = op.conversion() else {
            return Ok(None);
        };
        let sign = usize::from(self.is_symbol("-"));
        let token = self.token_at(sign);
        if token.kind != Kind::Integer || !self.symbol_at(sign + 1, ")") {
            return Ok(None);
        }
        let digits = self.token_text(token).parse::<i128>().ok();
        let value = digits.map(|n| if sign == 1 { -n } else { n });
        let Some(constant) = value.and_then(|n| Expr::sized(ty, n)) else {
            let help = format!("{} has the values {} to {}", ty.name(), ty.min(), ty.max());
            return Err(self.report(token.start, &codes::NUMBER, "number out of range", help));
        };
        self.at += sign + 2;
        Ok(Some(constant))
    }

    /// Parses a variable with its subscripts.
    pub(super) fn parse_place(&mut self, names: &Names) -> Parse<Place> {
        self.deep_place(names, 0).map(|(place, _)| place)
    }

    fn deep_place(&mut self, names: &Names, nesting: usize) -> Parse<(Place, usize)> {
        let var = self.parse_variable(names)?;
        let mut subscripts = Vec::new();
        self.parse_subscripts(names, nesting, &mut subscripts)?;
        loop {
            if self.take_symbol(".") {
                let name = self.parse_name("the name of a field")?;
                subscripts.push(Subscript::Field(name.into()));
            } else if self.is_symbol("^") {
                self.parse_dereference(names)?;
                subscripts.push(Subscript::Deref);
            } else {
                break;
            }
            self.parse_subscripts(names, nesting, &mut subscripts)?;
        }
        if self.is_symbol("(") {
            return Err(self.report_unexpected(
                "the end of the name",
                "subscripts stand in brackets: `x[i]`",
            ));
        }
        let place = Place {
            var,
            subscripts: subscripts.into(),
        };
        let depth = place.depth();
        self.check_depth((Expr::Int(0), depth))?;
        Ok((place, depth))
    }

    /// Takes `^` behind a pointer; reports a `^` that is meant as a power, as in other languages.
    fn parse_dereference(&mut self, names: &Names) -> Parse<()> {
        let next = self.token_at(1);
        let power = match next.kind {
            Kind::Integer | Kind::Real => true,
            Kind::Word => {
                let word = self.token_text(next);
                !matches!(word, "and" | "or" | "on" | "zeroed" | "from")
                    && names.find(word).is_some()
            }
            Kind::Symbol => self.symbol_at(1, "(") || self.symbol_at(1, "-"),
            Kind::Quoted | Kind::Newline | Kind::Bad => false,
        };
        // `p^ - 1` is a difference.
        if power && !(self.symbol_at(1, "-") && self.current_token().end < next.start) {
            return Err(self.report_unexpected("the end of the name", "powers are written `x**2`"));
        }
        self.at += 1;
        Ok(())
    }

    /// Parses subscripts in brackets, if they stand there.
    fn parse_subscripts(
        &mut self,
        names: &Names,
        nesting: usize,
        subscripts: &mut Vec<Subscript>,
    ) -> Parse<()> {
        if !self.take_symbol("[") {
            return Ok(());
        }
        loop {
            subscripts.push(self.parse_subscript(names, nesting)?.0);
            if !self.take_symbol(",") {
                break;
            }
        }
        self.expect_symbol("]", "close the bracket, or write a comma")
    }

    fn parse_subscript(&mut self, names: &Names, nesting: usize) -> Parse<(Subscript, usize)> {
        let mut deepest = 0;
        let mut part = |p: &mut Self| -> Parse<Option<Expr>> {
            if p.is_symbol(":") || p.is_symbol(",") || p.is_symbol("]") {
                return Ok(None);
            }
            let (e, depth) = p.parse_level(names, OR, nesting + 1)?;
            deepest = deepest.max(depth);
            Ok(Some(e))
        };
        let first = part(self)?;
        if !self.take_symbol(":") {
            let Some(index) = first else {
                return Err(self.report_unexpected("a subscript", "write an index, or `:` for all"));
            };
            return Ok((Subscript::Index(index), deepest));
        }
        let upper = part(self)?;
        let stride = if self.take_symbol(":") {
            part(self)?
        } else {
            None
        };
        let range = Range {
            lower: first,
            upper,
            stride,
        };
        Ok((Subscript::Range(Box::new(range)), deepest))
    }

    /// The name of a variable of the routine.
    pub(super) fn parse_variable(&mut self, names: &Names) -> Parse<VarId> {
        self.variable_of(ScalarType::Real, names)
    }

    /// The name of a variable; `ty` is its type if the program is right, for the suggestion of a declaration.
    pub(super) fn variable_of(&mut self, ty: ScalarType, names: &Names) -> Parse<VarId> {
        let at = self.current_token().start;
        let name = self.parse_name("the name of a variable")?;
        if let Some(v) = names.find(&name) {
            return Ok(v);
        }
        // An undeclared name is reported once for each routine, and not at all if declarations of the routine could
        // not be read.
        if names.lost && self.problems.len() > names.told {
            self.failed = true;
            return Err(Fail);
        }
        if self.unknown.insert(name.clone()) {
            let help = if self.globals.contains_key(&name) {
                format!("write `uses {name}` among the declarations")
            } else {
                self.suggestions.suggest(&name, || names.known()).unwrap_or_else(|| {
                    if self.continues_line(1) {
                        return "the line before it ends in an operator, a comma or a bracket, and goes on here"
                            .to_owned();
                    }
                    let (ty, name) = (ty.name(), Name(&name));
                    format!("declare it: `local {ty} {name}` after the head of the routine")
                })
            };
            let message = format!("unknown variable `{name}`");
            return Err(self.report(at, &codes::UNKNOWN, message, help));
        }
        Err(Fail)
    }
}

/// True if a digit before the exponent is not 0.
fn is_not_zero(number: &str) -> bool {
    let digits = number.split(['e', 'E']).next().unwrap_or(number);
    digits.bytes().any(|b| matches!(b, b'1'..=b'9'))
}
