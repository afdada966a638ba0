//! Positions in the text (file number, line, column), and the collection of the problems found.

use cfg_core::{
    diagnostic::{CodeInfo, Diagnostic, Diagnostics},
    ir::Span,
};
use std::collections::{BTreeSet, HashSet};

/// The place of one token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pos {
    /// The position of the file in the list of sources.
    pub(crate) file: u32,
    /// Line, from 1.
    pub(crate) line: u32,
    /// Column in bytes, from 1.
    pub(crate) column: u32,
    /// Number of bytes.
    pub(crate) len: u32,
}

impl Pos {
    /// The piece of text from this token to the end of a later one.
    pub(crate) fn span_to(self, end: Pos) -> Option<Span> {
        let end = if (end.file, end.line, end.column) < (self.file, self.line, self.column)
            || end.file != self.file
        {
            self
        } else {
            end
        };
        let stop = end.column.saturating_add(end.len.max(1));
        Span::new(self.file, [self.line, self.column, end.line, stop])
    }
}

/// True of the names of headers of the library, which are in angle brackets; `<stdin>` is the one such name that is
/// no header.
pub(crate) fn is_header(file: &str) -> bool {
    file.starts_with('<') && file != "<stdin>"
}

/// A problem of a declaration that is reported only if the declaration is used.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// True if compilers refuse the declaration, too, used or not.
    pub(crate) certain: bool,
    pub(crate) info: &'static CodeInfo,
    pub(crate) at: Pos,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}

/// The problems found so far, and the names of the files that they are in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sink {
    pub(crate) files: Vec<String>,
    pub(crate) found: Diagnostics,
    /// The problems, by number, that are due to a missing definition, each with the name of the function.
    pub(crate) lacking: Vec<(usize, String)>,
    /// Variables that are used and that none of the files defines.
    pub(crate) undefined: BTreeSet<String>,
    /// The positions, codes and messages of all problems so far: each is reported once.
    told: HashSet<(u32, u32, u32, &'static str, String)>,
}

impl Sink {
    /// No problems, in files that have numbers.
    pub(crate) fn with_files(files: Vec<String>) -> Self {
        Self {
            files,
            ..Self::default()
        }
    }

    /// The number of a file; a new name gets the next one.
    pub(crate) fn file(&mut self, name: &str) -> u32 {
        let known = self.files.iter().position(|f| f == name);
        let number = known.unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        });
        number as u32
    }

    /// True of places in the headers of the library, whose names are in angle brackets.
    pub(crate) fn is_header(&self, at: Pos) -> bool {
        let name = self.files.get(at.file as usize);
        name.is_some_and(|name| is_header(name))
    }

    fn locate(&self, at: Pos, mut problem: Diagnostic) -> Diagnostic {
        problem.at.file = self.files.get(at.file as usize).cloned();
        if at.line > 0 {
            problem.at.line = Some(at.line as usize);
            problem.at.column = Some(at.column as usize);
        }
        problem
    }

    /// Reports an error.
    pub(crate) fn error(
        &mut self,
        info: &CodeInfo,
        at: Pos,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let message = message.into();
        let place = (at.file, at.line, at.column, info.code, message.clone());
        if !self.told.insert(place) {
            return;
        }
        let problem = self.locate(at, Diagnostic::error(info, message, help));
        self.found.push(problem);
    }

    /// Notes that the last problem is due to the missing definition of a function.
    pub(crate) fn lacks(&mut self, function: &str) {
        let last = self.found.0.len().checked_sub(1);
        self.lacking
            .extend(last.map(|last| (last, function.to_owned())));
    }

    /// Keeps some of the problems.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&Diagnostic) -> bool) {
        let mut kept = 0..;
        let numbers = (self.found.iter()).map(|problem| match is_kept(problem) {
            true => kept.next(),
            false => None,
        });
        let numbers: Vec<Option<usize>> = numbers.collect();
        let lacking = std::mem::take(&mut self.lacking).into_iter();
        self.lacking = lacking
            .filter_map(|(k, name)| Some((numbers[k]?, name)))
            .collect();
        self.found.0.retain(is_kept);
    }

    /// Reports problems that were collected elsewhere.
    pub(crate) fn add(&mut self, problems: &Diagnostics) {
        for problem in problems.iter() {
            let file = problem.at.file.as_deref().map_or(0, |name| self.file(name));
            let number = |n: Option<usize>| n.map_or(0, |n| n as u32);
            let (line, column) = (number(problem.at.line), number(problem.at.column));
            let place = (file, line, column, problem.code, problem.message.clone());
            if self.told.insert(place) {
                self.found.push(problem.clone());
            }
        }
    }

    /// Reports a problem that was found before.
    pub(crate) fn tell(&mut self, problem: &Problem) {
        self.error(problem.info, problem.at, &*problem.message, problem.help);
    }

    /// Reports a warning.
    pub(crate) fn warning(
        &mut self,
        info: &CodeInfo,
        at: Pos,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let message = message.into();
        let place = (at.file, at.line, at.column, info.code, message.clone());
        if !self.told.insert(place) {
            return;
        }
        let problem = self.locate(at, Diagnostic::error(info, message, help).warning());
        self.found.push(problem);
    }
}
