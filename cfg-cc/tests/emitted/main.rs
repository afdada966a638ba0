//! Emitted C against the executor.

mod by_hand;
mod checks;
mod corpus;
mod directions;
mod interface;
mod random;
mod support;
