//! The names that an external declaration declares and uses, found without parsing: a walk over its tokens tells
//! declarations from statements, and follows the scopes of local names. In doubt, a name counts as used.

use super::split::{Brackets, behind_attribute, is_attribute, is_tag_word};
use crate::{
    lex::{Kind, Token},
    words,
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    rc::Rc,
};

/// A name, and whether it is a tag.
pub(crate) type Name = (Rc<str>, bool);

/// The names that an external declaration declares and uses.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) declared: Vec<Name>,
    /// The declared names that are variables.
    pub(super) variables: Vec<Rc<str>>,
    /// The tags that are declared with their members.
    pub(super) completed: Vec<Rc<str>>,
    /// The used names, each once.
    pub(super) used: Vec<Name>,
    /// The name of the function, if the declaration is a definition of one.
    pub(super) function: Option<Rc<str>>,
    /// True if functions are declared.
    pub(super) has_prototypes: bool,
    pub(super) is_typedef: bool,
    pub(super) is_static: bool,
    pub(super) is_extern: bool,
    pub(super) is_inline: bool,
}

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    File,
    Local,
    Parameter,
    /// An old-style parameter, declared behind the parentheses.
    Old,
    Member,
}

/// The progress in a declaration.
#[derive(Clone, Copy, Debug)]
struct Progress {
    level: Level,
    /// True if a type has been seen.
    typed: bool,
    /// True if the name has been passed.
    named: bool,
    /// True inside of an expression: an initial value, or the width of a bit-field.
    value: bool,
    is_typedef: bool,
    is_extern: bool,
}

