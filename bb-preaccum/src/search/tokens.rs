//! Local search on token lists: vertex eliminations, each vertex once, so that every list is complete,
//! with edge eliminations in between.

use super::bits::{BitGraph, has, items, join, meet, set, size};
use super::board::{Board, Price, Token};
use super::rng::{Rng, Thresholds};
use crate::cost::CostModel;

/// Boards are kept at least so many tokens apart.
const STRIDE: usize = 6;

/// What one edge elimination more has to gain, so that they do not pile up.
const PENALTY: f64 = 0.03;

/// What a product weighs that the model does not count, at the beginning and at the end. Good sequences
/// of the plain model are a way to good ones of the others, but not their goal.
const FREE: (f64, f64) = (2.0, 0.03);

/// Most edge eliminations in a list.
const MOST_EDGES: usize = 24;

/// Both numbers in one, for sums: the first in the upper half.
fn packed(price: Price) -> u64 {
    u64::from(price.counted) << 32 | u64::from(price.all)
}

fn unpacked(total: u64) -> (f64, f64) {
    ((total >> 32) as f64, (total & 0xffff_ffff) as f64)
}

/// The board before token `at`, and what the tokens before it cost.
struct Mark<const W: usize> {
    at: usize,
    cost: u64,
    board: Board<W>,
}

/// A changed list: the same as the current one before `from`, and from token `to` of the current one on.
#[derive(Clone, Copy)]
struct Change {
    from: usize,
    to: usize,
}

/// A token list with boards along it.
pub(crate) struct TokenState<'g, const W: usize> {
    graph: &'g BitGraph<W>,
    tokens: Vec<Token>,
    total: u64,
    /// Ascending, the first at 0.
    marks: Vec<Mark<W>>,
    unused: Vec<Board<W>>,
    scratch: Board<W>,
    candidate: Vec<Token>,
    pub(crate) work: u64,
}

impl<'g, const W: usize> TokenState<'g, W> {
    pub(crate) fn new(graph: &'g BitGraph<W>, tokens: Vec<Token>) -> Self {
        let start = Board::new(graph);
        let mut state = Self {
            graph,
            tokens,
            total: 0,
            scratch: start.clone(),
            marks: vec![Mark {
                at: 0,
                cost: 0,
                board: start,
            }],
            unused: Vec::new(),
            candidate: Vec::new(),
            work: 0,
        };
        state.total = state.go_to(state.tokens.len());
        state
    }

    /// Puts the board before token `at` of the current list into `scratch`; returns the cost so far.
    fn go_to(&mut self, at: usize) -> u64 {
        let mut nearest = self.marks.partition_point(|mark| mark.at <= at) - 1;
        let Mark {
            at: mut here,
            mut cost,
            ref board,
        } = self.marks[nearest];
        self.scratch.copy(board);
        self.work += 30;
        let mut marked = here;
        while here < at {
            self.work += 10;
            cost += self.scratch.apply(self.tokens[here]).map_or(0, packed);
            here += 1;
            if here - marked >= STRIDE {
                let mut board = self.unused.pop().unwrap_or_else(|| self.scratch.clone());
                board.copy(&self.scratch);
                self.work += 20;
                nearest += 1;
                self.marks.insert(
                    nearest,
                    Mark {
                        at: here,
                        cost,
                        board,
                    },
                );
                marked = here;
            }
        }
        cost
    }

    /// The cost of the candidate list, and how far it was run: to the end, or to a token of the current
    /// list from where on nothing changes. Edge eliminations that find nothing to do are dropped.
    fn evaluate(&mut self, change: Change) -> (u64, usize, usize) {
        let Change { from, to } = change;
        let mut cost = self.go_to(from);
        let (old, new) = (self.tokens.len(), self.candidate.len());
        let mut kept = from;
        let mut next = self.marks.partition_point(|mark| mark.at < to);
        let mut at = from;
        let mut converged = None;
        while at < new {
            let token = self.candidate[at];
            self.work += 10;
            let done = self.scratch.apply(token);
            cost += done.map_or(0, packed);
            if done.is_some() || matches!(token, Token::Vertex(_)) {
                self.candidate[kept] = token;
                kept += 1;
            }
            at += 1;
            // Token `at` of the candidate is token `at + old - new` of the current list.
            if let Some(mark) = self.marks.get(next)
                && mark.at + new == at + old
            {
                next += 1;
                self.work += 4;
                if mark.board.same(&self.scratch) {
                    converged = Some((mark.at, kept));
                    cost += self.total - mark.cost;
                    break;
                }
            }
        }
        let result = converged.unwrap_or((old, kept));
        self.candidate.copy_within(at..new, kept);
        self.candidate.truncate(kept + new - at);
        (cost, result.0, result.1)
    }

    /// Makes the candidate the current list. From token `end` of the old list, `moved` of the new one,
    /// nothing changed.
    fn commit(&mut self, from: usize, total: u64, (end, moved): (usize, usize)) {
        let gain = total as i64 - self.total as i64;
        std::mem::swap(&mut self.tokens, &mut self.candidate);
        self.total = total;
        let first = self.marks.partition_point(|mark| mark.at <= from);
        let last = self.marks.partition_point(|mark| mark.at < end).max(first);
        for mark in &mut self.marks[last..] {
            mark.at = mark.at + moved - end;
            mark.cost = mark.cost.saturating_add_signed(gain);
        }
        self.unused
            .extend(self.marks.drain(first..last).map(|mark| mark.board));
    }

