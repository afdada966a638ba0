//! Declarations: specifiers, and the names that are declared with them.

use super::{Entry, Parse, Parser, attributes::Attributes};
use crate::{
    ast::{DeclId, DeclKind, ExprKind, Init, new_decl},
    braces::{self, Designator, Written},
    codes, complex, constant,
    lex::{Kind, Token},
    source::Pos,
    types::{Arith, Int, Qualified, Type},
    words,
};
use std::rc::Rc;

/// The meaning of the specifiers of a declaration.
#[derive(Debug)]
pub(super) struct Specifiers {
    pub(super) ty: Qualified,
    pub(super) storage: Option<Storage>,
    is_inline: bool,
    pub(super) attributes: Attributes,
}

/// A storage class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

impl Storage {
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "typedef" => Self::Typedef,
            "extern" => Self::Extern,
            "static" => Self::Static,
            "auto" => Self::Auto,
            "register" => Self::Register,
            _ => return None,
        })
    }
}

/// The most elements that ranges of designators give a value.
const MAX_RANGE: i128 = 10_000;

/// Adds the qualifier that a word stands for, compilers' spellings included; false for other words.
pub(super) fn qualify(ty: &mut Qualified, word: &str) -> bool {
    match word {
        "const" | "__const" | "__const__" => ty.constant = true,
        // Programs are read as single-threaded: an atomic variable is a volatile one.
        "volatile" | "__volatile" | "__volatile__" | "_Atomic" => ty.volatile = true,
        "restrict" | "__restrict" | "__restrict__" => ty.restrict = true,
        _ => return false,
    }
    true
}

/// True of a word, other than the name of a type, that a declaration may begin with.
fn begins_declarations(word: &str) -> bool {
    let lists = [words::TYPES, words::SPECIFIERS, words::TAGGED];
    word == "_Static_assert" || lists.iter().any(|list| list.contains(&word))
}

/// The number of times that each word of a type occurs.
#[derive(Default)]
struct Words {
    long: u8,
    short: u8,
    signed: u8,
    unsigned: u8,
    complex: bool,
    imaginary: bool,
    /// True for `auto`, with which later versions of C take the type from the initial value.
    auto: bool,
    base: Option<&'static str>,
}

impl Words {
    /// Adds a word. `None`: it is no word of a type. `Some(false)`: it makes no type with the words before (C11
    /// 6.7.2).
    fn add(&mut self, word: &str) -> Option<bool> {
        let base = match word {
            "long" => None,
            "short" => None,
            "signed" | "__signed" | "__signed__" => None,
            "unsigned" => None,
            "_Complex" | "__complex__" | "__complex" | "_Imaginary" => None,
            "void" => Some("void"),
            "char" => Some("char"),
            "int" => Some("int"),
            "float" => Some("float"),
            "double" => Some("double"),
            "_Bool" => Some("_Bool"),
            _ => return None,
        };
        match word {
            "long" => self.long += 1,
            "short" => self.short += 1,
            "unsigned" => self.unsigned += 1,
            "_Imaginary" => self.imaginary = true,
            word if word.contains("signed") => self.signed += 1,
            _ if base.is_none() && std::mem::replace(&mut self.complex, true) => {
                return Some(false);
            }
            _ => {}
        }
        if base.is_some() && std::mem::replace(&mut self.base, base).is_some() {
            return Some(false);
        }
        let sizes = (self.short, self.long);
        let signs = self.signed + self.unsigned;
        Some(match self.base {
            Some("void" | "_Bool" | "float") => (sizes, signs) == ((0, 0), 0),
            Some("double") => matches!(sizes, (0, 0..=1)) && signs == 0,
            Some("char") => sizes == (0, 0) && signs <= 1,
            Some(_) | None => matches!(sizes, (0, 0..=2) | (1, 0)) && signs <= 1,
        })
    }

    fn is_empty(&self) -> bool {
        self.base.is_none() && self.long + self.short + self.signed + self.unsigned == 0
    }
}

