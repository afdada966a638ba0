//! Removes arms of `if` that are never entered because of constants, as in `if (0)` and `if (x > 1 && sizeof(double)
//! != 8)`. Unsupported code in them does not matter then, and their assignments do not count for pointers. The parts
//! of the condition that are not constant are still evaluated.

use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, StmtId, StmtKind, StmtNode, Unary, Unit},
    constant,
    types::Arith,
};
use std::collections::{BTreeMap, BTreeSet};

/// The arms of an `if`, and the statement behind its `else`.
type Arms = (Vec<(ExprId, StmtId)>, Option<StmtId>);

/// Most levels of a condition that is evaluated; a deeper one counts as unknown.
const MAX_DEPTH: usize = 300;

/// Removes the arms that are never entered. An arm with a label or a case stays: jumps may lead there.
pub(crate) fn take_out(unit: &mut Unit) {
    let mut open: Vec<StmtId> = unit.functions.iter().map(|f| f.body).collect();
    let mut unreached = Vec::new();
    while let Some(s) = open.pop() {
        if let StmtKind::If(arms, other) = &unit.stmt(s).kind {
            let (arms, other) = (arms.clone(), *other);
            if let Some((kept, rest)) = kept(unit, &arms, other, &mut unreached) {
                unit.stmts[s.index()].kind = match (kept.is_empty(), rest) {
                    (true, None) => StmtKind::Empty,
                    (true, Some(rest)) => StmtKind::Block(vec![rest]),
                    (false, rest) => StmtKind::If(kept, rest),
                };
            }
        }
        open.extend(unit.statements_inside(s));
    }
    for (d, gone) in assignments(unit, unreached) {
        let decl = &mut unit.decls[d.index()];
        decl.assigned.retain(|e| !gone.contains(e));
        // Copies of the function include all its expressions, so assignments of removed arms become 0.
        for e in gone {
            unit.exprs[e.index()].kind = ExprKind::Int(0, Arith::INT);
        }
    }
}

/// The arms that may be entered; the others go to `unreached`. `None` if all may be.
fn kept(
    unit: &mut Unit,
    arms: &[(ExprId, StmtId)],
    other: Option<StmtId>,
    unreached: &mut Vec<StmtId>,
) -> Option<Arms> {
    let before = unreached.len();
    let mut kept = Vec::new();
    for (k, &(condition, then)) in arms.iter().enumerate() {
        let is_constant = constant::integer(unit, condition).is_some();
        match known(unit, condition) {
            Some(false) if !unit.is_entered(&[then]) => {
                unreached.push(then);
                if !is_constant {
                    kept.push((condition, nothing(unit, then)));
                }
            }
            Some(true) => {
                let behind = arms[k + 1..].iter().map(|(_, s)| *s).chain(other);
                let behind: Vec<StmtId> = behind.collect();
                if unit.is_entered(&behind) {
                    kept.push((condition, then));
                    continue;
                }
                unreached.extend(behind);
                if is_constant {
                    return Some((kept, Some(then)));
                }
                kept.push((condition, then));
                return Some((kept, None));
            }
            Some(false) | None => kept.push((condition, then)),
        }
    }
    (unreached.len() > before).then_some((kept, other))
}

/// The value of a condition, if constants decide it.
pub(crate) fn known(unit: &Unit, e: ExprId) -> Option<bool> {
    known_to(unit, e, MAX_DEPTH)
}

fn known_to(unit: &Unit, e: ExprId, depth: usize) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    if let Some((value, _)) = constant::integer(unit, e) {
        return Some(value != 0);
    }
    match unit.expr(e).kind {
        ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
            let decisive = op == Binary::Or;
            let (a, b) = (known_to(unit, a, depth), known_to(unit, b, depth));
            if a == Some(decisive) || b == Some(decisive) {
                return Some(decisive);
            }
            a.and(b)
        }
        ExprKind::Unary(Unary::Not, a) => known_to(unit, a, depth).map(|known| !known),
        _ => None,
    }
}

/// An empty statement at the position of another one.
fn nothing(unit: &mut Unit, s: StmtId) -> StmtId {
    let StmtNode { from, to, .. } = *unit.stmt(s);
    let kind = StmtKind::Empty;
    unit.stmts.push(StmtNode { kind, from, to });
    StmtId(unit.stmts.len() as u32 - 1)
}

/// The assignments in some statements, by the variable.
fn assignments(unit: &Unit, mut open: Vec<StmtId>) -> BTreeMap<DeclId, BTreeSet<ExprId>> {
    let mut exprs = Vec::new();
    while let Some(s) = open.pop() {
        open.extend(unit.statements_inside(s));
        exprs.extend(unit.evaluated(s));
    }
    let mut found: BTreeMap<DeclId, BTreeSet<ExprId>> = BTreeMap::new();
    for e in exprs {
        unit.walk(e, &mut |e| {
            if let ExprKind::Step { of: target, .. } | ExprKind::Assign(_, target, _) =
                unit.expr(e).kind
                && let ExprKind::Name(d) = unit.expr(target).kind
            {
                found.entry(d).or_default().insert(e);
            }
        });
    }
    found
}
