//! The interface of engines that run routines in place of the executor, such as emitted C.

use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, flat::Flat};
use cfg_exec::{Argument, TapeCounts, Value};
use std::{fmt::Debug, time::Duration};

/// An engine that runs routines in place of the executor.
///
/// An engine is less than the executor: it counts no steps, counts the use of tapes only if asked to, traces no
/// vertices, reports no kinks and no uninitialised values, and ignores the limits of
/// [`RunOptions`](cfg_exec::RunOptions).
pub trait Engine: Debug + Send + Sync {
    /// Makes a routine ready to be run many times; the use of tapes is counted only if `counting` is set.
    ///
    /// # Errors
    /// The engine cannot run the routine.
    fn prepare(
        &self,
        program: &Flat,
        routine: RoutineId,
        counting: bool,
    ) -> Result<Box<dyn Runner>, Diagnostics>;
}

/// A routine that an [`Engine`] has made ready.
pub trait Runner: Debug + Send + Sync {
    /// Runs the routine. Written arguments and `globals` are replaced by their final values; `globals` are those that
    /// own storage, in the order of the program. Tapes are empty at the start and are not returned.
    ///
    /// # Errors
    /// The run does not come to its end.
    fn run(
        &mut self,
        arguments: &mut [Argument],
        globals: &mut [Value],
    ) -> Result<Outcome, Diagnostics>;

    /// Runs the routine `calls` times, each time from these arguments and globals; returns the time without that of
    /// copying arguments in. A first run, which warms up, is not counted.
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

/// The results of a run by an [`Engine`], other than arguments and globals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The value of a function.
    pub result: Option<Value>,
    /// Bytes that were left on tapes.
    pub tape_bytes: u64,
    /// The use of tapes, if that is counted.
    pub tape: Option<TapeCounts>,
}
