//! Parts that run again from states that are kept: random programs with checkpoints against operator overloading, and the
//! numbers of steps and states against the formula of binomial checkpointing.

use crate::{adjoint::agrees_in_any_order, bounds::valid, run};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Cfg, Checkpoint, LoopForm, Routine, VertexKind},
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value, Visited};
use cfg_reverse::{Inside, Options, Reversal, reverse, tangent};
use cfg_testkit::{case::Case, flat, generate::Options as Generate, property, rng::Rng};
use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering},
};

/// The case with checkpoints at some loops and blocks of its routines.
fn with_checkpoints(case: &Case, seed: u64) -> Case {
    let mut case = case.clone();
    let mut rng = Rng::new(seed);
    for routine in &mut case.program.routines {
        for vertex in routine.body.iter_mut().flat_map(Cfg::vertices_mut) {
            let drawn = rng.below(6);
            vertex.checkpoint = match &vertex.kind {
                VertexKind::Loop {
                    form: LoopForm::Loop,
                    ..
                } if drawn < 4 => Some(match drawn {
                    0 => Checkpoint::Each,
                    n => Checkpoint::Snapshots(NonZeroU32::new(n as u32).expect("it is not 0")),
                }),
                VertexKind::Block(_) if drawn == 0 => Some(Checkpoint::Each),
                _ => None,
            };
        }
    }
    case
}

fn options(seed: u64) -> Options {
    Options {
        inside: [Inside::Pools, Inside::Arrays, Inside::Nothing][seed as usize % 3],
        merge: seed % 5 == 0,
        tape_memory: [None, Some(1), Some(300), Some(2000)][seed as usize % 4],
        ..Options::default()
    }
}

