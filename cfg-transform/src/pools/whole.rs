//! Parameters in pools that take their first extent from the argument. If each argument reaches to the end of its
//! object, the number of rows follows from the object.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Dim, Expr, Extent, Order, Part, Program, Role, StmtKind, Subscript, Variable},
};
use std::collections::{HashMap, HashSet};

type Parameter = (RoutineId, VarId);

/// The parameters in pools for which every argument in the program reaches to the end of its object. At the entry of
/// the program, the object is the array that is passed.
pub(super) fn whole_parameters(
    program: &Program,
    is_moved: impl Fn(RoutineId, VarId) -> bool,
) -> HashSet<Parameter> {
    let mut whole: HashSet<Parameter> = HashSet::new();
    for (r, routine) in program.routines.iter().enumerate() {
        let r = RoutineId::new(r);
        let parameters = routine.parameter_ids();
        let parameters = parameters.filter(|v| is_moved(r, *v) && has_rows(routine.variable(*v)));
        whole.extend(parameters.map(|v| (r, v)));
    }
    if whole.is_empty() {
        return whole;
    }
    let mut partial: Vec<Parameter> = Vec::new();
    let mut handed_on: HashMap<Parameter, Vec<Parameter>> = HashMap::new();
    for (r, routine) in program.routines.iter().enumerate() {
        let r = RoutineId::new(r);
        for statement in routine.statements() {
            let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            else {
                continue;
            };
            let parameters = program.routine(*callee).parameter_ids();
            for (parameter, argument) in parameters.zip(arguments) {
                let parameter = (*callee, parameter);
                let Some(argument) = argument.as_ref().filter(|_| whole.contains(&parameter))
                else {
                    continue;
                };
                match to_the_end(argument) {
                    Some(v) if whole.contains(&(r, v)) => {
                        handed_on.entry((r, v)).or_default().push(parameter);
                    }
                    Some(v) if is_moved(r, v) && is_object(program, routine.variable(v)) => {}
                    Some(_) | None => partial.push(parameter),
                }
            }
        }
    }
    while let Some(parameter) = partial.pop() {
        if whole.remove(&parameter) {
            partial.extend(handed_on.remove(&parameter).unwrap_or_default());
        }
    }
    whole
}

/// True for an array in row order of which only the first dimension has no extent.
fn has_rows(variable: &Variable) -> bool {
    let Some((first, others)) = variable.shape.split_first() else {
        return false;
    };
    variable.order == Order::Row
        && first.extent == Extent::Deferred
        && others.iter().all(|dim| dim.constant_extent() > Some(0))
}

/// True for a variable that is a whole object.
fn is_object(program: &Program, variable: &Variable) -> bool {
    let is_alone = match variable.role {
        Role::Local => true,
        Role::Global(g) => program.global(g).overlay.is_none(),
        Role::Parameter { .. } => false,
    };
    let is_fixed = |dim: &Dim| matches!(dim.extent, Extent::Fixed(_));
    is_alone && variable.order == Order::Row && variable.shape.iter().all(is_fixed)
}

/// The variable of an argument that is the whole variable, or its rest from an element of the first dimension on.
fn to_the_end(argument: &Expr) -> Option<VarId> {
    let Expr::Place(place) = argument else {
        return None;
    };
    let mut levels = place.levels();
    let level = levels.next()?;
    if !matches!(level.part, Part::Variable) || levels.next().is_some() {
        return None;
    }
    let is_open = |(k, subscript): (usize, &Subscript)| match subscript {
        Subscript::Range(range) => {
            range.upper.is_none() && range.stride.is_none() && (k == 0 || range.lower.is_none())
        }
        Subscript::Index(_) | Subscript::Field(_) | Subscript::Deref => false,
    };
    let is_open = level.subscripts.iter().enumerate().all(is_open);
    is_open.then_some(place.var)
}
