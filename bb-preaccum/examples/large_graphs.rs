//! How long the default search takes, with all the heuristics it tries, on bare graphs of many statements:
//! processor time, as Markdown.
//!
//! `cargo run --release -p bb-preaccum --example large_graphs [STATEMENTS]`

#![allow(clippy::print_stdout, reason = "the table is the result")]

use std::time::SystemTime;

use bb_preaccum::heuristic::Heuristic;
use bb_preaccum::lcg::{Kind, Lcg, LcgError, NewEdge};
use bb_preaccum::search::{Options, search};

/// Processor time of this thread, or the time of day, in seconds.
fn seconds() -> f64 {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let now = || SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    nanos.map_or_else(|| now().as_secs_f64(), |nanos| nanos / 1e9)
}

/// Each statement reads two of the last `window` values; the last 32 values are the dependents.
fn graph(statements: i64, window: u64) -> Result<Lcg, LcgError> {
    const INPUTS: i64 = 32;
    let mut state = window;
    let mut below = |bound: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % bound
    };
    let mut edges = Vec::new();
    for v in INPUTS..INPUTS + statements {
        let mut last = 0;
        for _ in 0..2 {
            let back = 1 + below(window.min(v as u64)) as i64;
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
        let start = seconds();
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
            seconds() - start
        );
    }
    Ok(())
}
