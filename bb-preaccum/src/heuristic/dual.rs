//! The driver for face heuristics. Faces lie in heaps by the vertex that they go through, and by all three vertices if
//! siblings count. After a step only the faces that it made and deleted are touched. A deleted face stays in its heaps
//! until it comes up, which is safe because no face is ever made again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use super::{Ended, Heuristic, Limits, Rule, Run};
use crate::cost::Counts;
use crate::eliminate::{Dual, Step};
use crate::lcg::Lcg;

/// Vertex numbers are below 2^30.
const TOP: u32 = 1 << 30;

/// The most faces of a graph that a heuristic takes.
const MOST_FACES: u64 = 1 << 22;

/// The most faces at a time, of about 70 bytes each.
const MOST_LEFT: usize = 1 << 24;

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
    /// The faces from one vertex to another, if siblings count behind the degree.
    between: BTreeMap<(u32, u32), Family>,
    /// The faces from one vertex to another in any order, if siblings count first, since then all of them are
    /// eliminated in a row.
    waiting: HashMap<(u32, u32), Vec<Face>>,
    /// The faces that are eliminated now, the last one first, sorted by the rank of the vertex that they go through.
    /// The order stays right: no step makes a face with the same ends, since its new faces go beyond them; and a step
    /// deletes only faces through its own vertex and through the ends, so that only the rank of the last vertex falls.
    row: Vec<Face>,
    /// Number of faces in `through`, and in `between` or `waiting`, deleted ones included.
    stored: usize,
    related: usize,
    /// The rank that each vertex has in `middles`.
    listed: Vec<Option<Rank>>,
    /// The vertices that may have another rank now.
    stale: Vec<u32>,
}

/// Elementary operations to make a face, to find its place and to delete it.
const FACE_WORK: u64 = 16;

/// The place of siblings in the chain of rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Siblings {
    Ignored,
    First,
    BehindMarkowitz,
}

/// True if a graph has too many faces for a heuristic.
fn is_too_much(faces: u64, limits: &Limits<'_>) -> bool {
    faces > (limits.work.unwrap_or(u64::MAX) / FACE_WORK).min(MOST_FACES)
}

pub(super) fn run(heuristic: &Heuristic, lcg: &Lcg, limits: &Limits<'_>) -> Run {
    within(MOST_LEFT, heuristic, lcg, limits)
}

