//! Tangent and adjoint of one assignment `v := phi(u...)`.
//!
//! Tangent: `v_t := sum of dphi/du * u_t`, before the assignment itself (Griewank & Walther, *Evaluating
//! Derivatives*, 2nd ed., section 3.1). Adjoint: `t := v_b; v_b := 0; u_b := u_b + dphi/du * t` for every
//! operand occurrence (section 3.2), where the temporary is left out if no operand can overlap v, and
//! where an operand that *is* v makes `v_b := dphi/dv * v_b` the last step instead of the zeroing.

use cfg_core::{
    elemental::Partial,
    entity::VarId,
    ir::{Expr, Op, Place, Routine, ScalarType, Stmt},
};
use fixedbitset::FixedBitSet;
use std::{
    borrow::Cow,
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::{
    conform::{broadcast, conform, conform_arms, conform_to, has_shape, times_size},
    draft,
    linearize::{NodeKind, Nodes, Operands, Temporaries, Unsupported, Workspace, is_atomic, zero},
    names::Namer,
    typing::{self, ExprType},
};

/// A routine whose derivative code is being written.
pub(crate) struct Scope {
    /// Variables of the original, then derivative variables and temporaries.
    pub(crate) routine: Routine,
    pub(crate) namer: Namer,
    pub(crate) temporaries: Temporaries,
    pub(crate) workspace: Workspace,
    /// The derivative variable (adjoint or tangent) of each variable of the original that has one.
    pub(crate) derivative: Vec<Option<VarId>>,
    /// Variables of the original that are active; each has a derivative variable.
    pub(crate) active: FixedBitSet,
    /// Class of each variable: two variables of one class may share storage. Empty: none do.
    pub(crate) storage: Vec<u32>,
    /// Classes of more than one variable.
    pub(crate) shared: FixedBitSet,
}

impl Scope {
    fn is_active(&self, v: VarId) -> bool {
        self.active.contains(v.index())
    }

    /// The storage class of a variable: variables of different classes share no storage.
    pub(crate) fn class(&self, v: VarId) -> u32 {
        let own = u32::try_from(v.index()).unwrap_or(u32::MAX);
        self.storage.get(v.index()).copied().unwrap_or(own)
    }

    /// True if another variable may share storage with this one.
    pub(crate) fn is_shared(&self, v: VarId) -> bool {
        self.shared.contains(self.class(v) as usize)
    }

    /// True if two different variables may share storage.
    pub(crate) fn may_share(&self, a: VarId, b: VarId) -> bool {
        match (self.storage.get(a.index()), self.storage.get(b.index())) {
            (Some(x), Some(y)) => x == y,
            _ => false,
        }
    }

    /// The derivative of a place: the same subscripts on the derivative variable.
    pub(crate) fn derivative_place(&self, place: &Place) -> Option<Place> {
        let var = self.derivative.get(place.var.index()).copied().flatten()?;
        Some(Place {
            var,
            subscripts: place.subscripts.clone(),
        })
    }

    fn nodes<'e>(&mut self, value: &'e Expr) -> Nodes<'e> {
        let workspace = std::mem::take(&mut self.workspace);
        Nodes::of(
            &self.routine.variables,
            value,
            &|v| self.is_active(v),
            workspace,
        )
    }

    fn take(&mut self, base: &'static str, ty: ExprType) -> VarId {
        self.temporaries
            .take(&mut self.routine, &mut self.namer, base, ty)
    }

    /// Number of dimensions of an expression.
    pub(crate) fn rank(&self, expr: &Expr) -> usize {
        self.type_of(expr).rank
    }

    /// A scalar temporary.
    pub(crate) fn scalar_temporary(&mut self, ty: ScalarType) -> VarId {
        self.take("d", ExprType { ty, rank: 0 })
    }

    fn type_of(&self, expr: &Expr) -> ExprType {
        typing::of(&self.routine.variables, expr)
    }
}

