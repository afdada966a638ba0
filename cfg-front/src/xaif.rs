//! XAIF, the exchange format of OpenAD.
//!
//! [`read_xaif`] takes a document apart in steps. `read` has the steps that look at the document: `xml` parses it
//! into an arena (without entities, without recursion); `model` reads the declarations; `scan` resolves every
//! reference and finds what each routine uses and writes, `scan/storage` COMMON and EQUIVALENCE, `scan/hidden` what
//! markers stand for. `lower` turns each routine into one of the representation, over a `graph` that can be changed;
//! `lower/effects` finds independents and dependents, `top` takes those that the user names. `write` writes programs,
//! `exact` reads what it wrote; `notation` has the tables that reader and writer share. See `docs/xaif.md`.

mod codes;
mod exact;
mod graph;
mod lower;
mod notation;
mod read;
mod top;
mod write;

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics, Severity, site::Element},
    ir::Program,
};
use graph::Places;
use lower::{
    Lower, Shared, effects,
    globals::{functions, globals, parameter_names},
    helpers,
};
use notation::{annotations::xaif_annotations, names::fresh_name};
use read::{
    model::{Model, Sink},
    scan::{Scan, hidden, storage::Storage},
    xml::{self, Document, NodeId},
};
use serde_json::json;
use std::collections::HashSet;

pub use codes::CODES;
pub use notation::names::{find_routine, find_variable, short_name};
pub use write::{to_string, write_xaif};

/// Choices of the user that the document does not make: the top routine and its variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The top routine; by default the only one that is not called, else `head`.
    pub routine: Option<String>,
    /// The independents; by default the active formals of the top routine that are read before they are
    /// written.
    pub independents: Vec<String>,
    /// The dependents; by default the active formals of the top routine that are written.
    pub dependents: Vec<String>,
}

/// Reads a whole input. If the input does not begin like an XML document, the rest is not read: [`read_xaif`] refuses
/// the beginning as well.
///
/// # Errors
/// The input cannot be read.
pub fn load(mut input: impl std::io::Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(count) => {
                let start = bytes.len();
                bytes.extend_from_slice(&piece[..count]);
                // A NUL occurs in UTF-16 and in binary files, neither of which is read.
                if bytes[start..].contains(&0) || !begins_like_xml(&bytes) {
                    return Ok(bytes);
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn begins_like_xml(bytes: &[u8]) -> bool {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    if MARK.starts_with(bytes) {
        return true;
    }
    let text = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    first.is_none_or(|b| *b == b'<')
}

/// Reads a document. The program is `None` exactly if there are errors; warnings may come with it.
///
/// Names: a routine or variable is called by its symbol without the trailing number, in lower case;
/// where two of one routine would have the same name, by the whole `symbol_id`. The symbol is kept in the
/// annotations (`{"xaif": {"symbol": ...}}`), and [`find_routine`] and [`find_variable`] accept both.
pub fn read_xaif(bytes: &[u8], options: &Options) -> (Option<Program>, Diagnostics) {
    let text = match xml::decode(bytes) {
        Ok(text) => text,
        Err(problem) => return (None, Diagnostics::from(*problem)),
    };
    let doc = match Document::parse(&text) {
        Ok(doc) => doc,
        Err(problem) => return (None, Diagnostics::from(*problem)),
    };
    let mut sink = Sink::default();
    let program = match exact::declarations(&doc) {
        Some(declared) => exact::program(&doc, &declared, options, &mut sink),
        None => program(&doc, options, &mut sink),
    };
    (program.filter(|_| !sink.failed()), sink.found)
}

fn program(doc: &Document<'_>, options: &Options, sink: &mut Sink) -> Option<Program> {
    let mut model = Model::read(doc, sink);
    if sink.failed() {
        return None;
    }
    let scan = Scan::scan_document(doc, &model, sink);
    if sink.failed() {
        return None;
    }
    model.assume_sizes(&scan.beyond);
    let hidden = hidden::find(doc, &model, &scan, sink);
    let storage = Storage::group(doc, &model, &scan, sink);
    let functions = functions(doc, &scan);
    let mut routine_names = HashSet::new();
    let names: Vec<String> = model
        .routines
        .iter()
        .map(|d| fresh_name(&mut routine_names, &short_name(&d.symbol), &d.symbol))
        .collect();
    let parameters = parameter_names(&model, &scan);
    let mut program = Program {
        annotations: xaif_annotations(vec![(
            "program",
            json!(
                doc.attr(doc.root(), xml::At::ProgramName)
                    .unwrap_or_default()
            ),
        )]),
        ..Program::default()
    };
    let globals = globals(
        doc,
        &model,
        &scan,
        &storage,
        &parameters,
        &mut program,
        sink,
    );
    let shared = Shared {
        doc,
        model: &model,
        scan: &scan,
        storage: &storage,
        hidden: &hidden,
        globals: &globals,
        parameters: &parameters,
        functions: &functions,
    };
    let mut helpers = helpers::Helpers::new(routine_names, model.routines.len());
    let mut places = Vec::with_capacity(names.len());
    for (r, name) in names.into_iter().enumerate() {
        let (routine, place) = Lower::lower_routine(&shared, &mut helpers, sink, r, name);
        program.routines.push(routine);
        places.push(place);
    }
    for &r in &helpers.aliased {
        program.routines[r].aliased = true;
    }
    program.routines.append(&mut helpers.routines);
    if sink.failed() {
        return None;
    }
    effects::independents(doc, &model, &scan, &mut program);
    top::choose(doc, &model, &scan, options, &mut program, sink);
    if sink.failed() {
        return None;
    }
    validated(doc, &model, &places, &program, sink);
    Some(program)
}

/// Validates the program and reports problems at the elements that they come from.
fn validated(
    doc: &Document<'_>,
    model: &Model,
    places: &[Places],
    program: &Program,
    sink: &mut Sink,
) {
    let (_, problems) = cfg_core::validate::find_problems(program);
    for mut problem in problems.0 {
        if problem.severity == Severity::Warning {
            continue;
        }
        if let Some(node) = find_element(model, places, &problem) {
            let (line, column) = doc.position(node);
            problem = problem.at_line(line, column);
            problem.at.element = Some(doc.describe(node));
        }
        sink.push(problem);
    }
}

/// The element of the document that a problem's site was read from.
fn find_element(model: &Model, places: &[Places], problem: &Diagnostic) -> Option<NodeId> {
    let site = problem.at.site.as_deref()?;
    let r = site.routine?.index();
    let (decl, places) = (model.routines.get(r)?, places.get(r)?);
    let found = match site.element {
        Element::Edge(e) => places.edges.get(e.index()),
        Element::Vertex(v) => places.vertices.get(v.index()),
        Element::Statement(v, s) => {
            let statements = places.statements.get(v.index());
            let statement = statements.and_then(|list| list.get(s));
            statement.or_else(|| places.vertices.get(v.index()))
        }
        // The formals are declared first.
        Element::Variable(v) => decl.formals.get(v.index()).map(|f| &f.1),
        Element::Program | Element::Global(_) | Element::Record(..) | Element::Routine => None,
    };
    Some(*found.unwrap_or(&decl.node))
}
