//! A token list with the cells of all vertices along it, so that the work of a change is proportional to the cells
//! that it touches: from the first change on, both lists are followed, but only where they differ. Cells are kept by
//! stamps of the tokens that made them. Stamps stay when the list gets longer or shorter, so that taking over a
//! changed list costs no more than testing it.

mod scan;

use crate::bits::board::{Price, Token};
use crate::bits::cells::{self, Cell};
use crate::bits::{BitGraph, Row, has, items, join, meet, minus, set, size, unset};
use scan::Stop;

/// A change of a list at a place, in terms of the list before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Inserts a token in front of this place (which may be the end).
    Insert(usize, Token),
    /// Removes the token at this place.
    Remove(usize),
}

impl Edit {
    fn position(self) -> usize {
        let (Self::Insert(at, _) | Self::Remove(at)) = self;
        at
    }
}

/// The two numbers of a price in one, for sums: the first in the upper half. Differences wrap around.
fn packed(price: Price) -> u64 {
    u64::from(price.counted) << 32 | u64::from(price.all)
}

/// The two numbers of a difference: products that count, and all products.
pub(crate) fn unpack_difference(change: u64) -> (i64, i64) {
    let all = i64::from(change as u32 as i32);
    ((change as i64).wrapping_sub(all) >> 32, all)
}

/// A token in the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<const W: usize> {
    pub(crate) token: Token,
    /// The stamp of the token; stamps grow along the list.
    stamp: u32,
    /// The price of the token (see [`packed`]), and the vertices whose cells it changes; none if it has no effect.
    price: u64,
    touched: Row<W>,
}

/// A difference of the list under test at a place of the current list.
#[derive(Clone, Copy)]
enum Change<const W: usize> {
    /// The same token with another effect.
    Keep(Entry<W>),
    /// The token is removed, or has no effect.
    Gone,
    /// A new token in front of the place.
    New(Entry<W>),
}

/// A cell that a token of the list under test makes, or `None` if the token does not touch that vertex any more.
struct Note<const W: usize, const L: usize> {
    stamp: u32,
    vertex: usize,
    cell: Option<Cell<W, L>>,
}

/// The cells of a vertex.
struct History<const W: usize, const L: usize> {
    /// The stamps of the tokens that made the cells; 0 for the first. Stamps are kept apart from the cells, so that a
    /// search by stamp reads little memory.
    stamps: Vec<u32>,
    cells: Vec<Cell<W, L>>,
}

/// The room between two stamps when they are new.
const ROOM: u32 = 1 << 20;

/// The last stamp; beyond it, stamps are numbered anew. Lists have at most 1024 vertices and few edges.
const LAST: u32 = 1 << 31;

pub(crate) struct Trail<'g, const W: usize, const L: usize> {
    pub(crate) graph: &'g BitGraph<W>,
    pub(crate) entries: Vec<Entry<W>>,
    /// The stamp of the elimination of each vertex.
    stamps: Vec<u32>,
    history: Vec<History<W, L>>,
    pub(crate) total: u64,
    /// The list under test: its cost, the number of further tokens, the vertices whose cells differ, and these cells.
    tested: u64,
    more: i64,
    dirty: Row<W>,
    cells: Vec<Cell<W, L>>,
    /// The changes to make if the list is taken over, in the order of the list, with places of the current list; noted
    /// only on request.
    notes_down: bool,
    changes: Vec<(usize, Change<W>)>,
    notes: Vec<Note<W, L>>,
    next: Vec<Entry<W>>,
    /// The places of the last scan.
    pub(crate) stops: Vec<Stop>,
    pub(crate) work: u64,
}

