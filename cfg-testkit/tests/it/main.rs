//! Properties of the generated programs and of the fixtures.

mod files;
mod generated;
mod jumps;
mod recovered;
