//! Parts that run again from states that are kept: random programs with checkpoints against operator overloading, and
//! the numbers of steps and states against the formula of binomial checkpointing.

use crate::{adjoint::agrees_in_any_order, bounds::valid, run};
use cfg_core::{
    elemental::Scalar,
    entity::{RoutineId, VarId},
    ir::{Cfg, Intent, Program, Routine, ScalarType, StmtKind},
    validate::{ValidProgram, validate},
};
use cfg_exec::{
    Argument, CompileOptions, Compiled, Progress, Report, RunOptions, Session, Value, Visited,
};
use cfg_reverse::{
    Inside, Options, Reversal, Unstructured, checkpoint_schedule, explain::explain, keep_states,
    reverse, tangent,
};
use cfg_testkit::{
    case::Case, checkpoints::with_checkpoints, flat, generate::Options as Generate, property,
};
use std::{
    borrow::Cow,
    num::NonZeroU32,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

fn options(seed: u64) -> Options {
    Options {
        inside: [Inside::Pools, Inside::Arrays, Inside::Nothing][seed as usize % 3],
        merge: seed.is_multiple_of(5),
        tape_memory: [None, Some(4000), Some(20_000), Some(100_000)][seed as usize % 4],
        restarts: seed % 7 < 3,
        ..Options::default()
    }
}

/// True of the message of a run whose states or records do not fit into the limit.
fn is_full(message: &str) -> bool {
    message.contains("the limit of the tape's memory")
}

/// The case with the states of a limit of memory.
fn limited(case: &Case) -> Result<Case, String> {
    let options = Options {
        tape_memory: Some(1),
        ..Options::default()
    };
    let program = validate(case.program.clone()).map_err(|d| d.to_string())?;
    let (kept, _) =
        keep_states(Cow::Owned(flat(&program)), case.main, &options).map_err(|d| d.to_string())?;
    // The routine has other variables, but those of the case by their names.
    let [before, now] = [&case.program, kept.program()].map(|p| p.routine(case.main));
    let moved = |v: VarId| {
        now.find_variable(&before.variable(v).name)
            .expect("it is there")
    };
    let mut made = case.clone();
    made.point.iter_mut().for_each(|(v, _)| *v = moved(*v));
    let pairs = made.direction.iter_mut().chain(&mut made.seed);
    pairs.for_each(|(v, _)| *v = moved(*v));
    made.program = Program::clone(&kept);
    Ok(made)
}

fn check(programs: &Generate, first: u64, tolerance: f64) {
    let [made, refused] = [AtomicU64::new(0), AtomicU64::new(0)];
    property::check_numbered(programs, first..first + 1000, |seed, case| {
        // Without checkpoints, a limit of memory chooses the loops.
        let case = match seed % 5 {
            3 => limited(case)?,
            _ => with_checkpoints(case, seed),
        };
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
            Err(message) if message.starts_with("undefined") || is_full(&message) => Ok(()),
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

/// Steps without record, steps whose forward sweep runs, and the most states kept at once, by the bytes of the tape and
/// as the executor counts them, in the gradient of a loop of `steps` steps that keeps `states` states.
fn counted(compiled: &Compiled, made: &Reversal, steps: i64) -> [u64; 4] {
    let step = made
        .program
        .find_routine("f_step")
        .expect("the step is there");
    // The sweep of the last step, where it is recorded on the way, and the sweep of steps that are reversed at once.
    let recorded = ["f_step_fwd", "f_step_joint_fwd"].map(|name| {
        let found = made.program.find_routine(name);
        found.expect("a forward sweep is there")
    });
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
    [
        visits(step),
        recorded.map(visits).iter().sum(),
        states,
        report.tape.snapshots,
    ]
}

/// The adjoint of `f`, and the compiled program.
fn compiled(source: &str, trace: bool) -> (Compiled, Reversal) {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&flat(&program), main, &Options::default());
    let made = made.unwrap_or_else(|d| panic!("{d}{source}"));
    let program = validate(made.program.clone()).expect("it is valid");
    let options = CompileOptions {
        trace,
        ..CompileOptions::default()
    };
    let compiled = Compiled::new(&flat(&program), &options);
    (compiled.expect("it compiles"), made)
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
        let (compiled, made) = compiled(&source, true);
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
            let [plain, recorded, kept, snapshots] = counted(&compiled, &made, steps as i64);
            let context = format!("{steps} steps with {states} states");
            assert_eq!((plain, recorded), (expected, steps), "{context}");
            let few = u32::try_from(states).ok().and_then(NonZeroU32::new);
            let rows = checkpoint_schedule(steps, few.expect("it is not 0"));
            let run: u64 = rows.map(|row| row.reversed - row.start).sum();
            assert_eq!(run, expected, "{context}");
            assert!(kept <= states, "{context}: {kept} states");
            // The last step needs no state: it is recorded on the way.
            assert_eq!(
                snapshots,
                states.min(steps.saturating_sub(1).max(1)),
                "{context}"
            );
            assert!(
                kept == states || kept >= steps.saturating_sub(1),
                "{context}: {kept} states"
            );
        }
    }
}

/// The times that each of so many steps runs without record, in the gradient of a loop whose trip count is known at its
/// end only: found with a list of states, without a tape.
fn online_repetitions(steps: usize, most: usize) -> Vec<u64> {
    // Each step runs once on the way forward.
    let mut times = vec![1; steps];
    // Each state with its level.
    let mut states = vec![(0, usize::MAX)];
    for step in 0..steps {
        if step > 0 && states.len() < most {
            states.push((step, 0));
        } else if step > 0 && most > 1 {
            let level = states[most - 1].1;
            states.retain(|state| state.1 > level);
            states.push((step, level + 1));
        }
    }
    let choose = |n: usize, k: usize| (0..k).fold(1, |c, j| c * (n - j) / (j + 1));
    let mut end = steps;
    while let Some(&(start, _)) = states.last().filter(|_| end > 0) {
        let mut at = start;
        while end - at > 1 {
            let free = most - states.len() + 1;
            let reach = |r: usize| choose(free + r, free);
            let r = (1..).find(|&r| reach(r) >= end - at).unwrap_or(1);
            let ahead = reach(r - 1).min(end - at - choose(free - 1 + r - 1, free - 1));
            times[at..at + ahead].iter_mut().for_each(|t| *t += 1);
            at += ahead;
            if end - at > 1 {
                states.push((at, 0));
            }
        }
        end = at;
        states.retain(|state| state.0 == 0 || state.0 < end);
    }
    times
}

/// Where the trip count is known at the end only, no step runs again more than r times, with C(c + r, c) at least the
/// number of steps, and at most c states are kept.
#[test]
fn steps_of_unknown_number_run_again_as_often_as_the_bound_allows() {
    for most in 1..=12_u64 {
        let source = format!(
            "subroutine f(in integer n, inout real x)
               local integer k
               independent x
               dependent x
               k := 0
               while k < n {{checkpoint {most}}}
                 k := k + 1
                 x := 0.5*x + 1.0
               end
             end"
        );
        let (compiled, made) = compiled(&source, true);
        for steps in (0..=200).step_by(if most < 5 { 1 } else { 7 }) {
            let times = online_repetitions(steps as usize, most as usize);
            let choose = |n: u64, k: u64| (0..k).fold(1, |c, j| c * (n - j) / (j + 1));
            let r = (0..).find(|&r| choose(most + r, most) >= steps);
            let context = format!("{steps} steps with {most} states");
            assert!(times.iter().max() <= r.map(|r| r + 1).as_ref(), "{context}");
            let [plain, recorded, bytes, snapshots] = counted(&compiled, &made, steps as i64);
            assert_eq!((plain, recorded), (times.iter().sum(), steps), "{context}");
            // A state has x, k, its level and the number of its step.
            assert!(bytes / 2 <= most, "{context}: {bytes}");
            assert_eq!(snapshots, most.min(steps.max(1)), "{context}");
        }
    }
}

/// The traffic of each position of the schedule of Griewank and Walther: states that are written there, and states that
/// are read from there. The last step is recorded on the way forward, the first state is read once more at the end.
fn traffic(steps: u64, states: u64) -> Vec<[u64; 2]> {
    let reach = |s: u64, r: u64| (0..s.min(r)).fold(1, |c, j| c * (s + r - j) / (j + 1));
    let mut found = vec![[0; 2]; states as usize];
    let mut stack = Vec::new();
    let keep = |stack: &mut Vec<u64>, found: &mut Vec<[u64; 2]>, at| {
        found[stack.len()][0] += 1;
        stack.push(at);
    };
    let go = |stack: &mut Vec<u64>, found: &mut Vec<[u64; 2]>, mut at: u64, end: u64| {
        while end.saturating_sub(at) > 1 {
            let (m, s) = (end - at, states - stack.len() as u64 + 1);
            let r = (1..).find(|&r| reach(s, r) >= m).expect("it exists");
            at += reach(s, r - 1).min(m - reach(s - 1, r - 1));
            if end - at > 1 {
                keep(stack, found, at);
            }
        }
        at
    };
    found[0][0] += 1;
    stack.push(0);
    let mut end = go(&mut stack, &mut found, 0, steps);
    while end > 0 {
        let at = *stack.last().expect("a state is left");
        found[stack.len() - 1][1] += 1;
        if at > 0 && at + 1 == end {
            stack.pop();
        }
        end = go(&mut stack, &mut found, at, end);
    }
    found[0][1] += 1;
    found
}

/// A loop that keeps so many states in memory and on disk, and its gradient.
fn on_disk(memory: u64, disk: u64) -> (Compiled, Reversal) {
    let source = format!(
        "subroutine f(in integer n, inout real x)
           local integer i
           independent x
           dependent x
           for i = 1, n {{checkpoint {memory} disk {disk}}}
             x := 0.5*x + 1.0
           end
         end"
    );
    compiled(&source, false)
}

/// The states on disk are those with the least traffic, for every number of steps up to 200, every number of states up
/// to 12, and every part of them that lies in memory.
#[test]
fn states_on_disk_have_the_least_traffic() {
    let (compiled, made) = on_disk(1, 1);
    let placement = made.program.find_routine("checkpoint_placement");
    let placement = placement.expect("it is there");
    let mut session = Session::new(&compiled);
    for states in 2..=12 {
        for steps in 2..=200 {
            let sums: Vec<u64> = traffic(steps, states).iter().map(|[w, r]| w + r).collect();
            let given = states.min(steps);
            for memory in 1..states {
                let numbers = [steps, given, memory].map(|n| Value::integer(n as i64).into());
                let results = [0, 0].map(|n| Value::integer(n).into());
                let mut arguments: Vec<Argument> = numbers.into_iter().chain(results).collect();
                let run = session.run(placement, &mut arguments, &RunOptions::default());
                run.unwrap_or_else(|problem| panic!("{problem}"));
                let result = |k: usize| match arguments[k].value().and_then(|v| v.get(0)) {
                    Some(Scalar::Integer(n)) => n as usize,
                    other => panic!("{other:?}"),
                };
                let [first, last] = [3, 4].map(result);
                assert!(last - first <= memory as usize);
                let found: u64 = sums[..first].iter().chain(&sums[last..]).sum();
                let mut sorted = sums.clone();
                sorted.sort_unstable();
                let least: u64 = sorted[..(states - memory) as usize].iter().sum();
                assert_eq!(
                    found, least,
                    "{steps} steps, {memory} of {states} states: {sums:?}"
                );
            }
        }
    }
}

/// The bytes that a gradient writes and reads are those of the states with the least traffic: a state that is used
/// again is not written again.
#[test]
fn bytes_on_disk_follow_the_schedule() {
    for (memory, disk) in [(1, 1), (1, 11), (2, 3), (4, 1), (3, 7), (6, 6)] {
        let (compiled, made) = on_disk(memory, disk);
        let in_memory = on_disk(memory + disk, 0);
        let states = memory + disk;
        for steps in (0..20).chain([37, 50, 64, 91, 92, 120, 199, 200]) {
            let mut values = Vec::new();
            for (compiled, made) in [(&compiled, &made), (&in_memory.0, &in_memory.1)] {
                let mut session = Session::new(compiled);
                let mut arguments: Vec<Argument> = vec![
                    Value::integer(steps as i64).into(),
                    Value::real(0.5).into(),
                    Value::real(1.0).into(),
                ];
                let report = session.run(made.gradient, &mut arguments, &RunOptions::default());
                let report = report.unwrap_or_else(|problems| panic!("{problems}"));
                values.push((format!("{arguments:?}"), report.tape));
            }
            assert_eq!(values[0].0, values[1].0);
            assert_eq!(values[0].1.steps_again, values[1].1.steps_again);
            let found = &values[0].1;
            let mut sums = traffic(steps, states);
            sums.truncate(steps.max(1) as usize);
            sums.sort_unstable_by_key(|[w, r]| w + r);
            let kept = (states.min(steps.max(1)) - memory.min(steps.max(1))) as usize;
            let least: u64 = sums[..kept].iter().flatten().sum();
            // A block has a cell and its checksum.
            assert_eq!(
                found.disk_written + found.disk_read,
                16 * least,
                "{steps} steps"
            );
            assert!(found.disk_peak <= 16 * disk, "{steps} steps");
            assert!(found.leftovers.iter().all(|left| left.is_empty()));
        }
    }
}

/// A loop with nested checkpoints, the same with states on disk, and the same without.
fn with_and_without() -> [ValidProgram; 3] {
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
    let on_disk = marked.replace("{checkpoint 2}", "{checkpoint 1 disk 1}");
    let on_disk = on_disk.replace("{checkpoint 3}", "{checkpoint 1 disk 2}");
    [valid(marked), valid(&on_disk), valid(&plain)]
}

/// The tangent of the gradient is that of the gradient without checkpoints, and states keep to their memory.
#[test]
fn second_derivatives_and_limits_of_memory() {
    let [marked, on_disk, plain] = with_and_without();
    let mut found = Vec::new();
    for (program, tape_memory) in [
        (&plain, None),
        (&marked, None),
        (&marked, Some(150)),
        (&on_disk, None),
    ] {
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
    assert_eq!(found[0], found[3]);
}

/// The values of all parameters after the gradient of `f`: integers begin with 5, reals with other numbers, the adjoint
/// of y with 1.
fn after_gradient(source: &str) -> run::Named {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&flat(&program), main, &Options::default());
    let made = made.unwrap_or_else(|d| panic!("{d}{source}"));
    let program = run::valid(made.program).unwrap_or_else(|d| panic!("{d}{source}"));
    let gradient = program.routine(made.gradient);
    let given = gradient.parameter_ids().filter_map(|p| {
        let variable = gradient.variable(p);
        let start = match variable.name.as_str() {
            "y_b" => 1.0,
            name if name.ends_with("_b") => 0.0,
            _ => 0.7,
        };
        let extent = variable
            .shape
            .first()
            .map(|dim| dim.constant_extent().expect("constant"));
        let value = match (variable.ty, extent) {
            _ if variable.intent() == Some(Intent::Out) => return None,
            (ScalarType::Integer, _) => Value::integer(5),
            (_, None) => Value::real(start),
            (_, Some(n)) => {
                let x = |k: i64| {
                    if start == 0.7 {
                        1.3 / (k + 1) as f64
                    } else {
                        start
                    }
                };
                Value::from_reals(&(0..n as i64).map(x).collect::<Vec<_>>())
            }
        };
        Some((variable.name.clone(), value))
    });
    let given = given.collect();
    run::run(&program, made.gradient, &given).unwrap_or_else(|d| panic!("{d}{source}"))
}

/// A step that is no more than a call, of a routine whose results no derivative of its own needs.
const CALLED: &str = "main subroutine f(in integer n, in real p, inout real x[4], out real y)
       local integer i
       independent p, x
       dependent y
       for i = 1, n {checkpoint 2}
         call g(p, x)
       end
       y := x[1]*x[4]
     end
     subroutine g(in real p, inout real x[4])
       local integer j
       local real w[4]
       for j = 1, 4
         w[j] := sin(x[j]*p)
       end
       for j = 1, 4
         x[j] := w[j] + w[5 - j]
       end
     end";

/// Programs whose parts have locals, other arguments than variables, globals, and intents that say less than they
/// could.
const PARTS: [&str; 15] = [
    "subroutine f(in integer n, in real p, inout real x[3], out real y)
       local integer i, j
       local real w[3]
       independent p, x
       dependent y
       for i = 1, n {checkpoint 3}
         for j = 1, 3
           w[j] := sin(x[j]*p)
         end
         for j = 1, 3
           x[j] := x[j]*w[j] + w[4 - j]
         end
       end
       y := x[1] + x[2]*x[3]
     end",
    "subroutine f(in integer n, in real p, inout real x, out real y)
       local integer i
       local real t
       independent p, x
       dependent y
       t := 0.5
       for i = 1, n {checkpoint}
         if mod(i, 2) == 1
           t := sin(p*x)
         end
         x := x*t
       end
       y := x
     end",
    "main subroutine f(inout real p, inout real x, out real y)
       independent p, x
       dependent y
       call w(p, x)
       p := 2.0*p
       y := x + p
     end
     subroutine w(inout real p, inout real x)
       @2 {checkpoint}
       call h(p, x)
     end
     subroutine h(in real p, inout real x)
       x := sin(p*x)
     end",
    "global real g
     main subroutine f(in real q, inout real x, out real y)
       uses g
       independent q, x
       dependent y
       g := q
       call w(x)
       g := 2.0*g
       y := x + g
     end
     subroutine w(inout real x)
       uses g
       @2 {checkpoint}
       call h(g, x)
     end
     subroutine h(in real p, inout real x)
       x := sin(p*x)
     end",
    "main subroutine f(inout real x[4], out real y)
       independent x
       dependent y
       call w(x)
       y := x[1] + x[2]*x[3]*x[4]
     end
     subroutine w(inout real x[4])
       local integer i
       for i = 1, 4 {checkpoint 2}
         call h(x[i], x[5 - i])
       end
     end
     subroutine h(in real p, out real x)
       x := sin(p)*p
     end",
    "main subroutine f(in integer n, in real p, inout real x, out real y)
       local integer i
       independent p, x
       dependent y
       for i = n, 1, -1 {checkpoint 2}
         x := call h(2.0*p, x)
       end
       y := x*x
     end
     function h(in real p, in real x) result real r
       r := sin(p*x) + x
     end",
    "subroutine f(in integer n, in real p, inout real x, out real y)
       local integer i, k
       independent p, x
       dependent y
       k := 4611686018427387000
       for i = -9223372036854775807, 3, k {checkpoint 2}
         x := sin(p*x) + modulo(i, 5)
       end
       y := x*x
     end",
    "subroutine f(in integer n, in real p, inout real x, out real y)
       local integer i
       independent p, x
       dependent y
       y := 0.0
       for i = 1, n {checkpoint 2}
         x := sin(p*x)*i
         do {checkpoint}
           x := 0.25*x + p
           y := y + x*i
         end while x > 1.0
       end
       y := y*x + i
     end",
    "subroutine f(in integer n, in real p, inout real x, out real y)
       local integer i
       independent p, x
       dependent y
       for i = n, 1, -1 {checkpoint 2}
         x := sin(p*x)*i
       end
       y := x*x
     end",
    "global real g = 0.5
     main subroutine f(in integer n, in real p, inout real x, out real y)
       local integer i
       uses g
       independent p, x
       dependent y
       for i = 1, n {checkpoint 2}
         g := sin(g*p) + 0.1*x
         x := x*g
       end
       y := x*g
     end",
    // The callee's result is no value to which it comes back.
    "main subroutine f(in integer n, in real p, inout real x, out real y)
       local real z
       independent p, x
       dependent y
       z := sin(p*x)
       y := z*z
       call w(n, p, z)
       y := y*z
     end
     subroutine w(in integer n, in real p, out real z)
       local integer i
       for i = 1, n {checkpoint 2}
         call h(i, p, z)
       end
     end
     subroutine h(in integer i, in real p, inout real z)
       if i == 1
         z := sin(p)*p
       else
         z := sin(z*p)
       end
     end",
    // Each step gives an array its shape.
    "subroutine f(in integer n, in real p, inout real x, out real y)
       local integer i
       local real a[3], w[:]
       independent p, x
       dependent y
       a := x
       for i = 1, n {checkpoint 2}
         w := a[1:1 + modulo(i, 3)]*p
         x := x + 0.1*sum(sin(w))
         a[2] := x*w[1]
       end
       y := x*x
     end",
    // The second call has no influence on y, and changes what the assignment in front of it reads.
    "main subroutine f(in real p, inout real x, out real y)
       local real z
       independent p, x
       dependent y
       call w(p, x)
       z := cos(p)
       y := x*sin(p*z)
       call w(p, z)
     end
     subroutine w(in real p, inout real x)
       @2 {checkpoint}
       call h(p, x)
     end
     subroutine h(in real p, inout real x)
       x := sin(p*x)
     end",
    CALLED,
    // Steps that record nothing.
    "subroutine f(in integer n, in real p, inout real x, out real y)
       local integer i
       independent p, x
       dependent y
       for i = 1, n {checkpoint 2}
         x := 0.5*x + p
       end
       y := x*x
     end",
];

#[test]
fn parts_of_every_form() {
    for marked in PARTS {
        let plain: String = marked
            .lines()
            .map(|line| {
                let line = match (
                    line.find("{checkpoint"),
                    line.trim().starts_with(['{', '@']),
                ) {
                    (Some(_), true) => "",
                    (Some(k), false) => &line[..k],
                    (None, _) => line,
                };
                format!("{line}\n")
            })
            .collect();
        let on_disk = marked.replace("{checkpoint 2}", "{checkpoint 1 disk 1}");
        let on_disk = on_disk.replace("{checkpoint 3}", "{checkpoint 1 disk 3}");
        let (ours, expected) = (after_gradient(marked), after_gradient(&plain));
        assert_eq!(format!("{ours:?}"), format!("{expected:?}"), "{marked}");
        let ours = after_gradient(&on_disk);
        assert_eq!(format!("{ours:?}"), format!("{expected:?}"), "{on_disk}");
        let program = valid(marked);
        let main = program.find_routine("f").expect("it is there");
        let plan = explain(&flat(&program), main, &Options::default());
        let plan = plan.unwrap_or_else(|d| panic!("{d}")).to_string();
        assert!(plan.contains("again, and keeps"), "{plan}{marked}");
    }
}

/// Sweeps of steps that are reversed at once neither compute nor record results, in callees neither; the last step,
/// whose results are needed, is recorded on the way.
#[test]
fn steps_that_are_reversed_at_once_compute_no_results() {
    let program = valid(CALLED);
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&flat(&program), main, &Options::default());
    let program = made.unwrap_or_else(|d| panic!("{d}")).program;
    let find = |name: &str| {
        let found = program.find_routine(name);
        found.unwrap_or_else(|| panic!("{name}: {program}"))
    };
    let computes = |name: &str| {
        let mut statements = program.routine(find(name)).statements();
        statements.any(|s| matches!(s.kind, StmtKind::Assign { .. } | StmtKind::Push { .. }))
    };
    assert!(computes("g_fwd") && !computes("g_joint_fwd"), "{program}");
    let calls = |from: &str, to: &str| {
        let to = Some(find(to));
        let statements = program.routine(find(from)).statements();
        statements.filter(|s| s.kind.callee() == to).count()
    };
    for (from, to) in [
        ("f_steps_fwd", "f_step_fwd"),
        ("f_step_fwd", "g_fwd"),
        ("f_steps_rev", "f_step_rev"),
        ("f_steps_rev", "f_step_joint_fwd"),
        ("f_steps_rev", "f_step_joint_rev"),
        ("f_step_joint_fwd", "g_joint_fwd"),
        ("f_step_joint_rev", "g_joint_rev"),
    ] {
        assert_eq!(calls(from, to), 1, "{from} {to}: {program}");
    }
}

