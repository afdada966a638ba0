//! Random programs and graphs: effects, visits, rules, and structure recovery there and back.

#![allow(clippy::print_stdout, reason = "tests print what they measure")]

mod counted;
mod effects;
mod flat;
mod indices;
mod jumps;
mod overlaps;
mod recovered;
mod recovery;
mod roles;
mod rules;
mod shared_effects;
mod verdicts;
mod visit;
