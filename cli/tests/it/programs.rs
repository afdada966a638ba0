//! Every fixture through the commands, and folders of programs.

use crate::run_tool::{cfgrev, fixtures};
use serde_json::Value;

/// The names of the fixtures that have a point and an expected gradient.
fn names() -> Vec<String> {
    let entries = fixtures().read_dir().expect("the folder of fixtures");
    let mut names: Vec<String> = entries
        .filter_map(|e| e.expect("it can be listed").file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".expected.json")?.to_owned()))
        .collect();
    names.sort();
    names
}

fn read(file: &str) -> Value {
    let text =
        std::fs::read_to_string(fixtures().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// All numbers of a value, in order.
fn numbers(value: &Value, into: &mut Vec<f64>) {
    match value {
        Value::Number(n) => into.extend(n.as_f64()),
        Value::Array(items) => items.iter().for_each(|v| numbers(v, into)),
        Value::Object(members) => members.values().for_each(|v| numbers(v, into)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[test]
fn gradients_of_all_fixtures_are_as_expected() {
    let names = names();
    assert!(names.len() >= 20, "{names:?}");
    for name in names {
        let expected = read(&format!("{name}.expected.json"));
        let (file, point) = (format!("{name}.json"), format!("{name}.point.json"));
        let mut args = vec!["gradient", &file, "--at", &point];
        let seed = expected.get("seed").map(Value::to_string);
        if let Some(seed) = &seed {
            args.extend(["--seed", seed]);
        }
        let ran = cfgrev(&args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
        let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        for part in ["value", "gradient"] {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            let wanted = expected[part].as_object().expect("an object");
            for (key, value) in wanted {
                numbers(value, &mut a);
                numbers(&found[part][key], &mut b);
            }
            assert_eq!(a.len(), b.len(), "{name} {part}");
            let scale = a.iter().fold(1e-300, |s: f64, x| s.max(x.abs()));
            for (x, y) in a.iter().zip(&b) {
                assert!((x - y).abs() <= 1e-10 * scale, "{name} {part}: {x} {y}");
            }
        }
    }
}

#[test]
fn checks_of_all_fixtures_agree() {
    for name in names() {
        let (file, point) = (format!("{name}.json"), format!("{name}.point.json"));
        let ran = cfgrev(&["check", &file, "--at", &point]);
        assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn a_folder_of_programs_without_references() {
    let path = fixtures().join("xaif");
    let path = path.to_str().expect("a plain name");
    let ran = cfgrev(&["corpus", path, "--format", "json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    assert!(ran.out.lines().count() > 3);
    for line in ran.out.lines() {
        let line: Value = serde_json::from_str(line).expect("one object per line");
        for member in ["name", "status", "error", "why"] {
            assert!(line.get(member).is_some(), "{line}");
        }
        assert_ne!(line["status"], "differs", "{line}");
    }
}

#[test]
fn references_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::fs::read(fixtures().join("paper_example.json")).expect("the fixture");
    std::fs::write(folder.path().join("f.json"), program).expect("it can be written");
    // x = (1/2, 1): y = (cos 1, sin 1/2, cos 1 sin 1/2).
    let (s, c) = (0.5f64.sin(), 1f64.cos());
    let row = format!("[{}, {}]", c * 0.5f64.cos(), -1f64.sin() * s);
    for (last, status, code) in [(&*row, "1 agree", 0), ("[0.0, null]", "1 differ", 1)] {
        let reference = format!(
            "{{\"name\": \"f\", \"n\": 2, \"m\": 3, \"jacobian\": [[0.0, {}], [{}, 0.0], {last}]}}\n",
            -1f64.sin(),
            0.5f64.cos()
        );
        std::fs::write(folder.path().join("expected.jsonl"), reference).expect("it can be written");
        let path = folder.path().to_str().expect("a plain name");
        let ran = cfgrev(&["corpus", path]);
        assert_eq!(ran.code, Some(code), "{}", ran.out);
        assert!(ran.out.contains(status), "{}", ran.out);
    }
}

#[test]
fn openads_programs_give_their_references() {
    let Some(folder) = cfg_testkit::needs::corpus("openad") else {
        return;
    };
    let path = folder.to_str().expect("a plain name");
    let ran = cfgrev(&["corpus", path, "--format", "json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let with = |status: &str| -> Vec<String> {
        let lines = ran
            .out
            .lines()
            .map(|l| -> Value { serde_json::from_str(l).expect("JSON") });
        let found = lines.filter(|l| l["status"] == status);
        found.map(|l| l["name"].to_string()).collect()
    };
    assert_eq!(with("differs"), [""; 0]);
    assert!(with("agrees").len() >= 98, "{:?}", with("agrees"));
    assert!(with("unsupported").len() <= 6, "{:?}", with("unsupported"));
    // Every command takes XAIF directly.
    let file = folder.join("If_Loop_5.xaif");
    let file = file.to_str().expect("a plain name");
    let ran = cfgrev(&["jacobian", file, "--at", r#"{"x": [0.5, 1]}"#]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let mut entries = Vec::new();
    numbers(&found["jacobian"], &mut entries);
    let reference = [
        0.0,
        -0.8414709848078965,
        0.4741598817790379,
        -0.4034226801113349,
    ];
    for (a, b) in entries.iter().zip(reference) {
        assert!((a - b).abs() < 1e-15, "{entries:?}");
    }
    assert_eq!(entries.len(), 4);
    for args in [
        &["validate", file][..],
        &["reverse", file],
        &["tangent", file],
        &["dot", file, "--routine", "head"],
        &["convert", file, "--to", "json"],
    ] {
        assert_eq!(cfgrev(args).code, Some(0), "{args:?}");
    }
}

#[test]
fn a_folder_that_is_not_there() {
    let ran = cfgrev(&["corpus", "nowhere"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("nowhere"), "{}", ran.err);
}
