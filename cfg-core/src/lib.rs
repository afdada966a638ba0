//! The program representation of cfgrev: structured control-flow graphs, their validation and
//! analyses.
//!
//! cfgrev reverses control-flow graphs: it turns a program that computes `y = F(x)` into one that computes gradients
//! of it (reverse-mode, or *adjoint*, differentiation). This crate has the representation on which all other crates
//! stand, and the builder that front ends use; the reversal itself is in `cfg-reverse`, the executor in `cfg-exec`.
//!
//! # A program in a minute
//!
//! A [`Program`](ir::Program) has routines; a routine has variables and a graph. Vertices have the types
//! of Naumann, Utke, Lyons and Fagan (SCAM 2004): ENTRY, EXIT, BASICBLOCK, LOOP, ENDLOOP, BRANCH,
//! ENDBRANCH. Edges carry labels: 1 leads into a loop's body, 1 and 0 into the arms of a two-way branch.
//!
//! The [`builder`] makes programs without a thought for vertices and edges. The following lines build the example of
//! section 2 of the paper and print it; `cfg-reverse` reverses it in one call:
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::ir::ScalarType::{Integer, Logical, Real};
//!
//! let mut f = RoutineBuilder::new("f");
//! let x = f.input("x", Real.array([2]));
//! let y = f.output("y", Real.array([3]));
//! let i = f.local("i", Integer);
//! let more = f.local("more", Logical);
//! f.independents([x]).dependents([y]);
//!
//! f.assign(i, 1);
//! f.block(); // the condition has a vertex of its own
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
//!
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let program = program.finish()?; // validated: all problems at once, or a program that keeps all rules
//!
//! let mut printed = String::new();
//! cfg_core::text::routine(&mut printed, &program, program.routine(f)).unwrap();
//! println!("{printed}");
//! # assert!(printed.contains("y[3] := y[1]*y[2]"), "{printed}");
//! # assert_eq!(program.routine(f).body.as_ref().map(|g| g.vertex_count()), Some(12));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! A graph that is built this way is structured: [`finish`](builder::ProgramBuilder::finish) reports constructs that
//! are left open or ended twice, with all other problems of the program. Only
//! [`RoutineBuilder::body`](builder::RoutineBuilder::body) takes a graph made elsewhere, which is then validated like
//! a file.
//!
//! # Where things are
//!
//! | module | what |
//! |---|---|
//! | [`ir`], [`entity`] | the representation, and the index types that name its parts |
//! | [`flat`] | programs without pointers and records, as reversal, executor and C take them |
//! | [`builder`] | making programs in Rust |
//! | [`edit`] | graphs that are built vertex by vertex, or changed |
//! | [`text`] | programs as text |
//! | [`validate`], [`diagnostic`], [`typing`] | the rules, and messages about violations |
//! | [`structure`] | the nesting of loops and branches, Algorithm 1 |
//! | [`recover`] | loops and branches in graphs of jumps |
//! | [`graph`] | algorithms on any graph: dominators, loop forest |
//! | [`dataflow`] | data-flow analyses of one routine |
//! | [`memory`] | places that may overlap, effects of calls, the call graph |
//! | [`random`] | pseudo-random numbers that are the same on every machine |
//! | [`elemental`] | values and partial derivatives of the elementary functions |

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod builder;
pub mod codes;
pub mod dataflow;
pub mod diagnostic;
pub mod edit;
pub mod elemental;
pub mod entity;
pub mod flat;
pub mod graph;
pub mod ir;
pub mod memory;
pub mod random;
pub mod recover;
pub mod structure;
#[cfg(test)]
mod testing;
pub mod text;
pub mod typing;
pub mod validate;
