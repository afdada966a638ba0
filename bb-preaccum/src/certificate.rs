//! Independent check of an elimination sequence: a plain replay on a fresh graph with its own data
//! structures, its own count, and its own arithmetic.
//!
//! Labels are random residues modulo the prime 2^61 - 1 (±1 for unit edges), so that equality of two
//! Jacobians is a polynomial identity test without rounding: two different Jacobians of a graph with
//! paths of length `l` agree by chance with probability at most `l / 2^61` per entry (Schwartz, Zippel).

use std::collections::{BTreeMap, BTreeSet, btree_map};

use cfg_core::random::SplitMix64;

use crate::cost::CostModel;
use crate::eliminate::{Entry, JaeList, Label, Step, StepError, Term};
use crate::lcg::{Kind, Lcg, Role};

/// The modulus of all values here.
pub const PRIME: u64 = (1 << 61) - 1;

/// Entries `(source, target)` of a Jacobian (or the labels of a remainder graph), modulo [`PRIME`].
pub type Values = BTreeMap<(u32, u32), u64>;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn plus(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

/// A pseudo-random label for every edge, the same for the same seed.
pub fn random_labels(lcg: &Lcg, seed: u64) -> Vec<u64> {
    let mut stream = SplitMix64::new(seed);
    let label = |edge: &crate::lcg::Edge| {
        let random = stream.bits();
        match (edge.kind, edge.negative) {
            (Kind::Unit, false) => 1,
            (Kind::Unit, true) => PRIME - 1,
            _ => 2 + random % (PRIME - 3),
        }
    };
    lcg.edges().iter().map(label).collect()
}

/// The Jacobian by forward accumulation, one independent at a time.
pub fn jacobian(lcg: &Lcg, labels: &[u64]) -> Values {
    let mut entries = Values::new();
    let mut value = vec![0; lcg.vertex_count()];
    let mut reached = vec![false; lcg.vertex_count()];
    for &x in lcg.inputs() {
        value.fill(0);
        reached.fill(false);
        value[x as usize] = 1;
        reached[x as usize] = true;
        for v in x + 1..lcg.vertex_count() as u32 {
            for &edge in lcg.in_edges(v) {
                let source = lcg.edges()[edge as usize].source as usize;
                if reached[source] {
                    reached[v as usize] = true;
                    let term = times(value[source], labels[edge as usize]);
                    value[v as usize] = plus(value[v as usize], term);
                }
            }
        }
        for &y in lcg.outputs() {
            if reached[y as usize] {
                entries.insert((x, y), value[y as usize]);
            }
        }
    }
    entries
}

/// The Jacobian as the sum over all paths, or `None` if there are more than `limit` path edges to walk.
pub fn jacobian_by_paths(lcg: &Lcg, labels: &[u64], limit: usize) -> Option<Values> {
    let mut entries = Values::new();
    let mut walked = 0;
    for &x in lcg.inputs() {
        let mut stack = vec![(x, 1)];
        while let Some((v, product)) = stack.pop() {
            walked += 1;
            if walked > limit {
                return None;
            }
            if lcg.role(v) == Role::Dependent {
                let entry = entries.entry((x, v)).or_insert(0);
                *entry = plus(*entry, product);
            }
            for &edge in lcg.out_edges(v) {
                let target = lcg.edges()[edge as usize].target;
                stack.push((target, times(product, labels[edge as usize])));
            }
        }
    }
    Some(entries)
}

/// The result of the replay of a sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Products that cost something, by model: plain, unit-free, constant-aware.
    pub multiplications: [u64; 3],
    /// Products whose result is added to an existing label (fused multiply-adds), by model.
    pub fused: [u64; 3],
    /// The number of additions.
    pub additions: u64,
    /// True if only edges from independents to dependents are left.
    pub complete: bool,
    /// The values of the labels left.
    pub values: Values,
}