impl<'g, const W: usize, const L: usize> Trail<'g, W, L> {
    pub(crate) fn new(graph: &'g BitGraph<W>, tokens: &[Token]) -> Self {
        let cells = cells::cells(graph);
        let mut trail = Self {
            graph,
            entries: Vec::new(),
            stamps: vec![0; graph.vertices.len()],
            history: cells
                .iter()
                .map(|&cell| History {
                    stamps: vec![0],
                    cells: vec![cell],
                })
                .collect(),
            total: 0,
            tested: 0,
            more: 0,
            dirty: [0; W],
            cells,
            notes_down: true,
            changes: Vec::new(),
            notes: Vec::new(),
            next: Vec::new(),
            stops: Vec::new(),
            work: 0,
        };
        for (at, &token) in tokens.iter().enumerate() {
            trail.begin(true);
            trail.insert(at, (at as u32 + 1) * ROOM, token);
            trail.commit();
        }
        trail
    }

    pub(crate) fn tokens(&self) -> Vec<Token> {
        self.entries.iter().map(|entry| entry.token).collect()
    }

    /// The place of a vertex in the list.
    pub(crate) fn position(&self, v: usize) -> usize {
        self.position_of(self.stamps[v])
    }

    fn position_of(&self, stamp: u32) -> usize {
        self.entries.partition_point(|entry| entry.stamp < stamp)
    }

    /// The place of a token that changed the cell of a vertex before a place; `pick` chooses one of several.
    pub(crate) fn earlier(
        &self,
        v: usize,
        at: usize,
        pick: impl FnOnce(usize) -> usize,
    ) -> Option<usize> {
        let stamp = self.stamp(at);
        let stamps = &self.history[v].stamps[1..];
        let count = stamps.partition_point(|&other| other < stamp);
        (count > 0).then(|| self.position_of(stamps[pick(count)]))
    }

    fn stamp(&self, at: usize) -> u32 {
        self.entries.get(at).map_or(u32::MAX, |entry| entry.stamp)
    }

    /// The cell of a vertex before the token at a place.
    pub(crate) fn cell(&self, v: usize, at: usize) -> &Cell<W, L> {
        self.around(v, self.stamp(at)).0
    }

    /// The cells of a vertex before and after the token with a stamp.
    fn around(&self, v: usize, stamp: u32) -> (&Cell<W, L>, &Cell<W, L>) {
        let History { stamps, cells } = &self.history[v];
        // All stamps are compared, without branches to mispredict, since there are few.
        let behind = stamps
            .iter()
            .map(|&own| u32::from(own < stamp))
            .sum::<u32>();
        let behind = (behind as usize).max(1);
        let before = &cells[behind - 1];
        match stamps.get(behind) {
            Some(own) if *own == stamp => (before, &cells[behind]),
            _ => (before, before),
        }
    }

    /// The cell of a vertex in the list under test, before the token with a stamp.
    fn current(&self, v: usize, stamp: u32) -> Cell<W, L> {
        if has(&self.dirty, v) {
            self.cells[v]
        } else {
            *self.around(v, stamp).0
        }
    }

    /// Starts a test: the list under test is the current one.
    fn begin(&mut self, notes_down: bool) {
        self.dirty = [0; W];
        self.tested = self.total;
        self.more = 0;
        self.notes_down = notes_down;
        self.changes.clear();
        self.notes.clear();
    }

    fn change(&mut self, at: usize, change: Change<W>) {
        if self.notes_down {
            self.changes.push((at, change));
        }
    }

    fn note(&mut self, stamp: u32, vertex: usize, cell: Option<Cell<W, L>>) {
        if self.notes_down {
            self.notes.push(Note {
                stamp,
                vertex,
                cell,
            });
        }
    }

    /// Notes whether a vertex has different cells in the list under test and in the current list.
    #[inline]
    fn compare(&mut self, x: usize, other: &Cell<W, L>, base: &Cell<W, L>) {
        if other == base {
            unset(&mut self.dirty, x);
        } else {
            self.cells[x] = *other;
            set(&mut self.dirty, x);
        }
    }

