//! The logistic function, as `1/(1 + exp(z))` or `exp(z)/(1 + exp(z))`. No operator has it for a result, so its partial
//! by the result s is made here: with s = 1/(1 + exp(z))
//!
//! ```text
//! ds/dz = s (s - 1),   ds/d(-z) = s (1 - s)
//! ```
//!
//! and with s = exp(z)/(1 + exp(z)) the opposite. Neither needs z, the exponential, or a division. Like the partial of
//! `tanh` by its result, it is as accurate as s: where s rounds to 1 it is 0, and the partial is below 2^-53.

use cfg_core::{
    elemental::{Finiteness, Partial, PartialExpr},
    ir::{Expr, Op, ScalarType},
};

use crate::{
    code::expressions::real,
    partials::linearize::{NodeKind, Nodes},
};

/// The nodes of a logistic function of `z`, or `-z` if `negated`.
pub(super) struct Logistic {
    /// The operand of the quotient by which all depends on z, from 0.
    by: usize,
    negated: bool,
    /// The nodes between the quotient and z, or -z.
    inner: Vec<usize>,
}

impl Logistic {
    /// The partial of the quotient by an operand, where those of all `inner` nodes count as 1.
    pub(super) fn partial(&self, operand: usize, ty: ScalarType, s: &Expr) -> Partial {
        if operand != self.by {
            return Partial::Zero;
        }
        let one = real(1.0, ty);
        let difference = match self.negated == (self.by == 1) {
            true => [one, s.clone()],
            false => [s.clone(), one],
        };
        let difference = Expr::op(Op::Sub, difference);
        Partial::Expr(PartialExpr {
            expr: Expr::op(Op::Mul, [s.clone(), difference]),
            // The quotient of two infinities is NaN.
            finiteness: match self.by {
                0 => Finiteness::Singular,
                _ => Finiteness::Finite,
            },
            constant: false,
            masks: false,
        })
    }

    pub(super) fn inner(&self) -> &[usize] {
        &self.inner
    }
}

impl Nodes<'_> {
    /// The logistic function that a node is, if it is one.
    pub(super) fn logistic(&self, n: usize) -> Option<Logistic> {
        let [numerator, sum] = self.binary(n, Op::Div)?;
        let [a, b] = self.binary(sum, Op::Add)?;
        let exponential = match (self.is_one(a), self.is_one(b)) {
            (true, _) => b,
            (_, true) => a,
            _ => return None,
        };
        let (by, mut inner) = match self.is_one(numerator) {
            true => (1, vec![sum]),
            false if self.nodes[numerator].expr == self.nodes[exponential].expr => {
                (0, vec![sum, numerator])
            }
            false => return None,
        };
        inner.push(exponential);
        let mut negated = false;
        // The exponentials are behind the sum; the loop adds negations.
        for k in 1..inner.len() {
            let z = self.unary(inner[k], Op::Exp)?;
            if self.unary(z, Op::Neg).is_some() {
                negated = true;
                inner.push(z);
            }
        }
        Some(Logistic { by, negated, inner })
    }

    fn binary(&self, n: usize, op: Op) -> Option<[usize; 2]> {
        self.active_operands(n, op)?.try_into().ok()
    }

    fn unary(&self, n: usize, op: Op) -> Option<usize> {
        let [operand] = self.active_operands(n, op)?.try_into().ok()?;
        Some(operand)
    }

    /// The operands of a node, if it is active and has this operator.
    fn active_operands(&self, n: usize, op: Op) -> Option<&[usize]> {
        match self.nodes[n].kind {
            NodeKind::Op(found, operands) if found == op && self.nodes[n].active => {
                Some(self.operands(operands))
            }
            NodeKind::Op(..) | NodeKind::Leaf(_) | NodeKind::Passive(_) => None,
        }
    }

    fn is_one(&self, n: usize) -> bool {
        matches!(
            self.nodes[n].kind,
            NodeKind::Passive(Expr::Real(1.0) | Expr::Real32(1.0))
        )
    }
}
