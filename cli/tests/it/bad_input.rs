//! Bad input of every kind, and its messages. The full texts, with place, rule and cure, are golden files beside the
//! programs in `fixtures/invalid`; this table has one line per kind.

use crate::run_tool::{cfgrev, cfgrev_with, cfgrev_within, command};
use std::io::Write as _;

/// A kind, the program in `fixtures/invalid` that shows it, and a message.
const KINDS: &[(&str, &str, &str)] = &[
    (
        "truncated JSON",
        "json/truncated",
        "error[J001]: the text ends too early (EOF while parsing a value)",
    ),
    (
        "wrong version",
        "json/wrong_version",
        "error[J006]: this version reads \"cfgrev/1\", not the string \"cfgrev/2\"",
    ),
    (
        "unknown field",
        "json/unknown_member",
        "error[J010]: a routine has no member \"independants\"",
    ),
    (
        "duplicate ids",
        "json/duplicate_ids",
        "error[J031]: vertex id 2 is given twice",
    ),
    (
        "dangling edges",
        "json/dangling_edge",
        "error[J032]: there is no vertex 22",
    ),
    (
        "two entries",
        "validation/two_entries",
        "error[V101]: vertex 2 is another ENTRY; the first is vertex 1",
    ),
    (
        "unreachable vertices",
        "validation/unreachable",
        "error[V104]: BASICBLOCK 4, BASICBLOCK 5 cannot be reached from ENTRY",
    ),
    (
        "mismatched pairs",
        "validation/mismatched_pairs",
        "error[V112]: ENDBRANCH 5 ends a branch, but the innermost open there is LOOP 4",
    ),
    (
        "interleaved loops",
        "validation/interleaved_loops",
        "error[V112]: ENDLOOP 5 ends LOOP 3, but the innermost open there is LOOP 4",
    ),
    (
        "an irreducible graph that declares structured control flow",
        "validation/irreducible",
        "error[V113]: the cycle from LOOP 4 to ENDLOOP 7 and back can also be entered elsewhere",
    ),
    (
        "wrong degrees",
        "validation/wrong_degrees",
        "error[V103]: BASICBLOCK 2 has 2 successors, it must have 1 successor",
    ),
    (
        "missing label 1",
        "validation/missing_label",
        "error[V106]: no out-edge of LOOP 3 has label 1",
    ),
    (
        "duplicate labels",
        "validation/duplicate_labels",
        "error[V107]: several out-edges of BRANCH 3 have label 1",
    ),
    (
        "unknown variable",
        "json/unknown_variable",
        "error[J020]: unknown variable \"xx\"",
    ),
    (
        "wrong type",
        "validation/wrong_types",
        "error[V139]: an integer scalar is assigned to y, which is a real scalar",
    ),
    (
        "wrong rank",
        "validation/wrong_rank",
        "error[V136]: x has rank 1, but 2 subscripts",
    ),
    (
        "missing routine",
        "json/unknown_routine",
        "error[J021]: unknown routine \"something_else\"",
    ),
    (
        "a bare NaN",
        "json/bare_nan",
        "error[J005]: NaN is not JSON",
    ),
    (
        "1e999",
        "json/real_overflow",
        "error[J004]: number out of range",
    ),
    (
        "a name that is empty",
        "validation/names",
        "error[V121]: the name of a variable is empty",
    ),
    (
        "a name with control characters",
        "validation/names",
        "error[V121]: the name of a variable has control characters",
    ),
    (
        "invalid UTF-8",
        "json/invalid_utf8",
        "error[J002]: the byte 0xe9 is not UTF-8 text",
    ),
    (
        "deep nesting",
        "json/deep_nesting",
        "error[J003]: arrays and objects nest more than 256 deep",
    ),
];

