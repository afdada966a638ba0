//! Diagnostics: errors as values that name the place, the rule that was broken, and its cure; suggestions of similar
//! names ([`similar`]).

pub mod similar;
pub mod site;

use crate::ir::{Annotations, Program, Span};
use site::Site;
use std::fmt;

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Another place of the problem before it.
    Note,
    /// The input is used nevertheless.
    Warning,
    /// The input cannot be used.
    Error,
}

impl Severity {
    /// The name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The place of a problem. Every part is optional; a reader fills in what it knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The place in the program, whatever text it was read from.
    pub site: Option<Box<Site>>,
    /// The front end's annotations at the site: of the statement, vertex, edge, variable or routine, or of the nearest
    /// element around it that has some. Empty in problems of the executor, which has no program at hand.
    pub annotations: Annotations,
    /// The place in the source that the program was made from, if the element at the site or the vertex around it has
    /// a span. `None` in problems of the executor.
    pub source: Option<Box<SourcePlace>>,
    /// File name as the user gave it.
    pub file: Option<String>,
    /// JSON pointer (RFC 6901) into the document.
    pub pointer: Option<String>,
    /// Line, from 1.
    pub line: Option<usize>,
    /// Column in bytes, from 1.
    pub column: Option<usize>,
    /// The line, and the column in bytes behind the last byte, from 1. Where the end is not known, the place is a word or a
    /// literal.
    pub end: Option<(usize, usize)>,
    /// The element in the program's own words: `routine f, vertex 5, statement 2`.
    pub element: Option<String>,
}

/// A place in a source that a program was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The name of the source, as the program has it.
    pub name: String,
    /// The piece of the source's text.
    pub span: Span,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { line, column, .. } = self.span;
        write!(f, "{}:{line}:{column}", self.name)
    }
}

impl Location {
    /// Sets the site, with the annotations and the place in a source that the program has there.
    pub fn set_site(&mut self, program: &Program, site: Site) {
        self.annotations = site.annotations(program).cloned().flatten();
        self.source = site.source(program).map(Box::new);
        self.site = Some(Box::new(site));
    }

    /// Sets file, line, column and end to those of a place in a source.
    pub fn set_source_place(&mut self, place: &SourcePlace) {
        let [_, line, column, end_line, end_column] = place.span.numbers();
        self.file = Some(place.name.clone());
        self.line = Some(line as usize);
        self.column = Some(column as usize);
        self.end = Some((end_line as usize, end_column as usize));
    }
}

/// One problem of a program, with its place, the rule that it breaks, and its cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, documented by `cfgrev explain CODE`.
    pub code: &'static str,
    /// The severity of the problem.
    pub severity: Severity,
    /// The problem as a sentence, with the names involved.
    pub message: String,
    /// The rule that was broken.
    pub rule: String,
    /// A cure for the problem.
    pub help: String,
    /// The place of the problem.
    pub at: Location,
}

/// A diagnostic code with the texts that `cfgrev explain` shows for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code: a letter for the area and three digits.
    pub code: &'static str,
    /// A title of one line.
    pub title: &'static str,
    /// The rule that the code stands for, in a sentence or two; diagnostics quote it.
    pub rule: &'static str,
    /// A paragraph for people who meet the code for the first time: the reason for the rule, and the cure.
    pub explanation: &'static str,
}

/// Defines one [`CodeInfo`] per code, and the list of them all.
///
/// ```
/// cfg_core::diagnostic_codes! {
///     /// Every code of this crate.
///     pub CODES of pub codes;
///     EMPTY "Z901" "nothing there"
///         "A document is not empty."
///         "The file has no content: give another one.";
/// }
/// assert_eq!(CODES[0].code, EMPTY.code);
/// ```
#[macro_export]
macro_rules! diagnostic_codes {
    (
        $(#[$list_doc:meta])* $list_vis:vis $list:ident of $vis:vis codes;
        $($name:ident $code:literal $title:literal $rule:literal $explanation:literal;)*
    ) => {
        $(
            #[doc = $title]
            $vis const $name: $crate::diagnostic::CodeInfo = $crate::diagnostic::CodeInfo {
                code: $code,
                title: $title,
                rule: $rule,
                explanation: $explanation,
            };
        )*

        $(#[$list_doc])*
        $list_vis const $list: &[$crate::diagnostic::CodeInfo] = &[$($name),*];
    };
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(info: &CodeInfo, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code: info.code,
            severity: Severity::Error,
            message: message.into(),
            rule: info.rule.to_owned(),
            help: help.into(),
            at: Location::default(),
        }
    }

    /// The problem as a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// A note about another place of this problem, to be listed behind it. A note breaks no rule of its own.
    #[must_use]
    pub fn note(&self, message: impl Into<String>) -> Self {
        Self {
            code: self.code,
            severity: Severity::Note,
            message: message.into(),
            rule: String::new(),
            help: String::new(),
            at: Location::default(),
        }
    }

    /// The problem with a place in the program.
    #[must_use]
    pub fn at_site(mut self, site: Site) -> Self {
        self.at.site = Some(Box::new(site));
        self
    }

    /// The problem with a place in the program, and with the annotations and the place in a source that the program
    /// has there.
    #[must_use]
    pub fn at_site_in(mut self, program: &Program, site: Site) -> Self {
        self.at.set_site(program, site);
        self
    }

    /// The problem with a JSON pointer.
    #[must_use]
    pub fn at_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.at.pointer = Some(pointer.into());
        self
    }

    /// The problem with the element's name in the program's own words.
    #[must_use]
    pub fn at_element(mut self, element: impl Into<String>) -> Self {
        self.at.element = Some(element.into());
        self
    }

    /// The problem with line and column.
    #[must_use]
    pub fn at_line(mut self, line: usize, column: usize) -> Self {
        self.at.line = Some(line);
        self.at.column = Some(column);
        self
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(f, "{file}")?;
            separator = ":";
        }
        if let Some(line) = self.line {
            write!(f, "{separator}{line}")?;
            separator = ":";
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        if let Some(element) = &self.element {
            write!(
                f,
                "{}{element}",
                if separator.is_empty() { "" } else { ": " }
            )?;
            separator = ":";
        }
        if let Some(pointer) = self.pointer.as_deref().filter(|p| !p.is_empty()) {
            write!(
                f,
                "{}({pointer})",
                if separator.is_empty() { "" } else { " " }
            )?;
        }
        if let Some(source) = &self.source {
            let empty = separator.is_empty() && self.pointer.as_deref().is_none_or(str::is_empty);
            write!(f, "{}source {source}", if empty { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}[{}]: {}",
            self.severity.name(),
            self.code,
            self.message
        )?;
        let at = self.at.to_string();
        if !at.is_empty() {
            write!(f, "\n  at: {at}")?;
        }
        if !self.rule.is_empty() {
            write!(f, "\n  rule: {}", self.rule)?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// The most problems that are kept of one program, so that a gigabyte of nonsense does not fill memory.
pub const MAX_PROBLEMS: usize = 10_000;

/// Problems in the order in which they were found. Empty means none.
///
/// `{:?}` prints the text of `{}`, so that a `main` that returns them as its error prints the problems.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a problem, unless there are [`MAX_PROBLEMS`] already; an error then takes the place of a warning, so that
    /// [`Diagnostics::has_errors`] stays right.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(diagnostic);
        } else if let Some(last) = self.0.last_mut()
            && last.severity < diagnostic.severity
        {
            *last = diagnostic;
        }
    }

    /// True if one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// True if there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The diagnostics, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{d}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<Box<Diagnostic>> for Diagnostics {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self(vec![*diagnostic])
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}
