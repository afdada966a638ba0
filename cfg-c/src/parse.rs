//! The parser: recursive descent over preprocessed tokens, with the scopes of typedef names.
//!
//! Nesting in the text is recursion here, up to a limit. Operators of one level, statements in a row, and chains of
//! `else if` are read in loops.

mod allocation;
mod attributes;
pub(crate) mod bits;
pub(crate) mod builtin;
mod callback;
mod complex;
mod constraints;
mod declaration;
mod declarator;
mod expression;
mod given;
mod integers;
mod linkage;
mod literal;
mod optional;
mod sort;
mod statement;
mod structure;
mod typing;

pub(crate) use linkage::name_apart;

use crate::{
    ast::{
        Decl, DeclId, DeclKind, ExprId, ExprKind, ExprNode, Function, Part, StmtId, StmtKind,
        StmtNode, Unit, new_decl,
    },
    codes, complex as complex_types,
    lex::{Kind, Token},
    library,
    math::{BUILTIN, How, how},
    prototypes::{Prototypes, agreed},
    reach::Reached,
    source::{Pos, Sink},
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::diagnostic::similar::Similarity;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    rc::Rc,
};

/// Most levels of nested statements, parentheses and declarators.
const MAX_DEPTH: usize = 200;

/// A problem has been reported; the tokens up to the next statement or declaration are to be skipped.
#[derive(Debug)]
struct Fail;

type Parse<T> = Result<T, Fail>;

#[derive(Clone, Debug)]
enum Entry {
    Typedef(Qualified),
    Decl(DeclId),
}

#[derive(Debug, Default)]
struct Scope {
    names: HashMap<Rc<str>, Entry>,
    /// Types of tags: structures and enumerations.
    tags: HashMap<Rc<str>, Type>,
}

/// A loop or switch around a statement.
struct Around {
    /// The cases, for a switch.
    switch: Option<Cases>,
    entered: bool,
}

/// The cases of a switch.
#[derive(Default)]
struct Cases {
    /// The type of the switch's value, if that is an integer.
    ty: Option<Int>,
    /// The values, from the first to the last of each case.
    values: BTreeMap<i128, i128>,
    has_default: bool,
}

struct Parser<'s> {
    /// The tokens of the file, or of an expression in a pragma or an option.
    tokens: Cow<'s, [Token]>,
    at: usize,
    /// All names that the files declare, and included files that are not there.
    names: &'s [Rc<str>],
    missing: &'s [String],
    /// The functions of the library.
    library: &'s Prototypes,
    sink: &'s mut Sink,
    unit: Unit,
    /// The functions that a pragma or an option declares.
    external: HashSet<Rc<str>>,
    /// Finds names that may have been meant; the time is bounded for all problems together.
    similarity: Similarity,
    scopes: Vec<Scope>,
    /// The outermost scopes of the files that have been read.
    files: Vec<Scope>,
    /// The functions and variables that all files share.
    linked: HashMap<Rc<str>, DeclId>,
    /// Inline functions, of which each file may have a definition of its own.
    inline: &'s BTreeSet<Rc<str>>,
    depth: usize,
    around: Vec<Around>,
    /// The function that is being read.
    labels: Vec<(Rc<str>, Pos)>,
    label_names: HashSet<Rc<str>>,
    /// The positions of labels, and in `jumps` those of jumps: the number of expressions before each.
    placed: Vec<(Rc<str>, u32)>,
    jumps: Vec<(Rc<str>, u32, Pos)>,
    locals: Vec<DeclId>,
    loops: Vec<Part>,
    /// The function whose body is being read.
    function: Option<DeclId>,
    /// True if derivatives of real numbers whose bits are read as integers are taken to be 0.
    has_bits: bool,
    /// The expressions that read bits, each with the place and the type in which they are read.
    bits: HashMap<ExprId, (ExprId, Arith)>,
    /// Local pointers that are read as pointers to other integers than declared, with their declared types.
    viewed_pointers: HashMap<DeclId, Rc<Qualified>>,
    /// By conversion to the declared type, the name of such a pointer inside of it.
    viewed_names: HashMap<ExprId, ExprId>,
    /// True while the arguments of a function that only prints are read.
    prints: bool,
    /// True if the iterations of the loop that follows are promised to be independent.
    promised: bool,
    /// True while the type of a member is read.
    is_member: bool,
    /// The functions made for calls of `qsort` and `bsearch`.
    sorted: Vec<sort::Sorted>,
}

