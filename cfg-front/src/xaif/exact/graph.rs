//! Reading graphs exactly: vertices and edges with the data of their annotations.

use super::Reader;
use crate::xaif::{
    codes,
    graph::Places,
    read::{
        model::{int_attribute, unexpected_element},
        xml::{At, El, NodeId},
    },
};
use cfg_core::{
    entity::VertexId,
    ir::{
        Arm, CaseRange, Cfg, Checkpoint, Edge, Expr, LoopForm, LoopTest, Origin, OriginRole,
        Program, Selector, Vertex, VertexKind,
    },
};
use serde_json::{Map, Value};
use std::{collections::HashMap, num::NonZeroU32};

impl Reader<'_, '_> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    pub(super) fn read_graph(
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
                    let id = int_attribute(doc, n, At::VertexId, self.sink)?;
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
                    vertices.push(self.read_vertex(n, id, r, program, &mut nodes)?);
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
            if let Some(edge) = self.read_edge(n, &index, &vertices)? {
                edges.push(edge);
                places.edges.push(n);
            }
        }
        Some((Cfg::new(vertices, edges), places))
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    fn read_vertex(
        &mut self,
        n: NodeId,
        id: i64,
        r: usize,
        program: &Program,
        nodes: &mut Vec<NodeId>,
    ) -> Option<Vertex> {
        let doc = self.doc;
        let data = self.read_data(n)?;
        let mut attributes = vec![];
        let kind = match doc.name(n) {
            El::Entry => VertexKind::Entry,
            El::Exit => VertexKind::Exit,
            El::EndLoop => VertexKind::EndLoop,
            El::EndBranch => VertexKind::EndBranch,
            El::BasicBlock => {
                let mut statements = Vec::new();
                for s in doc.children(n) {
                    statements.push(self.read_statement(s, r, program)?);
                    nodes.push(s);
                }
                VertexKind::Block(statements)
            }
            name @ (El::PreLoop | El::PostLoop | El::ForLoop | El::Branch) => {
                attributes = vec![("line", At::LineNumber), ("reversal", At::Reversal)];
                let condition = self.read_child(n, El::Condition)?;
                let condition = self.read_expression(condition, r)?;
                match name {
                    El::Branch => {
                        let selector = self.read_selector(n, &data, condition)?;
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
                            _ => self.read_counted(n, r, condition)?,
                        };
                        VertexKind::Loop {
                            form,
                            test: Box::new(test),
                        }
                    }
                }
            }
            _ => {
                let problem = unexpected_element(doc, n);
                self.sink.push(problem);
                return None;
            }
        };
        let mut vertex = Vertex::new(id, kind);
        vertex.annotations = self.read_annotations(n, &data, &attributes);
        if let Some(origin) = data.get("origin") {
            let role = origin.get(0).and_then(Value::as_str);
            let role = OriginRole::ALL.into_iter().find(|o| Some(o.name()) == role);
            let (Some(role), Some(of)) = (role, origin.get(1).and_then(Value::as_i64)) else {
                self.report_mismatch(n, "the origin of the vertex cannot be read");
                return None;
            };
            vertex.origin = Some(Origin { role, vertex: of });
        }
        if let Some(kept) = data.get("checkpoint") {
            let number = |kept: &Value| kept.as_u64().and_then(|n| u32::try_from(n).ok());
            let (memory, disk) = match kept.as_array().map(Vec::as_slice) {
                Some([memory, disk]) => (number(memory), number(disk)),
                Some(_) => (None, None),
                None => (number(kept), Some(0)),
            };
            let memory = memory.and_then(NonZeroU32::new);
            vertex.checkpoint = match (kept.as_str(), memory, disk) {
                (Some("each"), ..) => Some(Checkpoint::Each),
                (_, Some(memory), Some(disk)) => Some(Checkpoint::Snapshots { memory, disk }),
                (..) => {
                    self.report_mismatch(n, "the checkpoint of the vertex cannot be read");
                    return None;
                }
            };
        }
        vertex.at = self.read_span(n, &data)?;
        Some(vertex)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "JSON has no further kinds of values"
    )]
    fn read_selector(
        &mut self,
        n: NodeId,
        data: &Map<String, Value>,
        value: Expr,
    ) -> Option<Selector> {
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
                self.report_mismatch(n, "the arms of the branch cannot be read");
                None
            }
        }
    }

    fn read_counted(&mut self, n: NodeId, r: usize, condition: Expr) -> Option<LoopTest> {
        let initialization = self.read_child(n, El::Initialization)?;
        let update = self.read_child(n, El::Update)?;
        let (index, first) = self.read_assignment(initialization, r)?;
        let (_, next) = self.read_assignment(update, r)?;
        let second = |e: Expr| match e {
            Expr::Op(_, operands) if operands.len() == 2 => operands.into_iter().nth(1),
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => None,
        };
        match (second(condition), second(next), index.subscripts.is_empty()) {
            (Some(last), Some(step), true) => Some(LoopTest::Counted {
                index: index.var,
                first,
                last,
                step,
            }),
            _ => {
                self.report_mismatch(n, "the ForLoop does not count an index");
                None
            }
        }
    }

    /// Reads one edge; `None` for an edge that only repeats another for a further value.
    fn read_edge(
        &mut self,
        n: NodeId,
        index: &HashMap<i64, VertexId>,
        vertices: &[Vertex],
    ) -> Option<Option<Edge>> {
        let doc = self.doc;
        let data = self.read_data(n)?;
        if data.get("again").is_some() {
            return Some(None);
        }
        let id = int_attribute(doc, n, At::EdgeId, self.sink)?;
        let source = int_attribute(doc, n, At::Source, self.sink)?;
        let target = int_attribute(doc, n, At::Target, self.sink)?;
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
            Some(_) => Some(int_attribute(doc, n, At::ConditionValue, self.sink)?),
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
        edge.annotations = self.read_annotations(n, &data, &[]);
        Some(Some(edge))
    }
}
