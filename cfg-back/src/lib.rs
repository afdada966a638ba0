//! Back ends of cfgrev: programs of its representation in other notations, each a feature of the crate.
//!
//! | feature | module | what |
//! |---|---|---|
//! | `c` | [`c`] | programs as C99 |
//! | `dot` | [`dot`] | control-flow graphs as pictures, for Graphviz |

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

#[cfg(feature = "c")]
pub mod c;
#[cfg(feature = "dot")]
pub mod dot;
