//! The program format: JSON in, JSON out, and its schema.
//!
//! [`read`] turns bytes into a [`Program`], or reports every problem with its place. [`write`](fn@write) streams a
//! program back, one vertex and one edge per line; reading that gives the same program again, bit for bit.
//! [`schema`](fn@schema) is the JSON Schema, generated from the types that read. The format is described for people in
//! `docs/format.md`.
//!
//! Reading has three steps. A scan of the bytes finds problems that the parser would not report (deep nesting,
//! integers beyond 64 bits); serde_json's tokens are read into wire types and at once into the IR, with names left
//! open; then names are resolved. No step recurses deeper than the limit on nesting.
//!
//! ```
//! use cfg_format::json;
//!
//! let text = br#"{"format": "cfgrev/1", "routines": [{
//!     "name": "square",
//!     "parameters": [{"name": "x", "type": "real", "intent": "in"},
//!                    {"name": "y", "type": "real", "intent": "out"}],
//!     "independents": ["x"], "dependents": ["y"],
//!     "vertices": [{"id": 1, "type": "ENTRY"},
//!                  {"id": 2, "type": "BASICBLOCK", "statements": [["=", "y", ["*", "x", "z"]]]},
//!                  {"id": 3, "type": "EXIT"}],
//!     "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3}]}]}"#;
//! let problems = json::read(text).unwrap_err();
//! assert_eq!(problems.0[0].message, "unknown variable \"z\"");
//! assert_eq!(problems.0[0].at.line, Some(7));
//! ```

mod codes;
mod context;
mod decode;
mod expression;
mod free_form;
mod infix;
mod locate;
mod mend;
mod pointer;
mod read_valid;
mod resolve;
mod scan;
mod schema;
mod schema_parts;
mod source_span;
mod statement;
mod syntax;
mod token;
mod types;
pub mod values;
mod wire;
mod words;
mod write;

pub use codes::CODES;
pub use locate::{locate, locate_all};
pub use pointer::{add_pointers, pointer};
pub use read_valid::{Checked, check, read_valid};
pub use schema::{SCHEMA_ID, schema};
pub use write::write;

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics, MAX_PROBLEMS},
    entity::{EdgeId, RoutineId},
    ir::Program,
};
use context::Context;
use scan::{Hopeless, MAX_DIGITS, MAX_NESTING, OddNumber, Outlook, line_column, scan};
use serde::de::DeserializeSeed;
use std::io;

/// The version of the format that is read and written.
pub const FORMAT: &str = "cfgrev/1";

/// The program that was read from a file, and the problems found.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The program, if the text is JSON of the right version. Parts with problems are left out or replaced by harmless
    /// ones, so that the rest can be checked: with errors, the program is good for validation only.
    pub program: Option<Program>,
    /// Problems, with pointer, line and column.
    pub problems: Diagnostics,
    /// In-labels that the file gives, to be compared with the in-labels that follow from the nesting.
    pub in_labels: Vec<(RoutineId, EdgeId, i64)>,
    /// Routines in which a vertex or an edge could not be read: their graphs are incomplete.
    pub broken: Vec<RoutineId>,
}

/// Reads a program.
///
/// # Errors
/// All problems, each with JSON pointer, line and column.
pub fn read(bytes: &[u8]) -> Result<Program, Diagnostics> {
    let parsed = parse(bytes);
    match parsed.program {
        Some(program) if !parsed.problems.has_errors() => Ok(program),
        _ => Err(parsed.problems),
    }
}

/// Bytes that are read of an input that does not begin like JSON.
const GLANCE: usize = 1 << 12;