/// Parses the reached parts of the files.
pub(crate) fn parse<'s>(read: &'s Reached, library: &'s Prototypes, sink: &'s mut Sink) -> Unit {
    const NONE: &BTreeSet<Rc<str>> = &BTreeSet::new();
    let mut parser = Parser {
        tokens: Cow::Borrowed(&[]),
        names: &read.names,
        missing: &read.missing,
        library,
        at: 0,
        sink,
        unit: Unit {
            structures: complex_types::structures(),
            has_layouts: read.has_layouts,
            ..Unit::default()
        },
        external: (read.externals.iter())
            .map(|e| Rc::clone(&e.name.text))
            .collect(),
        similarity: Similarity::default(),
        scopes: Vec::new(),
        files: Vec::new(),
        linked: HashMap::new(),
        inline: NONE,
        depth: 0,
        around: Vec::new(),
        labels: Vec::new(),
        label_names: HashSet::new(),
        placed: Vec::new(),
        jumps: Vec::new(),
        locals: Vec::new(),
        loops: Vec::new(),
        function: None,
        has_bits: read.has_bits,
        bits: HashMap::new(),
        viewed_pointers: HashMap::new(),
        viewed_names: HashMap::new(),
        prints: false,
        promised: false,
        is_member: false,
        sorted: Vec::new(),
    };
    for file in &read.files {
        parser.begin_file(&file.shared);
        parser.inline = &file.inline;
        parser.tokens = (&file.tokens).into();
        parser.at = 0;
        parser.parse_file();
        parser.end_file();
    }
    parser.unit.written = parser.unit.functions.len();
    parser.begin_library();
    parser.find_sorts();
    let mut tried = BTreeSet::new();
    while let Some(more) = library::called(&parser.unit, &mut tried, parser.sink) {
        parser.tokens = more.into();
        parser.at = 0;
        parser.parse_file();
    }
    parser.end_file();
    library::hold_back_texts(&mut parser.unit);
    parser.apply_given_derivatives(read);
    parser.given_types(read);
    parser.unit
}

