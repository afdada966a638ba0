//! Annealing of vertex elimination orders: a vertex or a group of vertices is moved to another place, and
//! only the costs that change are computed again.

use super::rng::{Rng, Thresholds};
use crate::bits::{BitGraph, Near, Row, has, items, meet, minus, set, size, unset};
use crate::cost::CostModel;

/// Most vertices in a group that is moved together, and most if they are only consecutive.
const GROUP: usize = 12;
const RUN: usize = 5;
/// One of this many moves is the move of a group, which is expensive.
const GROUP_EVERY: u32 = 16;

/// A scan ends at a place that costs this much more than the best one.
const MOST_RISE: i64 = 30;

/// A number of multiplications, or a change of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    /// Multiplications that the model counts.
    counted: i64,
    /// All multiplications.
    all: i64,
}

impl Cost {
    fn plus(self, other: Self) -> Self {
        Self {
            counted: self.counted + other.counted,
            all: self.all + other.all,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            counted: self.counted - other.counted,
            all: self.all - other.all,
        }
    }

    /// The sum of both numbers, the second one with this weight.
    fn weighed(self, weight: f64) -> f64 {
        self.counted as f64 + weight * self.all as f64
    }
}

/// The cost of one vertex at its turn, and the neighbours on which the cost depends.
#[derive(Clone, Copy)]
struct Look<const W: usize> {
    cost: Cost,
    before: Near<W>,
    behind: Near<W>,
}

/// An order, with the tables that make changes cheap.
pub(crate) struct OrderState<'g, const W: usize> {
    graph: &'g BitGraph<W>,
    order: Vec<usize>,
    place: Vec<usize>,
    /// The set before each place.
    prefix: Vec<Row<W>>,
    look: Vec<Look<W>>,
    total: Cost,
    /// Changes that a move under test would make.
    pending: Vec<(usize, Look<W>)>,
    /// Places for the vertex under test: each with the change of the cost, the number of pending changes of other
    /// vertices, and the look of the vertex there.
    stops: Vec<(usize, Cost, usize, Look<W>)>,
    /// The vertices from the first changed place on, as a move under test would order them.
    window: Vec<usize>,
    pub(crate) work: u64,
}

impl<'g, const W: usize> OrderState<'g, W> {
    pub(crate) fn new(graph: &'g BitGraph<W>, order: &[usize]) -> Self {
        let n = graph.vertices.len();
        let nothing = Near {
            all: [0; W],
            strong: [0; W],
            variable: [0; W],
            through: [0; W],
        };
        let mut state = Self {
            graph,
            order: order.to_vec(),
            place: vec![0; n],
            prefix: Vec::with_capacity(order.len() + 1),
            look: vec![
                Look {
                    cost: Cost::default(),
                    before: nothing,
                    behind: nothing,
                };
                n
            ],
            total: Cost::default(),
            pending: Vec::new(),
            stops: Vec::new(),
            window: Vec::new(),
            work: 0,
        };
        let mut gone = [0; W];
        for (at, &v) in order.iter().enumerate() {
            state.prefix.push(gone);
            state.place[v] = at;
            let (before, behind) = (graph.before(v, &gone), graph.behind(v, &gone));
            let cost = cost(graph, &before, &behind);
            state.work += 20;
            state.look[v] = Look {
                cost,
                before,
                behind,
            };
            state.total = state.total.plus(cost);
            set(&mut gone, v);
        }
        state
    }

    /// The look of `v` behind another set, given its look `old` and the sides that change; `grows` if the new set
    /// contains the old one.
    fn again(
        &mut self,
        v: usize,
        old: &Look<W>,
        gone: &Row<W>,
        sides: (bool, bool),
        grows: bool,
    ) -> Look<W> {
        let mut new = *old;
        self.work += 4;
        if sides.0 {
            new.before = if grows {
                self.graph.more_before(&old.before, gone)
            } else {
                self.graph.before(v, gone)
            };
            let known = if grows { size(&old.before.through) } else { 0 };
            self.work += 4 + u64::from(size(&new.before.through).saturating_sub(known));
        }
        if sides.1 {
            new.behind = if grows {
                self.graph.more_behind(&old.behind, gone)
            } else {
                self.graph.behind(v, gone)
            };
            let known = if grows { size(&old.behind.through) } else { 0 };
            self.work += 4 + u64::from(size(&new.behind.through).saturating_sub(known));
        }
        new.cost = cost(self.graph, &new.before, &new.behind);
        new
    }

