//! `reverse`, `tangent`, `convert`, `dot`.

use crate::run_tool::{Written, cfgrev, cfgrev_with, golden};
use serde_json::Value;
use std::collections::BTreeSet;

/// Edges as (from, to, label).
type Edges = BTreeSet<(i64, i64, Option<i64>)>;

/// Vertex ids in order, and edges as (from, to, label), of the routine that the file marks as main.
fn graph(text: &str) -> (Vec<i64>, Edges) {
    let program: Value = serde_json::from_str(text).expect("it is JSON");
    let main = &program["main"];
    let routines = program["routines"].as_array().expect("routines");
    let routine = routines
        .iter()
        .find(|r| r["name"] == *main)
        .expect("main exists");
    let int = |v: &Value| v.as_i64();
    let ids = routine["vertices"].as_array().expect("vertices");
    let edges = routine["edges"].as_array().expect("edges");
    (
        ids.iter().filter_map(|v| int(&v["id"])).collect(),
        edges
            .iter()
            .filter_map(|e| Some((int(&e["from"])?, int(&e["to"])?, int(&e["label"]))))
            .collect(),
    )
}

/// `1>2>3 4>5:1` as edges.
fn edges(text: &str) -> Edges {
    let mut set = BTreeSet::new();
    for chain in text.split_whitespace() {
        let mut from: Option<i64> = None;
        for part in chain.split('>') {
            let (to, label) = match part.split_once(':') {
                Some((to, label)) => (to, Some(label.parse().expect("a label"))),
                None => (part, None),
            };
            let to = to.parse().expect("an id");
            if let Some(from) = from {
                set.insert((from, to, label));
            }
            from = Some(to);
        }
    }
    set
}

#[test]
fn the_papers_example_has_the_papers_graphs() {
    let emit = ["--emit", "json,dot,text"];
    let written = Written::by(&[&["reverse", "paper_example.json"], &emit[..]].concat());
    let expected = [
        (
            "original",
            12,
            "1>2>3>4 4>5:1 4>11>12 5>6:1 5>7:0 6>8 7>8 8>9>10>4",
        ),
        (
            "forward",
            17,
            "1>2>3>13>4 4>5:1 4>17>11>12 5>6:1 6>14>8 5>7:0 7>15>8 8>9>16>10>4",
        ),
        (
            "adjoint",
            14,
            "-12>-11>13>-10 -10>-9:1 -9>14>-8 -8>-6:1 -6>-5 -8>-7:0 -7>-5 -5>-4>-10 -10>-3>-2>-1",
        ),
    ];
    for (part, count, wanted) in expected {
        let (ids, found) = graph(&written.read(&format!("f.{part}.json")));
        assert_eq!(ids.len(), count, "{part}");
        assert_eq!(found, edges(wanted), "{part}");
        for file in ["dot", "txt"].map(|extension| format!("f.{part}.{extension}")) {
            golden(&file, &written.read(&file));
        }
    }
    // Nothing else is left in the folder.
    assert_eq!(written.count(), 9);
    // Each part is a complete program.
    for part in ["original", "forward", "adjoint"] {
        let ran = cfgrev(&["validate", &written.path(&format!("f.{part}.json"))]);
        assert_eq!(ran.code, Some(0), "{}", ran.out);
    }
}

