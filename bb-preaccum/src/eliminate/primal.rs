//! The graph under vertex and edge elimination.

use super::rows::Rows;
use super::{Entry, Jae, JaeList, Label, Step, StepError, Term};
use crate::cost::Counts;
use crate::lcg::{Kind, Lcg, Role};

/// The graph that is left after some vertex and edge eliminations, with the JAEs so far.
#[derive(Clone, Debug)]
pub struct Primal<'a> {
    pub(super) lcg: &'a Lcg,
    pub(super) rows: Rows,
    pub(super) jaes: JaeList,
    /// True if `jaes` is kept. The number of JAEs is counted in any case.
    records: bool,
    jae_count: usize,
    pub(super) counts: Counts,
    edges: usize,
    fill_in: usize,
    touched: Vec<u32>,
    pub(super) changes: Changes,
}

/// Edges that the last elimination of an edge changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Vertices with other successors than before.
    pub(crate) succs: Vec<u32>,
    /// Vertices with other predecessors than before.
    pub(crate) preds: Vec<u32>,
    /// The edges that the elimination deleted.
    pub(crate) deleted: Vec<(u32, u32)>,
}

impl<'a> Primal<'a> {
    /// The whole graph, without intermediates that no independent reaches or that reach no dependent.
    pub fn new(lcg: &'a Lcg) -> Self {
        let n = lcg.vertex_count();
        let mut graph = Self {
            lcg,
            rows: Rows::new(n, lcg.edges().len()),
            jaes: JaeList::new(lcg),
            records: true,
            jae_count: 0,
            counts: Counts::default(),
            edges: lcg.edges().len(),
            fill_in: 0,
            touched: Vec::new(),
            changes: Changes::default(),
        };
        for (at, edge) in lcg.edges().iter().enumerate() {
            let label = Label(at as u32);
            graph.rows.put(edge.source, edge.target, label, edge.kind);
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

    /// The whole graph, as [`Self::new`] makes it, with JAEs only counted, so that labels have no meaning.
    pub(crate) fn without_jaes(lcg: &'a Lcg) -> Self {
        Self {
            records: false,
            ..Self::new(lcg)
        }
    }

    /// Number of JAEs so far.
    pub(crate) fn jae_count(&self) -> usize {
        self.jae_count
    }

    fn remove_if_dead(&mut self, v: u32) {
        if self.lcg.role(v) == Role::Intermediate
            && (self.in_degree(v) == 0 || self.out_degree(v) == 0)
        {
            self.isolate(v);
        }
    }

    /// The input graph.
    pub fn lcg(&self) -> &'a Lcg {
        self.lcg
    }

    /// The cost of the steps so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The JAEs of the steps so far.
    pub fn jaes(&self) -> &JaeList {
        &self.jaes
    }

    /// The JAEs of the steps, without the graph.
    pub(crate) fn into_jaes(self) -> JaeList {
        self.jaes
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
        self.rows.preds(v)
    }

    /// Successors of a vertex, in order.
    pub fn succs(&self, v: u32) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.rows.succs(v)
    }

    /// Number of predecessors.
    pub fn in_degree(&self, v: u32) -> usize {
        self.rows.in_degree(v)
    }

    /// Number of successors.
    pub fn out_degree(&self, v: u32) -> usize {
        self.rows.out_degree(v)
    }

    /// True if edge `(i, k)` exists.
    pub fn has_edge(&self, i: u32, k: u32) -> bool {
        self.rows.has_edge(i, k)
    }

    /// The last predecessor of a vertex, in order.
    pub(crate) fn last_pred(&self, v: u32) -> Option<u32> {
        self.rows.last_pred(v)
    }

    /// The last successor of a vertex, in order.
    pub(crate) fn last_succ(&self, v: u32) -> Option<u32> {
        self.rows.last_succ(v)
    }

    /// Predecessors that have predecessors, in order.
    pub(crate) fn inner_preds(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        self.rows.inner_preds(v)
    }

    /// Successors that have successors, in order.
    pub(crate) fn inner_succs(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        self.rows.inner_succs(v)
    }

    /// Elementary operations that it takes to compare the neighbours of a vertex with those of another.
    pub(crate) fn row_work(&self, neighbours: usize) -> u64 {
        self.rows.row_work(neighbours)
    }

    /// Elementary operations that a product takes.
    pub(crate) fn product_work(&self) -> u64 {
        self.rows.product_work()
    }

    /// The number of edges that a front elimination of `(i, j)` makes.
    pub(crate) fn new_succs(&self, i: u32, j: u32) -> usize {
        self.rows.new_succs(i, j)
    }

    /// The number of edges that a back elimination of `(j, k)` makes.
    pub(crate) fn new_preds(&self, j: u32, k: u32) -> usize {
        self.rows.new_preds(j, k)
    }

    /// The label of edge `(i, k)`.
    pub fn label(&self, i: u32, k: u32) -> Option<Label> {
        Some(self.rows.edge(i, k)?.0)
    }

