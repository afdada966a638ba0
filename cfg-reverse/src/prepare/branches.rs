//! Conditional expressions that become branches, because an arm reads an optional argument: the adjoint of
//! `y := if(present(z), z, 0)` increments the adjoint of `z`, which is there only if `z` is.
//!
//! A conditional expression that is not the whole right side goes to a temporary first. Only a conditional expression
//! with a scalar condition that is evaluated whenever the statement is can become a branch. Its arms are searched
//! again, so that nesting is resolved from the outside in. A scalar arm of an array expression leaves the shape of
//! the temporary open: there the whole statement is written in each arm. Under an array condition the argument is
//! copied, if it is present; an absent argument has no value, so its copy may stay without one. Each branch costs
//! five vertices.

use cfg_core::{
    edit::{Editor, Mark},
    entity::VarId,
    flat::FlatExpr,
    ir::{
        Dim, Expr, NameRole, Op, OpClass, Place, Role, Routine, ScalarType, Stmt, StmtKind,
        Variable, VertexKind,
    },
};
use std::collections::HashSet;

use crate::code::{names::Namer, routines::add_local, typing};

/// Most conditional expressions of a statement that is written in each arm: each doubles the code.
const MOST_COPIES: usize = 6;

/// An obstacle to an adjoint, and its path in the right side.
enum Found {
    /// A conditional expression that becomes a branch.
    Branch(Vec<usize>),
    /// A conditional expression with a scalar arm, from which a temporary could not take its shape.
    Shapeless(Vec<usize>),
    /// A conditional expression over arrays, with the optional arguments that it reads.
    Arrays(Vec<usize>, Vec<VarId>),
}

/// Makes the branches; true if there is one.
pub(crate) fn split(routine: &mut Routine, namer: &mut Namer) -> bool {
    let variables = &routine.variables;
    let graph = Editor::where_any(&mut routine.body, |s| in_statement(variables, s).is_some());
    let Some(mut graph) = graph else {
        return false;
    };
    let mut work = graph.take_statements();
    work.reverse();
    while let Some((v, mut rest)) = work.pop() {
        let first = graph.fill(v, &mut rest, |s| in_statement(&routine.variables, s));
        let Some((statement, found)) = first else {
            continue;
        };
        let (condition, arms, after) = match found {
            Found::Branch(path) => to_place(routine, namer, statement, &path),
            Found::Shapeless(path) => in_each_arm(statement, &path),
            Found::Arrays(path, optional) => copies(routine, namer, statement, &path, &optional),
        };
        after.into_iter().rev().for_each(|s| rest.push_front(s));
        let last = graph.split(v);
        let branch = graph.add(VertexKind::branch_on(condition));
        let [yes, no] = arms.map(|arm| (graph.block(Vec::new()), arm.into_iter().collect()));
        let end = graph.add(VertexKind::EndBranch);
        graph.add_edge(v, branch, None);
        for (arm, label) in [(&yes, 1), (&no, 0)] {
            graph.add_edge(branch, arm.0, Some(label));
        }
        for arm in [&yes, &no] {
            graph.add_edge(arm.0, end, None);
        }
        graph.add_edge(end, last, None);
        work.extend([(last, rest), no, yes]);
    }
    routine.body = Some(graph.finish());
    true
}

fn in_statement(variables: &[Variable], statement: &Stmt) -> Option<Found> {
    let (_, value) = statement.kind.assignment()?;
    let found = found(variables, value, &mut Vec::new())?;
    let possible = match &found {
        Found::Shapeless(path) => conditionals(value) <= MOST_COPIES && is_elemental(value, path),
        Found::Branch(_) | Found::Arrays(..) => true,
    };
    possible.then_some(found)
}

fn conditionals(value: &Expr) -> usize {
    let mut count = 0;
    value.walk(&mut |e| count += usize::from(matches!(e, Expr::Op(Op::If, _))));
    count
}

/// True if all operators on a path are elemental: a scalar may stand at its end.
fn is_elemental(value: &Expr, path: &[usize]) -> bool {
    let mut at = value;
    path.iter().all(|&k| match FlatExpr::view(at) {
        FlatExpr::Op(op, operands) if op.class() == OpClass::Elemental => {
            at = &operands[k];
            true
        }
        FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => false,
    })
}

/// The optional real arguments that an expression reads, each once, and whether it reads all of them whole.
/// Inquiries read nothing.
fn optional_reads(variables: &[Variable], e: &Expr) -> (Vec<VarId>, bool) {
    type Found = (Vec<VarId>, bool, HashSet<VarId>);
    fn visit(variables: &[Variable], e: &Expr, found: &mut Found) {
        match FlatExpr::view(e) {
            FlatExpr::Op(op, _) if op.class() == OpClass::Inquiry => {}
            FlatExpr::Op(_, operands) => operands.iter().for_each(|e| visit(variables, e, found)),
            FlatExpr::Place(place) => {
                let v = &variables[place.var.index()];
                let optional = matches!(v.role, Role::Parameter { optional: true, .. });
                if v.ty.is_real() && optional {
                    found.1 &= place.subscripts.is_empty();
                    if found.2.insert(place.var) {
                        found.0.push(place.var);
                    }
                }
                place
                    .subscript_exprs()
                    .for_each(|e| visit(variables, e, found));
            }
            FlatExpr::Constant(_) => {}
        }
    }
    let mut found = (Vec::new(), true, HashSet::new());
    visit(variables, e, &mut found);
    (found.0, found.1)
}

