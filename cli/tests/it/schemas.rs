//! The output of commands fits the schemas of `cfgrev schema`.

use crate::run_tool::{Ran, cfgrev, cfgrev_with};
use serde_json::Value;

fn validator(of: &str) -> jsonschema::Validator {
    let ran = cfgrev(&["schema", "--of", of]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{of}");
    let schema: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("it is a schema");
    jsonschema::draft202012::new(&schema).expect("it is a schema")
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[track_caller]
fn fits(schema: &jsonschema::Validator, value: &Value) {
    let problems: Vec<String> = schema.iter_errors(value).map(|e| e.to_string()).collect();
    assert!(problems.is_empty(), "{problems:#?}\n{value}");
}

/// Every object in a value, by its JSON pointer.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(at.to_owned());
            for (name, v) in members {
                objects(v, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (i, v) in items.iter().enumerate() {
                objects(v, &format!("{at}/{i}"), found);
            }
        }
        _ => {}
    }
}

/// The schema is strict: an output without one of its members, or with a text in place of one, does not fit. Optional
/// members and names that the program chose are exempt.
fn rejects_others(schema: &jsonschema::Validator, value: &Value) {
    let mut places = Vec::new();
    objects(value, "", &mut places);
    let mut changes = 0;
    for place in places {
        let names = value.pointer(&place).and_then(Value::as_object);
        let names: Vec<String> = names.expect("an object").keys().cloned().collect();
        for name in names {
            let free = ["value", "gradient", "tangent", "jacobian"];
            let absent = [
                "trace",
                "compression",
                "not_finite",
                "tape",
                "pushes",
                "pops",
                "flags",
            ];
            let inside = place.split('/').any(|part| free.contains(&part));
            let mut other = value.clone();
            let object = other.pointer_mut(&place).and_then(Value::as_object_mut);
            let object = object.expect("as before");
            if !inside && !absent.contains(&&*name) {
                object.remove(&name);
                assert!(!schema.is_valid(&other), "{place}/{name} is not required");
                changes += 1;
            }
            let object = other.pointer_mut(&place).and_then(Value::as_object_mut);
            object
                .expect("as before")
                .insert(name.clone(), serde_json::json!({"some": ["thing", null]}));
            assert!(!schema.is_valid(&other), "{place}/{name} may be anything");
        }
    }
    assert!(changes >= 2, "{value}");
}

#[test]
fn results_fit_their_schemas() {
    let at = r#"{"x": [0.5, 2]}"#;
    let seed = r#"{"y": [0, 0, 1]}"#;
    let seeds = r#"[{"y": [0, 0, 1]}, {"y": [1, "NaN", "inf"]}]"#;
    let file = "paper_example.json";
    let direction = r#"{"x": [1, 0]}"#;
    let cases: &[(&str, &[&str])] = &[
        ("run", &["run", file, "--at", at]),
        ("run", &["run", file, "--at", at, "--trace"]),
        ("run", &["run", file, "--at", r#"{"x": ["NaN", "-inf"]}"#]),
        ("gradient", &["gradient", file, "--at", at, "--seed", seed]),
        (
            "gradient",
            &["gradient", file, "--at", at, "--seed", seed, "--trace"],
        ),
        ("gradient", &["gradient", file, "--at", at, "--seed", seeds]),
        (
            "gradient",
            &["gradient", "burgers.json", "--at", "burgers.point.json"],
        ),
        (
            "tangent",
            &["tangent", file, "--at", at, "--direction", direction],
        ),
        ("jacobian", &["jacobian", file, "--at", at]),
        ("jacobian", &["jacobian", file, "--at", at, "--compress"]),
        (
            "jacobian",
            &[
                "jacobian",
                file,
                "--at",
                at,
                "--compress",
                "--mode",
                "adjoint",
            ],
        ),
        ("check", &["check", file, "--at", at]),
        (
            "bench",
            &[
                "bench",
                file,
                "--at",
                at,
                "--samples",
                "1",
                "--sample-time",
                "1",
                "--format",
                "json",
            ],
        ),
        (
            "check",
            &[
                "check",
                file,
                "--at",
                at,
                "--tolerance",
                "0",
                "--fd-tolerance",
                "0",
            ],
        ),
        ("check", &["check", file, "--at", r#"{"x": ["inf", 1]}"#]),
        ("program", &["reverse", file]),
        ("program", &["tangent", "burgers.json"]),
    ];
    for (of, args) in cases {
        let schema = validator(of);
        let ran = cfgrev(args);
        let value = parse(&ran.out);
        fits(&schema, &value);
        if value.is_object() && *of != "program" {
            rejects_others(&schema, &value);
        }
    }
}

#[test]
fn lines_fit_their_schemas() {
    let lines = |text: &str, of: &str| {
        let schema = validator(of);
        assert!(text.lines().count() > 0, "{of}");
        for line in text.lines() {
            let value = parse(line);
            fits(&schema, &value);
            rejects_others(&schema, &value);
        }
    };
    let corpus: Ran = cfgrev(&["corpus", "xaif", "--format", "json"]);
    lines(&corpus.out, "corpus");
    let broken = br#"{"format": "cfgrev/1", "routines": [{"name": "f", "vertices": [{"id": 1, "type": "ENTRY"}], "edges": [{"from": 1, "to": 2}]}]}"#;
    let found = cfgrev_with(&["validate", "-", "--diagnostics", "json"], broken);
    lines(&found.out, "diagnostics");
    let at = r#"{"x": ["inf", 1]}"#;
    let remarks = cfgrev(&[
        "check",
        "paper_example.json",
        "--at",
        at,
        "--diagnostics",
        "json",
    ]);
    lines(&remarks.err, "diagnostics");
}

/// The schema of programs is what it was: the one without `--of`.
#[test]
fn programs_are_the_default() {
    let (plain, chosen) = (cfgrev(&["schema"]), cfgrev(&["schema", "--of", "program"]));
    assert_eq!(plain.out, chosen.out);
    assert!(parse(&plain.out)["title"].as_str() == Some("cfgrev/1 program"));
}
