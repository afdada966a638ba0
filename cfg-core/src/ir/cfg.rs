//! Control-flow graphs: Definition 1 of Naumann et al. 2004, with the forms of loops and branches that the definition
//! leaves to the front end.

use super::{Annotations, Vertex, VertexKind};
use crate::entity::{EdgeId, VertexId};
use std::sync::Arc;

/// The form that a routine declares its graph to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Control {
    /// Definition 1 holds: loops and branches nest.
    #[default]
    Structured,
    /// General control: any graph of blocks and jumps.
    General,
}

/// A control-flow graph: vertices, edges, and both adjacency lists. The graph is immutable; clones share it until one
/// of them changes the contents of a vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cfg {
    graph: Arc<Graph>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Graph {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    succ_start: Vec<u32>,
    succs: Vec<EdgeId>,
    pred_start: Vec<u32>,
    preds: Vec<EdgeId>,
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The vertex that the edge leaves.
    pub from: VertexId,
    /// The vertex that the edge enters.
    pub to: VertexId,
    /// The out-label: which arm or loop body of its source the edge starts.
    pub label: Option<i64>,
    /// The number that files show; `None` is the position among the edges.
    pub id: Option<i64>,
    /// Free-form data of the front end.
    pub annotations: Annotations,
}

impl Edge {
    /// An edge without id and annotations.
    pub fn new(from: VertexId, to: VertexId, label: Option<i64>) -> Self {
        Self {
            from,
            to,
            label,
            id: None,
            annotations: None,
        }
    }
}

impl Cfg {
    /// Builds a graph; O(vertices + edges). Returns `None` if an edge names a vertex that does not exist.
    pub fn new(vertices: Vec<Vertex>, edges: Vec<Edge>) -> Option<Self> {
        let exists = |v: VertexId| v.index() < vertices.len();
        let whole = edges.iter().all(|e| exists(e.from) && exists(e.to));
        whole.then(|| Self::of_parts(vertices, edges))
    }

    /// Builds a graph of edges between vertices that exist.
    pub(crate) fn of_parts(vertices: Vec<Vertex>, edges: Vec<Edge>) -> Self {
        let n = vertices.len();
        let mut graph = Graph {
            vertices,
            succ_start: vec![0; n + 1],
            succs: vec![EdgeId::new(0); edges.len()],
            pred_start: vec![0; n + 1],
            preds: vec![EdgeId::new(0); edges.len()],
            edges,
        };
        // `start` has the beginning of each vertex's slice; while slices are filled, the position of its next edge.
        for e in &graph.edges {
            graph.succ_start[e.from.index() + 1] += 1;
            graph.pred_start[e.to.index() + 1] += 1;
        }
        let (mut succs, mut preds) = (0, 0);
        for (s, p) in graph.succ_start.iter_mut().zip(&mut graph.pred_start) {
            (succs, preds) = (succs + *s, preds + *p);
            (*s, *p) = (succs - *s, preds - *p);
        }
        for (i, e) in graph.edges.iter().enumerate() {
            let s = &mut graph.succ_start[e.from.index() + 1];
            graph.succs[*s as usize] = EdgeId::new(i);
            *s += 1;
            let p = &mut graph.pred_start[e.to.index() + 1];
            graph.preds[*p as usize] = EdgeId::new(i);
            *p += 1;
        }
        Self {
            graph: Arc::new(graph),
        }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.graph.vertices.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.graph.edges.len()
    }

    /// All vertices, in the order of the arena (which is the order of the file).
    pub fn vertices(
        &self,
    ) -> impl ExactSizeIterator<Item = (VertexId, &Vertex)> + DoubleEndedIterator {
        self.graph
            .vertices
            .iter()
            .enumerate()
            .map(|(i, v)| (VertexId::new(i), v))
    }

    /// All edges, in the order of the arena (which is the order of the file).
    pub fn edges(&self) -> impl ExactSizeIterator<Item = (EdgeId, &Edge)> + DoubleEndedIterator {
        self.graph
            .edges
            .iter()
            .enumerate()
            .map(|(i, e)| (EdgeId::new(i), e))
    }

    /// The first vertex with this id in files. O(vertices).
    pub fn with_id(&self, id: i64) -> Option<VertexId> {
        let mut vertices = self.vertices();
        vertices.find(|(_, vertex)| vertex.id == id).map(|(v, _)| v)
    }

    /// The vertex of the statement of this number, counted from 0 through all vertices, and the position there.
    /// O(vertices).
    pub fn numbered_statement(&self, number: usize) -> Option<(VertexId, usize)> {
        let mut before = 0;
        for (v, vertex) in self.vertices() {
            let count = vertex.statements().len();
            if number - before < count {
                return Some((v, number - before));
            }
            before += count;
        }
        None
    }

    /// The vertex of a given id.
    #[inline]
    pub fn vertex(&self, v: VertexId) -> &Vertex {
        &self.graph.vertices[v.index()]
    }

    /// The vertex of a given id, to change its contents (the edges of the graph cannot be changed).
    pub fn vertex_mut(&mut self, v: VertexId) -> &mut Vertex {
        &mut Arc::make_mut(&mut self.graph).vertices[v.index()]
    }

    /// All vertices, to change their contents.
    pub fn vertices_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Vertex> {
        Arc::make_mut(&mut self.graph).vertices.iter_mut()
    }

    /// The edge of a given id.
    #[inline]
    pub fn edge(&self, e: EdgeId) -> &Edge {
        &self.graph.edges[e.index()]
    }

    /// Out-edges of a vertex, in arena order.
    #[inline]
    pub fn out_edges(&self, v: VertexId) -> &[EdgeId] {
        slice(&self.graph.succ_start, &self.graph.succs, v)
    }

    /// In-edges of a vertex, in arena order.
    #[inline]
    pub fn in_edges(&self, v: VertexId) -> &[EdgeId] {
        slice(&self.graph.pred_start, &self.graph.preds, v)
    }

    /// Targets of the out-edges.
    pub fn successors(
        &self,
        v: VertexId,
    ) -> impl ExactSizeIterator<Item = VertexId> + DoubleEndedIterator {
        self.out_edges(v).iter().map(|&e| self.edge(e).to)
    }

    /// Sources of the in-edges.
    pub fn predecessors(
        &self,
        v: VertexId,
    ) -> impl ExactSizeIterator<Item = VertexId> + DoubleEndedIterator {
        self.in_edges(v).iter().map(|&e| self.edge(e).from)
    }

    /// The first ENTRY vertex.
    pub fn entry(&self) -> Option<VertexId> {
        self.first(&VertexKind::Entry)
    }

    /// The first EXIT vertex.
    pub fn exit(&self) -> Option<VertexId> {
        self.first(&VertexKind::Exit)
    }

    fn first(&self, kind: &VertexKind) -> Option<VertexId> {
        self.graph
            .vertices
            .iter()
            .position(|v| std::mem::discriminant(&v.kind) == std::mem::discriminant(kind))
            .map(VertexId::new)
    }

    /// Takes the graph apart again.
    pub fn into_parts(self) -> (Vec<Vertex>, Vec<Edge>) {
        let graph = Arc::unwrap_or_clone(self.graph);
        (graph.vertices, graph.edges)
    }
}

/// The slice of a vertex in compressed adjacency: edge ids in arena order.
fn slice<'a>(start: &[u32], list: &'a [EdgeId], v: VertexId) -> &'a [EdgeId] {
    &list[start[v.index()] as usize..start[v.index() + 1] as usize]
}
