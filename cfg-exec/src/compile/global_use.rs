//! Globals that called routines use, themselves and through calls: arguments of a call are compared with
//! them at run time.
//!
//! A parameter of a routine that is not `aliased` is never compared: if it shared cells with a global of
//! which one is written, the call that bound it was an error. So only globals as arguments, and parameters
//! of `aliased` routines, need a look at what the called routine uses. Each of these questions is one bit
//! that flows from callees to callers; 64 globals are done at a time, so that nothing takes more memory
//! than the questions and their answers.

use std::collections::BTreeSet;

use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{Expr, Program, Role, ScalarType, StmtKind},
};

use super::abi::{self, CallGraph, Reach};

/// A global that a routine uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    /// The global that owns the storage.
    storage: usize,
    pub(super) global: GlobalId,
    pub(super) written: bool,
}

/// By routine: those globals that arguments of its calls may share storage with, in the order of storage.
pub(super) struct GlobalUse(Vec<Vec<Used>>);

/// The storages that arguments may lie in: that of a global, or of any global of a type.
#[derive(Default)]
struct Asked {
    /// Storage, and the routine that something in it is passed to.
    storages: BTreeSet<(usize, usize)>,
    types: BTreeSet<(ScalarType, usize)>,
}

/// The global that owns the storage of `g`.
fn storage(program: &Program, g: GlobalId) -> usize {
    program
        .global(g)
        .overlay
        .map_or(g.index(), |o| o.base.index())
}

fn asked(program: &Program) -> Asked {
    let mut asked = Asked::default();
    for routine in &program.routines {
        for statement in routine.statements() {
            let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            else {
                continue;
            };
            if program.routine(*callee).aliased {
                continue;
            }
            for argument in arguments.iter().flatten() {
                let Expr::Place(place) = argument else {
                    continue;
                };
                let variable = routine.variable(place.var);
                match variable.role {
                    Role::Global(g) => {
                        let of = storage(program, g);
                        asked.storages.insert((of, callee.index()));
                    }
                    Role::Parameter { .. } if routine.aliased => {
                        asked.types.insert((variable.ty, callee.index()));
                    }
                    Role::Parameter { .. } | Role::Local => {}
                }
            }
        }
    }
    asked
}

impl GlobalUse {
    pub(super) fn of(program: &Program, calls: &CallGraph) -> Self {
        let n = program.routines.len();
        let asked = asked(program);
        let mut found = vec![Vec::new(); n];
        let of_storage = |s: usize| asked.storages.range((s, 0)..(s + 1, 0)).map(|a| a.1);
        let of_type = |ty: ScalarType| {
            let all = asked.types.range((ty, 0)..=(ty, usize::MAX));
            all.map(|a| a.1)
        };
        let mut columns: Vec<(usize, GlobalId)> = (0..program.globals.len())
            .map(GlobalId::new)
            .map(|g| (storage(program, g), g))
            .filter(|&(s, g)| {
                let ty = program.global(g).variable.ty;
                of_storage(s).next().is_some() || of_type(ty).next().is_some()
            })
            .collect();
        if columns.is_empty() {
            return Self(found);
        }
        columns.sort_unstable();
        let direct = direct(program, &columns);
        for (k, batch) in columns.chunks(64).enumerate() {
            let mut reach = vec![Reach::default(); n];
            let from = direct.partition_point(|d| d.0 < 64 * k);
            for &(column, r, written) in &direct[from..] {
                if column >= 64 * (k + 1) {
                    break;
                }
                let bit = 1 << (column % 64);
                reach[r].mentioned |= bit;
                reach[r].written |= if written { bit } else { 0 };
            }
            calls.propagate(&mut reach);
            for (column, &(storage, global)) in batch.iter().enumerate() {
                let bit = 1 << column;
                let ty = program.global(global).variable.ty;
                let mut callees: Vec<usize> = of_storage(storage).chain(of_type(ty)).collect();
                callees.sort_unstable();
                callees.dedup();
                for r in callees {
                    if reach[r].mentioned & bit != 0 {
                        found[r].push(Used {
                            storage,
                            global,
                            written: reach[r].written & bit != 0,
                        });
                    }
                }
            }
        }
        Self(found)
    }

    /// Uses that the routine makes of the storage that `g` lies in.
    pub(super) fn in_storage(&self, program: &Program, r: RoutineId, g: GlobalId) -> &[Used] {
        let all = &self.0[r.index()];
        let of = storage(program, g);
        let from = all.partition_point(|u| u.storage < of);
        let to = all.partition_point(|u| u.storage <= of);
        &all[from..to]
    }

    /// Uses that the routine makes of the storages that were asked about.
    pub(super) fn all(&self, r: RoutineId) -> &[Used] {
        &self.0[r.index()]
    }
}

/// Which columns each routine itself mentions, and whether it writes them: (column, routine, written) in
/// order.
fn direct(program: &Program, columns: &[(usize, GlobalId)]) -> Vec<(usize, usize, bool)> {
    let mut column_of = vec![None; program.globals.len()];
    for (column, (_, g)) in columns.iter().enumerate() {
        column_of[g.index()] = Some(column);
    }
    let mut direct = Vec::new();
    for (r, routine) in program.routines.iter().enumerate() {
        let column = |role| match role {
            Role::Global(g) => column_of[g.index()],
            Role::Parameter { .. } | Role::Local => None,
        };
        for variable in &routine.variables {
            if let Some(column) = column(variable.role) {
                direct.push((column, r, false));
            }
        }
        abi::each_written(program, routine, |v| {
            if let Some(column) = column(routine.variable(v).role) {
                direct.push((column, r, true));
            }
        });
    }
    direct.sort_unstable();
    direct.dedup();
    direct
}
