//! The order in which the vertices of a graph are visited until nothing changes.

const BITS: usize = u64::BITS as usize;

/// Positions in an order of vertices that are still to be visited, the first ones first.
///
/// A tree of bits: a bit says that a word of the level below is not 0. Adding and taking cost the logarithm of the
/// number of positions to the base 64, in any order.
#[derive(Clone, Debug)]
pub struct Worklist {
    /// The words of each level, the positions themselves first; the last level has one word.
    levels: Vec<Vec<u64>>,
}

impl Worklist {
    /// A list of `open` positions, out of `len`.
    pub fn with_open(len: usize, open: impl IntoIterator<Item = usize>) -> Self {
        let mut levels = Vec::new();
        let mut bits = len.max(1);
        loop {
            let words = bits.div_ceil(BITS);
            levels.push(vec![0; words]);
            if words == 1 {
                break;
            }
            bits = words;
        }
        let mut list = Self { levels };
        open.into_iter().for_each(|position| list.add(position));
        list
    }

    /// Asks for a visit of a position, another one if it has been visited.
    #[inline]
    pub fn add(&mut self, position: usize) {
        let mut at = position;
        for level in &mut self.levels {
            let word = &mut level[at / BITS];
            let was_empty = *word == 0;
            *word |= 1 << (at % BITS);
            if !was_empty {
                break;
            }
            at /= BITS;
        }
    }

    /// Takes the first open position.
    #[inline]
    pub fn take(&mut self) -> Option<usize> {
        let mut position = 0;
        for level in self.levels.iter().rev() {
            let word = level[position];
            if word == 0 {
                return None;
            }
            position = position * BITS + word.trailing_zeros() as usize;
        }
        let mut at = position;
        for level in &mut self.levels {
            let word = &mut level[at / BITS];
            *word &= !(1 << (at % BITS));
            if *word != 0 {
                break;
            }
            at /= BITS;
        }
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_first_open_position_comes_first() {
        let mut list = Worklist::with_open(200, [130, 2, 64]);
        assert_eq!([list.take(), list.take()], [Some(2), Some(64)]);
        list.add(65);
        list.add(3);
        list.add(199);
        let rest: Vec<usize> = std::iter::from_fn(|| list.take()).collect();
        assert_eq!(rest, [3, 65, 130, 199]);
        list.add(0);
        assert_eq!([list.take(), list.take()], [Some(0), None]);
        assert_eq!(Worklist::with_open(0, []).take(), None);
    }

    #[test]
    fn positions_come_as_from_an_ordered_set() {
        let len = 300_000;
        let mut random = crate::random::SplitMix64::new(7);
        let (mut list, mut expected) = (Worklist::with_open(len, []), BTreeSet::new());
        for _ in 0..20_000 {
            if random.bits() % 5 < 3 {
                let position = (random.bits() % len as u64) as usize;
                list.add(position);
                expected.insert(position);
            } else {
                assert_eq!(list.take(), expected.pop_first());
            }
        }
        while let Some(first) = expected.pop_first() {
            assert_eq!(list.take(), Some(first));
        }
        assert_eq!(list.take(), None);
    }
}
