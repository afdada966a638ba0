//! Sets of globals that share common members. A chain of routines, each of which uses the globals of the next and one
//! more, takes memory for one set instead of one for each routine.
//!
//! A set is a binary trie of words of 64 globals, compressed to the nodes at which it forks (C. Okasaki, A. Gill,
//! *Fast mergeable integer maps*, 1998). Nodes are never changed; a union that adds nothing is the very set that it
//! began with. A trie is at most 27 levels deep.

use crate::{dataflow::Lattice, entity::GlobalId};
use std::{ops::ControlFlow, sync::Arc};

/// A set of globals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalSet(Option<Arc<Node>>);

/// Sets ordered by inclusion. Each vertex has a set of its own, since sets share common members.
impl Lattice for GlobalSet {
    type Store = Vec<Self>;

    fn join(&mut self, other: &Self) -> bool {
        self.extend(other)
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Node {
    /// Globals `64 * at ..`.
    Word { at: u32, bits: u64 },
    /// Words that agree in the bits above `bit`; by that bit.
    Fork {
        at: u32,
        bit: u32,
        halves: [Arc<Node>; 2],
    },
}

/// The mask of the bits above `bit`; all bits for 0.
fn above(bit: u32) -> u32 {
    !(bit | bit.saturating_sub(1))
}

/// The relative position of two tries.
enum Lie {
    /// The roots of the two tries stand for the same words.
    Same,
    /// The second lies in this half of the first.
    Inside(usize),
    /// The first lies in this half of the second.
    Around(usize),
    Apart,
}

impl Node {
    /// The first word that a trie may have, and the bit at which it forks; 0 for a single word.
    fn root(&self) -> (u32, u32) {
        match *self {
            Self::Word { at, .. } => (at, 0),
            Self::Fork { at, bit, .. } => (at, bit),
        }
    }

    fn lie(&self, other: &Self) -> Lie {
        let ((a, p), (b, q)) = (self.root(), other.root());
        if (a, p) == (b, q) {
            Lie::Same
        } else if p > q && b & above(p) == a {
            Lie::Inside(usize::from(b & p != 0))
        } else if q > p && a & above(q) == b {
            Lie::Around(usize::from(a & q != 0))
        } else {
            Lie::Apart
        }
    }

    fn half(&self, side: usize) -> Option<&Arc<Self>> {
        match self {
            Self::Word { .. } => None,
            Self::Fork { halves, .. } => halves.get(side),
        }
    }

    /// The fork with another half; the fork itself if it is the same half.
    fn with_half(this: &Arc<Self>, side: usize, half: Arc<Self>) -> Arc<Self> {
        match &**this {
            Self::Fork { at, bit, halves } if !Arc::ptr_eq(&halves[side], &half) => {
                let mut halves = halves.clone();
                halves[side] = half;
                let (at, bit) = (*at, *bit);
                Arc::new(Self::Fork { at, bit, halves })
            }
            Self::Fork { .. } | Self::Word { .. } => Arc::clone(this),
        }
    }

    fn union(a: &Arc<Self>, b: &Arc<Self>) -> Arc<Self> {
        if Arc::ptr_eq(a, b) {
            return Arc::clone(a);
        }
        match (a.lie(b), &**a, &**b) {
            (Lie::Same, &Self::Word { at, bits: x }, &Self::Word { bits: y, .. }) => match x | y {
                all if all == x => Arc::clone(a),
                all if all == y => Arc::clone(b),
                bits => Arc::new(Self::Word { at, bits }),
            },
            (Lie::Same, Self::Fork { halves: x, .. }, Self::Fork { halves: y, .. }) => {
                let first = Self::with_half(a, 0, Self::union(&x[0], &y[0]));
                Self::with_half(&first, 1, Self::union(&x[1], &y[1]))
            }
            (Lie::Inside(side), Self::Fork { halves, .. }, _) => {
                Self::with_half(a, side, Self::union(&halves[side], b))
            }
            (Lie::Around(side), _, Self::Fork { halves, .. }) => {
                Self::with_half(b, side, Self::union(a, &halves[side]))
            }
            _ => {
                let ((x, _), (y, _)) = (a.root(), b.root());
                let bit = 1 << (u32::BITS - 1 - (x ^ y).leading_zeros());
                let (first, second) = if x & bit == 0 { (a, b) } else { (b, a) };
                let halves = [Arc::clone(first), Arc::clone(second)];
                let at = x & above(bit);
                Arc::new(Self::Fork { at, bit, halves })
            }
        }
    }

    /// The bits of `a` that are not in `b`.
    fn minus(a: &Arc<Self>, b: &Arc<Self>) -> Option<Arc<Self>> {
        if Arc::ptr_eq(a, b) {
            return None;
        }
        match (a.lie(b), &**a, &**b) {
            (Lie::Same, &Self::Word { at, bits: x }, &Self::Word { bits: y, .. }) => match x & !y {
                0 => None,
                bits if bits == x => Some(Arc::clone(a)),
                bits => Some(Arc::new(Self::Word { at, bits })),
            },
            (Lie::Same, Self::Fork { halves: x, .. }, Self::Fork { halves: y, .. }) => {
                let halves = [Self::minus(&x[0], &y[0]), Self::minus(&x[1], &y[1])];
                Self::of_halves(a, halves)
            }
            (Lie::Inside(side), Self::Fork { halves, .. }, _) => {
                let mut left = halves.clone().map(Some);
                left[side] = Self::minus(&halves[side], b);
                Self::of_halves(a, left)
            }
            (Lie::Around(side), _, Self::Fork { halves, .. }) => Self::minus(a, &halves[side]),
            _ => Some(Arc::clone(a)),
        }
    }

    /// A fork with these remains of its halves; `None` if nothing remains.
    fn of_halves(fork: &Arc<Self>, halves: [Option<Arc<Self>>; 2]) -> Option<Arc<Self>> {
        match halves {
            [Some(x), Some(y)] => {
                let first = Self::with_half(fork, 0, x);
                Some(Self::with_half(&first, 1, y))
            }
            [x, y] => x.or(y),
        }
    }

    fn each_common(
        a: &Self,
        b: &Self,
        visit: &mut impl FnMut(GlobalId) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match (a.lie(b), a, b) {
            (Lie::Same, &Self::Word { at, bits: x }, &Self::Word { bits: y, .. }) => {
                let mut both = x & y;
                while both != 0 {
                    let g = 64 * at as usize + both.trailing_zeros() as usize;
                    visit(GlobalId::new(g))?;
                    both &= both - 1;
                }
            }
            (Lie::Same, Self::Fork { halves: x, .. }, Self::Fork { halves: y, .. }) => {
                Self::each_common(&x[0], &y[0], visit)?;
                Self::each_common(&x[1], &y[1], visit)?;
            }
            (Lie::Inside(side), ..) => {
                if let Some(half) = a.half(side) {
                    Self::each_common(half, b, visit)?;
                }
            }
            (Lie::Around(side), ..) => {
                if let Some(half) = b.half(side) {
                    Self::each_common(a, half, visit)?;
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl GlobalSet {
    fn single(g: GlobalId) -> Self {
        Self(Some(Arc::new(Node::Word {
            at: (g.index() / 64) as u32,
            bits: 1 << (g.index() % 64),
        })))
    }

    /// True if it has no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// True if the global is a member.
    #[must_use]
    pub fn contains(&self, g: GlobalId) -> bool {
        let at = (g.index() / 64) as u32;
        let mut node = self.0.as_deref();
        while let Some(Node::Fork { bit, halves, .. }) = node {
            node = Some(&*halves[usize::from(at & bit != 0)]);
        }
        matches!(node, Some(Node::Word { at: a, bits }) if *a == at && bits >> (g.index() % 64) & 1 == 1)
    }

    /// Adds a global.
    pub fn insert(&mut self, g: GlobalId) {
        self.extend(&Self::single(g));
    }

    /// Adds the members of another set; true if any of them was new.
    pub fn extend(&mut self, other: &Self) -> bool {
        let all = match (&self.0, &other.0) {
            (_, None) => return false,
            (None, Some(_)) => other.0.clone(),
            (Some(a), Some(b)) => {
                let all = Node::union(a, b);
                if Arc::ptr_eq(&all, a) {
                    return false;
                }
                Some(all)
            }
        };
        self.0 = all;
        true
    }

    /// The globals that are in this set and not in the other.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Self(Node::minus(a, b)),
            _ => self.clone(),
        }
    }

    /// Calls `visit` for each member of both sets, in ascending order.
    pub fn each_common(&self, other: &Self, mut visit: impl FnMut(GlobalId)) {
        let _ = self.try_common(other, &mut |g| {
            visit(g);
            ControlFlow::Continue(())
        });
    }

    /// True if there is a global in both sets.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        self.try_common(other, &mut |_| ControlFlow::Break(()))
            .is_break()
    }

    fn try_common(
        &self,
        other: &Self,
        visit: &mut impl FnMut(GlobalId) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Node::each_common(a, b, visit),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Calls `visit` for every member, in ascending order.
    pub fn each(&self, visit: impl FnMut(GlobalId)) {
        self.each_common(self, visit);
    }

    /// The members, in ascending order.
    #[must_use]
    pub fn to_vec(&self) -> Vec<GlobalId> {
        let mut all = Vec::new();
        self.each(|g| all.push(g));
        all
    }
}

impl FromIterator<GlobalId> for GlobalSet {
    fn from_iter<I: IntoIterator<Item = GlobalId>>(globals: I) -> Self {
        let mut set = Self::default();
        globals.into_iter().for_each(|g| set.insert(g));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;
    use std::collections::BTreeSet;

    fn random(rng: &mut Rng) -> BTreeSet<usize> {
        let among = [60, 200, 5_000, 1 << 31][rng.below(4)];
        (0..rng.below(40)).map(|_| rng.below(among)).collect()
    }

    fn global_set(set: &BTreeSet<usize>) -> GlobalSet {
        set.iter().rev().map(|&g| GlobalId::new(g)).collect()
    }

    fn members(set: &GlobalSet) -> Vec<usize> {
        set.to_vec().iter().map(|g| g.index()).collect()
    }

    #[test]
    fn does_what_ordered_sets_do() {
        let mut rng = Rng::new(3);
        for _ in 0..3_000 {
            let (mut x, mut y) = (random(&mut rng), random(&mut rng));
            if rng.below(2) == 0 {
                y.extend(x.iter().filter(|g| *g % 3 > 0));
                x.retain(|g| g % 5 > 0);
            }
            let (a, b) = (global_set(&x), global_set(&y));
            assert_eq!(members(&a), x.iter().copied().collect::<Vec<_>>());
            let mut both = a.clone();
            assert_eq!(both.extend(&b), !y.is_subset(&x));
            assert_eq!(both, global_set(&(&x | &y)));
            assert!(!both.extend(&a) && !both.extend(&b));
            assert_eq!(a.minus(&b), global_set(&(&x - &y)));
            let mut common = Vec::new();
            a.each_common(&b, |g| common.push(g.index()));
            assert_eq!(common, (&x & &y).into_iter().collect::<Vec<_>>());
            assert_eq!(a.intersects(&b), !common.is_empty());
            assert_eq!(a.is_empty(), x.is_empty());
            for g in x.iter().chain(&y) {
                assert_eq!(a.contains(GlobalId::new(*g)), x.contains(g));
                assert_eq!(a.contains(GlobalId::new(g + 1)), x.contains(&(g + 1)));
            }
        }
    }

    /// Ten thousand sets, each with one member more than the last, have few nodes of their own.
    #[test]
    fn sets_share_what_they_have_in_common() {
        let mut set = GlobalSet::default();
        let all: Vec<GlobalSet> = (0..10_000)
            .map(|g| {
                set.insert(GlobalId::new(g));
                set.clone()
            })
            .collect();
        let mut seen = std::collections::HashSet::new();
        let mut work: Vec<&Arc<Node>> = all.iter().filter_map(|s| s.0.as_ref()).collect();
        while let Some(node) = work.pop() {
            if seen.insert(Arc::as_ptr(node))
                && let Node::Fork { halves, .. } = &**node
            {
                work.extend(halves);
            }
        }
        assert!(seen.len() < 12 * 10_000, "{}", seen.len());
    }
}
