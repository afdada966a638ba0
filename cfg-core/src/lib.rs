//! The program representation of cfgrev: structured control-flow graphs, their JSON, validation,
//! analyses and pictures.

pub mod builder;
pub mod dataflow;
pub mod diagnostic;
pub mod dominance;
pub mod dot;
pub mod elemental;
pub mod entity;
pub mod graph;
pub mod ir;
pub mod json;
pub mod order;
pub mod structure;
#[cfg(test)]
mod testing;
pub mod text;
pub mod typing;
pub mod validate;
