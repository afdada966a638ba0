//! The interface of back ends.

use cfg_back::dot::DotOptions;
use cfg_core::diagnostic::{CodeInfo, Diagnostics};
use cfg_core::entity::RoutineId;
use cfg_core::ir::Program;
use cfg_reverse::{Reversal, Tangent};
use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::io::{self, Write};

/// A form that programs are written in.
pub trait BackEnd: Debug + Sync {
    /// The name, as `--emit` and `--to` take it.
    fn name(&self) -> &'static str;

    /// The line of help for these subjects; `None` if this form has no way to write them.
    fn help(&self, of: Subjects) -> Option<Help>;

    /// The extension of a file, without the dot.
    fn extension(&self, options: &WriteOptions) -> &'static str;

    /// All codes of its problems; none by default.
    fn codes(&self) -> &'static [CodeInfo] {
        &[]
    }

    /// True if a picture of one routine is drawn, with [`WriteOptions::picture`]. Several pictures in one file are
    /// panels, for which callers call [`cfg_back::dot::write_panels`]: no other form has titles and places beside
    /// one another.
    fn is_picture(&self) -> bool {
        false
    }

    /// True if code is written, with [`WriteOptions::c`]. One file has all routines of a derivative, which is why
    /// [`Subject::derivative`] is needed: its functions, their declarations and what they share depend on the roles of
    /// the routines. The other forms write any program, and so each part of a derivative for itself.
    fn is_code(&self) -> bool {
        false
    }

    /// The writer of a subject. All refusals happen here, so that a caller creates no file for a subject that has no
    /// form.
    ///
    /// # Errors
    /// A part of the subject cannot be written in this form.
    fn writer<'p>(
        &self,
        subject: Subject<'p>,
        options: &WriteOptions,
    ) -> Result<Writer<'p>, Diagnostics>;
}

impl PartialEq for dyn BackEnd + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// Writes a subject to an output. The errors are those of the output.
pub type Writer<'p> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'p>;

/// The kinds of subjects, by the commands that write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subjects {
    /// Programs that were read.
    Programs,
    /// Programs with forward and reverse sweeps.
    Reversals,
    /// Programs with tangents.
    Tangents,
}

/// A line of help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Help {
    /// Forms with smaller numbers come first, and those with equal ones in the order of the registry.
    pub order: u8,
    /// The line, without a full stop.
    pub about: &'static str,
}

/// A program to be written.
#[derive(Clone, Debug)]
pub struct Subject<'p> {
    /// The program. A back end that changes it before it is written makes no copy of an owned one.
    pub program: Cow<'p, Program>,
    /// The routine of a picture; with `None` nothing is drawn.
    pub drawn: Option<RoutineId>,
    /// The derivative that the program has, if all of it is to be written.
    pub derivative: Option<Derivative<'p>>,
}

/// A derivative, with its routines and their roles.
#[derive(Clone, Copy, Debug)]
pub enum Derivative<'p> {
    /// The sweeps and the gradient.
    Reversal(&'p Reversal),
    /// The tangent.
    Tangent(&'p Tangent),
}

/// How forms are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// How pictures are drawn.
    pub picture: DotOptions,
    /// How code is written.
    pub c: cfg_back::c::Options,
    /// Programs with a derivative also have it in several directions at once.
    pub directions: Option<cfg_reverse::Directions>,
}

/// Adapts a byte stream to emitters of text ([`fmt::Write`]), whose error says nothing: the stream's own is kept
/// here.
pub struct TextWriter<'w> {
    out: &'w mut dyn Write,
    error: Option<io::Error>,
}

impl<'w> TextWriter<'w> {
    /// Runs an emitter.
    ///
    /// # Errors
    /// The errors are those of `out`, and one for a text that cannot be formatted.
    pub fn run(
        out: &'w mut dyn Write,
        emit: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> io::Result<()> {
        let mut writer = Self { out, error: None };
        match emit(&mut writer) {
            Ok(()) => Ok(()),
            Err(fmt::Error) => Err(writer
                .error
                .unwrap_or_else(|| io::Error::other("the text could not be formatted"))),
        }
    }
}

impl fmt::Write for TextWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|e| {
            self.error = Some(e);
            fmt::Error
        })
    }
}
