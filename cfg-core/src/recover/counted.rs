//! Counted loops among the loops that are tested before each pass.
//!
//! A loop `while (i <= last)` whose body ends with `i = i + step` and assigns `i` nowhere else, with a constant step
//! and a bound that the loop does not change, is a counted loop: the bound has the same value at every test, the index
//! has the same value in each pass and afterwards, and an overflow of the index, an error, happens in the same pass.
//! An assignment to the index that stands directly before the loop becomes its first value.
//!
//! `i < last` is `i <= last - 1` unless `last` is the smallest integer. In that case the loop makes no pass, and if
//! the first value is the smallest integer too, no bound expresses that. So `last` or the first value must surely be
//! larger: a constant, a size, a sum with a positive constant, the index of such a loop around this one. If only the
//! first value is, the bound is `max(last, first) - 1`. For `i > last` the same holds with the largest integer and
//! `min`.
//!
//! An index that moves by `+%` or `-%` (modulo 2^64) must not wrap. It surely does not wrap after the test `i < last`
//! with a step of 1, after `i <= last` if `last` is surely not the largest integer, and with any step if a constant
//! bound is far enough from the ends. Other loops over such an index are not counted.

use super::{
    passes::{self, Uses},
    writes::Writes,
};
use crate::{
    entity::{VarId, VertexId},
    graph::loops::{LoopForest, LoopId},
    ir::{
        Cfg, Expr, LoopForm, LoopTest, Op, Place, Program, Routine, StmtKind, VertexKind,
        visit::each_written_if,
    },
    memory::effects::Effects,
};
use std::collections::BTreeMap;

/// A loop that is counted, and the statements and variables that its counted form makes superfluous.
struct Found {
    header: VertexId,
    test: LoopTest,
    /// Blocks with the number of statements to remove at their ends: the initialisation and the increment of the
    /// index.
    without: Vec<(VertexId, usize)>,
    /// Variables that are not used any more.
    unused: Vec<VarId>,
}

/// Turns loops tested first into counted loops where they are. Variables that only counted passes are removed if they
/// are the routine's last, so that no variable changes its number.
pub(super) fn count_loops(
    program: &Program,
    effects: &Effects,
    routine: &mut Routine,
    mut cfg: Cfg,
) -> Cfg {
    let is_candidate = |v: &crate::ir::Vertex| matches!(&v.kind, VertexKind::Loop { form: LoopForm::Loop, test } if matches!(**test, LoopTest::Pre(_)));
    if !cfg.vertices().any(|(_, v)| is_candidate(v)) {
        return cfg;
    }
    let Some(entry) = cfg.entry() else { return cfg };
    let forest = LoopForest::new(&cfg, entry.index());
    let writes = Writes::collect(program, effects, routine, &cfg, &forest);
    let mut search = Search {
        cfg: &cfg,
        forest: &forest,
        writes: &writes,
        uses: Uses::count(program, effects, routine, &cfg),
        ranges: BTreeMap::new(),
        taken: vec![false; cfg.vertex_count()],
    };
    let mut all = Vec::new();
    for l in forest.loops() {
        let header = VertexId::new(forest.get(l).header);
        if is_candidate(cfg.vertex(header)) && forest.get(l).is_reducible() {
            all.extend(search.counted(l, header));
        }
    }
    let mut unused = vec![false; routine.variables.len()];
    for found in all {
        if let VertexKind::Loop { test, .. } = &mut cfg.vertex_mut(found.header).kind {
            **test = found.test;
        }
        for (v, count) in found.without {
            if let Some(statements) = cfg.vertex_mut(v).kind.statements_mut() {
                statements.truncate(statements.len() - count);
            }
        }
        for v in found.unused {
            unused[v.index()] = true;
        }
    }
    while unused.pop() == Some(true) {
        routine.variables.pop();
    }
    cfg
}

