//! The functions of the C library that the front end has in C, against the C library.

use cfg_testkit::needs;
use std::{path::Path, process::Command};

#[test]
fn functions_in_c_are_those_of_the_library() {
    let Some(cc) = needs::tool("cc") else { return };
    for source in ["library", "texts", "complex"] {
        compare(&cc, source);
    }
}

/// Compiles a file of comparisons and runs it.
fn compare(cc: &Path, source: &str) {
    let place = tempfile::tempdir().expect("a folder");
    let binary = place.path().join("library");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{source}.c"));
    let mut compile = Command::new(cc);
    compile.args(["-O0", "-fno-builtin", "-ffp-contract=off", "-w", "-o"]);
    let out = compile.arg(&binary).arg(&source).arg("-lm").output();
    let out = out.expect("it runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let out = Command::new(&binary).output().expect("it runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stdout)
    );
}
