//! Progress on standard error, for whatever takes longer than a second.

use cfg_core::text::Visible;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{
    Arc,
    mpsc::{RecvTimeoutError, Sender, channel},
};
use std::time::{Duration, Instant};

/// Cells of a progress bar.
const CELLS: usize = 24;

/// Says after a second, and then every second, what is being done. Ends when dropped.
pub(crate) struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// How far a piece of work is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Status {
    /// From 0 to 1, if it is known.
    pub(crate) done: Option<f64>,
    /// What is known of the result.
    pub(crate) so_far: String,
}

impl Status {
    /// ` [#####...] 20 %, best so far 7`.
    fn show(&self) -> String {
        let mut text = String::new();
        if let Some(done) = self.done {
            let done = done.clamp(0.0, 1.0);
            let full = (done * CELLS as f64) as usize;
            let (full, open) = ("#".repeat(full), ".".repeat(CELLS - full));
            text = format!(" [{full}{open}] {:.0} %", done * 100.0);
        }
        if !self.so_far.is_empty() {
            text.push_str(", ");
            text.push_str(&self.so_far);
        }
        text
    }
}

impl Progress {
    /// Starts to watch one piece of work; `quiet` says nothing.
    pub(crate) fn start(what: impl Into<Arc<str>>, quiet: bool) -> Self {
        Self::watch(what, quiet, Status::default)
    }

    /// The same for work that tells how far it is.
    pub(crate) fn watch(
        what: impl Into<Arc<str>>,
        quiet: bool,
        status: impl Fn() -> Status + Send + 'static,
    ) -> Self {
        let mut progress = Self {
            stop: None,
            thread: None,
        };
        if quiet {
            return progress;
        }
        let what = Visible(&what.into()).to_string();
        let (stop, stopped) = channel();
        let began = Instant::now();
        let thread = std::thread::Builder::new().spawn(move || {
            let terminal = io::stderr().is_terminal();
            let mut said = false;
            while stopped.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let seconds = began.elapsed().as_secs();
                // A line that is overwritten on a terminal, one line in all elsewhere.
                if terminal {
                    let status = status().show();
                    let _ = write!(
                        io::stderr(),
                        "\r\x1b[Kcfgrev: {what} … {seconds} s{status} "
                    );
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        let show = |done, so_far: &str| {
            let so_far = so_far.to_owned();
            Status { done, so_far }.show()
        };
        assert_eq!(show(None, ""), "");
        assert_eq!(show(None, "best 7"), ", best 7");
        assert_eq!(
            show(Some(0.5), ""),
            format!(" [{}{}] 50 %", "#".repeat(12), ".".repeat(12))
        );
        assert_eq!(
            show(Some(7.0), "x"),
            format!(" [{}] 100 %, x", "#".repeat(24))
        );
    }
}
