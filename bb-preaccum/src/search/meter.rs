//! The budget of a search: a number of steps, or the caller's clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Options;
use super::chains::Finish;

/// Steps of the default budget: about 100 ms on one core of a 2023 server.
pub const DEFAULT_WORK: u64 = 26_000_000;

/// Returns true when time is up; any thread may call it.
pub type Timer<'a> = &'a (dyn Fn() -> bool + Sync);

/// The state of a search, to be watched from another thread.
#[derive(Debug)]
pub struct Monitor {
    best: AtomicU64,
    spent: AtomicU64,
    budget: AtomicU64,
}

impl Default for Monitor {
    fn default() -> Self {
        Self {
            best: AtomicU64::new(u64::MAX),
            spent: AtomicU64::new(0),
            budget: AtomicU64::new(0),
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

    /// Search steps spent so far, by the first of several chains.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// The budget in steps, of the first of several chains; 0 before the search begins. The budget grows while chains
    /// do not agree.
    pub fn budget(&self) -> u64 {
        self.budget.load(Ordering::Relaxed)
    }
}

/// The state of a meter at the end of a chain.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    left: u64,
    spent: u64,
    interrupted: bool,
    late: bool,
}

pub(crate) struct Meter<'a> {
    left: u64,
    timer: Option<Timer<'a>>,
    interrupt: Option<&'a AtomicBool>,
    monitor: Option<&'a Monitor>,
    /// The number of this meter's chain, and the record of chains that met the bound.
    chain: usize,
    finish: Option<&'a Finish>,
    pub(crate) spent: u64,
    pub(crate) interrupted: bool,
    late: bool,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(options: &Options<'a>) -> Self {
        if let Some(monitor) = options.monitor {
            monitor.budget.store(options.work, Ordering::Relaxed);
        }
        Self {
            left: options.work,
            timer: options.timer,
            interrupt: options.interrupt,
            monitor: options.monitor,
            chain: 0,
            finish: None,
            spent: 0,
            interrupted: false,
            late: false,
        }
    }

    /// Gives every chain `steps` steps for a phase; unspent ones of the last phase are lost.
    pub(super) fn begin(&mut self, steps: u64) {
        self.left = steps;
        if let Some(monitor) = self.monitor {
            let budget = self.spent.saturating_add(self.left);
            monitor.budget.store(budget, Ordering::Relaxed);
        }
    }

    /// The meter of a chain, with the whole rest of the steps.
    pub(super) fn of_chain<'b>(&'b self, chain: usize, finish: &'b Finish) -> Meter<'b> {
        Meter {
            left: self.left,
            timer: self.timer,
            interrupt: self.interrupt,
            monitor: self.monitor,
            chain,
            finish: Some(finish),
            spent: self.spent,
            interrupted: self.interrupted,
            late: self.late,
        }
    }

    /// Tells the other chains that this one has met the bound.
    pub(super) fn finished(&self) {
        if let Some(finish) = self.finish {
            finish.reach(self.chain);
        }
    }

    pub(super) fn reading(&self) -> Reading {
        Reading {
            left: self.left,
            spent: self.spent,
            interrupted: self.interrupted,
            late: self.late,
        }
    }

    /// Goes on from the meter of a chain.
    pub(super) fn take_over(&mut self, reading: Reading) {
        self.left = reading.left;
        self.spent = reading.spent;
        self.interrupted |= reading.interrupted;
        self.late |= reading.late;
        self.spend(0);
    }

    /// Reserves a part of the budget; returns it for [`Meter::release`].
    pub(crate) fn reserve(&mut self, part: u64) -> u64 {
        let part = part.min(self.left);
        self.left -= part;
        part
    }

    pub(crate) fn release(&mut self, part: u64) {
        self.left = self.left.saturating_add(part);
    }

    /// True if the search should end now.
    pub(crate) fn should_stop(&mut self) -> bool {
        if self
            .interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            self.interrupted = true;
        }
        self.late |= self.timer.is_some_and(|late| late());
        self.interrupted || self.late || self.is_needless()
    }

    /// True if another chain has met the bound, so that this one cannot give the result. With a clock, any chain that
    /// met it will do.
    fn is_needless(&self) -> bool {
        let first = self.finish.and_then(Finish::first);
        first.is_some_and(|first| first < self.chain || self.timer.is_some())
    }

    pub(crate) fn spend(&mut self, work: u64) {
        self.spent += work;
        if let Some(monitor) = self.monitor
            && self.chain == 0
        {
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

    /// Shows the cost of a complete sequence to the monitor.
    pub(crate) fn report_found(&self, cost: u64) {
        if let Some(monitor) = self.monitor {
            monitor.best.fetch_min(cost, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.left == 0 || self.should_stop()
    }

    pub(crate) fn interrupt(&self) -> Option<&'a AtomicBool> {
        self.interrupt
    }

    pub(crate) fn timer(&self) -> Option<&'a dyn Fn() -> bool> {
        self.timer.map(|timer| -> &'a dyn Fn() -> bool { timer })
    }
}
