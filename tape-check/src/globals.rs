//! Which globals each routine may write, calls included.

use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{LoopTest, Program, Role, Routine, StmtKind, VertexKind},
};
use std::collections::BTreeSet;

/// By routine, the storage that it and everything that it calls may write. Globals that share storage
/// are one: the one that owns it.
pub(crate) struct GlobalWrites {
    owner: Vec<usize>,
    written: Vec<BTreeSet<usize>>,
}

impl GlobalWrites {
    pub(crate) fn of(program: &Program) -> Self {
        let owner: Vec<usize> = program
            .globals
            .iter()
            .enumerate()
            .map(|(g, global)| global.overlay.map_or(g, |o| o.base.index()))
            .collect();
        let n = program.routines.len();
        let mut written = vec![BTreeSet::new(); n];
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (r, routine) in program.routines.iter().enumerate() {
            direct(program, routine, &owner, &mut written[r], |callee| {
                callers[callee.index()].push(r);
            });
        }
        for list in &mut callers {
            list.dedup();
        }
        let mut work: Vec<usize> = (0..n).collect();
        while let Some(r) = work.pop() {
            if written[r].is_empty() {
                continue;
            }
            let mine = std::mem::take(&mut written[r]);
            for &caller in &callers[r] {
                if caller == r {
                    continue;
                }
                let before = written[caller].len();
                written[caller].extend(&mine);
                if written[caller].len() != before {
                    work.push(caller);
                }
            }
            written[r] = mine;
        }
        Self { owner, written }
    }

    /// The global that owns the storage of `g`.
    pub(crate) fn storage(&self, g: GlobalId) -> usize {
        self.owner.get(g.index()).copied().unwrap_or(g.index())
    }

    /// True if the routine may write that storage.
    pub(crate) fn contains(&self, r: RoutineId, storage: usize) -> bool {
        self.written
            .get(r.index())
            .is_some_and(|set| set.contains(&storage))
    }
}

/// What a routine writes itself, and what it calls.
fn direct(
    program: &Program,
    routine: &Routine,
    owner: &[usize],
    written: &mut BTreeSet<usize>,
    mut call: impl FnMut(RoutineId),
) {
    let Some(cfg) = &routine.body else { return };
    let mut write = |v: cfg_core::entity::VarId| {
        if let Role::Global(g) = routine.variable(v).role {
            written.insert(owner.get(g.index()).copied().unwrap_or(g.index()));
        }
    };
    for (_, vertex) in cfg.vertices() {
        if let VertexKind::Loop { test, .. } = &vertex.kind
            && let LoopTest::Counted { index, .. } = &**test
        {
            write(*index);
        }
        for statement in vertex.statements() {
            match &statement.kind {
                StmtKind::Assign { target, .. } | StmtKind::Pop { target, .. } => write(target.var),
                StmtKind::Push { .. } => {}
                StmtKind::Opaque { writes, .. } => writes.iter().for_each(|&v| write(v)),
                StmtKind::Call {
                    callee,
                    arguments,
                    result,
                } => {
                    call(*callee);
                    let called = program.routine(*callee);
                    for (formal, actual) in called.variables.iter().zip(arguments.iter()) {
                        if let Some(cfg_core::ir::Expr::Place(place)) = actual
                            && formal.intent().is_some_and(|i| i.writes())
                        {
                            write(place.var);
                        }
                    }
                    if let Some(place) = result {
                        write(place.var);
                    }
                }
            }
        }
    }
}
