//! The inputs that fuzzing found to reach something new, run again (see `fuzz/README.md`).

#[path = "../../../fuzz/bodies/json.rs"]
mod json;
#[path = "../../../fuzz/bodies/reverse_run.rs"]
mod reverse_run;

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Every file of the target's corpus, on all cores; the names of those that panic.
fn replay(target: &str, run: fn(&[u8])) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus")).join(target);
    let list = std::fs::read_dir(&folder).expect("the corpus is committed");
    let mut files: Vec<PathBuf> = list.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(
        files.len() >= 20,
        "{} files in {}",
        files.len(),
        folder.display()
    );
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
    println!("{target}: {} inputs", files.len());
}

#[test]
fn json_inputs() {
    replay("json", json::run);
}

#[test]
fn reverse_run_inputs() {
    replay("reverse_run", reverse_run::run);
}
