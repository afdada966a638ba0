//! A graph as blocks and jumps only.
//!
//! | vertex | becomes |
//! |---|---|
//! | ENDBRANCH | an empty block |
//! | LOOP *pre* | a branch on its condition; its ENDLOOP an empty block |
//! | LOOP *post* | an empty block; its ENDLOOP a branch on its condition |
//! | LOOP *counted* | a block `index := first` on its entry, a branch `index <= last` (`>=` if the step is negative); its ENDLOOP the block `index := index + step` |
//!
//! The last row needs a bound that the loop does not change, and a constant step. Otherwise
//! the number of passes is evaluated on entry and counted down: `left := trips(first, last, step)`,
//! `index := first`; a branch `left > 0`; `index := index + step`, `left := left - 1`.
//! Every vertex keeps its id.
//!
//! A counted loop whose number of passes does not fit into 64 bits is an error on entry; a branch on the index is not.
//! [`Checked::Yes`] keeps the error: unless constants exclude it, `trips(first, last, step)` is evaluated on entry,
//! into a variable that nothing reads.

use super::writes::Writes;
use crate::{
    edit::Editor,
    entity::VarId,
    graph::loops::LoopForest,
    ir::{
        Cfg, Control, Expr, LoopTest, Op, Place, Program, Role, Routine, ScalarType, Stmt,
        StmtKind, Variable, VertexKind,
    },
    memory::effects::Effects,
};
use std::collections::BTreeSet;

/// The choice whether flattened counted loops fail if the number of passes does not fit into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The loops fail, at the cost of an assignment on entry: for programs that are run as jumps.
    Yes,
    /// The loops do not fail: for programs in which recovery finds the loops again.
    No,
}

/// The routine with a graph of blocks, branches and jumps: no LOOP, ENDLOOP, ENDBRANCH. Every vertex of the original
/// has its counterpart, possibly an empty block. Routines without a graph stay as they are.
pub fn flatten(program: &Program, effects: &Effects, routine: &Routine) -> Routine {
    flatten_as(program, effects, routine, Checked::No)
}

/// [`flatten`], with or without the errors of counted loops.
pub fn flatten_as(
    program: &Program,
    effects: &Effects,
    routine: &Routine,
    checked: Checked,
) -> Routine {
    let mut result = routine.clone();
    let Some(cfg) = result.body.take() else {
        return result;
    };
    result.control = Control::General;
    result.body = Some(flat(program, effects, &mut result, cfg, checked));
    result
}

/// [`flatten`] without empty blocks.
pub fn flatten_dense(program: &Program, effects: &Effects, routine: &Routine) -> Routine {
    drop_empty_blocks(flatten(program, effects, routine))
}

/// The routine without empty blocks.
pub fn drop_empty_blocks(mut routine: Routine) -> Routine {
    routine.body = routine.body.take().map(contract);
    routine
}

/// True if constants show that the number of passes of a loop fits into 64 bits.
fn surely_fits(first: &Expr, last: &Expr, step: &Expr) -> bool {
    // There are fewer than 2^63 integers from 1 up to the largest one, and from the smallest one to -2; the same holds
    // downwards.
    let (low, high) = match step {
        Expr::Int(s) if *s > 0 => (first, last),
        Expr::Int(s) if *s < 0 => (last, first),
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => return false,
    };
    matches!(low, Expr::Int(n) if *n >= 1) || matches!(high, Expr::Int(n) if *n <= -2)
}

/// The conditions and statements that replace a loop test.
enum Plan {
    Pre(Expr),
    Post(Expr),
    Counted {
        entry: Vec<Stmt>,
        condition: Expr,
        back: Vec<Stmt>,
    },
}

fn set(v: VarId, e: Expr) -> Stmt {
    Stmt::assign(Place::whole(v), e)
}

/// The form in which jumps can express a counted loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The index of the loop is compared with the bound, which the loop does not change.
    Index,
    /// The passes of the loop are counted.
    Passes,
    /// The passes are counted because statements of the loop may write its index, as far as jumps can tell.
    Hidden,
}

fn form(writes: &Writes<'_>, forest: &LoopForest, header: usize, test: &LoopTest) -> Form {
    let LoopTest::Counted {
        index, last, step, ..
    } = test
    else {
        return Form::Hidden;
    };
    let Some(l) = forest.headed_by(header) else {
        return Form::Hidden;
    };
    let mut writers = writes.inside(l, *index);
    if !forest.get(l).is_reducible() || writers.next() != Some(header) || writers.next().is_some() {
        return Form::Hidden;
    }
    let by_index = writes.is_index(*index)
        && matches!(step, Expr::Int(s) if *s != 0)
        && last.depth() < Expr::MAX_DEPTH
        && writes.invariant(l, last);
    if by_index { Form::Index } else { Form::Passes }
}

