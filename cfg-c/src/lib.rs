//! The C front end of cfgrev: numerical functions in C99, unchanged, read into its representation.
//!
//! [`read_c`] reads a file in steps, each of which reports its problems: `lex` makes tokens; `preprocess` follows
//! directives and expands macros; `reach` keeps the declarations that the functions to differentiate reach; `parse`
//! makes a syntax tree with resolved names, also of the functions of the C library that are written in C here
//! (`library`); `expand` copies functions for the functions and memory passed to them, and puts some in place of
//! their calls; `lower` turns the functions to differentiate, and those that they call, into routines. See
//! `docs/c.md`.
//!
//! ```
//! let text = b"double square(double x) { return x * x; }";
//! let file = cfg_c::SourceFile::new("square.c", text);
//! let read = cfg_c::read_c(&[file], &cfg_c::Options::default(), &mut cfg_c::NoFiles);
//! assert!(read.problems.is_empty(), "{}", read.problems);
//! let program = read.program.expect("no problem was found");
//! assert_eq!(program.routines[0].name, "square");
//! ```

mod ast;
mod beside;
mod blocks;
mod braces;
mod callback_data;
mod calls;
mod codes;
mod complex;
mod constant;
mod declared;
mod expand;
mod header_prototypes;
mod ids;
mod interface;
mod lex;
mod library;
mod lower;
mod math;
mod members;
mod messages;
mod number;
mod parse;
mod points;
mod preprocess;
mod prototypes;
mod reach;
mod signature;
mod source;
mod structures;
mod telling;
mod texts;
mod types;
mod unions;
mod unreached;
mod unseen;
mod unused;
mod words;
mod written_texts;

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics, Severity},
    ir::{Program, SourceComment},
    validate::validate,
};
use std::{collections::BTreeMap, rc::Rc};

pub use codes::CODES;

/// The codes of warnings after which the program may have other values than the compiled file: orders that C leaves
/// open, `long double`, and answers of the system.
pub const OPEN: [&str; 3] = [
    codes::ORDER.code,
    codes::LONG_DOUBLE.code,
    codes::SYSTEM.code,
];
pub use preprocess::predefined::UNDEFINED_MACROS;
pub use preprocess::{Files, MacroOption, NoFiles, Preprocessing, SourceFile};
pub use signature::{CGlobal, CParameter, CStructure, CType, Signature};

/// The user's choices that are not in the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The function to differentiate; by default the only one that no other calls.
    pub routine: Option<String>,
    /// Functions that are not defined in the files, or whose derivatives are given, in the syntax behind `external`
    /// in a pragma: `g(x) value(sin(x)) partial(x: cos(x))`.
    pub externals: Vec<String>,
    /// Functions, and variables of the function to differentiate, whose derivatives are taken to be 0.
    pub passive: Vec<String>,
    /// Types of parameters `void *` of the function to differentiate, as `data=struct setting *`.
    pub types: Vec<String>,
}

/// A program that was read, and the problems that were found.
#[derive(Debug)]
pub struct Read {
    /// The program; `None` if there are errors.
    pub program: Option<Program>,
    /// The function to differentiate as the file declares it, if there is only one.
    pub signature: Option<Signature>,
    /// Errors and warnings, in the order of the steps that found them.
    pub problems: Diagnostics,
    /// Files among [`Files::others_in_c`] that should be read, too, since they define functions or variables that the
    /// given files lack. Each has the names for which it should be read, as [`SourceFile::found_for`] takes them.
    pub further: BTreeMap<String, Vec<String>>,
}

