//! Memory that is copied and cleared.

use super::{
    Lowered,
    heap::{Count, MAX_DEPTH},
    routine::Body,
    slot::{Elem, Pointer},
};
use crate::{
    ast::{Binary, ExprId, ExprKind},
    codes, constant, points,
    source::Pos,
    types::{Qualified, Type},
};
use cfg_core::ir::{Expr, Op, Place, Range, Subscript};

/// True of one element.
fn is_one(count: &Count) -> bool {
    matches!(&count.terms[..], [(1, factors)] if factors.is_empty())
}

impl Body<'_, '_> {
    /// memcpy and memmove.
    pub(super) fn copy_memory(
        &mut self,
        arguments: &[ExprId],
        may_overlap: bool,
        at: Pos,
    ) -> Lowered<()> {
        let [to, from, bytes] = arguments else {
            return self.not_three(at);
        };
        self.refuse_unordered(arguments, None)?;
        let unit = self.l.unit;
        let (a, b) = (
            points::strip_conversions(unit, *to),
            points::strip_conversions(unit, *from),
        );
        let mut target = self.lower_pointer(a)?;
        if unit.expr(b).effects || unit.expr(*bytes).effects {
            self.settle_pointer(&mut target);
        }
        let mut source = self.lower_pointer(b)?;
        if unit.expr(*bytes).effects {
            self.settle_pointer(&mut source);
        }
        let differ = target.elem != source.elem;
        self.refuse_constant_target(&target, at)?;
        if differ && self.copy_numbers((&target, &source), *bytes, may_overlap)? {
            return Ok(());
        }
        let target = self.going_on(target, a, *bytes)?;
        let source = self.going_on(source, b, *bytes)?;
        let alike = target.elem == source.elem && target.inner == source.inner;
        let constant =
            |rows: &Option<Vec<Expr>>| rows.iter().flatten().all(|e| matches!(e, Expr::Int(_)));
        let rows = [&target, &source].map(|pointer| self.row_extents(pointer));
        let alike = alike && (rows[0] == rows[1] || !rows.iter().any(constant));
        if !alike
            || self.count_in_elements(a, *bytes).is_some()
            || !self.l.values
                && [&target, &source]
                    .iter()
                    .any(|p| self.is_more(p, a, *bytes))
        {
            return self.copy_flat(target, source, a, *bytes, at);
        }
        if self.l.values && (target.is_behind() || source.is_behind()) {
            return match self.count_from_bytes(a, *bytes, at)? {
                None => self.copy_one(target, source),
                Some(n) => self.copy_elements(target, source, n),
            };
        }
        let (to, from) = self.copied_sections(target, source, a, *bytes, at)?;
        self.assign(to, Expr::Place(from));
        Ok(())
    }

    /// A pointer to a member that is no array, if more than one element is copied from it: as a value, which goes on
    /// to the next member. A resolved pointer is refused.
    fn going_on(&mut self, pointer: Pointer, e: ExprId, bytes: ExprId) -> Lowered<Pointer> {
        if pointer.offset.is_some()
            || pointer.inner > 0
            || match self.count_of_rows(e, bytes) {
                Some(count) => is_one(&count),
                None => constant::integer(self.l.unit, bytes).is_some(),
            }
        {
            return Ok(pointer);
        }
        if !self.l.values {
            return self.pointer_problem(e, "more is taken than the member, which is no array");
        }
        let value = self.as_value(pointer)?;
        self.hold_pointer(value)
    }

    fn different_types<T>(&mut self, at: Pos) -> Lowered<T> {
        let message = "memory is copied between arrays of different types";
        self.error(&codes::LIBRARY, at, message, "write a loop")
    }

