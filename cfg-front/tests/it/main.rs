//! Tests of the XAIF front end on documents of its own and on the corpus.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests say plainly what they skip"
)]

mod corpus;
mod fixtures;
mod hostile;
mod oracle;
mod round_trip;
