//! Random programs and graphs: effects, text, visits, and structure recovery there and back.

#![allow(clippy::print_stdout, reason = "tests print what they measure")]

mod changed;
mod counted;
mod effects;
mod jumps;
mod recovered;
mod recovery;
mod rules;
mod text;
mod verdicts;
mod visit;
