//! Data-flow analyses of programs that are to be differentiated.
//!
//! | file | question | direction |
//! |---|---|---|
//! | `varied` | Which values depend differentiably on an independent? | forward |
//! | `useful` | On which values does a dependent depend differentiably? | backward |
//! | [`activity`] | Which variables are both, anywhere and at each statement, through calls? | both |
//! | [`tbr`] | Which values does the reverse sweep read, so that they must be recorded before they are overwritten? | forward |
//! | [`diff_live`] | Which values do derivatives still need? | backward |
//! | [`liveness`] | Which values may still be read? | backward |
//! | [`antidependence`] | May an element be read before the same cell is written? | – |
//! | [`dependence`] | Which dependents depend on which independents, by variables? | – |
//!
//! All but the last two are instances of [`cfg_core::dataflow`], whose states are sets of the locations that
//! [`cfg_core::memory::locations`] divides a routine's storage into. The equations stand at the head of each file.
//!
//! ```
//! use cfg_analysis::activity::{Activity, Ends};
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::dataflow::Position;
//! use cfg_core::entity::VertexId;
//! use cfg_core::ir::ScalarType::Real;
//! use cfg_core::memory::effects::Effects;
//!
//! let mut f = RoutineBuilder::new("f");
//! let (x, y) = (f.input("x", Real), f.output("y", Real));
//! let t = f.local("t", Real);
//! f.independents([x]).dependents([y]);
//! f.assign(t, 2.0);
//! f.assign(y, t * x);
//! f.assign(t, sin(x));
//! f.assign(y, y + t);
//! let mut p = ProgramBuilder::new();
//! let f = p.add(f);
//! let p = p.finish()?;
//!
//! let effects = Effects::summarise(&p);
//! let activity = Activity::analyse(&p, &effects, f, &effects.calls.reachable(f), Ends::Declared);
//! // `t` has a derivative, but none that contributes to the first value of `y`.
//! assert!(activity.is_active(f, p.routine(f), t));
//! let second = Position { vertex: VertexId::new(1), statement: 1 };
//! assert!(activity.exceptions(f).is_constant(second, t));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod activity;
pub mod antidependence;
pub mod dependence;
pub mod diff_live;
pub mod differentiable;
pub mod exceptions;
mod facts;
mod flow;
pub mod liveness;
pub mod reach;
pub mod tbr;
mod useful;
mod varied;
