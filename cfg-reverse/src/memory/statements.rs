//! What a statement names and writes.

use cfg_core::{
    entity::VarId,
    ir::{
        Expr, Intent, LoopTest, Place, Program, Routine, Selector, Stmt, StmtKind, Vertex,
        VertexKind,
    },
};

/// Calls `visit` for every statement of a routine.
pub(crate) fn each_statement<'r>(routine: &'r Routine, mut visit: impl FnMut(&'r Stmt)) {
    if let Some(cfg) = &routine.body {
        for (_, vertex) in cfg.vertices() {
            for statement in vertex.statements() {
                visit(statement);
            }
        }
    }
}

/// Calls `visit` for every variable of the routine that the statement itself may write (a callee's
/// globals are not among them).
pub(crate) fn each_written(program: &Program, statement: &Stmt, visit: &mut impl FnMut(VarId)) {
    match &statement.kind {
        StmtKind::Assign { target, .. } | StmtKind::Pop { target, .. } => visit(target.var),
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => {
            let called = program.routine(*callee);
            for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                if let Some(Expr::Place(place)) = argument
                    && called.variable(p).intent().is_some_and(Intent::writes)
                {
                    visit(place.var);
                }
            }
            if let Some(place) = result {
                visit(place.var);
            }
        }
        StmtKind::Push { .. } => {}
        StmtKind::Opaque { writes, .. } => writes.iter().copied().for_each(visit),
    }
}

/// Every place that a vertex names, but for the index of a LOOP.
pub(crate) fn each_place(program: &Program, vertex: &Vertex, place: &mut impl FnMut(&Place)) {
    match &vertex.kind {
        VertexKind::Loop { test, .. } => match test.as_ref() {
            LoopTest::Pre(e) | LoopTest::Post(e) => e.walk_places(place),
            LoopTest::Counted {
                first, last, step, ..
            } => {
                for e in [first, last, step] {
                    e.walk_places(place);
                }
            }
        },
        VertexKind::Branch(selector) => match selector.as_ref() {
            Selector::Condition(e) | Selector::Cases { value: e, .. } => e.walk_places(place),
        },
        VertexKind::Block(statements) => {
            for statement in statements {
                each_place_of(program, &statement.kind, place);
            }
        }
        VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
    }
}

/// Every place that a statement names; an element that is bound to an array formal counts as the whole
/// array.
fn each_place_of(program: &Program, kind: &StmtKind, place: &mut impl FnMut(&Place)) {
    match kind {
        StmtKind::Assign { target, value } => {
            place(target);
            for e in target.subscript_exprs() {
                e.walk_places(place);
            }
            value.walk_places(place);
        }
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => {
            let called = program.routine(*callee);
            for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                let Some(argument) = argument else { continue };
                argument.walk_places(place);
                if let (Expr::Place(actual), true) = (argument, called.variable(p).rank() > 0) {
                    place(&Place::whole(actual.var));
                }
            }
            if let Some(target) = result {
                place(target);
            }
        }
        StmtKind::Push { value, .. } => value.walk_places(place),
        StmtKind::Pop { target, .. } => place(target),
        StmtKind::Opaque { reads, writes, .. } => {
            for &v in reads.iter().chain(writes.iter()) {
                place(&Place::whole(v));
            }
        }
    }
}