    /// Fills `candidate` with a changed list; says up to where it is the same as the current one.
    fn propose(&mut self, rng: &mut Rng) -> Option<Change> {
        let n = self.tokens.len();
        self.candidate.clear();
        self.candidate.extend_from_slice(&self.tokens);
        let edges = self
            .tokens
            .iter()
            .filter(|token| !matches!(token, Token::Vertex(_)))
            .count();
        let nth_edge = |list: &[Token], nth: usize| {
            let mut found = (0..list.len()).filter(|&at| !matches!(list[at], Token::Vertex(_)));
            found.nth(nth)
        };
        let choice = rng.below(10);
        if choice < 4 && edges < MOST_EDGES {
            return self.split(rng);
        }
        if choice < 7 && edges > 0 {
            let from = nth_edge(&self.tokens, rng.below(edges))?;
            let token = self.candidate.remove(from);
            if choice < 5 {
                return Some(Change { from, to: from + 1 });
            }
            let to = rng.below(n);
            self.candidate.insert(to, token);
            return moved(from, to);
        }
        let from = rng.below(n);
        let Token::Vertex(v) = self.tokens[from] else {
            return None;
        };
        let to = self.elsewhere(v.into(), from, rng)?;
        let token = self.candidate.remove(from);
        self.candidate.insert(to, token);
        moved(from, to)
    }

    /// A new place for a vertex.
    fn elsewhere(&mut self, v: usize, from: usize, rng: &mut Rng) -> Option<usize> {
        let n = self.tokens.len();
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
        let mut gone = [0; W];
        for token in &self.tokens[..from] {
            if let Token::Vertex(u) = *token {
                set(&mut gone, u.into());
            }
        }
        let (_, before, behind) = self.graph.cost(v, &gone);
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
        let row = meet(&row, &self.graph.eliminable);
        self.work += 20;
        let count = size(&row) as usize;
        if count == 0 {
            return None;
        }
        let nth = rng.below(count);
        let other = items(&row).nth(nth)?;
        self.tokens
            .iter()
            .position(|&token| token == Token::Vertex(other as u16))
    }

    /// Part of a vertex goes earlier than now, or all but a part later.
    fn split(&mut self, rng: &mut Rng) -> Option<Change> {
        let n = self.tokens.len();
        let from = rng.below(n);
        let Token::Vertex(j) = self.tokens[from] else {
            return None;
        };
        let to = self.elsewhere(j.into(), from, rng)?;
        let at = from.min(to);
        self.go_to(at);
        let edges = some_edges(&self.scratch, j.into(), rng);
        if edges.is_empty() {
            return None;
        }
        if at == from {
            self.candidate.remove(from);
            self.candidate.insert(to, Token::Vertex(j));
        }
        self.candidate.splice(at..at, edges);
        Some(Change {
            from: at,
            to: from.max(to) + 1,
        })
    }
}

fn moved(from: usize, to: usize) -> Option<Change> {
    (from != to).then_some(Change {
        from: from.min(to),
        to: from.max(to) + 1,
    })
}

/// Some, but not all, of a vertex's in-edges or out-edges, as eliminations.
fn some_edges<const W: usize>(board: &Board<W>, j: usize, rng: &mut Rng) -> Vec<Token> {
    let (preds, succs) = (board.pred.all[j], board.succ.all[j]);
    let front = !has(&board.stays(), j) && rng.below(2) == 0;
    let mut list: Vec<Token> = if front {
        items(&preds)
            .map(|i| Token::Front(i as u16, j as u16))
            .collect()
    } else {
        items(&succs)
            .map(|k| Token::Back(j as u16, k as u16))
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

/// Anneals until `work` is spent or `stop` says so. Returns the best list and its cost.
pub(crate) fn anneal<const W: usize>(
    state: &mut TokenState<'_, W>,
    (hot, cold): (f64, f64),
    work: u64,
    rng: &mut Rng,
    thresholds: &Thresholds,
    stop: &mut dyn FnMut() -> bool,
) -> (u64, Vec<Token>) {
    let mut best = (state.total, state.tokens.clone());
    if state.tokens.is_empty() {
        return best;
    }
    let start = state.work;
    let share = if state.graph.model == CostModel::Plain {
        (0.0, 0.0)
    } else {
        FREE
    };
    let mut moves = 0u32;
    while state.work - start < work {
        let done = (state.work - start) as f64 / work as f64;
        let temperature = hot + (cold - hot) * done;
        if moves.is_multiple_of(64) && stop() {
            break;
        }
        moves = moves.wrapping_add(1);
        state.work += 5;
        let Some(change) = state.propose(rng) else {
            continue;
        };
        let from = change.from;
        let (total, end, moved) = state.evaluate(change);
        let more = state.candidate.len() as f64 - state.tokens.len() as f64;
        let share = share.0 + (share.1 - share.0) * done;
        let (old, new) = (unpacked(state.total), unpacked(total));
        let change = new.0 - old.0 + share * (new.1 - old.1) + PENALTY * more;
        if thresholds.accept(change, temperature, rng) {
            state.commit(from, total, (end, moved));
            if total < best.0 {
                best = (total, state.tokens.clone());
            }
        }
    }
    (best.0 >> 32, best.1)
}
