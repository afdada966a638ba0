//! Facts of routines that depend on facts of other routines, through calls and recursion.

use crate::entity::RoutineId;
use fixedbitset::FixedBitSet;

/// The routines that are still to be visited.
#[derive(Debug)]
pub struct Wake {
    /// The position of each routine in the order; `u32::MAX` for a routine that the order leaves out.
    position: Vec<u32>,
    open: FixedBitSet,
}

impl Wake {
    /// Asks for a visit of a routine, another one if it has been visited. A routine that is not in the order is never
    /// visited.
    pub fn wake(&mut self, r: RoutineId) {
        if let Some(&at) = self.position.get(r.index())
            && at != u32::MAX
        {
            self.open.insert(at as usize);
        }
    }
}

/// Visits routines until none is woken any more: all of them once in `order`, then the woken ones from its end back to
/// its beginning, and so on in turn. With callees first and facts that flow to callers, or the other way round, each
/// routine of a program without recursion is visited once.
pub fn solve_across_calls(order: &[RoutineId], mut visit: impl FnMut(RoutineId, &mut Wake)) {
    let routines = order.iter().map(|r| r.index() + 1).max().unwrap_or(0);
    let mut wake = Wake {
        position: vec![u32::MAX; routines],
        open: FixedBitSet::with_capacity(order.len()),
    };
    wake.open.insert_range(..);
    for (at, r) in order.iter().enumerate() {
        wake.position[r.index()] = at as u32;
    }
    let mut forward = true;
    while !wake.open.is_clear() {
        let mut at = match forward {
            true => first_from(&wake.open, 0),
            false => wake.open.maximum(),
        };
        while let Some(here) = at {
            wake.open.set(here, false);
            visit(order[here], &mut wake);
            at = match forward {
                true => first_from(&wake.open, here + 1),
                false => last_below(&wake.open, here),
            };
        }
        forward = !forward;
    }
}

const BITS: usize = usize::BITS as usize;

/// The first member that is not below `from`.
fn first_from(set: &FixedBitSet, from: usize) -> Option<usize> {
    let words = set.as_slice();
    let mut w = from / BITS;
    let mut word = *words.get(w)? & (usize::MAX << (from % BITS));
    while word == 0 {
        w += 1;
        word = *words.get(w)?;
    }
    Some(w * BITS + word.trailing_zeros() as usize)
}

/// The last member below `end`.
fn last_below(set: &FixedBitSet, end: usize) -> Option<usize> {
    let words = set.as_slice();
    let mut w = end / BITS;
    let mut word = words.get(w).copied().unwrap_or(0) & !(usize::MAX << (end % BITS));
    while word == 0 {
        w = w.checked_sub(1)?;
        word = words[w];
    }
    Some(w * BITS + BITS - 1 - word.leading_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rounds_go_on_until_nobody_is_woken() {
        let order = [2, 0, 1].map(RoutineId::new);
        let mut facts = [0; 3];
        let mut visited = Vec::new();
        // Each routine's fact is at least the next one's less 1; routine 2 starts with the fact 3.
        solve_across_calls(&order, |r, wake| {
            let r = r.index();
            visited.push(r);
            let now = if r == 2 { 3 } else { facts[r + 1] - 1 };
            if now > facts[r] {
                facts[r] = now;
                if r > 0 {
                    wake.wake(RoutineId::new(r - 1));
                }
                wake.wake(RoutineId::new(7)); // not in the order
            }
        });
        assert_eq!(facts, [1, 2, 3]);
        assert_eq!(visited, [2, 0, 1, 0]);
        // Facts that flow against the order need one way back.
        let order: Vec<RoutineId> = (0..200).map(RoutineId::new).collect();
        let mut known = [false; 200];
        let mut visits = 0;
        solve_across_calls(&order, |r, wake| {
            visits += 1;
            let r = r.index();
            if !known[r] && (r == 199 || known[r + 1]) {
                known[r] = true;
                r.checked_sub(1)
                    .into_iter()
                    .for_each(|r| wake.wake(RoutineId::new(r)));
            }
        });
        assert_eq!((visits, known), (399, [true; 200]));
        solve_across_calls(&[], |_, _| unreachable!("there is no routine"));
    }

    #[test]
    fn every_second_round_goes_back() {
        let order: Vec<RoutineId> = (0..4).map(RoutineId::new).collect();
        let mut visited = Vec::new();
        solve_across_calls(&order, |r, wake| {
            visited.push(r.index());
            if visited.len() == 4 {
                [0, 2]
                    .into_iter()
                    .for_each(|r| wake.wake(RoutineId::new(r)));
            }
        });
        assert_eq!(visited, [0, 1, 2, 3, 2, 0]);
    }

    /// A routine that wakes itself is visited in the next round, like a routine that the round has passed.
    #[test]
    fn routines_that_wake_themselves_come_again_later() {
        let order: Vec<RoutineId> = [2, 4, 0].map(RoutineId::new).to_vec();
        let mut visited = Vec::new();
        solve_across_calls(&order, |r, wake| {
            visited.push(r.index());
            if visited.len() == 2 || visited.len() == 4 {
                wake.wake(r);
                wake.wake(RoutineId::new(2));
                wake.wake(RoutineId::new(1)); // not in the order
            }
        });
        assert_eq!(visited, [2, 4, 0, 4, 2, 4]);
    }

    #[test]
    fn members_are_found_in_both_directions() {
        let mut rng = crate::testing::Rng::new(3);
        for _ in 0..300 {
            let members: BTreeSet<usize> = (0..rng.below(5)).map(|_| rng.below(200)).collect();
            let mut set: FixedBitSet = members.iter().copied().collect();
            set.grow(200);
            for at in 0..200 {
                assert_eq!(first_from(&set, at), members.range(at..).next().copied());
                assert_eq!(last_below(&set, at), members.range(..at).last().copied());
            }
        }
    }
}
