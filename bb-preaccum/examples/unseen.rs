//! The distance of the default search from the best known cost, on random graphs of the kinds that programs give.
//!
//! `cargo run --release -p bb-preaccum --example unseen FIRST COUNT SEEDS TIMES [CHAINS]`: graphs FIRST to FIRST +
//! COUNT - 1 of each kind, so many seeds of the search, so many times the default budget, so many chains of annealing
//! (by default as many as the search has). Graphs below 100 are for tuning, 100 to 109 for the comparison. Prints
//! name, model, best cost, sizes (inputs, intermediates, outputs, edges), most milliseconds of processor time, the
//! class in which the last one is proven, and all costs, between tabs.

#![allow(clippy::print_stdout, reason = "the table is the result")]

#[path = "shared/clock.rs"]
mod clock;
#[path = "shared/kinds.rs"]
mod kinds;
#[path = "shared/numbers.rs"]
mod numbers;

use bb_preaccum::cost::CostModel;
use bb_preaccum::search::{DEFAULT_CHAINS, DEFAULT_WORK, Options, search};
use clock::milliseconds;
use kinds::{KINDS, graph};

/// Intermediates of the graphs that count.
const SIZES: std::ops::RangeInclusive<usize> = 20..=200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Result<Vec<u64>, _> =
        std::env::args().skip(1).map(|text| text.parse()).collect();
    let (first, count, seeds, times, chains) = match arguments?[..] {
        [first, count, seeds, times] => (first, count, seeds, times, DEFAULT_CHAINS),
        [first, count, seeds, times, chains] => {
            (first, count, seeds, times, usize::try_from(chains)?)
        }
        _ => return Err("numbers are wanted: FIRST COUNT SEEDS TIMES [CHAINS]".into()),
    };
    for kind in 0..KINDS.len() {
        for number in first..first + count {
            let lcg = graph(kind, number)?;
            if !SIZES.contains(&lcg.intermediates().count()) {
                continue;
            }
            let models = [CostModel::Plain, CostModel::UnitFree];
            let model = models[(number as usize + kind) % 2];
            let (mut costs, mut slowest, mut proven) = (Vec::new(), 0.0f64, "-");
            for seed in 0..seeds {
                let start = milliseconds();
                let options = Options {
                    model,
                    seed,
                    work: times * DEFAULT_WORK,
                    chains,
                    ..Options::default()
                };
                let found = search(&lcg, &options);
                slowest = slowest.max(milliseconds() - start);
                costs.push(found.cost);
                proven = found.optimal.map_or("-", |class| class.name());
            }
            println!(
                "{}\t{}\t{}\t{} {} {} {}\t{slowest:.0}\t{proven}\t{costs:?}",
                lcg.name(),
                model.name(),
                costs.iter().min().copied().unwrap_or(0),
                lcg.inputs().len(),
                lcg.intermediates().count(),
                lcg.outputs().len(),
                lcg.edges().len(),
            );
        }
    }
    Ok(())
}
