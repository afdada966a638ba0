//! Branches whose arm the reverse sweep finds by evaluating the selector again, where no marker is recorded.
//!
//! The reverse sweep comes to the mirrored branch with the values that the forward sweep had behind the branch. The
//! selector has its old value there under two conditions: no arm may change a variable that it reads, and each such
//! variable is to be recorded for some adjoint anyway. Then the variables are present or popped, and the selector
//! costs nothing on the tape. The paper records a marker at the end of each arm in any case (Naumann et al. 2004,
//! section 4.3).

use cfg_core::{
    entity::{RoutineId, VertexId},
    flat::FlatExpr,
    ir::{Cfg, Expr, Intent, Op, Routine, Selector},
    memory::locations::Locations,
    structure::Structure,
    typing,
};
use fixedbitset::FixedBitSet;

use crate::{plan::written::Written, prepare::context::Context};

/// Most operators and operands of a selector that is evaluated again. Popping a marker takes a few instructions: a
/// longer selector would be slower.
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
    let branches = cfg.vertices();
    let branches = branches.filter_map(|(v, of)| Some((v, deciding(of.kind.selector()?))));
    let routine = context.program.routine(id);
    let cheap: Vec<(VertexId, &Expr)> = branches.filter(|(_, e)| is_cheap(routine, e)).collect();
    if cheap.is_empty() || context.markers {
        return found;
    }
    let mut written = Written::new(locations, routine.variables.len());
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
    let (Selector::Condition(e) | Selector::Cases { value: e, .. }) = selector;
    e
}

/// True if evaluating the expression takes about as long as popping a marker and is sure to give the value of the
/// forward sweep. In C the sweeps are two functions, and a compiler may compute with reals differently in them,
/// contracted or with excess precision. Therefore reals may only be compared as they lie in memory: elements, and
/// scalars that are `in`.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the operators that are listed are the cheap ones"
)]
fn is_cheap(routine: &Routine, e: &Expr) -> bool {
    let mut nodes = 0;
    // The walk is bounded: it ends at the first costly operator, or after [`MOST_NODES`].
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        nodes += 1;
        let is_allowed = match FlatExpr::view(e) {
            FlatExpr::Constant(_) => true,
            FlatExpr::Place(place) => {
                open.extend(place.subscript_exprs());
                let variable = routine.variable(place.var);
                let is_in = variable.intent() == Some(Intent::In);
                place.is_element()
                    || (place.subscripts.is_empty() && (is_in || !variable.ty.is_real()))
            }
            FlatExpr::Op(op, operands) => {
                open.extend(operands);
                match op {
                    Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => true,
                    Op::And | Op::Or | Op::Not | Op::Neg | Op::Abs | Op::Convert(..) => true,
                    Op::Add | Op::Sub | Op::Mul => {
                        typing::type_of(&routine.variables, e).is_ok_and(|of| !of.ty.is_real())
                    }
                    _ => false,
                }
            }
        };
        if !is_allowed || nodes > MOST_NODES {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::{
        builder::{ProgramBuilder, RoutineBuilder},
        ir::ScalarType::Integer,
    };

    /// Selectors are evaluated again up to a number of operators and operands.
    #[test]
    fn selectors_on_both_sides_of_the_limit() {
        let mut f = RoutineBuilder::new("f");
        let n = Expr::from(f.input("n", Integer));
        let mut program = ProgramBuilder::new();
        program.add(f);
        let program = program.into_program().expect("the builder is used right");
        for (nodes, expected) in [(MOST_NODES, true), (MOST_NODES + 1, false)] {
            let e = (1..nodes).fold(n.clone(), |e, _| Expr::op(Op::Neg, [e]));
            assert_eq!(is_cheap(&program.routines[0], &e), expected, "{nodes}");
        }
    }
}
