//! Random graphs that the search has not been made for.
#![allow(clippy::print_stdout, reason = "the table is the result")]

#[path = "shared/clock.rs"]
mod clock;
#[path = "shared/kinds.rs"]
mod kinds;
#[path = "shared/numbers.rs"]
mod numbers;

use bb_preaccum::cost::CostModel;
use bb_preaccum::search::{DEFAULT_WORK, Options, search};
use clock::milliseconds;
use kinds::{KINDS, graph};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse().ok())
        .collect();
    let (first, count, seeds, times) = (args[0], args[1], args[2], args[3]);
    for kind in 0..KINDS.len() {
        for seed in first..first + count {
            let lcg = graph(kind, seed)?;
            if std::env::var("HARD").is_ok_and(|h| !h.split(',').any(|h| h == lcg.name())) {
                continue;
            }
            if !(20..=200).contains(&lcg.intermediates().count()) {
                continue;
            }
            for model in [[CostModel::Plain, CostModel::UnitFree][(seed as usize + kind) % 2]] {
                let mut costs = Vec::new();
                let mut most = 0f64;
                let mut technique = "";
                for rng in 0..seeds {
                    let start = milliseconds();
                    let found = search(
                        &lcg,
                        &Options {
                            model,
                            seed: rng,
                            work: times * DEFAULT_WORK,
                            ..Options::default()
                        },
                    );
                    most = most.max(milliseconds() - start);
                    costs.push(found.cost);
                    technique = found.optimal.map_or("-", |t| t.name());
                }
                println!(
                    "{}\t{}\t{}\t{} {} {} {}\t{:.0}\t{technique}\t{:?}",
                    lcg.name(),
                    model.name(),
                    costs.iter().min().unwrap(),
                    lcg.inputs().len(),
                    lcg.intermediates().count(),
                    lcg.outputs().len(),
                    lcg.edges().len(),
                    most,
                    costs
                );
            }
        }
    }
    Ok(())
}
