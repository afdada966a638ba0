//! Evaluations at many points, over threads.
//!
//! Threads claim stretches of points, longer ones where points take little time, and hand the results of each over at
//! once: there is one lock for a stretch, none for a point. The caller takes results in the order of the points.
//! Threads wait where they are too far ahead of it, so that few results lie in memory at a time.

use std::collections::BTreeMap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A stretch gets longer as long as it takes less time than this, and shorter beyond four times as much.
const SHORT: Duration = Duration::from_millis(1);
/// Most points of a stretch.
const LONGEST: usize = 1024;
/// Stretches, for each thread, that are claimed and not yet taken by the caller.
const AHEAD: usize = 4;
/// Bytes of the stack of a thread: enough to read any text of values.
const STACK: usize = 16 << 20;

/// Calls `work` for the numbers from 0 to `count` - 1, each with one of the `workers`, which run in a thread each, and
/// hands the results to `take` in the order of the numbers, until `take` breaks off. A single worker runs in the thread
/// of the caller.
///
/// ```
/// use cfg_core::{builder::{ProgramBuilder, RoutineBuilder}, flat::Flat, ir::ScalarType::Real};
/// use cfg_drive::{Adjoint, Options, batch};
/// use std::ops::ControlFlow;
///
/// let mut f = RoutineBuilder::new("f");
/// let (x, y) = (f.input("x", Real), f.output("y", Real));
/// f.independents([x]).dependents([y]);
/// f.assign(y, x * x);
/// let mut program = ProgramBuilder::new();
/// let f = program.add(f);
/// let adjoint = Adjoint::new(&Flat::check(program.finish()?)?, f, &Options::default())?;
///
/// // The program is reversed and compiled once; each thread has tapes and memory of its own, and keeps them.
/// let mut workers = [adjoint.for_thread()?, adjoint.for_thread()?];
/// let gradient_at = |adjoint: &mut Adjoint, k: usize| {
///     let point = adjoint.read_point(format!(r#"{{"x": {k}}}"#).as_bytes())?;
///     adjoint.gradient(&point, &adjoint.default_seed(&point)?)
/// };
/// let (mut gradients, mut problem) = (Vec::new(), None);
/// batch(&mut workers, 100, gradient_at, |k, result| match result {
///     Ok(result) => {
///         gradients.extend(result.gradient[0].1.get_f64(0));
///         ControlFlow::Continue(())
///     }
///     Err(found) => {
///         problem = Some((k, found));
///         ControlFlow::Break(())
///     }
/// })?;
/// assert!(problem.is_none());
/// assert_eq!(gradients[..4], [0.0, 2.0, 4.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The system gives no thread.
///
/// # Panics
/// Panics of `work` and `take` are handed on.
pub fn batch<W: Send, T: Send>(
    workers: &mut [W],
    count: usize,
    work: impl Fn(&mut W, usize) -> T + Sync,
    mut take: impl FnMut(usize, T) -> ControlFlow<()>,
) -> io::Result<()> {
    if let [worker] = workers {
        let _ = (0..count).try_for_each(|k| take(k, work(worker, k)));
        return Ok(());
    }
    let queue = Queue {
        claims: Mutex::default(),
        moved: Condvar::new(),
        count,
        workers: workers.len(),
    };
    let (sender, results) = channel();
    thread::scope(|scope| {
        let _end = End(&queue);
        for worker in workers {
            let (queue, work, sender) = (&queue, &work, sender.clone());
            let run = move || queue.serve(worker, work, &sender);
            let builder = thread::Builder::new().stack_size(STACK);
            builder.spawn_scoped(scope, run)?;
        }
        // The channel ends with the last thread.
        drop(sender);
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (first, stretch) in results {
            early.insert(first, stretch);
            while let Some(stretch) = early.remove(&next) {
                for result in stretch {
                    if take(next, result).is_break() {
                        return Ok(());
                    }
                    next += 1;
                }
                queue.lock().open -= 1;
                queue.moved.notify_all();
            }
        }
        Ok(())
    })
}

/// The points that are left.
struct Queue {
    claims: Mutex<Claims>,
    /// Signalled when the caller has taken a stretch, and at the end.
    moved: Condvar,
    count: usize,
    workers: usize,
}

