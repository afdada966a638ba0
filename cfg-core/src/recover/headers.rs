//! Loops with further exits, in the rest of a graph that did not reduce.
//!
//! A cycle that is entered at one branch, and left there, is a LOOP that is tested first, whatever its body contains:
//! the jumps back meet in one ENDLOOP, other exits (break, return) and jumps inside stay jumps.

use crate::{
    edit::Editor,
    entity::{EdgeId, VertexId},
    graph::loops::LoopForest,
    ir::{Cfg, Expr, LoopTest, Op, Selector, VertexKind},
};

/// Makes a LOOP of every branch that is the only entry of a cycle and one of its exits.
pub(super) fn type_headers(cfg: Cfg) -> Option<Cfg> {
    let entry = cfg.entry()?.index();
    let forest = LoopForest::new(&cfg, entry);
    let mut plans = Vec::new();
    for l in forest.loops() {
        let this = forest.get(l);
        let header = VertexId::new(this.header);
        let VertexKind::Branch(selector) = &cfg.vertex(header).kind else {
            continue;
        };
        let (Selector::Condition(c), true) = (&**selector, this.is_reducible()) else {
            continue;
        };
        let inside = |e: &EdgeId| forest.contains(l, cfg.edge(*e).to.index());
        let (body, exit): (Vec<EdgeId>, Vec<EdgeId>) =
            cfg.out_edges(header).iter().copied().partition(&inside);
        let (&[body], &[exit]) = (&body[..], &exit[..]) else {
            continue;
        };
        // A LOOP enters its body if the condition is true; a branch that leaves on true gets the negation.
        let condition = match (cfg.edge(body).label, c) {
            (Some(1), c) => c.clone(),
            (_, Expr::Op(Op::Not, operands)) if operands.len() == 1 => operands[0].clone(),
            (_, c) if c.depth() < Expr::MAX_DEPTH => Expr::op(Op::Not, [c.clone()]),
            _ => continue,
        };
        let backs: Vec<usize> = cfg
            .in_edges(header)
            .iter()
            .filter(|&&e| forest.contains(l, cfg.edge(e).from.index()))
            .map(|e| e.index())
            .collect();
        plans.push((header.index(), condition, body.index(), exit.index(), backs));
    }
    let mut edited = Editor::take_apart(cfg);
    for (header, condition, body, exit, backs) in plans {
        edited.vertices[header].kind = VertexKind::loop_on(LoopTest::Pre(condition));
        edited.edges[body].label = Some(1);
        edited.edges[exit].label = None;
        // An empty block that is the only way back becomes the ENDLOOP; otherwise a new ENDLOOP joins the ways back.
        if let [back] = backs[..]
            && edited.is_empty_block(edited.from(back))
        {
            let from = edited.from(back);
            edited.vertices[from].kind = VertexKind::EndLoop;
            continue;
        }
        let end = edited.add(VertexKind::EndLoop);
        for back in backs {
            edited.set_to(back, end);
        }
        edited.add_edge(end, header, None);
    }
    Some(edited.finish())
}
