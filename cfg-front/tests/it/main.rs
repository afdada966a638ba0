//! Tests of the XAIF front end on documents of its own and on the corpus.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests say plainly what they skip"
)]

#[path = "../../../fuzz/bodies/xaif_changes.rs"]
mod changes;
mod corpus;
mod fixtures;
mod hostile;
mod oracle;
mod round_trip;
mod variants;
