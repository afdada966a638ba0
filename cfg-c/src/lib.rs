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

use cfg_core::{diagnostic::Diagnostics, ir::Program, validate::validate};

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
    let mut again = sink.clone();
    let first = translate(&read, options, false, &mut sink);
    // Pointers are resolved to arrays and indices where that can be done; else they are values.
    let second = match first {
        // What is refused as a program is told as it was met first.
        None => translate(&read, options, true, &mut again)
            .filter(|program| validate(program.clone()).is_ok()),
        Some(_) => None,
    };
    match (first, second) {
        (None, Some(program)) => Read {
            program: Some(program),
            problems: again.found,
        },
        (program, _) => Read {
            program,
            problems: sink.found,
        },
    }
}

/// The program of a file whose tokens are read; with pointers as values, or as places in arrays.
fn translate(
    read: &preprocess::Preprocessed,
    options: &Options,
    values: bool,
    sink: &mut source::Sink,
) -> Option<Program> {
    let choices = &read.choices;
    let mut unit = parse::parse(&read.tokens, &read.externals, choices, sink);
    // What could not be read would be missing.
    if sink.found.has_errors() {
        return None;
    }
    let chosen = lower::chosen(&unit, options, sink)?;
    unreached::take_out(&mut unit);
    messages::leave_out(&mut unit, &chosen.read);
    texts::leave_out(&mut unit, &chosen.read);
    lower::place_passive(&mut unit, choices, &chosen, sink);
    if !values {
        if !expand::expand(&mut unit, &chosen.read, sink) {
            return None;
        }
        blocks::take_out(&mut unit);
    } else if lower::leads_on(&unit, &chosen) || expand::takes_places(&unit, &chosen.read) {
        // Copies of functions for what they are given are made for pointers that are places.
        return None;
    }
    let program = lower::lower(&unit, &chosen, choices, values, sink);
    program.filter(|_| !sink.found.has_errors())
}
