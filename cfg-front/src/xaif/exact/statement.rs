//! Statements and expressions, as they stand.

use super::Reader;
use crate::xaif::{
    codes,
    lower::expression::constant,
    notation::{spelling, tapes::tape_class},
    read::{
        expression::ExpressionGraph,
        model::{int_attribute, text_attribute, unexpected_element},
        xml::{At, El, NodeId},
    },
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Place, Program, Range, Stmt, StmtKind, Subscript},
};
use serde_json::{Map, Value};

impl Reader<'_, '_> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    pub(super) fn read_statement(
        &mut self,
        n: NodeId,
        r: usize,
        program: &Program,
    ) -> Option<Stmt> {
        let doc = self.doc;
        let data = self.read_data(n)?;
        let kind = match doc.name(n) {
            El::Assignment => {
                let (target, value) = self.read_assignment(n, r)?;
                StmtKind::Assign { target, value }
            }
            El::SubroutineCall => self.read_call(n, r, program, &data)?,
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
                    self.report_mismatch(n, "the marker names a variable that does not exist");
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
                let problem = unexpected_element(doc, n);
                self.sink.push(problem);
                return None;
            }
        };
        let mut statement = Stmt::new(kind);
        let attributes = [("statement", At::StatementId), ("line", At::LineNumber)];
        statement.annotations = self.read_annotations(n, &data, &attributes);
        statement.at = self.read_span(n, &data)?;
        Some(statement)
    }

    fn read_call(
        &mut self,
        n: NodeId,
        r: usize,
        program: &Program,
        data: &Map<String, Value>,
    ) -> Option<StmtKind> {
        let doc = self.doc;
        let name = text_attribute(doc, n, At::SymbolId, self.sink)?;
        let mut given: Vec<(i64, Expr)> = Vec::new();
        for argument in doc.children(n) {
            let position = int_attribute(doc, argument, At::Position, self.sink)?;
            given.push((position, self.read_expression(argument, r)?));
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
                self.report_mismatch(n, "a push or pop has a tape and a value");
                None
            });
        }
        let callee = self.model.callee(doc, n, self.sink)?;
        let result = match data.get("result") {
            None => None,
            Some(_) => match given.pop() {
                Some((_, Expr::Place(place))) => Some(place),
                _ => {
                    self.report_mismatch(n, "the call has no place for its result");
                    return None;
                }
            },
        };
        let parameters = program.routines[callee].parameters.len();
        let mut arguments: Vec<Option<Expr>> = vec![None; parameters];
        for (position, e) in given {
            let slot = usize::try_from(position.saturating_sub(1))
                .ok()
                .and_then(|i| arguments.get_mut(i));
            match slot {
                Some(slot) if slot.is_none() => *slot = Some(e),
                _ => {
                    self.report_mismatch(n, "the arguments of the call do not fit the routine");
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

    pub(super) fn read_assignment(&mut self, n: NodeId, r: usize) -> Option<(Place, Expr)> {
        let left = self.read_child(n, El::AssignmentLHS)?;
        let right = self.read_child(n, El::AssignmentRHS)?;
        Some((self.read_place(left, r)?, self.read_expression(right, r)?))
    }

    pub(super) fn read_expression(&mut self, container: NodeId, r: usize) -> Option<Expr> {
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
                    reader.read_node(graph.vertices[v], *r, operands)
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

    /// Reads one vertex of an expression, with its number of levels.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    fn read_node(
        &mut self,
        v: NodeId,
        r: usize,
        operands: Vec<(Expr, usize)>,
    ) -> Option<(Expr, usize)> {
        let doc = self.doc;
        let depth = 1 + operands.iter().map(|o| o.1).max().unwrap_or(0);
        if depth > Expr::MAX_DEPTH {
            self.too_deep(v);
            return None;
        }
        match doc.name(v) {
            El::Constant => constant(doc, v, self.sink).map(|t| (t.expr, 1)),
            El::VariableReference => {
                let place = self.read_place(v, r)?;
                let e = Expr::Place(place);
                // Each subscript was limited when it was read, so the recursion of `depth` is bounded.
                let depth = e.depth();
                if depth > Expr::MAX_DEPTH {
                    self.too_deep(v);
                    return None;
                }
                Some((e, depth))
            }
            El::Intrinsic | El::BooleanOperation => {
                let name = text_attribute(doc, v, At::Name, self.sink)?;
                let Some(op) = spelling::operator(&name) else {
                    self.report(
                        v,
                        &codes::INTRINSIC,
                        format!("there is no operator {name}"),
                        "see `cfgrev explain xaif`",
                    );
                    return None;
                };
                let operands = operands.into_iter().map(|o| o.0);
                Some((Expr::op(op, operands), depth))
            }
            _ => {
                let problem = unexpected_element(doc, v);
                self.sink.push(problem);
                None
            }
        }
    }

    fn read_place(&mut self, n: NodeId, r: usize) -> Option<Place> {
        let doc = self.doc;
        let reference = self.read_child(n, El::SymbolReference)?;
        let symbol = self.model.reference(doc, reference, self.sink)?;
        let Some(&var) = self.variables.get(&(r, symbol)) else {
            self.report_mismatch(reference, "the routine has no variable of this symbol");
            return None;
        };
        let Some(element) = doc.child(n, El::ArrayElementReference) else {
            return Some(Place::whole(var));
        };
        let mut subscripts = Vec::new();
        for triplet in doc.children(element) {
            let mut part = |name| -> Option<Option<Expr>> {
                match doc.child(triplet, name) {
                    Some(container) => Some(Some(self.read_expression(container, r)?)),
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
