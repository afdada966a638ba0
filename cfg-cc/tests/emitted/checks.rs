//! Programs with checks: where the executor ends a run, status 4 with its code and place; else its bits, and what it leaves
//! uninitialised is.

use crate::{
    random::{options, seeds},
    support::{Job, compile, fill, flags, jobs, value},
};
use cfg_back::c;
use cfg_cc::{Answer, Compiler, Executable, owners};
use cfg_core::{
    entity::{RoutineId, VertexId},
    ir::{Expr, Extent, LoopTest, Op, Place, Role, Selector, StmtKind, VertexKind},
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, RunOptions, Session, Value};
use cfg_testkit::{case::Case, general, generate, kernels, needs, rng::Rng};

/// The greatest number of programs in one file.
const BATCH: usize = 40;

/// A call, and what the executor makes of it: what it leaves, or code and place of its error.
struct Trial {
    title: String,
    program: ValidProgram,
    routine: RoutineId,
    arguments: Vec<Argument>,
    globals: Vec<Value>,
    expected: Result<Answer, (String, String)>,
}

impl Trial {
    /// None if the executor does not run the program, or ends it for its length.
    fn of(
        title: String,
        program: ValidProgram,
        routine: RoutineId,
        arguments: Vec<Argument>,
        globals: Vec<Value>,
    ) -> Option<Self> {
        let compiled = compile(&program);
        let mut session = Session::new(&compiled);
        for (g, value) in owners(&program).into_iter().zip(&globals) {
            session.set_global(g, value).ok()?;
        }
        let mut left = arguments.clone();
        let limits = RunOptions {
            fuel: 3_000_000,
            ..RunOptions::default()
        };
        let expected = match session.run(routine, &mut left, &limits) {
            Ok(report) => Ok(Answer {
                status: 0,
                message: String::new(),
                tape_bytes: 0,
                tape: None,
                result: report.result,
                arguments: left,
                globals: owners(&program)
                    .into_iter()
                    .map(|g| session.global(g))
                    .collect(),
            }),
            Err(problem) => {
                let code = problem.code;
                // Limits, and arguments that are refused before the run.
                if ["X208", "X209", "X210", "X211", "X219"].contains(&code) {
                    return None;
                }
                let place = problem.at.element.clone().unwrap_or_default();
                Err((code.to_owned(), place))
            }
        };
        Some(Self {
            title,
            program,
            routine,
            arguments,
            globals,
            expected,
        })
    }

    fn of_job(job: Job) -> Option<Self> {
        Self::of(
            job.title,
            job.program,
            job.routine,
            job.arguments,
            job.globals,
        )
    }

    /// What is wrong with an answer.
    fn judge(&self, answer: &Answer, message: &str) -> Option<String> {
        let wrong = |what: String| Some(format!("{}: {what}", self.title));
        let expected = match &self.expected {
            Err((code, place)) => {
                let found = message.starts_with(&format!("{code} "))
                    && (message.contains(&format!("{place}: "))
                        || message.contains(&format!("{place})")));
                if answer.status != 4 || !found {
                    return wrong(format!(
                        "status {}, {message:?} instead of {code} {place}",
                        answer.status
                    ));
                }
                return None;
            }
            Ok(expected) => expected,
        };
        if answer.status != 0 {
            return wrong(format!("status {}, {message}", answer.status));
        }
        let routine = self.program.routine(self.routine);
        let mut pairs: Vec<(&str, &Value, &Value)> = Vec::new();
        if let (Some(a), Some(b)) = (&expected.result, &answer.result) {
            pairs.push(("the result", a, b));
        }
        let arguments = expected.arguments.iter().zip(&answer.arguments);
        for (p, (a, b)) in routine.parameter_ids().zip(arguments) {
            if let (Argument::Value(a), Argument::Value(b)) = (a, b) {
                pairs.push((&routine.variable(p).name, a, b));
            }
        }
        let globals = expected.globals.iter().zip(&answer.globals);
        for (g, (a, b)) in owners(&self.program).iter().zip(globals) {
            pairs.push((&self.program.global(*g).variable.name, a, b));
        }
        pairs.into_iter().find_map(|(name, a, b)| {
            let b = b.in_order(a.order());
            let k = (0..a.len()).find(|&k| !same(a, &b, k))?;
            wrong(format!(
                "{name}, element {k}: {:?} instead of {:?}",
                b.get(k),
                a.get(k)
            ))
        })
    }
}