/// The routine with a pass counter in each loop of [`Form::Hidden`]: the loop counts as in [`flatten`], but stays a
/// counted loop, now over the counter.
pub(super) fn with_own_counters(
    program: &Program,
    effects: &Effects,
    routine: &Routine,
) -> Routine {
    let mut result = routine.clone();
    let Some(cfg) = result.body.take() else {
        return result;
    };
    let plans = plans(program, effects, &mut result, &cfg, Checked::No, |form| {
        form == Form::Hidden
    });
    let mut edited = Editor::take_apart(cfg);
    let edges = edited.edges.len();
    let mut before = vec![None; edited.vertices.len()];
    let mut back = vec![None; edited.vertices.len()];
    for (v, plan) in plans.into_iter().enumerate() {
        let Some(Plan::Counted {
            entry,
            condition,
            back: after,
        }) = plan
        else {
            continue;
        };
        let (Expr::Op(Op::Gt, operands), VertexKind::Loop { test, .. }) =
            (condition, &mut edited.vertices[v].kind)
        else {
            continue;
        };
        let Some(Expr::Place(left)) = operands.first() else {
            continue;
        };
        // As in recovery, the value that is assigned last becomes the first value.
        let mut entry = entry;
        let initial =
            entry.pop_if(|s| matches!(&s.kind, StmtKind::Assign { target, .. } if target == left));
        let first = match initial.map(|s| s.kind) {
            Some(StmtKind::Assign { value, .. }) => value,
            _ => Expr::Place(left.clone()),
        };
        **test = LoopTest::Counted {
            index: left.var,
            first,
            last: Expr::Int(1),
            step: Expr::Int(-1),
        };
        before[v] = Some(entry);
        // Only the index is advanced by a statement: the loop itself advances its counter.
        back[v] = Some(after.into_iter().take(1).collect());
    }
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); edited.vertices.len()];
    let ends: Vec<(usize, usize)> = (0..edges).map(|e| (edited.from(e), edited.to(e))).collect();
    for (e, &(_, to)) in ends.iter().enumerate() {
        into[to].push(e);
    }
    // An edge that was moved to a new block led to an ENDLOOP, which has no statements before it, so `ends` is still
    // right for the others.
    for (e, (from, to)) in ends.into_iter().enumerate() {
        if !matches!(edited.vertices[from].kind, VertexKind::EndLoop) {
            if let Some(statements) = before[to].take() {
                let block = edited.add(VertexKind::Block(statements));
                edited.set_to(e, block);
                edited.add_edge(block, to, None);
            }
        } else if let Some(statements) = back[to].take() {
            let block = edited.add(VertexKind::Block(statements));
            for &other in &into[from] {
                edited.set_to(other, block);
            }
            edited.add_edge(block, from, None);
        }
    }
    result.body = Some(edited.finish());
    result
}

