//! Tests of the transformations on random programs.

mod group;
mod outline;
mod scalarize;
