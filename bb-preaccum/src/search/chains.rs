//! Independent chains of annealing that run side by side. No chain knows the others' results, so that its own does not
//! depend on the machine.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder, ScopedJoinHandle};

/// Bytes of the stack of a chain, which recurses nowhere.
const STACK: usize = 1 << 21;

/// Runs `count` chains, the first on this thread and each of the others on its own thread. Returns the results by
/// number.
pub(super) fn run<T: Send>(count: usize, chain: impl Fn(usize) -> T + Sync) -> Vec<T> {
    on_stacks(STACK, count, &chain)
}

fn on_stacks<T: Send>(stack: usize, count: usize, chain: &(impl Fn(usize) -> T + Sync)) -> Vec<T> {
    thread::scope(|scope| {
        let start = |number| {
            let builder = Builder::new().stack_size(stack);
            builder.spawn_scoped(scope, move || chain(number))
        };
        let others: Vec<_> = (1..count).map(start).collect();
        let mut results = vec![chain(0)];
        for (number, started) in (1..).zip(others) {
            // If no thread is available, the chain runs here after the others, slower but with the same result.
            results.push(started.map_or_else(|_| chain(number), joined));
        }
        results
    })
}

/// The result of a chain; a panic of the chain becomes one of the search.
fn joined<T>(handle: ScopedJoinHandle<'_, T>) -> T {
    handle
        .join()
        .unwrap_or_else(|reason| panic::resume_unwind(reason))
}

/// The least number of a chain that has met the bound. Later chains can stop, since among equals the first is taken;
/// earlier ones go on, because they may still meet the bound.
#[derive(Debug)]
pub(super) struct Finish(AtomicUsize);

impl Finish {
    pub(super) fn new() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }

    pub(super) fn reach(&self, chain: usize) {
        self.0.fetch_min(chain, Ordering::Relaxed);
    }

    /// The chain, if there is one.
    pub(super) fn first(&self) -> Option<usize> {
        let first = self.0.load(Ordering::Relaxed);
        (first != usize::MAX).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_of_their_chains() {
        for count in 1..9 {
            let squares = run(count, |number| number * number);
            let expected: Vec<usize> = (0..count).map(|number| number * number).collect();
            assert_eq!(squares, expected);
        }
    }

    /// No machine has room for such a stack.
    #[test]
    fn chains_without_a_thread_run_on_the_caller_s() {
        let here = thread::current().id();
        let threads = on_stacks(1 << 60, 4, &|_| thread::current().id());
        assert_eq!(threads, [here; 4]);
        let threads = run(4, |_| thread::current().id());
        assert_eq!(threads[0], here);
        assert!(threads[1..].iter().all(|&other| other != here));
    }

    #[test]
    fn the_first_of_the_chains_that_meet_the_bound_counts() {
        let finish = Finish::new();
        assert_eq!(finish.first(), None);
        for (chain, first) in [(3, 3), (5, 3), (1, 1), (2, 1), (0, 0)] {
            finish.reach(chain);
            assert_eq!(finish.first(), Some(first));
        }
    }
}