/// Parts with other ways out, and states that cannot be kept, are refused where their program is reversed, if it
/// reaches them.
#[test]
fn parts_that_cannot_run_again() {
    let jump = "for i = 1, n {checkpoint 2}\n if x > 2.0\n break\n end\n x := x*x\n end\n";
    let optional =
        "for i = 1, n {checkpoint 2}\n if present(z)\n z := z*x\n x := x*z\n end\n end\n";
    let index = "for i = 1, n {checkpoint 2}\n x := x*x\n i := i + 1\n end\n";
    let outside = "for i = 1, n {checkpoint 2}\n opaque \"read\" writes z\n x := x*z\n end\n";
    let outside_in_callee = "for i = 1, n {checkpoint 2}\n call g(x)\n end\nend\nsubroutine g(inout real x)\n call read_on(x)\nend\nsubroutine read_on(inout real x)\n \
                             local real z\n opaque \"read\" writes z\n x := x*z\n";
    for (control, body, code) in [
        ("", jump, "M505"),
        ("", outside, "M505"),
        ("", outside_in_callee, "M505"),
        ("", optional, "R314"),
        ("general ", index, "M505"),
    ] {
        let source = format!(
            "main {control}subroutine f(in integer n, inout real x, optional inout real z)\n local integer i\n independent x\n \
             dependent x\n{body}end\n"
        );
        let program = valid(&source);
        let main = program.find_routine("f").expect("it is there");
        let found = reverse(&flat(&program), main, &Options::default());
        let found = found.expect_err("it is refused");
        assert_eq!(found.0[0].code, code, "{found}");
        assert!(found.0[0].at.site.is_some(), "{found}");
        // All is recorded by the numbers of blocks.
        let options = Options {
            unstructured: Unstructured::Trace,
            ..Options::default()
        };
        reverse(&flat(&program), main, &options).unwrap_or_else(|d| panic!("{d}"));
        let other = format!(
            "{}main subroutine h(inout real x)\n independent x\n dependent x\n x := x*x\nend\n",
            source.replace("main ", "")
        );
        let program = valid(&other);
        let main = program.find_routine("h").expect("it is there");
        reverse(&flat(&program), main, &Options::default()).unwrap_or_else(|d| panic!("{d}"));
    }
}

