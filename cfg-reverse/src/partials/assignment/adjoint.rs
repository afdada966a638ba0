//! The adjoint of an assignment.

use cfg_core::{
    elemental::{Partial, Strong},
    entity::VarId,
    flat::FlatExpr,
    ir::{Expr, Op, Place, ScalarType, Stmt},
    memory::known::Known,
};
use std::borrow::Cow;

use crate::{
    code::{
        expressions::{is_atomic, real, sum, zero},
        typing,
    },
    partials::{
        Unsupported,
        conform::{conform, times_size},
        linearize::{NodeKind, Nodes},
        scope::Scope,
    },
};

/// Values of the right-hand side that an adjoint may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given<'g> {
    /// None: the adjoint evaluates what it needs from the operands.
    Nothing,
    /// The target, which still has the value.
    Target,
    /// A copy of the target: the first statement of the adjoint, which stands before the target gets its old value.
    Copy,
    /// The values of these [functions], in variables.
    Functions(&'g [(usize, VarId)]),
}

/// The functions of an assignment whose results the forward sweep may record in place of operands.
pub(crate) fn functions(scope: &mut Scope, target: &Place, value: &Expr) -> Vec<usize> {
    let variables = &scope.routine.variables;
    let is_scalar = typing::place_rank(variables, target) == 0;
    let unchanged = matches!(
        conform(variables, value, Some(target)),
        Ok(Cow::Borrowed(_))
    );
    if !is_scalar || !unchanged {
        return Vec::new();
    }
    scope.temporaries.reset();
    let mut nodes = scope.nodes(value);
    let partials = nodes.partials(
        &mut scope.routine,
        &mut scope.namer,
        &mut scope.temporaries,
        None,
    );
    let found = partials.map_or(Vec::new(), |_| nodes.functions());
    scope.workspace = nodes.into_workspace();
    found
}

/// The adjoint of `target := value`. The values that the statement overwrites have been restored, but with
/// [`Given::Target`] the target's, and with [`Given::Copy`] that of the target in the first statement.
pub(crate) fn adjoint(
    scope: &mut Scope,
    target: &Place,
    value: &Expr,
    given: Given<'_>,
) -> Result<Vec<Stmt>, Unsupported> {
    let Some(target_b) = scope
        .derivative_place(target)
        .filter(|_| scope.wanted.contains(target.var.index()))
    else {
        return Ok(Vec::new());
    };
    if scope.exceptions.is_useless(scope.here) {
        // The adjoint is zero and unused, but it must have the shape of the target.
        let ty = scope.routine.variable(target.var).ty;
        return Ok(match scope.gives_shape(target) {
            true => vec![Stmt::assign(target_b, zero(ty))],
            false => Vec::new(),
        });
    }
    scope.temporaries.reset();
    let value = conform(&scope.routine.variables, value, Some(&target_b))?;
    let mut nodes = scope.nodes(&value);
    let root = nodes.root();
    let target_type = typing::place_type(&scope.routine.variables, target);
    let zero_of = |target_b: Place| Stmt::assign(target_b, zero(target_type.ty));
    if !nodes.nodes[root].active {
        return Ok(vec![zero_of(target_b)]);
    }
    let result = match given {
        Given::Nothing | Given::Functions(_) => None,
        Given::Target => Some(Expr::Place(target.clone())),
        Given::Copy => Some(Expr::var(scope.take("t", target_type))),
    };
    if let Given::Functions(given) = given {
        given.iter().for_each(|&(n, v)| nodes.give(n, v));
    }
    let computed = nodes.partials(
        &mut scope.routine,
        &mut scope.namer,
        &mut scope.temporaries,
        result.as_ref(),
    )?;
    let mut code = match (given, result) {
        (Given::Copy, Some(Expr::Place(copy))) => {
            vec![Stmt::assign(copy, Expr::Place(target.clone()))]
        }
        _ => Vec::new(),
    };
    code.extend(computed);
    let (itself, overlap) = target_among_operands(scope, &nodes, target)?;
    let mut seed = Expr::Place(target_b.clone());
    // A compiler must assume that an increment in between changes the cell of the seed.
    let elsewhere = target.is_element() && target.constant_subscripts().is_none();
    if overlap || elsewhere && is_read_again(&nodes, root, target) {
        let t = scope.take("b", target_type);
        code.push(Stmt::assign(Place::whole(t), seed));
        seed = Expr::var(t);
    }
    let unchanged = [Expr::Place(target_b.clone()), seed.clone()];
    let mut d = std::mem::take(&mut nodes.lists.adjoints);
    d.clear();
    d.resize(nodes.nodes.len(), None);
    // A scalar on the right of an array assignment is broadcast: its adjoint is the sum.
    d[root] = Some(if nodes.nodes[root].ty.rank < target_type.rank {
        Expr::op(Op::Sum, [seed])
    } else {
        seed
    });
    let mut increments = std::mem::take(&mut nodes.lists.increments);
    increments.clear();
    propagate(scope, &mut nodes, &mut d, &mut increments, &mut code)?;
    let own = increments
        .iter()
        .position(|(p, ..)| itself && *p == target_b);
    let own = match own.map(|i| increments.remove(i)) {
        Some((place, first, others)) => {
            let terms = std::iter::once(first).chain(others);
            let value = sum(twice(terms, target_type.ty));
            let value = value.filter(|value| !unchanged.contains(value));
            value.map(|value| Stmt::assign(place, value))
        }
        None => Some(zero_of(target_b)),
    };
    // The target's own adjoint is set last if the other increments may read it, and first if they may increment it.
    let (first, last) = match overlap {
        true => (own, None),
        false => (None, own),
    };
    code.extend(first);
    add_increments(scope, &mut increments, last, &mut code);
    (nodes.lists.adjoints, nodes.lists.increments) = (d, increments);
    scope.workspace = nodes.into_workspace();
    Ok(code)
}

