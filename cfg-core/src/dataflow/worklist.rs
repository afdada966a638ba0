//! The order in which the vertices of a graph are visited until nothing changes.

use super::bits::first_from;
use fixedbitset::FixedBitSet;

/// Positions in an order of vertices that are still to be visited, the first ones first.
#[derive(Clone, Debug)]
pub struct Worklist {
    open: FixedBitSet,
    /// A position before which no open one lies.
    from: usize,
}

impl Worklist {
    /// A list of `open` positions, out of `len`.
    pub fn of(len: usize, open: impl IntoIterator<Item = usize>) -> Self {
        let mut all = FixedBitSet::with_capacity(len);
        all.extend(open);
        Self { open: all, from: 0 }
    }

    /// A position is to be visited, again if it has been before.
    pub fn add(&mut self, position: usize) {
        self.open.insert(position);
        self.from = self.from.min(position);
    }

    /// Takes the first open position.
    pub fn take(&mut self) -> Option<usize> {
        let position = first_from(&self.open, self.from)?;
        self.open.remove(position);
        self.from = position + 1;
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_open_position_comes_first() {
        let mut list = Worklist::of(200, [130, 2, 64]);
        assert_eq!([list.take(), list.take()], [Some(2), Some(64)]);
        list.add(65);
        list.add(3);
        list.add(199);
        let rest: Vec<usize> = std::iter::from_fn(|| list.take()).collect();
        assert_eq!(rest, [3, 65, 130, 199]);
        list.add(0);
        assert_eq!([list.take(), list.take()], [Some(0), None]);
        assert_eq!(Worklist::of(0, []).take(), None);
    }
}
