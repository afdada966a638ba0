//! The interface of front ends.

use crate::files::Files;
use crate::options::{OptionSpec, OptionValues};
use cfg_core::diagnostic::{CodeInfo, Diagnostic, Diagnostics};
use cfg_core::entity::RoutineId;
use cfg_core::ir::Program;
use cfg_format::json::Parsed;
use std::fmt::Debug;
use std::io;

/// A language that programs are read in.
///
/// A front end reads and does not validate: callers report its problems together with those of validation.
pub trait FrontEnd: Debug + Sync {
    /// The name, as `--lang` takes it.
    fn name(&self) -> &'static str;

    /// The name in sentences.
    fn title(&self) -> &'static str;

    /// A line of help that says which language it is, without a full stop.
    fn about(&self) -> &'static str;

    /// The extensions of files in this language, in small letters and without the dot; the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// All codes of this front end's problems. Codes are unique over all front ends and crates.
    fn codes(&self) -> &'static [CodeInfo];

    /// The options of this language; none by default.
    fn options(&self) -> &'static [OptionSpec] {
        &[]
    }

    /// Refuses options of this language that exclude one another, or standard input.
    ///
    /// # Errors
    /// The command line is wrong, for this reason.
    fn check_options(&self, options: &OptionValues, standard_input: bool) -> Result<(), String> {
        let _ = (options, standard_input);
        Ok(())
    }

    /// The message for a command line that gives an option of this language with files in another one; `None` without
    /// such an option.
    fn refuse_elsewhere(&self, options: &OptionValues) -> Option<String> {
        let mut own = self.options().iter();
        let given = own.find(|option| options.is_given(option.id))?;
        let name = match (given.long, given.short) {
            (Some(long), _) => format!("--{long}"),
            (None, short) => format!("-{}", short.unwrap_or_default()),
        };
        Some(format!("{name} is for files in {}", self.title()))
    }

    /// Reads an input to its end, unless its beginning shows that it is no text of the language (by default: a zero
    /// byte). Then the beginning may be returned, and [`Self::read`] refuses that.
    ///
    /// # Errors
    /// The input cannot be read, or is no text of this language.
    fn load(&self, input: &mut dyn io::Read) -> Result<Vec<u8>, LoadError> {
        Ok(cfg_format::text::load(input)?)
    }

    /// Reads a program.
    fn read(&self, request: &Request<'_>, files: &mut dyn Files) -> ReadProgram;

    /// The routine that a user means by a name: by default the one with exactly this name.
    fn find_routine(&self, program: &Program, name: &str) -> Option<RoutineId> {
        program.find_routine(name)
    }

    /// True if several files are one program.
    fn joins_files(&self) -> bool {
        false
    }

    /// True if the reader declares the independents and dependents of [`Wanted`] itself.
    fn declares_variables(&self) -> bool {
        false
    }

    /// True if dependents that no statement sets are 0.
    fn zero_dependents(&self) -> bool {
        false
    }

    /// True if the original files can be compiled for comparison: then [`ReadProgram::compiled`] has their sources
    /// and flags.
    fn is_compiled(&self) -> bool {
        false
    }

    /// The end of a message that asks for a main routine: how a file marks one; empty if files cannot.
    fn main_hint(&self) -> &'static str {
        ""
    }

    /// How lines are found for problems that have none; by default, from the spans that the reader attaches.
    fn placement(&self) -> Placement {
        Placement::Spans
    }

    /// The places of the parts of a program in a text, for [`Placement::Pointers`] and [`Placement::Sites`].
    /// `max_memory` is the number of bytes that finding them may take.
    fn places(&self, bytes: &[u8], max_memory: usize) -> Option<Box<dyn Places>> {
        let _ = (bytes, max_memory);
        None
    }
}

impl PartialEq for dyn FrontEnd + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// How the line of a problem is found if the reader has given none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// By JSON pointers, for which [`FrontEnd::places`] has lines.
    Pointers,
    /// By routine, vertex and statement, for which [`FrontEnd::places`] has lines.
    Sites,
    /// By the spans of the program's elements ([`cfg_core::ir::Span`]), in sources that are named like the texts.
    Spans,
    /// Not at all: the reader gives every line that there is.
    Reader,
}

/// The places of the parts of a program in its text.
pub trait Places: Debug {
    /// Sets line and column of problems of this text from their pointers or sites.
    fn locate(&self, bytes: &[u8], problems: Vec<&mut Diagnostic>);
}

/// The reason for which a text could not be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The input cannot be read.
    Input(io::Error),
    /// No text of the language begins like this.
    Text(Diagnostics),
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        Self::Input(error)
    }
}

impl From<Diagnostics> for LoadError {
    fn from(problems: Diagnostics) -> Self {
        Self::Text(problems)
    }
}

/// The text of a file.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    /// The name of the file in messages.
    pub name: &'t str,
    /// Its bytes.
    pub bytes: &'t [u8],
}

/// The routine and the variables that a user wants to differentiate, for languages that do not declare them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The routine; by default the front end chooses.
    pub routine: Option<String>,
    /// The independents; by default the front end chooses, or the file says so.
    pub independents: Vec<String>,
    /// The dependents, likewise.
    pub dependents: Vec<String>,
}

/// Files to read, and how.
#[derive(Clone, Debug)]
pub struct Request<'t> {
    /// The files; more than one only if the front end joins files.
    pub texts: &'t [Text<'t>],
    /// The options that were given.
    pub options: OptionValues,
    /// The routine and the variables to differentiate.
    pub wanted: Wanted,
    /// A rough limit for the bytes of memory that texts and programs take together.
    pub max_memory: usize,
}

impl<'t> Request<'t> {
    /// Files without options, and without a limit.
    pub fn new(texts: &'t [Text<'t>]) -> Self {
        Self {
            texts,
            options: OptionValues::default(),
            wanted: Wanted::default(),
            max_memory: usize::MAX,
        }
    }

    /// The first text, which is the only one for most languages; empty if there is none.
    pub fn text(&self) -> Text<'t> {
        let none = Text {
            name: "",
            bytes: b"",
        };
        self.texts.first().copied().unwrap_or(none)
    }
}

/// A program as a front end has read it.
#[derive(Debug, Default)]
pub struct ReadProgram {
    /// The program, if there is one, and the problems.
    pub parsed: Parsed,
    /// The places in the first text, if reading has found them.
    pub places: Option<Box<dyn Places>>,
    /// The files for a compiler.
    pub compiled: Option<CSource>,
}

impl ReadProgram {
    /// A program, and the problems that were found.
    pub fn new(program: Option<Program>, problems: Diagnostics) -> Self {
        Self::from(Parsed {
            program,
            problems,
            ..Parsed::default()
        })
    }
}

impl From<Parsed> for ReadProgram {
    fn from(parsed: Parsed) -> Self {
        Self {
            parsed,
            ..Self::default()
        }
    }
}

/// The C that a program was read from, for a compiler.
#[derive(Debug)]
pub struct CSource {
    /// The function to differentiate as the file declares it.
    pub signature: cfg_c::Signature,
    /// Names and texts of the files, as they go to the reader; that of the function first.
    pub files: Vec<(String, Vec<u8>)>,
    /// The flags for the folders of included files (`-I` and the like).
    pub flags: Vec<String>,
    /// The codes of the warnings that were reported for the files.
    pub warnings: Vec<&'static str>,
}
