//! Assignments, and temporaries for expressions that are too deep.
//!
//! A front end may hand over expressions of any depth. Subexpressions at the limit are assigned to temporaries first.
//! Operands that are evaluated only on demand (of `and`, `or` and the conditional expression) stay so: where one of
//! them has to be split, the operator becomes a branch.
//!
//! All functions here work with explicit stacks, since the depth of the expression has no bound.

use super::routine::RoutineBuilder;
use crate::{
    ir::{Dim, Expr, Op, OpClass, Place, ScalarType, Stmt, Subscript},
    typing::{self, Type},
};

/// True if the expression is within the limit of depth.
pub(super) fn fits(e: &Expr) -> bool {
    within(e, Expr::MAX_DEPTH)
}

/// Recursion is at most `levels` deep.
fn within(e: &Expr, levels: usize) -> bool {
    levels > 0
        && match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) => {
                true
            }
            Expr::Place(place) => place.subscript_exprs().all(|e| within(e, levels - 1)),
            Expr::Addr(place) => {
                levels > 1 && place.subscript_exprs().all(|e| within(e, levels - 2))
            }
            Expr::Op(_, operands) => operands.iter().all(|e| within(e, levels - 1)),
        }
}

/// Depth, type and size of one node of the original expression.
#[derive(Clone, Copy)]
struct Info {
    depth: usize,
    ty: Option<Type>,
    /// Number of nodes of its subtree.
    size: usize,
}

/// A node that has been rebuilt.
struct Value {
    e: Expr,
    depth: usize,
    ty: Option<Type>,
}

enum Task {
    /// Rebuild the node with this number in preorder.
    Visit(Expr, usize),
    /// Build an operator from the last values.
    Op(Op, usize, usize),
    /// Build a place from the last values; for each subscript which parts it has.
    Place(Place, bool, usize),
    /// Assign the last value to a temporary.
    Assign(crate::entity::VarId, ScalarType),
    /// Begin a branch on the last value, or on a temporary or its negation.
    If(Option<(crate::entity::VarId, bool)>),
    Else,
    EndIf,
    /// The temporary stands for the node.
    Result(crate::entity::VarId, usize),
}

impl RoutineBuilder {
    /// Adds the assignment `target = value`.
    pub fn assign(&mut self, target: impl Into<Place>, value: impl Into<Expr>) {
        // Only the assignment gets the note and the span, not the temporaries that are assigned before it.
        let (note, at) = (self.note.take(), self.at.take());
        let value = self.split_deep(value.into());
        let target = self.split_place(target.into());
        (self.note, self.at) = (note, at);
        self.statement(Stmt::assign(target, value));
    }

