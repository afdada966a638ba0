//! The independents and dependents of NAME_grad, so that its tangent is a Hessian.

use cfg_core::{
    entity::{GlobalId, VarId},
    ir::{Program, Role, Routine},
};
use std::collections::BTreeMap;

use crate::{memory::shared::without_sharing, prepare::context::Context};

/// Independents of NAME_grad: those of the original, and the adjoints of its dependents. Dependents: those of
/// the original, and the adjoints of its independents. If adjoint globals share cells, one that covers them is named.
pub(crate) fn declare_active(
    context: &Context,
    original: &Routine,
    out: &Program,
    routine: &mut Routine,
    primal: usize,
) {
    let mut of = BTreeMap::new();
    for (k, variable) in routine.variables.iter().enumerate() {
        if let Role::Global(g) = variable.role {
            of.entry(g).or_insert(VarId::new(k));
        }
    }
    let mut named = |routine: &mut Routine, g: GlobalId| {
        *of.entry(g)
            .or_insert_with(|| routine.add_variable(out.global(g).variable.clone()))
    };
    // For each parameter, and for the result behind them, the number of adjoints that are declared before its own.
    let positions = original.parameter_positions();
    let parameters = original.parameters.len();
    let variables = original.parameter_ids().map(|p| original.variable(p));
    let before: Vec<usize> = std::iter::once(0)
        .chain(variables.scan(0, |reals, v| {
            *reals += usize::from(v.ty.is_real());
            Some(*reals)
        }))
        .collect();
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
            let k = positions[v.index()].unwrap_or(parameters);
            values.push(routine.parameters[k]);
            adjoints.push(routine.parameters[primal + before[k]]);
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
