//! Programs without records, with a variable for each scalar and array of scalars in a record; and the way back.

pub mod group;
mod layout;
pub mod split;

pub use group::{Grouped, regroup};
pub use split::{split, split_with_parts, without_records};
