//! Statements and expressions as XAIF.

use super::{Writer, annotation_attribute, escape_text, source_attributes};
use crate::xaif::notation::{
    legal,
    spelling::{self, shape_name},
    tapes::tape_routine,
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Place, ScalarType, Stmt, StmtKind, Subscript},
    typing,
};
use quick_xml::escape::escape;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn write_statement(&mut self, statement: &Stmt) {
        let mut data = Map::new();
        let attributes = [("statement", "statement_id"), ("line", "lineNumber")];
        if let Some(span) = &statement.at {
            data.insert("at".to_owned(), json!(span.numbers()));
        }
        let text = source_attributes(&statement.annotations, &attributes, &mut data);
        match &statement.kind {
            StmtKind::Assign { target, value } => {
                let note = annotation_attribute(data);
                self.write_line(3, &format!("<xaif:Assignment{text}{note}>"));
                self.write_assignment(4, target, value);
                self.write_line(3, "</xaif:Assignment>");
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
                self.write_call(&id, &text, data, &actuals);
            }
            StmtKind::Push { tape, class, value } => {
                let id = tape_routine(*class, false);
                let tape = Expr::var(*tape);
                self.write_call(&id, &text, data, &[Some(&tape), Some(value)]);
            }
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                let id = tape_routine(*class, true);
                let tape = Expr::var(*tape);
                let target = Expr::Place(target.clone());
                self.write_call(&id, &text, data, &[Some(&tape), Some(&target)]);
            }
            StmtKind::Opaque {
                text: marker,
                reads,
                writes,
            } => {
                let names = |list: &[VarId]| -> Value {
                    let numbers = list.iter().map(|v| self.numbers[v.index()]);
                    json!(numbers.collect::<Vec<_>>())
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
                self.write_line(
                    3,
                    &format!("<xaif:Marker{text} annotation=\"{}\"/>", escape_text(&note)),
                );
            }
            // Programs that stop, and those with pointers, are refused before.
            StmtKind::Stop { .. }
            | StmtKind::Allocate { .. }
            | StmtKind::Free { .. }
            | StmtKind::Resize { .. } => {}
        }
    }

    fn write_call(
        &mut self,
        id: &str,
        text: &str,
        data: Map<String, Value>,
        actuals: &[Option<&Expr>],
    ) {
        let note = annotation_attribute(data);
        self.write_line(
            3,
            &format!(
                "<xaif:SubroutineCall{text} scope_id=\"1\" symbol_id=\"{}\" formalArgCount=\"{}\"{note}>",
                escape(id),
                actuals.len()
            ),
        );
        for (i, actual) in actuals.iter().enumerate() {
            if let Some(e) = actual {
                self.write_line(4, &format!("<xaif:Argument position=\"{}\">", i + 1));
                self.write_expression(5, e);
                self.write_line(4, "</xaif:Argument>");
            }
        }
        self.write_line(3, "</xaif:SubroutineCall>");
    }

    pub(super) fn write_sides(&mut self, level: usize, name: &str, target: &Place, value: &Expr) {
        self.write_line(level, &format!("<xaif:{name}>"));
        self.write_assignment(level + 1, target, value);
        self.write_line(level, &format!("</xaif:{name}>"));
    }

    pub(super) fn write_assignment(&mut self, level: usize, target: &Place, value: &Expr) {
        self.write_line(level, "<xaif:AssignmentLHS du_ud=\"0\" alias=\"0\">");
        self.write_place(level + 1, target);
        self.write_line(level, "</xaif:AssignmentLHS>");
        self.write_container(level, "AssignmentRHS", value);
    }

    pub(super) fn write_container(&mut self, level: usize, name: &str, e: &Expr) {
        self.write_line(level, &format!("<xaif:{name}>"));
        self.write_expression(level + 1, e);
        self.write_line(level, &format!("</xaif:{name}>"));
    }

    /// The contents of a container: vertices in prefix order, then the edges.
    pub(super) fn write_expression(&mut self, level: usize, e: &Expr) {
        let mut edges = Vec::new();
        let mut next = 0;
        self.write_node(level, e, &mut next, &mut edges);
        for (i, (source, target, position)) in edges.into_iter().enumerate() {
            self.write_line(
                level,
                &format!(
                    "<xaif:ExpressionEdge edge_id=\"{}\" source=\"{source}\" target=\"{target}\" position=\"{position}\"/>",
                    i + 1
                ),
            );
        }
    }

    fn write_node(
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
                self.write_line(level, &constant("integer", fe_type, &i.to_string()));
            }
            Expr::Real(x) => self.write_line(level, &constant("real", "F8", &format!("{x:e}"))),
            Expr::Real32(x) => self.write_line(level, &constant("real", "F4", &format!("{x:e}"))),
            Expr::Logical(b) => self.write_line(level, &constant("bool", "I4", &b.to_string())),
            // Programs with pointers are refused before.
            Expr::Null(_) | Expr::Addr(_) => {}
            Expr::Place(place) => {
                self.write_line(
                    level,
                    &format!("<xaif:VariableReference vertex_id=\"{id}\" du_ud=\"0\" alias=\"0\">"),
                );
                self.write_place(level + 1, place);
                self.write_line(level, "</xaif:VariableReference>");
            }
            Expr::Op(op, operands) => {
                let (name, boolean) = spelling::name(*op);
                let name = escape(name.as_str()).into_owned();
                if boolean {
                    self.write_line(
                        level,
                        &format!("<xaif:BooleanOperation vertex_id=\"{id}\" name=\"{name}\"/>"),
                    );
                } else {
                    let result = self.result_attributes(e);
                    self.write_line(
                        level,
                        &format!("<xaif:Intrinsic vertex_id=\"{id}\" name=\"{name}\" type=\"***\"{result}/>"),
                    );
                }
                for (i, operand) in operands.iter().enumerate() {
                    let source = self.write_node(level, operand, next, edges);
                    edges.push((source, id, i + 1));
                }
            }
        }
        id
    }

    /// `rType` and `rShape` of an operation.
    fn result_attributes(&self, e: &Expr) -> String {
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
    fn write_place(&mut self, level: usize, place: &Place) {
        let (scope, id) = self
            .symbols
            .get(place.var.index())
            .cloned()
            .unwrap_or_default();
        self.write_line(
            level,
            &format!(
                "<xaif:SymbolReference vertex_id=\"1\" scope_id=\"{scope}\" symbol_id=\"{}\"/>",
                escape(id.as_str())
            ),
        );
        if place.subscripts.is_empty() {
            return;
        }
        self.write_line(level, "<xaif:ArrayElementReference vertex_id=\"2\">");
        for subscript in &place.subscripts {
            self.write_line(level + 1, "<xaif:IndexTriplet>");
            match subscript {
                Subscript::Index(e) => self.write_container(level + 2, "Index", e),
                Subscript::Range(range) => {
                    if let Some(e) = &range.lower {
                        self.write_container(level + 2, "Index", e);
                    }
                    if let Some(e) = &range.upper {
                        self.write_container(level + 2, "Bound", e);
                    }
                    let one = Expr::Int(1);
                    let stride = range.stride.as_ref().unwrap_or(&one);
                    self.write_container(level + 2, "Stride", stride);
                }
                // Programs with records and pointers are refused before.
                Subscript::Field(_) | Subscript::Deref => {}
            }
            self.write_line(level + 1, "</xaif:IndexTriplet>");
        }
        self.write_line(level, "</xaif:ArrayElementReference>");
        self.write_line(
            level,
            "<xaif:VariableReferenceEdge edge_id=\"1\" source=\"1\" target=\"2\"/>",
        );
    }
}
