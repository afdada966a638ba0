//! What may run routines in place of the executor.

use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, flat::Flat};
use cfg_exec::{Argument, TapeCounts, Value};
use std::{fmt::Debug, time::Duration};

/// What runs routines in place of the executor.
///
/// It counts no steps, and the use of tapes only where it is asked to, traces nothing, meets no kinks, does not know what is uninitialised, and keeps
/// to no limit of [`RunOptions`](cfg_exec::RunOptions).
pub trait Engine: Debug + Send + Sync {
    /// Makes a routine ready to be run many times; what it uses tapes for is counted only if `counting` is set.
    ///
    /// # Errors
    /// What the engine cannot run.
    fn prepare(
        &self,
        program: &Flat,
        routine: RoutineId,
        counting: bool,
    ) -> Result<Box<dyn Runner>, Diagnostics>;
}

/// A routine that an [`Engine`] has made ready.
pub trait Runner: Debug + Send + Sync {
    /// Runs the routine. Arguments that it writes are replaced by what it leaves in them, and so are the globals: those
    /// that own storage, in the order of the program. Tapes are empty at the start and are not handed back.
    ///
    /// # Errors
    /// A run that does not come to its end.
    fn run(
        &mut self,
        arguments: &mut [Argument],
        globals: &mut [Value],
    ) -> Result<Outcome, Diagnostics>;

    /// Runs the routine so often, each time from these arguments and globals, and says how long that took without what
    /// brings arguments in. A run before the first one is not counted.
    ///
    /// # Errors
    /// The errors are those of [`Self::run`].
    fn time(
        &mut self,
        arguments: &[Argument],
        globals: &[Value],
        calls: u64,
    ) -> Result<Duration, Diagnostics>;
}

/// What a run by an [`Engine`] leaves beside arguments and globals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The value of a function.
    pub result: Option<Value>,
    /// Bytes that were left on tapes.
    pub tape_bytes: u64,
    /// What tapes were used for, if that is counted.
    pub tape: Option<TapeCounts>,
}
