//! Dependencies between crates: the crates that compute derivatives are built without the readers of files.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The crates of the workspace, each with those that it depends on (not for its tests alone).
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let packages = list(&metadata["packages"]).into_iter().map(|package| {
        let all = list(&package["dependencies"]).into_iter();
        let built = all.filter(|d| d["kind"] != "dev");
        let names = built.map(|d| text(&d["name"])).collect();
        (text(&package["name"]), names)
    });
    packages.collect()
}

/// The crates that one is built from.
fn reached<'a>(all: &'a BTreeMap<String, BTreeSet<String>>, name: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        for next in all.get(name).into_iter().flatten() {
            if found.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    found
}

#[test]
fn derivatives_are_built_without_readers_of_files() {
    let all = dependencies();
    let readers = ["cfg-c", "cfg-format", "cfg-front"];
    let of_crate = |name: &'static str| {
        assert!(all.contains_key(name), "{name} is no crate");
        let mut found = reached(&all, name);
        found.retain(|name| readers.contains(name));
        found.into_iter().collect::<Vec<_>>()
    };
    for name in [
        "bb-preaccum",
        "cfg-analysis",
        "cfg-core",
        "cfg-exec",
        "cfg-reverse",
        "cfg-transform",
        "tape-check",
    ] {
        assert_eq!(of_crate(name), [""; 0], "{name}");
    }
    // The command depends on all crates, but knows languages only by their registry.
    assert_eq!(of_crate("cfg-languages"), readers);
    assert_eq!(of_crate("cfgrev"), readers);
}
