//! Pointers as values: variables, members and elements that hold pointers, and memory that outlives its function.
//!
//! The target of a pointer is the place behind it, with the distance in elements as its subscript. So all code for
//! places of arrays serves these places, too.

use super::{
    Failed, Lowered,
    routine::Body,
    slot::{Base, Elem, Path, Pointer},
    value::Value,
};
use crate::{
    ast::{Binary, ExprId, ExprKind},
    braces, codes, points,
    source::Pos,
    types::{Arith, Int, Parameter, Qualified, Type},
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Place, ScalarType, Subscript},
};

impl Body<'_, '_> {
    /// True if pointers of this type are values. Pointers to rows of arrays are places in any case.
    pub(super) fn is_value(&self, ty: &Qualified) -> bool {
        self.l.values && matches!(self.l.elem(ty), Some(Elem::Pointer(..)))
    }

    /// True if a pointer expression is a value. An expression without a type is refused where it is translated.
    pub(super) fn holds_value(&self, e: ExprId) -> bool {
        let bare = points::strip_conversions(self.l.unit, e);
        let to = self
            .l
            .unit
            .expr(bare)
            .ty
            .as_ref()
            .and_then(Qualified::target);
        let rows = |to: &Qualified| matches!(to.ty, Type::Array(..));
        self.l.values && !to.is_some_and(rows)
    }

    /// The null pointer of a type.
    pub(super) fn null_pointer(&mut self, elem: Elem, at: Pos) -> Lowered<Expr> {
        let ty = self.l.scalar_type(elem, at)?;
        Ok(Expr::zero(ty))
    }

    /// The pointer type at the end of steps from a type, if it is one.
    pub(super) fn pointer_at(&self, ty: &Qualified, steps: &[Subscript]) -> Option<Elem> {
        let elem = self.l.elem(braces::type_at(self.l.unit, ty, steps)?)?;
        matches!(elem, Elem::Pointer(..)).then_some(elem)
    }

    /// The target of the pointer in a place.
    fn pointer_in(&self, path: Path, constant: bool) -> Option<Pointer> {
        let elem = path.elem.pointee().filter(|_| path.dims == 0)?;
        let mut prefix = path.subscripts;
        prefix.push(Subscript::Deref);
        Some(Pointer {
            var: path.var,
            elem,
            inner: 0,
            prefix,
            offset: Some(Expr::Int(0)),
            lower: 0,
            constant,
            flat: None,
        })
    }

    /// The target of a pointer, which is moved to a new variable.
    pub(super) fn hold_pointer(&mut self, (value, elem): (Expr, Elem)) -> Lowered<Pointer> {
        let ty = self.l.scalar_type(elem, Pos::default())?;
        let t = self.f.temporary(ty);
        self.assign(t, value);
        self.frozen.insert(t);
        let path = super::structure::whole_variable(t, elem);
        self.pointer_in(path, false).ok_or(Failed)
    }

    /// The pointer of an expression, if it is read from a place or comes from a call; `None` for pointers that the
    /// expression itself makes, such as addresses.
    pub(super) fn value_as_pointer(&mut self, e: ExprId) -> Lowered<Option<Pointer>> {
        let unit = self.l.unit;
        let node = unit.expr(e);
        let Some(ty) = node.ty.as_ref().filter(|ty| self.is_value(ty)) else {
            return Ok(None);
        };
        let constant = ty.target().is_some_and(|of| of.constant);
        match &node.kind {
            ExprKind::Name(_)
            | ExprKind::Index(..)
            | ExprKind::Member(..)
            | ExprKind::Literal(_)
            | ExprKind::Unary(crate::ast::Unary::Deref, _) => {
                let path = self.lower_path(e)?;
                match path.elem {
                    Elem::Pointer(..) => Ok(self.pointer_in(path, constant)),
                    Elem::Arith(_) | Elem::Struct(_) => Ok(None),
                }
            }
            ExprKind::Conditional(..) => {
                let Some(elem) = self.l.elem(ty) else {
                    return Ok(None);
                };
                let value = self.pointer_value(e, elem)?;
                self.hold_pointer((value, elem)).map(Some)
            }
            ExprKind::Call(..) if points::allocates(unit, e) || points::reallocates(unit, e) => {
                self.pointer_problem(e, "memory is allocated where no pointer is assigned")
            }
            ExprKind::Call(f, arguments) => match self.call_result(e, *f, arguments)? {
                Some((v, elem @ Elem::Pointer(..))) => {
                    Ok(self.pointer_in(super::structure::whole_variable(v, elem), constant))
                }
                Some(_) | None => Err(Failed),
            },
            _ => Ok(None),
        }
    }