    /// True of a pointer into a matrix, unless the bytes are certainly in the row that it points to.
    fn is_more(&self, pointer: &Pointer, a: ExprId, bytes: ExprId) -> bool {
        let (Some(extents), Some(Expr::Int(first))) = (&pointer.flat, &pointer.offset) else {
            return pointer.flat.is_some();
        };
        let of = self.l.unit.expr(a).ty.as_ref().and_then(Qualified::target);
        let size = |ty: &Qualified| constant::size(self.l.unit, ty, MAX_DEPTH);
        let sizes = of.and_then(size).zip(constant::integer(self.l.unit, bytes));
        let (Some(Expr::Int(row)), Some((each, (bytes, _)))) = (extents.last(), sizes) else {
            return true;
        };
        i128::from(*first) + bytes / each.max(1) > i128::from(*row)
    }

    /// Copies elements one by one: elements of several rows of a matrix, or between arrays of different ranks.
    fn copy_flat(
        &mut self,
        target: Pointer,
        source: Pointer,
        a: ExprId,
        bytes: ExprId,
        at: Pos,
    ) -> Lowered<()> {
        if target.elem != source.elem {
            if let (Elem::Arith(a), Elem::Arith(b)) = (target.elem, source.elem)
                && a.is_real() != b.is_real()
            {
                return self.bits_problem(at);
            }
            return self.different_types(at);
        }
        let Some(n) = self.element_count(&target, a, bytes, at)? else {
            return self.different_types(at);
        };
        let target = self.through_elements(target, at)?;
        let source = self.through_elements(source, at)?;
        if self.l.values {
            return self.copy_elements(target, source, n);
        }
        if target.var == source.var {
            return self.different_types(at);
        }
        let n = self.in_variable(n);
        self.each_element(n, |b, k| {
            let from = Expr::Place(source.at(k).target().into_place());
            b.assign(target.at(k).target().into_place(), from);
            Ok(())
        })
    }

    /// The number of elements, not of rows, in a number of bytes; `None` if the extents of a row are not constant.
    fn element_count(
        &mut self,
        pointer: &Pointer,
        a: ExprId,
        bytes: ExprId,
        at: Pos,
    ) -> Lowered<Option<Expr>> {
        if let Some(count) = self.count_in_elements(a, bytes) {
            return self.number_of(&count, false).map(Some);
        }
        let n = self.count_from_bytes(a, bytes, at)?.unwrap_or(Expr::Int(1));
        if pointer.inner == 0 {
            return Ok(Some(n));
        }
        let Some(extents) = self.row_extents(pointer) else {
            return Ok(None);
        };
        Ok(Some(extents.iter().fold(n, |n, extent| {
            match (n, extent) {
                (Expr::Int(a), Expr::Int(b)) if a.checked_mul(*b).is_some() => Expr::Int(a * b),
                (n, extent) => Expr::op(Op::Mul, [n, extent.clone()]),
            }
        })))
    }

    /// The parts of two arrays that a number of bytes covers.
    fn copied_sections(
        &mut self,
        target: Pointer,
        source: Pointer,
        a: ExprId,
        bytes: ExprId,
        at: Pos,
    ) -> Lowered<(Place, Place)> {
        let count = self.count_from_bytes(a, bytes, at)?;
        Ok(match count {
            None => (target.target_place(), source.target_place()),
            Some(n) => {
                let n = self.in_variable(n);
                (piece(target, n.clone()), piece(source, n))
            }
        })
    }

    /// The number of elements or rows of a pointer in a number of bytes; `None` for exactly one.
    fn count_from_bytes(
        &mut self,
        pointer: ExprId,
        bytes: ExprId,
        at: Pos,
    ) -> Lowered<Option<Expr>> {
        let unit = self.l.unit;
        let of = unit.expr(pointer).ty.as_ref().and_then(Qualified::target);
        let Some(of) = of else {
            return Err(super::Failed);
        };
        let Some(count) = self.count_of_rows(pointer, bytes) else {
            return self.whole_elements(of, bytes, at).map(Some);
        };
        if is_one(&count) {
            return Ok(None);
        }
        self.number_of(&count, false).map(Some)
    }

