//! Local search on token lists: vertex eliminations, each vertex once, so that every list is complete,
//! with edge eliminations in between.

use super::rng::{Rng, Thresholds};
use super::trail::{Edit, Trail};
use crate::bits::board::Token;
use crate::bits::cells::Cell;
use crate::bits::{BitGraph, Row, has, items, join, meet, set, size};
use crate::cost::CostModel;

/// The gain that one edge elimination more must have, so that they do not pile up.
const PENALTY: f64 = 0.03;

/// The weight of a product that the model does not count, at the end. Good sequences
/// of the plain model are a way to good ones of the others, but not their goal.
const FREE: f64 = 0.03;

/// One of this many moves is the move of a group, of [`GROUP`] tokens at most.
const GROUP_EVERY: usize = 16;
const GROUP: usize = 8;

/// Most edge eliminations in a list.
const MOST_EDGES: usize = 24;

fn unpacked(total: u64) -> (f64, f64) {
    ((total >> 32) as f64, (total & 0xffff_ffff) as f64)
}

/// A token list under change.
pub(crate) struct TokenState<'g, const W: usize> {
    trail: Trail<'g, W>,
    /// The place of each vertex in the list, and of the edges.
    place: Vec<usize>,
    edges: Vec<usize>,
    /// The vertices before each place.
    gone: Vec<Row<W>>,
    edits: Vec<Edit>,
}

impl<'g, const W: usize> TokenState<'g, W> {
    pub(crate) fn new(graph: &'g BitGraph<W>, tokens: Vec<Token>) -> Self {
        let mut state = Self {
            trail: Trail::new(graph, tokens),
            place: vec![0; graph.vertices.len()],
            edges: Vec::new(),
            gone: Vec::new(),
            edits: Vec::new(),
        };
        state.index();
        state
    }

    pub(crate) fn total(&self) -> u64 {
        self.trail.total
    }

    pub(crate) fn work(&self) -> u64 {
        self.trail.work
    }

    fn index(&mut self) {
        self.edges.clear();
        self.gone.clear();
        let mut gone = [0; W];
        for (at, &token) in self.trail.tokens.iter().enumerate() {
            self.gone.push(gone);
            if let Token::Vertex(v) = token {
                self.place[usize::from(v)] = at;
                set(&mut gone, v.into());
            } else {
                self.edges.push(at);
            }
        }
        self.trail.work += self.trail.tokens.len() as u64;
    }

    /// Fills `edits` with a change; false if there is none.
    fn propose(&mut self, rng: &mut Rng) -> bool {
        let n = self.trail.tokens.len();
        self.edits.clear();
        let edges = self.edges.len();
        if rng.below(GROUP_EVERY) == 0 {
            return self.group(rng);
        }
        let choice = rng.below(10);
        if choice < 4 && edges < MOST_EDGES {
            return self.split(rng);
        }
        if choice < 7 && edges > 0 {
            let from = self.edges[rng.below(edges)];
            if choice < 5 {
                self.edits.push(Edit::Remove(from));
                return true;
            }
            let to = rng.below(n);
            return self.moved(from, to);
        }
        let from = rng.below(n);
        let Token::Vertex(v) = self.trail.tokens[from] else {
            return false;
        };
        match self.elsewhere(v.into(), from, rng) {
            Some(to) => self.moved(from, to),
            None => false,
        }
    }

    /// A token goes to where another stands.
    fn moved(&mut self, from: usize, to: usize) -> bool {
        let token = self.trail.tokens[from];
        if from < to {
            self.edits.push(Edit::Remove(from));
            self.edits.push(Edit::Insert(to + 1, token));
        } else {
            self.edits.push(Edit::Insert(to, token));
            self.edits.push(Edit::Remove(from));
        }
        from != to
    }

    /// A new place for a vertex.
    fn elsewhere(&mut self, v: usize, from: usize, rng: &mut Rng) -> Option<usize> {
        let n = self.trail.tokens.len();
        match rng.below(8) {
            0 => Some(rng.below(n)),
            1..=3 => {
                let near = 1 + rng.below(12);
                Some(if rng.below(2) == 0 {
                    from.saturating_sub(near)
                } else {
                    (from + near).min(n - 1)
                })
            }
            _ => self.related(v, from, rng),
        }
    }

    /// The place of a vertex that has to do with the one at `from`: with the order of the two changed,
    /// costs change. (Edge eliminations in between are ignored for this.)
    fn related(&mut self, v: usize, from: usize, rng: &mut Rng) -> Option<usize> {
        let graph = self.trail.graph;
        let (_, before, behind) = graph.cost(v, &self.gone[from]);
        let mut row = if rng.below(2) == 0 {
            before.all
        } else {
            before.through
        };
        join(
            &mut row,
            if rng.below(2) == 0 {
                &behind.all
            } else {
                &behind.through
            },
        );
        let row = meet(&row, &graph.eliminable);
        self.trail.work += 20;
        let count = size(&row) as usize;
        if count == 0 {
            return None;
        }
        let nth = rng.below(count);
        items(&row).nth(nth).map(|other| self.place[other])
    }

