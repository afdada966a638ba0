//! What NAME_grad is a function of, so that its tangent is a Hessian.

use cfg_core::{
    entity::{GlobalId, VarId},
    ir::{Program, Role, Routine, Variable},
};

use crate::{memory::shared::without_sharing, prepare::context::Context};

/// Independents of NAME_grad: those of the original, and the adjoints of its dependents. Dependents: those of
/// the original, and the adjoints of its independents. Of adjoint globals that share cells, one that covers
/// them is named.
pub(crate) fn declare_active(
    context: &Context,
    original: &Routine,
    out: &Program,
    routine: &mut Routine,
    primal: usize,
) {
    let named = |routine: &mut Routine, g: GlobalId| {
        let is = |v: &Variable| v.role == Role::Global(g);
        match routine.variables.iter().position(is) {
            Some(v) => VarId::new(v),
            None => routine.add_variable(out.global(g).variable.clone()),
        }
    };
    let mut sides = [&original.independents, &original.dependents].map(|list| {
        let mut values = Vec::new();
        let mut adjoints = Vec::new();
        let mut globals = Vec::new();
        for &v in list {
            if let Role::Global(g) = original.variable(v).role {
                values.push(named(routine, g));
                globals.extend(context.adjoint_globals[g.index()]);
                continue;
            }
            let k = if original.result == Some(v) {
                original.parameters
            } else {
                v.index()
            };
            let reals = routine.variables[..k].iter().filter(|v| v.ty.is_real());
            values.push(VarId::new(k));
            adjoints.push(VarId::new(primal + reals.count()));
        }
        (values, adjoints, globals)
    });
    for (_, adjoints, globals) in &mut sides {
        for g in without_sharing(out, globals) {
            adjoints.push(named(routine, g));
        }
    }
    let [(x, x_b, _), (y, y_b, _)] = sides;
    let sorted = |a: Vec<VarId>, b: Vec<VarId>| {
        let mut all = [a, b].concat();
        all.sort_unstable();
        all.dedup();
        all
    };
    routine.independents = sorted(x, y_b);
    routine.dependents = sorted(x_b, y);
}
