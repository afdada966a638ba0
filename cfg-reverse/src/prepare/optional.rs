//! Optional arguments that are handed on, absent or not, to calls that may write them.
//!
//! A value that is needed before such a call must be recorded, and only a present argument has one. So `if
//! present(z): z := z` stands before the call: the value is pushed and popped there, and the call itself records
//! nothing of `z`. (An argument that an opaque statement writes must be present.)
//!
//! A given adjoint reads the values before the call, so they are restored before it is called and not after it. Such
//! a call stands instead in both arms of a branch on `present(z)`, without the argument in the arm for an absent one.

use cfg_core::{
    edit::Editor,
    entity::VarId,
    ir::{
        Expr, Intent, Place, Program, Role, Routine, ScalarType, Stmt, StmtKind,
        visit::{PlaceRole, Visit},
    },
};
use std::collections::HashSet;

use crate::memory::summary::given_adjoint;

fn may_be_absent(routine: &Routine, v: VarId) -> bool {
    let variable = routine.variable(v);
    matches!(variable.role, Role::Parameter { optional: true, .. })
        && variable.ty != ScalarType::Tape
}

/// Most arguments for which a call is written both with and without them: each doubles the number of calls.
const MOST: usize = 6;

/// Calls `visit` for the optional arguments of the routine that may be absent and that the statement, if it is a
/// call, hands on to be written.
pub(crate) fn each_handed_on(
    program: &Program,
    routine: &Routine,
    statement: &Stmt,
    mut visit: impl FnMut(VarId),
) {
    struct HandedOn<'a, F> {
        program: &'a Program,
        routine: &'a Routine,
        visit: &'a mut F,
    }
    impl<'ir, F: FnMut(VarId)> Visit<'ir> for HandedOn<'_, F> {
        fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
            let PlaceRole::Bind { callee, formal } = role else {
                return;
            };
            let called = self.program.routine(callee);
            let Some(&p) = called.parameters.get(formal) else {
                return;
            };
            if place.subscripts.is_empty()
                && may_be_absent(called, p)
                && called.variable(p).intent().is_some_and(Intent::writes)
                && may_be_absent(self.routine, place.var)
            {
                (self.visit)(place.var);
            }
        }
    }
    let visit = &mut visit;
    HandedOn {
        program,
        routine,
        visit,
    }
    .visit_statement(statement);
}

/// True of a call of a routine with a given adjoint.
fn is_given(program: &Program, kind: &StmtKind) -> bool {
    let StmtKind::Call { callee, .. } = kind else {
        return false;
    };
    given_adjoint(program.routine(*callee)).is_some()
}

/// The variables that are recorded as a whole before the statement, so that the statement itself does not record
/// them.
pub(crate) fn guarded(program: &Program, routine: &Routine, statement: &Stmt) -> HashSet<VarId> {
    match is_given(program, &statement.kind) {
        true => HashSet::new(),
        false => handed_on(program, routine, statement).into_iter().collect(),
    }
}

fn handed_on(program: &Program, routine: &Routine, statement: &Stmt) -> Vec<VarId> {
    let mut list = Vec::new();
    let mut seen = HashSet::new();
    each_handed_on(program, routine, statement, |v| {
        if seen.insert(v) {
            list.push(v);
        }
    });
    list
}

/// The arguments that need a guard; none for a call with a given adjoint and more than [`MOST`] of them, which is
/// left as it is.
fn unguarded(program: &Program, routine: &Routine, statement: &Stmt) -> Vec<VarId> {
    let list = handed_on(program, routine, statement);
    if is_given(program, &statement.kind) && list.len() > MOST {
        return Vec::new();
    }
    list
}

/// The call with an argument left out.
fn without(program: &Program, mut call: Stmt, z: VarId) -> Stmt {
    if let StmtKind::Call {
        callee, arguments, ..
    } = &mut call.kind
    {
        let called = program.routine(*callee);
        for (p, argument) in called.parameter_ids().zip(arguments.iter_mut()) {
            let is_z = matches!(argument, Some(Expr::Place(place)) if *place == Place::whole(z));
            if is_z && may_be_absent(called, p) {
                *argument = None;
            }
        }
    }
    call
}

/// Puts a call behind a block, with and without each of these arguments; the block that follows.
fn split(program: &Program, graph: &mut Editor, block: usize, call: Stmt, list: &[VarId]) -> usize {
    let last = graph.split(block);
    let mut ends = vec![(block, call)];
    graph.add_edge(block, last, None);
    for (k, &z) in list.iter().enumerate() {
        let innermost = k + 1 == list.len();
        let mut arms = Vec::with_capacity(2 * ends.len());
        for (at, call) in ends {
            let calls = [call.clone(), without(program, call, z)];
            let statements = calls
                .clone()
                .map(|c| if innermost { vec![c] } else { Vec::new() });
            let [present, absent, _] = graph.if_present_else(at, z, statements);
            arms.extend([present, absent].into_iter().zip(calls));
        }
        ends = arms;
    }
    last
}

/// Puts the assignments in front of the statements, and calls of what has a given adjoint into branches; true if
/// there is one.
pub(crate) fn guard(program: &Program, routine: &mut Routine) -> bool {
    let mut body = routine.body.take();
    let graph = Editor::where_any(&mut body, |s| !unguarded(program, routine, s).is_empty());
    routine.body = body;
    let Some(mut graph) = graph else {
        return false;
    };
    let found = |s: &Stmt| Some(unguarded(program, routine, s)).filter(|list| !list.is_empty());
    for (mut at, mut rest) in graph.take_statements() {
        while let Some((statement, list)) = graph.fill(at, &mut rest, found) {
            if is_given(program, &statement.kind) {
                at = split(program, &mut graph, at, statement, &list);
                continue;
            }
            for z in list {
                let itself = Stmt::assign(Place::whole(z), Expr::var(z));
                at = graph.if_present(at, z, vec![itself]);
            }
            graph.push(at, statement);
        }
    }
    routine.body = Some(graph.finish());
    true
}
