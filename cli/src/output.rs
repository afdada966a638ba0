//! The places that results go to: standard output, and files that are complete or absent.

use crate::signals::Waiting;
use crate::{codes, stdout};
use anyhow::Context as _;
use cfg_core::diagnostic::{CodeInfo, Diagnostic, Diagnostics};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a result to standard output through a buffer.
pub(crate) fn to_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    stdout::open()
        .and_then(|()| write(&mut out))
        .and_then(|()| out.flush())
        .map_err(stdout_failed)
}

/// The error that ends a command that could not write its result.
pub(crate) fn stdout_failed(error: io::Error) -> anyhow::Error {
    cannot_write("standard output", error)
}

/// A closed pipe stays an I/O error, which ends the program quietly; everything else is a diagnostic.
fn cannot_write(target: &str, error: io::Error) -> anyhow::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return error.into();
    }
    // A result that has no counterpart in the form says so itself.
    let cause = error.get_ref();
    if let Some(problem) = cause.and_then(|cause| cause.downcast_ref::<Diagnostic>()) {
        return Diagnostics::from(problem.clone()).into();
    }
    problem(
        &codes::UNWRITABLE,
        format!("cannot write {target}: {error}"),
        "check the folder, its permissions and the room on the disk",
    )
}

/// The error that consists of one diagnostic.
pub(crate) fn problem(
    info: &CodeInfo,
    message: impl Into<String>,
    help: impl Into<String>,
) -> anyhow::Error {
    Diagnostics::from(Diagnostic::error(info, message, help)).into()
}

/// Creates the folder, with its parents.
pub(crate) fn create_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| cannot_write(&folder.display().to_string(), e))
}

/// Fails if a file that would be written exists.
pub(crate) fn refuse_existing(path: &Path, force: bool) -> anyhow::Result<()> {
    // symlink_metadata: a dangling link is something that exists, too.
    if !force && path.symlink_metadata().is_ok() {
        return Err(problem(
            &codes::EXISTS,
            format!("{} exists", path.display()),
            "choose another folder, or replace the file with --force",
        ));
    }
    Ok(())
}

/// True if a file that several commands write alike is to be written: it is not there, or may be replaced.
///
/// # Errors
/// Another file is there that may not be replaced.
pub(crate) fn is_missing(path: &Path, force: bool, text: &str) -> anyhow::Result<bool> {
    if std::fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(false);
    }
    refuse_existing(path, force)?;
    Ok(true)
}

/// Writes a file: to a temporary one in the same folder, renamed when it is complete.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the standard library may add kinds of errors"
)]
pub(crate) fn to_file(
    path: &Path,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    refuse_existing(path, force)?;
    let name = path.display().to_string();
    let folder = path
        .parent()
        .with_context(|| format!("{name} is in no folder"))?;
    // A signal ends the program when this is dropped, after the temporary file.
    let waiting = Waiting::start().map_err(|e| cannot_write(&name, e))?;
    let attempt = || -> io::Result<tempfile::NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cfgrev-").suffix(".tmp");
        #[cfg(unix)]
        {
            // The permissions of ordinary files; the process's mask is applied.
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder)?;
        let watched = Watched {
            out: file.as_file_mut(),
            waiting: &waiting,
        };
        let mut out = BufWriter::with_capacity(1 << 16, watched);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        waiting.check()?;
        Ok(file)
    };
    // A broken pipe here is an error like any other: only for standard output does it end the program quietly.
    let finish = |e: io::Error| match e.kind() {
        io::ErrorKind::BrokenPipe => cannot_write(&name, io::Error::other(e)),
        _ => cannot_write(&name, e),
    };
    let file = attempt().map_err(finish)?;
    if force {
        file.persist(path).map_err(|e| finish(e.error))?;
    } else {
        // Fails if another process has created the file meanwhile.
        file.persist_noclobber(path)
            .map_err(|e| match e.error.kind() {
                io::ErrorKind::AlreadyExists => problem(
                    &codes::EXISTS,
                    format!("{name} exists"),
                    "choose another folder, or replace the file with --force",
                ),
                _ => finish(e.error),
            })?;
    }
    Ok(())
}

/// A file that is written until a signal comes.
struct Watched<'a> {
    out: &'a mut std::fs::File,
    waiting: &'a Waiting,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.check()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A file name made of a routine's name: what may be special to a file system is replaced.
pub(crate) fn file_stem(routine: &str) -> String {
    let mut stem: String = routine
        .chars()
        .take(100)
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if stem.is_empty() || stem.starts_with('-') {
        stem.insert(0, '_');
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_stay_in_their_folder() {
        assert_eq!(file_stem("f_fwd"), "f_fwd");
        assert_eq!(file_stem("../../etc/passwd"), "______etc_passwd");
        assert_eq!(file_stem(""), "_");
        assert_eq!(file_stem("-rf"), "_-rf");
        assert_eq!(file_stem(&"é".repeat(10_000)), "_".repeat(100));
    }

    #[test]
    fn files_are_complete_or_absent() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f.json");
        let half = to_file(&path, false, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        let message = half.expect_err("the write failed").to_string();
        assert!(
            message.contains("P403") && message.contains("disk full"),
            "{message}"
        );
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);

        to_file(&path, false, |out| out.write_all(b"one")).expect("the folder is writable");
        let again = to_file(&path, false, |out| out.write_all(b"two"));
        assert!(again.expect_err("it exists").to_string().contains("P402"));
        assert_eq!(std::fs::read(&path).expect("it exists"), b"one");
        to_file(&path, true, |out| out.write_all(b"two")).expect("forced");
        assert_eq!(std::fs::read(&path).expect("it exists"), b"two");
    }
}
