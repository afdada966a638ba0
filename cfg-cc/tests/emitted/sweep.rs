//! Any number of random programs of all families: emitted C against the executor.
//!
//! ```sh
//! cargo run --release -p cfg-cc --example sweep -- --first 0 --programs 5000
//! ```
//!
//! Each program is compiled with its gradient, its tangent and a derivative of one of these; one of the four is compiled with
//! checks, too, as it is and broken. Files have 50 programs; of `--others` files, 10, one goes to `cc`, one to `clang` and one to `clang` with
//! sanitizers; the others to `--cc`, which may be a compiler that warns of nothing and is faster by far, such as `tcc`. What
//! differs is printed, and the status is 1 then. `--first` goes on where a sweep was interrupted: standard error has the number.
//! `--dump` writes the programs as text; `--family` takes those of one family only, such as `c`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for developers"
)]

mod breaking;
mod families;
#[expect(dead_code, reason = "tests use all of it")]
mod support;
#[expect(dead_code, reason = "tests use all of it")]
mod trial;

use cfg_cc::Compiler;
use cfg_reverse::Options;
use cfg_testkit::rng::Rng;
use families::{ALL, options};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};
use support::{Job, flags, jobs};
use trial::Trial;

/// The number of programs in one file.
const BATCH: usize = 50;

/// The most statements of a derivative of a derivative: compilers take long for the longest.
const MOST: usize = 1_000;

fn statements(job: &Job) -> usize {
    let bodies = job.program.routines.iter().filter_map(|r| r.body.as_ref());
    bodies
        .flat_map(|cfg| cfg.vertices())
        .map(|(_, v)| v.statements().len())
        .sum()
}

/// The numbers of what a sweep has compared, skipped and found wrong.
#[derive(Default)]
struct Counts {
    programs: usize,
    gradients: usize,
    tangents: usize,
    second: usize,
    checked: usize,
    errors: usize,
    skipped: usize,
    wrong: usize,
}

/// The seconds of generation with the executor, and of compiler and compiled programs.
#[derive(Default)]
struct Times {
    made: Duration,
    run: Duration,
}

/// The failures of some programs. A file that a compiler other than `cc` and `clang` refuses goes to `clang`, since
/// `tcc` takes no infinities as initial values. A file that `clang` refuses is halved until the program is found.
fn refined<T>(
    some: &[T],
    compiler: &Compiler,
    run: fn(&[T], &Compiler) -> Vec<String>,
) -> Vec<String> {
    let wrong = run(some, compiler);
    if !wrong.iter().any(|w| w.contains("B902")) {
        return wrong;
    }
    if !["cc", "clang"].contains(&&*compiler.command.to_string_lossy()) {
        let compiler = Compiler {
            command: "clang".into(),
            ..compiler.clone()
        };
        return refined(some, &compiler, run);
    }
    let (left, right) = some.split_at(some.len() / 2);
    if left.is_empty() {
        return wrong;
    }
    let mut all = refined(left, compiler, run);
    all.extend(refined(right, compiler, run));
    all
}

struct Sweep {
    command: String,
    /// One of so many files goes to each of the other compilers.
    others: usize,
    /// The folder that programs are written to as text.
    dump: Option<PathBuf>,
    /// The families that are drawn in turn.
    families: Vec<families::Family>,
    /// The number of programs, derivatives counted, that each compiler got.
    by: std::collections::BTreeMap<String, usize>,
    jobs: Vec<Job>,
    trials: Vec<Trial>,
    files: usize,
    counts: Counts,
    times: Times,
}

impl Sweep {
    /// The programs of a seed, which wait for their files.
    fn add(&mut self, seed: u64) {
        let begun = Instant::now();
        let (name, case) = self.families[seed as usize % self.families.len()];
        let seed = seed / self.families.len() as u64;
        let options = options(seed);
        let mut made = jobs(&format!("{name} {seed}"), &case(seed), &options, seed);
        if made.is_empty() {
            self.counts.skipped += 1;
        }
        let mut rng = Rng::new(seed ^ 0x7365_636f_6e64);
        if let Some(of) = (made.len() > 1).then(|| &made[1 + rng.below(made.len() - 1)]) {
            let second = match rng.percent(30) {
                true => of.gradient(format!("{}, gradient", of.title), &options, &mut rng),
                false => of.tangent(format!("{}, tangent", of.title), &mut rng),
            };
            made.extend(second.filter(|job| statements(job) <= MOST));
        }
        for job in &made {
            let count = match job.title.split_once(", ").map_or("", |(_, what)| what) {
                "program" => &mut self.counts.programs,
                "gradient" => &mut self.counts.gradients,
                "tangent" => &mut self.counts.tangents,
                _ => &mut self.counts.second,
            };
            *count += 1;
        }
        if !made.is_empty() {
            self.try_checks(&made, &options, &mut rng);
        }
        self.jobs.extend(made);
        self.times.made += begun.elapsed();
    }