/// Reads C files as one program; `files` has the files that they include. Static functions and variables, types and
/// macros belong to one file, other functions and variables to all.
///
/// # Examples
/// The example is that of [the crate's page](self).
pub fn read_c(sources: &[SourceFile<'_>], options: &Options, files: &mut dyn Files) -> Read {
    Reader::default().read(sources, options, files)
}

/// Reads the files of a program repeatedly, each time with the files that [`Read::further`] has named, and does
/// common work once. Assumes that options and files do not change in between.
#[derive(Default)]
pub struct Reader {
    /// The names of files, by their numbers.
    names: Vec<String>,
    read: Vec<Rc<FileRead>>,
    kept: preprocess::Kept,
    around: beside::Around,
}

/// A file that has been preprocessed and split into external declarations, with the problems of both steps.
struct FileRead {
    name: String,
    bytes: Vec<u8>,
    preprocessing: Preprocessing,
    is_first: bool,
    read: preprocess::Preprocessed,
    of_read: Diagnostics,
    declared: reach::File,
    of_declared: Diagnostics,
}

impl Reader {
    /// Reads C files as one program, as [`read_c`] does. `sources` begins with the files of the previous call.
    pub fn read(
        &mut self,
        sources: &[SourceFile<'_>],
        options: &Options,
        files: &mut dyn Files,
    ) -> Read {
        let mut sink = source::Sink::with_files(std::mem::take(&mut self.names));
        for source in sources.iter().filter(|source| !source.found_for.is_empty()) {
            let file = sink.file(source.name);
            let at = source::Pos {
                file,
                ..source::Pos::default()
            };
            let message = format!("the file is read, too, for {}", source.found_for.join(", "));
            sink.warning(&codes::FUNCTION, at, message, beside::TO_NAME);
        }
        let mut all = Vec::with_capacity(sources.len());
        for (k, source) in sources.iter().enumerate() {
            let options = Some(options).filter(|_| k == 0);
            let read = self.file(source, options, files, &mut sink);
            sink.add(&read.of_read);
            all.push(read);
        }
        // Without an included file its names are missing everywhere: only the missing file is reported.
        let reached = match lacks_files(&sink.found) {
            true => None,
            false => reached(&all, options, &mut sink),
        };
        let mut attempt = match reached {
            Some(read) => best_attempt(&read, sink),
            None => Attempt {
                program: None,
                signature: None,
                reached: Reached::Nothing,
                sink,
            },
        };
        let (around, kept) = (&mut self.around, &mut self.kept);
        let further = beside::name_files(around, &mut attempt.sink, sources, files, kept);
        self.names = std::mem::take(&mut attempt.sink.files);
        let mut read = attempt.read(further);
        if let Some(program) = &mut read.program {
            note_comments(program, &all);
        }
        read
    }

    /// The k-th file, which is read unless it has been before. Options are read with the macros of the first file.
    fn file(
        &mut self,
        source: &SourceFile<'_>,
        options: Option<&Options>,
        files: &mut dyn Files,
        sink: &mut source::Sink,
    ) -> Rc<FileRead> {
        let is_first = options.is_some();
        let is_it = |of: &&Rc<FileRead>| {
            of.name == source.name
                && of.is_first == is_first
                && of.preprocessing == source.preprocessing
                && of.bytes == source.bytes
        };
        if let Some(known) = self.read.iter().find(is_it) {
            return Rc::clone(known);
        }
        let mut own = source::Sink::with_files(std::mem::take(&mut sink.files));
        let read = preprocess::preprocess(source, options, files, &mut self.kept, &mut own);
        let of_read = std::mem::take(&mut own.found);
        let declared = reach::File::split(&read, &mut own);
        sink.files = own.files;
        let new = Rc::new(FileRead {
            name: source.name.to_owned(),
            bytes: source.bytes.to_vec(),
            preprocessing: source.preprocessing.clone(),
            is_first,
            read,
            of_read,
            declared,
            of_declared: own.found,
        });
        self.read.push(Rc::clone(&new));
        new
    }
}

/// Notes the comments of the files that a program was made from.
fn note_comments(program: &mut Program, files: &[Rc<FileRead>]) {
    let mut comments = Vec::new();
    for (k, name) in (0..).zip(&program.sources) {
        if let Some(file) = files.iter().find(|file| file.name == *name) {
            comments.extend(lex::comments(&file.bytes, k));
        }
    }
    SourceComment::note_all(&comments, &mut program.annotations);
}

/// The parts of files that the functions to differentiate reach; none if there are errors.
fn reached(
    all: &[Rc<FileRead>],
    options: &Options,
    sink: &mut source::Sink,
) -> Option<reach::Reached> {
    for file in all {
        sink.add(&file.of_declared);
    }
    if all.iter().any(|file| !file.of_declared.is_empty()) {
        return None;
    }
    let read: Vec<&preprocess::Preprocessed> = all.iter().map(|file| &file.read).collect();
    let declared: Vec<&reach::File> = all.iter().map(|file| &file.declared).collect();
    reach::reach(&read, &declared, options, sink)
}

/// The better of two translations: pointers resolved to arrays and indices, or pointers as values.
fn best_attempt(read: &reach::Reached, mut sink: source::Sink) -> Attempt {
    let Some(parsed) = Parsed::parse(read, &mut sink) else {
        return Attempt {
            program: None,
            signature: None,
            reached: Reached::Expanded,
            sink,
        };
    };
    let first = Attempt::new(&parsed, false, sink.clone());
    if first.program.is_some() {
        return first;
    }
    // Resolved pointers make simpler and faster programs: values are tried only if resolving them fails.
    let second = Attempt::new(&parsed, true, sink);
    match &second.program {
        Some(program) if validate(program.clone()).is_ok() => second,
        // A program that breaks a rule is no better than the first attempt, whose problems are about C.
        Some(_) => first,
        None if second.distance() < first.distance() => second,
        None => first.with(second),
    }
}

/// True if an included file is missing.
fn lacks_files(found: &Diagnostics) -> bool {
    let mut errors = (found.iter()).filter(|d| d.severity == Severity::Error);
    errors.any(|d| d.code == codes::INCLUDE.code)
}

/// The result of translating a file in one of the two ways.
struct Attempt {
    program: Option<Program>,
    signature: Option<Signature>,
    /// The step that the translation reached.
    reached: Reached,
    sink: source::Sink,
}

/// The step that a translation reached, the last step first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    /// All functions were translated, each with its problems.
    Lowered,
    /// A problem ended the translation before lowering, and may hide others.
    Expanded,
    /// The file cannot be translated in this way at all.
    Nothing,
}

fn is_about_pointers(problem: &Diagnostic) -> bool {
    [codes::POINTER.code, codes::TYPE.code].contains(&problem.code)
}

impl Attempt {
    fn new(parsed: &Parsed<'_>, values: bool, mut sink: source::Sink) -> Self {
        let mut reached = Reached::Expanded;
        let program = parsed.translate(values, &mut sink, &mut reached);
        Self {
            program,
            signature: parsed.signature.clone(),
            reached,
            sink,
        }
    }

    /// The distance of the file from one that can be read in this way. The attempt that reached a later step has
    /// problems that the user can mend; of two equal ones, that with fewer problems of pointers is closer.
    fn distance(&self) -> (Reached, usize, usize) {
        let errors = || (self.sink.found.iter()).filter(|p| p.severity == Severity::Error);
        let pointers = errors().filter(|p| is_about_pointers(p));
        (self.reached, pointers.count(), errors().count())
    }

    /// Adds, to problems of pointers, the reason why the other way is impossible. If that reason is an error, the
    /// problems are its consequences, and are dropped.
    fn with(mut self, other: Self) -> Self {
        if other.reached == Reached::Nothing && self.distance().1 > 0 {
            if other.sink.found.has_errors() {
                self.sink
                    .retain(|p| p.severity != Severity::Error || !is_about_pointers(p));
            }
            let more = other.sink.found.0.into_iter();
            self.sink
                .found
                .0
                .extend(more.filter(|p| p.code == codes::POINTER.code));
        }
        self
    }

    fn read(self, further: BTreeMap<String, Vec<String>>) -> Read {
        Read {
            program: self.program.filter(|_| !self.sink.found.has_errors()),
            signature: self.signature,
            problems: self.sink.found,
            further,
        }
    }
}

/// The parsed parts of the files, without members and texts that need not be known.
struct Parsed<'r> {
    unit: ast::Unit,
    chosen: lower::Chosen,
    choices: &'r [preprocess::Choice],
    interface: interface::Interface,
    signature: Option<Signature>,
}