/// Parts to which control does not come have no states: there variables may be read that nothing assigns.
#[test]
fn parts_behind_the_end_of_a_program() {
    let program = valid(
        "subroutine f(in integer n, inout real x)
           local integer i
           local real t
           independent x
           dependent x
           if n > 1
             stop \"too many\"
             for i = 1, n {checkpoint 2}
               x := x*t
             end
           end
           for i = 1, n {checkpoint 2}
             x := x*x
           end
         end",
    );
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&flat(&program), main, &Options::default());
    let made = made.unwrap_or_else(|d| panic!("{d}"));
    let is_step = |routine: &&Routine| routine.name.ends_with("_step");
    assert_eq!(made.program.routines.iter().filter(is_step).count(), 1);
}

/// Under a limit of memory loops of time steps keep states: those that record values in loops or calls within them.
#[test]
fn loops_that_keep_states_under_a_limit() {
    const INNER: &str = "for j = 2, 4\n x[j] := x[j] + sin(x[j - 1])\n end\n";
    let loops = |body: &str| format!("for i = 1, n\n {body} end\n");
    let cases = [
        (loops(INNER), 1),
        (format!("{}{}", loops(INNER), loops(INNER)), 2),
        (format!("for k = 1, n\n {}end\n", loops(INNER)), 1),
        (loops("call g(x)\n"), 1),
        (loops("call k(x)\n"), 1),
        ("call h(n, x)\n".to_owned(), 1),
        // Within a loop that is none of time steps.
        (
            "for i = 1, 2\n if n > 7\n call h(n, x)\n end\n end\n".to_owned(),
            1,
        ),
        // No values are recorded, no loop is within, or the part cannot run again.
        (
            loops("for j = 2, 4\n x[j] := x[j] + 2.0*x[j - 1]\n end\n"),
            0,
        ),
        (loops("x[1] := sin(x[1])\n"), 0),
        (
            format!("for i = 1, n\n if x[1] > 9.0\n break\n end\n {INNER} end\n"),
            0,
        ),
        (
            format!("while x[1] > 9.0\n {INNER} x[1] := 0.5*x[1]\n end\n"),
            1,
        ),
        (INNER.to_owned(), 0),
        (format!("forloop i = 1, n\n {INNER} end\n"), 0),
        // Arrays that get their shape in front of the loop, there and within, and within.
        (
            format!(
                "t := x\n {}x[1] := t[1]\n",
                loops(&format!("t[1] := t[1]*x[1]\n x := t*x\n {INNER}"))
            ),
            1,
        ),
        (
            format!(
                "t := x\n {}",
                loops(&format!("t := t*x\n x := t*x\n {INNER}"))
            ),
            0,
        ),
        (loops(&format!("t := sin(x)\n x := t*x\n {INNER}")), 1),
    ];
    // Loops of time steps that are recorded all the same have a warning.
    let recorded = |body: &str| {
        let words = ["break", "forloop", "t := t*x"];
        usize::from(words.iter().any(|word| body.contains(word)))
    };
    let options = Options {
        tape_memory: Some(1000),
        ..Options::default()
    };
    for (body, expected) in cases {
        let source = format!(
            "main subroutine f(in integer n, inout real x[4])
               local integer i, j, k
               local real t[:]
               independent x
               dependent x
               {body}
             end
             subroutine g(inout real x[4])
               local integer j
               {INNER}
             end
             subroutine k(inout real x[4])
               call m(x)
             end
             subroutine m(inout real x[4])
               local integer j
               local real s
               s := x[1]
               for j = 2, 4
                 s := sin(s)
                 x[j] := x[j] + s
               end
             end
             subroutine h(in integer n, inout real x[4])
               local integer i, j
               {}
             end",
            loops(INNER)
        );
        let program = valid(&source);
        let main = program.find_routine("f").expect("it is there");
        let limited = keep_states(Cow::Owned(flat(&program)), main, &options);
        let (limited, warnings) = limited.unwrap_or_else(|d| panic!("{d}{source}"));
        let warned = warnings
            .0
            .iter()
            .filter(|w| w.message.contains("is recorded"));
        assert_eq!(warned.count(), recorded(&body), "{warnings}{source}");
        let vertices = limited
            .routines
            .iter()
            .flat_map(|r| &r.body)
            .flat_map(Cfg::vertices);
        let kept = vertices.filter(|(_, v)| v.checkpoint.is_some()).count();
        assert_eq!(kept, expected, "{source}\n{}", limited.program());
        let made = reverse(&limited, main, &options).unwrap_or_else(|d| panic!("{d}{source}"));
        run::valid(made.program).unwrap_or_else(|d| panic!("{d}{source}"));
    }
}

