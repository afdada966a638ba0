//! Embedded executor for cfgrev programs: register code, typed tapes, limits.
//!
//! A program is compiled once ([`Compiled`]) and run any number of times ([`Session`]): memory and tapes are kept
//! from run to run. Everything that can go wrong in a run is a [`Diagnostic`](cfg_core::diagnostic::Diagnostic) with
//! routine, vertex and statement; nothing panics and nothing uses the stack of the machine for the program's calls.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::flat::Flat;
//! use cfg_core::ir::ScalarType::{Integer, Real};
//! use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
//!
//! // s = x(1)*y(1) + ... + x(n)*y(n)
//! let mut f = RoutineBuilder::new("dot");
//! let n = f.input("n", Integer);
//! let (x, y) = (f.input("x", Real.array([n])), f.input("y", Real.array([n])));
//! let s = f.output("s", Real);
//! let i = f.local("i", Integer);
//! f.assign(s, 0.0);
//! f.for_loop(i, 1, n, |f| f.assign(s, s + x.at(i) * y.at(i)));
//! let mut program = ProgramBuilder::new();
//! let dot = program.add(f);
//!
//! let compiled = Compiled::new(&Flat::check(program.finish()?)?, &CompileOptions::default())?;
//! let mut session = Session::new(&compiled);
//! let mut arguments = [
//!     Argument::from(3),
//!     Value::from_reals(&[1.0, 2.0, 3.0]).into(),
//!     Value::from_reals(&[4.0, 5.0, 6.0]).into(),
//!     Argument::Absent,
//! ];
//! // Room for what comes out; its shape follows from the other arguments.
//! arguments[3] = session.uninitialised_argument(dot, s, &arguments)?;
//! let report = session.run(dot, &mut arguments, &RunOptions::default())?;
//! assert_eq!(arguments[3].value().and_then(|s| s.get_f64(0)), Some(32.0));
//! assert!(report.steps > 0 && report.tape.pushes == 0);
//!
//! // The second array is too short.
//! arguments[2] = Value::from_reals(&[4.0, 5.0]).into();
//! let problem = session.run(dot, &mut arguments, &RunOptions::default()).unwrap_err();
//! assert_eq!(problem.code, "X219");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How programs run
//!
//! - The executor runs forward sweeps, reverse sweeps, tangents and originals alike: it knows nothing about
//!   reversal. [`RunReport::tape`] says exactly what the tapes were used for. A tape may be an argument
//!   of the host ([`Argument::Tape`]) that carries values from one run to the next.
//! - **Uninitialised values** are copied, saved and computed with; the result of arithmetic on one is one.
//!   It is an error if one decides a branch, a loop, a subscript or an extent. Whether a result may
//!   be uninitialised is for the caller to say: [`Value::check_initialised`]. `and` and `or` stop at an
//!   uninitialised operand, which is then their value. A strong product of 0 with anything is 0. The
//!   integer -6674804268309651741 marks an uninitialised integer and cannot be used as a value.
//! - **Reals** are IEEE 754 binary64, rounded after each operation; there is one NaN.
//!   [`CompileOptions::math`] chooses the implementation of the elementary functions.
//! - **Counted loops** evaluate first, last and step on entry, in any order, then set the index. If the
//!   index after the last pass, first + n*step, does not fit into 64 bits, that is an overflow (only
//!   if there was a pass).
//! - **Arguments** are passed by reference. The executor works on copies where no program can tell. Two arguments of
//!   a call, or an argument and a global that the routine or a callee uses, must not share cells if one of them is
//!   written: this is an error, tested cell by cell, unless the routine is marked as aliased. Subscripts of the place
//!   that takes a function's result are evaluated before the call, after the arguments. `out` parameters are
//!   uninitialised at entry.
//! - **Array operations** compute scalar operands first (of a conditional expression with a scalar
//!   condition, those of the chosen arm; in an arm that is chosen element by element, those that cannot
//!   fail), then element by element. If the target may share cells, in another arrangement, with operands that are
//!   still to be read, the result goes through a temporary array. `cfg-transform` has the steps, as data.
//! - **Limits** are in [`RunOptions`]: steps, bytes of tapes, bytes of memory, nested calls. Sessions that share
//!   a [`Memory`] share the limit on memory.
//! - **Files**: one stack of each tape lies in a file in the folder [`RunOptions::disk`], as soon as it has more than
//!   64 KiB. The file has no name there.
//!
//! Inside: expressions become 8-byte instructions over a window of 256 registers per call; scalars whose
//! address is taken and arrays live in one memory of 64-bit cells, arrays behind descriptors (base, and
//! lower bound, extent and stride of each dimension). [`Compiled::listing`] shows the code, and [`native`] is the
//! interface of compilers that turn it into machine code.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod cell;
mod code;
mod compile;
mod descriptor;
mod disk;
mod evaluate;
mod fault;
mod machine;
mod memory;
pub mod native;
mod passes;
mod restart;
mod session;
mod tape;
mod value;

pub use code::Callback;
pub use compile::{CompileOptions, Compiled, stopped};
pub use fault::{CODES, Pointed};
pub use memory::{Lease, Memory};
pub use restart::{Progress, Report, Restart};
pub use session::{Met, RunOptions, RunReport, Session, Visited};
pub use tape::{Stacks, Tape, TapeCounts, TapeSize};
pub use value::{Argument, Value};
