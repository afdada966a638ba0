//! Regions of loops and branches whose local Jacobians the forward sweep carries along.
//!
//! `find` looks for regions with few derivatives in and out, `scan` reads the statements of one, `code` writes it:
//! tangents by each input inside, the entries of the Jacobian behind it, and the adjoint. `choose` takes the regions
//! that pay.

pub(crate) mod choose;
pub(crate) mod code;
pub(crate) mod find;
pub(crate) mod live;
pub(crate) mod scan;
