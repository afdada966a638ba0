//! Annealing of vertex elimination orders: a vertex is moved to another place, and only the costs that
//! change are computed again.

use super::bits::{BitGraph, Row, has, set, unset};
use super::rng::{Rng, Thresholds};

/// An order with everything needed to change it quickly.
pub(crate) struct OrderState<'g, const W: usize> {
    graph: &'g BitGraph<W>,
    order: Vec<usize>,
    place: Vec<usize>,
    /// The set before each place.
    prefix: Vec<Row<W>>,
    cost: Vec<u32>,
    /// Eliminated vertices that the neighbours of each vertex are seen through.
    through: Vec<Row<W>>,
    /// Neighbours of each vertex when its turn comes.
    near: Vec<Row<W>>,
    total: u64,
    /// Changes that a move under test would make: vertex, cost, through, near.
    pending: Vec<(usize, u32, Row<W>, Row<W>)>,
    pub(crate) work: u64,
}

impl<'g, const W: usize> OrderState<'g, W> {
    pub(crate) fn new(graph: &'g BitGraph<W>, order: &[usize]) -> Self {
        let n = graph.vertices.len();
        let mut state = Self {
            graph,
            order: order.to_vec(),
            place: vec![0; n],
            prefix: Vec::with_capacity(order.len() + 1),
            cost: vec![0; n],
            through: vec![[0; W]; n],
            near: vec![[0; W]; n],
            total: 0,
            pending: Vec::new(),
            work: 0,
        };
        let mut gone = [0; W];
        for (at, &v) in order.iter().enumerate() {
            state.prefix.push(gone);
            state.place[v] = at;
            let (cost, through, near) = state.look(v, &gone);
            state.cost[v] = cost;
            state.through[v] = through;
            state.near[v] = near;
            state.total += u64::from(cost);
            set(&mut gone, v);
        }
        state
    }

    fn look(&mut self, v: usize, gone: &Row<W>) -> (u32, Row<W>, Row<W>) {
        let (cost, mut before, behind) = self.graph.cost(v, gone);
        super::bits::join(&mut before.through, &behind.through);
        super::bits::join(&mut before.all, &behind.all);
        self.work += 12 + u64::from(super::bits::size(&before.through));
        (cost, before.through, before.all)
    }

    /// What moving the vertex at place `from` to place `to` would change.
    fn test(&mut self, from: usize, to: usize) -> i64 {
        let v = self.order[from];
        self.pending.clear();
        let mut change = 0i64;
        self.work += 4 + from.abs_diff(to) as u64 / 2;
        if from < to {
            for at in from + 1..=to {
                let w = self.order[at];
                if has(&self.through[w], v) {
                    let mut gone = self.prefix[at];
                    unset(&mut gone, v);
                    change += self.test_one(w, &gone);
                }
            }
            let mut gone = self.prefix[to];
            set(&mut gone, self.order[to]);
            unset(&mut gone, v);
            change += self.test_one(v, &gone);
        } else {
            let gone = self.prefix[to];
            change += self.test_one(v, &gone);
            for at in to..from {
                let w = self.order[at];
                if has(&self.near[w], v) {
                    let mut gone = self.prefix[at];
                    set(&mut gone, v);
                    change += self.test_one(w, &gone);
                }
            }
        }
        change
    }

    fn test_one(&mut self, v: usize, gone: &Row<W>) -> i64 {
        let (cost, through, near) = self.look(v, gone);
        self.pending.push((v, cost, through, near));
        i64::from(cost) - i64::from(self.cost[v])
    }

    /// Makes the move that was tested last.
    fn commit(&mut self, from: usize, to: usize) {
        let v = self.order[from];
        for (w, cost, through, near) in self.pending.drain(..) {
            self.total = self.total + u64::from(cost) - u64::from(self.cost[w]);
            self.cost[w] = cost;
            self.through[w] = through;
            self.near[w] = near;
        }
        if from < to {
            self.order.copy_within(from + 1..=to, from);
        } else {
            self.order.copy_within(to..from, to + 1);
        }
        self.order[to] = v;
        let (low, high) = (from.min(to), from.max(to));
        let mut gone = self.prefix[low];
        for at in low..=high {
            self.prefix[at] = gone;
            let w = self.order[at];
            self.place[w] = at;
            set(&mut gone, w);
        }
    }

    /// A vertex and a new place for it: next to a vertex that it has to do with, or anywhere.
    fn propose(&self, rng: &mut Rng) -> (usize, usize) {
        let n = self.order.len();
        let from = rng.below(n);
        let v = self.order[from];
        let choice = rng.below(8);
        if choice < 6 {
            // Beside a vertex that is eliminated after (near) or before (through) and matters to v.
            let row = if choice < 3 {
                &self.near[v]
            } else {
                &self.through[v]
            };
            let row = super::bits::meet(row, &self.graph.eliminable);
            let count = super::bits::size(&row) as usize;
            if count > 0 {
                let nth = rng.below(count);
                if let Some(other) = super::bits::items(&row).nth(nth) {
                    // Just past it, so that their order changes.
                    return (from, self.place[other]);
                }
            }
        }
        (from, rng.below(n))
    }
}

/// Anneals until `work` is spent or `stop` says so. Returns the best order and its cost.
pub(crate) fn anneal<const W: usize>(
    state: &mut OrderState<'_, W>,
    (hot, cold): (f64, f64),
    work: u64,
    rng: &mut Rng,
    thresholds: &Thresholds,
    stop: &mut dyn FnMut() -> bool,
) -> (u64, Vec<usize>) {
    let mut best = (state.total, state.order.clone());
    if state.order.len() < 2 {
        return best;
    }
    let start = state.work;
    let mut moves = 0u32;
    let mut temperature = hot;
    while state.work - start < work {
        if moves.is_multiple_of(64) {
            let done = (state.work - start) as f64 / work as f64;
            // A straight line in the temperature does as well as a geometric one here.
            temperature = hot + (cold - hot) * done;
            if moves.is_multiple_of(1024) && stop() {
                break;
            }
        }
        moves = moves.wrapping_add(1);
        let (from, to) = state.propose(rng);
        if from == to {
            state.work += 1;
            continue;
        }
        let change = state.test(from, to);
        if thresholds.accept(change as f64, temperature, rng) {
            state.commit(from, to);
            if state.total < best.0 {
                best = (state.total, state.order.clone());
            }
        }
    }
    best
}