impl Certificate {
    /// The count in one model.
    pub fn multiplications(&self, model: CostModel) -> u64 {
        self.multiplications[model as usize]
    }

    /// The fused multiply-adds of one model.
    pub fn fused(&self, model: CostModel) -> u64 {
        self.fused[model as usize]
    }

    /// Counts one product; `added` if the edge already has a label, to which the product is added.
    fn count(&mut self, a: Kind, b: Kind, added: bool) {
        let unit = a == Kind::Unit || b == Kind::Unit;
        let known = a != Kind::Variable && b != Kind::Variable;
        let costs = [true, !unit, !unit && !known];
        for (model, _) in costs.into_iter().enumerate().filter(|(_, costs)| *costs) {
            self.multiplications[model] += 1;
            if added {
                self.fused[model] += 1;
            }
        }
        if added {
            self.additions += 1;
        }
    }
}

/// The value of every JAE, in order.
pub fn evaluate(jaes: &JaeList, labels: &[u64]) -> Vec<u64> {
    let mut values: Vec<u64> = labels.to_vec();
    for jae in jaes.as_slice() {
        let get = |label: Label| values[label.0 as usize];
        let term = match jae.term {
            Term::Product(a, b) => times(get(a), get(b)),
            Term::Plain(a) => get(a),
        };
        values.push(jae.absorbed.map_or(term, |old| plus(term, get(old))));
    }
    values.split_off(labels.len())
}

/// The values of the edges that an elimination left, from its JAEs.
pub fn evaluate_entries(
    jaes: &JaeList,
    entries: impl Iterator<Item = Entry>,
    labels: &[u64],
) -> Values {
    let all: Vec<u64> = labels
        .iter()
        .copied()
        .chain(evaluate(jaes, labels))
        .collect();
    entries
        .map(|entry| ((entry.source, entry.target), all[entry.label.0 as usize]))
        .collect()
}

/// Replays a sequence and recounts.
///
/// # Errors
/// The first step that is not possible.
pub fn replay(lcg: &Lcg, steps: &[Step], labels: &[u64]) -> Result<Certificate, StepError> {
    if steps.iter().any(|step| matches!(step, Step::Face(..))) {
        replay_faces(lcg, steps, labels)
    } else {
        replay_edges(lcg, steps, labels)
    }
}

/// The edges that lie on a path from an independent to a dependent.
fn live_edges(lcg: &Lcg) -> Vec<u32> {
    let n = lcg.vertex_count();
    let (mut before, mut behind) = (vec![false; n], vec![false; n]);
    for v in 0..n as u32 {
        let from = |edge: &u32| before[lcg.edges()[*edge as usize].source as usize];
        before[v as usize] = match lcg.role(v) {
            Role::Independent => true,
            // A dependent always has a path; an intermediate may have none.
            Role::Intermediate | Role::Dependent => lcg.in_edges(v).iter().any(from),
        };
    }
    for v in (0..n as u32).rev() {
        let to = |edge: &u32| behind[lcg.edges()[*edge as usize].target as usize];
        behind[v as usize] = lcg.role(v) == Role::Dependent || lcg.out_edges(v).iter().any(to);
    }
    let live = |edge: &u32| {
        let edge = lcg.edges()[*edge as usize];
        before[edge.source as usize] && behind[edge.target as usize]
    };
    (0..lcg.edges().len() as u32).filter(live).collect()
}

/// Edges as two ordered sets of pairs.
struct Pairs {
    out: BTreeMap<(u32, u32), (Kind, u64)>,
    into: BTreeSet<(u32, u32)>,
}

