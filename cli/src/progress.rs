//! Progress on standard error, for whatever takes longer than a second.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{
    Arc,
    mpsc::{RecvTimeoutError, Sender, channel},
};
use std::time::{Duration, Instant};

/// Says after a second, and then every second, what is being done. Ends when dropped.
pub(crate) struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Progress {
    /// Starts to watch one piece of work; `quiet` says nothing.
    pub(crate) fn start(what: impl Into<Arc<str>>, quiet: bool) -> Self {
        let mut progress = Self {
            stop: None,
            thread: None,
        };
        if quiet {
            return progress;
        }
        let what = what.into();
        let (stop, stopped) = channel();
        let began = Instant::now();
        let thread = std::thread::Builder::new().spawn(move || {
            let terminal = io::stderr().is_terminal();
            let mut said = false;
            while stopped.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let seconds = began.elapsed().as_secs();
                // A line that is overwritten on a terminal, one line in all elsewhere.
                if terminal {
                    let _ = write!(io::stderr(), "\rcfgrev: {what} … {seconds} s ");
                } else if !said {
                    let _ = writeln!(io::stderr(), "cfgrev: {what} …");
                }
                said = true;
            }
            if said && terminal {
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        // Without a thread there is no progress, and nothing else is lost.
        progress.stop = Some(stop);
        progress.thread = thread.ok();
        progress
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
