//! The graph under vertex and edge elimination.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::{Entry, Jae, JaeList, Label, Step, StepError, Term};
use crate::cost::Counts;
use crate::lcg::{Kind, Lcg, Role};

/// Graphs of at most this many vertices keep a matrix of their edges, in bits (2 MB at most).
const MATRIX_VERTICES: usize = 4096;

/// The graph that is left after some vertex and edge eliminations, with the JAEs so far.
///
/// Neighbours are kept in ordered maps: a vertex of high degree (a parameter that every statement
/// reads) must not make each step linear in its degree.
#[derive(Clone, Debug)]
pub struct Primal<'a> {
    pub(super) lcg: &'a Lcg,
    pub(super) preds: Vec<BTreeMap<u32, Label>>,
    pub(super) succs: Vec<BTreeMap<u32, Label>>,
    /// Edge `(i, k)` by `i * n + k`: scores ask for many. Empty in a large graph.
    matrix: FixedBitSet,
    pub(super) jaes: JaeList,
    pub(super) counts: Counts,
    edges: usize,
    fill_in: usize,
    touched: Vec<u32>,
}

impl<'a> Primal<'a> {
    /// The whole graph, without intermediates that no independent reaches or that reach no dependent.
    pub fn new(lcg: &'a Lcg) -> Self {
        let n = lcg.vertex_count();
        let mut graph = Self {
            lcg,
            preds: vec![BTreeMap::new(); n],
            succs: vec![BTreeMap::new(); n],
            matrix: FixedBitSet::with_capacity(if n <= MATRIX_VERTICES { n * n } else { 0 }),
            jaes: JaeList::new(lcg),
            counts: Counts::default(),
            edges: lcg.edges().len(),
            fill_in: 0,
            touched: Vec::new(),
        };
        for (at, edge) in lcg.edges().iter().enumerate() {
            let label = Label(at as u32);
            graph.preds[edge.target as usize].insert(edge.source, label);
            graph.succs[edge.source as usize].insert(edge.target, label);
            graph.mark(edge.source, edge.target, true);
        }
        // Vertices are topologically numbered: one pass each way removes everything dead.
        for v in 0..n as u32 {
            graph.remove_if_dead(v);
        }
        for v in (0..n as u32).rev() {
            graph.remove_if_dead(v);
        }
        graph.touched.clear();
        graph
    }

    fn remove_if_dead(&mut self, v: u32) {
        let at = v as usize;
        if self.lcg.role(v) == Role::Intermediate
            && (self.preds[at].is_empty() || self.succs[at].is_empty())
        {
            self.isolate(v);
        }
    }