impl Progress {
    fn at(level: Level) -> Self {
        Self {
            level,
            typed: false,
            named: false,
            value: false,
            is_typedef: false,
            is_extern: false,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Mode {
    Declaration(Progress),
    /// A statement: whether it begins here, and whether the next colon ends the label of a case.
    Statement {
        begins: bool,
        case: bool,
    },
    /// A list of enumerators: whether a name comes next.
    Enumerators {
        next: bool,
    },
    Expression,
}

const BEGIN: Mode = Mode::Statement {
    begins: true,
    case: false,
};

/// A pair of brackets around the present token.
struct Around {
    close: usize,
    /// The mode behind the brackets.
    resume: Mode,
    /// The number of scopes behind the brackets.
    scopes: usize,
    /// The number of scopes of open loops directly inside of the brackets.
    loops: usize,
}

/// Local names, in scopes.
#[derive(Default)]
struct Scopes {
    /// For each name, whether it is a type, in each scope that declares it.
    names: HashMap<Rc<str>, Vec<bool>>,
    /// The names in the order of their declarations; `starts` has the first of each scope.
    order: Vec<Rc<str>>,
    starts: Vec<usize>,
}

impl Scopes {
    fn len(&self) -> usize {
        self.starts.len()
    }

    fn begin(&mut self) {
        self.starts.push(self.order.len());
    }

    /// Ends all scopes but the first `count`.
    fn truncate(&mut self, count: usize) {
        let Some(&start) = self.starts.get(count) else {
            return;
        };
        self.starts.truncate(count);
        for name in self.order.drain(start..) {
            if let Some(all) = self.names.get_mut(&name) {
                all.pop();
            }
        }
    }

    /// Declares a name in the innermost scope, if there is one.
    fn declare(&mut self, name: &Rc<str>, is_type: bool) {
        if !self.starts.is_empty() {
            self.order.push(Rc::clone(name));
            self.names.entry(Rc::clone(name)).or_default().push(is_type);
        }
    }

    fn get(&self, name: &str) -> Option<bool> {
        self.names.get(name)?.last().copied()
    }
}

/// Words of types that the parser does not support.
const OTHER_TYPES: &[&str] = &[
    "__int128",
    "__int128_t",
    "__uint128_t",
    "_Float16",
    "_Float32",
    "_Float64",
    "_Float128",
    "__float128",
    "_Decimal32",
    "_Decimal64",
    "_Decimal128",
    "__builtin_va_list",
    "__auto_type",
];

/// Other words that declarations begin with and that the parser does not support.
const OTHER_SPECIFIERS: &[&str] = &["constexpr", "thread_local", "alignas", "__declspec"];

/// Words that statements and expressions begin with, and declarations do not.
const STATEMENTS: &[&str] = &[
    "return",
    "sizeof",
    "break",
    "continue",
    "goto",
    "case",
    "default",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "_Alignof",
    "__alignof__",
    "alignof",
    "_Generic",
    "__real__",
    "__imag__",
];

fn is_one_of(token: &Token, words: &[&str]) -> bool {
    token.kind == Kind::Ident && words.contains(&&*token.text)
}

/// True of a word that types are made of.
fn is_type_word(token: &Token) -> bool {
    is_one_of(token, words::TYPES) || is_one_of(token, OTHER_TYPES)
}

/// True of another word that declarations begin with, but for those before tags.
fn is_specifier(token: &Token) -> bool {
    is_one_of(token, words::SPECIFIERS) || is_one_of(token, OTHER_SPECIFIERS)
}

fn is_assertion(token: &Token) -> bool {
    token.is("_Static_assert") || token.is("static_assert")
}

pub(super) struct Scan<'t> {
    tokens: &'t [Token],
    brackets: &'t Brackets,
    /// The names that the file has declared so far, and whether they are types.
    known: HashMap<Rc<str>, bool>,
    at: usize,
    end: usize,
    mode: Mode,
    around: Vec<Around>,
    scopes: Scopes,
    /// True if the parameters of the function have been seen.
    has_parameters: bool,
    last: Option<Rc<str>>,
    names: Names,
    seen: HashSet<Name>,
}

impl<'t> Scan<'t> {
    pub(super) fn new(tokens: &'t [Token], brackets: &'t Brackets) -> Self {
        Self {
            tokens,
            brackets,
            known: HashMap::new(),
            at: 0,
            end: 0,
            mode: Mode::Expression,
            around: Vec::new(),
            scopes: Scopes::default(),
            has_parameters: false,
            last: None,
            names: Names::default(),
            seen: HashSet::new(),
        }
    }

    /// The names of the next external declaration. Assumes that declarations are passed in the order of the file.
    pub(super) fn names(&mut self, tokens: Range<usize>) -> Names {
        self.at = tokens.start;
        self.end = tokens.end;
        self.mode = Mode::Declaration(Progress::at(Level::File));
        self.around.clear();
        self.scopes.truncate(0);
        self.has_parameters = false;
        self.last = None;
        self.seen.clear();
        while self.at < self.end {
            if let Some(around) = self.around.pop_if(|a| a.close == self.at) {
                self.leave(&around);
                continue;
            }
            let token = &self.tokens[self.at];
            if let Some(behind) = behind_attribute(self.tokens, self.brackets, self.at) {
                let behind = behind.min(self.end);
                // The operands in `asm` are variables.
                let words = &self.tokens[self.at + 1..behind];
                let is_name = |t: &&Token| t.kind == Kind::Ident && token.text.contains("asm");
                words
                    .iter()
                    .filter(is_name)
                    .for_each(|t| self.uses(&t.text, false));
                self.at = behind;
                continue;
            }
            match token.kind {
                Kind::Ident => self.word(),
                Kind::Punct => self.punctuator(),
                Kind::Mark(_) => self.at += 1,
                Kind::Number
                | Kind::Char
                | Kind::Str
                | Kind::Other
                | Kind::Directive
                | Kind::End => {
                    self.goes_on();
                    self.at += 1;
                }
            }
        }
        std::mem::take(&mut self.names)
    }

    /// A token of the present declaration.
    fn token(&self, at: usize) -> Option<&'t Token> {
        self.tokens[..self.end].get(at)
    }

    fn is_at(&self, at: usize, text: &str) -> bool {
        self.token(at).is_some_and(|t| t.is(text))
    }

    fn is_word_at(&self, at: usize) -> bool {
        self.token(at)
            .is_some_and(|t| t.kind == Kind::Ident && !is_attribute(t))
    }

    /// Passes an opening bracket, with the modes inside and behind it.
    fn enter(&mut self, inside: Mode, behind: Mode, scopes: usize) {
        if let Some(close) = self.brackets.close(self.at).filter(|c| *c < self.end) {
            self.around.push(Around {
                close,
                resume: behind,
                scopes,
                loops: 0,
            });
            self.mode = inside;
        }
        self.at += 1;
    }

    fn leave(&mut self, around: &Around) {
        self.scopes.truncate(around.scopes);
        self.mode = around.resume;
        if self.is_at(self.at, "}") {
            self.end_loops();
        }
        self.at += 1;
    }

    /// Ends the scopes of loops whose statement has ended.
    fn end_loops(&mut self) {
        if let (Mode::Statement { begins: true, .. }, Some(around)) =
            (self.mode, self.around.last_mut())
        {
            let left = self.scopes.len().saturating_sub(around.loops);
            self.scopes.truncate(left);
            around.loops = 0;
        }
    }

    /// Notes that no statement begins behind the present token.
    fn goes_on(&mut self) {
        if let Mode::Statement { begins, .. } = &mut self.mode {
            *begins = false;
        }
    }

    fn uses(&mut self, name: &Rc<str>, tag: bool) {
        if tag || self.scopes.get(name).is_none() {
            self.uses_of_file(name, tag);
        }
    }

    fn uses_of_file(&mut self, name: &Rc<str>, tag: bool) {
        let name = (Rc::clone(name), tag);
        if self.seen.insert(name.clone()) {
            self.names.used.push(name);
        }
    }

    fn declares(&mut self, name: &Rc<str>, is_type: bool) {
        self.known.insert(Rc::clone(name), is_type);
        self.names.declared.push((Rc::clone(name), false));
    }

    /// Whether a name is a type; `None` for an unknown name.
    fn is_type(&self, name: &Rc<str>) -> Option<bool> {
        let local = self.scopes.get(name);
        local.or_else(|| self.known.get(name).copied())
    }

    /// True if a declaration begins with this token of a block.
    fn begins_declaration(&self, at: usize) -> bool {
        let Some(token) = self.token(at) else {
            return false;
        };
        if is_type_word(token) || is_specifier(token) || is_tag_word(token) {
            return true;
        }
        token.kind == Kind::Ident
            && !is_one_of(token, STATEMENTS)
            && self.is_type(&token.text).unwrap_or_else(|| {
                // An undeclared name before `* word` must be a type.
                let pointer = self.is_at(at + 1, "*") && self.is_word_at(at + 2);
                let ends = [";", "=", ",", "["];
                self.is_word_at(at + 1) || pointer && ends.iter().any(|t| self.is_at(at + 3, t))
            })
    }

    fn word(&mut self) {
        let token = &self.tokens[self.at];
        match self.mode {
            _ if token.is("__extension__") => self.at += 1,
            Mode::Declaration(mut progress) if is_assertion(token) => {
                progress.value = true;
                self.mode = Mode::Declaration(progress);
                self.at += 1;
            }
            Mode::Declaration(progress) if !progress.value => self.word_of_declaration(progress),
            Mode::Enumerators { next: true } => {
                match self.scopes.len() == 0 {
                    true => self.declares(&token.text, false),
                    false => self.scopes.declare(&token.text, false),
                }
                self.mode = Mode::Enumerators { next: false };
                self.at += 1;
            }
            Mode::Statement { begins, .. } => self.word_of_statement(begins),
            Mode::Declaration(_) | Mode::Enumerators { .. } | Mode::Expression => {
                self.word_of_expression();
            }
        }
    }

    fn word_of_statement(&mut self, begins: bool) {
        let token = &self.tokens[self.at];
        let goes_on = |case| Mode::Statement {
            begins: false,
            case,
        };
        match &*token.text {
            "goto" => {
                self.mode = goes_on(false);
                self.at += 1 + usize::from(self.is_word_at(self.at + 1));
            }
            "case" | "default" => {
                self.mode = goes_on(true);
                self.at += 1;
            }
            "else" | "do" => {
                self.mode = BEGIN;
                self.at += 1;
            }
            "if" | "while" | "switch" if self.is_at(self.at + 1, "(") => {
                self.at += 1;
                self.enter(Mode::Expression, BEGIN, self.scopes.len());
            }
            "for" if self.is_at(self.at + 1, "(") => {
                if let Some(around) = self.around.last_mut() {
                    around.loops += 1;
                    self.scopes.begin();
                }
                self.at += 1;
                self.enter(BEGIN, BEGIN, self.scopes.len());
            }
            _ if begins && self.is_at(self.at + 1, ":") => self.at += 2,
            _ if begins && self.begins_declaration(self.at) => {
                self.mode = Mode::Declaration(Progress::at(Level::Local));
            }
            _ => {
                self.goes_on();
                self.word_of_expression();
            }
        }
    }

    fn word_of_expression(&mut self) {
        let token = &self.tokens[self.at];
        if is_tag_word(token) {
            return self.tag();
        }
        let before = self.at.checked_sub(1).map(|k| &self.tokens[k]);
        if !before.is_some_and(|t| t.is(".") || t.is("->")) {
            self.uses(&token.text, false);
        }
        self.at += 1;
    }

    /// Passes a structure, a union or an enumeration: its tag, and its braces.
    fn tag(&mut self) {
        let is_enum = self.tokens[self.at].is("enum");
        self.at += 1;
        while let Some(behind) = behind_attribute(self.tokens, self.brackets, self.at) {
            self.at = behind;
        }
        let tag = self.token(self.at).filter(|t| t.kind == Kind::Ident);
        self.at += usize::from(tag.is_some());
        let braces = self.is_at(self.at, "{");
        if let Some(tag) = tag {
            let is_file = self.scopes.len() == 0;
            if is_file && (braces || self.is_at(self.at, ";")) {
                self.names.declared.push((Rc::clone(&tag.text), true));
                if braces {
                    self.names.completed.push(Rc::clone(&tag.text));
                }
            } else {
                self.uses(&tag.text, true);
            }
        }
        if let Mode::Declaration(progress) = &mut self.mode {
            progress.typed = true;
        }
        if braces {
            let inside = match is_enum {
                true => Mode::Enumerators { next: true },
                false => Mode::Declaration(Progress::at(Level::Member)),
            };
            self.enter(inside, self.mode, self.scopes.len());
        }
    }

    fn word_of_declaration(&mut self, mut progress: Progress) {
        let token = &self.tokens[self.at];
        if progress.named {
            let behind = self.tokens[self.at - 1].is(")");
            if progress.level == Level::File && behind {
                // The token is visited again, in the new mode.
                self.mode = Mode::Declaration(Progress::at(Level::Old));
            } else {
                self.at += 1;
            }
            return;
        }
        if is_tag_word(token) {
            return self.tag();
        }
        let is_file = progress.level == Level::File;
        match &*token.text {
            "typedef" => progress.is_typedef = true,
            "extern" => progress.is_extern = true,
            "static" => self.names.is_static |= is_file,
            "inline" | "__inline" | "__inline__" => self.names.is_inline |= is_file,
            "__typeof__" | "__typeof" | "typeof" | "_Atomic" | "_Alignas" | "alignas"
                if self.is_at(self.at + 1, "(") =>
            {
                progress.typed |= !token.is("_Alignas") && !token.is("alignas");
                self.at += 1;
                let behind = Mode::Declaration(progress);
                return self.enter(Mode::Expression, behind, self.scopes.len());
            }
            _ if is_type_word(token) => progress.typed = true,
            _ if is_specifier(token) => {}
            _ if self.is_name(progress) => {
                self.name(&token.text, progress);
                progress.named = true;
            }
            _ => {
                self.uses(&token.text, false);
                progress.typed = true;
            }
        }
        if is_file {
            self.names.is_typedef |= progress.is_typedef;
            self.names.is_extern |= progress.is_extern;
        }
        self.mode = Mode::Declaration(progress);
        self.at += 1;
    }

    /// True if the present word is the declared name; false for a type, or for a word that compilers add.
    fn is_name(&self, progress: Progress) -> bool {
        let next = self.at + 1;
        if progress.typed {
            return !self.is_word_at(next);
        }
        if self.is_type(&self.tokens[self.at].text) == Some(true) {
            return false;
        }
        if self.is_word_at(next) || self.is_at(next, "*") {
            return false;
        }
        if self.is_at(next, "(") {
            // `(*f)(x)` and `(f)(x)` are declarators if a type stands before them.
            let close = self.brackets.close(next);
            let is_declared = close.is_some_and(|c| self.is_at(c + 1, "("));
            return !(self.is_at(next + 1, "*") || is_declared);
        }
        // A type alone, or the name of an old-style parameter.
        true
    }

    fn name(&mut self, name: &Rc<str>, progress: Progress) {
        let before = self.at.checked_sub(1).map(|k| &self.tokens[k]);
        let enclosed = before.is_some_and(|t| t.is("(")) && self.is_at(self.at + 1, ")");
        let is_function = self.is_at(self.at + 1 + usize::from(enclosed), "(");
        match progress.level {
            Level::File => {
                self.declares(name, progress.is_typedef);
                if is_function {
                    self.names.has_prototypes |= !progress.is_typedef;
                } else if !progress.is_typedef {
                    self.names.variables.push(Rc::clone(name));
                }
                self.last = Some(Rc::clone(name));
            }
            Level::Member => {}
            Level::Parameter | Level::Old => {
                if !progress.typed {
                    self.uses(name, false);
                }
                self.scopes.declare(name, false);
            }
            Level::Local => {
                if progress.is_extern || is_function && !progress.is_typedef {
                    // The name means the function of the file, even if a local of the same name hides it.
                    self.uses_of_file(name, false);
                } else {
                    self.scopes.declare(name, progress.is_typedef);
                }
            }
        }
    }

    fn punctuator(&mut self) {
        let token = &self.tokens[self.at];
        let scopes = self.scopes.len();
        match self.mode {
            Mode::Declaration(progress) if !progress.value || token.is(",") || token.is(";") => {
                self.punctuator_of_declaration(progress);
            }
            Mode::Statement { begins, case } => match &*token.text {
                ";" => {
                    self.mode = BEGIN;
                    self.end_loops();
                    self.at += 1;
                }
                ":" if case => {
                    self.mode = BEGIN;
                    self.at += 1;
                }
                "{" if begins => self.block(BEGIN),
                _ => {
                    self.goes_on();
                    match &*token.text {
                        "(" | "[" | "{" => self.enter(Mode::Expression, self.mode, scopes),
                        _ => self.at += 1,
                    }
                }
            },
            Mode::Enumerators { .. } if token.is(",") => {
                self.mode = Mode::Enumerators { next: true };
                self.at += 1;
            }
            Mode::Declaration(_) | Mode::Enumerators { .. } | Mode::Expression => {
                let before = self.at.checked_sub(1).map(|k| &self.tokens[k]);
                match &*token.text {
                    // A statement expression of GNU C.
                    "{" if before.is_some_and(|t| t.is("(")) => self.block(self.mode),
                    "(" | "[" | "{" => self.enter(Mode::Expression, self.mode, scopes),
                    _ => self.at += 1,
                }
            }
        }
    }

    /// Enters the statements in braces.
    fn block(&mut self, behind: Mode) {
        let scopes = self.scopes.len();
        self.scopes.begin();
        self.enter(BEGIN, behind, scopes);
    }

    fn punctuator_of_declaration(&mut self, mut progress: Progress) {
        let token = &self.tokens[self.at];
        let level = progress.level;
        let scopes = self.scopes.len();
        let behind = Mode::Declaration(Progress {
            named: true,
            ..progress
        });
        match &*token.text {
            "(" if !progress.named && !self.begins_parameters() => {
                // A declarator in parentheses may contain the parameters of the function.
                let close = self.brackets.close(self.at).filter(|c| *c < self.end);
                self.at += 1;
                if let Some(close) = close {
                    self.around.push(Around {
                        close,
                        resume: behind,
                        scopes: usize::MAX,
                        loops: 0,
                    });
                }
            }
            "(" => {
                let is_head = level == Level::File && !self.has_parameters;
                self.has_parameters |= is_head;
                self.scopes.begin();
                let inside = Mode::Declaration(Progress::at(Level::Parameter));
                self.enter(inside, behind, scopes + usize::from(is_head));
            }
            "[" => self.enter(Mode::Expression, behind, scopes),
            "{" if matches!(level, Level::File | Level::Old) && self.around.is_empty() => {
                self.names.function = self.last.clone();
                self.block(Mode::Expression);
            }
            "{" => self.enter(Mode::Expression, behind, scopes),
            "=" | ":" => {
                progress.value = true;
                if level == Level::File {
                    // No body follows: the names were no parameters of a definition.
                    self.scopes.truncate(0);
                }
                self.mode = Mode::Declaration(progress);
                self.at += 1;
            }
            "," | ";" => {
                let next = match (level, token.is(",")) {
                    (Level::Parameter, _) => Progress::at(level),
                    (_, true) => Progress {
                        typed: true,
                        named: false,
                        value: false,
                        ..progress
                    },
                    (_, false) => Progress::at(level),
                };
                if level == Level::File && self.around.is_empty() {
                    self.scopes.truncate(0);
                    self.has_parameters = false;
                }
                self.mode = match (level, token.is(";")) {
                    (Level::Local, true) => BEGIN,
                    _ => Mode::Declaration(next),
                };
                self.at += 1;
            }
            _ => self.at += 1,
        }
    }

    /// True if parentheses behind a type without a name hold parameters.
    fn begins_parameters(&self) -> bool {
        let inside = self.at + 1;
        let Some(token) = self.token(inside) else {
            return false;
        };
        let words = is_type_word(token) || is_specifier(token) || is_tag_word(token);
        token.is(")") || token.is("...") || words || self.is_type(&token.text) == Some(true)
    }
}