    /// Notes the new look of a vertex, from [`Self::again`], as pending; returns the change of its cost.
    fn look_again(&mut self, v: usize, gone: &Row<W>, sides: (bool, bool), grows: bool) -> Cost {
        let old = self.look[v];
        let new = self.again(v, &old, gone, sides, grows);
        self.pending.push((v, new));
        new.cost.minus(old.cost)
    }

    /// The change of the cost if the vertex at place `from` moved to place `to`.
    fn test(&mut self, from: usize, to: usize) -> Cost {
        let v = self.order[from];
        self.pending.clear();
        self.work += 4 + from.abs_diff(to) as u64 / 2;
        let plain = self.graph.model == CostModel::Plain;
        // Positions are topological, so a vertex above v has it among its predecessors.
        let mut change = Cost::default();
        let mut gone = self.prefix[to];
        if from < to {
            set(&mut gone, self.order[to]);
            unset(&mut gone, v);
            for at in from + 1..=to {
                let w = self.order[at];
                let above = w > v;
                let look = &self.look[w];
                let side = if above { &look.before } else { &look.behind };
                if has(&side.through, v) {
                    let mut gone = self.prefix[at];
                    unset(&mut gone, v);
                    change = change.plus(self.look_again(w, &gone, (above, !above), false));
                }
            }
        } else {
            for at in to..from {
                let w = self.order[at];
                let above = w > v;
                let look = &self.look[w];
                let side = if above { &look.before } else { &look.behind };
                if has(&side.all, v) {
                    let mut gone = self.prefix[at];
                    set(&mut gone, v);
                    change = change.plus(self.look_again(w, &gone, (above, !above), plain));
                }
            }
        }
        let sides = self.changes(v, &self.prefix[from], &gone);
        if sides.0 || sides.1 {
            change = change.plus(self.look_again(v, &gone, sides, plain && from < to));
        }
        change
    }

    /// Computes the costs of the places for the vertex at `from`, one after the other as far as `to`, until one costs
    /// `most` more than the best.
    fn scan(&mut self, from: usize, to: usize, most: i64) {
        let v = self.order[from];
        self.pending.clear();
        self.stops.clear();
        self.work += 4 + from.abs_diff(to) as u64 / 2;
        let plain = self.graph.model == CostModel::Plain;
        let mut own = self.look[v];
        let (mut others, mut least) = (Cost::default(), 0);
        let right = from < to;
        let mut gone = self.prefix[from];
        let mut at = from;
        while at != to {
            at = if right { at + 1 } else { at - 1 };
            let w = self.order[at];
            // Positions are topological, so a vertex above v has it among its predecessors.
            let above = w > v;
            let look = &self.look[w];
            let side = if above { &look.before } else { &look.behind };
            let meets = if right {
                has(&side.through, v)
            } else {
                has(&side.all, v)
            };
            if right {
                set(&mut gone, w);
            } else {
                unset(&mut gone, w);
            }
            if meets {
                let mut behind = self.prefix[at];
                if right {
                    unset(&mut behind, v);
                } else {
                    set(&mut behind, v);
                }
                others = others.plus(self.look_again(w, &behind, (above, !above), plain && !right));
            }
            let near = |near: &Near<W>| {
                if right {
                    has(&near.all, w)
                } else {
                    has(&near.through, w)
                }
            };
            let sides = (near(&own.before), near(&own.behind));
            if sides.0 || sides.1 {
                own = self.again(v, &own, &gone, sides, plain && right);
            } else if !meets {
                continue;
            }
            let change = others.plus(own.cost).minus(self.look[v].cost);
            self.stops.push((at, change, self.pending.len(), own));
            least = least.min(change.counted);
            if change.counted > least + most {
                break;
            }
        }
    }

    /// Moves the vertex at `from` to one of the scanned places, or leaves it.
    fn choose(&mut self, from: usize, temperature: f64, rng: &mut Rng, thresholds: &Thresholds) {
        let mut best = -temperature * thresholds.noise(rng);
        let mut chosen = None;
        for (at, stop) in self.stops.iter().enumerate() {
            let value = stop.1.counted as f64 - temperature * thresholds.noise(rng);
            if value < best {
                (best, chosen) = (value, Some(at));
            }
        }
        self.work += self.stops.len() as u64;
        if let Some(chosen) = chosen {
            self.take(from, chosen);
        }
    }