/// The adjoint of `target := value`. The values that the statement overwrites have been restored.
pub(crate) fn adjoint(
    scope: &mut Scope,
    target: &Place,
    value: &Expr,
) -> Result<Vec<Stmt>, Unsupported> {
    let Some(target_b) = scope
        .derivative_place(target)
        .filter(|_| scope.is_active(target.var))
    else {
        return Ok(Vec::new());
    };
    scope.temporaries.reset();
    let value = conform(&scope.routine.variables, value, Some(&target_b))?;
    let mut nodes = scope.nodes(&value);
    let root = nodes.root();
    let target_type = typing::of_place(&scope.routine.variables, target);
    let zero_of = |target_b: Place| Stmt::assign(target_b, zero(target_type.ty));
    if !nodes.nodes[root].active {
        return Ok(vec![zero_of(target_b)]);
    }
    let mut code = nodes.partials(&mut scope.routine, &mut scope.namer, &mut scope.temporaries)?;
    // What the operands have to do with the target decides how the seed is held.
    let mut itself = false;
    let mut overlap = false;
    for (n, node) in nodes.nodes.iter().enumerate() {
        if let NodeKind::Leaf(place) = node.kind {
            if place == target
                && !reads_own_subscripts(target)
                && *nodes.safe_place(n, place, &scope.routine.variables)? == *target
            {
                itself = true;
            } else if place.var == target.var {
                overlap |= !typing::disjoint(place, target);
            } else {
                overlap |= scope.may_share(place.var, target.var);
            }
        }
    }
    let mut seed = Expr::Place(target_b.clone());
    if overlap {
        itself = false;
        let t = scope.take("b", target_type);
        code.push(Stmt::assign(Place::whole(t), seed));
        code.push(zero_of(target_b.clone()));
        seed = Expr::var(t);
    }
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
                    match known.find(&increments, &b) {
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
                        d[c] = dn.and_then(|dn| pull_back(scope, &nodes, n, c, dn, partial));
                    }
                }
            }
        }
    }
    // The target's own adjoint last: the other increments read it.
    let own = increments
        .iter()
        .position(|(p, ..)| itself && *p == target_b);
    let last = match own.map(|i| increments.remove(i)) {
        Some((place, first, others)) => {
            let value = sum(std::iter::once(first).chain(others).collect());
            let value = value.filter(|value| !matches!(value, Expr::Place(p) if *p == place));
            value.map(|value| Stmt::assign(place, value))
        }
        None => (!overlap).then(|| zero_of(target_b)),
    };
    let size = increments.len() + usize::from(last.is_some());
    if size > 0 {
        // And one, because the target is likely to be popped before.
        code.reserve_exact(size + 1);
    }
    // Nodes were visited from the last to the first: turn round, so that operands come in order.
    for (place, first, others) in increments.drain(..).rev() {
        let value = std::iter::once(Expr::Place(place.clone()));
        let terms = value.chain(others.into_iter().rev()).chain([first]);
        if let Some(value) = sum(terms.collect()) {
            code.push(Stmt::assign(place, value));
        }
    }
    code.extend(last);
    (nodes.lists.adjoints, nodes.lists.increments) = (d, increments);
    scope.workspace = nodes.into_workspace();
    Ok(code)
}

/// What one place is incremented by: the last operand first.
type Increment = (Place, Expr, Vec<Expr>);

/// Finds places among the increments of one statement. Those of most are few; of many, those with equal
/// fingerprints are compared.
#[derive(Default)]
struct Known {
    by_fingerprint: HashMap<u64, Vec<usize>>,
    seen: usize,
}

impl Known {
    const FEW: usize = 16;

    fn find(&mut self, increments: &[Increment], place: &Place) -> Option<usize> {
        let is_it = |&k: &usize| increments[k].0 == *place;
        if increments.len() <= Self::FEW {
            return (0..increments.len()).find(is_it);
        }
        for (k, (known, ..)) in increments.iter().enumerate().skip(self.seen) {
            let same = self.by_fingerprint.entry(fingerprint(known)).or_default();
            same.push(k);
        }
        self.seen = increments.len();
        let same = self.by_fingerprint.get(&fingerprint(place))?;
        same.iter().copied().find(is_it)
    }
}

