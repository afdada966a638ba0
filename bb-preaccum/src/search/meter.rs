//! The budget of a search: a number of steps, or a clock of the caller's.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Options;

/// Steps of the default budget: about 100 ms on one core of a 2023 server.
pub const DEFAULT_WORK: u64 = 26_000_000;

/// The state of a search, for whoever watches it from another thread.
#[derive(Debug)]
pub struct Monitor {
    best: AtomicU64,
    spent: AtomicU64,
}

impl Default for Monitor {
    fn default() -> Self {
        Self {
            best: AtomicU64::new(u64::MAX),
            spent: AtomicU64::new(0),
        }
    }
}

impl Monitor {
    /// The least cost of a complete sequence found so far.
    pub fn best(&self) -> Option<u64> {
        match self.best.load(Ordering::Relaxed) {
            u64::MAX => None,
            cost => Some(cost),
        }
    }

    /// Search steps spent so far.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }
}

pub(crate) struct Meter<'a> {
    left: u64,
    timer: Option<&'a dyn Fn() -> bool>,
    interrupt: Option<&'a AtomicBool>,
    monitor: Option<&'a Monitor>,
    pub(crate) spent: u64,
    pub(crate) interrupted: bool,
    late: bool,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(options: &Options<'a>) -> Self {
        Self {
            left: options.work,
            timer: options.timer,
            interrupt: options.interrupt,
            monitor: options.monitor,
            spent: 0,
            interrupted: false,
            late: false,
        }
    }

    /// Keeps a part of the budget back; returns it for [`Meter::release`].
    pub(crate) fn reserve(&mut self, part: u64) -> u64 {
        let part = part.min(self.left);
        self.left -= part;
        part
    }

    pub(crate) fn release(&mut self, part: u64) {
        self.left += part;
    }

    /// True if the caller wants an end now.
    pub(crate) fn stop(&mut self) -> bool {
        if self
            .interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            self.interrupted = true;
        }
        self.late |= self.timer.is_some_and(|late| late());
        self.interrupted || self.late
    }

    pub(crate) fn spend(&mut self, work: u64) {
        self.spent += work;
        if let Some(monitor) = self.monitor {
            monitor.spent.store(self.spent, Ordering::Relaxed);
        }
        if self.timer.is_none() {
            self.left = self.left.saturating_sub(work);
        }
    }

    /// The work that may still be spent, at most `wanted`.
    pub(crate) fn grant(&self, wanted: u64) -> u64 {
        if self.timer.is_some() {
            wanted
        } else {
            wanted.min(self.left)
        }
    }

    pub(crate) fn left(&self) -> u64 {
        self.grant(u64::MAX)
    }

    /// Tells the world about a complete sequence.
    pub(crate) fn found(&self, cost: u64) {
        if let Some(monitor) = self.monitor {
            monitor.best.fetch_min(cost, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.left == 0 || self.stop()
    }

    pub(crate) fn interrupt(&self) -> Option<&'a AtomicBool> {
        self.interrupt
    }

    pub(crate) fn timer(&self) -> Option<&'a dyn Fn() -> bool> {
        self.timer
    }
}
