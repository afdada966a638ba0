//! Adjoint and tangent programs from control-flow graphs.

mod activity;
mod assignment;
pub mod codes;
mod control;
mod draft;
mod linearize;
mod merge;
mod names;
mod normalize;
mod plan;
mod rename;
mod reverse;
mod sweeps;
mod tangent;
mod typing;

pub use merge::merge;
pub use plan::FLOW_LIMIT;
pub use reverse::{Options, Reversal, reverse};
pub use tangent::{Tangent, tangent};
