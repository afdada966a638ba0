//! What NAME_grad is a function of, so that its tangent is a Hessian.

use cfg_core::{
    entity::{GlobalId, VarId},
    ir::{Program, Role, Routine, Variable},
};

use crate::{draft::Context, shared::without_sharing};

/// Independents of NAME_grad: those of the original, and the adjoints of its dependents. Dependents: those of
/// the original, and the adjoints of its independents. Of adjoint globals that share cells, one that covers
/// them is named.
pub(crate) fn declare_active(
    context: &Context<'_>,
    original: &Routine,
    out: &Program,
    routine: &mut Routine,
    primal: usize,
) {
    let own = |routine: &Routine, g: GlobalId| {
        let is = |v: &Variable| v.role == Role::Global(g);
        routine.variables.iter().position(is).map(VarId::new)
    };
    let mut sides = [&original.independents, &original.dependents].map(|list| {
        let mut values = Vec::new();
        let mut adjoints = Vec::new();
        let mut globals = Vec::new();
        for &v in list {
            if let Role::Global(g) = original.variable(v).role {
                values.extend(own(routine, g));
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
            let v = own(routine, g)
                .unwrap_or_else(|| routine.add_variable(out.global(g).variable.clone()));
            adjoints.push(v);
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
