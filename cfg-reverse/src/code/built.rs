//! Checks of graphs that a transformation has built. A graph that fails one is a defect of this crate, and is
//! reported (R312) rather than passed on as the adjoint of another program.

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::VertexId,
    ir::{Cfg, Edge, Stmt, Vertex, VertexKind, complete_edge_ids},
    structure::Structure,
};

use crate::codes;

/// The graph of the vertices and edges. If some edges have ids, the others get new ones.
pub(crate) fn graph(vertices: Vec<Vertex>, mut edges: Vec<Edge>) -> Result<Cfg, Diagnostics> {
    complete_edge_ids(&mut edges);
    Cfg::new(vertices, edges).ok_or_else(|| defect("an edge leads to no vertex"))
}

/// ENTRY, one block, EXIT.
pub(crate) fn line(statements: Vec<Stmt>) -> Result<Cfg, Diagnostics> {
    let v = VertexId::new;
    graph(
        vec![
            Vertex::new(1, VertexKind::Entry),
            Vertex::new(2, VertexKind::Block(statements)),
            Vertex::new(3, VertexKind::Exit),
        ],
        vec![Edge::new(v(0), v(1), None), Edge::new(v(1), v(2), None)],
    )
}

/// The structure of a graph that is structured.
pub(crate) fn structure(cfg: &Cfg) -> Result<Structure, Diagnostics> {
    Structure::of(cfg).map_err(|problems| defect(&problems.to_string()))
}

/// A structured graph with its vertices in the order of Algorithm 1.
pub(crate) fn in_topological_order(cfg: Cfg) -> Result<Cfg, Diagnostics> {
    let order: Vec<usize> = structure(&cfg)?.order.iter().map(|v| v.index()).collect();
    let (vertices, edges) = cfg.into_parts();
    let (vertices, edges) = reordered(vertices, edges, &order);
    graph(vertices, edges)
}

/// The vertices in an order, and the edges between them; vertices that the order leaves out are dropped, and so are their edges.
pub(crate) fn reordered(
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    order: &[usize],
) -> (Vec<Vertex>, Vec<Edge>) {
    let mut new = vec![None; vertices.len()];
    for (k, &v) in order.iter().enumerate() {
        new[v] = Some(VertexId::new(k));
    }
    let mut old: Vec<Option<Vertex>> = vertices.into_iter().map(Some).collect();
    let vertices = order.iter().filter_map(|&v| old[v].take()).collect();
    let edges = edges.into_iter().filter_map(|e| {
        let (from, to) = (new[e.from.index()]?, new[e.to.index()]?);
        Some(Edge { from, to, ..e })
    });
    (vertices, edges.collect())
}

fn defect(message: &str) -> Diagnostics {
    let message = format!("a graph that was built here is not valid: {message}");
    Diagnostic::error(&codes::DEFECT, message, codes::DEFECT.explanation).into()
}
