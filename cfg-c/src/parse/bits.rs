//! Bits of a real number that are read or written as an integer, and the reverse: `*(uint64_t *)&x`, memcpy of one
//! number, unions. If derivatives of bits are taken to be 0 (`no-diff(bits)`), such accesses become calls of
//! functions of `library` that compute the number; otherwise they are refused.

use super::Parser;
use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, StructId, Unary},
    codes, constant,
    points::strip_conversions,
    source::Pos,
    types::{Arith, Int, Qualified, Type, are_bits},
};
use std::rc::Rc;

/// The file name of the functions' declarations, in angle brackets like that of a header.
const FILE: &str = "<math.c>";

/// A number and its bits: the real type, the integer type, and the functions from one to the other.
const KINDS: [(Arith, Arith, &str, &str); 2] = [
    (
        Arith::Double,
        Arith::Int(Int::ULong),
        "__cfgrev_bits",
        "__cfgrev_real",
    ),
    (
        Arith::Float,
        Arith::Int(Int::UInt),
        "__cfgrev_bitsf",
        "__cfgrev_realf",
    ),
];

impl Parser<'_> {
    /// The expression with accesses to bits replaced; `None` if it has none.
    pub(super) fn with_bits(&mut self, kind: &ExprKind, at: Pos, from: Pos) -> Option<ExprId> {
        match *kind {
            ExprKind::Unary(Unary::Deref, pointer) if self.has_bits => {
                self.bits_at(pointer, at, from)
            }
            ExprKind::Index(pointer, k)
                if self.has_bits
                    && constant::integer(&self.unit, k).is_some_and(|(k, _)| k == 0) =>
            {
                self.bits_at(pointer, at, from)
            }
            ExprKind::Unary(Unary::Address, of) => {
                let (place, ty) = self.bits.get(&of).cloned()?;
                let address = self.add_expr(ExprKind::Unary(Unary::Address, place), at, from);
                let ty = Qualified::unqualified(Type::Arith(ty));
                let ty = Rc::new(Qualified::unqualified(Type::Pointer(Rc::new(ty))));
                Some(self.add_expr(ExprKind::Cast(ty, address), at, from))
            }
            ExprKind::Assign(op, target, value) => {
                let (place, ty) = self.bits.get(&target).cloned()?;
                let value = match op {
                    Some(op) => {
                        self.refuse_effects(place, at);
                        self.add_expr(ExprKind::Binary(op, target, value), at, from)
                    }
                    None => value,
                };
                Some(self.set_bits((place, ty), value, None, (at, from)))
            }
            ExprKind::Step { of, up, post } => {
                let (place, ty) = self.bits.get(&of).cloned()?;
                self.refuse_effects(place, at);
                let one = self.add_expr(ExprKind::Int(1, Arith::INT), at, from);
                let (op, back) = match up {
                    true => (Binary::Add, Binary::Sub),
                    false => (Binary::Sub, Binary::Add),
                };
                let value = self.add_expr(ExprKind::Binary(op, of, one), at, from);
                let back = post.then_some((back, one));
                Some(self.set_bits((place, ty), value, back, (at, from)))
            }
            _ => None,
        }
    }

    /// A memcpy of the bits of one number; `None` for other calls.
    pub(super) fn copied_bits(
        &mut self,
        arguments: &[ExprId],
        at: Pos,
        from: Pos,
    ) -> Option<ExprId> {
        let &[to, source, bytes] = arguments else {
            return None;
        };
        let [to, source] = [to, source].map(|e| strip_conversions(&self.unit, e));
        let (a, b) = (self.number_at(to)?, self.number_at(source)?);
        let (size, _) = constant::integer(&self.unit, bytes)?;
        if !self.has_bits || !are_bits(a, b) || size != a.size() {
            return None;
        }
        let place = self.place_behind(source, at, from);
        let value = self.reinterpret_bits(place, a, at, from)?;
        let place = self.place_behind(to, at, from);
        Some(self.add_expr(ExprKind::Assign(None, place, value), at, from))
    }

    /// The type of the number that a pointer leads to.
    pub(super) fn number_at(&self, pointer: ExprId) -> Option<Arith> {
        self.unit.expr(pointer).ty.as_ref()?.target()?.arith()
    }

    /// Refuses an update of bits in a place whose evaluation has side effects, since it is evaluated twice.
    fn refuse_effects(&mut self, place: ExprId, at: Pos) {
        if self.unit.expr(place).effects {
            let message =
                "a number is changed by way of another type, in a place with side effects";
            let help = "keep the pointer in a variable before";
            self.sink.error(&codes::OPERAND, at, message, help);
        }
    }

    /// The bits of the real number that a converted pointer leads to.
    fn bits_at(&mut self, pointer: ExprId, at: Pos, from: Pos) -> Option<ExprId> {
        let inner = strip_conversions(&self.unit, pointer);
        let (ty, own) = (self.number_at(pointer)?, self.number_at(inner)?);
        if !are_bits(ty, own) {
            return None;
        }
        let place = self.place_behind(inner, at, from);
        self.bits_of(place, ty, at, from)
    }

    /// The bits of a number, read as another type; the result may be assigned.
    pub(super) fn bits_of(
        &mut self,
        place: ExprId,
        ty: Arith,
        at: Pos,
        from: Pos,
    ) -> Option<ExprId> {
        let read = self.reinterpret_bits(place, ty, at, from)?;
        self.bits.insert(read, (place, ty));
        Some(read)
    }

    /// The real member of a union, if the named member is an integer with its bits.
    pub(super) fn real_of_bits(&self, s: StructId, name: &str) -> Option<(Rc<str>, Arith)> {
        let structure = self.unit.structure(s);
        let ty = &self.unit.member(s, name)?.ty;
        let ty = ty.arith().filter(|_| ty.width.is_none())?;
        let mut others = structure.members.iter();
        let real = others.find(|m| {
            let own = m.ty.arith();
            own.is_some_and(|own| own.is_real() && are_bits(own, ty))
        });
        let real = real.filter(|_| structure.union && self.has_bits);
        real.map(|m| (Rc::clone(&m.name), ty))
    }

    /// The place that a pointer leads to.
    pub(super) fn place_behind(&mut self, pointer: ExprId, at: Pos, from: Pos) -> ExprId {
        match self.unit.expr(pointer).kind {
            ExprKind::Unary(Unary::Address, of) => {
                self.forget_address(of);
                of
            }
            _ => self.add_expr(ExprKind::Unary(Unary::Deref, pointer), at, from),
        }
    }

    /// Assigns the bits of a value of another type to a number. The value of the expression is the bits after the
    /// assignment, or `back` applied to them, the bits before it.
    fn set_bits(
        &mut self,
        (place, ty): (ExprId, Arith),
        value: ExprId,
        back: Option<(Binary, ExprId)>,
        (at, from): (Pos, Pos),
    ) -> ExprId {
        let own = self.unit.expr(place).ty.as_ref().and_then(Qualified::arith);
        let cast = ExprKind::Cast(Rc::new(Qualified::unqualified(Type::Arith(ty))), value);
        let value = self.add_expr(cast, at, from);
        let value = own.and_then(|own| self.reinterpret_bits(value, own, at, from));
        let Some(value) = value else {
            return self.add_expr(ExprKind::Bad, at, from);
        };
        let set = self.add_expr(ExprKind::Assign(None, place, value), at, from);
        let cast = |ty: Type| Rc::new(Qualified::unqualified(ty));
        if back.is_none() && own.is_some_and(|own| !own.is_real() && !ty.is_real()) {
            return self.add_expr(ExprKind::Cast(cast(Type::Arith(ty)), set), at, from);
        }
        let bits = self.reinterpret_bits(place, ty, at, from);
        let Some(mut bits) = bits.filter(|_| !self.unit.expr(place).effects) else {
            return self.add_expr(ExprKind::Cast(cast(Type::Void), set), at, from);
        };
        if let Some((op, one)) = back {
            bits = self.add_expr(ExprKind::Binary(op, bits, one), at, from);
            bits = self.add_expr(ExprKind::Cast(cast(Type::Arith(ty)), bits), at, from);
        }
        self.bits.insert(bits, (place, ty));
        self.add_expr(ExprKind::Binary(Binary::Comma, set, bits), at, from)
    }

    /// An expression whose value is not used: an assignment without reading the bits again.
    pub(super) fn discard_value(&self, e: ExprId) -> ExprId {
        match self.unit.expr(e).kind {
            ExprKind::Binary(Binary::Comma, set, bits) if self.bits.contains_key(&bits) => set,
            ExprKind::Cast(_, set) if matches!(self.unit.expr(set).kind, ExprKind::Assign(..)) => {
                set
            }
            _ => e,
        }
    }

    /// The number of another type that has the bits of a value.
    fn reinterpret_bits(&mut self, value: ExprId, to: Arith, at: Pos, from: Pos) -> Option<ExprId> {
        let cast = |ty: Arith| Rc::new(Qualified::unqualified(Type::Arith(ty)));
        let own = self.unit.expr(value).ty.as_ref()?.arith()?;
        if own.is_real() == to.is_real() {
            return Some(self.add_expr(ExprKind::Cast(cast(to), value), at, from));
        }
        let (real, bits, into_bits, into_real) = KINDS
            .into_iter()
            .find(|(real, ..)| real.size() == to.size())?;
        let (name, argument) = match to.is_real() {
            true => (into_real, bits),
            false => (into_bits, real),
        };
        let value = self.add_expr(ExprKind::Cast(cast(argument), value), at, from);
        let f = self.library_function(name)?;
        let f = self.add_expr(ExprKind::Name(f), at, from);
        let call = self.add_expr(ExprKind::Call(f, [value].into()), at, from);
        Some(self.add_expr(ExprKind::Cast(cast(to), call), at, from))
    }

    /// A function of the library.
    pub(super) fn library_function(&mut self, name: &str) -> Option<DeclId> {
        if let Some(d) = self.linked.get(name) {
            return Some(*d);
        }
        let place = Pos {
            file: self.sink.file(FILE),
            ..Pos::default()
        };
        let ty = self.library.get(name)?;
        Some(self.declare_known(name, name, ty, place))
    }
}
