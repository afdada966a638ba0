//! The kinds of partial derivatives, and their products with derivatives.

use crate::ir::{Expr, Op, ScalarType};

/// The partial derivative of an elemental operator's result with respect to one of its operands.
#[derive(Clone, Debug, PartialEq)]
pub enum Partial {
    /// The partial is identically 0: no derivative passes.
    Zero,
    /// The partial is identically 1.
    One,
    /// The partial is identically -1.
    MinusOne,
    /// 1 with a change of type: conversions between the real types.
    Convert {
        /// Type of the operand, to which an adjoint is converted.
        operand: ScalarType,
        /// Type of the result, to which a tangent is converted.
        result: ScalarType,
    },
    /// `then` where the condition holds, `otherwise` elsewhere; each is 1, -1 or 0.
    Select {
        /// Logical expression over the operands.
        condition: Expr,
        /// The partial where the condition holds.
        then: i8,
        /// The partial where it does not.
        otherwise: i8,
    },
    /// A partial derivative of any other form.
    Expr(PartialExpr),
}

/// A partial derivative that is an expression over the operands and, if offered, the result.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialExpr {
    /// The expression of the partial; a scalar, or elementwise over arrays as the operands are.
    pub expr: Expr,
    /// The extent to which it can be infinite or NaN although the operands are finite.
    pub finiteness: Finiteness,
    /// True if it contains no variable.
    pub constant: bool,
    /// A zero of the partial cancels every derivative, even an infinite or NaN one. Only the
    /// partial of `strong*` with respect to its second operand.
    pub masks: bool,
}

/// The extent to which a partial derivative can be infinite or NaN although the operands are finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finiteness {
    /// The partial is finite.
    Finite,
    /// Infinite by overflow only, as `exp(x)` for large x.
    MayOverflow,
    /// Infinite or NaN at singular points or outside the domain, as `1/x` at 0.
    Singular,
}

/// The products of a derivative and a partial that are `strong*`, 0 where the derivative is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strong {
    /// Products with partials that can be infinite or NaN although the operands are finite. A zero derivative stays
    /// zero as long as operands are finite.
    #[default]
    Needed,
    /// Products with all partials that are not constant. A zero derivative stays zero whatever the operands are.
    Always,
}

/// The operator or the operand has no partial derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartialError {
    /// A reduction, transformational function or inquiry.
    #[error("`{}` is not an elemental operator", .0.name())]
    NotElemental(Op),
    /// Wrong number of operands or types, or no such operand.
    #[error("`{}` has no such operand", .0.name())]
    NoOperand(Op),
}

impl Partial {
    /// The partial as an expression whose constants have type `ty`, a real type.
    pub fn to_expr(&self, ty: ScalarType) -> Expr {
        match self {
            Self::Zero => real(ty, 0.0),
            Self::One | Self::Convert { .. } => real(ty, 1.0),
            Self::MinusOne => real(ty, -1.0),
            Self::Select {
                condition,
                then,
                otherwise,
            } => Expr::op(
                Op::If,
                [
                    condition.clone(),
                    real(ty, f64::from(*then)),
                    real(ty, f64::from(*otherwise)),
                ],
            ),
            Self::Expr(partial) => partial.expr.clone(),
        }
    }

    /// True if a product with this partial is a `strong*`, lest a zero derivative become NaN.
    pub fn is_strong(&self, strong: Strong) -> bool {
        match (strong, self) {
            (Strong::Needed, Self::Expr(p)) if p.finiteness == Finiteness::Finite && !p.masks => {
                false
            }
            _ => self.can_be_infinite(),
        }
    }

    /// True if the partial can be infinite or NaN at all. A partial with variables can, through their values: in
    /// `if(x > 0, x*log(x), 0)` at 0 the partial of the product by x is infinite, and not wanted.
    fn can_be_infinite(&self) -> bool {
        match self {
            Self::Expr(p) => match p.expr {
                Expr::Real(c) => !c.is_finite(),
                Expr::Real32(c) => !c.is_finite(),
                Expr::Int(_)
                | Expr::Logical(_)
                | Expr::Place(_)
                | Expr::Op(..)
                | Expr::Null(_)
                | Expr::Addr(_) => !p.constant || p.finiteness != Finiteness::Finite,
            },
            Self::Zero
            | Self::One
            | Self::MinusOne
            | Self::Convert { .. }
            | Self::Select { .. } => false,
        }
    }

