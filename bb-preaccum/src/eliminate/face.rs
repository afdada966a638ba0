//! Face elimination on the dual graph (Naumann 2004): a vertex per edge of the graph, a face per pair
//! of consecutive edges.
//!
//! The dual sources and sinks need no storage: a dual vertex has the source of independent `x` among its
//! predecessors iff it leaves `x`, the sink of dependent `y` among its successors iff it enters `y`.

use std::collections::BTreeMap;

use super::{Entry, Jae, JaeList, Label, Primal, Step, StepError, Term};
use crate::cost::Counts;
use crate::lcg::{Kind, Lcg, Role};
use cfg_core::random::mix;

/// A set of dual vertices, in order. Only the newest dual vertex ever joins a set, so members join at the end. Members
/// that leave are marked, and dropped when they outnumber the others.
#[derive(Clone, Debug, Default)]
struct Near {
    members: Vec<u32>,
    gone: usize,
    /// Exclusive or of the hashed members: sets with different sums are different.
    sum: u64,
}

/// The mark of a member that left. No number of a dual vertex has this bit: 2^31 of them would take 200 GB.
const GONE: u32 = 1 << 31;

impl Near {
    fn new(members: impl Iterator<Item = u32>) -> Self {
        let members: Vec<u32> = members.collect();
        let sum = members.iter().fold(0, |sum, &at| sum ^ mix(at.into()));
        Self {
            members,
            gone: 0,
            sum,
        }
    }

    fn len(&self) -> usize {
        self.members.len() - self.gone
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.members.iter().copied().filter(|at| at & GONE == 0)
    }

    /// A copy without marks.
    fn copy(&self) -> Self {
        Self {
            members: self.iter().collect(),
            gone: 0,
            sum: self.sum,
        }
    }

    fn position(&self, at: u32) -> Option<usize> {
        let place = self.members.partition_point(|&other| other & !GONE < at);
        (self.members.get(place) == Some(&at)).then_some(place)
    }

    /// Adds a member that is above all others.
    fn push(&mut self, at: u32) {
        self.members.push(at);
        self.sum ^= mix(at.into());
    }

    /// Removes a member; true if it was one.
    fn remove(&mut self, at: u32) -> bool {
        let Some(place) = self.position(at) else {
            return false;
        };
        self.sum ^= mix(at.into());
        self.members[place] |= GONE;
        self.gone += 1;
        if 2 * self.gone > self.members.len() {
            self.members.retain(|at| at & GONE == 0);
            self.gone = 0;
        }
        true
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        self.sum == other.sum && self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// A vertex of the dual graph.
#[derive(Clone, Debug)]
pub struct DualVertex {
    source: u32,
    target: u32,
    label: Label,
    /// Kind of the label.
    kind: Kind,
    alive: bool,
    /// The position of the list of dual vertices with the same source and target.
    bundle: u32,
    preds: Near,
    succs: Near,
}

impl DualVertex {
    /// The vertex of the graph it leaves.
    pub fn source(&self) -> u32 {
        self.source
    }
    /// The vertex of the graph it enters.
    pub fn target(&self) -> u32 {
        self.target
    }
    /// The label that the dual vertex carries.
    pub fn label(&self) -> Label {
        self.label
    }
    /// Adjacent dual vertices before it, in order.
    pub fn preds(&self) -> impl Iterator<Item = u32> + '_ {
        self.preds.iter()
    }
    /// Adjacent dual vertices after it, in order.
    pub fn succs(&self) -> impl Iterator<Item = u32> + '_ {
        self.succs.iter()
    }
}

/// The dual graph that is left after some face eliminations, with the JAEs so far.
#[derive(Clone, Debug)]
pub struct Dual<'a> {
    lcg: &'a Lcg,
    vertices: Vec<DualVertex>,
    /// Living dual vertices from one vertex to another, in order.
    bundles: Vec<Vec<u32>>,
    /// The bundles that leave each vertex, by the vertex they go to.
    leaving: Vec<BTreeMap<u32, u32>>,
    jaes: JaeList,
    /// True if `jaes` is kept.
    records: bool,
    counts: Counts,
    faces: usize,
    /// Faces made and deleted by the last step.
    made: Vec<(u32, u32)>,
    deleted: Vec<(u32, u32)>,
}

