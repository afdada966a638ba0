//! A token list with the cells of all vertices along it, so that a changed list costs as much as what the
//! change touches: from the first change on, both lists are followed, but only where they differ.

use crate::bits::board::{Price, Token};
use crate::bits::cells::{self, Cell};
use crate::bits::{BitGraph, Row, has, items, join, meet, set, size, unset};

/// A change of a list at a place, in terms of the list before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Inserts a token in front of this place (which may be the end).
    Insert(usize, Token),
    /// Takes away the token at this place.
    Remove(usize),
}

impl Edit {
    fn place(self) -> usize {
        let (Self::Insert(at, _) | Self::Remove(at)) = self;
        at
    }
}

/// The two numbers of a price in one, for sums: the first in the upper half.
fn packed(price: Price) -> u64 {
    u64::from(price.counted) << 32 | u64::from(price.all)
}

pub(crate) struct Trail<'g, const W: usize> {
    pub(crate) graph: &'g BitGraph<W>,
    pub(crate) tokens: Vec<Token>,
    /// The price of each token, and the vertices whose cells it changes; nothing, if it finds nothing to do.
    prices: Vec<u64>,
    touched: Vec<Row<W>>,
    /// The cells of each vertex, and from which place on they hold.
    history: Vec<Vec<(usize, Cell<W>)>>,
    pub(crate) total: u64,
    /// Vertices whose cells differ in the list under test, and these cells.
    dirty: Row<W>,
    cells: Vec<Cell<W>>,
    /// Parts that the list under test leaves out: places of tokens, and edits, that find nothing to do.
    dropped: Vec<usize>,
    idle: Vec<usize>,
    /// The place where the list under test was the same again.
    end: usize,
    /// The vertices whose cells the tokens change that are not the same in both lists.
    reach: Row<W>,
    rest: Vec<(usize, Cell<W>)>,
    cuts: Vec<(usize, usize)>,
    next: Vec<Token>,
    pub(crate) work: u64,
}

impl<'g, const W: usize> Trail<'g, W> {
    pub(crate) fn new(graph: &'g BitGraph<W>, tokens: Vec<Token>) -> Self {
        let cells = cells::cells(graph);
        let mut trail = Self {
            graph,
            prices: Vec::new(),
            touched: Vec::new(),
            history: cells.iter().map(|&cell| vec![(0, cell)]).collect(),
            total: 0,
            dirty: [0; W],
            cells,
            dropped: Vec::new(),
            idle: Vec::new(),
            end: 0,
            reach: [0; W],
            rest: Vec::new(),
            cuts: Vec::new(),
            next: Vec::new(),
            work: 0,
            tokens,
        };
        for at in 0..trail.tokens.len() {
            let (price, touched) = trail.replay(at);
            trail.prices.push(price);
            trail.touched.push(touched);
            trail.total += price;
        }
        trail
    }

    /// The cell of a vertex before the token at a place.
    pub(crate) fn cell(&self, v: usize, at: usize) -> &Cell<W> {
        let history = &self.history[v];
        let mut last = history.len() - 1;
        while history[last].0 > at {
            last -= 1;
        }
        &history[last].1
    }

    /// Applies the token at a place, behind which the histories end.
    fn replay(&mut self, at: usize) -> (u64, Row<W>) {
        let token = self.tokens[at];
        let cell = *self.cell(cells::middle(token), at);
        self.work += 10;
        let Some(price) = cells::price(self.graph, token, &cell) else {
            return (0, [0; W]);
        };
        let touched = cells::touched(token, &cell);
        for x in items(&touched) {
            let history = &mut self.history[x];
            self.work += 5;
            let mut other = history[history.len() - 1].1;
            cells::act(self.graph, token, &cell, x, &mut other);
            history.push((at + 1, other));
        }
        (packed(price), touched)
    }

    /// The cost of the list after some edits, which are in order of their places, and by how many tokens it
    /// is longer. The list under test must not be taken over twice.
    pub(crate) fn test(&mut self, edits: &[Edit]) -> (u64, i64) {
        self.dirty = [0; W];
        self.dropped.clear();
        self.idle.clear();
        self.reach = [0; W];
        let mut total = self.total;
        let mut more = 0i64;
        let mut at = edits.first().map_or(0, |edit| edit.place());
        let mut next = 0;
        let n = self.tokens.len();
        loop {
            let mut removed = false;
            while let Some(&edit) = edits.get(next).filter(|edit| edit.place() == at) {
                match edit {
                    Edit::Insert(_, token) => {
                        let price = self.apart(at, Some(token), false);
                        total = total.wrapping_add(price.unwrap_or(0));
                        if price.is_none() && !matches!(token, Token::Vertex(_)) {
                            self.idle.push(next);
                        } else {
                            more += 1;
                        }
                    }
                    Edit::Remove(_) => removed = true,
                }
                next += 1;
            }
            if at >= n || (next == edits.len() && !removed && self.dirty == [0; W]) {
                break;
            }
            if removed {
                self.apart(at, None, true);
                total = total.wrapping_sub(self.prices[at]);
                more -= 1;
            } else {
                total = total
                    .wrapping_add(self.together(at))
                    .wrapping_sub(self.prices[at]);
            }
            at += 1;
        }
        self.end = at;
        (total, more - self.dropped.len() as i64)
    }

