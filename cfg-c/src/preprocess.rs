//! Directives, includes and macros: a file becomes the tokens that the parser reads.
//!
//! Macros are expanded as D. Prosser's algorithm has it (X3J11/86-196): each token carries the names that it no longer
//! stands for.

pub(crate) mod condition;
mod directive;
mod expand;
pub(crate) mod headers;
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

/// Where files that are included come from.
pub trait Files {
    /// The bytes of a file; `None` if there is none of this path that can be read.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;

    /// The paths of the files of this name, with the folders in it, that lie in the folders around another file; none by default.
    fn around(&mut self, path: &str, name: &str) -> Vec<String> {
        let _ = (path, name);
        Vec::new()
    }

    /// Files in C that lie in the folders around a file, itself among them, with their bytes; none by default.
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
    /// Its name, which messages have; files that it includes in quotes lie beside it.
    pub name: &'t str,
    /// Its text.
    pub bytes: &'t [u8],
    /// How it is preprocessed.
    pub preprocessing: Preprocessing,
    /// Why it is read, of a file that [`Read::further`](crate::Read) has named: none of its functions is the one to
    /// differentiate. Empty of others.
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

/// What the options of C compilers with these names say to the preprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preprocessing {
    /// `-I`: folders in which files are looked for that are included.
    pub folders: Vec<String>,
    /// `-D` and `-U`, in their order.
    pub macros: Vec<MacroOption>,
    /// `-include`: files that are included before the first line.
    pub includes: Vec<String>,
}

/// A macro that is defined, or is not, when a file begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MacroOption {
    /// `-D NAME`, whose value is 1, or `-D NAME=VALUE`; there may be parameters behind the name.
    Define(String),
    /// `-U NAME`.
    Undefine(String),
}

impl Preprocessing {
    /// The directives that say the same.
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

/// The name of the file with the directives that options stand for.
const OPTIONS: &str = "-D, -U, -include";

/// The name of the file with the macros that are there before.
const PREDEFINED: &str = "<built-in>";

/// Files nest, and so do calls of macros in arguments of macros.
const MAX_NESTING: usize = 200;
/// Tokens that macros may make, and that may be read as their arguments. One that came through many macros, or that is a long text, counts as more,
/// since it takes more time and memory.
const MAX_EXPANDED: usize = 1_000_000;

#[derive(Debug)]
struct Macro {
    /// The parameters of a macro that is called; the last one takes the rest if it is variadic.
    parameters: Option<Vec<Rc<str>>>,
    variadic: bool,
    body: Vec<Token>,
}

/// What a pragma chooses a variable for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Independent,
    Dependent,
    /// Its derivative is taken to be 0.
    Passive,
}

/// What `no-diff` calls the bits of real numbers.
const BITS: &str = "bits";

/// A variable, or for `no-diff` a function, that a pragma names.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) name: Rc<str>,
    pub(crate) at: Pos,
    pub(crate) role: Role,
    /// The pragma's own place: it belongs to the function that it stands in or before. None for an option, which belongs to
    /// the function to differentiate.
    pub(crate) pragma: Option<Pos>,
    /// That function, if there is one.
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

/// What a pragma or an option says of a function whose text is not there, or whose derivatives are given.
#[derive(Clone, Debug)]
pub(crate) struct External {
    /// A function, a parameter that is one, or a structure.
    pub(crate) name: Token,
    /// The member of the structure that is the function.
    pub(crate) member: Option<Token>,
    /// The function of the files that callers give.
    pub(crate) is: Option<Token>,
    /// Names for the parameters, if they are given.
    pub(crate) parameters: Option<Vec<Token>>,
    /// The expression of the value.
    pub(crate) value: Option<Vec<Token>>,
    /// A parameter, and the expression of the partial derivative by it.
    pub(crate) partials: Vec<(Token, Vec<Token>)>,
    pub(crate) tangent: Option<Token>,
    pub(crate) adjoint: Option<Token>,
    /// The file of the pragma, by its number among those that are read together; an option says it of all of them.
    pub(crate) unit: Option<usize>,
}

impl External {
    /// The names in what is said, that of the function first.
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

/// The type that a parameter is said to have.
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
    /// Where something is said to be done by several threads.
    pub(crate) parallel: Vec<Pos>,
    /// A pragma says how members of structures lie.
    pub(crate) has_layouts: bool,
    /// Files that were not found.
    pub(crate) missing: Vec<String>,
    /// The user named the file.
    pub(crate) is_named: bool,
    /// The macros that stand for another name alone, at the end of the file.
    renames: HashMap<Rc<str>, Rc<str>>,
    /// The names before a parenthesis in parts that conditions leave out, where they stand first.
    pub(crate) left_out: HashMap<Rc<str>, LeftOut>,
    /// Where tokens of headers of the system begin, and where they end, in turn.
    system: Vec<usize>,
}

/// A place in a part that a condition leaves out.
#[derive(Clone, Debug)]
pub(crate) struct LeftOut {
    pub(crate) at: Pos,
    /// The first name in the condition that is no macro, where the part would be read if that held.
    pub(crate) asked: Option<Rc<str>>,
}

