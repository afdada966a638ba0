//! Extents: expressions of constants, and of variables that keep their values from the beginning of the function.

use super::{Lowered, facts::is_fixed, routine::Body, slot::Slot, value::widen};
use crate::{
    ast::{Binary, DeclKind, ExprId, ExprKind, Init},
    codes, constant,
    types::{Arith, Type},
};
use cfg_core::ir::{Expr, Op};

/// Most levels of an extent. Addresses and copies contain extents in deeper expressions, so half of the levels must
/// be left.
pub(super) const MAX_DEPTH: usize = Expr::MAX_DEPTH / 2;

/// Most parts of an extent. A variable stands for its whole initial value, so a few lines can double an extent again
/// and again.
const MAX_PARTS: usize = 1000;

/// The reason for which an expression is no extent.
enum NoExtent {
    /// The value of this part is not known where the function begins.
    Unknown(ExprId),
    /// This constant is no 64-bit integer.
    Large(ExprId, i128),
    /// The expression has more than [`MAX_PARTS`] parts or [`MAX_DEPTH`] levels.
    Long,
}

impl Body<'_, '_> {
    /// True of an expression that [`Body::lower_extent`] accepts.
    pub(super) fn is_extent(&self, e: ExprId) -> bool {
        self.extent_of(e).is_ok()
    }

    /// Translates an extent; refuses an expression that is none.
    pub(super) fn lower_extent(&mut self, e: ExprId) -> Lowered<Expr> {
        let from = |e| self.l.unit.expr(e).from;
        match self.extent_of(e) {
            Ok(extent) => Ok(extent),
            Err(NoExtent::Unknown(part)) => {
                let message = "the extent is not known where the function begins";
                let help = "make it of constants and of parameters that are never assigned";
                self.error(&codes::EXTENT, from(part), message, help)
            }
            Err(NoExtent::Large(part, value)) => {
                let message = format!("{value} is too large here");
                self.error(
                    &codes::VALUE,
                    from(part),
                    message,
                    "use a number of 63 bits",
                )
            }
            Err(NoExtent::Long) => self.long_extent(e),
        }
    }

    /// Refuses an extent that is too long, or nests too deep.
    pub(super) fn long_extent<T>(&mut self, e: ExprId) -> Lowered<T> {
        let at = self.l.unit.expr(e).from;
        let message = format!(
            "the extent has more than {MAX_PARTS} parts, or nests more than {MAX_DEPTH} deep"
        );
        let help = "make it a parameter, or of fewer parts";
        self.error(&codes::LIMIT, at, message, help)
    }

    fn extent_of(&self, e: ExprId) -> Result<Expr, NoExtent> {
        let mut parts = MAX_PARTS;
        self.part_of_extent(e, MAX_DEPTH, &mut parts)
    }

    fn part_of_extent(&self, e: ExprId, depth: usize, parts: &mut usize) -> Result<Expr, NoExtent> {
        let unit = self.l.unit;
        let depth = depth.checked_sub(1).ok_or(NoExtent::Long)?;
        *parts = parts.checked_sub(1).ok_or(NoExtent::Long)?;
        if let Some((value, _)) = constant::integer(unit, e) {
            let value = i64::try_from(value).map_err(|_| NoExtent::Large(e, value))?;
            return Ok(Expr::Int(value));
        }
        match &unit.expr(e).kind {
            ExprKind::Name(d) if is_fixed(unit, *d) => {
                let decl = unit.decl(*d);
                let Some(Arith::Int(ty)) = decl.ty.arith() else {
                    return Err(NoExtent::Unknown(e));
                };
                match (&decl.kind, &decl.init, self.slots.get(d)) {
                    (DeclKind::Parameter, _, Some(Slot::Scalar(v, _))) => {
                        Ok(widen(Expr::var(*v), ty, &|_| false))
                    }
                    (DeclKind::Parameter, ..) => Err(NoExtent::Unknown(e)),
                    (_, Some(Init::Expr(init)), _) if ty.bits() >= 32 && ty.is_signed() => {
                        self.part_of_extent(*init, depth, parts)
                    }
                    _ => Err(NoExtent::Unknown(e)),
                }
            }
            ExprKind::Cast(ty, a) if matches!(ty.ty, Type::Arith(Arith::Int(t)) if t.bits() >= 32) => {
                self.part_of_extent(*a, depth, parts)
            }
            ExprKind::Binary(
                op @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div),
                a,
                b,
            ) => {
                let a = self.part_of_extent(*a, depth, parts)?;
                let b = self.part_of_extent(*b, depth, parts)?;
                let op = match op {
                    Binary::Add => Op::Add,
                    Binary::Sub => Op::Sub,
                    Binary::Mul => Op::Mul,
                    _ => Op::Div,
                };
                Ok(Expr::op(op, [a, b]))
            }
            _ => Err(NoExtent::Unknown(e)),
        }
    }
}