fn same(a: &Value, b: &Value, k: usize) -> bool {
    use cfg_core::elemental::Scalar::{Real, Real32};
    match (a.get(k), b.get(k)) {
        (Some(Real(a)), Some(Real(b))) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
        (Some(Real32(a)), Some(Real32(b))) => {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        }
        (a, b) => a == b,
    }
}

/// Compiles all as one file and runs them; what is wrong.
fn run_all(trials: &[Trial], compiler: &Compiler) -> Vec<String> {
    let programs: Vec<(&ValidProgram, RoutineId)> =
        trials.iter().map(|t| (&t.program, t.routine)).collect();
    let options = c::Options {
        checks: true,
        ..c::Options::default()
    };
    let mut built = match Executable::build_with(&programs, compiler, options) {
        Ok(built) => built,
        Err(problem) => return vec![problem.to_string()],
    };
    let mut wrong = Vec::new();
    for (k, trial) in trials.iter().enumerate() {
        match built.run(k, &trial.arguments, &trial.globals) {
            Ok(answer) => wrong.extend(trial.judge(&answer, &answer.message)),
            Err(problem) => {
                wrong.push(format!("{}: {problem}", trial.title));
                break;
            }
        }
    }
    wrong
}

/// Compiles and runs trials, a part with sanitizers, and fails with what is wrong.
fn check(trials: &[Trial], sanitized: usize) {
    let Some(command) = needs::tool("cc") else {
        return;
    };
    let mut wrong = Vec::new();
    let (first, rest) = trials.split_at(sanitized.min(trials.len()));
    for (part, sanitized) in [(first, true), (rest, false)] {
        let compiler = Compiler {
            command: command.clone(),
            flags: flags(sanitized),
            ..Compiler::default()
        };
        for some in part.chunks(BATCH) {
            wrong.extend(run_all(some, &compiler));
        }
    }
    let (bad, all) = (wrong.len(), trials.len());
    assert!(wrong.is_empty(), "{bad} of {all}:\n{}", wrong.join("\n"));
}

/// A program of a text, at the point of its first line; what the executor makes of it.
fn by_hand(name: &str, text: &str) -> Trial {
    let case = crate::by_hand::case(name, text);
    let program = validate(case.program.clone()).unwrap();
    let routine = program.routine(case.main);
    let mut arguments = vec![Argument::Absent; routine.parameter_ids().len()];
    for (v, datum) in &case.point {
        if let Some(k) = routine.parameter_ids().position(|p| p == *v) {
            arguments[k] = value(datum, routine.variable(*v).order).into();
        }
    }
    let compiled = compile(&program);
    let session = Session::new(&compiled);
    fill(&session, &program, case.main, &mut arguments);
    let globals = owners(&program)
        .into_iter()
        .map(|g| session.global(g))
        .collect();
    let made = Trial::of(name.to_owned(), program, case.main, arguments, globals);
    made.unwrap_or_else(|| panic!("{name} does not run"))
}

