//! Global pointers with values in a POINT: makes the program in which they are parameters.

use crate::codes;
use crate::json::pointer;
use crate::options::Options;
use crate::point::words_of_tree;
use crate::slot::Slot;
use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId},
    ir::{Role, visit::each_written},
    validate::ValidProgram,
};
use cfg_format::json::values;
use cfg_transform::pools;
use std::collections::HashSet;

/// The program in which the global pointers that a POINT names are parameters, and its entry routine. Assumes a
/// program whose pointers have not been lowered ([`cfg_transform::pools::lower`]).
///
/// # Errors
/// The POINT cannot be read, takes more memory than a run may, or names a pointer that the routine assigns itself.
pub(crate) fn given(
    program: ValidProgram,
    routine: RoutineId,
    text: &[u8],
    options: &Options,
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let is_pointer = |g: &GlobalId| {
        let variable = &program.global(*g).variable;
        variable.ty.pointer().is_some() && variable.rank() == 0
    };
    let pointers: Vec<GlobalId> = (0..program.globals.len())
        .map(GlobalId::new)
        .filter(is_pointer)
        .collect();
    if pointers.is_empty() {
        return Ok((program, routine));
    }
    let declared = program.routine(routine);
    let _tree = options.lease(words_of_tree(text), declared)?;
    let members = values::read(text)?;
    let is_parameter = |name: &str| {
        let slot = Slot::find(&program, declared, name);
        matches!(slot, Some(Slot::Parameter(_)))
    };
    // A global that the routine itself assigns (its initial value, for example) would lose the value of the point.
    let mut assigned = HashSet::new();
    for statement in declared.statements() {
        each_written(&program, statement, &mut |v| {
            if let Role::Global(g) = declared.variable(v).role {
                assigned.insert(g);
            }
        });
    }
    let named = |g: &GlobalId| {
        let name = &program.global(*g).variable.name;
        members.iter().any(|(member, _)| member == name) && !is_parameter(name)
    };
    let given: Vec<GlobalId> = pointers.into_iter().filter(named).collect();
    if let Some(g) = given.iter().find(|g| assigned.contains(g)) {
        let name = &program.global(*g).variable.name;
        let message = format!("{name} is a global that {} assigns itself", declared.name);
        let help = "leave it out; or make it a parameter, or assign it in another routine";
        return Err(codes::problem(
            &codes::UNKNOWN,
            message,
            help,
            pointer(name),
        ));
    }
    match given.is_empty() {
        true => Ok((program, routine)),
        false => pools::given(&program, routine, &given),
    }
}
