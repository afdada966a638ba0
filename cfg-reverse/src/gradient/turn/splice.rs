//! The graph of a gradient whose loop at the turn has both bodies.
//!
//! The vertices of both sweeps but for the forward sweep's EXIT, the reverse sweep's ENTRY, and the FORLOOP and ENDLOOP
//! of the reverse loop; edges into these lead to what follows them in the new order.

use cfg_core::{
    diagnostic::Diagnostics,
    edit::Editor,
    entity::VertexId,
    ir::{Cfg, Edge, FreshIds, Stmt},
    structure::Structure,
};
use std::collections::HashSet;

use crate::{
    code::built,
    gradient::turn::independent::{Order, Parts},
};

/// Puts the graphs of both sweeps together. The statements of `kept` come behind the forward sweep, those of `restored`
/// before EXIT.
pub(super) fn splice(
    [forward, reverse]: [Cfg; 2],
    [of_forward, of_reverse]: &[Structure; 2],
    parts: &Parts,
    order: Order,
    [kept, restored]: [Vec<Stmt>; 2],
) -> Result<Cfg, Diagnostics> {
    let first = forward.vertex_count();
    let in_forward = |at: usize| of_forward.order[at].index();
    let in_reverse = |at: usize| first + of_reverse.order[at].index();
    let header = in_forward(parts.forward.start);
    let end = in_forward(parts.forward.end);
    let reverse_header = in_reverse(parts.reverse.start);
    let reverse_end = in_reverse(parts.reverse.end);
    let exit = in_forward(of_forward.order.len() - 1);
    let entry = in_reverse(0);
    let zeros = in_reverse(parts.zeros - 1);
    // The vertices at which the parts begin, or none of an empty part.
    let behind = |cfg: &Cfg, v: usize, offset: usize, is_exit: bool| {
        let edges = cfg.out_edges(VertexId::new(v - offset)).iter();
        let mut targets = edges.map(|&e| (cfg.edge(e).label.is_none(), cfg.edge(e).to.index()));
        let found = targets.find(|&(is_unlabelled, _)| is_unlabelled == is_exit);
        found.map(|(_, to)| offset + to)
    };
    let reverse_start = behind(&reverse, entry, first, true);
    let zeros_start = reverse_start.filter(|_| parts.zeros > 1);
    let s_rev = behind(&reverse, zeros, first, true).filter(|&v| v != reverse_header);
    let p_rev = behind(&reverse, reverse_header, first, true);
    let r = behind(&reverse, reverse_header, first, false).filter(|&v| v != reverse_end);
    let s = behind(&forward, header, 0, true).filter(|&v| v != exit);
    let keep = Some(first + reverse.vertex_count()).filter(|_| !kept.is_empty());
    let last = in_reverse(of_reverse.order.len() - 1);
    let start = [zeros_start, s_rev, Some(header), s, keep, p_rev];
    let [z, s_rev, l, s, k, p_rev] = [0, 1, 2, 3, 4, 5];
    let row = match order {
        Order::Before => [z, s_rev, l, s, k, p_rev],
        Order::Behind => [z, l, s, k, s_rev, p_rev],
    };
    let next = |part: Option<usize>| {
        let after = part.and_then(|part| row.iter().position(|&p| p == part));
        let mut rest = row.iter().skip(after.map_or(0, |at| at + 1));
        rest.find_map(|&part| start[part])
    };
    let (mut vertices, mut edges) = forward.into_parts();
    let (more, of_reverse) = reverse.into_parts();
    let known: HashSet<i64> = vertices.iter().map(|v| v.id).collect();
    let mut ids = FreshIds::beside(vertices.iter().chain(&more).map(|v| v.id));
    vertices.extend(more.into_iter().map(|mut vertex| {
        if known.contains(&vertex.id) {
            vertex.id = ids.next_id();
        }
        vertex
    }));
    edges.extend(of_reverse.into_iter().map(|edge| Edge {
        from: VertexId::new(first + edge.from.index()),
        to: VertexId::new(first + edge.to.index()),
        ..edge
    }));
    edges.retain(|edge| ![entry, reverse_header, reverse_end].contains(&edge.from.index()));
    for edge in &mut edges {
        edge.id = None;
        let (from, to) = (edge.from.index(), edge.to.index());
        let to = if from == header && edge.label.is_none() {
            next(Some(l))
        } else if from == zeros {
            next(Some(z))
        } else if to == header && from != end {
            next(None)
        } else if to == reverse_header {
            next(Some(s_rev))
        } else if to == exit {
            next(Some(s))
        } else if to == end {
            r.or(Some(end))
        } else if to == reverse_end {
            Some(end)
        } else {
            Some(to)
        };
        edge.to = to.map_or(edge.to, VertexId::new);
    }
    let mut graph = Editor::from_parts(vertices, edges);
    if let (Some(_), Some(behind)) = (keep, next(Some(k))) {
        let keep = graph.block(kept);
        graph.add_edge(keep, behind, None);
    }
    graph.insert_before(last, restored);
    for v in [exit, entry, reverse_header, reverse_end] {
        graph.remove(v);
    }
    built::in_topological_order(graph.finish()).map(Editor::finish)
}
