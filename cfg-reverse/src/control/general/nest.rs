//! Sweeps of general routines whose graphs nest, as structured graphs.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::VertexId,
    ir::{Cfg, FreshIds, Origin, OriginRole, VertexKind},
    recover::nest,
};

use crate::{code::built, control::draw::number};

/// The graph as a structured one, if it nests. A new ENDLOOP or ENDBRANCH has the origin of the vertex that it ends.
pub(crate) fn with_ends(graph: &Cfg) -> Result<Option<Cfg>, Diagnostics> {
    let Some(mut nested) = nest(graph) else {
        return Ok(None);
    };
    let structure = built::structure(&nested)?;
    for v in (0..nested.vertex_count()).map(VertexId::new) {
        let vertex = nested.vertex(v);
        let is_end = matches!(vertex.kind, VertexKind::EndLoop | VertexKind::EndBranch);
        if let (true, None, Some(partner)) = (is_end, vertex.origin, structure.partner(v)) {
            let origin = nested.vertex(partner).origin;
            nested.vertex_mut(v).origin = origin.map(|o| Origin {
                role: OriginRole::End,
                ..o
            });
        }
    }
    Ok(Some(nested))
}

/// A structured graph with its vertices in Algorithm 1's order, inserted ones numbered in this order by `ids`.
pub(crate) fn in_order(cfg: Cfg, ids: FreshIds) -> Result<Cfg, Diagnostics> {
    let mut graph = built::in_topological_order(cfg)?;
    for vertex in &mut graph.vertices {
        if !vertex.origin.is_some_and(|o| o.role.is_image()) {
            vertex.id = 0;
        }
    }
    number(&mut graph.vertices, ids);
    graph.edges.sort_by_key(|e| e.from);
    Ok(graph.finish())
}
