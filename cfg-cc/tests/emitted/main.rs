//! Emitted C against the executor.

mod by_hand;
mod random;
mod support;
