//! Random damage to fixtures: the reader reports, and never panics.

use crate::{fixtures, json_files, programs};
use cfg_format::json;
use cfg_testkit::rng::Rng;

/// Pieces that often mean something.
const PIECES: [&str; 32] = [
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "\\",
    "null",
    "true",
    "1",
    "-0",
    "1e999",
    "NaN",
    "0.5",
    "9223372036854775808",
    "\"x\"",
    "\"=\"",
    "[\"[]\", \"x\", 1]",
    "[\":\"]",
    "[\"call\", \"f\", []]",
    "[\"push\", \"real\", 1.0]",
    "{\"cfgrev\": 1}",
    "\"global\": \"g\"",
    "[\"real32\", 1e300]",
    "[\"-inf\"]",
    "\"type\": \"LOOP\"",
    "\"\\ud800\"",
    "[[[[[[[[",
    "[\"-\", ",
    "{\"lower\": 1, \"extent\": null}",
    "\u{e9}",
];

fn damage(text: &mut Vec<u8>, rng: &mut Rng) {
    let n = text.len();
    if n == 0 {
        return;
    }
    let at = rng.below(n);
    match rng.below(6) {
        0 => text[at] = rng.below(256) as u8,
        1 => {
            text.remove(at);
        }
        2 => text.truncate(at),
        3 => {
            let piece = PIECES[rng.below(PIECES.len())].bytes();
            text.splice(at..at, piece);
        }
        4 => {
            let end = (at + rng.below(40)).min(n);
            let copy = text[at..end].to_vec();
            let to = rng.below(n);
            text.splice(to..to, copy);
        }
        _ => {
            // A whole token for another.
            let start = text[..at]
                .iter()
                .rposition(|b| b"[,:{ ".contains(b))
                .map_or(0, |i| i + 1);
            let end = text[at..]
                .iter()
                .position(|b| b"],:} ".contains(b))
                .map_or(n, |i| at + i);
            let piece = PIECES[rng.below(PIECES.len())].bytes();
            text.splice(start.min(end)..end, piece);
        }
    }
}

#[test]
fn damaged_files_never_panic() {
    let mut files: Vec<Vec<u8>> = programs().into_iter().map(|(_, text)| text).collect();
    let invalid = json_files(&fixtures().join("invalid/json"));
    let mut invalid: Vec<Vec<u8>> = invalid
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    files.retain(|text| text.len() < 10_000);
    invalid.retain(|text| text.len() < 10_000);
    for seed in 0..10 {
        let mut text = Vec::new();
        json::write(&crate::round_trip::random_program(seed), &mut text).unwrap();
        files.push(text);
    }
    let mut rng = Rng::new(1);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..10_000 {
        let from = if rng.percent(20) { &invalid } else { &files };
        let mut text = from[rng.below(from.len())].clone();
        for _ in 0..=rng.below(3) {
            damage(&mut text, &mut rng);
        }
        let parsed = json::parse(&text);
        for d in parsed.problems.iter() {
            assert!(d.at.line.is_some(), "no place: {d}");
        }
        match parsed.program {
            Some(program) if parsed.problems.is_empty() => {
                accepted += 1;
                let mut written = Vec::new();
                json::write(&program, &mut written).unwrap();
                let again = json::read(&written).unwrap_or_else(|e| {
                    panic!("{e}\n{}", String::from_utf8_lossy(&written));
                });
                assert_eq!(format!("{again:?}"), format!("{program:?}"));
            }
            _ => refused += 1,
        }
        let _ = json::values::read_list(&text);
    }
    assert!(
        accepted > 100 && refused > 5000,
        "{accepted} accepted, {refused} refused"
    );
}
