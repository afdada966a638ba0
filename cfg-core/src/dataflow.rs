//! The data-flow framework: analyses over a [`Cfg`] solved with a worklist.
//!
//! An [`Analysis`] names its direction, its lattice and the effect of a statement on a state; [`solve`] computes the
//! least solution, and [`Solution::at`] the state at any [`Point`]: before and after each statement, and on each edge.
//! Analyses over locations or variables use [`Set`] (joined by union), whose states lie packed; a routine that is too
//! large for a state per vertex has one state for all points. [`solve_across_calls`] visits routines until the facts
//! of each about the others change no more.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::dataflow::{Analysis, Direction, Point, Position, Set, solve};
//! use cfg_core::entity::VertexId;
//! use cfg_core::ir::{Cfg, ScalarType::Real, Stmt, Vertex};
//!
//! /// The variables that may have been assigned.
//! struct Assigned(usize);
//!
//! impl Analysis for Assigned {
//!     const NAME: &'static str = "assigned";
//!     const DIRECTION: Direction = Direction::Forward;
//!     type Domain = Set;
//!     fn bottom(&self, _: &Cfg) -> Set {
//!         Set::new(self.0)
//!     }
//!     fn boundary(&self, cfg: &Cfg) -> Set {
//!         self.bottom(cfg)
//!     }
//!     fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
//!         if let Some((target, _)) = statement.kind.assignment() {
//!             state.insert(target.var.index());
//!         }
//!     }
//!     fn decision(&self, _: VertexId, _: &Vertex, _: &mut Set) {}
//! }
//!
//! let mut f = RoutineBuilder::new("f");
//! let (x, y) = (f.input("x", Real), f.output("y", Real));
//! let t = f.local("t", Real);
//! f.assign(t, sin(x));
//! f.assign(y, t * t);
//! let mut p = ProgramBuilder::new();
//! let f = p.add(f);
//! let p = p.finish()?;
//! let routine = p.routine(f);
//! if let Some(cfg) = &routine.body {
//!     let analysis = Assigned(routine.variables.len());
//!     let solution = solve(cfg, &analysis);
//!     let second = Position { vertex: VertexId::new(1), statement: 1 };
//!     let before = solution.at(cfg, &analysis, Point::Before(second));
//!     assert!(before.contains(t.index()) && !before.contains(y.index()));
//! }
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

mod across_calls;
mod lattice;
mod point;
mod reached;
mod set;
mod solver;
#[cfg(test)]
mod tests;
mod worklist;

pub use across_calls::{Wake, solve_across_calls};
pub use lattice::{Lattice, Packed, Store};
pub use point::{Point, Position};
pub use reached::{Reached, executed_prefix};
pub use set::Set;
pub use solver::{FLOW_LIMIT, Solution, solve, solve_within};
pub use worklist::Worklist;

use crate::{
    entity::{EdgeId, VertexId},
    ir::{Cfg, Stmt, Vertex},
};

/// The direction in which facts flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The flow from ENTRY along the edges.
    Forward,
    /// The flow from EXIT against the edges.
    Backward,
}

/// A data-flow analysis.
pub trait Analysis {
    /// The name of the analysis in outputs and options.
    const NAME: &'static str;
    /// The direction in which facts flow.
    const DIRECTION: Direction;
    /// The facts that hold at a point.
    type Domain: Lattice;

    /// The least element: the state of a point that no path has reached yet.
    fn bottom(&self, cfg: &Cfg) -> Self::Domain;

    /// The facts that hold at ENTRY (forward) or EXIT (backward).
    fn boundary(&self, cfg: &Cfg) -> Self::Domain;

    /// The effect of a statement on the state, in the direction of the analysis.
    fn statement(&self, at: Position, statement: &Stmt, state: &mut Self::Domain);

    /// The effect on the state of the decision of a LOOP or BRANCH: reading its condition, and assigning the index of a
    /// counted loop.
    fn decision(&self, v: VertexId, vertex: &Vertex, state: &mut Self::Domain);

    /// True if an edge changes the state that goes along it. The default says that none does.
    fn changes_on(&self, cfg: &Cfg, e: EdgeId) -> bool {
        let _ = (cfg, e);
        false
    }

    /// The effect on the state of an edge that changes it.
    fn edge(&self, cfg: &Cfg, e: EdgeId, state: &mut Self::Domain) {
        let _ = (cfg, e, state);
    }

    /// The effect of a whole vertex on the state: its statements, then its decision (backward in the opposite order).
    fn transfer(&self, cfg: &Cfg, v: VertexId, state: &mut Self::Domain) {
        let vertex = cfg.vertex(v);
        let statements = vertex.statements().iter().enumerate();
        let position = |statement| Position {
            vertex: v,
            statement,
        };
        match Self::DIRECTION {
            Direction::Forward => {
                for (s, code) in statements {
                    self.statement(position(s), code, state);
                }
                self.decision(v, vertex, state);
            }
            Direction::Backward => {
                self.decision(v, vertex, state);
                for (s, code) in statements.rev() {
                    self.statement(position(s), code, state);
                }
            }
        }
    }
}
