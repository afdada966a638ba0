//! Jacobian preaccumulation by vertex, edge and face elimination on linearized computational graphs.

pub mod cost;
pub mod eliminate;
pub mod heuristic;
pub mod lcg;
