//! Operands whose order of evaluation C leaves open (C99 6.5): refuses expressions whose value depends on it, and
//! warns of calls that may depend on it.

use super::{Failed, Lowered, access::Accesses, effects::Effect, routine::Body};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, InitialPart, Inlined, Unary},
    codes,
    source::Pos,
    types::Type,
};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// The effects of an expression on the variables that it names.
#[derive(Default)]
struct Touched {
    written: Accesses,
    /// The written places for which no sequence point lies between the write and the expression's value.
    written_late: Accesses,
    read: Accesses,
    /// The variables that are named.
    named: BTreeSet<DeclId>,
    /// The variables passed by pointer to a call that may write them.
    passed: BTreeSet<DeclId>,
    /// The effects on globals of the functions that are named, and so may be called.
    called: Effect,
    /// The variables read by functions that stand in place of their calls, whose statements come before the
    /// expression; `written_before`: those written by them.
    read_before: BTreeSet<DeclId>,
    written_before: BTreeSet<DeclId>,
    /// True if such a function writes through a pointer.
    written_behind: bool,
    /// True if the expression reads a place that pointers may lead to.
    read_behind: bool,
}

impl Touched {
    fn extend(&mut self, other: Self) {
        self.written.extend(other.written);
        self.written_late.extend(other.written_late);
        self.read.extend(other.read);
        self.named.extend(other.named);
        self.passed.extend(other.passed);
        self.called.extend(&other.called);
        self.read_before.extend(other.read_before);
        self.written_before.extend(other.written_before);
        self.written_behind |= other.written_behind;
        self.read_behind |= other.read_behind;
    }
}

/// The use of an operand.
#[derive(Clone, Copy)]
enum Use {
    /// The value of the operand is used.
    Value,
    /// The place alone is used: its contents are not read.
    Place,
    /// The value is passed to a call, which reads the places that it leads to.
    Passed,
}

impl Body<'_, '_> {
    fn collect_touched(&self, e: ExprId, out: &mut Touched) {
        self.collect_accesses(e, Use::Value, out);
        self.collect_late_writes(e, out);
        self.collect_names(e, out);
    }

