//! Shapes: declared bounds, and those inferred for arrays whose bounds the document does not show.

use crate::xaif::{
    codes,
    lower::Lower,
    read::{
        model::{Model, Sink, SymbolId},
        scan::{Home, Scan, references::constant},
        xml::{At, Document, El, NodeId},
    },
};
use cfg_core::{
    entity::VarId,
    ir::{Dim, Expr, Extent, Intent, Op, OpClass, Place, Role, Routine, Subscript},
};

/// Elements per dimension of an array that is only ever used element by element and whose bounds are
/// not in the document: any storage that is large enough gives the same values.
const ROOM: [i64; 8] = [1, 1000, 64, 16, 8, 4, 3, 3];

/// The dimensions that a symbol declares; deferred where it does not say.
pub(crate) fn declared(
    doc: &Document<'_>,
    model: &Model,
    symbol: SymbolId,
    role: Role,
    sink: &mut Sink,
) -> Vec<Dim> {
    let s = &model.symbols[symbol];
    let deferred = |lower: i64| Dim {
        lower: Expr::Int(lower),
        extent: Extent::Deferred,
    };
    if s.bounds.is_empty() {
        if s.rank > 0 && matches!(role, Role::Global(_)) {
            sink.push(doc.error(
                s.node,
                &codes::SHAPE,
                format!(
                    "the bounds of the global array {} are not in the document",
                    s.id
                ),
                "give its DimensionBounds",
            ));
        }
        return vec![deferred(1); s.rank];
    }
    // The last extent of an assumed-size array `a(2, *)` is not known, so all are taken from the actual; calls pass
    // an actual whose other extents are the declared ones.
    let open = s.bounds.iter().any(|b| b.1.is_none());
    if open && !matches!(role, Role::Parameter { .. }) {
        sink.push(doc.error(
            s.node,
            &codes::SHAPE,
            format!("{} has dimensions without upper bound", s.id),
            "only a formal argument may leave it out",
        ));
    }
    s.bounds
        .iter()
        .map(|&(lower, upper)| match upper {
            Some(_) if open => deferred(lower),
            Some(upper) => Dim {
                lower: Expr::Int(lower),
                extent: Extent::Fixed(Expr::Int(
                    upper.saturating_sub(lower).saturating_add(1).max(0),
                )),
            },
            None => deferred(lower),
        })
        .collect()
}

/// Finds extents for local arrays without bounds (automatic and allocatable arrays) from how they are
/// used.
pub(crate) fn infer(lower: &mut Lower<'_, '_>) {
    let scan = lower.scan;
    for (&symbol, references) in &scan.routines[lower.r].unbounded {
        if Scan::home(lower.model, lower.r, symbol) != Home::Own {
            continue;
        }
        let Some(var) = lower.known_variable(symbol) else {
            continue;
        };
        if !matches!(lower.ir.variable(var).role, Role::Local) {
            continue;
        }
        array(lower, symbol, var, references);
    }
    adjustable(lower);
}

/// Formal arrays whose bounds are expressions: the front end computes them in statements that it marks,
/// and the document has neither. The actual argument's are taken.
fn adjustable(lower: &mut Lower<'_, '_>) {
    let decl = &lower.model.routines[lower.r];
    let has_pragma = || {
        lower.doc.subtree(decl.node).any(|n| {
            lower.doc.name(n) == El::Marker
                && lower
                    .doc
                    .attr(n, At::Annotation)
                    .is_some_and(|a| a.contains("OPR_XPRAGMA"))
        })
    };
    let mut marked = None;
    for &(symbol, node) in &decl.formals {
        let s = &lower.model.symbols[symbol];
        if s.rank == 0 || !s.bounds.is_empty() {
            continue;
        }
        let old = lower.scan.beyond.contains(&symbol);
        if !old && !*marked.get_or_insert_with(has_pragma) {
            continue;
        }
        let diagnostic = lower
            .doc
            .error(
                node,
                &codes::ASSUMED,
                format!("the bounds of {} are not in the document; those of the actual argument are used", s.id),
                "declare the array with constant or with assumed bounds if they differ",
            )
            .warning();
        lower.sink.push(diagnostic);
    }
}

