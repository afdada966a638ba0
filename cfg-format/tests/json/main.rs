//! The JSON format: bad input, round trips, the schema.

mod bad_input;
mod beginnings;
mod documentation;
mod limits;
mod mutations;
mod newcomer;
mod pointers;
mod round_trip;
mod schema;

use std::path::{Path, PathBuf};

/// The folder with the fixtures.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// All JSON files below a folder, sorted.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}"));
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The fixtures that are valid programs.
fn programs() -> Vec<(PathBuf, Vec<u8>)> {
    let files = json_files(&fixtures()).into_iter();
    let programs: Vec<_> = files
        .filter(|path| !path.components().any(|c| c.as_os_str() == "invalid"))
        .map(|path| (path.clone(), std::fs::read(&path).unwrap()))
        .filter(|(_, text)| {
            serde_json::from_slice::<serde_json::Value>(text)
                .is_ok_and(|value| value.get("format").is_some())
        })
        .collect();
    assert!(!programs.is_empty());
    programs
}