impl Pairs {
    fn succs(&self, v: u32) -> Vec<(u32, Kind, u64)> {
        let row = self.out.range((v, 0)..=(v, u32::MAX));
        row.map(|(&(_, k), &(kind, value))| (k, kind, value))
            .collect()
    }
    fn preds(&self, v: u32) -> Vec<(u32, Kind, u64)> {
        let row = self.into.range((v, 0)..=(v, u32::MAX));
        row.filter_map(|&(_, i)| self.out.get(&(i, v)).map(|&(kind, value)| (i, kind, value)))
            .collect()
    }
    fn remove(&mut self, i: u32, k: u32) {
        self.out.remove(&(i, k));
        self.into.remove(&(k, i));
    }
    fn add(&mut self, report: &mut Certificate, i: u32, k: u32, a: (Kind, u64), b: (Kind, u64)) {
        let product = (a.0.max(b.0), times(a.1, b.1));
        let slot = self.out.entry((i, k));
        let is_there = matches!(slot, btree_map::Entry::Occupied(_));
        report.count(a.0, b.0, is_there);
        if let btree_map::Entry::Occupied(mut old) = slot {
            let (kind, value) = *old.get();
            let worst = kind.max(product.0).max(Kind::Constant);
            old.insert((worst, plus(value, product.1)));
        } else {
            slot.or_insert(product);
            self.into.insert((k, i));
        }
    }
}

fn replay_edges(lcg: &Lcg, steps: &[Step], labels: &[u64]) -> Result<Certificate, StepError> {
    let mut report = Certificate::default();
    let mut pairs = Pairs {
        out: BTreeMap::new(),
        into: BTreeSet::new(),
    };
    for at in live_edges(lcg) {
        let edge = lcg.edges()[at as usize];
        pairs
            .out
            .insert((edge.source, edge.target), (edge.kind, labels[at as usize]));
        pairs.into.insert((edge.target, edge.source));
    }
    let n = lcg.vertex_count() as u32;
    for &step in steps {
        match step {
            Step::Vertex(j) => {
                if j >= n || lcg.role(j) == Role::Independent {
                    return Err(StepError::Vertex(j));
                }
                let (preds, succs) = (pairs.preds(j), pairs.succs(j));
                if preds.is_empty() || succs.is_empty() {
                    return Err(StepError::Vertex(j));
                }
                for &(i, kind, value) in &preds {
                    for &(k, kind_2, value_2) in &succs {
                        pairs.add(&mut report, i, k, (kind, value), (kind_2, value_2));
                    }
                }
                for (k, _, _) in succs {
                    pairs.remove(j, k);
                }
                // A dependent keeps its in-edges, which are entries of the Jacobian.
                if lcg.role(j) == Role::Intermediate {
                    for (i, _, _) in preds {
                        pairs.remove(i, j);
                    }
                }
            }
            Step::Front(i, j) => {
                let &first = pairs.out.get(&(i, j)).ok_or(StepError::Edge(i, j))?;
                if lcg.role(j) == Role::Dependent {
                    return Err(StepError::IntoDependent(i, j));
                }
                let succs = pairs.succs(j);
                for &(k, kind, value) in &succs {
                    pairs.add(&mut report, i, k, first, (kind, value));
                }
                pairs.remove(i, j);
                // Without in-edges no derivative reaches j any more, so its out-edges are dead.
                if pairs.preds(j).is_empty() {
                    for (k, _, _) in succs {
                        pairs.remove(j, k);
                    }
                }
            }
            Step::Back(j, k) => {
                let &second = pairs.out.get(&(j, k)).ok_or(StepError::Edge(j, k))?;
                if lcg.role(j) == Role::Independent {
                    return Err(StepError::FromIndependent(j, k));
                }
                let preds = pairs.preds(j);
                for &(i, kind, value) in &preds {
                    pairs.add(&mut report, i, k, (kind, value), second);
                }
                pairs.remove(j, k);
                if pairs.succs(j).is_empty() && lcg.role(j) == Role::Intermediate {
                    for (i, _, _) in preds {
                        pairs.remove(i, j);
                    }
                }
            }
            Step::Face(..) => return Err(StepError::Mixed),
        }
    }
    let final_edge = |&(i, _): &(u32, u32)| lcg.role(i) == Role::Independent;
    report.complete = pairs.out.keys().all(final_edge)
        && pairs
            .out
            .keys()
            .all(|&(_, k)| lcg.role(k) == Role::Dependent);
    report.values = pairs
        .out
        .into_iter()
        .map(|(pair, (_, value))| (pair, value))
        .collect();
    Ok(report)
}

