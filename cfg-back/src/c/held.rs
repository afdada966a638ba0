//! Scalars of the caller that a loop assigns: they are held in a local variable, since compilers must take a pointer for
//! one that may reach the cells of any array, and then store and load in each pass.

use super::{
    file::Written,
    variable::{Kind, Variables, c_type, zero},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Intent, Program, Role, Routine, ScalarType, StmtKind, visit},
};

/// Gives local names to the parameters that are held.
pub(super) fn hold(
    program: &Program,
    written: &Written<'_>,
    variables: &mut Variables,
    mut fresh: impl FnMut(&str) -> String,
) {
    for v in held(program, written) {
        let variable = &mut variables.all[v.index()];
        if let Kind::Pointer(pointer) = variable.kind.clone() {
            variable.kind = Kind::Value(fresh(&format!("{pointer}_here")));
            variable.behind = Some(pointer);
        }
    }
}

/// The scalar parameters that are there, share no cells, are assigned in a loop and handed to no call.
fn held(program: &Program, written: &Written<'_>) -> Vec<VarId> {
    let routine = &*written.routine;
    let (Some(cfg), false) = (&routine.body, routine.aliased) else {
        return Vec::new();
    };
    let mut assigned = vec![false; routine.variables.len()];
    let mut handed_on = assigned.clone();
    for (v, vertex) in cfg.vertices() {
        // Graphs of jumps have loops that nobody has counted.
        let in_loop = (written.structure.as_ref()).is_none_or(|s| s.loop_depth[v.index()] > 0);
        if let (Some(index), true) = (vertex.kind.index(), in_loop) {
            assigned[index.index()] = true;
        }
        for statement in vertex.statements() {
            let is_call = matches!(statement.kind, StmtKind::Call { .. });
            if is_call {
                visit::each_name(statement, &mut |v, _| handed_on[v.index()] = true);
            } else if in_loop {
                visit::each_written(program, statement, &mut |v| assigned[v.index()] = true);
            }
        }
    }
    let is_held = |v: &VarId| assigned[v.index()] && !handed_on[v.index()] && is_there(routine, *v);
    routine.parameter_ids().filter(is_held).collect()
}

/// True for a scalar that the caller always gives.
fn is_there(routine: &Routine, v: VarId) -> bool {
    let variable = routine.variable(v);
    let given = match variable.role {
        Role::Parameter { optional, .. } => !optional,
        Role::Local | Role::Global(_) => false,
    };
    given && variable.rank() == 0 && variable.ty != ScalarType::Tape
}

impl Writer<'_> {
    /// The lines that load the held parameters that the function uses, and those that store them.
    pub(super) fn held(&self) -> (Vec<String>, Vec<String>) {
        let (mut loads, mut stores) = (Vec::new(), Vec::new());
        for (v, variable) in (0..).map(VarId::new).zip(&self.variables.all) {
            if let (Some(pointer), Kind::Value(local), true) =
                (&variable.behind, &variable.kind, variable.used)
            {
                let ty = c_type(variable.ty);
                // The caller may leave what only comes out without a value, and not every bit pattern is one.
                loads.push(match self.routine.variable(v).intent() {
                    Some(Intent::Out) => format!("{ty} {local} = {};", zero(variable.ty)),
                    Some(Intent::In | Intent::InOut) | None => {
                        format!("{ty} {local} = *{pointer};")
                    }
                });
                stores.push(format!("*{pointer} = {local};"));
            }
        }
        (loads, stores)
    }
}