impl<'a> Dual<'a> {
    /// The dual of the whole graph, without dead parts.
    pub fn new(lcg: &'a Lcg) -> Self {
        let live = Primal::new(lcg);
        let mut leaving = vec![BTreeMap::new(); lcg.vertex_count()];
        let mut bundles = Vec::new();
        let mut vertices: Vec<DualVertex> = Vec::with_capacity(lcg.edges().len());
        for (at, edge) in (0u32..).zip(lcg.edges()) {
            let alive = live.has_edge(edge.source, edge.target);
            let bundle = bundle(&mut leaving, &mut bundles, edge.source, edge.target);
            if alive {
                bundles[bundle as usize].push(at);
            }
            vertices.push(DualVertex {
                source: edge.source,
                target: edge.target,
                label: Label(at),
                kind: edge.kind,
                alive,
                bundle,
                preds: Near::default(),
                succs: Near::default(),
            });
        }
        let mut faces = 0;
        for first in 0..vertices.len() {
            if vertices[first].alive {
                let next = leaving[vertices[first].target as usize].values();
                let mut succs: Vec<u32> =
                    next.flat_map(|&b| &bundles[b as usize]).copied().collect();
                succs.sort_unstable();
                faces += succs.len();
                for &second in &succs {
                    vertices[second as usize].preds.push(first as u32);
                }
                vertices[first].succs = Near::new(succs.into_iter());
            }
        }
        let (jaes, counts) = (JaeList::new(lcg), Counts::default());
        Self {
            lcg,
            vertices,
            bundles,
            leaving,
            jaes,
            records: true,
            counts,
            faces,
            made: Vec::new(),
            deleted: Vec::new(),
        }
    }

    /// The whole dual graph, as [`Self::new`] makes it, without a list of JAEs, so that labels have no meaning.
    pub(crate) fn without_jaes(lcg: &'a Lcg) -> Self {
        Self {
            records: false,
            ..Self::new(lcg)
        }
    }

    /// The JAEs of the steps, without the graph.
    pub(crate) fn into_jaes(self) -> JaeList {
        self.jaes
    }

    /// The cost of the steps so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The JAEs of the steps so far.
    pub fn jaes(&self) -> &JaeList {
        &self.jaes
    }

    /// Number of faces left.
    pub fn face_count(&self) -> usize {
        self.faces
    }

    /// True if only the Jacobian is left.
    pub fn is_complete(&self) -> bool {
        self.faces == 0
    }

    /// The number that the next new dual vertex gets.
    pub(crate) fn next(&self) -> u32 {
        self.vertices.len() as u32
    }

    /// The faces that the last step made; some of them may be gone again.
    pub(crate) fn made(&self) -> &[(u32, u32)] {
        &self.made
    }

    /// The faces that the last step deleted.
    pub(crate) fn deleted(&self) -> &[(u32, u32)] {
        &self.deleted
    }

    /// The vertex of the graph in the middle of a face, and its two ends, also of a deleted one.
    pub(crate) fn around(&self, (first, second): (u32, u32)) -> (u32, u32, u32) {
        let (first, second) = (
            &self.vertices[first as usize],
            &self.vertices[second as usize],
        );
        (first.target, first.source, second.target)
    }

    /// A living dual vertex.
    pub fn vertex(&self, at: u32) -> Option<&DualVertex> {
        self.vertices.get(at as usize).filter(|vertex| vertex.alive)
    }