/// A run that stops where more faces than `most_left` are left.
fn within(most_left: usize, heuristic: &Heuristic, lcg: &Lcg, limits: &Limits<'_>) -> Run {
    let faces: u64 = lcg
        .edges()
        .iter()
        .map(|edge| lcg.out_edges(edge.target).len() as u64)
        .sum();
    if is_too_much(faces, limits) {
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
    let mut work = FACE_WORK * queue.graph.face_count() as u64;
    let start = lcg.edges().len();
    let mut previous: Option<(u32, u32)> = None;
    let ended = loop {
        let made = queue.graph.next() as usize - start;
        let Some(face) = queue.choose(previous) else {
            break Ended::Complete;
        };
        if let Some(ended) = limits.check(made, work) {
            break ended;
        }
        if queue.graph.face_count() > most_left {
            break Ended::Stopped;
        }
        if limits.is_beaten(queue.graph.counts(), work) {
            break Ended::Beaten;
        }
        let (_, source, target) = queue.graph.around(face);
        previous = Some((source, target));
        let step = Step::Face(face.0, face.1);
        if queue.graph.apply(step).is_err() {
            // Not reached, since the queue has only possible steps. If it were, stopping is better than looping.
            break Ended::Stopped;
        }
        steps.push(step);
        work += FACE_WORK * queue.update();
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
        let at = |rule: Rule| heuristic.rules().iter().position(|&other| other == rule);
        let markowitz = at(Rule::LowestMarkowitz);
        let siblings = match at(Rule::SiblingDegree) {
            None => Siblings::Ignored,
            Some(at) if markowitz.is_some_and(|before| before < at) => Siblings::BehindMarkowitz,
            Some(_) => Siblings::First,
        };
        let mut queue = Self {
            graph: Dual::without_jaes(lcg),
            markowitz: markowitz.is_some(),
            siblings,
            reverse: at(Rule::Forward).is_none(),
            through: vec![BinaryHeap::new(); lcg.vertex_count()],
            degrees: vec![0; lcg.vertex_count()],
            middles: BTreeSet::new(),
            between: BTreeMap::new(),
            waiting: HashMap::new(),
            row: Vec::new(),
            stored: 0,
            related: 0,
            listed: vec![None; lcg.vertex_count()],
            stale: (0..lcg.vertex_count() as u32).collect(),
        };
        let faces: Vec<Face> = queue.graph.faces().collect();
        for face in faces {
            queue.insert(face);
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

    /// Brings `middles` up to date.
    fn settle(&mut self) {
        for at in 0..self.stale.len() {
            let middle = self.stale[at];
            let now = self.rank(middle);
            let before = std::mem::replace(&mut self.listed[middle as usize], now);
            if before != now {
                if let Some(rank) = before {
                    self.middles.remove(&rank);
                }
                self.middles.extend(now);
            }
        }
        self.stale.clear();
    }

    /// The degree of a vertex, which is about to change.
    fn touch(&mut self, middle: u32) -> &mut usize {
        if self.stale.last() != Some(&middle) {
            self.stale.push(middle);
        }
        &mut self.degrees[middle as usize]
    }

    fn insert(&mut self, face: Face) {
        let (middle, source, target) = self.graph.around(face);
        *self.touch(middle) += 1;
        self.stored += 1;
        self.related += usize::from(self.siblings != Siblings::Ignored);
        let place = [self.order(source), self.order(target), face.0, face.1];
        let place = place
            .iter()
            .fold(0, |all, &part| all << 32 | u128::from(part));
        self.through[middle as usize].push(Reverse(place));
        let ends = (source, target);
        match self.siblings {
            Siblings::Ignored => {}
            Siblings::First => self.waiting.entry(ends).or_default().push(face),
            Siblings::BehindMarkowitz => {
                let family = self.between.entry(ends).or_default();
                family.entry(middle).or_default().push(Reverse(face));
            }
        }
    }

    /// Takes over the changes of the last step; returns their number.
    fn update(&mut self) -> u64 {
        for at in 0..self.graph.made().len() {
            self.insert(self.graph.made()[at]);
        }
        for at in 0..self.graph.deleted().len() {
            let middle = self.graph.around(self.graph.deleted()[at]).0;
            *self.touch(middle) -= 1;
        }
        self.sweep();
        (self.graph.made().len() + self.graph.deleted().len()) as u64
    }

    /// Drops deleted faces when they outnumber the others.
    fn sweep(&mut self) {
        let graph = &self.graph;
        let most = 2 * graph.face_count() + self.through.len();
        if self.stored > most {
            for faces in &mut self.through {
                faces.retain(|face| graph.has(numbers(face.0)));
            }
            self.stored = graph.face_count();
        }
        if self.related > most {
            self.between.retain(|_, family| {
                family.retain(|_, faces| {
                    faces.retain(|face| graph.has(face.0));
                    !faces.is_empty()
                });
                !family.is_empty()
            });
            self.waiting.retain(|_, faces| {
                faces.retain(|&face| graph.has(face));
                !faces.is_empty()
            });
            self.related = graph.face_count();
        }
    }

    fn choose(&mut self, previous: Option<(u32, u32)>) -> Option<Face> {
        let sibling = match (self.siblings, previous) {
            (Siblings::Ignored, _) | (_, None) => None,
            (Siblings::First, Some(ends)) => self.sibling(ends),
            (Siblings::BehindMarkowitz, Some(ends)) => self.sibling_among_lowest(ends),
        };
        sibling.or_else(|| self.usual())
    }

    /// The first face through the lowest vertex.
    fn usual(&mut self) -> Option<Face> {
        // The degree of the vertex of a step only falls, so if no other rank changed, the first vertex stays the
        // first.
        let leads = |first: &Rank| self.stale == [first.2] && self.degrees[first.2 as usize] > 0;
        if !self.middles.first().is_some_and(leads) {
            self.settle();
        }
        let middle = self.middles.first()?.2;
        let faces = &mut self.through[middle as usize];
        let faces = std::iter::from_fn(|| faces.pop());
        let mut taken = 0;
        let face = faces
            .inspect(|_| taken += 1)
            .find(|place| self.graph.has(numbers(place.0)));
        self.stored -= taken;
        face.map(|place| numbers(place.0))
    }

    /// The face between two vertices that goes through the lowest middle.
    fn sibling(&mut self, ends: (u32, u32)) -> Option<Face> {
        if self.row.is_empty()
            && let Some(mut faces) = self.waiting.remove(&ends)
        {
            self.related -= faces.len();
            let rank = |face| self.rank(self.graph.around(face).0);
            faces.sort_by_cached_key(|&face| Reverse((rank(face), face)));
            self.row = faces;
        }
        while let Some(face) = self.row.pop() {
            if self.graph.has(face) {
                return Some(face);
            }
        }
        None
    }

    /// A face between two vertices, through one of the vertices of the lowest degree.
    fn sibling_among_lowest(&mut self, ends: (u32, u32)) -> Option<Face> {
        self.settle();
        let lowest = self.middles.first()?.0;
        let size = self.between.get(&ends)?.len();
        let is_lowest = |rank: &Rank| rank.0 == lowest;
        // Goes through the smaller set: the vertices of the lowest degree, or those of the family.
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
    while let Some(Reverse(face)) = faces.pop() {
        if graph.has(face) {
            return Some(face);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::star;

    #[test]
    fn faces_on_both_sides_of_their_limits() {
        let unlimited = Limits::default();
        assert!(!is_too_much(MOST_FACES, &unlimited) && is_too_much(MOST_FACES + 1, &unlimited));
        for (work, faces) in [(100 * FACE_WORK, 100), (100 * FACE_WORK - 1, 99)] {
            let limits = Limits {
                work: Some(work),
                ..unlimited
            };
            assert!(!is_too_much(faces, &limits) && is_too_much(faces + 1, &limits));
        }
    }

    /// Each step takes one of the faces of a star.
    #[test]
    fn faces_left_on_both_sides_of_their_limit() {
        let lcg = star(3, 4);
        let heuristic = Heuristic::from_key("face-FM").expect("a key");
        for (most, ended, steps) in [(12, Ended::Complete, 12), (11, Ended::Stopped, 0)] {
            let run = within(most, &heuristic, &lcg, &Limits::default());
            assert_eq!((run.ended, run.steps.len()), (ended, steps), "{most}");
        }
    }
}
