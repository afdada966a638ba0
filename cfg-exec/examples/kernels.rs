//! Time of the fixtures' kernels and of their gradients in the executor, and of the kernels in C at -O2
//! where there is a C compiler.
//!
//!     cargo run --release -p cfg-exec --example kernels [NAME]
//!     cargo run --release -p cfg-exec --example kernels NAME code     # prints the register code
#![allow(clippy::print_stdout, reason = "it prints a table")]

use cfg_testkit::flat;
use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use cfg_core::{
    diagnostic::Diagnostic,
    elemental::Scalar,
    entity::RoutineId,
    ir::{Intent, Order, Routine, ScalarType},
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_reverse::{Options, reverse};
use cfg_testkit::{
    case::{Datum, Elements},
    kernels,
};

fn value(datum: &Datum, order: Order) -> Option<Value> {
    let ty = match &datum.elements {
        Elements::Real(_) => ScalarType::Real,
        Elements::Real32(_) => ScalarType::Real32,
        Elements::Integer(_) => ScalarType::Integer,
        Elements::Sized(ty, _) => ScalarType::Sized(*ty),
        Elements::Logical(_) => ScalarType::Logical,
    };
    let mut value = Value::uninitialised(ty, &datum.extents, order)?;
    for k in 0..datum.len() {
        value.set(
            k,
            match &datum.elements {
                Elements::Real(x) => Scalar::Real(x[k]),
                Elements::Real32(x) => Scalar::Real32(x[k]),
                Elements::Integer(x) => Scalar::Integer(x[k]),
                Elements::Sized(ty, x) => Scalar::Sized(*ty, x[k]),
                Elements::Logical(x) => Scalar::Logical(x[k]),
            },
        );
    }
    Some(value)
}

/// Time that this thread has had on a processor; where the system does not say, time that has passed.
fn clock(start: Instant) -> Duration {
    let spent = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    };
    spent().map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Time of a run: the mean over about a second, since the clock is coarse.
fn time(mut run: impl FnMut() -> u64) -> (Duration, u64) {
    let mut steps = run();
    let start = Instant::now();
    let begin = clock(start);
    let mut runs = 0;
    loop {
        steps = steps.max(run());
        runs += 1;
        let spent = clock(start).saturating_sub(begin);
        let enough = spent > Duration::from_millis(600) && runs >= 3;
        if enough || start.elapsed() > Duration::from_secs(10) {
            return (spent / runs, steps);
        }
    }
}

/// Seconds of one run of the kernel in C; `None` if it cannot be compiled.
fn time_in_c(name: &str, folder: &Path, point: &str) -> Option<f64> {
    let program = std::env::temp_dir().join(format!("cfgrev-{}-{name}", std::process::id()));
    let compiled = Command::new("cc")
        .arg("-O2")
        .arg(folder.join("driver.c"))
        .arg(folder.join(format!("{name}.c")))
        .arg("-lm")
        .arg("-o")
        .arg(&program)
        .stderr(Stdio::null())
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        return None;
    }
    let run = || -> std::io::Result<String> {
        let mut child = Command::new(&program)
            .arg("200")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(point.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let text = run().ok();
    let _ = std::fs::remove_file(&program);
    text?.lines().next()?.trim().parse().ok()
}

/// The arguments as the C driver reads them.
fn as_text(routine: &Routine, values: &[Argument]) -> String {
    let mut text = String::new();
    for (variable, argument) in routine.variables.iter().zip(values) {
        let Some(value) = argument.value() else {
            continue;
        };
        if variable.intent() == Some(Intent::Out) {
            text += &format!("o {}\n", value.len());
            continue;
        }
        let kind = if value.ty() == ScalarType::Integer {
            'i'
        } else {
            'r'
        };
        text += &format!("{kind} {}", value.len());
        for k in 0..value.len() {
            text += &match value.get(k) {
                Some(Scalar::Integer(n)) => format!(" {n}"),
                Some(x) => format!(" {:e}", x.to_f64()),
                None => " 0".to_owned(),
            };
        }
        text += "\n";
    }
    if routine.result.is_some() {
        text += "o 1\n";
    }
    text
}

/// The arguments of the gradient: those of the original, then adjoints: 1 for dependents, 0 for all others.
fn gradient_arguments(
    session: &Session,
    original: &Routine,
    gradient: &Routine,
    id: RoutineId,
    values: &[Argument],
) -> Result<Vec<Argument>, Box<Diagnostic>> {
    let mut all = values.to_vec();
    all.resize(gradient.parameters.len(), Argument::Absent);
    for (k, p) in gradient.parameter_ids().enumerate().skip(values.len()) {
        let variable = gradient.variable(p);
        let of = variable
            .origin
            .as_ref()
            .and_then(|origin| original.find_variable(&origin.of));
        let mut argument =
            match of.and_then(|v| values.get(original.parameter_position(v)?)?.value()) {
                Some(value) => Value::uninitialised(variable.ty, value.shape(), value.order())
                    .map_or(Argument::Absent, Argument::Value),
                None => session.uninitialised_argument(id, p, &all)?,
            };
        if let Argument::Value(value) = &mut argument
            && variable.intent() == Some(Intent::InOut)
        {
            let seeded = of.is_some_and(|v| original.dependents.contains(&v));
            value.fill(Scalar::Real(if seeded { 1.0 } else { 0.0 }));
        }
        all[k] = argument;
    }
    Ok(all)
}

/// Seconds of one run of the gradient.
fn time_of_gradient(
    program: &ValidProgram,
    main: RoutineId,
    values: &[Argument],
) -> Result<f64, Box<dyn std::error::Error>> {
    let reversal = reverse(&flat(program), main, &Options::default())?;
    let reversed = validate(reversal.program)?;
    let compiled = Compiled::new(&flat(&reversed), &CompileOptions::default())?;
    if std::env::args().nth(2).is_some() {
        println!("{}", compiled.listing(reversal.forward));
        println!("{}", compiled.listing(reversal.reverse));
    }
    let mut session = Session::new(&compiled);
    let original = reversed.routine(main);
    let gradient = reversed.routine(reversal.gradient);
    let arguments = gradient_arguments(&session, original, gradient, reversal.gradient, values)?;
    let mut failed = None;
    let (best, _) = time(|| {
        let mut arguments = arguments.clone();
        match session.run(reversal.gradient, &mut arguments, &RunOptions::default()) {
            Ok(report) => report.steps,
            Err(problem) => {
                failed = Some(problem);
                0
            }
        }
    });
    match failed {
        Some(problem) => Err(problem),
        None => Ok(best.as_secs_f64()),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next();
    let code = arguments.next().is_some();
    println!(
        "{:<18} {:>8} {:>10} {:>12} {:>8} {:>10} {:>9} {:>10} {:>8}",
        "kernel", "size", "ms", "steps", "ns/step", "gradient", "/ primal", "C ms", "primal/C"
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/c");
    let mut logarithms = Vec::new();
    for kernel in kernels::all() {
        let Some(size) = kernel.bench else { continue };
        if wanted.as_ref().is_some_and(|w| w != kernel.name) {
            continue;
        }
        let case = kernel.case(size);
        let program = validate(case.program.clone())?;
        let compiled = Compiled::new(&flat(&program), &CompileOptions::default())?;
        if code {
            for r in 0..program.routines.len() {
                println!("{}", compiled.listing(RoutineId::new(r)));
            }
        }
        let mut session = Session::new(&compiled);
        let routine = case.routine();
        let mut values: Vec<Argument> = vec![Argument::Absent; routine.parameters.len()];
        for (v, datum) in &case.point {
            let value = value(datum, routine.variable(*v).order);
            if let (Some(value), Some(k)) = (value, routine.parameter_position(*v)) {
                values[k] = value.into();
            }
        }
        for (k, v) in routine.parameter_ids().enumerate() {
            if values[k] == Argument::Absent {
                values[k] = session.uninitialised_argument(case.main, v, &values)?;
            }
        }
        let options = RunOptions::default();
        let mut failed = None;
        let (best, steps) = time(
            || match session.run(case.main, &mut values.clone(), &options) {
                Ok(report) => report.steps,
                Err(problem) => {
                    failed = Some(problem);
                    0
                }
            },
        );
        if let Some(problem) = failed {
            println!("{:<18} {problem}", kernel.name);
            continue;
        }
        let seconds = best.as_secs_f64();
        print!(
            "{:<18} {size:>8} {:>10.3} {steps:>12} {:>8.2}",
            kernel.name,
            seconds * 1e3,
            seconds * 1e9 / steps.max(1) as f64
        );
        match time_of_gradient(&program, case.main, &values) {
            Ok(gradient) => print!(" {:>10.3} {:>9.2}", gradient * 1e3, gradient / seconds),
            Err(problem) => print!(" {problem}"),
        }
        if let Some(c) = time_in_c(kernel.name, &folder, &as_text(routine, &values)) {
            print!(" {:>10.3} {:>8.1}", c * 1e3, seconds / c);
            logarithms.push((seconds / c).ln());
        }
        println!();
    }
    if !logarithms.is_empty() {
        let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
        println!("geometric mean of the ratios: {:.1}", mean.exp());
    }
    Ok(())
}
