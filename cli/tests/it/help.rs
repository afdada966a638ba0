//! Help, versions, explanations, completions, manual pages, usage errors.

use crate::run_tool::{cfgrev, cfgrev_with, command};

const COMMANDS: &[&str] = &[
    "validate",
    "reverse",
    "tangent",
    "run",
    "gradient",
    "check",
    "jacobian",
    "bench",
    "preaccumulate",
    "corpus",
    "convert",
    "dot",
    "schedule",
    "schema",
    "explain",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_with_an_example() {
    let all = cfgrev(&["--help"]);
    assert_eq!(all.code, Some(0));
    for name in COMMANDS {
        assert!(all.out.contains(&format!("\n  {name} ")), "{name}");
        let help = cfgrev(&[name, "--help"]);
        assert_eq!((help.code, help.err.as_str()), (Some(0), ""), "{name}");
        let example = help.out.split("Example").nth(1).unwrap_or_default();
        assert!(example.contains(&format!("cfgrev {name}")), "{}", help.out);
    }
}

#[test]
fn the_version_names_program_and_format() {
    let version = cfgrev(&["--version"]);
    let expected = format!(
        "cfgrev {} (program format cfgrev/1)\n",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!((version.code, version.out), (Some(0), expected));
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let cases: &[(&[&str], &str)] = &[
        (&[], "Usage"),
        (&["frobnicate"], "unrecognized subcommand"),
        (&["validate"], "<FILE>"),
        (&["validate", "program.bin"], "--lang"),
        (
            &["validate", "a.json", "--diagnostics", "xml"],
            "invalid value",
        ),
        (
            &["reverse", "paper_example.json", "--emit", "dot,json"],
            "-o DIR",
        ),
        (&["explain", "Z999"], "Z999"),
        (&["explain", "operator"], "did you mean `operators`?"),
        (&["validate", "-", "-"], "only once"),
        (
            &["convert", "f.json", "--to", "text", "--routine", "f"],
            "--to dot",
        ),
        (&["convert", "f.json", "--to", "text", "--checks"], "--to c"),
        (&["convert", "f.json", "--to", "text", "--header"], "--to c"),
        (&["reverse", "f.json", "--header"], "--emit c"),
        (&["tangent", "f.json", "--header"], "--emit c"),
        (&["reverse", "f.json", "--checks"], "--emit c"),
        (&["tangent", "f.json", "--checks"], "--emit c"),
        (&["reverse", "f.json", "--directions"], "--emit c"),
        (&["reverse", "f.json", "--directions=0"], "from 1 to"),
        (
            &["reverse", "f.json", "--directions=2", "--emit", "dot"],
            "one program to write",
        ),
        (
            &["reverse", "f.json", "--directions=2", "-o", "d"],
            "one program to write",
        ),
        (
            &[
                "tangent",
                "f.json",
                "--directions=2",
                "--at",
                "{}",
                "--direction",
                "{}",
            ],
            "one program to write",
        ),
        (&["tangent", "f.json", "--extern-globals"], "--emit c"),
        (&["reverse", "f.json", "--origins"], "--emit c"),
        (&["tangent", "f.json", "--replace"], "--emit c"),
        (&["reverse", "f.json", "--size", "x=n"], "--emit c"),
        (&["tangent", "f.json", "--runtime", "none"], "--emit c"),
        (&["reverse", "f.json", "--functions", "grad"], "--emit c"),
        (&["reverse", "f.json", "--prefix"], "--emit c"),
        (
            &["reverse", "f.json", "--emit", "c", "--functions", "fwd"],
            "fwd and rev",
        ),
        (
            &["convert", "f.json", "--to", "c", "--runtime", "file"],
            "-o DIR",
        ),
        (&["convert", "f.json", "--to", "text", "--line"], "--to c"),
    ];
    for (args, part) in cases {
        let ran = cfgrev(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.err.contains(part), "{args:?}: {}", ran.err);
    }
}

/// Errors in a command line show the usage of the command, whether clap or cfgrev finds them.
#[test]
fn errors_show_the_usage_of_their_command() {
    let cases: &[&[&str]] = &[
        &["validate", "program.bin"],
        &["reverse", "paper_example.json", "--emit", "dot,json"],
        &["reverse", "--no-such-option"],
        &["preaccumulate", "graphs/lion.json", "--vertex", "1"],
        &["gradient", "-", "--at", "-"],
        &["explain", "Z999"],
    ];
    for args in cases {
        let ran = cfgrev(args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        let usage = format!("Usage: cfgrev {} ", args[0]);
        assert!(ran.err.contains(&usage), "{args:?}: {}", ran.err);
    }
}

#[test]
fn pages_hold_what_messages_refer_to() {
    let list = cfgrev(&["explain"]).out;
    for (page, part) in [
        ("operators", "`atan2`"),
        ("statements", "[\"call\", "),
        ("vertices", "ENDBRANCH"),
        ("points", "\"NaN\""),
        ("format", "# The program format"),
        ("elementals", "# Elemental functions"),
        ("xaif", "# XAIF"),
        ("limits", "# Limits"),
    ] {
        assert!(list.contains(&format!("\n{page}  ")), "{page}");
        let ran = cfgrev(&["explain", page]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{page}");
        assert!(ran.out.contains(part), "{page}: {}", ran.out);
    }
}

#[test]
fn every_code_is_explained() {
    let list = cfgrev(&["explain"]);
    assert_eq!(list.code, Some(0));
    let codes: Vec<&str> = list
        .out
        .lines()
        .filter_map(|l| l.split(' ').next())
        .collect();
    for prefix in ["F", "J", "L", "P", "R", "T", "V", "X"] {
        assert!(codes.iter().any(|c| c.starts_with(prefix)), "{prefix}");
    }
    let one = cfgrev(&["explain", &codes[0].to_lowercase()]);
    assert_eq!(one.code, Some(0));
    assert!(
        one.out.starts_with(codes[0]) && one.out.contains("Rule: "),
        "{}",
        one.out
    );
}

#[test]
fn completions_manual_and_schema() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = cfgrev(&["completions", shell]);
        assert_eq!((script.code, script.err.as_str()), (Some(0), ""), "{shell}");
        assert!(script.out.contains("reverse"), "{shell}");
    }
    let page = cfgrev(&["man"]);
    assert_eq!(page.code, Some(0));
    assert!(page.out.contains(".TH CFGREV 1"), "{}", page.out);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a plain name");
    assert_eq!(cfgrev(&["man", "-o", path]).code, Some(0));
    for name in COMMANDS {
        let page = folder.path().join(format!("cfgrev-{name}.1"));
        let text = std::fs::read_to_string(page).expect("the page exists");
        assert!(text.contains(&format!("cfgrev\\-{name}")), "{text}");
    }
    let schema = cfgrev(&["schema"]);
    assert_eq!(schema.code, Some(0));
    let value: serde_json::Value = serde_json::from_str(&schema.out).expect("it is JSON");
    assert!(value.get("$id").is_some());
}

/// Every command, and what else prints: each writes to standard output, some more than a pipe holds.
const PRINTING: &[&[&str]] = &[
    &["--help"],
    &["-h"],
    &["--version"],
    &["help", "reverse"],
    &["reverse", "--help"],
    &["validate", "invalid/validation/before_definition.json"],
    &["reverse", "paper_example.json"],
    &["tangent", "paper_example.json"],
    &["run", "burgers.json", "--at", "burgers.point.json"],
    &["gradient", "burgers.json", "--at", "burgers.point.json"],
    &["check", "burgers.json", "--at", "burgers.point.json"],
    &["jacobian", "burgers.json", "--at", "burgers.point.json"],
    &[
        "bench",
        "burgers.json",
        "--at",
        "burgers.point.json",
        "--samples",
        "1",
        "--sample-time",
        "1",
        "--cc-no-cache",
    ],
    &["preaccumulate", "burgers.json"],
    &["preaccumulate", "graphs/lion.json", "--format", "json"],
    &["corpus", "xaif"],
    &["convert", "burgers.json", "--to", "json"],
    &["dot", "burgers.json"],
    &["schedule", "30", "4"],
    &["schema"],
    &["explain"],
    &["explain", "V101"],
    &["completions", "zsh"],
    &["man"],
];

#[test]
fn a_closed_standard_output_ends_quietly() {
    for name in COMMANDS {
        assert!(PRINTING.iter().any(|args| args[0] == *name), "{name}");
    }
    for args in PRINTING {
        // The reading end is closed before the command starts, so the outcome does not depend on timing.
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let ended = command(args).stdout(writer).output();
        let ended = ended.expect("the binary starts");
        let err = String::from_utf8(ended.stderr).expect("messages are UTF-8");
        assert_eq!(
            (ended.status.code(), err.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    for args in PRINTING {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let ran = command(args)
            .stdin(std::process::Stdio::null())
            .stdout(full.expect("the device is there"))
            .output()
            .expect("the binary starts");
        let err = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(1), "{args:?}: {err}");
        let what = "error[P403]: cannot write standard output";
        assert!(err.contains(what), "{args:?}: {err}");
    }
}

#[test]
fn colours_only_where_they_are_wanted() {
    let plain = cfgrev(&["validate", "no such file.json"]);
    assert!(!plain.out.contains('\u{1b}'), "{}", plain.out);
    let coloured = cfgrev(&["validate", "no such file.json", "--color", "always"]);
    assert!(coloured.out.contains('\u{1b}'), "{}", coloured.out);
}

#[test]
fn control_characters_of_inputs_do_not_reach_the_terminal() {
    let text = "{\"format\": \"cfgrev/1\", \"\\u001b[31mroutines\": []}";
    let ran = cfgrev_with(&["validate", "-"], text.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
}
