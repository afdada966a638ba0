//! Tests that take as many seeds as an environment variable says, on all cores.

use std::{
    env,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

/// The number in an environment variable, or the other one if it is not set.
///
/// # Panics
/// The function panics if the variable says something else.
pub fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |n| n.parse().expect("a number"))
}

/// Calls a check with each of the seeds, on all cores, in the order of the seeds as threads get free.
///
/// # Panics
/// The function panics where the check does.
pub fn each_seed(seeds: Range<u64>, check: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(seeds.start);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    check(seed);
                }
            });
        }
    });
}
