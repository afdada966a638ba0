//! The two sweeps of a routine as parts of one: parameters and locals of the original are the same variables in both,
//! and so are temporaries that the one pushes and the other pops.

use cfg_core::{
    entity::VarId,
    ir::{
        Cfg, ControlWidth, Intent, NameOrigin, NameRole, OriginRole, Role, Routine, Stmt, StmtKind,
        TapeClass, visit::VisitMut as _,
    },
};
use std::collections::HashMap;

use crate::{
    code::{expressions::as_place, names::Namer, renumbered::Renumbered},
    plan::draft::Draft,
};

/// The sweeps of a routine as parts of one routine: variables of both, a graph of each.
pub(super) struct Joined {
    pub(super) routine: Routine,
    pub(super) forward: Cfg,
    pub(super) reverse: Cfg,
    pub(super) namer: Namer,
}

/// Gives both sweeps the variables of one routine, which has the parameters of the gradient.
pub(super) fn join(
    draft: &Draft<'_>,
    original: &Routine,
    forward: Routine,
    reverse: Routine,
) -> Option<Joined> {
    let mut routine = reverse;
    let mut namer: Namer = draft.scope.namer.clone();
    for variable in &routine.variables {
        namer.reserve(&variable.name);
    }
    let same = draft.tape.index() + 1;
    let popped = popped_for(&forward, &routine, same);
    let mut numbers: Vec<VarId> = (0..same).map(VarId::new).collect();
    for (v, variable) in forward.variables.iter().enumerate().skip(same) {
        let known = match variable.role {
            Role::Global(_) => {
                let mut variables = routine.variables.iter();
                variables
                    .position(|v| v.role == variable.role)
                    .map(VarId::new)
            }
            Role::Local | Role::Parameter { .. } => popped.get(&VarId::new(v)).copied(),
        };
        numbers.push(match known {
            Some(v) => v,
            None => {
                let mut variable = variable.clone();
                variable.name = namer.fresh_name(std::mem::take(&mut variable.name));
                routine.add_variable(variable)
            }
        });
    }
    let mut forward = forward;
    Renumbered(numbers).visit_routine(&mut forward);
    for v in original.parameter_ids() {
        routine.variables[v.index()].role = original.variable(v).role;
    }
    if let Some(result) = original.result {
        routine.variables[result.index()].role = Role::Parameter {
            intent: Intent::Out,
            optional: false,
        };
    }
    routine.variables[draft.tape.index()].role = Role::Local;
    routine.parameters.retain(|&v| v != draft.tape);
    routine.origin = Some(Box::new(NameOrigin::new(
        NameRole::Gradient,
        &*original.name,
    )));
    let reverse = routine.body.take()?;
    let forward = forward.body.take()?;
    Some(Joined {
        routine,
        forward,
        reverse,
        namer,
    })
}

/// The temporary of the reverse sweep to which each temporary of the forward sweep is popped: of the same name, or the
/// number of passes through the same loop. `first`: the first temporary.
fn popped_for(forward: &Routine, reverse: &Routine, first: usize) -> HashMap<VarId, VarId> {
    let mut counts = HashMap::new();
    for (loop_id, statement) in counts_of_loops(reverse) {
        if let StmtKind::Pop { target, .. } = &statement.kind {
            counts.insert(loop_id, target.var);
        }
    }
    let mut found = HashMap::new();
    for (loop_id, statement) in counts_of_loops(forward) {
        if let (StmtKind::Push { value, .. }, Some(&popped)) =
            (&statement.kind, counts.get(&loop_id))
            && let Some(pushed) = as_place(value)
        {
            found.insert(pushed.var, popped);
        }
    }
    let temporaries = reverse.variables.iter().enumerate().skip(first);
    let temporaries = temporaries.filter(|(_, variable)| variable.role == Role::Local);
    let by_name: HashMap<&str, VarId> = temporaries
        .map(|(v, t)| (&*t.name, VarId::new(v)))
        .collect();
    for statement in forward.statements() {
        if let StmtKind::Push { value, .. } = &statement.kind
            && let Some(pushed) = as_place(value).filter(|place| place.var.index() >= first)
        {
            let variable = forward.variable(pushed.var);
            let same = by_name.get(&*variable.name).copied();
            let same = same.filter(|&v| {
                let other = reverse.variable(v);
                (other.ty, &other.shape) == (variable.ty, &variable.shape)
            });
            if let Some(same) = same {
                found.entry(pushed.var).or_insert(same);
            }
        }
    }
    found
}

/// The statements that push or pop numbers of passes, each with the id of its loop.
fn counts_of_loops(routine: &Routine) -> impl Iterator<Item = (i64, &Stmt)> {
    let vertices = routine.body.iter().flat_map(Cfg::vertices);
    let inserted = vertices.filter_map(|(_, vertex)| {
        let origin = vertex.origin?;
        let is_count = matches!(origin.role, OriginRole::CounterPush | OriginRole::BoundPop);
        is_count.then_some((origin.vertex, vertex))
    });
    inserted.flat_map(|(id, vertex)| {
        let statements = vertex.statements().iter();
        let counts = statements.filter(|statement| {
            if let StmtKind::Push { class, .. } | StmtKind::Pop { class, .. } = &statement.kind {
                return *class == TapeClass::Control(ControlWidth::Count);
            }
            false
        });
        counts.map(move |statement| (id, statement))
    })
}
