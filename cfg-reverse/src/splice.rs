//! Puts branches and loops into the middle of a basic block.

use cfg_core::{
    entity::VertexId,
    ir::{Cfg, Edge, Stmt, Vertex, VertexKind},
};

/// A graph that is taken apart.
pub(crate) struct Splice {
    pub(crate) vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    /// The out-edge of each vertex that has one.
    out_edge: Vec<Option<usize>>,
    next_id: i64,
}

impl Splice {
    /// Takes the graph apart if one of its statements is such a one; else it stays where it is.
    pub(crate) fn where_any(
        body: &mut Option<Cfg>,
        is_meant: impl Fn(&Stmt) -> bool,
    ) -> Option<Self> {
        let meant = |cfg: &mut Cfg| {
            let mut vertices = cfg.vertices();
            vertices.any(|(_, v)| v.statements().iter().any(&is_meant))
        };
        body.take_if(meant).map(Self::of)
    }

    fn of(cfg: Cfg) -> Self {
        let next_id = cfg.first_free_id();
        let (vertices, edges) = cfg.into_parts();
        let mut out_edge = vec![None; vertices.len()];
        for (e, edge) in edges.iter().enumerate() {
            out_edge[edge.from.index()] = Some(e);
        }
        Self {
            vertices,
            edges,
            out_edge,
            next_id,
        }
    }

    pub(crate) fn finish(self) -> Option<Cfg> {
        Cfg::new(self.vertices, self.edges)
    }

    pub(crate) fn add(&mut self, kind: VertexKind) -> usize {
        self.vertices.push(Vertex::new(self.next_id, kind));
        self.next_id += 1;
        self.out_edge.push(None);
        self.vertices.len() - 1
    }

    pub(crate) fn block(&mut self, statements: Vec<Stmt>) -> usize {
        self.add(VertexKind::Block(statements))
    }

    pub(crate) fn edge(&mut self, from: usize, to: usize, label: Option<i64>) {
        self.out_edge[from] = Some(self.edges.len());
        let id = VertexId::new;
        self.edges.push(Edge::new(id(from), id(to), label));
    }

    /// A new block that comes before what follows a block; nothing leads to it yet.
    pub(crate) fn after(&mut self, block: usize, statements: Vec<Stmt>) -> usize {
        let last = self.block(statements);
        if let Some(e) = self.out_edge[block].take() {
            self.edges[e].from = VertexId::new(last);
            self.out_edge[last] = Some(e);
        }
        last
    }
}
