//! Counted loops.
//!
//! A ForLoop is Fortran's DO: the index starts at Initialization's value, the step is the addend of
//! Update, the last value stands on the right of Condition whatever its operator, and the trip count is
//! fixed on entry.

use crate::xaif::{
    codes,
    graph::{Graph, sides},
    lower::{Lower, typed::Typed},
    read::xml::{El, NodeId},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{
        Expr, LoopTest, Op, Place, Role, ScalarType, Stmt, StmtKind, VertexKind,
        visit::each_written_if,
    },
    structure::Structure,
};
use std::collections::BTreeMap;

/// A ForLoop after lowering: the test, and statements on its entry, before its ENDLOOP, and before every
/// evaluation of the test.
pub(crate) struct Lowered {
    pub(crate) test: LoopTest,
    pub(crate) entry: Vec<(NodeId, Stmt)>,
    pub(crate) back: Vec<(NodeId, Stmt)>,
    pub(crate) every: Vec<(NodeId, Stmt)>,
}

/// Lowers the three parts of a ForLoop.
pub(crate) fn for_loop(lower: &mut Lower<'_, '_>, n: NodeId) -> Option<Lowered> {
    let doc = lower.doc;
    let part = |lower: &mut Lower<'_, '_>, name: El| {
        let found = doc.child(n, name);
        if found.is_none() {
            lower.report(
                n,
                &codes::ELEMENT,
                format!("a ForLoop without {}", name.text()),
                "a ForLoop has Initialization, Condition and Update",
            );
        }
        found
    };
    let initialization = part(lower, El::Initialization)?;
    let update = part(lower, El::Update)?;
    let first = lower.lower_assignment(initialization)?;
    let mut entry = std::mem::take(&mut lower.prelude);
    let condition = lower.lower_condition(n)?;
    let of_condition = std::mem::take(&mut lower.prelude);
    let next = lower.lower_assignment(update)?;
    let of_update = std::mem::take(&mut lower.prelude);
    let (
        StmtKind::Assign {
            target: index,
            value: first_value,
        },
        StmtKind::Assign {
            target: updated,
            value: next_value,
        },
    ) = (&first.kind, &next.kind)
    else {
        lower.report(
            n,
            &codes::SHAPE,
            "the index of the loop is a section",
            "a loop counts with a scalar variable",
        );
        return None;
    };
    if let (true, Some(last), Some(step)) = (
        index == updated && index.subscripts.is_empty(),
        last_value(&condition.expr, index),
        addend(next_value, index),
    ) {
        entry.extend(of_condition);
        entry.extend(of_update);
        if lower.ir.variable(index.var).ty == ScalarType::Integer {
            return Some(Lowered {
                test: LoopTest::Counted {
                    index: index.var,
                    first: first_value.clone(),
                    last,
                    step,
                },
                entry,
                back: Vec::new(),
                every: Vec::new(),
            });
        }
        return real_index(
            lower,
            n,
            index.clone(),
            first_value.clone(),
            last,
            step,
            entry,
        );
    }
    // Not a DO loop: the three parts are lowered one by one, as a loop with a condition.
    if condition.ty != ScalarType::Logical {
        lower.report(
            n,
            &codes::TYPE,
            "the condition of a ForLoop is not logical",
            "compare the index with its last value",
        );
        return None;
    }
    entry.push((initialization, first));
    let mut back = of_update;
    back.push((update, next));
    Some(Lowered {
        test: LoopTest::Pre(condition.expr),
        entry,
        back,
        every: of_condition,
    })
}

/// The last value: what the condition compares the index with.
fn last_value(condition: &Expr, index: &Place) -> Option<Expr> {
    let Expr::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Ne | Op::Eq, operands) = condition else {
        return None;
    };
    match operands.as_ref() {
        [Expr::Place(p), last] if p == index && !reads(last, index.var) => Some(last.clone()),
        _ => None,
    }
}

/// The step of a loop: what Update adds to the index.
fn addend(next: &Expr, index: &Place) -> Option<Expr> {
    let is_index = |e: &Expr| matches!(e, Expr::Place(p) if p == index);
    let step = match next {
        Expr::Op(Op::Add, operands) => match operands.as_ref() {
            [a, step] if is_index(a) => step.clone(),
            [step, b] if is_index(b) => step.clone(),
            _ => return None,
        },
        Expr::Op(Op::Sub, operands) => match operands.as_ref() {
            [a, step] if is_index(a) => match step {
                Expr::Int(i) => Expr::Int(i.checked_neg()?),
                Expr::Real(x) => Expr::Real(-x),
                other @ (Expr::Real32(_)
                | Expr::Logical(_)
                | Expr::Place(_)
                | Expr::Op(..)
                | Expr::Null(_)
                | Expr::Addr(_)) => Expr::op(Op::Neg, [other.clone()]),
            },
            _ => return None,
        },
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => return None,
    };
    let step = match step {
        Expr::Op(Op::Neg, operands) => match operands.as_ref() {
            [Expr::Int(i)] => Expr::Int(i.checked_neg()?),
            _ => Expr::Op(Op::Neg, operands),
        },
        other @ (Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_)) => other,
    };
    (!reads(&step, index.var)).then_some(step)
}

