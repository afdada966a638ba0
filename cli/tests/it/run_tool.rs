//! Starts the binary.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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
    let child = command(args)
        .current_dir(folder)
        .spawn()
        .expect("the binary starts");
    finish(child, input)
}

/// Feeds a run its standard input and waits for its end.
fn finish(mut child: Child, input: &[u8]) -> Ran {
    let mut stdin = child.stdin.take().expect("it is piped");
    let output = std::thread::scope(|scope| {
        // A run that does not read its input breaks the pipe, which is no failure.
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

/// Runs with a limit of processor time in seconds: a process beyond it is ended by a signal and has no exit code.
/// Processor time does not depend on how busy the machine is.
pub(crate) fn cfgrev_within(seconds: u32, args: &[&str], input: &[u8]) -> Ran {
    let mut child = if cfg!(unix) {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("ulimit -t {seconds}; exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_cfgrev"))
            .args(args)
            .current_dir(fixtures())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        shell
    } else {
        command(args)
    };
    finish(child.spawn().expect("the binary starts"), input)
}

pub(crate) fn cfgrev(args: &[&str]) -> Ran {
    cfgrev_with(args, b"")
}

/// The files that a command writes to a new folder, which is removed with the value.
pub(crate) struct Written {
    args: Vec<String>,
    folder: tempfile::TempDir,
}

impl Written {
    /// Runs with this folder for output, and without a message.
    #[track_caller]
    pub(crate) fn by(args: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_str().expect("a plain name");
        let args = args.iter().copied().chain(["-o", path]);
        let args = args.map(str::to_owned).collect();
        let written = Self { args, folder };
        let ran = written.again(&[]);
        let quiet = (Some(0), "", "");
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), quiet);
        written
    }

    /// Runs once more, with these arguments too.
    pub(crate) fn again(&self, more: &[&str]) -> Ran {
        let args = self.args.iter().map(String::as_str);
        cfgrev(&args.chain(more.iter().copied()).collect::<Vec<_>>())
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        path.to_str().expect("a plain name").to_owned()
    }

    /// What a file holds.
    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// How many files there are.
    pub(crate) fn count(&self) -> usize {
        self.folder.path().read_dir().expect("a folder").count()
    }
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
