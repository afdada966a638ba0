//! Embedded executor for cfgrev programs: register code, typed tapes, limits.

mod cell;
mod code;
mod compile;
mod descriptor;
mod evaluate;
mod fault;
mod machine;
mod session;
mod tape;
mod value;

pub use code::Callback;
pub use compile::{CompileOptions, Compiled};
pub use fault::CODES;
pub use session::{Met, RunOptions, RunReport, Session, Visited};
pub use tape::{Tape, TapeCounts, TapeSize};
pub use value::{Argument, Value};
