//! Documents that [`super::write`] wrote: the declarations come from the annotation of the outermost
//! scope, the graphs are read as they stand, without conversions or temporaries, so that the same program
//! comes back.

mod graph;
mod statement;

use crate::xaif::{
    Options, codes,
    notation::annotations::xaif_annotations,
    read::{
        expression::Reports,
        model::{Model, Sink},
        xml::{At, Document, El, NodeId},
    },
    top::{chosen_routine, chosen_variables},
    validated,
};
use cfg_core::{
    diagnostic::CodeInfo,
    entity::VarId,
    ir::{self, Annotations, Program, Role, Span},
};
use serde_json::{Map, Value, json};
use std::{collections::HashMap, sync::Arc};

/// The declarations in a document that [`super::write`] wrote; `None` in other documents.
pub(crate) fn declarations(doc: &Document<'_>) -> Option<String> {
    let hierarchy = doc.child(doc.root(), El::ScopeHierarchy)?;
    let scope = doc.child(hierarchy, El::Scope)?;
    let text = doc.attr(scope, At::Annotation)?;
    data_text(&text).map(str::to_owned)
}

/// The JSON text of `...{cfgrev JSON}`.
fn data_text(annotation: &str) -> Option<&str> {
    let start = annotation.find("{cfgrev ")?;
    annotation[start..]
        .strip_prefix("{cfgrev ")?
        .strip_suffix('}')
}

/// Reads a document that the writer made.
pub(crate) fn program(
    doc: &Document<'_>,
    declared: &str,
    options: &Options,
    sink: &mut Sink,
) -> Option<Program> {
    let model = Model::read(doc, sink);
    if sink.failed() {
        return None;
    }
    let mut program = match cfg_format::json::read(declared.as_bytes()) {
        Ok(program) => program,
        Err(problems) => {
            let first = problems.iter().next().map(ToString::to_string);
            sink.push(doc.error(
                doc.root(),
                &codes::DECLARATIONS,
                format!(
                    "the declarations cannot be read: {}",
                    first.unwrap_or_default()
                ),
                "remove the annotation of the outermost Scope",
            ));
            return None;
        }
    };
    let mut reader = Reader {
        doc,
        model: &model,
        sink,
        variables: HashMap::new(),
        nesting: 0,
    };
    if !reader.match_symbols(&program) {
        return None;
    }
    let mut places = Vec::new();
    for (r, decl) in model.routines.iter().enumerate() {
        let has_body = program.routines[r].body.is_some();
        let (body, place) = reader
            .read_graph(decl.node, r, &program)
            .unwrap_or_default();
        if has_body != body.is_some() && !reader.sink.failed() {
            reader.report_mismatch(decl.node, "a graph is missing or superfluous");
        }
        program.routines[r].body = body;
        places.push(place);
    }
    if sink.failed() {
        return None;
    }
    if let Some(name) = &options.routine {
        program.main = chosen_routine(doc, name, &program, sink);
    }
    chosen_variables(doc, options, &mut program, sink);
    if sink.failed() {
        return None;
    }
    validated(doc, &model, &places, &program, sink);
    Some(program)
}

/// A JSON object that nests no deeper than it may where statements have their annotations in JSON programs.
fn object(text: &str) -> Option<Map<String, Value>> {
    // Program, routines, routine, vertices, vertex, statements; the statement is the outermost object here.
    let outside: &[u8] = b"{[{[{[";
    cfg_format::json::load(std::io::Read::chain(outside, text.as_bytes())).ok()?;
    let mut tokens = serde_json::Deserializer::from_str(text);
    tokens.disable_recursion_limit();
    let mut found = tokens.into_iter();
    let data = found.next()?.ok()?;
    found.next().is_none().then_some(data)
}

struct Reader<'a, 't> {
    doc: &'a Document<'t>,
    model: &'a Model,
    sink: &'a mut Sink,
    /// The variable of each symbol, by routine: globals have one in each routine that uses them.
    variables: HashMap<(usize, usize), VarId>,
    nesting: usize,
}

impl Reports for (&mut Reader<'_, '_>, usize) {
    fn sink(&mut self) -> &mut Sink {
        self.0.sink
    }
}

