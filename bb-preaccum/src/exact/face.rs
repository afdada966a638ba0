//! Optimal face elimination on tiny graphs: best-first search over the remaining dual graphs, with isomorphic ones as
//! one.

use super::astar::{self, Full, Limit, Space};
use crate::bits::flow::BitFlow;
use crate::bits::{Row, ones};
use crate::cost::CostModel;
use crate::eliminate::{Dual, Step};
use crate::lcg::{Kind, Lcg, Role};
use cfg_core::random::mix;

/// The most dual vertices of a graph, sources and sinks included.
pub(crate) const MOST: usize = 64;

pub(crate) type Outcome = astar::Outcome<Step>;

/// The remaining dual graph, with its sources and sinks. A dual vertex between just a source and a sink is left out:
/// it is an entry of the Jacobian, has no faces to eliminate, and products that it would absorb cost the same without
/// it.
#[derive(Clone, Debug, Default)]
struct Left {
    /// Empty for sources.
    pred: Vec<u64>,
    /// Empty for sinks.
    succ: Vec<u64>,
    /// The kind of each label, as far as the model tells kinds apart.
    kind: Vec<Kind>,
    /// Numbers in [`Dual`].
    name: Vec<u32>,
}

impl Left {
    /// The whole dual graph; `None` if it is too large. The graph has no dead parts: each dual vertex is reached from
    /// a source and reaches a sink.
    fn new(lcg: &Lcg, model: CostModel) -> Option<Self> {
        let dual = Dual::new(lcg);
        let mut left = Self::default();
        let mut place = vec![usize::MAX; lcg.edges().len()];
        for (at, edge) in lcg.edges().iter().enumerate() {
            if dual.vertex(at as u32).is_some() {
                let kind = match model {
                    CostModel::Plain => Kind::Variable,
                    CostModel::UnitFree if edge.kind != Kind::Unit => Kind::Variable,
                    CostModel::UnitFree | CostModel::ConstantAware => edge.kind,
                };
                place[at] = left.push(0, 0, kind, at as u32).ok()?;
            }
        }
        for (i, j) in dual.faces() {
            left.link(place[i as usize], place[j as usize]);
        }
        for v in 0..lcg.vertex_count() as u32 {
            let (edges, leave) = match lcg.role(v) {
                Role::Independent => (lcg.out_edges(v), true),
                Role::Dependent => (lcg.in_edges(v), false),
                Role::Intermediate => continue,
            };
            let mut end = None;
            for &edge in edges {
                let at = place[edge as usize];
                if at == usize::MAX {
                    continue;
                }
                let end = match end {
                    Some(end) => end,
                    None => *end.insert(left.push(0, 0, Kind::Variable, u32::MAX).ok()?),
                };
                if leave {
                    left.link(end, at);
                } else {
                    left.link(at, end);
                }
            }
        }
        for at in place.into_iter().filter(|&at| at != usize::MAX) {
            if left.is_entry(left.pred[at], left.succ[at]) {
                left.delete(at);
            }
        }
        Some(left)
    }

    fn push(&mut self, pred: u64, succ: u64, kind: Kind, name: u32) -> Result<usize, Full> {
        let new = self.pred.len();
        if new >= MOST {
            return Err(Full);
        }
        self.pred.push(pred);
        self.succ.push(succ);
        self.kind.push(kind);
        self.name.push(name);
        Ok(new)
    }

    fn link(&mut self, i: usize, j: usize) {
        self.succ[i] |= 1 << j;
        self.pred[j] |= 1 << i;
    }

    fn unlink(&mut self, i: usize, j: usize) {
        self.succ[i] &= !(1 << j);
        self.pred[j] &= !(1 << i);
    }

    /// True if dual vertices with these neighbours lie between a source and a sink.
    fn is_entry(&self, pred: u64, succ: u64) -> bool {
        ones(pred).all(|p| self.pred[p] == 0) && ones(succ).all(|s| self.succ[s] == 0)
    }

    /// True if this is neither source nor sink, nor deleted.
    fn is_inner(&self, at: usize) -> bool {
        self.pred[at] != 0 && self.succ[at] != 0
    }

