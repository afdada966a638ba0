//! The neighbours of each vertex of a graph under elimination, and the labels of the edges between them.

use std::collections::{BTreeMap, BTreeSet, btree_map, btree_set};

use super::Label;
use crate::lcg::Kind;

/// A graph of at most this many pairs of vertices (1024 squared) is kept as a matrix: 5 MB.
const SMALL: usize = 1 << 20;

/// A graph of at most this many pairs of vertices per edge is kept as a matrix, too, up to [`LARGE`] pairs: 80 MB.
const PAIRS_PER_EDGE: usize = 64;

/// A matrix never has more pairs (4096 squared).
const LARGE: usize = 1 << 24;

/// The rows of both directions.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// Maps for large graphs, which are sparse: a vertex of high degree (a parameter that every statement
    /// reads) must not make each step linear in its degree.
    Maps(Maps),
    /// A matrix for small graphs, sparse or not.
    Matrix(Matrix),
}

/// Ordered neighbours.
#[derive(Clone, Debug)]
pub(super) struct Maps {
    preds: Vec<BTreeSet<u32>>,
    succs: Vec<BTreeMap<u32, (Label, Kind)>>,
}

/// Labels by source and target, and bit rows.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    vertices: usize,
    /// Words of a bit row.
    words: usize,
    /// One more than the label; 0 where there is no edge.
    labels: Vec<u32>,
    /// The kinds of the labels.
    kinds: Vec<Kind>,
    preds: Bits,
    succs: Bits,
}

/// Neighbours in one direction.
#[derive(Clone, Debug)]
struct Bits {
    rows: Vec<u64>,
    degrees: Vec<u32>,
    /// The vertices with neighbours.
    inner: Vec<u64>,
}

impl Bits {
    fn new(vertices: usize, words: usize) -> Self {
        Self {
            rows: vec![0; vertices * words],
            degrees: vec![0; vertices],
            inner: vec![0; words],
        }
    }
}

impl Rows {
    /// Rows without edges, with room for about `edges` edges.
    pub(super) fn new(vertices: usize, edges: usize) -> Self {
        let pairs = vertices.saturating_mul(vertices);
        if pairs > SMALL.max(edges.saturating_mul(PAIRS_PER_EDGE)).min(LARGE) {
            return Self::Maps(Maps {
                preds: vec![BTreeSet::new(); vertices],
                succs: vec![BTreeMap::new(); vertices],
            });
        }
        let words = vertices.div_ceil(64);
        Self::Matrix(Matrix {
            vertices,
            words,
            labels: vec![0; pairs],
            kinds: vec![Kind::Unit; pairs],
            preds: Bits::new(vertices, words),
            succs: Bits::new(vertices, words),
        })
    }