/// Reads a whole input. Gives up early, with little memory used, if arrays and objects nest too deep or a number has
/// too many digits. Of an input that does not begin like JSON, or has a NUL, which JSON never has, only the beginning
/// is returned: parsing it reports the problem.
///
/// # Errors
/// The input cannot be read, nests too deep, or has such a number.
pub fn load(mut input: impl io::Read) -> Result<Vec<u8>, Diagnostics> {
    let mut bytes = Vec::new();
    let mut outlook = Outlook::default();
    let mut piece = vec![0; 1 << 16];
    let mut is_hopeless = false;
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(count) => {
                let start = bytes.len();
                bytes.extend_from_slice(&piece[..count]);
                is_hopeless |= bytes[start..].contains(&0) || !begins_like_json(&bytes);
                // Reads on to the end of the line, so that the message can show the whole line.
                if is_hopeless && bytes.len() >= GLANCE {
                    let whole = whole_characters(&bytes);
                    // The last character may be cut in two.
                    let text = &bytes[..whole];
                    let text = text.strip_prefix(MARK).unwrap_or(text);
                    if !text.trim_ascii_start().is_empty() {
                        bytes.truncate(whole);
                        return Ok(bytes);
                    }
                }
                if let Some((offset, why)) = outlook.feed(&piece[..count]) {
                    return Err(hopeless(&bytes, start + offset, why).into());
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => {
                let message = format!("the input cannot be read: {e}");
                let help = "check the file and its permissions";
                return Err(Diagnostic::error(&codes::INPUT, message, help).into());
            }
        }
    }
}

/// A byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// True if a text that starts with these bytes may be JSON, or a text for which there is a better message than "not
/// JSON".
fn begins_like_json(bytes: &[u8]) -> bool {
    if MARK.starts_with(bytes) {
        return true;
    }
    let text = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    first.is_none_or(|b| b"{[\"+-.0123456789tfnNiI".contains(b))
}

/// Length without a character that is cut in two at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(e) if e.error_len().is_none() => e.valid_up_to(),
        _ => bytes.len(),
    }
}

/// Reads as much of a program as possible, with all problems.
pub fn parse(bytes: &[u8]) -> Parsed {
    parse_within(bytes, usize::MAX)
}

/// [`parse`], which gives up if the program would take more than about `max_memory` bytes.
pub fn parse_within(bytes: &[u8], max_memory: usize) -> Parsed {
    let mut parsed = Parsed::default();
    let (text, mut numbers) = match prepare(bytes) {
        Ok(prepared) => prepared,
        Err(problem) => {
            parsed.problems.push(*problem);
            return parsed;
        }
    };
    let list = without_list(text);
    let text = match &list {
        Some(list) => {
            numbers.clear();
            list
        }
        None => text,
    };
    let mut cx = Context::default();
    cx.allowance = max_memory;
    if !numbers.is_empty() {
        odd_numbers(text.as_bytes(), &numbers, &mut cx.problems);
    }
    let mut tokens = serde_json::Deserializer::from_str(text);
    tokens.disable_recursion_limit();
    let document = decode::Seed::<wire::Program>::new(&mut cx)
        .deserialize(&mut tokens)
        .and_then(|document| tokens.end().map(|()| document));
    match document {
        Ok(document) => {
            if cx.problems.iter().any(|d| d.code == codes::VERSION.code) {
                // Other problems may be none in that version.
                cx.problems.0.retain(|d| d.code == codes::VERSION.code);
                cx.cures.clear();
            } else if let Some(document) = document {
                let resolved = resolve::program(document, &mut cx);
                parsed.in_labels = resolved.in_labels;
                parsed.broken = resolved.broken;
                parsed.program = Some(resolved.program);
            }
        }
        // The note on too many problems stands behind them.
        Err(e) => cx.problems.0.extend(syntax(text, &e)),
    }
    mend::write(&mut cx.problems, &cx.cures, text, parsed.program.as_ref());
    parsed.problems = cx.problems;
    locate_problems(
        &mut parsed.problems,
        text.as_bytes(),
        parsed.program.as_ref(),
    );
    parsed
}

/// Numbers out of range that are reported in one run.
const MAX_ODD_NUMBERS: usize = 1000;

/// A text with its odd numbers.
type Prepared<'t> = (&'t str, Vec<(usize, OddNumber)>);

/// The checks before parsing.
fn prepare(bytes: &[u8]) -> Result<Prepared<'_>, Box<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let offset = e.valid_up_to();
        let (line, column) = line_column(bytes, offset);
        let message = match bytes.get(offset) {
            Some(byte) => format!("the byte 0x{byte:02x} is not UTF-8 text"),
            None => "the text ends inside a character".to_owned(),
        };
        let help = "save the file in UTF-8";
        Box::new(Diagnostic::error(&codes::UTF8, message, help).at_line(line, column))
    })?;
    // RFC 8259 lets readers ignore a byte order mark; columns of the first line count from after it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match scan(text.as_bytes(), MAX_ODD_NUMBERS) {
        Ok(numbers) => Ok((text, numbers)),
        Err((offset, why)) => Err(Box::new(hopeless(text.as_bytes(), offset, why))),
    }
}

