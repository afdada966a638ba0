//! The conventions by which arguments are passed: decided for all routines before any is compiled.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, Program, Role, Routine, ScalarType, StmtKind},
    memory::effects::Effects,
};

/// The convention by which one parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The argument is passed as its value.
    Value,
    /// The cell's address.
    Address,
    /// The address of a scalar that no other name can reach while the routine runs, so that the routine may work on a
    /// copy and store it at the end.
    Copied,
    /// The argument is passed as a descriptor.
    Array,
    /// A tape handle.
    Tape,
}

/// The conventions of one routine.
#[derive(Clone, Debug, Default)]
pub struct Convention {
    /// How each parameter is passed, in the order of the signature.
    pub passes: Vec<Pass>,
    /// True for each variable whose address is passed to a routine.
    pub addressed: Vec<bool>,
}

/// The conventions of all routines, and the effects on which they depend.
#[derive(Debug)]
pub struct Conventions {
    /// The conventions of each routine.
    pub routines: Vec<Convention>,
    /// The effects of each routine.
    pub effects: Effects,
}

/// True for a scalar parameter that is passed by value: an `in` parameter whose cell no valid call writes while the
/// routine runs.
pub fn is_passed_by_value(routine: &Routine, v: VarId) -> bool {
    let variable = routine.variable(v);
    let given_in = Role::Parameter {
        intent: Intent::In,
        optional: false,
    };
    variable.role == given_in
        && !routine.aliased
        && variable.rank() == 0
        && variable.ty != ScalarType::Tape
}

impl Conventions {
    /// Decides the conventions of all routines.
    pub fn decide(program: &Program) -> Self {
        let effects = Effects::summarise(program);
        let routines = program.routines.iter();
        let passes: Vec<Vec<Pass>> = routines.map(passes).collect();
        let mut all = Vec::with_capacity(passes.len());
        for (r, routine) in (0..).map(RoutineId::new).zip(&program.routines) {
            let mut convention = Convention {
                passes: passes[r.index()].clone(),
                addressed: vec![false; routine.variables.len()],
            };
            for statement in routine.statements() {
                if let StmtKind::Call {
                    callee, arguments, ..
                } = &statement.kind
                {
                    let passes = passes[callee.index()].iter();
                    for (pass, actual) in passes.zip(arguments) {
                        if let (Pass::Address | Pass::Array, Some(Expr::Place(place))) =
                            (pass, actual)
                        {
                            convention.addressed[place.var.index()] = true;
                        }
                    }
                }
            }
            let named = effects.types_named(r);
            for (p, pass) in routine.parameter_ids().zip(&mut convention.passes) {
                let formal = routine.variable(p);
                let given = !matches!(formal.role, Role::Parameter { optional: true, .. });
                let apart = !routine.aliased && !named.contains(formal.ty);
                if *pass == Pass::Address && given && apart && !convention.addressed[p.index()] {
                    *pass = Pass::Copied;
                }
            }
            all.push(convention);
        }
        Self {
            routines: all,
            effects,
        }
    }
}

/// The convention of each parameter, as callers see it.
fn passes(routine: &Routine) -> Vec<Pass> {
    let pass = |p: VarId| {
        let formal = routine.variable(p);
        if formal.rank() > 0 {
            Pass::Array
        } else if formal.ty.is_tape() {
            Pass::Tape
        } else if is_passed_by_value(routine, p) {
            Pass::Value
        } else {
            Pass::Address
        }
    };
    routine.parameter_ids().map(pass).collect()
}
#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::validate::validate;
    use cfg_format::text;

    /// A routine that calls others: the conventions of its parameters, and the variables whose addresses it passes.
    #[test]
    fn parameters_that_only_come_in_are_passed_as_values() {
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
                "[Value, Value, Address]",
                "",
            ),
            (
                "subroutine g(in real a, inout real b, inout integer k)\n  uses w\n  b := b*w*a\n  k := k + 1",
                "[Value, Address, Copied]",
                "",
            ),
            (
                "subroutine g(in real a, inout real b, in real32 c)\n  call writes()\n  b := b*a*real(c)",
                "[Value, Address, Value]",
                "",
            ),
            (
                "subroutine g(inout real a, inout real b, inout real c)\n  local real d, e, z[2]\n  d := 1.0\n  e := 2.0\n  z := 3.0\n  call scale(a, e)\n  call scale(d, e)\n  call scale(z[1], c*e)\n  b := b*z[2]",
                "[Address, Copied, Copied]",
                "a d z",
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
            let convention = &Conventions::decide(&program).routines[g.index()];
            assert_eq!(format!("{:?}", convention.passes), passes, "{routine}");
            let variables = program.routine(g).variables.iter();
            let names: Vec<&str> = variables
                .zip(&convention.addressed)
                .filter_map(|(variable, addressed)| addressed.then_some(&*variable.name))
                .collect();
            assert_eq!(names.join(" "), addressed, "{routine}");
        }
    }
}
