//! The types of expressions.

use crate::{
    ast::{Binary, ExprId, ExprKind, Unary, Unit},
    points,
    types::{Arith, Int, Qualified, Type},
};
use std::rc::Rc;

fn arith(ty: Arith) -> Option<Qualified> {
    Some(Qualified::unqualified(Type::Arith(ty)))
}

/// The type of an expression after decay: an array becomes a pointer to its elements.
pub(super) fn decayed(ty: Qualified) -> Qualified {
    match ty.ty {
        Type::Array(of, _) => Qualified::unqualified(Type::Pointer(of)),
        Type::Void
        | Type::Arith(_)
        | Type::Pointer(_)
        | Type::Function(_)
        | Type::Struct(_)
        | Type::Refused(_) => ty,
    }
}

impl Unit {
    /// The type of an expression from those of its operands.
    pub(crate) fn type_of(&self, kind: &ExprKind) -> Option<Qualified> {
        let unit = self;
        let ty = |e: ExprId| unit.expr(e).ty.clone();
        let common = |a: ExprId, b: ExprId| {
            let (a, b) = (ty(a)?, ty(b)?);
            let mut common =
                Qualified::unqualified(Type::Arith(a.arith()?.usual_conversion(b.arith()?)));
            common.long_double = a.long_double || b.long_double;
            Some(common)
        };
        let promoted = |e: ExprId| {
            let ty = ty(e)?;
            match ty.arith()? {
                Arith::Int(int) => arith(Arith::Int(int.promote())),
                real => arith(real).map(|real| Qualified {
                    long_double: ty.long_double,
                    ..real
                }),
            }
        };
        match kind {
            ExprKind::Int(_, ty) => arith(*ty),
            ExprKind::Real(_) => arith(Arith::Double),
            ExprKind::Float(_) => arith(Arith::Float),
            ExprKind::Str(_) => {
                let char = Qualified::unqualified(Type::Arith(Arith::Int(Int::Char)));
                Some(Qualified::unqualified(Type::Pointer(Rc::new(char))))
            }
            ExprKind::Name(d) | ExprKind::Literal(d) => Some(unit.decl(*d).ty.clone()),
            ExprKind::Unary(op, a) => match op {
                Unary::Plus | Unary::Minus | Unary::BitNot => promoted(*a),
                Unary::Not => arith(Arith::INT),
                Unary::Deref => match ty(*a)? {
                    function if matches!(function.ty, Type::Function(_)) => Some(function),
                    pointer => pointer.target().cloned(),
                },
                Unary::Address => Some(Qualified::unqualified(Type::Pointer(Rc::new(ty(*a)?)))),
            },
            ExprKind::Step { of: a, .. } | ExprKind::Assign(_, a, _) => ty(*a),
            ExprKind::Binary(op, a, b) => match op {
                Binary::Comma => ty(*b).map(decayed),
                Binary::Lt
                | Binary::Gt
                | Binary::Le
                | Binary::Ge
                | Binary::Eq
                | Binary::Ne
                | Binary::And
                | Binary::Or => arith(Arith::INT),
                Binary::Shl | Binary::Shr => promoted(*a),
                Binary::Add | Binary::Sub => match (unit.is_pointer(*a), unit.is_pointer(*b)) {
                    (true, true) => arith(Arith::Int(Int::Long)),
                    (true, false) => ty(*a).map(decayed),
                    (false, true) => ty(*b).map(decayed),
                    (false, false) => common(*a, *b),
                },
                Binary::Mul
                | Binary::Div
                | Binary::Rem
                | Binary::BitAnd
                | Binary::BitXor
                | Binary::BitOr => common(*a, *b),
            },
            ExprKind::Conditional(_, a, b) => {
                // A null pointer takes the type of the other choice.
                let null = points::is_null(unit, *a) && unit.is_pointer(*b);
                let is_nothing = |e: &ExprId| ty(*e).is_some_and(|ty| ty.ty == Type::Void);
                let (chosen, other) = match unit.is_pointer(*a) && !null {
                    true => (*a, *b),
                    false => (*b, *a),
                };
                if let Some(nothing) = [a, b].into_iter().find(|e| is_nothing(e)) {
                    return ty(*nothing);
                }
                if !unit.is_pointer(chosen) {
                    return common(*a, *b).or_else(|| ty(*a));
                }
                // The chosen pointer is one to constants if either choice is.
                let pointer = decayed(ty(chosen)?);
                let reads = ty(other).is_some_and(|ty| ty.target().is_some_and(|to| to.constant));
                Some(match &pointer.ty {
                    Type::Pointer(to) if reads && !to.constant => {
                        let to = (**to).clone().made_constant();
                        Qualified::unqualified(Type::Pointer(Rc::new(to)))
                    }
                    _ => pointer,
                })
            }
            ExprKind::Call(f, _) => match ty(*f)?.ty {
                Type::Function(signature) => Some(signature.result.clone()),
                Type::Pointer(to) => match &to.ty {
                    Type::Function(signature) => Some(signature.result.clone()),
                    _ => None,
                },
                _ => None,
            },
            ExprKind::Index(a, b) => {
                let of = if unit.is_pointer(*a) { *a } else { *b };
                ty(of)?.target().cloned()
            }
            ExprKind::Member(a, name, arrow) => {
                let base = if *arrow {
                    ty(*a)?.target()?.clone()
                } else {
                    ty(*a)?
                };
                let Type::Struct(s) = base.ty else {
                    return None;
                };
                let member = unit.member(s, name)?.ty.clone();
                Some(match base.constant {
                    true => member.made_constant(),
                    false => member,
                })
            }
            ExprKind::Cast(ty, _) => Some((**ty).clone()),
            ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => arith(Arith::Int(Int::ULong)),
            ExprKind::Inlined(inlined) => match inlined.value {
                Some(value) => ty(value),
                None => Some(Qualified::unqualified(Type::Void)),
            },
            ExprKind::Bad => None,
        }
    }
}
