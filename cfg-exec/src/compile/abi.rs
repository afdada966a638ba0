//! The conventions by which arguments are passed: decided for all routines before any is compiled.

use cfg_core::{
    entity::RoutineId,
    ir::{Expr, Intent, Program, Role, Routine, ScalarType, StmtKind},
    memory::effects::Effects,
};

/// The convention by which one parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The argument is passed as its value: an `in` scalar whose cell cannot be written while the routine runs.
    Value,
    /// The cell's address.
    Address,
    /// The cell's address, but the routine works on a copy in a register and stores it at the end: a
    /// written scalar that nothing else can reach meanwhile.
    Copied,
    /// The argument is passed as a descriptor.
    Array,
    /// A tape handle.
    Tape,
}

/// The conventions of one routine.
#[derive(Clone, Debug, Default)]
pub(super) struct Abi {
    pub(super) passes: Vec<Pass>,
    /// True for each variable whose address is passed to a routine.
    pub(super) addressed: Vec<bool>,
}

/// The conventions of all routines, and what they are decided by.
pub(super) struct Conventions {
    pub(super) abis: Vec<Abi>,
    pub(super) effects: Effects,
}

impl Conventions {
    pub(super) fn of(program: &Program) -> Self {
        let effects = Effects::of(program);
        Self {
            abis: decide(program, &effects),
            effects,
        }
    }
}

/// Decides for all routines.
fn decide(program: &Program, effects: &Effects) -> Vec<Abi> {
    let n = program.routines.len();
    let mut abis = vec![Abi::default(); n];
    for (r, (abi, routine)) in abis.iter_mut().zip(&program.routines).enumerate() {
        let written = effects.types_written(RoutineId::new(r));
        let formals = routine.parameter_ids().map(|p| routine.variable(p));
        abi.passes = formals
            .map(|formal| match formal.role {
                _ if formal.rank() > 0 => Pass::Array,
                _ if formal.ty == ScalarType::Tape => Pass::Tape,
                Role::Parameter {
                    intent: Intent::In,
                    optional: false,
                } if !routine.aliased && !written.contains(formal.ty) => Pass::Value,
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
    for (r, (abi, routine)) in abis.iter_mut().zip(&program.routines).enumerate() {
        let named = effects.types_named(RoutineId::new(r));
        for (p, pass) in routine.parameter_ids().zip(&mut abi.passes) {
            let formal = routine.variable(p);
            if *pass == Pass::Address
                && !routine.aliased
                && !abi.addressed[p.index()]
                && !named.contains(formal.ty)
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