    /// The list under test goes on with a token in front of a place.
    fn insert(&mut self, at: usize, stamp: u32, token: Token) {
        let below = self.stamp(at);
        let v = cells::middle_vertex(token);
        let cell = self.current(v, below);
        self.work += 8;
        let mut entry = Entry {
            token,
            stamp,
            price: 0,
            touched: [0; W],
        };
        if let Some(price) = cells::token_cost(self.graph, token, &cell) {
            entry.price = packed(price);
            entry.touched = cells::touched(self.graph, token, &cell);
        } else if !matches!(token, Token::Vertex(_)) {
            return;
        }
        self.work += 8 * u64::from(size(&entry.touched));
        for x in items(&entry.touched) {
            let base = *self.around(x, below).0;
            let mut other = if has(&self.dirty, x) {
                self.cells[x]
            } else {
                base
            };
            cells::apply_token(self.graph, token, &cell, x, &mut other);
            self.note(stamp, x, Some(other));
            self.compare(x, &other, &base);
        }
        self.more += 1;
        self.tested = self.tested.wrapping_add(entry.price);
        self.change(at, Change::New(entry));
    }

    /// The list under test goes on without the token at a place.
    fn remove(&mut self, at: usize) {
        let entry = self.entries[at];
        self.work += 4 + 6 * u64::from(size(&entry.touched));
        for x in items(&entry.touched) {
            let (&before, &after) = self.around(x, entry.stamp);
            let other = if has(&self.dirty, x) {
                self.cells[x]
            } else {
                before
            };
            self.note(entry.stamp, x, None);
            self.compare(x, &other, &after);
        }
        self.more -= 1;
        self.tested = self.tested.wrapping_sub(entry.price);
        self.change(at, Change::Gone);
    }

    /// The list under test goes on with the token at a place.
    fn keep(&mut self, at: usize) {
        let entry = &self.entries[at];
        self.work += 1;
        if has(&self.dirty, cells::middle_vertex(entry.token)) {
            let entry = *entry;
            self.keep_changed(at, &entry);
            return;
        }
        let differ = meet(&entry.touched, &self.dirty);
        if differ != [0; W] {
            let (token, stamp) = (entry.token, entry.stamp);
            self.keep_beside(token, stamp, &differ);
        }
    }

    /// [`Self::keep`] for a token with other cells at some vertices that it touches, but not at its middle.
    fn keep_beside(&mut self, token: Token, stamp: u32, differ: &Row<W>) {
        let cell = *self.around(cells::middle_vertex(token), stamp).0;
        self.work += 2 + 7 * u64::from(size(differ));
        for x in items(differ) {
            let mut other = self.cells[x];
            cells::apply_token(self.graph, token, &cell, x, &mut other);
            if other == *self.around(x, stamp).1 {
                // Only cells that replace others are noted.
                unset(&mut self.dirty, x);
            } else {
                self.cells[x] = other;
                self.note(stamp, x, Some(other));
            }
        }
    }

    /// [`Self::keep`] for a token whose middle has another cell.
    fn keep_changed(&mut self, at: usize, entry: &Entry<W>) {
        let v = cells::middle_vertex(entry.token);
        let cell = self.cells[v];
        let mut new = Entry {
            price: 0,
            touched: [0; W],
            ..*entry
        };
        let price = cells::token_cost(self.graph, entry.token, &cell);
        if let Some(price) = price {
            new.price = packed(price);
            new.touched = cells::touched(self.graph, entry.token, &cell);
        }
        let mut all = new.touched;
        join(&mut all, &entry.touched);
        if price.is_some() && matches!(entry.token, Token::Vertex(_)) {
            // A neighbour on one side takes over the neighbours on the other: if these are the same in both lists, the
            // neighbour changes in the same way.
            let base = self.around(v, entry.stamp).0;
            let same = minus(&cells::unchanged(&cell, base), &self.dirty);
            all = minus(&all, &same);
        }
        self.work += 9 + 8 * u64::from(size(&all));
        for x in items(&all) {
            let (&before, &after) = self.around(x, entry.stamp);
            let mut other = if has(&self.dirty, x) {
                self.cells[x]
            } else {
                before
            };
            if has(&new.touched, x) {
                cells::apply_token(self.graph, entry.token, &cell, x, &mut other);
                if other != after || !has(&entry.touched, x) {
                    self.note(entry.stamp, x, Some(other));
                }
            } else {
                self.note(entry.stamp, x, None);
            }
            self.compare(x, &other, &after);
        }
        self.tested = self
            .tested
            .wrapping_add(new.price)
            .wrapping_sub(entry.price);
        if price.is_none() && !matches!(entry.token, Token::Vertex(_)) {
            self.more -= 1;
            self.change(at, Change::Gone);
        } else {
            self.change(at, Change::Keep(new));
        }
    }

