//! Translates places and pointers: the variable, and the element or member of it.

use super::{
    Lowered,
    heap::{alike, is_steady},
    routine::Body,
    slot::{Elem, Path, Pointer, Slot},
    value::widen,
};
use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, Unary},
    codes,
    source::Pos,
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::{Expr, Op, Place, Subscript};

impl Body<'_, '_> {
    pub(super) fn pointer_problem<T>(&mut self, e: ExprId, what: &str) -> Lowered<T> {
        let at = self.l.unit.expr(e).at;
        let help = "subscript a parameter or an array instead: x[k] with an index k of your own";
        self.error(&codes::POINTER, at, what.to_owned(), help)
    }

    /// Refuses to read a real number as an integer, or the reverse.
    pub(super) fn bits_problem<T>(&mut self, at: Pos) -> Lowered<T> {
        let message = "the bits of a real number are read as an integer, which has no derivative";
        let help = "use frexp, ldexp, fabs, signbit or copysign; or take the derivative of bits to be 0, --no-diff bits, and read a whole number: *(uint64_t *)&x, or memcpy";
        self.error(&codes::POINTER, at, message, help)
    }

    /// A pointer, or an array as the pointer to its first element.
    pub(super) fn lower_pointer(&mut self, e: ExprId) -> Lowered<Pointer> {
        self.enter_level(e, |b| b.pointer_part(e))
    }

    /// The pointer to the element `a[i]`, which may be written `i[a]`, too.
    fn lower_subscripted(&mut self, a: ExprId, i: ExprId) -> Lowered<Pointer> {
        self.refuse_unordered(&[a, i], None)?;
        let unit = self.l.unit;
        let (a, i) = if !unit.is_pointer(a) && unit.is_pointer(i) {
            (i, a)
        } else {
            (a, i)
        };
        let mut element = self.move_by_elements(a, i, Op::Add)?;
        // A subscript of a row stays in that row.
        if unit.is_array(a) {
            element.flat = None;
        }
        Ok(element)
    }

    /// The pointer `p`, moved by `by` elements.
    fn move_by_elements(&mut self, p: ExprId, by: ExprId, op: Op) -> Lowered<Pointer> {
        let mut pointer = self.lower_pointer(p)?;
        let is_row = self.l.unit.is_array(p);
        let in_matrix = matches!(pointer.prefix.last(), Some(Subscript::Index(_)));
        if self.l.values && !is_row && in_matrix && pointer.inner == 0 {
            // A pointer that is a value goes through the whole object, beyond the row.
            let value = self.as_value(pointer)?;
            pointer = self.hold_pointer(value)?;
        }
        let pointer = self.settle_before(pointer, by);
        let index = self.lower_index(by)?;
        self.shift_pointer(pointer, index, op, by)
    }

    fn shift_pointer(
        &mut self,
        mut pointer: Pointer,
        by: Expr,
        op: Op,
        at: ExprId,
    ) -> Lowered<Pointer> {
        if by == Expr::Int(0) {
            return Ok(pointer);
        }
        if pointer.offset.is_none() && self.l.values {
            let value = self.as_value(pointer)?;
            pointer = self.hold_pointer(value)?;
        }
        let Some(offset) = pointer.offset else {
            return self.pointer_problem(at, "the pointer to a member that is no array is moved");
        };
        let sum = match (&offset, op, &by) {
            (Expr::Int(a), Op::Add, Expr::Int(b)) => a.checked_add(*b),
            (Expr::Int(a), Op::Sub, Expr::Int(b)) => a.checked_sub(*b),
            _ => None,
        };
        pointer.offset = Some(match (offset, op, sum) {
            (_, _, Some(sum)) => Expr::Int(sum),
            (Expr::Int(0), Op::Add, _) => by,
            (offset, ..) => {
                let e = Expr::op(op, [offset, by]);
                if e.depth() > 50 {
                    self.in_variable(e)
                } else {
                    e
                }
            }
        });
        Ok(pointer)
    }