impl Parser<'_> {
    /// Reads all declarations of the tokens.
    fn parse_file(&mut self) {
        while self.peek().kind != Kind::End {
            let start = self.at;
            if self.parse_external_declaration().is_err() {
                self.depth = 0;
                self.scopes.truncate(1);
                self.around.clear();
                self.function = None;
                self.prints = false;
                self.is_member = false;
                self.skip_statement();
            }
            if self.at == start {
                self.at += 1;
            }
        }
    }

    fn in_function(&self) -> bool {
        self.function.is_some()
    }

    fn peek(&self) -> &Token {
        self.peek_nth(0)
    }

    fn peek_nth(&self, k: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + k).min(last)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    /// The position of the previous token.
    fn last_position(&self) -> Pos {
        self.tokens[self.at.saturating_sub(1)].at
    }

    fn take(&mut self, text: &str) -> bool {
        let taken = self.peek().is(text);
        if taken {
            self.next();
        }
        taken
    }

    fn expect(&mut self, text: &str, what: &str) -> Parse<Pos> {
        if self.peek().is(text) {
            return Ok(self.next().at);
        }
        let token = self.peek();
        let found = if token.kind == Kind::End {
            "the end of the file".to_owned()
        } else {
            format!("`{}`", token.text)
        };
        let at = token.at;
        Err(self.syntax_error(at, format!("expected `{text}` {what}, found {found}")))
    }

    /// Expects the semicolon behind a construct. If a line or a block ends without it, it is reported as missing
    /// there, and reading goes on as if it were present.
    fn end_of(&mut self, what: &str) -> Parse<()> {
        if self.take(";") {
            return Ok(());
        }
        let last = self.last_position();
        let at = Pos {
            column: last.column + last.len,
            len: 1,
            ..last
        };
        let next = self.peek();
        let ends = next.first || next.is("}");
        let message = match next.kind {
            _ if ends => format!("expected `;` after {what}"),
            _ => format!("expected `;` after {what}, found `{}`", next.text),
        };
        let failed = self.syntax_error(at, message);
        if ends { Ok(()) } else { Err(failed) }
    }

    fn syntax_error(&mut self, at: Pos, message: impl Into<String>) -> Fail {
        self.sink.error(
            &codes::SYNTAX,
            at,
            message,
            "the file should compile without errors with a C compiler",
        );
        Fail
    }

    fn report_unsupported(&mut self, at: Pos, message: impl Into<String>, help: &str) {
        self.sink.error(&codes::TYPE, at, message, help);
    }

    /// Goes one level deeper.
    fn enter_level(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let at = self.peek().at;
        let message = format!("this nests more than {MAX_DEPTH} deep");
        self.sink.error(&codes::LIMIT, at, message, "split it");
        // Everything inside is skipped.
        Err(Fail)
    }

    /// Skips tokens up to the end of the present statement or block.
    fn skip_statement(&mut self) {
        let mut depth = 0usize;
        while self.peek().kind != Kind::End {
            let token = self.peek();
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                if depth <= 1 {
                    if depth == 1 || self.scopes.len() == 1 {
                        self.next();
                    }
                    return;
                }
                depth -= 1;
            } else if token.is(";") && depth == 0 {
                self.next();
                return;
            }
            self.next();
        }
    }

    fn add_expr(&mut self, kind: ExprKind, at: Pos, from: Pos) -> ExprId {
        let special = (self.with_complex(&kind, at, from))
            .or_else(|| self.with_integers(&kind, at, from))
            .or_else(|| self.with_bits(&kind, at, from));
        if let Some(e) = special {
            return e;
        }
        self.unit.push(kind, at, from)
    }

    fn is_header(&self, at: Pos) -> bool {
        self.sink.is_header(at)
    }

    fn add_stmt(&mut self, kind: StmtKind, from: Pos) -> StmtId {
        let to = self.last_position();
        self.unit.stmts.push(StmtNode { kind, from, to });
        StmtId(self.unit.stmts.len() as u32 - 1)
    }

    fn find_name(&self, name: &str) -> Option<&Entry> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(name))
    }

    fn is_typedef(&self, token: &Token) -> bool {
        token.kind == Kind::Ident && matches!(self.find_name(&token.text), Some(Entry::Typedef(_)))
    }

    fn declare(&mut self, mut decl: Decl) -> DeclId {
        decl.place = self.unit.exprs.len() as u32;
        let id = DeclId(self.unit.decls.len() as u32);
        let name = Rc::clone(&decl.name);
        let at = decl.at;
        self.recognise_library_function(&mut decl);
        let mut again = self.scopes.last().and_then(|s| s.names.get(&name)).cloned();
        let file = self.scopes.len() == 1;
        let of_file = decl.kind == DeclKind::Function || decl.kind == DeclKind::Global;
        if of_file && !file && again.is_none() {
            return self.declare_inside(decl);
        }
        if of_file && again.is_none() && !decl.internal {
            if let Some(old) = self.declared_elsewhere(&decl) {
                again = Some(Entry::Decl(old));
            } else {
                self.linked.insert(Rc::clone(&name), id);
            }
        }
        match again {
            Some(Entry::Decl(old)) if self.same_thing(old, &decl, file) => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.names.insert(name, Entry::Decl(old));
                }
                return self.merge_declaration(old, decl);
            }
            Some(_) => self.declared_twice(&name, at),
            None => {}
        }
        if !file {
            self.locals.push(id);
        }
        self.unit.decls.push(decl);
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, Entry::Decl(id));
        }
        id
    }

    /// Declares a function or an external variable in a block: it is the one of the file.
    fn declare_inside(&mut self, decl: Decl) -> DeclId {
        let name = Rc::clone(&decl.name);
        let known = match self.scopes[0].names.get(&name) {
            Some(Entry::Decl(old)) if self.same_thing(*old, &decl, true) => Some(*old),
            _ => self.declared_elsewhere(&decl),
        };
        let id = match known {
            Some(old) => self.merge_declaration(old, decl),
            None => {
                let id = DeclId(self.unit.decls.len() as u32);
                self.unit.decls.push(decl);
                self.linked.insert(Rc::clone(&name), id);
                let names = &mut self.scopes[0].names;
                names.entry(Rc::clone(&name)).or_insert(Entry::Decl(id));
                id
            }
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, Entry::Decl(id));
        }
        id
    }

    /// True if a declaration declares the same function or variable as an old one.
    fn same_thing(&self, old: DeclId, new: &Decl, file: bool) -> bool {
        let old = self.unit.decl(old);
        match (old.kind, new.kind) {
            (DeclKind::Function, DeclKind::Function) => true,
            (DeclKind::Global, DeclKind::Global) => file || new.external,
            _ => false,
        }
    }

    fn merge_declaration(&mut self, id: DeclId, new: Decl) -> DeclId {
        self.unit.decls[id.index()].noreturn |= new.noreturn;
        let was_library = self.unit.decl(id).library.is_some();
        if was_library && new.library.is_some() {
            return id;
        }
        self.compare_declarations(id, &new);
        self.is_own(id);
        let old = &mut self.unit.decls[id.index()];
        old.external &= new.external;
        old.internal |= new.internal;
        let unknown = |ty: &Type| match ty {
            Type::Function(s) => s.open,
            Type::Array(_, extent) => extent.is_none(),
            _ => false,
        };
        let is_definition = !new.external && old.init.is_none() && !unknown(&new.ty.ty);
        if unknown(&old.ty.ty) || was_library || is_definition {
            old.ty = new.ty;
            old.at = new.at;
        }
        id
    }

    /// Recognises a function of the library: a header declares it, or the file does as the header would.
    fn recognise_library_function(&mut self, decl: &mut Decl) {
        if decl.kind != DeclKind::Function || decl.internal {
            return;
        }
        let how = || how(&decl.name).unwrap_or(How::UNKNOWN);
        if self.is_header(decl.at) {
            decl.library = Some(how());
        } else if !self.external.contains(&decl.name)
            && let Some(library) = self.library.get(&decl.name)
            && let Some(ty) = agreed(&decl.ty, library)
        {
            decl.library = Some(how());
            decl.ty = ty;
        }
    }

    /// Declares the function of the library behind a compiler's name such as `__builtin_sqrt`.
    fn declare_builtin(&mut self, name: &Rc<str>, at: Pos) -> Option<DeclId> {
        // If an included file is missing, any name may be a function of the library that it would declare.
        let whole = (!self.missing.is_empty()).then_some(&**name);
        let plain = name.strip_prefix(BUILTIN).or(whole)?;
        if let Some(d) = self.linked.get(name) {
            return Some(*d);
        }
        let own = self.library.get(name);
        let ty = own.or_else(|| self.library.get(plain))?;
        // A function that is written in C here is read under this name.
        let is_written = how(name).is_some_and(How::is_written);
        let plain = if own.is_some() || is_written {
            name
        } else {
            plain
        };
        Some(self.declare_known(name, plain, ty, at))
    }

    /// Declares a function of the library; `key` is the name under which it is found.
    fn declare_known(&mut self, key: &str, name: &str, ty: &Qualified, at: Pos) -> DeclId {
        let mut decl = new_decl(&Rc::from(name), DeclKind::Function, ty.clone(), at);
        decl.external = true;
        decl.library = Some(how(name).unwrap_or(How::UNKNOWN));
        let d = DeclId(self.unit.decls.len() as u32);
        self.unit.decls.push(decl);
        let key: Rc<str> = Rc::from(key);
        self.linked.insert(Rc::clone(&key), d);
        self.scopes[0].names.insert(key, Entry::Decl(d));
        d
    }

    /// The function of the library for a name in the library's own text, whatever the name means in the file.
    fn named_by_library(&mut self, token: &Token) -> Option<DeclId> {
        let inside = || {
            self.scopes[1..]
                .iter()
                .any(|s| s.names.contains_key(&token.text))
        };
        if !self.is_header(token.at) || inside() {
            return None;
        }
        match self.scopes[0].names.get(&token.text) {
            Some(Entry::Decl(d)) if self.unit.decl(*d).library.is_some() => Some(*d),
            None => {
                let ty = self.library.get(&token.text)?;
                Some(self.declare_known(&token.text, &token.text, ty, token.at))
            }
            Some(_) => {
                self.declare_builtin(&Rc::from(format!("{BUILTIN}{}", token.text)), token.at)
            }
        }
    }

    /// Notes that a function taken for the library's is defined by the file: earlier calls of it may have effects.
    fn is_own(&mut self, d: DeclId) {
        let named = |e: &ExprNode| matches!(e.kind, ExprKind::Name(named) if named == d);
        if self.unit.decls[d.index()].library.take().is_some() && self.unit.exprs.iter().any(named)
        {
            for e in 0..self.unit.exprs.len() {
                self.unit.find_effects(ExprId(e as u32));
            }
        }
    }

    /// Reads a definition of a function, or a declaration, of the file.
    fn parse_external_declaration(&mut self) -> Parse<()> {
        if self.take(";") {
            return Ok(());
        }
        if self.peek().is("extern") && self.peek_nth(1).kind == Kind::Str {
            self.next();
            self.next();
        }
        self.parse_declaration(true).map(|_| ())
    }

    /// The body of a function whose head has been read.
    fn parse_function_body(&mut self, decl: DeclId, ty: &Qualified, from: Pos) -> Parse<()> {
        let Type::Function(signature) = &ty.ty else {
            return Err(self.syntax_error(from, "the body belongs to no function"));
        };
        let mut values = signature.parameters.iter().map(|p| &p.ty);
        if values.any(|ty| self.is_incomplete(ty)) || self.is_incomplete(&signature.result) {
            self.syntax_error(
                from,
                "the size of a parameter, or of the result, is not known",
            );
        }
        if let Some(before) = self.unit.decl(decl).definition {
            let name = Rc::clone(&self.unit.decl(decl).name);
            let before = self.unit.functions[before].from;
            self.defined_twice(&name, from, before);
        }
        let number = self.unit.functions.len();
        self.unit.decls[decl.index()].definition = Some(number);
        self.unit.decls[decl.index()].ty = ty.clone();
        if !self.is_header(self.unit.decl(decl).at) {
            self.is_own(decl);
        }
        let start = self.unit.exprs.len() as u32;
        self.labels.clear();
        self.label_names.clear();
        self.placed.clear();
        self.jumps.clear();
        self.locals.clear();
        self.loops.clear();
        self.function = Some(decl);
        self.scopes.push(Scope::default());
        let mut parameters = Vec::new();
        for p in &signature.parameters {
            // The variables of parameters exist since the head, so that extents can name them.
            let Some(d) = p.decl else { continue };
            if let Some(name) = &p.name
                && let Some(scope) = self.scopes.last_mut()
            {
                scope.names.insert(Rc::clone(name), Entry::Decl(d));
            }
            parameters.push(d);
        }
        let body = self.parse_block(false).inspect_err(|_| {
            // After a problem in the body, the function counts as not defined.
            self.unit.decls[decl.index()].definition = None;
        })?;
        self.scopes.pop();
        self.function = None;
        // The expressions between a label and the last jump back to it are a loop, too.
        let mut last: HashMap<Rc<str>, u32> = HashMap::new();
        for (name, place, at) in std::mem::take(&mut self.jumps) {
            if !self.label_names.contains(&name) {
                let message = format!("there is no label {name} in this function");
                let help = "place it where the jump goes on";
                self.sink.error(&codes::CONTROL, at, message, help);
            }
            let end = last.entry(name).or_default();
            *end = (*end).max(place);
        }
        for (name, place) in std::mem::take(&mut self.placed) {
            if let Some(end) = last.get(&name).filter(|end| **end > place) {
                self.loops.push(place..*end);
            }
        }
        self.loops
            .sort_by_key(|l| (l.end, std::cmp::Reverse(l.start)));
        let mut locals = std::mem::take(&mut self.locals);
        locals.retain(|d| self.unit.decl(*d).kind != DeclKind::Parameter);
        for d in parameters.iter().chain(&locals) {
            self.unit.decls[d.index()].function = Some(number);
        }
        let function = Function {
            decl,
            parameters,
            body,
            part: start..self.unit.exprs.len() as u32,
            locals,
            labels: std::mem::take(&mut self.labels),
            loops: std::mem::take(&mut self.loops),
            from,
            to: self.last_position(),
            given: None,
        };
        let name = Rc::clone(&self.unit.decl(decl).name);
        self.unit.functions.push(function);
        if let Some(functions) = self.unit.files.last_mut() {
            functions.insert(name, number);
        }
        Ok(())
    }
}
