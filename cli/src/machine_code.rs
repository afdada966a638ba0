//! Machine code for the executor, made in the process.

use crate::args::EngineName;
use cfg_exec::native::Engine;
use std::sync::Arc;

/// The compiler to machine code that the executor uses under a name of an engine.
#[cfg(feature = "jit")]
pub(crate) fn compiler(name: EngineName) -> Option<Arc<dyn Engine>> {
    match name {
        EngineName::Auto => Some(Arc::new(cfg_jit::Jit::when_worth_it())),
        EngineName::Jit => Some(Arc::new(cfg_jit::Jit::at_once())),
        EngineName::Executor | EngineName::Cc => None,
    }
}

/// The compiler to machine code that the executor uses under a name of an engine.
#[cfg(not(feature = "jit"))]
pub(crate) fn compiler(_: EngineName) -> Option<Arc<dyn Engine>> {
    None
}
