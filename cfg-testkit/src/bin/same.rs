//! `cargo run -p cfg-testkit --bin same -- A B`: whether two programs, as JSON, are the same up to the order of
//! declarations and generated names and ids; if A and B are folders, whether the files of the same names are.
//! Prints the first difference of each pair. Exit code 0: the same; 1: not; 2: not to be read.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command prints"
)]

use cfg_format::json;
use cfg_testkit::same::same;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [a, b] = &arguments[..] else {
        eprintln!("usage: same A B, two programs or two folders of programs");
        return ExitCode::from(2);
    };
    match pairs(a, b) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// The number of pairs that differ.
fn pairs(a: &Path, b: &Path) -> Result<usize, String> {
    if !a.is_dir() {
        return compare(a, b).map(usize::from);
    }
    let names = |folder: &Path| -> Result<BTreeSet<PathBuf>, String> {
        let said = |e: std::io::Error| format!("{}: {e}", folder.display());
        let mut found = BTreeSet::new();
        for entry in std::fs::read_dir(folder).map_err(said)? {
            found.insert(PathBuf::from(entry.map_err(said)?.file_name()));
        }
        Ok(found)
    };
    let (ours, theirs) = (names(a)?, names(b)?);
    let mut differ = 0;
    for name in ours.symmetric_difference(&theirs) {
        println!("{}: in one folder only", name.display());
        differ += 1;
    }
    for name in ours.intersection(&theirs) {
        differ += usize::from(compare(&a.join(name), &b.join(name))?);
    }
    println!("{} programs, {differ} differ", ours.union(&theirs).count());
    Ok(differ)
}

/// True if two files differ.
fn compare(a: &Path, b: &Path) -> Result<bool, String> {
    let read = |path: &Path| {
        let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        json::read(&bytes).map_err(|e| format!("{}: {e}", path.display()))
    };
    match same(&read(a)?, &read(b)?) {
        Ok(()) => Ok(false),
        Err(difference) => {
            println!("{}: {difference}", a.display());
            Ok(true)
        }
    }
}
