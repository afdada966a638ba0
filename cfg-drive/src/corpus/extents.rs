//! Extents of the top routine's arrays that the program leaves to its caller: `x(*)`, `x(:)`, `x(2, *)`. The caller
//! of a program with a reference passes n independents and m dependents, so these numbers determine the extents.

use crate::slot::Slot;
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Cfg, Expr, Extent, Program, StmtKind, Variable},
};

/// Gives arrays the extents that follow from `n` and `m`: `x` and `y` if both exist, otherwise the only independent
/// and the only dependent without extents.
pub(super) fn assume(program: &mut Program, main: RoutineId, n: usize, m: usize) {
    // If the program itself calls the routine, its arguments may have another size.
    if calls(program, main) {
        return;
    }
    let routine = program.routine(main);
    let named = |name: &str| match Slot::find(program, routine, name) {
        Some(Slot::Parameter(v)) => Some(v),
        _ => None,
    };
    if let (Some(x), Some(y)) = (named("x"), named("y")) {
        give(program, main, x, n);
        give(program, main, y, m);
        return;
    }
    let lists = [
        (routine.independents.clone(), n),
        (routine.dependents.clone(), m),
    ];
    for (list, count) in lists {
        let routine = program.routine(main);
        let open = |v: &VarId| elements(routine.variable(*v)).is_none();
        let mut others = list.iter().filter(|v| !open(v));
        let known = others.try_fold(0usize, |sum, &v| {
            sum.checked_add(elements(routine.variable(v))?)
        });
        let mut unknown = list.iter().copied().filter(open);
        if let (Some(v), None, Some(known)) = (unknown.next(), unknown.next(), known)
            && let Some(rest) = count.checked_sub(known)
        {
            give(program, main, v, rest);
        }
    }
}

fn calls(program: &Program, main: RoutineId) -> bool {
    let bodies = program.routines.iter().flat_map(|r| r.body.iter());
    bodies
        .flat_map(Cfg::vertices)
        .flat_map(|(_, v)| v.statements())
        .any(|s| matches!(s.kind, StmtKind::Call { callee, .. } if callee == main))
}

/// Number of elements, if it is constant.
fn elements(variable: &Variable) -> Option<usize> {
    variable
        .shape
        .iter()
        .try_fold(1usize, |n, dim| match dim.extent {
            Extent::Fixed(Expr::Int(e)) => n.checked_mul(usize::try_from(e).ok()?),
            Extent::Fixed(_) | Extent::Deferred => None,
        })
}

/// The declared extents, from the front end's annotation; `None` for the open last one.
fn declared(variable: &Variable) -> Option<Vec<Option<usize>>> {
    let list = variable.annotations.as_ref()?.get("xaif")?.get("extents")?;
    let extent = |e: &serde_json::Value| e.as_u64().and_then(|e| usize::try_from(e).ok());
    Some(list.as_array()?.iter().map(extent).collect())
}

/// Gives an array of deferred extents `count` elements; leaves it alone if `count` does not fit the other extents.
fn give(program: &mut Program, main: RoutineId, v: VarId, count: usize) {
    let Some(variable) = program.routines[main.index()].variables.get_mut(v.index()) else {
        return;
    };
    let deferred = |v: &Variable| v.shape.iter().all(|d| matches!(d.extent, Extent::Deferred));
    if variable.shape.is_empty() || !deferred(variable) {
        return;
    }
    let mut extents = declared(variable).unwrap_or_else(|| vec![None; variable.shape.len()]);
    if extents.len() != variable.shape.len() {
        return;
    }
    let known = extents
        .iter()
        .flatten()
        .try_fold(1usize, |n, &e| n.checked_mul(e));
    let mut open = extents.iter_mut().filter(|e| e.is_none());
    let (Some(last), None, Some(known)) = (open.next(), open.next(), known) else {
        return;
    };
    if known == 0 || !count.is_multiple_of(known) {
        return;
    }
    *last = Some(count / known);
    let extents: Option<Vec<i64>> = extents
        .iter()
        .map(|e| e.and_then(|e| i64::try_from(e).ok()))
        .collect();
    let Some(extents) = extents else { return };
    for (dim, extent) in variable.shape.iter_mut().zip(extents) {
        dim.extent = Extent::Fixed(Expr::Int(extent));
    }
}
