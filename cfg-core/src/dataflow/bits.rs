//! The next member of a set of bits in either direction, word by word.

use fixedbitset::FixedBitSet;

const BITS: usize = usize::BITS as usize;

/// The first member that is not below `from`.
pub(super) fn first_from(set: &FixedBitSet, from: usize) -> Option<usize> {
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
pub(super) fn last_below(set: &FixedBitSet, end: usize) -> Option<usize> {
    let words = set.as_slice();
    let mut w = end / BITS;
    let mut word = words.get(w).copied().unwrap_or(0) & !(usize::MAX << (end % BITS));
    while word == 0 {
        w = w.checked_sub(1)?;
        word = words[w];
    }
    Some(w * BITS + BITS - 1 - word.leading_zeros() as usize)
}