    /// The faces left, in order.
    pub fn faces(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0u32..)
            .zip(&self.vertices)
            .filter(|(_, vertex)| vertex.alive)
            .flat_map(|(first, vertex)| vertex.succs.iter().map(move |second| (first, second)))
    }

    /// True if a face is left.
    pub(crate) fn has(&self, (first, second): (u32, u32)) -> bool {
        self.vertices[first as usize]
            .succs
            .position(second)
            .is_some()
    }

    /// The labels left: the Jacobian's entries, when complete.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let bundles = self.leaving.iter().flat_map(BTreeMap::values);
        let left = bundles.flat_map(|&bundle| &self.bundles[bundle as usize]);
        left.map(|&at| {
            let vertex = &self.vertices[at as usize];
            Entry {
                source: vertex.source,
                target: vertex.target,
                label: vertex.label,
                kind: vertex.kind,
            }
        })
    }

    /// Applies one step.
    ///
    /// # Errors
    /// There is no such face, or the step is of another technique.
    pub fn apply(&mut self, step: Step) -> Result<(), StepError> {
        let Step::Face(i, j) = step else {
            return Err(StepError::Mixed);
        };
        let first = self.vertices.get_mut(i as usize);
        if !first.is_some_and(|first| first.succs.remove(j)) {
            return Err(StepError::Face(i, j));
        }
        self.vertices[j as usize].preds.remove(i);
        self.faces -= 1;
        self.made.clear();
        self.deleted.clear();
        self.deleted.push((i, j));
        self.multiply(i, j);
        self.tidy(i);
        self.tidy(j);
        Ok(())
    }

    /// The first living dual vertex of a bundle, other than `not`, with these neighbours.
    fn find(&self, bundle: u32, preds: &Near, succs: &Near, not: u32) -> Option<u32> {
        let mut members = self.bundles[bundle as usize].iter().copied();
        members.find(|&at| {
            let other = &self.vertices[at as usize];
            at != not && other.preds == *preds && other.succs == *succs
        })
    }

    /// Adds the product to the dual vertex with the predecessors of `i` and the successors of `j`, a new one if need
    /// be.
    fn multiply(&mut self, i: u32, j: u32) {
        let (first, second) = (&self.vertices[i as usize], &self.vertices[j as usize]);
        let (source, target) = (first.source, second.target);
        let term = Term::Product(first.label, second.label);
        let product = first.kind.product(second.kind);
        let kinds = (first.kind, second.kind);
        let bundle = bundle(&mut self.leaving, &mut self.bundles, source, target);
        let absorber = self.find(bundle, &first.preds, &second.succs, u32::MAX);
        self.counts.product(kinds.0, kinds.1, absorber.is_some());
        if let Some(at) = absorber {
            self.add(at, term, product);
            return;
        }
        let (preds, succs) = (first.preds.copy(), second.succs.copy());
        let label = self.record(Jae {
            source,
            target,
            term,
            absorbed: None,
            kind: product,
        });
        let new = self.vertices.len() as u32;
        for p in preds.iter() {
            self.vertices[p as usize].succs.push(new);
            self.made.push((p, new));
        }
        for s in succs.iter() {
            self.vertices[s as usize].preds.push(new);
            self.made.push((new, s));
        }
        self.faces += preds.len() + succs.len();
        self.bundles[bundle as usize].push(new);
        self.vertices.push(DualVertex {
            source,
            target,
            label,
            kind: product,
            alive: true,
            bundle,
            preds,
            succs,
        });
    }

    /// Adds a term to the label of a dual vertex.
    fn add(&mut self, at: u32, term: Term, kind: Kind) {
        let vertex = &self.vertices[at as usize];
        let kind = kind.sum(vertex.kind);
        let label = self.record(Jae {
            source: vertex.source,
            target: vertex.target,
            term,
            absorbed: Some(vertex.label),
            kind,
        });
        let vertex = &mut self.vertices[at as usize];
        (vertex.label, vertex.kind) = (label, kind);
    }

    /// The label of the next JAE.
    fn record(&mut self, jae: Jae) -> Label {
        if self.records {
            self.jaes.push(jae)
        } else {
            jae.absorbed.unwrap_or(Label(0))
        }
    }

    /// Deletes a dual vertex without predecessors or successors, or merges it with a twin.
    fn tidy(&mut self, at: u32) {
        let vertex = &self.vertices[at as usize];
        if !vertex.alive {
            return;
        }
        let leads = !vertex.succs.is_empty() || self.lcg.role(vertex.target) == Role::Dependent;
        let comes = !vertex.preds.is_empty() || self.lcg.role(vertex.source) == Role::Independent;
        if !leads || !comes {
            self.delete(at);
            return;
        }
        let twin = self.find(vertex.bundle, &vertex.preds, &vertex.succs, at);
        if let Some(other) = twin {
            let (kept, lost) = (at.min(other), at.max(other));
            let DualVertex { label, kind, .. } = self.vertices[lost as usize];
            self.add(kept, Term::Plain(label), kind);
            self.counts.additions += 1;
            self.delete(lost);
        }
    }

    fn delete(&mut self, at: u32) {
        let vertex = &mut self.vertices[at as usize];
        vertex.alive = false;
        let (preds, succs) = (
            std::mem::take(&mut vertex.preds),
            std::mem::take(&mut vertex.succs),
        );
        let bundle = &mut self.bundles[vertex.bundle as usize];
        if let Ok(place) = bundle.binary_search(&at) {
            bundle.remove(place);
        }
        self.faces -= preds.len() + succs.len();
        for p in preds.iter() {
            self.vertices[p as usize].succs.remove(at);
            self.deleted.push((p, at));
        }
        for s in succs.iter() {
            self.vertices[s as usize].preds.remove(at);
            self.deleted.push((at, s));
        }
    }
}

