//! Properties of the generated programs and of the fixtures.

#![allow(clippy::print_stdout, reason = "tests print what they measure")]

mod effects;
mod external;
mod faults;
mod files;
mod generated;
mod jumps;
mod members;
mod pointers;
mod recovered;
mod same;
mod sections;
mod text;
mod variants;
mod visit;
