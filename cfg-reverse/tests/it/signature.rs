//! The roles of the parameters of a generated routine, found by the origins alone.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{NameRole, ParameterRole, Program, ScalarType, Signature},
    validate::validate,
};
use cfg_reverse::{Options as Reversing, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::generate::{Options, generate};

/// The parameters that a generated routine should have: those of the original, its result, then derivatives of those
/// that have one, then its own tape.
fn expected(
    program: &Program,
    original: RoutineId,
    derivative: Option<fn(VarId) -> ParameterRole>,
    tapes: bool,
    tape: bool,
) -> Vec<ParameterRole> {
    let routine = program.routine(original);
    let primal: Vec<VarId> = routine.parameter_ids().chain(routine.result).collect();
    let mut roles: Vec<_> = primal.iter().map(|&v| ParameterRole::Primal(v)).collect();
    for &v in &primal {
        let ty = routine.variable(v).ty;
        if ty.is_real() || tapes && ty == ScalarType::Tape {
            roles.extend(derivative.map(|of| of(v)));
        }
    }
    roles.extend(tape.then_some(ParameterRole::Tape));
    roles
}

#[test]
fn parameters_are_told_by_their_origins() {
    let mut reversed = 0;
    for seed in 0..60 {
        let case = generate(&Options::WIDE, seed).expect("it runs");
        let valid = validate(case.program.clone()).expect("it is valid");
        let program = &case.program;
        let own: Vec<_> = program.routine(case.main).parameter_ids().collect();
        let signature = Signature::from_origins(program, case.main);
        assert_eq!(signature.original, None);
        assert_eq!(
            signature.parameters,
            own.iter()
                .map(|&v| ParameterRole::Primal(v))
                .collect::<Vec<_>>()
        );
        if let Ok(made) = tangent(&flat(&valid), case.main) {
            for &(original, derived) in &made.pairs {
                let found = Signature::from_origins(&made.program, derived);
                assert_eq!(found.role, Some(NameRole::Tangent), "seed {seed}");
                let tangents: fn(VarId) -> ParameterRole = ParameterRole::Tangent;
                let roles = expected(&made.program, original, Some(tangents), true, false);
                assert_eq!(found.parameters, roles, "seed {seed}");
            }
            assert_eq!(
                made.signature,
                Signature::from_origins(&made.program, made.tangent)
            );
        }
        let Ok(made) = reverse(&flat(&valid), case.main, &Reversing::default()) else {
            continue;
        };
        reversed += 1;
        let adjoints: fn(VarId) -> ParameterRole = ParameterRole::Adjoint;
        for &(original, forward, backward) in &made.sweeps {
            let found = Signature::from_origins(&made.program, forward);
            assert_eq!(
                (found.original, found.role),
                (Some(original), Some(NameRole::Forward))
            );
            let roles = expected(&made.program, original, None, false, true);
            assert_eq!(found.parameters, roles, "seed {seed}");
            let found = Signature::from_origins(&made.program, backward);
            assert_eq!(
                (found.original, found.role),
                (Some(original), Some(NameRole::Reverse))
            );
            let roles = expected(&made.program, original, Some(adjoints), false, true);
            assert_eq!(found.parameters, roles, "seed {seed}");
        }
        assert_eq!(made.signature.original, Some(case.main));
        let roles = expected(&made.program, case.main, Some(adjoints), false, false);
        assert_eq!(made.signature.parameters, roles, "seed {seed}");
        // In a derivative of a derivative, "original" is the first derivative, whose adjoints are primal there.
        let again = validate(made.program).expect("it is valid");
        if let Ok(second) = tangent(&flat(&again), made.reverse) {
            let tangents: fn(VarId) -> ParameterRole = ParameterRole::Tangent;
            let roles = expected(&second.program, made.reverse, Some(tangents), true, false);
            assert_eq!(second.signature.parameters, roles, "seed {seed}");
            assert_eq!(second.signature.original, Some(made.reverse));
        }
    }
    assert!(reversed > 20, "{reversed}");
}
