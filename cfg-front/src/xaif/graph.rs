//! A control-flow graph while it is being built: vertices and edges that can still change.

use crate::xaif::read::xml::NodeId;
use cfg_core::{
    entity::VertexId,
    ir::{Annotations, Cfg, Edge, FreshIds, Stmt, Vertex, VertexKind},
};

/// A vertex of a graph that is still changed.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) id: i64,
    /// The element that it comes from.
    pub(crate) node: NodeId,
    pub(crate) kind: VertexKind,
    /// The elements that its statements come from.
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) annotations: Annotations,
}

/// An edge of a graph that is still changed.
#[derive(Clone, Debug)]
pub(crate) struct DraftEdge {
    pub(crate) id: i64,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) label: Option<i64>,
    pub(crate) node: NodeId,
}

/// The elements that the parts of a routine's graph come from.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(crate) vertices: Vec<NodeId>,
    pub(crate) statements: Vec<Vec<NodeId>>,
    pub(crate) edges: Vec<NodeId>,
}

/// A graph that is still changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) vertices: Vec<Draft>,
    pub(crate) edges: Vec<DraftEdge>,
    new_vertices: FreshIds,
    new_edges: FreshIds,
}

impl Graph {
    pub(crate) fn new(vertices: Vec<Draft>, edges: Vec<DraftEdge>) -> Self {
        Self {
            new_vertices: FreshIds::beside(vertices.iter().map(|v| v.id)),
            new_edges: FreshIds::beside(edges.iter().map(|e| e.id)),
            vertices,
            edges,
        }
    }

    /// In-edges of every vertex.
    pub(crate) fn in_edges(&self) -> Vec<Vec<usize>> {
        let mut list = vec![Vec::new(); self.vertices.len()];
        for (i, e) in self.edges.iter().enumerate() {
            list[e.to].push(i);
        }
        list
    }

    /// Out-edges of every vertex.
    pub(crate) fn out_edges(&self) -> Vec<Vec<usize>> {
        let mut list = vec![Vec::new(); self.vertices.len()];
        for (i, e) in self.edges.iter().enumerate() {
            list[e.from].push(i);
        }
        list
    }

    /// Appends a vertex.
    pub(crate) fn add_vertex(&mut self, node: NodeId, kind: VertexKind) -> usize {
        self.vertices.push(Draft {
            id: self.new_vertices.next_id(),
            node,
            kind,
            nodes: Vec::new(),
            annotations: None,
        });
        self.vertices.len() - 1
    }

    /// Appends an edge.
    pub(crate) fn add_edge(&mut self, from: usize, to: usize, node: NodeId) -> usize {
        self.edges.push(DraftEdge {
            id: self.new_edges.next_id(),
            from,
            to,
            label: None,
            node,
        });
        self.edges.len() - 1
    }

    /// Puts statements on edges that lead to one vertex: at the end of the block that a single edge
    /// comes from, else into a new block.
    pub(crate) fn insert(&mut self, edges: &[usize], statements: Vec<(NodeId, Stmt)>) {
        let Some(&first) = edges.first() else { return };
        if statements.is_empty() {
            return;
        }
        let (nodes, statements): (Vec<_>, Vec<_>) = statements.into_iter().unzip();
        if let [only] = edges {
            let from = &mut self.vertices[self.edges[*only].from];
            if let VertexKind::Block(list) = &mut from.kind {
                list.extend(statements);
                from.nodes.extend(nodes);
                return;
            }
        }
        let to = self.edges[first].to;
        let node = self.vertices[to].node;
        let block = self.add_vertex(node, VertexKind::Block(statements));
        self.vertices[block].nodes = nodes;
        for &e in edges {
            self.edges[e].to = block;
        }
        self.add_edge(block, to, node);
    }

    /// Keeps the vertices for which `keep` is true and the edges between them.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let mut new = vec![usize::MAX; self.vertices.len()];
        let mut count = 0;
        for (i, &k) in keep.iter().enumerate() {
            if k {
                new[i] = count;
                count += 1;
            }
        }
        let mut i = 0;
        self.vertices.retain(|_| {
            i += 1;
            keep[i - 1]
        });
        self.edges.retain(|e| keep[e.from] && keep[e.to]);
        for e in &mut self.edges {
            e.from = new[e.from];
            e.to = new[e.to];
        }
    }

    /// The graph of the representation, and where its parts come from.
    pub(crate) fn finish(self) -> (Option<Cfg>, Places) {
        let mut places = Places::default();
        let mut vertices = Vec::with_capacity(self.vertices.len());
        for draft in self.vertices {
            places.vertices.push(draft.node);
            places.statements.push(draft.nodes);
            let mut vertex = Vertex::new(draft.id, draft.kind);
            vertex.annotations = draft.annotations;
            vertices.push(vertex);
        }
        let mut edges = Vec::with_capacity(self.edges.len());
        for e in self.edges {
            places.edges.push(e.node);
            let mut edge = Edge::new(VertexId::new(e.from), VertexId::new(e.to), e.label);
            edge.id = Some(e.id);
            edges.push(edge);
        }
        (Cfg::new(vertices, edges), places)
    }

    /// The graph as it is now, to find its structure.
    pub(crate) fn now(&self) -> Option<Cfg> {
        self.clone().finish().0
    }
}

/// The in-edges of a vertex: from ENDLOOP (of a loop only), and the others.
pub(crate) fn sides(graph: &Graph, in_edges: &[Vec<usize>], v: usize) -> (Vec<usize>, Vec<usize>) {
    let is_loop = matches!(graph.vertices[v].kind, VertexKind::Loop { .. });
    let from_end = |e: usize| {
        matches!(
            graph.vertices[graph.edges[e].from].kind,
            VertexKind::EndLoop
        )
    };
    in_edges[v].iter().partition(|&&e| is_loop && from_end(e))
}
