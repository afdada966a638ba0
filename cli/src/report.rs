//! Diagnostics for people (with an excerpt of the source) and for programs (one JSON object per line).

mod excerpt;
mod render;

use crate::args::{Common, DiagnosticsForm};
use crate::codes;
use crate::physical_memory::memory_for_reading;
use cfg_core::diagnostic::{Diagnostic, Diagnostics, Severity, SourcePlace};
use cfg_core::text::Visible;
use cfg_languages::{FrontEnd, Placement, Places};
use excerpt::Excerpts;
use render::rendered;
use schemars::JsonSchema;
use serde::Serialize;
use std::cell::OnceCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Most problems that are printed, unless all are asked for.
const LIMIT: usize = 100;

/// A text that diagnostics point into.
#[derive(Debug)]
pub(crate) struct Text {
    /// The name of the text as the user gave it.
    pub(crate) name: String,
    /// The bytes of the text.
    pub(crate) bytes: Vec<u8>,
    /// The language of the text.
    pub(crate) language: &'static dyn FrontEnd,
    /// The places of the parts of a program in it, if its language has them, once they have been asked for.
    pub(crate) places: OnceCell<Option<Box<dyn Places>>>,
}

impl Text {
    /// The text as readers take it.
    pub(crate) fn as_input(&self) -> cfg_languages::Text<'_> {
        cfg_languages::Text {
            name: &self.name,
            bytes: &self.bytes,
        }
    }
}

/// Prints diagnostics as the command line asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    form: DiagnosticsForm,
    all: bool,
    pub(crate) quiet: bool,
    pub(crate) color: clap::ColorChoice,
}

impl Reporter {
    pub(crate) fn new(common: &Common) -> Self {
        Self {
            form: common.diagnostics,
            all: common.all,
            quiet: common.quiet,
            color: common.color,
        }
    }

    /// A reporter for people, where there is no command line that says how.
    pub(crate) fn plain() -> Self {
        Self {
            form: DiagnosticsForm::Text,
            all: false,
            quiet: false,
            color: clap::ColorChoice::Auto,
        }
    }

    /// A stream that shows colours if it should.
    pub(crate) fn stream<S: anstream::stream::RawStream>(&self, raw: S) -> anstream::AutoStream<S> {
        let choice = match self.color {
            clap::ColorChoice::Auto => anstream::AutoStream::choice(&raw),
            clap::ColorChoice::Always => anstream::ColorChoice::AlwaysAnsi,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        };
        anstream::AutoStream::new(raw, choice)
    }

    /// Prints to standard error. Failures to write there are not reported: there is nowhere left.
    pub(crate) fn print_stderr(&self, diagnostics: &Diagnostics, texts: &[Rc<Text>]) {
        let mut out = self.stream(io::stderr()).lock();
        let _ = self.print(&mut out, diagnostics, texts);
    }

    /// A remark for people, on standard error.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet && self.form == DiagnosticsForm::Text {
            let _ = writeln!(io::stderr(), "{}", Visible(text));
        }
    }

    /// Prints to `out`, the first hundred unless all are wanted. A diagnostic with a pointer but no file
    /// belongs to the first text.
    pub(crate) fn print(
        &self,
        out: &mut impl Write,
        diagnostics: &Diagnostics,
        texts: &[Rc<Text>],
    ) -> io::Result<()> {
        let wanted = |d: &&Diagnostic| !self.quiet || d.severity == Severity::Error;
        let total = diagnostics.iter().filter(wanted).count();
        let limit = if self.all { usize::MAX } else { LIMIT };
        // Warnings get the places that errors leave, so that warnings hide no error.
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        let errors = diagnostics.iter().filter(|d| is_error(d)).count();
        let mut left = [limit.saturating_sub(errors), limit];
        let mut shown: Vec<Diagnostic> = diagnostics
            .iter()
            .filter(wanted)
            .filter(|d| {
                let left = &mut left[usize::from(is_error(d))];
                let fits = *left > 0;
                *left = left.saturating_sub(1);
                fits
            })
            .cloned()
            .collect();
        for (i, text) in texts.iter().enumerate() {
            locate(&mut shown, text, i == 0);
        }
        if total > shown.len() {
            let rest = total - shown.len();
            let noun = if rest == 1 {
                "problem is"
            } else {
                "problems are"
            };
            shown.push(
                Diagnostic::error(
                    &codes::MORE,
                    format!("{rest} more {noun} not shown"),
                    "print all with --all",
                )
                .warning(),
            );
        }
        match self.form {
            DiagnosticsForm::Text => {
                let excerpts = Excerpts::new(texts, &shown);
                // A note is a place of the problem before it.
                for problem in shown.chunk_by(|_, next| next.severity == Severity::Note) {
                    writeln!(out, "{}\n", rendered(problem, &excerpts))?;
                }
            }
            DiagnosticsForm::Json => {
                for d in &shown {
                    print_json(out, d)?;
                }
            }
        }
        out.flush()
    }
}

