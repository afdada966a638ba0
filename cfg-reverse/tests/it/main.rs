//! Properties and golden files of the transformations.

mod adjoint;
mod general;
mod measure;
mod preaccumulate;
mod recovered;
mod run;
mod second_order;
mod tangent;
