//! Extents are evaluated again when the reverse sweep is entered. This check refuses those that might have another
//! value then (R305).

use cfg_core::{
    diagnostic::{Diagnostic, site::Site},
    entity::{RoutineId, VarId},
    flat::FlatExpr,
    ir::{Expr, Intent, OpClass, Place, Routine, Variable},
    memory::{locations::Locations, named::global_variables},
};
use fixedbitset::FixedBitSet;

use crate::{
    code::routines::each_extent,
    codes,
    prepare::{
        context::Context,
        other_names::{Change, OtherName, assigned},
        places::at_statement,
    },
};

/// Calls `f` with the places whose values an extent reads. Shapes do not count: only locals take their shapes from
/// assignments, and extents name no locals.
fn changeable(e: &Expr, f: &mut impl FnMut(&Place)) {
    match FlatExpr::view(e) {
        FlatExpr::Place(p) => {
            f(p);
            for subscript in p.subscript_exprs() {
                changeable(subscript, f);
            }
        }
        FlatExpr::Op(op, operands) => {
            let asks = op.class() == OpClass::Inquiry;
            let is_whole = |e: &Expr| matches!(e, Expr::Place(p) if p.subscripts.is_empty());
            for operand in operands.iter().filter(|e| !(asks && is_whole(e))) {
                changeable(operand, f);
            }
        }
        FlatExpr::Constant(_) => {}
    }
}

/// Refuses extents that read a place which the routine may change.
pub(crate) fn check_extents(
    context: &Context,
    id: RoutineId,
    routine: &Routine,
    found: &mut Vec<Diagnostic>,
) {
    // Parameters that are `in` do not change, unless another name for their cells is written.
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
    if !(read || read_in && !changed.is_empty()) {
        return;
    }
    // Locations, not variables: a cell may be changed through another name.
    let locations = Locations::divide(&context.program, routine);
    let location = |v: VarId| locations.of_variable(v).index();
    let assigned = assigned(&context.program, routine);
    let mut written: FixedBitSet = assigned.ones().map(|v| location(VarId::new(v))).collect();
    written.grow(locations.len());
    for (v, g) in global_variables(routine) {
        if context.summary.written(id).contains(g) {
            written.insert(location(v));
        }
    }
    for variable in &routine.variables {
        each_extent(variable, &mut |e| {
            changeable(e, &mut |p| match is_in(p.var) {
                true => {
                    if let Some(change) = changed.get(&p.var) {
                        found.push(by_other_name(context, routine, variable, p.var, *change));
                    }
                }
                false if written.contains(location(p.var)) => {
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
                false => {}
            });
        });
    }
}

/// The problem of a parameter that is `in` and changes by another name, at the call that hands over the two.
fn by_other_name(
    context: &Context,
    routine: &Routine,
    shaped: &Variable,
    read: VarId,
    change: Change,
) -> Diagnostic {
    let program = &context.program;
    let n = &routine.variable(read).name;
    let other = match change.name {
        OtherName::Parameter(p) => format!("`{}`", routine.variable(p).name),
        OtherName::Global(g) => format!("the global `{}`", program.global(g).variable.name),
    };
    let message = format!(
        "the shape of `{}` in `{}` depends on `{n}`, which may change there by another name, {other}: in this call the two may be \
         the same cells",
        shaped.name, routine.name
    );
    let help = format!("assign what is passed for `{n}` to another variable, and pass that");
    let problem = Diagnostic::error(&codes::EXTENT, message, help);
    let caller = program.routine(change.caller);
    let statement = change.call.statement();
    let found = statement
        .zip(caller.body.as_ref())
        .and_then(|((v, s), cfg)| {
            let vertex = cfg.vertex(v);
            Some((vertex.id, vertex.statements().get(s)?))
        });
    let (r, call) = (change.caller, change.call);
    match found {
        Some((id, statement)) => at_statement(problem, program, r, call, id, statement),
        None => problem
            .at_element(format!("routine {}", caller.name))
            .at_site_in(program, Site::whole(r, call)),
    }
}