#[test]
fn existing_files_are_replaced_only_by_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a plain name");
    let adjoint = folder.path().join("f.adjoint.json");
    std::fs::write(&adjoint, "mine").expect("the folder is writable");
    let ran = cfgrev(&["reverse", "paper_example.json", "-o", path]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("P402"), "{}", ran.err);
    // No file was written, not even those that did not exist yet.
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 1);
    assert_eq!(std::fs::read(&adjoint).expect("it exists"), b"mine");
    let ran = cfgrev(&["reverse", "paper_example.json", "-o", path, "--force"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(std::fs::read(&adjoint).expect("it exists").len() > 4);
}

#[test]
fn a_folder_that_cannot_be_made() {
    let ran = cfgrev(&[
        "reverse",
        "paper_example.json",
        "-o",
        "paper_example.json/x",
    ]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("P403"), "{}", ran.err);
}

#[test]
fn one_program_on_standard_output_is_closed_under_the_commands() {
    let reversed = cfgrev(&["reverse", "paper_example.json"]);
    assert_eq!((reversed.code, reversed.err.as_str()), (Some(0), ""));
    let program: Value = serde_json::from_str(&reversed.out).expect("it is JSON");
    let names: Vec<&str> = program["routines"]
        .as_array()
        .expect("routines")
        .iter()
        .filter_map(|r| r["name"].as_str())
        .collect();
    assert_eq!(names, ["f", "f_fwd", "f_rev", "f_grad"]);
    let again = cfgrev_with(&["convert", "-", "--to", "json"], reversed.out.as_bytes());
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    assert_eq!(again.out, reversed.out);
    let tangent = cfgrev_with(
        &["tangent", "-", "--routine", "f_grad"],
        reversed.out.as_bytes(),
    );
    assert_eq!((tangent.code, tangent.err.as_str()), (Some(0), ""));
    let valid = cfgrev_with(&["validate", "-"], tangent.out.as_bytes());
    assert_eq!((valid.code, valid.out.as_str()), (Some(0), ""));
}

#[test]
fn options_of_the_reversal() {
    let merged = cfgrev(&["reverse", "paper_example.json", "--merge"]);
    assert_eq!(merged.code, Some(0));
    let plain = cfgrev(&["reverse", "paper_example.json"]);
    assert!(merged.out.matches("BASICBLOCK").count() < plain.out.matches("BASICBLOCK").count());
    let none = cfgrev(&["reverse", "paper_example.json", "--independent", "i"]);
    assert_eq!(none.code, Some(1));
    assert!(none.err.contains("P420"), "{}", none.err);
    let some = cfgrev(&[
        "reverse",
        "paper_example.json",
        "--independent",
        "x",
        "--dependent",
        "y",
    ]);
    assert_eq!(some.out, plain.out);
}

#[test]
fn pictures_and_text() {
    let text = cfgrev(&["convert", "paper_example.json", "--to", "text"]);
    assert_eq!(text.code, Some(0));
    assert!(text.out.contains("y[2] := sin(x[1])"), "{}", text.out);
    let dot = cfgrev(&["dot", "paper_example.json", "--clusters", "--true-false"]);
    assert_eq!((dot.code, dot.err.as_str()), (Some(0), ""));
    assert!(dot.out.contains("subgraph cluster_v4"), "{}", dot.out);
    assert!(
        dot.out.contains("[label=\"T\" shape=plaintext"),
        "{}",
        dot.out
    );
    // A broken graph is drawn all the same, and the exit code says that it is broken.
    let file = crate::run_tool::fixtures().join("paper_example.json");
    let broken = std::fs::read_to_string(file)
        .expect("the fixture exists")
        .replace("ENDBRANCH", "BASICBLOCK");
    let dot = cfgrev_with(&["dot", "-"], broken.as_bytes());
    assert_eq!(dot.code, Some(1));
    assert!(
        dot.out.contains("v4 -> v5") && dot.err.contains("error[V"),
        "{}",
        dot.err
    );
}

#[test]
fn sweeps_as_xaif_are_read_back() {
    let emit = ["--emit", "json,xaif"];
    let written = Written::by(&[&["reverse", "paper_example.json"], &emit[..]].concat());
    for part in ["original", "forward", "adjoint"] {
        let name = |extension: &str| format!("f.{part}.{extension}");
        let at = |extension: &str| written.path(&name(extension));
        let xaif = written.read(&name("xaif"));
        let calls = if part == "adjoint" { "pop" } else { "push" };
        let calls = xaif.contains(&format!("symbol_id=\"cfgrev_{calls}_control"));
        assert_eq!(calls, part != "original", "{xaif}");
        let back = cfgrev(&["convert", &at("xaif"), "--to", "json"]);
        assert_eq!(back.code, Some(0), "{}", back.err);
        let json = written.read(&name("json"));
        assert_eq!(back.out, json, "{part}");
        let again = cfgrev(&["convert", &at("json"), "--to", "xaif"]);
        assert_eq!(again.out, xaif, "{part}");
    }
}

/// A loop with two entries in a counted one, by structure and by the numbers of its blocks. The derivatives
/// are those of `fixtures/xaif/jumps.py`.
#[test]
fn general_control_flow_in_both_ways() {
    let file = "xaif/jump_two_entries_in_loop.xaif";
    let bits = ["structure", "trace"].map(|how| {
        let at = [file, "--at", r#"{"x": [0.5, 1.0]}"#, "--unstructured", how];
        let run = |command: &[&str]| {
            let ran = cfgrev(&[command, &at].concat());
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{how}");
            serde_json::from_str::<Value>(&ran.out).expect("it is JSON")
        };
        let gradient = run(&["gradient", "--seed", r#"{"y": [0, 1]}"#]);
        assert_eq!(gradient["gradient"]["x"], serde_json::json!([33.75, 15.25]));
        let check = run(&["check"]);
        assert_eq!(check["agrees"], true, "{check}");
        assert_eq!(check["stack"]["problems"], 0, "{check}");
        gradient["tape"]["control_bits"].as_u64().expect("a count")
    });
    assert!(bits[0] * 2 < bits[1], "{bits:?}");
}

/// One form is printed as the files hold it, or, but for pictures, as one program.
#[test]
fn one_form_is_printed() {
    let written = Written::by(&["reverse", "paper_example.json", "--emit", "dot"]);
    let printed = |form: &str| {
        let ran = cfgrev(&["reverse", "paper_example.json", "--emit", form]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{form}");
        ran.out
    };
    let parts = ["original", "forward", "adjoint"];
    let pictures = parts.map(|part| written.read(&format!("f.{part}.dot")));
    assert_eq!(printed("dot"), pictures.concat());
    assert_eq!(printed("dot,dot"), pictures.concat());
    let all = printed("json");
    let text = cfgrev_with(&["convert", "-", "--to", "text"], all.as_bytes());
    assert_eq!(printed("text"), text.out);
    for routine in ["f(", "f_fwd(", "f_rev(", "f_grad("] {
        assert!(text.out.contains(routine), "{routine}");
    }
    assert!(printed("xaif").starts_with("<?xml"));
}

#[test]
fn convert_draws_what_dot_draws() {
    let printed = |args: &[&str]| {
        let ran = cfgrev(args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
        ran.out
    };
    let picture = printed(&["dot", "burgers.json"]);
    assert!(picture.starts_with("digraph"), "{picture}");
    assert_eq!(
        printed(&["convert", "burgers.json", "--to", "dot"]),
        picture
    );
    // A program with problems too, and one of several routines.
    let wrong = "invalid/validation/before_definition.json";
    let (dot, convert) = (
        cfgrev(&["dot", wrong]),
        cfgrev(&["convert", wrong, "--to", "dot"]),
    );
    assert_eq!(
        (dot.code, dot.out, dot.err),
        (convert.code, convert.out, convert.err)
    );
    let all = printed(&["reverse", "paper_example.json"]);
    let of = |args: &[&str]| cfgrev_with(args, all.as_bytes()).out;
    let drawn = of(&["convert", "-", "--to", "dot", "--routine", "f_rev"]);
    assert_eq!(drawn, of(&["dot", "-", "--routine", "f_rev"]));
    let flat = printed(&["convert", "burgers.json", "--to", "dot", "--jumps", "flat"]);
    assert!(flat.starts_with("digraph") && flat != picture, "{flat}");
}