/// The first outermost conditional expression that has such an arm, operand by operand from the root.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn found(variables: &[Variable], value: &Expr, path: &mut Vec<usize>) -> Option<Found> {
    let Expr::Op(op, operands) = value else {
        return None;
    };
    match op {
        Op::If => {
            let [condition, arms @ ..] = &**operands else {
                return None;
            };
            let reads: Vec<_> = arms
                .iter()
                .map(|arm| optional_reads(variables, arm))
                .collect();
            if reads.len() != 2 || reads.iter().all(|(list, _)| list.is_empty()) {
                return None;
            }
            let path = path.clone();
            if typing::expr_type(variables, condition).rank > 0 {
                let whole = reads.iter().all(|(_, whole)| *whole);
                let list = reads.into_iter().flat_map(|(list, _)| list);
                return whole.then(|| Found::Arrays(path, list.collect()));
            }
            let rank = typing::expr_type(variables, value).rank;
            let full = |arm: &Expr| typing::expr_type(variables, arm).rank == rank;
            Some(if arms.iter().all(full) {
                Found::Branch(path)
            } else {
                Found::Shapeless(path)
            })
        }
        // `and` and `or` may not evaluate all operands, and have no derivatives.
        Op::And | Op::Or => None,
        _ => operands.iter().enumerate().find_map(|(k, operand)| {
            path.push(k);
            let found = found(variables, operand, path);
            path.pop();
            found
        }),
    }
}

/// The operand at the end of a path.
pub(crate) fn at_path<'e>(value: &'e mut Expr, path: &[usize]) -> &'e mut Expr {
    let mut at = value;
    for &k in path {
        let Expr::Op(_, operands) = at else {
            return at;
        };
        at = &mut operands[k];
    }
    at
}

/// A new local for values of this type; arrays take the shape of what is assigned to them.
pub(crate) fn temporary(
    routine: &mut Routine,
    namer: &mut Namer,
    ty: ScalarType,
    rank: usize,
) -> Place {
    let t = add_local(routine, namer.numbered("t"), ty, NameRole::Temporary);
    routine.variables[t.index()].shape = vec![Dim::deferred(); rank];
    Place::whole(t)
}

/// The condition, the statement of each arm, and what comes after them.
type Branch = (Expr, [Option<Stmt>; 2], Option<Stmt>);

/// Replaces a conditional expression; returns its condition and its arms.
fn take(conditional: &mut Expr, by: Expr) -> (Expr, [Expr; 2]) {
    let mut operands = Vec::new().into_iter();
    if let Expr::Op(_, all) = std::mem::replace(conditional, by) {
        operands = Vec::from(all).into_iter();
    }
    let mut operand = || operands.next().unwrap_or(Expr::Int(0));
    (operand(), [operand(), operand()])
}

/// Assigns each arm to the target of the statement, or to a temporary that the statement reads.
fn to_place(
    routine: &mut Routine,
    namer: &mut Namer,
    mut statement: Stmt,
    path: &[usize],
) -> Branch {
    let annotations = statement.annotations.clone();
    let mark = Mark::from_statement(&statement, None);
    let StmtKind::Assign { target, value } = &mut statement.kind else {
        return (Expr::Logical(true), [None, None], Some(statement));
    };
    let conditional = at_path(value, path);
    let ty = typing::expr_type(&routine.variables, conditional);
    let to = if path.is_empty() {
        target.clone()
    } else {
        temporary(routine, namer, ty.ty, ty.rank)
    };
    let (condition, arms) = take(conditional, Expr::Place(to.clone()));
    let arms = arms.map(|arm| {
        let mut assigned = Stmt::assign(to.clone(), arm);
        assigned.annotations.clone_from(&annotations);
        mark.put(&mut assigned);
        Some(assigned)
    });
    (condition, arms, (!path.is_empty()).then_some(statement))
}

/// The statement with the one arm, and with the other.
fn in_each_arm(mut statement: Stmt, path: &[usize]) -> Branch {
    let StmtKind::Assign { value, .. } = &mut statement.kind else {
        return (Expr::Logical(true), [None, None], Some(statement));
    };
    let (condition, arms) = take(at_path(value, path), Expr::Int(0));
    let arms = arms.map(|arm| {
        let mut copy = statement.clone();
        if let StmtKind::Assign { value, .. } = &mut copy.kind {
            *at_path(value, path) = arm;
        }
        Some(copy)
    });
    (condition, arms, None)
}

/// An expression that reads the copy of a variable instead; inquiries stay.
fn with_copy(e: &Expr, z: VarId, copy: VarId) -> Expr {
    let replaced = |e: &mut Expr, from: VarId, to: VarId| {
        if let Expr::Place(place) = e
            && place.var == from
        {
            place.var = to;
        }
    };
    e.map(&mut |mut node| {
        if let Expr::Op(op, operands) = &mut node
            && op.class() == OpClass::Inquiry
        {
            operands
                .iter_mut()
                .take(1)
                .for_each(|e| replaced(e, copy, z));
        } else {
            replaced(&mut node, z, copy);
        }
        node
    })
}

/// Copies the first argument, if it is present, and has the arms read the copy.
fn copies(
    routine: &mut Routine,
    namer: &mut Namer,
    mut statement: Stmt,
    path: &[usize],
    optional: &[VarId],
) -> Branch {
    let (StmtKind::Assign { value, .. }, Some(&z)) = (&mut statement.kind, optional.first()) else {
        return (Expr::Logical(true), [None, None], Some(statement));
    };
    let (ty, rank) = (routine.variable(z).ty, routine.variable(z).rank());
    let copy = temporary(routine, namer, ty, rank);
    let conditional = at_path(value, path);
    *conditional = with_copy(conditional, z, copy.var);
    let mut copied = Stmt::assign(copy, Expr::var(z));
    Mark::from_statement(&statement, None).put(&mut copied);
    let present = Expr::op(Op::Present, [Expr::var(z)]);
    (present, [Some(copied), None], Some(statement))
}