struct Dual {
    source: u32,
    target: u32,
    kind: Kind,
    value: u64,
}

/// Living dual vertices, by number, and the faces between them as a set of pairs.
struct DualGraph {
    vertices: BTreeMap<u32, Dual>,
    faces: BTreeSet<(u32, u32)>,
}

impl DualGraph {
    fn preds(&self, at: u32) -> Vec<u32> {
        self.faces
            .iter()
            .filter(|face| face.1 == at)
            .map(|face| face.0)
            .collect()
    }
    fn succs(&self, at: u32) -> Vec<u32> {
        self.faces
            .range((at, 0)..=(at, u32::MAX))
            .map(|face| face.1)
            .collect()
    }
    /// A living vertex other than `not` with the given ends and neighbours.
    fn find(&self, ends: (u32, u32), preds: &[u32], succs: &[u32], not: u32) -> Option<u32> {
        let candidates = self
            .vertices
            .iter()
            .filter(|(at, vertex)| **at != not && (vertex.source, vertex.target) == ends);
        candidates
            .map(|(&at, _)| at)
            .find(|&at| self.preds(at) == preds && self.succs(at) == succs)
    }
    fn delete(&mut self, at: u32) {
        self.vertices.remove(&at);
        self.faces.retain(|&(i, j)| i != at && j != at);
    }
}

fn replay_faces(lcg: &Lcg, steps: &[Step], labels: &[u64]) -> Result<Certificate, StepError> {
    let mut report = Certificate::default();
    let mut dual = DualGraph {
        vertices: BTreeMap::new(),
        faces: BTreeSet::new(),
    };
    for at in live_edges(lcg) {
        let edge = lcg.edges()[at as usize];
        let (source, target, kind) = (edge.source, edge.target, edge.kind);
        let value = labels[at as usize];
        dual.vertices.insert(
            at,
            Dual {
                source,
                target,
                kind,
                value,
            },
        );
    }
    for (&i, first) in &dual.vertices {
        for (&j, second) in &dual.vertices {
            if first.target == second.source {
                dual.faces.insert((i, j));
            }
        }
    }
    let mut next = lcg.edges().len() as u32;
    for &step in steps {
        let Step::Face(i, j) = step else {
            return Err(StepError::Mixed);
        };
        let (Some(first), Some(second)) = (dual.vertices.get(&i), dual.vertices.get(&j)) else {
            return Err(StepError::Face(i, j));
        };
        if !dual.faces.contains(&(i, j)) {
            return Err(StepError::Face(i, j));
        }
        let kinds = (first.kind, second.kind);
        let ends = (first.source, second.target);
        let (kind, value) = (
            first.kind.max(second.kind),
            times(first.value, second.value),
        );
        let (preds, succs) = (dual.preds(i), dual.succs(j));
        // A dual vertex with the ends and neighbours of the product absorbs it, which saves a new dual vertex.
        let absorber = dual.find(ends, &preds, &succs, u32::MAX);
        report.count(kinds.0, kinds.1, absorber.is_some());
        if let Some(at) = absorber {
            absorb(&mut dual, at, kind, value);
        } else {
            let (source, target) = ends;
            dual.vertices.insert(
                next,
                Dual {
                    source,
                    target,
                    kind,
                    value,
                },
            );
            dual.faces.extend(preds.into_iter().map(|p| (p, next)));
            dual.faces.extend(succs.into_iter().map(|s| (next, s)));
            next += 1;
        }
        dual.faces.remove(&(i, j));
        // Without the face, each end may be dead, or the twin of another dual vertex. Twins merge, and the lower
        // number stays.
        // the
        for at in [i, j] {
            let Some(vertex) = dual.vertices.get(&at) else {
                continue;
            };
            let (ends, kind, value) = ((vertex.source, vertex.target), vertex.kind, vertex.value);
            let (preds, succs) = (dual.preds(at), dual.succs(at));
            let nowhere = succs.is_empty() && lcg.role(ends.1) != Role::Dependent;
            let rootless = preds.is_empty() && lcg.role(ends.0) != Role::Independent;
            if nowhere || rootless {
                dual.delete(at);
            } else if let Some(twin) = dual.find(ends, &preds, &succs, at) {
                report.additions += 1;
                if twin < at {
                    absorb(&mut dual, twin, kind, value);
                    dual.delete(at);
                } else if let Some(other) = dual.vertices.get(&twin) {
                    let (kind, value) = (other.kind, other.value);
                    absorb(&mut dual, at, kind, value);
                    dual.delete(twin);
                }
            }
        }
    }
    report.complete = dual.faces.is_empty();
    for vertex in dual.vertices.values() {
        let slot = report
            .values
            .entry((vertex.source, vertex.target))
            .or_insert(0);
        *slot = plus(*slot, vertex.value);
    }
    Ok(report)
}

