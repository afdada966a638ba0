//! Places and pointers: which variable, and which element of it.

use super::{
    Lowered,
    routine::Body,
    slot::{Pointer, Slot},
    value::widen,
};
use crate::{
    ast::{Binary, ExprId, ExprKind, Unary},
    codes,
    types::{Arith, Type},
};
use cfg_core::ir::{Expr, Op, Place};

impl Body<'_, '_> {
    /// The number of pointers and array dimensions in the type of an expression; 0 if it is a number.
    pub(super) fn levels(&self, mut e: ExprId) -> i32 {
        let unit = self.l.unit;
        let mut peeled = 0;
        loop {
            match &unit.expr(e).kind {
                ExprKind::Name(d) => {
                    let mut levels = 0;
                    let mut ty = &unit.decl(*d).ty.ty;
                    while let Type::Pointer(of) | Type::Array(of, _) = ty {
                        levels += 1;
                        ty = &of.ty;
                    }
                    return levels - peeled;
                }
                ExprKind::Index(a, _) | ExprKind::Unary(Unary::Deref, a) => {
                    peeled += 1;
                    e = *a;
                }
                ExprKind::Unary(Unary::Address, a) => {
                    peeled -= 1;
                    e = *a;
                }
                ExprKind::Binary(Binary::Add | Binary::Sub, a, _)
                | ExprKind::Step { of: a, .. }
                | ExprKind::Assign(_, a, _) => e = *a,
                ExprKind::Binary(Binary::Comma, _, b) => e = *b,
                ExprKind::Conditional(_, a, _) => e = *a,
                ExprKind::Cast(ty, _) => {
                    let mut levels = 0;
                    let mut ty = &ty.ty;
                    while let Type::Pointer(of) | Type::Array(of, _) = ty {
                        levels += 1;
                        ty = &of.ty;
                    }
                    return levels - peeled;
                }
                ExprKind::Str => return 1 - peeled,
                ExprKind::Call(f, _) => {
                    let ExprKind::Name(d) = unit.expr(*f).kind else {
                        return 0;
                    };
                    let Type::Function(s) = &unit.decl(d).ty.ty else {
                        return 0;
                    };
                    return i32::from(matches!(s.result.ty, Type::Pointer(_))) - peeled;
                }
                _ => return -peeled.max(0),
            }
        }
    }

    fn pointer_problem<T>(&mut self, e: ExprId, what: &str) -> Lowered<T> {
        let at = self.l.unit.expr(e).at;
        let help = "subscript a parameter or an array instead: x[k] with an index k of your own";
        self.error(&codes::POINTER, at, what.to_owned(), help)
    }

    /// A pointer, or an array as the pointer to its first element.
    pub(super) fn pointer(&mut self, e: ExprId) -> Lowered<Pointer> {
        self.nested(e, |b| b.pointer_part(e))
    }

    /// The pointer and the subscript of `a[i]`, which is `i[a]` too.
    fn subscripted(&mut self, a: ExprId, i: ExprId) -> Lowered<(Pointer, Expr)> {
        self.unordered(&[a, i], None)?;
        let (a, i) = if self.levels(a) <= 0 && self.levels(i) > 0 {
            (i, a)
        } else {
            (a, i)
        };
        let pointer = self.pointer(a)?;
        let pointer = self.before(pointer, i);
        Ok((pointer, self.index(i)?))
    }

