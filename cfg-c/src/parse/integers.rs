//! Integers that are read and written as others of their size: `*(unsigned char *)text`, `((unsigned char *)text)[k]`,
//! by way of a local pointer, `const unsigned char *p = (const unsigned char *)text`. Such an access reads the number
//! in the place and converts it. The pointer keeps the type of the place; where it is named, it is converted to the
//! type of its declaration.

use super::Parser;
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Init, Unary},
    points::strip_conversions,
    source::Pos,
    types::{Arith, Qualified, Type},
};
use std::rc::Rc;

/// A pointer inside of a conversion, and the moves behind the conversion.
type Moved = (ExprId, Vec<(Binary, ExprId)>);

impl Parser<'_> {
    /// The expression with accesses to integers as others rewritten as conversions; `None` if it has none.
    pub(super) fn with_integers(&mut self, kind: &ExprKind, at: Pos, from: Pos) -> Option<ExprId> {
        match *kind {
            ExprKind::Unary(Unary::Deref, pointer) => {
                let (own, ty) = self.unwrap_view(pointer, at, from)?;
                let place = self.add_expr(ExprKind::Unary(Unary::Deref, own), at, from);
                self.bits_of(place, ty, at, from)
            }
            ExprKind::Index(pointer, k) => {
                let (own, ty) = self.unwrap_view(pointer, at, from)?;
                let place = self.add_expr(ExprKind::Index(own, k), at, from);
                self.bits_of(place, ty, at, from)
            }
            ExprKind::Cast(ref ty, pointer) => {
                let to = ty.target()?.arith()?;
                let (core, _) = self.moved_pointer(pointer, self.number_at(pointer)?)?;
                if self.number_at(core)? != to {
                    return None;
                }
                let (own, _) = self.unwrap_view(pointer, at, from)?;
                Some(self.unit.push(ExprKind::Cast(Rc::clone(ty), own), at, from))
            }
            ExprKind::Unary(Unary::Address, of) => {
                let name = *self.viewed_names.get(&of)?;
                self.converted_pointer(ExprKind::Unary(Unary::Address, name), of, 2, at, from)
            }
            ExprKind::Step { of, up, post } => {
                let of_name = *self.viewed_names.get(&of)?;
                let step = ExprKind::Step {
                    of: of_name,
                    up,
                    post,
                };
                self.converted_pointer(step, of, 1, at, from)
            }
            ExprKind::Assign(op, target, value) => {
                let name = *self.viewed_names.get(&target)?;
                let own = self.number_at(name)?;
                let value = match op {
                    None => self.own_pointer(value, own, at, from).unwrap_or(value),
                    Some(_) => value,
                };
                let assign = ExprKind::Assign(op, name, value);
                self.converted_pointer(assign, target, 1, at, from)
            }
            ExprKind::Binary(
                op @ (Binary::Lt
                | Binary::Gt
                | Binary::Le
                | Binary::Ge
                | Binary::Eq
                | Binary::Ne
                | Binary::Sub),
                a,
                b,
            ) if self.unit.is_pointer(a) && self.unit.is_pointer(b) => {
                let own = |e: ExprId| {
                    let (core, _) = self.moved_pointer(e, self.number_at(e)?)?;
                    self.number_at(core)
                };
                // Only one of the two may be converted; the other may have the type itself.
                let ty = own(a).or_else(|| own(b))?;
                let [a, b] = [a, b].map(|e| self.own_pointer(e, ty, at, from));
                Some(self.unit.push(ExprKind::Binary(op, a?, b?), at, from))
            }
            _ => None,
        }
    }

    /// Gives a local pointer the type of its initial value, if that leads to other integers of the same size.
    pub(super) fn view_pointer(&mut self, d: DeclId) {
        let decl = self.unit.decl(d);
        let (Type::Pointer(to), Some(Init::Expr(e)), DeclKind::Local) =
            (&decl.ty.ty, &decl.init, decl.kind)
        else {
            return;
        };
        let (to, e, declared) = (Rc::clone(to), *e, decl.ty.clone());
        let (at, from) = (self.unit.expr(e).at, self.unit.expr(e).from);
        let moved = to.arith().and_then(|ty| self.moved_pointer(e, ty));
        let Some(own) = moved.as_ref().and_then(|(core, _)| self.number_at(*core)) else {
            return;
        };
        let Some(init) = moved.and_then(|moved| self.strip_conversion(moved, at, from)) else {
            return;
        };
        let leads_to = Qualified {
            ty: Type::Arith(own),
            ..(*to).clone()
        };
        let decl = &mut self.unit.decls[d.index()];
        decl.ty.ty = Type::Pointer(Rc::new(leads_to));
        decl.init = Some(Init::Expr(init));
        self.viewed_pointers.insert(d, Rc::new(declared));
    }

    /// The name of a variable, converted to the type of its declaration if it leads to other integers.
    pub(super) fn named_pointer(&mut self, name: ExprId) -> ExprId {
        let node = self.unit.expr(name);
        let ExprKind::Name(d) = node.kind else {
            return name;
        };
        let Some(ty) = self.viewed_pointers.get(&d).map(Rc::clone) else {
            return name;
        };
        let (at, from) = (node.at, node.from);
        let e = self.unit.push(ExprKind::Cast(ty, name), at, from);
        self.viewed_names.insert(e, name);
        e
    }

    /// An operator on such a name: applied to the name, and then converted as the name is. `levels`: the number of
    /// pointers on the way to the name.
    fn converted_pointer(
        &mut self,
        made: ExprKind,
        name: ExprId,
        levels: usize,
        at: Pos,
        from: Pos,
    ) -> Option<ExprId> {
        let mut ty = self.unit.expr(name).ty.clone()?;
        for _ in 1..levels {
            ty = Qualified::unqualified(Type::Pointer(Rc::new(ty)));
        }
        let made = self.unit.push(made, at, from);
        Some(self.unit.push(ExprKind::Cast(Rc::new(ty), made), at, from))
    }

    /// The pointer to integers of type `own` inside of a conversion to a pointer to others.
    fn own_pointer(&mut self, e: ExprId, own: Arith, at: Pos, from: Pos) -> Option<ExprId> {
        if self.number_at(e)? == own {
            return Some(e);
        }
        let moved = self.moved_pointer(e, self.number_at(e)?)?;
        let same = self.number_at(moved.0)? == own;
        self.strip_conversion(moved, at, from).filter(|_| same)
    }

    /// The pointer inside of a conversion to a pointer to other integers, and the type in which they are read.
    fn unwrap_view(&mut self, pointer: ExprId, at: Pos, from: Pos) -> Option<(ExprId, Arith)> {
        let ty = self.number_at(pointer)?;
        let moved = self.moved_pointer(pointer, ty)?;
        Some((self.strip_conversion(moved, at, from)?, ty))
    }

    /// The pointer inside of a conversion to integers of type `ty`, if it leads to others of the same size.
    fn moved_pointer(&self, e: ExprId, ty: Arith) -> Option<Moved> {
        let unit = &self.unit;
        let (mut pointer, mut moves) = (e, Vec::new());
        while let ExprKind::Binary(op @ (Binary::Add | Binary::Sub), p, by) =
            unit.expr(pointer).kind
            && self.number_at(pointer) == Some(ty)
        {
            moves.push((op, by));
            pointer = p;
        }
        let core = strip_conversions(unit, pointer);
        match (ty, self.number_at(core)?) {
            (Arith::Int(a), Arith::Int(b)) if a != b && a.bits() == b.bits() => Some((core, moves)),
            _ => None,
        }
    }

    /// The pointer without its conversion, moved by the same numbers of elements.
    fn strip_conversion(&mut self, (core, moves): Moved, at: Pos, from: Pos) -> Option<ExprId> {
        let mut made = core;
        if self.unit.is_array(core) {
            // A pointer may go on behind the end of a row.
            let of = self.unit.expr(core).ty.as_ref()?.target()?.clone();
            let of = Rc::new(Qualified::unqualified(Type::Pointer(Rc::new(of))));
            made = self.unit.push(ExprKind::Cast(of, core), at, from);
        }
        for (op, by) in moves.into_iter().rev() {
            made = self.unit.push(ExprKind::Binary(op, made, by), at, from);
        }
        Some(made)
    }
}
