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