    pub(super) fn preds(&self, v: u32) -> Neighbours<'_> {
        match self {
            Self::Maps(maps) => Neighbours::Set(maps.preds[v as usize].iter()),
            Self::Matrix(matrix) => matrix.items(&matrix.preds, v),
        }
    }

    pub(super) fn succs(&self, v: u32) -> Neighbours<'_> {
        match self {
            Self::Maps(maps) => Neighbours::Keys(maps.succs[v as usize].keys()),
            Self::Matrix(matrix) => matrix.items(&matrix.succs, v),
        }
    }

    pub(super) fn last_pred(&self, v: u32) -> Option<u32> {
        match self {
            Self::Maps(maps) => maps.preds[v as usize].last().copied(),
            Self::Matrix(matrix) => matrix.last(&matrix.preds, v),
        }
    }

    pub(super) fn last_succ(&self, v: u32) -> Option<u32> {
        match self {
            Self::Maps(maps) => Some(*maps.succs[v as usize].last_key_value()?.0),
            Self::Matrix(matrix) => matrix.last(&matrix.succs, v),
        }
    }

    /// Predecessors that have predecessors.
    pub(super) fn inner_preds(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        let neighbours = match self {
            Self::Maps(_) => self.preds(v),
            Self::Matrix(matrix) => matrix.inner(&matrix.preds, v),
        };
        neighbours.filter(|&i| self.in_degree(i) > 0)
    }

    /// Successors that have successors.
    pub(super) fn inner_succs(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        let neighbours = match self {
            Self::Maps(_) => self.succs(v),
            Self::Matrix(matrix) => matrix.inner(&matrix.succs, v),
        };
        neighbours.filter(|&k| self.out_degree(k) > 0)
    }

    /// Elementary operations of [`Rows::new_succs`] and [`Rows::new_preds`].
    pub(super) fn row_work(&self, neighbours: usize) -> u64 {
        match self {
            Self::Maps(_) => neighbours as u64,
            Self::Matrix(matrix) => 1 + matrix.words as u64 / 8,
        }
    }

    /// Elementary operations to find an edge and to label it.
    pub(super) fn product_work(&self) -> u64 {
        match self {
            Self::Maps(_) => 4,
            Self::Matrix(_) => 1,
        }
    }

    pub(super) fn in_degree(&self, v: u32) -> usize {
        match self {
            Self::Maps(maps) => maps.preds[v as usize].len(),
            Self::Matrix(matrix) => matrix.preds.degrees[v as usize] as usize,
        }
    }

    pub(super) fn out_degree(&self, v: u32) -> usize {
        match self {
            Self::Maps(maps) => maps.succs[v as usize].len(),
            Self::Matrix(matrix) => matrix.succs.degrees[v as usize] as usize,
        }
    }

    pub(super) fn has_edge(&self, i: u32, k: u32) -> bool {
        match self {
            // Ask the shorter list.
            Self::Maps(maps) => {
                let (succs, preds) = (&maps.succs[i as usize], &maps.preds[k as usize]);
                if succs.len() <= preds.len() {
                    succs.contains_key(&k)
                } else {
                    preds.contains(&i)
                }
            }
            Self::Matrix(matrix) => matrix.labels[matrix.position(i, k)] > 0,
        }
    }

    /// The label of an edge and its kind.
    pub(super) fn edge(&self, i: u32, k: u32) -> Option<(Label, Kind)> {
        match self {
            Self::Maps(maps) => maps.succs.get(i as usize)?.get(&k).copied(),
            Self::Matrix(matrix) => {
                if i as usize >= matrix.vertices || k as usize >= matrix.vertices {
                    return None;
                }
                let place = matrix.position(i, k);
                let label = matrix.labels[place].checked_sub(1)?;
                Some((Label(label), matrix.kinds[place]))
            }
        }
    }

    /// Labels an edge, and adds it if it does not exist.
    pub(super) fn put(&mut self, i: u32, k: u32, label: Label, kind: Kind) {
        match self {
            Self::Maps(maps) => {
                if maps.succs[i as usize].insert(k, (label, kind)).is_none() {
                    maps.preds[k as usize].insert(i);
                }
            }
            Self::Matrix(matrix) => {
                let place = matrix.position(i, k);
                let old = std::mem::replace(&mut matrix.labels[place], label.0 + 1);
                matrix.kinds[place] = kind;
                if old == 0 {
                    matrix.flip(i, k, true);
                }
            }
        }
    }

    /// Deletes an edge; `false` if it does not exist.
    pub(super) fn remove(&mut self, i: u32, k: u32) -> bool {
        match self {
            Self::Maps(maps) => {
                maps.preds[k as usize].remove(&i);
                maps.succs[i as usize].remove(&k).is_some()
            }
            Self::Matrix(matrix) => {
                let place = matrix.position(i, k);
                let there = std::mem::take(&mut matrix.labels[place]) > 0;
                if there {
                    matrix.flip(i, k, false);
                }
                there
            }
        }
    }

    /// The number of successors of `j` that are no successors of `i`.
    pub(super) fn new_succs(&self, i: u32, j: u32) -> usize {
        match self {
            Self::Maps(_) => self.succs(j).filter(|&k| !self.has_edge(i, k)).count(),
            Self::Matrix(matrix) => matrix.beyond(&matrix.succs, i, j),
        }
    }

    /// The number of predecessors of `j` that are no predecessors of `k`.
    pub(super) fn new_preds(&self, j: u32, k: u32) -> usize {
        match self {
            Self::Maps(_) => self.preds(j).filter(|&i| !self.has_edge(i, k)).count(),
            Self::Matrix(matrix) => matrix.beyond(&matrix.preds, k, j),
        }
    }
}

