//! The inputs that fuzzing found to reach something new, run again (see `fuzz/README.md`).

#[path = "../../../fuzz/bodies/check.rs"]
mod check;
#[path = "../../../fuzz/bodies/document_changes.rs"]
mod document_changes;
#[path = "../../../fuzz/bodies/flattened.rs"]
mod flattened;
#[path = "../../../fuzz/bodies/json.rs"]
mod json;
#[path = "../../../fuzz/bodies/lcg.rs"]
mod lcg;
#[path = "../../../fuzz/bodies/limits.rs"]
mod limits;
#[path = "../../../fuzz/bodies/program.rs"]
mod program;
#[path = "../../../fuzz/bodies/program_changes.rs"]
mod program_changes;
#[path = "../../../fuzz/bodies/refused.rs"]
mod refused;
#[path = "../../../fuzz/bodies/reverse_run.rs"]
mod reverse_run;
#[path = "../../../fuzz/bodies/xaif.rs"]
mod xaif;
#[path = "../../../fuzz/bodies/xaif_changes.rs"]
mod xaif_changes;

use cfg_testkit::{rng::Rng, seeds::each_seed};
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

/// The files of a folder, named from the root of the repository, in order.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(folder);
    let list = std::fs::read_dir(&folder).expect("the folder is committed");
    let mut files: Vec<PathBuf> = list.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    files
}

/// Every file of a folder, on all cores; the names of those that panic.
fn replay(folder: &str, run: fn(&[u8])) {
    let files = files(folder);
    assert!(files.len() >= 20, "{} files in {folder}", files.len());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let data = std::fs::read(file).expect("readable");
                    let result = std::panic::catch_unwind(|| run(&data));
                    assert!(result.is_ok(), "{} panics", file.display());
                }
            });
        }
    });
    println!("{folder}: {} inputs", files.len());
}

#[test]
fn json_inputs() {
    replay("fuzz/corpus/json", json::run);
}

#[test]
fn lcg_inputs() {
    replay("fuzz/corpus/lcg", lcg::run);
}

#[test]
fn reverse_run_inputs() {
    replay("fuzz/corpus/reverse_run", reverse_run::run);
}

/// The documents that the target starts from.
#[test]
fn xaif_inputs() {
    replay("fixtures/xaif", |data| {
        if data.starts_with(b"<?xml") {
            xaif::run(data);
        }
    });
}

/// The documents, changed as the fuzz target changes them, `CFGREV_MUTATIONS` times.
#[test]
fn changed_xaif_documents() {
    let documents: Vec<String> = files("fixtures/xaif")
        .into_iter()
        .filter(|f| f.extension().is_some_and(|e| e == "xaif"))
        .map(|f| std::fs::read_to_string(f).expect("readable"))
        .collect();
    let rounds = std::env::var("CFGREV_MUTATIONS").ok();
    let rounds = rounds.and_then(|n| n.parse().ok()).unwrap_or(400);
    for seed in 0..rounds {
        let mut rng = Rng::new(seed);
        let mut text = documents[rng.below(documents.len())].clone();
        for _ in 0..=rng.below(3) {
            text = xaif_changes::change(&text, &mut rng);
        }
        let result = std::panic::catch_unwind(|| xaif::run(text.as_bytes()));
        assert!(result.is_ok(), "seed {seed} panics");
    }
}

/// Inputs from seeds, on all cores: a change for each byte of the format that a program has, `CFGREV_MUTATIONS` of them.
fn seeded(rounds: u64, run: fn(&[u8])) {
    let wanted = std::env::var("CFGREV_MUTATIONS").ok();
    let rounds = wanted.and_then(|n| n.parse().ok()).unwrap_or(rounds);
    each_seed(0..rounds, |seed| {
        let mut rng = Rng::new(seed);
        let length = 4 + 4 * rng.below(4);
        let data: Vec<u8> = (0..length).map(|_| rng.below(256) as u8).collect();
        let result = std::panic::catch_unwind(|| run(&data));
        assert!(result.is_ok(), "seed {seed} panics: {data:?}");
    });
}

#[test]
fn changed_programs() {
    seeded(1200, program::run);
}

#[test]
fn checks_of_changed_programs() {
    seeded(400, check::run);
}

#[test]
fn limits_of_everything() {
    seeded(400, limits::run);
}