fn check(programs: &Generate, first: u64, tolerance: f64) {
    let [made, refused] = [AtomicU64::new(0), AtomicU64::new(0)];
    property::check_numbered(programs, first..first + 1000, |seed, case| {
        let case = with_checkpoints(case, seed);
        match agrees_in_any_order(&case, &options(seed), tolerance) {
            // Parts with jumps out of them, and states that cannot be kept.
            Err(message)
                if ["M505", "M502", "R314"]
                    .iter()
                    .any(|code| message.contains(code)) =>
            {
                refused.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(message) if message.starts_with("undefined") => Ok(()),
            found => {
                made.fetch_add(1, Ordering::Relaxed);
                found.map_err(|message| format!("{message}\n{}", case.program))
            }
        }
    });
    let [made, refused] = [made, refused].map(AtomicU64::into_inner);
    assert!(
        2 * made > refused,
        "{made} programs with an adjoint, {refused} without"
    );
}

#[test]
fn exact_programs() {
    check(&Generate::EXACT, 130_000, 0.0);
}

#[test]
fn programs_of_all_kinds() {
    let programs = Generate {
        global_lists: 0,
        tapes: 0,
        main_optionals: 0,
        ..Generate::WIDE_SMOOTH
    };
    check(&programs, 131_000, 1e-8);
}

/// Steps without record, steps with record, and the most states kept at once, in the gradient of a loop of `steps`
/// steps that keeps `states` states.
fn counted(compiled: &Compiled, made: &Reversal, steps: i64) -> [u64; 3] {
    let step = made
        .program
        .find_routine("f_step")
        .expect("the step is there");
    let recorded = made
        .program
        .find_routine("f_step_fwd")
        .expect("its forward sweep is there");
    let mut session = Session::new(compiled);
    let mut arguments: Vec<Argument> = vec![
        Value::integer(steps).into(),
        Value::real(0.5).into(),
        Value::real(1.0).into(),
    ];
    let report = session.run(made.gradient, &mut arguments, &RunOptions::default());
    let report = report.unwrap_or_else(|problems| panic!("{problems}"));
    let program = &made.program;
    let visits = |r: RoutineId| {
        let of = |visited: &&Visited| {
            let cfg = program.routine(r).body.as_ref();
            visited.routine == r && cfg.and_then(Cfg::entry) == Some(visited.vertex)
        };
        report.trace.iter().filter(of).count() as u64
    };
    // A state has a real and its number; behind all states lie two numbers, and the result that the gradient keeps.
    let states = report.tape.peak_bytes.saturating_sub(24) / 16;
    [visits(step), visits(recorded), states]
}

/// Every number of steps up to 200 with every number of states up to 12 takes as many steps as the formula of
/// Griewank and Walther says, which is the least possible.
#[test]
fn steps_and_states_follow_the_formula() {
    for states in 1..=12_u64 {
        let source = format!(
            "subroutine f(in integer n, inout real x)
               local integer i
               independent x
               dependent x
               for i = 1, n {{checkpoint {states}}}
                 x := 0.5*x + 1.0
               end
             end"
        );
        let program = valid(&source);
        let main = program.find_routine("f").expect("it is there");
        let made = reverse(&flat(&program), main, &Options::default());
        let made = made.unwrap_or_else(|d| panic!("{d}{source}"));
        let program = validate(made.program.clone()).expect("it is valid");
        let options = CompileOptions {
            trace: true,
            ..CompileOptions::default()
        };
        let compiled = Compiled::new(&flat(&program), &options).expect("it compiles");
        for steps in 0..=200_u64 {
            // Exact in 64 bits: the numbers are binomial coefficients of few steps.
            let choose = |n: u64, k: u64| (0..k).fold(1, |c, j| c * (n - j) / (j + 1));
            let r = (0..)
                .find(|&r| choose(states + r, states) >= steps.max(1))
                .unwrap_or(0);
            let expected = (r * steps).saturating_sub(match r {
                0 => 0,
                _ => choose(states + r, states + 1),
            });
            let [plain, recorded, kept] = counted(&compiled, &made, steps as i64);
            let context = format!("{steps} steps with {states} states");
            assert_eq!((plain, recorded), (expected, steps), "{context}");
            assert!(kept <= states, "{context}: {kept} states");
            assert!(
                kept == states || kept >= steps.saturating_sub(1),
                "{context}: {kept} states"
            );
        }
    }
}

/// A loop with nested checkpoints, and the same without.
fn with_and_without() -> [ValidProgram; 2] {
    let marked = "
        subroutine f(in integer n, in real p, inout real x[4], out real y)
          local integer i, j
          local real t
          independent x, p
          dependent y
          t := 1.0
          for i = n, 1, -2 {checkpoint 2}
            t := t*0.5 + x[1]
            for j = 1, 3 {checkpoint}
              x[j + 1] := sin(x[j]*p)*i + x[j + 1]
              t := t + x[j]*x[j]
            end
            {checkpoint}
            x[1] := cos(t)*x[4]
          end
          while t > 0.5 {checkpoint 3}
            t := t*0.75 - 0.01*x[2]*x[2]
            x[3] := x[3]*t
          end
          y := t*x[3] + x[1] + i
        end";
    let plain: Vec<&str> = marked
        .split('\n')
        .filter(|line| line.trim() != "{checkpoint}")
        .collect();
    let plain = plain.join("\n");
    let plain = ["{checkpoint 2}", "{checkpoint 3}", "{checkpoint}"]
        .iter()
        .fold(plain, |text, mark| text.replace(mark, ""));
    [valid(marked), valid(&plain)]
}

/// The tangent of the gradient is that of the gradient without checkpoints, and states keep to their memory.
#[test]
fn second_derivatives_and_limits_of_memory() {
    let [marked, plain] = with_and_without();
    let mut found = Vec::new();
    for (program, tape_memory) in [(&plain, None), (&marked, None), (&marked, Some(150))] {
        let main = program.find_routine("f").expect("it is there");
        let options = Options {
            tape_memory,
            ..Options::default()
        };
        let made = reverse(&flat(program), main, &options).unwrap_or_else(|d| panic!("{d}"));
        let mut derived = made.program;
        let gradient = made.gradient;
        let list = |names: &[&str], routine: &Routine| -> Vec<VarId> {
            let named = |v: &VarId| names.contains(&routine.variable(*v).name.as_str());
            routine.parameter_ids().filter(named).collect()
        };
        let of = derived.routine(gradient);
        let (ins, outs) = (list(&["x", "p"], of), list(&["x_b", "p_b", "y"], of));
        derived.routines[gradient.index()].independents = ins;
        derived.routines[gradient.index()].dependents = outs;
        let derived = validate(derived).unwrap_or_else(|d| panic!("{d}"));
        let second = tangent(&flat(&derived), gradient).unwrap_or_else(|d| panic!("{d}"));
        let run = run::valid(second.program).unwrap_or_else(|d| panic!("{d}"));
        let value = |x: &[f64]| Value::from_reals(x);
        let given: run::Named = [
            ("n", Value::integer(5)),
            ("p", Value::real(0.7)),
            ("x", value(&[0.1, 0.4, -0.3, 0.9])),
            ("y_b", Value::real(1.0)),
            ("x_b", value(&[0.0; 4])),
            ("p_b", Value::real(0.0)),
            ("x_t", value(&[1.0, -1.0, 0.5, 0.25])),
            ("p_t", Value::real(0.3)),
            ("y_b_t", Value::real(0.0)),
            ("x_b_t", value(&[0.0; 4])),
            ("p_b_t", Value::real(0.0)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let out = run::run(&run, second.tangent, &given).unwrap_or_else(|d| panic!("{d}"));
        found.push(
            ["y", "x_b", "p_b", "y_t", "x_b_t", "p_b_t"].map(|name| format!("{:?}", out[name])),
        );
    }
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}
