//! The number of neighbours of vertices after a set of vertices is eliminated.
//!
//! Vertices are numbered topologically, so the predecessors of v after S depend only on the part of S below v, its
//! successors on the part above. Adding one vertex to S takes one step on one row if it is the lowest of its part and
//! goes last: its predecessors are those of the original graph, its successors those after the rest of the part.

use std::collections::BTreeMap;

use crate::cost::CostModel;
use crate::eliminate::Primal;
use crate::lcg::Kind;

/// A set of vertices to eliminate.
pub(super) type Set = u32;

/// The number of edges on one side of a vertex that cost something, and of the variable edges among them (all, if the
/// model does not tell constants apart).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Degree {
    pub(super) strong: u32,
    pub(super) variable: u32,
}

impl Degree {
    /// The products of a vertex with these in-edges and the out-edges `succ`. Products of two constants are free.
    #[inline]
    pub(super) fn products(self, succ: Self) -> u32 {
        self.strong * succ.strong - (self.strong - self.variable) * (succ.strong - succ.variable)
    }
}

/// The neighbours on one side of each vertex to eliminate, as bits: all neighbours, the neighbours over an edge that
/// is no unit, and over a variable edge (as many of these rows as the model tells apart).
///
/// The lowest bits are the vertices to eliminate, the others the ends: sources or sinks. Ends with the same neighbours
/// always stay alike and share bits, one for each power of two in their number.
pub(super) struct Side {
    kinds: usize,
    /// Words of one kind.
    words: usize,
    /// The weight of a bit of each word: 2 to this power.
    powers: Vec<u8>,
    /// The rows of all vertices, kind by kind.
    rows: Vec<u64>,
    /// The largest number of neighbours of a vertex.
    pub(super) most: u64,
}

impl Side {
    /// The successors of these vertices of the graph, or their predecessors.
    pub(super) fn new(graph: &Primal<'_>, model: CostModel, places: &[u32], forward: bool) -> Self {
        let code = |kind: Kind| match (model, kind) {
            (CostModel::Plain, _) | (_, Kind::Unit) => 1,
            (CostModel::UnitFree, _) | (_, Kind::Constant) => 2,
            (CostModel::ConstantAware, Kind::Variable) => 3,
        };
        let mut inside = Vec::new();
        let mut columns: BTreeMap<u32, u64> = BTreeMap::new();
        for (v, &place) in places.iter().enumerate() {
            let mut see = |near: u32, source: u32, target: u32| {
                let Some(label) = graph.label(source, target) else {
                    return;
                };
                let code = code(graph.kind(label));
                match places.binary_search(&near) {
                    Ok(bit) => inside.push((v, bit, code)),
                    Err(_) => *columns.entry(near).or_default() |= code << (2 * v),
                }
            };
            if forward {
                graph.succs(place).for_each(|near| see(near, place, near));
            } else {
                graph.preds(place).for_each(|near| see(near, near, place));
            }
        }
        let mut numbers: BTreeMap<u64, u32> = BTreeMap::new();
        for column in columns.into_values() {
            *numbers.entry(column).or_default() += 1;
        }
        let most = places.len() as u64 + numbers.values().map(|&n| u64::from(n)).sum::<u64>();
        let mut ends = Vec::new();
        let mut powers = vec![0u8];
        let mut next = places.len();
        for power in 0..u32::BITS as u8 {
            for (&column, _) in numbers.iter().filter(|(_, n)| *n >> power & 1 == 1) {
                // Each word counts one power of two.
                if power != powers[powers.len() - 1] || next == 64 * powers.len() {
                    next = 64 * powers.len();
                    powers.push(power);
                }
                ends.push((next, column));
                next += 1;
            }
        }
        let kinds = model as usize + 1;
        let mut side = Self {
            kinds,
            words: powers.len(),
            rows: vec![0; places.len() * kinds * powers.len()],
            powers,
            most,
        };
        for (v, bit, code) in inside {
            side.insert(v, bit, code);
        }
        for (bit, column) in ends {
            for v in 0..places.len() {
                side.insert(v, bit, column >> (2 * v) & 3);
            }
        }
        side
    }

