//! Runs that a limit stops name the innermost loop that was running and the passes that it had made.

use cfg_core::memory::effects::Effects;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::{RoutineId, VarId},
    ir::{
        Dim, Expr, Op, Order, Program,
        ScalarType::{Integer, Real, Tape},
        TapeClass, VertexKind,
    },
    recover::{drop_empty_blocks, flatten},
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, RunReport, Session, Value};
use cfg_testkit::flat;

use crate::common::{parsed, program};

/// The resource whose limit a program reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Uses {
    Steps,
    Tape,
    Memory,
}

impl Uses {
    fn limits(self) -> (&'static str, RunOptions) {
        let plenty = RunOptions::default();
        match self {
            Self::Steps => (
                "X208",
                RunOptions {
                    fuel: 2000,
                    ..plenty
                },
            ),
            Self::Tape => (
                "X209",
                RunOptions {
                    max_tape: 804,
                    ..plenty
                },
            ),
            Self::Memory => (
                "X210",
                RunOptions {
                    max_memory: 1 << 20,
                    ..plenty
                },
            ),
        }
    }
}

type Loop = fn(&mut RoutineBuilder, [VarId; 3], &mut dyn FnMut(&mut RoutineBuilder));

/// Loops of `n` passes; `i` and `k` are scratch.
const LOOPS: [(&str, Loop); 6] = [
    ("counted", |f, [n, i, _], body| {
        f.for_loop(i, 1, n, |f| body(f));
    }),
    ("counted down", |f, [n, i, _], body| {
        f.for_step(i, Expr::from(n) * 3, 1, -3, |f| body(f));
    }),
    ("pre", |f, [n, _, k], body| {
        f.while_loop(lt(k, n), |f| body(f));
    }),
    ("pre with a condition of two", |f, [n, _, k], body| {
        f.while_loop(or(lt(k, n), lt(k, -1)), |f| body(f));
    }),
    ("post", |f, [n, _, k], body| {
        f.repeat_while(lt(k, n), |f| body(f));
    }),
    ("deep", |f, [n, i, _], body| {
        let outer: Vec<VarId> = (0..40).map(|_| f.temporary(Integer)).collect();
        for &j in &outer {
            f.begin_for(j, 1, 1, 1);
        }
        f.for_loop(i, 1, n, |f| body(f));
        outer.iter().for_each(|_| f.end_loop());
    }),
];

/// `f(n, i)`: a loop of `n` passes. The index is a parameter or a local.
fn routine(kind: Loop, uses: Uses, parameter: bool) -> RoutineBuilder {
    let mut f = RoutineBuilder::new("f");
    let (n, i) = (f.input("n", Integer), f.inout("i", Integer));
    let (own, k) = (f.local("own", Integer), f.local("k", Integer));
    let i = if parameter { i } else { own };
    let v = f.local("v", Real.array([Dim::deferred()]));
    let t = f.local("t", Tape);
    f.assign(k, 0);
    kind(&mut f, [n, i, k], &mut |f| {
        f.assign(k, k + 1);
        match uses {
            Uses::Steps => {}
            Uses::Tape => f.push(t, TapeClass::Real, 1.0),
            Uses::Memory => f.assign(v, Expr::op(Op::Fill, [1.0.into(), k * 1000])),
        }
    });
    f
}

fn run(program: &ValidProgram, n: i64, options: &RunOptions) -> Result<RunReport, String> {
    let compiled = Compiled::new(&flat(program), &CompileOptions::default()).unwrap();
    let last = RoutineId::new(program.routines.len() - 1);
    let mut arguments: [Argument; 2] = [n.into(), 0.into()];
    let report = Session::new(&compiled).run(last, &mut arguments, options);
    report.map_err(|problem| format!("{} {}", problem.code, problem.message))
}

