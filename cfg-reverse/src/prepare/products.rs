//! The partials of the reduction `product` as loops, before they are differentiated in turn.
//!
//! `product_partial(a)` is, element by element, the product of all other elements. Its own derivative is not
//! elementwise, so it is written with two loops over `a`: p(i) is first the product of the elements before a(i), and
//! is then multiplied by the product of those after it. There is no division, so zeros do no harm. The loops are
//! differentiated like any others, to any order.

use cfg_core::{
    edit::{Editor, Tail},
    entity::VarId,
    ir::{Expr, LoopTest, Op, Place, Routine, ScalarType, Stmt, StmtKind, Subscript, Variable},
};

use crate::{
    code::{expressions::real, names::Namer, typing},
    prepare::branches::{at_path, temporary},
};

/// The path to the first innermost partial, operand by operand from the root. Operands of `and` and `or`, and
/// conditions, have no derivatives and are not searched.
fn found(e: &Expr) -> Option<Vec<usize>> {
    let Expr::Op(op, operands) = e else {
        return None;
    };
    let first = usize::from(*op == Op::If);
    if matches!(op, Op::And | Op::Or) {
        return None;
    }
    let inner = operands.iter().enumerate().skip(first);
    let inner = inner.into_iter().find_map(|(k, operand)| {
        let mut path = found(operand)?;
        path.insert(0, k);
        Some(path)
    });
    inner.or_else(|| (*op == Op::ProductPartial).then(Vec::new))
}

/// The conditions under which the operand at the end of a path is evaluated, outermost first.
fn guards(variables: &[Variable], value: &Expr, path: &[usize]) -> Vec<Expr> {
    let mut list = Vec::new();
    let mut at = value;
    for &k in path {
        let Expr::Op(op, operands) = at else { break };
        // Under an array condition all elements are evaluated: it guards nothing.
        if *op == Op::If && typing::expr_type(variables, &operands[0]).rank == 0 {
            let condition = operands[0].clone();
            list.push(match k {
                1 => condition,
                _ => Expr::op(Op::Not, [condition]),
            });
        }
        at = &operands[k];
    }
    list
}

fn in_statement(statement: &Stmt) -> Option<Vec<usize>> {
    let (_, value) = statement.kind.assignment()?;
    found(value)
}

/// Writes the loops; true if there is one.
pub(crate) fn expand(routine: &mut Routine, namer: &mut Namer) -> bool {
    let Some(mut graph) = Editor::where_any(&mut routine.body, |s| in_statement(s).is_some())
    else {
        return false;
    };
    let mut work = graph.take_statements();
    work.reverse();
    while let Some((v, mut rest)) = work.pop() {
        let Some((mut statement, path)) = graph.fill(v, &mut rest, in_statement) else {
            continue;
        };
        let StmtKind::Assign { value, .. } = &mut statement.kind else {
            continue;
        };
        let guards = guards(&routine.variables, value, &path);
        let partial = at_path(value, &path);
        let ty = typing::expr_type(&routine.variables, partial);
        let p = temporary(routine, namer, ty.ty, ty.rank);
        let taken = std::mem::replace(partial, Expr::Place(p.clone()));
        let Expr::Op(_, operands) = taken else {
            continue;
        };
        let Some(mut operand) = Vec::from(operands).pop() else {
            continue;
        };
        // Where the partial is not evaluated, its operand must not be either; an operand of ones takes its place.
        for condition in guards.into_iter().rev() {
            operand = Expr::op(Op::If, [condition, operand, real(1.0, ty.ty)]);
        }
        let a = temporary(routine, namer, ty.ty, ty.rank);
        rest.push_front(statement);
        graph.push(v, Stmt::assign(a.clone(), operand));
        // This assignment gives `p` its shape; the first loop assigns every element.
        graph.push(v, Stmt::assign(p.clone(), Expr::Place(a.clone())));
        let last = graph.split(v);
        let mut end = v;
        for forward in [true, false] {
            end = sweep(routine, namer, &mut graph, end, (a.var, p.var), forward);
        }
        graph.add_edge(end, last, None);
        work.push((last, rest));
    }
    routine.body = Some(graph.finish());
    true
}

/// Adds one of the two loop nests behind a block; returns the vertex at its end.
fn sweep(
    routine: &mut Routine,
    namer: &mut Namer,
    graph: &mut Editor,
    block: usize,
    (a, p): (VarId, VarId),
    forward: bool,
) -> usize {
    let (ty, rank) = (
        routine.variables[a.index()].ty,
        routine.variables[a.index()].rank(),
    );
    let product = temporary(routine, namer, ty, 0);
    let mut tail = Tail(block, None);
    let start = vec![Stmt::assign(product.clone(), real(1.0, ty))];
    graph.append_block(&mut tail, start);
    let mut subscripts = Vec::new();
    let mut loops = Vec::new();
    for d in 0..rank {
        let index = temporary(routine, namer, ScalarType::Integer, 0);
        subscripts.push(Subscript::Index(Expr::Place(index.clone())));
        let size = Expr::op(Op::Size, [Expr::var(a), Expr::Int(d as i64 + 1)]);
        let (first, last, step) = match forward {
            true => (Expr::Int(1), size, 1),
            false => (size, Expr::Int(1), -1),
        };
        let test = LoopTest::Counted {
            index: index.var,
            first,
            last,
            step: Expr::Int(step),
        };
        loops.push(graph.begin_loop(&mut tail, test));
    }
    let element = |var| Place {
        var,
        subscripts: subscripts.clone().into(),
    };
    let times = |x: Expr, y: Expr| Expr::op(Op::Mul, [x, y]);
    let (so_far, here) = (Expr::Place(product.clone()), Expr::Place(element(p)));
    let partial = if forward {
        so_far.clone()
    } else {
        times(here, so_far.clone())
    };
    let body = vec![
        Stmt::assign(element(p), partial),
        Stmt::assign(product, times(so_far, Expr::Place(element(a)))),
    ];
    graph.append_block(&mut tail, body);
    for header in loops.into_iter().rev() {
        graph.end_loop(&mut tail, header);
    }
    tail.0
}