    /// Moves the vertex at `from` to a scanned place.
    fn take(&mut self, from: usize, chosen: usize) {
        let (to, _, pending, own) = self.stops[chosen];
        self.pending.truncate(pending);
        self.pending.push((self.order[from], own));
        self.commit(from, to);
    }

    /// Makes a move whose changes are pending.
    fn commit(&mut self, from: usize, to: usize) {
        let v = self.order[from];
        if from < to {
            self.order.copy_within(from + 1..=to, from);
        } else {
            self.order.copy_within(to..from, to + 1);
        }
        self.order[to] = v;
        self.settle(from.min(to), from.max(to));
    }

    /// The sides of `v`, before and behind, that change with the set before it.
    fn changes(&self, v: usize, old: &Row<W>, new: &Row<W>) -> (bool, bool) {
        let (lost, more) = (minus(old, new), minus(new, old));
        let look = &self.look[v];
        let side = |near: &Near<W>| {
            meet(&near.through, &lost) != [0; W] || meet(&near.all, &more) != [0; W]
        };
        (side(&look.before), side(&look.behind))
    }

    /// Makes pending changes permanent; the order has changed between two places.
    fn settle(&mut self, low: usize, high: usize) {
        for (w, look) in self.pending.drain(..) {
            self.total = self.total.plus(look.cost).minus(self.look[w].cost);
            self.look[w] = look;
        }
        self.work += (high - low) as u64;
        let mut gone = self.prefix[low];
        for at in low..=high {
            self.prefix[at] = gone;
            let w = self.order[at];
            self.place[w] = at;
            set(&mut gone, w);
        }
    }

    /// Tests moving a group, in its order, to the front or the back of the vertex at a place. Returns the beginning of
    /// the window, which is left for [`Self::commit_group`], and the change of the cost.
    fn test_group(&mut self, group: &Row<W>, to: usize, behind: bool) -> Option<(usize, Cost)> {
        let (mut low, mut high) = (to, to);
        for v in items(group) {
            low = low.min(self.place[v]);
            high = high.max(self.place[v]);
        }
        let plain = self.graph.model == CostModel::Plain;
        self.window.clear();
        self.pending.clear();
        let mut members = [0usize; GROUP];
        let mut count = 0;
        for at in low..=high {
            if has(group, self.order[at]) && count < GROUP {
                members[count] = self.order[at];
                count += 1;
            }
        }
        for at in low..=high {
            let v = self.order[at];
            let inside = has(group, v);
            if inside && at != to {
                continue;
            }
            if at == to && behind && !inside {
                self.window.push(v);
            }
            if at == to {
                self.window.extend_from_slice(&members[..count]);
            }
            if !(inside || at == to && behind) {
                self.window.push(v);
            }
        }
        if self.window.len() != high + 1 - low {
            return None;
        }
        self.work += 10 + 2 * (high - low) as u64;
        let mut gone = self.prefix[low];
        let mut change = Cost::default();
        for at in 0..self.window.len() {
            let v = self.window[at];
            let old = self.prefix[self.place[v]];
            let sides = self.changes(v, &old, &gone);
            if sides.0 || sides.1 {
                let grows = plain && minus(&old, &gone) == [0; W];
                change = change.plus(self.look_again(v, &gone, sides, grows));
            }
            set(&mut gone, v);
        }
        Some((low, change))
    }

    fn commit_group(&mut self, low: usize) {
        let high = low + self.window.len() - 1;
        self.order[low..=high].copy_from_slice(&self.window);
        self.settle(low, high);
    }

    /// A vertex and a new place for it: next to a vertex that influences its cost, or anywhere.
    fn propose(&self, rng: &mut Rng) -> (usize, usize) {
        let n = self.order.len();
        let from = rng.below(n);
        let v = self.order[from];
        let choice = rng.below(8);
        if choice < 6 {
            // Beside a vertex that influences the cost of v and is eliminated later (a neighbour) or earlier (in
            // between).
            let look = &self.look[v];
            let (a, b) = if choice < 3 {
                (&look.before.all, &look.behind.all)
            } else {
                (&look.before.through, &look.behind.through)
            };
            let mut row = *a;
            crate::bits::join(&mut row, b);
            let row = meet(&row, &self.graph.eliminable);
            let count = size(&row) as usize;
            if count > 0
                && let Some(other) = items(&row).nth(rng.below(count))
            {
                // Just past it, so that their order changes.
                return (from, self.place[other]);
            }
        }
        (from, rng.below(n))
    }

