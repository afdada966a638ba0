//! Adjoint programs that were made wrong by hand: pops that do not restore what they should.

use cfg_core::{
    entity::{RoutineId, VertexId},
    ir::{Expr, NameRole, Place, Program, Stmt, StmtKind, TapeClass},
};

/// A statement of a block of a routine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    routine: RoutineId,
    vertex: VertexId,
    statement: usize,
}

/// A change of an adjoint program.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// A push is left out, and its pop.
    LeaveOut { push: At, pop: At },
    /// Two neighbouring pops of one class change their targets.
    Swap { first: At },
    /// A pop changes places with the statement behind it, which then reads what was there before.
    Late { pop: At },
}

/// The blocks of a routine.
fn blocks(program: &Program, routine: RoutineId) -> impl Iterator<Item = (VertexId, &[Stmt])> {
    let cfg = program.routine(routine).body.iter();
    cfg.flat_map(|cfg| cfg.vertices().map(|(v, vertex)| (v, vertex.statements())))
}

fn popped(statement: &Stmt) -> Option<(TapeClass, &Place)> {
    match &statement.kind {
        StmtKind::Pop { class, target, .. } => Some((*class, target)),
        _ => None,
    }
}

/// All changes of the sweeps of a program.
pub(crate) fn changes(
    program: &Program,
    sweeps: &[(RoutineId, RoutineId, RoutineId)],
) -> Vec<Change> {
    let mut all = Vec::new();
    for &(_, forward, reverse) in sweeps {
        for (v, statements) in blocks(program, reverse) {
            for (k, statement) in statements.iter().enumerate() {
                let Some((class, target)) = popped(statement) else {
                    continue;
                };
                // Variables that only the sweeps have, such as recorded results of functions, have no counterpart.
                let is_temporary = |place: &Place| {
                    let variable = program.routine(reverse).variable(place.var);
                    let origin = variable.origin.as_deref();
                    origin.is_some_and(|origin| origin.role == NameRole::Temporary)
                };
                if is_temporary(target) {
                    continue;
                }
                let at = |statement| At {
                    routine: reverse,
                    vertex: v,
                    statement,
                };
                let pops = pops_like(program, reverse, v, statement).count();
                let mut pushes = pushes_of(program, forward, (reverse, v), statement);
                if let (1, Some(push), None) = (pops, pushes.next(), pushes.next()) {
                    all.push(Change::LeaveOut { push, pop: at(k) });
                }
                match statements.get(k + 1).map(|next| (next, popped(next))) {
                    Some((_, Some((next, other)))) => {
                        let simple = [target, other]
                            .iter()
                            .all(|p| is_scalar(program, reverse, p));
                        if next == class && simple && target != other && !is_temporary(other) {
                            all.push(Change::Swap { first: at(k) });
                        }
                    }
                    Some((_, None)) => all.push(Change::Late { pop: at(k) }),
                    None => {}
                }
            }
        }
    }
    all
}

fn is_scalar(program: &Program, routine: RoutineId, place: &Place) -> bool {
    let shape = &program.routine(routine).variable(place.var).shape;
    place.subscripts.is_empty() && shape.is_empty() || place.is_element()
}

/// The vertex of the original that a block stands for or is inserted for.
fn origin(program: &Program, routine: RoutineId, v: VertexId) -> Option<i64> {
    let vertex = program.routine(routine).body.as_ref()?.vertex(v);
    vertex.origin.map(|o| o.vertex)
}

fn pops_like<'a>(
    program: &'a Program,
    routine: RoutineId,
    v: VertexId,
    pop: &'a Stmt,
) -> impl Iterator<Item = &'a Stmt> {
    let of = origin(program, routine, v);
    let near = blocks(program, routine).filter(move |(w, _)| origin(program, routine, *w) == of);
    let number = pop.origin.number();
    near.flat_map(|(_, statements)| statements)
        .filter(move |s| popped(s) == popped(pop) && s.origin.number() == number)
}

/// The pushes that a pop mirrors.
fn pushes_of<'a>(
    program: &'a Program,
    forward: RoutineId,
    (reverse, v): (RoutineId, VertexId),
    pop: &'a Stmt,
) -> impl Iterator<Item = At> + 'a {
    let of = origin(program, reverse, v);
    let near = blocks(program, forward).filter(move |(w, _)| origin(program, forward, *w) == of);
    near.flat_map(move |(vertex, statements)| {
        let mirrors = move |s: &Stmt| match &s.kind {
            StmtKind::Push {
                class,
                value: Expr::Place(place),
                ..
            } => popped(pop) == Some((*class, place)) && s.origin.number() == pop.origin.number(),
            _ => false,
        };
        let found = statements
            .iter()
            .enumerate()
            .filter(move |(_, s)| mirrors(s));
        found.map(move |(statement, _)| At {
            routine: forward,
            vertex,
            statement,
        })
    })
}

/// The program with a change.
pub(crate) fn wrong(program: &Program, change: &Change) -> Program {
    let mut out = program.clone();
    match change {
        Change::LeaveOut { push, pop } => {
            for at in [push, pop] {
                block(&mut out, at).remove(at.statement);
            }
        }
        Change::Swap { first } => {
            let statements = block(&mut out, first);
            statements.swap(first.statement, first.statement + 1);
        }
        Change::Late { pop } => {
            let statements = block(&mut out, pop);
            statements.swap(pop.statement, pop.statement + 1);
        }
    }
    out
}

fn block<'p>(program: &'p mut Program, at: &At) -> &'p mut Vec<Stmt> {
    let cfg = program.routines[at.routine.index()].body.as_mut();
    let vertex = cfg.expect("a change is in a body").vertex_mut(at.vertex);
    vertex
        .kind
        .statements_mut()
        .expect("a change is in a block")
}
