//! Join semilattices.

use fixedbitset::FixedBitSet;

/// A join semilattice.
pub trait Lattice: Clone {
    /// `self := self ∨ other`; true if `self` grew. The solver stops when nothing grows.
    fn join(&mut self, other: &Self) -> bool;
}

/// Sets ordered by inclusion: the join is the union (what holds on some path). Sets of different
/// lengths are joined to the longer one.
impl Lattice for FixedBitSet {
    fn join(&mut self, other: &Self) -> bool {
        self.grow(other.len());
        let mut grew = false;
        for (mine, theirs) in self.as_mut_slice().iter_mut().zip(other.as_slice()) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }
}

/// Sets ordered by reverse inclusion: the join is the intersection (what holds on all paths), the least
/// element is the full set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Must(pub FixedBitSet);

impl Must {
    /// The full set of this size: bottom.
    pub fn full(len: usize) -> Self {
        let mut set = FixedBitSet::with_capacity(len);
        set.insert_range(..);
        Self(set)
    }
}

impl Lattice for Must {
    fn join(&mut self, other: &Self) -> bool {
        let mut grew = false;
        let theirs = other.0.as_slice();
        for (i, mine) in self.0.as_mut_slice().iter_mut().enumerate() {
            let theirs = theirs.get(i).copied().unwrap_or(0);
            grew |= *mine & !theirs != 0;
            *mine &= theirs;
        }
        grew
    }
}

/// Pairs, componentwise.
impl<A: Lattice, B: Lattice> Lattice for (A, B) {
    fn join(&mut self, other: &Self) -> bool {
        let first = self.0.join(&other.0);
        let second = self.1.join(&other.1);
        first || second
    }
}

/// One flag: false below true.
impl Lattice for bool {
    fn join(&mut self, other: &Self) -> bool {
        let grew = !*self && *other;
        *self |= other;
        grew
    }
}