/// Programs that end in each code, at the beginning of each.
const ERRORS: &[(&str, &str)] = &[
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y)\n  y := x[n + 1]\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[2 - n] := 1.0\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n, 3])\n  x[2, n] := x[2, n] + 1.0\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[2, n, 3])\n  x[2, n, 0] := 1.0\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[2:n + 1] := 1.0\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[n:0:-1] := 1.0\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y)\n  local integer i\n  if n > 9\n    i := 1\n  end\n  y := x[i]\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local real x\n  y := 0.0\n  if n > 9\n    x := 1.0\n  end\n  if x*2.0 > y\n    y := 1.0\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local logical b\n  y := 0.0\n  if n > 9\n    b := true\n  end\n  if b and n > 3\n    y := 1.0\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local integer i, m\n  y := 0.0\n  if n > 9\n    m := 1\n  end\n  for i = 1, m\n    y := 1.0\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local integer m\n  y := 0.0\n  if n > 9\n    m := 1\n  end\n  select m + 1\n  case 1\n    y := 1.0\n  case default\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local real w[3]\n  y := 0.0\n  w[1] := 1.0\n  w[2] := 2.0\n  while sum(w) > y\n    y := 9.0\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y, out integer m)\n  if n > 9\n    m := 1\n  end\n  y := if(m > 2, 1.0, 2.0)\nend\n",
    ),
    (
        "X203",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := n + 9223372036854775807\nend\n",
    ),
    (
        "X203",
        "// n = -4\nmain subroutine f(in integer n, out integer m)\n  m := n - 9223372036854775807\nend\n",
    ),
    (
        "X203",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := n*4611686018427387904\nend\n",
    ),
    (
        "X203",
        "// n = 40\nmain subroutine f(in integer n, out integer m)\n  m := n**n\nend\n",
    ),
    (
        "X203",
        "// n = -9223372036854775808\nmain subroutine f(in integer n, out integer m)\n  m := abs(n)\nend\n",
    ),
    (
        "X203",
        "// n = -9223372036854775808\nmain subroutine f(in integer n, out integer m)\n  m := n/(-1)\nend\n",
    ),
    (
        "X203",
        "// n = 5000000000\nmain subroutine f(in integer n, out integer m)\n  local integer w[4]\n  w := n\n  m := product(w)\nend\n",
    ),
    (
        "X203",
        "// n = -9223372036854775808\nmain subroutine f(in integer n, out integer m)\n  local integer i\n  m := 0\n  for i = n, 9223372036854775807\n    m := 1\n  end\nend\n",
    ),
    (
        "X203",
        "// n = 9223372036854775806\nmain subroutine f(in integer n, out integer m)\n  local integer i\n  m := 0\n  for i = n, 9223372036854775807\n    m := m + 1\n  end\nend\n",
    ),
    (
        "X204",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := n/(n - 4)\nend\n",
    ),
    (
        "X204",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := modulo(n, n - 4)\nend\n",
    ),
    (
        "X204",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := (n - 4)**(-1)\nend\n",
    ),
    (
        "X205",
        "// n = 4\nmain subroutine f(in integer n, in real x, out integer m)\n  m := int(x*1e300)\nend\n",
    ),
    (
        "X206",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local integer i\n  m := 0\n  for i = 1, 3, n - 4\n    m := 1\n  end\nend\n",
    ),
    (
        "X206",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[1:3:n - 4] := 1.0\nend\n",
    ),
    (
        "X207",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := 0\n  select n\n  case 1\n    m := 1\n  case 2\n    m := 2\n  end\nend\n",
    ),
    (
        "X207",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := 0\n  select n\n  case 1..3\n    m := 1\n  case 7..9\n    m := 2\n  end\nend\n",
    ),
    (
        "X212",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  local real w[3]\n  w := 1.0\n  x := w + x\nend\n",
    ),
    (
        "X212",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[1:2] := x[2:n]\nend\n",
    ),
    (
        "X212",
        "// n = 4\nsubroutine g(in integer n, inout real x[n])\n  x := 1.0\nend\nmain subroutine f(in integer n, inout real x[n])\n  call g(n + 1, x)\nend\n",
    ),
    (
        "X212",
        "// n = 4\nsubroutine g(in integer n, inout real x[n])\n  x := 1.0\nend\nmain subroutine f(in integer n, inout real x[n])\n  call g(n, x[2])\nend\n",
    ),
    (
        "X213",
        "// n = 4\nsubroutine g(in integer n, optional in real x, out real y)\n  y := x\nend\nmain subroutine f(in integer n, out real y)\n  call g(n, absent, y)\nend\n",
    ),
    (
        "X213",
        "// n = 4\nsubroutine g(in integer n, optional inout real x[n], out real y)\n  y := 1.0\n  x[1] := y\nend\nmain subroutine f(in integer n, out real y)\n  call g(n, absent, y)\nend\n",
    ),
    (
        "X215",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local real w[:]\n  if n > 9\n    w := fill(1.0, n)\n  end\n  y := w[1]\nend\n",
    ),
    (
        "X215",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local real w[:]\n  if n > 9\n    w := fill(1.0, n)\n  end\n  y := sum(w)\nend\n",
    ),
    (
        "X216",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local tape t\n  push[real] 1.0\n  y := pop[real]\n  y := pop[real]\nend\n",
    ),
    (
        "X216",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  local tape t\n  push[real] x[1:2]\n  x := pop[real]\nend\n",
    ),
    (
        "X216",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  push[control 3] n\n  m := pop[control 3]\n  m := pop[control 1]\nend\n",
    ),
    (
        "X216",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  push[control count] n\n  m := pop[control count]\n  m := pop[control count]\nend\n",
    ),
    (
        "X217",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  m := n\n  push[control 2] n\nend\n",
    ),
    (
        "X217",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  m := n\n  push[control count] n - 9\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  if n > 9\n    m := n\n  end\n  push[control count] m\nend\n",
    ),
];

