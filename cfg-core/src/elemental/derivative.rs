//! The partial derivatives of every elemental operator.

use std::f64::consts::{FRAC_2_SQRT_PI, LOG2_E, LOG10_E};

use super::partial::{Finiteness, Partial, PartialError, PartialExpr, convert, real};
use crate::ir::{Expr, Op, OpClass, ScalarType};
use Finiteness::{Finite, MayOverflow, Singular};

/// The partial derivatives with respect to all operands: [`partial`] for each.
pub fn partials(
    op: Op,
    operands: &[Expr],
    types: &[ScalarType],
    result: Option<&Expr>,
) -> Result<Vec<Partial>, PartialError> {
    (0..operands.len())
        .map(|k| partial(op, operands, types, k, result))
        .collect()
}

/// The partial derivative of `op(operands)` with respect to operand `k` (from 0), as an expression over the
/// operands and, if the caller offers it, the result of the operator.
///
/// Operands should be simple (variables, temporaries, constants), since the expression repeats them. `types` are the
/// types of the operands; constants in the expression have the type of the result, the one real type among `types`.
/// The partial is zero for integer and logical operands, and for comparisons.
///
/// `+ * min max` of more than two operands are supported, but the partials of all n together are of quadratic size:
/// fold long applications pairwise, in the order in which the value is computed (from the left). Reductions and
/// transformational functions are not elemental; their derivatives are: `sum`: 1 for every element; `product`,
/// `maxval`, `minval`: the arrays `product_partial`, `maxval_partial`, `minval_partial`; `transpose`: transposed.
pub fn partial(
    op: Op,
    operands: &[Expr],
    types: &[ScalarType],
    k: usize,
    result: Option<&Expr>,
) -> Result<Partial, PartialError> {
    if op.class() != OpClass::Elemental {
        return Err(PartialError::NotElemental(op));
    }
    let (fewest, most) = op.arity();
    let n = operands.len();
    if n < fewest || n > most || types.len() != n || k >= n {
        return Err(PartialError::NoOperand(op));
    }
    if !types[k].is_real() {
        return Ok(Partial::Zero);
    }
    let table = Table {
        op,
        operands,
        types,
        ty: types[k],
        result,
    };
    Ok(match n {
        1 => table.unary(&operands[0]),
        2 => table.binary(&operands[0], &operands[1], k),
        _ => table.many(k),
    })
}

/// True if partials of the operator are made of its result where the caller offers it, see [`partial`].
pub fn reads_result(op: Op) -> bool {
    matches!(
        op,
        Op::Sqrt | Op::Cbrt | Op::Exp | Op::Tan | Op::Tanh | Op::Gamma
    ) || matches!(op, Op::Div | Op::Pow | Op::Hypot | Op::Mod | Op::Modulo)
}

/// One application of an operator, and helpers that build expressions of its type.
struct Table<'a> {
    op: Op,
    operands: &'a [Expr],
    types: &'a [ScalarType],
    ty: ScalarType,
    result: Option<&'a Expr>,
}

fn e(op: Op, operands: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::op(op, operands)
}

/// The partial of an expression; the constants 0, 1 and -1 become variants of their own.
fn partial_of(expr: Expr, finiteness: Finiteness) -> Partial {
    let value = match expr {
        Expr::Real(c) => Some(c),
        Expr::Real32(c) => Some(f64::from(c)),
        Expr::Int(n) => Some(n as f64),
        Expr::Logical(_) | Expr::Place(_) | Expr::Op(..) | Expr::Null(_) | Expr::Addr(_) => None,
    };
    match value {
        Some(0.0) => Partial::Zero,
        Some(1.0) => Partial::One,
        Some(-1.0) => Partial::MinusOne,
        _ => {
            let mut constant = true;
            expr.walk_places(&mut |_| constant = false);
            Partial::Expr(PartialExpr {
                expr,
                finiteness,
                constant,
                masks: false,
            })
        }
    }
}

fn select(condition: Expr, then: i8, otherwise: i8) -> Partial {
    Partial::Select {
        condition,
        then,
        otherwise,
    }
}