    fn find(&self, pred: u64, succ: u64, not: usize) -> Option<usize> {
        (0..self.pred.len()).find(|&at| at != not && self.pred[at] == pred && self.succ[at] == succ)
    }

    /// Eliminates face `(i, j)`, as [`Dual`] does, where a new dual vertex gets the number `name`.
    fn eliminate(&mut self, (i, j): (usize, usize), name: u32) -> Result<(), Full> {
        let product = self.kind[i].product(self.kind[j]);
        let (pred, succ) = (self.pred[i], self.succ[j]);
        if let Some(at) = self.find(pred, succ, MOST) {
            self.kind[at] = product.sum(self.kind[at]);
        } else if !self.is_entry(pred, succ) {
            let new = self.push(pred, succ, product, name)?;
            ones(pred).for_each(|p| self.succ[p] |= 1 << new);
            ones(succ).for_each(|s| self.pred[s] |= 1 << new);
        }
        self.unlink(i, j);
        self.tidy(i);
        self.tidy(j);
        Ok(())
    }

    fn tidy(&mut self, at: usize) {
        let (pred, succ) = (self.pred[at], self.succ[at]);
        if pred == 0 || succ == 0 || self.is_entry(pred, succ) {
            self.delete(at);
        } else if let Some(other) = self.find(pred, succ, at) {
            self.kind[other] = self.kind[other].sum(self.kind[at]);
            self.name[other] = self.name[other].min(self.name[at]);
            self.delete(at);
        }
    }

    fn delete(&mut self, at: usize) {
        ones(self.pred[at]).for_each(|p| self.unlink(p, at));
        ones(self.succ[at]).for_each(|s| self.unlink(at, s));
    }

    /// The graph in an order of its vertices that mostly depends on nothing but its isomorphism class: colours are
    /// refined by those of the neighbours (Weisfeiler & Leman 1968), ties broken by telling one from the
    /// others. Where ties are no symmetries, isomorphic graphs may stay apart: that costs time, no more.
    fn canonical(&self) -> Self {
        let mut nodes: Vec<usize> = (0..self.pred.len())
            .filter(|&at| self.pred[at] | self.succ[at] != 0)
            .collect();
        let mut colour: Vec<u64> = (0..self.pred.len())
            .map(|at| {
                let end = u64::from(self.pred[at] == 0) + 2 * u64::from(self.succ[at] == 0);
                mix(4 * self.kind[at] as u64 + end)
            })
            .collect();
        let mut mixed = colour.clone();
        let mut classes = 0;
        // Each round but the last splits a class, unless colours collide.
        for _ in 0..2 * MOST {
            if classes == nodes.len() {
                break;
            }
            for &at in &nodes {
                mixed[at] = mix(colour[at]);
            }
            let side = |row| ones(row).fold(0u64, |sum, at| sum.wrapping_add(mixed[at]));
            for &at in &nodes {
                let near = side(self.pred[at]) ^ side(self.succ[at]).rotate_left(21);
                colour[at] = mix(mixed[at].rotate_left(42) ^ near);
            }
            nodes.sort_unstable_by_key(|&at| (colour[at], at));
            let same = |pair: &[usize]| colour[pair[0]] == colour[pair[1]];
            let now = nodes.len() - nodes.windows(2).filter(|pair| same(pair)).count();
            if now <= classes {
                let Some(tie) = nodes.windows(2).find(|pair| same(pair)) else {
                    break;
                };
                colour[tie[0]] = mix(colour[tie[0]] ^ 3);
            }
            classes = now;
        }
        let mut place = [0usize; MOST];
        for (to, &at) in nodes.iter().enumerate() {
            place[at] = to;
        }
        let row = |row: u64| ones(row).fold(0u64, |row, at| row | 1 << place[at]);
        Self {
            pred: nodes.iter().map(|&at| row(self.pred[at])).collect(),
            succ: nodes.iter().map(|&at| row(self.succ[at])).collect(),
            kind: nodes.iter().map(|&at| self.kind[at]).collect(),
            name: nodes.iter().map(|&at| self.name[at]).collect(),
        }
    }