impl Preprocessed {
    /// The name that stands in the file for the one that macros make another of.
    pub(crate) fn renamed<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        // A macro of a macro of itself stays.
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

/// The state that all files share which are read: spellings, and the files that they include.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    names: Interner,
    /// By their paths; none of those that are not there.
    included: HashMap<String, Option<Rc<Lexed>>>,
}

/// The tokens of a file, in a file without a number, and what is wrong with them.
#[derive(Debug)]
struct Lexed {
    tokens: Vec<Token>,
    problems: Diagnostics,
}

impl Lexed {
    fn of(name: &str, bytes: &[u8], names: &mut Interner) -> Rc<Self> {
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
    /// Conditions that were open where it began.
    conditions: usize,
    /// The number of the file, and what is added to lines: as the last line marker has them.
    file: u32,
    shift: i64,
    /// The lines at hand are those of a header of the system.
    system: bool,
}

impl Frame {
    /// A token, and its place; none behind the end.
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

/// An #if that is open.
struct Condition {
    at: Pos,
    /// A part has been taken, so that no other is.
    taken: bool,
    has_else: bool,
    /// The first name in it that is no macro.
    asked: Option<Rc<str>>,
}

struct Preprocessor<'s> {
    files: &'s mut dyn Files,
    /// Where files are looked for that are included.
    folders: &'s [String],
    /// Files that were not found.
    missing: Vec<String>,
    /// Those in quotes among them.
    of_the_program: Vec<String>,
    /// Macros that somebody says are not defined.
    undefined: HashSet<Rc<str>>,
    /// A condition has asked for a macro that only gcc has, and that was told.
    told_of_gcc: bool,
    /// A condition has asked for a macro that a missing file may define, and that was told.
    told_of_missing: bool,
    sink: &'s mut Sink,
    kept: &'s mut Kept,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    /// The definitions of macros that `push_macro` has put aside.
    pushed: HashMap<Rc<str>, Vec<Option<Rc<Macro>>>>,
    frames: Vec<Frame>,
    conditions: Vec<Condition>,
    /// Files that are read once.
    once: HashSet<String>,
    expanded: usize,
    /// Macros of a condition are expanded, in which `defined` asks.
    in_condition: bool,
    /// How often `__COUNTER__` stands before.
    counter: usize,
    choices: Vec<Choice>,
    externals: Vec<External>,
    types: Vec<TypeChoice>,
    parallel: Vec<Pos>,
    has_layouts: bool,
    /// Words of pragmas of other tools that have been told.
    foreign: HashSet<Rc<str>>,
    /// The files that line markers name as others than headers of the system.
    own: HashSet<u32>,
    /// The names before a parenthesis in parts that conditions leave out.
    left_out: HashMap<Rc<str>, LeftOut>,
    /// Where tokens of headers of the system begin, and where they end, in turn.
    system: Vec<usize>,
}

/// Preprocesses a file. What options say of functions and variables is read with its macros, where it is the first.
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
        foreign: HashSet::new(),
        own: HashSet::new(),
        left_out: HashMap::new(),
        system: Vec::new(),
    };
    let mut open = |name: &str, bytes: &[u8]| {
        let text = Lexed::of(name, bytes, &mut pp.kept.names);
        pp.open(name.to_owned(), text, Pos::default());
    };
    open(source.name, source.bytes);
    let directives = source.preprocessing.directives();
    if !directives.is_empty() {
        open(OPTIONS, directives.as_bytes());
    }
    if !is_preprocessed(source.bytes) {
        let text = pp.of_library(PREDEFINED, predefined::DIRECTIVES);
        // Nothing is wrong there, so that no message needs the name of the file.
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

/// True of what a preprocessor has written, whose macros have been expanded: it begins with a line marker.
fn is_preprocessed(bytes: &[u8]) -> bool {
    let behind = bytes.trim_ascii_start().strip_prefix(b"# ");
    behind.is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
}

impl Preprocessor<'_> {
    /// The tokens of a file that is included; none if it is not there.
    fn included(&mut self, path: &str) -> Option<Rc<Lexed>> {
        if let Some(known) = self.kept.included.get(path) {
            return known.clone();
        }
        let bytes = self.files.read(path);
        let text = bytes.map(|bytes| Lexed::of(path, &bytes, &mut self.kept.names));
        let known = self.kept.included.entry(path.to_owned());
        known.or_insert(text).clone()
    }

    /// The tokens of a text that is known here, by its name in angle brackets.
    fn of_library(&mut self, name: &str, text: &str) -> Rc<Lexed> {
        if let Some(Some(known)) = self.kept.included.get(name) {
            return Rc::clone(known);
        }
        let text = Lexed::of(name, text.as_bytes(), &mut self.kept.names);
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
                continue;
            }
            if frame.system != (self.system.len() % 2 == 1) {
                self.system.push(out.len());
            }
            // Macros are expanded there already.
            let is_macro = !frame.system && token.kind == Kind::Ident;
            if is_macro && self.macros.contains_key(&token.text) {
                self.expand_from_file(token, &mut out);
            } else {
                let token = self.special(token);
                out.push(token);
            }
        }
        if self.expanded >= MAX_EXPANDED {
            // The limit has been reported where it was met.
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

    /// The next token of the arguments of a macro. Directives among these are followed, as compilers do (C99 6.10.3
    /// leaves it open).
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
        }
    }

    fn unread(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = frame.next.saturating_sub(1);
        }
    }
}
