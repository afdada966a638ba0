//! The driver for face heuristics: the faces in heaps by the vertex they go through, and by all three vertices
//! if siblings count. After a step only the faces it made and deleted are touched. A deleted face stays in its
//! heaps until it comes up: no face is ever made again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

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

/// A vertex with faces: its Markowitz degree if that counts, its place in order, its number.
type Rank = (usize, u32, u32);

/// Faces through one vertex by their ends, in the order of the last rule, then by number: from the top bit.
type Through = BinaryHeap<Reverse<u128>>;

/// Faces between two vertices by the vertex they go through.
type Family = BTreeMap<u32, BinaryHeap<Reverse<Face>>>;

struct Queue<'a> {
    graph: Dual<'a>,
    /// Lowest Markowitz degree counts.
    markowitz: bool,
    siblings: Siblings,
    reverse: bool,
    through: Vec<Through>,
    /// The number of faces through each vertex, which is its Markowitz degree.
    degrees: Vec<usize>,
    /// The vertices with faces, by rank.
    middles: BTreeSet<Rank>,
    /// The faces from one vertex to another, if siblings count.
    between: BTreeMap<(u32, u32), Family>,
    /// The vertices that the faces between the ends of the step before go through, by rank, if siblings count
    /// first. No step makes a face between the ends of its product.
    ranked: BTreeSet<Rank>,
    ends: Option<(u32, u32)>,
    /// Faces in the heaps, also deleted ones.
    stored: usize,
    /// The vertices whose degree the last step changed, and their ranks before.
    touched: Vec<(u32, Option<Rank>)>,
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
            through: vec![BinaryHeap::new(); lcg.vertex_count()],
            degrees: vec![0; lcg.vertex_count()],
            middles: BTreeSet::new(),
            between: BTreeMap::new(),
            ranked: BTreeSet::new(),
            ends: None,
            stored: 0,
            touched: Vec::new(),
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
    fn rank(&self, middle: u32) -> Option<Rank> {
        let degree = self.degrees[middle as usize];
        let counts = if self.markowitz { degree } else { 0 };
        (degree > 0).then(|| (counts, self.order(middle), middle))
    }

    fn insert(&mut self, face: Face) {
        let (middle, source, target) = self.graph.around(face);
        self.degrees[middle as usize] += 1;
        self.stored += 1;
        let ends = u64::from(self.order(source)) << 32 | u64::from(self.order(target));
        let number = u64::from(face.0) << 32 | u64::from(face.1);
        let place = u128::from(ends) << 64 | u128::from(number);
        self.through[middle as usize].push(Reverse(place));
        if self.siblings != Siblings::Ignored {
            let family = self.between.entry((source, target)).or_default();
            family.entry(middle).or_default().push(Reverse(face));
        }
    }

    /// Takes over what the last step changed; returns the number of changes.
    fn update(&mut self) -> u64 {
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        for &face in self.graph.made().iter().chain(self.graph.deleted()) {
            let middle = self.graph.around(face).0;
            if touched.last().is_none_or(|last| last.0 != middle) {
                touched.push((middle, self.rank(middle)));
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for at in 0..self.graph.made().len() {
            self.insert(self.graph.made()[at]);
        }
        for &face in self.graph.deleted() {
            self.degrees[self.graph.around(face).0 as usize] -= 1;
        }
        for &(middle, before) in &touched {
            let now = self.rank(middle);
            if before == now {
                continue;
            }
            if let Some(rank) = before {
                self.middles.remove(&rank);
                if self.ranked.remove(&rank) {
                    self.ranked.extend(now);
                }
            }
            self.middles.extend(now);
        }
        self.touched = touched;
        if self.stored > 2 * self.graph.face_count() + self.through.len() {
            self.sweep();
        }
        (self.graph.made().len() + self.graph.deleted().len()) as u64
    }

    /// Drops the deleted faces.
    fn sweep(&mut self) {
        let graph = &self.graph;
        for faces in &mut self.through {
            faces.retain(|face| graph.has(numbers(face.0)));
        }
        self.between.retain(|_, family| {
            family.retain(|_, faces| {
                faces.retain(|face| graph.has(face.0));
                !faces.is_empty()
            });
            !family.is_empty()
        });
        self.stored = graph.face_count();
    }

    fn choose(&mut self, previous: Option<(u32, u32)>) -> Option<Face> {
        let &(lowest, _, middle) = self.middles.first()?;
        let sibling = match (self.siblings, previous) {
            (Siblings::Ignored, _) | (_, None) => None,
            (Siblings::First, Some(ends)) => self.sibling(ends),
            (Siblings::BehindMarkowitz, Some(ends)) => self.sibling_among(lowest, ends),
        };
        sibling.or_else(|| self.usual(middle))
    }

    /// The first face through a vertex.
    fn usual(&mut self, middle: u32) -> Option<Face> {
        let faces = &mut self.through[middle as usize];
        while let Some(&Reverse(place)) = faces.peek() {
            if self.graph.has(numbers(place)) {
                return Some(numbers(place));
            }
            faces.pop();
        }
        None
    }

    /// The face between two vertices that goes through the lowest middle.
    fn sibling(&mut self, ends: (u32, u32)) -> Option<Face> {
        if self.ends != Some(ends) {
            self.ends = Some(ends);
            self.ranked.clear();
            if let Some(family) = self.between.get(&ends) {
                let ranks = family.keys().filter_map(|&middle| self.rank(middle));
                self.ranked = ranks.collect();
            }
        }
        while let Some(&rank) = self.ranked.first() {
            let face = first(&mut self.between, &self.graph, ends, rank.2);
            if face.is_some() {
                return face;
            }
            self.ranked.remove(&rank);
        }
        None
    }

    /// The same among the vertices of the lowest degree.
    fn sibling_among(&mut self, lowest: usize, ends: (u32, u32)) -> Option<Face> {
        let size = self.between.get(&ends)?.len();
        let is_lowest = |rank: &Rank| rank.0 == lowest;
        // Whichever are fewer: these vertices or those of the family.
        let mut ties = self.middles.iter().take_while(|rank| is_lowest(rank));
        for rank in ties.by_ref().take(size) {
            let face = first(&mut self.between, &self.graph, ends, rank.2);
            if face.is_some() {
                return face;
            }
        }
        ties.next()?;
        let family = self.between.get(&ends)?;
        let ranks = family.keys().filter_map(|&middle| self.rank(middle));
        let mut ranks: Vec<Rank> = ranks.filter(is_lowest).collect();
        ranks.sort_unstable();
        let mut ranks = ranks.iter();
        ranks.find_map(|rank| first(&mut self.between, &self.graph, ends, rank.2))
    }
}

/// The first face by number between two vertices through a third.
fn first(
    between: &mut BTreeMap<(u32, u32), Family>,
    graph: &Dual<'_>,
    ends: (u32, u32),
    middle: u32,
) -> Option<Face> {
    let family = between.get_mut(&ends)?;
    let faces = family.get_mut(&middle)?;
    while let Some(&Reverse(face)) = faces.peek() {
        if graph.has(face) {
            return Some(face);
        }
        faces.pop();
    }
    family.remove(&middle);
    if family.is_empty() {
        between.remove(&ends);
    }
    None
}

/// The face at a place among those through a vertex.
fn numbers(place: u128) -> Face {
    ((place >> 32) as u32, place as u32)
}
