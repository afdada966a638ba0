//! Problems of random documents with random changes.

#[path = "../../../fuzz/bodies/document_changes.rs"]
mod changes;

use cfg_core::{random::SplitMix64, validate::find_problems};
use cfg_format::json;
use cfg_testkit::{
    case::Case,
    general,
    generate::{Options, dressed, generate},
    golden::{golden, pattern},
    pointers,
};
use std::collections::BTreeMap;

fn case(seed: u64) -> Option<Case> {
    Some(match seed % 5 {
        0 => generate(&Options::EXACT, seed).ok()?,
        1 => generate(&Options::WIDE, seed).ok()?,
        2 => general::generate(seed),
        3 => dressed(&general::generate(seed), seed),
        _ => pointers::case(seed),
    })
}

/// A rule that reaches further or less far than before, or that is told in other words, is seen in the counts.
#[test]
fn problems_of_changed_documents() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..2500 {
        let Some(case) = case(seed) else { continue };
        let mut random = SplitMix64::new(seed);
        let bytes: Vec<u8> = (0..4 + 4 * (random.bits() % 2))
            .map(|_| random.bits() as u8)
            .collect();
        let document = changes::changed(&case, &bytes);
        let found = match json::read(document.as_bytes()) {
            Ok(program) => find_problems(&program).1,
            Err(found) => found,
        };
        // Many problems of one kind in a program are one.
        let mut patterns: Vec<String> = found
            .iter()
            .map(|p| pattern(p.code, &p.message, &p.help))
            .collect();
        patterns.sort_unstable();
        patterns.dedup();
        if !found.has_errors() {
            patterns.push("right".to_owned());
        }
        for pattern in patterns {
            *counts.entry(pattern).or_default() += 1;
        }
    }
    let lines: String = counts
        .iter()
        .map(|(what, n)| format!("{n:6} {what}\n"))
        .collect();
    golden(
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/golden/changed_documents.txt"
        ),
        &lines,
    );
}
