//! Adjoint and tangent programs from control-flow graphs.
//!
//! [`reverse()`] takes a valid program and one of its routines and adds three routines: the forward sweep
//! NAME_fwd, which computes the same results and records on a tape what the reverse sweep needs; the
//! reverse sweep NAME_rev, which propagates adjoints backwards; and NAME_grad, which runs both.
//! [`tangent()`] adds NAME_t, the forward mode. Whatever the routine calls is treated likewise. The result
//! is a program like any other: it can be validated, printed, run, drawn, and differentiated again.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
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
//! let program = program.finish()?;
//!
//! let reversal = reverse(&program, f, &Options::default())?;
//! let vertices = |r| reversal.program.routine(r).body.as_ref().map(|g| g.vertex_count());
//! assert_eq!(vertices(reversal.forward), Some(17));
//! assert_eq!(vertices(reversal.reverse), Some(14));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `control` | Algorithms 2 to 5 of the paper as one rule per edge |
//! | `control_general`, `general`, `lower` | the same for general graphs |
//! | `activity`, `dependence` | varied, useful, active; which dependents depend on which independents |
//! | `linearize`, `assignment` | partial derivatives of an expression; tangent and adjoint of an assignment |
//! | `plan` | to-be-recorded analysis; how loops are counted |
//! | `normalize`, `draft`, `sweeps`, `reverse` | from a program to its sweeps |
//! | `merge` | inserted blocks merged into neighbours |
//! | `trace` | the enumeration of executed blocks |
//! | `tangent` | the tangent program |

mod activity;
mod assignment;
mod atoms;
mod block;
mod blocks;
mod choose;
pub mod codes;
mod control;
mod control_general;
mod dependence;
mod draft;
mod general;
mod jacobian;
mod linearize;
mod lower;
mod merge;
mod names;
mod normalize;
mod places;
mod plan;
pub mod preaccumulate;
mod rename;
mod reverse;
mod segments;
mod sweeps;
mod tangent;
mod trace;
mod typing;

pub use blocks::Blocks;
pub use dependence::dependence;
pub use merge::merge;
pub use plan::FLOW_LIMIT;
pub use reverse::{Options, Reversal, Unstructured, reverse};
pub use tangent::{Tangent, tangent};
