//! Calls that machine code makes by itself, and places in callees where it stops.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use cfg_core::{entity::RoutineId, flat::Flat, ir::Order, validate::validate};
use cfg_exec::native::{Engine, Native, State};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Tape, Value};
use cfg_format::text;
use cfg_jit::Jit;
use cfg_testkit::rng::Rng;

/// A program of a text; the last routine is the main one.
fn program(source: &str) -> (Flat, RoutineId) {
    let parsed = text::parse(source);
    let problems = parsed.problems;
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
    let program = validate(program).unwrap_or_else(|e| panic!("{e}"));
    let main = program.main.expect("a main routine");
    (cfg_testkit::flat(&program), main)
}

/// An engine that counts the steps of the executor and the entries into machine code.
struct Counting(Jit, Arc<[AtomicU64; 2]>);

struct Counted(Box<dyn Native>, Arc<[AtomicU64; 2]>);

impl Engine for Counting {
    fn start(&self, routines: usize) -> Box<dyn Native> {
        Box::new(Counted(self.0.start(routines), Arc::clone(&self.1)))
    }

    fn refusal(&self) -> Option<String> {
        self.0.refusal()
    }
}

impl Native for Counted {
    fn run(&self, state: State<'_>) -> u64 {
        self.1[1].fetch_add(1, Relaxed);
        self.0.run(state)
    }

    fn interpreted(&self, routine: usize, steps: u64) {
        self.1[0].fetch_add(steps, Relaxed);
        self.0.interpreted(routine, steps);
    }
}

/// Sessions of a program by the executor and by machine code, and the counts of the engines of the latter.
pub(crate) struct Sessions {
    main: RoutineId,
    all: Vec<Session>,
    counts: Arc<[AtomicU64; 2]>,
}

impl Sessions {
    pub(crate) fn of(source: &str, engines: &[Jit]) -> Self {
        let (program, main) = program(source);
        let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let engines = engines
            .iter()
            .map(|jit| -> Arc<dyn Engine> { Arc::new(Counting(jit.clone(), Arc::clone(&counts))) });
        let all = std::iter::once(None)
            .chain(engines.map(Some))
            .map(|engine| {
                let options = CompileOptions {
                    engine,
                    ..CompileOptions::default()
                };
                let compiled = Compiled::new(&program, &options);
                Session::new(&compiled.unwrap_or_else(|e| panic!("{e}")))
            });
        let all = all.collect();
        Self { main, all, counts }
    }

    /// The outcome of a run, the same in all sessions: result, arguments, steps, tape, globals, or the error.
    pub(crate) fn run(&mut self, arguments: &[Argument], run: &RunOptions) -> String {
        let outcomes = self.all.iter_mut().map(|session| {
            let mut arguments = arguments.to_vec();
            match session.run(self.main, &mut arguments, run) {
                Ok(r) => format!("{:?} {arguments:?} {} {:?}", r.result, r.steps, r.tape),
                Err(problem) => format!("error: {problem:?} {arguments:?}"),
            }
        });
        let outcomes: Vec<String> = outcomes.collect();
        for found in &outcomes[1..] {
            assert_eq!(outcomes[0], *found, "{run:?} {arguments:?}");
        }
        outcomes[0].clone()
    }

    /// The steps of the executor since the last question.
    fn by_executor(&self) -> u64 {
        self.counts[0].swap(0, Relaxed)
    }

    /// The entries into machine code since the last question.
    fn entries(&self) -> u64 {
        self.counts[1].swap(0, Relaxed)
    }
}

/// Arrays by reference, whole and from an element on, locals, tapes, functions, globals, scalars by reference.
const CAMERAS: &str = "
global real shift[2]
global integer calls = 0

function weight(in real x, in integer i) result w
  local real w
  if modulo(i, 3) == 0
    w := x*0.5
  else
    w := 1.0/(x*x + 1.0)
  end
end

