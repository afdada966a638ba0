//! Programs of cfgrev as files: JSON and the text form, read into the representation of `cfg-core`.
//!
//! [`json`] reads and writes the format `cfgrev/1`, for programs that make programs. [`text`](mod@text) reads the text
//! form, which `cfg-core` prints and people write. The readers report every problem of a file at once, each with line
//! and column; neither depends on derivatives. [`cfg_core::validate`] checks the program that was read.
//!
//! # A file in a minute
//!
//! ```
//! use cfg_core::validate::validate;
//! use cfg_format::{json, text};
//!
//! let parsed = text::parse("
//! subroutine norm(in integer n, in real x[n], out real y)
//!   independent x
//!   dependent y
//!   local integer i
//!   y := 0.0
//!   for i = 1, n
//!     y := y + x[i]**2
//!   end
//!   y := sqrt(y)
//! end
//! ");
//! let program = parsed.program.ok_or(parsed.problems)?;
//!
//! let mut file = Vec::new();
//! json::write(&program, &mut file).expect("memory takes everything");
//! assert_eq!(json::read(&file)?, program);
//!
//! // Validated: all problems at once, or a program that keeps all rules.
//! let valid = json::read_valid(&file)?;
//! assert_eq!(valid.program(), validate(program)?.program());
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! # Where things are
//!
//! | function | subject |
//! |---|---|
//! | [`json::read`], [`json::read_valid`] | a program from JSON, as it is or validated |
//! | [`json::write`](fn@json::write) | a program to JSON |
//! | [`json::schema`](fn@json::schema) | the JSON Schema of programs |
//! | [`json::values`] | documents of values: points, seeds, results |
//! | [`json::pointer`](fn@json::pointer), [`json::locate`](fn@json::locate) | places in a JSON text |
//! | [`text::parse`](fn@text::parse), [`text::read`] | a program from the text form |
//! | [`text::Places`] | places in a text |
//!
//! The text form is printed by [`cfg_core::text`], which messages and pictures use, too.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod json;
pub mod text;
