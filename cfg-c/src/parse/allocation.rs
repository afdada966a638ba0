//! Calls. Allocations by other functions than malloc and realloc, and copies of bits, are rewritten here.

use super::Parser;
use crate::{
    ast::{Binary, ExprId, ExprKind, Unary},
    braces::Written,
    calls::holds_type,
    constant,
    points::strip_conversions,
    source::Pos,
    types::{Arith, Qualified, Type},
};
use std::rc::Rc;

/// Most levels of types in one another whose sizes are computed.
pub(super) const MAX_DEPTH: usize = 100;

impl Parser<'_> {
    /// Makes a call. `aligned_alloc` keeps the number of bytes as its only argument, `reallocarray` gets the product
    /// of its last two, and `posix_memalign(&p, a, n)` becomes `(p = posix_memalign(n), 0)`.
    pub(super) fn add_call(
        &mut self,
        f: ExprId,
        arguments: Vec<ExprId>,
        at: Pos,
        from: Pos,
    ) -> ExprId {
        let sort = self.sort_of_elements(f, &arguments, at);
        let (f, arguments) = sort.unwrap_or((f, arguments));
        let name = match self.unit.expr(f).kind {
            ExprKind::Name(d) if self.unit.decl(d).how().is_some() => {
                Rc::clone(&self.unit.decl(d).name)
            }
            _ => Rc::from(""),
        };
        if matches!(&*name, "memcpy" | "memmove")
            && let Some(e) = self.copied_bits(&arguments, at, from)
        {
            return e;
        }
        if &*name == "memset"
            && let Some(e) = self.cleared_structure(&arguments, at, from)
        {
            return e;
        }
        let given: Vec<ExprId> = match (&*name, &arguments[..]) {
            ("aligned_alloc" | "memalign", &[_, bytes]) => vec![bytes],
            ("posix_memalign", &[_, _, bytes]) => vec![bytes],
            ("reallocarray", &[old, n, size]) => {
                let bytes = self.add_expr(ExprKind::Binary(Binary::Mul, n, size), at, from);
                vec![old, bytes]
            }
            _ => return self.add_expr(ExprKind::Call(f, arguments.into()), at, from),
        };
        let call = self.add_expr(ExprKind::Call(f, given.into()), at, from);
        let [place, _, _] = arguments[..] else {
            return call;
        };
        if &*name != "posix_memalign" {
            return call;
        }
        let void = Qualified::unqualified(Type::Void);
        self.unit.exprs[call.index()].ty =
            Some(Qualified::unqualified(Type::Pointer(Rc::new(void))));
        let place = self.place_behind(strip_conversions(&self.unit, place), at, from);
        let assign = self.add_expr(ExprKind::Assign(None, place, call), at, from);
        let done = self.add_expr(ExprKind::Int(0, Arith::INT), at, from);
        self.add_expr(ExprKind::Binary(Binary::Comma, assign, done), at, from)
    }

    /// A call of memset that sets all members of a structure with pointers to 0, as the assignment of a literal.
    /// `None` for other calls.
    fn cleared_structure(&mut self, arguments: &[ExprId], at: Pos, from: Pos) -> Option<ExprId> {
        let &[to, value, bytes] = arguments else {
            return None;
        };
        let to = strip_conversions(&self.unit, to);
        let ty = &self.unit.expr(to).ty.as_ref()?.target()?.ty;
        let ty = Qualified::unqualified(ty.clone());
        let is_structure = matches!(ty.ty, Type::Struct(_));
        let has_pointers = holds_type(&self.unit, &ty, |ty| matches!(ty, Type::Pointer(_)));
        let (value, _) = constant::integer(&self.unit, value)?;
        let (bytes, _) = constant::integer(&self.unit, bytes)?;
        let size = constant::size(&self.unit, &ty, MAX_DEPTH)?;
        if !is_structure || !has_pointers || value != 0 || bytes != size {
            return None;
        }
        let place = self.place_behind(to, at, from);
        let literal = self.declare_literal(ty, &Written::List(Vec::new(), at), at);
        Some(self.add_expr(ExprKind::Assign(None, place, literal), at, from))
    }

    /// Takes back that the address of a variable is taken, unless another expression takes it.
    pub(super) fn forget_address(&mut self, of: ExprId) {
        let ExprKind::Name(d) = self.unit.expr(of).kind else {
            return;
        };
        let place = self.unit.decl(d).place as usize;
        let is_name =
            |e: ExprId| matches!(self.unit.expr(e).kind, ExprKind::Name(name) if name == d);
        let mut behind = self.unit.exprs[place..].iter();
        let elsewhere = behind.any(|node| match node.kind {
            ExprKind::Unary(Unary::Address, a) => a != of && is_name(a),
            _ => false,
        });
        self.unit.decls[d.index()].address = elsewhere;
    }
}
