//! Tests against the compiler of C: the seeds that are asked for, and a file that is compiled and run.

use std::{env, fs, ops::Range, path::Path, process::Command};

/// The seeds that an environment variable names as FIRST..LAST; `None` if it is not set.
///
/// # Panics
/// The function panics if the variable says something else.
pub fn seeds(variable: &str) -> Option<Range<u64>> {
    let text = env::var(variable).ok()?;
    let number = |text: &str| text.parse().expect("a number");
    let (first, last) = text
        .split_once("..")
        .unwrap_or_else(|| panic!("{variable} is FIRST..LAST"));
    Some(number(first)..number(last))
}

/// The output of a C file that is compiled in a folder, as C99 without contraction and with these flags, and run.
///
/// # Panics
/// The function panics if the file is not compiled, or if the run fails.
pub fn printed(cc: &Path, folder: &Path, text: &str, flags: &[&str]) -> String {
    let (source, binary) = (folder.join("all.c"), folder.join("all"));
    fs::write(&source, text).expect("it can be written");
    let mut compile = Command::new(cc);
    compile.args(["-std=c99", "-O0", "-ffp-contract=off", "-w"]);
    compile.args(flags).arg("-o").arg(&binary).arg(&source);
    let out = compile.arg("-lm").output().expect("it runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{errors}");
    let out = Command::new(&binary).output().expect("it runs");
    assert!(out.status.success(), "{:?}", out.status);
    String::from_utf8(out.stdout).expect("text")
}