    /// A pointer as a value, and its type.
    pub(super) fn as_value(&mut self, mut pointer: Pointer) -> Lowered<(Expr, Elem)> {
        // A pointer to a row becomes one to its first element: the two differ in their types only.
        if pointer.inner > 0
            && let Some(elements) = self.to_elements(&pointer)
        {
            pointer = elements;
        }
        let Pointer {
            var,
            elem,
            inner,
            mut prefix,
            offset,
            lower,
            ..
        } = pointer;
        let pointed = match elem {
            _ if inner > 0 => None,
            Elem::Arith(ty) => Some(Elem::Pointer(Base::Arith(ty), 1)),
            Elem::Struct(s) => Some(Elem::Pointer(Base::Struct(s), 1)),
            Elem::Pointer(base, depth) => depth.checked_add(1).map(|n| Elem::Pointer(base, n)),
        };
        let Some(pointed) = pointed else {
            let message = "a pointer to a row of an array is kept or passed";
            let help = "point to the first element of the row";
            let at = Pos::default();
            return self.error(&codes::POINTER, at, message, help);
        };
        let place = |subscripts: Vec<Subscript>| Place {
            var,
            subscripts: subscripts.into_boxed_slice(),
        };
        if prefix.last() == Some(&Subscript::Deref) {
            prefix.pop();
            let base = Expr::Place(place(prefix));
            return Ok((shifted(base, offset, 0), pointed));
        }
        let Some(offset) = offset else {
            return Ok((Expr::Addr(place(prefix)), pointed));
        };
        // The pointer may point behind the last element, of which no address may be taken: the address of the first
        // element is moved.
        prefix.push(Subscript::Index(Expr::Int(lower)));
        let base = Expr::Addr(place(prefix));
        Ok((shifted(base, Some(offset), lower), pointed))
    }

    /// The value of a pointer expression of a type.
    pub(super) fn pointer_value(&mut self, e: ExprId, elem: Elem) -> Lowered<Expr> {
        self.enter_level(e, |b| b.pointer_value_part(e, elem))
    }

    fn pointer_value_part(&mut self, e: ExprId, elem: Elem) -> Lowered<Expr> {
        let unit = self.l.unit;
        let at = unit.expr(e).at;
        let e = points::strip_conversions(unit, e);
        if points::is_null(unit, e) {
            return self.null_pointer(elem, at);
        }
        match unit.expr(e).kind {
            ExprKind::Conditional(c, a, b) => {
                let condition = self.lower_condition(c)?;
                if !unit.expr(a).effects && !unit.expr(b).effects {
                    let (yes, no) = (self.pointer_value(a, elem)?, self.pointer_value(b, elem)?);
                    return Ok(Expr::op(Op::If, [condition, yes, no]));
                }
                let ty = self.l.scalar_type(elem, at)?;
                let t = self.f.temporary(ty);
                self.set_span();
                self.f.begin_if(condition);
                let yes = self.point_to(super::structure::whole_variable(t, elem), a);
                self.f.begin_else();
                let no = self.point_to(super::structure::whole_variable(t, elem), b);
                self.f.end_if();
                yes.and(no)?;
                return Ok(Expr::var(t));
            }
            ExprKind::Call(..) if points::allocates(unit, e) || points::reallocates(unit, e) => {
                let ty = self.l.scalar_type(elem, at)?;
                let t = self.f.temporary(ty);
                self.point_to(super::structure::whole_variable(t, elem), e)?;
                return Ok(Expr::var(t));
            }
            _ => {}
        }
        if !unit.is_pointer(e) {
            return self.pointer_problem(e, "a number is used as a pointer");
        }
        let pointer = self.lower_pointer(e)?;
        let (value, found) = self.as_value(pointer)?;
        if found != elem {
            return self.pointer_problem(e, "a pointer of another type is expected");
        }
        Ok(value)
    }

