//! The places whose values machine code keeps in registers of the processor, and sets of them.

/// A register of the routine, a word of the context (the steps that are left, or the top of a stack), or a register of
/// an instance of a callee.
pub(crate) type Loc = u16;

/// The steps that are left.
pub(crate) const FUEL: Loc = 256;
/// The top of the first stack; those of the others follow.
const TOPS: Loc = 257;
/// Most stacks of tapes in a routine.
pub(crate) const MOST_STACKS: usize = 127;

/// The first register of instances.
pub(crate) const CALLEES: Loc = TOPS + MOST_STACKS as Loc;
/// All places.
pub(crate) const MOST: Loc = 64 * WORDS as Loc;
const WORDS: usize = 16;

pub(crate) fn top(stack: usize) -> Loc {
    TOPS + stack as Loc
}

/// The stack whose top is at a place.
pub(crate) fn stack_of(loc: Loc) -> Option<usize> {
    let is_top = (TOPS..CALLEES).contains(&loc);
    is_top.then(|| usize::from(loc - TOPS))
}

/// A set of places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set([u64; WORDS]);

impl Set {
    /// All registers and words of the context.
    pub(crate) const ALL: Self = Self([u64::MAX; WORDS]);

    pub(crate) fn insert(&mut self, loc: Loc) {
        self.0[usize::from(loc / 64)] |= 1 << (loc % 64);
    }

    pub(crate) fn remove(&mut self, loc: Loc) {
        self.0[usize::from(loc / 64)] &= !(1 << (loc % 64));
    }

    pub(crate) fn contains(&self, loc: Loc) -> bool {
        self.0[usize::from(loc / 64)] >> (loc % 64) & 1 == 1
    }

    /// Adds the places of another set; true if there are more then.
    pub(crate) fn add(&mut self, other: &Self) -> bool {
        let before = *self;
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
        *self != before
    }

    pub(crate) fn intersection(mut self, other: &Self) -> Self {
        for (word, keep) in self.0.iter_mut().zip(other.0) {
            *word &= keep;
        }
        self
    }

    pub(crate) fn without(mut self, other: &Self) -> Self {
        for (word, less) in self.0.iter_mut().zip(other.0) {
            *word &= !less;
        }
        self
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Loc> {
        self.0.into_iter().enumerate().flat_map(|(k, word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    64 * k as Loc + bit as Loc
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_what_was_put_into_them() {
        let mut set = Set::default();
        let all = [
            0,
            63,
            64,
            255,
            FUEL,
            top(0),
            top(MOST_STACKS - 1),
            CALLEES,
            MOST - 1,
        ];
        all.iter().for_each(|&loc| set.insert(loc));
        assert_eq!(set.iter().collect::<Vec<_>>(), all);
        let mut fewer = set;
        fewer.remove(64);
        assert!(!fewer.contains(64) && fewer.contains(63));
        assert_eq!(set.without(&fewer).iter().collect::<Vec<_>>(), [64]);
        assert_eq!(set.intersection(&fewer), fewer);
        assert!(fewer.add(&set) && !fewer.add(&set));
    }
}
