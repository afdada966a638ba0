//! Prints the benchmark table for the graphs of the corpus folder, as Markdown.
//!
//! `cargo run --release -p bb-preaccum --example lcg_table [SEEDS] [MILLISECONDS]`

#![allow(clippy::print_stdout, reason = "the table is the result")]

use std::path::PathBuf;
use std::time::Instant;

use bb_preaccum::cost::CostModel;
use bb_preaccum::lcg::Lcg;
use bb_preaccum::search::{Options, search};

/// Graph, published best in the plain and the unit-free model, best known to us before.
const TASKS: [(&str, [u64; 2], [u64; 2]); 5] = [
    ("HumanHeartDipole", [148, 48], [148, 48]),
    ("PropaneCombustion", [88, 24], [88, 24]),
    ("RobotArm_6DOF", [231, 165], [221, 151]),
    ("RoeFlux_1d", [320, 217], [295, 184]),
    ("BlackScholes_Jacobian_pruned", [307, 238], [293, 223]),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let time: Option<u128> = arguments.next().map(|text| text.parse()).transpose()?;
    let root = std::env::var_os("CFGREV_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"),
        PathBuf::from,
    );
    println!(
        "| graph | model | forward | reverse | lowest Markowitz | published best | best known | ours (worst of {seeds} seeds) | seeds at or below best known | bound | optimal | ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, published, known) in TASKS {
        let text = std::fs::read(root.join("lcg").join(format!("{name}.json")))?;
        let lcg = Lcg::from_json(&text)?;
        for (at, model) in [CostModel::Plain, CostModel::UnitFree]
            .into_iter()
            .enumerate()
        {
            let (mut costs, mut millis) = (Vec::new(), Vec::new());
            let mut line = String::new();
            for seed in 0..seeds {
                let start = Instant::now();
                let late = || time.is_some_and(|most| start.elapsed().as_millis() >= most);
                let timer: &dyn Fn() -> bool = &late;
                let timer = time.map(|_| timer);
                let outcome = search(
                    &lcg,
                    &Options {
                        model,
                        seed,
                        timer,
                        ..Options::default()
                    },
                );
                millis.push(start.elapsed().as_millis());
                costs.push(outcome.cost);
                let get = |key: &str| {
                    let found = outcome.heuristics.iter().find(|(known, _)| known == key);
                    found.map_or_else(|| "-".to_owned(), |(_, cost)| cost.to_string())
                };
                let lowest = [get("vertex-LM-FM"), get("vertex-LM-RM")];
                let optimal = outcome.optimal.map_or("-", |class| class.name());
                let best = costs.iter().min().copied().unwrap_or(0);
                let worst = costs.iter().max().copied().unwrap_or(0);
                line = format!(
                    "| {name} | {} | {} | {} | {} | {} | {} | {best} ({worst}) | {} | {} | {optimal} | {} |",
                    model.name(),
                    get("vertex-FM"),
                    get("vertex-RM"),
                    lowest.join(" / "),
                    published[at],
                    known[at],
                    costs.iter().filter(|&&cost| cost <= known[at]).count(),
                    outcome.bound,
                    millis.iter().max().copied().unwrap_or(0),
                );
            }
            println!("{line}");
        }
    }
    Ok(())
}