/// True if the target is an operand itself, and true if another operand may overlap it: this decides how the
/// seed is held.
fn target_among_operands(
    scope: &Scope,
    nodes: &Nodes<'_>,
    target: &Place,
) -> Result<(bool, bool), Unsupported> {
    let mut itself = false;
    let mut overlap = false;
    for (n, node) in nodes.nodes.iter().enumerate() {
        if let NodeKind::Leaf(place) = node.kind {
            // The subscripts of targets do not read the variable in normal form: the place is the same before and after.
            if place == target && *nodes.safe_place(n, place, &scope.routine.variables)? == *target
            {
                itself = true;
            } else {
                overlap |= scope.locations.may_overlap(place, target);
            }
        }
    }
    Ok((itself, overlap))
}

/// True if the adjoint of the root is likely to be read more than once for the increments of others than the target.
fn is_read_again(nodes: &Nodes<'_>, root: usize, target: &Place) -> bool {
    let active = |n: usize| match nodes.nodes[n].kind {
        NodeKind::Op(_, children) => {
            let operands = nodes.operands(children).iter();
            operands.filter(|&&c| nodes.nodes[c].active).collect()
        }
        NodeKind::Leaf(_) | NodeKind::Passive(_) => Vec::new(),
    };
    let reads = active(root)
        .into_iter()
        .map(|&n| match nodes.nodes[n].kind {
            NodeKind::Leaf(place) => usize::from(place != target),
            NodeKind::Op(..) => active(n).len(),
            NodeKind::Passive(_) => 0,
        });
    reads.sum::<usize>() > 1
}

