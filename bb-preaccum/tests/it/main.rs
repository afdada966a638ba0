//! Tests of the crate's public interface.

mod corpus;
mod faces;
mod heuristics;
mod properties;
mod random;
mod reader;
mod results;
