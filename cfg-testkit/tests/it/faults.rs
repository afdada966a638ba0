//! The table of deliberate faults (`tests/faults`) fits the sources as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// One entry of the table: the texts of its keys, lines joined.
type Fault = BTreeMap<String, String>;

/// The entries, read as `tests/faults/run` reads them.
fn table(text: &str) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{line}"));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if key == "fault" {
            faults.push(Fault::new());
        }
        let fault = faults.last_mut().expect("a fault before the first key");
        (fault.entry(key.to_owned()))
            .and_modify(|t| *t += &format!("\n{value}"))
            .or_insert_with(|| value.to_owned());
    }
    faults
}

/// Writes a fault into the text of its file; an error if there is not one place for it.
fn plant(fault: &Fault, text: &str) -> Result<String, String> {
    let get = |key| fault.get(key).ok_or(format!("no '{key}'"));
    let old = get("old")?;
    let context = fault.get("in").unwrap_or(old);
    match text.matches(context.as_str()).count() {
        1 => {}
        n => return Err(format!("{n} times in {}: {context}", get("file")?)),
    }
    if !context.contains(old.as_str()) {
        return Err(format!("'in' does not contain: {old}"));
    }
    // A method or a field is only a part of an expression.
    let is_part = |text: &str, part: &str| {
        let before = text.split_once(part).map_or("", |(before, _)| before);
        let line = before.trim_end().lines().last().unwrap_or_default();
        line.ends_with('.') && !line.ends_with("..") && !line.trim_start().starts_with("//")
    };
    if is_part(context, old) || context.starts_with(old.as_str()) && is_part(text, context) {
        return Err(format!("only a part of an expression: {old}"));
    }
    let planted = format!("if planted {{ {} }} else {{ {old} }}", get("new")?);
    Ok(text.replacen(context, &context.replacen(old, &planted, 1), 1))
}

/// True if a file below the folder has a function of this name.
fn has_function(folder: &Path, name: &str) -> bool {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs")
                && std::fs::read_to_string(&path)
                    .expect("a source file")
                    .contains(&format!("fn {name}("))
            {
                return true;
            }
        }
    }
    false
}

#[test]
fn every_deliberate_fault_has_one_place_and_a_test() {
    let root = root();
    let text = std::fs::read_to_string(root.join("tests/faults/table.txt")).expect("the table");
    let faults = table(&text);
    assert!(faults.len() >= 55, "{} faults", faults.len());
    // All faults are planted into one copy, one after the other.
    let mut sources: BTreeMap<&str, String> = BTreeMap::new();
    let mut problems = Vec::new();
    for fault in &faults {
        let name = &fault["fault"];
        let (file, tests) = match (fault.get("file"), fault.get("test")) {
            (Some(file), Some(tests)) => (file, tests),
            _ => {
                problems.push(format!("{name}: no file, or no test"));
                continue;
            }
        };
        // Arms, fields and beginnings of blocks cannot stand beside what replaces them.
        let old = fault.get("old").map_or("", |old| old.trim_end());
        if old.ends_with([',', '{']) || old.contains(" => ") && !old.contains("match ") {
            problems.push(format!("{name}: neither an expression nor a statement"));
        }
        let source = sources
            .entry(file)
            .or_insert_with(|| std::fs::read_to_string(root.join(file)).unwrap_or_default());
        match plant(fault, source) {
            Ok(planted) => *source = planted,
            Err(problem) => problems.push(format!("{name}: {problem}")),
        }
        let (binary, tests) = tests.split_once(' ').unwrap_or((tests, ""));
        let package = match binary.split(':').next().unwrap_or_default() {
            "cfgrev" => root.join("cli"),
            package => root.join(package),
        };
        if tests.is_empty() {
            problems.push(format!("{name}: no name of a test"));
        }
        for test in tests.split(' ') {
            let function = test.rsplit("::").next().unwrap_or(test);
            if !["src", "tests"]
                .map(|folder| package.join(folder))
                .iter()
                .any(|folder| folder.is_dir() && has_function(folder, function))
            {
                problems.push(format!("{name}: {binary} has no test {test}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn faults_without_one_place_are_noticed() {
    let fault = |lines: &str| table(&format!("fault: f\nfile: a.rs\n{lines}")).remove(0);
    let planted = plant(&fault("in: b(c)\nold: c\nnew: d"), "a(c); b(c);");
    assert_eq!(
        planted.as_deref(),
        Ok("a(c); b(if planted { d } else { c });")
    );
    assert!(plant(&fault("old: c\nnew: d"), "a(c); b(c);").is_err());
    assert!(plant(&fault("old: e\nnew: d"), "a(c); b(c);").is_err());
    assert!(plant(&fault("in: a(c)\nold: b\nnew: d"), "a(c); b(c);").is_err());
    assert!(plant(&fault("old: c()\nnew: d()"), "a.c();").is_err());
    assert!(plant(&fault("in: a.c()\nold: c()\nnew: d()"), "a.c();").is_err());
    assert!(plant(&fault("old: c\nnew: d"), "a..c").is_ok());
}
