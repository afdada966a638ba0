//! Writing programs as XAIF: symbol tables, graphs, statements, in the vocabulary of the corpus.
//!
//! Everything that XAIF cannot say (extents that are expressions, intents of generated arguments, origins, tapes)
//! is in annotations, as JSON after `cfgrev`: the declarations of the whole program in that of the
//! outermost scope, data of one element in its own. A reader that does not know them sees plain XAIF; our
//! own gets the same program back ([`super::exact`]).

mod graph;
mod statement;

use crate::xaif::codes;
use crate::xaif::notation::{legal, names::short_name, spelling::shape_name, tapes::tape_routine};
use cfg_core::{
    diagnostic::{
        Diagnostic,
        site::{Element, Site},
    },
    edit::Editor,
    entity::RoutineId,
    ir::{
        Annotations, Cfg, Expr, Extent, IntType, Program, Role, Routine, ScalarType, Stmt,
        StmtKind, Variable,
    },
    text,
};
use quick_xml::escape::escape;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeSet, HashSet},
    fmt::Write as _,
    io,
};

/// Writes a program as XAIF.
///
/// # Errors
/// `out` fails, or the program names something that does not exist.
pub fn write_xaif(program: &Program, mut out: impl io::Write) -> io::Result<()> {
    out.write_all(to_string(program)?.as_bytes())
}

/// A program as XAIF.
///
/// # Errors
/// The program names something that does not exist (validation reports it), or has an expression of more
/// than [`Expr::MAX_DEPTH`] levels.
pub fn to_string(program: &Program) -> io::Result<String> {
    if program.has_record_variables() {
        let problem = Diagnostic::error(
            &cfg_core::codes::RECORDS,
            "XAIF has no records",
            "split the records first: `cfgrev convert --records split`",
        );
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    refuse_pointers(program)?;
    refuse_stops(program)?;
    let declarations = declarations(program)?;
    let mut writer = Writer {
        out: String::with_capacity(1 << 16),
        program,
        routine: None,
        global_symbols: global_symbols(program),
        routine_symbols: routine_symbols(program),
        symbols: Vec::new(),
        numbers: Vec::new(),
    };
    writer.write_document(&declarations);
    Ok(writer.out)
}

/// Refuses pointers, which XAIF does not have.
fn refuse_pointers(program: &Program) -> io::Result<()> {
    if !program.has_pointers() {
        return Ok(());
    }
    let problem = Diagnostic::error(
        &cfg_core::codes::POINTERS,
        "XAIF has no pointers",
        "lower the pointers first: `cfgrev convert --pointers lower`",
    );
    Err(io::Error::new(io::ErrorKind::InvalidData, problem))
}

/// Refuses a program with a statement that stops it: another reader would ignore the marker that XAIF could have for
/// it.
fn refuse_stops(program: &Program) -> io::Result<()> {
    for (r, routine) in program.routines.iter().enumerate() {
        for (v, vertex) in routine.body.iter().flat_map(Cfg::vertices) {
            let stops = |s: &Stmt| matches!(s.kind, StmtKind::Stop { .. });
            if let Some(s) = vertex.statements().iter().position(stops) {
                let message = "XAIF has no statement that stops the program";
                let help = "write the program in another form, such as JSON or text";
                let site = Site::whole(RoutineId::new(r), Element::Statement(v, s));
                let problem = Diagnostic::error(&codes::NOT_CARRIED, message, help)
                    .at_element(text::site_text(program, &site))
                    .at_site(site);
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
        }
    }
    Ok(())
}

/// The program without what its graphs do, as JSON: the graphs are written as XAIF.
fn declarations(program: &Program) -> io::Result<String> {
    let mut program = program.clone();
    for routine in &mut program.routines {
        if routine.body.is_some() {
            routine.body = Some(Editor::line([]));
        }
    }
    let mut bytes = Vec::new();
    cfg_format::json::write(&program, &mut bytes)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    // Indentation would only enlarge the attribute.
    Ok(text.lines().map(str::trim_start).collect())
}

/// The symbol that annotations name.
fn symbol_of(annotations: &Annotations) -> Option<&str> {
    let xaif = annotations.as_ref()?.get("xaif")?;
    xaif.get("symbol")
        .or_else(|| xaif.get("symbols")?.get(0))
        .and_then(Value::as_str)
}

/// A symbol id for each name: the one of the source if it is free and is read as that name, else the name
/// with a number.
fn symbol(taken: &mut HashSet<String>, source: Option<&str>, name: &str, number: usize) -> String {
    let source = source.filter(|s| legal::is_legal_text(s));
    // The declarations have the name itself.
    let name = legal::replaced(name, '_');
    let name = &*name;
    if let Some(source) = source.filter(|s| short_name(s) == name || *s == name)
        && taken.insert(source.to_owned())
    {
        return source.to_owned();
    }
    let mut number = number;
    loop {
        let id = format!("{name}_{number}");
        if taken.insert(id.clone()) {
            return id;
        }
        number += 1;
    }
}

fn global_symbols(program: &Program) -> Vec<String> {
    let mut taken = HashSet::new();
    program
        .globals
        .iter()
        .enumerate()
        .map(|(i, g)| {
            let variable = &g.variable;
            symbol(
                &mut taken,
                symbol_of(&variable.annotations),
                &variable.name,
                i + 1,
            )
        })
        .collect()
}

fn routine_symbols(program: &Program) -> Vec<String> {
    let mut taken: HashSet<String> = global_symbols(program).into_iter().collect();
    let first = taken.len() + 1;
    program
        .routines
        .iter()
        .enumerate()
        .map(|(i, r)| symbol(&mut taken, symbol_of(&r.annotations), &r.name, first + i))
        .collect()
}

struct Writer<'p> {
    out: String,
    program: &'p Program,
    routine: Option<&'p Routine>,
    global_symbols: Vec<String>,
    routine_symbols: Vec<String>,
    /// Scope and symbol of each variable of the routine.
    symbols: Vec<(usize, String)>,
    /// The number of each variable of the routine in the order of declaration, which it has when it is read again.
    numbers: Vec<usize>,
}

/// Spaces of a nesting level.
fn pad(level: usize) -> &'static str {
    const SPACES: &str = "                                        ";
    &SPACES[..(2 * level).min(SPACES.len())]
}

