//! The driver for vertex and edge heuristics: a priority queue of all possible steps by score. After a step only steps
//! near it are scored again, so that a run takes nearly linear time on sparse graphs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use fixedbitset::FixedBitSet;

use super::reach::Reach;
use super::score;
use super::sibling::Siblings;
use super::{Ended, Heuristic, Rule, Run, Technique};
use crate::cost::{CostModel, Counts};
use crate::eliminate::{Primal, Step};
use crate::lcg::{Lcg, Role};

/// The limits at which a run stops early.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Largest number of new edges.
    pub fill_in: Option<usize>,
    /// Largest number of elementary operations.
    pub work: Option<u64>,
    /// A flag that another thread sets to end the run.
    pub interrupt: Option<&'a AtomicBool>,
    /// A function that returns true when time is up.
    pub timer: Option<&'a dyn Fn() -> bool>,
    /// Elementary operations that are done before the run may be interrupted.
    pub least: u64,
    /// The best known cost: a run that reaches it need not go on.
    pub bar: Option<Bar>,
}

/// A cost that a heuristic has to stay below.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// The products that count.
    pub model: CostModel,
    /// The number of products that count.
    pub cost: u64,
    /// Elementary operations after which the bar applies.
    pub after: u64,
}

impl Limits<'_> {
    pub(super) fn check(&self, fill_in: usize, work: u64) -> Option<Ended> {
        if self.fill_in.is_some_and(|most| fill_in > most) {
            return Some(Ended::FillIn);
        }
        (self.work.is_some_and(|most| work > most) || self.is_over(work)).then_some(Ended::Stopped)
    }

    /// True if the bar is reached.
    pub(super) fn is_beaten(&self, counts: &Counts, work: u64) -> bool {
        let reached = |bar: &Bar| counts.multiplications(bar.model) >= bar.cost;
        self.bar
            .is_some_and(|bar| work > bar.after && reached(&bar))
    }

    /// True if the run should end now.
    fn is_over(&self, work: u64) -> bool {
        let flag = self.interrupt;
        work > self.least
            && (flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
                || self.timer.is_some_and(|late| late()))
    }
}

/// Steps of more products are checked against the limits before they are done.
const WIDE: u64 = 1 << 16;

/// Scores that are compared in the time of one elementary operation.
const SCAN: u64 = 8;

/// Longest chain (every rule once, one of forward and reverse).
const RULES: usize = 7;
type Key = [i64; RULES];

/// Steps with the same vertex in the middle, and of the same kind.
#[derive(Clone, Debug, Default)]
struct Group {
    /// The step of the group to choose, with its key.
    best: Option<(Key, Step)>,
    /// The other ends of the edges, in order. Empty if only the last rule tells them apart.
    ends: Vec<u32>,
    /// Scores by the rules that tell the ends apart, for one end after the other.
    scores: Vec<i64>,
    /// True if the edges of the group are to be scored again.
    stale: bool,
    /// The end that comes first, and its scores, while they are known.
    least: Option<(u32, Vec<i64>)>,
}

struct Queue<'h, 'a> {
    heuristic: &'h Heuristic,
    graph: Primal<'a>,
    reach: Reach,
    /// The best step of each group.
    best: BTreeSet<(Key, Step)>,
    /// The groups by the vertex in the middle; for edges front eliminations first, then back eliminations.
    groups: Vec<Group>,
    /// The rules that tell the edges of a group apart.
    apart: Vec<Rule>,
    /// Position of the sibling degree in the chain; its place in the keys stays 0.
    sibling_at: Option<usize>,
    /// True if scores depend on the neighbours' neighbours.
    far: bool,
    /// True if scores depend on the neighbours' degrees.
    degrees: bool,
    /// The last rule.
    reverse: bool,
    /// Middle vertices of groups whose steps or scores changed.
    dirty: Vec<u32>,
    is_dirty: FixedBitSet,
    work: u64,
}

/// The steps of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The elimination of the whole vertex.
    Whole,
    /// The front eliminations of the vertex's in-edges.
    Fronts,
    /// The back eliminations of the vertex's out-edges.
    Backs,
}

impl Side {
    fn step(self, middle: u32, end: u32) -> Step {
        match self {
            Self::Whole => Step::Vertex(middle),
            Self::Fronts => Step::Front(end, middle),
            Self::Backs => Step::Back(middle, end),
        }
    }