    /// Some tokens that follow each other, or vertices with a neighbour in common, go to one place.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other tokens go anywhere"
    )]
    fn group(&mut self, rng: &mut Rng) -> bool {
        let n = self.trail.tokens.len();
        let graph = self.trail.graph;
        let at = rng.below(n);
        let mut places: Vec<usize> = Vec::new();
        if rng.below(2) == 0 {
            places.extend(at..n.min(at + 2 + rng.below(GROUP - 1)));
        } else {
            let Token::Vertex(v) = self.trail.tokens[at] else {
                return false;
            };
            let (side, other) = if rng.below(2) == 0 {
                (&graph.succ, &graph.pred)
            } else {
                (&graph.pred, &graph.succ)
            };
            let around = &side.all[usize::from(v)];
            let count = size(around) as usize;
            if count == 0 {
                return false;
            }
            let Some(shared) = items(around).nth(rng.below(count)) else {
                return false;
            };
            let row = meet(&other.all[shared], &graph.eliminable);
            places.extend(items(&row).take(GROUP).map(|w| self.place[w]));
            places.sort_unstable();
        }
        let to = match self.trail.tokens[at] {
            Token::Vertex(v) => self.elsewhere(v.into(), at, rng),
            _ => Some(rng.below(n)),
        };
        let Some(to) = to else { return false };
        if places.contains(&to) {
            return false;
        }
        let to = if to > at { to + 1 } else { to };
        let before = places.iter().filter(|&&place| place < to).copied();
        self.edits.extend(before.map(Edit::Remove));
        let tokens = places.iter().map(|&place| self.trail.tokens[place]);
        self.edits
            .extend(tokens.map(|token| Edit::Insert(to, token)));
        let behind = places.iter().filter(|&&place| place >= to).copied();
        self.edits.extend(behind.map(Edit::Remove));
        !places.is_empty()
    }

    /// Part of a vertex goes earlier than now, or all but a part later.
    fn split(&mut self, rng: &mut Rng) -> bool {
        let from = rng.below(self.trail.tokens.len());
        let Token::Vertex(j) = self.trail.tokens[from] else {
            return false;
        };
        let Some(to) = self.elsewhere(j.into(), from, rng) else {
            return false;
        };
        let at = from.min(to);
        let stays = has(&self.trail.graph.stays, j.into());
        let edges = some_edges(self.trail.cell(j.into(), at), stays, j, rng);
        let some = !edges.is_empty();
        self.edits
            .extend(edges.into_iter().map(|token| Edit::Insert(at, token)));
        if at == from && to != from {
            self.edits.push(Edit::Remove(from));
            self.edits.push(Edit::Insert(to + 1, Token::Vertex(j)));
        }
        some
    }
}

/// Some, but not all, of a vertex's in-edges or out-edges, as eliminations.
fn some_edges<const W: usize>(cell: &Cell<W>, stays: bool, j: u16, rng: &mut Rng) -> Vec<Token> {
    let front = !stays && rng.below(2) == 0;
    let mut list: Vec<Token> = if front {
        items(&cell.pred.all)
            .map(|i| Token::Front(i as u16, j))
            .collect()
    } else {
        items(&cell.succ.all)
            .map(|k| Token::Back(j, k as u16))
            .collect()
    };
    if list.len() < 2 {
        return Vec::new();
    }
    // Mostly one or two; the rest are left for later.
    let mut count = 1;
    while count + 1 < list.len() && rng.below(3) == 0 {
        count += 1;
    }
    for at in 0..count {
        let other = at + rng.below(list.len() - at);
        list.swap(at, other);
    }
    list.truncate(count);
    list
}

/// Anneals until `work` is spent or `stop` says so. A product that the model does not count has the weight `free` at the
/// beginning. Returns the best list and its cost.
pub(crate) fn anneal<const W: usize>(
    state: &mut TokenState<'_, W>,
    (hot, cold): (f64, f64),
    free: f64,
    work: u64,
    rng: &mut Rng,
    thresholds: &Thresholds,
    stop: &mut dyn FnMut() -> bool,
) -> (u64, Vec<Token>) {
    let mut best = (state.total(), state.trail.tokens.clone());
    if best.1.is_empty() {
        return (best.0 >> 32, best.1);
    }
    let start = state.work();
    let share = if state.trail.graph.model == CostModel::Plain {
        (0.0, 0.0)
    } else {
        (free, FREE)
    };
    let mut moves = 0u32;
    while state.work() - start < work {
        let done = (state.work() - start) as f64 / work as f64;
        let temperature = hot + (cold - hot) * done;
        if moves.is_multiple_of(256) && stop() {
            break;
        }
        moves = moves.wrapping_add(1);
        state.trail.work += 5;
        if !state.propose(rng) {
            continue;
        }
        let edits = std::mem::take(&mut state.edits);
        let (total, more) = state.trail.test(&edits);
        let share = share.0 + (share.1 - share.0) * done;
        let (old, new) = (unpacked(state.total()), unpacked(total));
        let change = new.0 - old.0 + share * (new.1 - old.1) + PENALTY * more as f64;
        if thresholds.accept(change, temperature, rng) {
            state.trail.commit(&edits);
            state.index();
            if total < best.0 {
                best = (total, state.trail.tokens.clone());
            }
        }
        state.edits = edits;
    }
    (best.0 >> 32, best.1)
}