impl Reader<'_, '_> {
    fn report(&mut self, n: NodeId, info: &CodeInfo, message: impl Into<String>, help: &str) {
        let diagnostic = self.doc.error(n, info, message, help);
        self.sink.push(diagnostic);
    }

    fn report_mismatch(&mut self, n: NodeId, message: &str) {
        self.report(
            n,
            &codes::DECLARATIONS,
            message,
            "remove the annotation of the outermost Scope, or write the document again",
        );
    }

    /// Symbols stand in the order of the variables: globals in the outermost scope, the others of a
    /// routine in its own.
    fn match_symbols(&mut self, program: &Program) -> bool {
        let root = self.doc.root();
        if program.routines.len() != self.model.routines.len() {
            self.report_mismatch(root, "the number of routines differs");
            return false;
        }
        let mut by_scope: HashMap<usize, Vec<usize>> = HashMap::new();
        for (s, symbol) in self.model.symbols.iter().enumerate() {
            if symbol.variable {
                by_scope.entry(symbol.scope).or_default().push(s);
            }
        }
        let none = Vec::new();
        let globals = by_scope.get(&0).unwrap_or(&none);
        if globals.len() != program.globals.len() {
            self.report_mismatch(root, "the number of global variables differs");
            return false;
        }
        for (r, routine) in program.routines.iter().enumerate() {
            let decl = &self.model.routines[r];
            let mut own = by_scope.get(&decl.scope).unwrap_or(&none).iter();
            for (i, variable) in routine.variables.iter().enumerate() {
                let symbol = match variable.role {
                    Role::Global(g) => globals.get(g.index()),
                    Role::Parameter { .. } | Role::Local => own.next(),
                };
                let Some(&symbol) = symbol else {
                    self.report_mismatch(decl.node, "a variable has no symbol");
                    return false;
                };
                self.variables.insert((r, symbol), VarId::new(i));
            }
            if own.next().is_some() {
                self.report_mismatch(decl.node, "a symbol has no variable");
                return false;
            }
        }
        true
    }

    /// The data of an element.
    fn read_data(&mut self, n: NodeId) -> Option<Map<String, Value>> {
        let Some(annotation) = self.doc.attr(n, At::Annotation) else {
            return Some(Map::new());
        };
        let Some(text) = data_text(&annotation) else {
            return Some(Map::new());
        };
        let data = object(text);
        if data.is_none() {
            self.report(
                n,
                &codes::ATTRIBUTE,
                "the annotation after cfgrev is not a JSON object, or nests too deep",
                "write the document again",
            );
        }
        data
    }

    /// The annotations of an element: those in the data, else what the attributes say.
    fn read_annotations(
        &self,
        n: NodeId,
        data: &Map<String, Value>,
        attributes: &[(&str, At)],
    ) -> Annotations {
        if let Some(all) = data.get("annotations") {
            return all.as_object().map(|a| Box::new(a.clone()));
        }
        let mut entries = Vec::new();
        for &(key, at) in attributes {
            if let Some(value) = self.doc.attr(n, at) {
                let number = value.parse::<i64>().ok().filter(|_| key == "line");
                entries.push((key, number.map_or_else(|| json!(value), |i| json!(i))));
            }
        }
        xaif_annotations(entries)
    }

    /// The span in the data, if there is one.
    fn read_span(&mut self, n: NodeId, data: &Map<String, Value>) -> Option<ir::At> {
        let Some(value) = data.get("at") else {
            return Some(None);
        };
        let numbers = value.as_array().and_then(|list| {
            let number = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok());
            let numbers: Option<Vec<u32>> = list.iter().map(number).collect();
            <[u32; 5]>::try_from(numbers?).ok()
        });
        let span = numbers.and_then(|[source, rest @ ..]| Span::new(source, rest));
        if span.is_none() {
            self.report_mismatch(n, "the span cannot be read");
        }
        span.map(|span| Some(Arc::new(span)))
    }

    fn read_child(&mut self, n: NodeId, name: El) -> Option<NodeId> {
        let found = self.doc.child(n, name);
        if found.is_none() {
            self.report(
                n,
                &codes::ELEMENT,
                format!("a {} without {}", self.doc.name(n).text(), name.text()),
                "add it",
            );
        }
        found
    }
}
