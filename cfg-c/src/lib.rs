//! The C front end of cfgrev: numerical functions in C99, unchanged, read into its representation.
//!
//! [`read_c`] reads a file in steps, each with what it finds wrong: `lex` makes tokens; `preprocess` follows directives
//! and expands macros; `parse` makes a syntax tree in which names are resolved; `expand` copies functions for what they are
//! given, functions and memory, and puts some in place of their calls; `lower` turns the functions that are
//! asked for, and those that they call, into routines. See `docs/c.md`.
//!
//! ```
//! let text = b"double square(double x) { return x * x; }";
//! let read = cfg_c::read_c("square.c", text, &cfg_c::Options::default(), &mut cfg_c::NoFiles);
//! assert!(read.problems.is_empty(), "{}", read.problems);
//! let program = read.program.expect("no problem was found");
//! assert_eq!(program.routines[0].name, "square");
//! ```

mod ast;
mod blocks;
mod braces;
mod calls;
mod codes;
mod constant;
mod declared;
mod expand;
mod ids;
mod lex;
mod lower;
mod messages;
mod parse;
mod preprocess;
mod source;
mod texts;
mod types;
mod unreached;

use cfg_core::{diagnostic::Diagnostics, ir::Program};

pub use codes::CODES;
pub use preprocess::{Files, NoFiles};

/// Choices of the user that the file does not make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The function to differentiate; by default the only one that no other calls.
    pub routine: Option<String>,
    /// Functions that are not defined in the files, or whose derivatives are given: what stands behind `external` in
    /// a pragma, `g(x) value(sin(x)) partial(x: cos(x))`.
    pub externals: Vec<String>,
    /// Functions, and variables of the function to differentiate, whose derivatives are taken to be 0.
    pub passive: Vec<String>,
}

/// A program that was read, and the problems that were found.
#[derive(Debug)]
pub struct Read {
    /// The program; `None` if there are errors.
    pub program: Option<Program>,
    /// Errors and warnings, in the order of the steps that found them.
    pub problems: Diagnostics,
}

/// Reads a C file, and what it includes through `files`.
///
/// # Examples
/// The example is that of [the crate's page](self).
pub fn read_c(name: &str, bytes: &[u8], options: &Options, files: &mut dyn Files) -> Read {
    let mut sink = source::Sink::default();
    let read = preprocess::preprocess(name, bytes, options, files, &mut sink);
    let choices = read.choices;
    let mut unit = parse::parse(read.tokens, &read.externals, &choices, &mut sink);
    // What could not be read would be missing.
    let program = if sink.found.has_errors() {
        None
    } else {
        lower::chosen(&unit, options, &mut sink).and_then(|chosen| {
            unreached::take_out(&mut unit);
            messages::leave_out(&mut unit, &chosen.read);
            texts::leave_out(&mut unit, &chosen.read);
            lower::place_passive(&mut unit, &choices, &chosen, &mut sink);
            if !expand::expand(&mut unit, &chosen.read, &mut sink) {
                return None;
            }
            blocks::take_out(&mut unit);
            lower::lower(&unit, &chosen, &choices, &mut sink)
        })
    };
    let program = program.filter(|_| !sink.found.has_errors());
    Read {
        program,
        problems: sink.found,
    }
}