    /// The cost of the list after some edits, in the order of their places, and the number of further tokens.
    pub(crate) fn test(&mut self, edits: &[Edit]) -> (u64, i64) {
        self.make_room(edits);
        self.begin(true);
        let mut at = edits.first().map_or(0, |edit| edit.position());
        let mut next = 0;
        let n = self.entries.len();
        loop {
            let mut removed = false;
            let here = edits[next..]
                .iter()
                .take_while(|edit| edit.position() == at);
            let step = self.room(at) / (here.count() as u32 + 1);
            let mut stamp = self.stamp_before(at);
            while let Some(&edit) = edits.get(next).filter(|edit| edit.position() == at) {
                match edit {
                    Edit::Insert(_, token) => {
                        stamp += step;
                        self.insert(at, stamp, token);
                    }
                    Edit::Remove(_) => removed = true,
                }
                next += 1;
            }
            if at >= n || (next == edits.len() && !removed && self.dirty == [0; W]) {
                break;
            }
            if removed {
                self.remove(at);
            } else {
                self.keep(at);
            }
            at += 1;
        }
        (self.tested, self.more)
    }

    fn stamp_before(&self, at: usize) -> u32 {
        at.checked_sub(1).map_or(0, |last| self.entries[last].stamp)
    }

    /// The room for stamps in front of a place.
    fn room(&self, at: usize) -> u32 {
        let least = self.stamp_before(at);
        let next = self.entries.get(at);
        next.map_or(2 * ROOM, |entry| entry.stamp - least)
    }

    /// Numbers the stamps anew if there is no room for those of the edits.
    fn make_room(&mut self, edits: &[Edit]) {
        let crowded = |edit: &Edit| self.room(edit.position()) <= edits.len() as u32;
        if !edits.iter().any(crowded) && self.stamp_before(self.entries.len()) < LAST {
            return;
        }
        for history in &mut self.history {
            for stamp in &mut history.stamps[1..] {
                let place = self.entries.partition_point(|entry| entry.stamp < *stamp);
                *stamp = (place as u32 + 1) * ROOM;
            }
        }
        for (at, entry) in self.entries.iter_mut().enumerate() {
            entry.stamp = (at as u32 + 1) * ROOM;
            if let Token::Vertex(v) = entry.token {
                self.stamps[usize::from(v)] = entry.stamp;
            }
        }
        self.work += 10 * self.entries.len() as u64;
    }

