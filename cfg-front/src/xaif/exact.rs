//! Documents that [`super::write`] wrote: the declarations come from the annotation of the outermost
//! scope, the graphs are read as they stand, without conversions or temporaries, so that the same program
//! comes back.

use super::{
    Options, codes,
    expression::{ExpressionGraph, Reports, constant},
    graph::Places,
    model::{Model, Sink, int, text},
    spelling,
    xml::{At, Document, El, NodeId},
};
use cfg_core::{
    diagnostic::CodeInfo,
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Annotations, Arm, CaseRange, Cfg, ControlWidth, Edge, Expr, LoopForm, LoopTest, Origin,
        OriginRole, Place, Program, Range, Role, Selector, Stmt, StmtKind, Subscript, TapeClass,
        Vertex, VertexKind,
    },
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The declarations in a document that was written here.
pub(super) fn declarations(doc: &Document<'_>) -> Option<String> {
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

/// Reads such a document.
pub(super) fn program(
    doc: &Document<'_>,
    declared: &str,
    options: &Options,
    sink: &mut Sink,
) -> Option<Program> {
    let model = Model::read(doc, sink);
    if sink.failed() {
        return None;
    }
    let mut program = match cfg_core::json::read(declared.as_bytes()) {
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
        let (body, place) = reader.graph(decl.node, r, &program).unwrap_or_default();
        if has_body != body.is_some() && !reader.sink.failed() {
            reader.mismatch(decl.node, "a graph is missing or superfluous");
        }
        program.routines[r].body = body;
        places.push(place);
    }
    if sink.failed() {
        return None;
    }
    if let Some(name) = &options.routine {
        program.main = super::chosen_routine(doc, name, &program, sink);
    }
    super::chosen_variables(doc, options, &mut program, sink);
    if sink.failed() {
        return None;
    }
    super::validated(doc, &model, &places, &program, sink);
    Some(program)
}

/// A JSON object that nests no deeper than it may where statements have their annotations in JSON programs.
fn object(text: &str) -> Option<Map<String, Value>> {
    // Program, routines, routine, vertices, vertex, statements; the statement is the outermost object here.
    let outside: &[u8] = b"{[{[{[";
    cfg_core::json::load(std::io::Read::chain(outside, text.as_bytes())).ok()?;
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

    fn mismatch(&mut self, n: NodeId, message: &str) {
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
            self.mismatch(root, "the number of routines differs");
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
            self.mismatch(root, "the number of global variables differs");
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
                    self.mismatch(decl.node, "a variable has no symbol");
                    return false;
                };
                self.variables.insert((r, symbol), VarId::new(i));
            }
            if own.next().is_some() {
                self.mismatch(decl.node, "a symbol has no variable");
                return false;
            }
        }
        true
    }

    /// The data of an element.
    fn data(&mut self, n: NodeId) -> Option<Map<String, Value>> {
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

    /// Annotations: those in the data, else what the attributes say.
    fn annotations(
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
        super::lower::annotations(entries)
    }

    fn graph(
        &mut self,
        node: NodeId,
        r: usize,
        program: &Program,
    ) -> Option<(Option<Cfg>, Places)> {
        let doc = self.doc;
        let mut vertices = Vec::new();
        let mut places = Places::default();
        let mut index = HashMap::new();
        let mut edge_nodes = Vec::new();
        for n in doc.children(node) {
            match doc.name(n) {
                El::ControlFlowEdge => edge_nodes.push(n),
                El::ArgumentList => {}
                _ => {
                    let id = int(doc, n, At::VertexId, self.sink)?;
                    if index.insert(id, VertexId::new(vertices.len())).is_some() {
                        self.report(
                            n,
                            &codes::DUPLICATE,
                            format!("two vertices have id {id}"),
                            "number the second one differently",
                        );
                        return None;
                    }
                    let mut nodes = Vec::new();
                    vertices.push(self.vertex(n, id, r, program, &mut nodes)?);
                    places.vertices.push(n);
                    places.statements.push(nodes);
                }
            }
        }
        if vertices.is_empty() {
            return Some((None, places));
        }
        let mut edges = Vec::new();
        for n in edge_nodes {
            if let Some(edge) = self.edge(n, &index, &vertices)? {
                edges.push(edge);
                places.edges.push(n);
            }
        }
        Some((Cfg::new(vertices, edges), places))
    }

    fn vertex(
        &mut self,
        n: NodeId,
        id: i64,
        r: usize,
        program: &Program,
        nodes: &mut Vec<NodeId>,
    ) -> Option<Vertex> {
        let doc = self.doc;
        let data = self.data(n)?;
        let mut attributes = vec![];
        let kind = match doc.name(n) {
            El::Entry => VertexKind::Entry,
            El::Exit => VertexKind::Exit,
            El::EndLoop => VertexKind::EndLoop,
            El::EndBranch => VertexKind::EndBranch,
            El::BasicBlock => {
                let mut statements = Vec::new();
                for s in doc.children(n) {
                    statements.push(self.statement(s, r, program)?);
                    nodes.push(s);
                }
                VertexKind::Block(statements)
            }
            name @ (El::PreLoop | El::PostLoop | El::ForLoop | El::Branch) => {
                attributes = vec![("line", At::LineNumber), ("reversal", At::Reversal)];
                let condition = self.child(n, El::Condition)?;
                let condition = self.expression(condition, r)?;
                match name {
                    El::Branch => {
                        let selector = self.selector(n, &data, condition)?;
                        VertexKind::Branch(Box::new(selector))
                    }
                    name => {
                        let form = if data.get("form").is_some() {
                            LoopForm::ForLoop
                        } else {
                            LoopForm::Loop
                        };
                        let test = match name {
                            El::PreLoop => LoopTest::Pre(condition),
                            El::PostLoop => LoopTest::Post(condition),
                            _ => self.counted(n, r, condition)?,
                        };
                        VertexKind::Loop {
                            form,
                            test: Box::new(test),
                        }
                    }
                }
            }
            _ => {
                let problem = super::model::unexpected(doc, n);
                self.sink.push(problem);
                return None;
            }
        };
        let mut vertex = Vertex::new(id, kind);
        vertex.annotations = self.annotations(n, &data, &attributes);
        if let Some(origin) = data.get("origin") {
            let role = origin.get(0).and_then(Value::as_str);
            let role = OriginRole::ALL.into_iter().find(|o| Some(o.name()) == role);
            let (Some(role), Some(of)) = (role, origin.get(1).and_then(Value::as_i64)) else {
                self.mismatch(n, "the origin of the vertex cannot be read");
                return None;
            };
            vertex.origin = Some(Origin { role, vertex: of });
        }
        Some(vertex)
    }

    fn child(&mut self, n: NodeId, name: El) -> Option<NodeId> {
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

    fn selector(&mut self, n: NodeId, data: &Map<String, Value>, value: Expr) -> Option<Selector> {
        let Some(arms) = data.get("arms") else {
            return Some(Selector::Condition(value));
        };
        let arm = |arm: &Value| -> Option<Arm> {
            let case = |c: &Value| -> Option<CaseRange> {
                let bound = |b: &Value| match b {
                    Value::Null => Some(None),
                    b => Some(Some(b.as_i64()?)),
                };
                Some(CaseRange {
                    lower: bound(c.get(0)?)?,
                    upper: bound(c.get(1)?)?,
                })
            };
            Some(Arm {
                label: arm.get(0)?.as_i64()?,
                cases: arm
                    .get(1)?
                    .as_array()?
                    .iter()
                    .map(case)
                    .collect::<Option<_>>()?,
                default: arm.get(2)?.as_bool()?,
            })
        };
        let arms: Option<Box<[Arm]>> = arms.as_array().and_then(|a| a.iter().map(arm).collect());
        match arms {
            Some(arms) => Some(Selector::Cases { value, arms }),
            None => {
                self.mismatch(n, "the arms of the branch cannot be read");
                None
            }
        }
    }

    fn counted(&mut self, n: NodeId, r: usize, condition: Expr) -> Option<LoopTest> {
        let initialization = self.child(n, El::Initialization)?;
        let update = self.child(n, El::Update)?;
        let (index, first) = self.assignment(initialization, r)?;
        let (_, next) = self.assignment(update, r)?;
        let second = |e: Expr| match e {
            Expr::Op(_, operands) if operands.len() == 2 => operands.into_iter().nth(1),
            _ => None,
        };
        match (second(condition), second(next), index.subscripts.is_empty()) {
            (Some(last), Some(step), true) => Some(LoopTest::Counted {
                index: index.var,
                first,
                last,
                step,
            }),
            _ => {
                self.mismatch(n, "the ForLoop does not count an index");
                None
            }
        }
    }

    /// One edge; nothing for an edge that only repeats another for a further value.
    fn edge(
        &mut self,
        n: NodeId,
        index: &HashMap<i64, VertexId>,
        vertices: &[Vertex],
    ) -> Option<Option<Edge>> {
        let doc = self.doc;
        let data = self.data(n)?;
        if data.get("again").is_some() {
            return Some(None);
        }
        let id = int(doc, n, At::EdgeId, self.sink)?;
        let source = int(doc, n, At::Source, self.sink)?;
        let target = int(doc, n, At::Target, self.sink)?;
        let (Some(&from), Some(&to)) = (index.get(&source), index.get(&target)) else {
            self.report(
                n,
                &codes::EDGE,
                format!("the edge {source} -> {target} names a vertex that does not exist"),
                "add the vertex, or lead the edge to another one",
            );
            return None;
        };
        let value = match doc.attr(n, At::ConditionValue) {
            Some(_) => Some(int(doc, n, At::ConditionValue, self.sink)?),
            None => None,
        };
        let two_way = matches!(
            &vertices[from.index()].kind,
            VertexKind::Branch(s) if matches!(**s, Selector::Condition(_))
        );
        let label = match data.get("label") {
            Some(label) => label.as_i64(),
            None if two_way => Some(value.unwrap_or(0)),
            None => value,
        };
        let mut edge = Edge::new(from, to, label);
        edge.id = (!data.contains_key("id")).then_some(id);
        edge.annotations = self.annotations(n, &data, &[]);
        Some(Some(edge))
    }

    fn statement(&mut self, n: NodeId, r: usize, program: &Program) -> Option<Stmt> {
        let doc = self.doc;
        let data = self.data(n)?;
        let kind = match doc.name(n) {
            El::Assignment => {
                let (target, value) = self.assignment(n, r)?;
                StmtKind::Assign { target, value }
            }
            El::SubroutineCall => self.call(n, r, program, &data)?,
            El::Marker => {
                let text = doc.attr(n, At::Annotation).unwrap_or_default();
                let own = text.find("{cfgrev ").unwrap_or(text.len());
                let count = program.routines[r].variables.len();
                let list = |key: &str| -> Option<Box<[VarId]>> {
                    let Some(list) = data.get(key) else {
                        return Some(Box::default());
                    };
                    let id = |v: &Value| {
                        let i = usize::try_from(v.as_u64()?).ok()?;
                        (i < count).then(|| VarId::new(i))
                    };
                    list.as_array()?.iter().map(id).collect()
                };
                let (Some(reads), Some(writes)) = (list("reads"), list("writes")) else {
                    self.mismatch(n, "the marker names a variable that does not exist");
                    return None;
                };
                let own_text = data.get("text").and_then(Value::as_str);
                StmtKind::Opaque {
                    text: own_text.unwrap_or(&text[..own]).into(),
                    reads,
                    writes,
                }
            }
            _ => {
                let problem = super::model::unexpected(doc, n);
                self.sink.push(problem);
                return None;
            }
        };
        let mut statement = Stmt::new(kind);
        let attributes = [("statement", At::StatementId), ("line", At::LineNumber)];
        statement.annotations = self.annotations(n, &data, &attributes);
        Some(statement)
    }

    fn call(
        &mut self,
        n: NodeId,
        r: usize,
        program: &Program,
        data: &Map<String, Value>,
    ) -> Option<StmtKind> {
        let doc = self.doc;
        let name = text(doc, n, At::SymbolId, self.sink)?;
        let mut given: Vec<(i64, Expr)> = Vec::new();
        for argument in doc.children(n) {
            let position = int(doc, argument, At::Position, self.sink)?;
            given.push((position, self.expression(argument, r)?));
        }
        given.sort_by_key(|g| g.0);
        if let Some((class, pop)) = tape_class(&name) {
            let mut operands = given.into_iter().map(|g| g.1);
            return match (operands.next(), operands.next(), operands.next()) {
                (Some(Expr::Place(tape)), Some(value), None) => match (pop, value) {
                    (false, value) => Some(StmtKind::Push {
                        tape: tape.var,
                        class,
                        value,
                    }),
                    (true, Expr::Place(target)) => Some(StmtKind::Pop {
                        tape: tape.var,
                        class,
                        target,
                    }),
                    _ => None,
                },
                _ => None,
            }
            .or_else(|| {
                self.mismatch(n, "a push or pop has a tape and a value");
                None
            });
        }
        let callee = self.model.callee(doc, n, self.sink)?;
        let result = match data.get("result") {
            None => None,
            Some(_) => match given.pop() {
                Some((_, Expr::Place(place))) => Some(place),
                _ => {
                    self.mismatch(n, "the call has no place for its result");
                    return None;
                }
            },
        };
        let parameters = program.routines[callee].parameters;
        let mut arguments: Vec<Option<Expr>> = vec![None; parameters];
        for (position, e) in given {
            let slot = usize::try_from(position.saturating_sub(1))
                .ok()
                .and_then(|i| arguments.get_mut(i));
            match slot {
                Some(slot) if slot.is_none() => *slot = Some(e),
                _ => {
                    self.mismatch(n, "the arguments of the call do not fit the routine");
                    return None;
                }
            }
        }
        Some(StmtKind::Call {
            callee: RoutineId::new(callee),
            arguments: arguments.into(),
            result,
        })
    }

    fn assignment(&mut self, n: NodeId, r: usize) -> Option<(Place, Expr)> {
        let left = self.child(n, El::AssignmentLHS)?;
        let right = self.child(n, El::AssignmentRHS)?;
        Some((self.place(left, r)?, self.expression(right, r)?))
    }

    fn expression(&mut self, container: NodeId, r: usize) -> Option<Expr> {
        self.nesting += 1;
        let result = if self.nesting > Expr::MAX_DEPTH {
            self.too_deep(container);
            None
        } else {
            let doc = self.doc;
            let graph = ExpressionGraph::read(doc, container, self.sink)?;
            let mut context = (&mut *self, r);
            graph
                .evaluate(doc, &mut context, |(reader, r), v, operands| {
                    reader.node(graph.vertices[v], *r, operands)
                })
                .map(|(e, _)| e)
        };
        self.nesting -= 1;
        result
    }

    fn too_deep(&mut self, n: NodeId) {
        self.report(
            n,
            &codes::LIMIT,
            format!("an expression has more than {} levels", Expr::MAX_DEPTH),
            "split it",
        );
    }

    /// One vertex of an expression, with its number of levels.
    fn node(&mut self, v: NodeId, r: usize, operands: Vec<(Expr, usize)>) -> Option<(Expr, usize)> {
        let doc = self.doc;
        let depth = 1 + operands.iter().map(|o| o.1).max().unwrap_or(0);
        if depth > Expr::MAX_DEPTH {
            self.too_deep(v);
            return None;
        }
        match doc.name(v) {
            El::Constant => constant(doc, v, self.sink).map(|t| (t.expr, 1)),
            El::VariableReference => {
                let place = self.place(v, r)?;
                let e = Expr::Place(place);
                // Its subscripts have at most the most levels each, so this is not deep.
                let depth = e.depth();
                if depth > Expr::MAX_DEPTH {
                    self.too_deep(v);
                    return None;
                }
                Some((e, depth))
            }
            El::Intrinsic | El::BooleanOperation => {
                let name = text(doc, v, At::Name, self.sink)?;
                let Some(op) = spelling::operator(&name) else {
                    self.report(
                        v,
                        &codes::INTRINSIC,
                        format!("there is no operator {name}"),
                        "see docs/xaif.md",
                    );
                    return None;
                };
                let operands = operands.into_iter().map(|o| o.0);
                Some((Expr::op(op, operands), depth))
            }
            _ => {
                let problem = super::model::unexpected(doc, v);
                self.sink.push(problem);
                None
            }
        }
    }

    fn place(&mut self, n: NodeId, r: usize) -> Option<Place> {
        let doc = self.doc;
        let reference = self.child(n, El::SymbolReference)?;
        let symbol = self.model.reference(doc, reference, self.sink)?;
        let Some(&var) = self.variables.get(&(r, symbol)) else {
            self.mismatch(reference, "the routine has no variable of this symbol");
            return None;
        };
        let Some(element) = doc.child(n, El::ArrayElementReference) else {
            return Some(Place::whole(var));
        };
        let mut subscripts = Vec::new();
        for triplet in doc.children(element) {
            let mut part = |name| -> Option<Option<Expr>> {
                match doc.child(triplet, name) {
                    Some(container) => Some(Some(self.expression(container, r)?)),
                    None => Some(None),
                }
            };
            let lower = part(El::Index)?;
            let upper = part(El::Bound)?;
            let stride = part(El::Stride)?;
            subscripts.push(match (lower, upper, stride) {
                (Some(index), None, None) => Subscript::Index(index),
                (lower, upper, stride) => Subscript::Range(Box::new(Range {
                    lower,
                    upper,
                    stride: stride.filter(|s| *s != Expr::Int(1)),
                })),
            });
        }
        Some(Place {
            var,
            subscripts: subscripts.into(),
        })
    }
}

/// The class of a subroutine that stands for pushing or popping.
fn tape_class(name: &str) -> Option<(TapeClass, bool)> {
    let rest = name.strip_prefix("cfgrev_")?;
    let (rest, pop) = match rest.strip_prefix("push_") {
        Some(rest) => (rest, false),
        None => (rest.strip_prefix("pop_")?, true),
    };
    let class = match rest {
        "integer" => TapeClass::Integer,
        "real" => TapeClass::Real,
        "real32" => TapeClass::Real32,
        "control_count" => TapeClass::Control(ControlWidth::Count),
        other => {
            let bits = other.strip_prefix("control_")?.parse().ok()?;
            TapeClass::Control(ControlWidth::Bits(bits))
        }
    };
    Some((class, pop))
}
