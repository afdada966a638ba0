//! Two passes of a loop around a loop with a sum, such as the adjoint of `y[j] := y[j] - s*x[j]` for each row: the
//! inner loops run as one (unroll-and-jam, Callahan, Cocke, Kennedy, 1988).
//!
//! Additions to one sum wait for each other. Additions to the sums of two passes do not, and elements that both read
//! are loaded once. Each sum has its terms in the order that it had, each element its increments, so that no bit of the
//! results depends on that.
//!
//! Statements stand behind the first pass's inner loop and in front of the second one's. If the second inner loop needs
//! one of them, it is moved in front of both loops (`early`), on variables of its own; the others stay behind both.
//! Calls of functions are moved, too: a sum that lives across one is held in memory by gcc, inside of the loop as well.

use super::{
    Emitted,
    body::Pushed,
    linear::{Bounds, Linear},
    lines::Statement,
    operators::{Code, Infix, Prefix, precedence::POSTFIX},
    statement::stack,
    unrolled::{Counted, by_one, counted, names, next_pass},
    variable::Kind,
    writer::Writer,
};
use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    flat::{FlatExpr, FlatStmt},
    ir::{Cfg, Expr, LoopTest, Op, OpClass, Place, ScalarType, Stmt, VertexKind},
    structure::Structure,
};
use std::collections::{BTreeMap, BTreeSet};

/// Most statements of a pass outside of its inner loop, and inside.
const MOST_OUTSIDE: usize = 12;
const MOST_INSIDE: usize = 6;

/// A statement, with what it comes from and what it reads and writes.
#[derive(Clone)]
struct Step {
    vertex: VertexId,
    position: usize,
    statement: Stmt,
    reads: Vec<Place>,
    target: Option<Place>,
    /// The tape and the stack that it pushes to or pops from.
    stack: Option<(VarId, &'static str)>,
    calls: bool,
}

impl Step {
    /// The variable that it assigns, of a scalar.
    fn scalar(&self) -> Option<VarId> {
        self.target.as_ref().filter(|t| is_scalar(t)).map(|t| t.var)
    }
}

/// A loop whose passes have one loop inside.
struct Nest<'c> {
    index: VarId,
    first: &'c Expr,
    last: &'c Expr,
    step: i64,
    before: Vec<Step>,
    inner: Counted<'c>,
    sums: Vec<Step>,
    behind: Vec<Step>,
    /// Pushes of a pass, if room is to be made for them.
    pushed: Pushed,
}

/// Two passes, of which the inner loops run as one.
struct Jammed {
    early: Vec<(Step, BTreeSet<VarId>)>,
    /// The sums of the second pass.
    second: Vec<Step>,
    /// True if statements of the two inner loops can stand in turn.
    alternate: bool,
    late: Vec<(Step, BTreeSet<VarId>)>,
    /// The variables of which the second pass has others.
    own: BTreeSet<VarId>,
    /// Variables of `own` that are first assigned inside the inner loop.
    inside: BTreeSet<VarId>,
}

