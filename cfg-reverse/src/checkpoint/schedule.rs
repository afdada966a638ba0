//! The schedule of a loop with a known trip count, as a table: the numbers that [`super::driver`] computes in programs.

use std::num::NonZeroU32;

/// The way to the reversal of one step: from a state, steps run up to the one that is recorded and reversed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the first step that runs, from 0: that behind the state.
    pub start: u64,
    /// The steps in front of which states are kept on the way.
    pub kept: Vec<u64>,
    /// The step that is recorded and reversed.
    pub reversed: u64,
}

/// The rows of a loop of so many steps that keeps at most so many states at once, that in front of the first step
/// included. The first row is the forward sweep's.
///
/// ```
/// use cfg_reverse::checkpoint_schedule;
///
/// let rows: Vec<_> = checkpoint_schedule(10, 3.try_into()?).collect();
/// assert_eq!((rows[0].start, &rows[0].kept[..], rows[0].reversed), (0, &[4, 7][..], 9));
/// let run: u64 = rows.iter().map(|row| row.reversed - row.start).sum();
/// // r = 2: 2 * 10 - C(5, 4) steps
/// assert_eq!(run, 15);
/// # Ok::<(), std::num::TryFromIntError>(())
/// ```
pub fn checkpoint_schedule(steps: u64, states: NonZeroU32) -> impl Iterator<Item = Row> {
    let most = u64::from(states.get());
    let mut on_tape = vec![0];
    (0..steps).rev().map(move |reversed| {
        let start = on_tape.last().copied().unwrap_or(0);
        // Behind the forward sweep, a state is used for the last time where the next step is reversed.
        if start > 0 && start == reversed {
            on_tape.pop();
        }
        let (mut at, mut kept) = (start, Vec::new());
        while at < reversed {
            let free = most - on_tape.len() as u64 + 1;
            at += steps_before_next_state(reversed - at + 1, free);
            if at < reversed {
                on_tape.push(at);
                kept.push(at);
            }
        }
        Row {
            start,
            kept,
            reversed,
        }
    })
}

/// [`super::advance`] as a function.
fn steps_before_next_state(steps: u64, states: u64) -> u64 {
    let [m, s] = [steps, states].map(u128::from);
    let (mut r, mut reach) = (1, s + 1);
    while reach < m {
        r += 1;
        reach = reach * (s + r) / r;
    }
    reach = reach * r / (s + r);
    let ahead = reach.min(m - reach * s / (s + r - 1));
    // At most `steps`.
    ahead as u64
}
