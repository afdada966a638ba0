//! Extents that would be another value when they are evaluated again.

use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RoutineId, VarId},
    ir::{Expr, Extent, Intent, OpClass, Place, Role, Routine, visit::each_written},
};
use fixedbitset::FixedBitSet;

use crate::{
    code::routines::each_extent,
    codes,
    memory::{named::global_variables, storage::storage_classes},
    prepare::context::Context,
};

/// The places whose values an extent reads. What it asks of the shape of an array does not change, whatever is
/// assigned to it, unless it is a local array that takes its shape from assignments.
fn changeable(routine: &Routine, e: &Expr, f: &mut impl FnMut(&Place)) {
    match e {
        Expr::Place(p) => {
            f(p);
            for subscript in p.subscript_exprs() {
                changeable(routine, subscript, f);
            }
        }
        Expr::Op(op, operands) => {
            for (i, operand) in operands.iter().enumerate() {
                let shape_only = match operand {
                    Expr::Place(p) if i == 0 && op.class() == OpClass::Inquiry => {
                        let variable = routine.variable(p.var);
                        p.subscripts.is_empty()
                            && (variable.role != Role::Local
                                || variable
                                    .shape
                                    .iter()
                                    .all(|d| matches!(d.extent, Extent::Fixed(_))))
                    }
                    Expr::Int(_)
                    | Expr::Real(_)
                    | Expr::Real32(_)
                    | Expr::Logical(_)
                    | Expr::Place(_)
                    | Expr::Op(..) => false,
                };
                if !shape_only {
                    changeable(routine, operand, f);
                }
            }
        }
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => {}
    }
}

/// Extents are evaluated again when the reverse sweep is entered: what they read must not change.
pub(crate) fn check_extents(
    context: &Context,
    id: RoutineId,
    routine: &Routine,
    found: &mut Vec<Diagnostic>,
) {
    // Parameters that are `in` do not.
    let mut read = false;
    for variable in &routine.variables {
        each_extent(variable, &mut |e| {
            changeable(routine, e, &mut |p| {
                read |= routine.variable(p.var).intent() != Some(Intent::In);
            });
        });
    }
    if !read {
        return;
    }
    // By storage: what has another name may be changed through that.
    let class = storage_classes(&context.program, routine);
    let class = |v: VarId| class[v.index()] as usize;
    let mut written = FixedBitSet::with_capacity(routine.variables.len());
    for (_, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
        written.extend(vertex.kind.index().map(class));
        for statement in vertex.statements() {
            each_written(&context.program, statement, &mut |v| {
                written.insert(class(v));
            });
        }
    }
    for (v, g) in global_variables(routine) {
        if context.effects.written[id.index()].contains(g) {
            written.insert(class(v));
        }
    }
    for variable in &routine.variables {
        each_extent(variable, &mut |e| {
            changeable(routine, e, &mut |p| {
                if written.contains(class(p.var)) {
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