impl<'r> Parsed<'r> {
    /// Parses the reached parts; `None` if there are errors.
    fn parse(read: &'r reach::Reached, sink: &mut source::Sink) -> Option<Self> {
        let choices = &read.choices;
        let mut unit = parse::parse(read, &header_prototypes::shared(), sink);
        // After an error, the tree lacks the parts that could not be read: later messages would mislead.
        if sink.found.has_errors() {
            return None;
        }
        for problem in std::mem::take(&mut unit.refused) {
            sink.tell(&problem);
        }
        let chosen = lower::chosen(&unit, read);
        let heads = interface::heads(&unit, &chosen.read);
        let mut signature =
            (chosen.main).and_then(|f| signature::signature(&unit, f, read, &sink.files));
        unreached::take_out(&mut unit);
        unions::look_through_conversions(&mut unit);
        sink.undefined = beside::undefined(&unit, &chosen.read, &read.externals, sink);
        lower::returned::leave_out(&mut unit, &chosen.read, sink);
        unseen::leave_out(&mut unit, &chosen.read, sink);
        warn_of_threads(&unit, &chosen.read, &read.parallel, sink);
        warn_of_errno(&unit, &chosen.read, sink);
        messages::leave_out_for_nobody(&mut unit);
        let texts = written_texts::leave_out(&mut unit, &chosen.read);
        if let Some(signature) = &mut signature {
            signature.mark_messages(texts.iter().map(|d| &*unit.decl(*d).name));
        }
        let telling = telling::leave_out(&mut unit, &chosen.read);
        messages::leave_out(&mut unit, &chosen.read, &telling);
        members::leave_out_assignments(&mut unit, &chosen.read, sink);
        unused::leave_out(&mut unit, &telling);
        unions::read_constants(&mut unit);
        let used = members::leave_out(&mut unit, &chosen.read);
        unions::resolve(&mut unit, &used);
        let mut interface =
            interface::Interface::describe(&unit, &heads, read.unshared.clone(), sink);
        callback_data::give_types(&mut unit, &chosen.read);
        interface.give_types(&unit, &chosen.read);
        if let (Some(signature), Some(main)) = (&mut signature, chosen.main) {
            signature.give_types(&unit, main);
        }
        texts::leave_out(&mut unit, &chosen.read);
        texts::kept::keep(&mut unit, &chosen.read);
        lower::place_passive(&mut unit, choices, &chosen, sink);
        parse::name_apart(&mut unit, &chosen.read);
        Some(Self {
            unit,
            chosen,
            choices,
            interface,
            signature,
        })
    }