/// The number in front of a word.
fn number(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().unwrap().trim_end();
    before
        .rsplit(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap_or_else(|_| panic!("{text}"))
}

/// Most passes with which a run ends within the limits.
fn most(program: &ValidProgram, options: &RunOptions) -> u64 {
    (1..2000)
        .take_while(|&n| run(program, n, options).is_ok())
        .last()
        .unwrap() as u64
}

fn jumps(program: &Program) -> Program {
    let flat = |r| drop_empty_blocks(flatten(program, &Effects::summarise(program), r));
    Program {
        routines: program.routines.iter().map(flat).collect(),
        ..program.clone()
    }
}

#[test]
fn every_kind_of_loop_is_named_with_its_passes() {
    for (name, kind) in LOOPS {
        for uses in [Uses::Steps, Uses::Tape, Uses::Memory] {
            for parameter in [false, true] {
                let what = format!("{name}, {uses:?}, {parameter}");
                let (code, options) = uses.limits();
                let structured = program(routine(kind, uses, parameter));
                let body = structured.routines[0].body.as_ref().unwrap();
                let mut loops = body
                    .vertices()
                    .filter(|(_, v)| matches!(v.kind, VertexKind::Loop { .. }));
                let innermost = loops.next_back().unwrap().1.id;
                let message = run(&structured, 1 << 40, &options).unwrap_err();
                let expected = format!("in LOOP {innermost} of routine f after ");
                assert!(
                    message.starts_with(code) && message.contains(&expected),
                    "{what}: {message}"
                );
                let passes = number(&message, " passes");
                let most_passes = most(&structured, &options);
                // The steps after the loop may be too many for the pass that just fits.
                let slack = u64::from(uses == Uses::Steps) * 40;
                assert!(
                    (most_passes..=most_passes + slack).contains(&passes),
                    "{what}: {message}, {most_passes}"
                );

                let general = validate(jumps(&structured)).unwrap();
                let message = run(&general, 1 << 40, &options).unwrap_err();
                assert!(
                    message.contains("in a cycle of routine f after "),
                    "{what}: {message}"
                );
                let back = number(&message, " jumps back to vertex ");
                let most_passes = most(&general, &options);
                assert!(
                    (most_passes..=most_passes + slack).contains(&back),
                    "{what}: {message}, {most_passes}"
                );
            }
        }
    }
}

#[test]
fn the_innermost_loop_comes_first_and_then_the_one_that_does_not_end() {
    // An endless loop with a loop of three passes in it, there or in a routine that it calls.
    for called in [false, true] {
        let mut p = ProgramBuilder::new();
        let mut g = RoutineBuilder::new("g");
        let (i, k) = (g.inout("i", Integer), g.inout("k", Integer));
        g.for_loop(i, 1, 3, |g| g.assign(k, k + 1));
        let g = p.add(g);
        let mut f = RoutineBuilder::new("f");
        let (n, k) = (f.input("n", Integer), f.inout("k", Integer));
        let i = f.local("i", Integer);
        f.while_loop(lt(k, n), |f| {
            if called {
                f.call(g, [i, k]);
            } else {
                f.for_loop(i, 1, 3, |f| f.assign(k, k + 1));
            }
        });
        p.add(f);
        let program = p.finish().unwrap();
        let mut seen = [false; 2];
        for fuel in 1000..1060 {
            let options = RunOptions {
                fuel,
                ..RunOptions::default()
            };
            let message = run(&program, 1 << 40, &options).unwrap_err();
            let inner = format!(" of routine {} after ", if called { "g" } else { "f" });
            let outer = message.split(" of routine f after ").last().unwrap();
            assert!(number(outer, " passes") > 20, "{message}");
            seen[usize::from(message.contains("inside LOOP"))] = true;
            if message.contains("inside") {
                let passes = message.split(&inner).nth(1).unwrap();
                assert!(number(passes, " pass") < 3, "{message}");
            }
        }
        assert_eq!(seen, [true; 2]);
    }
}

#[test]
fn a_host_that_sets_globals_has_passes_counted_from_there() {
    let mut p = ProgramBuilder::new();
    let g = p.global("g", Integer);
    let mut f = RoutineBuilder::new("f");
    let g_in = f.global(p.program(), g);
    f.while_loop(gt(g_in, 0), |f| f.assign(g_in, g_in + 1));
    let f = p.add(f);
    let compiled = Compiled::new(&flat(&p.finish().unwrap()), &CompileOptions::default()).unwrap();
    let mut session = Session::new(&compiled);
    let options = RunOptions {
        fuel: 1000,
        ..RunOptions::default()
    };
    let mut start = Value::uninitialised(Integer, &[], Order::Row).unwrap();
    start.fill(cfg_core::elemental::Scalar::Integer(5));
    session.set_global(g, &start).unwrap();
    let stopped = session.run(f, &mut [], &options).unwrap_err();
    assert!(
        stopped.message.ends_with(" steps, in LOOP 2 of routine f"),
        "{stopped}"
    );
    let reached = session.global(g).get_f64(0).unwrap() as i64 - 5;
    let starts = std::cell::Cell::new(0);
    let stopped = session.run_from(f, &mut [], &options, |session, _| {
        starts.set(starts.get() + 1);
        session.set_global(g, &start)
    });
    let stopped = stopped.unwrap_err();
    let passes = number(&stopped.message, " passes") as i64;
    assert!(
        (reached - 1..=reached).contains(&passes),
        "{stopped}: {reached}"
    );
    // Once is enough.
    assert_eq!(starts.get(), 2);
}

#[test]
fn no_loop_is_named_where_none_runs() {
    // Between two loops, and in a recursion that is called from there.
    let mut p = ProgramBuilder::new();
    let id = p.declare("g");
    let mut g = RoutineBuilder::new("g");
    let i = g.inout("i", Integer);
    g.assign(i, i + 1);
    g.call(id, [i]);
    p.define(id, g);
    let mut f = RoutineBuilder::new("f");
    let (n, i) = (f.input("n", Integer), f.inout("i", Integer));
    let v = f.local("v", Real.array([Dim::deferred()]));
    f.for_loop(i, 1, 3, |_| {});
    f.assign(v, Expr::op(Op::Fill, [1.0.into(), n.into()]));
    f.call(id, [i]);
    f.for_loop(i, 1, 3, |_| {});
    p.add(f);
    let program = p.finish().unwrap();
    for (n, code, limits) in [
        (1, "X208", Uses::Steps.limits().1),
        (1 << 30, "X210", Uses::Memory.limits().1),
    ] {
        for program in [program.clone(), validate(jumps(&program)).unwrap()] {
            let message = run(&program, n, &limits).unwrap_err();
            assert!(message.starts_with(code), "{message}");
            assert!(
                !message.contains("LOOP") && !message.contains("cycle"),
                "{message}"
            );
        }
    }
}

#[test]
fn steps_are_what_is_executed() {
    // Code that is jumped over costs nothing: here and back again, over more and more of it.
    let steps = |blocks: i64| {
        let mut f = RoutineBuilder::new("f");
        let (n, i) = (f.input("n", Integer), f.inout("i", Integer));
        let (start, far, end) = (f.label(), f.label(), f.label());
        f.assign(i, 0);
        f.place_label(start);
        f.if_then(lt(i, n), |f| f.goto(far));
        for _ in 0..blocks {
            f.if_then(eq(i, -1), |f| f.goto(start));
        }
        f.goto(end);
        f.place_label(far);
        f.assign(i, i + 1);
        f.goto(start);
        f.place_label(end);
        run(&program(f), 1000, &RunOptions::default())
            .unwrap()
            .steps
    };
    let (few, many) = (steps(1), steps(2000));
    assert!(many - few <= 3 * 2000, "{few}, {many}");
    // Nothing is free of charge: straight code, calls, passes and elements.
    let straight = |n: usize| {
        let mut f = RoutineBuilder::new("f");
        let (_, i) = (f.input("n", Integer), f.inout("i", Integer));
        (0..n).for_each(|_| f.assign(i, i + 1));
        program(f)
    };
    let options = RunOptions {
        fuel: 500,
        ..RunOptions::default()
    };
    run(&straight(400), 1, &options).unwrap();
    assert!(
        run(&straight(600), 1, &options)
            .unwrap_err()
            .starts_with("X208")
    );
}

/// Each instruction that is executed is a step, and so is each call and each element that is allocated, filled, copied, reduced or put
/// on a tape; a run needs as much fuel as it takes steps.
#[test]
fn steps_are_instructions_calls_and_elements() {
    let steps = |source: &str, n: i64| {
        let program = parsed(source);
        let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).unwrap();
        let main = program.main.expect("one is marked");
        let run = |fuel| {
            let options = RunOptions {
                fuel,
                ..RunOptions::default()
            };
            let mut arguments: [Argument; 2] = [n.into(), 0.0.into()];
            Session::new(&compiled)
                .run(main, &mut arguments, &options)
                .map(|report| report.steps)
                .map_err(|problem| problem.code)
        };
        let all = run(1 << 20).unwrap_or_else(|code| panic!("{code}{source}"));
        assert_eq!(run(all), Ok(all), "{source}");
        assert_eq!(run(all - 1), Err("X208"), "{source}");
        all
    };
    let straight = "main subroutine f(in integer n, inout real y)
  y := y*2.0
  y := y*3.0
end";
    // Loading y, two products, storing y, and the return.
    assert_eq!(steps(straight, 1), 2 + 2 + 3);
    let calls = "subroutine g(inout real y)
  y := y*2.0
end
main subroutine f(in integer n, inout real y)
  call g(y)
  call g(y)
end";
    assert_eq!(steps(calls, 1), 2 * (2 + 6) + 1);
    for (statement, each) in [
        ("y := 1.0", 0),
        ("a := 1.0", 1),
        ("a := b", 1),
        ("a := c[:, 1]", 1),
        ("a := -b", 4),
        ("y := sum(a)", 1),
        ("y := maxval(a)", 1),
        ("y := maxval(-a)", 6),
        ("a := maxval_partial(b)", 3),
        ("push[real] a on t", 1),
        ("push[real] a on t\n  a := pop[real] from t", 2),
        ("push[real32] real32(a) on t", 7),
    ] {
        let source = format!(
            "main subroutine f(in integer n, inout real y)
  local real a[n], b[n], c[n, 1]
  local tape t
  a := 1.0
  b := 2.0
  c := 3.0
  {statement}
end"
        );
        let [few, many] = [10, 110].map(|n| steps(&source, n));
        assert_eq!(many - few, 100 * (6 + each), "{statement}");
    }
}

