//! Emitted C against the executor.

mod interface;
mod random;
mod support;