    /// The number of elements in a number of bytes that is known at run time only. The program stops if the number is
    /// not whole.
    fn whole_elements(&mut self, of: &Qualified, bytes: ExprId, at: Pos) -> Lowered<Expr> {
        let unit = self.l.unit;
        let message = format!(
            "the size is not measured in elements, which are {}",
            of.name()
        );
        let size = constant::size(unit, of, MAX_DEPTH).and_then(|size| i64::try_from(size).ok());
        let size = size.filter(|n| *n > 0 && !self.has_constant_factor(bytes));
        let Some(size) = size else {
            let help = "write n * sizeof(type), with the type of the elements";
            return self.error(&codes::LIBRARY, at, message, help);
        };
        let bytes = self.lower_index(bytes)?;
        let bytes = self.in_variable(bytes);
        let rest = Expr::op(Op::Modulo, [bytes.clone(), Expr::Int(size)]);
        self.set_span();
        self.f.begin_if(Expr::op(Op::Ne, [rest, Expr::Int(0)]));
        self.set_span();
        self.f.stop(message);
        self.set_span();
        self.f.end_if();
        Ok(Expr::op(Op::Div, [bytes, Expr::Int(size)]))
    }

    /// True of constants, and of products with a constant factor, which shows the size of the elements that are
    /// counted.
    fn has_constant_factor(&self, bytes: ExprId) -> bool {
        let unit = self.l.unit;
        let mut open = vec![bytes];
        while let Some(e) = open.pop() {
            if constant::integer(unit, e).is_some() {
                return true;
            }
            match unit.expr(e).kind {
                ExprKind::Binary(Binary::Mul, a, b) => open.extend([a, b]),
                ExprKind::Cast(_, a) => open.push(a),
                _ => {}
            }
        }
        false
    }

    /// The number of elements or rows of a pointer in a number of bytes; `None` if the bytes are not a multiple of
    /// their size.
    fn count_of_rows(&self, pointer: ExprId, bytes: ExprId) -> Option<Count> {
        let unit = self.l.unit;
        // A whole array counts by its rows.
        let whole = unit.expr(pointer).ty.as_ref();
        let sized = match &unit.expr(bytes).kind {
            ExprKind::SizeofExpr(e) => unit.expr(*e).ty.as_ref(),
            ExprKind::SizeofType(ty) => Some(&**ty),
            _ => None,
        };
        if let (
            Some(Qualified {
                ty: Type::Array(_, Some(n)),
                ..
            }),
            Some(sized),
        ) = (whole, sized)
            && whole.is_some_and(|ty| ty.ty == sized.ty)
        {
            return Some(Count::of_elements(vec![(1, vec![*n])]));
        }
        self.count_elements(bytes, whole.and_then(Qualified::target)?)
    }

    /// The number of elements in a number of bytes that is a multiple of their size, but not of that of the rows that
    /// the pointer points to.
    fn count_in_elements(&self, pointer: ExprId, bytes: ExprId) -> Option<Count> {
        let of = self.l.unit.expr(pointer).ty.as_ref()?.target()?;
        if !matches!(of.ty, Type::Array(..)) || self.count_of_rows(pointer, bytes).is_some() {
            return None;
        }
        self.count_elements(bytes, of.element())
    }

    /// A pointer to elements or rows, as a pointer that goes through single elements.
    fn through_elements(&mut self, mut pointer: Pointer, at: Pos) -> Lowered<Pointer> {
        if pointer.inner > 0 {
            pointer = match self.to_elements(&pointer) {
                Some(elements) => elements,
                None => return self.different_types(at),
            };
        }
        if self.l.values {
            // A pointer that is a value goes through the whole object, beyond the row.
            let value = self.as_value(pointer)?;
            pointer = self.hold_pointer(value)?;
        }
        self.settle_pointer(&mut pointer);
        Ok(pointer)
    }