    /// Assigns a pointer to a place.
    pub(super) fn point_to(&mut self, target: Path, value: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        let value = points::strip_conversions(unit, value);
        let elem = target.elem;
        let allocates = points::allocates(unit, value);
        if !allocates && !points::reallocates(unit, value) {
            let value = self.pointer_value(value, elem)?;
            self.assign(target.into_place(), value);
            return Ok(());
        }
        let at = unit.expr(value).at;
        let of = self.pointed_type(elem, value)?;
        let count = self.counted_in(value, &of)?;
        let count = self.number_of(&count, false)?;
        let target = target.into_place();
        self.set_span();
        if allocates {
            match points::library_call(unit, value) {
                Some("calloc") => self.f.allocate_zeroed(target, count),
                _ => self.f.allocate(target, count),
            }
            return Ok(());
        }
        let ExprKind::Call(_, arguments) = &unit.expr(value).kind else {
            return Err(Failed);
        };
        let Some(&old) = arguments.first() else {
            return self.error(
                &codes::OPERAND,
                at,
                "realloc takes two arguments",
                "give two",
            );
        };
        let old = self.pointer_value(old, elem)?;
        if old == Expr::Place(target.clone()) {
            self.f.resize(target, count);
            return Ok(());
        }
        // After realloc, the old pointer keeps its value but leads to no object.
        let ty = self.l.scalar_type(elem, at)?;
        let t = self.f.temporary(ty);
        self.assign(t, old);
        self.set_span();
        self.f.resize(t, count);
        self.assign(target, Expr::var(t));
        Ok(())
    }

    /// The C type behind a pointer, whose size measures memory.
    fn pointed_type(&mut self, elem: Elem, e: ExprId) -> Lowered<Qualified> {
        match elem.pointee() {
            Some(Elem::Arith(ty)) => Ok(Qualified::unqualified(Type::Arith(ty))),
            Some(Elem::Struct(s)) => Ok(Qualified::unqualified(Type::Struct(s))),
            Some(pointer @ Elem::Pointer(..)) => {
                let of = self.pointed_type(pointer, e)?;
                Ok(Qualified::unqualified(Type::Pointer(of.into())))
            }
            None => self.pointer_problem(e, "memory is allocated where no pointer is assigned"),
        }
    }

    /// Translates `p = q`; returns the target of `p` after it.
    pub(super) fn assign_value(&mut self, target: ExprId, value: ExprId) -> Lowered<Pointer> {
        self.unordered_target(target, value)?;
        let mut path = self.held_path(target)?;
        if self.l.unit.expr(value).effects {
            path = self.settled_path(path);
        }
        self.point_to(path.clone(), value)?;
        self.pointer_in(path, false).ok_or(Failed)
    }

    /// The place of a pointer that is to be changed.
    fn held_path(&mut self, target: ExprId) -> Lowered<Path> {
        let path = self.lower_path(target)?;
        let declared = self.l.unit.expr(target).ty.as_ref();
        if declared.is_some_and(|ty| ty.constant) {
            let at = self.l.unit.expr(target).at;
            let message = "a constant is assigned";
            return self.error(&codes::OPERAND, at, message, "remove the const");
        }
        match path.elem {
            Elem::Pointer(..) if path.dims == 0 => Ok(path),
            _ => self.pointer_problem(target, "an array is assigned as a pointer"),
        }
    }

