//! The test whether standard output was open when the program was started.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in the place of standard streams that are closed, and what is
//! written there is lost without an error. The test therefore has to run before the runtime.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
ctor::declarative::ctor! {
    /// Runs before the runtime of the standard library, and uses nothing of that.
    #[ctor(unsafe)]
    fn ask() {
        let asked = rustix::io::fcntl_getfd(rustix::stdio::stdout());
        CLOSED.store(asked.is_err(), Ordering::Relaxed);
    }
}

/// Fails if what is written to standard output would be lost.
pub(crate) fn open() -> io::Result<()> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("it is not open"));
    }
    Ok(())
}