    fn pointer_part(&mut self, e: ExprId) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let node = unit.expr(e);
        if self.l.values
            && let Some(pointer) = self.value_as_pointer(e)?
        {
            return Ok(pointer);
        }
        if unit.is_array(e) {
            let row = self.pointer_to_row(e)?;
            return Ok(self.flatten_rows(row));
        }
        match &node.kind {
            ExprKind::Name(d) => self.named_pointer(*d, node.at),
            ExprKind::Unary(Unary::Address, a) => {
                let pointer = self.lower_address(*a)?;
                Ok(self.flatten_rows(pointer))
            }
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
                self.refuse_unordered(&[*a, *b], None)?;
                let swapped = !unit.is_pointer(*a);
                let (p, k) = if swapped { (*b, *a) } else { (*a, *b) };
                self.move_by_elements(p, k, if *op == Binary::Add { Op::Add } else { Op::Sub })
            }
            ExprKind::Cast(ty, a) => self.converted_pointer(e, ty, *a),
            ExprKind::Step { of, up, post } => {
                let op = if *up { Binary::Add } else { Binary::Sub };
                self.move_pointer(*of, None, op, *post)
            }
            ExprKind::Assign(None, target, value) => self.assign_pointer(*target, *value),
            ExprKind::Assign(Some(op), target, by) => {
                self.move_pointer(*target, Some(*by), *op, false)
            }
            ExprKind::Binary(Binary::Comma, a, b) => {
                self.lower_for_effects(*a)?;
                self.lower_pointer(*b)
            }
            ExprKind::Conditional(..) => {
                self.pointer_problem(e, "a pointer is chosen by a condition")
            }
            ExprKind::Call(..) if crate::points::allocates(unit, e) => {
                self.pointer_problem(e, "memory is allocated where no pointer is assigned")
            }
            ExprKind::Call(f, arguments) => {
                // A refused function of the library has a message of its own.
                if crate::points::library_call(unit, e).is_some() {
                    self.lower_call(e, *f, arguments)?;
                }
                self.pointer_problem(e, "a pointer comes from a call")
            }
            ExprKind::Str(_) => {
                let message = "a string is used as a value";
                self.error(&codes::POINTER, node.at, message, crate::math::KEPT)
            }
            ExprKind::Index(..) | ExprKind::Unary(Unary::Deref, _)
                if unit.root_variable(e).is_some_and(|d| self.is_rows(d)) =>
            {
                self.pointer_to_row(e)
            }
            ExprKind::Inlined(inlined) if inlined.value.is_some() => {
                self.lower_inlined(inlined);
                match inlined.value {
                    Some(value) => self.lower_pointer(value),
                    None => Err(super::Failed),
                }
            }
            ExprKind::Bad => Err(super::Failed),
            // The variable that the pointer comes from has been refused.
            _ if unit
                .root_variable(e)
                .is_some_and(|d| self.failed.contains(&d)) =>
            {
                Err(super::Failed)
            }
            _ => self.pointer_problem(e, "this is no pointer that is supported"),
        }
    }

    /// The pointer that a variable is. A function of its own, like [`Body::converted_pointer`], to keep the stack
    /// frame of its caller small.
    #[inline(never)]
    fn named_pointer(&mut self, d: DeclId, at: Pos) -> Lowered<Pointer> {
        match self.slot_of(d, at)? {
            Slot::Alias(pointer) => Ok(pointer),
            Slot::Walker(walker) => self.walker_pointer(d, &walker, at),
            Slot::Array {
                var,
                elem,
                rank,
                lower,
                constant,
            } => Ok(Pointer {
                var,
                elem,
                inner: rank - 1,
                prefix: Vec::new(),
                offset: Some(Expr::Int(lower)),
                lower,
                constant,
                flat: None,
            }),
            Slot::Scalar(..) | Slot::Cell(..) => {
                let message = format!("{} is no pointer", self.l.unit.decl(d).name);
                self.error(
                    &codes::OPERAND,
                    at,
                    message,
                    "subscript arrays and pointers",
                )
            }
        }
    }

    /// An array, as the pointer to its first element.
    fn pointer_to_row(&mut self, e: ExprId) -> Lowered<Pointer> {
        match self.lower_path(e)?.decayed() {
            Some(pointer) => Ok(pointer),
            None => self.pointer_problem(e, "a number is used as a pointer"),
        }
    }

    /// The pointer; subscripts that the evaluation of `next` might change are moved to variables.
    fn settle_before(&mut self, mut pointer: Pointer, next: ExprId) -> Pointer {
        if self.l.unit.expr(next).effects {
            self.settle_pointer(&mut pointer);
        }
        pointer
    }

    /// Moves the subscripts of a pointer to variables, unless no later evaluation can change them.
    pub(super) fn settle_pointer(&mut self, pointer: &mut Pointer) {
        let prefix = std::mem::take(&mut pointer.prefix);
        pointer.prefix = prefix
            .into_iter()
            .map(|s| match s {
                Subscript::Index(e) => Subscript::Index(self.settled_index(e)),
                other => other,
            })
            .collect();
        pointer.offset = pointer.offset.take().map(|e| self.settled_index(e));
    }

    /// A pointer that is converted. A function of its own: its stack frame would otherwise be part of each level of
    /// an expression.
    #[inline(never)]
    fn converted_pointer(&mut self, e: ExprId, ty: &Qualified, a: ExprId) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let pointer = self.lower_pointer(a)?;
        let from = unit.expr(a).ty.as_ref().and_then(Qualified::target);
        let same = match &ty.ty {
            Type::Pointer(to) if pointer.inner == 0 => self.l.elem(to) == Some(pointer.elem),
            // The types behind the pointers may differ in `const` only.
            Type::Pointer(to) => {
                from.is_some_and(|from| alike(unit, from, to) && is_steady(unit, to))
            }
            _ => false,
        };
        if same {
            return Ok(pointer);
        }
        if let Type::Pointer(to) = &ty.ty
            && self.l.elem(to) == Some(pointer.elem)
            && let Some(elements) = self.to_elements(&pointer)
        {
            return Ok(elements);
        }
        let types = |to: &Qualified| Some((to.arith()?, from?.arith()?));
        if let Some((to, from)) = ty.target().and_then(types)
            && to.is_real() != from.is_real()
        {
            if from.size() == 1 {
                let message = format!(
                    "memory of {} is used as memory of {}",
                    from.name(),
                    to.name()
                );
                let help = format!("declare or allocate it as memory of {}", to.name());
                return self.error(&codes::POINTER, unit.expr(e).at, message, help);
            }
            return self.bits_problem(unit.expr(e).at);
        }
        self.pointer_problem(e, "a pointer is converted to another type")
    }

    /// Moves the subscripts of a place to variables, unless no later evaluation can change them.
    pub(super) fn settled_path(&mut self, path: Path) -> Path {
        let mut pointer = path.address(None);
        self.settle_pointer(&mut pointer);
        pointer.target()
    }

    fn lower_address(&mut self, of: ExprId) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let node = unit.expr(of);
        match &node.kind {
            ExprKind::Name(d) => {
                let slot = self.slot_of(*d, node.at)?;
                self.address_of(&slot, *d, of)
            }
            ExprKind::Literal(d) => {
                let slot = self.lower_literal(*d)?;
                self.address_of(&slot, *d, of)
            }
            ExprKind::Index(a, i) => self.lower_subscripted(*a, *i),
            ExprKind::Unary(Unary::Deref, a) => self.lower_pointer(*a),
            ExprKind::Member(..) => {
                let path = self.lower_path(of)?;
                if path.dims > 0 {
                    return self.refuse_whole(of);
                }
                Ok(path.address(None))
            }
            _ => self.pointer_problem(of, "the address of this is not supported"),
        }
    }

    fn refuse_whole<T>(&mut self, of: ExprId) -> Lowered<T> {
        self.pointer_problem(of, "the address of an array or pointer as a whole is taken")
    }

    fn address_of(&mut self, slot: &Slot, d: DeclId, of: ExprId) -> Lowered<Pointer> {
        let &Slot::Cell(var, elem) = slot else {
            return self.refuse_whole(of);
        };
        Ok(Pointer {
            var,
            elem,
            inner: 0,
            prefix: Vec::new(),
            offset: Some(Expr::Int(0)),
            lower: 0,
            constant: self.l.unit.decl(d).ty.constant,
            flat: None,
        })
    }

    /// A subscript.
    pub(super) fn lower_index(&mut self, e: ExprId) -> Lowered<Expr> {
        let value = self.lower_expr(e)?;
        let value = self.limit_depth(value);
        if let Some(k) = value.constant {
            return self.within_integer(k, e).map(Expr::Int);
        }
        match value.ty {
            Arith::Int(ty) => {
                let value = value.convert(Arith::Int(ty.promote()));
                Ok(self.widen_integer(value.e, ty.promote()))
            }
            Arith::Float | Arith::Double => {
                let at = self.l.unit.expr(e).at;
                self.error(
                    &codes::OPERAND,
                    at,
                    "a subscript is no integer",
                    "convert it with (int)",
                )
            }
        }
    }

    pub(super) fn widen_integer(&self, e: Expr, ty: crate::types::Int) -> Expr {
        widen(e, ty, &|e| match e {
            Expr::Place(place) => {
                place.subscripts.is_empty() && self.index_variables.contains(&place.var)
            }
            _ => false,
        })
    }

    /// The place of a variable, an element, a member, or of an array of them.
    pub(super) fn lower_path(&mut self, e: ExprId) -> Lowered<Path> {
        self.enter_level(e, |b| b.path_part(e))
    }

    fn path_part(&mut self, e: ExprId) -> Lowered<Path> {
        let unit = self.l.unit;
        let node = unit.expr(e);
        match &node.kind {
            ExprKind::Name(d) => {
                let slot = self.slot_of(*d, node.at)?;
                self.path_of(slot, *d, e)
            }
            ExprKind::Literal(d) => {
                let slot = self.lower_literal(*d)?;
                self.path_of(slot, *d, e)
            }
            ExprKind::Index(a, i) => Ok(self.lower_subscripted(*a, *i)?.target()),
            ExprKind::Unary(Unary::Deref, a) => Ok(self.lower_pointer(*a)?.target()),
            ExprKind::Member(a, name, arrow) => {
                let base = if *arrow {
                    self.lower_pointer(*a)?.target()
                } else {
                    self.lower_path(*a)?
                };
                self.path_to_member(base, name, e)
            }
            ExprKind::Bad => Err(super::Failed),
            _ if unit.structure_of(e).is_some() => self.structure_value(e),
            _ => self.error(
                &codes::OPERAND,
                node.at,
                "this is no place that can be assigned",
                "assign to a variable or an element",
            ),
        }
    }

    fn path_of(&mut self, slot: Slot, d: DeclId, e: ExprId) -> Lowered<Path> {
        let decl = self.l.unit.decl(d);
        let constant = decl.ty.constant;
        let (var, elem, subscripts, dims) = match slot {
            Slot::Scalar(var, elem) => (var, elem, Vec::new(), 0),
            Slot::Cell(var, elem) => (var, elem, vec![Subscript::Index(Expr::Int(0))], 0),
            Slot::Array {
                var,
                elem,
                rank,
                lower,
                constant,
            } if matches!(decl.ty.ty, Type::Array(..)) => {
                return Ok(Path {
                    var,
                    subscripts: Vec::new(),
                    elem,
                    dims: rank,
                    lower,
                    constant,
                });
            }
            Slot::Array { .. } | Slot::Alias(_) | Slot::Walker(_) => {
                return self.pointer_problem(
                    e,
                    "a pointer or array is used as a number, assigned or compared",
                );
            }
        };
        Ok(Path {
            var,
            subscripts,
            elem,
            dims,
            lower: 0,
            constant,
        })
    }

    /// Translates a compound literal: declares and initialises its variable.
    fn lower_literal(&mut self, d: DeclId) -> Lowered<Slot> {
        self.lower_declaration(d)?;
        self.slot_of(d, self.l.unit.decl(d).at)
    }

    fn path_to_member(&mut self, mut base: Path, name: &str, e: ExprId) -> Lowered<Path> {
        let unit = self.l.unit;
        let member = match base.elem {
            Elem::Struct(s) if base.dims == 0 => unit.member(s, name),
            Elem::Struct(_) | Elem::Arith(_) | Elem::Pointer(..) => None,
        };
        let Some(member) = member else {
            return self.pointer_problem(e, "a member of what is no structure");
        };
        base.subscripts.push(Subscript::Field(name.into()));
        base.lower = 0;
        let mut ty = &member.ty;
        while let Type::Array(of, _) = &ty.ty {
            base.dims += 1;
            ty = of;
        }
        base.constant |= ty.constant;
        match self.l.elem(ty) {
            Some(elem) => Ok(Path { elem, ..base }),
            // The structure has been refused.
            None => Err(super::Failed),
        }
    }

    /// A place that is to be assigned.
    pub(super) fn lower_target(&mut self, e: ExprId) -> Lowered<Path> {
        let path = self.lower_path(e)?;
        if !path.constant {
            return Ok(path);
        }
        let unit = self.l.unit;
        let node = unit.expr(e);
        let message = match node.kind {
            ExprKind::Name(d) => format!("{} is a constant", unit.decl(d).name),
            _ => "a constant is assigned".to_owned(),
        };
        self.error(&codes::OPERAND, node.at, message, "remove the const")
    }

    /// The place of a number; `write` if it is to be assigned.
    pub(super) fn lower_place(&mut self, e: ExprId, write: bool) -> Lowered<(Place, Arith)> {
        let path = if write {
            self.lower_target(e)?
        } else {
            self.lower_path(e)?
        };
        match path.elem {
            _ if path.dims > 0 => self.pointer_problem(e, "a row of an array is used as a number"),
            Elem::Arith(ty) => Ok((path.into_place(), ty)),
            Elem::Pointer(..) => self.pointer_problem(e, "a pointer is used as a number"),
            Elem::Struct(_) => {
                let at = self.l.unit.expr(e).at;
                let message = "a structure is used as a number";
                self.error(&codes::OPERAND, at, message, "name one of its members")
            }
        }
    }
}
