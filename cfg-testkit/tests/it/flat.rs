//! Sources behind `flatten` name nothing that no flat program has, so that a new statement of the heap touches none.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The enums of which flat programs have some variants only.
const ENUMS: [&str; 5] = ["StmtKind", "Expr", "Subscript", "ScalarType", "OpClass"];

/// Folders of sources that take flat programs only.
const BEHIND: [&str; 5] = [
    "cfg-back/src/c",
    "cfg-exec/src",
    "cfg-reverse/src",
    "cfg-transform/src/scalarize",
    "tape-check/src",
];

/// Sources in these folders that take the program with its records too, or the types of its fields.
const WITH_RECORDS: [&str; 5] = [
    "cfg-back/src/c/operators/c_type.rs",
    "cfg-back/src/c/original.rs",
    "cfg-back/src/c/parameters.rs",
    "cfg-back/src/c/structs.rs",
    "cfg-back/src/c/structures.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The variants of these enums that a text names, such as `Expr::Null`.
fn variants(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
        let names: Vec<&str> = path.split("::").collect();
        for pair in names.windows(2) {
            if ENUMS.contains(&pair[0]) {
                found.insert(pair.join("::"));
            }
        }
    }
    found
}

/// The variants at which a view of a flat program ends.
fn not_flat() -> BTreeSet<String> {
    let views = root().join("cfg-core/src/flat/view.rs");
    let text = fs::read_to_string(views).expect("the views");
    // From one arrow to the next are the body of an arm and the pattern of the arm behind it.
    let parts: Vec<&str> = text.split("=>").collect();
    let ends = |body: &str| {
        body.trim_start_matches([' ', '\n', '{'])
            .starts_with("not_flat(")
    };
    let pairs = parts.windows(2).filter(|pair| ends(pair[1]));
    pairs.flat_map(|pair| variants(pair[0])).collect()
}

/// The sources below a folder, in order.
fn sources(folder: PathBuf) -> Vec<PathBuf> {
    let (mut open, mut found) = (vec![folder], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                None if path.is_dir() => open.push(path),
                Some(e) if e == "rs" && !path.ends_with("tests.rs") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn sources_behind_the_border_name_what_flat_programs_have() {
    let not_flat = not_flat();
    for name in ENUMS {
        let has = not_flat.iter().any(|v| v.split("::").next() == Some(name));
        assert!(has, "no view ends at a variant of {name}: {not_flat:?}");
    }
    let mut problems = Vec::new();
    let mut with_records = BTreeSet::from(WITH_RECORDS.map(|path| root().join(path)));
    for folder in BEHIND {
        let sources = sources(root().join(folder));
        assert!(!sources.is_empty(), "{folder} has no sources");
        for path in sources {
            let text = fs::read_to_string(&path).expect("a source");
            let product = text.split("#[cfg(test)]\nmod tests {").next();
            let named = variants(product.unwrap_or_default());
            let mut named = named.intersection(&not_flat).peekable();
            if named.peek().is_some() && with_records.remove(&path) {
                continue;
            }
            for variant in named {
                problems.push(format!("{} names {variant}", path.display()));
            }
        }
    }
    assert!(
        with_records.is_empty(),
        "no exceptions are needed: {with_records:?}"
    );
    let problems = problems.join("\n");
    assert!(
        problems.is_empty(),
        "use the views of `cfg_core::flat`:\n{problems}"
    );
}