impl Writer<'_> {
    /// Writes a loop two passes at a time, with one inner loop for both; the edge behind it.
    pub(super) fn emit_jammed(
        &mut self,
        cfg: &Cfg,
        structure: &Structure,
        v: VertexId,
        test: &LoopTest,
    ) -> Emitted<Option<EdgeId>> {
        let nest = self.find_nest(cfg, structure, v, test);
        let Some((nest, jammed)) = nest.and_then(|nest| self.jam(&nest).map(|j| (nest, j))) else {
            return Ok(None);
        };
        self.pieces.begin_statement();
        self.open_place();
        self.note_read(nest.index);
        let i = self.scalar_place(nest.index)?.at_least(POSTFIX);
        let first = self.emit_scalar(nest.first)?;
        let mut last = self.emit_scalar(nest.last)?;
        let at = |v: VertexId| structure.position[v.index()] as usize;
        let end = structure.partner(v).unwrap_or(v);
        if !self.is_invariant(nest.last, nest.index, &(at(v) + 1..at(end))) {
            last = self.keep("last", last);
        }
        // The last but one is compared, not the sum, which might overflow.
        let (strict, sign, by) = match nest.step {
            1 => (Infix::Lt, Infix::Le, Infix::AddTo),
            _ => (Infix::Gt, Infix::Ge, Infix::SubFrom),
        };
        let (test, two) = (i.clone().is(strict, last.clone()), i.clone().with(by, 2));
        let mut others: BTreeMap<VarId, Code> = BTreeMap::new();
        for &x in &jammed.own {
            let variable = &self.variables.all[x.index()];
            let (ty, name) = (variable.ty, variable.kind.name().clone());
            others.insert(x, self.declare_helper(&format!("{name}_next"), ty));
        }
        let was_roomy = self.roomy;
        self.roomy |= self.room_for_passes(&nest.pushed, &first, &last, nest.step)?;
        let begin = Some(i.clone().set(first));
        self.add(Statement::For(begin, [test, two].into(), false));
        self.open_indices.push(nest.index);
        self.emit_each(&nest.before)?;
        for (step, own) in &jammed.early {
            self.emit_renamed(step, own, &others)?;
        }
        // Variables keep their values if the inner loop has no passes.
        for x in &jammed.inside {
            let own = self.scalar_place(*x)?;
            self.note_read(*x);
            if let Some(other) = others.get(x) {
                self.set(other, own);
            }
        }
        self.begin_inner(&nest.inner)?;
        for (k, step) in jammed.second.iter().enumerate() {
            // Increments of one element next to each other are stored once.
            let range = match (jammed.alternate, k) {
                (true, _) => k..k + 1,
                (false, 0) => 0..nest.sums.len(),
                (false, _) => 0..0,
            };
            self.emit_each(&nest.sums[range])?;
            self.emit_renamed(step, &jammed.own, &others)?;
        }
        self.end_inner();
        for (step, own) in &jammed.late {
            self.emit_renamed(step, own, &others)?;
        }
        self.pieces.begin_statement();
        for (x, other) in &others {
            let own = self.scalar_place(*x)?;
            self.note_read(*x);
            self.set(&own, other.clone());
        }
        self.back_to_open();
        self.lines.close_block();
        self.add(Statement::If(i.is(sign, last)));
        self.emit_each(&nest.before)?;
        self.begin_inner(&nest.inner)?;
        self.emit_each(&nest.sums)?;
        self.end_inner();
        self.emit_each(&nest.behind)?;
        self.pieces.begin_statement();
        self.back_to_open();
        self.open_indices.pop();
        self.lines.close_block();
        self.roomy = was_roomy;
        self.close_place();
        let exit = |e: &&EdgeId| structure.kind(**e).loop_exit;
        Ok(cfg.out_edges(v).iter().find(exit).copied())
    }

    fn emit_each(&mut self, steps: &[Step]) -> Emitted<()> {
        steps.iter().try_for_each(|step| {
            self.set_place(Some((step.vertex, Some(step.position))));
            self.emit_statement(&step.statement, false)
        })
    }

    /// Writes a statement with other variables in the place of some.
    fn emit_renamed(
        &mut self,
        step: &Step,
        own: &BTreeSet<VarId>,
        others: &BTreeMap<VarId, Code>,
    ) -> Emitted<()> {
        let mut kept: Vec<(VarId, Kind)> = Vec::new();
        for &x in own {
            if let Some(name) = others.get(&x).and_then(|other| other.names().next()) {
                let kind = &mut self.variables.all[x.index()].kind;
                kept.push((x, std::mem::replace(kind, Kind::Value(name.clone()))));
            }
        }
        let done = self.emit_each(std::slice::from_ref(step));
        for (x, kind) in kept {
            self.variables.all[x.index()].kind = kind;
        }
        done
    }

    fn begin_inner(&mut self, inner: &Counted<'_>) -> Emitted<()> {
        self.pieces.begin_statement();
        self.note_read(inner.index);
        let j = self.scalar_place(inner.index)?.at_least(POSTFIX);
        let first = self.emit_scalar(inner.first)?;
        let last = self.emit_scalar(inner.last)?;
        let by = match inner.step {
            1 => Prefix::Increment,
            _ => Prefix::Decrement,
        };
        let begin = Some(j.clone().set(first));
        let test = self.within(j.clone(), (inner.last, last), inner.step == 1)?;
        let rest = [test, j.prefix(by)];
        self.add(Statement::For(begin, rest.into(), false));
        self.open_indices.push(inner.index);
        Ok(())
    }

    fn end_inner(&mut self) {
        self.open_indices.pop();
        self.lines.close_block();
    }

    fn find_nest<'c>(
        &self,
        cfg: &'c Cfg,
        structure: &Structure,
        v: VertexId,
        test: &'c LoopTest,
    ) -> Option<Nest<'c>> {
        let (index, [first, last], step) = by_one(test)?;
        let is_counter = |v: VarId| self.is_own(v) && self.counters.contains(&v);
        if self.is_checked() || !is_counter(index) {
            return None;
        }
        let edge = |v: VertexId, is_body: bool| {
            let wanted = |e: &&EdgeId| match is_body {
                true => structure.kind(**e).loop_body,
                false => structure.kind(**e).loop_exit,
            };
            let found = cfg.out_edges(v).iter().find(wanted);
            found.map(|&e| cfg.edge(e).to)
        };
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let mut inner: Option<Counted<'c>> = None;
        let mut at = edge(v, true)?;
        while Some(at) != structure.partner(v) {
            match &cfg.vertex(at).kind {
                VertexKind::Block(statements) => {
                    if before.len() + behind.len() + statements.len() > MOST_OUTSIDE {
                        return None;
                    }
                    for (k, statement) in statements.iter().enumerate() {
                        let step = step_of((at, k), statement)?;
                        match &inner {
                            None => before.push(step),
                            Some(_) => behind.push(step),
                        }
                    }
                    at = cfg.edge(*cfg.out_edges(at).first()?).to;
                }
                VertexKind::Loop { test, .. } if inner.is_none() => {
                    inner = counted(cfg, structure, at, test, MOST_INSIDE);
                    inner.as_ref()?;
                    at = edge(at, false)?;
                }
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::Loop { .. }
                | VertexKind::EndLoop
                | VertexKind::Branch(_)
                | VertexKind::EndBranch => return None,
            }
        }
        let inner = inner.filter(|inner| inner.index != index && is_counter(inner.index))?;
        let sums = inner.body.iter().map(|(v, k, s)| step_of((*v, *k), s));
        let sums = sums.collect::<Option<Vec<Step>>>()?;
        if sums.iter().any(|s| s.stack.is_some()) {
            return None;
        }
        let position = |v: VertexId| structure.position[v.index()] as usize;
        let range = position(v) + 1..position(structure.partner(v)?);
        let is_push = |s: &Step| s.stack.is_some() && s.target.is_none();
        let pushes = before.iter().chain(&behind).any(is_push);
        let pushed = match pushes && !self.roomy {
            true => Some(self.pushed_per_pass(cfg, structure, &range)?),
            false => None,
        };
        Some(Nest {
            index,
            first,
            last,
            step,
            before,
            inner,
            sums,
            behind,
            pushed,
        })
    }

    /// The two passes as one, if no value depends on that and there is a sum.
    fn jam(&self, nest: &Nest<'_>) -> Option<Jammed> {
        let sums = &nest.sums;
        if !self.is_private(nest) || !is_worth_it(nest) {
            return None;
        }
        let shift = |steps: &[Step]| -> Option<Vec<Step>> {
            let shifted = steps.iter().map(|s| {
                let statement = next_pass(&s.statement, nest.index, nest.step);
                step_of((s.vertex, s.position), &statement)
            });
            shifted.collect()
        };
        let between: Vec<Step> = [nest.behind.clone(), shift(&nest.before)?].concat();
        let (second, behind) = (shift(sums)?, shift(&nest.behind)?);
        let bounds = bounds_of(nest)?;

        // Statements in front of the second inner loop that it needs.
        let mut needed: BTreeSet<VarId> = scalars(second.iter().flat_map(|s| &s.reads));
        let mut is_early = vec![false; between.len()];
        for (k, step) in between.iter().enumerate().rev() {
            let is_needed = step.scalar().is_some_and(|x| needed.remove(&x));
            if is_needed || step.calls {
                is_early[k] = true;
                needed.extend(scalars(&step.reads));
            }
        }
        let assigned: BTreeSet<VarId> = scalars(sums.iter().flat_map(|s| &s.target));
        let mut own: BTreeSet<VarId> = BTreeSet::new();
        let (mut early, mut late): (Vec<(Step, _)>, Vec<(Step, _)>) = Default::default();
        for (step, is_early) in between.into_iter().zip(is_early) {
            if !is_early {
                late.push((step, own.clone()));
                continue;
            }
            // An early statement must not need results of the first inner loop, nor pass one with the same cells or
            // stack.
            let is_late = |x: &VarId| !own.contains(x) && assigned.contains(x);
            let meets = |other: &Step| may_meet(&bounds, &step, other, false);
            let is_after = |other: &Step| step.stack.is_some() && step.stack == other.stack;
            let reads = scalars(&step.reads);
            let target = step.scalar()?;
            let is_changed = reads.contains(&target) && !own.contains(&target);
            let is_passing = |(other, _): &(Step, _)| meets(other) || is_after(other);
            let is_used = |other: &_| is_used_late(other, target);
            if reads.iter().any(is_late)
                || is_changed
                || sums.iter().any(meets)
                || late.iter().any(is_passing)
                || late.iter().any(is_used)
            {
                return None;
            }
            let mut with_target = own.clone();
            with_target.insert(target);
            early.push((step, with_target.clone()));
            own = with_target;
        }
        let in_front = own.clone();
        // Sums over all passes, and elements with increments of both passes in another order, stay as they are.
        let targets = scalars(second.iter().flat_map(|s| &s.target));
        for step in &second {
            let carried =
                |x: &VarId| !own.contains(x) && (targets.contains(x) || assigned.contains(x));
            let meets = |other: &Step| may_meet(&bounds, step, other, true);
            let passes = |(other, _): &(Step, _)| may_meet(&bounds, step, other, false);
            let target = step.scalar();
            let is_used = |other: &_| target.is_some_and(|x| is_used_late(other, x));
            if scalars(&step.reads).iter().any(carried)
                || sums.iter().any(meets)
                || late.iter().any(passes)
                || late.iter().any(is_used)
            {
                return None;
            }
            own.extend(target);
        }
        let inside: BTreeSet<VarId> = own.difference(&in_front).copied().collect();
        let is_changed = |(step, _): &(Step, _)| step.scalar().is_some_and(|x| inside.contains(&x));
        if !own.iter().all(|x| self.is_own(*x)) || late.iter().any(is_changed) {
            return None;
        }
        let mut pairs = (1..).zip(&second);
        let alternate = pairs.all(|(k, step)| {
            let mut passed = sums.iter().skip(k);
            passed.all(|other| !may_meet(&bounds, step, other, false))
        });
        late.extend(behind.into_iter().map(|step| (step, own.clone())));
        Some(Jammed {
            early,
            second,
            alternate,
            late,
            own,
            inside,
        })
    }

    /// True if nothing that a pass assigns shares cells with another variable, and nothing that bounds name is
    /// assigned.
    fn is_private(&self, nest: &Nest<'_>) -> bool {
        let all = || nest.before.iter().chain(&nest.sums).chain(&nest.behind);
        let mut named: BTreeSet<VarId> = [nest.index, nest.inner.index].into();
        let mut bounds = named.clone();
        for e in [nest.first, nest.last, nest.inner.first, nest.inner.last] {
            e.walk_places(&mut |place| {
                bounds.insert(place.var);
            });
        }
        for step in all() {
            named.extend(step.reads.iter().map(|place| place.var));
            named.extend(step.target.iter().map(|place| place.var));
        }
        let is_apart = |target: VarId| {
            let shares = |v: &VarId| *v != target && self.locations.may_share(*v, target);
            !named.iter().chain(&bounds).any(shares)
                && !bounds.contains(&target)
                && self.pool_of(target).is_none()
        };
        let is_real = |v: VarId| {
            let ty = self.routine.variable(v).ty;
            matches!(ty, ScalarType::Real | ScalarType::Real32)
        };
        let is_one =
            |p: &Place| !p.subscripts.is_empty() || self.routine.variable(p.var).rank() == 0;
        let inner = &nest.inner;
        let is_rectangular = !names(inner.first, nest.index)
            && !names(inner.last, nest.index)
            && !names(nest.first, inner.index)
            && !names(nest.last, inner.index);
        is_rectangular
            && all().all(|step| {
                let is_fine = |t: &Place| is_apart(t.var) && is_real(t.var) && is_one(t);
                step.target.iter().all(is_fine) && step.reads.iter().all(is_one)
            })
    }
}

