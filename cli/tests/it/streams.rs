//! Behaviour with terminals, a small stack, signals, and files that have no end.
#![cfg(unix)]

use crate::run_tool::{Ran, cfgrev, cfgrev_with, command, fixtures};
use cfg_core::text::is_invisible;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs with a line of the shell before it, and redirections after it.
fn shell(before: &str, args: &[&str], after: &str) -> Ran {
    let mut shell = Command::new("sh");
    let line = format!("{before} exec \"$0\" \"$@\" {after}");
    shell
        .args(["-c", &line, env!("CARGO_BIN_EXE_cfgrev")])
        .args(args)
        .current_dir(fixtures())
        .stdin(Stdio::null());
    let output = shell.output().expect("the shell starts");
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// `y = x + (x + (x + ...))`, as deep as expressions may be.
fn deep() -> String {
    let mut e = "\"x\"".to_owned();
    for _ in 1..100 {
        e = format!("[\"+\",\"x\",{e}]");
    }
    format!(
        r#"{{"format": "cfgrev/1", "routines": [{{"name": "f", "parameters": [
        {{"name": "x", "type": "real", "intent": "in"}}, {{"name": "y", "type": "real", "intent": "out"}}],
        "independents": ["x"], "dependents": ["y"], "vertices": [{{"id": 1, "type": "ENTRY"}},
        {{"id": 2, "type": "BASICBLOCK", "statements": [["=", "y", {e}]]}}, {{"id": 3, "type": "EXIT"}}],
        "edges": [{{"from": 1, "to": 2}}, {{"from": 2, "to": 3}}]}}]}}"#
    )
}

#[test]
fn a_small_stack_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("deep.json");
    std::fs::write(&file, deep()).expect("it can be written");
    let file = file.to_str().expect("a plain name");
    let at = r#"{"x": 1}"#;
    for args in [
        &["--help"][..],
        &["validate", file],
        &["reverse", file],
        &["tangent", file],
        &["convert", file, "--to", "xaif"],
        &["gradient", file, "--at", at],
        &["check", file, "--at", at],
        &["jacobian", file, "--at", at, "--compress"],
        &["preaccumulate", file],
        &["dot", file],
        &["nonsense"],
    ] {
        let ran = shell("ulimit -s 64;", args, "");
        let expected = if args[0] == "nonsense" { 2 } else { 0 };
        assert_eq!(ran.code, Some(expected), "{args:?}: {}", ran.err);
    }
}

/// A command of every kind that writes to standard output.
const WRITING: &[&[&str]] = &[
    &["--help"],
    &["--version"],
    &["help", "run"],
    &["completions", "bash"],
    &["man"],
    &["schema"],
    &["explain"],
    &["explain", "X210"],
    &["reverse", "paper_example.json"],
    &["tangent", "paper_example.json"],
    &["convert", "paper_example.json", "--to", "json"],
    &["dot", "paper_example.json"],
    &[
        "run",
        "paper_example.json",
        "--at",
        "paper_example.point.json",
    ],
    &[
        "gradient",
        "paper_example.json",
        "--at",
        "paper_example.point.json",
        "--seed",
        "{\"y\": [1, 1, 1]}",
    ],
    &[
        "check",
        "paper_example.json",
        "--at",
        "paper_example.point.json",
    ],
    &[
        "jacobian",
        "paper_example.json",
        "--at",
        "paper_example.point.json",
    ],
    &["preaccumulate", "paper_example.json"],
    &["validate", "invalid/json/truncated.json"],
];

#[test]
fn results_that_cannot_be_written_are_an_error() {
    for args in WRITING {
        let mut lost = vec![">&-"];
        if Path::new("/dev/full").exists() {
            lost.push("> /dev/full");
        }
        for after in lost {
            let ran = shell("", args, after);
            assert_eq!(ran.code, Some(1), "{args:?} {after}: {}", ran.err);
            assert!(
                ran.err
                    .contains("error[P403]: cannot write standard output"),
                "{args:?} {after}: {}",
                ran.err
            );
        }
        // Output to `/dev/null` is discarded on purpose and no error.
        let expected = if args[0] == "validate" { 1 } else { 0 };
        for after in ["> /dev/null", "1<> /dev/null"] {
            let ran = shell("", args, after);
            assert_eq!(
                (ran.code, &*ran.err),
                (Some(expected), ""),
                "{args:?} {after}"
            );
        }
    }
    // A command without a result needs no standard output.
    let ran = shell("", &["validate", "paper_example.json", "--quiet"], ">&-");
    assert_eq!((ran.code, &*ran.err), (Some(0), ""));
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    for args in WRITING {
        let mut child = command(args).spawn().expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let expected = if args[0] == "validate" { 1 } else { 0 };
        let code = output.status.code();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // A process that ended before the pipe was closed has not noticed it.
        assert!(
            code == Some(expected) || code == Some(0),
            "{args:?}: {said}"
        );
        assert_eq!(said, "", "{args:?}");
    }
}