    fn insert(&mut self, v: usize, bit: usize, code: u64) {
        for kind in 0..self.kinds.min(code as usize) {
            self.rows[(v * self.kinds + kind) * self.words + bit / 64] |= 1 << (bit % 64);
        }
    }

    /// True if the degrees of all vertices can be kept in this form.
    pub(super) fn fits<P: Packed>(&self) -> bool {
        self.most <= P::MOST
    }

    /// Words of the rows of one vertex.
    fn length(&self) -> usize {
        self.kinds * self.words
    }

    /// The rows of one vertex in the original graph.
    pub(super) fn row(&self, v: usize) -> &[u64] {
        &self.rows[v * self.length()..][..self.length()]
    }

    fn degree(&self, row: &[u64]) -> Degree {
        let count = |kind: usize| -> u32 {
            let words = row[kind * self.words..].iter().zip(&self.powers);
            words.map(|(word, power)| word.count_ones() << power).sum()
        };
        let strong = count(self.kinds.min(2) - 1);
        let variable = if self.kinds > 2 { count(2) } else { strong };
        Degree { strong, variable }
    }

    /// Continues the edge from `near` to `x` over the edges `far` behind it (see
    /// [`crate::bits`] for when a sum is a unit or variable). `x` itself goes unless it `stays`.
    fn extend(&self, near: &[u64], far: &[u64], x: usize, stays: bool, out: &mut [u64]) {
        let words = self.words;
        let (near_all, far_all) = (&near[..words], &far[..words]);
        for kind in 0..self.kinds {
            let part = kind * words..(kind + 1) * words;
            let whole = near[part.start] >> x & 1 == 1;
            let behind = if whole { far_all } else { &far[part.clone()] };
            let (near, out) = (&near[part.clone()], &mut out[part]);
            for at in 0..words {
                out[at] = near[at] | behind[at];
            }
            if kind == 1 {
                // A second path to the same vertex: the edge is a sum.
                for at in 0..words {
                    out[at] |= near_all[at] & far_all[at];
                }
            }
            if !stays {
                out[0] &= !(1 << x);
            }
        }
    }
}

/// The rows of one vertex, and its degree, after each leading part of a set, from the highest bit down.
struct Stack {
    rows: Vec<u64>,
    degrees: Vec<Degree>,
    set: Set,
}

impl Stack {
    fn new(side: &Side, v: usize, most: usize) -> Self {
        let mut rows = vec![0; side.length() * (most + 1)];
        rows[..side.length()].copy_from_slice(side.row(v));
        Self {
            rows,
            degrees: vec![side.degree(side.row(v)); most + 1],
            set: 0,
        }
    }

    /// Goes on to another set. The leading part that it has in common with the last one, from the highest bit down, is
    /// kept. `far` gives the rows of a vertex after the vertices above it are eliminated.
    fn go<'a>(&mut self, side: &Side, set: Set, stays: Set, far: impl Fn(usize) -> &'a [u64]) {
        let changed = Set::BITS - (set ^ self.set).leading_zeros();
        let mut gone = set & Set::MAX.checked_shl(changed).unwrap_or(0);
        let mut depth = gone.count_ones() as usize;
        while gone != set {
            let x = (Set::BITS - 1 - (set & !gone).leading_zeros()) as usize;
            let (near, out) = self.rows.split_at_mut(side.length() * (depth + 1));
            let near = &near[side.length() * depth..];
            let out = &mut out[..side.length()];
            if near[0] >> x & 1 == 1 {
                side.extend(near, far(x), x, stays >> x & 1 == 1, out);
                self.degrees[depth + 1] = side.degree(out);
            } else {
                out.copy_from_slice(near);
                self.degrees[depth + 1] = self.degrees[depth];
            }
            gone |= 1 << x;
            depth += 1;
        }
        self.set = set;
    }

    fn top(&self, side: &Side) -> &[u64] {
        &self.rows[side.length() * self.set.count_ones() as usize..][..side.length()]
    }

    fn degree(&self) -> Degree {
        self.degrees[self.set.count_ones() as usize]
    }
}

/// A degree in few bytes, so that many can be kept.
pub(super) trait Packed: Copy + PartialEq {
    /// A value that stands for no degree.
    const UNKNOWN: Self;
    /// The most neighbours it can hold.
    const MOST: u64;
    fn pack(degree: Degree) -> Self;
    fn unpack(self) -> Degree;
}

