//! The preprocessor (C99 6.10): follows directives and includes, expands macros, and makes the tokens that the parser
//! reads.
//!
//! Macros are expanded by D. Prosser's algorithm (X3J11/86-196): each token carries its hide set, the macros that may
//! no longer be expanded in it.

pub(crate) mod condition;
mod directive;
mod expand;
pub(crate) mod headers;
mod mark;
pub(crate) mod pragma;
pub(crate) mod predefined;

use crate::{
    Options, codes,
    lex::{Interner, Kind, Token, lex},
    source::{Pos, Sink},
};
use cfg_core::diagnostic::Diagnostics;
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The source of files: the caller's file system, or whatever stands for it.
pub trait Files {
    /// The bytes of a file; `None` if no file of this path can be read.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;

    /// The paths of files called `name` (which may begin with folders) in the folders around the file `path`; none by
    /// default.
    fn around(&mut self, path: &str, name: &str) -> Vec<String> {
        let _ = (path, name);
        Vec::new()
    }

    /// The C files in the folders around a file, itself included, with their bytes; none by default.
    fn others_in_c(&mut self, path: &str) -> Vec<(String, Vec<u8>)> {
        let _ = path;
        Vec::new()
    }
}

/// No file can be included.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

/// A file in C.
#[derive(Clone, Debug)]
pub struct SourceFile<'t> {
    /// The name of the file, used in messages; files that it includes in quotes are looked for beside it.
    pub name: &'t str,
    /// The text of the file.
    pub bytes: &'t [u8],
    /// The options of the preprocessor for the file.
    pub preprocessing: Preprocessing,
    /// For a file that [`Read::further`](crate::Read) has named, the names for which it is read: none of its
    /// functions is the one to differentiate. Empty for other files.
    pub found_for: Vec<String>,
}

impl<'t> SourceFile<'t> {
    /// A file that is preprocessed without options.
    pub fn new(name: &'t str, bytes: &'t [u8]) -> Self {
        Self {
            name,
            bytes,
            preprocessing: Preprocessing::default(),
            found_for: Vec::new(),
        }
    }
}

/// Options of the preprocessor, as C compilers have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preprocessing {
    /// `-I`: folders in which included files are looked for.
    pub folders: Vec<String>,
    /// `-D` and `-U`, in their order.
    pub macros: Vec<MacroOption>,
    /// `-include`: files that are included before the first line.
    pub includes: Vec<String>,
}

/// A definition, or its removal, in force when a file begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MacroOption {
    /// `-D NAME`, whose value is 1, or `-D NAME=VALUE`; there may be parameters behind the name.
    Define(String),
    /// `-U NAME`.
    Undefine(String),
}

impl Preprocessing {
    /// The directives that the options stand for.
    pub fn directives(&self) -> String {
        let mut text = String::new();
        for option in &self.macros {
            match option {
                MacroOption::Define(definition) => {
                    let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
                    let bare = name.split('(').next().unwrap_or(name);
                    text += &format!("#undef {bare}\n#define {name} {value}\n");
                }
                MacroOption::Undefine(name) => text += &format!("#undef {name}\n"),
            }
        }
        for name in &self.includes {
            text += &format!("#include \"{name}\"\n");
        }
        text
    }
}

/// The name, in messages, of the text with the directives that options stand for.
const OPTIONS: &str = "-D, -U, -include";

/// The name, in messages, of the text with the predefined macros.
const PREDEFINED: &str = "<built-in>";

/// Most levels of included files, and of calls of macros in arguments of macros.
const MAX_NESTING: usize = 200;
/// Most tokens that macros may produce or take as arguments, in one file. A token with a long hide set or a long text
/// counts as more than one, since it takes more time and memory.
const MAX_EXPANDED: usize = 1_000_000;

#[derive(Debug)]
struct Macro {
    /// The parameters of a function-like macro; the last one takes the rest if the macro is variadic.
    parameters: Option<Vec<Rc<str>>>,
    variadic: bool,
    body: Vec<Token>,
}

/// The role that a pragma gives a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Independent,
    Dependent,
    /// The derivative of the variable is taken to be 0.
    Passive,
}

/// The word in `no-diff(bits)` for the bits of real numbers.
const BITS: &str = "bits";

/// A variable, or for `no-diff` a function, that a pragma names.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) name: Rc<str>,
    pub(crate) at: Pos,
    pub(crate) role: Role,
    /// The position of the pragma, which belongs to the function that it stands in or before. `None` for an option,
    /// which belongs to the function to differentiate.
    pub(crate) pragma: Option<Pos>,
    /// The function that the pragma belongs to, if there is one.
    pub(crate) function: Option<Rc<str>>,
    /// The file of the pragma, by its number among those that are read together.
    pub(crate) unit: usize,
}

