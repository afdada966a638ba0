//! Strict compilation of C: emitted C must be C99 without a warning.

use std::{path::Path, process::Command};

/// The flags under which a warning counts as an error.
pub const FLAGS: [&str; 5] = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Runs a compiler in a folder with [`FLAGS`] and these arguments.
///
/// # Panics
/// The compiler fails; the message has its output and the name of the compiled text.
#[track_caller]
pub fn compile(what: &str, folder: &Path, cc: &Path, arguments: &[&str]) {
    let ran = Command::new(cc)
        .current_dir(folder)
        .args(FLAGS)
        .args(arguments)
        .output()
        .unwrap_or_else(|e| panic!("{what}: {}: {e}", cc.display()));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{what}: {said}");
}