/// An assignment, a push, or a scalar that is popped.
fn step_of((vertex, position): (VertexId, usize), statement: &Stmt) -> Option<Step> {
    let (target, value, stack) = match FlatStmt::view(&statement.kind) {
        FlatStmt::Assign { target, value } => (Some(target), Some(value), None),
        FlatStmt::Push { tape, class, value } => (None, Some(value), Some((tape, stack(class).0))),
        FlatStmt::Pop {
            tape,
            class,
            target,
        } if is_scalar(target) => (Some(target), None, Some((tape, stack(class).0))),
        FlatStmt::Pop { .. }
        | FlatStmt::Call { .. }
        | FlatStmt::Opaque { .. }
        | FlatStmt::Stop { .. } => return None,
    };
    let mut step = Step {
        vertex,
        position,
        statement: statement.clone(),
        reads: Vec::new(),
        target: target.cloned(),
        stack,
        calls: false,
    };
    let mut is_plain = true;
    for e in target.iter().flat_map(|t| t.subscript_exprs()).chain(value) {
        e.walk(&mut |e| match FlatExpr::view(e) {
            FlatExpr::Constant(_) => {}
            FlatExpr::Place(place) => step.reads.push(place.clone()),
            FlatExpr::Op(
                Op::Add | Op::Sub | Op::Mul | Op::Div | Op::StrongMul | Op::Neg | Op::Convert(..),
                _,
            ) => {}
            FlatExpr::Op(Op::If | Op::And | Op::Or, _) => is_plain = false,
            FlatExpr::Op(op, _) => {
                is_plain &= op.class() == OpClass::Elemental;
                step.calls = true;
            }
        });
    }
    let mut places = step.reads.iter().chain(&step.target);
    (is_plain && places.all(|p| is_scalar(p) || p.is_element())).then_some(step)
}