struct Search<'a> {
    cfg: &'a Cfg,
    forest: &'a LoopForest,
    writes: &'a Writes<'a>,
    uses: Uses,
    /// The counted loops by their index and the first place of their members: the place behind the last member, and
    /// whether the index is never the smallest and never the largest integer.
    ranges: BTreeMap<VarId, BTreeMap<usize, (usize, [bool; 2])>>,
    /// Blocks whose last statement belongs to a counted loop that was found.
    taken: Vec<bool>,
}

impl Search<'_> {
    fn counted(&mut self, l: LoopId, header: VertexId) -> Option<Found> {
        let (cfg, forest) = (self.cfg, self.forest);
        let VertexKind::Loop { test, .. } = &cfg.vertex(header).kind else {
            return None;
        };
        let LoopTest::Pre(condition) = &**test else {
            return None;
        };
        let mut back = None;
        let mut entry = None;
        let mut entries = 0;
        for u in cfg.predecessors(header) {
            let end = matches!(cfg.vertex(u).kind, VertexKind::EndLoop);
            if end != forest.contains(l, u.index()) || (end && back.is_some()) {
                return None;
            }
            if end {
                back = Some(u);
            } else {
                entries += 1;
                entry = Some(u);
            }
        }
        let latch = self.statements_before(back?)?;
        let StmtKind::Assign { target, value } = &cfg.vertex(latch).statements().last()?.kind
        else {
            return None;
        };
        let index = target.var;
        let mut writers = self.writes.inside(l, index);
        if !target.subscripts.is_empty()
            || !self.writes.is_index(index)
            || writers.next() != Some(latch.index())
            || writers.next().is_some()
            || !forest.contains(l, latch.index())
            || self.taken[latch.index()]
        {
            return None;
        }
        // A call may write a global that it does not name.
        let assigned =
            |s: &crate::ir::Stmt| writes_variable(s, index) || self.writes.may_write(s, index);
        if cfg
            .vertex(latch)
            .statements()
            .iter()
            .filter(|s| assigned(s))
            .count()
            != 1
        {
            return None;
        }
        let (step, wraps) = increment(value, index)?;
        let (op, bound) = comparison(condition, index, |e| self.writes.is_integer(e))?;
        if wraps && !self.stays_in_range(op, bound, step, header) {
            return None;
        }
        let before = entry.filter(|_| entries == 1);
        let before = before.and_then(|u| self.statements_before(u));
        let before = before.filter(|b| !self.taken[b.index()] && *b != latch);
        if let (Op::Gt, Expr::Int(0), -1, Some(before)) = (op, bound, step, before)
            && let Some(found) = self.by_passes(l, header, index, [before, latch])
        {
            return Some(found);
        }
        if !self.writes.is_integer(bound) || !self.writes.invariant(l, bound) {
            return None;
        }
        let mut without = vec![(latch, 1)];
        let mut first = Expr::var(index);
        if let Some(before) = before
            && let Some(StmtKind::Assign { target, value }) =
                cfg.vertex(before).statements().last().map(|s| &s.kind)
            && *target == Place::whole(index)
            && self.writes.is_integer(value)
        {
            first = value.clone();
            without.push((before, 1));
        }
        let last = self.last(op, bound, &first, step > 0, header)?;
        self.note(l, header, index, &first, step, &without);
        Some(Found {
            header,
            test: LoopTest::Counted {
                index,
                first,
                last,
                step: Expr::Int(step),
            },
            without,
            unused: Vec::new(),
        })
    }

    /// True if an index that has passed this test does not wrap in the next step.
    fn stays_in_range(&self, op: Op, bound: &Expr, step: i64, at: VertexId) -> bool {
        let up = step > 0;
        let strict = match (op, up) {
            (Op::Lt, true) | (Op::Gt, false) => true,
            (Op::Le, true) | (Op::Ge, false) => false,
            _ => return false,
        };
        if let Expr::Int(bound) = bound {
            // The furthest index that passes the test is the bound, or one before it; `beyond` leads from the bound to
            // its successor.
            let beyond = if strict { step - step.signum() } else { step };
            return bound.checked_add(beyond).is_some();
        }
        step.unsigned_abs() == 1 && (strict || self.inside_range(bound, !up, at))
    }

    /// The counted loop over `index` that a loop over `left` stands for, if `left` counts passes down and is used for
    /// nothing else (see [`passes`]).
    fn by_passes(
        &mut self,
        l: LoopId,
        header: VertexId,
        left: VarId,
        [before, latch]: [VertexId; 2],
    ) -> Option<Found> {
        let [before_all, latch_all] = [before, latch].map(|v| self.cfg.vertex(v).statements());
        let range = passes::find(&self.uses, left, before_all, latch_all)?;
        let mut writers = self.writes.inside(l, range.index);
        let (others, _) = latch_all.split_last_chunk::<2>()?;
        if writers.next() != Some(latch.index())
            || writers.next().is_some()
            || others.iter().any(|s| self.writes.may_write(s, range.index))
            || !self.writes.is_integer(&Expr::var(range.index))
        {
            return None;
        }
        let without = vec![(latch, 2), (before, range.initial)];
        if let Expr::Int(step) = range.step {
            self.note(l, header, range.index, &range.first, step, &without);
        } else {
            self.take(&without);
        }
        Some(Found {
            header,
            test: LoopTest::Counted {
                index: range.index,
                first: range.first,
                last: range.last,
                step: range.step,
            },
            without,
            unused: range.unused,
        })
    }

    /// Remembers the range of an index, and the statements that belong to its loop.
    fn note(
        &mut self,
        l: LoopId,
        header: VertexId,
        index: VarId,
        first: &Expr,
        step: i64,
        without: &[(VertexId, usize)],
    ) {
        let up = step > 0;
        let mut range = [false; 2];
        range[usize::from(!up)] = self.inside_range(first, up, header);
        let place = self.forest.places(l);
        self.ranges
            .entry(index)
            .or_default()
            .insert(place.start, (place.end, range));
        self.take(without);
    }

    fn take(&mut self, without: &[(VertexId, usize)]) {
        for (v, _) in without {
            self.taken[v.index()] = true;
        }
    }

    /// The block with statements that control passes directly before the vertex, and after which it goes nowhere else.
    fn statements_before(&self, v: VertexId) -> Option<VertexId> {
        let mut at = v;
        loop {
            let vertex = self.cfg.vertex(at);
            if !vertex.statements().is_empty() {
                return Some(at);
            }
            let own_end = at == v && matches!(vertex.kind, VertexKind::EndLoop);
            if !own_end && !matches!(vertex.kind, VertexKind::Block(_)) {
                return None;
            }
            let [e] = *self.cfg.in_edges(at) else {
                return None;
            };
            at = self.cfg.edge(e).from;
        }
    }

    /// The last value of the index, if the comparison fits the direction of the step.
    fn last(&self, op: Op, bound: &Expr, first: &Expr, up: bool, at: VertexId) -> Option<Expr> {
        let (strict, one, combine) = match (op, up) {
            (Op::Le, true) | (Op::Ge, false) => return Some(bound.clone()),
            (Op::Lt, true) => (Op::Sub, 1, Op::Max),
            (Op::Gt, false) => (Op::Add, -1, Op::Min),
            _ => return None,
        };
        if let Expr::Int(bound) = bound {
            return bound.checked_sub(one).map(Expr::Int);
        }
        if bound.depth() + 2 > Expr::MAX_DEPTH || first.depth() + 2 > Expr::MAX_DEPTH {
            return None;
        }
        let by_one = |e: Expr| Expr::op(strict, [e, Expr::Int(1)]);
        if self.inside_range(bound, up, at) {
            return Some(by_one(bound.clone()));
        }
        self.inside_range(first, up, at)
            .then(|| by_one(Expr::op(combine, [bound.clone(), first.clone()])))
    }

    /// True if the value is known not to be the smallest (if `up`) or largest integer.
    fn inside_range(&self, e: &Expr, up: bool, at: VertexId) -> bool {
        let limit = if up { i64::MIN } else { i64::MAX };
        match e {
            Expr::Int(i) => *i != limit,
            Expr::Place(place) if place.subscripts.is_empty() => {
                // No counted loop contains another one over the same index, so at most one is around this vertex.
                let known = self
                    .ranges
                    .get(&place.var)
                    .zip(self.forest.position(at.index()));
                known.is_some_and(|(loops, at)| {
                    let before = loops.range(..=at).next_back();
                    before.is_some_and(|(_, (end, range))| at < *end && range[usize::from(!up)])
                })
            }
            Expr::Op(Op::Size, _) => up,
            Expr::Op(op, operands) => {
                let constant = |e: &Expr| match e {
                    Expr::Int(i) => Some(*i),
                    Expr::Real(_)
                    | Expr::Real32(_)
                    | Expr::Logical(_)
                    | Expr::Place(_)
                    | Expr::Op(..)
                    | Expr::Null(_)
                    | Expr::Addr(_) => None,
                };
                // A sum that overflows is an error, so the value of `e + 1` is never the smallest integer.
                let added = match (op, &operands[..]) {
                    (Op::Add, [a, b]) => constant(b).or_else(|| constant(a)),
                    (Op::Sub, [_, b]) => constant(b).and_then(i64::checked_neg),
                    _ => None,
                };
                added.is_some_and(|c| if up { c > 0 } else { c < 0 })
            }
            Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Null(_)
            | Expr::Addr(_) => false,
        }
    }
}