#[test]
fn signals_leave_no_temporary_file() {
    // One long statement after the other, so that writing takes its time.
    let statements = vec![r#"["=", "y", ["+", "y", ["*", "x", "x"]]]"#; 150_000].join(",");
    let text = deep().replace("[[\"=\", \"y\"", &format!("[{statements}, [\"=\", \"y\""));
    let text = text.replace(
        r#""name": "y", "type": "real", "intent": "out""#,
        r#""name": "y", "type": "real", "intent": "inout""#,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("long.json");
    std::fs::write(&file, text).expect("it can be written");
    let out = folder.path().join("out");
    let temporary = || {
        let entries = std::fs::read_dir(&out).into_iter().flatten().flatten();
        let mut names = entries.map(|e| e.file_name().to_string_lossy().into_owned());
        names.find(|n| n.starts_with(".cfgrev-"))
    };
    let mut signals = vec![("INT", 2), ("TERM", 15)];
    if cfg!(target_os = "linux") {
        signals.push(("HUP", 1));
        // Signals that this process inherited as ignored, under nohup or in the background of a shell, are ignored by
        // the binary, too.
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
        let mask = u64::from_str_radix(mask.expect("a mask").trim(), 16).expect("in hex");
        signals.retain(|&(_, number)| mask >> (number - 1) & 1 == 0);
        assert!(!signals.is_empty(), "all signals are ignored");
    }
    for (name, number) in signals {
        // A run may end before it gets the signal; then another is tried.
        let ended = |_| {
            let args = ["reverse", file.to_str().expect("plain"), "--force", "-o"];
            let mut child = command(&args);
            let mut child = child.arg(&out).spawn().expect("the binary starts");
            while temporary().is_none() {
                if child.try_wait().expect("it can be asked").is_some() {
                    return None;
                }
            }
            let id = child.id().to_string();
            let sent = Command::new("kill")
                .args([&format!("-{name}"), &id])
                .status();
            let sent = sent.expect("kill starts").success();
            let status = child.wait().expect("it ends");
            (sent && status.code() != Some(0)).then_some(status)
        };
        let status = (0..100).find_map(ended).expect("one of a hundred is hit");
        assert_eq!(status.signal(), Some(number), "SIG{name}: {status}");
        assert_eq!(temporary(), None, "SIG{name}");
    }
}

#[test]
fn nothing_invisible_reaches_the_terminal() {
    // A colour, a title, a bell, overrides and isolates, a zero-width joiner, a mark, a tag.
    const NASTY: &str =
        "a\u{1b}[31mb\u{1b}]0;t\u{7}c\u{9b}d\u{202e}e\u{2066}f\u{200d}g\u{feff}h\u{e0041}";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(format!("{NASTY}.json"));
    let program = |name: &str| {
        let quoted = serde_json::to_string(name).expect("it is a string");
        deep().replace("\"x\"", &quoted)
    };
    // Control characters are no names; the rest may be.
    let name: String = NASTY.chars().filter(|c| !c.is_control()).collect();
    std::fs::write(&file, program(&name)).expect("it can be written");
    let file = file.to_str().expect("it is UTF-8");
    let broken = folder.path().join(format!("{NASTY}{{.xaif"));
    std::fs::write(&broken, "<a").expect("it can be written");
    let broken = broken.to_str().expect("it is UTF-8");
    let missing = format!("{NASTY}.json");
    let object = format!("{{{}: 1}}", serde_json::to_string(NASTY).expect("a string"));
    let unknown = format!("--{NASTY}");
    let seed = object.as_str();
    let cases: &[&[&str]] = &[
        &["validate", file],
        &["validate", broken],
        &["validate", &missing],
        &["validate", NASTY],
        &["validate", file, NASTY],
        &["validate", &unknown],
        &[NASTY],
        &["explain", NASTY],
        &["validate", file, "--lang", NASTY],
        &["validate", file, "--color", NASTY],
        &["run", file, "--at", &object],
        &["run", file, "--at", &missing],
        &["run", file, "--at", "{}"],
        &["gradient", file, "--at", "{}", "--seed", seed],
        &["gradient", file, "--at", seed, "--fuel", NASTY],
        &["reverse", file, "--routine", NASTY],
        &["reverse", file, "--independent", NASTY],
        &["reverse", file, "-o", "/dev/null/x"],
        &["reverse", file, "-o", &format!("/dev/null/{NASTY}")],
        &["preaccumulate", file, "--vertex", NASTY],
        &["preaccumulate", file, "--model", NASTY],
        &["corpus", NASTY],
    ];
    for args in cases {
        let ran = cfgrev(args);
        let text = format!("{}{}", ran.out, ran.err);
        let bad = text.chars().find(|&c| c != '\n' && is_invisible(c));
        assert_eq!(bad, None, "{args:?}: {}", text.escape_debug());
        assert!(!text.is_empty(), "{args:?}");
    }
    // A problem in a program that has such names.
    let wrong = program(&name).replace("\"out\"", "\"in\"");
    let ran = cfgrev_with(&["validate", "-"], wrong.as_bytes());
    assert!(ran.out.contains("error[V"), "{}", ran.out);
    let bad = ran.out.chars().find(|&c| c != '\n' && is_invisible(c));
    assert_eq!(bad, None, "{}", ran.out.escape_debug());
    assert_eq!(std::ffi::OsStr::new(file).as_bytes().len(), file.len());
}

#[test]
fn input_without_end_is_given_up_at_the_beginning() {
    let at = "paper_example.point.json";
    let limit = "ulimit -v 1048576;";
    for (args, code) in [
        (&["validate", "/dev/zero", "--lang", "json"][..], "J001"),
        (&["validate", "/dev/zero", "--lang", "xaif"], "F6"),
        (&["preaccumulate", "/dev/zero", "--lang", "json"], "L101"),
        (&["run", "paper_example.json", "--at", "/dev/zero"], "J001"),
        (
            &[
                "gradient",
                "paper_example.json",
                "--at",
                at,
                "--seed",
                "/dev/zero",
            ],
            "J001",
        ),
    ] {
        let began = Instant::now();
        let ran = shell(limit, args, "");
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains(&format!("error[{code}")), "{args:?}: {said}");
        assert!(said.contains("--> /dev/zero:1:1"), "{args:?}: {said}");
        assert!(began.elapsed() < Duration::from_secs(10), "{args:?}");
    }
    // The same at the end of a longer input whose beginning is good text.
    for lang in ["json", "xaif"] {
        for head in ["  ", "{\\\"a\\\": [", "<a b='"] {
            let line = format!("{limit} (printf \"{head}\"; cat /dev/zero) |");
            let ran = shell(&line, &["validate", "-", "--lang", lang], "");
            assert_eq!(ran.code, Some(1), "{lang} {head}: {}{}", ran.out, ran.err);
        }
    }
}

#[test]
fn what_nests_too_deep_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("deep.json");
    let text = format!("{{\"x\": {}1{}}}", "[".repeat(300), "]".repeat(300));
    std::fs::write(&deep, text).expect("it can be written");
    let deep = deep.to_str().expect("a plain name");
    let file = "paper_example.json";
    for args in [
        &["run", file, "--at", deep][..],
        &[
            "gradient",
            file,
            "--at",
            "paper_example.point.json",
            "--seed",
            deep,
        ],
        &["validate", deep],
    ] {
        let ran = cfgrev(args);
        let said = format!("{}{}", ran.out, ran.err);
        assert_eq!(ran.code, Some(1), "{said}");
        assert!(said.contains("error[J003]"), "{said}");
        assert!(said.contains(&format!("--> {deep}:1:")), "{said}");
    }
}

