//! Linearization and elimination of blocks of 100 000 statements: time, edges, what is left.
//!
//! `cargo run --release -p cfg-reverse --example large_blocks [STATEMENTS [MILLISECONDS [KIND]]]`

use bb_preaccum::search::Options;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::sin},
    ir::{Expr, ScalarType::Real},
};
use cfg_reverse::preaccumulate::{Preaccumulation, preaccumulate, preaccumulate_within};
use std::time::{Duration, Instant};

/// A small generator; the numbers only need to look arbitrary.
fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 33) as usize
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

        // No budget: the cheap heuristics only.
        let options = Options {
            work: 0,
            ..Options::default()
        };
        let began = Instant::now();
        let cheap = preaccumulate(&program, f, &options)?;
        report(kind, "cheap heuristics", began.elapsed(), &cheap);

        let began = Instant::now();
        let budget = Duration::from_millis(milliseconds);
        let late = |part: f64| began.elapsed() > budget.mul_f64(part);
        let timed = preaccumulate_within(&program, f, &Options::default(), &late)?;
        report(kind, &format!("{milliseconds} ms"), began.elapsed(), &timed);
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example shows its results")]
fn report(kind: &str, budget: &str, time: Duration, result: &Preaccumulation) {
    for block in &result.blocks {
        println!(
            "{kind:10} {budget:18} {:6} ms  edges {:7}  left {:7}  multiplications {:8}  complete {}",
            time.as_millis(),
            block.lcg.edges().len(),
            block.entries.len(),
            block.outcome.cost,
            block.outcome.complete,
        );
    }
}