#[derive(Default)]
struct Claims {
    /// The first point that nobody has claimed.
    next: usize,
    /// Stretches that are claimed and not yet taken.
    open: usize,
    ended: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Claims> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims up to `length` points; `None` at the end. Claims are made in order, so that the stretch for which the
    /// caller waits is always one that is claimed.
    fn claim(&self, length: usize) -> Option<Range<usize>> {
        let too_far = |claims: &mut Claims| !claims.ended && claims.open >= AHEAD * self.workers;
        let waited = self.moved.wait_while(self.lock(), too_far);
        let mut claims = waited.unwrap_or_else(PoisonError::into_inner);
        let left = self.count - claims.next;
        if claims.ended || left == 0 {
            return None;
        }
        // The last stretches are short: all threads end at about the same time.
        let length = length.min(left.div_ceil(2 * self.workers));
        let stretch = claims.next..claims.next + length;
        claims.next = stretch.end;
        claims.open += 1;
        Some(stretch)
    }

    /// Works on stretches until none is left.
    fn serve<W, T>(
        &self,
        worker: &mut W,
        work: &impl Fn(&mut W, usize) -> T,
        results: &Sender<(usize, Vec<T>)>,
    ) {
        // A panic ends the other threads, too.
        let end = End(self);
        let mut length = 1;
        while let Some(stretch) = self.claim(length) {
            let (first, began) = (stretch.start, Instant::now());
            let done: Vec<T> = stretch.map(|k| work(worker, k)).collect();
            let taken = began.elapsed();
            if taken < SHORT {
                length = (2 * length).min(LONGEST);
            } else if taken > 4 * SHORT {
                length = length.div_ceil(2);
            }
            if results.send((first, done)).is_err() {
                break;
            }
        }
        if !thread::panicking() {
            std::mem::forget(end);
        }
    }
}

/// Ends the work of all threads when it is dropped.
struct End<'q>(&'q Queue);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Results come in order, each number once, for any number of threads, also where points take different times.
    #[test]
    fn results_are_in_order() {
        for threads in [1, 2, 3, 8] {
            for count in [0, 1, 2, 7, 100, 5000] {
                let mut workers = vec![0usize; threads];
                let work = |calls: &mut usize, k: usize| {
                    *calls += 1;
                    if k.is_multiple_of(97) {
                        thread::sleep(Duration::from_micros((k % 7) as u64 * 300));
                    }
                    k
                };
                let mut found = Vec::new();
                let take = |k, result| {
                    assert_eq!(k, result);
                    found.push(k);
                    ControlFlow::Continue(())
                };
                batch(&mut workers, count, work, take).expect("there are threads");
                assert!(found.iter().copied().eq(0..count), "{threads} {count}");
                assert_eq!(workers.iter().sum::<usize>(), count);
            }
        }
    }

    /// Threads are never further ahead of the caller than a few stretches, and stop when it does.
    #[test]
    fn threads_wait_for_the_caller() {
        let made = AtomicUsize::new(0);
        let work = |_: &mut (), _| {
            made.fetch_add(1, Ordering::SeqCst);
            thread::sleep(2 * SHORT);
        };
        let mut most = 0;
        let take = |k: usize, ()| {
            most = most.max(made.load(Ordering::SeqCst).saturating_sub(k));
            thread::sleep(10 * SHORT);
            match k {
                20 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        batch(&mut [(), ()], 1_000_000, work, take).expect("there are threads");
        // A stretch has one point, or two: such a point takes longer than SHORT.
        assert!(most <= 2 * 2 * AHEAD + 2, "{most}");
        assert!(made.load(Ordering::SeqCst) < 100);
    }

    /// A panic of one thread ends all, and is handed on.
    #[test]
    fn a_panic_ends_all_threads() {
        let work = |_: &mut (), k| assert_ne!(k, 3, "no point");
        let all = || {
            batch(&mut [(), (), ()], usize::MAX, work, |_, ()| {
                ControlFlow::Continue(())
            })
        };
        assert!(std::panic::catch_unwind(all).is_err());
    }
}
