//! Every program of the corpus is read, or refused for the reason on record.

use crate::{fixtures::documents_in, oracle};
use cfg_front::xaif::{Options, read_xaif};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The corpus folder, if there is one.
pub(crate) fn folder() -> Option<PathBuf> {
    cfg_testkit::needs::corpus("openad")
}

/// The documents of the corpus in order of their names.
pub(crate) fn documents() -> Option<Vec<(String, Vec<u8>)>> {
    Some(documents_in(&folder()?))
}

/// Programs that are refused, and what the diagnostic must name.
const REFUSED: [(&str, &str, &str); 6] = [
    (
        "Loop_simple_12",
        "F616",
        "J_4 is read, but only the opaque statement {WHIRL_Id#38} [passive: OPR_STID]",
    ),
    (
        "Loop_simple_3",
        "F616",
        "ASTRING_3 is read, but only the opaque statement {WHIRL_Id#23} [cassignstmt]",
    ),
    (
        "argArrayIndexOverwrite7",
        "F616",
        "A_3 is read, but only the opaque statement {WHIRL_Id#12} [passive: OPR_ISTORE]",
    ),
    (
        "argumentConversion_indexOverwrite",
        "F616",
        "I_22 is read, but only the opaque statement {WHIRL_Id#13} [passive: OPR_STID]",
    ),
    (
        "intMaxVal",
        "F616",
        "I_3 is read, but only the opaque statement {WHIRL_Id#13} [passive: OPR_ISTORE]",
    ),
    ("transfer", "F613", "there is no intrinsic transfer"),
];

#[test]
fn all_programs() {
    let Some(documents) = documents() else {
        return;
    };
    let show = std::env::var_os("CFGREV_SHOW").is_some();
    for (name, bytes) in documents {
        let (program, problems) = read_xaif(&bytes, &Options::default());
        if show {
            println!("===== {name}\n{problems}");
            if let Some(program) = &program {
                println!("{program}");
            }
        }
        match REFUSED.iter().find(|r| r.0 == name) {
            Some((_, code, message)) => {
                assert!(program.is_none(), "{name} must be refused");
                let first = problems.iter().next().unwrap();
                assert_eq!(first.code, *code, "{name}: {first}");
                assert!(first.message.contains(message), "{name}: {first}");
                assert!(first.at.line.is_some() && first.at.element.is_some());
            }
            None => {
                assert!(!problems.has_errors(), "{name}: {problems}");
                let program = program.unwrap();
                assert!(program.main.is_some(), "{name}: {problems}");
            }
        }
    }
}

/// The reference Jacobians, by program; programs with a driver of their own or without reference are
/// left out.
fn references() -> BTreeMap<String, Vec<Vec<f64>>> {
    let text = std::fs::read_to_string(folder().unwrap().join("expected.jsonl")).unwrap();
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        if entry["own_driver"] == true || entry["jacobian"].is_null() {
            continue;
        }
        let rows = entry["jacobian"].as_array().unwrap().iter().map(|row| {
            let row = row.as_array().unwrap().iter();
            row.map(|e| e.as_f64().unwrap()).collect()
        });
        found.insert(entry["name"].as_str().unwrap().to_owned(), rows.collect());
    }
    found
}

#[test]
fn reference_jacobians() {
    let Some(documents) = documents() else {
        return;
    };
    let references = references();
    let mut wrong = Vec::new();
    let mut agree = 0;
    for (name, bytes) in documents {
        let Some(reference) = references.get(&name) else {
            continue;
        };
        if REFUSED.iter().any(|r| r.0 == name) {
            continue;
        }
        let (program, problems) = read_xaif(&bytes, &Options::default());
        let program = program.unwrap_or_else(|| panic!("{name}: {problems}"));
        match oracle::jacobian(&program, "x", "y") {
            Ok((_, rows)) if rows.len() == reference.len() => {
                let scale = |m: &[Vec<f64>]| m.iter().flatten().fold(0.0f64, |a, b| a.max(b.abs()));
                let size = Some(scale(reference)).filter(|&s| s > 0.0);
                let size = size.unwrap_or_else(|| scale(&rows).max(1.0));
                let error = rows
                    .iter()
                    .flatten()
                    .zip(reference.iter().flatten())
                    .fold(0.0f64, |a, (x, y)| a.max((x - y).abs()));
                if error / size <= 1e-10 {
                    agree += 1;
                } else {
                    wrong.push(format!("{name}: {rows:?} instead of {reference:?}"));
                }
            }
            Ok((_, rows)) => wrong.push(format!("{name}: {} rows", rows.len())),
            Err(fault) => wrong.push(format!("{name}: {fault}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agree >= 98, "only {agree} programs have been compared");
}
