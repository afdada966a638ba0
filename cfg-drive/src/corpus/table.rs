//! Results as a table for people and as JSON.

use super::{Entry, Status};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;

/// A line with the number of documents of each status.
pub fn summary(entries: &[Entry]) -> String {
    let count = |s| entries.iter().filter(|e| e.status == s).count();
    format!(
        "{} programs: {} agree, {} differ, {} unsupported, {} without reference",
        entries.len(),
        count(Status::Agrees),
        count(Status::Differs),
        count(Status::Unsupported),
        count(Status::NoReference)
    )
}

/// A table for people, with a summary line. Programs on which the references' own system failed are listed apart.
pub fn table(entries: &[Entry]) -> String {
    let mut out = String::new();
    let width = entries.iter().map(|e| e.name.chars().count()).max();
    let width = width.unwrap_or(0).max(7);
    let head = format!(
        "{:width$} {:>8} {:>5} {:>8} {:>5} {:>9} {:>9} {:>6} {:>5} {:>7} {:>7} {:>7}  {}",
        "program",
        "vertices",
        "loops",
        "branches",
        "calls",
        "adjoint",
        "tangent",
        "stacks",
        "order",
        "control",
        "values",
        "peak",
        "status"
    );
    let (failed, others): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|e| !e.openad_fails.is_empty());
    let mut part = |title: &str, list: &[&Entry]| {
        if list.is_empty() {
            return;
        }
        let _ = writeln!(out, "{title}{head}");
        for e in list {
            let gap = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.1e}"));
            let yes = |x: Option<bool>| x.map_or("-", |x| if x { "ok" } else { "WRONG" });
            let tape = e.tape.as_ref();
            let count = |x: Option<u64>| x.map_or("-".to_owned(), |x| x.to_string());
            let _ = write!(
                out,
                "{:width$} {:>8} {:>5} {:>8} {:>5} {:>9} {:>9} {:>6} {:>5} {:>7} {:>7} {:>7}  {}",
                e.name,
                e.size.vertices,
                e.size.loops,
                e.size.branches,
                e.size.calls,
                gap(e.adjoint),
                gap(e.tangent),
                yes(e.stacks),
                yes(e.order),
                count(tape.map(|t| t.control_bits)),
                count(tape.map(|t| t.value_bytes)),
                count(tape.map(|t| t.peak_bytes)),
                e.status.name()
            );
            if !e.why.is_empty() {
                let _ = write!(out, ": {}", e.why);
            }
            out.push('\n');
        }
    };
    part("", &others);
    part(
        "\nPrograms on which the adjoint mode of OpenAD itself is recorded as failing:\n",
        &failed,
    );
    let _ = writeln!(out, "\n{}", summary(entries));
    out
}

/// The result for one program, as the command line prints it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Line<'e> {
    /// Largest relative error; null if there is none.
    error: Option<f64>,
    /// The name of the file without its extension.
    name: &'e str,
    /// The outcome of the document.
    status: Status,
    /// Why it does not agree; empty if it does.
    why: &'e str,
}

/// The object of a document.
pub fn json(entry: &Entry) -> Line<'_> {
    Line {
        error: entry.error,
        name: &entry.name,
        status: entry.status,
        why: &entry.why,
    }
}
