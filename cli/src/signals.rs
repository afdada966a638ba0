//! Handling of SIGINT and SIGTERM while a file is being written: the temporary file is removed before the program
//! ends.

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, low_level};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The state that is shared with the signal handlers.
struct Shared {
    /// Signals end the program at once.
    calm: Arc<AtomicBool>,
    /// The last signal, or 0.
    got: Arc<AtomicUsize>,
}

static SHARED: OnceLock<Result<Shared, String>> = OnceLock::new();

/// Makes signals end the program, also where other handlers have been taken away.
pub(crate) fn listen() -> io::Result<()> {
    shared().map(|_| ())
}

/// Signals that end the program, without those that were ignored when it was started (by `nohup`, for example).
fn wanted() -> Vec<i32> {
    let mut wanted = vec![SIGINT, SIGTERM];
    // The mask of ignored signals is in `/proc`, on Linux only.
    if let Ok(status) = std::fs::read_to_string("/proc/self/status")
        && let Some(mask) = status.lines().find_map(|l| l.strip_prefix("SigIgn:"))
        && let Ok(mask) = u64::from_str_radix(mask.trim(), 16)
    {
        #[cfg(unix)]
        wanted.push(signal_hook::consts::SIGHUP);
        wanted.retain(|signal| mask >> (signal - 1) & 1 == 0);
    }
    wanted
}

fn shared() -> io::Result<&'static Shared> {
    let start = || -> io::Result<Shared> {
        let calm = Arc::new(AtomicBool::new(true));
        let got = Arc::new(AtomicUsize::new(0));
        for signal in wanted() {
            // The order matters: a signal that ends the program must not reach the second handler.
            flag::register_conditional_default(signal, Arc::clone(&calm))?;
            flag::register_usize(signal, Arc::clone(&got), signal as usize)?;
        }
        // A file that is too long is an error of the write, which is told.
        flag::register(SIGXFSZ, Arc::default())?;
        Ok(Shared { calm, got })
    };
    let shared = SHARED.get_or_init(|| start().map_err(|e| e.to_string()));
    shared
        .as_ref()
        .map_err(|e| io::Error::other(format!("signals cannot be listened to: {e}")))
}

/// A guard that lets signals wait while it lives. When it is dropped, one that has come ends the program as it would
/// have.
pub(crate) struct Waiting(&'static Shared);

impl Waiting {
    pub(crate) fn start() -> io::Result<Self> {
        let shared = shared()?;
        shared.calm.store(false, Ordering::SeqCst);
        Ok(Self(shared))
    }

    /// Fails if a signal has come.
    pub(crate) fn check(&self) -> io::Result<()> {
        match self.0.got.load(Ordering::SeqCst) {
            0 => Ok(()),
            _ => Err(io::Error::other("stopped by a signal")),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.calm.store(true, Ordering::SeqCst);
        let got = self.0.got.swap(0, Ordering::SeqCst);
        if got != 0 {
            // Does not return.
            let _ = low_level::emulate_default_handler(got as i32);
        }
    }
}