impl Choice {
    /// True if derivatives of the bits of real numbers are taken to be 0, as [`BITS`] says.
    pub(crate) fn is_for_bits(&self) -> bool {
        self.role == Role::Passive && &*self.name == BITS
    }
}

/// The declaration, in a pragma or an option, of a function without a text, or with given derivatives.
#[derive(Clone, Debug)]
pub(crate) struct External {
    /// The function, a parameter that points to one, or a structure.
    pub(crate) name: Token,
    /// The member of the structure that points to the function.
    pub(crate) member: Option<Token>,
    /// The function of the files that stands for the caller's.
    pub(crate) is: Option<Token>,
    /// Names for the parameters, if they are given.
    pub(crate) parameters: Option<Vec<Token>>,
    /// The expression of the value.
    pub(crate) value: Option<Vec<Token>>,
    /// A parameter, and the expression of the partial derivative by it.
    pub(crate) partials: Vec<(Token, Vec<Token>)>,
    pub(crate) tangent: Option<Token>,
    pub(crate) adjoint: Option<Token>,
    /// The file of the pragma, by its number among those that are read together; `None` for an option, which is about
    /// all of them.
    pub(crate) unit: Option<usize>,
}

impl External {
    /// The names in the declaration, that of the function first.
    pub(crate) fn named(&self) -> impl Iterator<Item = &Rc<str>> {
        let functions = [
            Some(&self.name),
            self.is.as_ref(),
            self.adjoint.as_ref(),
            self.tangent.as_ref(),
        ];
        let partials = self.partials.iter().flat_map(|(_, e)| e);
        let expressions = self.value.iter().flatten().chain(partials);
        let all = functions.into_iter().flatten().chain(expressions);
        all.filter(|t| t.kind == Kind::Ident).map(|t| &t.text)
    }
}

/// The type that an option gives a parameter.
#[derive(Clone, Debug)]
pub(crate) struct TypeChoice {
    pub(crate) name: Token,
    pub(crate) ty: Vec<Token>,
}

/// A file after preprocessing.
pub(crate) struct Preprocessed {
    /// The tokens, the end last.
    pub(crate) tokens: Vec<Token>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) externals: Vec<External>,
    pub(crate) types: Vec<TypeChoice>,
    /// The positions of pragmas for several threads.
    pub(crate) parallel: Vec<Pos>,
    /// True if a pragma changes the layout of structures.
    pub(crate) has_layouts: bool,
    /// Files that were not found.
    pub(crate) missing: Vec<String>,
    /// True if the user named the file.
    pub(crate) is_named: bool,
    /// The macros that stand for another name alone, at the end of the file.
    renames: HashMap<Rc<str>, Rc<str>>,
    /// The names before a parenthesis in parts that conditions leave out, each with its first occurrence.
    pub(crate) left_out: HashMap<Rc<str>, LeftOut>,
    /// Where tokens of headers of the system begin, and where they end, in turn.
    system: Vec<usize>,
}

/// A place in a part that a condition leaves out.
#[derive(Clone, Debug)]
pub(crate) struct LeftOut {
    pub(crate) at: Pos,
    /// The first name in the condition that is no macro, if the part would be read if it were one.
    pub(crate) asked: Option<Rc<str>>,
}

impl Preprocessed {
    /// The name that a function has behind the macros that rename it.
    pub(crate) fn renamed<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        // Cyclic definitions end after as many steps as there are macros.
        for _ in 0..=self.renames.len() {
            match self.renames.get(name) {
                Some(other) => name = other,
                None => return name,
            }
        }
        name
    }

    /// True of tokens of headers of the system, by their number.
    pub(crate) fn is_system(&self, token: usize) -> bool {
        self.system.partition_point(|k| *k <= token) % 2 == 1
    }
}

/// The state that all files of a program share: spellings, and the included files.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    names: Interner,
    /// The included files by their paths; `None` for a missing file.
    included: HashMap<String, Option<Rc<Lexed>>>,
}

/// The tokens of a file, with positions that have no file number yet, and the problems in them.
#[derive(Debug)]
struct Lexed {
    tokens: Vec<Token>,
    problems: Diagnostics,
}

impl Lexed {
    fn lex(name: &str, bytes: &[u8], names: &mut Interner) -> Rc<Self> {
        let mut sink = Sink::default();
        let file = sink.file(name);
        let tokens = lex(bytes, file, names, &mut sink);
        Rc::new(Self {
            tokens,
            problems: sink.found,
        })
    }
}

/// A file that is being read.
struct Frame {
    name: String,
    text: Rc<Lexed>,
    next: usize,
    /// The number of conditions that were open where the file began.
    conditions: usize,
    /// The number of the file, and the offset added to lines: both are those of the last line marker.
    file: u32,
    shift: i64,
    /// True if the present lines belong to a header of the system.
    system: bool,
}

