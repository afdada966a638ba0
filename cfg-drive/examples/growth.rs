//! How the costs of families of programs grow with their size: processor seconds of reading, validating,
//! reversing and writing, as `cfgrev reverse` does it; of validating the program alone, and of proving that the
//! reversal's tape is right; of a gradient on irreducible meshes, as `cfgrev gradient` does it, and of a run with many
//! outputs; and the slopes of log time and of log output over log size.
//!
//! ```text
//! cargo run --release -p cfg-drive --example growth            # all families
//! cargo run --release -p cfg-drive --example growth -- ring 2  # those whose names have `ring`, at twice the size
//! cargo run --release -p cfg-drive --example growth -- routines  # that of this name alone
//! ```
#![allow(clippy::print_stdout, reason = "it prints a table")]

use cfg_core::{entity::RoutineId, validate};
use cfg_drive::{Adjoint, Options, Primal};
use cfg_format::json;
use cfg_reverse::Blocks;
use cfg_testkit::flat;
use cfg_testkit::growth::{FAMILIES, Family, mesh, outputs, text};
use std::error::Error;
use std::time::Instant;

/// Time that this thread has had on a processor; where the system does not say, time that has passed.
fn clock(start: Instant) -> f64 {
    let spent = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
        Some(nanoseconds * 1e-9)
    };
    spent().unwrap_or_else(|| start.elapsed().as_secs_f64())
}

/// The measured costs of a program.
#[derive(Clone, Copy)]
struct Costs {
    /// Seconds of the reversal (or gradient), of validation, of the stack checker.
    seconds: [f64; 3],
    /// Bytes written.
    bytes: usize,
}

type Measured = Result<Costs, Box<dyn Error>>;

fn reverse(family: &Family, text: &[u8], now: &dyn Fn() -> f64) -> Measured {
    let options = cfg_reverse::Options {
        blocks: if family.auto {
            Blocks::Auto
        } else {
            Blocks::Statement
        },
        ..cfg_reverse::Options::default()
    };
    let start = now();
    let program = json::read_valid(text)?;
    let main = program.main.ok_or("the generator marks it")?;
    let reversal = cfg_reverse::reverse(&flat(&program), main, &options)?;
    let mut out = Vec::new();
    json::write(&reversal.program, &mut out)?;
    let bytes = out.len();
    let mut reversing = now() - start;
    let start = now();
    let problems = validate::find_problems(&program);
    let validating = now() - start;
    drop(problems);
    let reversed = validate::validate(reversal.program)?;
    let start = now();
    let report = tape_check::check_program(&flat(&reversed));
    let checking = now() - start;
    // Dropping the result is part of the command's time, too.
    let start = now();
    drop((program, reversed, out));
    reversing += now() - start;
    if !report.problems.is_empty() {
        return Err(report.problems.into());
    }
    Ok(Costs {
        seconds: [reversing, validating, checking],
        bytes,
    })
}

fn gradient(n: usize, now: &dyn Fn() -> f64) -> Measured {
    let program = mesh(n);
    let mut text = Vec::new();
    json::write(&program, &mut text)?;
    let start = now();
    let program = json::read_valid(&text)?;
    let mut adjoint = Adjoint::new(&flat(&program), RoutineId::new(0), &Options::default())?;
    let point = adjoint.read_point(br#"{"x": 0.5, "y": 0.25}"#)?;
    let seed = adjoint.default_seed(&point)?;
    adjoint.gradient(&point, &seed)?;
    let all = now() - start;
    let start = now();
    let problems = validate::find_problems(&program);
    let validating = now() - start;
    drop(problems);
    let reversal = cfg_reverse::reverse(&flat(&program), RoutineId::new(0), &Default::default())?;
    let reversed = validate::validate(reversal.program)?;
    let start = now();
    tape_check::check_program(&flat(&reversed));
    Ok(Costs {
        seconds: [all, validating, now() - start],
        bytes: text.len(),
    })
}

fn run(n: usize, now: &dyn Fn() -> f64) -> Measured {
    let program = outputs(n);
    let mut text = Vec::new();
    json::write(&program, &mut text)?;
    let start = now();
    let program = json::read_valid(&text)?;
    let mut primal = Primal::new(&flat(&program), RoutineId::new(0), &Options::default())?;
    let point = primal.read_point(br#"{"x": 0.5}"#)?;
    let run = primal.run(&point)?;
    let all = now() - start;
    let start = now();
    drop(validate::find_problems(&program));
    Ok(Costs {
        seconds: [all, now() - start, 0.0],
        bytes: 8 * run.value.len(),
    })
}

/// The least of some runs: other work on the machine only adds.
fn least(mut run: impl FnMut() -> Measured) -> Measured {
    let mut best = run()?;
    let mut spent = best.seconds[0];
    let mut runs = 1;
    while runs < 3 || spent < 0.5 && runs < 20 {
        let found = run()?;
        spent += found.seconds[0];
        for (best, new) in best.seconds.iter_mut().zip(found.seconds) {
            *best = best.min(new);
        }
        runs += 1;
    }
    Ok(best)
}

fn row(
    name: &str,
    size: usize,
    mut run: impl FnMut(usize) -> Measured,
) -> Result<(), Box<dyn Error>> {
    let mut found = Vec::new();
    for factor in [1, 2, 4, 8] {
        found.push(run(factor * size)?);
    }
    let slope = |of: &dyn Fn(&Costs) -> f64| (of(&found[3]) / of(&found[0])).ln() / 8f64.ln();
    print!("| {name} | {size} to {} |", 8 * size);
    for costs in &found {
        print!(" {:.3} |", costs.seconds[0]);
    }
    print!(" {:.2} |", slope(&|f| f.seconds[0]));
    print!(" {:.2} |", slope(&|f| f.bytes as f64));
    for what in [1, 2] {
        let last = found[3].seconds[what];
        print!(" {last:.3} | {:.2} |", slope(&|f| f.seconds[what]));
    }
    println!();
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.next().unwrap_or_default();
    let scale: f64 = arguments.next().map_or(Ok(1.0), |s| s.parse())?;
    let scaled = |size: usize| (size as f64 * scale) as usize;
    let zero = Instant::now();
    let now = || clock(zero);
    println!(
        "| family | n | s | s, 2 n | s, 4 n | s, 8 n | slope | slope of output | validate s, 8 n | slope | check s, 8 n | slope |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    // A name that is a family's own means that family only.
    let exact = FAMILIES.iter().any(|f| f.name == wanted);
    let is_wanted = |name: &str| match exact {
        true => name == wanted,
        false => name.contains(&wanted),
    };
    for family in FAMILIES.iter().filter(|f| is_wanted(f.name)) {
        row(family.name, scaled(family.size), |n| {
            let text = text(family, n);
            least(|| reverse(family, &text, &now))
        })?;
    }
    let name = "outputs of a run";
    if is_wanted(name) {
        row(name, scaled(5_000), |n| least(|| run(n, &now)))?;
    }
    let name = "nodes of an irreducible mesh, gradient";
    if is_wanted(name) {
        row(name, scaled(1_000), |n| least(|| gradient(n, &now)))?;
    }
    Ok(())
}
