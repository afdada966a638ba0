//! Emitted C against the executor.

mod breaking;
mod by_hand;
mod called;
mod checks;
mod corpus;
mod directions;
mod families;
mod interface;
mod origins;
mod random;
mod results;
mod second;
mod sized;
mod support;
mod trial;
