//! Programs without records, and back: each scalar and each array of scalars in a record as a variable of its own.

pub mod group;
mod layout;
pub mod split;

pub use group::{Grouped, regroup};
pub use split::{split, split_with_parts, without_records};