    /// Translates `p += k`, `p++` and their like; returns the pointer after the step, or before it if `before`.
    pub(super) fn move_value(
        &mut self,
        target: ExprId,
        by: Option<ExprId>,
        op: Binary,
        before: bool,
    ) -> Lowered<Pointer> {
        let at = self.l.unit.expr(target).at;
        if !matches!(op, Binary::Add | Binary::Sub) {
            let message = "a pointer is computed with";
            return self.error(&codes::POINTER, at, message, "add or subtract a number");
        }
        let mut path = self.held_path(target)?;
        if by.is_some_and(|by| self.l.unit.expr(by).effects) || !path.subscripts.is_empty() {
            path = self.settled_path(path);
        }
        let by = match by {
            Some(e) => self.lower_index(e)?,
            None => Expr::Int(1),
        };
        let by = match (op, by) {
            (Binary::Sub, Expr::Int(k)) if k > i64::MIN => Expr::Int(-k),
            (Binary::Sub, by) => Expr::op(Op::Neg, [by]),
            (_, by) => by,
        };
        let place = path.clone().into_place();
        let old = match before {
            true => Some(self.hold_pointer((Expr::Place(place.clone()), path.elem))?),
            false => None,
        };
        let moved = Expr::op(Op::Shift, [Expr::Place(place.clone()), by]);
        self.assign(place, moved);
        match old {
            Some(old) => Ok(old),
            None => self.pointer_in(path, false).ok_or(Failed),
        }
    }

    /// True if a pointer is not null.
    pub(super) fn is_not_null(&mut self, e: ExprId) -> Lowered<Expr> {
        let unit = self.l.unit;
        let e = points::strip_conversions(unit, e);
        if points::is_null(unit, e) {
            return Ok(Expr::Logical(false));
        }
        let pointer = self.lower_pointer(e)?;
        if pointer.prefix.last() != Some(&Subscript::Deref) {
            // A declared object has an address, so a pointer to it is not null.
            return Ok(Expr::Logical(true));
        }
        let (value, elem) = self.as_value(pointer)?;
        let null = self.null_pointer(elem, unit.expr(e).at)?;
        Ok(Expr::op(Op::Ne, [value, null]))
    }

    /// Translates a comparison or difference of pointers.
    pub(super) fn compare_values(
        &mut self,
        op: Binary,
        a: ExprId,
        b: ExprId,
        at: Pos,
    ) -> Lowered<Value> {
        let unit = self.l.unit;
        self.refuse_unordered(&[a, b], None)?;
        let mut left = self.lower_pointer(a)?;
        if unit.expr(b).effects {
            self.settle_pointer(&mut left);
        }
        let (mut left, elem) = self.as_value(left)?;
        if unit.expr(b).effects && !self.is_frozen(&left) {
            let ty = self.l.scalar_type(elem, at)?;
            let t = self.f.temporary(ty);
            self.assign(t, left);
            left = Expr::var(t);
        }
        let right = self.pointer_value(b, elem)?;
        if op == Binary::Sub {
            let e = Expr::op(Op::Distance, [left, right]);
            let depth = e.depth();
            return Ok(Value::new(e, Arith::Int(Int::Long), depth));
        }
        let Some(comparison) = super::expression::comparison(op) else {
            let message = "a pointer is computed with";
            let help = "subtract or compare pointers";
            return self.error(&codes::POINTER, at, message, help);
        };
        let e = Expr::op(comparison, [left, right]);
        let depth = e.depth();
        Ok(Value::truth(e, depth))
    }

    /// A pointer as an argument. The parameter is bound by reference but is a copy in C, so the pointer stands in a
    /// variable that no other statement changes.
    pub(super) fn pointer_argument(
        &mut self,
        p: &Parameter,
        a: ExprId,
        later: bool,
    ) -> Lowered<Expr> {
        let at = self.l.unit.expr(a).at;
        let Some(elem) = self.l.elem(&p.ty) else {
            return Err(Failed);
        };
        let value = self.pointer_value(a, elem)?;
        let own = matches!(&value, Expr::Place(place) if self.is_own(place.var) && place.subscripts.is_empty());
        let made = !matches!(value, Expr::Place(_));
        if !later && (own || made) || self.is_frozen(&value) && !matches!(value, Expr::Null(_)) {
            return Ok(value);
        }
        let ty = self.l.scalar_type(elem, at)?;
        let t = self.f.temporary(ty);
        self.assign(t, value);
        self.frozen.insert(t);
        Ok(Expr::var(t))
    }

