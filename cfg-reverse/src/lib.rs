//! Adjoint and tangent programs from control-flow graphs.
//!
//! [`reverse()`] takes a valid program and one of its routines and adds three routines: the forward sweep
//! NAME_fwd, which computes the same results and records on a tape what the reverse sweep needs; the
//! reverse sweep NAME_rev, which propagates adjoints backwards; and NAME_grad, which runs both.
//! [`tangent()`] adds NAME_t, the forward mode. Every routine that it calls is treated likewise. The result is a
//! program like any other: it can be validated, printed, run, drawn, and differentiated again.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::flat::Flat;
//! use cfg_core::ir::ScalarType::{Integer, Logical, Real};
//! use cfg_reverse::{Options, reverse};
//!
//! // The example of Naumann et al. 2004, section 2.
//! let mut f = RoutineBuilder::new("f");
//! let x = f.input("x", Real.array([2]));
//! let y = f.output("y", Real.array([3]));
//! let i = f.local("i", Integer);
//! let more = f.local("more", Logical);
//! f.independents([x]).dependents([y]);
//! f.assign(i, 1);
//! f.block();
//! f.assign(more, lt(i, 3));
//! f.while_loop(more, |f| {
//!     f.if_else(
//!         lt(i, 2),
//!         |f| f.assign(y.at(2), sin(x.at(1))),
//!         |f| f.assign(y.at(1), cos(x.at(2))),
//!     );
//!     f.assign(i, i + 1);
//!     f.assign(more, lt(i, 3));
//! });
//! f.assign(y.at(3), y.at(1) * y.at(2));
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let program = Flat::check(program.finish()?)?;
//!
//! let reversal = reverse(&program, f, &Options::default())?;
//! let vertices = |r| reversal.program.routine(r).body.as_ref().map(|g| g.vertex_count());
//! assert_eq!(vertices(reversal.forward), Some(17));
//! assert_eq!(vertices(reversal.reverse), Some(14));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! # From statements, or from Jacobians
//!
//! The adjoint of a basic block is built statement by statement, or from its preaccumulated Jacobian:
//! [`Options::blocks`]. A chain of operations then leaves one value on the tape.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::flat::Flat;
//! use cfg_core::ir::{ScalarType::Real, StmtKind};
//! use cfg_reverse::{Blocks, Options, reverse};
//!
//! let mut f = RoutineBuilder::new("f");
//! let (x, y) = (f.input("x", Real), f.output("y", Real));
//! f.independents([x]).dependents([y]);
//! f.assign(y, sin(x));
//! f.assign(y, cos(y));
//! f.assign(y, y * y * y);
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let program = Flat::check(program.finish()?)?;
//!
//! let pushes = |blocks| -> Result<usize, cfg_core::diagnostic::Diagnostics> {
//!     let r = reverse(&program, f, &Options { blocks, ..Options::default() })?;
//!     let graph = r.program.routine(r.forward).body.as_ref();
//!     let vertices = graph.into_iter().flat_map(|g| g.vertices());
//!     let statements = vertices.flat_map(|(_, vertex)| vertex.statements());
//!     Ok(statements.filter(|s| matches!(s.kind, StmtKind::Push { .. })).count())
//! };
//! assert_eq!(pushes(Blocks::Statement)?, 2); // y before its second and third assignment
//! assert_eq!(pushes(Blocks::Preaccumulate)?, 1); // dy/dx
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! The folders, each of which builds on those above it:
//!
//! | folder | what |
//! |---|---|
//! | `code` | names, types, temporaries, small expressions; graphs that are taken apart, put together and checked |
//! | `memory` | what statements and calls read and write, which variables share cells |
//! | `prepare` | the program in normal form, and which routines get sweeps |
//! | `partials` | partial derivatives of an expression; tangent and adjoint of an assignment |
//! | `plan` | what is recorded: how loops are counted, ways through general graphs, overwritten values |
//! | `blocks` | adjoints of basic blocks, statement by statement or from preaccumulated Jacobians |
//! | `control` | the graphs of the sweeps: Algorithms 2 to 5 of the paper, general graphs, traces |
//! | `sweeps` | what stands in these graphs |
//! | `checkpoint` | sweeps of parts that run again from states that were kept |
//! | `gradient` | both sweeps in one routine |
//! | `records` | records split before, and put together after |
//! | `reverse`, `preaccumulate`, `tangent` | the lists of passes |
//! | `directions` | derivatives in several directions at once |
//! | `unused_parameters` | what nothing uses, taken out of programs that become code |
//! | [`explain`] | the plan as a person reads it |

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod blocks;
mod checkpoint;
mod code;
pub mod codes;
mod control;
mod directions;
pub mod explain;
mod externals;
mod gradient;
mod limit;
mod memory;
mod options;
mod partials;
#[cfg(test)]
mod passes;
mod plan;
pub mod preaccumulate;
mod prepare;
mod promised;
mod records;
mod reverse;
mod sweeps;
mod tangent;
mod unused_parameters;
mod versions;

pub use cfg_analysis::dependence::dependence;
pub use cfg_core::elemental::Strong;
pub use checkpoint::schedule::{Row, checkpoint_schedule};
pub use control::merge::merge;
pub use directions::{Count, Directions, InDirections, directions};
pub use limit::keep_states;
pub use options::{
    Blocks, Inside, Options, Order, Overlap, Prefer, Results, Search, TangentOptions, Unstructured,
};
pub use reverse::{ApartSweeps, Reversal, reverse};
pub use sweeps::zeros::idle::skip_idle_loops;
pub use tangent::{Tangent, tangent, tangent_with};
pub use unused_parameters::without_unused_parameters;
pub use versions::{MOST_STATEMENTS, reverse_in_versions, tangent_in_versions};
