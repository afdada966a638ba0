//! Integers that are converted to fewer bits and back: `int(int32(i) - int32(1))`, which C front ends write for `i -
//! 1`, is `i - 1`. A value that does not fit is undefined in a file without checks, so that the arithmetic of the
//! narrower type gives what that of 64 bits gives.

use super::{
    Emitted,
    operators::{self, Code},
    writer::Writer,
};
use cfg_core::{
    flat::FlatExpr,
    ir::{AnyInt, Conversion, Expr, Op, ScalarType},
    typing,
};

/// The operand of a conversion of an integer to an integer type that keeps the value.
fn converted(e: &Expr) -> Option<(AnyInt, &Expr)> {
    match FlatExpr::view(e) {
        FlatExpr::Op(op, [x]) => match op.conversion()? {
            (Conversion::To, to) => Some((to, x)),
            (Conversion::Wrap | Conversion::Saturate, _) => None,
        },
        FlatExpr::Op(..) | FlatExpr::Constant(_) | FlatExpr::Place(_) => None,
    }
}

impl Writer<'_> {
    fn integer_type(&self, e: &Expr) -> Option<AnyInt> {
        typing::type_of(&self.scope, e).ok()?.ty.any_int()
    }

    /// True of the conversion of an `integer`, and of sums, differences, products and choices with one in it.
    fn is_narrowed(&self, e: &Expr) -> bool {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match (converted(e), FlatExpr::view(e)) {
                (Some((AnyInt::Sized(_), x)), _) => {
                    if x.constant().is_none() && self.integer_type(x) == Some(AnyInt::Integer) {
                        return true;
                    }
                }
                (_, FlatExpr::Op(Op::Add | Op::Sub | Op::Mul | Op::Neg, operands)) => {
                    open.extend(operands);
                }
                (_, FlatExpr::Op(Op::If, [_, arms @ ..])) => open.extend(arms),
                (_, FlatExpr::Op(..) | FlatExpr::Constant(_) | FlatExpr::Place(_)) => {}
            }
        }
        false
    }

    /// True of an expression that has the C type `int64_t`, after what is narrowed in it is not.
    fn is_wide(&self, e: &Expr) -> bool {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match (converted(e), FlatExpr::view(e)) {
                (Some((AnyInt::Sized(_), x)), _) => open.push(x),
                (_, FlatExpr::Op(Op::Add | Op::Sub | Op::Mul | Op::Neg, operands)) => {
                    open.extend(operands);
                }
                (_, FlatExpr::Op(Op::If, [_, arms @ ..])) => open.extend(arms),
                (_, FlatExpr::Place(_)) if self.integer_type(e) == Some(AnyInt::Integer) => {
                    return true;
                }
                (_, FlatExpr::Op(..) | FlatExpr::Constant(_) | FlatExpr::Place(_)) => {}
            }
        }
        false
    }

    /// The value of an integer expression in 64 bits; `beside` an operand of this type C converts it. Recursion is
    /// bounded: expressions have at most [`Expr::MAX_DEPTH`] levels.
    pub(super) fn emit_wide(&mut self, e: &Expr, beside: bool) -> Emitted<Code> {
        if let Some((AnyInt::Sized(_), x)) = converted(e)
            && self.integer_type(x) == Some(AnyInt::Integer)
        {
            return self.emit_scalar(x);
        }
        if let (true, FlatExpr::Op(op, operands)) = (self.is_narrowed(e), FlatExpr::view(e)) {
            let from = usize::from(op == Op::If);
            let mut codes = Vec::with_capacity(operands.len());
            for condition in &operands[..from] {
                codes.push(self.emit_scalar(condition)?);
            }
            codes.extend(self.emit_pair(&operands[from..])?);
            return self.emit_operator(op, codes);
        }
        let e = match converted(e) {
            Some((AnyInt::Integer, x)) if self.is_short(x) => x,
            _ => e,
        };
        let code = self.emit_scalar(e)?;
        Ok(match code.whole() {
            Some(n) => n.into(),
            None if beside => code.typed(ScalarType::Integer),
            None => operators::convert(code, ScalarType::Integer, self.pieces),
        })
    }

    /// Operands in 64 bits, of which C converts one if the other has this type.
    fn emit_pair(&mut self, operands: &[Expr]) -> Emitted<Vec<Code>> {
        let mut codes = Vec::with_capacity(operands.len());
        for (k, operand) in operands.iter().enumerate() {
            let beside = match operands {
                [x, y] => self.is_wide(if k == 0 { y } else { x }),
                _ => false,
            };
            codes.push(self.emit_wide(operand, beside)?);
        }
        Ok(codes)
    }

    /// True of an expression whose type has at most 32 bits.
    fn is_short(&self, e: &Expr) -> bool {
        matches!(self.integer_type(e), Some(AnyInt::Sized(ty)) if ty.bits() <= 32)
    }

    /// The C of an operator over integers that are converted for it alone; `None` of others.
    pub(super) fn emit_widened(&mut self, op: Op, operands: &[Expr]) -> Emitted<Option<Code>> {
        if self.is_checked() {
            return Ok(None);
        }
        if let (Some((Conversion::To, AnyInt::Integer)), [x]) = (op.conversion(), operands)
            && matches!(self.integer_type(x), Some(AnyInt::Sized(_)))
            && self.is_narrowed(x)
        {
            return self.emit_wide(x, false).map(Some);
        }
        let compares = matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge);
        let computes = matches!(op, Op::Add | Op::Sub | Op::Mul);
        let [x, y] = operands else { return Ok(None) };
        let narrowed = self.is_narrowed(x) || self.is_narrowed(y);
        let widens =
            |e: &Expr| matches!(converted(e), Some((AnyInt::Integer, x)) if self.is_short(x));
        let beside = widens(x) && self.is_wide(y) || widens(y) && self.is_wide(x);
        let is_wider = compares && self.is_short(x) && self.is_short(y) && narrowed
            || (compares || computes) && beside;
        match is_wider {
            true => {
                let pair = self.emit_pair(operands)?;
                self.emit_operator(op, pair).map(Some)
            }
            false => Ok(None),
        }
    }

    /// The C of an index without the conversion of an integer of fewer bits around all of it.
    pub(super) fn unconverted(&self, e: &Expr, index: Code) -> Code {
        match converted(e) {
            Some((AnyInt::Integer, x))
                if matches!(self.integer_type(x), Some(AnyInt::Sized(_))) =>
            {
                index.without_cast("int64_t")
            }
            _ => index,
        }
    }
}
