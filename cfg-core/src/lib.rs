//! The program representation of cfgrev: structured control-flow graphs, their JSON, validation,
//! analyses and pictures.

pub mod diagnostic;
pub mod entity;
pub mod ir;
pub mod structure;
pub mod text;
pub mod validate;