    /// The price that a token which is in both lists has in the one under test.
    fn together(&mut self, at: usize) -> u64 {
        let token = self.tokens[at];
        let touched = self.touched[at];
        self.work += 1;
        if has(&self.dirty, cells::middle(token)) {
            let price = self.apart(at, Some(token), true);
            if price.is_none() && !matches!(token, Token::Vertex(_)) {
                self.dropped.push(at);
            }
            return price.unwrap_or(0);
        }
        let differ = meet(&touched, &self.dirty);
        if differ != [0; W] {
            let cell = *self.cell(cells::middle(token), at);
            for x in items(&differ) {
                self.work += 5;
                let mut other = self.cells[x];
                cells::act(self.graph, token, &cell, x, &mut other);
                if other == *self.cell(x, at + 1) {
                    unset(&mut self.dirty, x);
                } else {
                    self.cells[x] = other;
                }
            }
        }
        self.prices[at]
    }

    /// A token in the list under test, and perhaps the one at a place in the other.
    fn apart(&mut self, at: usize, token: Option<Token>, base: bool) -> Option<u64> {
        let after = at + usize::from(base);
        let mut touched = if base { self.touched[at] } else { [0; W] };
        let mut found = None;
        self.work += 8;
        if let Some(token) = token {
            let v = cells::middle(token);
            let cell = if has(&self.dirty, v) {
                self.cells[v]
            } else {
                *self.cell(v, at)
            };
            if let Some(price) = cells::price(self.graph, token, &cell) {
                let own = cells::touched(token, &cell);
                join(&mut touched, &own);
                join(&mut self.reach, &own);
                found = Some((price, token, cell, own));
            }
        }
        self.work += 6 * u64::from(size(&touched));
        for x in items(&touched) {
            let mut other = if has(&self.dirty, x) {
                self.cells[x]
            } else {
                *self.cell(x, at)
            };
            if let Some((_, token, cell, own)) = &found
                && has(own, x)
            {
                cells::act(self.graph, *token, cell, x, &mut other);
            }
            if other == *self.cell(x, after) {
                unset(&mut self.dirty, x);
            } else {
                self.cells[x] = other;
                set(&mut self.dirty, x);
            }
        }
        found.map(|(price, ..)| packed(price))
    }

    /// Makes the list under test the current one.
    pub(crate) fn commit(&mut self, edits: &[Edit]) {
        let from = edits.first().map_or(0, |edit| edit.place());
        let end = self.end;
        self.next.clear();
        let (mut edit, mut dropped) = (0, self.dropped.iter().peekable());
        for at in from..=end {
            let mut removed = false;
            while let Some(&change) = edits.get(edit).filter(|change| change.place() == at) {
                match change {
                    Edit::Insert(_, token) if !self.idle.contains(&edit) => self.next.push(token),
                    Edit::Insert(..) => {}
                    Edit::Remove(_) => removed = true,
                }
                edit += 1;
            }
            let dropped = dropped.next_if(|&&place| place == at).is_some();
            if at < end && !removed && !dropped {
                self.next.push(self.tokens[at]);
            }
        }
        self.work += (self.next.len() + self.tokens.len() / 8) as u64;
        self.tokens.splice(from..end, self.next.iter().copied());
        self.renew(from, end, from + self.next.len());
    }

