//! Waits for compiler and program, up to a time limit and up to a signal.

use crate::{Compiler, codes, problem};
use cfg_core::diagnostic::Diagnostics;
use cfg_exec::{Progress, Report};
use std::{
    fmt::Debug,
    io::{self, BufRead as _, BufReader, Read, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A source of requests to stop, such as signals.
pub trait Watch: Debug + Send + Sync {
    /// Begins a time in which this process must not end by itself, because children have to be ended and files
    /// removed first.
    ///
    /// # Errors
    /// The system does not tell of signals.
    fn begin(&self) -> io::Result<Box<dyn Watching>>;
}

/// A time in which this process may not end; it is over when this is dropped.
pub trait Watching {
    /// True if a request to stop has come.
    fn stopped(&self) -> bool;
}

/// A watch without requests.
struct Nobody;

impl Watching for Nobody {
    fn stopped(&self) -> bool {
        false
    }
}

/// The longest time between two checks for a signal.
const STEP: Duration = Duration::from_millis(20);

pub(crate) fn watching(compiler: &Compiler) -> Result<Box<dyn Watching>, Diagnostics> {
    begin(compiler.watch.as_ref())
}

fn begin(watch: Option<&Arc<dyn Watch>>) -> Result<Box<dyn Watching>, Diagnostics> {
    let Some(watch) = watch else {
        return Ok(Box::new(Nobody));
    };
    let help = "report it with the name of the system";
    watch
        .begin()
        .map_err(|e| problem(&codes::PROCESS, e.to_string(), help))
}

fn stopped() -> Diagnostics {
    problem(
        &codes::STOPPED,
        "stopped by a signal".into(),
        "start it again",
    )
}

/// How a command has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    /// By itself.
    With(ExitStatus),
    /// After the limit.
    Late,
}

/// Runs a command to its end. A signal, or the limit, kills it together with the processes that it has started.
pub(crate) fn finish(
    command: &mut Command,
    watching: &dyn Watching,
    limit: Option<Duration>,
) -> io::Result<Result<Ended, Diagnostics>> {
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    let mut child = command.stdin(Stdio::null()).spawn()?;
    let mut step = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(Ended::With(status)));
        }
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_late || watching.stopped() {
            #[cfg(unix)]
            if let Some(group) = i32::try_from(child.id())
                .ok()
                .and_then(rustix::process::Pid::from_raw)
            {
                // The processes may have ended meanwhile: then this fails, without harm.
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _ = child.kill();
            child.wait()?;
            return Ok(match is_late {
                true => Ok(Ended::Late),
                false => Err(stopped()),
            });
        }
        thread::sleep(step);
        step = STEP.min(step * 2);
    }
}

/// An executable file.
pub(crate) struct Made {
    pub(crate) path: PathBuf,
    /// The temporary folder of the file; `None` if the file is in the cache.
    pub(crate) folder: Option<TempDir>,
}

/// A program that waits for requests.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    limit: Option<Duration>,
    watch: Option<Arc<dyn Watch>>,
    /// The folder of the executable, on systems where the file of a running program cannot be removed.
    _folder: Option<TempDir>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process ends with its input, and is killed if it hangs; `kill` fails, without harm, if it has ended.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How an exchange has ended.
enum End<T> {
    Answered(io::Result<T>),
    Late,
    Stopped,
}

/// Tells the progress that a process writes on standard error, and passes on all else.
fn pass_on(errors: impl Read, report: &Report) {
    for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
        match progress(&line) {
            Some(progress) => report.tell(progress),
            None => {
                // Where standard error is closed, nobody misses the line.
                let _ = io::stderr().write_all(&[&line[..], b"\n"].concat());
            }
        }
    }
}

/// The progress that a line tells.
fn progress(line: &[u8]) -> Option<Progress> {
    let numbers = std::str::from_utf8(line)
        .ok()?
        .strip_prefix("cfgrev-progress ")?;
    let numbers: Vec<i64> = (numbers.split(' ').map(str::parse))
        .collect::<Result<_, _>>()
        .ok()?;
    let [run, reversed, steps] = numbers[..] else {
        return None;
    };
    Some(Progress {
        run,
        reversed,
        steps,
    })
}