/// True if the statement may write the variable. A call counts if the variable is an argument.
fn writes_variable(statement: &crate::ir::Stmt, x: VarId) -> bool {
    let mut found = false;
    each_written_if(statement, |_, _| true, &mut |v| found |= v == x);
    found
}

/// The constant that is added to the index, not 0, and whether the sum is taken modulo 2^64.
fn increment(value: &Expr, index: VarId) -> Option<(i64, bool)> {
    let is_index = |e: &Expr| *e == Expr::var(index);
    let step = match value {
        Expr::Op(Op::Add | Op::WrapAdd, operands) => match &operands[..] {
            [a, Expr::Int(s)] | [Expr::Int(s), a] if is_index(a) => Some(*s),
            [a, Expr::Op(Op::Neg, s)] if is_index(a) => match s[..] {
                [Expr::Int(s)] => s.checked_neg(),
                _ => None,
            },
            _ => None,
        },
        Expr::Op(Op::Sub | Op::WrapSub, operands) => match &operands[..] {
            [a, Expr::Int(s)] if is_index(a) => s.checked_neg(),
            _ => None,
        },
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => None,
    };
    let wraps = matches!(value, Expr::Op(Op::WrapAdd | Op::WrapSub, _));
    step.filter(|s| *s != 0).map(|s| (s, wraps))
}