/// Steps run out at the operation that needs more of them than there are.
#[test]
fn steps_run_out_where_they_are_needed() {
    let program = parsed(
        "main subroutine f(in integer n)
  local real a[n]
  a := 1.0
end",
    );
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).unwrap();
    // Two constants, the allocation of ten elements, which are filled, and the return.
    for (fuel, place) in [
        (12, Some("routine f")),
        (13, Some("routine f, vertex 2, statement 1")),
        (23, Some("routine f, vertex 2, statement 1")),
        (24, Some("routine f, vertex 3")),
        (25, None),
    ] {
        let options = RunOptions {
            fuel,
            ..RunOptions::default()
        };
        let found = Session::new(&compiled).run(RoutineId::new(0), &mut [10.into()], &options);
        let at = found.err().and_then(|problem| problem.at.element.clone());
        assert_eq!(at.as_deref(), place, "{fuel}");
    }
}

/// A loop has ended with its last jump back: what comes next is not in it, and a cycle begins with its first jump back.
#[test]
fn loops_end_with_their_last_jump_back() {
    let source = "subroutine g()
  call g()
end
main subroutine f(in integer n, inout integer k)
  local integer i
  for i = 1, n
    k := k + 1
  end
  call g()
end";
    let message = run(&parsed(source), 3, &Uses::Steps.limits().1).unwrap_err();
    assert!(
        message.starts_with("X208") && !message.contains("LOOP"),
        "{message}"
    );
    // The first pass of a cycle.
    let source = "general main subroutine f(in integer n, inout integer i)
  local real v[:]
  label again
  v := fill(1.0, n*1000000)
  i := i + 1
  if i < 5
    goto again
  end
end";
    let message = run(&parsed(source), 1, &Uses::Memory.limits().1).unwrap_err();
    assert!(
        message.starts_with("X210") && !message.contains("cycle"),
        "{message}"
    );
}

