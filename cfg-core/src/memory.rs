//! What is known of a program's storage over all of its routines.

pub mod global_set;
