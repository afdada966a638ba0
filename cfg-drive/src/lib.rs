//! Gradients, tangents, Jacobians and derivative checks of cfgrev programs in one call.

mod absolute;
mod codes;
mod declare;
mod extent;
mod extract;
pub mod point;
mod value;

pub use codes::CODES;
pub use declare::declare;
pub use extract::extract;
pub use point::{Given, Point, Slot};
pub use value::{Array, Data, Real};
