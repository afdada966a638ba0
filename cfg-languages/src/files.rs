//! The files of a caller.

use crate::codes;
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use std::io;
use std::path::{Path, PathBuf};

/// The access of readers to files and commands beyond the given texts, granted by the caller. Only [`Self::read`]
/// must be implemented; by default, searches around files find nothing and no command runs.
pub trait Files {
    /// The bytes of an ordinary file that a program includes or lacks; `None` if it cannot be read. Callers that show
    /// places of problems keep the bytes, since problems may be in this file.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;

    /// The bytes of a file in JSON that an option names.
    ///
    /// # Errors
    /// The file cannot be read, or is no text in JSON.
    fn read_named(&mut self, path: &str) -> Result<Vec<u8>, Diagnostics> {
        let message = format!("cannot read {path}: there are no files here");
        let help = "leave out the option that names it";
        Err(Diagnostic::error(&codes::PREPROCESS, message, help).into())
    }

    /// The files in the folders around this one whose path is wanted, each once.
    fn around(&mut self, folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
        let _ = (folder, wanted);
        Vec::new()
    }

    /// The number of bytes of a file.
    fn length(&self, path: &Path) -> Option<u64> {
        let _ = path;
        None
    }

    /// The bytes of a file that is only searched: callers need not keep them for messages.
    fn look_into(&mut self, path: &Path) -> Option<Vec<u8>> {
        let _ = path;
        None
    }

    /// The path that is the same for all names of a file.
    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        let _ = path;
        None
    }

    /// True of the path of a folder.
    fn is_folder(&self, path: &Path) -> bool {
        let _ = path;
        false
    }

    /// Runs a command, given as its words. The result is its standard output, or its standard error if it fails.
    ///
    /// # Errors
    /// The command cannot be run.
    fn run(&mut self, words: &[String]) -> io::Result<Result<Vec<u8>, String>> {
        let _ = words;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// No files and no commands: readers have the given texts alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }
}
