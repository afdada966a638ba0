//! Linearization and elimination of blocks of 100 000 statements: processor time, edges before and after, and memory.
//!
//! `cargo run --release -p cfg-reverse --example large_blocks [STATEMENTS [MILLISECONDS [KIND]]]`

use bb_preaccum::search::Options;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::sin},
    ir::{Expr, ScalarType::Real},
};
use cfg_reverse::preaccumulate::{Preaccumulation, preaccumulate, preaccumulate_within};
use cfg_testkit::flat;
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant, SystemTime},
};

/// A small generator; the numbers only need to look arbitrary.
fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 33) as usize
}

/// Processor time of this thread where the system tells it (Linux), or the time of day.
fn processor_time() -> Duration {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = used.and_then(|text| text.split(' ').next()?.parse().ok());
    let now = || SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    nanos.map_or_else(now, Duration::from_nanos)
}

/// The largest resident set so far, in kB (Linux).
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let n: usize = arguments.next().map_or(Ok(100_000), |a| a.parse())?;
    let milliseconds: u64 = arguments.next().map_or(Ok(500), |a| a.parse())?;
    let only: Option<String> = arguments.next();
    for kind in ["chain", "window", "arbitrary"] {
        if only.as_ref().is_some_and(|only| only != kind) {
            continue;
        }
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real.array([64]));
        let y = f.output("y", Real.array([n as i64]));
        f.independents([x]).dependents([y]);
        // Many inputs and results only in the third: there elimination fills the graph in.
        let inputs: i64 = if kind == "arbitrary" { 64 } else { 1 };
        let mut values: Vec<Expr> = (1..=inputs).map(|k| x.at(k).into()).collect();
        let mut read = vec![true; values.len()];
        let mut state = 1;
        for k in 0..n {
            let v = f.local(format!("v{k}"), Real);
            let newest = values.len() - 1;
            let mut pick = |reach: usize| {
                let at = newest - next(&mut state) % reach.min(values.len());
                read[at] = true;
                values[at].clone()
            };
            match kind {
                "chain" => f.assign(v, sin(pick(1))),
                "window" => f.assign(v, pick(32) * pick(32)),
                _ => f.assign(v, pick(usize::MAX) * pick(usize::MAX)),
            }
            values.push(v.into());
            read.push(false);
        }
        // Results: the values that no statement reads, or the last value.
        for (k, (value, read)) in (1i64..).zip(values.into_iter().zip(read).skip(inputs as usize)) {
            let result = if kind == "arbitrary" {
                !read
            } else {
                k == n as i64
            };
            if result {
                f.assign(y.at(k), value);
            }
        }
        let mut program = ProgramBuilder::new();
        let f = program.add(f);
        let program = program.finish()?;

        // Without a budget, only the cheap heuristics run.
        let options = Options {
            work: 0,
            ..Options::default()
        };
        let began = processor_time();
        let cheap = preaccumulate(&flat(&program), f, &options)?;
        let time = processor_time().saturating_sub(began);
        report(kind, "cheap heuristics", time, &cheap);

        // The clock runs from the start of the search to its end: linearization and code are not part of the time.
        let budget = Duration::from_millis(milliseconds);
        let asked = AtomicU64::new(0);
        let began = processor_time();
        let timed = preaccumulate_within(&flat(&program), f, &Options::default(), || {
            let (start, asked) = (Instant::now(), &asked);
            move |part: f64| {
                let passed = start.elapsed();
                asked.store(passed.as_millis() as u64, Ordering::Relaxed);
                passed > budget.mul_f64(part)
            }
        })?;
        let what = format!(
            "clock of {milliseconds} ms, ended at {}",
            asked.load(Ordering::Relaxed)
        );
        report(kind, &what, processor_time().saturating_sub(began), &timed);
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example shows its results")]
fn report(kind: &str, budget: &str, time: Duration, result: &Preaccumulation) {
    for block in &result.blocks {
        println!(
            "{kind:10} {budget:34} {:6} ms  edges {:7}  left {:7}  multiplications {:8}  complete {:5}  peak {} MB",
            time.as_millis(),
            block.lcg.edges().len(),
            block.entries.len(),
            block.outcome.cost,
            block.outcome.complete,
            peak() / 1000,
        );
    }
}
