//! Expression graphs to expression trees.
//!
//! An expression of XAIF is a graph: vertices, and edges from operand to operator with positions. A
//! vertex with several uses is evaluated once, into a temporary; so are subtrees that would make a tree
//! deeper than the representation allows. The temporaries' assignments collect in
//! [`Lower::prelude`], which whoever lowers the statement or condition puts before it.

use super::{
    codes,
    helpers::Section,
    intrinsics::{self, Failure},
    lower::Lower,
    model::Sink,
    transformational,
    typed::Typed,
    xml::{At, Document, El, NodeId},
};
use cfg_core::diagnostic::CodeInfo;
use cfg_core::ir::{Expr, Place, Range, ScalarType, Stmt, StmtKind, Subscript};
use std::collections::HashMap;

/// Deepest nesting of subscripts in subscripts.
const MOST_SUBSCRIPTS: usize = 64;
/// Deepest tree that is built before a subtree goes to a temporary; subscripts and conversions may add
/// to it.
const MOST_LEVELS: usize = 48;

/// A place and what is at it.
pub(super) struct TypedPlace {
    pub(super) place: Place,
    pub(super) ty: ScalarType,
    pub(super) rank: usize,
    pub(super) depth: usize,
    /// Subscripts that are vectors, by dimension from 0; the place has full ranges there.
    pub(super) vectors: Vec<(usize, Typed)>,
}

impl TypedPlace {
    /// The place with its vector subscripts, if it has any.
    pub(super) fn section(self) -> Result<Self, (Section, ScalarType)> {
        if self.vectors.is_empty() {
            return Ok(self);
        }
        let section = Section {
            place: self.place,
            vectors: self.vectors,
        };
        Err((section, self.ty))
    }
}

/// An expression as the document has it.
pub(super) struct ExpressionGraph {
    pub(super) vertices: Vec<NodeId>,
    /// Operands of each vertex, in order.
    operands: Vec<Vec<usize>>,
    /// Number of out-edges of each vertex.
    uses: Vec<usize>,
    root: usize,
}

/// What expressions are evaluated for: a place to report to.
pub(super) trait Reports {
    fn sink(&mut self) -> &mut Sink;
}

impl Reports for Lower<'_, '_> {
    fn sink(&mut self) -> &mut Sink {
        self.sink
    }
}