/// The condition as a comparison with the index on the left: operator, index and bound.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn comparison(
    condition: &Expr,
    index: VarId,
    is_integer: impl Fn(&Expr) -> bool,
) -> Option<(Op, &Expr)> {
    let (condition, negated) = match condition {
        Expr::Op(Op::Not, operands) => (operands.first()?, true),
        c @ (Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_)) => (c, false),
    };
    let Expr::Op(op, operands) = condition else {
        return None;
    };
    let [a, b] = &operands[..] else { return None };
    let is_index = |e: &Expr| *e == Expr::var(index);
    let (op, bound) = if is_index(a) {
        (*op, b)
    } else if is_index(b) {
        let turned = match op {
            Op::Lt => Op::Gt,
            Op::Le => Op::Ge,
            Op::Gt => Op::Lt,
            Op::Ge => Op::Le,
            _ => return None,
        };
        (turned, a)
    } else {
        return None;
    };
    let op = match (op, negated) {
        (Op::Lt | Op::Le | Op::Gt | Op::Ge, false) => op,
        // Only comparisons of integers can be negated: one with NaN is false, and so is its opposite.
        _ if !is_integer(bound) => return None,
        (Op::Lt, true) => Op::Ge,
        (Op::Le, true) => Op::Gt,
        (Op::Gt, true) => Op::Le,
        (Op::Ge, true) => Op::Lt,
        _ => return None,
    };
    Some((op, bound))
}
