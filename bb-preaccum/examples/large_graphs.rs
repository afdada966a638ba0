//! Processor time of the default search, with all the heuristics that it tries, on bare graphs of many statements, as
//! Markdown.
//!
//! `cargo run --release -p bb-preaccum --example large_graphs [STATEMENTS]`

#![allow(clippy::print_stdout, reason = "the table is the result")]

#[path = "shared/clock.rs"]
mod clock;
#[path = "shared/numbers.rs"]
mod numbers;

use bb_preaccum::heuristic::Heuristic;
use bb_preaccum::lcg::{Kind, Lcg, LcgError, NewEdge};
use bb_preaccum::search::{Options, search};
use clock::milliseconds;
use numbers::Numbers;

/// Each statement reads two of the last `window` values; the last 32 values are the dependents.
fn graph(statements: i64, window: u64) -> Result<Lcg, LcgError> {
    const INPUTS: i64 = 32;
    let mut numbers = Numbers(window);
    let mut edges = Vec::new();
    for v in INPUTS..INPUTS + statements {
        let mut last = 0;
        for _ in 0..2 {
            let back = 1 + numbers.below(window.min(v as u64)) as i64;
            if back != last {
                edges.push(NewEdge::new(v - back, v, Kind::Variable));
            }
            last = back;
        }
    }
    let inputs: Vec<i64> = (0..INPUTS).collect();
    let outputs: Vec<i64> = (statements..INPUTS + statements).collect();
    Lcg::new("block", &inputs, &outputs, edges)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let statements: i64 = std::env::args()
        .nth(1)
        .map_or(Ok(100_000), |text| text.parse())?;
    println!(
        "| each statement reads | edges | multiplications | to the end | ended as beaten | of | seconds |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, window) in [
        ("the one before", 1),
        ("2 of the last 32 values", 32),
        ("2 arbitrary earlier values", u64::MAX),
    ] {
        let lcg = graph(statements, window)?;
        let start = milliseconds();
        let found = search(&lcg, &Options::default());
        let rest = if found.complete {
            ""
        } else {
            " (a remainder graph is left)"
        };
        println!(
            "| {name} | {} | {}{rest} | {} | {} | {} | {:.1} |",
            lcg.edges().len(),
            found.cost,
            found.heuristics.len(),
            found.beaten.len(),
            Heuristic::portfolio().len(),
            (milliseconds() - start) / 1e3
        );
    }
    Ok(())
}
