//! Properties and golden files of the transformations.

mod adjoint;
mod tangent;