    fn from_step(step: Step) -> Self {
        match step {
            Step::Front(..) => Self::Fronts,
            Step::Back(..) => Self::Backs,
            Step::Vertex(_) | Step::Face(..) => Self::Whole,
        }
    }
}

pub(super) fn run(heuristic: &Heuristic, lcg: &Lcg, limits: &Limits<'_>) -> Run {
    let graph = Primal::without_jaes(lcg);
    let uses = |rule: Rule| heuristic.rules().contains(&rule);
    let reach = if uses(Rule::LowestRelativeMarkowitz) {
        match Reach::new(&graph) {
            Some(reach) => reach,
            None => {
                return Run {
                    steps: Vec::new(),
                    counts: *graph.counts(),
                    ended: Ended::Stopped,
                    edges_left: graph.edge_count(),
                    work: lcg.edges().len() as u64,
                };
            }
        }
    } else {
        Reach::default()
    };
    let degrees = uses(Rule::MinimalDamage) || uses(Rule::MaximalReduction);
    let by_edge = heuristic.technique == Technique::Edge && !heuristic.by_vertex;
    let apart = |rule: &Rule| {
        let looks_at_end = matches!(
            rule,
            Rule::LowestFillIn | Rule::MinimalDamage | Rule::MaximalReduction
        );
        by_edge && looks_at_end
    };
    let rules = heuristic.rules().iter();
    let sibling_at = rules.clone().position(|&rule| rule == Rule::SiblingDegree);
    let n = lcg.vertex_count();
    let mut queue = Queue {
        heuristic,
        reach,
        best: BTreeSet::new(),
        groups: vec![Group::default(); 2 * n],
        apart: rules.copied().filter(apart).collect(),
        sibling_at,
        far: degrees || uses(Rule::LowestFillIn),
        degrees,
        reverse: uses(Rule::Reverse),
        dirty: Vec::new(),
        is_dirty: FixedBitSet::with_capacity(n),
        work: n as u64,
        graph,
    };
    for middle in 0..n as u32 {
        queue.refresh(middle, Side::Fronts);
        queue.refresh(middle, Side::Backs);
    }
    queue.settle();
    queue.eliminate(limits)
}

impl Queue<'_, '_> {
    fn eliminate(mut self, limits: &Limits<'_>) -> Run {
        let mut steps = Vec::new();
        let mut previous = Siblings::new(if self.sibling_at.is_some() {
            self.is_dirty.len()
        } else {
            0
        });
        let (mut counts, mut edges_left) = (*self.graph.counts(), self.graph.edge_count());
        let ended = loop {
            let Some(step) = self.choose(&mut previous) else {
                break Ended::Complete;
            };
            self.work += previous.looked() / SCAN;
            let next = score::markowitz(&self.graph, step) as u64;
            let next = if next > WIDE { 4 * next } else { 0 };
            let work = self.work + next;
            if let Some(ended) = limits.check(self.graph.fill_in(), work) {
                break ended;
            }
            if limits.is_beaten(&counts, work) {
                break Ended::Beaten;
            }
            let most = limits.fill_in.map(|most| most - self.graph.fill_in());
            if next > 0 && most.is_some_and(|most| score::makes_more(&self.graph, step, most)) {
                break Ended::FillIn;
            }
            if self.sibling_at.is_some() {
                previous.follow(&self.graph, step);
            }
            let before = self.graph.jae_count();
            // An error is not reached, since the queue has only possible steps. If it were, stopping is better than
            // looping.
            let done = self.graph.apply_within(step, &mut || limits.is_over(work));
            if !done.is_ok_and(|whole| whole) {
                break Ended::Stopped;
            }
            (counts, edges_left) = (*self.graph.counts(), self.graph.edge_count());
            let products = (self.graph.jae_count() - before) as u64;
            self.work += products * self.graph.product_work();
            steps.push(step);
            self.follow(step);
            self.settle();
        };
        Run {
            steps,
            counts,
            ended,
            edges_left,
            work: self.work,
        }
    }