fn reads(e: &Expr, var: VarId) -> bool {
    let mut found = false;
    e.walk_places(&mut |p| found |= p.var == var);
    found
}

/// A loop over a real index counts its trips in an integer of its own.
fn real_index(
    lower: &mut Lower<'_, '_>,
    n: NodeId,
    index: Place,
    first: Expr,
    last: Expr,
    step: Expr,
    mut entry: Vec<(NodeId, Stmt)>,
) -> Option<Lowered> {
    let ty = lower.ir.variable(index.var).ty;
    let mut fixed = |lower: &mut Lower<'_, '_>, e: Expr| -> Option<Typed> {
        let value = Typed::leaf(e, ty);
        let value = lower.spill_value(n, value)?;
        entry.append(&mut lower.prelude);
        Some(value)
    };
    // Bounds are evaluated once, on entry: the body may change the variables in them.
    let last = lower_to(lower, n, last, ty)?;
    let step = lower_to(lower, n, step, ty)?;
    let first = fixed(lower, first)?.expr;
    let last = fixed(lower, last)?.expr;
    let step = fixed(lower, step)?.expr;
    let count = Expr::op(
        Op::TO_INT,
        [Expr::op(
            Op::Div,
            [
                Expr::op(
                    Op::Add,
                    [Expr::op(Op::Sub, [last, first.clone()]), step.clone()],
                ),
                step.clone(),
            ],
        )],
    );
    entry.push((n, Stmt::assign(index.clone(), first)));
    let counter = lower.declare_temporary(ScalarType::Integer, 0);
    let next = Expr::op(Op::Add, [Expr::Place(index.clone()), step]);
    Some(Lowered {
        test: LoopTest::Counted {
            index: counter,
            first: Expr::Int(1),
            last: count,
            step: Expr::Int(1),
        },
        entry,
        back: vec![(n, Stmt::assign(index, next))],
        every: Vec::new(),
    })
}

/// An expression of unknown real or integer type in the index's type.
fn lower_to(lower: &mut Lower<'_, '_>, n: NodeId, e: Expr, ty: ScalarType) -> Option<Expr> {
    let own = match &e {
        Expr::Int(_) => ScalarType::Integer,
        Expr::Real(_) => ScalarType::Real,
        Expr::Real32(_) => ScalarType::Real32,
        Expr::Place(p) => lower.ir.variable(p.var).ty,
        // Operations on the index's side have been given its kind.
        Expr::Op(Op::TO_INT, _) => ScalarType::Integer,
        Expr::Op(..) | Expr::Logical(_) | Expr::Null(_) | Expr::Addr(_) => ty,
    };
    lower
        .convert_value(n, Typed::leaf(e, own), ty)
        .map(|value| value.expr)
}

/// A loop whose body assigns its index is not counted: it becomes a loop with a condition.
pub(crate) fn assigned_indices(lower: &mut Lower<'_, '_>, graph: &mut Graph) {
    let mut writers: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
    for draft in &graph.vertices {
        if let Some(index) = draft.kind.index() {
            writers.entry(index).or_default();
        }
    }
    if writers.is_empty() {
        return;
    }
    for (v, draft) in graph.vertices.iter().enumerate() {
        let mut wrote: Vec<VarId> = draft.kind.index().into_iter().collect();
        if let VertexKind::Block(statements) = &draft.kind {
            wrote.extend(statements.iter().flat_map(|s| written(lower, s, &writers)));
        }
        for var in wrote {
            if let Some(list) = writers.get_mut(&var) {
                list.push(v);
            }
        }
    }
    let conflict: Vec<usize> = {
        let loops = graph.vertices.iter().enumerate();
        let loops = loops.filter_map(|(v, draft)| Some((v, draft.kind.index()?)));
        let candidates: Vec<(usize, VarId)> = loops.filter(|(_, i)| writers[i].len() > 1).collect();
        if candidates.is_empty() {
            return;
        }
        let structure = lower
            .is_structured()
            .then(|| graph.now())
            .flatten()
            .and_then(|cfg| Structure::compute(&cfg).ok());
        match structure {
            Some(structure) => {
                let at = |v: usize| structure.position[v];
                let mut sorted: BTreeMap<VarId, Vec<u32>> = BTreeMap::new();
                for (var, list) in &writers {
                    let mut positions: Vec<u32> = list.iter().map(|&v| at(v)).collect();
                    positions.sort_unstable();
                    sorted.insert(*var, positions);
                }
                candidates
                    .into_iter()
                    .filter(|&(v, index)| {
                        let vertex = cfg_core::entity::VertexId::new(v);
                        let Some(end) = structure.partner(vertex) else {
                            return false;
                        };
                        // A body lies between its LOOP and its ENDLOOP in the order.
                        let positions = &sorted[&index];
                        let next = positions.partition_point(|&p| p <= at(v));
                        positions.get(next).is_some_and(|&p| p < at(end.index()))
                    })
                    .map(|(v, _)| v)
                    .collect()
            }
            // Without structure the body is unknown; a loop with a condition is right in any case.
            None => candidates.into_iter().map(|(v, _)| v).collect(),
        }
    };
    let in_edges = graph.in_edges();
    for v in conflict {
        conditional(lower, graph, &in_edges, v, None);
    }
}

