//! Programs with checks that may end in an error, run by both engines.

use crate::support::{Job, compile, flags, flat};
use cfg_back::c;
use cfg_cc::{Answer, Compiler, Executable, storage_owners};
use cfg_core::flat::Flat;
use cfg_core::{entity::RoutineId, validate::ValidProgram};
use cfg_exec::{Argument, RunOptions, Session, Value};
use cfg_testkit::needs;

/// The greatest number of programs in one file.
const BATCH: usize = 40;

/// A call, and what the executor makes of it: what it leaves, or code and place of its error.
pub(crate) struct Trial {
    pub(crate) title: String,
    pub(crate) program: Flat,
    pub(crate) routine: RoutineId,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) globals: Vec<Value>,
    pub(crate) expected: Result<Answer, (String, String)>,
}

impl Trial {
    /// A trial of a call; `None` if the executor refuses the program or ends it at a limit.
    pub(crate) fn run(
        title: String,
        program: ValidProgram,
        routine: RoutineId,
        arguments: Vec<Argument>,
        globals: Vec<Value>,
    ) -> Option<Self> {
        let compiled = compile(&program);
        let mut session = Session::new(&compiled);
        for (g, value) in storage_owners(&program).into_iter().zip(&globals) {
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
                globals: storage_owners(&program)
                    .into_iter()
                    .map(|g| session.global(g))
                    .collect(),
            }),
            Err(problem) => {
                let code = problem.code;
                // Limits of the executor, and arguments that it refuses before the run: C knows neither.
                if ["X208", "X209", "X210", "X211", "X219"].contains(&code) {
                    return None;
                }
                let place = problem.at.element.clone().unwrap_or_default();
                Err((code.to_owned(), place))
            }
        };
        Some(Self {
            title,
            program: flat(&program),
            routine,
            arguments,
            globals,
            expected,
        })
    }

    pub(crate) fn of_job(job: Job) -> Option<Self> {
        Self::run(
            job.title,
            job.program.into_grouped(),
            job.routine,
            job.arguments,
            job.globals,
        )
    }

    /// What is wrong with an answer.
    pub(crate) fn judge(&self, answer: &Answer, message: &str) -> Option<String> {
        let wrong = |what: String| Some(format!("{}: {what}", self.title));
        let expected = match &self.expected {
            Err((code, place)) => {
                let found = message.starts_with(&format!("{code} "))
                    && (message.contains(&format!("{place}: "))
                        || message.contains(&format!("{place})")));
                let status = if code == "X223" { 3 } else { 4 };
                if answer.status != status || !found {
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
        for (g, (a, b)) in storage_owners(&self.program).iter().zip(globals) {
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

/// Compiles all as one file, with checks or without, and runs them; returns the failures.
pub(crate) fn run_with(trials: &[Trial], compiler: &Compiler, checks: bool) -> Vec<String> {
    let each: Vec<&[Trial]> = trials.iter().map(std::slice::from_ref).collect();
    judge_with(&each, compiler, checks)
}

/// Compiles programs as one file, each with its calls, and runs these; returns the failures.
pub(crate) fn judge_all<T: AsRef<[Trial]>>(lists: &[T], compiler: &Compiler) -> Vec<String> {
    judge_with(lists, compiler, true)
}

fn judge_with<T: AsRef<[Trial]>>(lists: &[T], compiler: &Compiler, checks: bool) -> Vec<String> {
    let programs: Vec<(&Flat, RoutineId)> = (lists.iter())
        .filter_map(|trials| trials.as_ref().first())
        .map(|t| (&t.program, t.routine))
        .collect();
    if programs.is_empty() {
        return Vec::new();
    }
    let options = c::Options {
        checks,
        ..c::Options::default()
    };
    let mut built = match Executable::build_with(&programs, compiler, options) {
        Ok(built) => built,
        Err(problem) => return vec![problem.to_string()],
    };
    let mut wrong = Vec::new();
    let called = lists.iter().filter(|trials| !trials.as_ref().is_empty());
    for (k, trials) in called.enumerate() {
        for trial in trials.as_ref() {
            match built.run(k, &trial.arguments, &trial.globals) {
                Ok(answer) => wrong.extend(trial.judge(&answer, &answer.message)),
                Err(problem) => {
                    wrong.push(format!("{}: {problem}", trial.title));
                    return wrong;
                }
            }
        }
    }
    wrong
}

/// Compiles and runs trials, a part with sanitizers, and fails with what is wrong.
pub(crate) fn check(trials: &[Trial], sanitized: usize) {
    check_with(trials, sanitized, true);
}

/// The same of files with checks or without.
pub(crate) fn check_with(trials: &[Trial], sanitized: usize, checks: bool) {
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
            wrong.extend(run_with(some, &compiler, checks));
        }
    }
    let (bad, all) = (wrong.len(), trials.len());
    assert!(wrong.is_empty(), "{bad} of {all}:\n{}", wrong.join("\n"));
}
