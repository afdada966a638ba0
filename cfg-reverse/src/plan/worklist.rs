//! The order in which the vertices of a graph are visited until nothing changes.

use fixedbitset::FixedBitSet;

/// The first member at or after `from`, else the first of all.
pub(crate) fn next_one(set: &FixedBitSet, from: usize) -> Option<usize> {
    if from < set.len()
        && let Some(p) = set.ones_from(from)
    {
        return Some(p);
    }
    set.minimum()
}

trait OnesFrom {
    fn ones_from(&self, from: usize) -> Option<usize>;
}

impl OnesFrom for FixedBitSet {
    fn ones_from(&self, from: usize) -> Option<usize> {
        const BITS: usize = usize::BITS as usize;
        let words = self.as_slice();
        let mut w = from / BITS;
        let mut word = *words.get(w)? & (usize::MAX << (from % BITS));
        loop {
            if word != 0 {
                return Some(w * BITS + word.trailing_zeros() as usize);
            }
            w += 1;
            word = *words.get(w)?;
        }
    }
}