/// Equal for equal places; not for many others.
fn fingerprint(place: &Place) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.var.hash(&mut hasher);
    for e in place.subscript_exprs() {
        e.walk(&mut |e| match e {
            Expr::Int(i) => i.hash(&mut hasher),
            Expr::Logical(b) => b.hash(&mut hasher),
            // Zeros of either sign are equal.
            Expr::Real(_) | Expr::Real32(_) => {}
            Expr::Place(p) => p.var.hash(&mut hasher),
            Expr::Op(op, operands) => (op, operands.len()).hash(&mut hasher),
        });
    }
    hasher.finish()
}

/// A subscript that reads the variable itself, as in `k(k(1))`: the place moves when it is written.
fn reads_own_subscripts(place: &Place) -> bool {
    let mut found = false;
    for e in place.subscript_exprs() {
        e.walk_places(&mut |p| found |= p.var == place.var);
    }
    found
}

/// The adjoint of operand `c` from the adjoint `dn` of the node `n` that uses it.
fn pull_back(
    scope: &Scope,
    nodes: &Nodes<'_>,
    n: usize,
    c: usize,
    dn: Expr,
    partial: Partial,
) -> Option<Expr> {
    let (node, child) = (&nodes.nodes[n], &nodes.nodes[c]);
    // What is emitted under a scalar condition is guarded there.
    let chosen = matches!(node.kind, NodeKind::Op(Op::If, _)) && nodes.has_scalar_guard(c);
    let mut d = if chosen {
        dn
    } else {
        partial.into_adjoint(dn, node.ty.ty)?
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

/// Most terms of a sum that is written with `-` for negated ones: each change of sign is a level.
const MOST_SIGNS: usize = 32;

/// The sum of terms from left to right, however many there are.
pub(crate) fn sum(terms: Vec<Expr>) -> Option<Expr> {
    if terms.len() > MOST_SIGNS {
        return Some(Expr::op(Op::Add, terms));
    }
    terms.into_iter().reduce(add)
}

/// `value + term`, with `-` for a negated term.
fn add(value: Expr, term: Expr) -> Expr {
    match term {
        Expr::Op(Op::Neg, inner) => Expr::op(Op::Sub, std::iter::once(value).chain(inner)),
        term => Expr::op(Op::Add, [value, term]),
    }
}

/// Cheap enough to stand in several places.
fn is_simple(e: &Expr) -> bool {
    match e {
        Expr::Op(Op::Neg, inner) => is_atomic(&inner[0]),
        _ => is_atomic(e),
    }
}

/// The tangent of `target := value`, to stand before it.
pub(crate) fn tangent(
    scope: &mut Scope,
    target: &Place,
    value: &Expr,
) -> Result<Vec<Stmt>, Unsupported> {
    let Some(target_t) = scope.derivative_place(target) else {
        return Ok(Vec::new());
    };
    let (mut code, value_t) = tangent_of(scope, value, Some(&target_t))?;
    code.push(Stmt::assign(target_t, value_t));
    Ok(code)
}

/// The tangent of an expression, and the statements that must stand before it is used. `target` is what
/// it is assigned to.
pub(crate) fn tangent_of(
    scope: &mut Scope,
    value: &Expr,
    target: Option<&Place>,
) -> Result<(Vec<Stmt>, Expr), Unsupported> {
    scope.temporaries.reset();
    let variables = &scope.routine.variables;
    let tells_shape = target
        .is_some_and(|t| t.subscripts.is_empty() && draft::is_deferred(&variables[t.var.index()]));
    let value = match tells_shape && !has_shape(variables, value) {
        true => Cow::Owned(conform_arms(variables, value)?),
        false => conform(variables, value, target)?,
    };
    let mut nodes = scope.nodes(&value);
    let root = nodes.root();
    let mut code = nodes.partials(&mut scope.routine, &mut scope.namer, &mut scope.temporaries)?;
    let mut dot: Vec<Option<Expr>> = vec![None; nodes.nodes.len()];
    for n in 0..nodes.nodes.len() {
        let node = &nodes.nodes[n];
        if !node.active {
            continue;
        }
        let value = match &node.kind {
            NodeKind::Leaf(place) => {
                // Evaluated only where its arm is: conditional expressions are lazy.
                scope.derivative_place(place).map(Expr::Place)
            }
            NodeKind::Passive(_) => None,
            NodeKind::Op(Op::If, children) => {
                choice(scope, &nodes, n, *children, &mut dot, tells_shape)?
            }
            NodeKind::Op(op, children) => {
                let mut terms = Vec::new();
                for (c, partial) in nodes.with_partials(*children) {
                    if let Some(dc) = dot[c].take()
                        && let Some(term) = push_forward(scope, &nodes, n, c, *op, dc, partial)?
                    {
                        terms.push(term);
                    }
                }
                sum(terms)
            }
        };
        dot[n] = match value {
            Some(v) if n != root && v.depth() > 6 => {
                let v = conform_to(&scope.routine.variables, v, node.expr)?;
                let ty = scope.type_of(&v);
                let t = scope.take("d", ty);
                let v = nodes.guarded(n, v, ty.rank);
                code.push(Stmt::assign(Place::whole(t), v));
                Some(Expr::var(t))
            }
            v => v,
        };
    }
    let ty = nodes.nodes[root].ty.ty;
    let mut tangent = dot[root].take().unwrap_or_else(|| zero(ty));
    if target.is_none() || tells_shape && has_shape(&scope.routine.variables, &value) {
        tangent = conform_to(&scope.routine.variables, tangent, &value)?;
    }
    scope.workspace = nodes.into_workspace();
    Ok((code, tangent))
}

/// The tangent of the conditional expression `n`: the chosen arm's, in its shape if that is wanted.
fn choice(
    scope: &Scope,
    nodes: &Nodes<'_>,
    n: usize,
    children: Operands,
    dot: &mut [Option<Expr>],
    shaped: bool,
) -> Result<Option<Expr>, Unsupported> {
    let mut condition = None;
    let mut arms = Vec::new();
    for (c, partial) in nodes.with_partials(children).skip(1) {
        if let Partial::Select { condition: of, .. } = partial {
            condition = Some(of.clone());
        }
        let mut arm = dot[c].take().unwrap_or_else(|| zero(nodes.nodes[n].ty.ty));
        if shaped {
            arm = broadcast(&scope.routine.variables, arm, nodes.nodes[c].expr)?;
        }
        arms.push(arm);
    }
    Ok(condition.map(|condition| Expr::op(Op::If, std::iter::once(condition).chain(arms))))
}

/// `partial * dc`, in the shape of the operator's result.
fn push_forward(
    scope: &Scope,
    nodes: &Nodes<'_>,
    n: usize,
    c: usize,
    op: Op,
    dc: Expr,
    partial: &Partial,
) -> Result<Option<Expr>, Unsupported> {
    let Some(d) = partial.tangent(dc, nodes.nodes[n].ty.ty) else {
        return Ok(None);
    };
    let variables = &scope.routine.variables;
    let operand = nodes.nodes[c].expr;
    let array = scope.type_of(&d).rank > 0;
    let ty = nodes.nodes[n].ty.ty;
    // What is not computed element by element is not chosen element by element either: where no element needs it,
    // the operand's values are not there.
    let needed = |term: Expr| match nodes.guard_of_all(n, c) {
        Some(some) => Expr::op(Op::If, [some, term, zero(ty)]),
        None => term,
    };
    Ok(Some(match op {
        Op::Sum | Op::Product | Op::MaxVal | Op::MinVal if array => {
            needed(Expr::op(Op::Sum, [conform_to(variables, d, operand)?]))
        }
        Op::Sum | Op::Product | Op::MaxVal | Op::MinVal => {
            needed(times_size(variables, d, operand))
        }
        Op::Transpose if array => {
            let transposed = Expr::op(Op::Transpose, [conform_to(variables, d, operand)?]);
            needed(transposed)
        }
        // A scalar, broadcast where it is used.
        _ => d,
    }))
}