impl Matrix {
    fn position(&self, i: u32, k: u32) -> usize {
        i as usize * self.vertices + k as usize
    }

    fn row<'a>(&self, bits: &'a Bits, v: u32) -> &'a [u64] {
        &bits.rows[v as usize * self.words..][..self.words]
    }

    fn items<'a>(&self, bits: &'a Bits, v: u32) -> Neighbours<'a> {
        Neighbours::Bits(Items {
            row: self.row(bits, v),
            mask: None,
            next: 0,
            word: 0,
            left: bits.degrees[v as usize] as usize,
        })
    }

    /// The neighbours that have neighbours in the same direction themselves.
    fn inner<'a>(&self, bits: &'a Bits, v: u32) -> Neighbours<'a> {
        let row = self.row(bits, v);
        let both = row.iter().zip(&bits.inner).map(|(row, mask)| row & mask);
        Neighbours::Bits(Items {
            row,
            mask: Some(&bits.inner),
            next: 0,
            word: 0,
            left: both.map(|word| word.count_ones() as usize).sum(),
        })
    }

    fn last(&self, bits: &Bits, v: u32) -> Option<u32> {
        let row = self.row(bits, v);
        let at = row.iter().rposition(|&word| word != 0)?;
        Some(at as u32 * 64 + 63 - row[at].leading_zeros())
    }

    /// The number of bits of row `j` that are none of row `i`.
    fn beyond(&self, bits: &Bits, i: u32, j: u32) -> usize {
        let pairs = self.row(bits, j).iter().zip(self.row(bits, i));
        pairs.map(|(j, i)| (j & !i).count_ones() as usize).sum()
    }

    /// Edge `(i, k)` comes or goes.
    fn flip(&mut self, i: u32, k: u32, comes: bool) {
        for (bits, v, near) in [(&mut self.succs, i, k), (&mut self.preds, k, i)] {
            bits.rows[v as usize * self.words + near as usize / 64] ^= 1 << (near % 64);
            let degree = &mut bits.degrees[v as usize];
            *degree = if comes { *degree + 1 } else { *degree - 1 };
            if *degree == u32::from(comes) {
                bits.inner[v as usize / 64] ^= 1 << (v % 64);
            }
        }
    }
}

/// Neighbours of a vertex, in order.
pub(super) enum Neighbours<'a> {
    Set(btree_set::Iter<'a, u32>),
    Keys(btree_map::Keys<'a, u32, (Label, Kind)>),
    Bits(Items<'a>),
}

/// The bits that are in a row and, if there is one, in a mask.
pub(super) struct Items<'a> {
    row: &'a [u64],
    mask: Option<&'a [u64]>,
    /// The word after the one at hand.
    next: usize,
    /// The bits of the word that are left.
    word: u64,
    left: usize,
}

impl Iterator for Items<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        while self.word == 0 {
            self.word = *self.row.get(self.next)?;
            if let Some(mask) = self.mask {
                self.word &= mask[self.next];
            }
            self.next += 1;
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some((self.next as u32 - 1) * 64 + bit)
    }
}