    /// Some related vertices: consecutive ones in the order, or ones with a common neighbour.
    fn group(&self, rng: &mut Rng) -> Row<W> {
        let n = self.order.len();
        let mut group = [0; W];
        let at = rng.below(n);
        if rng.below(2) == 0 {
            let count = 2 + rng.below(RUN.min(n) - 1);
            for &v in &self.order[at..n.min(at + count)] {
                set(&mut group, v);
            }
            return group;
        }
        let v = self.order[at];
        let up = rng.below(2) == 0;
        let (side, other) = if up {
            (&self.graph.succ, &self.graph.pred)
        } else {
            (&self.graph.pred, &self.graph.succ)
        };
        set(&mut group, v);
        let around = &side.all[v];
        let count = size(around) as usize;
        if count > 0
            && let Some(shared) = items(around).nth(rng.below(count))
        {
            let row = meet(&other.all[shared], &self.graph.eliminable);
            for w in items(&row).take(GROUP - 1) {
                set(&mut group, w);
            }
        }
        group
    }
}

/// Temperatures at the beginning and at the end, in multiplications. Found by experiment. In the plain model, scanning
/// all places on the way makes a hot start worthwhile; in the other models low temperatures win, because good orders
/// are close to greedy ones and many orders cost the same.
const HEAT: (f64, f64) = (4.0, 0.2);
const HEAT_FREE: (f64, f64) = (0.8, 0.15);

fn cost<const W: usize>(graph: &BitGraph<W>, before: &Near<W>, behind: &Near<W>) -> Cost {
    let counted = graph.products(before, behind).into();
    let all = if graph.model == CostModel::Plain {
        counted
    } else {
        (size(&before.all) * size(&behind.all)).into()
    };
    Cost { counted, all }
}

/// The initial weight of a product that the model does not count; the final one is 0. Fewer free products mean fewer
/// edges, and so fewer counted products later.
const FREE: f64 = 0.5;

