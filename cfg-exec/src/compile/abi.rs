//! How arguments are passed: decided for all routines before any is compiled.

use std::collections::VecDeque;

use cfg_core::{
    entity::VarId,
    ir::{Expr, Intent, Program, Role, Routine, ScalarType, Stmt, StmtKind, VertexKind},
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
    /// Types of globals that it mentions or writes, itself and all it calls.
    mentioned: u8,
    written: u8,
}

fn bit(ty: ScalarType) -> u8 {
    match ty {
        ScalarType::Real => 1,
        ScalarType::Real32 => 2,
        ScalarType::Integer => 4,
        ScalarType::Logical => 8,
        ScalarType::Tape => 16,
    }
}

/// The statements of a routine.
pub(super) fn statements(routine: &Routine) -> impl Iterator<Item = &Stmt> {
    routine
        .body
        .iter()
        .flat_map(|cfg| cfg.vertices())
        .flat_map(|(_, vertex)| match &vertex.kind {
            VertexKind::Block(statements) => statements.as_slice(),
            _ => &[],
        })
}

/// Variables that a statement writes itself: not through a callee's globals.
fn writes(program: &Program, statement: &Stmt, mut visit: impl FnMut(VarId)) {
    match &statement.kind {
        StmtKind::Assign { target, .. } | StmtKind::Pop { target, .. } => visit(target.var),
        StmtKind::Push { .. } => {}
        StmtKind::Opaque { writes, .. } => writes.iter().copied().for_each(visit),
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => {
            if let Some(place) = result {
                visit(place.var);
            }
            let callee = program.routine(*callee);
            for (formal, actual) in callee.variables.iter().zip(arguments) {
                if let Some(Expr::Place(place)) = actual
                    && formal.intent().is_some_and(Intent::writes)
                {
                    visit(place.var);
                }
            }
        }
    }
}

/// Decides for all routines.
pub(super) fn decide(program: &Program) -> Vec<Abi> {
    let n = program.routines.len();
    let mut abis = vec![Abi::default(); n];
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (r, routine) in program.routines.iter().enumerate() {
        for variable in &routine.variables {
            if let Role::Global(_) = variable.role {
                abis[r].mentioned |= bit(variable.ty);
            }
        }
        for statement in statements(routine) {
            writes(program, statement, |v| {
                let variable = routine.variable(v);
                if let Role::Global(_) = variable.role {
                    abis[r].written |= bit(variable.ty);
                }
            });
            if let StmtKind::Call { callee, .. } = &statement.kind {
                callers[callee.index()].push(r);
            }
        }
    }
    let mut work: VecDeque<usize> = (0..n).collect();
    while let Some(callee) = work.pop_front() {
        let (mentioned, written) = (abis[callee].mentioned, abis[callee].written);
        for &caller in &callers[callee] {
            let abi = &mut abis[caller];
            let before = (abi.mentioned, abi.written);
            abi.mentioned |= mentioned;
            abi.written |= written;
            if before != (abi.mentioned, abi.written) {
                work.push_back(caller);
            }
        }
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
                } if !routine.aliased && abi.written & bit(formal.ty) == 0 => Pass::Value,
                _ => Pass::Address,
            })
            .collect();
    }
    for r in 0..n {
        let routine = &program.routines[r];
        let mut addressed = vec![false; routine.variables.len()];
        for statement in statements(routine) {
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
                && abi.mentioned & bit(formal.ty) == 0
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