#[test]
fn each_code_has_its_place() {
    let mut all = Vec::new();
    for (k, (code, text)) in ERRORS.iter().enumerate() {
        let trial = by_hand(&format!("{code}, program {k}"), text);
        match &trial.expected {
            Err((found, _)) => assert_eq!(found, code, "program {k}: {text}"),
            Ok(_) => panic!("program {k} has no error: {text}"),
        }
        all.push(trial);
    }
    check(&all, all.len());
}

#[test]
fn codes_are_the_executors() {
    for (code, title) in c::FAULTS {
        let code = format!("X{code}");
        let theirs = cfg_exec::CODES.iter().find(|c| c.code == code).unwrap();
        assert_eq!(theirs.title, *title);
    }
}

/// What goes wrong in two things, in the order in which they stand; both orders of each are tried, with each form.
const WRONGS: &[(&str, &str)] = &[
    ("X201", "x[n + 1]"),
    ("X202", "x[unset]"),
    ("X201", "x[k[n + 1]]"),
    ("X202", "x[k[unset]]"),
    ("X204", "x[n/(n - 4)]"),
    ("X203", "x[n + 9223372036854775807]"),
    ("X205", "x[int(1e300*x[n])]"),
    ("X201", "x[n/n:n + 1]"),
    ("X202", "x[unset:2]"),
    ("X206", "x[1:2:n - 4]"),
    ("X202", "if(x[n - 4 + 1] < none, x[1], x[2])"),
    ("X202", "if(n > 1 and b, x[1], x[2])"),
    ("X201", "if(x[n - 4] < x[2], x[1], x[2])"),
    ("X201", "a[1, 2, n]"),
    ("X202", "a[1, unset, 1]"),
    ("X203", "real(n*9223372036854775807)"),
    ("X204", "real(modulo(n, n - 4))"),
    ("X212", "x + v"),
    ("X215", "later"),
    ("X215", "later[1]"),
];

/// Forms with two holes, and whether they take arrays.
const FORMS: &[(&str, bool)] = &[
    ("y := A + B", false),
    ("y := min(A, 2.0, B)", false),
    ("y := A*sin(B)**2", false),
    ("y := A - (1.0 + B)", false),
    ("y := if(A > B, 1.0, 2.0)", false),
    ("x[int(A)] := B", true),
    ("x[k[int(A)]] := x[1]/B", true),
    ("y := a[int(A), int(B), 1]", false),
    ("y := a[1, int(A), int(B)]", false),
    ("y := x[int(A) + int(B)]", false),
    ("x[int(A):int(B)] := 1.0", false),
    ("y := sum(x[int(A):int(B):2])", false),
    ("a[int(A), int(B), 1:2] := 2.0", false),
    ("y := sum(A*x) + B", false),
    ("y := B + sum(A*x)", true),
    ("y := sum(x*A) + maxval(x*B)", false),
    ("x := A*x + B", false),
    ("x[1:2] := if(x[1:2] > A, B, x[1:2])", false),
    ("call g(A, B, y)", false),
    ("call g(B, x[1], x[int(A)])", true),
    ("for i = int(A), int(B)\n    y := 1.0\n  end", false),
    ("for i = 1, int(A), int(B)\n    y := 1.0\n  end", false),
    ("while A > B\n    y := y + 1.0\n  end", false),
    ("if A > 0.0 and B > 0.0\n    y := 1.0\n  end", false),
    (
        "select int(A) + int(B)\n  case 1\n    y := 1.0\n  case default\n  end",
        false,
    ),
    ("push[real] A*B", false),
    ("push[control 2] int(A) - int(B)", false),
];