impl Process {
    pub(crate) fn start(made: Made, compiler: &Compiler) -> Result<Self, Diagnostics> {
        let Made { path, folder } = made;
        let help =
            "allow programs to be run in the folder for temporary files and in the cache folder";
        let failed = |e: io::Error| {
            let message = format!("what was compiled cannot be started: {e}");
            problem(&codes::PROCESS, message, help)
        };
        let mut command = Command::new(&path);
        match &compiler.restart {
            Some(restart) => command.env("CFGREV_RESTART", &restart.file).env(
                "CFGREV_RESTART_SECONDS",
                match restart.seconds {
                    // 0 is the default of the C.
                    0 => "-1".to_owned(),
                    seconds => seconds.to_string(),
                },
            ),
            None => command.env_remove("CFGREV_RESTART"),
        };
        command.envs(compiler.disk.iter().map(|folder| ("TMPDIR", folder)));
        match compiler.report {
            Some(_) => command.env("CFGREV_PROGRESS", "1").stderr(Stdio::piped()),
            None => command.env_remove("CFGREV_PROGRESS"),
        };
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(failed)?;
        if let (Some(errors), Some(report)) = (child.stderr.take(), compiler.report.clone()) {
            // The thread ends with the process.
            thread::spawn(move || pass_on(errors, &report));
        }
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        // On Unix the file of a running program may be removed: it is at once, so that nothing is left if this
        // process is killed.
        let folder = folder.filter(|_| !cfg!(unix));
        Ok(Self {
            child,
            input: Some(input),
            output: BufReader::new(output),
            limit: compiler.limit,
            watch: compiler.watch.clone(),
            _folder: folder,
        })
    }

    /// Sends a request and reads the answer.
    pub(crate) fn exchange<T: Send>(
        &mut self,
        name: &str,
        request: &[u8],
        read: impl FnOnce(&mut dyn Read) -> io::Result<T> + Send,
    ) -> Result<T, Diagnostics> {
        let watching = begin(self.watch.as_ref())?;
        let deadline = self
            .limit
            .and_then(|limit| Instant::now().checked_add(limit));
        let (child, input, output) = (&mut self.child, self.input.as_mut(), &mut self.output);
        let end = thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            scope.spawn(move || {
                let sent = input.ok_or_else(|| io::ErrorKind::BrokenPipe.into());
                let sent =
                    sent.and_then(|input| input.write_all(request).and_then(|()| input.flush()));
                // After a signal the receiver is gone.
                let _ = sender.send(sent.and_then(|()| read(output)));
            });
            let end = loop {
                let left =
                    deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
                match receiver.recv_timeout(left.map_or(STEP, |left| left.min(STEP))) {
                    Ok(answer) => return End::Answered(answer),
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        return End::Answered(Err(io::ErrorKind::BrokenPipe.into()));
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) if watching.stopped() => {
                        break End::Stopped;
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) if left == Some(Duration::ZERO) => {
                        break End::Late;
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
            };
            // The pipes of the killed process break, so that the thread above ends. `kill` fails, without harm, if
            // the process has ended.
            let _ = child.kill();
            end
        });
        match end {
            End::Answered(Ok(answer)) => Ok(answer),
            End::Answered(Err(_)) if watching.stopped() => Err(stopped()),
            End::Answered(Err(e)) => Err(self.ended(name, &e)),
            End::Stopped => Err(stopped()),
            End::Late => {
                let limit = self.limit.unwrap_or_default().as_secs_f64();
                let message = format!("`{name}` has not ended after {limit} seconds");
                Err(problem(
                    &codes::TIME,
                    message,
                    "allow more time, or run it with the executor, which says where it is",
                ))
            }
        }
    }

    /// Says how the process has ended.
    fn ended(&mut self, name: &str, why: &io::Error) -> Diagnostics {
        drop(self.input.take());
        let mut status = None;
        for _ in 0..50 {
            status = self.child.try_wait().ok().flatten();
            if status.is_some() {
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let how = status.map_or_else(|| why.to_string(), |status| status.to_string());
        let message = format!("the process that runs `{name}` has ended: {how}");
        problem(
            &codes::PROCESS,
            message,
            "a program with run-time errors is run with the executor, which names the place",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_progress() {
        let found = progress(b"cfgrev-progress 7 0 30");
        let expected = Progress {
            run: 7,
            reversed: 0,
            steps: 30,
        };
        assert_eq!(found, Some(expected));
        for other in [
            "",
            "cfgrev-progress 7 0",
            "cfgrev-progress 7 0 30 1",
            "cfgrev-progress 7 0 x",
            "7 0 30",
        ] {
            assert_eq!(progress(other.as_bytes()), None, "{other}");
        }
    }
}
