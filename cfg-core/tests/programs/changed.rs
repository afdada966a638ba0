//! Documents of random programs in which anything was changed: what is said of them.

#[path = "../../../fuzz/bodies/document_changes.rs"]
mod changes;

use cfg_core::{diagnostic::Diagnostic, json, random::SplitMix64, validate::problems};
use cfg_testkit::{
    case::Case,
    general,
    generate::{Options, dressed, generate},
    golden::golden,
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

/// A problem without the names and numbers of the program.
fn pattern(p: &Diagnostic) -> String {
    let is_text = |word: &str| {
        let letters = word.trim_matches([',', ';', '.', ':']);
        letters.len() > 3
            && letters
                .chars()
                .all(|c| c.is_ascii_lowercase() || "`'-".contains(c))
    };
    let words = p.message.split(' ');
    let mut words: Vec<&str> = words
        .map(|word| if is_text(word) { word } else { "_" })
        .collect();
    words.dedup();
    format!("{} {}", p.code, words.join(" "))
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
            Ok(program) => problems(&program).1,
            Err(found) => found,
        };
        // Many problems of one kind in a program are one.
        let mut patterns: Vec<String> = found.iter().map(pattern).collect();
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
