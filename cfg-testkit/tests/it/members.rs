//! Everything that the format has is drawn.

use cfg_format::{json, text};
use cfg_testkit::checkpoints::with_checkpoints;
use cfg_testkit::general;
use cfg_testkit::generate::{Options, dressed, generate};
use cfg_testkit::{members, pointers, records};
use std::collections::BTreeSet;

/// Features that no generator draws, each with the reason.
const NOT_DRAWN: [(&str, &str); 12] = [
    (
        "Expression=\"int64\"",
        "another spelling of integer, which is written",
    ),
    ("DeclaredResult.order", ROW),
    ("DeclaredResult.order=\"column\"", ROW),
    (
        "Edge.in_label",
        "computed from the nesting, and left out by the writer",
    ),
    ("DeclaredResult.order=\"row\"", DEFAULT),
    ("Global.order=\"row\"", DEFAULT),
    ("Local.order=\"row\"", DEFAULT),
    ("Parameter.order=\"row\"", DEFAULT),
    ("Routine.control=\"structured\"", DEFAULT),
    ("DeclaredResult.type=\"tape\"", "a result is no tape"),
    ("Global.type=\"tape\"", "a global is no tape"),
    ("Vertex.id=0", "what ids may not be"),
];

const ROW: &str = "arrays that functions return are drawn in row order only";
const DEFAULT: &str = "a default, which is not written";

/// A member, word or operator that is added to the format must be drawn, or be listed above.
#[test]
fn every_member_of_the_format_is_drawn() {
    let schema = json::schema();
    let mut drawn = BTreeSet::new();
    let mut add = |program: &cfg_core::ir::Program, what: &str| {
        let mut bytes = Vec::new();
        json::write(program, &mut bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        let document = serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        drawn.extend(
            members::present_in(&schema, &document).unwrap_or_else(|e| panic!("{what}: {e}")),
        );
    };
    for (options, seeds) in [(Options::WIDE, 0..1600), (Options::WIDE_SMOOTH, 0..150)] {
        for seed in seeds {
            let case = generate(&options, seed).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
            add(&case.program, &format!("seed {seed}"));
            if seed < 20 {
                let marked = with_checkpoints(&case, seed);
                add(&marked.program, &format!("checkpoints, seed {seed}"));
            }
        }
    }
    for seed in 0..20 {
        let case = dressed(&general::generate(seed), seed);
        add(&case.program, &format!("general seed {seed}"));
    }
    for seed in 0..100 {
        let parsed = text::parse(&records::text(seed));
        let program = parsed
            .program
            .unwrap_or_else(|| panic!("records seed {seed}"));
        add(&program, &format!("records seed {seed}"));
    }
    for seed in 0..50 {
        let program = text::parse(&pointers::text(seed)).program;
        let program = program.unwrap_or_else(|| panic!("pointers seed {seed}"));
        add(&program, &format!("pointers seed {seed}"));
    }
    let all = members::all(&schema);
    assert!(all.len() > 200, "{}", all.len());
    let listed: BTreeSet<&str> = NOT_DRAWN.iter().map(|n| n.0).collect();
    let missing: Vec<&str> = (all.difference(&drawn).map(String::as_str))
        .filter(|m| !listed.contains(m))
        .collect();
    assert!(missing.is_empty(), "not drawn: {missing:?}");
    let stale: Vec<&&str> = listed.iter().filter(|m| drawn.contains(**m)).collect();
    assert!(stale.is_empty(), "drawn after all: {stale:?}");
}

#[test]
fn a_document_that_breaks_the_schema_has_no_members() {
    let schema = json::schema();
    let wrong = serde_json::json!({"format": "cfgrev/1", "routines": [{"nam": "f"}]});
    assert!(members::present_in(&schema, &wrong).is_err());
    let right = serde_json::json!({"format": "cfgrev/1", "routines": [{"name": "f"}]});
    let found = members::present_in(&schema, &right).expect("it keeps the schema");
    assert!(found.contains("Routine.name"), "{found:?}");
}