/// A limit that holds one state stops a loop whose steps would run too often, and one that holds none stops every loop.
#[test]
fn too_few_states_stop_the_run() {
    // A state has x and the numbers of its step and of its level; with a record of 8 bytes.
    for (head, state) in [
        ("for i = 1, n {checkpoint}", 16),
        ("while x < n {checkpoint}", 24),
    ] {
        let program = valid(&format!(
            "subroutine f(in integer n, inout real x)
               local integer i
               independent x
               dependent x
               {head}
                 x := sqrt(x*x) + 1.0
               end
             end"
        ));
        let main = program.find_routine("f").expect("it is there");
        let record = 8;
        for (limit, steps, stops) in [
            (state + record, 101, None),
            (state + record, 103, Some("so few states")),
            (state + record - 1, 2, Some("take more than the limit")),
        ] {
            let options = Options {
                tape_memory: Some(limit),
                ..Options::default()
            };
            let made = reverse(&flat(&program), main, &options).unwrap_or_else(|d| panic!("{d}"));
            let program = run::valid(made.program).unwrap_or_else(|d| panic!("{d}"));
            let given = [
                ("n", Value::integer(steps)),
                ("x", Value::real(0.5)),
                ("x_b", Value::real(1.0)),
            ];
            let given = given.map(|(name, value)| (name.to_owned(), value)).into();
            let context = format!("{head}: {steps} steps within {limit}");
            match (run::run(&program, made.gradient, &given), stops) {
                (Ok(_), None) => {}
                (Err(problems), Some(text)) => {
                    let problems = problems.to_string();
                    assert!(problems.contains(text), "{context}: {problems}");
                }
                (Ok(_), Some(text)) => panic!("{context}: it does not say: {text}"),
                (Err(problems), None) => panic!("{context}: {problems}"),
            }
        }
    }
}

