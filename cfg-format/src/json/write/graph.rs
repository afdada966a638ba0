//! Vertices and edges.

use super::Writer;
use cfg_core::{
    entity::{EdgeId, VertexId},
    ir::{Arm, Cfg, Edge, LoopTest, Selector, Vertex, VertexKind},
};
use std::io;

impl<W: io::Write> Writer<'_, W> {
    pub(super) fn graph(&mut self, graph: &Cfg) -> io::Result<()> {
        self.raw(",\n   \"vertices\": [");
        for (v, vertex) in graph.vertices() {
            self.raw(if v != VertexId::new(0) {
                ",\n    "
            } else {
                "\n    "
            });
            self.vertex(vertex);
            self.pause()?;
        }
        self.raw("],\n   \"edges\": [");
        for (e, edge) in graph.edges() {
            self.raw(if e != EdgeId::new(0) {
                ",\n    "
            } else {
                "\n    "
            });
            self.edge(graph, edge);
            self.pause()?;
        }
        self.raw("]");
        Ok(())
    }

    fn vertex(&mut self, vertex: &Vertex) {
        self.raw("{\"id\": ");
        self.int(vertex.id);
        self.member("type");
        self.string(vertex.vertex_type().name());
        match &vertex.kind {
            VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
            VertexKind::Block(statements) => {
                if !statements.is_empty() {
                    self.member("statements");
                    self.raw("[");
                    for (i, statement) in statements.iter().enumerate() {
                        if statements.len() > 1 {
                            self.raw(if i > 0 { ",\n      " } else { "\n      " });
                        }
                        self.statement(statement);
                    }
                    self.raw("]");
                }
            }
            VertexKind::Loop { test, .. } => self.test(test),
            VertexKind::Branch(selector) => self.selector(selector),
        }
        self.span(&vertex.at, "");
        let origin = vertex.origin;
        self.annotations(&vertex.annotations, "", |w| {
            if let Some(origin) = origin {
                w.raw("\"cfgrev\": {\"role\": ");
                w.string(origin.role.name());
                w.member("vertex");
                w.int(origin.vertex);
                w.raw("}");
            }
            origin.is_some()
        });
        self.raw("}");
    }

    fn test(&mut self, test: &LoopTest) {
        self.member("test");
        match test {
            LoopTest::Pre(e) => {
                self.raw("\"pre\"");
                self.member("condition");
                self.expr(e);
            }
            LoopTest::Post(e) => {
                self.raw("\"post\"");
                self.member("condition");
                self.expr(e);
            }
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                self.raw("\"counted\"");
                self.member("index");
                self.variable_name(*index);
                for (key, e) in [("first", first), ("last", last)] {
                    self.member(key);
                    self.expr(e);
                }
                if *step != cfg_core::ir::Expr::Int(1) {
                    self.member("step");
                    self.expr(step);
                }
            }
        }
    }

    fn selector(&mut self, selector: &Selector) {
        match selector {
            Selector::Condition(e) => {
                self.member("condition");
                self.expr(e);
            }
            Selector::Cases { value, arms } => {
                self.member("selector");
                self.expr(value);
                self.member("arms");
                self.raw("[");
                for (i, arm) in arms.iter().enumerate() {
                    self.comma(i);
                    self.arm(arm);
                }
                self.raw("]");
            }
        }
    }

    fn arm(&mut self, arm: &Arm) {
        self.raw("{\"label\": ");
        self.int(arm.label);
        if !arm.cases.is_empty() {
            self.member("cases");
            self.raw("[");
            for (i, case) in arm.cases.iter().enumerate() {
                self.comma(i);
                match (case.lower, case.upper) {
                    (Some(a), Some(b)) if a == b => self.int(a),
                    bounds => {
                        self.raw("[");
                        self.bound(bounds.0);
                        self.raw(", ");
                        self.bound(bounds.1);
                        self.raw("]");
                    }
                }
            }
            self.raw("]");
        }
        if arm.default {
            self.member("default");
            self.raw("true");
        }
        self.raw("}");
    }

    fn bound(&mut self, bound: Option<i64>) {
        match bound {
            Some(value) => self.int(value),
            None => self.raw("null"),
        }
    }

    fn edge(&mut self, graph: &Cfg, edge: &Edge) {
        self.raw("{\"from\": ");
        self.int(graph.vertex(edge.from).id);
        self.member("to");
        self.int(graph.vertex(edge.to).id);
        for (key, value) in [("label", edge.label), ("id", edge.id)] {
            if let Some(value) = value {
                self.member(key);
                self.int(value);
            }
        }
        self.annotations(&edge.annotations, "", |_| false);
        self.raw("}");
    }
}
