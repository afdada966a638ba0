//! A graph that is being changed.

use crate::{
    entity::VertexId,
    ir::{Cfg, Edge, Vertex, VertexKind},
};

/// Vertices and edges with marks for those that are gone. Indices stay as they are until [`Self::finish`].
pub(super) struct Draft {
    pub(super) vertices: Vec<Vertex>,
    pub(super) edges: Vec<Edge>,
    pub(super) dead_vertex: Vec<bool>,
    pub(super) dead_edge: Vec<bool>,
    next_id: i64,
}

impl Draft {
    pub(super) fn new(cfg: Cfg) -> Self {
        let next_id = cfg.first_free_id();
        let (vertices, mut edges) = cfg.into_parts();
        // Positions change: an edge that is named by its position keeps that as its name, if others have
        // names of their own.
        if edges.iter().any(|e| e.id.is_some()) {
            for (i, edge) in edges.iter_mut().enumerate() {
                edge.id.get_or_insert(i as i64);
            }
        }
        Self {
            dead_vertex: vec![false; vertices.len()],
            dead_edge: vec![false; edges.len()],
            vertices,
            edges,
            next_id,
        }
    }

    pub(super) fn add_vertex(&mut self, kind: VertexKind) -> usize {
        self.vertices.push(Vertex::new(self.next_id, kind));
        self.dead_vertex.push(false);
        self.next_id = self.next_id.saturating_add(1);
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

    /// True of a block without statements.
    pub(super) fn is_empty_block(&self, v: usize) -> bool {
        matches!(&self.vertices[v].kind, VertexKind::Block(s) if s.is_empty())
    }

    /// The graph without what is gone. `None` if an edge was left at a vertex that is gone.
    pub(super) fn finish(self) -> Option<Cfg> {
        let mut place = vec![None; self.vertices.len()];
        let mut vertices = Vec::with_capacity(self.vertices.len());
        for (v, vertex) in self.vertices.into_iter().enumerate() {
            if !self.dead_vertex[v] {
                place[v] = Some(VertexId::new(vertices.len()));
                vertices.push(vertex);
            }
        }
        let named = self.edges.iter().any(|e| e.id.is_some());
        let mut next = self.edges.iter().filter_map(|e| e.id).max().unwrap_or(0);
        let mut edges = Vec::with_capacity(self.edges.len());
        for (e, mut edge) in self.edges.into_iter().enumerate() {
            if self.dead_edge[e] {
                continue;
            }
            edge.from = place[edge.from.index()]?;
            edge.to = place[edge.to.index()]?;
            if named && edge.id.is_none() {
                next = next.saturating_add(1);
                edge.id = Some(next);
            }
            edges.push(edge);
        }
        Cfg::new(vertices, edges)
    }
}
