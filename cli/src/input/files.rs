//! The files of the system, for readers of programs.

use super::load;
use crate::report::Text;
use anyhow::Error;
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_languages::{Files, FrontEnd, JSON};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::{fs, io};

/// The most folders between a file and the top of its repository, and the most entries of folders among which headers
/// are searched.
const LEVELS: usize = 8;
const ENTRIES: usize = 20_000;

/// Files of the system.
pub(super) struct SystemFiles {
    /// The language of what is read.
    language: &'static dyn FrontEnd,
    /// Files that were read, which are kept for messages.
    pub(super) texts: Vec<Rc<Text>>,
    /// All files in and below folders.
    walked: BTreeMap<Vec<PathBuf>, Vec<PathBuf>>,
}

impl SystemFiles {
    pub(super) fn new(language: &'static dyn FrontEnd) -> Self {
        Self {
            language,
            texts: Vec::new(),
            walked: BTreeMap::new(),
        }
    }
}

impl Files for SystemFiles {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        // Devices may have no end, and pipes wait for a writer.
        if !fs::metadata(path).is_ok_and(|m| m.is_file()) {
            return None;
        }
        // The reason is dropped: the reader's message names the file that is missing or cannot be read.
        let bytes = load(path, self.language, &AtomicU64::new(0)).ok()?;
        self.texts.push(Rc::new(Text {
            name: path.to_owned(),
            bytes: bytes.clone(),
            language: self.language,
            places: OnceCell::new(),
        }));
        Some(bytes)
    }

    fn read_named(&mut self, path: &str) -> Result<Vec<u8>, Diagnostics> {
        load(path, JSON, &AtomicU64::new(0)).map_err(|error| {
            let other = |error: Error| {
                let message = format!("{error:#}");
                Diagnostic::error(&crate::codes::UNREADABLE, message, "check the file").into()
            };
            error.downcast::<Diagnostics>().unwrap_or_else(other)
        })
    }

    fn around(&mut self, folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
        let all = self.walked.entry(tops(folder));
        let all = all.or_insert_with_key(|tops| all_files(tops)).iter();
        all.filter(|path| wanted(path)).cloned().collect()
    }

    fn length(&self, path: &Path) -> Option<u64> {
        Some(fs::metadata(path).ok()?.len())
    }

    fn look_into(&mut self, path: &Path) -> Option<Vec<u8>> {
        fs::read(path).ok()
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok()
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn run(&mut self, words: &[String]) -> io::Result<Result<Vec<u8>, String>> {
        let Some((program, words)) = words.split_first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut command = Command::new(program);
        let output = command.args(words).stdin(Stdio::null()).output()?;
        Ok(match output.status.success() {
            true => Ok(output.stdout),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        })
    }
}

/// All files in and below folders; none where there are too many.
fn all_files(tops: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = ENTRIES;
    let mut open = tops.to_vec();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            left -= 1;
            if left == 0 {
                // With only a part of the files known, a name that seems unique may occur twice.
                return Vec::new();
            }
            let kind = entry.file_type();
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.as_ref().is_ok_and(|kind| kind.is_dir()) && !hidden {
                open.push(entry.path());
            } else if kind.is_ok_and(|kind| kind.is_file()) {
                found.push(entry.path());
            }
        }
    }
    found
}

/// The folders in and below which a header is searched: the repository, or else the file's folder and its neighbours.
fn tops(folder: &Path) -> Vec<PathBuf> {
    let above = (0..=LEVELS).scan(folder.to_owned(), |folder, _| {
        let this = folder.clone();
        folder.push("..");
        Some(this)
    });
    if let Some(top) = above
        .into_iter()
        .find(|folder| folder.join(".git").exists())
    {
        return vec![top];
    }
    let beside = ["include", "inc", "src"].map(|name| folder.join("..").join(name));
    std::iter::once(folder.to_owned()).chain(beside).collect()
}
