//! Gradients, tangents, Jacobians and derivative checks of cfgrev programs in one call.
//!
//! [`Primal`], [`Adjoint`] and [`Tangent`] are a routine, its adjoint and its tangent, transformed and compiled once;
//! each run reuses memory and tape. [`jacobian()`] computes a whole matrix, [`check()`] tests adjoint against tangent
//! and tangent against divided differences. Points, seeds and directions are JSON objects, as on the command line, or
//! [`Point`]s made by hand. The executor runs them, or an [`Engine`]. [`batch()`] evaluates many points over threads,
//! each with an [adjoint of its own](Adjoint::for_thread) that shares the code. Nothing here reads or writes files.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::flat::Flat;
//! use cfg_core::ir::ScalarType::Real;
//! use cfg_drive::{Adjoint, Options};
//!
//! let mut f = RoutineBuilder::new("f");
//! let x = f.input("x", Real.array([2]));
//! let y = f.output("y", Real);
//! f.independents([x]).dependents([y]);
//! f.assign(y, x.at(1) * sin(x.at(2)));
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let program = Flat::check(program.finish()?)?;
//!
//! let mut adjoint = Adjoint::new(&program, f, &Options::default())?;
//! for text in [r#"{"x": [2, 0]}"#, r#"{"x": [3, 0]}"#] {
//!     let point = adjoint.read_point(text.as_bytes())?;
//!     let seed = adjoint.default_seed(&point)?;
//!     let result = adjoint.gradient(&point, &seed)?;
//!     let (name, gradient) = &result.gradient[0];
//!     println!("{name}: {:?}", gradient.to_f64s());
//!     # assert_eq!(gradient.get_f64(0), Some(0.0));
//! }
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `point`, `seeds`, `json`, `slot` | values of variables by name, in and out |
//! | `records` | records there, and in programs whose records are split before they are run |
//! | `left` | values after a run, in the form of a POINT |
//! | `objects`, `nested` | objects of pointers there, and in programs that take them as arrays |
//! | `same_as` | pointers that a point declares to lead where others do |
//! | `mode`, `options` | a routine, its adjoint, its tangent; how they are made and run |
//! | `engine`, `machine` | engines that run routines in place of the executor; a routine ready to be run by either |
//! | `jacobian` | rows by adjoint or columns by tangent |
//! | `sparsity`, `colouring` | which rows or columns can share a run |
//! | `singular` | where derivatives stop being finite |
//! | `check`, `absolute`, `single_precision` | are the derivatives right, and in which measure |
//! | `batch` | many points over threads |
//! | `corpus` | a folder of XAIF documents against reference Jacobians |
//! | `prepare` | the way from the program that was read to the flat one that is differentiated or run |
//! | `declare`, `extract` | choosing independents and dependents; cutting a program out of another |

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod absolute;
mod batch;
mod check;
mod codes;
mod colouring;
pub mod corpus;
mod declare;
mod engine;
mod extract;
mod given;
mod jacobian;
mod json;
mod left;
mod machine;
mod mode;
mod named;
mod nested;
mod objects;
mod options;
pub mod point;
mod pointed;
mod prepare;
mod records;
mod resized;
mod same_as;
mod seeds;
mod single_precision;
mod singular;
mod sizes;
mod slot;
mod sparsity;
mod template;
mod visits;

pub use batch::batch;
pub use check::{Checked, Differences, DotProduct, Stack, Tolerances, check};
pub use codes::CODES;
pub use declare::declare;
pub use engine::{Engine, Outcome, Runner};
pub use extract::extract;
pub use jacobian::{Jacobian, Mode, compressed_jacobian, jacobian};
pub use json::{Nested, Real, element};
pub use left::left;
pub use mode::{Adjoint, Directional, Gradient, Named, Primal, Run, Tangent, Trace, kink_warnings};
pub use objects::{Shown, Sizes};
pub use options::Options;
pub use point::Point;
pub use prepare::{PointText, Prepared, Wishes, in_text, prepare};
pub use records::Members;
pub use resized::Resized;
pub use same_as::is_in_extents;
pub use singular::{are_finite, not_finite, singular};
pub use sizes::{give_sizes, size_result};
pub use slot::Slot;

/// The example of the repository's README, which is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