fn hopeless(bytes: &[u8], offset: usize, why: Hopeless) -> Diagnostic {
    let (line, column) = line_column(bytes, offset);
    match why {
        Hopeless::Deep => {
            let message = format!("arrays and objects nest more than {MAX_NESTING} deep");
            let help = "split deep expressions into temporaries";
            Diagnostic::error(&codes::NESTING, message, help)
        }
        Hopeless::Digits => {
            let message = format!("number out of range: more than {MAX_DIGITS} digits in a row");
            let help = "round it: a binary64 is told by 17 digits";
            Diagnostic::error(&codes::NUMBER, message, help)
        }
    }
    .at_line(line, column)
}

/// The text with an empty list in place of its outermost list; `None` if it has none. A list is no program, whatever
/// its elements.
fn without_list(text: &str) -> Option<String> {
    let blank = text.len() - text.trim_ascii_start().len();
    let list = text.as_bytes().get(blank) == Some(&b'[');
    list.then(|| format!("{}[]", &text[..blank]))
}

fn odd_numbers(text: &[u8], numbers: &[(usize, OddNumber)], problems: &mut Diagnostics) {
    let offsets: Vec<usize> = numbers.iter().map(|n| n.0).collect();
    let places = locate::lines(text, &offsets);
    let pointers = locate::pointers_at(text, &offsets);
    for (((_, odd), (line, column)), pointer) in numbers.iter().zip(places).zip(pointers) {
        let (message, help) = match odd {
            OddNumber::Wide => decode::BEYOND,
            OddNumber::NegativeZero => (
                "an integer has no negative zero",
                "write 0, or -0.0 for the real",
            ),
        };
        let mut problem = Diagnostic::error(&codes::NUMBER, message, help).at_line(line, column);
        problem.at.pointer = pointer;
        problems.push(problem);
    }
}

/// The cure for a real number beyond binary64.
const OUT_OF_RANGE: &str = "write a number that a binary64 can hold; infinity is [\"inf\"]";

/// The error of serde_json, in better words where possible, and further places at which the text is not JSON.
fn syntax(text: &str, e: &serde_json::Error) -> Vec<Diagnostic> {
    let full = e.to_string();
    let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
    let offset = offset_of(text, e.line(), e.column());
    let word: String = text[offset..]
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .take(9)
        .collect();
    let (line, column) = line_column(text.as_bytes(), offset);
    let bare = ["nan", "inf", "infinity"].contains(&word.to_ascii_lowercase().as_str());
    // The first of two slips counts: a number out of range, for instance, may stand before one.
    let stop = stop_of(text, e.line(), e.column());
    let mut slips = syntax::slips(text);
    if bare || slips.first().is_some_and(|slip| slip.offset > stop) {
        slips.clear();
    }
    let slip = slips.first().cloned();
    let (line, column) = match &slip {
        Some(slip) => line_column(text.as_bytes(), slip.offset),
        None => (line, column),
    };
    let mut further = Vec::new();
    let diagnostic = if bare {
        Diagnostic::error(
            &codes::BARE_NAN,
            format!("{word} is not JSON"),
            "write [\"nan\"], [\"inf\"] or [\"-inf\"]",
        )
    } else if message == decode::TOO_MANY {
        let message = format!("reading stops here, after {MAX_PROBLEMS} problems");
        Diagnostic::error(
            &codes::TOO_MANY,
            message,
            "mend the first ones and try again",
        )
    } else if message == decode::OUT_OF_MEMORY {
        let help = "split the program, or allow more memory";
        Diagnostic::error(&codes::MEMORY, message, help)
    } else if message == "number out of range" {
        Diagnostic::error(&codes::NUMBER, message, OUT_OF_RANGE)
    } else if let Some(slip) = slip.filter(|slip| slip.offset < text.len()) {
        for slip in slips.drain(1..) {
            let (line, column) = line_column(text.as_bytes(), slip.offset);
            let one = Diagnostic::error(&codes::SYNTAX, slip.message, slip.help);
            further.push(one.at_line(line, column));
        }
        Diagnostic::error(&codes::SYNTAX, slip.message, slip.help)
    } else if e.is_eof() {
        let help = slips.drain(..).next().map_or_else(
            || "the file is truncated, or a bracket or quote is not closed".to_owned(),
            |slip| slip.help,
        );
        Diagnostic::error(
            &codes::SYNTAX,
            format!("the text ends too early ({message})"),
            help,
        )
    } else {
        Diagnostic::error(&codes::SYNTAX, message, "mend the JSON at this place")
    };
    further.insert(0, diagnostic.at_line(line, column));
    further
}

