//! Pointers returned by functions to differentiate. A pointer that the caller already has is left out; memory that
//! the function allocates is returned as an array.

use super::{Lowered, routine::Body, slot::Elem};
use crate::points::{self, Root};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, StmtId, StmtKind, StmtNode, Unit},
    calls::{holds_type, reachable},
    codes,
    source::Sink,
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::Expr;
use std::rc::Rc;

/// Changes functions to differentiate to return nothing, if they return only pointers into their parameters or
/// globals, texts or null, and the file does not call them.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize], sink: &mut Sink) {
    tell_of_pointers(unit, roots, sink);
    let returns: Vec<usize> = (roots.iter().copied())
        .filter(|f| returns_pointer(unit, *f))
        .collect();
    if returns.is_empty() {
        return;
    }
    let mut called = vec![false; unit.functions.len()];
    for f in reachable(unit, roots) {
        for k in unit.functions[f].part.clone() {
            if let ExprKind::Name(d) = unit.exprs[k as usize].kind
                && let Some(g) = unit.decl(d).definition
            {
                called[g] = true;
            }
        }
    }
    for f in returns {
        let all = unit.returned_exprs(f);
        if called[f] || !all.iter().all(|e| is_known(unit, *e)) {
            continue;
        }
        let decl = unit.functions[f].decl;
        let Type::Function(signature) = &mut unit.decls[decl.index()].ty.ty else {
            continue;
        };
        Rc::make_mut(signature).result.ty = Type::Void;
        return_nothing(unit, f);
        let name = &unit.decl(decl).name;
        let message = format!("the pointer that {name} returns is left out: its caller has it");
        let help = "take what it leads to as the result";
        sink.warning(&codes::IGNORED, unit.decl(decl).at, message, help);
    }
}

/// True of a pointer to anything but numbers or a structure of numbers, which cannot be a result.
pub(crate) fn has_no_value(unit: &Unit, result: &Qualified) -> bool {
    let is_number = |of: &Qualified| match &of.ty {
        Type::Struct(_) => !has_pointers(unit, of),
        _ => of.arith().is_some(),
    };
    result.target().is_some_and(|of| !is_number(of))
}

fn has_pointers(unit: &Unit, ty: &Qualified) -> bool {
    holds_type(unit, ty, |ty| matches!(ty, Type::Pointer(_)))
}

/// Reports functions to differentiate that return structures with pointers: these cannot be results.
fn tell_of_pointers(unit: &Unit, roots: &[usize], sink: &mut Sink) {
    for f in roots {
        let decl = unit.decl(unit.functions[*f].decl);
        if let Type::Function(signature) = &decl.ty.ty
            && matches!(signature.result.ty, Type::Struct(_))
            && has_pointers(unit, &signature.result)
        {
            let message = format!("pointers in what {} returns are left out", decl.name);
            let help = "write what they lead to through parameters";
            sink.warning(&codes::IGNORED, decl.at, message, help);
        }
    }
}

fn returns_pointer(unit: &Unit, f: usize) -> bool {
    match &unit.decl(unit.functions[f].decl).ty.ty {
        Type::Function(signature) => matches!(
            &signature.result.ty,
            Type::Pointer(to) if !matches!(to.ty, Type::Function(_))
        ),
        _ => false,
    }
}

/// True of pointers into places that the caller can reach itself, of texts and of null.
fn is_known(unit: &Unit, e: ExprId) -> bool {
    let e = points::strip_conversions(unit, e);
    if points::is_null(unit, e) || matches!(unit.expr(e).kind, ExprKind::Str(_)) {
        return true;
    }
    let is_outside = |d: DeclId| {
        let decl = unit.decl(d);
        decl.kind == DeclKind::Parameter || decl.kind == DeclKind::Global && !decl.internal
    };
    let targets = points::targets(unit, e);
    let is_resolved = targets.unknown.is_none() && targets.many.is_none();
    if is_resolved && !targets.shapes.is_empty() {
        return targets.shapes.iter().all(|shape| match shape.root {
            Root::Variable(d) => is_outside(d),
            Root::Heap(_) => false,
        });
    }
    // The pointer may be a member of a structure that a parameter leads to.
    let roots = unit.root_variables(e);
    !roots.is_empty() && roots.into_iter().all(is_outside)
}

/// Returns of a function return nothing.
fn return_nothing(unit: &mut Unit, f: usize) {
    let mut open: Vec<StmtId> = vec![unit.functions[f].body];
    while let Some(s) = open.pop() {
        open.extend(unit.statements_inside(s));
        let StmtKind::Return(Some(e)) = unit.stmt(s).kind else {
            continue;
        };
        let mut list = Vec::new();
        let StmtNode { from, to, .. } = *unit.stmt(s);
        let mut add = |unit: &mut Unit, kind: StmtKind| {
            unit.stmts.push(StmtNode { kind, from, to });
            list.push(StmtId(unit.stmts.len() as u32 - 1));
        };
        if unit.expr(e).effects {
            add(unit, StmtKind::Expr(e));
        } else {
            // The returned expressions are removed, with the names in them.
            let mut parts = Vec::new();
            unit.walk(e, &mut |e| parts.push(e));
            for part in parts {
                unit.exprs[part.index()].kind = ExprKind::Int(0, Arith::INT);
            }
        }
        add(unit, StmtKind::Return(None));
        unit.stmts[s.index()].kind = StmtKind::Block(list);
    }
}

impl Body<'_, '_> {
    /// True if a function to differentiate returns the memory of one allocation, which then is its result.
    pub(super) fn returns_memory(&mut self) -> bool {
        let unit = self.l.unit;
        if !self.l.heads.contains(&self.function) || !returns_pointer(unit, self.function) {
            return false;
        }
        let mut calls = Vec::new();
        for e in unit.returned_exprs(self.function) {
            if points::is_null(unit, points::strip_conversions(unit, e)) {
                continue;
            }
            let targets = points::targets(unit, e);
            if targets.null || targets.unknown.is_some() || targets.many.is_some() {
                return false;
            }
            calls.extend(targets.shapes.into_iter().map(|shape| shape.root));
        }
        calls.dedup();
        match calls[..] {
            [Root::Heap(call)] => self.returned = Some(call),
            _ => return false,
        }
        true
    }

    /// Refuses memory that cannot be a result.
    pub(super) fn result_memory(
        &mut self,
        call: ExprId,
        (elem, fixed): (Elem, bool),
    ) -> Lowered<()> {
        let (message, help) = match elem {
            Elem::Struct(_) => (
                "memory for structures is returned",
                "return one structure of numbers, or write it through a parameter",
            ),
            _ if !fixed => (
                "memory is returned of which the size is not known where the function begins, or changes",
                "make the size of constants and of parameters that are never assigned",
            ),
            _ => return Ok(()),
        };
        let at = self.l.unit.expr(call).at;
        self.error(&codes::LIBRARY, at, message, help)
    }

    /// Returns the memory that is the result, from its beginning.
    pub(super) fn return_memory(&mut self, e: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        let e = points::strip_conversions(unit, e);
        if points::is_null(unit, e) {
            let name = &unit.decl(unit.functions[self.function].decl).name;
            self.set_span();
            self.f.stop(format!("{name} returns null"));
            self.returns_null = true;
            return Ok(());
        }
        let pointer = self.lower_pointer(e)?;
        let begins = pointer.prefix.is_empty() && pointer.offset == Some(Expr::Int(0));
        if begins && self.result.is_some_and(|(v, _)| v == pointer.var) {
            return Ok(());
        }
        self.pointer_problem(e, "a pointer behind the beginning of memory is returned")
    }
}
