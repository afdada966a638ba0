//! Emitted C against the executor.

mod by_hand;
mod checks;
mod interface;
mod random;
mod support;