/// Of two things that go wrong in one statement the first in the order of evaluation is told, which is that of
/// docs/format.md: from the left, the value before the subscripts of the target.
#[test]
fn the_first_of_two_errors_is_told() {
    let mut all = Vec::new();
    let is_array = |text: &str| matches!(text, "x + v" | "later") || text.contains(':');
    for (k, (form, swapped)) in FORMS.iter().enumerate() {
        for (m, (a_code, a)) in WRONGS.iter().enumerate() {
            for (n, (b_code, b)) in WRONGS.iter().enumerate() {
                if (k + m + 2 * n) % every() != 0 || a_code == b_code {
                    continue;
                }
                let whole = |e: &str| match is_array(e) {
                    true => format!("sum({e})"),
                    false => e.to_owned(),
                };
                let statement = form.replace('A', &whole(a)).replace('B', &whole(b));
                let text = format!("{HEAD}  {statement}\nend\n");
                let trial = by_hand(&statement, &text);
                let code = if *swapped { b_code } else { a_code };
                match &trial.expected {
                    Err((found, _)) => assert_eq!(found, code, "{statement}"),
                    Ok(_) => panic!("no error: {statement}"),
                }
                all.push(trial);
            }
        }
    }
    assert!(all.len() > 100, "{}", all.len());
    check(&all, all.len() / 8);
}

/// What those programs begin with.
const HEAD: &str = "\
// n = 4
subroutine g(in real p, in real q, out real r)
  r := p + q
end
main subroutine f(in integer n, inout real x[n], in real v[3], in integer k[n], inout real a[2, 2, 2], out real y)
  local integer i, unset
  local real none, later[:]
  local logical b
  local tape t
  y := 0.0
  if n > 9
    unset := 1
    none := 1.0
    b := true
    later := v
  end
";

/// One of so many of the programs with two errors is tried, `CFGREV_EVERY`.
fn every() -> usize {
    let number = std::env::var("CFGREV_EVERY").ok();
    number.and_then(|n| n.parse().ok()).unwrap_or(61)
}

/// A third of the seeds that programs without checks take: files with checks are several times as long.
fn fewer() -> std::ops::Range<u64> {
    let seeds = seeds();
    seeds.start..seeds.start + (seeds.end - seeds.start).div_ceil(3)
}

/// A program of each family in turn.
fn generated(seed: u64) -> Case {
    use generate::Options;
    let families = [
        Options::WIDE,
        Options::EXACT,
        Options::WIDE_SMOOTH,
        Options::SMALL,
        Options::SMOOTH,
    ];
    generate::generate(&families[seed as usize % families.len()], seed).unwrap()
}

fn good(name: &str, case: impl Fn(u64) -> Case) {
    let mut all = Vec::new();
    for seed in fewer() {
        let made = jobs(&format!("{name} {seed}"), &case(seed), &options(seed), seed);
        all.extend(made.into_iter().filter_map(Trial::of_job));
    }
    check(&all, all.len() / 8);
}

#[test]
fn kernels_have_the_executors_bits() {
    let mut all = Vec::new();
    for (seed, kernel) in (0..).zip(kernels::all()) {
        let case = kernel.case(kernel.size);
        let made = jobs(kernel.name, &case, &options(seed), seed);
        all.extend(made.into_iter().filter_map(Trial::of_job));
    }
    check(&all, 0);
}

#[test]
fn generated_programs_have_the_executors_bits() {
    good("generated", generated);
}

#[test]
fn general_programs_have_the_executors_bits() {
    good("general", general::generate);
}

/// The programs that were written to be hard, each with its gradient and tangent.
fn hard() -> Vec<Job> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/emitted/programs");
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut all = Vec::new();
    for (seed, file) in (0..).zip(files) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let case = crate::by_hand::case(name, &std::fs::read_to_string(&file).unwrap());
        all.extend(jobs(name, &case, &options(seed), seed));
    }
    all
}