impl Iterator for Neighbours<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Set(set) => set.next().copied(),
            Self::Keys(keys) => keys.next().copied(),
            Self::Bits(items) => items.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match self {
            Self::Set(set) => set.len(),
            Self::Keys(keys) => keys.len(),
            Self::Bits(items) => items.left,
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Neighbours<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices at both ends of words, so that few pairs meet often.
    const PLACES: [u32; 7] = [0, 1, 63, 64, 127, 128, 1024];

    fn check(rows: &Rows, edges: &BTreeMap<(u32, u32), (Label, Kind)>) {
        let preds = |v: u32| edges.keys().filter(move |e| e.1 == v).map(|e| e.0);
        let succs = |v: u32| edges.keys().filter(move |e| e.0 == v).map(|e| e.1);
        for v in PLACES {
            assert!(rows.preds(v).eq(preds(v)) && rows.succs(v).eq(succs(v)));
            assert_eq!(rows.preds(v).len(), preds(v).count());
            assert_eq!(rows.succs(v).len(), succs(v).count());
            assert_eq!(rows.in_degree(v), preds(v).count());
            assert_eq!(rows.out_degree(v), succs(v).count());
            assert_eq!(rows.last_pred(v), preds(v).next_back());
            assert_eq!(rows.last_succ(v), succs(v).next_back());
            let inner_preds = preds(v).filter(|&i| preds(i).next().is_some());
            assert!(rows.inner_preds(v).eq(inner_preds));
            let inner_succs = succs(v).filter(|&k| succs(k).next().is_some());
            assert!(rows.inner_succs(v).eq(inner_succs));
            for w in PLACES {
                assert_eq!(rows.has_edge(v, w), edges.contains_key(&(v, w)));
                assert_eq!(rows.edge(v, w), edges.get(&(v, w)).copied());
                let new_succs = succs(w).filter(|&k| !edges.contains_key(&(v, k)));
                assert_eq!(rows.new_succs(v, w), new_succs.count());
                let new_preds = preds(v).filter(|&i| !edges.contains_key(&(i, w)));
                assert_eq!(rows.new_preds(v, w), new_preds.count());
            }
        }
    }

    #[test]
    fn maps_and_matrices_are_the_same_set_of_edges() {
        let kinds = [Kind::Unit, Kind::Constant, Kind::Variable];
        for is_matrix in [false, true] {
            let mut rows = Rows::new(1025, if is_matrix { 1 << 20 } else { 0 });
            assert_eq!(matches!(rows, Rows::Matrix(_)), is_matrix);
            let mut edges = BTreeMap::new();
            let mut random = 1u64;
            for step in 0..2_000u32 {
                random = cfg_core::random::mix(random);
                let place = |shift: u32| PLACES[(random >> shift) as usize % PLACES.len()];
                let (i, k) = (place(0), place(20));
                // More edges come than go at first, then more go.
                if random >> 40 & 3 > u64::from(step >= 1_000) {
                    let label = (Label(step), kinds[step as usize % 3]);
                    rows.put(i, k, label.0, label.1);
                    edges.insert((i, k), label);
                } else {
                    assert_eq!(rows.remove(i, k), edges.remove(&(i, k)).is_some());
                }
                if step % 16 == 0 {
                    check(&rows, &edges);
                }
            }
            check(&rows, &edges);
            assert_eq!(rows.edge(5_000, 0), None);
        }
    }

    /// A few pairs of vertices are kept as a matrix, more of them only if there are edges enough, and very many never.
    #[test]
    fn sizes_on_both_sides_of_the_limits() {
        let (small, large) = (1_usize << 10, 1_usize << 12);
        let enough = ((small + 1) * (small + 1)).div_ceil(PAIRS_PER_EDGE);
        assert_eq!((small * small, large * large), (SMALL, LARGE));
        for (vertices, edges, is_matrix) in [
            (small, 0, true),
            (small + 1, 0, false),
            (small + 1, enough - 1, false),
            (small + 1, enough, true),
            (large, LARGE, true),
            (large + 1, LARGE, false),
        ] {
            let rows = Rows::new(vertices, edges);
            assert_eq!(
                matches!(rows, Rows::Matrix(_)),
                is_matrix,
                "{vertices} {edges}"
            );
        }
    }
}
