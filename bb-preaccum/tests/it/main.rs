//! Tests of the crate's public interface.

mod chains;
mod corpus;
mod faces;
mod heuristics;
#[path = "../../examples/shared/kinds.rs"]
mod kinds;
#[path = "../../examples/shared/numbers.rs"]
mod numbers;
mod properties;
mod random;
mod reader;
mod results;
mod unseen;
