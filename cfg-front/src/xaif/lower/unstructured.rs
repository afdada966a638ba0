//! Graphs that say structured="0": the jumps of the source program.
//!
//! Many graphs nest, only without the EndBranch vertices where arms meet: a jump that skips the rest of a
//! routine, an `else` written with labels. The missing vertices are put in: the arms of a branch meet at
//! its immediate post-dominator. Where that does not give structured control flow (loops with several
//! exits, jumps into loops), the graph stays as it is and is general.

use crate::xaif::{codes, graph::Graph, lower::Lower};
use cfg_core::{
    graph::{Adjacency, Reversed, dominance::Dominators, postorder},
    ir::{Control, VertexKind},
    structure::Structure,
};

/// Makes structure where that is possible; returns the kind of control that the graph has then.
pub(crate) fn structure(lower: &mut Lower<'_, '_>, graph: &mut Graph) -> Control {
    drop_unreachable(lower, graph);
    if is_structured(graph) {
        return Control::Structured;
    }
    let saved = graph.clone();
    let mut ends = vec![false; graph.vertices.len()];
    for (v, draft) in graph.vertices.iter_mut().enumerate() {
        if matches!(draft.kind, VertexKind::EndBranch) {
            ends[v] = true;
            draft.kind = VertexKind::Block(Vec::new());
        }
    }
    if join(graph, &ends).is_some() && is_structured(graph) {
        return Control::Structured;
    }
    *graph = saved;
    Control::General
}

fn is_structured(graph: &Graph) -> bool {
    graph
        .now()
        .is_some_and(|cfg| Structure::compute(&cfg).is_ok())
}

fn drop_unreachable(lower: &mut Lower<'_, '_>, graph: &mut Graph) {
    let out = graph.out_edges();
    let mut keep = vec![false; graph.vertices.len()];
    let entry = graph
        .vertices
        .iter()
        .position(|v| matches!(v.kind, VertexKind::Entry));
    let mut work: Vec<usize> = entry.into_iter().collect();
    while let Some(v) = work.pop() {
        if std::mem::replace(&mut keep[v], true) {
            continue;
        }
        work.extend(out[v].iter().map(|&e| graph.edges[e].to));
    }
    // The EXIT of a routine that never returns stays, for validation to report.
    for (v, draft) in graph.vertices.iter().enumerate() {
        keep[v] |= matches!(draft.kind, VertexKind::Exit);
    }
    let Some(first) = keep.iter().position(|k| !k) else {
        return;
    };
    let count = keep.iter().filter(|k| !**k).count();
    let diagnostic = lower
        .doc
        .error(
            graph.vertices[first].node,
            &codes::DROPPED,
            format!("{count} vertices are never reached and left out; this is the first"),
            "remove them from the program, or add the jump that leads to them",
        )
        .warning();
    lower.sink.push(diagnostic);
    graph.retain(&keep);
}

/// Puts an EndBranch where the arms of each branch meet. `None` if the graph has cycles other than
/// those of its loops.
fn join(graph: &mut Graph, old_ends: &[bool]) -> Option<()> {
    let n = graph.vertices.len();
    // Acyclic view: a loop's back edge is replaced by one from its ENDLOOP to where the loop leads on.
    let out = graph.out_edges();
    let mut succs: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (v, edges) in out.iter().enumerate() {
        let is_loop = matches!(graph.vertices[v].kind, VertexKind::Loop { .. });
        for &e in edges {
            let edge = &graph.edges[e];
            if is_loop && edge.label.is_none() {
                continue;
            }
            let mut to = edge.to;
            if matches!(graph.vertices[v].kind, VertexKind::EndLoop) {
                let exit = out[to].iter().find(|&&x| graph.edges[x].label.is_none())?;
                to = graph.edges[*exit].to;
            }
            succs[v].push(to);
        }
    }
    let find = |kind: fn(&VertexKind) -> bool| graph.vertices.iter().position(|v| kind(&v.kind));
    let entry = find(|k| matches!(k, VertexKind::Entry))?;
    let exit = find(|k| matches!(k, VertexKind::Exit))?;
    let edges = succs
        .iter()
        .enumerate()
        .flat_map(|(v, list)| list.iter().map(move |&w| (v, w)));
    let view = Adjacency::new(n, edges);
    let last_first = postorder(&view, entry);
    let mut place = vec![usize::MAX; n];
    for (i, &v) in last_first.iter().enumerate() {
        place[v] = i;
    }
    if succs
        .iter()
        .enumerate()
        .any(|(v, list)| list.iter().any(|&w| place[w] >= place[v]))
    {
        return None;
    }
    let dominators = Dominators::new(&view, entry);
    let post = Dominators::new(&Reversed(&view), exit);
    // Innermost and last branches first; an inserted EndBranch counts as dominated by its branch.
    let mut owner: Vec<usize> = (0..n).collect();
    let mut in_edges = graph.in_edges();
    let mut inserted = Vec::new();
    for &b in &last_first {
        if !matches!(graph.vertices[b].kind, VertexKind::Branch(_)) {
            continue;
        }
        let meet = post.immediate(b)?;
        let (mine, others): (Vec<usize>, Vec<usize>) = in_edges[meet]
            .iter()
            .partition(|&&e| dominators.dominates(b, owner[graph.edges[e].from]));
        if mine.len() < 2 {
            return None;
        }
        let node = graph.vertices[meet].node;
        let end = graph.add_vertex(node, VertexKind::EndBranch);
        owner.push(b);
        for &e in &mine {
            graph.edges[e].to = end;
        }
        let on = graph.add_edge(end, meet, node);
        in_edges.push(mine);
        in_edges[meet] = others;
        in_edges[meet].push(on);
        inserted.push(end);
    }
    // An EndBranch of the document that an inserted one alone leads to takes its place.
    let out = graph.out_edges();
    let mut keep = vec![true; graph.vertices.len()];
    for &end in inserted.iter().rev() {
        let Some(&on) = out[end].first() else {
            continue;
        };
        let next = graph.edges[on].to;
        if old_ends.get(next) == Some(&true) && in_edges[next] == [on] {
            for &e in &in_edges[end] {
                graph.edges[e].to = next;
            }
            graph.vertices[next].kind = VertexKind::EndBranch;
            keep[end] = false;
        }
    }
    graph.retain(&keep);
    Some(())
}