    fn not_three(&mut self, at: Pos) -> Lowered<()> {
        let message = "three arguments are needed";
        self.error(&codes::OPERAND, at, message, "give three")
    }

    /// Refuses a pointer to constants.
    fn refuse_constant_target(&mut self, target: &Pointer, at: Pos) -> Lowered<()> {
        match target.constant {
            true => {
                let message = "a constant is written";
                self.error(&codes::OPERAND, at, message, "remove the const")
            }
            false => Ok(()),
        }
    }

    /// memset.
    pub(super) fn clear_memory(&mut self, arguments: &[ExprId], at: Pos) -> Lowered<()> {
        let [to, value, bytes] = arguments else {
            return self.not_three(at);
        };
        let unit = self.l.unit;
        self.refuse_unordered(arguments, None)?;
        let Some((byte, _)) = constant::integer(unit, *value) else {
            let message = "memset sets bytes that are no constant";
            return self.error(&codes::LIBRARY, at, message, "write a loop");
        };
        let byte = byte.rem_euclid(256) as u8;
        let to = points::strip_conversions(unit, *to);
        let mut target = self.lower_pointer(to)?;
        if unit.expr(*bytes).effects {
            self.settle_pointer(&mut target);
        }
        let target = self.going_on(target, to, *bytes)?;
        self.refuse_constant_target(&target, at)?;
        let (elem, inner) = (target.elem, target.inner);
        // If pointers are values, a matrix behind one is accessed by elements, not by rows.
        if self.l.values && inner > 0 || self.count_in_elements(to, *bytes).is_some() {
            let Some(n) = self.element_count(&target, to, *bytes, at)? else {
                return self.different_types(at);
            };
            let elements = self.through_elements(target, at)?;
            let n = self.in_variable(n);
            return self.each_element(n, |b, k| b.set_bytes(elements.at(k).target(), byte, at));
        }
        if target.flat.is_some() && self.is_more(&target, to, *bytes) {
            let n = self
                .count_from_bytes(to, *bytes, at)?
                .unwrap_or(Expr::Int(1));
            let n = self.in_variable(n);
            return self.each_element(n, |b, k| b.set_bytes(target.at(k).target(), byte, at));
        }
        if target.is_behind() {
            return match self.count_from_bytes(to, *bytes, at)? {
                None => self.set_bytes(target.target(), byte, at),
                Some(n) => {
                    self.each_element(n, |b, k| b.set_bytes(target.at(k).target(), byte, at))
                }
            };
        }
        let place = match self.count_from_bytes(to, *bytes, at)? {
            None => target.target_place(),
            Some(n) => {
                let n = self.in_variable(n);
                piece(target, n)
            }
        };
        let path = super::slot::Path {
            subscripts: place.subscripts.into_vec(),
            dims: 1 + inner,
            ..super::structure::whole_variable(place.var, elem)
        };
        self.set_bytes(path, byte, at)
    }
}

/// The `n` elements or rows from the pointer on.
fn piece(pointer: Pointer, n: Expr) -> Place {
    let first = pointer.offset.unwrap_or(Expr::Int(0));
    let last = match (&first, &n) {
        (Expr::Int(0), Expr::Int(n)) => Expr::Int(n - 1),
        (Expr::Int(0), _) => Expr::op(Op::Sub, [n, Expr::Int(1)]),
        _ => Expr::op(
            Op::Sub,
            [Expr::op(Op::Add, [first.clone(), n]), Expr::Int(1)],
        ),
    };
    let mut subscripts = pointer.prefix;
    subscripts.push(Subscript::Range(Box::new(Range {
        lower: Some(first),
        upper: Some(last),
        stride: None,
    })));
    subscripts.extend((0..pointer.inner).map(|_| Subscript::Range(Box::default())));
    Place {
        var: pointer.var,
        subscripts: subscripts.into_boxed_slice(),
    }
}