/// States and the record of a step fill the limit, and keep within it.
#[test]
fn states_and_the_record_of_a_step_fill_the_limit() {
    // Of a loop whose trip count is known at the end only, fewer states may be left when its last step is recorded.
    // Elements are recorded one by one, or an array as a whole.
    let bodies = [
        "for j = 2, 8\n x[j] := sin(x[j]*x[j - 1])\n end",
        "x := x + 0.1*sin(x)\n for j = 2, 8\n x[j] := x[j] - 0.5*x[j - 1]\n end",
    ];
    let heads = [("for i = 1, n", 0), ("while x[1] < n", 120)];
    for ((head, less), body) in heads.into_iter().flat_map(|head| bodies.map(|b| (head, b))) {
        let source = format!(
            "subroutine f(in integer n, inout real x[8])
               local integer i, j
               independent x
               dependent x
               {head}
                 x[1] := x[1] + 1.0
                 {body}
               end
             end"
        );
        let program = valid(&source);
        let main = program.find_routine("f").expect("it is there");
        for limit in [200, 300, 1000, 5000] {
            let options = Options {
                tape_memory: Some(limit),
                ..Options::default()
            };
            let limited = keep_states(Cow::Owned(flat(&program)), main, &options);
            let (limited, _) = limited.unwrap_or_else(|d| panic!("{d}{source}"));
            let made = reverse(&limited, main, &options).unwrap_or_else(|d| panic!("{d}{source}"));
            let program = validate(made.program.clone()).expect("it is valid");
            let compiled = Compiled::new(&flat(&program), &CompileOptions::default());
            let mut session = Session::new(&compiled.expect("it compiles"));
            let x: Vec<f64> = (0..8).map(|k| 0.1 * f64::from(k)).collect();
            let mut arguments: Vec<Argument> = vec![
                Value::integer(100).into(),
                Value::from_reals(&x).into(),
                Value::from_reals(&[1.0; 8]).into(),
            ];
            let report = session.run(made.gradient, &mut arguments, &RunOptions::default());
            let report = report.unwrap_or_else(|problems| panic!("{problems}"));
            // The numbers behind the states, and the results that the gradient keeps.
            let peak = report.tape.peak_bytes - 64;
            // A state has eight reals, its number and perhaps a level.
            let context = format!("{head}: {peak} of {limit}");
            assert!(peak <= limit + 32, "{context}");
            assert!(peak + 80 + 32 + less >= limit, "{context}");
        }
    }
}

