//! Algorithms on any directed graph, each in a file: dominators, the loop forest, strongly connected parts.

pub mod components;
mod digraph;
pub mod dominance;
pub mod loops;
pub mod petgraph;

pub use digraph::{Adjacency, DiGraph, Reversed, postorder, reachable, reverse_postorder};
