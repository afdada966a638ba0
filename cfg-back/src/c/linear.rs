//! Sums of multiples of variables: subscripts and bounds that can be compared.

use cfg_core::{
    entity::VarId,
    flat::FlatExpr,
    ir::{Expr, Op, Place},
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

/// Bounds of the indices of a loop and of one inside.
pub(super) struct Bounds {
    /// The least and the greatest value of each.
    pub(super) of: BTreeMap<VarId, [Linear; 2]>,
    pub(super) inner: VarId,
}

impl Bounds {
    /// True if two elements of one array are different cells for all values of the indices. Elements of two
    /// inner loops may be the same if these meet them in the same pass.
    pub(super) fn are_apart(&self, a: &Place, b: &Place, are_inner: bool) -> bool {
        let mut pairs = a.subscript_exprs().zip(b.subscript_exprs());
        pairs.any(|(s, t)| {
            let (Some(s), Some(t)) = (Linear::of(s), Linear::of(t)) else {
                return false;
            };
            let moves = s.terms.contains_key(&self.inner);
            (are_inner && moves && s == t) || self.differ(s, &t)
        })
    }

    /// True if two sums differ for all values of indices; the inner one may have two.
    fn differ(&self, mut s: Linear, t: &Linear) -> bool {
        let mut t = t.clone();
        let ours = s.terms.remove(&self.inner).unwrap_or(0);
        let theirs = t.terms.remove(&self.inner).unwrap_or(0);
        let Some(difference) = s.plus(&t, -1) else {
            return false;
        };
        let bound = |which: usize| {
            let mut bound = difference.clone();
            let mut replace = |v: VarId, n: i64, is_gone: bool| -> Option<()> {
                let range = self.of.get(&v)?;
                let least = if n > 0 { which } else { 1 - which };
                if is_gone {
                    bound.terms.remove(&v);
                }
                bound = std::mem::take(&mut bound).plus(&range[least], n)?;
                Some(())
            };
            for (v, n) in &difference.terms {
                if self.of.contains_key(v) {
                    replace(*v, *n, true)?;
                }
            }
            replace(self.inner, ours, false)?;
            replace(self.inner, theirs.checked_neg()?, false)?;
            bound.terms.is_empty().then_some(bound.constant)
        };
        bound(0).is_some_and(|least| least > 0) || bound(1).is_some_and(|most| most < 0)
    }
}
