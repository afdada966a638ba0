//! Properties of the generated programs and of the fixtures.

#![allow(clippy::print_stdout, reason = "tests print what they measure")]

mod arrows;
mod combined;
mod external;
mod faults;
mod files;
mod flat;
mod functions;
mod generated;
mod members;
mod minimum_version;
mod outputs;
mod pointers;
mod same;
mod sections;
mod variants;
