//! Sums of multiples of variables: subscripts and bounds that can be compared.

use cfg_core::{
    entity::VarId,
    flat::FlatExpr,
    ir::{Expr, Op},
};
use std::collections::BTreeMap;

/// A sum of multiples of variables and a constant.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) terms: BTreeMap<VarId, i64>,
    pub(super) constant: i64,
}

impl Linear {
    /// The sum that an expression is.
    pub(super) fn of(e: &Expr) -> Option<Self> {
        let mut sum = Self::default();
        let mut open = vec![(e, 1)];
        while let Some((e, factor)) = open.pop() {
            match FlatExpr::view(e) {
                FlatExpr::Constant(_) => {
                    let n = e.constant()?.checked_mul(factor)?;
                    sum.constant = sum.constant.checked_add(n)?;
                }
                FlatExpr::Place(place) if place.subscripts.is_empty() => {
                    sum.add_term(place.var, factor)?;
                }
                FlatExpr::Op(Op::Add, [x, y]) => open.extend([(x, factor), (y, factor)]),
                FlatExpr::Op(Op::Sub, [x, y]) => open.extend([(x, factor), (y, -factor)]),
                FlatExpr::Place(_) | FlatExpr::Op(..) => return None,
            }
        }
        Some(sum)
    }

    fn add_term(&mut self, v: VarId, factor: i64) -> Option<()> {
        let term = self.terms.entry(v).or_default();
        *term = term.checked_add(factor)?;
        if *term == 0 {
            self.terms.remove(&v);
        }
        Some(())
    }

    /// The sum with a multiple of another one added; `None` if a number overflows.
    pub(super) fn plus(mut self, other: &Self, factor: i64) -> Option<Self> {
        for (v, n) in &other.terms {
            self.add_term(*v, n.checked_mul(factor)?)?;
        }
        let n = other.constant.checked_mul(factor)?;
        self.constant = self.constant.checked_add(n)?;
        Some(self)
    }
}