impl Parser<'_> {
    pub(super) fn begins_type(&self, token: &Token) -> bool {
        token.kind == Kind::Ident && (begins_declarations(&token.text) || self.is_typedef(token))
    }

    pub(super) fn begins_declaration(&self) -> bool {
        self.begins_type_at(0)
    }

    /// True if a type begins `ahead` tokens from here; `__extension__` words before it are passed.
    pub(super) fn begins_type_at(&self, mut ahead: usize) -> bool {
        while self.peek_nth(ahead).is("__extension__") {
            ahead += 1;
        }
        self.begins_type(self.peek_nth(ahead))
    }

    /// Reads specifiers and qualifiers.
    pub(super) fn parse_specifiers(&mut self) -> Parse<Specifiers> {
        let from = self.peek().at;
        let mut words = Words::default();
        let mut found: Option<Type> = None;
        let mut out = Specifiers {
            ty: Qualified::unqualified(Type::Void),
            storage: None,
            is_inline: false,
            attributes: Attributes::default(),
        };
        loop {
            out.attributes.extend(self.parse_attributes()?);
            let token = self.peek().clone();
            if token.kind != Kind::Ident {
                break;
            }
            let has_type = found.is_some() || !words.is_empty();
            if let Some(class) = Storage::from_word(&token.text)
                && out.storage.replace(class).is_some()
            {
                return Err(self.syntax_error(token.at, "a declaration has two storage classes"));
            }
            words.auto |= &*token.text == "auto";
            let fits = words.add(&token.text);
            let tag = words::TAGGED.contains(&&*token.text);
            if fits == Some(false) || found.is_some() && fits.is_some() || has_type && tag {
                let message = "this word makes no type with those before it";
                return Err(self.syntax_error(token.at, message));
            }
            match &*token.text {
                "inline" | "__inline" | "__inline__" => out.is_inline = true,
                "__extension__" | "_Thread_local" | "__thread" => {}
                "_Noreturn" => out.attributes.noreturn = true,
                "_Atomic" if self.peek_nth(1).is("(") && !has_type => {
                    found = Some(self.type_in_parentheses()?.ty);
                    continue;
                }
                "typeof" | "__typeof" | "__typeof__" if !has_type => {
                    let ty = self.type_in_parentheses()?;
                    out.ty.constant |= ty.constant;
                    found = Some(ty.ty);
                    continue;
                }
                "_Static_assert" | "_Alignas" | "__attribute" | "__attribute__" => {
                    return Err(
                        self.syntax_error(token.at, format!("{} does not belong here", token.text))
                    );
                }
                word if qualify(&mut out.ty, word) => {}
                word if fits.is_some() || Storage::from_word(word).is_some() => {}
                "struct" | "union" => {
                    found = Some(self.parse_structure(token.is("union"))?);
                    continue;
                }
                "enum" => {
                    found = Some(self.parse_enumeration()?);
                    continue;
                }
                name if !has_type => match self.find_name(name) {
                    Some(Entry::Typedef(ty)) => {
                        let ty = ty.clone();
                        out.ty.constant |= ty.constant;
                        out.ty.volatile |= ty.volatile;
                        out.ty.restrict |= ty.restrict;
                        out.ty.long_double = ty.long_double;
                        found = Some(ty.ty);
                    }
                    _ => break,
                },
                _ => break,
            }
            self.next();
        }
        out.ty.ty = match found {
            Some(ty) => ty,
            None => {
                out.ty.long_double = (words.base, words.long) == (Some("double"), 1);
                self.basic_type(&words, from)?
            }
        };
        if let Some(what) = out.attributes.refused {
            out.ty.ty = Type::Refused(Rc::from(what));
        }
        if matches!(out.ty.ty, Type::Array(..)) && out.ty.constant {
            out.ty = out.ty.made_constant();
        }
        if out.ty.restrict && matches!(out.ty.ty, Type::Void | Type::Arith(_) | Type::Struct(_)) {
            let help = "restrict belongs to pointers: remove it";
            let message = "what is declared restrict is no pointer";
            self.sink.error(&codes::OPERAND, from, message, help);
        }
        Ok(out)
    }

    /// Reports a storage class other than the allowed ones.
    pub(super) fn expect_storage(&mut self, of: &Specifiers, at: Pos, allowed: &[Storage]) {
        if of.storage.is_some_and(|class| !allowed.contains(&class)) {
            self.syntax_error(at, "this storage class does not belong here");
        }
    }

    /// The type named in parentheses behind the present word, or the type of the expression there, which is not
    /// evaluated.
    fn type_in_parentheses(&mut self) -> Parse<Qualified> {
        let at = self.next().at;
        self.expect("(", "before a type")?;
        self.enter_level()?;
        let ty = match self.begins_declaration() {
            true => self.type_name()?,
            false => {
                let e = self.parse_expression()?;
                match self.unit.expr(e).ty.clone() {
                    Some(ty) => ty,
                    None => {
                        return Err(
                            self.syntax_error(at, "the type of the expression is not known")
                        );
                    }
                }
            }
        };
        self.depth -= 1;
        self.expect(")", "after a type")?;
        Ok(ty)
    }

    /// True if a static assertion begins.
    pub(super) fn begins_assertion(&self) -> bool {
        let word = self.peek();
        word.is("_Static_assert")
            || word.is("static_assert")
                && self.peek_nth(1).is("(")
                && self.find_name("static_assert").is_none()
    }

    /// Reads a static assertion.
    pub(super) fn static_assertion(&mut self) -> Parse<()> {
        let at = self.next().at;
        self.expect("(", "after the word")?;
        let e = self.parse_conditional()?;
        if constant::integer(&self.unit, e).is_some_and(|(value, _)| value == 0) {
            let help = "make it hold; sizes are those of a machine where long has 64 bits";
            self.sink
                .error(&codes::VALUE, at, "the assertion does not hold", help);
        }
        if self.take(",") {
            self.parse_conditional()?;
        }
        self.expect(")", "after the assertion")?;
        self.end_of("the assertion")
    }

    fn basic_type(&mut self, words: &Words, at: Pos) -> Parse<Type> {
        if words.imaginary {
            return Ok(Type::Refused(Rc::from("an imaginary number")));
        }
        if words.complex {
            return Ok(match (words.base, words.long) {
                (Some("double") | None, 0) => complex::with_parts(Arith::Double),
                (Some("float"), 0) => complex::with_parts(Arith::Float),
                (_, 0) => Type::Refused(Rc::from("a complex number of integers")),
                _ => Type::Refused(Rc::from("a complex number of long double")),
            });
        }
        let int = |ty| Type::Arith(Arith::Int(ty));
        let unsigned = words.unsigned > 0;
        Ok(match (words.base, words.long, words.short) {
            (Some("void"), 0, 0) => Type::Void,
            (Some("_Bool"), 0, 0) => int(Int::Bool),
            (Some("float"), 0, 0) => Type::Arith(Arith::Float),
            (Some("double"), 0, 0) => Type::Arith(Arith::Double),
            (Some("double"), 1, 0) => {
                if !self.is_header(at) {
                    let help = "write double to be clear";
                    self.sink.warning(
                        &codes::LONG_DOUBLE,
                        at,
                        "long double is read as double",
                        help,
                    );
                }
                Type::Arith(Arith::Double)
            }
            (Some("char"), 0, 0) => int(match (words.signed > 0, unsigned) {
                (_, true) => Int::UChar,
                (true, false) => Int::SChar,
                (false, false) => Int::Char,
            }),
            (Some("int") | None, 0, 1) => int(if unsigned { Int::UShort } else { Int::Short }),
            (Some("int") | None, 1, 0) => int(if unsigned { Int::ULong } else { Int::Long }),
            (Some("int") | None, 2, 0) => int(if unsigned { Int::ULLong } else { Int::LLong }),
            (Some("int"), 0, 0) => int(if unsigned { Int::UInt } else { Int::Int }),
            (None, 0, 0) if unsigned => int(Int::UInt),
            (None, 0, 0) if words.signed > 0 => int(Int::Int),
            (None, 0, 0) if !words.auto && self.leaves_int_out(at) => int(Int::Int),
            (None, 0, 0) => {
                let token = self.peek().clone();
                if self.is_member && self.may_be_missing_type() {
                    self.next();
                    let what = format!("of the type {}, which is not known", token.text);
                    return Ok(Type::Refused(what.into()));
                }
                if token.kind == Kind::Ident && !begins_declarations(&token.text) {
                    return Err(self.unknown_type(&token));
                }
                return Err(self.syntax_error(at, "a declaration has no type"));
            }
            _ => return Err(self.syntax_error(at, "these words are no type of C together")),
        })
    }

    /// True if the present name is declared without a type: behind other words since `from`, or as a function that is
    /// defined. False if a missing file may declare it as a type.
    fn leaves_int_out(&self, from: Pos) -> bool {
        let token = self.peek();
        let next = self.peek_nth(1);
        let is_name = token.kind == Kind::Ident && !begins_declarations(&token.text);
        if !is_name || self.is_member || !self.missing.is_empty() {
            return false;
        }
        if next.is("(") {
            let mut depth = 0usize;
            let mut ahead = 1;
            loop {
                let token = self.peek_nth(ahead);
                depth += usize::from(token.is("("));
                depth -= usize::from(token.is(")"));
                ahead += 1;
                match token.kind {
                    Kind::End => return false,
                    _ if depth == 0 => break,
                    _ => {}
                }
            }
            return !self.in_function()
                && (self.peek_nth(ahead).is("{") || self.begins_type_at(ahead));
        }
        let ends = [";", "=", ",", "[", ")"];
        token.at != from && ends.iter().any(|end| next.is(end))
    }

    /// True if the present name may be a type that a missing file declares.
    pub(super) fn may_be_missing_type(&self) -> bool {
        let token = self.peek();
        let next = self.peek_nth(1);
        token.kind == Kind::Ident
            && !begins_declarations(&token.text)
            && !self.missing.is_empty()
            && (next.kind == Kind::Ident || next.is("*"))
    }

    pub(super) fn unknown_type(&mut self, token: &Token) -> super::Fail {
        let message = format!("the type {} is not known", token.text);
        let help = self.where_declared();
        let help = help.unwrap_or_else(|| {
            "include the header that declares it, or write a typedef".to_owned()
        });
        self.sink.error(&codes::UNKNOWN, token.at, message, help);
        super::Fail
    }

    /// The missing files in which an unknown name may be declared, in words.
    pub(super) fn where_declared(&self) -> Option<String> {
        let last = self.missing.last()?;
        let files = match self.missing.len() {
            1 => format!("{last}, which was"),
            _ => format!("{}, which were", self.missing.join(" or ")),
        };
        Some(format!(
            "it may be declared in {files} not found: -I DIR names the folder"
        ))
    }

    pub(super) fn skip_between(&mut self, open: &str, close: &str) -> Parse<()> {
        let at = self.expect(open, "here")?;
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.next();
            if token.kind == Kind::End {
                return Err(self.syntax_error(at, format!("`{open}` is not closed")));
            }
            depth += usize::from(token.is(open));
            depth -= usize::from(token.is(close));
        }
        Ok(())
    }

    fn parse_enumeration(&mut self) -> Parse<Type> {
        self.next();
        self.parse_attributes()?;
        let tag = (self.peek().kind == Kind::Ident).then(|| self.next().text);
        if !self.take("{") {
            let known = tag.and_then(|tag| {
                let mut scopes = self.scopes.iter().rev();
                scopes.find_map(|s| s.tags.get(&tag)).cloned()
            });
            return Ok(known.unwrap_or(Type::Arith(Arith::Int(Int::UInt))));
        }
        if self.peek().is("}") {
            let at = self.peek().at;
            return Err(self.syntax_error(at, "an enumeration has no enumerators"));
        }
        let mut next = 0i128;
        let mut negative = false;
        while !self.peek().is("}") {
            let token = self.next();
            if token.kind != Kind::Ident {
                return Err(self.syntax_error(token.at, "an enumerator is a name"));
            }
            self.parse_attributes()?;
            if self.take("=") {
                let e = self.parse_conditional()?;
                match constant::integer(&self.unit, e) {
                    Some((value, _)) => next = value,
                    None => {
                        let message = format!("the value of {} is no constant", token.text);
                        self.sink.error(
                            &codes::VALUE,
                            token.at,
                            message,
                            "write an integer constant",
                        );
                    }
                }
            }
            if !Int::Int.contains(next) {
                let message = format!("the value of {} does not fit into int", token.text);
                self.sink
                    .error(&codes::VALUE, token.at, message, "use smaller values");
            }
            negative |= next < 0;
            let ty = Qualified::unqualified(Type::Arith(Arith::INT));
            self.declare(new_decl(
                &token.text,
                DeclKind::Constant(next),
                ty,
                token.at,
            ));
            next += 1;
            if !self.take(",") {
                break;
            }
        }
        self.expect("}", "after the enumerators")?;
        let ty = Type::Arith(Arith::Int(if negative { Int::Int } else { Int::UInt }));
        if let (Some(tag), Some(scope)) = (tag, self.scopes.last_mut()) {
            scope.tags.insert(tag, ty.clone());
        }
        Ok(ty)
    }

    /// Reads a declaration; at file scope also the definition of a function.
    pub(super) fn parse_declaration(&mut self, file: bool) -> Parse<Vec<DeclId>> {
        let from = self.peek().at;
        if self.begins_assertion() {
            self.static_assertion()?;
            return Ok(Vec::new());
        }
        let specifiers = self.parse_specifiers()?;
        let storage = specifiers.storage;
        let mut decls = Vec::new();
        if self.take(";") {
            return Ok(decls);
        }
        loop {
            let mut attributes = specifiers.attributes;
            attributes.extend(self.parse_attributes()?);
            let mut made = self.parse_declarator(specifiers.ty.clone())?;
            attributes.extend(self.parse_attributes()?);
            if let Some(what) = attributes.refused {
                made.ty.ty = Type::Refused(Rc::from(what));
            }
            let Some((name, at)) = made.name else {
                let at = self.peek().at;
                return Err(self.syntax_error(at, "a declaration has no name"));
            };
            if storage == Some(Storage::Typedef) {
                self.check_typedef(&name, &made.ty, at);
                if let Type::Struct(s) = made.ty.ty {
                    let structure = &mut self.unit.structures[s.index()];
                    structure.name.get_or_insert_with(|| Rc::clone(&name));
                    structure.packed |= attributes.layout;
                } else {
                    self.unit.has_layouts |= attributes.layout;
                }
                if let Some(scope) = self.scopes.last_mut() {
                    scope.names.insert(name, Entry::Typedef(made.ty));
                }
            } else {
                let function = matches!(made.ty.ty, Type::Function(_));
                let is_extern = storage == Some(Storage::Extern);
                let kind = match (
                    function,
                    file || self.scopes.len() == 1,
                    storage == Some(Storage::Static),
                ) {
                    (true, ..) => DeclKind::Function,
                    (false, true, _) => DeclKind::Global,
                    (false, false, true) => DeclKind::Static,
                    (false, false, false) if is_extern => DeclKind::Global,
                    (false, false, false) => DeclKind::Local,
                };
                let ty = made.ty.clone();
                let mut decl = new_decl(&name, kind, made.ty, at);
                decl.external = is_extern || function;
                let is_inline = specifiers.is_inline && !is_extern;
                let is_inline = function && is_inline && self.inline.contains(&name);
                decl.internal = storage == Some(Storage::Static) || is_inline;
                decl.register = storage == Some(Storage::Register);
                self.check_storage(&decl, storage);
                decl.noreturn = attributes.noreturn;
                let id = self.declare(decl);
                if function && self.peek().is("{") && !self.in_function() {
                    if decls.is_empty() {
                        self.unit.decls[id.index()].at = at;
                        self.unit.decls[id.index()].external = false;
                        self.parse_function_body(id, &ty, from)?;
                        return Ok(decls);
                    }
                    return Err(self.syntax_error(at, "the definition of a function stands alone"));
                }
                if self.take("=") {
                    if is_extern && kind == DeclKind::Global && self.in_function() {
                        let help = "remove the initial value, or extern";
                        let message = format!("{name} is extern, and has an initial value");
                        self.sink.error(&codes::INITIAL, at, message, help);
                    }
                    if self.unit.decl(id).init.is_some() {
                        let before = self.unit.decl(id).at;
                        self.defined_twice(&name, at, before);
                    }
                    let written = self.parse_initializer()?;
                    self.initialise_variable(id, &ty, &written);
                    self.view_pointer(id);
                    self.unit.decls[id.index()].external = false;
                }
                self.check_variable(id);
                decls.push(id);
            }
            if !self.take(",") {
                break;
            }
        }
        self.end_of("the declaration")?;
        Ok(decls)
    }

    /// Gives a variable that was declared with this type its initial value, and its first extent if that is left out.
    pub(super) fn initialise_variable(&mut self, d: DeclId, ty: &Qualified, written: &Written) {
        let (init, length) = braces::resolve(&mut self.unit, ty, written);
        self.check_initial(ty, &init);
        let kept = matches!(self.unit.decl(d).kind, DeclKind::Global | DeclKind::Static);
        let init = self.converted_initial(ty, init, kept);
        if let (Type::Array(of, None), Init::Parts(_)) = (&ty.ty, &init) {
            let at = self.unit.decl(d).at;
            let length = ExprKind::Int(i128::from(length), Arith::Int(Int::Long));
            let extent = self.add_expr(length, at, at);
            self.unit.decls[d.index()].ty.ty = Type::Array(Rc::clone(of), Some(extent));
        }
        if let Init::Expr(e) = init
            && kept
        {
            self.unit.decls[d.index()].fixed = constant::fixed(&self.unit, ty, e);
        }
        self.unit.decls[d.index()].init = Some(init);
    }

    /// Reads the designators before a value: one list for each element of a range `[0 ... 3]`.
    fn parse_designators(&mut self) -> Parse<Vec<Vec<Designator>>> {
        let mut all = vec![Vec::new()];
        loop {
            let at = self.peek().at;
            if self.take("[") {
                let first = self.parse_conditional()?;
                let mut indices = vec![first];
                if self.take("...") {
                    let last = self.parse_conditional()?;
                    let [first, last] =
                        [first, last].map(|e| constant::integer(&self.unit, e).map(|(n, _)| n));
                    let (Some(first), Some(last)) = (first, last) else {
                        return Err(
                            self.syntax_error(at, "the range of a designator is no constant")
                        );
                    };
                    let count = last.saturating_sub(first).saturating_add(1);
                    if !(1..=MAX_RANGE / all.len() as i128).contains(&count) {
                        return Err(
                            self.syntax_error(at, "a range of designators is empty or too long")
                        );
                    }
                    indices = (first..=last)
                        .map(|n| self.add_expr(ExprKind::Int(n, Arith::Int(Int::Long)), at, at))
                        .collect();
                }
                self.expect("]", "after the designator")?;
                let before = std::mem::take(&mut all);
                for list in before {
                    all.extend(indices.iter().map(|index| {
                        let mut list = list.clone();
                        list.push(Designator::Index(*index));
                        list
                    }));
                }
            } else if self.take(".") {
                let name = self.next().text;
                for list in &mut all {
                    list.push(Designator::Field(Rc::clone(&name), at));
                }
            } else {
                return Ok(all);
            }
        }
    }

    /// True of initial values without effects, which may be evaluated once for each element. Recursion is as deep as
    /// the parser lets lists nest.
    fn may_be_repeated(&self, value: &Written) -> bool {
        match value {
            Written::Expr(e) => {
                let mut changes = self.unit.expr(*e).effects;
                self.unit.walk(*e, &mut |e| {
                    changes |= matches!(self.unit.expr(e).kind, ExprKind::Call(..));
                });
                !changes
            }
            Written::List(list, _) => list.iter().all(|(_, value)| self.may_be_repeated(value)),
        }
    }

    pub(super) fn parse_initializer(&mut self) -> Parse<Written> {
        if !self.peek().is("{") {
            return Ok(Written::Expr(self.parse_assignment()?));
        }
        self.enter_level()?;
        let at = self.next().at;
        let mut list = Vec::new();
        while !self.peek().is("}") {
            let at = self.peek().at;
            let all = self.parse_designators()?;
            if !all[0].is_empty() {
                self.expect("=", "after the designator")?;
            }
            let value = self.parse_initializer()?;
            if all.len() > 1 && !self.may_be_repeated(&value) {
                let message = "a value that changes something is given to several elements";
                return Err(self.syntax_error(at, message));
            }
            list.extend(all.into_iter().map(|one| (one, value.clone())));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}", "after the initial values")?;
        self.depth -= 1;
        Ok(Written::List(list, at))
    }
}
