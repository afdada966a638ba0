//! What the statements of the original read and write, and which variables share cells.

pub(crate) mod loops;
pub(crate) mod named;
pub(crate) mod shared;
pub(crate) mod summary;
