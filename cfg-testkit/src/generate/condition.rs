//! Logical expressions.

use super::build::Builder;
use cfg_core::ir::{Expr, IntType, Op, ScalarType};

const ORDER: [Op; 4] = [Op::Lt, Op::Le, Op::Gt, Op::Ge];

impl Builder<'_> {
    /// A condition.
    pub(super) fn condition(&mut self, depth: usize) -> Expr {
        if self.options.operators
            && depth > 0
            && self.rng.percent(20)
            && let Some(rare) = self.rare_condition()
        {
            return rare;
        }
        if self.options.operators && depth > 0 && self.rng.percent(6) {
            let ty = *self.rng.pick(&IntType::ALL).unwrap_or(&IntType::Int8);
            return self.sized_condition(ty);
        }
        match self
            .rng
            .weighted(&[16, 12, 6, 4 * depth.min(1), 2 * depth.min(1), 1])
        {
            0 => {
                let op = *self.rng.pick(&ORDER).unwrap_or(&Op::Lt);
                let op = match self.rng.below(5) {
                    0 => Op::Eq,
                    1 => Op::Ne,
                    _ => op,
                };
                let a = self.integer(1);
                let depth = usize::from(self.rng.percent(40));
                let b = self.integer(depth);
                Expr::op(op, [a.e, b.e])
            }
            1 => {
                let op = *self.rng.pick(&ORDER).unwrap_or(&Op::Lt);
                let a = self.real(1);
                let b = if self.exact() {
                    Expr::Real(self.rng.between(-4, 4) as f64)
                } else {
                    Expr::Real((self.rng.real(-1.0, 1.0) * 1000.0).round() / 1000.0 + 1.0 / 8192.0)
                };
                Expr::op(op, [a, b])
            }
            2 => {
                let logicals = self.readable(ScalarType::Logical, false);
                match logicals.get(self.rng.below(logicals.len())) {
                    Some(&v) => self.vars[v].value(),
                    None => {
                        let a = self.integer(1);
                        Expr::op(Op::Gt, [a.e, Expr::Int(1)])
                    }
                }
            }
            3 => {
                let op = if self.rng.percent(50) {
                    Op::And
                } else {
                    Op::Or
                };
                let a = self.condition(0);
                let b = self.condition(0);
                Expr::op(op, [a, b])
            }
            4 => {
                let a = self.condition(0);
                Expr::op(Op::Not, [a])
            }
            _ => Expr::Logical(self.rng.percent(50)),
        }
    }
}