/// True of a nest with a sum inside, of which no pass calls a function between the inner loops of two: what lives
/// across a call has no register in either, since calls of C keep none of those for reals.
fn is_worth_it(nest: &Nest<'_>) -> bool {
    let inner = &nest.inner;
    let is_fixed = inner.first.constant().is_some() && inner.last.constant().is_some();
    let is_sum = |s: &Step| s.scalar().is_some_and(|x| scalars(&s.reads).contains(&x));
    let is_calling = nest.sums.iter().chain(&nest.behind).any(|s| s.calls);
    !is_fixed && !is_calling && nest.sums.iter().any(is_sum)
}

/// True if a statement behind the inner loops names a variable of the second pass.
fn is_used_late((step, own): &(Step, BTreeSet<VarId>), v: VarId) -> bool {
    own.contains(&v) && (step.scalar() == Some(v) || scalars(&step.reads).contains(&v))
}

fn is_scalar(place: &Place) -> bool {
    place.subscripts.is_empty()
}

fn scalars<'p>(places: impl IntoIterator<Item = &'p Place>) -> BTreeSet<VarId> {
    let scalars = places.into_iter().filter(|place| is_scalar(place));
    scalars.map(|place| place.var).collect()
}

/// Bounds of the indices in the first of two passes.
fn bounds_of(nest: &Nest<'_>) -> Option<Bounds> {
    let range = |first: &Expr, last: &Expr, step: i64| {
        let (first, last) = (Linear::of(first)?, Linear::of(last)?);
        Some(if step > 0 {
            [first, last]
        } else {
            [last, first]
        })
    };
    let [mut low, mut high] = range(nest.first, nest.last, nest.step)?;
    // There is a pass behind this one.
    match nest.step {
        1 => high.constant = high.constant.checked_sub(1)?,
        _ => low.constant = low.constant.checked_add(1)?,
    }
    let inner = &nest.inner;
    let inside = range(inner.first, inner.last, inner.step)?;
    Some(Bounds {
        of: [(nest.index, [low, high]), (inner.index, inside)].into(),
        inner: inner.index,
    })
}

/// True if one of two statements may assign an element that the other one names. If both are of inner loops, passes
/// of these at the same index keep their order.
fn may_meet(bounds: &Bounds, a: &Step, b: &Step, are_inner: bool) -> bool {
    let meets = |target: &Place, other: &Place| {
        let is_same = !is_scalar(target) && target.var == other.var;
        is_same && !bounds.are_apart(target, other, are_inner)
    };
    let one_way = |a: &Step, b: &Step| {
        let mut named = b.reads.iter().chain(&b.target);
        named.any(|p| a.target.iter().any(|target| meets(target, p)))
    };
    one_way(a, b) || one_way(b, a)
}