    /// Translates the functions, with pointers as values, or resolved to places in arrays.
    fn translate(
        &self,
        values: bool,
        sink: &mut source::Sink,
        reached: &mut Reached,
    ) -> Option<Program> {
        let (chosen, mut unit) = (&self.chosen, self.unit.clone());
        if values && !may_be_values(&unit, chosen, sink) {
            *reached = Reached::Nothing;
            return None;
        }
        if !expand::expand(&mut unit, &chosen.read, values, sink) {
            return None;
        }
        if !values {
            blocks::take_out(&mut unit);
        }
        *reached = Reached::Lowered;
        let program = lower::lower(&unit, chosen, (self.choices, &self.interface), values, sink);
        program.filter(|_| !sink.found.has_errors())
    }
}

/// Warns of the first pragma that lets several threads execute these functions or their callees.
fn warn_of_threads(
    unit: &ast::Unit,
    roots: &[usize],
    parallel: &[source::Pos],
    sink: &mut source::Sink,
) {
    let mut parallel = parallel.to_vec();
    parallel.sort_unstable_by_key(|at| (at.file, at.line));
    let first = calls::reachable(unit, roots).into_iter().find_map(|f| {
        let (from, to) = (unit.functions[f].from, unit.functions[f].to);
        let k = parallel.partition_point(|at| (at.file, at.line) < (from.file, from.line));
        parallel
            .get(k)
            .copied()
            .filter(|at| (at.file, at.line) <= (to.file, to.line))
    });
    if let Some(at) = first {
        let message = "pragmas for several threads are passed over";
        let help =
            "the program and its derivatives are computed by one thread, in the order of the text";
        sink.warning(&codes::IGNORED, at, message, help);
    }
}

/// Warns of the first use of `errno` in these functions and their callees: functions of the library do not set it
/// here.
fn warn_of_errno(unit: &ast::Unit, roots: &[usize], sink: &mut source::Sink) {
    let is_errno = |e: ast::ExprId| match unit.expr(e).kind {
        ast::ExprKind::Name(d) => &*unit.decl(d).name == "cfgrev_errno",
        _ => false,
    };
    let reachable = calls::reachable(unit, roots).into_iter();
    let mut named: Vec<ast::ExprId> = (reachable.flat_map(|f| unit.functions[f].part.clone()))
        .map(ast::ExprId)
        .filter(|e| is_errno(*e))
        .collect();
    if named.is_empty() {
        return;
    }
    for node in &unit.exprs {
        if let ast::ExprKind::Assign(None, mut target, _) = node.kind {
            // The macro `errno` may expand to `*(&cfgrev_errno)`.
            while let ast::ExprKind::Unary(ast::Unary::Deref | ast::Unary::Address, of) =
                unit.expr(target).kind
            {
                target = of;
            }
            named.retain(|e| *e != target);
        }
    }
    if let Some(e) = named.first() {
        let message = "errno is used, which functions of the library do not set here";
        let help = "ask values what they are, with isnan, isinf and isfinite, or test arguments before the call";
        sink.warning(&codes::LIBRARY, unit.expr(*e).at, message, help);
    }
}

/// True if pointers can be values. Otherwise warns why they cannot.
fn may_be_values(unit: &ast::Unit, chosen: &lower::Chosen, sink: &mut source::Sink) -> bool {
    let make = "differentiate a function that has arrays as parameters, makes what this one needs, and calls it";
    let head = lower::leads_on(unit, chosen).map(|d| {
        let what = "returns a pointer, and the function to differentiate returns one to numbers, or a structure of them";
        (d, what, make)
    });
    let given = expand::given_with_pointers(unit, &chosen.read).map(|f| {
        let what = "has pointers as parameters, and derivatives or a value that are given";
        let help = "leave out what is given, where the function is defined in the file";
        (unit.functions[f].decl, what, help)
    });
    let Some((d, what, help)) = head.or(given) else {
        return true;
    };
    let decl = unit.decl(d);
    let message = format!("pointers cannot be values here: {} {what}", decl.name);
    sink.warning(&codes::POINTER, decl.at, message, help);
    false
}
