//! Sweeps of general routines whose graphs nest, as structured graphs.

use cfg_core::{
    entity::VertexId,
    ir::{Cfg, Origin, OriginRole, Vertex, VertexKind},
    recover::nested,
    structure::Structure,
};

use crate::control_general::number;

/// The graph as a structured one, if it nests. Its new ends come from what the vertices do that they belong to.
pub(crate) fn with_ends(graph: &Cfg) -> Option<Cfg> {
    let nested = nested(graph)?;
    let structure = Structure::of(&nested).ok()?;
    let (mut vertices, edges) = nested.into_parts();
    for v in 0..vertices.len() {
        let partner = structure.partner(VertexId::new(v));
        let is_end = matches!(
            vertices[v].kind,
            VertexKind::EndLoop | VertexKind::EndBranch
        );
        if let (true, None, Some(partner)) = (is_end, vertices[v].origin, partner) {
            let origin = vertices[partner.index()].origin;
            vertices[v].origin = origin.map(|o| Origin {
                role: OriginRole::End,
                ..o
            });
        }
    }
    Cfg::new(vertices, edges)
}

/// A structured graph with its vertices in Algorithm 1's order, inserted ones numbered in this order.
pub(crate) fn in_order(cfg: Cfg, first_id: i64) -> Option<Cfg> {
    let structure = Structure::of(&cfg).ok()?;
    let (vertices, mut edges) = cfg.into_parts();
    let mut placed: Vec<Option<Vertex>> = vertices.into_iter().map(Some).collect();
    let order = structure.order.iter();
    let mut vertices: Vec<Vertex> = order.filter_map(|v| placed[v.index()].take()).collect();
    for vertex in &mut vertices {
        if vertex.id >= first_id {
            vertex.id = 0;
        }
    }
    number(&mut vertices, first_id);
    let place = |v: VertexId| VertexId::new(structure.position[v.index()] as usize);
    for edge in &mut edges {
        edge.from = place(edge.from);
        edge.to = place(edge.to);
    }
    edges.sort_by_key(|e| e.from);
    Cfg::new(vertices, edges)
}
