//! Helpers that write code: names, types, temporaries, small expressions and statements, graphs that are
//! checked. None of them knows of derivatives.

pub(crate) mod built;
pub(crate) mod expressions;
pub(crate) mod names;
pub(crate) mod renumbered;
pub(crate) mod routines;
pub(crate) mod rows;
pub(crate) mod temporaries;
pub(crate) mod typing;
