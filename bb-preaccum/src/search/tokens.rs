//! Local search on token lists: vertex eliminations, each vertex once, so that every list is complete,
//! with edge eliminations in between.

use super::rng::{Rng, Thresholds};
use super::trail::{Edit, Trail, unpack_difference};
use crate::bits::board::Token;
use crate::bits::cells::{self, Cell};
use crate::bits::{BitGraph, has, items, join, meet, size};
use crate::cost::CostModel;

/// The least gain of a further edge elimination, so that useless ones do not pile up.
const PENALTY: f64 = 0.03;

/// The final weight of a product that the model does not count. Good sequences of the plain model are a way to good
/// ones of the others, but not their goal.
const FREE: f64 = 0.03;

/// One of this many moves is the move of a group, of [`GROUP`] tokens at most.
const GROUP_EVERY: usize = 16;
const GROUP: usize = 8;

/// Most edge eliminations in a list.
const MOST_EDGES: usize = 24;

/// A scan ends at a place that costs this much more than the best one.
const MOST_RISE: i64 = 30;

/// Of this many moves of single tokens, [`SPLITS`] split a vertex, and [`EDGE_MOVES`] move an edge elimination.
const MOVES: usize = 16;
const SPLITS: usize = 8;
const EDGE_MOVES: usize = 3;

/// The temperature of a move, and the weights beside products that count.
#[derive(Clone, Copy)]
struct Climate {
    temperature: f64,
    /// The weight of a product that does not count.
    free: f64,
}

impl Climate {
    /// The weighted change of the cost, with a penalty for `more` further tokens.
    fn weigh(self, change: u64, more: i64) -> f64 {
        let (counted, all) = unpack_difference(change);
        counted as f64 + self.free * all as f64 + PENALTY * more as f64
    }
}

/// The subject of a scan.
#[derive(Clone, Copy)]
enum Subject {
    /// The token at a place.
    Old(usize),
    /// A new token.
    New(Token),
    /// The token at a place, which leaves another one there.
    Leaves(usize, Token),
}

/// A token list under change.
pub(crate) struct TokenState<'g, const W: usize, const L: usize> {
    trail: Trail<'g, W, L>,
    /// The places of edge eliminations in the list.
    edges: Vec<usize>,
    edits: Vec<Edit>,
}

