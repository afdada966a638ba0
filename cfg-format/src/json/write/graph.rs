//! Vertices and edges.

use super::Writer;
use cfg_core::{
    entity::{EdgeId, VertexId},
    ir::{Arm, Cfg, Checkpoint, Edge, LoopTest, Selector, Vertex, VertexKind},
};
use std::io;

impl<W: io::Write> Writer<'_, W> {
    pub(super) fn write_graph(&mut self, graph: &Cfg) -> io::Result<()> {
        self.write_raw(",\n   \"vertices\": [");
        for (v, vertex) in graph.vertices() {
            self.write_raw(if v != VertexId::new(0) {
                ",\n    "
            } else {
                "\n    "
            });
            self.write_vertex(vertex);
            self.pause()?;
        }
        self.write_raw("],\n   \"edges\": [");
        for (e, edge) in graph.edges() {
            self.write_raw(if e != EdgeId::new(0) {
                ",\n    "
            } else {
                "\n    "
            });
            self.write_edge(graph, edge);
            self.pause()?;
        }
        self.write_raw("]");
        Ok(())
    }

    fn write_vertex(&mut self, vertex: &Vertex) {
        self.write_raw("{\"id\": ");
        self.write_int(vertex.id);
        self.write_member("type");
        self.write_string(vertex.vertex_type().name());
        match &vertex.kind {
            VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
            VertexKind::Block(statements) => {
                if !statements.is_empty() {
                    self.write_member("statements");
                    self.write_raw("[");
                    for (i, statement) in statements.iter().enumerate() {
                        if statements.len() > 1 {
                            self.write_raw(if i > 0 { ",\n      " } else { "\n      " });
                        }
                        self.write_statement(statement);
                    }
                    self.write_raw("]");
                }
            }
            VertexKind::Loop { test, .. } => self.write_test(test),
            VertexKind::Branch(selector) => self.write_selector(selector),
        }
        match vertex.checkpoint {
            Some(Checkpoint::Each) => {
                self.write_member("checkpoint");
                self.write_string("each");
            }
            Some(Checkpoint::Snapshots { memory, disk: 0 }) => {
                self.write_member("checkpoint");
                self.write_int(memory.get().into());
            }
            Some(Checkpoint::Snapshots { memory, disk }) => {
                self.write_member("checkpoint");
                self.write_raw("{\"snapshots\": ");
                self.write_int(memory.get().into());
                self.write_member("disk");
                self.write_int(disk.into());
                self.write_raw("}");
            }
            None => {}
        }
        self.write_span(&vertex.at, "");
        let origin = vertex.origin;
        self.write_annotations(&vertex.annotations, "", |w| {
            if let Some(origin) = origin {
                w.write_raw("\"cfgrev\": {\"role\": ");
                w.write_string(origin.role.name());
                w.write_member("vertex");
                w.write_int(origin.vertex);
                w.write_raw("}");
            }
            origin.is_some()
        });
        self.write_raw("}");
    }

    fn write_test(&mut self, test: &LoopTest) {
        self.write_member("test");
        match test {
            LoopTest::Pre(e) => {
                self.write_raw("\"pre\"");
                self.write_member("condition");
                self.write_expr(e);
            }
            LoopTest::Post(e) => {
                self.write_raw("\"post\"");
                self.write_member("condition");
                self.write_expr(e);
            }
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                self.write_raw("\"counted\"");
                self.write_member("index");
                self.variable_name(*index);
                for (key, e) in [("first", first), ("last", last)] {
                    self.write_member(key);
                    self.write_expr(e);
                }
                if *step != cfg_core::ir::Expr::Int(1) {
                    self.write_member("step");
                    self.write_expr(step);
                }
            }
        }
    }

    fn write_selector(&mut self, selector: &Selector) {
        match selector {
            Selector::Condition(e) => {
                self.write_member("condition");
                self.write_expr(e);
            }
            Selector::Cases { value, arms } => {
                self.write_member("selector");
                self.write_expr(value);
                self.write_member("arms");
                self.write_raw("[");
                for (i, arm) in arms.iter().enumerate() {
                    self.write_comma(i);
                    self.write_arm(arm);
                }
                self.write_raw("]");
            }
        }
    }

    fn write_arm(&mut self, arm: &Arm) {
        self.write_raw("{\"label\": ");
        self.write_int(arm.label);
        if !arm.cases.is_empty() {
            self.write_member("cases");
            self.write_raw("[");
            for (i, case) in arm.cases.iter().enumerate() {
                self.write_comma(i);
                match (case.lower, case.upper) {
                    (Some(a), Some(b)) if a == b => self.write_int(a),
                    bounds => {
                        self.write_raw("[");
                        self.write_bound(bounds.0);
                        self.write_raw(", ");
                        self.write_bound(bounds.1);
                        self.write_raw("]");
                    }
                }
            }
            self.write_raw("]");
        }
        if arm.default {
            self.write_member("default");
            self.write_raw("true");
        }
        self.write_raw("}");
    }

    fn write_bound(&mut self, bound: Option<i64>) {
        match bound {
            Some(value) => self.write_int(value),
            None => self.write_raw("null"),
        }
    }

    fn write_edge(&mut self, graph: &Cfg, edge: &Edge) {
        self.write_raw("{\"from\": ");
        self.write_int(graph.vertex(edge.from).id);
        self.write_member("to");
        self.write_int(graph.vertex(edge.to).id);
        for (key, value) in [("label", edge.label), ("id", edge.id)] {
            if let Some(value) = value {
                self.write_member(key);
                self.write_int(value);
            }
        }
        self.write_annotations(&edge.annotations, "", |_| false);
        self.write_raw("}");
    }
}
