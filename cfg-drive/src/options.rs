//! The options by which programs are reversed, compiled and run, and the account of memory.

use crate::engine::Engine;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::elemental::Math;
use cfg_core::flat::Flat;
use cfg_core::ir::Routine;
use cfg_exec::{Argument, Callback, CompileOptions, Compiled, Lease, Memory, RunOptions, Session};
use std::{collections::BTreeMap, sync::Arc};

/// The options by which programs are reversed, compiled and run.
#[derive(Clone)]
pub struct Options {
    /// The options of the reversal. By default nothing overlaps: the parameters of a POINT are cells of their own, and
    /// those that it joins by `same_as` are parameters of a routine that is called.
    pub reversal: cfg_reverse::Options,
    /// Limits of a run.
    pub run: RunOptions,
    /// The implementation of the elementary functions.
    pub math: Math,
    /// Record the vertices visited.
    pub trace: bool,
    /// Report kinks and singular points that runs come across: those of the program itself, not of its
    /// derivative code.
    pub events: bool,
    /// Functions that stand for external routines, by name.
    pub callbacks: BTreeMap<String, Callback>,
    /// Dependents that a POINT does not give start at zero, whatever their intent (as OpenAD's drivers
    /// do with y).
    pub zero_dependents: bool,
    /// The account of the memory that points, seeds, runs and kept results take, within [`RunOptions::max_memory`].
    /// Clones share it.
    pub memory: Memory,
    /// The parameters that a POINT gives by `same_as`, and that the program no longer has: [`crate::Prepared`].
    pub same_as: Vec<String>,
    /// The engine that runs routines in place of the executor.
    pub engine: Option<Arc<dyn Engine>>,
    /// The compiler to machine code that the executor uses, without a change of results. By default routines are
    /// compiled that run for long; [`cfg_exec::native::refused`] tells if that cannot be. Without the feature `jit`
    /// there is none.
    pub native: Option<Arc<dyn cfg_exec::native::Engine>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reversal: cfg_reverse::Options {
                overlap: cfg_reverse::Overlap::None,
                ..cfg_reverse::Options::default()
            },
            run: RunOptions::default(),
            math: Math::default(),
            trace: false,
            events: false,
            callbacks: BTreeMap::new(),
            zero_dependents: false,
            memory: Memory::default(),
            same_as: Vec::new(),
            engine: None,
            native: machine_code(),
        }
    }
}

#[cfg(feature = "jit")]
fn machine_code() -> Option<Arc<dyn cfg_exec::native::Engine>> {
    Some(Arc::new(cfg_jit::Jit::when_worth_it()))
}

#[cfg(not(feature = "jit"))]
fn machine_code() -> Option<Arc<dyn cfg_exec::native::Engine>> {
    None
}

impl Options {
    /// Takes memory for `words` words, for as long as the lease lives.
    pub(crate) fn lease(&self, words: u64, routine: &Routine) -> Result<Lease, Diagnostics> {
        let bytes = words.saturating_mul(8);
        self.memory
            .lease(bytes, self.run.max_memory)
            .map_err(|d| Diagnostics(vec![d.at_element(format!("routine {}", routine.name))]))
    }

    /// A session that shares the account.
    pub(crate) fn session(&self, compiled: &Compiled) -> Session {
        Session::sharing(compiled, &self.memory, self.run.max_memory)
    }

    /// A copy of the options with an account of memory of their own, for another thread.
    pub(crate) fn for_thread(&self) -> Self {
        Self {
            memory: Memory::default(),
            ..self.clone()
        }
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// The program has something that the executor cannot run.
    pub(crate) fn compile(&self, program: &Flat) -> Result<Compiled, Diagnostics> {
        let options = CompileOptions {
            math: self.math,
            trace: self.trace,
            events: self.events,
            callbacks: self.callbacks.clone(),
            engine: self.native.clone(),
        };
        Compiled::new(program, &options)
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("reversal", &self.reversal)
            .field("run", &self.run)
            .field("math", &self.math)
            .field("trace", &self.trace)
            .field("events", &self.events)
            .field("callbacks", &self.callbacks.keys())
            .field("zero_dependents", &self.zero_dependents)
            .field("engine", &self.engine)
            .field("native", &self.native.is_some())
            .finish()
    }
}

/// Words that these arguments take.
pub(crate) fn word_count<'a>(arguments: impl IntoIterator<Item = &'a Argument>) -> u64 {
    let lengths = arguments.into_iter().filter_map(Argument::value);
    lengths.map(|v| v.len() as u64).sum()
}
