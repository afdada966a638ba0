//! Merges inserted control blocks into neighbouring basic blocks (section 5 of the paper: "the
//! repeated insertion of new basic blocks for storing and retrieving the flow of control is not
//! necessary").

use cfg_core::{
    edit::Editor,
    entity::VertexId,
    ir::{Annotations, Cfg, Edge, Routine, Vertex, VertexKind},
};

/// The routine with every inserted block merged into the basic block before it or, if there is none, into the one
/// after it. Inserted blocks without such a neighbour stay. O(vertices + edges).
pub fn merge(mut routine: Routine) -> Routine {
    let Some(cfg) = routine.body.take() else {
        return routine;
    };
    let Groups { runs, into, ahead } = Groups::find(&cfg);
    let mut graph = Editor::take_apart(cfg);
    for run in runs {
        let mut moved = Vec::new();
        let (target, is_ahead) = (into[run[0]], ahead[run[0]]);
        for v in run {
            let Vertex { kind, at, .. } = &mut graph.vertices[v];
            let first = moved.len();
            moved.append(kind.statements_mut().unwrap_or(&mut Vec::new()));
            if v != target {
                // Statements without a span had that of their own block, which no longer covers them.
                let bare = moved[first..].iter_mut().filter(|s| s.at.is_none());
                bare.for_each(|s| s.at.clone_from(at));
                graph.remove(v);
            }
        }
        if let Some(statements) = graph.vertices[target].kind.statements_mut() {
            if is_ahead {
                std::mem::swap(statements, &mut moved);
            }
            statements.append(&mut moved);
        }
    }
    // An edge inside a group disappears; its label moves to the group's in-edge, which has it already:
    // only first edges of a chain carry labels. Its annotations move to the edge into or out of the group,
    // a part of the same edge of the original.
    let mut to_in_edge: Vec<Annotations> = vec![None; into.len()];
    let mut to_out_edge = to_in_edge.clone();
    let is_inner = |e: &Edge| e.from != e.to && into[e.from.index()] == into[e.to.index()];
    for e in graph.edges.iter_mut().filter(|e| is_inner(e)) {
        let side = match ahead[e.from.index()] {
            true => &mut to_in_edge,
            false => &mut to_out_edge,
        };
        if e.annotations.is_some() {
            side[into[e.from.index()]] = e.annotations.take();
        }
    }
    for e in graph.edges.iter_mut().filter(|e| !is_inner(e)) {
        let [from, to] = [e.from, e.to].map(|v| into[v.index()]);
        (e.from, e.to) = (VertexId::new(from), VertexId::new(to));
        let annotations = e.annotations.take();
        e.annotations = annotations
            .or_else(|| to_out_edge[from].take())
            .or_else(|| to_in_edge[to].take());
    }
    graph.edges.iter_mut().for_each(|e| e.id = None);
    routine.body = Some(graph.finish());
    routine
}

/// The vertices that become one, as groups.
struct Groups {
    /// Inserted blocks in a row, which all become part of one vertex.
    runs: Vec<Vec<usize>>,
    /// The vertex that each vertex has become part of.
    into: Vec<usize>,
    /// True of a vertex that has become part of one behind it.
    ahead: Vec<bool>,
}

impl Groups {
    fn find(cfg: &Cfg) -> Self {
        let n = cfg.vertex_count();
        let mut into: Vec<usize> = (0..n).collect();
        let mut ahead = vec![false; n];
        let mut runs = Vec::new();
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
            let run: Vec<usize> = run.into_iter().map(VertexId::index).collect();
            for &v in &run {
                ahead[v] = before(head).is_none();
                into[v] = target.index();
            }
            runs.push(run);
        }
        Self { runs, into, ahead }
    }
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