    /// Appends the graph as a key, in as few bits as its matrix has.
    fn write(&self, state: &mut Vec<u64>) {
        let n = self.succ.len();
        let (mut word, mut used) = (0u64, 0);
        let mut put = |bits: u64, width: usize| {
            word |= bits << used;
            if used + width >= 64 {
                state.push(word);
                word = if used == 0 { 0 } else { bits >> (64 - used) };
            }
            used = (used + width) % 64;
        };
        put(n as u64, 8);
        self.kind.iter().for_each(|&kind| put(kind as u64, 2));
        self.succ.iter().for_each(|&row| put(row, n));
        if used > 0 {
            state.push(word);
        }
    }

    /// The inverse of `write`, but for names.
    fn read(state: &[u64]) -> Self {
        let mut at = 0;
        let mut take = |width: usize| {
            let (word, used) = (at / 64, at % 64);
            at += width;
            let mut bits = state[word] >> used;
            if used + width > 64 {
                bits |= state[word + 1] << (64 - used);
            }
            if width < 64 {
                bits &= (1 << width) - 1;
            }
            bits
        };
        let n = take(8) as usize;
        let kind = (0..n)
            .map(|_| match take(2) {
                0 => Kind::Unit,
                1 => Kind::Constant,
                _ => Kind::Variable,
            })
            .collect();
        let succ: Vec<u64> = (0..n).map(|_| take(n)).collect();
        let mut pred = vec![0; n];
        for (i, &row) in succ.iter().enumerate() {
            ones(row).for_each(|j| pred[j] |= 1 << i);
        }
        Self {
            pred,
            succ,
            kind,
            name: vec![0; n],
        }
    }
}

/// The vertices of the graph behind a remaining dual graph: classes of ends that faces join, directly or through
/// others. Ends that no face joins any more stay apart.
struct Primal {
    /// The vertex that a dual vertex leaves, and the one it enters.
    tail: Vec<usize>,
    head: Vec<usize>,
    /// Dual vertices that leave a vertex, and that enter it.
    leave: Vec<u64>,
    enter: Vec<u64>,
    pred: Vec<Row<1>>,
    succ: Vec<Row<1>>,
    sources: u64,
    sinks: u64,
}

impl Primal {
    fn new(left: &Left) -> Self {
        let n = left.pred.len();
        let (mut tail, mut head) = (vec![MOST; n], vec![MOST; n]);
        let (mut leave, mut enter) = (Vec::new(), Vec::new());
        let ends = |rows: &[u64]| {
            (0..n)
                .filter(|&at| rows[at] == 0)
                .fold(0, |set, at| set | 1 << at)
        };
        let (sources, sinks) = (ends(&left.pred), ends(&left.succ));
        for at in 0..n {
            if left.succ[at] == 0 || head[at] != MOST {
                continue;
            }
            let (mut before, mut after) = (1u64 << at, 0u64);
            loop {
                let more = ones(before).fold(after, |set, i| set | left.succ[i]);
                let back = ones(more).fold(before, |set, j| set | left.pred[j]);
                if (more, back) == (after, before) {
                    break;
                }
                (after, before) = (more, back);
            }
            ones(before).for_each(|i| head[i] = enter.len());
            ones(after).for_each(|j| tail[j] = enter.len());
            enter.push(before);
            leave.push(after);
        }
        let mut primal = Self {
            pred: vec![[0]; enter.len()],
            succ: vec![[0]; enter.len()],
            tail,
            head,
            leave,
            enter,
            sources,
            sinks,
        };
        for at in (0..n).filter(|&at| left.is_inner(at)) {
            let (i, j) = (primal.tail[at], primal.head[at]);
            primal.succ[i][0] |= 1 << j;
            primal.pred[j][0] |= 1 << i;
        }
        primal
    }