    /// Collects the places that an expression writes without a sequence point between the write and its value. A
    /// comma, a condition and a call are sequence points: they follow all writes before them.
    fn collect_late_writes(&self, e: ExprId, out: &mut Touched) {
        let unit = self.l.unit;
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match &unit.expr(e).kind {
                ExprKind::Binary(Binary::Comma | Binary::And | Binary::Or, _, b) => open.push(*b),
                ExprKind::Conditional(_, a, b) => open.extend([*a, *b]),
                ExprKind::Call(..) => {}
                ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                    out.written_late.add_place(unit, *target);
                    open.extend(unit.operands(e));
                }
                _ => open.extend(unit.operands(e)),
            }
        }
    }

    /// The places that an expression reads and writes.
    fn collect_accesses(&self, e: ExprId, wanted: Use, out: &mut Touched) {
        let unit = self.l.unit;
        let mut open = vec![(e, wanted)];
        while let Some((e, wanted)) = open.pop() {
            let node = unit.expr(e);
            let is_array = unit.is_array(e);
            if matches!(wanted, Use::Passed) {
                out.read.add_behind(unit, e);
            }
            match &node.kind {
                ExprKind::Name(_)
                | ExprKind::Literal(_)
                | ExprKind::Member(..)
                | ExprKind::Index(..)
                | ExprKind::Unary(Unary::Deref, _) => {
                    // An array is not read, but where it is.
                    if !matches!(wanted, Use::Place) && !is_array {
                        out.read.add_place(unit, e);
                    }
                    let below = match &node.kind {
                        ExprKind::Member(of, _, false) => vec![(*of, Use::Place)],
                        _ => unit.operands(e).into_iter().map(value).collect(),
                    };
                    open.extend(below);
                }
                ExprKind::Assign(op, target, by) => {
                    out.written.add_place(unit, *target);
                    if op.is_some() {
                        out.read.add_place(unit, *target);
                    }
                    open.extend([(*target, Use::Place), (*by, Use::Value)]);
                }
                ExprKind::Step { of, .. } => {
                    out.written.add_place(unit, *of);
                    out.read.add_place(unit, *of);
                    open.push((*of, Use::Place));
                }
                ExprKind::Unary(Unary::Address, of) => open.push((*of, Use::Place)),
                ExprKind::Call(f, arguments) => {
                    open.push((*f, Use::Value));
                    open.extend(arguments.iter().map(|a| (*a, self.passed_as(*a))));
                }
                _ => open.extend(unit.operands(e).into_iter().map(value)),
            }
        }
    }

    /// The use that a call makes of an argument.
    fn passed_as(&self, a: ExprId) -> Use {
        match self.l.unit.expr(a).ty.as_ref().map(|ty| &ty.ty) {
            Some(Type::Arith(_)) => Use::Value,
            _ => Use::Passed,
        }
    }

    /// Collects the variables that an expression names, and the effects of its calls.
    fn collect_names(&self, e: ExprId, out: &mut Touched) {
        let unit = self.l.unit;
        unit.walk(e, &mut |e| match &unit.expr(e).kind {
            ExprKind::Name(d) | ExprKind::Literal(d) => {
                out.named.insert(*d);
                let decl = unit.decl(*d);
                if let Some(effect) = self.l.effects.of_name(unit, *d) {
                    out.called.extend(effect);
                }
                let is_behind = !matches!(decl.ty.ty, Type::Arith(_) | Type::Struct(_));
                out.read_behind |= is_behind || decl.address || decl.kind == DeclKind::Global;
            }
            ExprKind::Inlined(inlined) => self.touched_in_place(inlined, out),
            ExprKind::Call(f, _) => {
                if self.calls_pointer(*f) {
                    out.called.extend(self.l.effects.of_any());
                }
                let written = self.l.facts.written_arguments(unit, e);
                out.passed
                    .extend(written.filter_map(|a| unit.root_variable(a)));
            }
            _ => {}
        });
    }

    /// Collects the effects of a function that stands in place of its call. Its statements come before the whole
    /// expression, so no operand to the left may read a variable that it changes.
    fn touched_in_place(&self, inlined: &Inlined, out: &mut Touched) {
        let unit = self.l.unit;
        // The value of the function stands in the expression, where the call is.
        let mut here = BTreeSet::new();
        if let Some(value) = inlined.value {
            unit.walk(value, &mut |e| {
                here.insert(e);
            });
            self.collect_touched(value, out);
        }
        for a in &inlined.arguments {
            let mut given = Touched::default();
            self.collect_touched(*a, &mut given);
            out.written.extend(given.written);
            out.read_before.extend(given.named);
        }
        let part = inlined.part.clone().map(ExprId);
        for e in part.filter(|e| !here.contains(e)) {
            match &unit.expr(e).kind {
                ExprKind::Name(d) => {
                    out.read_before.insert(*d);
                    if let Some(effect) = self.l.effects.of_name(unit, *d) {
                        out.called.extend(effect);
                    }
                }
                ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                    match unit.expr(*target).kind {
                        ExprKind::Name(d) => {
                            out.written_before.insert(d);
                            out.written_behind |= unit.decl(d).kind == DeclKind::Global;
                        }
                        _ => out.written_behind = true,
                    }
                }
                ExprKind::Call(..) => {
                    let mut written = self.l.facts.written_arguments(unit, e);
                    out.written_behind |= written.next().is_some();
                }
                _ => {}
            }
        }
    }

    /// Refuses operands if one changes a place that another uses; warns if a call in one may do so. `target` is a
    /// variable that is assigned after all of them.
    pub(super) fn refuse_unordered(
        &mut self,
        operands: &[ExprId],
        target: Option<DeclId>,
    ) -> Lowered<()> {
        let unit = self.l.unit;
        if !operands.iter().any(|e| unit.expr(*e).effects) {
            return Ok(());
        }
        let mut all = Vec::new();
        for &e in operands {
            let mut now = Touched::default();
            self.collect_touched(e, &mut now);
            all.push((e, now));
        }
        let target = target.map(|d| Accesses::of_variable(unit, d));
        self.compare_operands(all, target)
    }

    /// Checks an assignment as [`Self::refuse_unordered`] checks operands. A variable is assigned after its value is known.
    /// Other elements of the target's array may be assigned in the value, as in `a[i] = a[j] = 0`.
    pub(super) fn unordered_target(&mut self, target: ExprId, value: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        if let ExprKind::Name(d) = unit.expr(target).kind {
            return self.refuse_unordered(&[value], Some(d));
        }
        if !unit.expr(target).effects && !unit.expr(value).effects {
            return Ok(());
        }
        // The target reads the pointers that lead to its place.
        let mut place = Touched::default();
        self.collect_accesses(target, Use::Place, &mut place);
        self.collect_names(target, &mut place);
        // The assigned element is part of these variables. That the value changes other parts of them does not
        // matter.
        for d in unit.root_variables(target) {
            if matches!(unit.decl(d).ty.ty, Type::Array(..) | Type::Struct(_)) {
                place.named.remove(&d);
            }
        }
        // No call can change a pointer whose address is never taken.
        if let Some(d) = self.own_pointer(target) {
            place.named.remove(&d);
        }
        (place.read_behind, place.written_behind) = (false, false);
        for e in self.subscripts_of(target) {
            self.collect_names(e, &mut place);
        }
        let mut now = Touched::default();
        self.collect_touched(value, &mut now);
        let mut assigned = Accesses::default();
        assigned.add_place(unit, target);
        if let Some(d) = assigned.same(&now.written_late) {
            return self.refuse_order(d, value);
        }
        self.compare_operands(vec![(target, place), (value, now)], None)
    }

    /// The pointer variable through which a place is reached, if its address is never taken and nothing but
    /// subscripts is read on the way.
    fn own_pointer(&self, target: ExprId) -> Option<DeclId> {
        let unit = self.l.unit;
        let (mut e, mut steps) = (target, 0);
        loop {
            let (below, step) = match &unit.expr(e).kind {
                ExprKind::Name(d) => {
                    let decl = unit.decl(*d);
                    let own = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter);
                    return (own && !decl.address && steps < 2).then_some(*d);
                }
                ExprKind::Member(of, _, arrow) => (*of, *arrow),
                ExprKind::Index(of, _) | ExprKind::Unary(Unary::Deref, of) => {
                    (*of, !unit.is_array(*of))
                }
                _ => return None,
            };
            steps += usize::from(step);
            e = below;
        }
    }

    /// Refuses values of one list in braces if one changes a place that another uses, or if one reads the variable
    /// that is initialised: C leaves open the order in which they are evaluated and stored.
    pub(super) fn unordered_parts(&mut self, d: DeclId, given: &[InitialPart]) -> Lowered<()> {
        let unit = self.l.unit;
        let all: Vec<ExprId> = given.iter().map(|(_, e)| *e).collect();
        let own = Accesses::of_variable(unit, d);
        for &e in &all {
            let mut named = false;
            unit.walk(e, &mut |e| {
                named |= matches!(unit.expr(e).kind, ExprKind::Name(of) if of == d);
            });
            let mut now = Touched::default();
            if named {
                self.collect_touched(e, &mut now);
            }
            if own.shared(&now.read).is_some() {
                let name = &unit.decl(d).name;
                let message = format!("{name} is read in its own initial value");
                let help = "assign the values one after the other";
                return self.error(&codes::ORDER, unit.expr(e).at, message, help);
            }
        }
        self.refuse_unordered(&all, Some(d))
    }

    /// Reports that an operand changes a variable that another uses, or the other way round.
    fn refuse_order(&mut self, d: DeclId, e: ExprId) -> Lowered<()> {
        let name = &self.l.unit.decl(d).name;
        let message = format!("{name} is changed in one operand and used in another");
        let help = "make the change a statement of its own, before or after";
        self.error(&codes::ORDER, self.l.unit.expr(e).at, message, help)
    }

    /// Compares the effects of each operand with those of the operands before it.
    fn compare_operands(
        &mut self,
        operands: Vec<(ExprId, Touched)>,
        target: Option<Accesses>,
    ) -> Lowered<()> {
        let unit = self.l.unit;
        let mut before = Touched::default();
        let mut failed = false;
        for (e, now) in operands {
            let at = unit.expr(e).at;
            if let Some(d) = clash(&before, &now, target.as_ref()) {
                failed |= self.refuse_order(d, e).is_err();
            } else if before.read_behind && now.written_behind {
                let message = "a function that stands in place of its call changes what another operand may read";
                let help = "make the call a statement of its own, before or after";
                self.l.sink.error(&codes::ORDER, at, message, help);
                failed = true;
            } else {
                self.warn_of_calls(&before, &now, at);
            }
            before.extend(now);
        }
        if failed { Err(Failed) } else { Ok(()) }
    }

    /// A variable that a call in one of two operands may change while the other uses it, and the words for what the
    /// call may do.
    fn met_by_calls(&self, a: &Touched, b: &Touched) -> Option<(DeclId, &'static str)> {
        let effects = &self.l.effects;
        let passed = a.passed.iter().find(|d| b.named.contains(d));
        let mut numbers = (a.called.written.ones())
            .filter(|k| b.called.read.contains(*k) || b.called.written.contains(*k));
        let by_both = numbers.next().map(|k| effects.global(k));
        let among =
            |set: &FixedBitSet, d: DeclId| effects.number(d).is_some_and(|k| set.contains(k));
        let mut named = b.named.iter().copied();
        let mut written = (b.written.variables()).chain(b.passed.iter().copied());
        let uses = |d: DeclId| among(&b.called.read, d) || among(&b.called.written, d);
        let mut before = a.written_before.iter();
        let mut read_before = a.read_before.iter();
        (passed.copied())
            .or(by_both)
            .or_else(|| named.find(|d| among(&a.called.written, *d)))
            .or_else(|| {
                let met = before
                    .find(|d| b.named.contains(d) || b.written_before.contains(d) || uses(**d));
                let met = met.or_else(|| read_before.find(|d| among(&b.called.written, **d)));
                met.copied()
            })
            .map(|d| (d, "change"))
            .or_else(|| {
                let used = written.find(|d| among(&a.called.read, *d))?;
                Some((used, "use"))
            })
    }

    fn warn_of_calls(&mut self, a: &Touched, b: &Touched, at: Pos) {
        let met = self.met_by_calls(a, b).or_else(|| self.met_by_calls(b, a));
        if let Some((d, may)) = met {
            let name = &self.l.unit.decl(d).name;
            let does = if may == "use" { "changes" } else { "uses" };
            let message = format!(
                "a call may {may} {name}, which another operand {does}; operands are evaluated from left to right"
            );
            let help = "make the call a statement of its own to say which comes first";
            self.l.sink.warning(&codes::ORDER, at, message, help);
        }
    }

    /// Warns of `x += f()` where the call may change `x`.
    pub(super) fn warn_of_updates(&mut self, op: Option<Binary>, target: ExprId, value: ExprId) {
        let unit = self.l.unit;
        if op.is_none() || !unit.expr(value).effects {
            return;
        }
        let Some(d) = unit.root_variable(target) else {
            return;
        };
        let mut now = Touched::default();
        self.collect_touched(value, &mut now);
        let changed = self
            .l
            .effects
            .number(d)
            .is_some_and(|k| now.called.written.contains(k))
            || now.passed.contains(&d);
        if changed {
            let name = &unit.decl(d).name;
            let message = format!(
                "a call may change {name}, to which its value is applied; the call is evaluated first"
            );
            let help = "make the call a statement of its own to say which comes first";
            self.l
                .sink
                .warning(&codes::ORDER, unit.expr(value).at, message, help);
        }
    }

    /// True of a call through an address, not by the name of a function.
    fn calls_pointer(&self, f: ExprId) -> bool {
        let unit = self.l.unit;
        !matches!(unit.expr(f).kind, ExprKind::Name(d) if unit.decl(d).kind == DeclKind::Function)
    }
}

fn value(e: ExprId) -> (ExprId, Use) {
    (e, Use::Value)
}

/// A variable that one operand changes, and another operand or the assignment behind them uses.
fn clash(before: &Touched, now: &Touched, target: Option<&Accesses>) -> Option<DeclId> {
    let written = &now.written;
    let read_before = |of: &Touched, by: &Accesses| {
        let mut all = by.variables();
        all.find(|d| of.read_before.contains(d))
    };
    written
        .shared(&before.read)
        .or_else(|| written.shared(&before.written))
        .or_else(|| read_before(before, written))
        .or_else(|| {
            let mut both = now.written_before.intersection(&before.named);
            both.next().copied()
        })
        .or_else(|| before.written.shared(&now.read))
        .or_else(|| read_before(now, &before.written))
        .or_else(|| target.and_then(|target| target.shared(&now.written_late)))
}
