//! The tangent of an assignment.

use cfg_core::{
    elemental::{Partial, Strong},
    ir::{Expr, Op, Place, Stmt},
};
use std::borrow::Cow;

use crate::{
    code::{
        expressions::{sum, zero},
        routines::is_deferred,
    },
    partials::{
        Unsupported,
        conform::{broadcast, conform, conform_arms, conform_to, has_shape, times_size},
        linearize::{NodeKind, Nodes, Operands},
        scope::Scope,
    },
};

/// Most levels of the tangent of a part of an expression; a deeper one is assigned to a temporary first.
const MOST_LEVELS: usize = 6;

/// The tangent of `target := value`, to stand before it.
pub(crate) fn tangent(
    scope: &mut Scope,
    target: &Place,
    value: &Expr,
) -> Result<Vec<Stmt>, Unsupported> {
    let Some(target_t) = scope.derivative_place(target) else {
        return Ok(Vec::new());
    };
    if !scope.is_target(target.var) {
        // The tangent is unused, but it must have the shape of the target.
        let ty = scope.routine.variable(target.var).ty;
        return Ok(match scope.gives_shape(target) {
            true => vec![Stmt::assign(target_t, zero(ty))],
            false => Vec::new(),
        });
    }
    let (mut code, value_t) = tangent_of(scope, value, Some(&target_t))?;
    code.push(Stmt::assign(target_t, value_t));
    Ok(code)
}

/// The tangent of an expression that is assigned to `target`, and the statements that must stand before the tangent
/// is used.
pub(crate) fn tangent_of(
    scope: &mut Scope,
    value: &Expr,
    target: Option<&Place>,
) -> Result<(Vec<Stmt>, Expr), Unsupported> {
    scope.temporaries.reset();
    let variables = &scope.routine.variables;
    let tells_shape =
        target.is_some_and(|t| t.subscripts.is_empty() && is_deferred(&variables[t.var.index()]));
    let value = match tells_shape && !has_shape(variables, value) {
        true => Cow::Owned(conform_arms(variables, value)?),
        false => conform(variables, value, target)?,
    };
    let mut nodes = scope.nodes(&value);
    let root = nodes.root();
    let mut code = nodes.partials(
        &mut scope.routine,
        &mut scope.namer,
        &mut scope.temporaries,
        None,
    )?;
    let mut dot: Vec<Option<Expr>> = vec![None; nodes.nodes.len()];
    for n in 0..nodes.nodes.len() {
        let node = &nodes.nodes[n];
        if !node.active {
            continue;
        }
        let value = match &node.kind {
            NodeKind::Leaf(place) => {
                // Conditional expressions are lazy: the tangent of an arm is evaluated only with the arm.
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
            Some(v) if n != root && v.depth() > MOST_LEVELS => {
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

/// The tangent of the conditional expression `n`: that of the chosen arm, in the arm's shape if that is wanted.
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
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn push_forward(
    scope: &Scope,
    nodes: &Nodes<'_>,
    n: usize,
    c: usize,
    op: Op,
    dc: Expr,
    partial: &Partial,
) -> Result<Option<Expr>, Unsupported> {
    // Where a guard is false, the operands may have any value: the product must be strong.
    let strong = match nodes.is_guarded(n) {
        true => Strong::Always,
        false => scope.strong,
    };
    let Some(d) = partial.tangent(dc, nodes.nodes[n].ty.ty, strong) else {
        return Ok(None);
    };
    let variables = &scope.routine.variables;
    let operand = nodes.nodes[c].expr;
    let array = scope.type_of(&d).rank > 0;
    let ty = nodes.nodes[n].ty.ty;
    // A reduction is not elementwise, so its guard must not be either: if the condition holds for no element, the
    // operand has no values and is not evaluated.
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
        // A scalar tangent is broadcast where it is used.
        _ => d,
    }))
}