/// Propagates the adjoints `d` from the root to the leaves, where they become increments.
fn propagate(
    scope: &mut Scope,
    nodes: &mut Nodes<'_>,
    d: &mut [Option<Expr>],
    increments: &mut Vec<Increment>,
    code: &mut Vec<Stmt>,
) -> Result<(), Unsupported> {
    let mut known = Known::default();
    for n in (0..nodes.nodes.len()).rev() {
        let Some(mut dn) = d[n].take() else { continue };
        match &nodes.nodes[n].kind {
            NodeKind::Leaf(place) => {
                let place = nodes.safe_place(n, place, &scope.routine.variables)?;
                if nodes.is_guarded(n) {
                    let rank = scope.type_of(&dn).rank;
                    dn = nodes.guarded_adjoint(n, dn, rank);
                }
                if let Some(b) = scope.derivative_place(&place) {
                    match known.find(increments.len(), |k| &increments[k].0, &b) {
                        Some(k) => increments[k].2.push(dn),
                        None => increments.push((b, dn, Vec::new())),
                    }
                }
            }
            NodeKind::Passive(_) => {}
            &NodeKind::Op(_, children) => {
                let operands = nodes.operands(children).iter();
                let mut uses = operands.filter(|&&c| nodes.nodes[c].active).count();
                if !is_simple(&dn) && (uses > 1 || dn.depth() > 6) {
                    let ty = scope.type_of(&dn);
                    let b = scope.take("b", ty);
                    if nodes.is_guarded(n) {
                        dn = nodes.guarded_adjoint(n, dn, ty.rank);
                    }
                    code.push(Stmt::assign(Place::whole(b), dn));
                    dn = Expr::var(b);
                }
                let mut dn = Some(dn);
                for position in children.positions() {
                    let (c, partial) = nodes.take(position);
                    if nodes.nodes[c].active {
                        uses -= 1;
                        let dn = if uses > 0 { dn.clone() } else { dn.take() };
                        d[c] = dn.and_then(|dn| pull_back(scope, nodes, n, c, dn, partial));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Writes the increments, then what is `last`.
fn add_increments(
    scope: &Scope,
    increments: &mut Vec<Increment>,
    last: Option<Stmt>,
    code: &mut Vec<Stmt>,
) {
    let size = increments.len() + usize::from(last.is_some());
    if size > 0 {
        // One more than there are statements: the caller is likely to add a pop of the target.
        code.reserve_exact(size + 1);
    }
    // Nodes were visited from the last to the first; reversed, the operands come in order.
    for (place, first, others) in increments.drain(..).rev() {
        let value = std::iter::once(Expr::Place(place.clone()));
        let terms = others.into_iter().rev().chain([first]);
        let ty = scope.routine.variable(place.var).ty;
        if let Some(value) = sum(value.chain(twice(terms, ty)).collect()) {
            code.push(Stmt::assign(place, value));
        }
    }
    code.extend(last);
}

/// The terms of a sum, with two equal neighbours, as `x*x` gives them, replaced by twice one of them.
fn twice(terms: impl Iterator<Item = Expr>, ty: ScalarType) -> Vec<Expr> {
    let mut out: Vec<Expr> = Vec::new();
    let mut terms = terms.peekable();
    while let Some(term) = terms.next() {
        if terms.next_if_eq(&term).is_none() {
            out.push(term);
            continue;
        }
        let two = |e: Expr| Expr::op(Op::Mul, [real(2.0, ty), e]);
        out.push(if let Expr::Op(Op::Neg, mut inner) = term {
            let e = std::mem::replace(&mut inner[0], Expr::Int(0));
            Expr::op(Op::Neg, [two(e)])
        } else {
            two(term)
        });
    }
    out
}

/// The place that is incremented, and the terms of the increment: the last operand first.
type Increment = (Place, Expr, Vec<Expr>);

/// The adjoint of operand `c` from the adjoint `dn` of the node `n` that uses it.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn pull_back(
    scope: &Scope,
    nodes: &Nodes<'_>,
    n: usize,
    c: usize,
    dn: Expr,
    partial: Partial,
) -> Option<Expr> {
    let (node, child) = (&nodes.nodes[n], &nodes.nodes[c]);
    // Code under a scalar condition is guarded where it is emitted: the adjoint itself needs no guard.
    let chosen = matches!(node.kind, NodeKind::Op(Op::If, _)) && nodes.has_scalar_guard(c);
    let mut d = if chosen {
        dn
    } else {
        // Where a guard is false, the operands may have any value: the product must be strong.
        let strong = match nodes.is_guarded(n) {
            true => Strong::Always,
            false => scope.strong,
        };
        partial.into_adjoint(dn, node.ty.ty, strong)?
    };
    let rank = |d: &Expr| scope.type_of(d).rank;
    if let NodeKind::Op(op, _) = &node.kind {
        match op {
            // Each element contributes to the sum: its adjoint is the sum's, broadcast.
            Op::Sum | Op::Product | Op::MaxVal | Op::MinVal => {}
            Op::Transpose if rank(&d) > 0 => d = Expr::op(Op::Transpose, [d]),
            Op::Transpose => {}
            _ if child.ty.rank < node.ty.rank => {
                d = if rank(&d) > 0 {
                    Expr::op(Op::Sum, [d])
                } else {
                    times_size(&scope.routine.variables, d, node.expr)
                };
            }
            _ => {}
        }
    }
    Some(d)
}

/// True of an expression that is cheap enough to be written in several places.
fn is_simple(e: &Expr) -> bool {
    match FlatExpr::view(e) {
        FlatExpr::Op(Op::Neg, inner) => is_atomic(&inner[0]),
        FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => is_atomic(e),
    }
}
