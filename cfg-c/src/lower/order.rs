//! Operands of which C does not say which is evaluated first.

use super::{Failed, Lowered, routine::Body};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind},
    codes,
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
}

impl Body<'_, '_> {
    fn touched(&self, e: ExprId, out: &mut Touched) {
        let unit = self.l.unit;
        unit.walk(e, &mut |e| match &unit.expr(e).kind {
            ExprKind::Name(d) | ExprKind::Literal(d) => {
                out.read.insert(*d);
            }
            ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                out.written.extend(unit.root(*target));
            }
            ExprKind::Inlined(_) => out.calls = true,
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
                    .find(|d| before.read.contains(d) || before.written.contains(d))
                    .copied()
            });
            clash = clash.or_else(|| {
                before
                    .written
                    .iter()
                    .find(|d| now.read.contains(d))
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
            } else {
                self.warn_of_calls(&before, &now, at);
            }
            before.written.extend(now.written);
            before.read.extend(now.read);
            before.passed.extend(now.passed);
            before.calls |= now.calls;
        }
        if failed { Err(Failed) } else { Ok(()) }
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
            passed.or(global).copied()
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
