//! Programs as C99.

#[expect(dead_code, reason = "emission follows")]
mod operators;
