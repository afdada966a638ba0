//! The driver for face heuristics: ordered sets of the faces, by the vertex they go through, and of
//! these vertices. After a step only the faces it made and deleted are touched.

use std::collections::{BTreeMap, BTreeSet};

use super::{Ended, Heuristic, Limits, Rule, Run};
use crate::cost::Counts;
use crate::eliminate::{Dual, Step};
use crate::lcg::Lcg;

/// Vertex numbers are below 2^30.
const TOP: u32 = 1 << 30;

/// Faces of a graph that is looked at: about 1 GB.
const MOST_FACES: u64 = 1 << 22;

/// A face of the dual graph.
type Face = (u32, u32);

/// A face by its ends, in the order of the last rule, then by number.
type Ordered = (u32, u32, Face);

struct Queue<'a> {
    graph: Dual<'a>,
    /// Lowest Markowitz degree counts.
    markowitz: bool,
    siblings: Siblings,
    reverse: bool,
    /// The faces through each vertex; there are as many as its Markowitz degree.
    through: Vec<BTreeSet<Ordered>>,
    /// The vertices with faces: by Markowitz degree if that counts, then in order.
    middles: BTreeSet<(usize, u32, u32)>,
    /// The faces from one vertex to another, if siblings count.
    between: BTreeMap<(u32, u32), BTreeSet<Face>>,
}

/// Where siblings come in the chain of rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Siblings {
    Ignored,
    First,
    BehindMarkowitz,
}

pub(super) fn run(heuristic: &Heuristic, lcg: &Lcg, limits: &Limits<'_>) -> Run {
    let faces: u64 = lcg
        .edges()
        .iter()
        .map(|edge| lcg.out_edges(edge.target).len() as u64)
        .sum();
    if faces > limits.work.unwrap_or(u64::MAX).min(MOST_FACES) {
        return Run {
            steps: Vec::new(),
            counts: Counts::default(),
            ended: Ended::Stopped,
            edges_left: lcg.edges().len(),
            work: lcg.edges().len() as u64,
        };
    }
    let mut queue = Queue::new(heuristic, lcg);
    let mut steps = Vec::new();
    let mut work = queue.graph.face_count() as u64;
    let start = lcg.edges().len();
    let mut previous: Option<(u32, u32)> = None;
    let ended = loop {
        let made = queue.graph.jaes().as_slice().len().saturating_sub(start);
        let Some(face) = queue.choose(previous) else {
            break Ended::Complete;
        };
        if let Some(ended) = limits.check(made, work) {
            break ended;
        }
        let (_, source, target) = queue.graph.around(face);
        previous = Some((source, target));
        let step = Step::Face(face.0, face.1);
        if queue.graph.apply(step).is_err() {
            // Not reached: the queue holds possible steps only. Better to stop than to loop.
            break Ended::Stopped;
        }
        steps.push(step);
        work += queue.update();
    };
    let edges_left = queue.graph.entries().count();
    Run {
        steps,
        counts: *queue.graph.counts(),
        ended,
        edges_left,
        work,
    }
}

impl<'a> Queue<'a> {
    fn new(heuristic: &Heuristic, lcg: &'a Lcg) -> Self {
        let at = |rule: Rule| heuristic.rules.iter().position(|&other| other == rule);
        let markowitz = at(Rule::LowestMarkowitz);
        let siblings = match at(Rule::SiblingDegree) {
            None => Siblings::Ignored,
            Some(at) if markowitz.is_some_and(|before| before < at) => Siblings::BehindMarkowitz,
            Some(_) => Siblings::First,
        };
        let mut queue = Self {
            graph: Dual::new(lcg),
            markowitz: markowitz.is_some(),
            siblings,
            reverse: at(Rule::Forward).is_none(),
            through: vec![BTreeSet::new(); lcg.vertex_count()],
            middles: BTreeSet::new(),
            between: BTreeMap::new(),
        };
        let faces: Vec<Face> = queue.graph.faces().collect();
        for face in faces {
            queue.insert(face);
        }
        for middle in 0..lcg.vertex_count() as u32 {
            queue.middles.extend(queue.rank(middle));
        }
        queue
    }

    fn order(&self, vertex: u32) -> u32 {
        if self.reverse { TOP - vertex } else { vertex }
    }

    /// The place of a vertex with faces among the others.
    fn rank(&self, middle: u32) -> Option<(usize, u32, u32)> {
        let degree = self.through[middle as usize].len();
        let counts = if self.markowitz { degree } else { 0 };
        (degree > 0).then(|| (counts, self.order(middle), middle))
    }

    /// The vertex between, and where the face stands among those through it.
    fn ordered(&self, face: Face) -> (u32, Ordered) {
        let (middle, source, target) = self.graph.around(face);
        (middle, (self.order(source), self.order(target), face))
    }

    fn insert(&mut self, face: Face) {
        let (middle, ordered) = self.ordered(face);
        self.through[middle as usize].insert(ordered);
        if self.siblings != Siblings::Ignored {
            let (_, source, target) = self.graph.around(face);
            let family = self.between.entry((source, target)).or_default();
            family.insert(face);
        }
    }

    fn remove(&mut self, face: Face) {
        let (middle, ordered) = self.ordered(face);
        self.through[middle as usize].remove(&ordered);
        if self.siblings != Siblings::Ignored {
            let (_, source, target) = self.graph.around(face);
            if let Some(family) = self.between.get_mut(&(source, target)) {
                family.remove(&face);
                if family.is_empty() {
                    self.between.remove(&(source, target));
                }
            }
        }
    }

    /// Takes over what the last step changed; returns the number of changes.
    fn update(&mut self) -> u64 {
        let made = self.graph.made().to_vec();
        let deleted = self.graph.deleted().to_vec();
        let both = made.iter().chain(&deleted);
        let mut middles: Vec<u32> = both.map(|&face| self.graph.around(face).0).collect();
        middles.sort_unstable();
        middles.dedup();
        for &middle in &middles {
            if let Some(rank) = self.rank(middle) {
                self.middles.remove(&rank);
            }
        }
        for &face in &made {
            self.insert(face);
        }
        for &face in &deleted {
            self.remove(face);
        }
        for &middle in &middles {
            self.middles.extend(self.rank(middle));
        }
        (made.len() + deleted.len()) as u64
    }

    fn choose(&self, previous: Option<(u32, u32)>) -> Option<Face> {
        let &(lowest, _, middle) = self.middles.first()?;
        let usual = self.through[middle as usize].first()?.2;
        let family = previous.and_then(|ends| self.between.get(&ends));
        let rank = |&face: &Face| (self.rank(self.graph.around(face).0), face);
        let sibling = family.and_then(|family| family.iter().min_by_key(|face| rank(face)));
        match sibling {
            Some(face)
                if self.siblings == Siblings::First
                    || rank(face).0.is_some_and(|rank| rank.0 == lowest) =>
            {
                Some(*face)
            }
            _ => Some(usual),
        }
    }
}
