//! The JSON Schema, checked by a validator that shares nothing with the reader.

use crate::{fixtures, json_files, programs};
use cfg_format::json;
use cfg_testkit::golden::golden;

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&json::schema()).unwrap()
}

#[test]
fn the_schema_is_as_blessed() {
    let schema = json::schema();
    assert_eq!(schema["$id"], json::SCHEMA_ID);
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    let mut text = serde_json::to_string_pretty(&schema).unwrap();
    text.push('\n');
    golden(fixtures().join("schema/cfgrev-1.schema.json"), &text);
}

#[test]
fn every_fixture_keeps_the_schema() {
    let validator = validator();
    for (path, text) in programs() {
        let value = serde_json::from_slice(&text).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| format!("{} at {}", e, e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{path:?}: {errors:#?}");
    }
}

#[test]
fn what_is_written_keeps_the_schema() {
    let validator = validator();
    for seed in 0..200 {
        let program = crate::round_trip::random_program(seed);
        let mut text = Vec::new();
        json::write(&program, &mut text).unwrap();
        let value = serde_json::from_slice(&text).unwrap();
        if let Some(e) = validator.iter_errors(&value).next() {
            panic!("seed {seed}: {e} at {}", e.instance_path());
        }
    }
}

/// Files whose defect is a matter of meaning, not of shape.
const MEANING: [&str; 13] = [
    "deep_expression",
    "dangling_edge",
    "duplicate_ids",
    "duplicate_member",
    "duplicate_names",
    "many",
    "reserved_annotation",
    "unknown_routine",
    "unknown_variable",
    "wide_integers",
    "missing_edges",
    "globals",
    "tape",
];

#[test]
fn the_schema_refuses_what_has_the_wrong_shape() {
    let validator = validator();
    let mut refused = 0;
    for path in json_files(&fixtures().join("invalid/json")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Ok(value) = serde_json::from_slice(&std::fs::read(&path).unwrap()) else {
            continue; // not JSON
        };
        if !MEANING.contains(&name.as_str()) {
            assert!(!validator.is_valid(&value), "{name} keeps the schema");
            refused += 1;
        }
    }
    assert!(refused > 12);
}
