//! Tests of the transformations on random programs.

mod outline;
mod scalarize;
