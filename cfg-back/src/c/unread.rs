//! Local integers that nothing reads, in a file without checks: they are neither declared nor assigned.
//!
//! The check of a pointer is an expression of its own ([`Astray`]), whose value is the cell. Without checks only the
//! cell is written, so that variables which only checks read are not needed either.

use super::{file::File, pooled::Pooled, writer::Writer};
use cfg_core::{
    entity::VarId,
    flat::{FlatExpr, FlatStmt},
    ir::{Astray, Expr, Extent, Place, Role, Routine},
};
use std::collections::{HashMap, HashSet};

/// True of a name of a table of a pool.
fn is_table(file: &File<'_>, routine: &Routine, v: VarId) -> bool {
    match routine
        .variables
        .get(v.index())
        .map(|variable| &variable.role)
    {
        Some(Role::Global(g)) => file.pooled[g.index()] == Some(Pooled::Table),
        Some(Role::Parameter { .. } | Role::Local) | None => false,
    }
}

/// The expression without checks of pointers around it.
fn unguarded<'e>(file: &File<'_>, routine: &Routine, mut e: &'e Expr) -> &'e Expr {
    while let Some(value) = Astray::value_if_none(e, |v| is_table(file, routine, v)) {
        e = value;
    }
    e
}

impl Writer<'_> {
    /// The expression without checks of pointers around it, if the file has no checks.
    pub(super) fn unless_checked<'e>(&self, e: &'e Expr) -> &'e Expr {
        match self.is_checked() {
            true => e,
            false => unguarded(self.file, self.routine, e),
        }
    }
}

/// The local integers of a routine that are assigned, and read only in assignments to others of these.
pub(super) fn unread(file: &File<'_>, routine: &Routine) -> HashSet<VarId> {
    let mut unread = HashSet::new();
    let Some(cfg) = &routine.body else {
        return unread;
    };
    for (v, variable) in (0..).map(VarId::new).zip(&routine.variables) {
        let is_own = variable.role == Role::Local && routine.result != Some(v);
        if is_own && variable.ty.is_integer() && variable.rank() == 0 {
            unread.insert(v);
        }
    }
    let mut open: Vec<VarId> = Vec::new();
    // The values that each of them gets.
    let mut values: HashMap<VarId, Vec<&Expr>> = HashMap::new();
    for variable in &routine.variables {
        for dim in &variable.shape {
            each_read(file, routine, &dim.lower, &mut |v| open.push(v));
            if let Extent::Fixed(extent) = &dim.extent {
                each_read(file, routine, extent, &mut |v| open.push(v));
            }
        }
    }
    for (_, vertex) in cfg.vertices() {
        open.extend(vertex.kind.index());
        for e in vertex.kind.exprs() {
            each_read(file, routine, e, &mut |v| open.push(v));
        }
        for statement in vertex.statements() {
            match FlatStmt::view(&statement.kind) {
                FlatStmt::Assign { target, value } if unread.contains(&target.var) => {
                    values.entry(target.var).or_default().push(value);
                }
                FlatStmt::Assign { target, value } => {
                    each_in_place(file, routine, target, &mut |v| open.push(v));
                    each_read(file, routine, value, &mut |v| open.push(v));
                }
                FlatStmt::Call {
                    arguments, result, ..
                } => {
                    for e in arguments.iter().flatten() {
                        each_read(file, routine, e, &mut |v| open.push(v));
                    }
                    if let Some(place) = result {
                        each_in_place(file, routine, place, &mut |v| open.push(v));
                    }
                }
                FlatStmt::Push { tape, value, .. } => {
                    open.push(tape);
                    each_read(file, routine, value, &mut |v| open.push(v));
                }
                FlatStmt::Pop { tape, target, .. } => {
                    open.push(tape);
                    each_in_place(file, routine, target, &mut |v| open.push(v));
                }
                FlatStmt::Opaque { reads, writes, .. } => {
                    open.extend(reads.iter().chain(writes).copied());
                }
                FlatStmt::Stop { .. } => {}
            }
        }
    }
    while let Some(v) = open.pop() {
        if unread.remove(&v) {
            for value in values.remove(&v).into_iter().flatten() {
                each_read(file, routine, value, &mut |v| open.push(v));
            }
        }
    }
    unread
}

/// Calls `read` for each variable that an expression names outside of checks. Recursion is bounded: expressions have at
/// most [`Expr::MAX_DEPTH`] levels.
fn each_read(file: &File<'_>, routine: &Routine, e: &Expr, read: &mut impl FnMut(VarId)) {
    match FlatExpr::view(unguarded(file, routine, e)) {
        FlatExpr::Constant(_) => {}
        FlatExpr::Place(place) => each_in_place(file, routine, place, read),
        FlatExpr::Op(_, operands) => {
            for e in operands {
                each_read(file, routine, e, read);
            }
        }
    }
}

fn each_in_place(file: &File<'_>, routine: &Routine, place: &Place, read: &mut impl FnMut(VarId)) {
    read(place.var);
    for e in place.subscript_exprs() {
        each_read(file, routine, e, read);
    }
}
