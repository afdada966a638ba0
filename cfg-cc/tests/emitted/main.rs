//! Emitted C against the executor.

mod random;
mod support;
