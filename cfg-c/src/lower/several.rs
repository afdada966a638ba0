//! Pointers that may point into several arrays: a statement that uses one is written once for each array, in the arms
//! of a branch.

use super::{Lowered, routine::Body, slot::Slot};
use crate::{
    ast::{DeclId, ExprId, ExprKind},
    codes,
};
use cfg_core::ir::{Expr, Op};

/// Most copies of one statement, for all combinations of arrays that its pointers may point into.
const MAX_WAYS: usize = 64;

impl Body<'_, '_> {
    /// The pointers of an expression that may point into several arrays, and have not been decided on.
    pub(super) fn undecided_pointers(&self, e: ExprId) -> Vec<DeclId> {
        let mut found = Vec::new();
        if !self.several {
            return found;
        }
        let unit = self.l.unit;
        let mut assigned = Vec::new();
        unit.walk(e, &mut |e| {
            if let ExprKind::Assign(None, target, _) = unit.expr(e).kind {
                assigned.push(target);
            }
        });
        // The expressions to visit. With a value behind statements, the first expression of these: variables declared
        // from there on are set by the statements themselves.
        let mut open = vec![(e, u32::MAX)];
        while let Some((e, first)) = open.pop() {
            unit.walk(e, &mut |e| match &unit.expr(e).kind {
                ExprKind::Name(d)
                    if !assigned.contains(&e)
                        && !found.contains(d)
                        && unit.decl(*d).place < first
                        && !self.bound.contains_key(d)
                        && matches!(self.slots.get(d), Some(Slot::Walker(w)) if w.targets.len() > 1) =>
                {
                    found.push(*d);
                }
                ExprKind::Inlined(inlined) => {
                    let first = inlined.part.start.min(first);
                    open.extend(inlined.value.map(|value| (value, first)));
                }
                _ => {}
            });
        }
        found
    }

    /// Translates an expression once for each of the arrays that its pointers may point into, in the arms of branches.
    pub(super) fn decide_pointers(
        &mut self,
        e: ExprId,
        emit: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let open = self.undecided_pointers(e);
        if open.is_empty() {
            return emit(self);
        }
        let unit = self.l.unit;
        let mut ways = 1usize;
        let mut clash = None;
        unit.walk(e, &mut |inner| {
            // The statements of a function in place of a call are translated in the arms: they must not assign a
            // pointer that has been decided on.
            if let ExprKind::Inlined(inlined) = &unit.expr(inner).kind {
                for k in inlined.part.clone() {
                    if let ExprKind::Assign(None, target, _) = unit.exprs[k as usize].kind
                        && let ExprKind::Name(d) = unit.expr(target).kind
                        && open.contains(&d)
                    {
                        clash = Some(target);
                    }
                }
            }
            if let ExprKind::Assign(None, target, _) = unit.expr(inner).kind
                && let ExprKind::Name(d) = unit.expr(target).kind
                && inner != e
                && open.contains(&d)
            {
                clash = Some(target);
            }
        });
        for d in &open {
            if let Some(Slot::Walker(walker)) = self.slots.get(d) {
                ways = ways.saturating_mul(walker.targets.len());
            }
        }
        if clash.is_some() || ways > MAX_WAYS {
            let at = unit.expr(clash.unwrap_or(e)).at;
            let message = if clash.is_some() {
                "a pointer that may point into several arrays is assigned and used in one expression"
            } else {
                "the pointers of this expression may point into too many arrays"
            };
            return self.error(&codes::POINTER, at, message, "use statements of their own");
        }
        self.emit_arms(&open, emit)
    }

    /// Writes the arms for the next pointer. Recursion is as deep as there are pointers, at most log2 of
    /// [`MAX_WAYS`].
    fn emit_arms(
        &mut self,
        open: &[DeclId],
        emit: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let Some((&d, rest)) = open.split_first() else {
            return emit(self);
        };
        let Some(Slot::Walker(walker)) = self.slots.get(&d).cloned() else {
            return Err(super::Failed);
        };
        let Some(selector) = walker.selector else {
            return self.emit_arms(rest, emit);
        };
        let last = walker.targets.len() - 1;
        let mut done = Ok(());
        for k in 0..=last {
            if k < last {
                self.set_span();
                let test = Expr::op(Op::Eq, [Expr::var(selector), Expr::Int(k as i64)]);
                self.f.begin_if(test);
            }
            // After a failure the other arms would only repeat the problem.
            if done.is_ok() {
                self.bound.insert(d, k);
                done = self.emit_arms(rest, emit);
                self.bound.remove(&d);
            }
            if k < last {
                self.f.begin_else();
            }
        }
        for _ in 0..last {
            self.f.end_if();
        }
        done
    }
}
