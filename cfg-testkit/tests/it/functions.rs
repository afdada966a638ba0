//! A function is added in few files: none but those listed here names one of them.

use std::{fs, path::Path};

/// Functions like any other: variants of `Op`, and names in files.
const ORDINARY: [&str; 8] = [
    "Cbrt", "Expm1", "Log1p", "Acosh", "cbrt", "expm1", "log1p", "acosh",
];

/// Files that name functions: those in which one is added, and programs and texts that call a few.
const NAMING: [&str; 8] = [
    "cfg-core/src/ir/op/table.rs",
    "cfg-core/src/ir/op/functions.rs",
    "cfg-core/src/elemental/derivative.rs",
    "cfg-testkit/src/interpret/rules.rs",
    "cfg-math/src/lib.rs",
    "cfg-c/src/library/complex.c",
    "cfg-cc/src/original/support.c",
    "cfg-testkit/src/kernels/language.rs",
];

#[test]
fn ordinary_functions_are_named_in_few_files() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut folders: Vec<_> = (fs::read_dir(root).expect("the workspace"))
        .map(|entry| entry.expect("a folder").path().join("src"))
        .filter(|path| path.is_dir())
        .collect();
    let (mut seen, mut naming) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if !path
                .extension()
                .is_some_and(|e| e == "rs" || e == "c" || e == "h")
            {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a text");
            seen += 1;
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let mut words = text.split(|c| !is_part(c));
            if words.any(|word| ORDINARY.contains(&word)) {
                let path = path.strip_prefix(root).expect("a file of the workspace");
                naming.push(path.to_str().expect("a name").replace('\\', "/"));
            }
        }
    }
    assert!(seen > 500, "{seen}");
    naming.retain(|path| !NAMING.contains(&path.as_str()));
    assert!(naming.is_empty(), "{naming:?} name elementary functions");
}