#[test]
fn hard_programs_have_the_executors_bits() {
    let all: Vec<Trial> = hard().into_iter().filter_map(Trial::of_job).collect();
    check(&all, all.len() / 8);
}

#[test]
fn broken_hard_programs_end_as_the_executor_says() {
    breaking("hard", hard());
}

/// The expressions of all statements and tests, in order.
fn each_expr(program: &mut cfg_core::ir::Program, visit: &mut impl FnMut(&mut Expr)) {
    each_statement(program, &mut |all| all.iter_mut().for_each(|e| visit(e)));
}

/// The expressions of each statement or test, in order.
fn each_statement(program: &mut cfg_core::ir::Program, visit: &mut impl FnMut(&mut [&mut Expr])) {
    for routine in &mut program.routines {
        let Some(cfg) = &mut routine.body else {
            continue;
        };
        for v in (0..cfg.vertex_count()).map(VertexId::new) {
            match &mut cfg.vertex_mut(v).kind {
                VertexKind::Block(statements) => {
                    for statement in statements {
                        let mut all: Vec<&mut Expr> = Vec::new();
                        match &mut statement.kind {
                            StmtKind::Assign { target, value } => {
                                all.extend(exprs(target));
                                all.push(value);
                            }
                            StmtKind::Push { value, .. } => all.push(value),
                            StmtKind::Pop { target, .. } => all.extend(exprs(target)),
                            StmtKind::Call {
                                arguments, result, ..
                            } => {
                                all.extend(arguments.iter_mut().flatten());
                                all.extend(result.iter_mut().flat_map(exprs));
                            }
                            StmtKind::Opaque { .. } => {}
                        }
                        visit(&mut all);
                    }
                }
                VertexKind::Loop { test, .. } => match &mut **test {
                    LoopTest::Counted { first, last, .. } => visit(&mut [first, last]),
                    LoopTest::Pre(e) | LoopTest::Post(e) => visit(&mut [e]),
                },
                VertexKind::Branch(selector) => match &mut **selector {
                    Selector::Condition(e) | Selector::Cases { value: e, .. } => visit(&mut [e]),
                },
                _ => {}
            }
        }
    }
}

/// The expressions of the subscripts of a place.
fn exprs(place: &mut Place) -> impl Iterator<Item = &mut Expr> {
    place.subscripts.iter_mut().flat_map(|s| s.exprs_mut())
}

/// The integers of an expression, in order.
fn integers(e: &mut Expr, visit: &mut impl FnMut(&mut i64)) {
    match e {
        Expr::Int(n) => visit(n),
        Expr::Op(_, operands) => operands.iter_mut().for_each(|e| integers(e, visit)),
        Expr::Place(place) => {
            let all = place.subscripts.iter_mut().flat_map(|s| s.exprs_mut());
            all.for_each(|e| integers(e, visit));
        }
        Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => {}
    }
}

/// The program with one thing broken.
fn broken(program: &cfg_core::ir::Program, rng: &mut Rng) -> cfg_core::ir::Program {
    let mut made = program.clone();
    let kind = rng.between(0, 4);
    match kind {
        // A statement less.
        0 | 1 => {
            let mut blocks = Vec::new();
            for (r, routine) in made.routines.iter().enumerate() {
                for (v, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
                    for s in 0..vertex.statements().len() {
                        if matches!(vertex.statements()[s].kind, StmtKind::Assign { .. }) {
                            blocks.push((r, v, s));
                        }
                    }
                }
            }
            if let Some(&(r, v, s)) = blocks.get(rng.below(blocks.len().max(1))) {
                let cfg = made.routines[r].body.as_mut().unwrap();
                if let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind {
                    statements.remove(s);
                }
            }
        }
        // A local array is shorter.
        2 => {
            for routine in &mut made.routines {
                for variable in &mut routine.variables {
                    if variable.role == Role::Local && rng.below(2) == 0 {
                        for dim in &mut variable.shape {
                            if let Extent::Fixed(e) = &mut dim.extent {
                                *e = Expr::op(Op::Sub, [e.clone(), Expr::Int(1)]);
                            }
                        }
                    }
                }
            }
        }
        // An integer is another one.
        _ => {
            let mut count = 0;
            each_expr(&mut made, &mut |e| {
                integers(e, &mut |_| count += 1);
            });
            let by = [1, -1, 2, -2, 1000, i64::MAX, i64::MIN][rng.below(7)];
            let at = rng.below(count.max(1));
            count = 0;
            each_expr(&mut made, &mut |e| {
                integers(e, &mut |n| {
                    if at == count {
                        *n = n.wrapping_add(by);
                    }
                    count += 1;
                });
            });
        }
    }
    made
}

