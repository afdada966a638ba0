//! Random programs and graphs: effects, text, visits, and structure recovery there and back.

mod effects;
mod jumps;
mod recovered;
mod rules;
mod text;
mod visit;
