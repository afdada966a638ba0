//! Expressions as documents have them: graphs.
//!
//! An expression of XAIF is a graph: vertices, and edges from operand to operator with positions. A vertex with
//! several uses is evaluated once.

use super::{
    model::{Sink, unexpected_element},
    xml::{At, Document, El, NodeId},
};
use crate::xaif::codes;
use cfg_core::diagnostic::CodeInfo;
use std::collections::HashMap;

/// An expression as the document has it.
pub(crate) struct ExpressionGraph {
    pub(crate) vertices: Vec<NodeId>,
    /// Operands of each vertex, in order.
    pub(crate) operands: Vec<Vec<usize>>,
    /// Number of out-edges of each vertex.
    pub(crate) uses: Vec<usize>,
    pub(crate) root: usize,
}

/// A context in which expressions are evaluated: it has a place to report problems to.
pub(crate) trait Reports {
    fn sink(&mut self) -> &mut Sink;
}

impl ExpressionGraph {
    /// Reads vertices and edges of a container.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    pub(crate) fn read(doc: &Document<'_>, container: NodeId, sink: &mut Sink) -> Option<Self> {
        let mut vertices: Vec<NodeId> = Vec::new();
        let mut edges: Vec<NodeId> = Vec::new();
        for child in doc.children(container) {
            match doc.name(child) {
                El::ExpressionEdge => edges.push(child),
                El::VariableReference
                | El::Constant
                | El::Intrinsic
                | El::BooleanOperation
                | El::FunctionCall => vertices.push(child),
                _ => {
                    sink.push(unexpected_element(doc, child));
                    return None;
                }
            }
        }
        if vertices.len() == 1 && edges.is_empty() {
            return Some(Self {
                vertices,
                operands: vec![Vec::new()],
                uses: vec![0],
                root: 0,
            });
        }
        let (operands, uses) = connected(doc, &vertices, edges, sink)?;
        let mut report = |n: NodeId, info: &CodeInfo, message: String, help: &str| {
            sink.push(doc.error(n, info, message, help));
        };
        let roots: Vec<usize> = (0..vertices.len()).filter(|&v| uses[v] == 0).collect();
        let &[root] = roots.as_slice() else {
            report(
                container,
                &codes::EXPRESSION,
                format!(
                    "{} vertices of the expression have no out-edge",
                    roots.len()
                ),
                "exactly one vertex is the result",
            );
            return None;
        };
        let mut ordered = Vec::with_capacity(operands.len());
        for (v, mut list) in operands.into_iter().enumerate() {
            list.sort_unstable();
            if let Some((i, o)) = list.iter().enumerate().find(|(i, o)| o.0 != *i as i64 + 1) {
                report(
                    vertices[v],
                    &codes::EXPRESSION,
                    format!("an operand has position {} where {} is due", o.0, i + 1),
                    "number the operands 1, 2, ...",
                );
                return None;
            }
            ordered.push(list.into_iter().map(|o| o.1).collect());
        }
        Some(Self {
            vertices,
            operands: ordered,
            uses,
            root,
        })
    }

    /// Post-order over the graph, on a stack of its own; each vertex once.
    pub(crate) fn evaluate<C: Reports, V: Clone>(
        &self,
        doc: &Document<'_>,
        context: &mut C,
        mut vertex: impl FnMut(&mut C, usize, Vec<V>) -> Option<V>,
    ) -> Option<V> {
        let n = self.vertices.len();
        let mut value: Vec<Option<V>> = vec![None; n];
        let mut left = self.uses.clone();
        let mut open = vec![false; n];
        let mut stack = vec![(self.root, 0usize)];
        open[self.root] = true;
        while let Some((v, next)) = stack.pop() {
            if let Some(&operand) = self.operands[v].get(next) {
                stack.push((v, next + 1));
                if value[operand].is_some() {
                    continue;
                }
                if std::mem::replace(&mut open[operand], true) {
                    context.sink().push(doc.error(
                        self.vertices[operand],
                        &codes::EXPRESSION,
                        "the expression has a cycle",
                        "the operands of a vertex are computed before it",
                    ));
                    return None;
                }
                stack.push((operand, 0));
                continue;
            }
            let mut given = Vec::with_capacity(self.operands[v].len());
            for &operand in &self.operands[v] {
                left[operand] -= 1;
                given.push(if left[operand] == 0 {
                    value[operand].take()?
                } else {
                    value[operand].clone()?
                });
            }
            value[v] = Some(vertex(context, v, given)?);
        }
        if left.iter().any(|&l| l > 0) {
            // A vertex that the root does not reach hangs on a cycle.
            context.sink().push(doc.error(
                self.vertices[self.root],
                &codes::EXPRESSION,
                "part of the expression does not lead to its result",
                "remove the vertices and edges that form a cycle of their own",
            ));
            return None;
        }
        value[self.root].take()
    }
}

/// Operands of a vertex, with their positions.
type Operands = Vec<(i64, usize)>;

/// The operands of each vertex, and how many uses it has.
fn connected(
    doc: &Document<'_>,
    vertices: &[NodeId],
    edges: Vec<NodeId>,
    sink: &mut Sink,
) -> Option<(Vec<Operands>, Vec<usize>)> {
    let mut report = |n: NodeId, info: &CodeInfo, message: String, help: &str| {
        sink.push(doc.error(n, info, message, help));
    };
    let mut index: HashMap<i64, usize> = HashMap::new();
    let number = |n: NodeId, at: At| doc.attr(n, at).and_then(|t| t.trim().parse::<i64>().ok());
    for (i, &v) in vertices.iter().enumerate() {
        let Some(id) = doc.id(v, At::VertexId) else {
            report(
                v,
                &codes::ATTRIBUTE,
                "vertex_id is missing or no id".to_owned(),
                "number the vertices of an expression 1, 2, ...",
            );
            return None;
        };
        if index.insert(id, i).is_some() {
            report(
                v,
                &codes::DUPLICATE,
                format!("two vertices of the expression have id {id}"),
                "number the second one differently",
            );
            return None;
        }
    }
    let mut operands: Vec<Operands> = vec![Vec::new(); vertices.len()];
    let mut uses = vec![0usize; vertices.len()];
    for e in edges {
        let (Some(source), Some(target), Some(position)) = (
            doc.id(e, At::Source),
            doc.id(e, At::Target),
            number(e, At::Position),
        ) else {
            report(
                e,
                &codes::ATTRIBUTE,
                "source, target or position is missing or not a whole number".to_owned(),
                "write all three",
            );
            return None;
        };
        let (Some(&source), Some(&target)) = (index.get(&source), index.get(&target)) else {
            let text = |at| doc.attr(e, at).unwrap_or_default();
            report(
                e,
                &codes::EXPRESSION,
                format!(
                    "the edge {} -> {} leads to a vertex that is not there",
                    text(At::Source),
                    text(At::Target)
                ),
                "name vertices of the same expression",
            );
            return None;
        };
        operands[target].push((position, source));
        uses[source] += 1;
    }
    Some((operands, uses))
}