impl Packed for u32 {
    const UNKNOWN: Self = Self::MAX;
    const MOST: u64 = u16::MAX as u64 - 1;
    fn pack(degree: Degree) -> Self {
        degree.strong << 16 | degree.variable
    }
    fn unpack(self) -> Degree {
        Degree {
            strong: self >> 16,
            variable: self & 0xffff,
        }
    }
}

impl Packed for u64 {
    const UNKNOWN: Self = Self::MAX;
    const MOST: u64 = u32::MAX as u64 - 1;
    fn pack(degree: Degree) -> Self {
        Self::from(degree.strong) << 32 | Self::from(degree.variable)
    }
    fn unpack(self) -> Degree {
        Degree {
            strong: (self >> 32) as u32,
            variable: self as u32,
        }
    }
}

/// Degrees on the side of the predecessors: each is found once and kept.
pub(super) struct Before<'a, P> {
    side: &'a Side,
    stacks: Vec<Stack>,
    /// The degrees, indexed by the vertex as highest bit and the part of the set below it.
    known: Vec<P>,
}

impl<'a, P: Packed> Before<'a, P> {
    /// `None` if there is no room.
    pub(super) fn new(side: &'a Side, n: usize) -> Option<Self> {
        let mut known = Vec::new();
        known.try_reserve_exact(1 << n).ok()?;
        known.resize(1 << n, P::UNKNOWN);
        Some(Self {
            side,
            stacks: (0..n).map(|v| Stack::new(side, v, v)).collect(),
            known,
        })
    }

    /// The degrees of `v` after each of `count` consecutive sets from `first` on, of which only the bits below `v`
    /// count. `count` is a power of two and `first` a multiple of it, so that known degrees have no gaps.
    pub(super) fn degrees(&mut self, v: usize, first: Set, count: usize) -> &[P] {
        let below = (first & ((1 << v) - 1)) as usize;
        let place = below | 1 << v;
        let known = &mut self.known[place..place + count];
        let (side, stack) = (self.side, &mut self.stacks[v]);
        for (at, slot) in known.iter_mut().enumerate() {
            if *slot == P::UNKNOWN {
                stack.go(side, (below + at) as Set, 0, |x| side.row(x));
                *slot = P::pack(stack.degree());
            }
        }
        known
    }
}

/// Degrees on the side of the successors, after one set.
pub(super) struct Behind<'a> {
    side: &'a Side,
    stacks: Vec<Stack>,
    /// Vertices that stay as dependents.
    stays: Set,
    set: Set,
    degrees: Vec<Degree>,
}

impl<'a> Behind<'a> {
    pub(super) fn new(side: &'a Side, n: usize, stays: Set) -> Self {
        Self {
            side,
            stacks: (0..n).map(|v| Stack::new(side, v, n - 1 - v)).collect(),
            stays,
            set: 0,
            degrees: (0..n).map(|v| side.degree(side.row(v))).collect(),
        }
    }

    /// The degrees of all vertices after `set`.
    pub(super) fn after(&mut self, set: Set) -> &[Degree] {
        let side = self.side;
        let changed = Set::BITS - (set ^ self.set).leading_zeros();
        // From the highest vertex down, so that the vertices behind have their rows already.
        for v in (0..changed.saturating_sub(1) as usize).rev() {
            let (stacks, behind) = self.stacks.split_at_mut(v + 1);
            let above = set & !((2 << v) - 1);
            stacks[v].go(side, above, self.stays, |x| behind[x - v - 1].top(side));
            self.degrees[v] = stacks[v].degree();
        }
        self.set = set;
        &self.degrees
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest degree fits; the next one would be the value for an unknown degree.
    fn check<P: Packed>() {
        let both = |most: u64| Degree {
            strong: most as u32,
            variable: most as u32,
        };
        let (most, more) = (both(P::MOST), both(P::MOST + 1));
        assert!(P::pack(most) != P::UNKNOWN && P::pack(more) == P::UNKNOWN);
        assert_eq!(P::pack(most).unpack(), most);
    }

    #[test]
    fn degrees_on_both_sides_of_their_limits() {
        check::<u32>();
        check::<u64>();
    }
}