    /// Marks the groups that a step changed.
    fn follow(&mut self, step: Step) {
        if let Step::Vertex(j) = step {
            let touched = self.graph.touched().to_vec();
            self.mark_near(&touched);
            self.mark(j);
            return;
        }
        let changes = self.graph.changes().clone();
        if self.apart.is_empty() {
            self.mark_near(&changes.preds);
            self.mark_near(&changes.succs);
            return;
        }
        for &(i, k) in &changes.deleted {
            self.rescore(k, Side::Fronts, i);
            self.rescore(i, Side::Backs, k);
        }
        // The score of front elimination (i, j) depends on the successors of both and, if degrees count, on
        // how many successors those of j have, on the number of predecessors of i, and on whether j has
        // more than one. Back elimination is the mirror image.
        for &v in &changes.succs {
            for j in self.graph.succs(v).collect::<Vec<u32>>() {
                self.rescore(j, Side::Fronts, v);
            }
            self.refresh(v, Side::Fronts);
            if self.degrees {
                for j in self.graph.preds(v).collect::<Vec<u32>>() {
                    self.refresh(j, Side::Fronts);
                    self.rescore(j, Side::Backs, v);
                }
                if self.graph.out_degree(v) <= 2 {
                    self.refresh(v, Side::Backs);
                }
            }
        }
        for &v in &changes.preds {
            for j in self.graph.preds(v).collect::<Vec<u32>>() {
                self.rescore(j, Side::Backs, v);
            }
            self.refresh(v, Side::Backs);
            if self.degrees {
                for j in self.graph.succs(v).collect::<Vec<u32>>() {
                    self.refresh(j, Side::Backs);
                    self.rescore(j, Side::Fronts, v);
                }
                if self.graph.in_degree(v) <= 2 {
                    self.refresh(v, Side::Fronts);
                }
            }
        }
    }

    /// Marks vertices and, if scores reach so far, their neighbours.
    fn mark_near(&mut self, vertices: &[u32]) {
        for &v in vertices {
            self.mark(v);
            if self.far {
                let preds: Vec<u32> = self.graph.preds(v).collect();
                let succs: Vec<u32> = self.graph.succs(v).collect();
                preds
                    .into_iter()
                    .chain(succs)
                    .for_each(|near| self.mark(near));
            }
        }
    }

    fn mark(&mut self, middle: u32) {
        if !self.is_dirty.put(middle as usize) {
            self.dirty.push(middle);
        }
    }

    fn group(&self, middle: u32, side: Side) -> &Group {
        &self.groups[2 * middle as usize + usize::from(side == Side::Backs)]
    }

    fn group_mut(&mut self, middle: u32, side: Side) -> &mut Group {
        &mut self.groups[2 * middle as usize + usize::from(side == Side::Backs)]
    }