impl Frame {
    /// The token of a number, with its position; `None` behind the end.
    fn token(&self, number: usize) -> Option<Token> {
        let mut token = self.text.tokens.get(number)?.clone();
        token.at.file = self.file;
        if self.shift != 0 {
            token.at.line = u32::try_from(i64::from(token.at.line) + self.shift).unwrap_or(1);
        }
        Some(token)
    }

    /// The next token, which is passed.
    fn pass(&mut self) -> Option<Token> {
        let token = self.token(self.next);
        self.next += usize::from(token.is_some());
        token
    }
}

/// An open `#if`.
struct Condition {
    at: Pos,
    /// True if a part has been taken: all others are skipped.
    taken: bool,
    has_else: bool,
    /// The first name in the condition that is no macro.
    asked: Option<Rc<str>>,
}

struct Preprocessor<'s> {
    files: &'s mut dyn Files,
    /// The folders in which included files are looked for.
    folders: &'s [String],
    /// Files that were not found.
    missing: Vec<String>,
    /// The missing files that are included in quotes.
    of_the_program: Vec<String>,
    /// Macros that an option or a directive has undefined.
    undefined: HashSet<Rc<str>>,
    /// True once a condition that asks for a macro of gcc has been warned of.
    told_of_gcc: bool,
    /// True once a condition that asks for a macro of a missing file has been warned of.
    told_of_missing: bool,
    sink: &'s mut Sink,
    kept: &'s mut Kept,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    /// The definitions of macros that `push_macro` has put aside.
    pushed: HashMap<Rc<str>, Vec<Option<Rc<Macro>>>>,
    frames: Vec<Frame>,
    conditions: Vec<Condition>,
    /// Files with `#pragma once`.
    once: HashSet<String>,
    expanded: usize,
    /// True while the macros of a condition are expanded, in which `defined` is an operator.
    in_condition: bool,
    /// The number of occurrences of `__COUNTER__` so far.
    counter: usize,
    choices: Vec<Choice>,
    externals: Vec<External>,
    types: Vec<TypeChoice>,
    parallel: Vec<Pos>,
    has_layouts: bool,
    /// Marks of the present directive that have no place among the tokens yet.
    marks: Vec<Token>,
    /// Words of pragmas of other tools that have been warned of.
    foreign: HashSet<Rc<str>>,
    /// The files that line markers show not to be headers of the system.
    own: HashSet<u32>,
    /// The names before a parenthesis in parts that conditions leave out.
    left_out: HashMap<Rc<str>, LeftOut>,
    /// Where tokens of headers of the system begin, and where they end, in turn.
    system: Vec<usize>,
}

/// Preprocesses a file. For the first file, `options` are read with its macros.
pub(crate) fn preprocess(
    source: &SourceFile<'_>,
    options: Option<&Options>,
    files: &mut dyn Files,
    kept: &mut Kept,
    sink: &mut Sink,
) -> Preprocessed {
    let mut pp = Preprocessor {
        files,
        folders: &source.preprocessing.folders,
        missing: Vec::new(),
        of_the_program: Vec::new(),
        undefined: HashSet::new(),
        told_of_gcc: false,
        told_of_missing: false,
        sink,
        kept,
        macros: HashMap::new(),
        pushed: HashMap::new(),
        frames: Vec::new(),
        conditions: Vec::new(),
        once: HashSet::new(),
        expanded: 0,
        in_condition: false,
        counter: 0,
        choices: Vec::new(),
        externals: Vec::new(),
        types: Vec::new(),
        parallel: Vec::new(),
        has_layouts: false,
        marks: Vec::new(),
        foreign: HashSet::new(),
        own: HashSet::new(),
        left_out: HashMap::new(),
        system: Vec::new(),
    };
    let mut open = |name: &str, bytes: &[u8]| {
        let text = Lexed::lex(name, bytes, &mut pp.kept.names);
        pp.open(name.to_owned(), text, Pos::default());
    };
    open(source.name, source.bytes);
    let directives = source.preprocessing.directives();
    if !directives.is_empty() {
        open(OPTIONS, directives.as_bytes());
    }
    if !is_preprocessed(source.bytes) {
        let text = pp.of_library(PREDEFINED, predefined::DIRECTIVES);
        // The predefined macros have no problems, so no message needs the name of their text.
        let file = pp.file(source.name);
        pp.begin_file(PREDEFINED.to_owned(), text, file);
    }
    let tokens = pp.run();
    let tokens = pp.pragmas_in_text(tokens);
    if let Some(options) = options {
        pp.options(options);
    }
    let renames = pp.macros.iter().filter_map(|(name, definition)| {
        let [other] = &definition.body[..] else {
            return None;
        };
        let is_name = definition.parameters.is_none() && other.kind == Kind::Ident;
        is_name.then(|| (Rc::clone(name), Rc::clone(&other.text)))
    });
    Preprocessed {
        tokens,
        renames: renames.collect(),
        left_out: pp.left_out,
        choices: pp.choices,
        externals: pp.externals,
        types: pp.types,
        missing: pp.missing,
        is_named: source.found_for.is_empty(),
        system: pp.system,
        parallel: pp.parallel,
        has_layouts: pp.has_layouts,
    }
}