/// The plan for writing each LOOP with jumps, by vertex; for counted loops, only if `wanted` accepts the form.
fn plans(
    program: &Program,
    effects: &Effects,
    routine: &mut Routine,
    cfg: &Cfg,
    checked: Checked,
    wanted: impl Fn(Form) -> bool,
) -> Vec<Option<Plan>> {
    let mut plans: Vec<Option<Plan>> = Vec::with_capacity(cfg.vertex_count());
    plans.resize_with(cfg.vertex_count(), || None);
    let mut counted = Vec::new();
    for (v, vertex) in cfg.vertices() {
        if let VertexKind::Loop { test, .. } = &vertex.kind {
            plans[v.index()] = match &**test {
                LoopTest::Pre(e) => Some(Plan::Pre(e.clone())),
                LoopTest::Post(e) => Some(Plan::Post(e.clone())),
                LoopTest::Counted { .. } => {
                    counted.push(v.index());
                    None
                }
            };
        }
    }
    if counted.is_empty() {
        return plans;
    }
    let entry = cfg.entry().map_or(0, |v| v.index());
    let forest = LoopForest::new(cfg, entry);
    let forms: Vec<Form> = {
        let writes = Writes::collect(program, effects, routine, cfg, &forest);
        let form_of = |v: &usize| {
            let test = cfg.vertex(crate::entity::VertexId::new(*v)).kind.test();
            test.map_or(Form::Hidden, |test| form(&writes, &forest, *v, test))
        };
        counted.iter().map(form_of).collect()
    };
    let mut names = Names::taken_in(routine);
    for (&v, form) in counted.iter().zip(forms) {
        if !wanted(form) {
            continue;
        }
        let vertex = cfg.vertex(crate::entity::VertexId::new(v));
        let VertexKind::Loop { test, .. } = &vertex.kind else {
            continue;
        };
        let LoopTest::Counted {
            index,
            first,
            last,
            step,
        } = &**test
        else {
            continue;
        };
        let at = Expr::var(*index);
        let own_first = *first == at;
        let first_set = set(*index, first.clone());
        let add = |by: Expr| set(*index, Expr::op(Op::Add, [at.clone(), by]));
        plans[v] = Some(if form == Form::Index {
            let up = matches!(step, Expr::Int(s) if *s > 0);
            let compare = if up { Op::Le } else { Op::Ge };
            let mut entry = Vec::new();
            if checked == Checked::Yes && !surely_fits(first, last, step) {
                let operands = [first, last, step];
                let operands = within_depth(operands, vertex.id, &mut names, routine, &mut entry);
                let passes = names.add(routine, "passes", vertex.id);
                entry.push(set(passes, Expr::op(Op::Trips, operands)));
            }
            if !own_first {
                entry.push(first_set);
            }
            Plan::Counted {
                entry,
                condition: Expr::op(compare, [at.clone(), last.clone()]),
                back: vec![add(step.clone())],
            }
        } else {
            let left = names.add(routine, "left", vertex.id);
            let constant = matches!(step, Expr::Int(_));
            let by = if constant {
                step.clone()
            } else {
                Expr::var(names.add(routine, "step", vertex.id))
            };
            // First value, bound and step may read the index, so it is assigned last. Recovery expects this order
            // (`trips`).
            let mut entry = Vec::new();
            let operands = [first, last, step];
            let operands = within_depth(operands, vertex.id, &mut names, routine, &mut entry);
            entry.push(set(left, Expr::op(Op::Trips, operands)));
            if let Expr::Place(place) = &by {
                entry.push(set(place.var, step.clone()));
            }
            if !own_first {
                entry.push(first_set);
            }
            let fewer = Expr::op(Op::Sub, [Expr::var(left), Expr::Int(1)]);
            Plan::Counted {
                entry,
                condition: Expr::op(Op::Gt, [Expr::var(left), Expr::Int(0)]),
                back: vec![add(by), set(left, fewer)],
            }
        });
        if let Some(Plan::Counted { entry, back, .. }) = &mut plans[v] {
            let made = entry.iter_mut().chain(back);
            made.for_each(|s| s.at.clone_from(&vertex.at));
        }
    }
    plans
}

/// The expressions as operands of one more operator, within the limit of depth. An expression without a level to spare
/// is assigned to a variable first.
fn within_depth(
    operands: [&Expr; 3],
    id: i64,
    names: &mut Names,
    routine: &mut Routine,
    entry: &mut Vec<Stmt>,
) -> Vec<Expr> {
    let mut within = Vec::new();
    for e in operands {
        if e.depth() < Expr::MAX_DEPTH {
            within.push(e.clone());
        } else {
            let x = names.add(routine, "bound", id);
            entry.push(set(x, e.clone()));
            within.push(Expr::var(x));
        }
    }
    within
}

/// Names that are not taken.
struct Names(BTreeSet<String>);

impl Names {
    fn taken_in(routine: &Routine) -> Self {
        Self(routine.variables.iter().map(|v| v.name.clone()).collect())
    }

    /// A new local integer.
    fn add(&mut self, routine: &mut Routine, base: &str, id: i64) -> VarId {
        let id = id.unsigned_abs();
        let mut name = format!("{base}_{id}");
        let mut k = 1u64;
        while !self.0.insert(name.clone()) {
            k += 1;
            name = format!("{base}_{id}_{k}");
        }
        let variable = Variable::new(name, ScalarType::Integer, Vec::new(), Role::Local);
        routine.add_variable(variable)
    }
}

