//! Merges inserted control blocks into neighbouring basic blocks (section 5 of the paper: "the
//! repeated insertion of new basic blocks for storing and retrieving the flow of control is not
//! necessary").

use cfg_core::{
    diagnostic::Diagnostics,
    entity::VertexId,
    ir::{Annotations, Cfg, Edge, Routine, Stmt, Vertex, VertexKind},
};

use std::sync::Arc;

use crate::code::built;

/// The routine with every inserted block merged into the basic block before it or, if there is none, into the one
/// after it. Inserted blocks without such a neighbour stay. O(vertices + edges).
///
/// # Errors
/// R312, a defect of this crate: an edge of the merged graph leads to no vertex.
pub fn merge(mut routine: Routine) -> Result<Routine, Diagnostics> {
    let Some(cfg) = routine.body.take() else {
        return Ok(routine);
    };
    let Groups { into, ahead } = Groups::of(&cfg);
    let (vertices, mut edges) = cfg.into_parts();
    let (out, new_index) = merged_vertices(vertices, &edges, &into);
    // An edge inside a group disappears; its label moves to the group's in-edge, which has it already:
    // only first edges of a chain carry labels. Its annotations move to the edge into or out of the group,
    // a part of the same edge of the original.
    let mut to_in_edge: Vec<Annotations> = vec![None; into.len()];
    let mut to_out_edge = to_in_edge.clone();
    for e in &mut edges {
        let (from, group) = (e.from.index(), into[e.from.index()]);
        if e.from != e.to && group == into[e.to.index()] && e.annotations.is_some() {
            let side = match ahead[from] {
                true => &mut to_in_edge,
                false => &mut to_out_edge,
            };
            side[group] = e.annotations.take();
        }
    }
    let edges = edges
        .into_iter()
        .filter(|e| e.from == e.to || into[e.from.index()] != into[e.to.index()])
        .map(|e| Edge {
            from: VertexId::new(new_index[into[e.from.index()]]),
            to: VertexId::new(new_index[into[e.to.index()]]),
            id: None,
            annotations: (e.annotations)
                .or_else(|| to_out_edge[into[e.from.index()]].take())
                .or_else(|| to_in_edge[into[e.to.index()]].take()),
            ..e
        })
        .collect();
    routine.body = Some(built::graph(out, edges)?);
    Ok(routine)
}

/// The vertices that become one, as groups.
struct Groups {
    /// The vertex that each vertex has become part of.
    into: Vec<usize>,
    /// True of a vertex that has become part of one behind it.
    ahead: Vec<bool>,
}

impl Groups {
    fn of(cfg: &Cfg) -> Self {
        let n = cfg.vertex_count();
        let mut into: Vec<usize> = (0..n).collect();
        let mut ahead = vec![false; n];
        let is_block = |v: VertexId| matches!(cfg.vertex(v).kind, VertexKind::Block(_));
        let inserted = |v: VertexId| is_inserted(cfg.vertex(v));
        // A block has one way out, and the blocks that are merged have one way in: a run of inserted blocks is a
        // chain.
        let before = |v: VertexId| only(cfg.predecessors(v)).filter(|&u| is_block(u));
        let one_way = |u: VertexId| cfg.in_edges(u).len() == 1;
        let after = |v: VertexId| only(cfg.successors(v)).filter(|&u| is_block(u) && one_way(u));
        for (head, _) in cfg.vertices() {
            if !inserted(head) || before(head).is_some_and(inserted) {
                continue;
            }
            let mut run = vec![head];
            let mut tail = head;
            while let Some(next) = after(tail).filter(|&u| inserted(u) && u != head) {
                run.push(next);
                tail = next;
            }
            let target = before(head).or_else(|| after(tail)).unwrap_or(head);
            for v in run {
                ahead[v.index()] = before(head).is_none();
                into[v.index()] = target.index();
            }
        }
        Self { into, ahead }
    }
}

/// The vertices that are left, each with the statements of its group, and the new numbers of vertices.
fn merged_vertices(
    vertices: Vec<Vertex>,
    edges: &[Edge],
    into: &[usize],
) -> (Vec<Vertex>, Vec<usize>) {
    let n = vertices.len();
    // Statements of a merged group in order of execution: groups are chains, so follow their edges.
    let mut next_in_group: Vec<Option<usize>> = vec![None; n];
    let mut has_before = vec![false; n];
    for e in edges {
        let (a, b) = (e.from.index(), e.to.index());
        if into[a] == into[b] && a != b {
            next_in_group[a] = Some(b);
            has_before[b] = true;
        }
    }
    let mut statements: Vec<Vec<Stmt>> = Vec::with_capacity(n);
    let mut kept: Vec<Option<Vertex>> = Vec::with_capacity(n);
    for mut vertex in vertices {
        let own = vertex.kind.statements_mut();
        statements.push(own.map_or_else(Vec::new, std::mem::take));
        kept.push(Some(vertex));
    }
    let mut merged: Vec<Vec<Stmt>> = vec![Vec::new(); n];
    for (start, follows) in has_before.into_iter().enumerate() {
        if follows {
            continue;
        }
        let mut at = Some(start);
        while let Some(v) = at {
            let mut own = std::mem::take(&mut statements[v]);
            if let Some(at) = kept[v].as_ref().and_then(|vertex| vertex.at.as_ref()) {
                // Statements without a span had that of their own block, which no longer covers them.
                let bare = own.iter_mut().filter(|s| into[v] != v && s.at.is_none());
                bare.for_each(|s| s.at = Some(Arc::clone(at)));
            }
            merged[into[v]].extend(own);
            at = next_in_group[v];
        }
    }
    let mut new_index = vec![0; n];
    let mut out = Vec::new();
    for (v, slot) in kept.iter_mut().enumerate() {
        if into[v] == v
            && let Some(mut vertex) = slot.take()
        {
            if let VertexKind::Block(s) = &mut vertex.kind {
                *s = std::mem::take(&mut merged[v]);
            }
            new_index[v] = out.len();
            out.push(vertex);
        }
    }
    (out, new_index)
}

fn only(mut vertices: impl Iterator<Item = VertexId>) -> Option<VertexId> {
    match (vertices.next(), vertices.next()) {
        (Some(v), None) => Some(v),
        _ => None,
    }
}

fn is_inserted(vertex: &Vertex) -> bool {
    matches!(vertex.kind, VertexKind::Block(_)) && vertex.origin.is_some_and(|o| !o.role.is_image())
}
