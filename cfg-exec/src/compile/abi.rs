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

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::validate::validate;
    use cfg_format::text;

    /// A routine with other routines to call: how its parameters are passed, and what it passes the address of.
    #[test]
    fn parameters_are_passed_as_values_where_nothing_can_write_their_cells() {
        for (routine, passes, addressed) in [
            (
                "subroutine g(in real a, inout real b, out real c)\n  b := b*a\n  c := b",
                "[Value, Copied, Copied]",
                "",
            ),
            (
                "aliased subroutine g(in real a, inout real b)\n  b := b*a",
                "[Address, Address]",
                "",
            ),
            (
                "subroutine g(in real a[2], inout tape t, optional in real o, optional inout real p)\n  local real s\n  s := a[1]",
                "[Array, Tape, Address, Address]",
                "",
            ),
            (
                "subroutine g(in real a, in integer k, inout real b)\n  uses w\n  w := a + k\n  b := b*w",
                "[Address, Value, Address]",
                "",
            ),
            (
                "subroutine g(in real a, inout real b, inout integer k)\n  uses w\n  b := b*w*a\n  k := k + 1",
                "[Value, Address, Copied]",
                "",
            ),
            (
                "subroutine g(in real a, inout real b, in real32 c)\n  call writes()\n  b := b*a*real(c)",
                "[Address, Address, Value]",
                "",
            ),
            (
                "subroutine g(inout real a, inout real b, inout real c)\n  local real d, e, z[2]\n  d := 1.0\n  e := 2.0\n  z := 3.0\n  call scale(a, e)\n  call scale(d, e)\n  call scale(z[1], c*e)\n  b := b*z[2]",
                "[Address, Copied, Copied]",
                "a d",
            ),
            (
                "subroutine g(inout real a, inout real b)\n  call scale(b, a)",
                "[Copied, Address]",
                "b",
            ),
        ] {
            let source = format!(
                "global real w = 1.0
subroutine writes()
  uses w
  w := 1.0
end
subroutine scale(inout real x, in real by)
  x := x*by
end
{routine}
end
main subroutine f(inout real y)
  y := 2.0*y
end
"
            );
            let parsed = text::parse(&source);
            let problems = parsed.problems;
            let program = parsed
                .program
                .unwrap_or_else(|| panic!("{problems}{source}"));
            let program = validate(program).unwrap_or_else(|d| panic!("{d}{source}"));
            let g = program.find_routine("g").expect("it is there");
            let abi = &Conventions::of(&program).abis[g.index()];
            assert_eq!(format!("{:?}", abi.passes), passes, "{routine}");
            let variables = program.routine(g).variables.iter();
            let names: Vec<&str> = variables
                .zip(&abi.addressed)
                .filter_map(|(variable, addressed)| addressed.then_some(&*variable.name))
                .collect();
            assert_eq!(names.join(" "), addressed, "{routine}");
        }
    }
}
