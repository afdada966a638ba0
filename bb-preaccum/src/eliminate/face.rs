//! Face elimination on the dual graph (Naumann 2004): a vertex per edge of the graph, a face per pair
//! of consecutive edges.
//!
//! The dual sources and sinks need no storage: a dual vertex has the source of independent `x` among its
//! predecessors iff it leaves `x`, the sink of dependent `y` among its successors iff it enters `y`.

use std::collections::BTreeSet;

use super::{Entry, Jae, JaeList, Label, Primal, Step, StepError, Term};
use crate::cost::Counts;
use crate::lcg::{Lcg, Role};

/// A vertex of the dual graph.
#[derive(Clone, Debug)]
pub struct DualVertex {
    source: u32,
    target: u32,
    label: Label,
    preds: BTreeSet<u32>,
    succs: BTreeSet<u32>,
    alive: bool,
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
    /// Adjacent dual vertices before it.
    pub fn preds(&self) -> &BTreeSet<u32> {
        &self.preds
    }
    /// Adjacent dual vertices after it.
    pub fn succs(&self) -> &BTreeSet<u32> {
        &self.succs
    }
}

/// The dual graph that is left after some face eliminations, with the JAEs so far.
#[derive(Clone, Debug)]
pub struct Dual<'a> {
    lcg: &'a Lcg,
    vertices: Vec<DualVertex>,
    /// Living dual vertices by the vertex they leave, each behind the vertex it goes to.
    leaving: Vec<BTreeSet<(u32, u32)>>,
    jaes: JaeList,
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
        let mut leaving = vec![BTreeSet::new(); lcg.vertex_count()];
        let mut vertices: Vec<DualVertex> = (0u32..)
            .zip(lcg.edges())
            .map(|(at, edge)| DualVertex {
                source: edge.source,
                target: edge.target,
                label: Label(at),
                preds: BTreeSet::new(),
                succs: BTreeSet::new(),
                alive: live.has_edge(edge.source, edge.target),
            })
            .collect();
        for (at, vertex) in (0u32..).zip(&vertices) {
            if vertex.alive {
                leaving[vertex.source as usize].insert((vertex.target, at));
            }
        }
        let mut faces = 0;
        for first in 0..vertices.len() {
            if vertices[first].alive {
                let succs = leaving[vertices[first].target as usize].iter();
                let succs: BTreeSet<u32> = succs.map(|&(_, at)| at).collect();
                faces += succs.len();
                for &second in &succs {
                    vertices[second as usize].preds.insert(first as u32);
                }
                vertices[first].succs = succs;
            }
        }
        let (jaes, counts) = (JaeList::new(lcg), Counts::default());
        Self {
            lcg,
            vertices,
            leaving,
            jaes,
            counts,
            faces,
            made: Vec::new(),
            deleted: Vec::new(),
        }
    }

    /// What the steps so far cost.
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

    /// Whether only the Jacobian is left.
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
            .flat_map(|(first, vertex)| vertex.succs.iter().map(move |&second| (first, second)))
    }

    /// The labels left: the Jacobian's entries, when complete.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        self.leaving.iter().flatten().map(|&(_, at)| {
            let DualVertex {
                source,
                target,
                label,
                ..
            } = self.vertices[at as usize];
            Entry {
                source,
                target,
                label,
                kind: self.jaes.kind(self.lcg, label),
            }
        })
    }

    /// Does one step.
    ///
    /// # Errors
    /// There is no such face, or the step is of another technique.
    pub fn apply(&mut self, step: Step) -> Result<(), StepError> {
        let Step::Face(i, j) = step else {
            return Err(StepError::Mixed);
        };
        match self.vertex(i) {
            Some(first) if first.succs.contains(&j) => {}
            _ => return Err(StepError::Face(i, j)),
        }
        self.made.clear();
        self.deleted.clear();
        self.multiply(i, j);
        self.vertices[i as usize].succs.remove(&j);
        self.vertices[j as usize].preds.remove(&i);
        self.faces -= 1;
        self.deleted.push((i, j));
        self.tidy(i);
        self.tidy(j);
        Ok(())
    }

    /// The living dual vertices that are edges from one vertex to another, in order.
    fn between(&self, source: u32, target: u32) -> impl Iterator<Item = u32> + '_ {
        let range = (target, 0)..=(target, u32::MAX);
        self.leaving[source as usize]
            .range(range)
            .map(|&(_, at)| at)
    }

    /// Puts the product on the dual vertex with the predecessors of `i` and the successors of `j`.
    fn multiply(&mut self, i: u32, j: u32) {
        let (first, second) = (&self.vertices[i as usize], &self.vertices[j as usize]);
        let (source, target) = (first.source, second.target);
        let (a, b) = (first.label, second.label);
        let (kind_a, kind_b) = (self.jaes.kind(self.lcg, a), self.jaes.kind(self.lcg, b));
        let product = kind_a.product(kind_b);
        let absorber = self.between(source, target).find(|&at| {
            let other = &self.vertices[at as usize];
            other.preds == first.preds && other.succs == second.succs
        });
        self.counts.product(kind_a, kind_b, absorber.is_some());
        let term = Term::Product(a, b);
        if let Some(at) = absorber {
            let old = self.vertices[at as usize].label;
            let kind = product.sum(self.jaes.kind(self.lcg, old));
            let label = self.jaes.push(Jae {
                source,
                target,
                term,
                absorbed: Some(old),
                kind,
            });
            self.vertices[at as usize].label = label;
            return;
        }
        let label = self.jaes.push(Jae {
            source,
            target,
            term,
            absorbed: None,
            kind: product,
        });
        let (preds, succs) = (first.preds.clone(), second.succs.clone());
        let new = self.vertices.len() as u32;
        for &p in &preds {
            self.vertices[p as usize].succs.insert(new);
            self.made.push((p, new));
        }
        for &s in &succs {
            self.vertices[s as usize].preds.insert(new);
            self.made.push((new, s));
        }
        self.faces += preds.len() + succs.len();
        self.leaving[source as usize].insert((target, new));
        self.vertices.push(DualVertex {
            source,
            target,
            label,
            preds,
            succs,
            alive: true,
        });
    }

    /// Deletes a dual vertex that leads nowhere or comes from nowhere, or merges it with a twin.
    fn tidy(&mut self, at: u32) {
        let vertex = &self.vertices[at as usize];
        if !vertex.alive {
            return;
        }
        let (source, target) = (vertex.source, vertex.target);
        let leads = !vertex.succs.is_empty() || self.lcg.role(target) == Role::Dependent;
        let comes = !vertex.preds.is_empty() || self.lcg.role(source) == Role::Independent;
        if !leads || !comes {
            self.delete(at);
            return;
        }
        let twin = self.between(source, target).find(|&other| {
            let candidate = &self.vertices[other as usize];
            other != at && candidate.preds == vertex.preds && candidate.succs == vertex.succs
        });
        if let Some(other) = twin {
            let (kept, lost) = (at.min(other), at.max(other));
            let (a, b) = (
                self.vertices[lost as usize].label,
                self.vertices[kept as usize].label,
            );
            let kind = self.jaes.kind(self.lcg, a).sum(self.jaes.kind(self.lcg, b));
            let term = Term::Plain(a);
            let label = self.jaes.push(Jae {
                source,
                target,
                term,
                absorbed: Some(b),
                kind,
            });
            self.vertices[kept as usize].label = label;
            self.counts.additions += 1;
            self.delete(lost);
        }
    }

    fn delete(&mut self, at: u32) {
        let vertex = &mut self.vertices[at as usize];
        vertex.alive = false;
        let (source, target) = (vertex.source as usize, vertex.target);
        let (preds, succs) = (
            std::mem::take(&mut vertex.preds),
            std::mem::take(&mut vertex.succs),
        );
        self.leaving[source].remove(&(target, at));
        self.faces -= preds.len() + succs.len();
        for p in preds {
            self.vertices[p as usize].succs.remove(&at);
            self.deleted.push((p, at));
        }
        for s in succs {
            self.vertices[s as usize].preds.remove(&at);
            self.deleted.push((at, s));
        }
    }
}
