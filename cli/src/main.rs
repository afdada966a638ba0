//! The `cfgrev` command line.
//!
//! Every command reads, calls one library function, and writes. Results go to standard output, everything
//! for people to standard error. Exit codes: 0 done, 1 the input is wrong or a check failed, 2 the command
//! line is wrong, 3 a check found nothing to compare. A closed standard output ends the program quietly with 0.

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod args;
mod codes;
mod commands;
mod compiled;
mod input;
mod kind;
mod machine_code;
mod npy;
mod output;
mod physical_memory;
mod points;
mod progress;
mod registry;
mod report;
mod short;
mod signals;
mod stdout;

use anyhow::Error;
use args::Cli;
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_core::text::Visible;
use clap::{CommandFactory as _, FromArgMatches as _, error::ErrorKind};
use input::{Session, Usage};
use report::Reporter;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// The outcome of a command that ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Exit code 0.
    Done,
    /// A check failed, and the result says how: exit code 1.
    Failed,
    /// A check could not compare anything: exit code 3.
    Unknown,
}

/// Bytes of the stack that commands work on. The one that the system gives may be smaller than it takes to read
/// an expression.
const STACK: usize = 16 << 20;

fn main() -> ExitCode {
    keep_panic_message();
    let work = std::thread::Builder::new().stack_size(STACK);
    let ended = match work.spawn(run) {
        Ok(work) => work.join(),
        Err(error) => {
            let diagnostic = Diagnostic::error(
                &codes::NO_THREAD,
                format!("the system gives no thread: {error}"),
                "allow more memory (ulimit -v) or more threads (ulimit -u)",
            );
            Session::new(Reporter::plain()).report(&diagnostic.into());
            return ExitCode::FAILURE;
        }
    };
    ended.unwrap_or_else(|_| internal(panic_message(), &Session::new(Reporter::plain())))
}

fn run() -> ExitCode {
    // Compilers have `-include` with one dash, which clap would read as a row of letters.
    let arguments = std::env::args_os().map(|argument| match argument.to_str() {
        Some("-include") => "--include".into(),
        _ => argument,
    });
    let parsed = Cli::command()
        .try_get_matches_from(arguments)
        .and_then(|matches| {
            let name = matches.subcommand_name().unwrap_or_default().to_owned();
            Ok((Cli::from_arg_matches(&matches)?, name))
        });
    let (cli, command) = match parsed {
        Ok(parsed) => parsed,
        // A wrong command line; a failure to print the message is ignored.
        Err(e) if e.use_stderr() => {
            complain(&e);
            return ExitCode::from(2);
        }
        Err(help_or_version) => {
            let printed = stdout::open()
                .and_then(|()| help_or_version.print())
                .and_then(|()| io::stdout().flush());
            let session = Session::new(Reporter::plain());
            return match printed.map_err(output::stdout_failed) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => fail(error, "", &session),
            };
        }
    };
    let session = Session::new(Reporter::new(&cli.common));
    let done = catch_unwind(AssertUnwindSafe(|| commands::run(&cli.command, &session)));
    session.report_refusal();
    match done {
        Ok(Ok(Outcome::Done)) => ExitCode::SUCCESS,
        Ok(Ok(Outcome::Failed)) => ExitCode::FAILURE,
        Ok(Ok(Outcome::Unknown)) => ExitCode::from(3),
        Ok(Err(error)) => fail(error, &command, &session),
        Err(_) => internal(panic_message(), &session),
    }
}

/// Prints what is wrong with the command line, made harmless for a terminal: the message quotes the command line,
/// which may have any characters.
fn complain(error: &clap::Error) {
    let plain = error.render().to_string();
    let shown = Visible(&plain).to_string();
    let _ = if plain == shown {
        error.print()
    } else {
        io::stderr().write_all(shown.as_bytes())
    };
}

/// The message of the last panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn panic_message() -> String {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Keeps the message of a panic instead of printing it.
fn keep_panic_message() {
    std::panic::set_hook(Box::new(|info| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
}

/// Reports what ended a command.
fn fail(error: Error, command: &str, session: &Session) -> ExitCode {
    let error = match error.downcast::<Diagnostics>() {
        Ok(diagnostics) => {
            session.report(&diagnostics);
            return ExitCode::FAILURE;
        }
        Err(error) => error,
    };
    if let Some(Usage(message)) = error.downcast_ref() {
        // With the usage of the command itself.
        let mut all = Cli::command().color(session.reporter.color);
        all.build();
        let found = all.find_subcommand(command).cloned();
        let mut command = found.unwrap_or(all);
        complain(&command.error(ErrorKind::ValueValidation, Visible(message)));
        return ExitCode::from(2);
    }
    let closed = error
        .chain()
        .filter_map(|e| e.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe);
    if closed {
        return ExitCode::SUCCESS;
    }
    internal(format!("{error:#}"), session)
}

fn internal(message: String, session: &Session) -> ExitCode {
    let diagnostic = Diagnostic::error(
        &codes::INTERNAL,
        message,
        "please report it together with the input",
    );
    session.report(&diagnostic.into());
    ExitCode::FAILURE
}
