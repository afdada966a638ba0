//! Branches whose arm the reverse sweep finds by evaluating the selector again, where no marker is recorded.
//!
//! The reverse sweep comes to the mirrored branch with the values that the forward sweep had behind the branch. They give
//! the selector its value if no arm may have changed what it reads, and if all that it reads is to be recorded there, for
//! the sake of some adjoint: then it is present or popped, and the selector costs nothing on the tape. The paper records a
//! marker at the end of each arm in any case (Naumann et al. 2004, section 4.3).

use cfg_core::{
    entity::{RoutineId, VertexId},
    ir::{Cfg, Expr, Op, Selector, VertexKind},
    memory::locations::Locations,
    structure::Structure,
};
use fixedbitset::FixedBitSet;

use crate::{plan::written::Written, prepare::context::Context};

/// The most operators and operands of a selector that is evaluated again: popping a marker takes a few instructions.
const MOST_NODES: usize = 16;

/// The branches of a structured graph, by vertex, whose selectors are cheap and read nothing that an arm may change.
pub(crate) fn with_lasting_selectors(
    context: &Context,
    id: RoutineId,
    cfg: &Cfg,
    structure: &Structure,
    locations: &Locations,
    changed: bool,
) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(cfg.vertex_count());
    let branches = cfg.vertices().filter_map(|(v, vertex)| match &vertex.kind {
        VertexKind::Branch(selector) => Some((v, deciding(selector))),
        VertexKind::Entry
        | VertexKind::Exit
        | VertexKind::Block(_)
        | VertexKind::Loop { .. }
        | VertexKind::EndLoop
        | VertexKind::EndBranch => None,
    });
    let cheap: Vec<(VertexId, &Expr)> = branches.filter(|(_, e)| is_cheap(e)).collect();
    if cheap.is_empty() || context.markers {
        return found;
    }
    let variables = context.program.routine(id).variables.len();
    let mut written = Written::new(locations, variables);
    for (_, e) in &cheap {
        e.walk_places(&mut |p| written.follow(p.var));
    }
    written.find(context, id, cfg, structure, changed);
    for (v, e) in cheap {
        let end = structure.partner(v).unwrap_or(v);
        let position = |v: VertexId| structure.position[v.index()];
        if !written.changes(e, &(position(v)..=position(end))) {
            found.insert(v.index());
        }
    }
    found
}

/// The expression that a selector evaluates.
pub(crate) fn deciding(selector: &Selector) -> &Expr {
    match selector {
        Selector::Condition(e) => e,
        Selector::Cases { value, .. } => value,
    }
}

/// True if evaluating the expression takes about as long as popping a marker.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the operators that are listed are the cheap ones"
)]
fn is_cheap(e: &Expr) -> bool {
    let mut nodes = 0;
    let mut cheap = true;
    // The walk ends soon: what is dear is dear because of its first nodes or because there are many.
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        nodes += 1;
        match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => {}
            Expr::Place(place) => {
                cheap &= place.subscripts.is_empty() || place.is_element();
                open.extend(place.subscript_exprs());
            }
            Expr::Op(op, operands) => {
                cheap &= match op {
                    Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => true,
                    Op::And | Op::Or | Op::Not => true,
                    Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Abs => true,
                    Op::Convert(..) | Op::ToReal | Op::ToReal32 => true,
                    _ => false,
                };
                open.extend(operands);
            }
        }
        if !cheap || nodes > MOST_NODES {
            return false;
        }
    }
    true
}