/// True of the output of a preprocessor, which begins with a line marker: its macros have been expanded.
fn is_preprocessed(bytes: &[u8]) -> bool {
    let behind = bytes.trim_ascii_start().strip_prefix(b"# ");
    behind.is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
}

impl Preprocessor<'_> {
    /// The tokens of an included file; `None` if it is missing.
    fn included(&mut self, path: &str) -> Option<Rc<Lexed>> {
        if let Some(known) = self.kept.included.get(path) {
            return known.clone();
        }
        let bytes = self.files.read(path);
        let text = bytes.map(|bytes| Lexed::lex(path, &bytes, &mut self.kept.names));
        let known = self.kept.included.entry(path.to_owned());
        known.or_insert(text).clone()
    }

    /// The tokens of a built-in text, by its name in angle brackets.
    fn of_library(&mut self, name: &str, text: &str) -> Rc<Lexed> {
        if let Some(Some(known)) = self.kept.included.get(name) {
            return Rc::clone(known);
        }
        let text = Lexed::lex(name, text.as_bytes(), &mut self.kept.names);
        let known = Some(Rc::clone(&text));
        self.kept.included.insert(name.to_owned(), known);
        text
    }

    fn open(&mut self, name: String, text: Rc<Lexed>, at: Pos) {
        if self.frames.len() >= MAX_NESTING {
            let message = format!("{name} is the {MAX_NESTING}th file in a chain of includes");
            self.sink.error(
                &codes::LIMIT,
                at,
                message,
                "guard files against including themselves",
            );
            return;
        }
        let file = self.file(&name);
        self.sink.add(&text.problems);
        self.begin_file(name, text, file);
    }

    fn begin_file(&mut self, name: String, text: Rc<Lexed>, file: u32) {
        self.frames.push(Frame {
            name,
            text,
            next: 0,
            conditions: self.conditions.len(),
            file,
            shift: 0,
            system: false,
        });
    }

    /// The number of a file.
    fn file(&mut self, name: &str) -> u32 {
        self.sink.file(name)
    }

    fn run(&mut self) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::new();
        while let Some(frame) = self.frames.last_mut()
            && let Some(token) = frame.pass()
        {
            if token.kind == Kind::End {
                let open = frame.conditions;
                for condition in self.conditions.drain(open.min(self.conditions.len())..) {
                    let message = "the #if has no #endif";
                    self.sink
                        .error(&codes::PREPROCESSOR, condition.at, message, "add #endif");
                }
                self.frames.pop();
                if self.frames.is_empty() {
                    out.push(token);
                }
                continue;
            }
            if token.first && token.is("#") {
                self.directive(token.at);
                out.append(&mut self.marks);
                continue;
            }
            if frame.system != (self.system.len() % 2 == 1) {
                self.system.push(out.len());
            }
            // Macros in lines of headers of the system have been expanded already.
            let is_macro = !frame.system && token.kind == Kind::Ident;
            if is_macro && self.macros.contains_key(&token.text) {
                self.expand_from_file(token, &mut out);
            } else {
                let token = self.special(token);
                out.push(token);
            }
        }
        if self.expanded >= MAX_EXPANDED {
            // The limit has been reported: the tokens are dropped, but for the last one.
            out.drain(..out.len().saturating_sub(1));
        }
        out
    }

    /// The next token of the current file, unless a directive or the end comes first.
    fn next_in_file(&mut self) -> Option<Token> {
        let frame = self.frames.last_mut()?;
        let token = frame.text.tokens.get(frame.next)?;
        if token.kind == Kind::End || token.first && token.is("#") {
            return None;
        }
        frame.pass()
    }

    /// The next token of a macro's arguments. Directives among the arguments are followed, as compilers do (C99
    /// 6.10.3 leaves it undefined).
    fn next_argument(&mut self) -> Option<Token> {
        loop {
            if let Some(token) = self.next_in_file() {
                return Some(token);
            }
            let frame = self.frames.last_mut()?;
            let token = frame.token(frame.next)?;
            if token.kind == Kind::End {
                return None;
            }
            frame.next += 1;
            self.directive(token.at);
            if let Some(mark) = self.marks.pop() {
                return Some(mark);
            }
        }
    }

    fn unread(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = frame.next.saturating_sub(1);
        }
    }
}