/// ` annotation="{cfgrev ...}"`; nothing for an empty object.
fn annotation_attribute(data: Map<String, Value>) -> String {
    if data.is_empty() {
        return String::new();
    }
    let json = Value::Object(data).to_string();
    format!(
        " annotation=\"{{cfgrev {}}}\"",
        escape(&*legal::json(&json))
    )
}

fn object(annotations: &Annotations) -> Value {
    annotations
        .as_ref()
        .map_or(Value::Null, |a| Value::Object((**a).clone()))
}

/// The object in annotations of the form `{"xaif": {...}}` with exactly these keys; else `None`.
fn xaif_only<'a>(annotations: &'a Annotations, keys: &[&str]) -> Option<&'a Map<String, Value>> {
    let all = annotations.as_ref()?;
    let xaif = all.get("xaif")?.as_object()?;
    (all.len() == 1 && xaif.keys().all(|k| keys.contains(&k.as_str()))).then_some(xaif)
}

/// Attributes for the entries that XAIF has attributes for; the rest goes to the JSON data.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "JSON has no further kinds of values"
)]
fn source_attributes(
    annotations: &Annotations,
    attributes: &[(&str, &str)],
    data: &mut Map<String, Value>,
) -> String {
    let keys: Vec<&str> = attributes.iter().map(|a| a.0).collect();
    let mut text = String::new();
    match xaif_only(annotations, &keys) {
        Some(entries) => {
            for (key, attribute) in attributes {
                let value = match entries.get(*key) {
                    Some(Value::String(s)) => s.clone(),
                    Some(other) => other.to_string(),
                    None => continue,
                };
                if legal::is_legal_text(&value) {
                    let _ = write!(text, " {attribute}=\"{}\"", escape_text(&value));
                }
            }
            // A string that looks like a number would be read back as a number.
            let plain = entries.iter().all(|(k, v)| match v {
                Value::String(s) => {
                    legal::is_legal_text(s) && (*k != "line" || s.parse::<i64>().is_err())
                }
                Value::Number(n) => *k == "line" && n.is_i64(),
                _ => false,
            });
            if !plain || entries.is_empty() {
                data.insert("annotations".to_owned(), object(annotations));
            }
        }
        None if annotations.is_some() => {
            data.insert("annotations".to_owned(), object(annotations));
        }
        None => {}
    }
    text
}

