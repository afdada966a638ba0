//! Tests of the executor from outside.

mod aliasing;
mod arrays;
mod broadcast;
mod calls;
mod common;
mod corners;
mod disk;
mod faults;
mod flow;
mod limits;
mod memory;
mod random;
mod scalars;
mod sections;
mod tapes;
