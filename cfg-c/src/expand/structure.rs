//! Expressions that are structures with pointers, pointers to them, or members of them.

use super::{
    Expand,
    frame::{Frame, Loc, Value},
    is_zero,
};
use crate::{
    ast::{Binary, DeclKind, ExprId, ExprKind, StmtKind, Unary},
    constant,
    points::strip_conversions,
    types::Arith,
};
use std::rc::Rc;

impl Expand<'_> {
    /// Copies an expression that is a structure with pointers, a pointer to one, or a member of one. `None` for other
    /// expressions.
    pub(super) fn copy_split(&mut self, e: ExprId, frame: &mut Frame) -> Option<Option<ExprId>> {
        let node = self.unit.expr(e);
        let kind = node.kind.clone();
        if let ExprKind::Member(a, name, _) = &kind {
            self.split_of(*a)?;
            let Some(base) = self.resolve_structure(*a, frame) else {
                // Parameters and variables that are kept are refused when they are lowered.
                let root = self.unit.root_variable(*a);
                let new = root.and_then(|d| frame.decls.get(&d));
                if new.is_some_and(|d| self.refused.contains(d)) {
                    return Some(Some(self.add_expr(ExprKind::Bad, e)));
                }
                return match root.map(|d| self.unit.decl(d).kind) {
                    Some(DeclKind::Local) | None => Some(Some(
                        self.refuse(e, "the structure of this member is not known"),
                    )),
                    Some(_) if frame.inline => Some(Some(
                        self.refuse(e, "the structure of this member is not known"),
                    )),
                    Some(_) => None,
                };
            };
            let mut path = base.loc.path.clone();
            path.push(Rc::clone(name));
            let Some(part) = self.part(base.loc.root, &path) else {
                let s = self.split_of(e)?;
                let loc = Loc {
                    root: base.loc.root,
                    path,
                    s,
                };
                let before = base.before;
                frame.values.insert(e, Value { before, loc });
                return Some(None);
            };
            if let Some(loc) = self.pointers.get(&part).cloned() {
                let before = base.before;
                frame.values.insert(e, Value { before, loc });
                return Some(None);
            }
            if self.split_of(e).is_some() {
                return Some(None);
            }
            let value = self.member_value(part, e);
            return Some(Some(self.add_sequence(&base.before, Some(value), e)));
        }
        if let ExprKind::SizeofExpr(a) = kind
            && self.split_of(a).is_some()
        {
            let ty = self.unit.expr(a).ty.clone()?;
            return Some(Some(self.add_expr(ExprKind::SizeofType(Rc::new(ty)), e)));
        }
        if let Some(new) = self.copy_test(e, &kind, frame) {
            return Some(Some(new));
        }
        // A pointer to void may be one to a structure, too.
        if let ExprKind::Name(d) = kind
            && let Some(loc) = frame.decls.get(&d).and_then(|d| self.pointers.get(d))
        {
            let (before, loc) = (Vec::new(), loc.clone());
            frame.values.insert(e, Value { before, loc });
            return Some(None);
        }
        if let ExprKind::Assign(None, target, value) = kind
            && let Some(done) = self.assign_void(e, target, value, frame)
        {
            return Some(done);
        }
        self.split_of(e)?;
        let value = match kind {
            ExprKind::Name(d) => {
                let &new = frame.decls.get(&d)?;
                if self.parts.contains_key(&new) {
                    let s = self.split_of(e)?;
                    let loc = self.whole_structure(new, s);
                    Value {
                        before: Vec::new(),
                        loc,
                    }
                } else if self.unit.decl(new).kind == DeclKind::Local {
                    return Some(None);
                } else {
                    return None;
                }
            }
            ExprKind::Literal(d) => {
                let &new = frame.decls.get(&d)?;
                if !self.parts.contains_key(&new) {
                    return None;
                }
                let s = self.split_of(e)?;
                let before = self.initialised(d, new, e, frame);
                let loc = self.whole_structure(new, s);
                Value { before, loc }
            }
            ExprKind::Unary(Unary::Deref | Unary::Address, a) => {
                match self.resolve_structure(a, frame) {
                    Some(value) => value,
                    None => return self.unknown(e, frame),
                }
            }
            ExprKind::Index(a, i)
                if constant::integer(self.unit, i).is_some_and(|(k, _)| k == 0) =>
            {
                match self.resolve_structure(a, frame) {
                    Some(value) => value,
                    None => return self.unknown(e, frame),
                }
            }
            ExprKind::Cast(_, a) => match self.resolve_structure(a, frame) {
                Some(value) => value,
                None => return Some(None),
            },
            ExprKind::Binary(Binary::Comma, a, b) => {
                let Some(mut value) = self.resolve_structure(b, frame) else {
                    return self.unknown(e, frame);
                };
                let first = frame.copy_of(a);
                value
                    .before
                    .insert(0, self.add_stmt(StmtKind::Expr(first), a));
                value
            }
            ExprKind::Assign(None, target, value) => {
                return Some(self.assign_split(e, target, value, frame));
            }
            ExprKind::Conditional(c, a, b) => {
                let s = self.split_type(self.unit.expr(e).ty.as_ref()?);
                let (yes, no) = (
                    self.resolve_structure(a, frame),
                    self.resolve_structure(b, frame),
                );
                let (Some(s), Some(yes), Some(no)) = (s, yes, no) else {
                    let what = "a pointer to structures that have pointers is chosen";
                    return Some(Some(self.refuse(e, what)));
                };
                let at = self.unit.expr(e).at;
                let root = self.split(s, "chosen", at, frame);
                let loc = self.whole_structure(root, s);
                let condition = frame.copy_of(c);
                let mut arms = Vec::new();
                for mut value in [yes, no] {
                    let copies = self.copies(&loc, &value.loc, e);
                    value.before.extend(copies);
                    arms.push(self.add_stmt(StmtKind::Block(value.before), e));
                }
                let branch = StmtKind::If(vec![(condition, arms[0])], Some(arms[1]));
                let before = vec![self.add_stmt(branch, e)];
                Value { before, loc }
            }
            ExprKind::Call(..) => return None,
            _ => {
                let what = "this structure, which has pointers, is not known";
                return Some(Some(self.refuse(e, what)));
            }
        };
        frame.values.insert(e, value);
        Some(None)
    }

    /// A structure that is not known. Parameters and variables that are kept are refused when they are lowered, other
    /// structures where they are used.
    fn unknown(&self, e: ExprId, frame: &Frame) -> Option<Option<ExprId>> {
        match self.unit.root_variable(e).map(|d| self.unit.decl(d).kind) {
            Some(DeclKind::Parameter) if !frame.inline => None,
            Some(DeclKind::Global | DeclKind::Static) => None,
            _ => Some(None),
        }
    }

    /// Copies a test of a pointer to structures for null: a pointer to a known structure is not null.
    fn copy_test(&mut self, e: ExprId, kind: &ExprKind, frame: &mut Frame) -> Option<ExprId> {
        let pointer = |b: &Self, e: ExprId| {
            let ty = b.unit.expr(e).ty.as_ref();
            ty.is_some_and(|ty| b.split_target(ty).is_some())
        };
        match *kind {
            // The address of a variable is not null.
            ExprKind::Unary(Unary::Not, a) if self.place_of(a, frame).is_some() => {
                Some(self.add_expr(ExprKind::Int(0, Arith::INT), e))
            }
            ExprKind::Binary(op @ (Binary::Eq | Binary::Ne), a, b)
                if self.place_of(a, frame).is_some() && is_zero(self.unit, b)
                    || self.place_of(b, frame).is_some() && is_zero(self.unit, a) =>
            {
                Some(self.add_expr(ExprKind::Int((op == Binary::Ne).into(), Arith::INT), e))
            }
            ExprKind::Unary(Unary::Not, a) if pointer(self, a) => {
                let value = self.resolve_structure(a, frame)?;
                let no = self.add_expr(ExprKind::Int(0, Arith::INT), e);
                Some(self.add_sequence(&value.before, Some(no), e))
            }
            ExprKind::Binary(op @ (Binary::Eq | Binary::Ne), a, b)
                if pointer(self, a) || pointer(self, b) =>
            {
                let left = self.resolve_structure(a, frame);
                let right = self.resolve_structure(b, frame);
                let (equal, before) = match (left, right) {
                    (Some(x), Some(y)) => (x.loc == y.loc, [x.before, y.before].concat()),
                    (Some(x), None) if is_zero(self.unit, b) => (false, x.before),
                    (None, Some(y)) if is_zero(self.unit, a) => (false, y.before),
                    _ => return None,
                };
                let value = i128::from(equal == (op == Binary::Eq));
                let value = self.add_expr(ExprKind::Int(value, Arith::INT), e);
                Some(self.add_sequence(&before, Some(value), e))
            }
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b)
                if pointer(self, a) || pointer(self, b) =>
            {
                let (a, b) = (self.truth(a, frame), self.truth(b, frame));
                Some(self.add_expr(ExprKind::Binary(op, a, b), e))
            }
            _ => None,
        }
    }

    /// Copies a condition. A pointer to a known structure is true.
    pub(super) fn truth(&mut self, e: ExprId, frame: &mut Frame) -> ExprId {
        if self.place_of(e, frame).is_some() {
            return self.add_expr(ExprKind::Int(1, Arith::INT), e);
        }
        if self.split_of(e).is_none() {
            return frame.copy_of(e);
        }
        match self.resolve_structure(e, frame) {
            Some(value) => {
                let yes = self.add_expr(ExprKind::Int(1, Arith::INT), e);
                self.add_sequence(&value.before, Some(yes), e)
            }
            None => frame.copy_of(e),
        }
    }

    /// Assigns a structure, or a pointer to one.
    fn assign_split(
        &mut self,
        e: ExprId,
        target: ExprId,
        value: ExprId,
        frame: &mut Frame,
    ) -> Option<ExprId> {
        let ty = self.unit.expr(target).ty.clone()?;
        if let Some(s) = self.split_type(&ty) {
            let (Some(to), Some(from)) = (
                self.resolve_structure(target, frame),
                self.resolve_structure(value, frame),
            ) else {
                let what = "a structure that has pointers is assigned something that is not known";
                return Some(self.refuse(e, what));
            };
            let _ = s;
            let mut before = [to.before, from.before].concat();
            before.extend(self.copies(&to.loc, &from.loc, e));
            let loc = to.loc;
            frame.values.insert(e, Value { before, loc });
            return None;
        }
        let d = match self.unit.expr(target).kind {
            ExprKind::Name(d) => frame.decls.get(&d).copied(),
            ExprKind::Member(a, ref name, _) => {
                let name = Rc::clone(name);
                self.resolve_structure(a, frame).and_then(|base| {
                    let mut path = base.loc.path.clone();
                    path.push(name);
                    self.part(base.loc.root, &path)
                })
            }
            _ => None,
        };
        let s = self.split_target(&ty)?;
        let Some(d) = d else {
            return Some(self.refuse(e, "a pointer to structures that have pointers is assigned"));
        };
        if is_zero(self.unit, strip_conversions(self.unit, value)) {
            let name = &self.unit.decl(d).name;
            let what =
                format!("{name}, which points to a structure that has pointers, may be null");
            self.refused.insert(d);
            return Some(self.refuse(e, &what));
        }
        let name = self.unit.decl(d).name.to_string();
        let Some(value) = self.allocated(value, s, &name, frame) else {
            let what = "a pointer is assigned a structure that is not known";
            self.refused.insert(d);
            return Some(self.refuse(e, what));
        };
        self.bind(d, value.loc.clone(), true, e);
        frame.values.insert(e, value);
        None
    }
}