    /// True if the partial can be infinite or NaN at a singular point although the operands are finite.
    pub fn is_singular(&self) -> bool {
        matches!(self, Self::Expr(p) if p.finiteness == Finiteness::Singular)
    }

    /// True if the partial does not depend on the values of variables.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Zero | Self::One | Self::MinusOne | Self::Convert { .. } => true,
            Self::Select { .. } => false,
            Self::Expr(p) => p.constant,
        }
    }

    /// The operand's share of the result's tangent: the operand's `tangent` times this partial. `None` if the share is
    /// zero. `ty` is the type of the result.
    ///
    /// `strong` says which products are strong. In a [`Partial::Select`], the derivative is not evaluated where the
    /// partial is 0.
    pub fn tangent(&self, tangent: Expr, ty: ScalarType, strong: Strong) -> Option<Expr> {
        match self {
            Self::Convert { result, .. } => Some(convert(tangent, *result)),
            Self::Zero | Self::One | Self::MinusOne | Self::Select { .. } | Self::Expr(_) => {
                self.clone().times(tangent, ty, strong)
            }
        }
    }

    /// The share of the operand's adjoint that comes from this result: the result's `adjoint` times this partial. A
    /// zero adjoint gives zero whatever the partial is, see [`Strong::Always`].
    pub fn adjoint(&self, adjoint: Expr, ty: ScalarType) -> Option<Expr> {
        self.clone().into_adjoint(adjoint, ty, Strong::Always)
    }

    /// [`Partial::adjoint`] by value, without a copy. `strong` says which products are strong.
    pub fn into_adjoint(self, adjoint: Expr, ty: ScalarType, strong: Strong) -> Option<Expr> {
        match self {
            Self::Convert { operand, .. } => Some(convert(adjoint, operand)),
            Self::Zero | Self::One | Self::MinusOne | Self::Select { .. } | Self::Expr(_) => {
                self.times(adjoint, ty, strong)
            }
        }
    }

    fn times(self, derivative: Expr, ty: ScalarType, strong: Strong) -> Option<Expr> {
        let signed = |sign: i8, derivative: Expr| {
            if sign < 0 {
                Expr::op(Op::Neg, [derivative])
            } else {
                derivative
            }
        };
        let strong = self.is_strong(strong);
        Some(match self {
            Self::Zero => return None,
            Self::One | Self::Convert { .. } => derivative,
            Self::MinusOne => Expr::op(Op::Neg, [derivative]),
            Self::Select {
                condition,
                then,
                otherwise: 0,
            } => Expr::op(Op::If, [condition, signed(then, derivative), real(ty, 0.0)]),
            Self::Select {
                condition,
                then: 0,
                otherwise,
            } => Expr::op(
                Op::If,
                [condition, real(ty, 0.0), signed(otherwise, derivative)],
            ),
            Self::Select { .. } => Expr::op(Op::Mul, [derivative, self.to_expr(ty)]),
            Self::Expr(p) => {
                let op = if strong { Op::StrongMul } else { Op::Mul };
                if p.masks {
                    // Where the partial is 0, it is the first factor of a strong product: 0 whatever the derivative
                    // is. A constant 0 would have the wrong derivative.
                    let cancels = Expr::op(Op::Eq, [p.expr.clone(), real(ty, 0.0)]);
                    let masked = Expr::op(Op::StrongMul, [p.expr.clone(), derivative.clone()]);
                    let product = Expr::op(op, [derivative, p.expr]);
                    Expr::op(Op::If, [cancels, masked, product])
                } else {
                    Expr::op(op, [derivative, p.expr])
                }
            }
        })
    }
}

/// An expression as a real of this type.
pub(super) fn convert(e: Expr, to: ScalarType) -> Expr {
    let op = if to == ScalarType::Real32 {
        Op::ToReal32
    } else {
        Op::ToReal
    };
    Expr::op(op, [e])
}

/// A constant of a real type.
pub(super) fn real(ty: ScalarType, value: f64) -> Expr {
    if ty == ScalarType::Real32 {
        Expr::Real32(value as f32)
    } else {
        Expr::Real(value)
    }
}
