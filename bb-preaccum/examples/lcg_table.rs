//! Prints the benchmark table for the graphs of the corpus folder, as Markdown.
//!
//! `cargo run --release -p bb-preaccum --example lcg_table [SEEDS] [BUDGET] [NAME] [MODEL]`: BUDGET is a multiple of
//! the default number of search steps, or a processor time such as `1000ms`. Milliseconds are those of the slowest
//! seed, by the clock and of processor time.

#![allow(clippy::print_stdout, reason = "the table is the result")]

#[path = "shared/clock.rs"]
mod clock;

use std::path::PathBuf;
use std::time::Instant;

use bb_preaccum::cost::CostModel;
use bb_preaccum::lcg::Lcg;
use bb_preaccum::search::{DEFAULT_WORK, Options, search};
use clock::milliseconds;

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
    let budget = arguments.next().unwrap_or_else(|| "1".to_owned());
    let time = budget.strip_suffix("ms").map(str::parse::<f64>);
    let time = time.transpose()?;
    let times: u64 = if time.is_some() { 1 } else { budget.parse()? };
    let only = arguments.next();
    let only_model = arguments.next();
    let root = std::env::var_os("CFGREV_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"),
        PathBuf::from,
    );
    println!(
        "| graph | model | forward | reverse | lowest Markowitz | published best | best known | ours (worst of {seeds} seeds) | seeds at or below best known | bound | optimal | ms, clock | ms, processor |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let wanted = |name: &str| {
        only.as_ref()
            .is_none_or(|only| name.contains(only.as_str()))
    };
    for (name, published, known) in TASKS.into_iter().filter(|task| wanted(task.0)) {
        let text = std::fs::read(root.join("lcg").join(format!("{name}.json")))?;
        let lcg = Lcg::from_json(&text)?;
        for (at, model) in [CostModel::Plain, CostModel::UnitFree]
            .into_iter()
            .enumerate()
            .filter(|(_, model)| only_model.as_ref().is_none_or(|only| only == model.name()))
        {
            let (mut costs, mut passed, mut used) = (Vec::new(), 0.0f64, 0.0f64);
            let mut line = String::new();
            for seed in 0..seeds {
                let work = times * DEFAULT_WORK;
                let (began, start) = (Instant::now(), milliseconds());
                let late = || time.is_some_and(|time| milliseconds() - start >= time);
                let outcome = search(
                    &lcg,
                    &Options {
                        model,
                        seed,
                        work,
                        timer: time.is_some().then_some(&late),
                        ..Options::default()
                    },
                );
                used = used.max(milliseconds() - start);
                passed = passed.max(began.elapsed().as_secs_f64() * 1e3);
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
                    "| {name} | {} | {} | {} | {} | {} | {} | {best} ({worst}) | {} | {} | {optimal} | {passed:.0} | {used:.0} |",
                    model.name(),
                    get("vertex-FM"),
                    get("vertex-RM"),
                    lowest.join(" / "),
                    published[at],
                    known[at],
                    costs.iter().filter(|&&cost| cost <= known[at]).count(),
                    outcome.bound,
                );
            }
            println!("{line}");
        }
    }
    Ok(())
}