fn array(lower: &mut Lower<'_, '_>, symbol: SymbolId, var: VarId, references: &[NodeId]) {
    let doc = lower.doc;
    let rank = lower.model.symbols[symbol].rank;
    let mut upper: Vec<Option<Expr>> = vec![None; rank];
    let mut range: Vec<(i64, i64)> = vec![(1, 1); rank];
    let (mut whole, mut sections, mut consistent) = (false, false, true);
    let mut whole_assignment = false;
    for &n in references {
        let Some(element) = doc.child(n, El::ArrayElementReference) else {
            whole = true;
            whole_assignment |= doc.name(n) == El::AssignmentLHS;
            continue;
        };
        let mut all_sections = true;
        for (d, triplet) in doc.children(element).take(rank).enumerate() {
            let index = doc.child(triplet, El::Index);
            let bound = doc.child(triplet, El::Bound);
            if bound.is_none() && doc.child(triplet, El::Stride).is_none() {
                all_sections = false;
                let (low, high) = &mut range[d];
                match index.and_then(|i| constant(doc, i)) {
                    Some(i) => {
                        *low = (*low).min(i);
                        *high = (*high).max(i);
                    }
                    None => {
                        *low = (*low).min(0);
                        *high = (*high).max(ROOM[rank.min(7)]);
                    }
                }
                continue;
            }
            sections = true;
            let from_one = index.is_none_or(|i| constant(doc, i) == Some(1));
            let end = bound.and_then(|b| silently(lower, b));
            match end.filter(|_| from_one) {
                Some(end) if entry_value(&lower.ir, &end) => match &upper[d] {
                    Some(known) => consistent &= *known == end,
                    None => upper[d] = Some(end),
                },
                _ => consistent = false,
            }
        }
        whole_assignment |= all_sections && doc.name(n) == El::AssignmentLHS;
    }
    let dims: Option<Vec<Dim>> = if sections && consistent {
        upper.into_iter().map(|u| u.map(Dim::with_extent)).collect()
    } else if !sections && !whole {
        let dims = range.into_iter().map(|(low, high)| Dim {
            lower: Expr::Int(low),
            extent: Extent::Fixed(Expr::Int(high.saturating_sub(low).saturating_add(1))),
        });
        Some(dims.collect())
    } else {
        None
    };
    if let Some(dims) = dims {
        lower.ir.variables[var.index()].shape = dims;
        let diagnostic = doc
            .error(
                lower.model.symbols[symbol].node,
                &codes::ASSUMED,
                format!(
                    "the bounds of {} are not in the document; they are taken from its uses",
                    lower.model.symbols[symbol].id
                ),
                "give its DimensionBounds if an index is out of bounds when the program runs",
            )
            .warning();
        lower.sink.push(diagnostic);
    } else if !whole_assignment {
        lower.report(
            lower.model.symbols[symbol].node,
            &codes::SHAPE,
            format!(
                "the bounds of {} are not in the document, and its uses do not tell them",
                lower.model.symbols[symbol].id
            ),
            "give its DimensionBounds",
        );
    }
}

/// The expression of a container, without its temporaries and without reports of problems: its statement will report
/// them.
fn silently(lower: &mut Lower<'_, '_>, container: NodeId) -> Option<Expr> {
    let variables = lower.ir.variables.len();
    let found = std::mem::take(lower.sink);
    let value = lower.lower_expression(container);
    *lower.sink = found;
    let value = value.filter(|_| lower.prelude.is_empty());
    lower.prelude.clear();
    if lower.ir.variables.len() != variables {
        return None;
    }
    value.map(|v| v.expr)
}

/// True of expressions that have one value as long as the routine runs: constants, inquiries about
/// parameters, and integer parameters that are only read.
fn entry_value(ir: &Routine, e: &Expr) -> bool {
    let parameter = |p: &Place| {
        let variable = ir.variable(p.var);
        (variable.intent(), p.subscripts.is_empty())
    };
    match e {
        Expr::Int(_) => true,
        Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) | Expr::Addr(_) => false,
        Expr::Place(p) => parameter(p) == (Some(Intent::In), true),
        Expr::Op(op, operands) if op.class() == OpClass::Inquiry && *op != Op::Present => {
            matches!(&operands[0], Expr::Place(p) if matches!(parameter(p), (Some(_), true)))
        }
        Expr::Op(Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Min | Op::Max, operands) => {
            operands.iter().all(|o| entry_value(ir, o))
        }
        Expr::Op(..) => false,
    }
}

/// The target of an assignment to all elements of an array without bounds is the whole array: the
/// assignment gives it its shape.
pub(crate) fn allocated(lower: &Lower<'_, '_>, place: Place) -> Place {
    let variable = lower.ir.variable(place.var);
    let unallocated = matches!(variable.role, Role::Local)
        && variable
            .shape
            .iter()
            .all(|d| matches!(d.extent, Extent::Deferred));
    let all = place.subscripts.iter().all(|s| match s {
        Subscript::Range(range) => {
            range.lower.as_ref().is_none_or(|l| *l == Expr::Int(1)) && range.stride.is_none()
        }
        Subscript::Index(_) | Subscript::Field(_) | Subscript::Deref => false,
    });
    if unallocated && all {
        Place::whole(place.var)
    } else {
        place
    }
}