    /// The tokens from a place to another are new, and now end elsewhere.
    fn renew(&mut self, from: usize, end: usize, moved: usize) {
        let mut reach = self.reach;
        for row in &self.touched[from..end] {
            join(&mut reach, row);
        }
        if moved != end {
            for (v, history) in self.history.iter_mut().enumerate() {
                if !has(&reach, v) {
                    let behind = history.partition_point(|entry| entry.0 <= end);
                    for entry in &mut history[behind..] {
                        entry.0 = entry.0 + moved - end;
                    }
                }
            }
        }
        // Cells that hold behind the change are put aside while it is done.
        self.rest.clear();
        self.cuts.clear();
        for v in items(&reach) {
            let history = &mut self.history[v];
            let behind = history.partition_point(|entry| entry.0 <= end);
            self.cuts.push((v, self.rest.len()));
            let later = history[behind..].iter();
            self.rest
                .extend(later.map(|&(at, cell)| (at + moved - end, cell)));
            history.truncate(history.partition_point(|entry| entry.0 <= from));
        }
        self.work += 2 * self.rest.len() as u64;
        let old = self.prices[from..end].iter().sum::<u64>();
        self.prices.splice(from..end, (from..moved).map(|_| 0));
        self.touched
            .splice(from..end, (from..moved).map(|_| [0; W]));
        let mut new = 0;
        for at in from..moved {
            let (price, row) = self.replay(at);
            new += price;
            self.prices[at] = price;
            self.touched[at] = row;
        }
        self.total = self.total + new - old;
        for (which, &(v, start)) in self.cuts.iter().enumerate() {
            let stop = self
                .cuts
                .get(which + 1)
                .map_or(self.rest.len(), |cut| cut.1);
            self.history[v].extend_from_slice(&self.rest[start..stop]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::super::testing::graph;
    use super::*;
    use crate::bits::board::Board;
    use crate::cost::CostModel;
    use crate::eliminate::Primal;

    fn on_board(graph: &BitGraph<1>, tokens: &[Token]) -> u64 {
        let mut board = Board::new(graph);
        tokens
            .iter()
            .filter_map(|&token| board.apply(token))
            .map(packed)
            .sum()
    }

    /// A trail says the same of random changes as doing the changed lists from the beginning.
    #[test]
    fn changed_lists_cost_what_they_cost_in_full() {
        let mut rng = Rng::new(5);
        let (mut longer, mut shorter) = (0, 0);
        for case in 0..300 {
            let lcg = {
                let count = 6 + rng.below(20);
                graph(&mut rng, count)
            };
            let model = CostModel::ALL[case % 3];
            let bits = BitGraph::<1>::new(&Primal::new(&lcg), model).expect("a small graph");
            let mut list: Vec<Token> = items(&bits.eliminable)
                .map(|v| Token::Vertex(v as u16))
                .collect();
            for at in 0..list.len() {
                let other = rng.below(list.len());
                list.swap(at, other);
            }
            let mut trail = Trail::new(&bits, list);
            for _ in 0..200 {
                let n = trail.tokens.len();
                let mut places = [rng.below(n + 1), rng.below(n + 1), rng.below(n + 1)];
                places.sort_unstable();
                let mut edits: Vec<Edit> = Vec::new();
                for at in places {
                    let v = rng.below(bits.vertices.len());
                    let around = trail.cell(v, at);
                    let near = items(&around.pred.all).next();
                    let far = items(&around.succ.all).next();
                    let removable = at < n && !edits.contains(&Edit::Remove(at));
                    match (rng.below(4), near, far) {
                        (0, Some(i), _) => {
                            edits.push(Edit::Insert(at, Token::Front(i as u16, v as u16)));
                        }
                        (1, _, Some(k)) => {
                            edits.push(Edit::Insert(at, Token::Back(v as u16, k as u16)));
                        }
                        (2, ..) if removable && !matches!(trail.tokens[at], Token::Vertex(_)) => {
                            edits.push(Edit::Remove(at));
                        }
                        (3, ..) if removable && edits.is_empty() => {
                            // Moved to a place behind.
                            let to = (at + 1 + rng.below(n - at)).min(n);
                            edits = vec![Edit::Remove(at), Edit::Insert(to, trail.tokens[at])];
                            break;
                        }
                        _ => {}
                    }
                }
                edits.sort_by_key(|edit| (edit.place(), matches!(edit, Edit::Remove(_))));
                let mut changed = Vec::new();
                for at in 0..=n {
                    let here = edits.iter().filter(|edit| edit.place() == at);
                    changed.extend(here.filter_map(|edit| match *edit {
                        Edit::Insert(_, token) => Some(token),
                        Edit::Remove(_) => None,
                    }));
                    if at < n && !edits.contains(&Edit::Remove(at)) {
                        changed.push(trail.tokens[at]);
                    }
                }
                let (total, more) = trail.test(&edits);
                assert_eq!(total, on_board(&bits, &changed));
                if rng.below(2) == 0 {
                    trail.commit(&edits);
                    assert_eq!(trail.total, total);
                    assert_eq!(trail.tokens.len() as i64, n as i64 + more);
                    assert_eq!(on_board(&bits, &trail.tokens), total);
                    longer += u32::from(more > 0);
                    shorter += u32::from(more < 0);
                    let again = Trail::new(&bits, trail.tokens.clone());
                    for (v, history) in trail.history.iter().enumerate() {
                        for at in 0..=trail.tokens.len() {
                            assert_eq!(
                                trail.cell(v, at),
                                again.cell(v, at),
                                "{v} {at} {history:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(longer > 1000 && shorter > 1000, "{longer} {shorter}");
    }
}
