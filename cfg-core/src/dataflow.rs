//! The data-flow framework: analyses over a [`Cfg`] solved with a worklist.
//!
//! An [`Analysis`] names its direction, its lattice and what a statement does to a state; [`solve`]
//! computes the least solution. Analyses over sets of variables use [`FixedBitSet`] (joined by union).
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::dataflow::solve;
//! use cfg_core::ir::ScalarType::Real;
//! use cfg_core::memory::{effects::Effects, liveness::Liveness};
//!
//! let mut f = RoutineBuilder::new("f");
//! let (x, y) = (f.input("x", Real), f.output("y", Real));
//! let t = f.local("t", Real);
//! f.assign(t, sin(x));
//! f.block();
//! f.assign(y, t * t);
//! let mut p = ProgramBuilder::new();
//! let f = p.add(f);
//! let p = p.finish()?;
//! if let Some(cfg) = &p.routine(f).body {
//!     let effects = Effects::of(&p);
//!     let liveness = Liveness::new(&p, &effects, p.routine(f));
//!     let live = solve(cfg, &liveness);
//!     let between = cfg.vertices().nth(2).map(|(v, _)| live.before(cfg, &liveness, v)); // before the second block
//!     assert!(between.is_some_and(|set| set.contains(t.index()) && !set.contains(y.index())));
//! }
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

mod lattice;
mod solver;
#[cfg(test)]
mod tests;

pub use lattice::Lattice;
pub use solver::{Solution, solve};

use crate::{
    entity::{EdgeId, VertexId},
    ir::{Cfg, Stmt, Vertex},
};
#[cfg(doc)]
use fixedbitset::FixedBitSet;

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

    /// The least element: what is known of a point that no path has reached yet.
    fn bottom(&self, cfg: &Cfg) -> Self::Domain;

    /// The facts that hold at ENTRY (forward) or EXIT (backward).
    fn boundary(&self, cfg: &Cfg) -> Self::Domain;

    /// The effect of a statement on the state, in the direction of the analysis.
    fn statement(&self, statement: &Stmt, state: &mut Self::Domain);

    /// The effect on the state of the decision of a LOOP or BRANCH: reading its condition, and assigning the index of a
    /// counted loop.
    fn decision(&self, vertex: &Vertex, state: &mut Self::Domain);

    /// The state at the far end of an edge, if the edge changes it. The default does not.
    fn edge(&self, cfg: &Cfg, e: EdgeId, state: &Self::Domain) -> Option<Self::Domain> {
        let _ = (cfg, e, state);
        None
    }

    /// The effect of a whole vertex on the state. The default goes through its statements.
    fn transfer(&self, cfg: &Cfg, v: VertexId, state: &mut Self::Domain) {
        let vertex = cfg.vertex(v);
        let statements = vertex.statements();
        match Self::DIRECTION {
            Direction::Forward => {
                for s in statements {
                    self.statement(s, state);
                }
            }
            Direction::Backward => {
                for s in statements.iter().rev() {
                    self.statement(s, state);
                }
            }
        }
        self.decision(vertex, state);
    }
}
