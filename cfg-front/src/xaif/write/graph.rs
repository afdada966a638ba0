//! Graphs as XAIF: vertices, edges, formal arguments.

use super::{Writer, annotation_attribute, source_attributes};
use cfg_core::{
    entity::{RoutineId, VertexId},
    ir::{
        Cfg, Checkpoint, Control, Expr, FreshIds, Intent, LoopForm, LoopTest, Op, Place, Routine,
        Selector, StmtKind, Vertex, VertexKind,
    },
};
use quick_xml::escape::escape;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

impl<'p> Writer<'p> {
    pub(super) fn write_graph(&mut self, r: usize, routine: &'p Routine) {
        let id = escape(self.routine_symbols[r].as_str()).into_owned();
        let structured = match routine.control {
            Control::Structured => "",
            Control::General => " structured=\"0\"",
        };
        self.write_line(
            1,
            &format!(
                "<xaif:ControlFlowGraph vertex_id=\"{}\" scope_id=\"1\" symbol_id=\"{id}\"{structured} controlflowgraph_scope_id=\"{}\">",
                r + 1,
                r + 2
            ),
        );
        self.write_formals(routine);
        if let Some(cfg) = &routine.body {
            for (_, vertex) in cfg.vertices() {
                self.write_vertex(r, cfg, vertex);
            }
            self.write_edges(cfg);
        }
        self.write_line(1, "</xaif:ControlFlowGraph>");
    }

    fn write_formals(&mut self, routine: &Routine) {
        self.write_line(2, "<xaif:ArgumentList>");
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
            self.write_line(3, &text);
        }
        self.write_line(2, "</xaif:ArgumentList>");
    }

    fn write_vertex(&mut self, r: usize, cfg: &Cfg, vertex: &'p Vertex) {
        let mut data = Map::new();
        match vertex.checkpoint {
            Some(Checkpoint::Each) => {
                data.insert("checkpoint".to_owned(), json!("each"));
            }
            Some(Checkpoint::Snapshots { memory, disk: 0 }) => {
                data.insert("checkpoint".to_owned(), json!(memory.get()));
            }
            Some(Checkpoint::Snapshots { memory, disk }) => {
                data.insert("checkpoint".to_owned(), json!([memory.get(), disk]));
            }
            None => {}
        }
        if let Some(origin) = vertex.origin {
            data.insert(
                "origin".to_owned(),
                json!([origin.role.name(), origin.vertex]),
            );
        }
        if let Some(span) = &vertex.at {
            data.insert("at".to_owned(), json!(span.numbers()));
        }
        let id = vertex.id;
        let attributes = [("line", "lineNumber"), ("reversal", "reversal")];
        match &vertex.kind {
            VertexKind::Block(statements) => {
                let _ = source_attributes(&vertex.annotations, &[], &mut data);
                let note = annotation_attribute(data);
                self.write_line(
                    2,
                    &format!(
                        "<xaif:BasicBlock vertex_id=\"{id}\" scope_id=\"{}\"{note}>",
                        r + 2
                    ),
                );
                for statement in statements {
                    self.write_statement(statement);
                }
                self.write_line(2, "</xaif:BasicBlock>");
            }
            VertexKind::Loop { form, test } => {
                if *form == LoopForm::ForLoop {
                    data.insert("form".to_owned(), json!("FORLOOP"));
                }
                let mut text = source_attributes(&vertex.annotations, &attributes, &mut data);
                let name = match test.as_ref() {
                    LoopTest::Pre(_) => "PreLoop",
                    LoopTest::Post(_) => "PostLoop",
                    LoopTest::Counted { .. } => "ForLoop",
                };
                text.push_str(&annotation_attribute(data));
                self.write_line(2, &format!("<xaif:{name} vertex_id=\"{id}\"{text}>"));
                match test.as_ref() {
                    LoopTest::Pre(e) | LoopTest::Post(e) => self.write_container(3, "Condition", e),
                    LoopTest::Counted {
                        index,
                        first,
                        last,
                        step,
                    } => {
                        let i = Place::whole(*index);
                        self.write_sides(3, "Initialization", &i, first);
                        let op = match step {
                            Expr::Int(s) if *s > 0 => Op::Le,
                            Expr::Int(s) if *s < 0 => Op::Ge,
                            Expr::Int(_)
                            | Expr::Real(_)
                            | Expr::Real32(_)
                            | Expr::Logical(_)
                            | Expr::Place(_)
                            | Expr::Op(..)
                            | Expr::Null(_)
                            | Expr::Addr(_) => Op::Ne,
                        };
                        let compare = Expr::op(op, [Expr::var(*index), last.clone()]);
                        self.write_container(3, "Condition", &compare);
                        let next = Expr::op(Op::Add, [Expr::var(*index), step.clone()]);
                        self.write_sides(3, "Update", &i, &next);
                    }
                }
                self.write_line(2, &format!("</xaif:{name}>"));
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
                let mut text = source_attributes(&vertex.annotations, &attributes, &mut data);
                text.push_str(&annotation_attribute(data));
                self.write_line(2, &format!("<xaif:Branch vertex_id=\"{id}\"{text}>"));
                self.write_container(3, "Condition", value);
                self.write_line(2, "</xaif:Branch>");
            }
            kind @ (VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::EndLoop
            | VertexKind::EndBranch) => {
                let name = match kind {
                    VertexKind::Entry => "Entry",
                    VertexKind::Exit => "Exit",
                    VertexKind::EndLoop => "EndLoop",
                    VertexKind::Block(_)
                    | VertexKind::Loop { .. }
                    | VertexKind::Branch(_)
                    | VertexKind::EndBranch => "EndBranch",
                };
                let _ = source_attributes(&vertex.annotations, &[], &mut data);
                let note = annotation_attribute(data);
                self.write_line(2, &format!("<xaif:{name} vertex_id=\"{id}\"{note}/>"));
            }
        }
        let _ = cfg;
    }

    fn write_edges(&mut self, cfg: &Cfg) {
        let ids = cfg.edges().map(|(i, e)| e.id.unwrap_or(i.index() as i64));
        let mut ids = FreshIds::beside(ids);
        let mut more = Vec::new();
        for (i, edge) in cfg.edges() {
            let mut data = Map::new();
            if edge.id.is_none() {
                data.insert("id".to_owned(), Value::Null);
            }
            let _ = source_attributes(&edge.annotations, &[], &mut data);
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
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::Block(_)
                | VertexKind::Loop { .. }
                | VertexKind::EndLoop
                | VertexKind::EndBranch => value = edge.label,
            }
            let id = edge.id.unwrap_or(i.index() as i64);
            self.write_edge(cfg, id, (edge.from, edge.to), value, data);
        }
        for (from, to, value) in more {
            let mut data = Map::new();
            data.insert("again".to_owned(), json!(true));
            self.write_edge(cfg, ids.next_id(), (from, to), Some(value), data);
        }
    }

    fn write_edge(
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
        let note = annotation_attribute(data);
        self.write_line(
            2,
            &format!(
                "<xaif:ControlFlowEdge edge_id=\"{id}\" source=\"{}\" target=\"{}\"{value}{note}/>",
                cfg.vertex(from).id,
                cfg.vertex(to).id
            ),
        );
    }

    /// Writes the edges of the call graph, once for each pair of caller and callee.
    pub(super) fn call_edges(&mut self) {
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
                        self.write_line(1, &text);
                    }
                }
            }
        }
    }
}