fn flat(
    program: &Program,
    effects: &Effects,
    routine: &mut Routine,
    cfg: Cfg,
    checked: Checked,
) -> Cfg {
    let plans = plans(program, effects, routine, &cfg, checked, |_| true);
    let mut exits = vec![None; cfg.vertex_count()];
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); cfg.vertex_count()];
    for (e, edge) in cfg.edges() {
        if edge.label.is_none() {
            exits[edge.from.index()] = Some(e.index());
        }
        if matches!(cfg.vertex(edge.from).kind, VertexKind::EndLoop) {
            ends[edge.to.index()].push(e.index());
        }
    }
    let mut edited = Editor::take_apart(cfg);
    let edges = edited.edges.len();
    let is_end = |v: &crate::ir::Vertex| matches!(v.kind, VertexKind::EndLoop);
    let from_end: Vec<bool> = (0..edges)
        .map(|e| is_end(&edited.vertices[edited.from(e)]))
        .collect();
    for vertex in &mut edited.vertices {
        if is_end(vertex) || matches!(vertex.kind, VertexKind::EndBranch) {
            vertex.kind = VertexKind::Block(Vec::new());
        }
    }
    let branch = VertexKind::branch_on;
    // The block that the edges into a loop from outside go through.
    let mut entry_block: Vec<Option<usize>> = vec![None; edited.vertices.len()];
    let mut dead = false;
    for (v, plan) in plans.into_iter().enumerate() {
        let Some(plan) = plan else { continue };
        let (header, end) = match plan {
            Plan::Pre(condition) => (branch(condition), VertexKind::Block(Vec::new())),
            Plan::Post(condition) => (VertexKind::Block(Vec::new()), branch(condition)),
            Plan::Counted {
                entry,
                condition,
                back,
            } => {
                if !entry.is_empty() {
                    let block = edited.add(VertexKind::Block(entry));
                    edited.add_edge(block, v, None);
                    entry_block[v] = Some(block);
                }
                (branch(condition), VertexKind::Block(back))
            }
        };
        let tests = matches!(end, VertexKind::Branch(_));
        let at_end = match *ends[v] {
            [e] => {
                let from = edited.from(e);
                edited.vertices[from].kind = end;
                edited.edges[e].label = tests.then_some(1);
                Some(from)
            }
            [] => None,
            _ => {
                let meet = edited.add(end);
                for &e in &ends[v] {
                    edited.set_to(e, meet);
                }
                edited.add_edge(meet, v, tests.then_some(1));
                Some(meet)
            }
        };
        edited.vertices[v].kind = header;
        edited.vertices[v].checkpoint = None;
        if let Some(exit) = exits[v] {
            edited.edges[exit].label = Some(0);
            match at_end {
                Some(end) if tests => edited.set_from(exit, end),
                // A post-test loop whose body never comes back makes no test, so its exit is never taken.
                None if tests => {
                    edited.remove_edge(exit);
                    dead = true;
                }
                _ => {}
            }
        }
    }
    let mut entered = vec![false; entry_block.len()];
    for (e, from_end) in from_end.into_iter().enumerate() {
        let to = edited.to(e);
        if let (Some(Some(block)), false) = (entry_block.get(to), from_end) {
            entered[to] = true;
            edited.set_to(e, *block);
        }
    }
    // A loop that is entered only by jumps into its body leaves its entry block unreachable.
    dead |= (0..entered.len()).any(|v| entry_block[v].is_some() && !entered[v]);
    // The header of a loop tested last is a block now, so its edge loses the label.
    for e in 0..edited.edges.len() {
        if !matches!(edited.vertices[edited.from(e)].kind, VertexKind::Branch(_)) {
            edited.edges[e].label = None;
        }
    }
    if dead {
        edited.remove_unreachable();
    }
    edited.finish()
}

/// A graph of blocks and jumps without the blocks that have nothing to do; one of an endless cycle of
/// such blocks stays.
pub(super) fn contract(cfg: Cfg) -> Cfg {
    let mut edited = Editor::take_apart(cfg);
    let n = edited.vertices.len();
    let mut next: Vec<Option<usize>> = vec![None; n];
    for e in 0..edited.edges.len() {
        let from = edited.from(e);
        if edited.is_empty_block(from) {
            next[from] = Some(edited.to(e));
        }
    }
    // State of each empty block: 1 while its successors are followed, 2 when its final target is known.
    let mut state = vec![0u8; n];
    for v in 0..n {
        let mut path = Vec::new();
        let mut at = v;
        while let (Some(to), 0) = (next[at], state[at]) {
            state[at] = 1;
            path.push(at);
            at = to;
        }
        if state[at] == 1 {
            // A cycle of empty blocks: this block stays.
            next[at] = None;
        }
        let end = match (state[at], next[at]) {
            (2, Some(to)) => to,
            _ => at,
        };
        for x in path {
            state[x] = 2;
            if next[x].is_some() {
                next[x] = Some(end);
            }
        }
    }
    for e in 0..edited.edges.len() {
        if let Some(to) = next[edited.to(e)] {
            edited.set_to(e, to);
        }
    }
    for (v, next) in next.iter().enumerate() {
        if next.is_some() {
            edited.remove(v);
        }
    }
    edited.finish()
}