    /// One of the programs as it is with checks, and broken variants of all that end in an error.
    fn try_checks(&mut self, made: &[Job], options: &Options, rng: &mut Rng) {
        let of = &made[rng.below(made.len())];
        let (arguments, globals) = (of.arguments.clone(), of.globals.clone());
        let (title, program) = (of.title.clone(), of.program.clone());
        let mut all: Vec<Trial> = Trial::run(
            title,
            program.into_grouped(),
            of.routine,
            arguments,
            globals,
        )
        .into_iter()
        .collect();
        for job in made {
            let trials = breaking::trials(job, options, 2, rng);
            all.extend(trials.into_iter().filter(|t| t.expected.is_err()));
        }
        for trial in all {
            match trial.expected {
                Ok(_) => self.counts.checked += 1,
                Err(_) => self.counts.errors += 1,
            }
            self.trials.push(trial);
        }
    }

    /// Compiles and runs the waiting programs: those that fill a file, or with `all` the rest, too.
    fn run(&mut self, all: bool) {
        if let Some(folder) = &self.dump {
            let jobs = self.jobs.iter().map(|job| (&job.title, &job.program));
            let trials = self.trials.iter().map(|t| (&t.title, &t.program));
            for (title, program) in jobs.chain(trials) {
                let file = folder.join(format!("{title}.cfgrev"));
                if let Err(e) = std::fs::write(&file, program.to_string()) {
                    println!("{}: {e}", file.display());
                }
            }
        }
        let begun = Instant::now();
        let least = if all { 1 } else { BATCH };
        while self.jobs.len() >= least {
            let some: Vec<Job> = self.jobs.drain(..BATCH.min(self.jobs.len())).collect();
            let compiler = self.compiler(some.len());
            self.report(refined(&some, &compiler, support::run_all));
        }
        while self.trials.len() >= least {
            let some: Vec<Trial> = self.trials.drain(..BATCH.min(self.trials.len())).collect();
            let compiler = self.compiler(some.len());
            self.report(refined(&some, &compiler, |some, compiler| {
                trial::run_with(some, compiler, true)
            }));
        }
        self.times.run += begun.elapsed();
    }

    /// The compiler of the next file. Of so many files one goes to `cc`, one to `clang` and one to `clang` with sanitizers, all
    /// with every warning as an error; the others go to the one that is given.
    fn compiler(&mut self, programs: usize) -> Compiler {
        let others = self.others;
        let (command, sanitized) = match self.files % others {
            0 => ("cc", false),
            n if n == others / 3 => ("clang", false),
            n if n == 2 * others / 3 => ("clang", true),
            _ => (&*self.command, false),
        };
        self.files += 1;
        let name = if sanitized {
            "clang with sanitizers"
        } else {
            command
        };
        *self.by.entry(name.to_owned()).or_default() += programs;
        Compiler {
            command: command.into(),
            flags: flags(sanitized),
            counting: sanitized,
            ..Compiler::default()
        }
    }

    fn report(&mut self, wrong: Vec<String>) {
        self.counts.wrong += wrong.len();
        for one in wrong {
            println!("{one}");
        }
    }

    fn line(&self) -> String {
        let c = &self.counts;
        format!(
            "{} programs, {} gradients, {} tangents, {} derivatives of these; with checks {} without and {} with an error; \
             {} skipped, {} wrong; {:.0} s to make, {:.0} s to compile and run",
            c.programs,
            c.gradients,
            c.tangents,
            c.second,
            c.checked,
            c.errors,
            c.skipped,
            c.wrong,
            self.times.made.as_secs_f64(),
            self.times.run.as_secs_f64()
        )
    }
}

fn main() -> std::process::ExitCode {
    let (mut first, mut programs, mut command) = (0, 100, "cc".to_owned());
    let (mut others, mut dump) = (10, None::<PathBuf>);
    let mut families = ALL.to_vec();
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().unwrap_or_default();
        let number = value.parse::<u64>().ok();
        match (&*name, number) {
            ("--first", Some(n)) => first = n,
            ("--programs", Some(n)) => programs = n,
            ("--others", Some(n)) => others = n as usize,
            ("--cc", _) => command = value,
            ("--dump", _) => dump = Some(value.into()),
            ("--family", _) if ALL.iter().any(|(name, _)| *name == value) => {
                families.retain(|(name, _)| *name == value);
            }
            _ => {
                eprintln!(
                    "usage: sweep [--first N] [--programs N] [--cc COMMAND] [--others N] [--dump FOLDER] [--family NAME]"
                );
                let names: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
                eprintln!("families: {}", names.join(", "));
                return 2.into();
            }
        }
    }
    let mut sweep = Sweep {
        command,
        others: others.max(3),
        dump,
        families,
        by: Default::default(),
        jobs: Vec::new(),
        trials: Vec::new(),
        files: 0,
        counts: Counts::default(),
        times: Times::default(),
    };
    for seed in first..first + programs {
        sweep.add(seed);
        sweep.run(false);
        if (seed + 1) % 100 == 0 {
            eprintln!("to {}: {}", seed + 1, sweep.line());
        }
    }
    sweep.run(true);
    println!("{}", sweep.line());
    println!("compiled: {:?}", sweep.by);
    u8::from(sweep.counts.wrong > 0).into()
}
