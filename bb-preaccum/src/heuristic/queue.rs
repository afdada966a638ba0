//! The driver for vertex and edge heuristics: a priority queue of all possible steps by score. After a
//! step only the steps near it are scored again, so that a run is near linear on sparse graphs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::reach::Reach;
use super::score;
use super::sibling::Siblings;
use super::{Ended, Heuristic, Rule, Run, Technique};
use crate::eliminate::{Primal, Step};
use crate::lcg::{Lcg, Role};

/// When to stop early.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Largest number of new edges.
    pub fill_in: Option<usize>,
    /// Largest number of elementary operations.
    pub work: Option<u64>,
    /// Set by somebody else to end the run.
    pub interrupt: Option<&'a AtomicBool>,
    /// Says when time is up.
    pub timer: Option<&'a dyn Fn() -> bool>,
    /// Elementary operations that are done even if somebody wants an end.
    pub least: u64,
}

impl Limits<'_> {
    pub(super) fn check(&self, fill_in: usize, work: u64) -> Option<Ended> {
        if self.fill_in.is_some_and(|most| fill_in > most) {
            return Some(Ended::FillIn);
        }
        (self.work.is_some_and(|most| work > most) || self.is_over(work)).then_some(Ended::Stopped)
    }

    /// Whether somebody wants an end now.
    fn is_over(&self, work: u64) -> bool {
        let flag = self.interrupt;
        work > self.least
            && (flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
                || self.timer.is_some_and(|late| late()))
    }
}

/// Products of a step that is looked at before it is done: whether the limits leave room for it.
const WIDE: u64 = 1 << 16;

/// Longest chain (every rule once, one of forward and reverse).
const RULES: usize = 7;
type Key = [i64; RULES];

struct Queue<'h, 'a> {
    heuristic: &'h Heuristic,
    graph: Primal<'a>,
    reach: Reach,
    /// The best step of each vertex in the middle.
    best: BTreeSet<(Key, Step)>,
    /// All steps by the vertex in the middle.
    by_middle: Vec<Vec<(Key, Step)>>,
    /// Position of the sibling degree in the chain; its place in the keys stays 0.
    sibling_at: Option<usize>,
    /// Whether scores depend on the neighbours' neighbours.
    far: bool,
    work: u64,
}

pub(super) fn run(heuristic: &Heuristic, lcg: &Lcg, limits: &Limits<'_>) -> Run {
    let graph = Primal::new(lcg);
    let uses = |rule: Rule| heuristic.rules.contains(&rule);
    let reach = if uses(Rule::LowestRelativeMarkowitz) {
        Reach::new(&graph)
    } else {
        Reach::default()
    };
    let n = lcg.vertex_count();
    let mut queue = Queue {
        heuristic,
        reach,
        best: BTreeSet::new(),
        by_middle: vec![Vec::new(); n],
        sibling_at: heuristic
            .rules
            .iter()
            .position(|&rule| rule == Rule::SiblingDegree),
        far: uses(Rule::LowestFillIn) || uses(Rule::MinimalDamage) || uses(Rule::MaximalReduction),
        work: n as u64,
        graph,
    };
    for middle in 0..n as u32 {
        queue.refresh(middle);
    }
    queue.eliminate(limits)
}

impl Queue<'_, '_> {
    fn eliminate(mut self, limits: &Limits<'_>) -> Run {
        let mut steps = Vec::new();
        let mut previous = Siblings::new(if self.sibling_at.is_some() {
            self.by_middle.len()
        } else {
            0
        });
        let mut dirty = Vec::new();
        let (mut counts, mut edges_left) = (*self.graph.counts(), self.graph.edge_count());
        let ended = loop {
            let Some(step) = self.choose(&previous) else {
                break Ended::Complete;
            };
            let next = score::markowitz(&self.graph, step) as u64;
            let next = if next > WIDE { 4 * next } else { 0 };
            let work = self.work + next;
            if let Some(ended) = limits.check(self.graph.fill_in(), work) {
                break ended;
            }
            let most = limits.fill_in.map(|most| most - self.graph.fill_in());
            if next > 0 && most.is_some_and(|most| score::makes_more(&self.graph, step, most)) {
                break Ended::FillIn;
            }
            if self.sibling_at.is_some() {
                previous.follow(&self.graph, step);
            }
            let before = self.graph.jaes().as_slice().len();
            // An error is not reached: the queue holds possible steps only. Better to stop than to loop.
            let done = self.graph.apply_within(step, &mut || limits.is_over(work));
            if !done.is_ok_and(|whole| whole) {
                break Ended::Stopped;
            }
            (counts, edges_left) = (*self.graph.counts(), self.graph.edge_count());
            self.work += 4 * (self.graph.jaes().as_slice().len() - before) as u64;
            steps.push(step);
            dirty.clear();
            dirty.extend_from_slice(self.graph.touched());
            if self.far {
                for &v in self.graph.touched() {
                    dirty.extend(self.graph.preds(v));
                    dirty.extend(self.graph.succs(v));
                }
            }
            dirty.push(score::middle(step));
            dirty.sort_unstable();
            dirty.dedup();
            for &middle in &dirty {
                self.refresh(middle);
            }
        };
        Run {
            steps,
            counts,
            ended,
            edges_left,
            work: self.work,
        }
    }

