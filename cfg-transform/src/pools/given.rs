//! Routines that are entered with the objects of global pointers: a new routine has a parameter for each such global,
//! and assigns it.

use super::head::{instead_of, rename_extents};
use crate::names::fresh_name;
use cfg_core::{
    diagnostic::Diagnostics,
    edit::Editor,
    entity::{GlobalId, RoutineId, VarId},
    ir::{Expr, Intent, Place, Program, Role, Routine, Stmt, StmtKind, Variable},
    validate::{ValidProgram, validate},
};
use std::collections::{BTreeMap, HashSet};

/// The program with a new routine in place of `routine`, and the number of the new one. The new routine has the name
/// and the parameters of `routine`, and behind these a parameter for each of the globals, which are pointers. In lists
/// of independents and dependents, the parameter replaces the global. The other routines keep their numbers.
///
/// # Errors
/// The program breaks a rule with it.
pub fn given(
    program: &ValidProgram,
    routine: RoutineId,
    globals: &[GlobalId],
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let mut renamed = program.program().clone();
    let names = renamed.globals.iter().map(|g| &g.variable.name);
    let variables = renamed.routines.iter().flat_map(|r| &r.variables);
    let mut taken: HashSet<String> = names.chain(variables.map(|v| &v.name)).cloned().collect();
    for g in globals {
        let variable = &mut renamed.globals[g.index()].variable;
        variable.name = fresh_name(format!("{}_global", variable.name), &mut taken);
    }
    let head = head(program, &renamed, routine, globals);
    enter_by(renamed, routine, head, "given")
}

/// The program that is entered by `head` in place of `routine`, which is renamed with this ending.
pub(super) fn enter_by(
    mut made: Program,
    routine: RoutineId,
    head: Routine,
    ending: &str,
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let names = made.routines.iter().map(|r| r.name.clone());
    let mut taken: HashSet<String> = names.collect();
    let body = &mut made.routines[routine.index()];
    body.name = fresh_name(format!("{}.{ending}", body.name), &mut taken);
    let id = RoutineId::new(made.routines.len());
    made.routines.push(head);
    if made.main == Some(routine) {
        made.main = Some(id);
    }
    Ok((validate(made)?, id))
}

/// The new routine; in `renamed`, no global has the name of a parameter.
fn head(program: &Program, renamed: &Program, id: RoutineId, given: &[GlobalId]) -> Routine {
    let original = program.routine(id);
    let mut out = instead_of(original);
    let mut ids: BTreeMap<VarId, VarId> = BTreeMap::new();
    for v in original.parameter_ids().chain(original.result) {
        let copy = original.variable(v).clone();
        ids.entry(v).or_insert_with(|| out.add_variable(copy));
    }
    let mut assigned = Vec::new();
    let mut parameters = BTreeMap::new();
    for &g in given {
        let variable = &program.global(g).variable;
        let role = Role::Parameter {
            intent: Intent::In,
            optional: false,
        };
        let parameter = out.add_variable(Variable {
            role,
            ..variable.clone()
        });
        parameters.insert(g, parameter);
        assigned.push((g, parameter));
    }
    for (k, variable) in original.variables.iter().enumerate() {
        let Role::Global(g) = variable.role else {
            continue;
        };
        let v = match parameters.get(&g) {
            Some(parameter) => *parameter,
            None => out.add_variable(variable.clone()),
        };
        ids.insert(VarId::new(k), v);
    }
    rename_extents(&mut out, &ids);
    let list = |list: &[VarId]| list.iter().map(|v| ids[v]).collect();
    out.independents = list(&original.independents);
    out.dependents = list(&original.dependents);
    out.result = original.result.map(|v| ids[&v]);
    let assigned = assigned.into_iter().map(|(g, parameter)| {
        let global = out.add_variable(renamed.global(g).variable.clone());
        Stmt::assign(Place::whole(global), Expr::var(parameter))
    });
    let mut block: Vec<Stmt> = assigned.collect();
    let arguments = original.parameter_ids().map(|v| Some(Expr::var(ids[&v])));
    block.push(Stmt::new(StmtKind::Call {
        callee: id,
        arguments: arguments.collect(),
        result: original.result.map(|v| Place::whole(ids[&v])),
    }));
    out.body = Some(Editor::line([block]));
    out
}
