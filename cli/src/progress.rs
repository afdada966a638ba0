//! Progress on standard error, for whatever takes longer than a second; only where that is a terminal.

use cfg_core::text::Visible;
use std::fmt::Write as _;
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

/// The progress of a piece of work.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Status {
    /// The part that is done, from 0 to 1, if it is known.
    pub(crate) done: Option<f64>,
    /// The amount of work done so far, and its unit, if something is counted.
    pub(crate) count: Option<(u64, &'static str)>,
    /// A clause that says what is known of the result.
    pub(crate) so_far: String,
}

/// The time of a step that is reversed, in steps that are run: about that of shallow water, with the steps that run
/// again.
const REVERSED: f64 = 6.0;

impl Status {
    /// The status of a run whose outermost loop with a checkpoint is so far.
    pub(crate) fn of_loop(loops: cfg_exec::Progress) -> Self {
        let cfg_exec::Progress {
            run,
            reversed,
            steps,
        } = loops;
        let all = (1.0 + REVERSED) * steps as f64;
        let done = run as f64 + REVERSED * reversed as f64;
        let so_far = match (reversed, steps) {
            (0, 0) => format!("{run} steps run"),
            (0, _) => format!("{run} of {steps} steps run"),
            (_, _) => format!("{reversed} of {steps} steps reversed"),
        };
        Self {
            done: (steps > 0).then(|| done / all),
            count: None,
            so_far,
        }
    }

    /// ` [#####...] 20 %, 5.2M steps/s, 8 s left, best so far 7` after so many seconds.
    fn show(&self, seconds: f64) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        if let Some(done) = self.done {
            let done = done.clamp(0.0, 1.0);
            let full = (done * CELLS as f64) as usize;
            let (full, open) = ("#".repeat(full), ".".repeat(CELLS - full));
            let _ = write!(text, " [{full}{open}] {:.0} %", done * 100.0);
        }
        if let Some((count, unit)) = self.count.filter(|_| seconds > 0.0) {
            let _ = write!(text, ", {} {unit}/s", short(count as f64 / seconds));
        }
        // The first percent is too little to predict the end.
        if let Some(done) = self.done.filter(|&done| (0.01..1.0).contains(&done)) {
            let _ = write!(text, ", {} left", time(seconds * (1.0 - done) / done));
        }
        if !self.so_far.is_empty() {
            let _ = write!(text, ", {}", self.so_far);
        }
        text
    }
}

/// A number in at most four characters and a letter.
fn short(number: f64) -> String {
    match number {
        n if n < 10.0 => format!("{n:.1}"),
        n if n < 1e3 => format!("{n:.0}"),
        n if n < 1e6 => format!("{:.1}k", n / 1e3),
        n if n < 1e9 => format!("{:.1}M", n / 1e6),
        n => format!("{:.1}G", n / 1e9),
    }
}

/// Seconds in the unit that people would use.
fn time(seconds: f64) -> String {
    let whole = seconds.ceil() as u64;
    match whole {
        0..120 => format!("{whole} s"),
        120..7200 => format!("{} min", whole.div_ceil(60)),
        _ => format!("{} h", whole.div_ceil(3600)),
    }
}

impl Progress {
    /// True if progress is shown, unless `quiet`.
    pub(crate) fn is_shown(quiet: bool) -> bool {
        // The line is overwritten again and again, which makes sense on a terminal only.
        !quiet && io::stderr().is_terminal()
    }

    /// Starts to watch one piece of work; `quiet` says nothing.
    pub(crate) fn start(what: impl Into<Arc<str>>, quiet: bool) -> Self {
        Self::watch(what, quiet, Status::default)
    }

    /// Starts to watch one piece of work that tells how far it is; `quiet` says nothing.
    pub(crate) fn watch(
        what: impl Into<Arc<str>>,
        quiet: bool,
        status: impl Fn() -> Status + Send + 'static,
    ) -> Self {
        let mut progress = Self {
            stop: None,
            thread: None,
        };
        if !Self::is_shown(quiet) {
            return progress;
        }
        let what = Visible(&what.into()).to_string();
        let (stop, stopped) = channel();
        let began = Instant::now();
        let thread = std::thread::Builder::new().spawn(move || {
            let mut said = false;
            while stopped.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let seconds = began.elapsed().as_secs_f64();
                let status = status().show(seconds);
                let _ = write!(
                    io::stderr(),
                    "\r\x1b[Kcfgrev: {what} … {} s{status} ",
                    seconds as u64
                );
                said = true;
            }
            if said {
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
        let show = |done, count, so_far: &str| {
            let so_far = so_far.to_owned();
            let status = Status {
                done,
                count,
                so_far,
            };
            status.show(4.0)
        };
        assert_eq!(show(None, None, ""), "");
        assert_eq!(show(None, None, "best 7"), ", best 7");
        assert_eq!(show(None, Some((10, "bytes")), ""), ", 2.5 bytes/s");
        assert_eq!(
            show(Some(0.5), Some((20_000_000, "steps")), ""),
            format!(
                " [{}{}] 50 %, 5.0M steps/s, 4 s left",
                "#".repeat(12),
                ".".repeat(12)
            )
        );
        assert_eq!(
            show(Some(0.0), None, ""),
            format!(" [{}] 0 %", ".".repeat(24))
        );
        assert_eq!(
            show(Some(7.0), None, "x"),
            format!(" [{}] 100 %, x", "#".repeat(24))
        );
    }

    #[test]
    fn loops() {
        let show = |run, reversed, steps| {
            let progress = cfg_exec::Progress {
                run,
                reversed,
                steps,
            };
            Status::of_loop(progress).show(4.0)
        };
        assert_eq!(show(7, 0, 0), ", 7 steps run");
        let quarter = show(30, 5, 30);
        assert!(
            quarter.contains("29 %, 10 s left, 5 of 30 steps reversed"),
            "{quarter}"
        );
        let early = show(15, 0, 30);
        assert!(early.contains(" 7 %, "), "{early}");
        assert!(early.ends_with(" s left, 15 of 30 steps run"), "{early}");
    }

    #[test]
    fn numbers_and_times() {
        let numbers = [0.0, 9.94, 99.4, 1234.0, 5.25e7, 3e12].map(short);
        assert_eq!(numbers, ["0.0", "9.9", "99", "1.2k", "52.5M", "3000.0G"]);
        let times = [0.0, 0.1, 119.0, 120.0, 121.0, 7199.0, 7200.0, 1e30].map(time);
        assert_eq!(times[..5], ["0 s", "1 s", "119 s", "2 min", "3 min"]);
        assert_eq!(times[5..7], ["120 min", "2 h"]);
        assert!(times[7].ends_with(" h"));
    }
}