    /// Scores all steps with a given vertex in the middle.
    fn refresh(&mut self, middle: u32) {
        let mut list = std::mem::take(&mut self.by_middle[middle as usize]);
        if let Some(entry) = list.iter().min() {
            self.best.remove(entry);
        }
        list.clear();
        let graph = &self.graph;
        self.work += 1;
        if graph.is_eliminable(middle) {
            if self.heuristic.technique == Technique::Vertex {
                list.push((self.key(Step::Vertex(middle)), Step::Vertex(middle)));
            } else {
                // Under `em` the edges of a vertex differ by the last rule only.
                let by_vertex = self.heuristic.by_vertex;
                let whole = by_vertex.then(|| self.key(Step::Vertex(middle)));
                let key = |step: Step| {
                    whole.map_or_else(|| self.key(step), |whole| self.ordered(whole, step))
                };
                if graph.lcg().role(middle) == Role::Intermediate {
                    for i in graph.preds(middle) {
                        let step = Step::Front(i, middle);
                        list.push((key(step), step));
                    }
                }
                for k in graph.succs(middle) {
                    let step = Step::Back(middle, k);
                    list.push((key(step), step));
                }
            }
            let degree = graph.in_degree(middle) * graph.out_degree(middle);
            self.work += if self.far {
                degree + list.len()
            } else {
                list.len()
            } as u64;
            self.best.extend(list.iter().min());
        }
        self.by_middle[middle as usize] = list;
    }

    fn key(&self, step: Step) -> Key {
        let graph = &self.graph;
        let mut key = [0; RULES];
        for (slot, rule) in key.iter_mut().zip(&self.heuristic.rules) {
            *slot = match rule {
                Rule::Forward => score::order(step, false),
                Rule::Reverse => score::order(step, true),
                Rule::LowestMarkowitz => score::markowitz(graph, step),
                Rule::LowestRelativeMarkowitz => score::relative(graph, &self.reach, step),
                Rule::LowestFillIn => score::fill_in(graph, step),
                Rule::MinimalDamage => score::markowitz(graph, step) + score::damage(graph, step),
                Rule::MaximalReduction => -score::reduction(graph, step),
                Rule::SiblingDegree => 0,
            };
        }
        key
    }

    /// A key with the place of another step among those that are equal.
    fn ordered(&self, mut key: Key, step: Step) -> Key {
        for (slot, rule) in key.iter_mut().zip(&self.heuristic.rules) {
            match rule {
                Rule::Forward => *slot = score::order(step, false),
                Rule::Reverse => *slot = score::order(step, true),
                _ => {}
            }
        }
        key
    }

    fn choose(&self, previous: &Siblings) -> Option<Step> {
        let first = self.best.first()?;
        let Some(at) = self.sibling_at else {
            return Some(first.1);
        };
        let degree = |step: Step| previous.degree(&self.graph, step);
        // Highest degree first; the rest of the key decides among equals.
        let better = |entry: &(Key, Step)| (-degree(entry.1), *entry);
        if at == 0 {
            let middles = previous.middles(&self.graph);
            let near = middles
                .iter()
                .flat_map(|&v| &self.by_middle[v as usize])
                .map(better);
            let chosen = near.filter(|(degree, _)| *degree < 0).min();
            return Some(chosen.map_or(first.1, |(_, entry)| entry.1));
        }
        let prefix = &first.0[..at];
        let is_first = |(key, _): &&(Key, Step)| &key[..at] == prefix;
        let middles = self.best.iter().take_while(is_first);
        let lists = middles.flat_map(|&(_, step)| &self.by_middle[score::middle(step) as usize]);
        lists
            .filter(is_first)
            .map(better)
            .min()
            .map(|(_, entry)| entry.1)
    }
}