    /// True of a local scalar or a parameter, which no call changes.
    fn is_own(&self, v: VarId) -> bool {
        let variable = self.f.get(v);
        variable.is_some_and(|v| v.rank() == 0 && !matches!(v.role, cfg_core::ir::Role::Global(_)))
    }

    /// free: the end of an object.
    pub(super) fn free_value(&mut self, e: ExprId) -> Lowered<()> {
        let unit = self.l.unit;
        let e = points::strip_conversions(unit, e);
        if points::is_null(unit, e) {
            return Ok(());
        }
        let pointer = self.lower_pointer(e)?;
        let (value, elem) = self.as_value(pointer)?;
        let place = match value {
            Expr::Place(place) => place,
            value => {
                let ty = self.l.scalar_type(elem, unit.expr(e).at)?;
                let t = self.f.temporary(ty);
                self.assign(t, value);
                Place::whole(t)
            }
        };
        self.set_span();
        self.f.free(place);
        Ok(())
    }
}

impl Body<'_, '_> {
    /// Copies one element.
    pub(super) fn copy_one(&mut self, to: Pointer, from: Pointer) -> Lowered<()> {
        let (to, from) = (to.target().into_place(), from.target().into_place());
        self.assign(to, Expr::Place(from));
        Ok(())
    }

    /// Copies `n` elements, as if all were read before the first is written.
    pub(super) fn copy_elements(&mut self, to: Pointer, from: Pointer, n: Expr) -> Lowered<()> {
        let n = self.in_variable(n);
        let (mut to, mut from) = (to, from);
        self.settle_pointer(&mut to);
        self.settle_pointer(&mut from);
        let (_, elem) = self.as_value(from.clone())?;
        let ty = self.l.scalar_type(elem, Pos::default())?;
        // The elements may overlap: they are copied through new memory.
        let t = self.f.temporary(ty);
        self.set_span();
        self.f.allocate(t, n.clone());
        self.frozen.insert(t);
        let between = super::structure::whole_variable(t, elem);
        let between = self.pointer_in(between, false).ok_or(Failed)?;
        let into = between.clone();
        self.each_element(n.clone(), |b, k| b.copy_one(into.at(k), from.at(k)))?;
        self.each_element(n, |b, k| b.copy_one(to.at(k), between.at(k)))?;
        self.set_span();
        self.f.free(t);
        Ok(())
    }

    /// A loop over the numbers from 0 to one below `n`.
    pub(super) fn each_element(
        &mut self,
        n: Expr,
        body: impl FnOnce(&mut Self, VarId) -> Lowered<()>,
    ) -> Lowered<()> {
        let k = self.f.temporary(ScalarType::Integer);
        let last = match n {
            Expr::Int(n) => Expr::Int(n - 1),
            n => Expr::op(Op::Sub, [n, Expr::Int(1)]),
        };
        self.set_span();
        self.f.begin_for(k, Expr::Int(0), last, 1);
        let done = body(self, k);
        self.set_span();
        self.f.end_loop();
        done
    }
}

/// A pointer, moved by an offset that counts from `from`.
fn shifted(base: Expr, offset: Option<Expr>, from: i64) -> Expr {
    match offset {
        None => base,
        Some(Expr::Int(k)) if k == from => base,
        Some(Expr::Int(k)) if k.checked_sub(from).is_some() => {
            Expr::op(Op::Shift, [base, Expr::Int(k - from)])
        }
        Some(k) if from == 0 => Expr::op(Op::Shift, [base, k]),
        Some(k) => {
            let by = Expr::op(Op::Sub, [k, Expr::Int(from)]);
            Expr::op(Op::Shift, [base, by])
        }
    }
}
