//! Optional arguments that are handed on, absent or not, to what may write them.
//!
//! If the value before is needed it must be recorded, and only what is present has one. So before such a
//! statement stands `if present(z): z := z`, which is where the value is pushed and popped; the statement
//! itself records nothing of `z`.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::VarId,
    ir::{Expr, Intent, Place, Program, Role, Routine, ScalarType, Stmt, StmtKind, VertexKind},
};

use crate::splice::Splice;

fn may_be_absent(routine: &Routine, v: VarId) -> bool {
    let variable = routine.variable(v);
    matches!(variable.role, Role::Parameter { optional: true, .. })
        && variable.ty != ScalarType::Tape
}

/// Calls `visit` for the optional arguments of the routine that the statement may write although they are
/// absent. Not for calls with a given adjoint: what that reads is restored before it.
pub(crate) fn each_handed_on(
    program: &Program,
    routine: &Routine,
    kind: &StmtKind,
    mut visit: impl FnMut(VarId),
) {
    match kind {
        StmtKind::Call {
            callee, arguments, ..
        } => {
            let called = program.routine(*callee);
            if called
                .derivatives
                .as_ref()
                .is_some_and(|d| d.adjoint.is_some())
            {
                return;
            }
            for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                if let Some(Expr::Place(place)) = argument
                    && place.subscripts.is_empty()
                    && may_be_absent(called, p)
                    && called.variable(p).intent().is_some_and(Intent::writes)
                    && may_be_absent(routine, place.var)
                {
                    visit(place.var);
                }
            }
        }
        StmtKind::Opaque { writes, .. } => {
            let absent = writes.iter().filter(|v| may_be_absent(routine, **v));
            absent.for_each(|&v| visit(v));
        }
        StmtKind::Assign { .. } | StmtKind::Push { .. } | StmtKind::Pop { .. } => {}
    }
}

/// True if the place is recorded before the statement, and not by it.
pub(crate) fn is_guarded(
    program: &Program,
    routine: &Routine,
    statement: &Stmt,
    place: &Place,
) -> bool {
    let mut found = false;
    if place.subscripts.is_empty() && may_be_absent(routine, place.var) {
        each_handed_on(program, routine, &statement.kind, |v| {
            found |= v == place.var;
        });
    }
    found
}

fn handed_on(program: &Program, routine: &Routine, statement: &Stmt) -> Vec<VarId> {
    let mut list = Vec::new();
    each_handed_on(program, routine, &statement.kind, |v| {
        if !list.contains(&v) {
            list.push(v);
        }
    });
    list
}

/// Puts the assignments in front of the statements; true if there is one.
pub(crate) fn guard(program: &Program, routine: &mut Routine) -> Result<bool, Diagnostics> {
    let mut body = routine.body.take();
    let graph = Splice::where_any(&mut body, |s| !handed_on(program, routine, s).is_empty());
    routine.body = body;
    let Some(mut graph) = graph else {
        return Ok(false);
    };
    for v in 0..graph.vertices.len() {
        let (mut at, mut from) = (v, 0);
        while let VertexKind::Block(statements) = &mut graph.vertices[at].kind {
            let mut rest = statements.iter().enumerate().skip(from);
            let found = rest.find_map(|(s, statement)| {
                let list = handed_on(program, routine, statement);
                (!list.is_empty()).then_some((s, list))
            });
            let Some((s, list)) = found else { break };
            let mut rest = Some(statements.split_off(s));
            let last = list.len() - 1;
            for (k, z) in list.into_iter().enumerate() {
                let itself = Stmt::assign(Place::whole(z), Expr::var(z));
                let rest = rest.take_if(|_| k == last).unwrap_or_else(Vec::new);
                at = graph.if_present(at, z, vec![itself], rest);
            }
            from = 1;
        }
    }
    routine.body = Some(graph.finish()?);
    Ok(true)
}
