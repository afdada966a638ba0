//! Writing programs as XAIF: symbol tables, graphs, statements, in the vocabulary of the corpus.
//!
//! What XAIF cannot say (extents that are expressions, intents of generated arguments, origins, tapes)
//! is in annotations, as JSON after `cfgrev`: the declarations of the whole program in that of the
//! outermost scope, data of one element in its own. A reader that does not know them sees plain XAIF; our
//! own gets the same program back ([`super::exact`]).

use super::{legal, model::shape_name, names::short_name, spelling};
use cfg_core::{
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Annotations, Cfg, Control, Edge, Expr, Extent, Intent, LoopForm, LoopTest, Op, Place,
        Program, Role, Routine, ScalarType, Selector, Stmt, StmtKind, Subscript, TapeClass,
        Variable, Vertex, VertexKind,
    },
    typing,
};
use quick_xml::escape::escape;
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
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
    let declarations = declarations(program)?;
    let mut writer = Writer {
        out: String::with_capacity(1 << 16),
        program,
        routine: None,
        global_symbols: global_symbols(program),
        routine_symbols: routine_symbols(program),
        symbols: Vec::new(),
    };
    writer.document(&declarations);
    Ok(writer.out)
}

/// The program without what its graphs do, as JSON: the graphs are written as XAIF.
fn declarations(program: &Program) -> io::Result<String> {
    let mut program = program.clone();
    for routine in &mut program.routines {
        if routine.body.is_some() {
            let vertices = vec![
                Vertex::new(1, VertexKind::Entry),
                Vertex::new(2, VertexKind::Exit),
            ];
            let edge = Edge::new(VertexId::new(0), VertexId::new(1), None);
            routine.body = Cfg::new(vertices, vec![edge]);
        }
    }
    let mut bytes = Vec::new();
    cfg_core::json::write(&program, &mut bytes)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    // Newlines between tokens are no use in an attribute.
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

/// The subroutine that stands for pushing or popping.
pub(super) fn tape_routine(class: TapeClass, pop: bool) -> String {
    use cfg_core::ir::ControlWidth;
    let action = if pop { "pop" } else { "push" };
    match class {
        TapeClass::Control(ControlWidth::Bits(bits)) => format!("cfgrev_{action}_control_{bits}"),
        TapeClass::Control(ControlWidth::Count) => format!("cfgrev_{action}_control_count"),
        other => format!("cfgrev_{action}_{}", other.name()),
    }
}

struct Writer<'p> {
    out: String,
    program: &'p Program,
    routine: Option<&'p Routine>,
    global_symbols: Vec<String>,
    routine_symbols: Vec<String>,
    /// Scope and symbol of each variable of the routine.
    symbols: Vec<(usize, String)>,
}

/// Spaces of a nesting level.
fn pad(level: usize) -> &'static str {
    const SPACES: &str = "                                        ";
    &SPACES[..(2 * level).min(SPACES.len())]
}

/// ` annotation="{cfgrev ...}"`; nothing for an empty object.
fn annotation(data: Map<String, Value>) -> String {
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

/// The annotations `{"xaif": {...}}` with exactly these keys, if that is what they are.
fn xaif_only<'a>(annotations: &'a Annotations, keys: &[&str]) -> Option<&'a Map<String, Value>> {
    let all = annotations.as_ref()?;
    let xaif = all.get("xaif")?.as_object()?;
    (all.len() == 1 && xaif.keys().all(|k| keys.contains(&k.as_str()))).then_some(xaif)
}