    /// Makes the list under test the current one.
    pub(crate) fn commit(&mut self) {
        self.total = self.tested;
        self.work += (self.notes.len() * 3 + self.entries.len() / 16) as u64;
        self.next.clear();
        let mut window: Option<(usize, usize)> = None;
        for &(at, change) in &self.changes {
            if let Change::Keep(entry) = change {
                self.entries[at] = entry;
                continue;
            }
            let (_, done) = window.get_or_insert((at, at));
            self.next.extend_from_slice(&self.entries[*done..at]);
            *done = at;
            match change {
                Change::Gone => *done += 1,
                Change::New(entry) => {
                    if let Token::Vertex(v) = entry.token {
                        self.stamps[usize::from(v)] = entry.stamp;
                    }
                    self.next.push(entry);
                }
                Change::Keep(_) => {}
            }
        }
        // One splice moves the entries behind the window once, however many changes there are.
        if let Some((from, done)) = window {
            self.entries.splice(from..done, self.next.drain(..));
        }
        for note in self.notes.drain(..) {
            let History { stamps, cells } = &mut self.history[note.vertex];
            let mut behind = stamps.len();
            while stamps[behind - 1] > note.stamp {
                behind -= 1;
            }
            let known = stamps[behind - 1] == note.stamp;
            match note.cell {
                Some(cell) if known => cells[behind - 1] = cell,
                Some(cell) => {
                    stamps.insert(behind, note.stamp);
                    cells.insert(behind, cell);
                }
                None if known => {
                    stamps.remove(behind - 1);
                    cells.remove(behind - 1);
                }
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::super::testing::{chain, graph};
    use super::*;
    use crate::bits::board::Board;
    use crate::bits::cells::{CONSTANT_AWARE, PLAIN, UNIT_FREE};
    use crate::cost::CostModel;
    use crate::eliminate::Primal;

    pub(super) fn on_board(graph: &BitGraph<1>, tokens: &[Token]) -> u64 {
        let mut board = Board::new(graph);
        tokens
            .iter()
            .filter_map(|&token| board.apply(token))
            .map(packed)
            .sum()
    }

    /// The list after some edits.
    pub(super) fn edited(tokens: &[Token], edits: &[Edit]) -> Vec<Token> {
        let mut changed = Vec::new();
        for at in 0..=tokens.len() {
            let here = edits.iter().filter(|edit| edit.position() == at);
            changed.extend(here.filter_map(|edit| match *edit {
                Edit::Insert(_, token) => Some(token),
                Edit::Remove(_) => None,
            }));
            if at < tokens.len() && !edits.contains(&Edit::Remove(at)) {
                changed.push(tokens[at]);
            }
        }
        changed
    }

    pub(super) fn some_graph(rng: &mut Rng, model: CostModel) -> (BitGraph<1>, Vec<Token>) {
        let count = 6 + rng.below(20);
        let lcg = graph(rng, count);
        let bits = BitGraph::<1>::new(&Primal::new(&lcg), model).expect("a small graph");
        let mut list: Vec<Token> = items(&bits.eliminable)
            .map(|v| Token::Vertex(v as u16))
            .collect();
        for at in 0..list.len() {
            let other = rng.below(list.len());
            list.swap(at, other);
        }
        (bits, list)
    }

    /// An edge elimination that is possible at a place.
    fn some_edge<const L: usize>(
        trail: &Trail<'_, 1, L>,
        at: usize,
        rng: &mut Rng,
    ) -> Option<Token> {
        let v = rng.below(trail.graph.vertices.len());
        let around = trail.cell(v, at);
        if rng.below(2) == 0 {
            let near = items(around.pred.all()).next()?;
            Some(Token::Front(near as u16, v as u16))
        } else {
            let far = items(around.succ.all()).next()?;
            Some(Token::Back(v as u16, far as u16))
        }
    }

    fn some_edits<const L: usize>(trail: &Trail<'_, 1, L>, rng: &mut Rng) -> Vec<Edit> {
        let n = trail.entries.len();
        let mut edits: Vec<Edit> = Vec::new();
        for _ in 0..3 {
            let at = rng.below(n + 1);
            let removable = at < n && !edits.contains(&Edit::Remove(at));
            match rng.below(4) {
                0 | 1 => {
                    let edge = some_edge(trail, at, rng);
                    edits.extend(edge.map(|token| Edit::Insert(at, token)));
                }
                2 if removable && !matches!(trail.entries[at].token, Token::Vertex(_)) => {
                    edits.push(Edit::Remove(at));
                }
                3 if removable => {
                    let to = rng.below(n + 1);
                    edits.push(Edit::Remove(at));
                    edits.push(Edit::Insert(to, trail.entries[at].token));
                }
                _ => {}
            }
        }
        edits.sort_by_key(|edit| (edit.position(), matches!(edit, Edit::Remove(_))));
        edits
    }

    /// The trail equals a new one of the same list.
    pub(super) fn assert_fresh<const L: usize>(trail: &Trail<'_, 1, L>) {
        let again = Trail::<1, L>::new(trail.graph, &trail.tokens());
        assert_eq!(trail.total, again.total);
        for (at, (old, new)) in trail.entries.iter().zip(&again.entries).enumerate() {
            assert_eq!((old.price, old.touched), (new.price, new.touched));
            if let Token::Vertex(v) = old.token {
                assert_eq!(trail.position(v.into()), at);
            }
        }
        for v in 0..trail.history.len() {
            assert_eq!(trail.history[v].stamps.len(), again.history[v].stamps.len());
            for at in 0..=trail.entries.len() {
                assert_eq!(trail.cell(v, at), again.cell(v, at), "{v} {at}");
            }
        }
    }

    /// A trail gives random changes the cost that the changed lists have when done from the beginning.
    #[test]
    fn changed_lists_cost_what_they_cost_in_full() {
        let mut rng = Rng::new(5);
        let mut counts = [0; 2];
        for _ in 0..100 {
            changes::<PLAIN>(&mut rng, CostModel::Plain, &mut counts);
            changes::<UNIT_FREE>(&mut rng, CostModel::UnitFree, &mut counts);
            changes::<CONSTANT_AWARE>(&mut rng, CostModel::ConstantAware, &mut counts);
        }
        let [longer, shorter] = counts;
        assert!(longer > 1000 && shorter > 1000, "{longer} {shorter}");
    }

    fn changes<const L: usize>(rng: &mut Rng, model: CostModel, counts: &mut [u32; 2]) {
        let (bits, list) = some_graph(rng, model);
        let mut trail = Trail::<1, L>::new(&bits, &list);
        for _ in 0..200 {
            let edits = some_edits(&trail, rng);
            let n = trail.entries.len();
            let changed = edited(&trail.tokens(), &edits);
            let (total, more) = trail.test(&edits);
            assert_eq!(total, on_board(&bits, &changed));
            if rng.below(2) == 0 {
                trail.commit();
                assert_eq!(trail.total, total);
                assert_eq!(trail.entries.len() as i64, n as i64 + more);
                assert_eq!(on_board(&bits, &trail.tokens()), total);
                counts[0] += u32::from(more > 0);
                counts[1] += u32::from(more < 0);
                assert_fresh(&trail);
            }
        }
    }

    /// Stamps run out if tokens come and go at the same place, and are numbered anew.
    #[test]
    fn stamps_are_numbered_again() {
        let mut rng = Rng::new(10);
        let (bits, list) = some_graph(&mut rng, CostModel::Plain);
        let mut trail = Trail::<1, PLAIN>::new(&bits, &list);
        for turn in 0..2000 {
            // The first of the list goes behind the second, or the other way round.
            let edits = if turn % 2 == 0 {
                [Edit::Remove(0), Edit::Insert(2, trail.entries[0].token)]
            } else {
                [Edit::Insert(0, trail.entries[1].token), Edit::Remove(1)]
            };
            trail.test(&edits);
            trail.commit();
            let stamps = trail.entries.windows(2);
            assert!(stamps.clone().all(|pair| pair[0].stamp < pair[1].stamp));
        }
        assert_fresh(&trail);
    }

    /// Stamps grow if tokens go to the end of a list, up to the last stamp, and are then numbered anew.
    #[test]
    fn stamps_on_both_sides_of_the_last_one() {
        let bits =
            BitGraph::<1>::new(&Primal::new(&chain(5)), CostModel::Plain).expect("a small graph");
        let vertices = items(&bits.eliminable).map(|v| Token::Vertex(v as u16));
        let list: Vec<Token> = vertices.collect();
        let n = list.len();
        let mut trail = Trail::<1, PLAIN>::new(&bits, &list);
        let mut to_the_end = || {
            let first = trail.entries[0].token;
            trail.test(&[Edit::Remove(0), Edit::Insert(n, first)]);
            trail.commit();
            trail.stamp_before(n)
        };
        let fresh = n as u32 * ROOM;
        for stamp in (fresh + ROOM..=LAST).step_by(ROOM as usize) {
            assert_eq!(to_the_end(), stamp);
        }
        assert_eq!(to_the_end(), fresh + ROOM);
        assert_fresh(&trail);
    }
}