/// A loop around the innermost one is named if it has made more passes, not if it has made as many.
#[test]
fn loops_around_are_named_if_they_have_made_more_passes() {
    let program = parsed(
        "main subroutine f(in integer n, inout integer k)
  local integer i, j
  for i = 1, n
    for j = 1, n
      k := k + 1
    end
  end
end",
    );
    let (mut inside, mut equal) = (0, 0);
    for fuel in 10..200 {
        let options = RunOptions {
            fuel,
            ..RunOptions::default()
        };
        let message = run(&program, 5, &options).err().unwrap_or_default();
        let passes: Vec<u64> = message
            .split(" after ")
            .skip(2)
            .map(|part| number(part, " pass"))
            .collect();
        match *passes {
            [inner, outer] => {
                assert!(outer > inner, "{message}");
                inside += 1;
            }
            [1] => equal += 1,
            _ => {}
        }
    }
    assert!(inside > 0 && equal > 0, "{inside} {equal}");
}

/// An array that a scalar may spare is looked at for its shape, out of bounds or not; what a limit stops there is stopped.
#[test]
fn limits_hold_where_other_faults_are_expected() {
    let program = parsed(
        "main subroutine f(in integer n, inout real y)
  local real b[3], c[200]
  local logical m[3]
  b := 1.0
  c := 1.0
  m := y > 5.0 and b[1:int(maxval(c*2.0)) + n] > 0.0 and b > 0.0
  y := if(m[1], 1.0, 2.0)
end",
    );
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).unwrap();
    let ends = |y: f64, fuel| {
        let options = RunOptions {
            fuel,
            ..RunOptions::default()
        };
        let mut arguments: [Argument; 2] = [2.into(), y.into()];
        let report = Session::new(&compiled).run(RoutineId::new(0), &mut arguments, &options);
        report.map(|r| r.steps).map_err(|problem| problem.code)
    };
    assert_eq!(ends(9.0, 1 << 20), Err("X201"));
    let steps = ends(1.0, 1 << 20).unwrap();
    for fuel in 1..steps {
        assert_eq!(ends(1.0, fuel), Err("X208"), "{fuel}");
    }
}
