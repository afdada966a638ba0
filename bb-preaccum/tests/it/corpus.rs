//! Published counts, on the graphs of the corpus folder.

use std::path::PathBuf;

use bb_preaccum::cost::CostModel;
use bb_preaccum::heuristic::{Ended, Heuristic, Limits};
use bb_preaccum::lcg::Lcg;

/// The folder with the graphs, if it is there.
pub(crate) fn folder() -> Option<PathBuf> {
    let root = std::env::var_os("CFGREV_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"),
        PathBuf::from,
    );
    let folder = root.join("lcg");
    if folder.is_dir() {
        return Some(folder);
    }
    #[allow(clippy::print_stderr, reason = "a skipped test must say so")]
    {
        eprintln!(
            "SKIPPED: no corpus at {} (set CFGREV_CORPUS)",
            folder.display()
        );
    }
    None
}

pub(crate) fn graph(name: &str) -> Option<Lcg> {
    let file = folder()?.join(format!("{name}.json"));
    let text = std::fs::read(&file).expect("corpus graph");
    Some(Lcg::from_json(&text).expect("valid graph"))
}

pub(crate) fn count(lcg: &Lcg, key: &str, model: CostModel) -> u64 {
    let run = Heuristic::from_key(key)
        .expect("key")
        .run(lcg, &Limits::default());
    assert_eq!(run.ended, Ended::Complete, "{key}");
    run.counts.multiplications(model)
}

/// `V_LM_RM` of the table as our key, `None` for columns that are no heuristic of ours.
fn key_of_column(column: &str) -> Option<String> {
    if column.contains("OPT") || column.contains("MOPLR") {
        return None;
    }
    let (technique, rules) = column.split_once('_')?;
    let technique = match technique {
        "V" => "vertex",
        "E" => "edge",
        "F" => "face",
        _ => return None,
    };
    Some(format!("{technique}-{}", rules.replace('_', "-")))
}

#[test]
fn every_count_of_the_openad_table() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("openad_costs.tsv")).expect("table");
    let mut lines = table.lines();
    let columns: Vec<&str> = lines.next().expect("head").split('\t').collect();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let lcg = graph(cells[0]).expect("graph");
        for (column, cell) in columns.iter().zip(&cells) {
            let (Some(key), Ok(expected)) = (key_of_column(column), cell.parse::<u64>()) else {
                continue;
            };
            let ours = count(&lcg, &key, CostModel::Plain);
            checked += 1;
            if ours != expected {
                wrong.push(format!("{} {key}: {ours} instead of {expected}", cells[0]));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {checked} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(checked > 800, "only {checked} counts found");
}
