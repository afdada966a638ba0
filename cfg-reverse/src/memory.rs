//! The reads and writes of the original's statements, and the variables that share cells.

pub(crate) mod increments;
pub(crate) mod loops;
pub(crate) mod shared;
pub(crate) mod summary;
