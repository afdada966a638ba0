//! Branches whose arm the reverse sweep finds by evaluating the selector again, where no marker is recorded.
//!
//! The reverse sweep comes to the mirrored branch with the values that the forward sweep had behind the branch. The
//! selector has its old value there under two conditions: no arm may change a variable that it reads, and each such
//! variable either is to be recorded for some adjoint anyway, or is never overwritten while the sweep needs it. Then
//! the variables are present or popped, and the selector costs nothing on the tape. The paper records a marker at the
//! end of each arm in any case (Naumann et al. 2004, section 4.3).

use cfg_core::{
    entity::{RoutineId, VarId, VertexId},
    flat::{Constant, FlatExpr},
    ir::{Cfg, Expr, Intent, Op, Routine, Selector, VertexKind},
    memory::locations::Locations,
    structure::Structure,
    typing,
};
use fixedbitset::FixedBitSet;

use crate::{
    plan::{counters::LoopPlan, written::Written},
    prepare::context::Context,
};

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

/// Of branches with lasting selectors, those whose operands have their values in the reverse sweep without a record.
pub(crate) fn with_free_operands(
    context: &Context,
    id: RoutineId,
    cfg: &Cfg,
    structure: &Structure,
    lasting: &FixedBitSet,
    loops: &[Option<LoopPlan>],
) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(cfg.vertex_count());
    if lasting.is_clear() {
        return found;
    }
    Free::walk(context, id, cfg, structure, loops, |v, free| {
        let selector = cfg.vertex(v).kind.selector();
        if let Some(selector) = selector.filter(|_| lasting.contains(v.index())) {
            found.set(v.index(), free.has_all_of(deciding(selector)));
        }
    });
    found
}

/// The variables that have their values in the reverse sweep at one vertex with hardly a record: indices of loops
/// around it that run backwards over their indices, [parameters that last](crate::prepare::lasting), and inside of
/// loops all scalars that are `in`, since a caller that overwrites such a scalar records one word for all passes.
pub(crate) struct Free<'a> {
    routine: &'a Routine,
    lasting: &'a FixedBitSet,
    /// The number of loops around the vertex that have each variable as their index.
    around: Vec<usize>,
    /// The headers of the loops around the vertex, the innermost last.
    headers: Vec<VertexId>,
}

impl Free<'_> {
    /// Calls `visit` for all vertices in the order of the structure.
    pub(crate) fn walk(
        context: &Context,
        id: RoutineId,
        cfg: &Cfg,
        structure: &Structure,
        loops: &[Option<LoopPlan>],
        mut visit: impl FnMut(VertexId, &Free<'_>),
    ) {
        let routine = context.program.routine(id);
        let mut free = Free {
            routine,
            lasting: &context.lasting[id.index()],
            around: vec![0; routine.variables.len()],
            headers: Vec::new(),
        };
        for &v in &structure.order {
            match &cfg.vertex(v).kind {
                VertexKind::Loop { .. } => {
                    free.headers.push(v);
                    if let Some(index) = restored_index(cfg, loops, v) {
                        free.around[index.index()] += 1;
                    }
                }
                VertexKind::EndLoop => {
                    let header = free.headers.pop();
                    if let Some(index) = header.and_then(|h| restored_index(cfg, loops, h)) {
                        free.around[index.index()] -= 1;
                    }
                }
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::Block(_)
                | VertexKind::Branch(_)
                | VertexKind::EndBranch => {}
            }
            visit(v, &free);
        }
    }

    /// The header of the innermost loop around the vertex.
    pub(crate) fn innermost_loop(&self) -> Option<VertexId> {
        self.headers.last().copied()
    }

    /// True in a loop of a scalar that the caller gives and that nothing here changes.
    fn is_given(&self, v: VarId) -> bool {
        let variable = self.routine.variable(v);
        let is_in = variable.intent() == Some(Intent::In) && !self.routine.aliased;
        is_in && variable.rank() == 0 && !self.headers.is_empty()
    }

    /// True if all variables that an expression reads are such variables.
    pub(crate) fn has_all_of(&self, e: &Expr) -> bool {
        let mut all = true;
        e.walk_places(&mut |p| {
            all &= self.around[p.var.index()] > 0
                || self.lasting.contains(p.var.index())
                || self.is_given(p.var);
        });
        all
    }
}

/// The index of a counted loop, if the reverse loop sets it.
fn restored_index(cfg: &Cfg, loops: &[Option<LoopPlan>], header: VertexId) -> Option<VarId> {
    let index = cfg.vertex(header).kind.index();
    index.filter(|_| loops[header.index()].is_some_and(|plan| plan.index))
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
pub(crate) fn is_cheap(routine: &Routine, e: &Expr) -> bool {
    let is_exact =
        |e: &Expr| typing::type_of(&routine.variables, e).is_ok_and(|of| !of.ty.is_real());
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
                    Op::WrapAdd | Op::WrapSub | Op::WrapNeg | Op::WrapMul => true,
                    Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot => true,
                    Op::Shl | Op::WrapShl | Op::Shr | Op::LogicalShr => true,
                    // By a constant, since other divisions take longer than a marker.
                    Op::Mod => is_constant(operands.get(1)),
                    Op::Div => is_constant(operands.get(1)) && is_exact(e),
                    Op::Add | Op::Sub | Op::Mul => is_exact(e),
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

/// True of an integer constant, converted or not.
fn is_constant(e: Option<&Expr>) -> bool {
    match e.map(FlatExpr::view) {
        Some(FlatExpr::Constant(Constant::Int(_))) => true,
        Some(FlatExpr::Op(Op::Convert(..), [e])) => matches!(e, Expr::Int(_)),
        Some(FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..)) | None => false,
    }
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
