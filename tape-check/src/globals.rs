//! Which globals each routine may write, calls included.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Intent, Place, Program, Role, Routine, Stmt, StmtKind,
        visit::{PlaceRole, Visit, walk_place, walk_statement},
    },
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
    call: impl FnMut(RoutineId),
) {
    let mut direct = Direct {
        program,
        routine,
        owner,
        written,
        call,
    };
    direct.routine(routine);
}

struct Direct<'a, F> {
    program: &'a Program,
    routine: &'a Routine,
    owner: &'a [GlobalId],
    written: &'a mut GlobalSet,
    call: F,
}

impl<'ir, F: FnMut(RoutineId)> Visit<'ir> for Direct<'_, F> {
    fn statement(&mut self, statement: &'ir Stmt) {
        if let StmtKind::Call { callee, .. } = &statement.kind {
            (self.call)(*callee);
        }
        walk_statement(self, statement);
    }

    fn place(&mut self, place: &'ir Place, role: PlaceRole) {
        let role = match role {
            PlaceRole::Bind { callee, formal } => {
                let formal = self.program.routine(callee).variables.get(formal);
                match formal.is_some_and(|f| f.intent().is_some_and(Intent::writes)) {
                    true => PlaceRole::Define { whole: false },
                    false => PlaceRole::Read,
                }
            }
            role => role,
        };
        self.variable(&place.var, role);
        walk_place(self, place);
    }

    fn variable(&mut self, v: &VarId, role: PlaceRole) {
        if let Role::Global(g) = self.routine.variable(*v).role
            && role.writes()
        {
            self.written
                .insert(self.owner.get(g.index()).copied().unwrap_or(g));
        }
    }
}