subroutine count(in real x, inout real sum, inout integer most)
  uses calls
  calls := calls + 1
  sum := sum + x
  if calls > most
    most := calls
  end
end

subroutine turn(in real r[3], in real x[3], out real y[3], in integer k, inout tape t)
  local real e[3]
  local real old[3]
  local real c
  c := cos(r[1])
  e[1] := r[2]/r[3]
  push[real] e
  e[2] := x[k]*c
  e[3] := sqrt(x[1]*x[1] + 1.0)
  y[1] := e[1]*x[2] + e[2]
  y[2] := e[2]*x[3] - e[3]
  y[3] := e[3] + c*x[1]
  push[real] e
  push[control 3] k
  old[1] := c
  y[2] := y[2] + old[1]
  old := pop[real]
  y[1] := y[1] + old[1]
end

subroutine show(in real camera[5], in real point[3], in integer k, out real at[2], inout tape t)
  uses shift
  local real turned[3]
  local integer j
  call turn(camera[2], point, turned, k, t)
  at := 0.0
  for j = 1, 2
    at[j] := turned[j]*turned[3] + camera[1] + shift[j]
  end
end

main function f(in integer n, in integer bad, in real c[n, 5], in real p[n, 3], inout real a[n], inout tape t) result s
  uses calls
  uses shift
  local real s
  local real at[2]
  local real x
  local integer i
  local integer k
  local integer most
  s := 0.0
  most := 0
  shift[1] := 0.5
  shift[2] := 0.25
  for i = 1, n
    k := 1
    if i == bad
      k := 7
    end
    call show(c[i, 1], p[i, 1], k, at, t)
    x := call weight(at[1], i)
    call count(x*at[2], a[i], most)
    s := s + x*at[2] + a[i]
  end
  s := s + most
end
";

pub(crate) fn matrix(values: &[f64], columns: usize) -> Argument {
    let value = Value::real_array(&[values.len() / columns, columns], Order::Row, values);
    Argument::Value(value.expect("whole rows"))
}

/// Arguments of CAMERAS; the first component of a camera is NaN in one iteration.
fn cameras(n: usize, bad: i64, nan: Option<usize>) -> Vec<Argument> {
    let real = |k: usize| 0.25 + ((k * 37) % 19) as f64 / 8.0;
    let mut c: Vec<f64> = (0..5 * n).map(real).collect();
    if let Some(k) = nan {
        c[5 * k] = f64::NAN;
    }
    let p: Vec<f64> = (0..3 * n).map(|k| real(k + 5)).collect();
    vec![
        Argument::from(n as i64),
        Argument::from(bad),
        matrix(&c, 5),
        matrix(&p, 3),
        Argument::from(vec![0.5; n].as_slice()),
        Argument::Tape(Tape::default()),
    ]
}

fn everywhere() -> [Jit; 2] {
    [0, 70].map(Jit::everywhere_after)
}

/// Behind the first calls, which make room for frames and tapes, only the first and the last instructions are the
/// executor's.
#[test]
fn calls_stay_in_machine_code() {
    let mut sessions = Sessions::of(CAMERAS, &[Jit::everywhere_after(0)]);
    let run = RunOptions::default();
    let arguments = cameras(200, 0, None);
    assert!(!sessions.run(&arguments, &run).starts_with("error"));
    sessions.by_executor();
    sessions.entries();
    sessions.run(&arguments, &run);
    // A tape has to grow a few times.
    let (steps, entries) = (sessions.by_executor(), sessions.entries());
    assert!(
        steps < 2000 && entries < 200,
        "{steps} steps, {entries} entries"
    );
}

