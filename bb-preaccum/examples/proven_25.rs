//! Processor time of the default search until the optimum over vertex orders is proven, for graphs with 25
//! intermediates, sparse to complete, as Markdown.
//!
//! `cargo run --release -p bb-preaccum --example proven_25 [SEEDS [ENDS]]`; ENDS is the only number of inputs and
//! outputs each.

#![allow(clippy::print_stdout, reason = "the table is the result")]

#[path = "shared/clock.rs"]
mod clock;
#[path = "shared/numbers.rs"]
mod numbers;

use bb_preaccum::cost::CostModel;
use bb_preaccum::lcg::{Kind, Lcg, LcgError, NewEdge};
use bb_preaccum::search::{Options, search};
use clock::milliseconds;
use numbers::Numbers;

/// Each earlier vertex is read with this chance in a hundred.
fn graph(seed: u64, ends: i64, chance: u64) -> Result<Lcg, LcgError> {
    const MIDDLE: i64 = 25;
    let mut numbers = Numbers(seed);
    let mut edges = Vec::new();
    for v in ends..2 * ends + MIDDLE {
        let readable = v.min(ends + MIDDLE);
        let sure = numbers.below(readable as u64) as i64;
        for u in 0..readable {
            if u == sure || numbers.below(100) < chance {
                let kind = [Kind::Unit, Kind::Constant, Kind::Variable, Kind::Variable];
                edges.push(NewEdge::new(u, v, kind[numbers.below(4) as usize]));
            }
        }
    }
    let outputs: Vec<i64> = (ends + MIDDLE..2 * ends + MIDDLE).collect();
    let inputs: Vec<i64> = (0..ends).collect();
    Lcg::new("random", &inputs, &outputs, edges)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seeds: u64 = std::env::args()
        .nth(1)
        .map_or(Ok(10), |text| text.parse())?;
    let only: Option<i64> = std::env::args()
        .nth(2)
        .map(|text| text.parse())
        .transpose()?;
    println!("| inputs and outputs each | edges there are, % | model | proven | slowest ms |");
    println!("|---|---|---|---|---|");
    let all = [3, 12, 40, 100, 300];
    for ends in only.map_or(all.to_vec(), |ends| vec![ends]) {
        for chance in [5, 15, 30, 60, 100] {
            for model in CostModel::ALL {
                let (mut proven, mut slowest) = (0, 0.0f64);
                for seed in 0..seeds {
                    let lcg = graph(seed, ends, chance)?;
                    let start = milliseconds();
                    let outcome = search(
                        &lcg,
                        &Options {
                            model,
                            ..Options::default()
                        },
                    );
                    slowest = slowest.max(milliseconds() - start);
                    let vertex = outcome.classes.first();
                    proven += u64::from(vertex.is_some_and(|class| class.cost == class.bound));
                }
                println!(
                    "| {ends} | {chance} | {} | {proven} of {seeds} | {slowest:.0} |",
                    model.name()
                );
            }
        }
    }
    Ok(())
}
