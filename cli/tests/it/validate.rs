//! `validate`, and how diagnostics are shown.

use crate::run_tool::{cfgrev, cfgrev_with, golden};

const WRONG: &str = r#"{"format": "cfgrev/1", "routines": [{
  "name": "f",
  "parameters": [{"name": "x", "type": "real", "intent": "in"}],
  "vertices": [
    {"id": 1, "type": "ENTRY"},
    {"id": 2, "type": "BASICBLOCK", "statements": [["=", "z", ["*", "x", "y"]]]},
    {"id": 3, "type": "EXIT"}],
  "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 4}]}]}
"#;

#[test]
fn a_valid_program() {
    let ran = cfgrev(&["validate", "paper_example.json"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert!(ran.err.contains("valid"), "{}", ran.err);
    let quiet = cfgrev(&["validate", "paper_example.json", "--quiet"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""));
}

#[test]
fn all_problems_with_their_places() {
    let ran = cfgrev_with(&["validate", "-"], WRONG.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    golden("wrong.txt", &ran.out);
}

#[test]
fn problems_for_programs_to_read() {
    let ran = cfgrev_with(
        &["validate", "-", "--diagnostics", "json"],
        WRONG.as_bytes(),
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let lines: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|l| serde_json::from_str(l).expect("one object per line"))
        .collect();
    assert!(lines.len() >= 3, "{}", ran.out);
    for line in &lines {
        for member in ["code", "severity", "message", "rule", "help"] {
            assert!(line[member].is_string(), "{member}: {line}");
        }
        for member in ["file", "pointer", "line", "column", "element"] {
            assert!(line["at"].get(member).is_some(), "{member}: {line}");
        }
        assert_eq!(line["at"]["file"], "<stdin>");
    }
    assert!(lines.iter().any(|l| l["at"]["line"] == 6), "{}", ran.out);
}

#[test]
fn a_hundred_problems_are_shown_unless_all_are_wanted() {
    let statements: Vec<String> = (0..250).map(|i| format!(r#"["=", "z{i}", 1.0]"#)).collect();
    let statements = statements.join(", ");
    let text = WRONG.replace(r#"["=", "z", ["*", "x", "y"]]"#, &statements);
    let lines = |args: &[&str]| {
        let ran = cfgrev_with(args, text.as_bytes());
        assert_eq!(ran.code, Some(1));
        ran.out
    };
    let some = lines(&["validate", "-", "--diagnostics", "json"]);
    assert_eq!(some.lines().count(), 101);
    let last = some.lines().last().unwrap_or_default();
    assert!(
        last.contains("P404") && last.contains("more problems"),
        "{last}"
    );
    let all = lines(&["validate", "-", "--diagnostics", "json", "--all"]);
    assert!(all.lines().count() >= 251, "{}", all.lines().count());
    assert!(!all.contains("P404"));
}

#[test]
fn inputs_that_cannot_be_read() {
    for (file, part) in [("nowhere.json", "P401"), (".", "--lang")] {
        let ran = cfgrev(&["validate", file]);
        assert_ne!(ran.code, Some(0));
        let text = ran.out + &ran.err;
        assert!(text.contains(part), "{text}");
    }
    let folder = cfgrev(&["convert", ".", "--lang", "json", "--to", "text"]);
    assert_eq!((folder.code, folder.out.as_str()), (Some(1), ""));
    assert!(folder.err.contains("folder"), "{}", folder.err);
    let binary = cfgrev_with(&["convert", "-", "--to", "text"], &[0xff, 0xfe, 0]);
    assert_eq!((binary.code, binary.out.as_str()), (Some(1), ""));
    assert!(binary.err.contains("UTF-8"), "{}", binary.err);
}

#[test]
fn a_program_without_routine_or_with_several() {
    let empty = r#"{"format": "cfgrev/1", "routines": []}"#;
    let ran = cfgrev_with(&["reverse", "-"], empty.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("P405"), "{}", ran.err);
    let two = cfgrev(&["reverse", "paper_example.json"])
        .out
        .replacen("\"main\": \"f\",", "", 1);
    let ran = cfgrev_with(&["dot", "-"], two.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("f_rev"), "{}", ran.err);
    let ran = cfgrev_with(&["dot", "-", "--routine", "f_rev"], two.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = cfgrev_with(&["dot", "-", "--routine", "g"], two.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("no routine g"), "{}", ran.err);
}

/// Two blocks that jump to each other, entered at both.
const TWO_ENTRIES: &str = r#"{"format": "cfgrev/1", "routines": [{
  "name": "f", "control": "general",
  "parameters": [{"name": "n", "type": "integer", "intent": "inout"}],
  "vertices": [
    {"id": 1, "type": "ENTRY"},
    {"id": 2, "type": "BRANCH", "condition": ["<", "n", 3]},
    {"id": 3, "type": "BASICBLOCK", "statements": [["=", "n", ["+", "n", 1]]]},
    {"id": 4, "type": "BRANCH", "condition": ["<", "n", 9]},
    {"id": 5, "type": "EXIT"}],
  "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3, "label": 1}, {"from": 2, "to": 4, "label": 0},
    {"from": 3, "to": 4}, {"from": 4, "to": 3, "label": 1}, {"from": 4, "to": 5, "label": 0}]}]}
"#;

#[test]
fn the_class_of_a_general_graph() {
    let ran = cfgrev_with(&["validate", "-"], TWO_ENTRIES.as_bytes());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    let note = "note: the control flow of routine f is general; the graph is irreducible: \
                the loop of BASICBLOCK 3 is also entered by the edge 2 -> 4";
    assert!(ran.err.contains(note), "{}", ran.err);
}

#[test]
fn jumps_and_back() {
    let flat = cfgrev(&[
        "convert",
        "paper_example.json",
        "--to",
        "json",
        "--jumps",
        "flat",
    ]);
    assert_eq!(flat.code, Some(0));
    assert!(
        flat.out.contains("\"general\"") && !flat.out.contains("LOOP"),
        "{}",
        flat.out
    );
    let args = ["convert", "-", "--to", "text", "--jumps", "recover"];
    let back = cfgrev_with(&args, flat.out.as_bytes());
    let original = cfgrev(&["convert", "paper_example.json", "--to", "text"]);
    assert_eq!((back.code, back.out), (Some(0), original.out));
}

#[test]
fn several_files() {
    let wrong = "invalid/json/unknown_variable.json";
    let both = cfgrev(&[
        "validate",
        "paper_example.json",
        wrong,
        "burgers.json",
        "nowhere.json",
    ]);
    assert_eq!(both.code, Some(1));
    let alone = cfgrev(&["validate", wrong]).out;
    assert!(both.out.starts_with(&alone), "{}", both.out);
    assert!(both.out[alone.len()..].contains("P401"), "{}", both.out);
    for file in ["paper_example.json", "burgers.json"] {
        assert!(both.err.contains(&format!("{file}: valid")), "{}", both.err);
    }
    let fine = cfgrev(&["validate", "paper_example.json", "burgers.json", "--quiet"]);
    assert_eq!((fine.code, fine.out + &fine.err), (Some(0), String::new()));
    // Nothing is read if the command line is wrong.
    let usage = cfgrev(&["validate", wrong, "program.bin"]);
    assert_eq!((usage.code, usage.out.as_str()), (Some(2), ""));
}