    fn pointer_part(&mut self, e: ExprId) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let node = unit.expr(e);
        match &node.kind {
            ExprKind::Name(d) => match self.slot(*d, node.at)? {
                Slot::Alias(pointer) => Ok(pointer),
                Slot::Array {
                    var,
                    elem,
                    rank,
                    constant,
                } => {
                    let offset = Expr::Int(0);
                    Ok(Pointer {
                        var,
                        elem,
                        rank,
                        prefix: Vec::new(),
                        offset,
                        constant,
                    })
                }
                Slot::Scalar(..) | Slot::Cell(..) => {
                    let message = format!("{} is no pointer", unit.decl(*d).name);
                    self.error(
                        &codes::OPERAND,
                        node.at,
                        message,
                        "subscript arrays and pointers",
                    )
                }
            },
            ExprKind::Index(a, i) => {
                let (row, index) = self.subscripted(*a, *i)?;
                self.row(row, index, e)
            }
            ExprKind::Unary(Unary::Deref, a) => {
                let row = self.pointer(*a)?;
                self.row(row, Expr::Int(0), e)
            }
            ExprKind::Unary(Unary::Address, a) => self.address(*a),
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
                self.unordered(&[*a, *b], None)?;
                let swapped = self.levels(*a) <= 0;
                if swapped && *op == Binary::Sub || self.levels(*a) > 0 && self.levels(*b) > 0 {
                    return self.pointer_problem(e, "differences of pointers are not supported");
                }
                let (p, k) = if swapped { (*b, *a) } else { (*a, *b) };
                let pointer = self.pointer(p)?;
                let pointer = self.before(pointer, k);
                let by = self.index(k)?;
                let op = if *op == Binary::Add { Op::Add } else { Op::Sub };
                let mut pointer = pointer.shift(by, op);
                if pointer.offset.depth() > 50 {
                    pointer.offset = self.in_variable(pointer.offset);
                }
                Ok(pointer)
            }
            ExprKind::Cast(ty, a) => {
                let pointer = self.pointer(*a)?;
                let same = match &ty.ty {
                    Type::Pointer(to) => to.arith() == Some(pointer.elem) && pointer.inner() == 0,
                    _ => false,
                };
                if same {
                    return Ok(pointer);
                }
                self.pointer_problem(e, "a pointer is converted to another type")
            }
            ExprKind::Step { .. } | ExprKind::Assign(..) => {
                self.pointer_problem(e, "a pointer is assigned or moved")
            }
            ExprKind::Conditional(..) => {
                self.pointer_problem(e, "a pointer is chosen by a condition")
            }
            ExprKind::Call(..) => self.pointer_problem(e, "a pointer comes from a call"),
            ExprKind::Str => self.pointer_problem(e, "a string is used as a value"),
            ExprKind::Member(..) => self.member(e),
            ExprKind::Bad => Err(super::Failed),
            _ => self.pointer_problem(e, "this is no pointer that is supported"),
        }
    }

    /// A member of a structure, which is refused unless the structure has been.
    fn member<T>(&mut self, e: ExprId) -> Lowered<T> {
        let unit = self.l.unit;
        if unit.root(e).is_some_and(|d| self.failed.contains(&d)) {
            return Err(super::Failed);
        }
        let help = "pass members as parameters of their own";
        self.error(
            &codes::TYPE,
            unit.expr(e).at,
            "structures are not supported",
            help,
        )
    }

    /// The pointer, with what the evaluation of `next` might change in variables.
    fn before(&mut self, mut pointer: Pointer, next: ExprId) -> Pointer {
        if self.l.unit.expr(next).effects {
            let prefix = std::mem::take(&mut pointer.prefix);
            pointer.prefix = prefix.into_iter().map(|e| self.settled_index(e)).collect();
            pointer.offset = self.settled_index(pointer.offset);
        }
        pointer
    }

    fn in_variable(&mut self, e: Expr) -> Expr {
        let t = self.f.temporary(cfg_core::ir::ScalarType::Integer);
        self.assign(t, e);
        Expr::var(t)
    }

    /// The row of an array of arrays, as the pointer to its first element.
    fn row(&mut self, pointer: Pointer, index: Expr, e: ExprId) -> Lowered<Pointer> {
        if pointer.inner() == 0 {
            return self.pointer_problem(e, "a number is used as a pointer");
        }
        let mut pointer = pointer.shift(index, Op::Add);
        let row = std::mem::replace(&mut pointer.offset, Expr::Int(0));
        pointer.prefix.push(row);
        Ok(pointer)
    }

    fn address(&mut self, of: ExprId) -> Lowered<Pointer> {
        let unit = self.l.unit;
        let node = unit.expr(of);
        match &node.kind {
            ExprKind::Name(d) => match self.slot(*d, node.at)? {
                Slot::Cell(var, elem) => {
                    let constant = unit.decl(*d).ty.constant;
                    let offset = Expr::Int(0);
                    Ok(Pointer {
                        var,
                        elem,
                        rank: 1,
                        prefix: Vec::new(),
                        offset,
                        constant,
                    })
                }
                _ => self
                    .pointer_problem(of, "the address of an array or pointer as a whole is taken"),
            },
            ExprKind::Index(a, i) => {
                self.unordered(&[*a, *i], None)?;
                let pointer = self.pointer(*a)?;
                let pointer = self.before(pointer, *i);
                let by = self.index(*i)?;
                Ok(pointer.shift(by, Op::Add))
            }
            ExprKind::Unary(Unary::Deref, a) => self.pointer(*a),
            _ => self.pointer_problem(of, "the address of this is not supported"),
        }
    }

    /// A subscript.
    pub(super) fn index(&mut self, e: ExprId) -> Lowered<Expr> {
        let value = self.expr(e)?;
        let value = self.shallow(value);
        if let Some(k) = value.constant {
            return self.within_integer(k, e).map(Expr::Int);
        }
        match value.ty {
            Arith::Int(ty) => {
                let value = value.convert(Arith::Int(ty.promoted()));
                Ok(self.widened(value.e, ty.promoted()))
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

    pub(super) fn widened(&self, e: Expr, ty: crate::types::Int) -> Expr {
        widen(e, ty, &|e| match e {
            Expr::Place(place) => {
                place.subscripts.is_empty() && self.index_variables.contains(&place.var)
            }
            _ => false,
        })
    }

    /// The place of a number; `write` if it is to be assigned.
    pub(super) fn place(&mut self, e: ExprId, write: bool) -> Lowered<(Place, Arith)> {
        let unit = self.l.unit;
        let node = unit.expr(e);
        let element = |mut p: Pointer, index: Expr, b: &mut Self| {
            if p.inner() > 0 {
                return b.pointer_problem(e, "a row of an array is used as a number");
            }
            if write && p.constant {
                return b.error(
                    &codes::OPERAND,
                    node.at,
                    "a constant is assigned",
                    "remove the const",
                );
            }
            p = p.shift(index, Op::Add);
            let mut subscripts = p.prefix;
            subscripts.push(p.offset);
            Ok((Place::element(p.var, subscripts), p.elem))
        };
        match &node.kind {
            ExprKind::Name(d) => {
                if write && unit.decl(*d).ty.constant {
                    let message = format!("{} is a constant", unit.decl(*d).name);
                    return self.error(&codes::OPERAND, node.at, message, "remove the const");
                }
                match self.slot(*d, node.at)? {
                    Slot::Scalar(v, ty) => Ok((v.into(), ty)),
                    Slot::Cell(v, ty) => Ok((v.at(0), ty)),
                    Slot::Array { .. } | Slot::Alias(_) => self.pointer_problem(
                        e,
                        "a pointer or array is used as a number, assigned or compared",
                    ),
                }
            }
            ExprKind::Index(a, i) => {
                let (pointer, index) = self.subscripted(*a, *i)?;
                element(pointer, index, self)
            }
            ExprKind::Unary(Unary::Deref, a) => {
                let pointer = self.pointer(*a)?;
                element(pointer, Expr::Int(0), self)
            }
            ExprKind::Member(..) => self.member(e),
            ExprKind::Bad => Err(super::Failed),
            _ => self.error(
                &codes::OPERAND,
                node.at,
                "this is no place that can be assigned",
                "assign to a variable or an element",
            ),
        }
    }
}