    /// The groups that a vertex can be in the middle of.
    fn sides(&self) -> &'static [Side] {
        match self.heuristic.technique {
            Technique::Edge => &[Side::Fronts, Side::Backs],
            Technique::Vertex | Technique::Face => &[Side::Whole],
        }
    }

    /// True if a vertex has steps of this side at all.
    fn has_group(&self, middle: u32, side: Side) -> bool {
        self.graph.is_eliminable(middle)
            && (side != Side::Fronts || self.graph.lcg().role(middle) == Role::Intermediate)
    }

    /// The edges of a group are to be scored again.
    fn refresh(&mut self, middle: u32, side: Side) {
        self.mark(middle);
        self.group_mut(middle, side).stale = true;
    }

    /// Scores all edges of a group.
    fn score_all(&mut self, middle: u32, side: Side) {
        let mut group = std::mem::take(self.group_mut(middle, side));
        group.ends.clear();
        group.scores.clear();
        if !self.apart.is_empty() && self.has_group(middle, side) {
            match side {
                Side::Backs => group.ends.extend(self.graph.succs(middle)),
                Side::Fronts | Side::Whole => group.ends.extend(self.graph.preds(middle)),
            }
            for &end in &group.ends {
                let step = side.step(middle, end);
                let scores = self.apart.iter().map(|&rule| self.score(rule, step));
                group.scores.extend(scores);
            }
            self.work += group.ends.len() as u64 * self.edge_work(middle, side);
        }
        group.stale = false;
        group.least = None;
        *self.group_mut(middle, side) = group;
    }

    /// Scores one edge of a group again, or takes it out.
    fn rescore(&mut self, middle: u32, side: Side, end: u32) {
        if !self.has_group(middle, side) {
            self.refresh(middle, side);
            return;
        }
        self.mark(middle);
        if self.group(middle, side).stale {
            return;
        }
        let step = side.step(middle, end);
        let there = match side {
            Side::Backs => self.graph.has_edge(middle, end),
            Side::Fronts | Side::Whole => self.graph.has_edge(end, middle),
        };
        let scores = self.apart.iter().map(|&rule| self.score(rule, step));
        let scores: Vec<i64> = if there { scores.collect() } else { Vec::new() };
        let (width, reverse) = (self.apart.len(), self.reverse);
        let group = self.group_mut(middle, side);
        if let Some((first, least)) = &mut group.least {
            let place = |other: u32| if reverse { u32::MAX - other } else { other };
            if there && (&scores, place(end)) <= (least, place(*first)) {
                *first = end;
                least.clone_from(&scores);
            } else if end == *first {
                group.least = None;
            }
        }
        let (at, known) = match group.ends.binary_search(&end) {
            Ok(at) => (at, 1),
            Err(at) => (at, 0),
        };
        group.ends.splice(at..at + known, there.then_some(end));
        let place = width * at..width * (at + known);
        group.scores.splice(place, scores);
        let moved = group.ends.len() as u64 / SCAN;
        self.work += moved + self.edge_work(middle, side);
    }

    fn edge_work(&self, middle: u32, side: Side) -> u64 {
        self.graph.row_work(match side {
            Side::Backs => self.graph.in_degree(middle),
            Side::Fronts | Side::Whole => self.graph.out_degree(middle),
        })
    }

    /// Elementary operations to score a vertex.
    fn vertex_work(&self, v: u32) -> u64 {
        if !self.far {
            return 0;
        }
        let (ins, outs) = (self.graph.in_degree(v), self.graph.out_degree(v));
        let (from, into) = if self.degrees {
            let from = self.graph.inner_preds(v).count();
            (from, self.graph.inner_succs(v).count())
        } else {
            (ins, 0)
        };
        from as u64 * self.graph.row_work(outs) + into as u64 * self.graph.row_work(ins)
    }

    /// Finds the best steps of all dirty groups.
    fn settle(&mut self) {
        for middle in std::mem::take(&mut self.dirty) {
            self.is_dirty.set(middle as usize, false);
            let mut whole = None;
            for &side in self.sides() {
                if self.group(middle, side).stale {
                    self.score_all(middle, side);
                }
                if let Some(old) = self.group_mut(middle, side).best.take() {
                    self.best.remove(&old);
                }
                self.work += 1;
                if !self.has_group(middle, side) {
                    continue;
                }
                if !self.apart.is_empty() && self.group(middle, side).least.is_none() {
                    let group = self.group(middle, side);
                    self.work += group.ends.len() as u64 / SCAN;
                    let least = self.first_of(middle, side, |_, _| true);
                    self.group_mut(middle, side).least = least;
                }
                // Under `em` the edges of a vertex differ by the last rule only.
                if whole.is_none() && (self.heuristic.by_vertex || side == Side::Whole) {
                    whole = Some(self.key(Step::Vertex(middle)));
                    self.work += self.vertex_work(middle);
                }
                let Some(step) = self.first(middle, side) else {
                    continue;
                };
                let key = whole.map_or_else(|| self.key(step), |whole| self.ordered(whole, step));
                self.best.insert((key, step));
                self.group_mut(middle, side).best = Some((key, step));
            }
        }
    }

    /// The best step of a group.
    fn first(&self, middle: u32, side: Side) -> Option<Step> {
        let end = match side {
            Side::Whole => Some(middle),
            _ if !self.apart.is_empty() => {
                let least = self.group(middle, side).least.as_ref();
                least.map(|&(end, _)| end)
            }
            Side::Fronts if self.reverse => self.graph.last_pred(middle),
            Side::Fronts => self.graph.preds(middle).next(),
            Side::Backs if self.reverse => self.graph.last_succ(middle),
            Side::Backs => self.graph.succs(middle).next(),
        };
        end.map(|end| side.step(middle, end))
    }

    /// The end that comes first in a group among certain ones, and its scores.
    fn first_of(
        &self,
        middle: u32,
        side: Side,
        wanted: impl Fn(u32, &[i64]) -> bool,
    ) -> Option<(u32, Vec<i64>)> {
        let group = self.group(middle, side);
        let width = self.apart.len();
        if width == 0 {
            let wanted = |end: &u32| wanted(*end, &[]);
            let found = match (side, self.reverse) {
                (Side::Whole, _) => Some(middle).filter(wanted),
                (Side::Fronts, false) => self.graph.preds(middle).find(wanted),
                (Side::Fronts, true) => self.graph.preds(middle).filter(wanted).last(),
                (Side::Backs, false) => self.graph.succs(middle).find(wanted),
                (Side::Backs, true) => self.graph.succs(middle).filter(wanted).last(),
            };
            return found.map(|end| (end, Vec::new()));
        }
        let mut best: Option<(&[i64], u32)> = None;
        for (&end, scores) in group.ends.iter().zip(group.scores.chunks_exact(width)) {
            let better =
                best.is_none_or(|(least, _)| scores < least || (self.reverse && scores == least));
            if better && wanted(end, scores) {
                best = Some((scores, end));
            }
        }
        best.map(|(scores, end)| (end, scores.to_vec()))
    }

    fn key(&self, step: Step) -> Key {
        let mut key = [0; RULES];
        for (slot, &rule) in key.iter_mut().zip(self.heuristic.rules()) {
            *slot = self.score(rule, step);
        }
        key
    }

    fn score(&self, rule: Rule, step: Step) -> i64 {
        let graph = &self.graph;
        match rule {
            Rule::Forward => score::order(step, false),
            Rule::Reverse => score::order(step, true),
            Rule::LowestMarkowitz => score::markowitz(graph, step),
            Rule::LowestRelativeMarkowitz => score::relative(graph, &self.reach, step),
            Rule::LowestFillIn => score::fill_in(graph, step),
            Rule::MinimalDamage => score::markowitz(graph, step) + score::damage(graph, step),
            Rule::MaximalReduction => -score::reduction(graph, step),
            Rule::SiblingDegree => 0,
        }
    }

    /// A key with the place of another step among those that are equal.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the other rules are keys already"
    )]
    fn ordered(&self, mut key: Key, step: Step) -> Key {
        for (slot, rule) in key.iter_mut().zip(self.heuristic.rules()) {
            match rule {
                Rule::Forward => *slot = score::order(step, false),
                Rule::Reverse => *slot = score::order(step, true),
                _ => {}
            }
        }
        key
    }

    fn choose(&self, previous: &mut Siblings) -> Option<Step> {
        let first = self.best.first()?;
        let Some(at) = self.sibling_at else {
            return Some(first.1);
        };
        // The scores of the rules before the sibling degree, equal for all remaining edges.
        let slots = first.0.iter().zip(self.heuristic.rules()).take(at);
        let apart = slots.filter(|(_, rule)| self.apart.contains(rule));
        let scores: Vec<i64> = apart.map(|(&score, _)| score).collect();
        let middles = if at == 0 {
            previous.middles(&self.graph)
        } else {
            Vec::new()
        };
        let relative = |middle: u32, side: Side| {
            let (key, _) = self.group(middle, side).best?;
            let (ins, outs) = previous.common(&self.graph, middle);
            let degree = match side {
                _ if ins == 0 || outs == 0 => return None,
                Side::Whole => ins * outs,
                Side::Fronts => outs,
                Side::Backs => ins,
            };
            let is_left = |end: u32, of: &[i64]| {
                of[..scores.len()] == scores[..] && previous.has(side.step(middle, end))
            };
            let (end, _) = self.first_of(middle, side, is_left)?;
            let step = side.step(middle, end);
            let key = if self.apart.is_empty() {
                self.ordered(key, step)
            } else {
                self.key(step)
            };
            // Highest degree first; the rest of the key decides among equals.
            Some((-degree, key, step))
        };
        let chosen = if at == 0 {
            let groups = middles
                .into_iter()
                .flat_map(|j| self.sides().iter().map(move |&side| (j, side)));
            groups.filter_map(|(j, side)| relative(j, side)).min()
        } else {
            let is_first = |(key, _): &&(Key, Step)| key[..at] == first.0[..at];
            let groups = self.best.iter().take_while(is_first);
            groups
                .filter_map(|&(_, step)| relative(score::middle(step), Side::from_step(step)))
                .min()
        };
        Some(chosen.map_or(first.1, |(_, _, step)| step))
    }
}
