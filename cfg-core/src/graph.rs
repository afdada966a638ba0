//! Algorithms on any directed graph, each in a file: dominators, the loop forest.

mod digraph;
pub mod dominance;
pub mod loops;

pub use digraph::{Adjacency, DiGraph, Reversed, postorder, reachable, reverse_postorder};
