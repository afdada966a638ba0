//! Engines that hand machine code a state which is not that of its routine, or which is none of the executor's.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::sin},
    entity::RoutineId,
    flat::Flat,
    ir::{
        Expr,
        ScalarType::{Integer, Real},
    },
    validate::validate,
};
use cfg_exec::native::{Engine, Native, State};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session};
use cfg_format::json;
use cfg_jit::Jit;
use cfg_testkit::fixtures::folder;

use crate::{corners::program, gradient};

/// Hands on a changed state.
type Change = fn(&dyn Native, State<'_>) -> u64;

/// An engine that has one machine code for all programs, and changes states before it hands them on.
struct Meddling(OnceLock<Arc<dyn Native>>, Change);

struct Meddler(Arc<dyn Native>, Change);

impl Engine for Meddling {
    fn start(&self, routines: usize) -> Box<dyn Native> {
        let native = (self.0).get_or_init(|| Arc::from(Jit::everywhere_after(0).start(routines)));
        Box::new(Meddler(Arc::clone(native), self.1))
    }

    fn refusal(&self) -> Option<String> {
        None
    }
}

impl Native for Meddler {
    fn run(&self, state: State<'_>) -> u64 {
        self.1(&*self.0, state)
    }

    fn interpreted(&self, routine: usize, steps: u64) {
        self.0.interpreted(routine, steps);
    }
}

fn options(change: Change) -> CompileOptions {
    CompileOptions {
        engine: Some(Arc::new(Meddling(OnceLock::new(), change))),
        ..CompileOptions::default()
    }
}

/// The outcome of a run of the first routine.
fn outcome(program: &Flat, arguments: &[Argument], options: &CompileOptions) -> String {
    let compiled = Compiled::new(program, options).unwrap_or_else(|e| panic!("{e}"));
    let mut arguments = arguments.to_vec();
    let run = RunOptions::default();
    let report = Session::new(&compiled).run(RoutineId::new(0), &mut arguments, &run);
    format!("{report:?} {arguments:?}")
}

/// A sum over a loop, of terms by `step`.
fn sum(step: fn(Expr, Expr) -> Expr) -> Flat {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let s = f.output("s", Real);
    let i = f.local("i", Integer);
    f.assign(s, 0.0);
    f.for_loop(i, 1, n, |f| f.assign(s, step(s.into(), i.into())));
    program(f)
}

#[test]
fn machine_code_of_another_program_is_not_run() {
    let programs = [sum(|s, i| s + i), sum(|s, i| s - i)];
    let arguments = [Argument::from(1000), Argument::from(0.0)];
    let [plus, minus] = programs.each_ref().map(|program| {
        let compiled = Compiled::new(program, &CompileOptions::default());
        compiled.unwrap_or_else(|e| panic!("{e}")).code_size()
    });
    assert_eq!(plus, minus, "as long as each other");
    let engine = options(|native, state| native.run(state));
    for program in &programs {
        let expected = outcome(program, &arguments, &CompileOptions::default());
        assert_eq!(outcome(program, &arguments, &engine), expected);
    }
}

/// A sum of the elements of an array up to one that may lie outside.
fn elements() -> Flat {
    let mut f = RoutineBuilder::new("f");
    let a = f.input("a", Real.array([3]));
    let n = f.input("n", Integer);
    let s = f.output("s", Real);
    let i = f.local("i", Integer);
    f.assign(s, 0.0);
    f.for_loop(i, 1, n, |f| f.assign(s, s + a.at(i)));
    program(f)
}

#[test]
fn descriptors_that_are_no_arrays_reach_nothing() {
    let arguments = [
        Argument::from([1.0, 2.0, 4.0].as_slice()),
        Argument::from(5),
        Argument::from(0.0),
    ];
    let expected = outcome(&elements(), &arguments, &CompileOptions::default());
    assert!(expected.contains("X2"), "{expected}");
    let changes: [Change; 4] = [
        |native, state| {
            let mut forged = state.descriptors.to_vec();
            let mut state: State<'_> = state;
            forged.iter_mut().for_each(|d| d.axes[0].extent = -1);
            state.descriptors = &mut forged;
            native.run(state)
        },
        |native, state| {
            let mut forged = state.descriptors.to_vec();
            let mut state: State<'_> = state;
            forged.iter_mut().for_each(|d| d.axes[0].extent = i64::MAX);
            state.descriptors = &mut forged;
            native.run(state)
        },
        |native, mut state| {
            state.descriptors = &mut [];
            native.run(state)
        },
        |native, mut state| {
            state.frame = state.memory.len() + 1;
            native.run(state)
        },
    ];
    for change in changes {
        assert_eq!(outcome(&elements(), &arguments, &options(change)), expected);
    }
}

/// Bits that a tape does not have are not popped: the executor finds that there are none.
#[test]
fn tapes_whose_parts_contradict_each_other_are_not_used() {
    let read = |name: &str| std::fs::read(folder().join(name)).expect(name);
    let program = json::read(&read("bubble_sort.json")).expect("a program");
    let program = validate(program).expect("a valid program");
    let routine = program.main.or(program.find_routine("f")).expect("f");
    let change: Change = |native, mut state| {
        if let Some(tape) = state.stacks(0) {
            *tape.bits = 1 << 40;
        }
        native.run(state)
    };
    let options = cfg_drive::Options {
        native: Some(Arc::new(Meddling(OnceLock::new(), change))),
        ..cfg_drive::Options::default()
    };
    let point = read("bubble_sort.point.json");
    let program = cfg_testkit::flat(&program);
    let (found, _) = gradient(&program, routine, &options, &|a| a.read_point(&point).ok());
    assert!(found.contains("error"), "{found}");
}

/// Steps that the executor has run although there is a compiler.
struct Watched(Arc<AtomicU64>);

struct Watcher(Box<dyn Native>, Arc<AtomicU64>);

impl Engine for Watched {
    fn start(&self, routines: usize) -> Box<dyn Native> {
        let native = Jit::when_worth_it().start(routines);
        Box::new(Watcher(native, Arc::clone(&self.0)))
    }

    fn refusal(&self) -> Option<String> {
        None
    }
}

impl Native for Watcher {
    fn run(&self, state: State<'_>) -> u64 {
        self.0.run(state)
    }

    fn interpreted(&self, routine: usize, steps: u64) {
        self.1.fetch_add(steps, Relaxed);
        self.0.interpreted(routine, steps);
    }
}

/// Instructions of callees count as those of the loop that calls them.
#[test]
fn calls_are_foreseen() {
    let mut whole = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let (x, y) = (g.input("x", Real), g.output("y", Real));
    g.assign(y, x);
    for _ in 0..40 {
        g.assign(y, sin(y) * x);
    }
    let g = whole.add(g);
    let mut f = RoutineBuilder::new("f");
    let (n, s) = (f.input("n", Integer), f.output("s", Real));
    let (i, t) = (f.local("i", Integer), f.local("t", Real));
    f.assign(s, 1.0);
    f.for_loop(i, 1, n, |f| {
        f.call(g, [s, t]);
        f.assign(s, s + t);
    });
    let f = whole.add(f);
    let program = cfg_testkit::flat(&whole.finish().unwrap_or_else(|e| panic!("{e}")));
    let steps = Arc::new(AtomicU64::new(0));
    let options = CompileOptions {
        engine: Some(Arc::new(Watched(Arc::clone(&steps)))),
        ..CompileOptions::default()
    };
    let compiled = Compiled::new(&program, &options).unwrap_or_else(|e| panic!("{e}"));
    let mut arguments = [Argument::from(5000), Argument::from(0.0)];
    let report = Session::new(&compiled).run(f, &mut arguments, &RunOptions::default());
    assert!(report.is_ok_and(|report| report.steps > 200_000));
    let steps = steps.load(Relaxed);
    assert!(steps < 1000, "{steps}");
}

/// The counters of loops tell whether compilation pays, before the steps have been run.
#[test]
fn long_loops_are_foreseen() {
    let mut f = RoutineBuilder::new("f");
    let (n, m) = (f.input("n", Integer), f.input("m", Integer));
    let s = f.output("s", Real);
    let (i, j) = (f.local("i", Integer), f.local("j", Integer));
    f.assign(s, 0.0);
    f.for_loop(i, 1, n, |f| f.for_loop(j, 1, m, |f| f.assign(s, s + j)));
    let program = program(f);
    // By one long loop, and by one of middling length in another; no machine code for a short one.
    for (n, m, by_executor) in [
        (1, 1_000_000, 0..100),
        (1000, 10_000, 0..100),
        (1_000_000, 1, 0..100),
        (10, 100, 1000..u64::MAX),
    ] {
        let steps = Arc::new(AtomicU64::new(0));
        let options = CompileOptions {
            engine: Some(Arc::new(Watched(Arc::clone(&steps)))),
            ..CompileOptions::default()
        };
        let arguments = [Argument::from(n), Argument::from(m), Argument::from(0.0)];
        let found = outcome(&program, &arguments, &options);
        assert_eq!(
            found,
            outcome(&program, &arguments, &CompileOptions::default())
        );
        let steps = steps.load(Relaxed);
        assert!(by_executor.contains(&steps), "{n}, {m}: {steps}");
    }
}