impl<'g, const W: usize, const L: usize> TokenState<'g, W, L> {
    pub(crate) fn new(graph: &'g BitGraph<W>, tokens: &[Token]) -> Self {
        let mut state = Self {
            trail: Trail::new(graph, tokens),
            edges: Vec::new(),
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
        let entries = self.trail.entries.iter().enumerate();
        let edges = entries.filter(|(_, entry)| !matches!(entry.token, Token::Vertex(_)));
        self.edges.extend(edges.map(|(at, _)| at));
        self.trail.work += self.trail.entries.len() as u64 / 8;
    }

    fn token(&self, at: usize) -> Token {
        self.trail.entries[at].token
    }

    /// True if the list may have one edge elimination more.
    fn has_room(&self) -> bool {
        self.edges.len() < MOST_EDGES
    }

    /// Tries a move; the list changes only if it is accepted.
    fn step(&mut self, climate: Climate, rng: &mut Rng, thresholds: &Thresholds) {
        self.edits.clear();
        if rng.below(GROUP_EVERY) == 0 {
            if self.group(rng) {
                self.try_edits(0.0, climate, rng, thresholds);
            }
            return;
        }
        let n = self.trail.entries.len();
        let choice = rng.below(MOVES);
        let edges = self.edges.len();
        if choice < SPLITS && self.has_room() {
            self.split(climate, rng, thresholds);
            return;
        }
        let from = if choice < SPLITS + EDGE_MOVES && edges > 0 {
            self.edges[rng.below(edges)]
        } else {
            rng.below(n)
        };
        let v = cells::middle_vertex(self.token(from));
        let to = match self.token(from) {
            Token::Vertex(_) => self.elsewhere(v, from, rng),
            Token::Front(..) | Token::Back(..) => Some(if rng.below(2) == 0 { 0 } else { n - 1 }),
        };
        match to {
            Some(to) if to < from => {
                let token = self.token(from);
                self.trail.scan_left(token, from, false, to, MOST_RISE);
            }
            Some(to) if to > from => self.trail.scan_right(from, &[], to + 1, MOST_RISE),
            Some(_) | None => return,
        }
        self.choose(Subject::Old(from), climate, rng, thresholds);
    }

    /// Moves the subject to one of the scanned places, or leaves the list as it is.
    fn choose(
        &mut self,
        subject: Subject,
        climate: Climate,
        rng: &mut Rng,
        thresholds: &Thresholds,
    ) {
        let noise = |rng: &mut Rng| climate.temperature * thresholds.noise(rng);
        let mut best = -noise(rng);
        let mut chosen = None;
        for &stop in &self.trail.stops {
            let more = match subject {
                Subject::Old(_) => -i64::from(stop.place.is_none()),
                Subject::New(_) | Subject::Leaves(..) => 1,
            };
            let estimate = climate.weigh(stop.change, more);
            let value = estimate - noise(rng);
            if value < best {
                (best, chosen) = (value, Some((stop.place, estimate)));
            }
        }
        self.trail.work += self.trail.stops.len() as u64;
        let Some((place, estimate)) = chosen else {
            return;
        };
        self.edits.clear();
        match (subject, place) {
            (Subject::Old(from) | Subject::Leaves(from, _), place) => {
                let token = self.token(from);
                let left = place.filter(|&to| to <= from);
                self.edits.extend(left.map(|to| Edit::Insert(to, token)));
                if let Subject::Leaves(_, edge) = subject {
                    self.edits.push(Edit::Insert(from, edge));
                }
                self.edits.push(Edit::Remove(from));
                let right = place.filter(|&to| to > from);
                self.edits.extend(right.map(|to| Edit::Insert(to, token)));
            }
            (Subject::New(token), Some(to)) => self.edits.push(Edit::Insert(to, token)),
            (Subject::New(_), None) => return,
        }
        self.try_edits(estimate, climate, rng, thresholds);
    }

    /// Makes some edits if their cost is accepted.
    fn try_edits(
        &mut self,
        expected: f64,
        climate: Climate,
        rng: &mut Rng,
        thresholds: &Thresholds,
    ) {
        let (total, more) = self.trail.test(&self.edits);
        let change = climate.weigh(total.wrapping_sub(self.trail.total), more);
        if thresholds.accept(change - expected, climate.temperature, rng) {
            self.trail.commit();
            self.index();
        }
    }

    /// A new place for a vertex: beside a related vertex, or anywhere.
    fn elsewhere(&mut self, v: usize, from: usize, rng: &mut Rng) -> Option<usize> {
        let n = self.trail.entries.len();
        match rng.below(8) {
            0 => Some(rng.below(n)),
            1 | 2 => {
                let near = 1 + rng.below(12);
                Some(if rng.below(2) == 0 {
                    from.saturating_sub(near)
                } else {
                    (from + near).min(n - 1)
                })
            }
            3..=5 => self.trail.earlier(v, from, |count| rng.below(count)),
            _ => self.later(v, from, rng),
        }
    }

    /// The place of a vertex that is eliminated later and a neighbour then.
    fn later(&mut self, v: usize, from: usize, rng: &mut Rng) -> Option<usize> {
        let cell = self.trail.cell(v, from);
        let mut row = *cell.pred.all();
        join(&mut row, cell.succ.all());
        let row = meet(&row, &self.trail.graph.eliminable);
        self.trail.work += 4;
        let count = size(&row) as usize;
        if count == 0 {
            return None;
        }
        let nth = rng.below(count);
        let other = items(&row).nth(nth)?;
        Some(self.trail.position(other))
    }

    /// Moves consecutive tokens, or vertices with a common neighbour, to one place.
    fn group(&mut self, rng: &mut Rng) -> bool {
        let n = self.trail.entries.len();
        let graph = self.trail.graph;
        let at = rng.below(n);
        let mut places: Vec<usize> = Vec::new();
        if rng.below(2) == 0 {
            places.extend(at..n.min(at + 2 + rng.below(GROUP - 1)));
        } else {
            let Token::Vertex(v) = self.token(at) else {
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
            places.extend(items(&row).take(GROUP).map(|w| self.trail.position(w)));
            places.sort_unstable();
        }
        let to = match self.token(at) {
            Token::Vertex(v) => self.elsewhere(v.into(), at, rng),
            Token::Front(..) | Token::Back(..) => Some(rng.below(n)),
        };
        let Some(to) = to else { return false };
        if places.contains(&to) {
            return false;
        }
        let to = if to > at { to + 1 } else { to };
        let before = places.iter().filter(|&&place| place < to).copied();
        self.edits.extend(before.map(Edit::Remove));
        let tokens = places.iter().map(|&place| self.trail.entries[place].token);
        self.edits
            .extend(tokens.map(|token| Edit::Insert(to, token)));
        let behind = places.iter().filter(|&&place| place >= to).copied();
        self.edits.extend(behind.map(Edit::Remove));
        !places.is_empty()
    }

    /// Splits a vertex elimination: one edge of the vertex is eliminated earlier, or the vertex later than one of its
    /// edges.
    fn split(&mut self, climate: Climate, rng: &mut Rng, thresholds: &Thresholds) {
        let n = self.trail.entries.len();
        let from = rng.below(n);
        let Token::Vertex(j) = self.token(from) else {
            return;
        };
        let stays = has(&self.trail.graph.stays, j.into());
        let Some(edge) = some_edge(self.trail.cell(j.into(), from), stays, j, rng) else {
            return;
        };
        if rng.below(2) == 0 {
            self.trail.scan_left(edge, from, true, 0, MOST_RISE);
            self.choose(Subject::New(edge), climate, rng, thresholds);
        } else {
            self.trail.scan_right(from, &[edge], n, MOST_RISE);
            self.choose(Subject::Leaves(from, edge), climate, rng, thresholds);
        }
    }
}

/// The elimination of an edge of a vertex that has others on the same side.
fn some_edge<const W: usize, const L: usize>(
    cell: &Cell<W, L>,
    stays: bool,
    j: u16,
    rng: &mut Rng,
) -> Option<Token> {
    let front = !stays && rng.below(2) == 0;
    let row = if front {
        cell.pred.all()
    } else {
        cell.succ.all()
    };
    let count = size(row) as usize;
    if count < 2 {
        return None;
    }
    let end = items(row).nth(rng.below(count))? as u16;
    Some(if front {
        Token::Front(end, j)
    } else {
        Token::Back(j, end)
    })
}

/// Anneals until `work` is spent or `stop` returns true. A product that the model does not count has the initial
/// weight `free`. Returns the best list and its cost.
pub(crate) fn anneal<const W: usize, const L: usize>(
    state: &mut TokenState<'_, W, L>,
    (hot, cold): (f64, f64),
    free: f64,
    work: u64,
    rng: &mut Rng,
    thresholds: &Thresholds,
    stop: &mut dyn FnMut() -> bool,
) -> (u64, Vec<Token>) {
    let mut best = (state.total(), state.trail.tokens());
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
        let climate = Climate {
            temperature: hot + (cold - hot) * done,
            free: share.0 + (share.1 - share.0) * done,
        };
        if moves.is_multiple_of(256) && stop() {
            break;
        }
        moves = moves.wrapping_add(1);
        state.trail.work += 5;
        state.step(climate, rng, thresholds);
        if state.total() < best.0 {
            best = (state.total(), state.trail.tokens());
        }
    }
    (best.0 >> 32, best.1)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{parallel, star};
    use super::*;
    use crate::bits::cells::PLAIN;
    use crate::eliminate::Primal;
    use crate::lcg::Lcg;

    fn bits(lcg: &Lcg) -> BitGraph<1> {
        BitGraph::new(&Primal::new(lcg), CostModel::Plain).expect("a small graph")
    }

    #[test]
    fn edge_eliminations_on_both_sides_of_their_limit() {
        let inputs = MOST_EDGES + 2;
        let bits = bits(&star(inputs, 2));
        let middle = inputs as u16;
        let climate = Climate {
            temperature: 100.0,
            free: 0.0,
        };
        let (mut rng, thresholds) = (Rng::new(1), Thresholds::new());
        for (edges, has_room) in [(MOST_EDGES - 1, true), (MOST_EDGES, false)] {
            let fronts = (0..edges as u16).map(|i| Token::Front(i, middle));
            let list: Vec<Token> = fronts.chain([Token::Vertex(middle)]).collect();
            let mut state = TokenState::<1, PLAIN>::new(&bits, &list);
            assert_eq!((state.edges.len(), state.has_room()), (edges, has_room));
            for _ in 0..2000 {
                state.step(climate, &mut rng, &thresholds);
                assert!(state.edges.len() <= MOST_EDGES);
            }
        }
    }

    /// A group goes to a place of another token.
    #[test]
    fn groups_on_both_sides_of_the_limit() {
        for (count, most) in [(GROUP, GROUP - 1), (GROUP + 1, GROUP), (GROUP + 2, GROUP)] {
            let bits = bits(&parallel(count));
            let vertices = items(&bits.eliminable).map(|v| Token::Vertex(v as u16));
            let list: Vec<Token> = vertices.collect();
            let mut state = TokenState::<1, PLAIN>::new(&bits, &list);
            let mut rng = Rng::new(2);
            let moved = (0..5000).map(|_| {
                state.edits.clear();
                state.group(&mut rng);
                let is_removed = |edit: &&Edit| matches!(edit, Edit::Remove(_));
                state.edits.iter().filter(is_removed).count()
            });
            assert_eq!(moved.max(), Some(most), "{count}");
        }
    }
}