    /// The dual vertices at `v` with which the paths of a family of disjoint ones begin, a set for each path.
    fn family(&self, left: &Left, v: usize, first: u64, forward: bool) -> Vec<u64> {
        let (next, far, near, ends) = if forward {
            (&self.succ, &self.enter, &self.leave, self.sinks)
        } else {
            (&self.pred, &self.leave, &self.enter, self.sources)
        };
        let (over, side) = if forward {
            (&self.head, &left.succ)
        } else {
            (&self.tail, &left.pred)
        };
        let first = [ones(first).fold(0, |set, at| set | 1 << over[at])];
        let mut flow = BitFlow::new(next.len());
        let is_end = |w: usize| (if forward { &self.leave } else { &self.enter })[w] & ends != 0;
        flow.count(v, &first, next, is_end);
        let mut list = Vec::new();
        for path in flow.paths(v, &first) {
            // From the far end back: the dual vertices from which faces lead along the rest of the path.
            let mut rest = ends;
            for at in (0..path.len()).rev() {
                let from = if at == 0 { v } else { path[at - 1] };
                let along = far[path[at]] & near[from];
                rest = ones(along)
                    .filter(|&edge| side[edge] & rest != 0)
                    .fold(0, |set, edge| set | 1 << edge);
            }
            list.push(rest);
        }
        list
    }
}

struct Faces {
    model: CostModel,
    here: Left,
    next: Left,
}

impl Faces {
    /// The bound of [`crate::bound`] for the remaining graph.
    fn lower(&self, left: &Left) -> u32 {
        let primal = Primal::new(left);
        let counts = |i: usize, j: usize| self.model.product(left.kind[i], left.kind[j]) > 0;
        let inner = !(primal.sources | primal.sinks);
        let mut bound = 0;
        for v in 0..primal.enter.len() {
            // Faces that count, by their first and by their second dual vertex.
            let (mut firsts, mut seconds) = (0u64, 0u64);
            let mut rows = [0u64; MOST];
            for i in ones(primal.enter[v] & inner) {
                let row = left.succ[i] & inner;
                rows[i] = ones(row)
                    .filter(|&j| counts(i, j))
                    .fold(0, |set, j| set | 1 << j);
                seconds |= rows[i];
                firsts |= u64::from(rows[i] != 0) << i;
            }
            if firsts == 0 {
                continue;
            }
            let prefixes = primal.family(left, v, firsts, false);
            let suffixes = primal.family(left, v, seconds, true);
            for prefix in prefixes {
                let faces = ones(prefix).fold(0, |set, i| set | rows[i]);
                bound += suffixes
                    .iter()
                    .filter(|&suffix| faces & suffix != 0)
                    .count() as u32;
            }
        }
        bound
    }
}

impl Space for Faces {
    /// Positions in the remaining graph.
    type Step = (u8, u8);

    fn load(&mut self, state: &[u64]) {
        self.here = Left::read(state);
    }

    fn steps(&mut self) -> Vec<(u8, u8)> {
        let left = &self.here;
        // Parts that no face joins are independent: only faces of one part are tried at a time.
        let mut rest = (0..left.pred.len())
            .filter(|&at| left.is_inner(at))
            .fold(0u64, |set, at| set | 1 << at);
        let inner = rest;
        let mut best: Option<(u32, u64)> = None;
        while rest != 0 {
            let mut part = rest & rest.wrapping_neg();
            loop {
                let more =
                    ones(part).fold(part, |set, at| set | left.pred[at] | left.succ[at]) & inner;
                if more == part {
                    break;
                }
                part = more;
            }
            rest &= !part;
            let faces = ones(part)
                .map(|at| (left.succ[at] & inner).count_ones())
                .sum();
            if best.is_none_or(|(least, _)| faces < least) {
                best = Some((faces, part));
            }
        }
        let part = best.map_or(0, |(_, part)| part);
        let after = |i: usize| ones(left.succ[i] & part).map(move |j| (i as u8, j as u8));
        ones(part).flat_map(after).collect()
    }

    fn apply(&mut self, (i, j): (u8, u8), state: &mut Vec<u64>) -> Result<Option<u32>, Full> {
        let face = (usize::from(i), usize::from(j));
        let cost = self
            .model
            .product(self.here.kind[face.0], self.here.kind[face.1]);
        self.next.clone_from(&self.here);
        self.next.eliminate(face, 0)?;
        self.next = self.next.canonical();
        self.next.write(state);
        Ok(Some(cost as u32))
    }

    fn bound(&mut self) -> u32 {
        self.lower(&self.next)
    }
}

