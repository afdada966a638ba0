//! Graphs that a transformation has built, checked: what is wrong with one is a defect of this crate, and
//! must not end as the adjoint of another graph.

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::VertexId,
    ir::{Cfg, Edge, Stmt, Vertex, VertexKind, complete_edge_ids},
    structure::Structure,
};

use crate::codes;

/// The graph of these vertices and edges. Edges without an id get one, if others have one.
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

fn defect(message: &str) -> Diagnostics {
    let message = format!("a graph that was built here is not valid: {message}");
    Diagnostic::error(&codes::DEFECT, message, codes::DEFECT.explanation).into()
}
