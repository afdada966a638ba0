//! Join semilattices, and how their elements are kept for all vertices of a graph.

use super::Set;
use std::fmt::Debug;

/// A join semilattice.
pub trait Lattice: Clone + Debug {
    /// The states of all vertices of a graph.
    type Store: Store<Self>;

    /// `self := self ∨ other`; true if `self` grew. The solver stops when nothing grows.
    fn join(&mut self, other: &Self) -> bool;

    /// Notes from now on which facts the state loses. Called where one state serves all points.
    fn note_losses(&mut self) {}

    /// Brings back the facts lost since the last call; true if any were gained since then.
    fn bring_back(&mut self) -> bool {
        false
    }
}

/// Sets ordered by inclusion: the join is the union (facts that hold on some path).
impl Lattice for Set {
    type Store = Packed;

    fn join(&mut self, other: &Self) -> bool {
        self.union_with(other)
    }

    fn note_losses(&mut self) {
        self.note_removals();
    }

    fn bring_back(&mut self) -> bool {
        self.put_back()
    }
}

/// The states of all vertices of a graph.
pub trait Store<D>: Clone + Debug {
    /// `n` states, all `bottom`. If these would take more than `most` bits, the store may keep one state for all
    /// vertices.
    fn new(n: usize, bottom: &D, most: usize) -> Self;

    /// True if one state serves all vertices.
    fn is_single(&self) -> bool {
        false
    }

    /// Overwrites `state` with the state of a vertex.
    fn load(&self, v: usize, state: &mut D);

    /// Joins `state` to the state of a vertex; true if the vertex's state grew.
    fn join(&mut self, v: usize, state: &D) -> bool;
}

impl<D: Lattice> Store<D> for Vec<D> {
    fn new(n: usize, bottom: &D, _: usize) -> Self {
        vec![bottom.clone(); n]
    }

    fn load(&self, v: usize, state: &mut D) {
        state.clone_from(&self[v]);
    }

    fn join(&mut self, v: usize, state: &D) -> bool {
        self[v].join(state)
    }
}

/// Sets in words that lie one behind the other, or one set for all vertices.
#[derive(Clone, Debug)]
pub struct Packed {
    words: Vec<usize>,
    /// The number of words of a set.
    size: usize,
    single: bool,
}

impl Packed {
    #[inline]
    fn range(&self, v: usize) -> std::ops::Range<usize> {
        let start = if self.single { 0 } else { v * self.size };
        start..start + self.size
    }
}

impl Store<Set> for Packed {
    fn new(n: usize, bottom: &Set, most: usize) -> Self {
        let single = n.saturating_mul(bottom.limit()) > most;
        let n = if single { 1 } else { n };
        Self {
            words: bottom.words().repeat(n),
            size: bottom.words().len(),
            single,
        }
    }

    fn is_single(&self) -> bool {
        self.single
    }

    #[inline]
    fn load(&self, v: usize, state: &mut Set) {
        state.load(&self.words[self.range(v)]);
    }

    #[inline]
    fn join(&mut self, v: usize, state: &Set) -> bool {
        let range = self.range(v);
        let mut grew = false;
        for (mine, theirs) in self.words[range].iter_mut().zip(state.words()) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }
}