/// The offset of the word at a line and column as serde_json counts them.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let mut offset = stop_of(text, line, column);
    // For an unknown word, serde_json points behind the first letter.
    let bytes = text.as_bytes();
    while offset > 0 && bytes[offset - 1].is_ascii_alphanumeric() {
        offset -= 1;
    }
    offset
}

/// The offset at which serde_json stopped.
fn stop_of(text: &str, line: usize, column: usize) -> usize {
    let start = if line <= 1 {
        0
    } else {
        text.match_indices('\n')
            .nth(line - 2)
            .map_or(0, |(i, _)| i + 1)
    };
    let mut offset = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Adds lines, columns and names of elements to problems that have pointers, and puts them in the order
/// of the file.
///
/// Validation names elements by their positions; this function turns its pointers into places of the file.
pub fn locate_problems(problems: &mut Diagnostics, bytes: &[u8], program: Option<&Program>) {
    if let Some(program) = program {
        for diagnostic in &mut problems.0 {
            if let (Some(pointer), None) = (&diagnostic.at.pointer, &diagnostic.at.element) {
                diagnostic.at.element = element_name(program, pointer);
            }
        }
    }
    let open = |d: &&mut Diagnostic| d.at.line.is_none() && d.at.pointer.is_some();
    let mut open: Vec<&mut Diagnostic> = problems.0.iter_mut().filter(open).collect();
    let pointers: Vec<String> = open.iter().filter_map(|d| d.at.pointer.clone()).collect();
    if pointers.is_empty() {
        return;
    }
    let pointers: Vec<&str> = pointers.iter().map(String::as_str).collect();
    let places = locate_all(bytes, &pointers);
    for (diagnostic, (line, column)) in open.iter_mut().zip(places) {
        diagnostic.at.line = Some(line);
        diagnostic.at.column = Some(column);
    }
    // Problems without a place come last: the note on the number of further problems.
    let no_place = (usize::MAX, usize::MAX);
    let key = |d: &Diagnostic| d.at.line.zip(d.at.column).unwrap_or(no_place);
    problems.0.sort_by_key(key);
}

/// The element at a pointer, in the program's own words.
fn element_name(program: &Program, pointer: &str) -> Option<String> {
    let mut segments = pointer.split('/').skip(1);
    let mut next = || Some((segments.next()?, segments.next()?.parse::<usize>().ok()?));
    match next()? {
        ("globals", i) => Some(format!("global {}", program.globals.get(i)?.variable.name)),
        ("routines", i) => {
            let routine = program.routines.get(i)?;
            let mut name = match routine.name.as_str() {
                "" => format!("routines[{i}]"),
                name => format!("routine {name}"),
            };
            let graph = routine.body.as_ref();
            match next() {
                Some(("parameters", k)) if k < routine.parameters.len() => {
                    name += &format!(", parameter {}", routine.parameter(k)?.name);
                }
                Some(("locals", k)) => {
                    let local = routine.non_parameter_ids().get(k).copied()?;
                    name += &format!(", local {}", routine.variable(local).name);
                }
                Some(("vertices", k)) if graph.is_some_and(|g| k < g.vertex_count()) => {
                    let vertex = graph?.vertex(cfg_core::entity::VertexId::new(k));
                    name += &match vertex.id {
                        0 => format!(", vertices[{k}]"),
                        id => format!(", vertex {id}"),
                    };
                    if let Some(("statements", s)) = next() {
                        name += &format!(", statement {}", s.checked_add(1)?);
                    }
                }
                _ => {}
            }
            Some(name)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
