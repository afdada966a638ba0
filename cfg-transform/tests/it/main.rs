//! Tests of the transformations on random programs, and of their limits.

mod apart;
mod group;
mod outline;
mod pools;
mod scalarize;
