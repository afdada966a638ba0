//! Random programs, golden files and reference algorithms for the tests of cfgrev.

pub mod case;
pub mod census;
pub mod generate;
pub mod interpret;
pub mod rng;
pub mod tree;