impl Table<'_> {
    fn c(&self, value: f64) -> Expr {
        real(self.ty, value)
    }

    /// The result of the operator: the caller's, or computed again.
    fn r(&self) -> Expr {
        self.result
            .cloned()
            .unwrap_or_else(|| e(self.op, self.operands.iter().cloned()))
    }

    /// An operand in the type of the result: integers are mixed with reals by arithmetic only.
    fn as_real(&self, k: usize) -> Expr {
        match (&self.operands[k], self.types[k]) {
            (Expr::Int(n), _) => self.c(*n as f64),
            (x, ScalarType::Integer) => convert(x.clone(), self.ty),
            (x, _) => x.clone(),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "operators without a rule of their own here are treated alike"
    )]
    fn unary(&self, x: &Expr) -> Partial {
        let x = || x.clone();
        let one = || self.c(1.0);
        match self.op {
            Op::Neg => Partial::MinusOne,
            Op::Min | Op::Max => Partial::One,
            Op::ToReal => self.conversion(ScalarType::Real),
            Op::ToReal32 => self.conversion(ScalarType::Real32),
            Op::Sqrt => partial_of(e(Op::Div, [self.c(0.5), self.r()]), Singular),
            Op::Cbrt => {
                // 1/(3 r^2)
                let square = e(Op::Mul, [self.r(), self.r()]);
                partial_of(e(Op::Div, [self.c(1.0 / 3.0), square]), Singular)
            }
            Op::Exp => partial_of(self.r(), MayOverflow),
            // Not r + 1, which has lost all digits where r is near -1.
            Op::Expm1 => partial_of(e(Op::Exp, [x()]), MayOverflow),
            Op::Log => partial_of(e(Op::Div, [one(), x()]), Singular),
            Op::Log1p => {
                let sum = e(Op::Add, [one(), x()]);
                partial_of(e(Op::Div, [one(), sum]), Singular)
            }
            Op::Log2 => partial_of(e(Op::Div, [self.c(LOG2_E), x()]), Singular),
            Op::Log10 => partial_of(e(Op::Div, [self.c(LOG10_E), x()]), Singular),
            Op::Sin => partial_of(e(Op::Cos, [x()]), Finite),
            Op::Cos => partial_of(e(Op::Neg, [e(Op::Sin, [x()])]), Finite),
            Op::Tan => {
                let square = e(Op::Mul, [self.r(), self.r()]);
                partial_of(e(Op::Add, [one(), square]), Finite)
            }
            Op::Asin => partial_of(e(Op::Div, [one(), self.circle()]), Singular),
            Op::Acos => partial_of(e(Op::Div, [self.c(-1.0), self.circle()]), Singular),
            Op::Atan => {
                let square = e(Op::Mul, [x(), x()]);
                partial_of(e(Op::Div, [one(), e(Op::Add, [one(), square])]), Finite)
            }
            Op::Sinh => partial_of(e(Op::Cosh, [x()]), MayOverflow),
            Op::Cosh => partial_of(e(Op::Sinh, [x()]), MayOverflow),
            // From r alone the error is a few units in the last place of 1: at |x| = 19 no digit is left. It spares a
            // function where the caller has r; cosh^-2 is accurate everywhere.
            Op::Tanh => match self.result {
                Some(r) => partial_of(self.one_minus_square(r), Finite),
                None => partial_of(e(Op::Pow, [e(Op::Cosh, [x()]), Expr::Int(-2)]), Finite),
            },
            Op::Asinh => {
                let root = e(Op::Hypot, [one(), x()]);
                partial_of(e(Op::Div, [one(), root]), Finite)
            }
            Op::Acosh => {
                // Two roots: no overflow, and NaN, not a number, for x < -1.
                let below = e(Op::Sqrt, [e(Op::Sub, [x(), one()])]);
                let above = e(Op::Sqrt, [e(Op::Add, [x(), one()])]);
                partial_of(e(Op::Div, [one(), e(Op::Mul, [below, above])]), Singular)
            }
            Op::Atanh => partial_of(e(Op::Div, [one(), self.one_minus_square(&x())]), Singular),
            Op::Abs => select(e(Op::Lt, [x(), self.c(0.0)]), -1, 1),
            Op::Erf => self.gauss(FRAC_2_SQRT_PI),
            Op::Erfc => self.gauss(-FRAC_2_SQRT_PI),
            Op::Gamma => partial_of(e(Op::Mul, [self.r(), e(Op::Digamma, [x()])]), Singular),
            Op::Lgamma => partial_of(e(Op::Digamma, [x()]), Singular),
            Op::Digamma => partial_of(e(Op::Polygamma, [Expr::Int(1), x()]), Singular),
            // floor, ceil, round, trunc, int, logical: constant between their jumps.
            _ => Partial::Zero,
        }
    }

    fn conversion(&self, result: ScalarType) -> Partial {
        if self.ty == result {
            Partial::One
        } else {
            Partial::Convert {
                operand: self.ty,
                result,
            }
        }
    }

    /// (1 - x)(1 + x): unlike 1 - x^2, accurate near 1.
    fn one_minus_square(&self, x: &Expr) -> Expr {
        let minus = e(Op::Sub, [self.c(1.0), x.clone()]);
        let plus = e(Op::Add, [self.c(1.0), x.clone()]);
        e(Op::Mul, [minus, plus])
    }

    fn circle(&self) -> Expr {
        e(Op::Sqrt, [self.one_minus_square(&self.operands[0])])
    }

    fn gauss(&self, factor: f64) -> Partial {
        let x = &self.operands[0];
        let square = e(Op::Mul, [x.clone(), x.clone()]);
        let bell = e(Op::Exp, [e(Op::Neg, [square])]);
        partial_of(e(Op::Mul, [self.c(factor), bell]), Finite)
    }

    fn binary(&self, x: &Expr, y: &Expr, k: usize) -> Partial {
        let (x, y) = (|| x.clone(), || y.clone());
        match (self.op, k) {
            (Op::Add, _) | (Op::Sub | Op::Mod | Op::Modulo, 0) => Partial::One,
            (Op::Sub, _) => Partial::MinusOne,
            (Op::Mul, 0) => partial_of(y(), Finite),
            (Op::Mul, _) => partial_of(x(), Finite),
            (Op::Div, 0) => self.reciprocal(y()),
            (Op::Div, _) => self.denominator(&x(), y()),
            (Op::Pow, 0) => self.power_base(x(), y()),
            (Op::Pow, _) => {
                // r*log(x); 0, its limit, at base 0 with a positive exponent.
                let flat = e(
                    Op::And,
                    [e(Op::Eq, [x(), self.c(0.0)]), e(Op::Gt, [y(), self.c(0.0)])],
                );
                let product = e(Op::Mul, [self.r(), e(Op::Log, [self.as_real(0)])]);
                match x() {
                    Expr::Real(c) if c > 0.0 => partial_of(product, MayOverflow),
                    Expr::Real32(c) if c > 0.0 => partial_of(product, MayOverflow),
                    Expr::Int(c) if c > 0 => partial_of(product, MayOverflow),
                    Expr::Int(_)
                    | Expr::Real(_)
                    | Expr::Real32(_)
                    | Expr::Logical(_)
                    | Expr::Place(_)
                    | Expr::Op(..)
                    | Expr::Null(_)
                    | Expr::Addr(_) => {
                        partial_of(e(Op::If, [flat, self.c(0.0), product]), Singular)
                    }
                }
            }
            (Op::StrongMul, 0) => partial_of(y(), Singular),
            (Op::StrongMul, _) => match partial_of(x(), Finite) {
                // A constant other than 0 masks nothing.
                Partial::Expr(p) => Partial::Expr(PartialExpr {
                    masks: !matches!(p.expr, Expr::Real(_) | Expr::Real32(_) | Expr::Int(_)),
                    ..p
                }),
                other @ (Partial::Zero
                | Partial::One
                | Partial::MinusOne
                | Partial::Convert { .. }
                | Partial::Select { .. }) => other,
            },
            (Op::Atan2, k) => {
                // x/h^2 and -y/h^2, h^2 not formed: it over- and underflows.
                let (leg, sign) = if k == 0 { (y(), false) } else { (x(), true) };
                let h = || e(Op::Hypot, [x(), y()]);
                let quotient = e(Op::Div, [e(Op::Div, [leg, h()]), h()]);
                let expr = if sign {
                    e(Op::Neg, [quotient])
                } else {
                    quotient
                };
                partial_of(expr, Singular)
            }
            (Op::Hypot, k) => {
                partial_of(e(Op::Div, [self.operands[k].clone(), self.r()]), Singular)
            }
            (Op::Min, k) => select(e(Op::Le, [x(), y()]), i8::from(k == 0), i8::from(k == 1)),
            (Op::Max, k) => select(e(Op::Ge, [x(), y()]), i8::from(k == 0), i8::from(k == 1)),
            (Op::Sign, 0) => {
                let slope = e(
                    Op::If,
                    [e(Op::Lt, [x(), self.c(0.0)]), self.c(-1.0), self.c(1.0)],
                );
                let sign = e(Op::Sign, [self.c(1.0), y()]);
                partial_of(e(Op::Mul, [slope, sign]), Finite)
            }
            (Op::Mod | Op::Modulo, _) => {
                // Minus the whole quotient. Rounding (x - r)/y gives it exactly; x/y itself may lie on the wrong side
                // of a whole number.
                let quotient = e(Op::Div, [e(Op::Sub, [x(), self.r()]), y()]);
                partial_of(e(Op::Neg, [e(Op::Round, [quotient])]), Singular)
            }
            (Op::PosDiff, 0) => select(e(Op::Gt, [x(), y()]), 1, 0),
            (Op::PosDiff, _) => select(e(Op::Gt, [x(), y()]), -1, 0),
            (Op::Polygamma, 1) => {
                let order = match x() {
                    Expr::Int(n) if n < i64::MAX => Expr::Int(n + 1),
                    n @ (Expr::Int(_)
                    | Expr::Real(_)
                    | Expr::Real32(_)
                    | Expr::Logical(_)
                    | Expr::Place(_)
                    | Expr::Op(..)
                    | Expr::Null(_)
                    | Expr::Addr(_)) => e(Op::Add, [n, Expr::Int(1)]),
                };
                partial_of(e(Op::Polygamma, [order, y()]), Singular)
            }
            // The second operand of sign, comparisons.
            _ => Partial::Zero,
        }
    }

    /// The partial -r/y, unlike x/y^2 without undue overflow. Of r = 1/y and r = -1/y it is -r^2 and r^2, which take
    /// no division where the caller has r.
    fn denominator(&self, x: &Expr, y: Expr) -> Partial {
        let sign = match x {
            Expr::Real(c) => *c,
            Expr::Real32(c) => f64::from(*c),
            Expr::Int(_) | Expr::Logical(_) | Expr::Place(_) | Expr::Op(..) => 0.0,
            Expr::Null(_) | Expr::Addr(_) => 0.0,
        };
        let slope = match self.result {
            Some(r) if sign.abs() == 1.0 => e(Op::Mul, [r.clone(), r.clone()]),
            Some(_) | None => e(Op::Div, [self.r(), y]),
        };
        let negative = self.result.is_none() || sign != -1.0;
        partial_of(if negative { e(Op::Neg, [slope]) } else { slope }, Singular)
    }

    /// The partial 1/y.
    fn reciprocal(&self, y: Expr) -> Partial {
        let finiteness = match y {
            Expr::Real(c) if (1.0 / c).is_finite() => Finite,
            Expr::Real32(c) if (1.0 / c).is_finite() => Finite,
            Expr::Int(n) if n != 0 => Finite,
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => Singular,
        };
        match y {
            Expr::Real(1.0) | Expr::Real32(1.0) | Expr::Int(1) => Partial::One,
            Expr::Real(-1.0) | Expr::Real32(-1.0) | Expr::Int(-1) => Partial::MinusOne,
            y @ (Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_)) => partial_of(e(Op::Div, [self.c(1.0), y]), finiteness),
        }
    }

    /// The partial y * x**(y-1); 0 where y is 0, also at base 0.
    fn power_base(&self, x: Expr, y: Expr) -> Partial {
        let constant = match y {
            Expr::Int(n) => Some(n as f64),
            Expr::Real(c) => Some(c),
            Expr::Real32(c) => Some(f64::from(c)),
            Expr::Logical(_) | Expr::Place(_) | Expr::Op(..) | Expr::Null(_) | Expr::Addr(_) => {
                None
            }
        };
        if constant == Some(0.0) {
            return Partial::Zero;
        }
        if constant == Some(1.0) {
            return Partial::One;
        }
        if constant == Some(2.0) {
            return partial_of(e(Op::Mul, [self.c(2.0), x]), Finite);
        }
        let lowered = match y {
            // The least integer cannot be decremented; `-i64::MAX` has the parity that the difference would have.
            Expr::Int(n) => Expr::Int(n.checked_sub(1).unwrap_or(-i64::MAX)),
            Expr::Real(c) => Expr::Real(c - 1.0),
            Expr::Real32(c) => Expr::Real32(c - 1.0),
            // A variable integer exponent is decremented as an integer: with a real one the base could not be
            // negative.
            _ if self.types[1] == ScalarType::Integer => {
                let least = e(Op::Eq, [y.clone(), Expr::Int(i64::MIN)]);
                let lower = e(Op::If, [least, Expr::Int(1), Expr::Int(-1)]);
                e(Op::Add, [y.clone(), lower])
            }
            Expr::Logical(_) | Expr::Place(_) | Expr::Op(..) | Expr::Null(_) | Expr::Addr(_) => {
                e(Op::Sub, [y.clone(), self.c(1.0)])
            }
        };
        let factor = match constant {
            Some(c) => self.c(c),
            None => y.clone(),
        };
        let slope = e(Op::Mul, [factor, e(Op::Pow, [x, lowered])]);
        match constant {
            Some(c) if c > 1.0 && self.types[1] == ScalarType::Integer => {
                partial_of(slope, MayOverflow)
            }
            Some(_) => partial_of(slope, Singular),
            None => {
                let zero = if self.types[1] == ScalarType::Integer {
                    Expr::Int(0)
                } else {
                    self.c(0.0)
                };
                let flat = e(Op::Eq, [y, zero]);
                partial_of(e(Op::If, [flat, self.c(0.0), slope]), Singular)
            }
        }
    }

    /// Three operands, or any number.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "operators without a rule of their own here are treated alike"
    )]
    fn many(&self, k: usize) -> Partial {
        let x = |j: usize| self.operands[j].clone();
        let others = || {
            let others = self.operands.iter().enumerate();
            others.filter(|&(j, _)| j != k).map(|(_, x)| x.clone())
        };
        match self.op {
            Op::Add => Partial::One,
            Op::Mul => partial_of(e(Op::Mul, others()), MayOverflow),
            Op::Fma => match k {
                0 => partial_of(x(1), Finite),
                1 => partial_of(x(0), Finite),
                _ => Partial::One,
            },
            Op::If => select(x(0), i8::from(k == 1), i8::from(k == 2)),
            Op::Min | Op::Max => {
                // `min` and `max` choose operand k if it is strictly beyond all operands before it, and not behind any
                // after it.
                let (strict, weak) = match self.op {
                    Op::Min => (Op::Lt, Op::Le),
                    _ => (Op::Gt, Op::Ge),
                };
                let tests = (0..self.operands.len())
                    .filter(|&j| j != k)
                    .map(|j| e(if j < k { strict } else { weak }, [x(k), x(j)]));
                select(e(Op::And, tests), 1, 0)
            }
            // trips, and, or.
            _ => Partial::Zero,
        }
    }
}
