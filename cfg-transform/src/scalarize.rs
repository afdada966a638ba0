//! Array statements as loops over scalar code.
//!
//! A [`Scalarizer`] turns an assignment to an array, a reduction or an array-valued operand into a [`Form`]: steps in
//! the order of evaluation. Scalar operands are evaluated once, sections are checked, extents are compared, and
//! elementwise work is a [`Loop`] with a scalar body. The executor translates forms to register code, back ends print
//! them as loops. A temporary array is made only if the target may share cells with operands that are still to be
//! read.
//!
//! ```
//! use cfg_core::{flat::Flat, memory::locations::Locations, validate::validate};
//! use cfg_format::text;
//! use cfg_transform::scalarize::{Scalarizer, print};
//!
//! let parsed = text::parse("
//! subroutine f(in integer n, inout real x[n], in real y[n])
//!   x := x*y[1] + 2.0*y
//! end
//! ");
//! let program = Flat::check(validate(parsed.program.ok_or(parsed.problems)?)?)?;
//! let routine = &program.routines[0];
//! let locations = Locations::divide(&program, routine);
//! let scalarizer = Scalarizer::new(routine, &locations);
//! let mut out = String::new();
//! for (target, value) in routine.statements().filter_map(|s| s.kind.assignment()) {
//!     let form = scalarizer.assignment(target, value).expect("the program is valid");
//!     print(&mut out, &program, routine, &form).expect("strings take everything");
//! }
//! assert_eq!(out, "\
//! s2 := y[1]
//! y must conform with x
//! for all of x with e1 in x, e3 in y
//!   x := e1*s2 + 2.0*e3
//! ");
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

mod form;
mod lazy;
mod lower;
mod print;

pub use form::{Action, Array, ArrayId, Element, Form, Loop, Part, Step};
pub use lower::{Malformed, Scalarizer, is_allocatable};
pub use print::print;
