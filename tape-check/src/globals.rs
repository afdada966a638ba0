//! Which globals each routine may write, calls included.

use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{LoopTest, Program, Role, Routine, StmtKind, VertexKind},
    memory::global_set::{self, GlobalSet},
};

/// By routine, the storage that it and everything that it calls may write. Globals that share storage
/// are one: the one that owns it.
pub(crate) struct GlobalWrites {
    owner: Vec<GlobalId>,
    written: Vec<GlobalSet>,
}

impl GlobalWrites {
    pub(crate) fn of(program: &Program) -> Self {
        let owner: Vec<GlobalId> = program
            .globals
            .iter()
            .enumerate()
            .map(|(g, global)| global.overlay.map_or(GlobalId::new(g), |o| o.base))
            .collect();
        let n = program.routines.len();
        let mut written = vec![GlobalSet::default(); n];
        let mut calls: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (r, routine) in program.routines.iter().enumerate() {
            direct(program, routine, &owner, &mut written[r], |callee| {
                calls[r].push(callee.index());
            });
        }
        global_set::propagate(&calls, &mut written);
        Self { owner, written }
    }

    /// The global that owns the storage of `g`.
    pub(crate) fn storage(&self, g: GlobalId) -> GlobalId {
        self.owner.get(g.index()).copied().unwrap_or(g)
    }

    /// What the routine may write.
    pub(crate) fn written(&self, r: RoutineId) -> Option<&GlobalSet> {
        self.written.get(r.index())
    }
}

/// What a routine writes itself, and what it calls.
fn direct(
    program: &Program,
    routine: &Routine,
    owner: &[GlobalId],
    written: &mut GlobalSet,
    mut call: impl FnMut(RoutineId),
) {
    let Some(cfg) = &routine.body else { return };
    let mut write = |v: cfg_core::entity::VarId| {
        if let Role::Global(g) = routine.variable(v).role {
            written.insert(owner.get(g.index()).copied().unwrap_or(g));
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
