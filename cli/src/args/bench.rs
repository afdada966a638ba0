//! The options of `cfgrev bench`.

use super::{At, Compiling, EngineName, Form, Function, Limits, Reversal};
use clap::Args;

/// `cfgrev bench`.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) function: Function,
    #[command(flatten)]
    pub(crate) at: At,
    /// Samples of each.
    #[arg(long, value_name = "COUNT", default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) samples: u32,
    /// Least milliseconds of a sample: so many calls are timed together.
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) sample_time: u32,
    /// A table for people, or one JSON object.
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub(crate) format: Form,
    /// The only engine to time; default are executor, jit and cc, without cc where there is no C compiler.
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub(crate) engine: Option<EngineName>,
    #[command(flatten)]
    pub(crate) reversal: Reversal,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) compiling: Compiling,
}