fn absorb(dual: &mut DualGraph, at: u32, kind: Kind, value: u64) {
    if let Some(vertex) = dual.vertices.get_mut(&at) {
        vertex.kind = vertex.kind.max(kind).max(Kind::Constant);
        vertex.value = plus(vertex.value, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcg::NewEdge;

    /// Two ways from 0 to 3, with a negative unit edge on one.
    fn diamond() -> Lcg {
        let mut minus = NewEdge::new(0, 2, Kind::Unit);
        minus.negative = true;
        let edges = [
            NewEdge::new(0, 1, Kind::Unit),
            minus,
            NewEdge::new(1, 3, Kind::Variable),
            NewEdge::new(2, 3, Kind::Constant),
        ];
        Lcg::new("diamond", &[0], &[3], edges).expect("a graph")
    }

    /// The modulus is the prime of Mersenne with 61 bits (test of Lucas and Lehmer).
    #[test]
    fn the_modulus_is_prime() {
        assert_eq!(PRIME.count_ones() + PRIME.leading_zeros(), 64);
        let last = (0..59).fold(4, |s, _| plus(times(s, s), PRIME - 2));
        assert_eq!((PRIME.count_ones(), last), (61, 0));
    }

    #[test]
    fn unit_edges_have_their_label_and_others_one_that_is_none_of_theirs() {
        let lcg = diamond();
        let mut least = PRIME;
        for seed in 0..1_000 {
            let labels = random_labels(&lcg, seed);
            for (edge, &label) in lcg.edges().iter().zip(&labels) {
                match (edge.kind, edge.negative) {
                    (Kind::Unit, false) => assert_eq!(label, 1),
                    (Kind::Unit, true) => assert_eq!(label, PRIME - 1),
                    _ => assert!((2..PRIME - 1).contains(&label)),
                }
                least = least.min(if edge.kind == Kind::Unit {
                    PRIME
                } else {
                    label
                });
            }
            let [_, _, a, b] = labels[..] else {
                panic!("four edges")
            };
            let expected = (a + (PRIME - b)) % PRIME;
            let found = jacobian(&lcg, &labels);
            assert_eq!(found.into_values().collect::<Vec<_>>(), [expected]);
        }
        // A thousand labels below a thousandth of the prime or so.
        assert!(least < PRIME / 100, "{least}");
    }

    #[test]
    fn paths_are_walked_up_to_a_limit() {
        let lcg = diamond();
        let labels = random_labels(&lcg, 5);
        // The input, and two vertices on each of its two paths.
        assert_eq!(jacobian_by_paths(&lcg, &labels, 4), None);
        assert_eq!(
            jacobian_by_paths(&lcg, &labels, 5),
            Some(jacobian(&lcg, &labels))
        );
    }
}
