//! Structure of a graph in which all loops are LOOPs already, as the reversal makes them. Only the ends are missing:
//! one ENDBRANCH for each BRANCH, one ENDLOOP for each LOOP.

use super::reduce::{Serve, reduce};
use crate::{
    edit::Editor,
    graph::reverse_postorder,
    ir::{Cfg, Expr, LoopForm, LoopTest, VertexKind},
    structure::Structure,
};

/// The graph with one ENDBRANCH per BRANCH and one ENDLOOP per LOOP, if the whole graph nests without changes: no
/// statement is repeated or moved, and LOOPs keep their forms and tests. Existing ends stay where they can serve, or
/// become empty blocks; new ones follow the other vertices and have no origin.
///
/// A LOOP must be entered by ENDLOOPs from inside, by other vertices from outside.
pub fn nest(cfg: &Cfg) -> Option<Cfg> {
    let entry = cfg.entry()?.index();
    let order = reverse_postorder(cfg, entry);
    if order.len() < cfg.vertex_count() {
        return None;
    }
    let mut edited = Editor::take_apart(cfg.clone());
    let branch = || VertexKind::branch_on(Expr::Logical(true));
    let mut serve = Vec::with_capacity(cfg.vertex_count());
    let mut end_of_post = vec![None; cfg.vertex_count()];
    for (v, vertex) in cfg.vertices() {
        let (kind, serves) = match &vertex.kind {
            VertexKind::Loop { test, .. } => match &**test {
                LoopTest::Pre(_) | LoopTest::Counted { .. } => (branch(), Serve::Nothing),
                LoopTest::Post(_) => {
                    let mut ends = cfg
                        .predecessors(v)
                        .filter(|&u| matches!(cfg.vertex(u).kind, VertexKind::EndLoop));
                    let (end, None) = (ends.next()?, ends.next()) else {
                        return None;
                    };
                    end_of_post[end.index()] = Some(v);
                    (VertexKind::Block(Vec::new()), Serve::Header)
                }
            },
            VertexKind::EndLoop => (VertexKind::Block(Vec::new()), Serve::EndLoop),
            VertexKind::EndBranch => (VertexKind::Block(Vec::new()), Serve::EndBranch),
            VertexKind::Entry | VertexKind::Exit | VertexKind::Block(_) | VertexKind::Branch(_) => {
                serve.push(Serve::Nothing);
                continue;
            }
        };
        edited.vertices[v.index()].kind = kind;
        serve.push(serves);
    }
    for (end, header) in end_of_post.iter().enumerate() {
        let Some(header) = *header else { continue };
        edited.vertices[end].kind = branch();
        for &e in cfg.out_edges(crate::entity::VertexId::new(end)) {
            edited.edges[e.index()].label = Some(1);
        }
        for &e in cfg.out_edges(header) {
            if cfg.edge(e).label.is_none() {
                edited.set_from(e.index(), end);
                edited.edges[e.index()].label = Some(0);
            }
        }
    }
    if !reduce(&mut edited, &serve, &order, false) {
        return None;
    }
    for (v, vertex) in cfg.vertices() {
        let VertexKind::Loop { test, .. } = &vertex.kind else {
            continue;
        };
        let found = &mut edited.vertices[v.index()].kind;
        let VertexKind::Loop { test: now, .. } = &*found else {
            return None;
        };
        // Reduction put back a test of the same kind, and the condition is the placeholder: the original test can
        // return.
        let same = match (&**test, &**now) {
            (LoopTest::Pre(_) | LoopTest::Counted { .. }, LoopTest::Pre(e))
            | (LoopTest::Post(_), LoopTest::Post(e)) => *e == Expr::Logical(true),
            _ => false,
        };
        if !same {
            return None;
        }
        found.clone_from(&vertex.kind);
    }
    let loops = |v: &&crate::ir::Vertex| {
        matches!(
            v.kind,
            VertexKind::Loop {
                form: LoopForm::Loop | LoopForm::ForLoop,
                ..
            }
        )
    };
    let before = cfg.vertices().map(|(_, v)| v).filter(|v| loops(v)).count();
    if edited.vertices.iter().filter(|v| loops(v)).count() != before {
        return None;
    }
    let nested = edited.finish();
    Structure::compute(&nested).is_ok().then_some(nested)
}
