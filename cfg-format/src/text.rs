//! Reading the text form of programs, which [`cfg_core::text`] prints.
//!
//! [`parse`] reads the output of `Program`'s `Display`; only annotations are lost. The language is described in
//! `docs/text.md`.
//!
//! ```
//! use cfg_format::text;
//!
//! let source = "subroutine square(in real x, out real y)\n  y := x*x\nend\n";
//! let program = text::parse(source).program.expect("no problem was found");
//! assert_eq!(program.routines[0].name, "square");
//! assert_eq!(program.to_string(), source);
//!
//! let problems = text::parse("subroutine square(in real x, out real y)\n  y := x*z\nend\n").problems;
//! assert_eq!(problems.0[0].at.line, Some(2));
//! ```

pub mod codes;
mod lex;
mod parse;

pub use parse::{Parsed, Places, extents, load, parse, read};
