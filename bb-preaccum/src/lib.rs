//! Jacobian preaccumulation by vertex, edge and face elimination on linearized computational graphs.

pub mod bound;
pub mod certificate;
pub mod cost;
pub mod eliminate;
pub(crate) mod exact;
pub mod heuristic;
pub mod lcg;
pub mod search;
