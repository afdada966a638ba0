//! The facts about a program's globals that are known before it is reversed.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Program, Routine, Stmt, StmtKind, visit::each_written},
    memory::{callgraph::CallGraph, effects::Effects, global_set::GlobalSet, named::Named},
};
use fixedbitset::FixedBitSet;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// The effects of all routines, and the sets of globals that the reversal needs beside them.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(crate) effects: Effects,
    /// Globals that each routine and its callees name, and those that their given adjoints name: these are called in
    /// the reverse sweep.
    touched: Vec<GlobalSet>,
    /// Globals that some given adjoint, or what it calls, may write: the reverse sweep restores them behind its calls.
    restored: GlobalSet,
    /// Names of globals.
    pub(crate) names: Arc<HashSet<String>>,
    pub(crate) by_name: HashMap<String, GlobalId>,
    /// Variables that the statements of each routine write themselves.
    pub(crate) assigned: Vec<FixedBitSet>,
}

impl Summary {
    pub(crate) fn summarise(program: &Program) -> Self {
        let effects = Effects::summarise(program);
        let ids = (0..program.routines.len()).map(RoutineId::new);
        let mut touched: Vec<GlobalSet> = ids.map(|r| effects.named(r).clone()).collect();
        if program.routines.iter().any(|r| given_adjoint(r).is_some()) {
            CallGraph::build_with(program, given_adjoint).propagate(&mut touched, |all, of| {
                all.extend(of);
            });
        }
        let mut restored = GlobalSet::default();
        for r in program.routines.iter().filter_map(given_adjoint) {
            restored.extend(effects.written(r));
        }
        let assigned = |routine: &Routine| {
            let mut own = FixedBitSet::with_capacity(routine.variables.len());
            for statement in routine.statements() {
                each_written(program, statement, &mut |v| own.insert(v.index()));
            }
            own
        };
        let names = program.globals.iter().map(|g| g.variable.name.clone());
        let by_name = names.clone().zip((0..).map(GlobalId::new)).collect();
        Self {
            effects,
            touched,
            restored,
            names: Arc::new(names.collect()),
            by_name,
            assigned: program.routines.iter().map(assigned).collect(),
        }
    }

    /// Globals that a routine and everything that it calls name, given adjoints included.
    pub(crate) fn touched(&self, r: RoutineId) -> &GlobalSet {
        &self.touched[r.index()]
    }

    /// Calls `written` with the variables that a statement may write. Of the globals that a call may write, those in
    /// `named` are reported, the ones that the calling routine names.
    pub(crate) fn each_written(
        &self,
        program: &Program,
        named: &Named,
        statement: &Stmt,
        written: &mut impl FnMut(VarId),
    ) {
        each_written(program, statement, written);
        if let Some(callee) = statement.kind.callee() {
            let globals = named.variables_in(self.written(callee));
            globals.into_iter().for_each(written);
        }
    }

    /// Globals that a call may write.
    pub(crate) fn written(&self, r: RoutineId) -> &GlobalSet {
        self.effects.written(r)
    }

    /// True of a global that the reverse sweep may have to restore because a given adjoint writes cells of it.
    pub(crate) fn is_restored(&self, g: GlobalId) -> bool {
        self.effects.storage.meets(&self.restored, g)
    }

    /// True if a global shares cells with one in the set.
    pub(crate) fn shares_cells(&self, program: &Program, g: GlobalId, set: &GlobalSet) -> bool {
        if set.contains(g) {
            return true;
        }
        let (Some(around), Some((_, own))) =
            (self.effects.storage.overlaid_with(g), program.cells(g))
        else {
            return false;
        };
        let mut found = false;
        around.each_common(set, |other| {
            let theirs = program.cells(other).map(|(_, cells)| cells);
            found |= theirs.is_some_and(|cells| cells.start < own.end && own.start < cells.end);
        });
        found
    }

    /// The callees of a routine, each once, in the order of their first calls.
    pub(crate) fn callees(&self, r: RoutineId) -> &[RoutineId] {
        self.effects.calls.callees(r)
    }

    /// Calls `visit` for every call statement of a routine.
    pub(crate) fn each_call<'r>(
        &self,
        id: RoutineId,
        routine: &'r Routine,
        mut visit: impl FnMut(&'r Stmt),
    ) {
        if !self.callees(id).is_empty() {
            for statement in routine.statements() {
                if matches!(statement.kind, StmtKind::Call { .. }) {
                    visit(statement);
                }
            }
        }
    }
}

/// The adjoint that the user gives for a routine.
pub(crate) fn given_adjoint(routine: &Routine) -> Option<RoutineId> {
    routine.derivatives.as_ref().and_then(|d| d.adjoint)
}
