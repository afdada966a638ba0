//! A graph that is being changed.

use crate::{
    entity::VertexId,
    ir::{Cfg, Edge, FreshIds, Vertex, VertexKind, complete_edge_ids, keep_edge_ids},
};

/// Vertices and edges, with marks for removed ones. Indices stay as they are until [`Self::finish`].
pub(super) struct EditedGraph {
    pub(super) vertices: Vec<Vertex>,
    pub(super) edges: Vec<Edge>,
    pub(super) dead_vertex: Vec<bool>,
    pub(super) dead_edge: Vec<bool>,
    ids: FreshIds,
    /// The construct that each original block may become; any construct if the list is empty.
    pub(super) serve: Vec<Serve>,
}

/// The construct that an empty block may become.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Serve {
    Nothing,
    EndBranch,
    EndLoop,
    /// The LOOP of a loop tested last.
    Header,
}

impl EditedGraph {
    pub(super) fn new(cfg: Cfg) -> Self {
        let ids = FreshIds::of_vertices(&cfg);
        let (vertices, mut edges) = cfg.into_parts();
        keep_edge_ids(&mut edges);
        Self {
            dead_vertex: vec![false; vertices.len()],
            dead_edge: vec![false; edges.len()],
            vertices,
            edges,
            ids,
            serve: Vec::new(),
        }
    }

    pub(super) fn add_vertex(&mut self, kind: VertexKind) -> usize {
        self.vertices.push(Vertex::new(self.ids.next_id(), kind));
        self.dead_vertex.push(false);
        self.vertices.len() - 1
    }

    pub(super) fn add_edge(&mut self, from: usize, to: usize, label: Option<i64>) -> usize {
        let (from, to) = (VertexId::new(from), VertexId::new(to));
        self.edges.push(Edge::new(from, to, label));
        self.dead_edge.push(false);
        self.edges.len() - 1
    }

    pub(super) fn to(&self, e: usize) -> usize {
        self.edges[e].to.index()
    }

    pub(super) fn from(&self, e: usize) -> usize {
        self.edges[e].from.index()
    }

    pub(super) fn set_to(&mut self, e: usize, to: usize) {
        self.edges[e].to = VertexId::new(to);
    }

    pub(super) fn set_from(&mut self, e: usize, from: usize) {
        self.edges[e].from = VertexId::new(from);
    }

    /// True for a block without statements.
    pub(super) fn is_empty_block(&self, v: usize) -> bool {
        matches!(&self.vertices[v].kind, VertexKind::Block(s) if s.is_empty())
    }

    /// True for a block without statements that may become the construct; with [`Serve::Nothing`], that may be
    /// removed.
    pub(super) fn may_serve(&self, v: usize, wanted: Serve) -> bool {
        let free = match self.serve.get(v) {
            Some(&serve) => wanted != Serve::Nothing && serve == wanted,
            None => true,
        };
        free && self.is_empty_block(v)
    }

    /// The graph without removed vertices and edges. `None` if an edge is left at a removed vertex.
    pub(super) fn finish(self) -> Option<Cfg> {
        let mut place = vec![None; self.vertices.len()];
        let mut vertices = Vec::with_capacity(self.vertices.len());
        for (v, vertex) in self.vertices.into_iter().enumerate() {
            if !self.dead_vertex[v] {
                place[v] = Some(VertexId::new(vertices.len()));
                vertices.push(vertex);
            }
        }
        let mut edges = Vec::with_capacity(self.edges.len());
        for (e, mut edge) in self.edges.into_iter().enumerate() {
            if self.dead_edge[e] {
                continue;
            }
            edge.from = place[edge.from.index()]?;
            edge.to = place[edge.to.index()]?;
            edges.push(edge);
        }
        complete_edge_ids(&mut edges);
        Cfg::new(vertices, edges)
    }
}
