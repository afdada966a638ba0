//! Adjoint and tangent programs from control-flow graphs.

mod activity;
mod assignment;
mod control;
mod linearize;
mod names;
mod typing;