    /// An expression of the same value within the limit of depth. Appends the statements that assign its temporaries.
    pub(super) fn split_deep(&mut self, e: Expr) -> Expr {
        if fits(&e) {
            return e;
        }
        let infos = survey(self, &e);
        let mut tasks = vec![Task::Visit(e, 0)];
        let mut values: Vec<Value> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(Expr::Place(mut place), node) => {
                    let operands = take_subscripts(&mut place);
                    tasks.push(Task::Place(place, false, node));
                    visit_all(&mut tasks, operands, &infos, node);
                }
                Task::Visit(Expr::Addr(mut place), node) => {
                    let operands = take_subscripts(&mut place);
                    tasks.push(Task::Place(place, true, node));
                    visit_all(&mut tasks, operands, &infos, node);
                }
                Task::Visit(Expr::Op(op, operands), node) => {
                    let operands = operands.into_vec();
                    if self.must_branch(op, node, operands.len(), &infos) {
                        self.lower(&mut tasks, op, operands, &infos, node);
                    } else {
                        tasks.push(Task::Op(op, operands.len(), node));
                        visit_all(&mut tasks, operands, &infos, node);
                    }
                }
                Task::Visit(leaf, node) => values.push(Value {
                    e: leaf,
                    depth: 1,
                    ty: infos[node].ty,
                }),
                Task::Op(op, count, node) => {
                    let operands = values.split_off(values.len() - count);
                    // An inquiry asks about the variable itself, for which no temporary can stand.
                    let keep = op.class() == OpClass::Inquiry;
                    let (operands, depth) = self.shallow(operands, keep);
                    values.push(Value {
                        e: Expr::op(op, operands),
                        depth: depth + 1,
                        ty: infos[node].ty,
                    });
                }
                Task::Place(mut place, address, node) => {
                    let count = place.subscript_exprs().count();
                    let operands = values.split_off(values.len() - count);
                    let (operands, depth) = self.shallow(operands, false);
                    let mut operands = operands.into_iter();
                    place = place.map_subscripts(&mut |e| operands.next().unwrap_or(e.clone()));
                    values.push(Value {
                        e: match address {
                            true => Expr::Addr(place),
                            false => Expr::Place(place),
                        },
                        depth: depth + 1 + usize::from(address),
                        ty: infos[node].ty,
                    });
                }
                Task::Assign(temporary, ty) => {
                    if let Some(value) = values.pop() {
                        let value = convert(value, ty);
                        self.assign(temporary, value);
                    }
                }
                Task::If(test) => {
                    let condition = match test {
                        Some((v, true)) => Some(Expr::var(v)),
                        Some((v, false)) => Some(Expr::op(Op::Not, [Expr::var(v)])),
                        None => values.pop().map(|v| v.e),
                    };
                    let condition = self.split_deep(condition.unwrap_or(Expr::Logical(true)));
                    self.open_branch(condition);
                }
                Task::Else => self.begin_else(),
                Task::EndIf => self.end_if(),
                Task::Result(temporary, node) => values.push(Value {
                    e: Expr::var(temporary),
                    depth: 1,
                    ty: infos[node].ty,
                }),
            }
        }
        values.pop().map_or(Expr::Int(0), |v| v.e)
    }

    /// The same place with subscripts within the limit of depth.
    pub(super) fn split_place(&mut self, place: Place) -> Place {
        let var = place.var;
        match self.split_deep(Expr::Place(place)) {
            Expr::Place(place) => place,
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => Place::whole(var),
        }
    }

    /// Puts operands at the limit into temporaries; the depth of the deepest operand that is left.
    fn shallow(&mut self, operands: Vec<Value>, keep: bool) -> (Vec<Expr>, usize) {
        let mut deepest = 0;
        let mut result = Vec::with_capacity(operands.len());
        for Value { e, mut depth, ty } in operands {
            let mut e = e;
            if depth >= Expr::MAX_DEPTH {
                match ty {
                    Some(ty) if !keep => {
                        let shape = vec![Dim::deferred(); ty.rank];
                        let temporary = self.temporary(ty.ty.array(shape));
                        self.assign(temporary, std::mem::replace(&mut e, Expr::var(temporary)));
                        depth = 1;
                    }
                    _ => self.too_deep("has operands whose types do not fit, or an inquiry"),
                }
            }
            deepest = deepest.max(depth);
            result.push(e);
        }
        (result, deepest)
    }

    fn too_deep(&mut self, why: &str) {
        self.report_misuse(
            format!(
                "an expression has more than {} levels and {why}, so it cannot be split",
                Expr::MAX_DEPTH
            ),
            "assign parts of it to variables",
        );
    }

    /// True if an operand that is evaluated on demand would have to be split.
    fn must_branch(&mut self, op: Op, node: usize, count: usize, infos: &[Info]) -> bool {
        if !matches!(op, Op::If | Op::And | Op::Or) {
            return false;
        }
        let mut child = node + 1;
        let mut deep = false;
        let mut scalar = true;
        for i in 0..count {
            let info = infos[child];
            deep |= i > 0 && info.depth >= Expr::MAX_DEPTH;
            // The value may be an array only in the arms of a conditional expression: its condition, `and` and `or`
            // need scalars.
            scalar &= info.ty.is_none_or(|t| t.rank == 0) || (op == Op::If && i > 0);
            child += info.size;
        }
        if deep && (!scalar || infos[node].ty.is_none()) {
            self.too_deep("decides element by element, or has wrong types");
            return false;
        }
        deep
    }

    /// Turns `if`, `and`, `or` into branches that assign to a temporary.
    fn lower(
        &mut self,
        tasks: &mut Vec<Task>,
        op: Op,
        operands: Vec<Expr>,
        infos: &[Info],
        node: usize,
    ) {
        let Some(ty) = infos[node].ty else { return };
        let result = self.temporary(ty.ty.array(vec![Dim::deferred(); ty.rank]));
        let mut steps = Vec::new();
        let mut child = node + 1;
        let last = operands.len().saturating_sub(1);
        for (i, operand) in operands.into_iter().enumerate() {
            let at = child;
            child += infos[child].size;
            match (op, i) {
                (Op::If, 0) => {
                    steps.push(Task::Visit(operand, at));
                    steps.push(Task::If(None));
                    continue;
                }
                (Op::If, 1) | (_, 0) => {}
                (Op::If, _) => steps.push(Task::Else),
                _ => steps.push(Task::If(Some((result, op == Op::And)))),
            }
            steps.push(Task::Visit(operand, at));
            steps.push(Task::Assign(result, ty.ty));
        }
        let branches = if op == Op::If { 1 } else { last };
        steps.extend((0..branches).map(|_| Task::EndIf));
        steps.push(Task::Result(result, node));
        tasks.extend(steps.into_iter().rev());
    }
}

