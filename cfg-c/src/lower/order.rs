//! Operands of which C does not say which is evaluated first.

use super::{Failed, Lowered, routine::Body};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Inlined},
    codes,
    types::Type,
};
use std::collections::BTreeSet;

/// What an expression does to variables that are named in it.
#[derive(Default)]
struct Touched {
    /// Assigned as a whole, or an element of it.
    written: BTreeSet<DeclId>,
    read: BTreeSet<DeclId>,
    /// Handed by pointer to a call that may write there.
    passed: BTreeSet<DeclId>,
    /// A function of the file is called.
    calls: bool,
    /// Read and written by functions that stand in place of their calls: their statements come before the expression.
    read_before: BTreeSet<DeclId>,
    written_before: BTreeSet<DeclId>,
    /// Something behind a pointer is written by such a function.
    written_behind: bool,
    /// Something is read that pointers may lead to.
    read_behind: bool,
}

impl Body<'_, '_> {
    fn touched(&self, e: ExprId, out: &mut Touched) {
        let unit = self.l.unit;
        unit.walk(e, &mut |e| match &unit.expr(e).kind {
            ExprKind::Name(d) | ExprKind::Literal(d) => {
                out.read.insert(*d);
                let decl = unit.decl(*d);
                let is_behind = !matches!(decl.ty.ty, Type::Arith(_) | Type::Struct(_));
                out.read_behind |= is_behind || decl.address || decl.kind == DeclKind::Global;
            }
            ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                out.written.extend(unit.root(*target));
            }
            ExprKind::Inlined(inlined) => self.touched_in_place(inlined, out),
            ExprKind::Call(f, arguments) => {
                if let ExprKind::Name(d) = unit.expr(*f).kind
                    && let Some(g) = unit.decl(d).definition
                {
                    out.calls = true;
                    let parameters = &unit.functions[g].parameters;
                    for (p, a) in parameters.iter().zip(arguments.iter()) {
                        if unit.is_pointer(*a) && self.l.facts.is_written(*p) {
                            out.passed.extend(unit.root(*a));
                        }
                    }
                }
            }
            _ => {}
        });
    }

    /// What a function does that stands in place of its call: its statements come before the whole expression, so that no
    /// operand to the left may read what it changes.
    fn touched_in_place(&self, inlined: &Inlined, out: &mut Touched) {
        let unit = self.l.unit;
        out.calls = true;
        // The value stands where the call does.
        let mut here = BTreeSet::new();
        if let Some(value) = inlined.value {
            unit.walk(value, &mut |e| {
                here.insert(e);
            });
            self.touched(value, out);
        }
        for a in &inlined.arguments {
            let mut given = Touched::default();
            self.touched(*a, &mut given);
            out.written.extend(given.written);
            out.read_before.extend(given.read);
        }
        let part = inlined.part.clone().map(ExprId);
        for e in part.filter(|e| !here.contains(e)) {
            match &unit.expr(e).kind {
                ExprKind::Name(d) => {
                    out.read_before.insert(*d);
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
                ExprKind::Call(f, arguments) => {
                    if let ExprKind::Name(d) = unit.expr(*f).kind
                        && let Some(g) = unit.decl(d).definition
                    {
                        let parameters = unit.functions[g].parameters.iter();
                        let mut given = parameters.zip(arguments.iter());
                        out.written_behind |=
                            given.any(|(p, a)| unit.is_pointer(*a) && self.l.facts.is_written(*p));
                    }
                }
                _ => {}
            }
        }
    }

    /// Refuses operands of which one changes what another uses; a call between them that may do so is warned of.
    /// `target` is a variable that is assigned after all of them.
    pub(super) fn unordered(&mut self, operands: &[ExprId], target: Option<DeclId>) -> Lowered<()> {
        let unit = self.l.unit;
        if !operands.iter().any(|e| unit.expr(*e).effects) {
            return Ok(());
        }
        let mut before = Touched::default();
        let mut failed = false;
        for &e in operands {
            let mut now = Touched::default();
            self.touched(e, &mut now);
            let mut clash: Option<DeclId> = None;
            clash = clash.or_else(|| {
                now.written
                    .iter()
                    .find(|d| {
                        before.read.contains(d)
                            || before.read_before.contains(d)
                            || before.written.contains(d)
                    })
                    .copied()
            });
            clash = clash.or_else(|| {
                now.written_before
                    .intersection(&before.read)
                    .next()
                    .copied()
            });
            clash = clash.or_else(|| {
                before
                    .written
                    .iter()
                    .find(|d| now.read.contains(d) || now.read_before.contains(d))
                    .copied()
            });
            clash = clash.or_else(|| target.filter(|d| now.written.contains(d)));
            let at = unit.expr(e).at;
            if let Some(d) = clash {
                let name = &unit.decl(d).name;
                let message = format!("{name} is changed in one operand and used in another");
                let help = "make the change a statement of its own, before or after";
                self.l.sink.error(&codes::ORDER, at, message, help);
                failed = true;
            } else if before.read_behind && now.written_behind {
                let message = "a function that stands in place of its call changes what another operand may read";
                let help = "make the call a statement of its own, before or after";
                self.l.sink.error(&codes::ORDER, at, message, help);
                failed = true;
            } else {
                self.warn_of_calls(&before, &now, at);
            }
            before.written.extend(now.written);
            before.read.extend(now.read);
            before.passed.extend(now.passed);
            before.calls |= now.calls;
            before.read_before.extend(now.read_before);
            before.written_before.extend(now.written_before);
            before.written_behind |= now.written_behind;
            before.read_behind |= now.read_behind;
        }
        if failed { Err(Failed) } else { Ok(()) }
    }

    /// Refuses or warns of an assignment as [`Self::unordered`] does. A variable itself is assigned after the value is known; elements
    /// of the target's array may be assigned on the way, as in `a[i] = a[j] = 0`.
    pub(super) fn unordered_target(&mut self, target: ExprId, value: ExprId) -> Lowered<()> {
        if let ExprKind::Name(d) = self.l.unit.expr(target).kind {
            return self.unordered(&[value], Some(d));
        }
        let mut operands = self.subscripts_of(target);
        operands.push(value);
        self.unordered(&operands, None)
    }

    fn warn_of_calls(&mut self, a: &Touched, b: &Touched, at: crate::source::Pos) {
        let unit = self.l.unit;
        let shared = |x: &Touched, y: &Touched| {
            let passed = x.passed.iter().find(|d| y.read.contains(d));
            let global = y.read.iter().find(|d| {
                let decl = unit.decl(**d);
                x.calls
                    && matches!(decl.kind, DeclKind::Global)
                    && (!decl.assigned.is_empty() || self.l.facts.is_written(**d))
            });
            let mut before = x.written_before.iter();
            let before = before.find(|d| y.read.contains(d) || y.written_before.contains(d));
            passed.or(global).or(before).copied()
        };
        if let Some(d) = shared(a, b).or_else(|| shared(b, a)) {
            let name = &unit.decl(d).name;
            let message = format!(
                "a call may change {name}, which another operand uses; operands are evaluated from left to right"
            );
            let help = "make the call a statement of its own to say which comes first";
            self.l.sink.warning(&codes::ORDER, at, message, help);
        }
    }
}