/// Finds the optimum if it is below `below`; gives up past `limit`, or when `stop` returns true. `None` if the graph
/// is too large.
pub(crate) fn solve(
    lcg: &Lcg,
    model: CostModel,
    below: u64,
    limit: Limit,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Outcome> {
    let start = Left::new(lcg, model)?.canonical();
    let mut state = Vec::new();
    start.write(&mut state);
    let mut space = Faces {
        model,
        here: Left::default(),
        next: Left::default(),
    };
    let first = space.lower(&start);
    let found = astar::solve(&mut space, &state, first, below, limit, stop);
    Some(match found {
        astar::Outcome::Optimal(cost, faces) => Outcome::Optimal(cost, replay(lcg, start, &faces)?),
        astar::Outcome::NothingBelow => Outcome::NothingBelow,
        astar::Outcome::Unfinished(bound) => Outcome::Unfinished(bound),
    })
}

/// The faces by their numbers in [`Dual`].
fn replay(lcg: &Lcg, start: Left, faces: &[(u8, u8)]) -> Option<Vec<Step>> {
    let mut dual = Dual::new(lcg);
    let mut left = start;
    let mut steps = Vec::with_capacity(faces.len());
    for &(i, j) in faces {
        let (i, j) = (usize::from(i), usize::from(j));
        let step = Step::Face(left.name[i], left.name[j]);
        let name = dual.next();
        dual.apply(step).ok()?;
        left.eliminate((i, j), name).ok()?;
        left = left.canonical();
        steps.push(step);
    }
    dual.is_complete().then_some(steps)
}

#[cfg(test)]
mod brute;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcg::NewEdge;
    use crate::search::testing::LION;

    const UNLIMITED: Limit = Limit {
        graphs: usize::MAX,
        bytes: usize::MAX,
    };

    /// Lion (Naumann 2004) with its edges of some kinds, and with its inner output read again.
    fn lion(kinds: u64, outputs: &[i64]) -> Lcg {
        let edges = LION.into_iter().zip(0u32..).map(|((i, k), at)| {
            let kind = match mix(kinds << 8 | u64::from(at)) % 4 {
                _ if kinds == 0 => Kind::Variable,
                0 => Kind::Unit,
                1 => Kind::Constant,
                _ => Kind::Variable,
            };
            NewEdge::new(i, k, kind)
        });
        Lcg::new("lion", &[1, 2], outputs, edges).expect("a graph")
    }

    #[test]
    fn optimal_faces_cost_what_is_claimed_and_nothing_is_below() {
        for kinds in 0..4 {
            for outputs in [&[5, 6, 7, 8][..], &[4, 5, 6, 7, 8]] {
                let lcg = lion(kinds, outputs);
                for model in CostModel::ALL {
                    let run = |below, limit| solve(&lcg, model, below, limit, &mut || false);
                    let Some(Outcome::Optimal(cost, steps)) = run(u64::MAX, UNLIMITED) else {
                        panic!("{}", lcg.to_json());
                    };
                    if kinds == 0 && outputs.len() == 4 {
                        assert_eq!(cost, 11);
                    }
                    let mut dual = Dual::new(&lcg);
                    for step in steps {
                        dual.apply(step).expect("legal");
                    }
                    assert!(dual.is_complete());
                    assert_eq!(dual.counts().multiplications(model), cost);
                    assert_eq!(run(cost, UNLIMITED), Some(Outcome::NothingBelow));
                    for graphs in [1, 20] {
                        let limits = [
                            Limit {
                                graphs,
                                ..UNLIMITED
                            },
                            Limit {
                                bytes: 150 * graphs,
                                ..UNLIMITED
                            },
                        ];
                        for limit in limits {
                            match run(u64::MAX, limit) {
                                Some(Outcome::Unfinished(bound)) => assert!(bound <= cost),
                                found => assert!(
                                    matches!(found, Some(Outcome::Optimal(same, _)) if same == cost)
                                ),
                            }
                        }
                    }
                }
            }
        }
    }

    /// The least number of graphs and of bytes ends the search at once, and so does a flag.
    #[test]
    fn face_search_stops_where_it_is_told_to() {
        let lcg = lion(0, &[5, 6, 7, 8]);
        let run = |limit, stop: &mut dyn FnMut() -> bool| {
            solve(&lcg, CostModel::Plain, u64::MAX, limit, stop)
        };
        for limit in [
            Limit {
                graphs: 0,
                ..UNLIMITED
            },
            Limit {
                bytes: 10,
                ..UNLIMITED
            },
        ] {
            assert_eq!(run(limit, &mut || false), Some(Outcome::Unfinished(8)));
        }
        let mut asked = 0;
        let found = run(UNLIMITED, &mut || {
            asked += 1;
            asked == 4
        });
        assert_eq!((found, asked), (Some(Outcome::Unfinished(8)), 4));
    }

    /// The bound of a chain is its cost, whichever products are done already, so only the graphs of one sequence are
    /// tried.
    #[test]
    fn a_bound_that_is_met_leads_straight_to_the_end() {
        // Each product has a factor that is variable.
        let kinds = [Kind::Variable, Kind::Constant].into_iter().cycle();
        let edges = (0..5).zip(kinds);
        let edges = edges.map(|(v, kind)| NewEdge::new(v, v + 1, kind));
        let lcg = Lcg::new("chain", &[0], &[5], edges).expect("a graph");
        for model in CostModel::ALL {
            let mut asked = 0;
            let found = solve(&lcg, model, u64::MAX, UNLIMITED, &mut || {
                asked += 1;
                false
            });
            let Some(Outcome::Optimal(cost, steps)) = found else {
                panic!("{found:?}");
            };
            assert_eq!((cost, steps.len()), (4, 4), "{model:?}");
            assert_eq!(asked, 4 + 3 + 2 + 1, "{model:?}");
        }
    }

    /// A pair of paths counts where a face joins them and faces lead along both; dual vertices between the same ends
    /// are one way, with all their faces.
    #[test]
    fn bounds_follow_the_faces_that_are_left() {
        // Edges, the number of inputs, outputs, faces to eliminate first, and the cost of the rest. The ends are
        // numbered behind the edges, products behind those.
        for (edges, inputs, outputs, faces, least) in [
            // Two paths in and two out, of which one pair has its product already.
            (
                vec![(0, 2), (1, 2), (2, 3), (2, 4)],
                2,
                vec![3, 4],
                vec![(0, 3)],
                3,
            ),
            // A product that goes on from the middle of a chain.
            (
                vec![(0, 2), (1, 2), (2, 3), (3, 4)],
                2,
                vec![4],
                vec![(0, 2)],
                3,
            ),
            // Two edges from 0 to 2, one of them without a face to the second output.
            (
                vec![(0, 1), (0, 2), (1, 2), (2, 3), (2, 4)],
                1,
                vec![3, 4],
                vec![(1, 4), (0, 2)],
                2,
            ),
            // The way from 0 over 2 to 3 ends at 2.
            (
                vec![(0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 5)],
                2,
                vec![4, 5],
                vec![(0, 3), (10, 5)],
                4,
            ),
        ] {
            let edges = edges.into_iter();
            let edges = edges.map(|(i, k)| NewEdge::new(i, k, Kind::Variable));
            let ends: Vec<i64> = (0..inputs).collect();
            let lcg = Lcg::new("small", &ends, &outputs, edges).expect("a graph");
            let mut left = Left::new(&lcg, CostModel::Plain).expect("small");
            for &face in &faces {
                assert!(left.eliminate(face, 0).is_ok(), "{face:?}");
            }
            let space = Faces {
                model: CostModel::Plain,
                here: Left::default(),
                next: Left::default(),
            };
            assert_eq!(space.lower(&left), least, "{}", lcg.to_json());
        }
    }

    /// Labels are of different kinds only where the model tells these apart.
    #[test]
    fn kinds_are_those_that_the_model_tells_apart() {
        use Kind::{Constant, Unit, Variable};
        let edges = (0..).zip([Unit, Constant, Variable]);
        let edges = edges.map(|(v, kind)| NewEdge::new(v, v + 1, kind));
        let lcg = Lcg::new("chain", &[0], &[3], edges).expect("a graph");
        for (model, kinds) in [
            (CostModel::Plain, [Variable; 3]),
            (CostModel::UnitFree, [Unit, Variable, Variable]),
            (CostModel::ConstantAware, [Unit, Constant, Variable]),
        ] {
            let left = Left::new(&lcg, model).expect("small");
            assert_eq!(left.kind[..3], kinds, "{model:?}");
        }
    }

    /// A key has eight bits for the number of dual vertices, two for each kind and one for each element of the matrix,
    /// also where they end with a word.
    #[test]
    fn keys_take_no_more_words_than_their_bits() {
        let mut whole = 0;
        for edges in 2..=20 {
            let chain = (0..edges).map(|v| NewEdge::new(v, v + 1, Kind::Variable));
            let lcg = Lcg::new("chain", &[0], &[edges], chain).expect("a graph");
            let left = Left::new(&lcg, CostModel::Plain)
                .expect("small")
                .canonical();
            // The source and the sink are dual vertices, too.
            let n = edges as usize + 2;
            let bits = 8 + 2 * n + n * n;
            let mut state = Vec::new();
            left.write(&mut state);
            assert_eq!(state.len(), bits.div_ceil(64), "{edges}");
            whole += usize::from(bits.is_multiple_of(64));
            let read = Left::read(&state);
            assert_eq!(
                (read.pred, read.succ, read.kind),
                (left.pred, left.succ, left.kind),
                "{edges}"
            );
        }
        assert_eq!(whole, 2);
    }

    #[test]
    fn keys_are_read_as_written_and_isomorphic_graphs_have_one() {
        let lcg = lion(3, &[4, 5, 6, 7, 8]);
        let mut left = Left::new(&lcg, CostModel::ConstantAware)
            .expect("small")
            .canonical();
        loop {
            let mut state = Vec::new();
            left.write(&mut state);
            let read = Left::read(&state);
            assert_eq!((&read.pred, &read.succ), (&left.pred, &left.succ));
            assert_eq!(read.kind, left.kind);
            let n = left.pred.len();
            let flip = |row: u64| ones(row).fold(0u64, |row, at| row | 1 << (n - 1 - at));
            let turned = Left {
                pred: left.pred.iter().rev().map(|&row| flip(row)).collect(),
                succ: left.succ.iter().rev().map(|&row| flip(row)).collect(),
                kind: left.kind.iter().rev().copied().collect(),
                name: left.name.clone(),
            };
            let mut other = Vec::new();
            turned.canonical().write(&mut other);
            assert_eq!(other, state);
            let faces = (0..n).filter(|&i| left.is_inner(i));
            let mut faces = faces.flat_map(|i| ones(left.succ[i]).map(move |j| (i, j)));
            let Some(face) = faces.find(|&(_, j)| left.is_inner(j)) else {
                break;
            };
            assert!(left.eliminate(face, 0).is_ok());
            left = left.canonical();
        }
    }

    /// Row after row of 64 bits between words of kinds, and one dual vertex more than there is room for.
    #[test]
    fn sixty_four_dual_vertices_have_room() {
        for (middle, fits) in [(30, true), (31, false)] {
            let (first, last) = (middle + 1, middle + 3);
            let wide = (1..=middle).flat_map(|k| {
                let kind = if k % 3 == 0 {
                    Kind::Unit
                } else {
                    Kind::Constant
                };
                [
                    NewEdge::new(0, k, kind),
                    NewEdge::new(k, first, Kind::Variable),
                ]
            });
            let chain = [(first, first + 1), (first + 1, last)];
            let chain = chain.map(|(i, k)| NewEdge::new(i, k, Kind::Variable));
            let lcg = Lcg::new("wide", &[0], &[last], wide.chain(chain)).expect("a graph");
            let left = Left::new(&lcg, CostModel::ConstantAware);
            assert_eq!(left.is_some(), fits);
            let Some(left) = left else { continue };
            let left = left.canonical();
            let mut state = Vec::new();
            left.write(&mut state);
            assert_eq!(left.succ.len(), 64);
            let read = Left::read(&state);
            assert_eq!(
                (read.pred, read.succ, read.kind),
                (left.pred, left.succ, left.kind)
            );
            let found = solve(&lcg, CostModel::Plain, u64::MAX, UNLIMITED, &mut || false);
            assert!(matches!(found, Some(Outcome::Unfinished(_))), "{found:?}");
        }
    }
}
