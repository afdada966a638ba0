//! Sets of small numbers, the states of most analyses.

use fixedbitset::FixedBitSet;

/// A set of numbers below a limit, of locations say.
///
/// A set can note the numbers that are taken out, to put them back later: the solver needs that where one set serves
/// all points of a large routine.
#[derive(Clone, Debug, Default)]
pub struct Set {
    bits: FixedBitSet,
    notes: Option<Box<Notes>>,
}

/// The changes of a set since removed numbers were last put back.
#[derive(Clone, Debug, Default)]
struct Notes {
    /// The numbers that were taken out, each once.
    removed: Vec<usize>,
    /// The numbers of `removed` as bits, for look-ups.
    gone: FixedBitSet,
    /// True if a number was put in that was neither a member at the beginning nor taken out since.
    grew: bool,
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl Eq for Set {}

impl Set {
    /// An empty set of numbers below `limit`.
    pub fn new(limit: usize) -> Self {
        Self {
            bits: FixedBitSet::with_capacity(limit),
            notes: None,
        }
    }

    /// The bound: every member is less.
    pub fn limit(&self) -> usize {
        self.bits.len()
    }

    /// Puts a number in.
    #[inline]
    pub fn insert(&mut self, member: usize) {
        if let Some(notes) = &mut self.notes {
            notes.grew |= !self.bits.contains(member) && !notes.gone.contains(member);
        }
        self.bits.insert(member);
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, member: usize) {
        if let Some(notes) = &mut self.notes
            && self.bits.contains(member)
            && !notes.gone.put(member)
        {
            notes.removed.push(member);
        }
        self.bits.set(member, false);
    }

    /// Takes all numbers out.
    pub fn clear(&mut self) {
        if self.notes.is_some() {
            let members: Vec<usize> = self.ones().collect();
            members.into_iter().for_each(|member| self.remove(member));
        } else {
            self.bits.clear();
        }
    }

    /// Puts a number in or takes it out.
    pub fn set(&mut self, member: usize, present: bool) {
        match present {
            true => self.insert(member),
            false => self.remove(member),
        }
    }

    /// True if the number is a member.
    #[inline]
    pub fn contains(&self, member: usize) -> bool {
        self.bits.contains(member)
    }

    /// The members in ascending order.
    pub fn ones(&self) -> impl Iterator<Item = usize> {
        self.bits.ones()
    }

    /// True if there is no member.
    pub fn is_empty(&self) -> bool {
        self.bits.is_clear()
    }

    /// Puts in all numbers below the limit.
    pub fn fill(&mut self) {
        (0..self.limit()).for_each(|member| self.insert(member));
    }

    /// Puts in the members of another set with the same limit; true if the set grew.
    pub fn union_with(&mut self, other: &Self) -> bool {
        if self.notes.is_some() {
            let before = self.bits.count_ones(..);
            other.ones().for_each(|member| self.insert(member));
            return self.bits.count_ones(..) > before;
        }
        let mut grew = false;
        for (mine, theirs) in self.bits.as_mut_slice().iter_mut().zip(other.words()) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    /// The set as words of bits.
    #[inline]
    pub(super) fn words(&self) -> &[usize] {
        self.bits.as_slice()
    }

    /// Takes the members from words of bits, as many as [`Self::words`] has.
    #[inline]
    pub(super) fn load(&mut self, words: &[usize]) {
        self.bits.as_mut_slice().copy_from_slice(words);
    }

    /// Notes from now on which numbers are taken out.
    pub(super) fn note_removals(&mut self) {
        self.notes = Some(Box::new(Notes {
            gone: FixedBitSet::with_capacity(self.limit()),
            ..Notes::default()
        }));
    }

    /// Puts back the numbers taken out since the last call; true if new ones were put in since then.
    pub(super) fn put_back(&mut self) -> bool {
        let Some(notes) = &mut self.notes else {
            return false;
        };
        for member in notes.removed.drain(..) {
            self.bits.insert(member);
            notes.gone.set(member, false);
        }
        std::mem::take(&mut notes.grew)
    }
}

impl Extend<usize> for Set {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, members: I) {
        members.into_iter().for_each(|member| self.insert(member));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(members: &[usize]) -> Set {
        let mut set = Set::new(200);
        set.extend(members.iter().copied());
        set
    }

    #[test]
    fn unions_say_whether_they_grew() {
        let mut some = set(&[1, 150]);
        assert!(some.union_with(&set(&[1, 70])));
        assert!(!some.union_with(&set(&[70, 150])));
        assert_eq!(some, set(&[1, 70, 150]));
        // In one word, in two, in all, and in none.
        for (more, grows) in [
            (&[2, 3][..], true),
            (&[4, 80], true),
            (&[5, 90, 160], true),
            (&[2, 90, 150], false),
            (&[], false),
        ] {
            assert_eq!(some.union_with(&set(more)), grows, "{more:?}");
        }
        for more in [2, 3, 4, 80, 5, 90, 160] {
            assert!(some.contains(more));
            some.remove(more);
        }
        assert!(!some.is_empty() && some.limit() == 200);
        some.remove(1);
        some.remove(70);
        some.remove(150);
        assert!(some.is_empty());
        some.fill();
        assert_eq!(some.ones().count(), 200);
        some.set(7, false);
        assert_eq!(some.ones().count(), 199);
        some.set(7, true);
        assert_eq!(some.ones().count(), 200);
    }

    #[test]
    fn what_was_taken_out_comes_back() {
        let mut some = set(&[1, 2]);
        some.clear();
        assert!(some.is_empty() && some.limit() == 200);
        some.extend([1, 2]);
        some.note_removals();
        some.clear();
        assert!(some.is_empty());
        assert!(!some.put_back());
        assert_eq!(some, set(&[1, 2]));
        some.remove(1);
        some.remove(7);
        assert!(!some.contains(1));
        some.insert(1);
        some.remove(1);
        assert!(!some.put_back(), "1 was there before");
        assert_eq!(some, set(&[1, 2]));
        some.remove(2);
        assert!(some.union_with(&set(&[2, 9])));
        assert!(!some.union_with(&set(&[1, 2, 9])), "nothing is new");
        assert!(some.put_back(), "9 is new");
        assert!(!some.put_back());
        some.set(9, false);
        assert!(!some.put_back());
        assert_eq!(some, set(&[1, 2, 9]));
        some.extend([11, 150, 1]);
        assert!(some.put_back(), "two are new");
        some.extend([11, 12, 11]);
        assert!(some.put_back(), "one is new, between two that are not");
        assert_eq!(some, set(&[1, 2, 9, 11, 12, 150]));
    }
}
