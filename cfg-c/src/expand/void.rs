//! Members `void *` of structures that are split: such a member has the type of the pointer that is assigned to it.

use super::{
    Expand,
    frame::{Frame, Value},
    is_zero,
};
use crate::{
    ast::{DeclId, ExprId, ExprKind},
    codes,
    points::strip_conversions,
    types::{Qualified, Type},
};
use std::{collections::HashSet, rc::Rc};

impl Expand<'_> {
    /// True of a member `void *` that has been assigned nothing but null so far.
    pub(super) fn is_untyped(&self, part: DeclId) -> bool {
        self.unit.decl(part).ty.is_void_pointer()
    }

    /// The value of a member; null if nothing has been assigned to it so far.
    pub(super) fn member_value(&mut self, part: DeclId, e: ExprId) -> ExprId {
        if self.is_untyped(part) {
            self.read_early.entry(part).or_default().insert(e);
            return self.null(e);
        }
        self.add_expr(ExprKind::Name(part), e)
    }

    /// Gives a member `void *` the type of the value that is assigned to it; false if the value has none.
    pub(super) fn typed(&mut self, part: DeclId, value: ExprId) -> bool {
        if !self.is_untyped(part) {
            return true;
        }
        let value = strip_conversions(self.unit, value);
        let Some(to) = self
            .unit
            .expr(value)
            .ty
            .as_ref()
            .and_then(Qualified::target)
        else {
            return false;
        };
        if to.ty == Type::Void {
            return false;
        }
        let to = to.clone();
        self.refuse_late(part, value);
        self.unit.decls[part.index()].ty.ty = Type::Pointer(Rc::new(to));
        true
    }

    /// Refuses to assign a member `void *` behind a place where it has been read as null.
    fn refuse_late(&mut self, part: DeclId, e: ExprId) {
        if self.read_early.get(&part).is_none_or(HashSet::is_empty) {
            return;
        }
        let name = Rc::clone(&self.unit.decl(part).name);
        let message = format!("{name}, a pointer to void, is given something after it is used");
        let at = self.unit.expr(e).at;
        let help = "give it its value where the structure is declared";
        self.sink.error(&codes::POINTER, at, message, help);
    }

    /// Assigns a member `void *`; `None` if the target is something else.
    pub(super) fn assign_void(
        &mut self,
        e: ExprId,
        target: ExprId,
        value: ExprId,
        frame: &mut Frame,
    ) -> Option<Option<ExprId>> {
        let void = (self.unit.expr(target).ty.as_ref()).is_some_and(Qualified::is_void_pointer);
        let ExprKind::Member(of, ref name, _) = self.unit.expr(target).kind else {
            return None;
        };
        let name = Rc::clone(name);
        let base = self.resolve_structure(of, frame).filter(|_| void)?;
        let path = [base.loc.path, vec![name]].concat();
        let part = self.part(base.loc.root, &path)?;
        // The target has been copied as if it were read.
        if let Some(read) = self.read_early.get_mut(&part) {
            read.remove(&target);
        }
        if let Some(value) = self.resolve_structure(value, frame) {
            self.refuse_late(part, e);
            self.bind(part, value.loc.clone(), true, e);
            let before = [base.before, value.before].concat();
            let loc = value.loc;
            frame.values.insert(e, Value { before, loc });
            return Some(None);
        }
        if self.pointers.contains_key(&part) {
            let name = &self.unit.decl(part).name;
            let what =
                format!("{name} points to a structure that has pointers, and to something else");
            return Some(Some(self.refuse(e, &what)));
        }
        let new = frame.copy_of(value);
        if self.is_untyped(part) && is_zero(self.unit, new) {
            let nothing = self.null(e);
            return Some(Some(self.add_sequence(&base.before, Some(nothing), e)));
        }
        if !self.typed(part, new) {
            let what = "what is assigned to a pointer to void is not known";
            return Some(Some(self.refuse(e, what)));
        }
        let name = self.add_expr(ExprKind::Name(part), target);
        let new = strip_conversions(self.unit, new);
        let assign = self.add_expr(ExprKind::Assign(None, name, new), e);
        Some(Some(self.add_sequence(&base.before, Some(assign), e)))
    }
}
