//! Transformations of [cfgrev](https://github.com/cfgrev/cfgrev) programs that the executor, the back ends and the
//! reversal share.
//!
//! - [`scalarize`]: array statements as loops over scalar code.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod scalarize;
