//! Tests of the transformations on random programs, and of what they limit.

mod group;
mod outline;
mod pools;
mod scalarize;
