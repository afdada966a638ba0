//! Requirements of tests on the machine: compilers, Graphviz, the corpus, a small file system, memory.
//!
//! A test that needs a tool asks for it here and returns if the tool is missing. The reason is then printed past the
//! capture of the test runner, and `./test` counts it. The environment variable CFGREV_REQUIRE lists what must be
//! there, `cc,dot,corpus`: then its absence is a failure. Nothing is ever installed.
//!
//! ```
//! # fn main() {
//! let Some(compiler) = cfg_testkit::needs::tool("cc") else {
//!     return;
//! };
//! assert!(compiler.is_file());
//! # }
//! ```

use std::{
    env,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

/// The tools that tests ask for, and the commands of which one must be found for each.
const TOOLS: &[(&str, &[&str])] = &[
    ("cc", &["cc", "gcc", "clang"]),
    ("clang", &["clang"]),
    ("c++", &["c++", "g++", "clang++"]),
    ("dot", &["dot"]),
    ("jdk", &["javac"]),
    (
        "browser",
        &["chromium", "chromium-browser", "google-chrome", "firefox"],
    ),
    ("python", &["python3", "python"]),
];

/// The name of the corpus in CFGREV_REQUIRE.
const CORPUS: &str = "corpus";

/// The name of a small file system in CFGREV_REQUIRE.
const SMALL_DISK: &str = "small-disk";

/// The name of memory that is not made executable in CFGREV_REQUIRE.
const PLAIN_MEMORY: &str = "plain-memory";

/// The command for a tool: `cc`, `clang`, `c++`, `dot`, `jdk`, `browser` or `python`. `None`, after saying so, if it is
/// not on the PATH.
///
/// # Panics
/// The tool is not there although CFGREV_REQUIRE lists it, or tests know no such tool.
#[track_caller]
pub fn tool(name: &str) -> Option<PathBuf> {
    let Some((_, commands)) = TOOLS.iter().find(|tool| tool.0 == name) else {
        panic!("no tool is called {name:?}");
    };
    let found = first_of(commands);
    found.or_else(|| missing(name, &format!("{} is not on the PATH", commands[0])))
}

/// A folder of the corpus, such as `openad`: below CFGREV_CORPUS, or in `shared/corpus` beside the
/// repository. `None`, after saying so, if it is not there.
///
/// # Panics
/// The folder is not there although CFGREV_REQUIRE lists the corpus.
#[track_caller]
pub fn corpus(folder: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let given = env::var_os("CFGREV_CORPUS").filter(|root| !root.is_empty());
    let folder = given.map_or(beside, PathBuf::from).join(folder);
    if folder.is_dir() {
        return Some(folder);
    }
    let why = format!("{} is not there (set CFGREV_CORPUS)", folder.display());
    missing(CORPUS, &why)
}

/// A command that runs another one, its arguments, with a file system of 256 KiB in this folder. Others do not see
/// that, and it goes with the command. `None`, after saying so, if none can be mounted.
///
/// # Panics
/// None can be mounted although CFGREV_REQUIRE lists `small-disk`.
#[track_caller]
pub fn small_disk(folder: &Path) -> Option<Command> {
    const MOUNT: &str = "mount -t tmpfs -o size=256k tmpfs \"$0\" && exec \"$@\"";
    // Users may mount where they are root of a name space; root may without.
    let ways: [&[&str]; 2] = [&["--map-root-user", "--mount"], &["--mount"]];
    let command = |way: &&[&str]| {
        let mut command = Command::new("unshare");
        command.args(*way).args(["sh", "-c", MOUNT]).arg(folder);
        command
    };
    let works = |way: &&&[&str]| {
        let mut tried = command(way);
        tried
            .arg("true")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        tried.status().is_ok_and(|status| status.success())
    };
    let found = ways.iter().find(works).map(command);
    found.or_else(|| {
        missing(
            SMALL_DISK,
            "no file system can be mounted (unshare --mount)",
        )
    })
}

/// A command that runs another one, its arguments, for which the system makes no memory executable. `None`, after
/// saying so, if the system has no such processes (Linux 6.3 has).
///
/// # Panics
/// There are none although CFGREV_REQUIRE lists `plain-memory`.
#[track_caller]
pub fn plain_memory() -> Option<Command> {
    // The number is that of PR_SET_MDWE.
    const REFUSE: &str = "import ctypes, os, sys\n\
        if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0): sys.exit(1)\n\
        os.execvp(sys.argv[1], sys.argv[1:])";
    let command = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", REFUSE]);
        command
    };
    let python = first_of(&["python3"]);
    let works = |python: &PathBuf| {
        let mut tried = command(python);
        tried.arg("true").stderr(Stdio::null());
        tried.status().is_ok_and(|status| status.success())
    };
    let found = python.filter(works).map(|python| command(&python));
    found.or_else(|| missing(PLAIN_MEMORY, "memory is executable (prctl, by python3)"))
}

/// Says that the test is skipped, or fails it.
#[track_caller]
fn missing<T>(name: &str, why: &str) -> Option<T> {
    let required = env::var("CFGREV_REQUIRE").unwrap_or_default();
    let current = thread::current();
    let test = current.name().unwrap_or("a test");
    assert!(!is_required(&required, name), "{test} needs {name}: {why}");
    // Not by eprintln!, which the test runner captures. A failure to write is ignored.
    let _ = io::stderr().write_all(format!("skipped: {test} needs {name}: {why}\n").as_bytes());
    None
}

/// True if the list names this.
///
/// # Panics
/// The list names something that no test could need: a misspelt name would require nothing.
#[track_caller]
fn is_required(list: &str, name: &str) -> bool {
    let mut names = list.split(',').map(str::trim).filter(|n| !n.is_empty());
    let unknown = |n: &&str| {
        let is_tool = TOOLS.iter().any(|tool| tool.0 == *n);
        !is_tool && ![CORPUS, SMALL_DISK, PLAIN_MEMORY].contains(n)
    };
    if let Some(unknown) = names.clone().find(unknown) {
        panic!("CFGREV_REQUIRE names {unknown:?}, which no test needs");
    }
    names.any(|n| n == name)
}

/// The first of some commands that is on the PATH. This is for tests that can use any of them: list the quickest
/// first. Nothing is printed if none is found.
#[must_use]
pub fn first_of(commands: &[&str]) -> Option<PathBuf> {
    commands.iter().find_map(|command| on_path(command))
}

/// The file of a command on the PATH.
fn on_path(command: &str) -> Option<PathBuf> {
    let file = format!("{command}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(&file))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required() {
        for (list, name, required) in [
            ("", "cc", false),
            ("cc", "cc", true),
            ("dot, cc,corpus", "cc", true),
            ("dot,corpus", "cc", false),
            ("dot,corpus", "corpus", true),
            (",", "dot", false),
        ] {
            assert_eq!(is_required(list, name), required, "{list:?} {name}");
        }
        let misspelt = std::panic::catch_unwind(|| is_required("gcc", "cc"));
        assert!(misspelt.is_err());
    }

    #[test]
    fn commands_are_files_on_the_path() {
        assert_eq!(on_path("no command is called like this"), None);
        assert_eq!(on_path(""), None);
        if cfg!(unix) {
            assert!(on_path("sh").is_some_and(|sh| sh.is_file()));
        }
    }
}