/// Random programs that are broken, with their gradients and tangents: half of those that are kept end in an error.
fn bad(name: &str, case: impl Fn(u64) -> Case) {
    let jobs = |seed| jobs(&format!("{name} {seed}"), &case(seed), &options(seed), seed);
    breaking(name, fewer().flat_map(jobs).collect());
}

/// The program with several things broken in one statement.
fn shattered(program: &cfg_core::ir::Program, rng: &mut Rng) -> cfg_core::ir::Program {
    let mut made = program.clone();
    let mut counts = Vec::new();
    each_statement(&mut made, &mut |e| {
        let mut count = 0;
        e.iter_mut().for_each(|e| integers(e, &mut |_| count += 1));
        counts.push(count);
    });
    let several: Vec<usize> = (0..counts.len()).filter(|&k| counts[k] > 1).collect();
    let Some(&which) = several.get(rng.below(several.len().max(1))) else {
        return made;
    };
    let mut k = 0;
    each_statement(&mut made, &mut |e| {
        k += 1;
        if k - 1 != which {
            return;
        }
        for e in e {
            integers(e, &mut |n| {
                if rng.below(3) > 0 {
                    *n = n.wrapping_add([1, -1, 3, -3, 1000, i64::MAX, i64::MIN][rng.below(7)]);
                }
            });
        }
    });
    made
}

/// The number of times that each program is broken.
fn times() -> u64 {
    let number = std::env::var("CFGREV_TIMES").ok();
    number.and_then(|n| n.parse().ok()).unwrap_or(2)
}

fn breaking(name: &str, jobs: Vec<Job>) {
    let mut all = Vec::new();
    let mut fine = 0;
    let mut rng = Rng::new(seeds().start + name.len() as u64);
    for job in jobs {
        for k in 0..times() {
            let broken = if k % 2 == 0 { broken } else { shattered };
            let Ok(program) = validate(broken(&job.program, &mut rng)) else {
                continue;
            };
            let title = format!("{}, broken {k}", job.title);
            let (arguments, globals) = (job.arguments.clone(), job.globals.clone());
            let trial = Trial::of(title, program, job.routine, arguments, globals);
            all.extend(trial.filter(|trial| {
                fine += usize::from(trial.expected.is_ok());
                trial.expected.is_err() || fine % 3 == 0
            }));
        }
    }
    let errors = all.iter().filter(|t| t.expected.is_err()).count();
    assert!(errors >= fewer().count() / 2, "{errors} errors");
    check(&all, all.len() / 8);
}

#[test]
fn broken_programs_end_as_the_executor_says() {
    bad("generated", generated);
}

#[test]
fn broken_general_programs_end_as_the_executor_says() {
    bad("general", general::generate);
}

const MASKED: &str = "
function masked(in integer n, in real x[n], in logical mask[n], out logical seen) result r
  local real r
  local integer i
  independent x
  dependent r
  r := 0.0
  seen := false
  for i = 1, n
    if mask[i]
      r := r + x[i]*x[i]
      seen := true
    end
  end
  r := r/x[n - 2]
end
";

/// Uses functions with checks as docs/c-out.md says.
const CALLER: &str = r#"
#include "masked.c"
#include "masked_adjoint.c"
#include "masked_tangent.c"
#include <stdio.h>
#include <string.h>

static int failures;

static void check(bool holds, const char *what)
{
    if (!holds) {
        printf("%s\n", what);
        ++failures;
    }
}

