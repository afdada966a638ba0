//! Parameters and variables of other files that are told apart: each has its own derivative, so that one cell must not be both.

use super::{GlobalNames, file::File, parameters::Interface};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Intent, ParameterRole, Role, ScalarType, visit::each_written},
};
use std::collections::{BTreeMap, HashSet};

/// The conditions under which a pointer that is passed for a parameter, which stands beside each, leads into a variable of another file, and one of the two is
/// written. Extents that are computed are not known here.
pub(super) fn met_globals(
    file: &File<'_>,
    globals: &GlobalNames,
    interface: &mut Interface,
    original: RoutineId,
) -> Vec<(VarId, String)> {
    let external = &globals.variables.external;
    let mut met = Vec::new();
    if external.is_empty() {
        return met;
    }
    let mut written = HashSet::new();
    for routine in &file.program.routines {
        for statement in routine.statements() {
            each_written(file.program, statement, &mut |v| {
                if let Role::Global(g) = routine.variable(v).role {
                    let owner = file.program.storage(g).0;
                    written.extend(external.get(&owner).map(|e| &*e.name));
                }
            });
        }
    }
    let mut types: BTreeMap<&str, Vec<ScalarType>> = BTreeMap::new();
    for (g, external) in external {
        let ty = file.program.global(*g).variable.ty;
        types.entry(&external.name).or_default().push(ty);
    }
    let outside = file.outside();
    let routine = outside.routine(original);
    for p in routine.parameter_ids() {
        let variable = routine.variable(p);
        let writes = variable.intent().is_some_and(Intent::writes);
        let role = ParameterRole::Primal(p);
        let (true, Some(&item)) = (variable.rank() > 0 || writes, interface.of_role.get(&role))
        else {
            continue;
        };
        let leaves = outside.leaves(variable.ty);
        for (&name, types) in &types {
            let meets = leaves.iter().any(|leaf| types.contains(&leaf.ty));
            if !meets || !writes && !written.contains(name) {
                continue;
            }
            let Some(count) = interface.elements(file, original, p) else {
                break;
            };
            let given = &interface.items[item].name;
            let condition = format!(
                "{given} && (uintptr_t){given} < (uintptr_t)&{name} + sizeof {name} && (uintptr_t)&{name} < (uintptr_t){given} + {count} * sizeof *{given}"
            );
            met.push((p, condition));
        }
    }
    met
}