    /// The kind of a label.
    pub fn kind(&self, label: Label) -> Kind {
        self.jaes.kind(self.lcg, label)
    }

    /// The kind of an edge, even if labels have no meaning.
    pub(crate) fn edge_kind(&self, i: u32, k: u32) -> Option<Kind> {
        self.rows.edge(i, k).map(|(_, kind)| kind)
    }

    /// True if a vertex still has in-edges and out-edges to be joined: an intermediate, or a dependent that other
    /// vertices read.
    pub fn is_eliminable(&self, v: u32) -> bool {
        // A vertex with out-edges has in-edges, since an independent reaches every vertex that is kept.
        self.lcg.role(v) != Role::Independent && self.out_degree(v) > 0
    }

    /// True if only the Jacobian is left.
    pub fn is_complete(&self) -> bool {
        (0..self.lcg.vertex_count() as u32).all(|v| !self.is_eliminable(v))
    }

    /// The edges left, by source and target.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let sources = 0..self.lcg.vertex_count() as u32;
        sources.flat_map(move |source| {
            let edges = self.out_edges(source);
            edges.map(move |(target, (label, kind))| Entry {
                source,
                target,
                label,
                kind,
            })
        })
    }

    /// Successors, with the labels and kinds of the edges to them.
    pub(super) fn out_edges(&self, v: u32) -> impl Iterator<Item = (u32, (Label, Kind))> + '_ {
        let edge = move |k| Some((k, self.rows.edge(v, k)?));
        self.succs(v).filter_map(edge)
    }

    /// Predecessors, with the labels and kinds of the edges from them.
    pub(super) fn in_edges(&self, v: u32) -> impl Iterator<Item = (u32, (Label, Kind))> + '_ {
        let edge = move |i| Some((i, self.rows.edge(i, v)?));
        self.preds(v).filter_map(edge)
    }

    /// The vertices whose neighbours changed in the last step.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// The edges that the last elimination of an edge changed.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Applies one step.
    ///
    /// # Errors
    /// The step is not possible on the graph left, or is a face.
    pub fn apply(&mut self, step: Step) -> Result<(), StepError> {
        self.apply_within(step, &mut || false).map(|_| ())
    }

    /// Applies one step, and asks `stop` now and then. `false` if it stopped in the middle of the step: the graph must
    /// not be used any more.
    ///
    /// # Errors
    /// The errors are those of [`Primal::apply`].
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

    /// Adds the product of two labels to edge `(i, k)`: fill-in, then `true`, or absorption.
    pub(super) fn multiply(
        &mut self,
        i: u32,
        k: u32,
        (a, kind_a): (Label, Kind),
        (b, kind_b): (Label, Kind),
    ) -> bool {
        let old = self.rows.edge(i, k);
        let absorbed = old.map(|(label, _)| label);
        let product = kind_a.product(kind_b);
        let kind = old.map_or(product, |(_, kind)| product.sum(kind));
        self.counts.product(kind_a, kind_b, absorbed.is_some());
        self.jae_count += 1;
        let label = if self.records {
            self.jaes.push(Jae {
                source: i,
                target: k,
                term: Term::Product(a, b),
                absorbed,
                kind,
            })
        } else {
            Label(0)
        };
        self.rows.put(i, k, label, kind);
        let fresh = absorbed.is_none();
        if fresh {
            self.edges += 1;
            self.fill_in += 1;
        }
        fresh
    }

    /// Deletes an edge.
    pub(super) fn unlink(&mut self, i: u32, k: u32) {
        if self.rows.remove(i, k) {
            self.edges -= 1;
        }
    }

    /// Deletes all edges of a vertex.
    pub(super) fn isolate(&mut self, v: u32) {
        for i in self.preds(v).collect::<Vec<u32>>() {
            self.unlink(i, v);
            self.touch(i);
        }
        self.delete_out_edges(v);
        self.touch(v);
    }

    /// Deletes the out-edges of a vertex.
    pub(super) fn delete_out_edges(&mut self, v: u32) {
        for k in self.succs(v).collect::<Vec<u32>>() {
            self.unlink(v, k);
            self.touch(k);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcg::NewEdge;

    /// A matrix takes a step for each eight words of a row and one for a product; maps take one for each neighbour and
    /// some more for a product.
    #[test]
    fn work_depends_on_how_the_graph_is_kept() {
        for (vertices, row, product) in [(10, 1, 1), (512, 2, 1), (1024, 3, 1), (1025, 700, 4)] {
            let edges = (1..vertices).map(|v| NewEdge::new(v - 1, v, Kind::Variable));
            let lcg = Lcg::new("chain", &[0], &[vertices - 1], edges).expect("a graph");
            let graph = Primal::new(&lcg);
            let work = (graph.row_work(700), graph.product_work());
            assert_eq!(work, (row, product), "{vertices}");
        }
    }
}
