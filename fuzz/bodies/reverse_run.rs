//! A random program, structured, any graph or with pointers, damaged operator by operator: if it is still valid, its tape passes the static
//! check, its forward sweep gives the original's results, and its reverse sweep empties the tape.

use super::flattened::flattened;
use cfg_core::{
    elemental::Scalar,
    ir::{Cfg, Expr, Op, Program, StmtKind, VertexKind},
    validate,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Tape, Value};
use cfg_reverse::{Blocks, Unstructured};
use cfg_testkit::flat;
use cfg_testkit::{
    case::{Case, Elements},
    general,
    generate::{Options, generate},
    pointers,
};

/// One input.
pub(crate) fn run(data: &[u8]) {
    let Some((seed, rest)) = data.split_first_chunk::<4>() else {
        return;
    };
    let number = u64::from(u32::from_le_bytes(*seed));
    let family = seed[3] >> 5 & 3;
    let is_general = family == 3;
    let made = match family {
        0 => generate(&Options::EXACT, number),
        1 => generate(&Options::SMOOTH, number),
        2 => Ok(pointers::case(number)),
        _ => Ok(general::generate(number)),
    };
    let Ok(mut case) = made else {
        return;
    };
    damage(&mut case.program, rest);
    let Ok(valid) = validate::validate(case.program.clone()) else {
        return;
    };
    let Ok((valid, main)) = flattened(valid, case.main) else {
        return;
    };
    let merge = seed[3] & 2 == 0;
    let counters = seed[3] & 4 == 0;
    let blocks = [
        Blocks::Statement,
        Blocks::Preaccumulate,
        Blocks::Auto,
        Blocks::Statement,
    ];
    let choices = cfg_reverse::Options {
        operands: false,
        order: match seed[2] & 4 {
            0 => cfg_reverse::Order::Program,
            _ => cfg_reverse::Order::Reverse,
        },
        prefer: match seed[2] & 8 {
            0 => cfg_reverse::Prefer::Time,
            _ => cfg_reverse::Prefer::Memory,
        },
        values: false,
        tape_memory: (seed[2] & 16 != 0).then_some(100),
        restarts: seed[2] & 32 != 0,
        control_only: false,
        results: cfg_reverse::Results::Keep,
        overlap: if seed[2] & 2 == 0 {
            cfg_reverse::Overlap::Assume
        } else {
            cfg_reverse::Overlap::None
        },
        strong: cfg_reverse::Strong::default(),
        unstructured: if seed[3] & 1 == 0 {
            Unstructured::Structure
        } else {
            Unstructured::Trace
        },
        counters,
        markers: seed[3] & 128 == 0,
        indices: seed[2] & 2 == 0,
        merge,
        blocks: blocks[usize::from(seed[3] >> 3 & 3)],
        search: cfg_reverse::Search::DEFAULT,
        // Any sequence is right: a short search leaves time for more programs.
        work: 50_000,
        flow_limit: if seed[2] & 1 == 0 {
            0
        } else {
            cfg_core::dataflow::FLOW_LIMIT
        },
        inside: if seed[3] & 2 == 0 {
            cfg_reverse::Inside::Arrays
        } else {
            cfg_reverse::Inside::Pools
        },
    };
    let made = match cfg_reverse::reverse(&valid, main, &choices) {
        Ok(made) => made,
        Err(problems) => {
            assert!(problems.has_errors());
            return;
        }
    };
    let program = match validate::validate(made.program.clone()) {
        Ok(program) => flat(&program),
        Err(problems) => {
            panic!("the adjoint program is valid: {problems}")
        }
    };
    let found = tape_check::check_program(&program).problems;
    assert!(!found.has_errors(), "{found}");
    let limits = RunOptions {
        fuel: 100_000,
        max_tape: 1 << 24,
        max_memory: 1 << 26,
        max_depth: 200,
        ..RunOptions::default()
    };
    let compiled = Compiled::new(&program, &CompileOptions::default()).expect("it compiles");
    let mut session = Session::new(&compiled);
    let Some(mut original) = arguments(&case, &session, main, &made.program) else {
        return;
    };
    original.truncate(case.routine().parameters.len());
    let Ok(report) = session.run(main, &mut original, &limits) else {
        return;
    };
    original.extend(report.result.map(Argument::Value));

    session.reset_globals();
    let Some(mut forward) = arguments(&case, &session, made.forward, &made.program) else {
        return;
    };
    forward.push(Tape::default().into());
    let limits = RunOptions {
        fuel: 10_000_000,
        max_tape: 1 << 30,
        ..limits
    };
    if let Err(fault) = session.run(made.forward, &mut forward, &limits) {
        // An uninitialised value may decide a partial, which a local Jacobian computes in this sweep. And
        // a counted loop may be jumped into that was never entered (docs/limits.md).
        let known = choices.blocks != Blocks::Statement || is_general;
        assert!(
            known && fault.code == "X202",
            "the forward sweep runs where the original does: {fault}"
        );
        return;
    }
    let tape = forward.pop().unwrap_or_default();
    assert!(
        format!("{original:?}") == format!("{forward:?}"),
        "results differ"
    );
    let r = case.routine();
    for (p, v) in r.parameter_ids().chain(r.result).enumerate() {
        if let (true, Argument::Value(x)) = (r.variable(v).ty.is_real(), &forward[p]) {
            let mut b = x.clone();
            for i in 0..b.len() {
                let _ = b.set(i, Scalar::Real(1.0)) || b.set(i, Scalar::Real32(1.0));
            }
            forward.push(b.into());
        } else if r.variable(v).ty.is_real() {
            forward.push(Argument::Absent);
        }
    }
    forward.push(tape);
    match session.run(made.reverse, &mut forward, &limits) {
        Ok(_) => {
            let tape = forward.pop().unwrap_or_default();
            assert!(
                tape.tape().is_some_and(|t| t.size().is_empty()),
                "the tape is not empty"
            );
        }
        // As above, by statement.
        Err(fault) => assert_eq!(fault.code, "X202", "{fault}"),
    }
}