int main(void)
{
    const double x[4] = {1, 2, 3, 4}, x_t[4] = {1, 0, 0, 0};
    const bool mask[4] = {true, false, true, true};
    double x_b[4] = {0}, r = 0, r_t = 0;
    bool seen = false;
    struct cfgrev_tape tape = {0};
    int k;

    check(masked(4, x, mask, &seen, &r, &tape) == 0 && r == 13 && seen, "the function is wrong");
    check(masked(4, x, mask, &seen, &r, NULL) == 0 && r == 13, "a null tape is not taken");
    check(strcmp(cfgrev_tape_message(&tape), "") == 0, "there is a message");
    for (k = 0; k < 3; ++k) {
        check(masked(2, x, mask, &seen, &r, &tape) == 4, "a subscript is not checked");
        check(strcmp(cfgrev_tape_message(&tape), "X201 routine masked, vertex 8, statement 1: index out of bounds") == 0,
              cfgrev_tape_message(&tape));
        check(masked_grad(2, x, x_b, mask, &seen, &r, 1.0, &tape) == 4, "a gradient is not checked");
        check(strncmp(cfgrev_tape_message(&tape), "X201 routine masked, vertex 8, statement 1 (in routine ", 55) == 0,
              cfgrev_tape_message(&tape));
        check(masked_t(2, x, x_t, mask, &seen, &r, &r_t, &tape) == 4, "a tangent is not checked");
        check(cfgrev_tape_bytes(&tape) == 0, "a check leaves something on the tape");
    }
    memset(x_b, 0, sizeof x_b);
    check(masked_grad(4, x, x_b, mask, &seen, &r, 1.0, &tape) == 0, cfgrev_tape_message(&tape));
    check(x_b[0] == 1 && x_b[1] == -6.5 && x_b[2] == 3 && x_b[3] == 4, "the gradient is wrong");
    check(masked_t(4, x, x_t, mask, &seen, &r, &r_t, &tape) == 0 && r_t == 1, "the tangent is wrong");
    /* A reverse sweep without its forward sweep. */
    check(masked_rev(4, x, x_b, mask, &seen, 1.0, &tape) == 4, "an empty tape is not noticed");
    check(strncmp(cfgrev_tape_message(&tape), "X216 ", 5) == 0, cfgrev_tape_message(&tape));
    cfgrev_tape_free(&tape);
    return failures > 0;
}
"#;

#[test]
fn callers_in_c_get_the_message() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let program = validate(cfg_core::text::parse(MASKED).program.unwrap()).unwrap();
    let options = c::Options {
        checks: true,
        ..c::Options::default()
    };
    let routine = RoutineId::new(0);
    write("masked.c", &c::program_with(&program, options).unwrap());
    let made = cfg_reverse::reverse(&program, routine, &cfg_reverse::Options::default()).unwrap();
    let routines = c::Adjoint {
        original: made.original,
        forward: made.forward,
        reverse: made.reverse,
        gradient: made.gradient,
    };
    let reversed = validate(made.program).unwrap();
    let adjoint = c::adjoint_with(&reversed, routines, options).unwrap();
    write("masked_adjoint.c", &adjoint);
    let made = cfg_reverse::tangent(&program, routine).unwrap();
    let derived = validate(made.program).unwrap();
    let tangent = c::tangent_with(&derived, made.original, made.tangent, options).unwrap();
    write("masked_tangent.c", &tangent);
    write("main.c", CALLER);
    for sanitized in [true, false] {
        let mut command = std::process::Command::new(&cc);
        command.current_dir(folder.path()).args(flags(sanitized));
        let ran = command
            .args(["-o", "main", "main.c", "-lm"])
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let ran = std::process::Command::new(folder.path().join("main"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && said.is_empty(), "{said}");
    }
    let text = std::fs::read_to_string(folder.path().join("masked.c")).unwrap();
    let behind = text.find("CFGREV_CHECKS_IS_DEFINED").map(|at| &text[at..]);
    let (_, functions) = behind
        .unwrap()
        .split_once("struct cfgrev_tape *memory)\n")
        .unwrap();
    cfg_testkit::golden::golden("tests/golden/masked.checks.c", functions);
}