/// Faults in callees, NaN, and each of the limits at every place: the executor goes on with all frames.
#[test]
fn stops_in_callees_are_those_of_the_executor() {
    let mut sessions = Sessions::of(CAMERAS, &everywhere());
    let whole = RunOptions::default();
    let found = sessions.run(&cameras(6, 0, None), &whole);
    assert!(!found.starts_with("error"), "{found}");
    for bad in 1..7 {
        let found = sessions.run(&cameras(6, bad, None), &whole);
        assert!(found.contains("X201") && found.contains("turn"), "{found}");
        sessions.run(&cameras(6, 0, Some(bad as usize - 1)), &whole);
    }
    for max_depth in 0..5 {
        let run = RunOptions {
            max_depth,
            ..RunOptions::default()
        };
        let found = sessions.run(&cameras(4, 0, None), &run);
        assert_eq!(found.starts_with("error"), max_depth < 3, "{found}");
    }
    for fuel in (0..900).step_by(7) {
        let run = RunOptions {
            fuel,
            ..RunOptions::default()
        };
        let found = sessions.run(&cameras(6, 0, None), &run);
        assert!(found.contains("X208") || fuel > 300, "{found}");
    }
    for max_tape in (0..400).step_by(8) {
        let run = RunOptions {
            max_tape,
            ..RunOptions::default()
        };
        sessions.run(&cameras(6, 0, None), &run);
    }
}

/// New sessions whose memory does not last.
#[test]
fn memory_that_does_not_last_is_told_alike() {
    let mut rng = Rng::new(7);
    for _ in 0..3 {
        let mut sessions = Sessions::of(CAMERAS, &everywhere());
        for _ in 0..8 {
            let run = RunOptions {
                max_memory: 3000 + rng.below(9000) as u64,
                ..RunOptions::default()
            };
            sessions.run(&cameras(5, 0, None), &run);
        }
    }
}

/// Arguments that share cells in some iterations; recursion; arrays that are too small, that have gaps, or are empty.
const ODD: &str = "
subroutine add(inout real a[2], in real b[2])
  a[1] := a[1] + b[1]
  a[2] := a[2] + b[2]
end

subroutine grow(inout real a, in integer k)
  local real half
  if k > 0
    half := a*0.5
    call grow(half, k - 1)
    a := a + half
  end
end

function total(in integer n, in real x[n]) result s
  local real s
  local integer i
  s := 0.0
  for i = 1, n
    s := s + x[i]
  end
end

subroutine swap(inout real a[2, 2], in real b[2, 2])
  local real c[2, 2]
  c := a
  a[1, 2] := b[2, 1] + c[1, 1]
  a[2, 1] := c[1, 2]*2.0
end

main function f(in integer n, in integer lag, in integer few, in integer deep, in real m[4, 4], inout real a[n]) result s
  local real s
  local real half[2, 2]
  local real part
  local integer i
  s := 0.0
  half := 0.25
  for i = 1, n - 1
    call add(a[i], a[modulo(i + lag, n - 1) + 1])
    call grow(a[i], deep)
    part := call total(few, a[i])
    s := s + part
    part := call total(2, m[1:4:2, 3])
    s := s + part
    call swap(half, m[1, 1])
    s := s + half[1, 2] + half[2, 1]
  end
end
";

#[test]
fn odd_arguments_are_the_executors() {
    let mut sessions = Sessions::of(ODD, &everywhere());
    let m: Vec<f64> = (0..16).map(|k| k as f64 / 4.0 - 1.0).collect();
    let mut faults = [0; 2];
    for lag in 0..4 {
        for size in -1..4 {
            for deep in 0..4 {
                let a: Vec<f64> = (0..9).map(|k| 1.0 - k as f64 / 16.0).collect();
                let arguments = [
                    Argument::from(9),
                    Argument::from(lag),
                    Argument::from(size),
                    Argument::from(deep),
                    matrix(&m, 4),
                    Argument::from(a.as_slice()),
                ];
                let found = sessions.run(&arguments, &RunOptions::default());
                faults[0] += u64::from(found.contains("X214"));
                faults[1] += u64::from(!found.starts_with("error"));
            }
        }
    }
    assert!(faults[0] > 10 && faults[1] > 10, "{faults:?}");
}