fn arguments(
    case: &Case,
    session: &Session,
    routine: cfg_core::entity::RoutineId,
    program: &Program,
) -> Option<Vec<Argument>> {
    let r = case.routine();
    let mut arguments: Vec<Argument> = Vec::new();
    for p in r.parameter_ids() {
        arguments.push(match case.value(p) {
            None => Argument::Absent,
            Some(datum) => {
                let variable = r.variable(p);
                let mut value = Value::uninitialised(variable.ty, &datum.extents, variable.order)?;
                for i in 0..datum.len() {
                    value.set(
                        i,
                        match &datum.elements {
                            Elements::Real(x) => Scalar::Real(x[i]),
                            Elements::Real32(x) => Scalar::Real32(x[i]),
                            Elements::Integer(x) => Scalar::Integer(x[i]),
                            Elements::Sized(ty, x) => Scalar::Sized(*ty, x[i]),
                            Elements::Logical(x) => Scalar::Logical(x[i]),
                        },
                    );
                }
                value.into()
            }
        });
    }
    let generated = program.routine(routine);
    let count = r.parameters.len() + usize::from(r.result.is_some());
    arguments.resize(count, Argument::Absent);
    for (p, v) in generated.parameter_ids().enumerate().take(count) {
        let variable = generated.variable(v);
        if arguments[p] == Argument::Absent && variable.intent() == Some(cfg_core::ir::Intent::Out)
        {
            arguments[p] = session
                .uninitialised_argument(routine, v, &arguments)
                .ok()?;
        }
    }
    Some(arguments)
}

/// Each pair of bytes replaces one operator by another of the same number of operands, or removes a
/// statement.
fn damage(program: &mut Program, bytes: &[u8]) {
    for pair in bytes.chunks_exact(2).take(16) {
        let (which, what) = (usize::from(pair[0]), usize::from(pair[1]));
        let routines = program.routines.len();
        let routine = &mut program.routines[which % routines];
        let Some(cfg) = routine.body.take() else {
            continue;
        };
        let (mut vertices, edges) = cfg.into_parts();
        let n = vertices.len();
        let vertex = &mut vertices[(which * 31 + what) % n];
        if let VertexKind::Block(statements) = &mut vertex.kind
            && !statements.is_empty()
        {
            let k = what % statements.len();
            if what % 3 == 0 {
                statements.remove(k);
            } else if let StmtKind::Assign { value, .. } = &mut statements[k].kind {
                replace(value, what);
            }
        }
        routine.body = Cfg::new(vertices, edges);
    }
}

fn replace(e: &mut Expr, what: usize) {
    if let Expr::Op(op, operands) = e {
        if what.is_multiple_of(2) && !operands.is_empty() {
            let k = what / 2 % operands.len();
            return replace(&mut operands[k], what / 3);
        }
        let fits: Vec<Op> = Op::ALL
            .iter()
            .copied()
            .filter(|o| o.class() == op.class())
            .filter(|o| o.arity().0 <= operands.len() && operands.len() <= o.arity().1)
            .collect();
        *op = fits[what % fits.len()];
    }
}