impl ExpressionGraph {
    /// Reads vertices and edges of a container.
    pub(super) fn read(doc: &Document<'_>, container: NodeId, sink: &mut Sink) -> Option<Self> {
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
                    sink.push(super::model::unexpected(doc, child));
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
        // Operands of each vertex with their positions; uses of each vertex.
        let mut operands: Vec<Vec<(i64, usize)>> = vec![Vec::new(); vertices.len()];
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
    pub(super) fn evaluate<C: Reports, V: Clone>(
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

impl Lower<'_, '_> {
    /// The expression that a container (right side, condition, index, argument) holds.
    pub(super) fn expression(&mut self, container: NodeId) -> Option<Typed> {
        self.nesting += 1;
        let result = if self.nesting > MOST_SUBSCRIPTS {
            self.report(
                container,
                &codes::LIMIT,
                "subscripts are nested more than 64 levels deep",
                "assign inner subscripts to variables first",
            );
            None
        } else {
            self.graph(container)
        };
        self.nesting -= 1;
        result
    }

    fn graph(&mut self, container: NodeId) -> Option<Typed> {
        let graph = ExpressionGraph::read(self.doc, container, self.sink)?;
        let uses = &graph.uses;
        let doc = self.doc;
        let root = graph.vertices[graph.root];
        if self.is_string(root) && doc.name(container) != El::Argument {
            self.report(
                root,
                &codes::TYPE,
                "a string where a number or a logical value is due",
                "strings can be passed and compared; write the program without this one",
            );
            return None;
        }
        graph.evaluate(doc, self, |lower, v, operands| {
            let leaf = operands.is_empty();
            let nodes: Vec<NodeId> = graph.operands[v]
                .iter()
                .map(|&o| graph.vertices[o])
                .collect();
            let mut result = if nodes.iter().any(|&n| lower.is_string(n)) {
                lower.string_operation(graph.vertices[v], &nodes, operands)?
            } else {
                lower.vertex(graph.vertices[v], operands)?
            };
            if (uses[v] > 1 && !leaf) || (result.depth > MOST_LEVELS && uses[v] > 0) {
                result = lower.spill(graph.vertices[v], result)?;
            }
            Some(result)
        })
    }

    /// Assigns a value to a temporary.
    pub(super) fn spill(&mut self, at: NodeId, value: Typed) -> Option<Typed> {
        let var = self.temporary(value.ty, value.rank);
        let mut statement = Stmt::assign(Place::whole(var), value.expr);
        statement.annotations = None;
        self.emit(at, statement);
        Some(Typed {
            expr: Expr::var(var),
            ty: value.ty,
            rank: value.rank,
            depth: 1,
        })
    }

    fn vertex(&mut self, v: NodeId, operands: Vec<Typed>) -> Option<Typed> {
        let doc = self.doc;
        let name = doc.name(v);
        if !operands.is_empty() && !matches!(name, El::Intrinsic | El::BooleanOperation) {
            self.report(
                v,
                &codes::EXPRESSION,
                format!("a {} has operands", name.text()),
                "only Intrinsic and BooleanOperation have in-edges",
            );
            return None;
        }
        match name {
            El::Constant => match self.string_constant(v) {
                Some(number) => Some(number),
                None => constant(self.doc, v, self.sink),
            },
            El::VariableReference => {
                let place = match self.place(v)?.section() {
                    Ok(place) => place,
                    Err((section, ty)) => return self.gather(v, section, ty),
                };
                Some(Typed {
                    expr: Expr::Place(place.place),
                    ty: place.ty,
                    rank: place.rank,
                    depth: place.depth,
                })
            }
            El::FunctionCall => self.function_call(v),
            _ => self.operation(v, operands),
        }
    }

    pub(super) fn operation(&mut self, v: NodeId, operands: Vec<Typed>) -> Option<Typed> {
        let doc = self.doc;
        let name = super::model::text(doc, v, At::Name, self.sink)?;
        let result = if doc.name(v) == El::BooleanOperation {
            use cfg_core::ir::Op;
            match intrinsics::boolean(&name)
                .or_else(|| intrinsics::boolean(&intrinsics::stem(&name)))
            {
                Some(op @ (Op::And | Op::Or | Op::Not)) => intrinsics::logic(op, operands),
                Some(op) => intrinsics::compare(op, operands),
                None => Err(Failure::Unsupported(format!(
                    "there is no BooleanOperation {name}"
                ))),
            }
        } else {
            let stem = intrinsics::stem(&name);
            if transformational::is_transformational(&stem, &operands) {
                return self.transformational(v, &name, &stem, operands);
            }
            intrinsics::apply(&name, &stem, operands)
        };
        let result = match result {
            Ok(result) => result,
            Err(failure) => {
                self.refuse(v, &name, failure);
                return None;
            }
        };
        // rType repeats what the operands say; where it does not, one of both is wrong.
        if doc.attr(v, At::RType).as_deref() == Some("integer") && result.ty.is_real() {
            self.report(
                v,
                &codes::TYPE,
                format!(
                    "{name} has rType=\"integer\", but of these operands its value is of type {}",
                    result.ty.name()
                ),
                "correct rType, or convert the operands",
            );
            return None;
        }
        Some(result)
    }

    /// The place that a `VariableReference`, `AssignmentLHS` or similar element names.
    pub(super) fn place(&mut self, v: NodeId) -> Option<TypedPlace> {
        let doc = self.doc;
        for (at, what) in [
            (At::Deriv, "a derivative"),
            (At::Deref, "what a pointer points to"),
        ] {
            if doc.attr(v, at).is_some_and(|t| t == "1" || t == "true") {
                self.report(
                    v,
                    &codes::TYPE,
                    format!("a reference to {what} ({}=\"1\")", at.text()),
                    "the document must be of the original program, without pointers",
                );
                return None;
            }
        }
        let mut symbol = None;
        let mut subscripts = None;
        for child in doc.children(v) {
            match doc.name(child) {
                El::SymbolReference if symbol.is_none() => symbol = Some(child),
                El::ArrayElementReference if subscripts.is_none() => subscripts = Some(child),
                El::VariableReferenceEdge => {}
                _ => {
                    let problem = super::model::unexpected(doc, child);
                    self.sink.push(problem);
                    return None;
                }
            }
        }
        let Some(reference) = symbol else {
            self.report(
                v,
                &codes::EXPRESSION,
                "a reference without SymbolReference",
                "name the variable",
            );
            return None;
        };
        let symbol = self.scan.symbol.get(&reference).copied()?;
        let var = self.variable(symbol, reference)?;
        let (ty, rank) = {
            let variable = &self.ir.variables[var.index()];
            (variable.ty, variable.rank())
        };
        let Some(subscripts) = subscripts else {
            return Some(TypedPlace {
                place: Place::whole(var),
                ty,
                rank,
                depth: 1,
                vectors: Vec::new(),
            });
        };
        let mut list = Vec::new();
        let mut vectors = Vec::new();
        let mut left = 0;
        let mut depth = 0;
        for triplet in doc.children(subscripts) {
            if doc.name(triplet) != El::IndexTriplet {
                let problem = super::model::unexpected(doc, triplet);
                self.sink.push(problem);
                return None;
            }
            let subscript = match self.subscript(triplet, &mut depth)? {
                Ok(subscript) => subscript,
                Err(vector) => {
                    vectors.push((list.len(), vector));
                    Subscript::Range(Box::default())
                }
            };
            left += usize::from(matches!(subscript, Subscript::Range(_)));
            list.push(subscript);
        }
        if list.len() != rank {
            self.report(
                subscripts,
                &codes::SHAPE,
                format!(
                    "{} subscripts of {}, which has {rank} dimensions",
                    list.len(),
                    self.model.symbols[symbol].id
                ),
                "write one IndexTriplet per dimension",
            );
            return None;
        }
        let place = Place {
            var,
            subscripts: list.into(),
        };
        let place = if vectors.is_empty() {
            self.simplified(place)
        } else {
            place
        };
        Some(TypedPlace {
            place,
            ty,
            rank: left,
            depth: depth + 1,
            vectors,
        })
    }

    /// A subscript; a vector is handed back as such.
    fn subscript(
        &mut self,
        triplet: NodeId,
        depth: &mut usize,
    ) -> Option<Result<Subscript, Typed>> {
        let doc = self.doc;
        let alone = [El::Bound, El::Stride]
            .into_iter()
            .all(|name| doc.child(triplet, name).is_none());
        let mut vector = None;
        let mut part = |lower: &mut Self, name| -> Option<Option<Expr>> {
            let Some(container) = doc.child(triplet, name) else {
                return Some(None);
            };
            let value = lower.expression(container)?;
            if alone && value.rank == 1 && value.ty == ScalarType::Integer {
                vector = Some(value);
                return Some(None);
            }
            if value.rank > 0 {
                lower.report(
                    container,
                    &codes::SHAPE,
                    "a subscript is an array that is no vector of integers",
                    "write a loop over its elements",
                );
                return None;
            }
            if value.ty != ScalarType::Integer {
                lower.report(
                    container,
                    &codes::TYPE,
                    format!("a subscript of type {}", value.ty.name()),
                    "subscripts are integers",
                );
                return None;
            }
            let value = if value.depth > MOST_LEVELS {
                lower.spill(container, value)?
            } else {
                value
            };
            *depth = (*depth).max(value.depth);
            Some(Some(value.expr))
        };
        let index = part(self, El::Index)?;
        let bound = part(self, El::Bound)?;
        let stride = part(self, El::Stride)?;
        if let Some(vector) = vector {
            return Some(Err(vector));
        }
        if bound.is_none() && stride.is_none() {
            if let Some(index) = index {
                return Some(Ok(Subscript::Index(index)));
            }
            self.report(
                triplet,
                &codes::EXPRESSION,
                "an empty IndexTriplet",
                "write the Index",
            );
            return None;
        }
        Some(Ok(Subscript::Range(Box::new(Range {
            lower: index,
            upper: bound,
            stride: stride.filter(|s| *s != Expr::Int(1)),
        }))))
    }

    /// A section that is the whole array is written as the whole array.
    pub(super) fn simplified(&self, place: Place) -> Place {
        let shape = &self.ir.variables[place.var.index()].shape;
        let whole = place.subscripts.iter().zip(shape).all(|(s, dim)| {
            let Subscript::Range(range) = s else {
                return false;
            };
            let upper = match (&range.upper, &dim.extent) {
                (None, _) => true,
                (Some(upper), cfg_core::ir::Extent::Fixed(extent)) => {
                    match (upper, extent, &dim.lower) {
                        (Expr::Int(u), Expr::Int(n), Expr::Int(l)) => {
                            l.checked_add(*n) == u.checked_add(1)
                        }
                        (upper, extent, Expr::Int(1)) => upper == extent,
                        _ => false,
                    }
                }
                (Some(_), cfg_core::ir::Extent::Deferred) => false,
            };
            let lower = range.lower.as_ref().is_none_or(|l| *l == dim.lower);
            upper && lower && range.stride.is_none()
        });
        if whole {
            Place::whole(place.var)
        } else {
            place
        }
    }

    /// A function's value, by a call before the statement.
    fn function_call(&mut self, v: NodeId) -> Option<Typed> {
        let callee = self.scan.callee.get(&v).copied()?;
        let Some((result, ty, rank)) = self.function_result(callee) else {
            self.report(
                v,
                &codes::CALL,
                format!(
                    "{} is called as a function, but no variable of its scope has its name",
                    self.model.routines[callee].symbol
                ),
                "turn the function into a subroutine with its result as the last argument",
            );
            return None;
        };
        if rank > 0 {
            self.report(
                v,
                &codes::CALL,
                "a function whose value is an array",
                "turn the function into a subroutine with its result as the last argument",
            );
            return None;
        }
        let _ = result;
        let target = self.temporary(ty, 0);
        self.call(v, callee, Some(Place::whole(target)))?;
        Some(Typed::leaf(Expr::var(target), ty))
    }

    /// Appends a statement to what comes before the one that is being lowered.
    pub(super) fn emit(&mut self, at: NodeId, statement: Stmt) {
        debug_assert!(!matches!(statement.kind, StmtKind::Opaque { .. }));
        self.prelude.push((at, statement));
    }
}

/// The value of a `Constant`.
pub(super) fn constant(doc: &Document<'_>, v: NodeId, sink: &mut Sink) -> Option<Typed> {
    let ty = super::model::text(doc, v, At::Type, sink)?;
    let value = super::model::text(doc, v, At::Value, sink)?;
    let fe_type = doc.attr(v, At::FeType).unwrap_or_default();
    let text = value.trim();
    let parsed = match (ty.as_str(), fe_type.as_ref()) {
        ("integer", _) => text
            .parse()
            .ok()
            .map(|i| Typed::leaf(Expr::Int(i), ScalarType::Integer)),
        ("bool", _) => match text.trim_matches('.').to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
        .map(|b| Typed::leaf(Expr::Logical(b), ScalarType::Logical)),
        ("real", "F4") => real_text(text)
            .parse()
            .ok()
            .map(|x| Typed::leaf(Expr::Real32(x), ScalarType::Real32)),
        ("real", "" | "F8") => real_text(text)
            .parse()
            .ok()
            .map(|x| Typed::leaf(Expr::Real(x), ScalarType::Real)),
        _ => {
            sink.push(doc.error(
                v,
                &codes::TYPE,
                format!("a constant of type {ty} {fe_type} is not supported"),
                "constants are integer, bool, and real of feType F4 or F8",
            ));
            return None;
        }
    };
    if parsed.is_none() {
        sink.push(doc.error(
            v,
            &codes::ATTRIBUTE,
            format!("value=\"{text}\" is not a constant of type {ty}"),
            "write the constant as Fortran does",
        ));
    }
    parsed
}

/// Fortran writes the exponent of a double precision constant with D.
fn real_text(text: &str) -> String {
    match text.to_ascii_lowercase().as_str() {
        t @ ("inf" | "-inf" | "nan" | "infinity" | "-infinity" | "+infinity") => t.to_owned(),
        t => t.replace('d', "e"),
    }
}
