//! Extents that would be another value when they are evaluated again.

use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, OpClass, Place, Routine, visit::each_written},
    memory::{locations::Locations, named::global_variables},
};
use fixedbitset::FixedBitSet;

use crate::{code::routines::each_extent, codes, prepare::context::Context};

/// The places whose values an extent reads. What it asks of the shape of an array does not change, whatever is
/// assigned to it: extents name no locals, which alone take their shapes from assignments.
fn changeable(e: &Expr, f: &mut impl FnMut(&Place)) {
    match e {
        Expr::Place(p) => {
            f(p);
            for subscript in p.subscript_exprs() {
                changeable(subscript, f);
            }
        }
        Expr::Op(op, operands) => {
            let asks = op.class() == OpClass::Inquiry;
            let is_whole = |e: &Expr| matches!(e, Expr::Place(p) if p.subscripts.is_empty());
            for operand in operands.iter().filter(|e| !(asks && is_whole(e))) {
                changeable(operand, f);
            }
        }
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Null(_)
        | Expr::Addr(_) => {}
    }
}

/// Extents are evaluated again when the reverse sweep is entered: what they read must not change.
pub(crate) fn check_extents(
    context: &Context,
    id: RoutineId,
    routine: &Routine,
    found: &mut Vec<Diagnostic>,
) {
    // Parameters that are `in` do not, but for those of which something else is a name, too.
    let is_in = |v: VarId| routine.variable(v).intent() == Some(Intent::In);
    let (mut read, mut read_in) = (false, false);
    for variable in &routine.variables {
        each_extent(variable, &mut |e| {
            changeable(e, &mut |p| {
                read |= !is_in(p.var);
                read_in |= is_in(p.var);
            });
        });
    }
    let changed = &context.changed[id.index()];
    if !(read || read_in && !changed.is_clear()) {
        return;
    }
    // By storage: what has another name may be changed through that.
    let locations = Locations::of(&context.program, routine);
    let location = |v: VarId| locations.of_variable(v).index();
    let mut written = FixedBitSet::with_capacity(routine.variables.len());
    for (_, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
        written.extend(vertex.kind.index().map(location));
        for statement in vertex.statements() {
            each_written(&context.program, statement, &mut |v| {
                written.insert(location(v));
            });
        }
    }
    for (v, g) in global_variables(routine) {
        if context.summary.written(id).contains(g) {
            written.insert(location(v));
        }
    }
    for variable in &routine.variables {
        each_extent(variable, &mut |e| {
            changeable(e, &mut |p| {
                let is_changed = match is_in(p.var) {
                    true => changed.contains(p.var.index()),
                    false => written.contains(location(p.var)),
                };
                if is_changed {
                    let n = &routine.variable(p.var).name;
                    found.push(
                        Diagnostic::error(
                            &codes::EXTENT,
                            format!(
                                "the shape of `{}` depends on `{n}`, which the routine changes",
                                variable.name
                            ),
                            codes::EXTENT.explanation,
                        )
                        .at_element(format!("routine {}", routine.name)),
                    );
                }
            });
        });
    }
}
