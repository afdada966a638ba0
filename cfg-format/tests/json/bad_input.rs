//! Every kind of bad input, with the full text of its problems.

use crate::{fixtures, json_files};
use cfg_format::json;
use cfg_testkit::golden::golden;
use std::collections::BTreeSet;

/// Codes that files cannot show: too many problems, values, writing, input.
const ELSEWHERE: [&str; 5] = ["J040", "J041", "J042", "J043", "J044"];

#[test]
fn messages_are_as_blessed() {
    let mut seen = BTreeSet::new();
    for path in json_files(&fixtures().join("invalid/json")) {
        let bytes = std::fs::read(&path).unwrap();
        let problems = json::read(&bytes).expect_err(&format!("{path:?} should be refused"));
        assert!(problems.has_errors());
        for d in problems.iter() {
            assert!(d.at.line.is_some(), "{path:?}: no place in {d}");
            assert!(!d.help.is_empty() && !d.rule.is_empty());
            seen.insert(d.code);
        }
        golden(path.with_extension("txt"), &format!("{problems}\n"));
    }
    let listed: BTreeSet<&str> = json::CODES.iter().map(|c| c.code).collect();
    assert_eq!(listed.len(), json::CODES.len(), "codes are unique");
    let missing: Vec<_> = listed
        .difference(&seen)
        .filter(|c| !ELSEWHERE.contains(c))
        .collect();
    assert!(missing.is_empty(), "no fixture shows {missing:?}");
    assert!(seen.is_subset(&listed));
}

#[test]
fn problems_of_validation_have_lines_too() {
    let mut seen = BTreeSet::new();
    for path in json_files(&fixtures().join("invalid/validation")) {
        let bytes = std::fs::read(&path).unwrap();
        let problems = json::read_valid(&bytes).expect_err(&format!("{path:?} should be refused"));
        for d in problems.iter() {
            assert!(d.at.line.is_some(), "{path:?}: no place in {d}");
            seen.insert(d.code);
        }
        golden(path.with_extension("txt"), &format!("{problems}\n"));
    }
    assert!(seen.len() > 15, "{seen:?}");
}

#[test]
fn what_reading_reports_is_not_reported_again() {
    for path in json_files(&fixtures().join("invalid/json")) {
        let bytes = std::fs::read(&path).unwrap();
        let read = json::read(&bytes).unwrap_err();
        let all = json::read_valid(&bytes).unwrap_err();
        let name = path.file_stem().unwrap().to_string_lossy();
        // Their vertices have no edges at all.
        if !["unknown_variable", "vertex_members"].contains(&&*name) {
            assert_eq!(read, all, "{name}");
        }
    }
}

#[test]
fn valid_programs_are_read() {
    for (path, text) in crate::programs() {
        json::read_valid(&text).unwrap_or_else(|e| panic!("{path:?}\n{e}"));
    }
}

#[test]
fn a_flood_of_brackets_is_refused_at_once() {
    struct Brackets(usize);
    impl std::io::Read for Brackets {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = buffer.len().min(self.0);
            buffer[..count].fill(b'[');
            self.0 -= count;
            Ok(count)
        }
    }
    let mut input = Brackets(1 << 40);
    let problems = json::load(&mut input).unwrap_err();
    assert_eq!(problems.0[0].code, "J003");
    assert!(
        input.0 > (1 << 40) - (1 << 20),
        "it looked at the beginning only"
    );
    // Brackets in a string do not nest, across pieces of the input either.
    let text = format!("\"{}\\\"{}\"", "[".repeat(100_000), "{".repeat(100_000));
    assert_eq!(json::load(text.as_bytes()).unwrap(), text.as_bytes());
}

#[test]
fn an_input_that_fails_is_reported() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("disk on fire"))
        }
    }
    let problems = json::load(Broken).unwrap_err();
    assert_eq!(problems.0[0].code, "J043");
    assert!(problems.0[0].message.contains("disk on fire"));
}

#[test]
fn a_hundred_thousand_problems_are_too_many() {
    let statements = vec!["[\"=\", 1, 2]"; 100_000].join(",\n");
    let text = format!(
        "{{\"format\": \"cfgrev/1\", \"routines\": [{{\"name\": \"f\", \"vertices\": [{{\"id\": 1, \
         \"type\": \"BASICBLOCK\", \"statements\": [{statements}]}}], \"edges\": []}}]}}"
    );
    let problems = json::read(text.as_bytes()).unwrap_err();
    assert_eq!(problems.0.len(), 10_001);
    assert_eq!(problems.0[9_999].at.line, Some(10_000));
    assert_eq!(
        problems.0[10_000].message,
        "reading stops here, after 10000 problems"
    );
    assert_eq!(problems.0[10_000].at.line, Some(10_000));
    // Names are looked up at the end; there all that can be kept is kept.
    let text = text
        .replace("[\"=\", 1, 2]", "[\"=\", 1, 2.0]")
        .replace("1, 2.0", "\"z\", 2.0");
    assert_eq!(json::read(text.as_bytes()).unwrap_err().0.len(), 1);
}

#[test]
fn memory_is_limited() {
    let operands = vec!["1"; 100_000].join(",");
    let text = format!(
        "{{\"format\": \"cfgrev/1\", \"routines\": [{{\"name\": \"f\", \"external\": {{\"value\": [\"+\", \
         {operands}]}}}}]}}"
    );
    assert!(
        json::parse_within(text.as_bytes(), 100 << 20)
            .program
            .is_some()
    );
    let parsed = json::parse_within(text.as_bytes(), 1 << 20);
    assert!(parsed.program.is_none());
    let problem = &parsed.problems.0[0];
    assert_eq!((problem.code, problem.at.line), ("J044", Some(1)));
    assert_eq!(
        problem.message,
        "the program takes more memory than allowed"
    );
}

#[test]
fn comparing_names_is_bounded() {
    let names: Vec<String> = (0..2000)
        .map(|i| format!("{{\"name\": \"a_rather_long_name_{i}\", \"type\": \"real\"}}"))
        .collect();
    let statements: Vec<String> = (0..5000)
        .map(|i| format!("[\"=\", \"an_unknown_long_name_{i}\", 1.0]"))
        .collect();
    let text = format!(
        "{{\"format\": \"cfgrev/1\", \"routines\": [{{\"name\": \"f\", \"locals\": [{}], \"vertices\": \
         [{{\"id\": 1, \"type\": \"BASICBLOCK\", \"statements\": [{}]}}], \"edges\": []}}]}}",
        names.join(","),
        statements.join(",")
    );
    let problems = json::read(text.as_bytes()).unwrap_err();
    assert_eq!(problems.0.len(), 5000);
}

#[test]
fn a_broken_graph_is_named() {
    let text = std::fs::read(fixtures().join("invalid/json/dangling_edge.json")).unwrap();
    let parsed = json::parse(&text);
    assert_eq!(parsed.broken, [cfg_core::entity::RoutineId::new(0)]);
    let program = parsed.program.unwrap();
    assert_eq!(program.routines[0].body.as_ref().unwrap().edge_count(), 1);
}

#[test]
fn unreadable_statements_keep_the_places_of_others() {
    let text = std::fs::read(fixtures().join("invalid/json/unknown_operator.json")).unwrap();
    let program = json::parse(&text).program.unwrap();
    let body = program.routines[0].body.as_ref().unwrap();
    let statements = body.vertex(cfg_core::entity::VertexId::new(1)).statements();
    assert_eq!(statements.len(), 4);
}
