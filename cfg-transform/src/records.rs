//! Programs without records, and back: each scalar and each array of scalars in a record as a variable of its own.

pub mod group;
mod layout;
mod parts;
pub mod split;
mod unsplit;

pub use group::{Grouped, group};
pub use parts::Parts;
pub use split::{split, split_with_parts, without_records};
pub use unsplit::unsplit;