#[test]
fn every_kind_has_its_message() {
    for (kind, file, message) in KINDS {
        let file = format!("invalid/{file}.json");
        // As the result of `validate`, and on standard error elsewhere.
        let ran = cfgrev(&["validate", &file]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{kind}");
        assert!(
            ran.out.lines().any(|l| l == *message),
            "{kind}:\n{}",
            ran.out
        );
        for part in [" = rule: ", " = help: "] {
            assert!(ran.out.contains(part), "{kind}:\n{}", ran.out);
        }
        let ran = cfgrev(&["gradient", &file, "--at", "{}"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{kind}");
        assert!(
            ran.err.lines().any(|l| l == *message),
            "{kind}:\n{}",
            ran.err
        );
    }
}

/// f calls itself as often as n says.
const RECURSIVE: &str = r#"{"format": "cfgrev/1", "routines": [{
  "name": "f",
  "parameters": [{"name": "n", "type": "integer", "intent": "in"}, {"name": "x", "type": "real", "intent": "inout"}],
  "independents": ["x"], "dependents": ["x"],
  "vertices": [
    {"id": 1, "type": "ENTRY"}, {"id": 2, "type": "BRANCH", "condition": [">", "n", 1]},
    {"id": 3, "type": "BASICBLOCK", "statements": [["=", "x", ["*", "x", 1.5]], ["call", "f", [["-", "n", 1], "x"]]]},
    {"id": 4, "type": "ENDBRANCH"}, {"id": 5, "type": "EXIT"}],
  "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3, "label": 1}, {"from": 2, "to": 4, "label": 0},
    {"from": 3, "to": 4}, {"from": 4, "to": 5}]}]}"#;