/// Attributes for the entries that XAIF has attributes for; the rest goes to the JSON data.
fn source(
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
            // Text that looks like a number would come back as one.
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
    fn line(&mut self, level: usize, text: &str) {
        self.out.push_str(pad(level));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn document(&mut self, declarations: &str) {
        let program = self.program;
        self.line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        let name = program
            .annotations
            .as_ref()
            .and_then(|a| a.get("xaif")?.get("program")?.as_str())
            .unwrap_or("cfgrev");
        // The declarations have all annotations.
        let name = legal::replaced(name, char::REPLACEMENT_CHARACTER);
        self.line(
            0,
            &format!(
                "<xaif:CallGraph xmlns:xaif=\"{}\" program_name=\"{}\" prefix=\"OpenAD_\">",
                super::xml::NAMESPACE,
                escape(&*name)
            ),
        );
        self.scopes(declarations);
        self.line(
            1,
            "<xaif:AliasSetMap><xaif:AliasSet key=\"0\"/></xaif:AliasSetMap>",
        );
        self.line(
            1,
            "<xaif:DUUDSetMap><xaif:StmtIdSet key=\"0\"/></xaif:DUUDSetMap>",
        );
        self.line(
            1,
            "<xaif:DOSetMap><xaif:StmtIdSet key=\"0\"/></xaif:DOSetMap>",
        );
        for (r, routine) in program.routines.iter().enumerate() {
            self.enter(r, routine);
            self.graph(r, routine);
        }
        self.call_edges();
        self.line(0, "</xaif:CallGraph>");
    }

    fn scopes(&mut self, declarations: &str) {
        let program = self.program;
        self.line(1, "<xaif:ScopeHierarchy>");
        let data = escape(&*legal::json(declarations)).into_owned();
        self.line(
            2,
            &format!("<xaif:Scope vertex_id=\"1\" annotation=\"{{cfgrev {data}}}\">"),
        );
        self.line(3, "<xaif:SymbolTable>");
        let symbols = std::mem::take(&mut self.global_symbols);
        for (global, id) in program.globals.iter().zip(&symbols) {
            self.symbol(id, &global.variable);
        }
        self.global_symbols = symbols;
        let mut others: BTreeSet<String> = self.routine_symbols.iter().cloned().collect();
        for routine in &program.routines {
            for (_, vertex) in routine.body.iter().flat_map(Cfg::vertices) {
                for statement in vertex.statements() {
                    match statement.kind {
                        StmtKind::Push { class, .. } => others.insert(tape_routine(class, false)),
                        StmtKind::Pop { class, .. } => others.insert(tape_routine(class, true)),
                        _ => continue,
                    };
                }
            }
        }
        for id in others {
            let id = escape(id.as_str()).into_owned();
            self.line(
                4,
                &format!("<xaif:Symbol symbol_id=\"{id}\" kind=\"subroutine\" type=\"void\"/>"),
            );
        }
        self.line(3, "</xaif:SymbolTable>");
        self.line(2, "</xaif:Scope>");
        for (r, routine) in program.routines.iter().enumerate() {
            self.enter(r, routine);
            self.line(2, &format!("<xaif:Scope vertex_id=\"{}\">", r + 2));
            self.line(3, "<xaif:SymbolTable>");
            let symbols = std::mem::take(&mut self.symbols);
            for (variable, (scope, id)) in routine.variables.iter().zip(&symbols) {
                if *scope != 1 {
                    self.symbol(id, variable);
                }
            }
            self.line(3, "</xaif:SymbolTable>");
            self.line(2, "</xaif:Scope>");
            self.line(
                2,
                &format!(
                    "<xaif:ScopeEdge edge_id=\"{}\" source=\"{}\" target=\"1\"/>",
                    r + 1,
                    r + 2
                ),
            );
        }
        self.line(1, "</xaif:ScopeHierarchy>");
    }

    fn symbol(&mut self, id: &str, variable: &Variable) {
        let (ty, fe_type) = match variable.ty {
            ScalarType::Real => ("real", "F8"),
            ScalarType::Real32 => ("real", "F4"),
            ScalarType::Integer => ("integer", "I8"),
            ScalarType::Logical => ("bool", "I4"),
            ScalarType::Tape => ("opaque", "UNK"),
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
            None => self.line(4, &format!("{head}/>")),
            Some(mut bounds) => {
                // The front end's order: the last dimension first.
                bounds.reverse();
                self.line(4, &format!("{head}>"));
                for (lower, upper) in bounds {
                    self.line(
                        5,
                        &format!("<xaif:DimensionBounds lower=\"{lower}\" upper=\"{upper}\"/>"),
                    );
                }
                self.line(4, "</xaif:Symbol>");
            }
        }
    }

    /// Finds the symbols of a routine's variables.
    fn enter(&mut self, r: usize, routine: &'p Routine) {
        self.routine = Some(routine);
        let mut taken = HashSet::new();
        let mut symbols = Vec::with_capacity(routine.variables.len());
        for (i, variable) in routine.variables.iter().enumerate() {
            symbols.push(match variable.role {
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
            });
        }
        self.symbols = symbols;
    }

    fn graph(&mut self, r: usize, routine: &'p Routine) {
        let id = escape(self.routine_symbols[r].as_str()).into_owned();
        let structured = match routine.control {
            Control::Structured => "",
            Control::General => " structured=\"0\"",
        };
        self.line(
            1,
            &format!(
                "<xaif:ControlFlowGraph vertex_id=\"{}\" scope_id=\"1\" symbol_id=\"{id}\"{structured} controlflowgraph_scope_id=\"{}\">",
                r + 1,
                r + 2
            ),
        );
        self.formals(routine);
        if let Some(cfg) = &routine.body {
            for (_, vertex) in cfg.vertices() {
                self.vertex(r, cfg, vertex);
            }
            self.edges(cfg);
        }
        self.line(1, "</xaif:ControlFlowGraph>");
    }

    fn formals(&mut self, routine: &Routine) {
        self.line(2, "<xaif:ArgumentList>");
        let parameters = routine
            .parameter_ids()
            .map(|v| (v, routine.variable(v).intent().unwrap_or(Intent::InOut)));
        let result = routine.result.map(|v| (v, Intent::Out));
        for (i, (v, intent)) in parameters.chain(result).enumerate() {
            let (scope, id) = &self.symbols[v.index()];
            let text = format!(
                "<xaif:ArgumentSymbolReference position=\"{}\" scope_id=\"{scope}\" symbol_id=\"{}\" intent=\"{}\"/>",
                i + 1,
                escape(id.as_str()),
                intent.name()
            );
            self.line(3, &text);
        }
        self.line(2, "</xaif:ArgumentList>");
    }

    fn vertex(&mut self, r: usize, cfg: &Cfg, vertex: &'p Vertex) {
        let mut data = Map::new();
        if let Some(origin) = vertex.origin {
            data.insert(
                "origin".to_owned(),
                json!([origin.role.name(), origin.vertex]),
            );
        }
        let id = vertex.id;
        let attributes = [("line", "lineNumber"), ("reversal", "reversal")];
        match &vertex.kind {
            VertexKind::Block(statements) => {
                let _ = source(&vertex.annotations, &[], &mut data);
                let note = annotation(data);
                self.line(
                    2,
                    &format!(
                        "<xaif:BasicBlock vertex_id=\"{id}\" scope_id=\"{}\"{note}>",
                        r + 2
                    ),
                );
                for statement in statements {
                    self.statement(statement);
                }
                self.line(2, "</xaif:BasicBlock>");
            }
            VertexKind::Loop { form, test } => {
                if *form == LoopForm::ForLoop {
                    data.insert("form".to_owned(), json!("FORLOOP"));
                }
                let mut text = source(&vertex.annotations, &attributes, &mut data);
                let name = match test.as_ref() {
                    LoopTest::Pre(_) => "PreLoop",
                    LoopTest::Post(_) => "PostLoop",
                    LoopTest::Counted { .. } => "ForLoop",
                };
                text.push_str(&annotation(data));
                self.line(2, &format!("<xaif:{name} vertex_id=\"{id}\"{text}>"));
                match test.as_ref() {
                    LoopTest::Pre(e) | LoopTest::Post(e) => self.container(3, "Condition", e),
                    LoopTest::Counted {
                        index,
                        first,
                        last,
                        step,
                    } => {
                        let i = Place::whole(*index);
                        self.sides(3, "Initialization", &i, first);
                        let op = match step {
                            Expr::Int(s) if *s > 0 => Op::Le,
                            Expr::Int(s) if *s < 0 => Op::Ge,
                            _ => Op::Ne,
                        };
                        let compare = Expr::op(op, [Expr::var(*index), last.clone()]);
                        self.container(3, "Condition", &compare);
                        let next = Expr::op(Op::Add, [Expr::var(*index), step.clone()]);
                        self.sides(3, "Update", &i, &next);
                    }
                }
                self.line(2, &format!("</xaif:{name}>"));
            }
            VertexKind::Branch(selector) => {
                let value = match selector.as_ref() {
                    Selector::Condition(e) => e,
                    Selector::Cases { value, arms } => {
                        let arms: Vec<Value> = arms
                            .iter()
                            .map(|a| {
                                let cases: Vec<Value> =
                                    a.cases.iter().map(|c| json!([c.lower, c.upper])).collect();
                                json!([a.label, cases, a.default])
                            })
                            .collect();
                        data.insert("arms".to_owned(), json!(arms));
                        value
                    }
                };
                let mut text = source(&vertex.annotations, &attributes, &mut data);
                text.push_str(&annotation(data));
                self.line(2, &format!("<xaif:Branch vertex_id=\"{id}\"{text}>"));
                self.container(3, "Condition", value);
                self.line(2, "</xaif:Branch>");
            }
            kind @ (VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::EndLoop
            | VertexKind::EndBranch) => {
                let name = match kind {
                    VertexKind::Entry => "Entry",
                    VertexKind::Exit => "Exit",
                    VertexKind::EndLoop => "EndLoop",
                    _ => "EndBranch",
                };
                let _ = source(&vertex.annotations, &[], &mut data);
                let note = annotation(data);
                self.line(2, &format!("<xaif:{name} vertex_id=\"{id}\"{note}/>"));
            }
        }
        let _ = cfg;
    }

    fn edges(&mut self, cfg: &Cfg) {
        let mut next = cfg
            .edges()
            .map(|(i, e)| e.id.unwrap_or(i.index() as i64))
            .max()
            .unwrap_or(0)
            .saturating_add(1);
        let mut more = Vec::new();
        for (i, edge) in cfg.edges() {
            let mut data = Map::new();
            if edge.id.is_none() {
                data.insert("id".to_owned(), Value::Null);
            }
            let _ = source(&edge.annotations, &[], &mut data);
            let from = cfg.vertex(edge.from);
            let value;
            match &from.kind {
                VertexKind::Branch(selector) => match selector.as_ref() {
                    Selector::Condition(_) => value = edge.label.filter(|&l| l != 0),
                    Selector::Cases { arms, .. } => {
                        let arm = arms.iter().find(|a| Some(a.label) == edge.label);
                        let single: Vec<i64> = arm
                            .into_iter()
                            .flat_map(|a| a.cases.iter())
                            .filter_map(|c| c.lower.filter(|_| c.lower == c.upper))
                            .collect();
                        value = match (arm.is_some_and(|a| a.default), single.first()) {
                            (true, _) => None,
                            (false, Some(first)) => Some(*first),
                            (false, None) => edge.label,
                        };
                        if value != edge.label {
                            data.insert("label".to_owned(), json!(edge.label));
                        }
                        // One edge of XAIF has one value.
                        for v in single.into_iter().filter(|v| Some(*v) != value) {
                            more.push((edge.from, edge.to, v));
                        }
                    }
                },
                _ => value = edge.label,
            }
            let id = edge.id.unwrap_or(i.index() as i64);
            self.edge(cfg, id, (edge.from, edge.to), value, data);
        }
        for (from, to, value) in more {
            let mut data = Map::new();
            data.insert("again".to_owned(), json!(true));
            self.edge(cfg, next, (from, to), Some(value), data);
            next = next.saturating_add(1);
        }
    }

    fn edge(
        &mut self,
        cfg: &Cfg,
        id: i64,
        (from, to): (VertexId, VertexId),
        value: Option<i64>,
        data: Map<String, Value>,
    ) {
        let value = value.map_or(String::new(), |v| {
            format!(" has_condition_value=\"true\" condition_value=\"{v}\"")
        });
        let note = annotation(data);
        self.line(
            2,
            &format!(
                "<xaif:ControlFlowEdge edge_id=\"{id}\" source=\"{}\" target=\"{}\"{value}{note}/>",
                cfg.vertex(from).id,
                cfg.vertex(to).id
            ),
        );
    }

    fn statement(&mut self, statement: &Stmt) {
        let mut data = Map::new();
        let attributes = [("statement", "statement_id"), ("line", "lineNumber")];
        let text = source(&statement.annotations, &attributes, &mut data);
        match &statement.kind {
            StmtKind::Assign { target, value } => {
                let note = annotation(data);
                self.line(3, &format!("<xaif:Assignment{text}{note}>"));
                self.assignment(4, target, value);
                self.line(3, "</xaif:Assignment>");
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                if result.is_some() {
                    data.insert("result".to_owned(), json!(true));
                }
                let id = self
                    .routine_symbols
                    .get(callee.index())
                    .cloned()
                    .unwrap_or_default();
                let result = result.clone().map(Expr::Place);
                let actuals: Vec<Option<&Expr>> = arguments
                    .iter()
                    .map(Option::as_ref)
                    .chain(result.as_ref().map(Some))
                    .collect();
                self.call(&id, &text, data, &actuals);
            }
            StmtKind::Push { tape, class, value } => {
                let id = tape_routine(*class, false);
                let tape = Expr::var(*tape);
                self.call(&id, &text, data, &[Some(&tape), Some(value)]);
            }
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                let id = tape_routine(*class, true);
                let tape = Expr::var(*tape);
                let target = Expr::Place(target.clone());
                self.call(&id, &text, data, &[Some(&tape), Some(&target)]);
            }
            StmtKind::Opaque {
                text: marker,
                reads,
                writes,
            } => {
                let names = |list: &[VarId]| -> Value {
                    let ids = list.iter().map(|v| v.index());
                    json!(ids.collect::<Vec<_>>())
                };
                if !reads.is_empty() {
                    data.insert("reads".to_owned(), names(reads));
                }
                if !writes.is_empty() {
                    data.insert("writes".to_owned(), names(writes));
                }
                let mut note = marker.to_string();
                if note.contains("{cfgrev ") || !legal::is_legal_text(&note) {
                    data.insert("text".to_owned(), json!(note));
                    note.clear();
                }
                if !data.is_empty() {
                    let json = Value::Object(data).to_string();
                    let _ = write!(note, "{{cfgrev {}}}", legal::json(&json));
                }
                self.line(
                    3,
                    &format!("<xaif:Marker{text} annotation=\"{}\"/>", escape_text(&note)),
                );
            }
        }
    }

    fn call(&mut self, id: &str, text: &str, data: Map<String, Value>, actuals: &[Option<&Expr>]) {
        let note = annotation(data);
        self.line(
            3,
            &format!(
                "<xaif:SubroutineCall{text} scope_id=\"1\" symbol_id=\"{}\" formalArgCount=\"{}\"{note}>",
                escape(id),
                actuals.len()
            ),
        );
        for (i, actual) in actuals.iter().enumerate() {
            if let Some(e) = actual {
                self.line(4, &format!("<xaif:Argument position=\"{}\">", i + 1));
                self.expression(5, e);
                self.line(4, "</xaif:Argument>");
            }
        }
        self.line(3, "</xaif:SubroutineCall>");
    }

    fn sides(&mut self, level: usize, name: &str, target: &Place, value: &Expr) {
        self.line(level, &format!("<xaif:{name}>"));
        self.assignment(level + 1, target, value);
        self.line(level, &format!("</xaif:{name}>"));
    }

    fn assignment(&mut self, level: usize, target: &Place, value: &Expr) {
        self.line(level, "<xaif:AssignmentLHS du_ud=\"0\" alias=\"0\">");
        self.place(level + 1, target);
        self.line(level, "</xaif:AssignmentLHS>");
        self.container(level, "AssignmentRHS", value);
    }

    fn container(&mut self, level: usize, name: &str, e: &Expr) {
        self.line(level, &format!("<xaif:{name}>"));
        self.expression(level + 1, e);
        self.line(level, &format!("</xaif:{name}>"));
    }

    /// The contents of a container: vertices in prefix order, then the edges.
    fn expression(&mut self, level: usize, e: &Expr) {
        let mut edges = Vec::new();
        let mut next = 0;
        self.node(level, e, &mut next, &mut edges);
        for (i, (source, target, position)) in edges.into_iter().enumerate() {
            self.line(
                level,
                &format!(
                    "<xaif:ExpressionEdge edge_id=\"{}\" source=\"{source}\" target=\"{target}\" position=\"{position}\"/>",
                    i + 1
                ),
            );
        }
    }

    fn node(
        &mut self,
        level: usize,
        e: &Expr,
        next: &mut usize,
        edges: &mut Vec<(usize, usize, usize)>,
    ) -> usize {
        *next += 1;
        let id = *next;
        let constant = |ty: &str, fe_type: &str, value: &str| {
            format!(
                "<xaif:Constant vertex_id=\"{id}\" type=\"{ty}\" feType=\"{fe_type}\" value=\"{value}\"/>"
            )
        };
        match e {
            Expr::Int(i) => {
                let fe_type = if i32::try_from(*i).is_ok() {
                    "I4"
                } else {
                    "I8"
                };
                self.line(level, &constant("integer", fe_type, &i.to_string()));
            }
            Expr::Real(x) => self.line(level, &constant("real", "F8", &format!("{x:e}"))),
            Expr::Real32(x) => self.line(level, &constant("real", "F4", &format!("{x:e}"))),
            Expr::Logical(b) => self.line(level, &constant("bool", "I4", &b.to_string())),
            Expr::Place(place) => {
                self.line(
                    level,
                    &format!("<xaif:VariableReference vertex_id=\"{id}\" du_ud=\"0\" alias=\"0\">"),
                );
                self.place(level + 1, place);
                self.line(level, "</xaif:VariableReference>");
            }
            Expr::Op(op, operands) => {
                let (name, boolean) = spelling::name(*op);
                let name = escape(name.as_str()).into_owned();
                if boolean {
                    self.line(
                        level,
                        &format!("<xaif:BooleanOperation vertex_id=\"{id}\" name=\"{name}\"/>"),
                    );
                } else {
                    let result = self.result(e);
                    self.line(
                        level,
                        &format!("<xaif:Intrinsic vertex_id=\"{id}\" name=\"{name}\" type=\"***\"{result}/>"),
                    );
                }
                for (i, operand) in operands.iter().enumerate() {
                    let source = self.node(level, operand, next, edges);
                    edges.push((source, id, i + 1));
                }
            }
        }
        id
    }

    /// `rType` and `rShape` of an operation.
    fn result(&self, e: &Expr) -> String {
        let mut text = String::new();
        let Some(Ok(ty)) = self.routine.map(|r| typing::type_of(&r.variables, e)) else {
            return text;
        };
        if ty.ty == ScalarType::Integer {
            text.push_str(" rType=\"integer\"");
        }
        if let (true, Some(shape)) = (ty.rank > 0, shape_name(ty.rank)) {
            let _ = write!(text, " rShape=\"{shape}\"");
        }
        text
    }

    /// `SymbolReference` and subscripts.
    fn place(&mut self, level: usize, place: &Place) {
        let (scope, id) = self
            .symbols
            .get(place.var.index())
            .cloned()
            .unwrap_or_default();
        self.line(
            level,
            &format!(
                "<xaif:SymbolReference vertex_id=\"1\" scope_id=\"{scope}\" symbol_id=\"{}\"/>",
                escape(id.as_str())
            ),
        );
        if place.subscripts.is_empty() {
            return;
        }
        self.line(level, "<xaif:ArrayElementReference vertex_id=\"2\">");
        for subscript in &place.subscripts {
            self.line(level + 1, "<xaif:IndexTriplet>");
            match subscript {
                Subscript::Index(e) => self.container(level + 2, "Index", e),
                Subscript::Range(range) => {
                    if let Some(e) = &range.lower {
                        self.container(level + 2, "Index", e);
                    }
                    if let Some(e) = &range.upper {
                        self.container(level + 2, "Bound", e);
                    }
                    let one = Expr::Int(1);
                    let stride = range.stride.as_ref().unwrap_or(&one);
                    self.container(level + 2, "Stride", stride);
                }
            }
            self.line(level + 1, "</xaif:IndexTriplet>");
        }
        self.line(level, "</xaif:ArrayElementReference>");
        self.line(
            level,
            "<xaif:VariableReferenceEdge edge_id=\"1\" source=\"1\" target=\"2\"/>",
        );
    }

    /// Who calls whom, once each.
    fn call_edges(&mut self) {
        let mut seen: HashMap<(usize, RoutineId), ()> = HashMap::new();
        let mut edge = 0;
        for (r, routine) in self.program.routines.iter().enumerate() {
            for (_, vertex) in routine.body.iter().flat_map(Cfg::vertices) {
                for statement in vertex.statements() {
                    if let StmtKind::Call { callee, .. } = statement.kind
                        && seen.insert((r, callee), ()).is_none()
                    {
                        edge += 1;
                        let text = format!(
                            "<xaif:CallGraphEdge edge_id=\"{edge}\" source=\"{}\" target=\"{}\"/>",
                            r + 1,
                            callee.index() + 1
                        );
                        self.line(1, &text);
                    }
                }
            }
        }
    }
}

/// Text in an attribute: also what XML would turn into spaces.
fn escape_text(text: &str) -> String {
    escape(text)
        .replace('\n', "&#10;")
        .replace('\r', "&#13;")
        .replace('\t', "&#9;")
}
