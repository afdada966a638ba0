//! Declarators, the pointers, extents and parameters around a name; and type names.

use super::{
    Parse, Parser, Scope,
    attributes::is_attribute,
    declaration::{Storage, qualify},
};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, new_decl},
    constant,
    lex::Kind,
    source::Pos,
    types::{Arith, Parameter, Qualified, Signature, Type},
    words::is_keyword,
};
use std::rc::Rc;

/// A name with its type.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) name: Option<(Rc<str>, Pos)>,
    pub(super) ty: Qualified,
}

/// A part of a declarator behind the name.
enum Suffix {
    Array {
        extent: Option<ExprId>,
        /// True with `restrict` in the brackets, which qualifies the pointer that the parameter becomes.
        restrict: bool,
        /// True for the extent `*`: there is one, which is not specified.
        star: bool,
    },
    Function(Signature),
}

impl Parser<'_> {
    /// Reads a declarator; one without a name is abstract.
    pub(super) fn parse_declarator(&mut self, base: Qualified) -> Parse<Made> {
        self.enter_level()?;
        let mut base = base;
        let mut stars = 0;
        while self.take("*") {
            stars += 1;
            if stars > super::MAX_DEPTH {
                let at = self.last_position();
                let message = format!("a pointer has more than {} levels", super::MAX_DEPTH);
                self.sink
                    .error(&crate::codes::LIMIT, at, message, "use simpler types");
                return Err(super::Fail);
            }
            let mut pointer = Qualified::unqualified(Type::Pointer(Rc::new(base)));
            self.parse_attributes()?;
            while qualify(&mut pointer, &Rc::clone(&self.peek().text)) {
                self.next();
                self.parse_attributes()?;
            }
            base = pointer;
        }
        let place = self.peek().at;
        let made = if self.peek().is("(") && self.encloses_declarator() {
            // The suffixes behind the parentheses belong to the type inside, so they are read first.
            self.next();
            self.parse_attributes()?;
            let inside = self.at;
            self.skip_to_parenthesis()?;
            let suffixes = self.parse_suffixes()?;
            let end = self.at;
            let base = self.apply_suffixes(base, suffixes, place)?;
            self.at = inside;
            let made = self.parse_declarator(base)?;
            self.expect(")", "after the declarator")?;
            self.at = end;
            made
        } else {
            let token = self.peek().clone();
            let is_word = is_keyword(&token.text) || token.is("sizeof");
            let named = token.kind == Kind::Ident && !is_attribute(&token.text) && !is_word;
            let name = named.then(|| {
                self.next();
                (token.text, token.at)
            });
            let suffixes = self.parse_suffixes()?;
            let ty = self.apply_suffixes(base, suffixes, place)?;
            Made { name, ty }
        };
        self.depth -= 1;
        if made.ty.levels() > super::MAX_DEPTH {
            let at = self.last_position();
            let message = format!("a type has more than {} levels", super::MAX_DEPTH);
            self.sink
                .error(&crate::codes::LIMIT, at, message, "use simpler types");
            return Err(super::Fail);
        }
        Ok(made)
    }

    /// Reads a type name, as in casts.
    pub(super) fn type_name(&mut self) -> Parse<Qualified> {
        let from = self.peek().at;
        let specifiers = self.parse_specifiers()?;
        self.expect_storage(&specifiers, from, &[]);
        let at = self.peek().at;
        let made = self.parse_declarator(specifiers.ty)?;
        match made.name {
            None => Ok(made.ty),
            Some((name, _)) => {
                Err(self.syntax_error(at, format!("{name} does not belong into a type")))
            }
        }
    }

    /// True if the present parenthesis holds a declarator, false if it holds parameters.
    fn encloses_declarator(&self) -> bool {
        let next = self.peek_nth(1);
        next.is("*")
            || next.is("(")
            || next.is("[") && !self.peek_nth(2).is("[")
            || next.kind == Kind::Ident
                && (!self.begins_type(next)
                    || is_attribute(&next.text) && self.attribute_of_pointer())
    }

    /// Skips tokens up to the one behind the closing parenthesis.
    fn skip_to_parenthesis(&mut self) -> Parse<()> {
        let at = self.last_position();
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.next();
            if token.kind == Kind::End {
                return Err(self.syntax_error(at, "a parenthesis is not closed"));
            }
            depth += usize::from(token.is("("));
            depth -= usize::from(token.is(")"));
        }
        Ok(())
    }

    fn parse_suffixes(&mut self) -> Parse<Vec<Suffix>> {
        let mut suffixes = Vec::new();
        loop {
            if suffixes.len() > super::MAX_DEPTH {
                let at = self.last_position();
                let message = format!("an array has more than {} dimensions", super::MAX_DEPTH);
                self.sink
                    .error(&crate::codes::LIMIT, at, message, "use simpler types");
                return Err(super::Fail);
            }
            if self.is_bracketed() {
                self.parse_attributes()?;
            } else if self.take("[") {
                let mut qualified = Qualified::unqualified(Type::Void);
                let mut at_least = false;
                while let word = Rc::clone(&self.peek().text)
                    && (&*word == "static" || qualify(&mut qualified, &word))
                {
                    at_least |= &*word == "static";
                    self.next();
                }
                let restrict = qualified.restrict;
                let star = self.peek().is("*") && self.peek_nth(1).is("]");
                if star {
                    self.next();
                }
                let extent = if self.peek().is("]") {
                    None
                } else {
                    Some(self.parse_assignment()?)
                };
                // `static 1` only says that the pointer is not null, and nothing about the array.
                let one = |e| matches!(self.unit.expr(e).kind, ExprKind::Int(1, _));
                let extent = extent.filter(|e| !(at_least && one(*e)));
                let extent = extent.map(|e| self.fold_extent(e));
                extent.into_iter().for_each(|e| self.check_extent(e));
                self.expect("]", "after an extent")?;
                suffixes.push(Suffix::Array {
                    extent,
                    restrict,
                    star,
                });
            } else if self.take("(") {
                suffixes.push(Suffix::Function(self.parse_parameters()?));
            } else {
                return Ok(suffixes);
            }
        }
    }

    /// An extent, replaced by its value if that is constant, so that sizes of types in extents are computed once.
    fn fold_extent(&mut self, e: ExprId) -> ExprId {
        let node = self.unit.expr(e);
        match (&node.kind, constant::integer(&self.unit, e)) {
            (ExprKind::Int(..), _) | (_, None) => e,
            (_, Some((value, ty))) => {
                let (at, from) = (node.at, node.from);
                self.add_expr(ExprKind::Int(value, Arith::Int(ty)), at, from)
            }
        }
    }

    fn parse_parameters(&mut self) -> Parse<Signature> {
        let mut signature = Signature {
            result: Qualified::unqualified(Type::Void),
            parameters: Vec::new(),
            variadic: false,
            open: false,
        };
        if self.take(")") {
            signature.open = true;
            return Ok(signature);
        }
        if self.peek().is("void") && self.peek_nth(1).is(")") {
            self.next();
            self.next();
            return Ok(signature);
        }
        self.scopes.push(Scope::default());
        if let Some(names) = self.old_names() {
            signature.parameters = self.old_parameters(names)?;
            self.scopes.pop();
            return Ok(signature);
        }
        loop {
            if self.peek().is("...") {
                if signature.parameters.is_empty() {
                    let at = self.peek().at;
                    return Err(self.syntax_error(at, "a parameter stands before ..."));
                }
                self.next();
                signature.variadic = true;
                break;
            }
            self.parse_attributes()?;
            if !self.begins_declaration() {
                let token = self.peek().clone();
                if token.kind == Kind::Ident {
                    return Err(self.unknown_type(&token));
                }
                let message = "a parameter has no type";
                return Err(self.syntax_error(token.at, message));
            }
            let from = self.peek().at;
            let specifiers = self.parse_specifiers()?;
            self.expect_storage(&specifiers, from, &[Storage::Register]);
            let made = self.parse_declarator(specifiers.ty)?;
            self.parse_attributes()?;
            let (ty, extent) = adjusted(made.ty);
            if ty.ty == Type::Void {
                let is_alone = signature.parameters.is_empty() && self.peek().is(")");
                if made.name.is_some() || !is_alone || ty.constant || ty.volatile {
                    return Err(self.syntax_error(from, "a parameter has the type void"));
                }
                break;
            }
            let decl = made.name.as_ref().map(|(name, at)| {
                let mut decl = new_decl(name, DeclKind::Parameter, ty.clone(), *at);
                decl.extent = extent;
                decl.register = specifiers.storage == Some(Storage::Register);
                self.declare(decl)
            });
            let name = made.name.map(|(name, _)| name);
            signature.parameters.push(Parameter {
                name,
                ty,
                extent,
                decl,
            });
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", "after the parameters")?;
        self.scopes.pop();
        Ok(signature)
    }

    /// The names of an old-style list of parameters, whose types stand behind the parenthesis: `double f(x, n) double
    /// x[]; int n; {`.
    fn old_names(&self) -> Option<Vec<(Rc<str>, Pos)>> {
        let mut names = Vec::new();
        loop {
            let token = self.peek_nth(2 * names.len());
            if self.in_function() || token.kind != Kind::Ident || self.begins_type(token) {
                return None;
            }
            names.push((Rc::clone(&token.text), token.at));
            let behind = self.peek_nth(2 * names.len() - 1);
            if behind.is(")") {
                let next = self.peek_nth(2 * names.len());
                return (next.is("{") || self.begins_type(next)).then_some(names);
            }
            if !behind.is(",") {
                return None;
            }
        }
    }

    /// Reads old-style declarations of parameters, up to the body. Parameters without one are `int`.
    fn old_parameters(&mut self, names: Vec<(Rc<str>, Pos)>) -> Parse<Vec<Parameter>> {
        while !self.take(")") {
            self.next();
        }
        let mut decls: Vec<Option<DeclId>> = names.iter().map(|_| None).collect();
        while !self.peek().is("{") {
            let from = self.peek().at;
            let specifiers = self.parse_specifiers()?;
            self.expect_storage(&specifiers, from, &[Storage::Register]);
            loop {
                let made = self.parse_declarator(specifiers.ty.clone())?;
                let Some((name, at)) = made.name else {
                    let at = self.peek().at;
                    return Err(self.syntax_error(at, "a declaration has no name"));
                };
                let known = names.iter().position(|(n, _)| *n == name);
                let Some(k) = known else {
                    return Err(
                        self.syntax_error(at, format!("{name} is no parameter of the function"))
                    );
                };
                let (ty, extent) = adjusted(made.ty);
                let mut decl = new_decl(&name, DeclKind::Parameter, ty, at);
                decl.extent = extent;
                decls[k] = Some(self.declare(decl));
                if !self.take(",") {
                    break;
                }
            }
            self.end_of("the declaration of a parameter")?;
        }
        let mut parameters = Vec::new();
        for ((name, at), decl) in names.into_iter().zip(decls) {
            let int = Qualified::unqualified(Type::Arith(Arith::INT));
            let d =
                decl.unwrap_or_else(|| self.declare(new_decl(&name, DeclKind::Parameter, int, at)));
            let decl = self.unit.decl(d);
            if decl.ty.is_promoted() {
                self.unit.promoted.insert(d);
            }
            let decl = self.unit.decl(d);
            parameters.push(Parameter {
                name: Some(name),
                ty: decl.ty.clone(),
                extent: decl.extent,
                decl: Some(d),
            });
        }
        Ok(parameters)
    }

    /// The type of a name with these suffixes.
    fn apply_suffixes(
        &mut self,
        base: Qualified,
        suffixes: Vec<Suffix>,
        at: Pos,
    ) -> Parse<Qualified> {
        let mut ty = base;
        // The elements of an array must have an extent, which may be `*`.
        let mut has_extent = true;
        for suffix in suffixes.into_iter().rev() {
            let is_function = matches!(ty.ty, Type::Function(_));
            ty = match suffix {
                Suffix::Array {
                    extent,
                    restrict,
                    star,
                } => {
                    // Members are checked where they are declared.
                    let is_told = has_extent && !self.is_member;
                    if is_function || ty.ty == Type::Void || is_told && self.is_incomplete(&ty) {
                        return Err(self.syntax_error(at, "the elements of an array have a size"));
                    }
                    has_extent = !star;
                    let constant = ty.constant;
                    Qualified {
                        constant,
                        restrict,
                        ..Qualified::unqualified(Type::Array(Rc::new(ty), extent))
                    }
                }
                Suffix::Function(mut signature) => {
                    if is_function || matches!(ty.ty, Type::Array(..)) {
                        return Err(
                            self.syntax_error(at, "a function returns no array and no function")
                        );
                    }
                    signature.result = ty;
                    Qualified::unqualified(Type::Function(Rc::new(signature)))
                }
            };
        }
        Ok(ty)
    }
}

/// The type of a parameter: arrays and functions become pointers.
fn adjusted(ty: Qualified) -> (Qualified, Option<ExprId>) {
    match ty.ty {
        Type::Array(of, extent) => {
            // `const` belongs to the elements, not to the pointer.
            let pointer = Qualified {
                ty: Type::Pointer(of),
                constant: false,
                ..ty
            };
            (pointer, extent)
        }
        Type::Function(_) => (Qualified::unqualified(Type::Pointer(Rc::new(ty))), None),
        Type::Void | Type::Arith(_) | Type::Pointer(_) | Type::Struct(_) | Type::Refused(_) => {
            (ty, None)
        }
    }
}
