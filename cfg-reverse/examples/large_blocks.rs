//! Linearization and elimination of blocks of 100 000 statements: time, edges, what is left.
//!
//! `cargo run --release -p cfg-reverse --example large_blocks [STATEMENTS [MILLISECONDS]]`

use bb_preaccum::search::Options;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::sin},
    ir::ScalarType::Real,
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
    for kind in ["chain", "window", "arbitrary"] {
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real);
        let y = f.output("y", Real);
        f.independents([x]).dependents([y]);
        let mut state = 1;
        let mut values: Vec<cfg_core::entity::VarId> = vec![x];
        for k in 0..n {
            let v = if k + 1 == n {
                y
            } else {
                f.local(&format!("v{k}"), Real)
            };
            let newest = values.len() - 1;
            match kind {
                "chain" => f.assign(v, sin(values[newest])),
                _ => {
                    let reach = if kind == "window" {
                        values.len().min(32)
                    } else {
                        values.len()
                    };
                    let mut pick = || values[newest - next(&mut state) % reach];
                    let (a, b) = (pick(), pick());
                    f.assign(v, a * b);
                }
            }
            values.push(v);
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