/// `y = g(k)` of a global of so many elements; x is active.
fn with_global(elements: u64) -> String {
    deep().replacen(
        "\"routines\"",
        &format!(
            r#""globals": [{{"name": "g", "type": "real", "shape": [{elements}], "initial": 0.0}}], "routines""#
        ),
        1,
    )
    .replacen(
        "[[\"=\", \"y\", [\"+\",\"x\"",
        "[[\"=\", [\"[]\", \"g\", 1], \"x\"], [\"=\", \"y\", [\"+\",[\"[]\", \"g\", 1]",
        1,
    )
}

#[test]
fn all_that_a_command_takes_is_within_its_limit() {
    let at = r#"{"x": 1}"#;
    // 800 MB, in an address space of 700 MB: neither taken nor an abort.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("global.json");
    let path = file.to_str().expect("a plain name");
    let commands: &[&[&str]] = &[
        &["run", path, "--at", at],
        &["gradient", path, "--at", at],
        &["check", path, "--at", at],
        &["jacobian", path, "--at", at],
        &["tangent", path, "--at", at, "--direction", at],
    ];
    for (elements, limit) in [
        (100_000_000, "10M"),
        (100_000_000, "1G"),
        (10_000_000, "100M"),
    ] {
        std::fs::write(&file, with_global(elements)).expect("it can be written");
        for args in commands {
            let args = [*args, &["--max-memory", limit]].concat();
            let ran = shell("ulimit -v 700000;", &args, "");
            let said = &ran.err;
            let run_fits = limit == "100M" && args[0] == "run";
            assert_eq!(ran.code, Some(i32::from(!run_fits)), "{args:?}: {said}");
            assert!(run_fits || said.contains("error[X210]"), "{args:?}: {said}");
            assert!(run_fits || said.contains("  = at: "), "{args:?}: {said}");
        }
    }
}
