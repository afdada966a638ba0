//! Properties and golden files of the transformations.
#![allow(clippy::print_stdout, reason = "tests print what they measure")]

mod adjoint;
mod annotations;
mod extents;
mod general;
mod measure;
mod outputs;
mod pictures;
mod preaccumulate;
mod recovered;
mod run;
mod second_order;
mod tangent;