/// Fills in file, line and column of what points into `text`.
fn locate(diagnostics: &mut [Diagnostic], text: &Text, first: bool) {
    let mut wanting = Vec::new();
    let placement = text.language.placement();
    for d in diagnostics {
        let source =
            d.at.source
                .as_ref()
                .filter(|source| source.name == text.name);
        if let (Placement::Spans, None, Some(source)) = (placement, d.at.line, source) {
            let source = source.clone();
            d.at.set_source_place(&source);
        }
        let placed = d.at.line.is_some() || d.at.pointer.is_some() || d.at.site.is_some();
        if first && placed && d.at.file.is_none() {
            d.at.file = Some(text.name.clone());
        }
        if d.at.file.as_ref() != Some(&text.name)
            || d.at.line.is_some()
            || matches!(placement, Placement::Reader | Placement::Spans)
        {
            continue;
        }
        if d.at.pointer.is_some() || d.at.site.is_some() {
            wanting.push(d);
        }
    }
    if wanting.is_empty() {
        return;
    }
    let places = || text.language.places(&text.bytes, memory_for_reading());
    if let Some(places) = text.places.get_or_init(places) {
        places.locate(&text.bytes, wanting);
    }
}

/// A diagnostic.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Diagnostic")]
pub(crate) struct JsonDiagnostic<'a> {
    /// Stands for this kind of problem; `cfgrev explain CODE` says more.
    code: &'a str,
    /// Only errors make a command fail; a note is a place that has to do with the problem before it.
    #[schemars(extend("enum" = ["error", "warning", "note"]))]
    severity: &'a str,
    /// What is wrong.
    message: &'a str,
    /// The rule that was broken; may be empty.
    rule: &'a str,
    /// How to mend it; may be empty.
    help: &'a str,
    /// Where.
    at: JsonPlace<'a>,
}

/// Where a problem is; what is not known is null.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Place")]
struct JsonPlace<'a> {
    /// The file as it was named.
    file: Option<&'a str>,
    /// JSON pointer.
    pointer: Option<&'a str>,
    /// From 1.
    line: Option<usize>,
    /// From 1, in bytes.
    column: Option<usize>,
    /// Routine, vertex, statement.
    element: Option<&'a str>,
    /// The place in the source that the program was made from.
    source: Option<JsonSource<'a>>,
}

/// A piece of a source, lines and columns from 1, columns in bytes, the end behind the last byte.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Source")]
struct JsonSource<'a> {
    /// The name of the source.
    file: &'a str,
    /// The first line.
    line: u32,
    /// Where it begins in the first line.
    column: u32,
    /// The last line.
    end_line: u32,
    /// Where it ends in the last line.
    end_column: u32,
}

impl<'a> JsonSource<'a> {
    fn from_place(place: &'a SourcePlace) -> Self {
        let [_, line, column, end_line, end_column] = place.span.numbers();
        Self {
            file: &place.name,
            line,
            column,
            end_line,
            end_column,
        }
    }
}

fn print_json(out: &mut impl Write, d: &Diagnostic) -> io::Result<()> {
    let object = JsonDiagnostic {
        code: d.code,
        severity: d.severity.name(),
        message: &d.message,
        rule: &d.rule,
        help: &d.help,
        at: JsonPlace {
            file: d.at.file.as_deref(),
            pointer: d.at.pointer.as_deref(),
            line: d.at.line,
            column: d.at.column,
            element: d.at.element.as_deref(),
            source: d.at.source.as_deref().map(JsonSource::from_place),
        },
    };
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred problems are printed, and of more than these their number; with `--all` all of them.
    #[test]
    fn problems_are_printed_up_to_a_number() {
        let printed = |count: usize, all: bool| {
            let one = Diagnostic::error(&codes::MORE, "one of many", "");
            let reporter = Reporter {
                all,
                ..Reporter::plain()
            };
            let mut out = Vec::new();
            let result = reporter.print(&mut out, &Diagnostics(vec![one; count]), &[]);
            result.expect("it takes everything");
            let text = String::from_utf8(out).expect("a text");
            let told = ["one of many", "1 more problem is", "2 more problems are"];
            told.map(|words| text.matches(words).count())
        };
        assert_eq!(printed(100, false), [100, 0, 0]);
        assert_eq!(printed(101, false), [100, 1, 0]);
        assert_eq!(printed(102, false), [100, 0, 1]);
        assert_eq!(printed(102, true), [102, 0, 0]);
    }

    /// An error behind any number of warnings is printed.
    #[test]
    fn warnings_hide_no_error() {
        let warning = Diagnostic::error(&codes::MORE, "a warning", "").warning();
        let mut all = vec![warning; 150];
        all.insert(120, Diagnostic::error(&codes::MORE, "an error", ""));
        let mut out = Vec::new();
        let result = Reporter::plain().print(&mut out, &Diagnostics(all), &[]);
        result.expect("it takes everything");
        let text = String::from_utf8(out).expect("a text");
        let told = ["a warning", "an error", "51 more problems are"];
        assert_eq!(told.map(|words| text.matches(words).count()), [99, 1, 1]);
    }
}
