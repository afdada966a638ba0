//! Leaves out unused variables and orders the rest as files do: parameters, locals, globals.

use crate::tree::{Node, Region};
use cfg_core::entity::VarId;
use cfg_core::ir::{Dim, Expr, Extent, LoopTest, Place, Role, Routine, Selector, Stmt, StmtKind};

/// Renumbers the variables of a routine whose body is `tree`. Globals are numbered by their first use.
pub(super) fn renumber(routine: &mut Routine, tree: Option<&mut Region>) {
    let Some(tree) = tree else {
        return;
    };
    let mut used: Vec<VarId> = Vec::new();
    let mut seen = vec![false; routine.variables.len()];
    let mut note = |v: VarId| {
        if !std::mem::replace(&mut seen[v.index()], true) {
            used.push(v);
        }
    };
    visit_region(tree, &mut |v| note(*v));
    let lists = routine.independents.iter().chain(&routine.dependents);
    for &v in lists.chain(&routine.result) {
        note(v);
    }
    // Shapes name parameters only, which are all kept.
    let mut order: Vec<VarId> = routine.parameter_ids().collect();
    let role = |v: VarId| routine.variable(v).role;
    let mut locals: Vec<VarId> = used
        .iter()
        .copied()
        .filter(|&v| role(v) == Role::Local)
        .collect();
    locals.sort_unstable();
    // A result after all locals is declared on its own, another among them.
    if let Some(result) = routine.result
        && routine.parameters.len().is_multiple_of(2)
    {
        locals.retain(|&v| v != result);
        locals.push(result);
    }
    order.extend(locals);
    order.extend(used.iter().filter(|&&v| matches!(role(v), Role::Global(_))));
    let mut new = vec![VarId::new(0); routine.variables.len()];
    for (k, v) in order.iter().enumerate() {
        new[v.index()] = VarId::new(k);
    }
    let rename = |v: &mut VarId| *v = new[v.index()];
    visit_region(tree, &mut |v| rename(v));
    routine.variables = order
        .iter()
        .map(|v| routine.variables[v.index()].clone())
        .collect();
    for variable in &mut routine.variables {
        for Dim { lower, extent } in &mut variable.shape {
            visit_expr(lower, &mut |v| rename(v));
            if let Extent::Fixed(e) = extent {
                visit_expr(e, &mut |v| rename(v));
            }
        }
    }
    let (lists, more) = (
        [&mut routine.parameters, &mut routine.independents],
        &mut routine.dependents,
    );
    for v in lists
        .into_iter()
        .flatten()
        .chain(more)
        .chain(&mut routine.result)
    {
        rename(v);
    }
}

type Visit<'a> = &'a mut dyn FnMut(&mut VarId);

fn visit_region(region: &mut Region, visit: Visit<'_>) {
    for node in region {
        match node {
            Node::Block(statements) => {
                for statement in statements {
                    visit_statement(statement, visit);
                }
            }
            Node::Loop { test, body } => {
                match test {
                    LoopTest::Pre(e) | LoopTest::Post(e) => visit_expr(e, visit),
                    LoopTest::Counted {
                        index,
                        first,
                        last,
                        step,
                    } => {
                        visit(index);
                        for e in [first, last, step] {
                            visit_expr(e, visit);
                        }
                    }
                }
                visit_region(body, visit);
            }
            Node::Branch { selector, arms } => {
                match selector {
                    Selector::Condition(e) | Selector::Cases { value: e, .. } => {
                        visit_expr(e, visit);
                    }
                }
                for (_, arm) in arms {
                    visit_region(arm, visit);
                }
            }
        }
    }
}

fn visit_statement(statement: &mut Stmt, visit: Visit<'_>) {
    match &mut statement.kind {
        StmtKind::Assign { target, value } => {
            visit_place(target, visit);
            visit_expr(value, visit);
        }
        StmtKind::Call {
            arguments, result, ..
        } => {
            for e in arguments.iter_mut().flatten() {
                visit_expr(e, visit);
            }
            if let Some(place) = result {
                visit_place(place, visit);
            }
        }
        StmtKind::Push { tape, value, .. } => {
            visit(tape);
            visit_expr(value, visit);
        }
        StmtKind::Pop { tape, target, .. } => {
            visit(tape);
            visit_place(target, visit);
        }
        StmtKind::Opaque { reads, writes, .. } => {
            for v in reads.iter_mut().chain(writes) {
                visit(v);
            }
        }
        StmtKind::Stop { .. } => {}
        StmtKind::Allocate { pointer, count, .. } | StmtKind::Resize { pointer, count } => {
            visit_place(pointer, visit);
            visit_expr(count, visit);
        }
        StmtKind::Free { pointer } => visit_place(pointer, visit),
    }
}

fn visit_place(place: &mut Place, visit: Visit<'_>) {
    visit(&mut place.var);
    *place = place.map_subscripts(&mut |e| {
        let mut e = e.clone();
        visit_expr(&mut e, visit);
        e
    });
}

fn visit_expr(e: &mut Expr, visit: Visit<'_>) {
    match e {
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) => {}
        Expr::Place(place) | Expr::Addr(place) => visit_place(place, visit),
        Expr::Op(_, operands) => {
            for e in operands {
                visit_expr(e, visit);
            }
        }
    }
}