impl<'p> Writer<'p> {
    fn write_line(&mut self, level: usize, text: &str) {
        self.out.push_str(pad(level));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn write_document(&mut self, declarations: &str) {
        let program = self.program;
        self.write_line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        let name = program
            .annotations
            .as_ref()
            .and_then(|a| a.get("xaif")?.get("program")?.as_str())
            .unwrap_or("cfgrev");
        // The declarations have all annotations.
        let name = legal::replaced(name, char::REPLACEMENT_CHARACTER);
        self.write_line(
            0,
            &format!(
                "<xaif:CallGraph xmlns:xaif=\"{}\" program_name=\"{}\" prefix=\"OpenAD_\">",
                crate::xaif::notation::NAMESPACE,
                escape(&*name)
            ),
        );
        self.write_scopes(declarations);
        self.write_line(
            1,
            "<xaif:AliasSetMap><xaif:AliasSet key=\"0\"/></xaif:AliasSetMap>",
        );
        self.write_line(
            1,
            "<xaif:DUUDSetMap><xaif:StmtIdSet key=\"0\"/></xaif:DUUDSetMap>",
        );
        self.write_line(
            1,
            "<xaif:DOSetMap><xaif:StmtIdSet key=\"0\"/></xaif:DOSetMap>",
        );
        for (r, routine) in program.routines.iter().enumerate() {
            self.enter_routine(r, routine);
            self.write_graph(r, routine);
        }
        self.call_edges();
        self.write_line(0, "</xaif:CallGraph>");
    }

    fn write_scopes(&mut self, declarations: &str) {
        let program = self.program;
        self.write_line(1, "<xaif:ScopeHierarchy>");
        let data = escape(&*legal::json(declarations)).into_owned();
        self.write_line(
            2,
            &format!("<xaif:Scope vertex_id=\"1\" annotation=\"{{cfgrev {data}}}\">"),
        );
        self.write_line(3, "<xaif:SymbolTable>");
        let symbols = std::mem::take(&mut self.global_symbols);
        for (global, id) in program.globals.iter().zip(&symbols) {
            self.write_symbol(id, &global.variable);
        }
        self.global_symbols = symbols;
        let mut others: BTreeSet<String> = self.routine_symbols.iter().cloned().collect();
        for routine in &program.routines {
            for (_, vertex) in routine.body.iter().flat_map(Cfg::vertices) {
                for statement in vertex.statements() {
                    if let StmtKind::Push { class, .. } = statement.kind {
                        others.insert(tape_routine(class, false));
                    } else if let StmtKind::Pop { class, .. } = statement.kind {
                        others.insert(tape_routine(class, true));
                    }
                }
            }
        }
        for id in others {
            let id = escape(id.as_str()).into_owned();
            self.write_line(
                4,
                &format!("<xaif:Symbol symbol_id=\"{id}\" kind=\"subroutine\" type=\"void\"/>"),
            );
        }
        self.write_line(3, "</xaif:SymbolTable>");
        self.write_line(2, "</xaif:Scope>");
        for (r, routine) in program.routines.iter().enumerate() {
            self.enter_routine(r, routine);
            self.write_line(2, &format!("<xaif:Scope vertex_id=\"{}\">", r + 2));
            self.write_line(3, "<xaif:SymbolTable>");
            let symbols = std::mem::take(&mut self.symbols);
            for v in routine.declaration_order() {
                let (scope, id) = &symbols[v.index()];
                if *scope != 1 {
                    self.write_symbol(id, routine.variable(v));
                }
            }
            self.write_line(3, "</xaif:SymbolTable>");
            self.write_line(2, "</xaif:Scope>");
            self.write_line(
                2,
                &format!(
                    "<xaif:ScopeEdge edge_id=\"{}\" source=\"{}\" target=\"1\"/>",
                    r + 1,
                    r + 2
                ),
            );
        }
        self.write_line(1, "</xaif:ScopeHierarchy>");
    }

    fn write_symbol(&mut self, id: &str, variable: &Variable) {
        let (ty, fe_type) = match variable.ty {
            ScalarType::Real => ("real", "F8"),
            ScalarType::Real32 => ("real", "F4"),
            ScalarType::Integer => ("integer", "I8"),
            ScalarType::Logical => ("bool", "I4"),
            ScalarType::Sized(IntType::Int8) => ("integer", "I1"),
            ScalarType::Sized(IntType::Int16) => ("integer", "I2"),
            ScalarType::Sized(IntType::Int32) => ("integer", "I4"),
            // XAIF has no integers without sign; what is read back has the type from the declarations.
            ScalarType::Sized(
                IntType::Uint8 | IntType::Uint16 | IntType::Uint32 | IntType::Uint64,
            ) => ("opaque", "UNK"),
            ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => ("opaque", "UNK"),
        };
        let shape = shape_name(variable.rank()).unwrap_or("seven_tensor");
        let head = format!(
            "<xaif:Symbol symbol_id=\"{}\" kind=\"variable\" type=\"{ty}\" feType=\"{fe_type}\" shape=\"{shape}\" active=\"{}\"",
            escape(id),
            i32::from(variable.ty.is_real())
        );
        let bounds: Option<Vec<(i64, i64)>> = variable
            .shape
            .iter()
            .map(|d| match (&d.lower, &d.extent) {
                (Expr::Int(l), Extent::Fixed(Expr::Int(n))) => {
                    Some((*l, l.checked_add(*n)?.checked_sub(1)?))
                }
                _ => None,
            })
            .collect();
        match bounds.filter(|b| !b.is_empty()) {
            None => self.write_line(4, &format!("{head}/>")),
            Some(mut bounds) => {
                // The front end's order: the last dimension first.
                bounds.reverse();
                self.write_line(4, &format!("{head}>"));
                for (lower, upper) in bounds {
                    self.write_line(
                        5,
                        &format!("<xaif:DimensionBounds lower=\"{lower}\" upper=\"{upper}\"/>"),
                    );
                }
                self.write_line(4, "</xaif:Symbol>");
            }
        }
    }

    /// Finds the symbols of a routine's variables.
    fn enter_routine(&mut self, r: usize, routine: &'p Routine) {
        self.routine = Some(routine);
        let mut taken = HashSet::new();
        let mut symbols = vec![(1, String::new()); routine.variables.len()];
        self.numbers = vec![0; routine.variables.len()];
        for (i, v) in routine.declaration_order().enumerate() {
            self.numbers[v.index()] = i;
            let variable = routine.variable(v);
            symbols[v.index()] = match variable.role {
                Role::Global(g) => (
                    1,
                    self.global_symbols
                        .get(g.index())
                        .cloned()
                        .unwrap_or_default(),
                ),
                Role::Parameter { .. } | Role::Local => {
                    let source = symbol_of(&variable.annotations);
                    (r + 2, symbol(&mut taken, source, &variable.name, i + 1))
                }
            };
        }
        self.symbols = symbols;
    }
}

/// Text in an attribute: also what XML would turn into spaces.
fn escape_text(text: &str) -> String {
    escape(text)
        .replace('\n', "&#10;")
        .replace('\r', "&#13;")
        .replace('\t', "&#9;")
}
