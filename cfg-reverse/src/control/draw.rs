//! A graph under construction.

use cfg_core::{
    edit::Editor,
    graph::{Adjacency, reverse_postorder},
    ir::{
        Annotations, Arm, CaseRange, Cfg, Edge, Expr, FreshIds, Op, Origin, OriginRole, Selector,
        Stmt, Vertex, VertexKind,
    },
};

/// A graph under construction.
#[derive(Default)]
pub(crate) struct Draw {
    pub(super) graph: Editor,
}

impl Draw {
    /// Adds a vertex. Id 0 stands for none: `finish` numbers such vertices.
    pub(crate) fn vertex(&mut self, id: i64, kind: VertexKind, role: OriginRole, of: i64) -> usize {
        let vertices = &mut self.graph.vertices;
        vertices.push(Vertex {
            origin: Some(Origin { role, vertex: of }),
            ..Vertex::new(id, kind)
        });
        vertices.len() - 1
    }

    /// Gives a vertex the annotations of its original.
    pub(crate) fn annotate(&mut self, vertex: usize, of: &Vertex) {
        (self.graph.vertices[vertex].annotations).clone_from(&of.annotations);
    }

    /// The graph with its vertices in the order in which they were added; vertices without an id are numbered.
    pub(crate) fn finish(mut self, ids: FreshIds) -> Cfg {
        number(&mut self.graph.vertices, ids);
        self.graph.finish()
    }
}

/// The open end of a chain of blocks: the vertex and the label from which the next edge starts.
pub(crate) struct End {
    pub(super) at: usize,
    label: Option<i64>,
    pub(super) annotations: Annotations,
}

impl End {
    pub(crate) fn new(at: usize, label: Option<i64>) -> Self {
        Self {
            at,
            label,
            annotations: None,
        }
    }

    /// The end at which an edge starts.
    pub(crate) fn at_source(at: usize, edge: &Edge) -> Self {
        Self {
            at,
            label: edge.label,
            annotations: edge.annotations.clone(),
        }
    }

    /// Leads the chain through a new block, unless the block is empty.
    pub(crate) fn insert(&mut self, draw: &mut Draw, role: OriginRole, of: i64, block: Vec<Stmt>) {
        if !block.is_empty() {
            let next = draw.vertex(0, VertexKind::Block(block), role, of);
            self.draw_edge(draw, next);
            self.at = next;
        }
    }

    /// Closes the chain with an edge to a vertex.
    pub(crate) fn draw_edge(&mut self, draw: &mut Draw, to: usize) {
        let e = draw.graph.add_edge(self.at, to, self.label.take());
        draw.graph.edges[e].annotations = self.annotations.take();
    }
}

/// Gives ids to vertices that have none.
pub(crate) fn number(vertices: &mut [Vertex], mut ids: FreshIds) {
    for vertex in vertices.iter_mut().filter(|v| v.id == 0) {
        vertex.id = ids.next_id();
    }
}

/// A BRANCH on an integer `0 .. ways`; its labels are these numbers.
pub(crate) fn branch_on_integer(value: Expr, ways: usize) -> VertexKind {
    if ways != 2 {
        return cases(value, 0..ways as i64);
    }
    let second = Expr::op(Op::Eq, [value, Expr::Int(1)]);
    VertexKind::branch_on(second)
}

/// A BRANCH on some integers, which are its labels.
pub(crate) fn cases(value: Expr, numbers: impl Iterator<Item = i64>) -> VertexKind {
    let arms = numbers.map(|k| Arm {
        label: k,
        cases: Box::new([CaseRange {
            lower: Some(k),
            upper: Some(k),
        }]),
        default: false,
    });
    VertexKind::Branch(Box::new(Selector::Cases {
        value,
        arms: arms.collect(),
    }))
}

/// The graph with its vertices in reverse postorder, inserted ones numbered in this order.
pub(crate) fn arrange(draw: Draw, ids: FreshIds) -> Cfg {
    let mut graph = draw.graph;
    let mut vertices = graph.vertices.iter();
    let entry = vertices
        .position(|v| matches!(v.kind, VertexKind::Entry))
        .unwrap_or(0);
    // In reverse postorder the successor that is visited last comes first: edges are taken backwards, so that arms
    // keep their order.
    let edges = graph.edges.iter().rev();
    let edges = edges.map(|e| (e.from.index(), e.to.index()));
    let order = reverse_postorder(&Adjacency::new(graph.vertices.len(), edges), entry);
    graph.arrange(order);
    number(&mut graph.vertices, ids);
    graph.edges.sort_by_key(|e| e.from);
    graph.finish()
}
