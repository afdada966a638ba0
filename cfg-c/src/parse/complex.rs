//! Operators on complex numbers, as calls of functions that `library` has in C, with the implicit conversions of C. A
//! number with known parts is a call of one function; operators on such a number and a real one compute with the
//! parts.

use super::Parser;
use crate::{
    ast::{Binary, ExprId, ExprKind, Init, Unary},
    braces, codes,
    complex::{self, PARTS},
    constant,
    source::Pos,
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::rc::Rc;

/// The function that makes a complex number from its parts.
const MADE: &str = "__cfgrev_complex";

impl Parser<'_> {
    /// The type of the parts of an expression that is complex.
    fn complex_part(&self, e: ExprId) -> Option<Arith> {
        complex::part_type(&self.unit.expr(e).ty.as_ref()?.ty)
    }

    /// The type of a real number, or of the parts of a complex one.
    fn part_of(&self, e: ExprId) -> Option<Arith> {
        let real = || self.unit.expr(e).ty.as_ref()?.arith();
        self.complex_part(e).or_else(real)
    }

    /// An expression with complex operands, rewritten without complex operators; `None` if there is nothing to
    /// rewrite.
    pub(super) fn with_complex(&mut self, kind: &ExprKind, at: Pos, from: Pos) -> Option<ExprId> {
        match kind {
            ExprKind::Unary(op, a) => {
                let part = self.complex_part(*a)?;
                match op {
                    Unary::Plus => Some(*a),
                    Unary::Minus => Some(match self.complex_parts(*a) {
                        Some(parts) => {
                            let parts = parts
                                .map(|e| self.add_expr(ExprKind::Unary(Unary::Minus, e), at, from));
                            self.make_complex(part, parts, at, from)
                        }
                        None => self.complex_call("__cfgrev_negative", part, &[*a], at, from),
                    }),
                    Unary::BitNot => Some(self.complex_call("conj", part, &[*a], at, from)),
                    Unary::Not => {
                        let truth = self.complex_truth(*a);
                        Some(self.add_expr(ExprKind::Unary(Unary::Not, truth), at, from))
                    }
                    Unary::Deref | Unary::Address => None,
                }
            }
            ExprKind::Step { of, .. } => {
                self.complex_part(*of)?;
                Some(self.no_complex("++ and -- are not supported for complex numbers", at, from))
            }
            ExprKind::Binary(op, a, b) => self.complex_operator(*op, [*a, *b], at, from),
            ExprKind::Assign(None, target, value) => {
                let ty = self.unit.expr(*target).ty.clone()?;
                let converted = self.converted_to(*value, &ty);
                let kind = ExprKind::Assign(None, *target, converted);
                (converted != *value).then(|| self.add_expr(kind, at, from))
            }
            ExprKind::Assign(Some(op), target, value) => {
                if self.complex_part(*target).is_none() && self.complex_part(*value).is_none() {
                    return None;
                }
                let (first, place) = self.evaluated_place(*target, at, from);
                let value = self.add_expr(ExprKind::Binary(*op, place, *value), at, from);
                let set = self.add_expr(ExprKind::Assign(None, place, value), at, from);
                Some(match first {
                    Some(first) => {
                        self.add_expr(ExprKind::Binary(Binary::Comma, first, set), at, from)
                    }
                    None => set,
                })
            }
            ExprKind::Conditional(c, a, b) => {
                let condition = self.complex_truth(*c);
                let (mut yes, mut no) = (*a, *b);
                if self.complex_part(yes).is_some() || self.complex_part(no).is_some() {
                    let common = self.part_of(yes)?.usual_conversion(self.part_of(no)?);
                    let ty = Qualified::unqualified(complex::with_parts(common));
                    [yes, no] = [yes, no].map(|e| self.converted_to(e, &ty));
                }
                let changed = (condition, yes, no) != (*c, *a, *b);
                changed.then(|| self.add_expr(ExprKind::Conditional(condition, yes, no), at, from))
            }
            ExprKind::Call(f, arguments) => {
                let ty = self.unit.expr(*f).ty.as_ref()?;
                let signature = match &ty.target().unwrap_or(ty).ty {
                    Type::Function(signature) => Rc::clone(signature),
                    _ => return None,
                };
                let mut given = arguments.to_vec();
                for (e, parameter) in given.iter_mut().zip(&signature.parameters) {
                    *e = self.converted_to(*e, &parameter.ty);
                }
                let changed = given[..] != arguments[..];
                changed.then(|| self.add_expr(ExprKind::Call(*f, given.into()), at, from))
            }
            ExprKind::Cast(ty, a) => {
                let is_complex = complex::part_type(&ty.ty).is_some();
                if !is_complex && self.complex_part(*a).is_none() {
                    return None;
                }
                let converted = self.converted_to(*a, ty);
                let kind = ExprKind::Cast(Rc::clone(ty), converted);
                match is_complex {
                    true => Some(converted),
                    false => (converted != *a).then(|| self.add_expr(kind, at, from)),
                }
            }
            ExprKind::Int(..)
            | ExprKind::Real(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::Index(..)
            | ExprKind::Member(..)
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::Literal(_)
            | ExprKind::Inlined(_)
            | ExprKind::Bad => None,
        }
    }

    /// A value, converted to a type as C does if either is complex; otherwise the value itself.
    pub(super) fn converted_to(&mut self, e: ExprId, ty: &Qualified) -> ExprId {
        let (at, from) = (self.unit.expr(e).at, self.unit.expr(e).from);
        match (complex::part_type(&ty.ty), self.complex_part(e)) {
            (Some(to), Some(own)) if to != own => match self.complex_parts(e) {
                Some(parts) => {
                    let parts = parts.map(|e| self.real_as(e, to, at, from));
                    self.make_complex(to, parts, at, from)
                }
                None => self.complex_call("__cfgrev_converted", own, &[e], at, from),
            },
            (Some(to), None) if self.part_of(e).is_some() => {
                let real = self.real_as(e, to, at, from);
                let zero = self.complex_zero(to, at, from);
                self.make_complex(to, [real, zero], at, from)
            }
            (None, Some(_)) => match ty.arith() {
                Some(Arith::Int(Int::Bool)) => self.complex_truth(e),
                Some(_) => self.complex_member(e, PARTS[0], at, from),
                None => e,
            },
            _ => e,
        }
    }

    /// The truth of an expression: for a complex number, an integer that is 0 if both parts are.
    pub(super) fn complex_truth(&mut self, e: ExprId) -> ExprId {
        let Some(part) = self.complex_part(e) else {
            return e;
        };
        let (at, from) = (self.unit.expr(e).at, self.unit.expr(e).from);
        let zeros = [(); 2].map(|()| self.complex_zero(part, at, from));
        let zero = self.make_complex(part, zeros, at, from);
        self.add_expr(ExprKind::Binary(Binary::Ne, e, zero), at, from)
    }

    /// The real or the imaginary part of a number, which may be real.
    pub(super) fn part_named(&mut self, e: ExprId, name: &str, at: Pos) -> ExprId {
        match (self.complex_part(e), self.part_of(e)) {
            (Some(_), _) => self.complex_member(e, name, at, at),
            (None, Some(_)) if name == PARTS[0] => e,
            (None, Some(part)) => self.complex_zero(part, at, at),
            (None, None) => self.no_complex("this has no parts of a complex number", at, at),
        }
    }

    /// The complex number with these parts, which are real.
    pub(super) fn of_parts(&mut self, parts: [ExprId; 2], at: Pos) -> ExprId {
        let [Some(a), Some(b)] = parts.map(|e| self.part_of(e)) else {
            return self.no_complex("the parts of a complex number are real", at, at);
        };
        let common = match a.usual_conversion(b) {
            Arith::Int(_) => Arith::Double,
            real => real,
        };
        let parts = parts.map(|e| self.real_as(e, common, at, at));
        self.make_complex(common, parts, at, at)
    }

    /// The initial value of a variable, with the conversions of C. If the variable is kept between calls, complex
    /// numbers with constant parts are given by their parts.
    pub(super) fn converted_initial(&mut self, ty: &Qualified, init: Init, kept: bool) -> Init {
        let mut parts = Vec::new();
        let whole = matches!(init, Init::Expr(_));
        for (steps, e) in init.given_values() {
            let own = braces::type_at(&self.unit, ty, steps).cloned();
            let e = own.map_or(e, |own| self.converted_to(e, &own));
            match self.complex_parts(e).filter(|_| kept) {
                Some(values) => parts.extend(PARTS.iter().zip(values).map(|(name, value)| {
                    let field = Subscript::Field((*name).into());
                    (steps.iter().cloned().chain([field]).collect(), value)
                })),
                None if whole => return Init::Expr(e),
                None => parts.push((steps.to_vec(), e)),
            }
        }
        match init {
            Init::Wrong(_) => init,
            Init::Expr(_) | Init::Parts(_) => Init::Parts(parts),
        }
    }

    /// An operator on two operands of which one is complex.
    fn complex_operator(
        &mut self,
        op: Binary,
        operands: [ExprId; 2],
        at: Pos,
        from: Pos,
    ) -> Option<ExprId> {
        let complex = operands.map(|e| self.complex_part(e));
        if op == Binary::Comma || complex == [None, None] {
            return None;
        }
        if matches!(op, Binary::And | Binary::Or) {
            let [a, b] = operands.map(|e| self.complex_truth(e));
            return Some(self.add_expr(ExprKind::Binary(op, a, b), at, from));
        }
        let [Some(a), Some(b)] = operands.map(|e| self.part_of(e)) else {
            return Some(self.no_complex("a complex number meets what is none", at, from));
        };
        let part = a.usual_conversion(b);
        let ty = Qualified::unqualified(complex::with_parts(part));
        let [a, b] = operands;
        // With a real number on one side, C computes with the parts of the complex one alone.
        let mixed = match (op, complex) {
            (Binary::Add | Binary::Mul, [None, _]) => Some((b, a, true)),
            (Binary::Sub, [None, _]) => Some((b, a, false)),
            (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div, [_, None]) => {
                Some((a, b, true))
            }
            _ => None,
        };
        if let Some((z, x, complex_first)) = mixed {
            let z = self.converted_to(z, &ty);
            let x = self.real_as(x, part, at, from);
            return Some(self.with_real(op, z, (x, complex_first), at, from));
        }
        let both = operands.map(|e| self.converted_to(e, &ty));
        let name = match op {
            Binary::Add => "__cfgrev_sum",
            Binary::Sub => "__cfgrev_difference",
            Binary::Mul => "__cfgrev_product",
            Binary::Div => "__cfgrev_quotient",
            Binary::Eq | Binary::Ne => "__cfgrev_equal",
            _ => {
                return Some(self.no_complex("this operator is none of complex numbers", at, from));
            }
        };
        let call = self.complex_call(name, part, &both, at, from);
        Some(match op {
            Binary::Ne => self.add_expr(ExprKind::Unary(Unary::Not, call), at, from),
            _ => call,
        })
    }

    /// An operator on a complex number and a real one of the type of its parts.
    fn with_real(
        &mut self,
        op: Binary,
        z: ExprId,
        (x, complex_first): (ExprId, bool),
        at: Pos,
        from: Pos,
    ) -> ExprId {
        let part = self.complex_part(z).unwrap_or(Arith::Double);
        let repeats = matches!(op, Binary::Mul | Binary::Div);
        if let Some([re, im]) = self
            .complex_parts(z)
            .filter(|_| !repeats || self.is_simple(x))
        {
            let mut binary = |a, b| self.add_expr(ExprKind::Binary(op, a, b), at, from);
            let parts = match (op, complex_first) {
                (Binary::Sub, false) => {
                    let re = binary(x, re);
                    [
                        re,
                        self.add_expr(ExprKind::Unary(Unary::Minus, im), at, from),
                    ]
                }
                (Binary::Mul | Binary::Div, _) => [binary(re, x), binary(im, x)],
                _ => [binary(re, x), im],
            };
            return self.make_complex(part, parts, at, from);
        }
        let name = match (op, complex_first) {
            (Binary::Add, _) => "__cfgrev_sum_real",
            (Binary::Mul, _) => "__cfgrev_product_real",
            (Binary::Div, _) => "__cfgrev_quotient_real",
            (_, true) => "__cfgrev_difference_real",
            (_, false) => {
                return self.complex_call("__cfgrev_real_difference", part, &[x, z], at, from);
            }
        };
        self.complex_call(name, part, &[z, x], at, from)
    }

    /// True of expressions that may be evaluated twice: constants and names.
    fn is_simple(&self, e: ExprId) -> bool {
        let mut e = e;
        while let ExprKind::Cast(_, of) = self.unit.expr(e).kind {
            e = of;
        }
        matches!(self.unit.expr(e).kind, ExprKind::Name(_))
            || constant::number(&self.unit, e).is_some()
    }

    /// The parts of a number that is a call of [`MADE`].
    fn complex_parts(&self, e: ExprId) -> Option<[ExprId; 2]> {
        let ExprKind::Call(f, arguments) = &self.unit.expr(e).kind else {
            return None;
        };
        let ExprKind::Name(f) = self.unit.expr(*f).kind else {
            return None;
        };
        let made = self.unit.decl(f).name.starts_with(MADE);
        arguments[..].try_into().ok().filter(|_| made)
    }

    fn make_complex(&mut self, part: Arith, parts: [ExprId; 2], at: Pos, from: Pos) -> ExprId {
        self.complex_call(MADE, part, &parts, at, from)
    }

    /// A real number in another type.
    fn real_as(&mut self, e: ExprId, part: Arith, at: Pos, from: Pos) -> ExprId {
        if self.part_of(e) == Some(part) {
            return e;
        }
        let ty = Rc::new(Qualified::unqualified(Type::Arith(part)));
        self.add_expr(ExprKind::Cast(ty, e), at, from)
    }

    fn complex_zero(&mut self, part: Arith, at: Pos, from: Pos) -> ExprId {
        let kind = match part {
            Arith::Float => ExprKind::Float(0.0),
            Arith::Double => ExprKind::Real(0.0),
            Arith::Int(_) => ExprKind::Int(0, Arith::INT),
        };
        self.add_expr(kind, at, from)
    }

    fn complex_member(&mut self, e: ExprId, name: &str, at: Pos, from: Pos) -> ExprId {
        self.add_expr(ExprKind::Member(e, Rc::from(name), false), at, from)
    }

    /// A call of a function of complex numbers with parts of a type.
    fn complex_call(
        &mut self,
        name: &str,
        part: Arith,
        arguments: &[ExprId],
        at: Pos,
        from: Pos,
    ) -> ExprId {
        let suffix = if part == Arith::Float { "f" } else { "" };
        let Some(f) = self.library_function(&format!("{name}{suffix}")) else {
            return self.add_expr(ExprKind::Bad, at, from);
        };
        let f = self.add_expr(ExprKind::Name(f), at, from);
        self.add_expr(ExprKind::Call(f, arguments.into()), at, from)
    }

    /// Prepares a place to be named twice: if evaluating it has effects, its address is first assigned to a pointer.
    fn evaluated_place(&mut self, place: ExprId, at: Pos, from: Pos) -> (Option<ExprId>, ExprId) {
        let node = self.unit.expr(place);
        let Some(ty) = node
            .ty
            .clone()
            .filter(|_| node.effects && self.in_function())
        else {
            return (None, place);
        };
        let ty = Qualified::unqualified(Type::Pointer(Rc::new(ty)));
        let address = self.add_expr(ExprKind::Unary(Unary::Address, place), at, from);
        let (first, d) = self.kept_in_local("place", ty, address, at, from);
        let pointer = self.add_expr(ExprKind::Name(d), at, from);
        (
            Some(first),
            self.add_expr(ExprKind::Unary(Unary::Deref, pointer), at, from),
        )
    }

    fn no_complex(&mut self, message: &str, at: Pos, from: Pos) -> ExprId {
        let help = "write an operator of C for complex numbers";
        self.sink.error(&codes::TYPE, at, message, help);
        self.add_expr(ExprKind::Bad, at, from)
    }
}