/// Anneals until `work` is spent or `stop` returns true. Returns the best order and its cost.
pub(crate) fn anneal<const W: usize>(
    state: &mut OrderState<'_, W>,
    work: u64,
    rng: &mut Rng,
    thresholds: &Thresholds,
    stop: &mut dyn FnMut() -> bool,
) -> (u64, Vec<usize>) {
    let mut best = (state.total.counted, state.order.clone());
    if state.order.len() < 2 {
        return (best.0 as u64, best.1);
    }
    let scans = state.graph.model == CostModel::Plain;
    let (hot, cold) = if scans { HEAT } else { HEAT_FREE };
    let start = state.work;
    let mut moves = 0u32;
    let (mut temperature, mut free) = (hot, FREE);
    while state.work - start < work {
        if moves.is_multiple_of(64) {
            let done = (state.work - start) as f64 / work as f64;
            // A straight line in the temperature does as well as a geometric one here.
            temperature = hot + (cold - hot) * done;
            free = if scans { 0.0 } else { FREE * (1.0 - done) };
            if moves.is_multiple_of(1024) && stop() {
                break;
            }
        }
        moves = moves.wrapping_add(1);
        if moves.is_multiple_of(GROUP_EVERY) {
            let group = state.group(rng);
            let to = state.propose(rng).1;
            state.work += 10;
            let tested = state.test_group(&group, to, rng.below(2) == 0);
            if let Some((low, change)) = tested
                && thresholds.accept(change.weighed(free), temperature, rng)
            {
                state.commit_group(low);
            }
        } else {
            let (from, to) = state.propose(rng);
            if from == to {
                state.work += 1;
                continue;
            }
            if scans {
                state.scan(from, to, MOST_RISE);
                state.choose(from, temperature, rng, thresholds);
            } else if thresholds.accept(state.test(from, to).weighed(free), temperature, rng) {
                state.commit(from, to);
            }
        }
        if state.total.counted < best.0 {
            best = (state.total.counted, state.order.clone());
        }
    }
    (best.0 as u64, best.1)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{chain, graph, looked_at, parallel};
    use super::*;
    use crate::eliminate::Primal;
    use crate::lcg::Lcg;

    /// A scan gives each place the cost of the order with the vertex there, and the state after moves of vertices and
    /// groups is that of the new order.
    #[test]
    fn scanned_places_cost_what_their_orders_cost() {
        let mut rng = Rng::new(3);
        let thresholds = Thresholds::new();
        let (mut better, mut moved) = (0, 0);
        for case in 0..200 {
            let lcg = {
                let count = 6 + rng.below(25);
                graph(&mut rng, count)
            };
            let model = CostModel::ALL[case % 3];
            let bits = BitGraph::<1>::new(&Primal::new(&lcg), model).expect("a small graph");
            let order: Vec<usize> = items(&bits.eliminable).collect();
            if order.len() < 2 {
                continue;
            }
            let mut state = OrderState::new(&bits, &order);
            for _ in 0..50 {
                let (from, to) = (rng.below(order.len()), rng.below(order.len()));
                if from == to {
                    continue;
                }
                state.scan(from, to, 1000);
                for &(at, change, ..) in &state.stops {
                    let mut other = state.order.clone();
                    let v = other.remove(from);
                    other.insert(at, v);
                    let total = bits.total(&other) as i64;
                    let all = OrderState::new(&bits, &other).total.all;
                    assert_eq!(total, state.total.counted + change.counted, "{from} {at}");
                    assert_eq!(all, state.total.all + change.all, "{from} {at}");
                    better += u32::from(change.counted < 0);
                }
                let last = state.stops.last().map_or(Cost::default(), |stop| stop.1);
                assert_eq!(state.test(from, to), last);
                state.scan(from, to, 1000);
                let before = state.order.clone();
                state.choose(from, 2.0, &mut rng, &thresholds);
                moved += u32::from(state.order != before);
                if rng.below(4) == 0 {
                    let group = state.group(&mut rng);
                    let behind = rng.below(2) == 0;
                    if let Some((low, _)) = state.test_group(&group, to, behind) {
                        state.commit_group(low);
                    }
                }
                assert_eq!(state.total, OrderState::new(&bits, &state.order).total);
                assert_eq!(state.total.counted, bits.total(&state.order) as i64);
                let again = OrderState::new(&bits, &state.order);
                assert_eq!(state.prefix, again.prefix);
                for &v in &state.order {
                    let (look, fresh) = (&state.look[v], &again.look[v]);
                    assert_eq!(look.cost, fresh.cost);
                    assert_eq!(look.before.all, fresh.before.all);
                    assert_eq!(look.behind.all, fresh.behind.all);
                    assert_eq!(look.before.through, fresh.before.through);
                    assert_eq!(look.behind.through, fresh.behind.through);
                }
            }
        }
        assert!(better > 300 && moved > 1000, "{better} {moved}");
    }

    #[test]
    fn scans_end_on_both_sides_of_a_rise() {
        let mut rng = Rng::new(4);
        let mut ended = 0;
        for _ in 0..50 {
            let lcg = graph(&mut rng, 30);
            let bits =
                BitGraph::<1>::new(&Primal::new(&lcg), CostModel::Plain).expect("a small graph");
            let order: Vec<usize> = items(&bits.eliminable).collect();
            let n = order.len();
            let mut state = OrderState::new(&bits, &order);
            for from in 0..n {
                let to = if from < n / 2 { n - 1 } else { 0 };
                state.scan(from, to, i64::MAX);
                let all: Vec<i64> = state.stops.iter().map(|stop| stop.1.counted).collect();
                for most in 0..=MOST_RISE {
                    state.scan(from, to, most);
                    let looks = state.stops.len();
                    assert_eq!(looks, looked_at(&all, most), "{from} {to} {most}");
                    ended += usize::from(looks < all.len());
                }
            }
        }
        assert!(ended > 20, "{ended}");
    }

    /// Consecutive vertices are moved together up to a number, vertices with a common neighbour up to a larger one.
    #[test]
    fn groups_on_both_sides_of_their_limits() {
        let largest = |lcg: &Lcg| {
            let bits =
                BitGraph::<1>::new(&Primal::new(lcg), CostModel::Plain).expect("a small graph");
            let order: Vec<usize> = items(&bits.eliminable).collect();
            let state = OrderState::new(&bits, &order);
            let mut rng = Rng::new(5);
            let sizes = (0..1000).map(|_| size(&state.group(&mut rng)) as usize);
            sizes.max()
        };
        for n in [RUN - 1, RUN, RUN + 1] {
            assert_eq!(largest(&chain(n + 1)), Some(n.min(RUN)), "{n}");
        }
        for n in [GROUP - 1, GROUP, GROUP + 1] {
            assert_eq!(largest(&parallel(n)), Some(n.min(GROUP)), "{n}");
        }
    }
}