/// A value as another type of number.
fn convert(value: Value, ty: ScalarType) -> Expr {
    let op = match (value.ty.map(|t| t.ty), ty) {
        (Some(from), to) if from == to => return value.e,
        (_, ScalarType::Real) => Op::ToReal,
        (_, ScalarType::Real32) => Op::ToReal32,
        _ => return value.e,
    };
    Expr::op(op, [value.e])
}

/// Takes the subscript expressions out of a place and leaves constants behind.
fn take_subscripts(place: &mut Place) -> Vec<Expr> {
    let exprs = place.subscripts.iter_mut().flat_map(Subscript::exprs_mut);
    exprs.map(|e| std::mem::replace(e, Expr::Int(0))).collect()
}

/// Pushes visits of all operands so that the first is done first.
fn visit_all(tasks: &mut Vec<Task>, operands: Vec<Expr>, infos: &[Info], node: usize) {
    let start = tasks.len();
    let mut child = node + 1;
    for operand in operands {
        tasks.push(Task::Visit(operand, child));
        child += infos[child].size;
    }
    tasks[start..].reverse();
}

/// Depth, type and size of all nodes, in preorder.
fn survey(builder: &RoutineBuilder, root: &Expr) -> Vec<Info> {
    let variables = &builder.routine.variables;
    let mut infos: Vec<Info> = Vec::new();
    // Nodes whose children are not all done: the node, its number, its children to come, the numbers of the others.
    let mut stack: Vec<(&Expr, usize, std::vec::IntoIter<&Expr>, Vec<usize>)> = Vec::new();
    let mut next = Some(root);
    loop {
        if let Some(e) = next.take() {
            let number = infos.len();
            infos.push(Info {
                depth: 1,
                ty: None,
                size: 1,
            });
            let children: Vec<&Expr> = match e {
                Expr::Int(_)
                | Expr::Real(_)
                | Expr::Real32(_)
                | Expr::Logical(_)
                | Expr::Null(_) => Vec::new(),
                Expr::Place(place) | Expr::Addr(place) => place.subscript_exprs().collect(),
                Expr::Op(_, operands) => operands.iter().collect(),
            };
            stack.push((e, number, children.into_iter(), Vec::new()));
        }
        let Some((e, number, children, done)) = stack.last_mut() else {
            return infos;
        };
        let number = *number;
        if let Some(child) = children.next() {
            done.push(infos.len());
            next = Some(child);
            continue;
        }
        let depth = done.iter().map(|&c| infos[c].depth).max().unwrap_or(0) + 1;
        let ty = match e {
            Expr::Op(op, _) => done
                .iter()
                .map(|&c| infos[c].ty)
                .collect::<Option<Vec<Type>>>()
                .and_then(|types| typing::apply(*op, &types).ok()),
            Expr::Place(place) => {
                // Only the rank of the place matters here, so any integer does for a subscript.
                let shape = place.map_subscripts(&mut |_| Expr::Int(1));
                typing::place_type(variables, &shape).ok()
            }
            leaf @ (Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Null(_)
            | Expr::Addr(_)) => typing::type_of(variables, leaf).ok(),
        };
        let size = infos.len() - number;
        infos[number] = Info { depth, ty, size };
        stack.pop();
    }
}