#[test]
fn calls_nest_as_deep_as_allowed() {
    let run = |at: &str, more: &[&str]| {
        let mut args = vec!["run", "-", "--at", at];
        args.extend(more);
        cfgrev_with(&args, RECURSIVE.as_bytes())
    };
    let ran = run(r#"{"n": 10, "x": 1}"#, &["--max-depth", "10"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let ran = run(r#"{"n": 11, "x": 1}"#, &["--max-depth", "10"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(
        ran.err
            .contains("error[X211]: more than 10 calls are nested")
            && ran.err.contains("--max-depth"),
        "{}",
        ran.err
    );
    // Far deeper than the machine's own stack would allow.
    let at = r#"{"n": 400000, "x": 1e-9}"#;
    let ran = run(at, &["--max-depth", "1000000", "--quiet"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    // An endless recursion is stopped by the default limit.
    let endless = RECURSIVE.replace(r#"[">", "n", 1]"#, r#"[">", "n", -9]"#);
    let endless = endless.replace(r#"["-", "n", 1]"#, r#"["+", "n", 1]"#);
    let ran = cfgrev_with(
        &["run", "-", "--at", r#"{"n": 1, "x": 1}"#],
        endless.as_bytes(),
    );
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("error[X211]: more than "), "{}", ran.err);
}

#[test]
fn names_can_be_anything_printable() {
    for name in ["2nd", "a b", "for", "x\\\"y", "été", "变量", "a/b", "<x>"] {
        let text = RECURSIVE.replace("\"f\"", &format!("\"{name}\""));
        let ran = cfgrev_with(&["validate", "-", "--quiet"], text.as_bytes());
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{name}");
        for command in ["reverse", "tangent", "dot"] {
            let ran = cfgrev_with(&[command, "-"], text.as_bytes());
            assert_eq!(
                (ran.code, ran.err.as_str()),
                (Some(0), ""),
                "{command} {name}"
            );
        }
    }
}

/// Feeds `piece`, again and again up to `bytes`, to `cfgrev validate -` in 4 GiB of address space and a minute of
/// processor time; what it says, and how many blocks of 1 MiB it takes in.
fn flood(start: &str, piece: &[u8], bytes: usize) -> (String, usize) {
    let mut child = if cfg!(target_os = "linux") {
        let binary = env!("CARGO_BIN_EXE_cfgrev");
        let mut shell = std::process::Command::new("sh");
        shell.args([
            "-c",
            "ulimit -v 4194304; ulimit -t 60; exec \"$0\" validate -",
            binary,
        ]);
        shell.stdin(std::process::Stdio::piped());
        shell.stdout(std::process::Stdio::piped());
        shell
    } else {
        command(&["validate", "-"])
    };
    let mut child = child.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let block = piece.repeat((1 << 20) / piece.len());
    let (output, taken) = std::thread::scope(|scope| {
        let feeder = scope.spawn(move || {
            // A process that gives up early closes the pipe.
            let _ = stdin.write_all(start.as_bytes());
            let blocks = 0..bytes / block.len();
            blocks
                .take_while(|_| stdin.write_all(&block).is_ok())
                .count()
        });
        let output = child.wait_with_output().expect("it ends");
        (output, feeder.join().expect("it does not panic"))
    });
    assert_eq!(output.status.code(), Some(1), "{start} {piece:?}");
    let said = String::from_utf8(output.stdout).expect("messages are UTF-8");
    (said, taken)
}

#[test]
fn floods_are_refused_in_little_time_and_memory() {
    let (said, taken) = flood("", b"[", 1 << 30);
    assert!(
        said.contains("error[J003]: arrays and objects nest more than 256 deep"),
        "{said}"
    );
    assert!(taken < 4, "{taken} blocks");
    let head = "{\"format\": \"cfgrev/1\", \"routines\": [{\"name\": \"f\", \"vertices\": [{}";
    for (start, piece, message) in [
        ("", &b"{\"a\":"[..], "error[J003]"),
        ("", b" ", "error[J001]: the text ends too early"),
        ("\"", b"a", "error[J001]: the text ends too early"),
        (
            "",
            b"1",
            "error[J004]: number out of range: more than 4096 digits in a row",
        ),
        ("[", b"0,", "error[J013]"),
        ("{\"x\": [", b"0,", "error[J001]: the text ends too early"),
        ("", b"\xff", "error[J002]: the byte 0xff is not UTF-8 text"),
        ("", b"\0", "error[J001]"),
        (head, b",{}", "error[J012]: a vertex without `id`"),
    ] {
        let (said, _) = flood(start, piece, 8 << 20);
        assert!(said.contains(message), "{start} {piece:?}: {said}");
    }
}

#[test]
fn a_hundred_thousand_equal_ids_are_found_in_little_time() {
    let vertices = vec![r#"{"id": 1, "type": "BASICBLOCK"}"#; 100_000].join(",");
    let text = format!(
        r#"{{"format": "cfgrev/1", "routines": [{{"name": "f", "vertices": [{vertices}], "edges": []}}]}}"#
    );
    let ran = cfgrev_within(20, &["validate", "-"], text.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.out.contains("error[J031]: vertex id 1 is given twice"),
        "{}",
        ran.out
    );
}

/// A message names at most 20 of the routines of which one must be chosen.
#[test]
fn routines_to_choose_from_are_named_up_to_a_number() {
    let args = ["run", "-", "--lang", "text", "--at", "x=1"];
    for (count, more) in [(20, false), (21, true)] {
        let routines: String = (1..=count)
            .map(|k| format!("subroutine r{k}(in real x, out real y)\n  y := x\nend\n"))
            .collect();
        let ran = cfgrev_with(&args, routines.as_bytes());
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.contains(", r20"), "{}", ran.err);
        assert_eq!(ran.err.contains(", r20, ..."), more, "{}", ran.err);
    }
}

/// A bare graph, or a result of `preaccumulate`, in place of a program is one error, which names the command that
/// takes it.
#[test]
fn a_graph_is_no_program() {
    let graph = "graphs/lion.json";
    let found = cfgrev(&["preaccumulate", graph, "--emit", "json"]);
    for command in [
        &["dot"][..],
        &["validate"],
        &["convert", "--to", "text"],
        &["gradient", "--at", "x=1"],
    ] {
        for (file, help) in [
            (graph, "preaccumulate graphs/lion.json --emit dot"),
            ("-", "--emit dot"),
        ] {
            let ran = cfgrev_with(&[command, &[file]].concat(), found.out.as_bytes());
            let all = ran.out + &ran.err;
            assert_eq!(
                (ran.code, all.matches("error[").count()),
                (Some(1), 1),
                "{all}"
            );
            assert!(all.contains("error[P399]") && all.contains(help), "{all}");
        }
    }
}
