//! The operators in C, compiled, against the table of elemental functions: the same bits.

// The module is not public; its sources are part of this test.
#[path = "../../src/c"]
mod c {
    #[allow(dead_code, reason = "checks are tested with whole programs, in cfg-cc")]
    pub(crate) mod operators;
}

mod compiled;
mod random;
mod table;
mod texts;
mod values;
