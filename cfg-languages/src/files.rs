//! The files of a caller.

use crate::codes;
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use std::io;
use std::path::{Path, PathBuf};

/// The questions of a reader about more than the texts that it is given. Only [`Self::read`] is needed; without the
/// others nothing is found around files, and nothing is run.
pub trait Files {
    /// The bytes of an ordinary file that a program includes or lacks; `None` if there is none that can be read. A
    /// caller that shows places of problems keeps them.
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

    /// The paths of the files in the folders around one that are wanted, each by one path.
    fn around(&mut self, folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
        let _ = (folder, wanted);
        Vec::new()
    }

    /// The number of bytes of a file.
    fn length(&self, path: &Path) -> Option<u64> {
        let _ = path;
        None
    }

    /// The bytes of a file that is looked into, and not kept.
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

    /// Runs a command, given as its words: what it writes, or what it complains of if it fails.
    ///
    /// # Errors
    /// The command cannot be run.
    fn run(&mut self, words: &[String]) -> io::Result<Result<Vec<u8>, String>> {
        let _ = words;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Nothing but the texts that are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }
}
