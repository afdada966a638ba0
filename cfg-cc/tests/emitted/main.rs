//! Emitted C against the executor.

mod by_hand;
mod interface;
mod random;
mod support;
