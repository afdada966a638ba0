//! Starts the binary.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The folder of the example programs.
pub(crate) fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures"))
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cfgrev"));
    command
        .args(args)
        .current_dir(fixtures())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs among the example programs with this standard input.
pub(crate) fn cfgrev_with(args: &[&str], input: &[u8]) -> Ran {
    cfgrev_in(&fixtures(), args, input)
}

/// Runs in a folder with this standard input.
pub(crate) fn cfgrev_in(folder: &Path, args: &[&str], input: &[u8]) -> Ran {
    let mut child = command(args)
        .current_dir(folder)
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let output = std::thread::scope(|scope| {
        // A run that does not read its input closes the pipe: not of interest.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().expect("it ends")
    });
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

pub(crate) fn cfgrev(args: &[&str]) -> Ran {
    cfgrev_with(args, b"")
}

/// Compares with a file of `tests/golden`; BLESS=1 rewrites it.
pub(crate) fn golden(name: &str, text: &str) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "{path} differs (BLESS=1 rewrites it):\n{text}"
    );
}