/// The bundle of dual vertices from one vertex to another, a new one if need be.
fn bundle(
    leaving: &mut [BTreeMap<u32, u32>],
    bundles: &mut Vec<Vec<u32>>,
    source: u32,
    target: u32,
) -> u32 {
    *leaving[source as usize].entry(target).or_insert_with(|| {
        bundles.push(Vec::new());
        bundles.len() as u32 - 1
    })
}

#[cfg(test)]
mod tests {
    use super::Near;

    /// Sets are compared by their members, even if their sums are equal by chance.
    #[test]
    fn sets_are_the_same_if_their_members_are() {
        let of = |members: &[u32], sum| Near {
            sum,
            ..Near::new(members.iter().copied())
        };
        assert!(of(&[1, 5, 7], 3) == of(&[1, 5, 7], 3));
        assert!(of(&[1, 5, 7], 3) != of(&[1, 6, 7], 3));
        assert!(of(&[1, 5, 7], 3) != of(&[1, 5], 3));
        assert!(of(&[1, 5], 3) != of(&[1, 5, 7], 3));
        assert!(of(&[], 3) != of(&[1], 3));
        // Members that left do not count, wherever their marks stand.
        let mut one = Near::new([1, 5, 7, 9].into_iter());
        let mut other = Near::new([1, 2, 5, 9].into_iter());
        assert!(one != other);
        assert!(one.remove(7) && other.remove(2));
        assert!(one == other && one == one.copy() && one == Near::new([1, 5, 9].into_iter()));
        assert!(!one.remove(7) && !one.remove(8) && !one.remove(10));
        assert_eq!((one.len(), one.sum), (3, other.sum));
    }

    /// Of n members up to n/2 are marked; one more, and all that are marked are dropped.
    #[test]
    fn members_that_left_are_dropped_when_they_are_more_than_the_others() {
        for n in [1, 2, 7, 10, 64] {
            let mut set = Near::new(0..n);
            let mut stored = n as usize;
            for at in 0..n {
                assert!(set.remove(at), "{at} of {n}");
                let rest: Vec<u32> = (at + 1..n).collect();
                assert!(set.iter().eq(rest.iter().copied()), "{at} of {n}");
                assert!(set == Near::new(rest.iter().copied()), "{at} of {n}");
                if stored < 2 * (stored - rest.len()) {
                    stored = rest.len();
                }
                assert_eq!(set.members.len(), stored, "{at} of {n}");
                assert_eq!(set.len(), rest.len(), "{at} of {n}");
            }
            assert!(set.is_empty() && set.sum == 0);
            set.push(n);
            assert!(set == Near::new([n].into_iter()) && !set.is_empty());
        }
    }
}
