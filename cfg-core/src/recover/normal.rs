//! The form in which a recovered graph is compared with the original.

use super::{counted, flatten};
use crate::{
    edit::Editor,
    ir::{Cfg, Program, Routine, VertexKind},
    memory::effects::Effects,
    structure::Structure,
};

/// The normal form of a structured routine. Routines that differ only in ways that jumps cannot express have the same
/// one:
///
/// - a counted loop whose index other statements may write, as far as jumps can tell (by another parameter of an
///   `aliased` routine), counts its passes in a variable of its own;
/// - loops tested first become counted loops where possible;
/// - blocks without statements are removed, and blocks that follow one another are joined;
/// - vertices stand in the order of Algorithm 1 and are numbered from 1, edges follow their sources and
///   have no names; origins and annotations of both are dropped.
///
/// A routine that is not structured is returned as it is.
pub fn normal_form(program: &Program, effects: &Effects, routine: &Routine) -> Routine {
    let mut result = flatten::with_own_counters(program, effects, routine);
    let body = result.body.take();
    let counted = body.map(|cfg| counted::count_loops(program, effects, &mut result, cfg));
    let Some(cfg) = counted.map(joined).and_then(renumbered) else {
        return routine.clone();
    };
    result.body = Some(cfg);
    result
}

/// Removes empty blocks, joins adjacent ones.
fn joined(cfg: Cfg) -> Cfg {
    let mut edited = Editor::take_apart(cfg);
    let n = edited.vertices.len();
    let mut entries = vec![0usize; n];
    let mut into = vec![usize::MAX; n];
    let mut out = vec![usize::MAX; n];
    for e in 0..edited.edges.len() {
        entries[edited.to(e)] += 1;
        into[edited.to(e)] = e;
        out[edited.from(e)] = e;
    }
    for v in 0..n {
        let VertexKind::Block(_) = edited.vertices[v].kind else {
            continue;
        };
        if entries[v] != 1 {
            continue;
        }
        // The block's statements go to the next block, if that directly follows; then the block is removed.
        let (before, after) = (into[v], out[v]);
        let next = edited.to(after);
        let follows = next != v
            && entries[next] == 1
            && matches!(edited.vertices[next].kind, VertexKind::Block(_));
        if !edited.is_empty_block(v) && !follows {
            continue;
        }
        if follows {
            let kind = std::mem::replace(&mut edited.vertices[v].kind, VertexKind::EndBranch);
            if let (VertexKind::Block(mut first), VertexKind::Block(second)) =
                (kind, &mut edited.vertices[next].kind)
            {
                first.append(second);
                *second = first;
            }
        }
        edited.remove(v);
        edited.set_to(before, next);
        if into[next] == after {
            into[next] = before;
        }
    }
    edited.finish()
}

/// Vertices in Algorithm 1's order.
fn renumbered(cfg: Cfg) -> Option<Cfg> {
    // A graph that does not nest has no normal form.
    let structure = Structure::compute(&cfg).ok()?;
    let mut graph = Editor::take_apart(cfg);
    graph.arrange(structure.order.iter().map(|v| v.index()));
    for (id, vertex) in (1..).zip(&mut graph.vertices) {
        vertex.id = id;
        vertex.annotations = None;
        vertex.origin = None;
    }
    for edge in &mut graph.edges {
        edge.id = None;
        edge.annotations = None;
    }
    // The arms of a branch keep their order.
    graph.edges.sort_by_key(|e| (e.from, e.label.is_none()));
    Some(graph.finish())
}
