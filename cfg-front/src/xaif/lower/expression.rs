//! Expression graphs to expression trees.
//!
//! An expression of XAIF is a graph: vertices, and edges from operand to operator with positions. A
//! vertex with several uses is evaluated once, into a temporary; so are subtrees that would make a tree
//! deeper than the representation allows. The temporaries' assignments collect in [`Lower::prelude`], which the
//! lowering of the statement or condition puts before it.

use crate::xaif::{
    codes,
    lower::{
        Lower,
        helpers::Section,
        intrinsics::{self, Failure},
        transformational,
        typed::Typed,
    },
    read::{
        expression::{ExpressionGraph, Reports},
        model::{Sink, unexpected_element},
        xml::{At, Document, El, NodeId},
    },
};
use cfg_core::ir::{Expr, Place, Range, ScalarType, Stmt, StmtKind, Subscript};

/// Deepest nesting of subscripts in subscripts.
const MOST_SUBSCRIPTS: usize = 64;
/// Deepest tree that is built before a subtree goes to a temporary; subscripts and conversions may add
/// to it.
const MOST_LEVELS: usize = 48;

/// A place with the type and rank of its value.
pub(crate) struct TypedPlace {
    pub(crate) place: Place,
    pub(crate) ty: ScalarType,
    pub(crate) rank: usize,
    pub(crate) depth: usize,
    /// Subscripts that are vectors, by dimension from 0; the place has full ranges there.
    pub(crate) vectors: Vec<(usize, Typed)>,
}

impl TypedPlace {
    /// The place with its vector subscripts, if it has any.
    pub(crate) fn section(self) -> Result<Self, (Section, ScalarType)> {
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

impl Reports for Lower<'_, '_> {
    fn sink(&mut self) -> &mut Sink {
        self.sink
    }
}

impl Lower<'_, '_> {
    /// The expression that a container (right side, condition, index, argument) holds.
    pub(crate) fn lower_expression(&mut self, container: NodeId) -> Option<Typed> {
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
            self.lower_graph(container)
        };
        self.nesting -= 1;
        result
    }

    fn lower_graph(&mut self, container: NodeId) -> Option<Typed> {
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
                lower.lower_vertex(graph.vertices[v], operands)?
            };
            if (uses[v] > 1 && !leaf) || (result.depth > MOST_LEVELS && uses[v] > 0) {
                result = lower.spill_value(graph.vertices[v], result)?;
            }
            Some(result)
        })
    }

    /// Assigns a value to a temporary.
    pub(crate) fn spill_value(&mut self, at: NodeId, value: Typed) -> Option<Typed> {
        let var = self.declare_temporary(value.ty, value.rank);
        let mut statement = Stmt::assign(Place::whole(var), value.expr);
        statement.annotations = None;
        self.emit_before(at, statement);
        Some(Typed {
            expr: Expr::var(var),
            ty: value.ty,
            rank: value.rank,
            depth: 1,
        })
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    fn lower_vertex(&mut self, v: NodeId, operands: Vec<Typed>) -> Option<Typed> {
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
                let place = match self.lower_place(v)?.section() {
                    Ok(place) => place,
                    Err((section, ty)) => return self.gather_section(v, section, ty),
                };
                Some(Typed {
                    expr: Expr::Place(place.place),
                    ty: place.ty,
                    rank: place.rank,
                    depth: place.depth,
                })
            }
            El::FunctionCall => self.function_call(v),
            _ => self.lower_operation(v, operands),
        }
    }

    pub(crate) fn lower_operation(&mut self, v: NodeId, operands: Vec<Typed>) -> Option<Typed> {
        let doc = self.doc;
        let name = crate::xaif::read::model::text_attribute(doc, v, At::Name, self.sink)?;
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
                return self.lower_transformational(v, &name, &stem, operands);
            }
            intrinsics::apply(&name, &stem, operands)
        };
        let result = match result {
            Ok(result) => result,
            Err(failure) => {
                self.refuse_intrinsic(v, &name, failure);
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
    pub(crate) fn lower_place(&mut self, v: NodeId) -> Option<TypedPlace> {
        let doc = self.doc;
        let (reference, subscripts) = self.reference_parts(v)?;
        let symbol = self.scan.symbol.get(&reference).copied()?;
        let var = self.variable_of_symbol(symbol, reference)?;
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
                let problem = unexpected_element(doc, triplet);
                self.sink.push(problem);
                return None;
            }
            let subscript = match self.lower_subscript(triplet, &mut depth)? {
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
            self.simplify_section(place)
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

    /// The symbol and the subscripts of a reference.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    fn reference_parts(&mut self, v: NodeId) -> Option<(NodeId, Option<NodeId>)> {
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
                    let problem = unexpected_element(doc, child);
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
        Some((reference, subscripts))
    }

    /// Lowers a subscript; a vector is handed back as such.
    fn lower_subscript(
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
            let value = lower.lower_expression(container)?;
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
                lower.spill_value(container, value)?
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
    pub(crate) fn simplify_section(&self, place: Place) -> Place {
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
        let target = self.declare_temporary(ty, 0);
        self.lower_call(v, callee, Some(Place::whole(target)))?;
        Some(Typed::leaf(Expr::var(target), ty))
    }

    /// Appends a statement to what comes before the one that is being lowered.
    pub(crate) fn emit_before(&mut self, at: NodeId, statement: Stmt) {
        debug_assert!(!matches!(statement.kind, StmtKind::Opaque { .. }));
        self.prelude.push((at, statement));
    }
}

/// The value of a `Constant`.
pub(crate) fn constant(doc: &Document<'_>, v: NodeId, sink: &mut Sink) -> Option<Typed> {
    let ty = crate::xaif::read::model::text_attribute(doc, v, At::Type, sink)?;
    let value = crate::xaif::read::model::text_attribute(doc, v, At::Value, sink)?;
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
