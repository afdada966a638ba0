//! How arguments are passed: decided for all routines before any is compiled.

use std::collections::VecDeque;

use cfg_core::{
    entity::VarId,
    ir::{Expr, Intent, Program, Role, Routine, ScalarType, StmtKind, visit},
};

/// How one parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The value: an `in` scalar whose cell cannot be written while the routine runs.
    Value,
    /// The cell's address.
    Address,
    /// The cell's address, but the routine works on a copy in a register and stores it at the end: a
    /// written scalar that nothing else can reach meanwhile.
    Copied,
    /// A descriptor.
    Array,
    /// A tape handle.
    Tape,
}

/// The conventions of one routine.
#[derive(Clone, Debug, Default)]
pub(super) struct Abi {
    pub(super) passes: Vec<Pass>,
    /// By variable: its address is passed to a routine.
    pub(super) addressed: Vec<bool>,
    /// Types of globals.
    globals: Reach,
}

/// The use that a routine and all it calls make of globals: one bit for each question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) mentioned: u64,
    pub(super) written: u64,
}

/// Who calls each routine.
pub(super) struct CallGraph {
    callers: Vec<Vec<usize>>,
}

impl CallGraph {
    pub(super) fn of(program: &Program) -> Self {
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); program.routines.len()];
        for (r, routine) in program.routines.iter().enumerate() {
            for statement in routine.statements() {
                if let StmtKind::Call { callee, .. } = &statement.kind {
                    let list = &mut callers[callee.index()];
                    if list.last() != Some(&r) {
                        list.push(r);
                    }
                }
            }
        }
        Self { callers }
    }

    /// Adds to each routine what those do that it calls, until nothing grows.
    pub(super) fn propagate(&self, reach: &mut [Reach]) {
        let mut work: VecDeque<usize> = (0..reach.len()).collect();
        while let Some(callee) = work.pop_front() {
            let Reach { mentioned, written } = reach[callee];
            for &caller in &self.callers[callee] {
                let before = reach[caller];
                reach[caller].mentioned |= mentioned;
                reach[caller].written |= written;
                if before != reach[caller] {
                    work.push_back(caller);
                }
            }
        }
    }
}

fn bit(ty: ScalarType) -> u64 {
    match ty {
        ScalarType::Real => 1,
        ScalarType::Real32 => 2,
        ScalarType::Integer => 4,
        ScalarType::Logical => 8,
        ScalarType::Tape => 16,
    }
}

/// Variables that the statements of a routine write themselves, and the indices of its counted loops.
pub(super) fn each_written(program: &Program, routine: &Routine, mut visit: impl FnMut(VarId)) {
    for (_, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
        vertex.kind.index().into_iter().for_each(&mut visit);
        for statement in vertex.statements() {
            visit::each_written(program, statement, &mut visit);
        }
    }
}

/// Decides for all routines.
pub(super) fn decide(program: &Program, calls: &CallGraph) -> Vec<Abi> {
    let n = program.routines.len();
    let mut globals = vec![Reach::default(); n];
    for (reach, routine) in globals.iter_mut().zip(&program.routines) {
        for variable in &routine.variables {
            if let Role::Global(_) = variable.role {
                reach.mentioned |= bit(variable.ty);
            }
        }
        each_written(program, routine, |v| {
            let variable = routine.variable(v);
            if let Role::Global(_) = variable.role {
                reach.written |= bit(variable.ty);
            }
        });
    }
    calls.propagate(&mut globals);
    let mut abis = vec![Abi::default(); n];
    for (abi, globals) in abis.iter_mut().zip(globals) {
        abi.globals = globals;
    }
    for (abi, routine) in abis.iter_mut().zip(&program.routines) {
        abi.passes = routine.variables[..routine.parameters]
            .iter()
            .map(|formal| match formal.role {
                _ if formal.rank() > 0 => Pass::Array,
                _ if formal.ty == ScalarType::Tape => Pass::Tape,
                Role::Parameter {
                    intent: Intent::In,
                    optional: false,
                } if !routine.aliased && abi.globals.written & bit(formal.ty) == 0 => Pass::Value,
                Role::Parameter { .. } | Role::Local | Role::Global(_) => Pass::Address,
            })
            .collect();
    }
    for r in 0..n {
        let routine = &program.routines[r];
        let mut addressed = vec![false; routine.variables.len()];
        for statement in routine.statements() {
            if let StmtKind::Call {
                callee, arguments, ..
            } = &statement.kind
            {
                mark_addressed(routine, &abis[callee.index()], arguments, &mut addressed);
            }
        }
        abis[r].addressed = addressed;
    }
    for (abi, routine) in abis.iter_mut().zip(&program.routines) {
        for (k, pass) in abi.passes.iter_mut().enumerate() {
            let formal = &routine.variables[k];
            if *pass == Pass::Address
                && !routine.aliased
                && !abi.addressed[k]
                && abi.globals.mentioned & bit(formal.ty) == 0
                && matches!(
                    formal.role,
                    Role::Parameter {
                        optional: false,
                        ..
                    }
                )
            {
                *pass = Pass::Copied;
            }
        }
    }
    abis
}

fn mark_addressed(
    routine: &Routine,
    callee: &Abi,
    arguments: &[Option<Expr>],
    addressed: &mut [bool],
) {
    for (pass, actual) in callee.passes.iter().zip(arguments) {
        if let (Pass::Address | Pass::Array, Some(Expr::Place(place))) = (pass, actual)
            && routine.variable(place.var).rank() == 0
        {
            addressed[place.var.index()] = true;
        }
    }
}

/// True if the cells of two places of one routine can be the same.
pub(super) fn may_share(program: &Program, routine: &Routine, a: VarId, b: VarId) -> bool {
    if a == b {
        return true;
    }
    let (x, y) = (routine.variable(a), routine.variable(b));
    if x.ty != y.ty {
        return false;
    }
    match (x.role, y.role) {
        (Role::Global(g), Role::Global(h)) => {
            let storage = |g| program.global(g).overlay.map_or(g, |o| o.base);
            storage(g) == storage(h)
        }
        (Role::Parameter { .. }, Role::Global(_)) | (Role::Global(_), Role::Parameter { .. }) => {
            true
        }
        (Role::Parameter { .. }, Role::Parameter { .. }) => routine.aliased,
        (Role::Local, _) | (_, Role::Local) => false,
    }
}
