//! Which globals a routine and everything that it calls may use.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Program, Role, Routine, Stmt, StmtKind, visit::each_written},
    memory::global_set::{self, GlobalSet},
};
use fixedbitset::FixedBitSet;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::memory::{named::global_variables, storage::Storage};

/// Which globals a routine and everything it calls may read or write. Where a given adjoint takes a
/// routine's place in the reverse sweep, what that reads counts too.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    pub(crate) touched: Vec<GlobalSet>,
    pub(crate) written: Vec<GlobalSet>,
    pub(crate) storage: Storage,
    /// Callees of each routine, each once, in order of first call.
    pub(crate) callees: Vec<Vec<RoutineId>>,
    /// Names of globals.
    pub(crate) names: Arc<HashSet<String>>,
    pub(crate) by_name: HashMap<String, GlobalId>,
    /// Variables that the statements of each routine write themselves.
    pub(crate) assigned: Vec<FixedBitSet>,
}

impl Effects {
    /// Propagates over the call graph, recursion included.
    pub(crate) fn of(program: &Program) -> Self {
        let n = program.routines.len();
        let mut touched = vec![GlobalSet::default(); n];
        let mut written = touched.clone();
        let mut callees = vec![Vec::new(); n];
        let mut assigned = Vec::with_capacity(n);
        let mut called_by = vec![usize::MAX; n];
        for (r, routine) in program.routines.iter().enumerate() {
            global_variables(routine).for_each(|(_, g)| touched[r].insert(g));
            let mut own = FixedBitSet::with_capacity(routine.variables.len());
            for statement in routine.statements() {
                each_written(program, statement, &mut |v| own.insert(v.index()));
                if let StmtKind::Call { callee, .. } = &statement.kind
                    && std::mem::replace(&mut called_by[callee.index()], r) != r
                {
                    callees[r].push(*callee);
                }
            }
            // The index of a counted loop may be a global.
            let vertices = routine.body.iter().flat_map(|cfg| cfg.vertices());
            let indices = vertices.filter_map(|(_, vertex)| vertex.kind.index());
            for v in own.ones().map(VarId::new).chain(indices) {
                if let Role::Global(g) = routine.variable(v).role {
                    written[r].insert(g);
                }
            }
            assigned.push(own);
        }
        let calls: Vec<Vec<usize>> = (callees.iter())
            .map(|list| list.iter().map(|c| c.index()).collect())
            .collect();
        let mut uses = calls.clone();
        for (r, routine) in program.routines.iter().enumerate() {
            uses[r].extend(given_adjoint(routine).map(RoutineId::index));
        }
        global_set::propagate(&uses, &mut touched);
        global_set::propagate(&calls, &mut written);
        let names = program.globals.iter().map(|g| g.variable.name.clone());
        let by_name = names.clone().zip((0..).map(GlobalId::new)).collect();
        Self {
            touched,
            written,
            storage: Storage::of(program),
            callees,
            names: Arc::new(names.collect()),
            by_name,
            assigned,
        }
    }

    /// Calls `visit` for every call statement of a routine.
    pub(crate) fn each_call<'r>(
        &self,
        id: RoutineId,
        routine: &'r Routine,
        mut visit: impl FnMut(&'r Stmt),
    ) {
        if !self.callees[id.index()].is_empty() {
            for statement in routine.statements() {
                if matches!(statement.kind, StmtKind::Call { .. }) {
                    visit(statement);
                }
            }
        }
    }

    /// The callers of each routine, of those that are reachable, in the same order.
    pub(crate) fn callers(&self, reachable: &[RoutineId]) -> Vec<Vec<RoutineId>> {
        let mut callers = vec![Vec::new(); self.callees.len()];
        for &r in reachable {
            for callee in &self.callees[r.index()] {
                callers[callee.index()].push(r);
            }
        }
        callers
    }

    /// The routine and everything it calls, callees before callers where there is no recursion.
    pub(crate) fn reachable(&self, main: RoutineId) -> Vec<RoutineId> {
        let mut seen = FixedBitSet::with_capacity(self.callees.len());
        seen.insert(main.index());
        let mut order = Vec::new();
        let mut stack = vec![(main, 0)];
        while let Some((r, next)) = stack.last_mut() {
            match self.callees[r.index()].get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if !seen.put(callee.index()) {
                        stack.push((callee, 0));
                    }
                }
                None => {
                    order.push(*r);
                    stack.pop();
                }
            }
        }
        order
    }
}

/// The adjoint that the user gives for a routine.
pub(crate) fn given_adjoint(routine: &Routine) -> Option<RoutineId> {
    routine.derivatives.as_ref().and_then(|d| d.adjoint)
}