/// Variables among `of` that a statement may write.
fn written(
    lower: &Lower<'_, '_>,
    statement: &Stmt,
    of: &BTreeMap<VarId, Vec<usize>>,
) -> Vec<VarId> {
    let mut found = Vec::new();
    let binds = |callee: RoutineId, formal: usize| {
        let formals = lower.scan.writes_formal.get(callee.index());
        // Helpers and variables of hosts are taken to be written.
        formals.and_then(|f| f.get(formal)).copied().unwrap_or(true)
    };
    each_written_if(statement, binds, &mut |v| found.push(v));
    if let StmtKind::Call { callee, .. } = &statement.kind
        && let Some(outside) = lower.scan.writes_outside.get(callee.index())
    {
        let global = |var: &VarId| matches!(lower.ir.variable(*var).role, Role::Global(_));
        let touched = outside.iter().filter_map(|&s| {
            let leader = lower.shared.storage.leader(s);
            let var = lower
                .known_variable(leader)
                .or_else(|| lower.known_variable(s))?;
            Some(var)
        });
        let touched: Vec<VarId> = touched.collect();
        found.extend(of.keys().filter(|v| global(v) && touched.contains(v)));
    }
    found
}

/// Turns a counted loop into `index = first; while (index <= last) { ...; index = index + step }`. With a
/// code, the index stays as it is where the code is not 0.
pub(crate) fn conditional(
    lower: &mut Lower<'_, '_>,
    graph: &mut Graph,
    in_edges: &[Vec<usize>],
    v: usize,
    code: Option<VarId>,
) {
    let node = graph.vertices[v].node;
    let Some(LoopTest::Counted {
        index,
        first,
        last,
        step,
    }) = graph.vertices[v].kind.test()
    else {
        return;
    };
    let (index, first, last, step) = (*index, first.clone(), last.clone(), step.clone());
    let mut entry = Vec::new();
    let mut fixed = |lower: &mut Lower<'_, '_>, e: Expr| {
        if matches!(e, Expr::Int(_)) {
            return e;
        }
        let var = lower.declare_temporary(ScalarType::Integer, 0);
        entry.push((node, Stmt::assign(Place::whole(var), e)));
        Expr::var(var)
    };
    let last = fixed(lower, last);
    let step = fixed(lower, step);
    entry.push((node, Stmt::assign(Place::whole(index), first)));
    let compare = |op| Expr::op(op, [Expr::var(index), last.clone()]);
    let condition = match step {
        Expr::Int(s) if s > 0 => compare(Op::Le),
        Expr::Int(_) => compare(Op::Ge),
        ref step @ (Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_)) => {
            let up = Expr::op(Op::Gt, [step.clone(), Expr::Int(0)]);
            Expr::op(Op::If, [up, compare(Op::Le), compare(Op::Ge)])
        }
    };
    let mut next = Expr::op(Op::Add, [Expr::var(index), step]);
    if let Some(code) = code {
        let going = Expr::op(Op::Eq, [Expr::var(code), Expr::Int(0)]);
        next = Expr::op(Op::If, [going, next, Expr::var(index)]);
    }
    let back = vec![(node, Stmt::assign(Place::whole(index), next))];
    graph.vertices[v].kind = VertexKind::loop_on(LoopTest::Pre(condition));
    let (ends, entries) = sides(graph, in_edges, v);
    graph.insert(&entries, entry);
    for e in ends {
        let end = graph.edges[e].from;
        graph.insert(&in_edges[end], back.clone());
    }
}