    /// The input graph.
    pub fn lcg(&self) -> &'a Lcg {
        self.lcg
    }

    /// What the steps so far cost.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The JAEs of the steps so far.
    pub fn jaes(&self) -> &JaeList {
        &self.jaes
    }

    /// Number of edges left.
    pub fn edge_count(&self) -> usize {
        self.edges
    }

    /// Number of edges created so far.
    pub fn fill_in(&self) -> usize {
        self.fill_in
    }

    /// Predecessors of a vertex, in order.
    pub fn preds(&self, v: u32) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.preds[v as usize].keys().copied()
    }

    /// Successors of a vertex, in order.
    pub fn succs(&self, v: u32) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.succs[v as usize].keys().copied()
    }

    /// Number of predecessors.
    pub fn in_degree(&self, v: u32) -> usize {
        self.preds[v as usize].len()
    }

    /// Number of successors.
    pub fn out_degree(&self, v: u32) -> usize {
        self.succs[v as usize].len()
    }

    /// Whether edge `(i, k)` exists.
    pub fn has_edge(&self, i: u32, k: u32) -> bool {
        if !self.matrix.is_empty() {
            return self.matrix.contains(self.place(i, k));
        }
        // Ask the shorter list.
        if self.succs[i as usize].len() <= self.preds[k as usize].len() {
            self.succs[i as usize].contains_key(&k)
        } else {
            self.preds[k as usize].contains_key(&i)
        }
    }

    fn place(&self, i: u32, k: u32) -> usize {
        i as usize * self.preds.len() + k as usize
    }

    /// Notes that edge `(i, k)` is there, or not.
    fn mark(&mut self, i: u32, k: u32, there: bool) {
        if !self.matrix.is_empty() {
            let place = self.place(i, k);
            self.matrix.set(place, there);
        }
    }

    /// The label of edge `(i, k)`.
    pub fn label(&self, i: u32, k: u32) -> Option<Label> {
        self.succs[i as usize].get(&k).copied()
    }

    /// What is known about a label.
    pub fn kind(&self, label: Label) -> Kind {
        self.jaes.kind(self.lcg, label)
    }

    /// Whether a vertex still has both in- and out-edges to be joined: an intermediate, or a dependent
    /// that is read again.
    pub fn is_eliminable(&self, v: u32) -> bool {
        self.lcg.role(v) != Role::Independent
            && !self.preds[v as usize].is_empty()
            && !self.succs[v as usize].is_empty()
    }

    /// Whether only the Jacobian is left.
    pub fn is_complete(&self) -> bool {
        (0..self.lcg.vertex_count() as u32).all(|v| !self.is_eliminable(v))
    }

    /// The edges left, by source and target.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0u32..).zip(&self.succs).flat_map(move |(source, row)| {
            row.iter().map(move |(&target, &label)| Entry {
                source,
                target,
                label,
                kind: self.kind(label),
            })
        })
    }

    /// The vertices whose neighbours changed in the last step.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Does one step.
    ///
    /// # Errors
    /// The step is not possible on the graph left, or is a face.
    pub fn apply(&mut self, step: Step) -> Result<(), StepError> {
        self.apply_within(step, &mut || false).map(|_| ())
    }

    /// Does one step, but asks now and then whether to stop in the middle of it: then the graph is not to
    /// be used any more, and the result is `false`.
    ///
    /// # Errors
    /// As for [`Primal::apply`].
    pub(crate) fn apply_within(
        &mut self,
        step: Step,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<bool, StepError> {
        self.touched.clear();
        match step {
            Step::Vertex(j) => return self.eliminate_vertex(j, stop),
            Step::Front(i, j) => self.front_eliminate(i, j)?,
            Step::Back(j, k) => self.back_eliminate(j, k)?,
            Step::Face(..) => return Err(StepError::Mixed),
        }
        Ok(true)
    }

    pub(super) fn touch(&mut self, v: u32) {
        self.touched.push(v);
    }

    /// Adds the product of two labels to edge `(i, k)`: fill-in or absorption.
    pub(super) fn multiply(&mut self, i: u32, k: u32, a: Label, b: Label) {
        let (kind_a, kind_b) = (self.kind(a), self.kind(b));
        let absorbed = self.label(i, k);
        let product = kind_a.product(kind_b);
        let kind = match absorbed {
            None => product,
            Some(old) => product.sum(self.kind(old)),
        };
        self.counts.product(kind_a, kind_b, absorbed.is_some());
        let jae = Jae {
            source: i,
            target: k,
            term: Term::Product(a, b),
            absorbed,
            kind,
        };
        let label = self.jaes.push(jae);
        self.succs[i as usize].insert(k, label);
        self.preds[k as usize].insert(i, label);
        if absorbed.is_none() {
            self.mark(i, k, true);
            self.edges += 1;
            self.fill_in += 1;
        }
    }

    /// Deletes an edge.
    pub(super) fn unlink(&mut self, i: u32, k: u32) {
        if self.succs[i as usize].remove(&k).is_some() {
            self.preds[k as usize].remove(&i);
            self.mark(i, k, false);
            self.edges -= 1;
        }
    }

    /// Deletes all edges of a vertex.
    pub(super) fn isolate(&mut self, v: u32) {
        for (i, _) in std::mem::take(&mut self.preds[v as usize]) {
            self.succs[i as usize].remove(&v);
            self.mark(i, v, false);
            self.edges -= 1;
            self.touch(i);
        }
        self.delete_out_edges(v);
        self.touch(v);
    }

    /// Deletes the out-edges of a vertex.
    pub(super) fn delete_out_edges(&mut self, v: u32) {
        for (k, _) in std::mem::take(&mut self.succs[v as usize]) {
            self.preds[k as usize].remove(&v);
            self.mark(v, k, false);
            self.edges -= 1;
            self.touch(k);
        }
    }
}
