//! Conditional expressions that become branches, because an arm reads an optional argument: the adjoint of
//! `y := if(present(z), z, 0)` increments the adjoint of `z`, which is there only if `z` is.
//!
//! A conditional expression that is not the whole right side goes to a temporary first. Only those with a
//! scalar condition that are evaluated whenever the statement is can become branches; the arms are looked
//! at again, so that nesting is resolved from the outside in. A scalar arm of an array does not tell the
//! shape of the whole: such a conditional expression stays. Each branch costs five vertices.

use cfg_core::ir::{
    Dim, Expr, Op, Place, Role, Routine, ScalarType, Selector, Stmt, StmtKind, Variable, VertexKind,
};

use crate::{names::Namer, normalize::add_local, splice::Splice, typing};

/// Makes the branches; true if there is one.
pub(crate) fn split(routine: &mut Routine, namer: &mut Namer) -> bool {
    let variables = &routine.variables;
    let graph = Splice::where_any(&mut routine.body, |s| is_split(variables, s));
    let Some(mut graph) = graph else {
        return false;
    };
    let mut work: Vec<usize> = (0..graph.vertices.len()).rev().collect();
    while let Some(v) = work.pop() {
        let VertexKind::Block(statements) = &mut graph.vertices[v].kind else {
            continue;
        };
        let Some(at) = statements
            .iter()
            .position(|s| is_split(&routine.variables, s))
        else {
            continue;
        };
        let rest = statements.split_off(at + 1);
        let Some(statement) = statements.pop() else {
            continue;
        };
        let (condition, arms, after) = taken_apart(routine, namer, statement);
        let rest = after.into_iter().chain(rest).collect();
        let last = graph.after(v, rest);
        let branch = graph.add(VertexKind::Branch(Box::new(Selector::Condition(condition))));
        let [yes, no] = arms.map(|arm| graph.block(vec![arm]));
        let end = graph.add(VertexKind::EndBranch);
        graph.edge(v, branch, None);
        graph.edge(branch, yes, Some(1));
        graph.edge(branch, no, Some(0));
        graph.edge(yes, end, None);
        graph.edge(no, end, None);
        graph.edge(end, last, None);
        work.extend([last, no, yes]);
    }
    routine.body = graph.finish();
    true
}

fn is_split(variables: &[Variable], statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Assign { value, .. } => found(variables, value).is_some(),
        _ => false,
    }
}

/// Where the outermost conditional expression is that has such an arm, operand by operand from the root.
fn found(variables: &[Variable], value: &Expr) -> Option<Vec<usize>> {
    let Expr::Op(op, operands) = value else {
        return None;
    };
    match op {
        Op::If => {
            let [condition, arms @ ..] = &**operands else {
                return None;
            };
            let scalar = typing::of(variables, condition).rank == 0;
            let rank = typing::of(variables, value).rank;
            let full = |arm: &Expr| typing::of(variables, arm).rank == rank;
            let wanted = arms.iter().any(|arm| {
                let mut reads = false;
                arm.walk_places(&mut |place| {
                    let v = &variables[place.var.index()];
                    let optional = matches!(v.role, Role::Parameter { optional: true, .. });
                    reads |= v.ty.is_real() && optional;
                });
                reads
            });
            (scalar && wanted && arms.len() == 2 && arms.iter().all(full)).then(Vec::new)
        }
        // These may not evaluate all operands, and have no derivatives.
        Op::And | Op::Or => None,
        _ => operands.iter().enumerate().find_map(|(k, operand)| {
            let mut path = found(variables, operand)?;
            path.insert(0, k);
            Some(path)
        }),
    }
}

/// The operand at the end of a path.
pub(crate) fn at_path<'e>(value: &'e mut Expr, path: &[usize]) -> &'e mut Expr {
    let mut at = value;
    for &k in path {
        match at {
            Expr::Op(_, operands) => at = &mut operands[k],
            other => return other,
        }
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
    let t = add_local(routine, namer.numbered("t"), ty, "temporary");
    routine.variables[t.index()].shape = vec![Dim::deferred(); rank];
    Place::whole(t)
}

/// The condition, the statement of each arm, and what comes after them.
fn taken_apart(
    routine: &mut Routine,
    namer: &mut Namer,
    mut statement: Stmt,
) -> (Expr, [Stmt; 2], Option<Stmt>) {
    let annotations = statement.annotations.clone();
    let StmtKind::Assign { target, value } = &mut statement.kind else {
        return (Expr::Logical(true), [statement.clone(), statement], None);
    };
    let path = found(&routine.variables, value).unwrap_or_default();
    let conditional = at_path(value, &path);
    let ty = typing::of(&routine.variables, conditional);
    let to = if path.is_empty() {
        target.clone()
    } else {
        temporary(routine, namer, ty.ty, ty.rank)
    };
    let taken = std::mem::replace(conditional, Expr::Place(to.clone()));
    let mut operands = match taken {
        Expr::Op(_, operands) => Vec::from(operands).into_iter(),
        _ => Vec::new().into_iter(),
    };
    let mut operand = || operands.next().unwrap_or(Expr::Int(0));
    let condition = operand();
    let arms = [operand(), operand()].map(|arm| {
        let mut assigned = Stmt::assign(to.clone(), arm);
        assigned.annotations.clone_from(&annotations);
        assigned
    });
    (condition, arms, (!path.is_empty()).then_some(statement))
}