/// The progress that the host is told: each step that runs, in the forward sweep of a loop, and each one that is
/// reversed. Loops in a step are not told of, but for those in the last one of a loop with a known trip count, which
/// runs when the loop has ended. Of a `while` loop the number of steps is not known before its end.
#[test]
fn the_host_is_told_the_progress() {
    let nested = "for j = 1, 2 {checkpoint}
      x := x + 1.0
    end";
    let bodies = [
        (
            format!("for i = 1, n {{checkpoint 3}}\n x := 0.5*x\n {nested}\n end"),
            1,
        ),
        (
            "i := 0\n while i < n {checkpoint 3}\n x := 0.5*x\n i := i + 1\n end".to_owned(),
            0,
        ),
    ];
    for (body, known) in bodies {
        let source = format!(
            "subroutine f(in integer n, inout real x)
               local integer i, j
               independent x
               dependent x
               {body}
             end"
        );
        let program = valid(&source);
        let main = program.find_routine("f").expect("it is there");
        let options = Options {
            restarts: true,
            ..Options::default()
        };
        let made = reverse(&flat(&program), main, &options).unwrap_or_else(|d| panic!("{d}"));
        let program = validate(made.program.clone()).expect("it is valid");
        let compiled = Compiled::new(&flat(&program), &CompileOptions::default());
        for steps in [0, 1, 2, 7] {
            let told = Arc::new(Mutex::new(Vec::new()));
            let list = Arc::clone(&told);
            let note = move |p: Progress| {
                let mut list = list.lock().expect("nobody has panicked");
                list.push([p.run, p.reversed, p.steps]);
            };
            let options = RunOptions {
                report: Some(Report::new(note)),
                ..RunOptions::default()
            };
            let mut session = Session::new(compiled.as_ref().expect("it compiles"));
            let mut arguments: Vec<Argument> = vec![
                Value::integer(steps).into(),
                Value::real(0.5).into(),
                Value::real(1.0).into(),
            ];
            let run = session.run(made.gradient, &mut arguments, &options);
            run.unwrap_or_else(|problem| panic!("{problem}"));
            // The last step of a loop with a known trip count runs with its record.
            let run = 1..=steps - known;
            let run = run.map(|k| [k, 0, steps * known]);
            let reversed = 1 + known..=steps;
            let reversed = reversed.map(|k| [steps, k, steps]);
            let last = (known * steps > 0).then_some([[1, 0, 2], [2, 2, 2]]);
            let run = run.chain(last.into_iter().flatten());
            let expected: Vec<[i64; 3]> = run.chain(reversed).collect();
            let told = told.lock().expect("nobody has panicked");
            assert_eq!(*told, expected, "{steps} steps of\n{source}");
        }
    }
}
