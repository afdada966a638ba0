//! Emitted C against the executor.

mod breaking;
mod by_hand;
mod called;
mod carried;
mod checks;
mod contracted;
mod corpus;
mod directions;
mod families;
mod globals;
mod held;
mod interface;
mod jammed;
mod markers;
mod originals;
mod origins;
mod overlaps;
mod random;
mod results;
mod second;
mod second_called;
mod sized;
mod support;
mod trial;
mod unrolled;
