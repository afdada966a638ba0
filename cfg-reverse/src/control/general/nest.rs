//! Sweeps of general routines whose graphs nest, as structured graphs.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::VertexId,
    ir::{Cfg, FreshIds, Origin, OriginRole, Vertex, VertexKind},
    recover::nested,
};

use crate::{code::built, control::draw::number};

/// The graph as a structured one, if it nests. A new ENDLOOP or ENDBRANCH has the origin of the vertex that it ends.
pub(crate) fn with_ends(graph: &Cfg) -> Result<Option<Cfg>, Diagnostics> {
    let Some(nested) = nested(graph) else {
        return Ok(None);
    };
    let structure = built::structure(&nested)?;
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
    built::graph(vertices, edges).map(Some)
}

/// A structured graph with its vertices in Algorithm 1's order, inserted ones numbered in this order by `ids`.
pub(crate) fn in_order(cfg: Cfg, ids: FreshIds) -> Result<Cfg, Diagnostics> {
    let structure = built::structure(&cfg)?;
    let (vertices, mut edges) = cfg.into_parts();
    let mut placed: Vec<Option<Vertex>> = vertices.into_iter().map(Some).collect();
    let order = structure.order.iter();
    let mut vertices: Vec<Vertex> = order.filter_map(|v| placed[v.index()].take()).collect();
    for vertex in &mut vertices {
        if !vertex.origin.is_some_and(|o| o.role.is_image()) {
            vertex.id = 0;
        }
    }
    number(&mut vertices, ids);
    let place = |v: VertexId| VertexId::new(structure.position[v.index()] as usize);
    for edge in &mut edges {
        edge.from = place(edge.from);
        edge.to = place(edge.to);
    }
    edges.sort_by_key(|e| e.from);
    built::graph(vertices, edges)
}
