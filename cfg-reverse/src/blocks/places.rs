//! A map from scalar places (variables and array elements) to values, within a stretch of statements
//! that does not change what subscripts read: there, places with equal subscripts are equal.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Place, Subscript},
};
use std::collections::HashMap;

/// Values by place. Elements with constant subscripts are found by hashing; the others, of which there
/// are at most [`Places::MOST`] per variable, one by one.
#[derive(Clone, Debug)]
pub(crate) struct Places<T> {
    constant: HashMap<(VarId, Vec<i64>), T>,
    other: HashMap<VarId, Vec<(Place, T)>>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self {
            constant: HashMap::new(),
            other: HashMap::new(),
        }
    }
}

impl<T> Places<T> {
    /// Places of one variable with subscripts that are not constant.
    pub(crate) const MOST: usize = 64;

    pub(crate) fn get(&self, place: &Place) -> Option<&T> {
        match place.constant_subscripts() {
            Some(subscripts) => self.constant.get(&(place.var, subscripts)),
            None => {
                let list = self.other.get(&place.var)?;
                let found = list.iter().find(|(p, _)| p == place);
                found.map(|(_, value)| value)
            }
        }
    }

    pub(crate) fn insert(&mut self, place: &Place, value: T) {
        match place.constant_subscripts() {
            Some(subscripts) => {
                self.constant.insert((place.var, subscripts), value);
            }
            None => {
                let list = self.other.entry(place.var).or_default();
                match list.iter_mut().find(|(p, _)| p == place) {
                    Some((_, old)) => *old = value,
                    None => list.push((place.clone(), value)),
                }
            }
        }
    }

    /// The places of a variable with subscripts that are not all constant.
    pub(crate) fn symbolic(&self, v: VarId) -> &[(Place, T)] {
        self.other.get(&v).map_or(&[], |list| list)
    }
}

/// True if two elements of one variable are known to be different cells: in some dimension their
/// subscripts differ by a constant.
pub(crate) fn apart(a: &Place, b: &Place) -> bool {
    let differ = |(s, t): (&Subscript, &Subscript)| {
        s.index().zip(t.index()).is_some_and(|(s, t)| {
            let ((base, i), (other, j)) = (offset(s), offset(t));
            base == other && i != j
        })
    };
    a.var == b.var
        && a.subscripts.len() == b.subscripts.len()
        && a.subscripts.iter().zip(&b.subscripts).any(differ)
}

/// An index as base + constant.
fn offset(e: &Expr) -> (Option<&Expr>, i64) {
    match e {
        Expr::Int(i) => (None, *i),
        Expr::Op(Op::Add, operands) => match operands.as_ref() {
            [base, Expr::Int(i)] | [Expr::Int(i), base] => (Some(base), *i),
            _ => (Some(e), 0),
        },
        Expr::Op(Op::Sub, operands) => match operands.as_ref() {
            // -i64::MIN does not exist.
            [base, Expr::Int(i)] if *i != i64::MIN => (Some(base), -*i),
            _ => (Some(e), 0),
        },
        Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Place(_) | Expr::Op(..) => {
            (Some(e), 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_are_apart() {
        let (a, i, j) = (VarId::new(0), VarId::new(1), VarId::new(2));
        let at = |e: Expr| Place::element(a, [e]);
        let plus = |v: VarId, k: i64| Expr::op(Op::Add, [Expr::var(v), Expr::Int(k)]);
        let minus = |v: VarId, k: i64| Expr::op(Op::Sub, [Expr::var(v), Expr::Int(k)]);
        assert!(apart(&at(Expr::Int(1)), &at(Expr::Int(2))));
        assert!(apart(&at(Expr::var(i)), &at(plus(i, 1))));
        assert!(apart(&at(minus(i, 1)), &at(plus(i, 1))));
        assert!(!apart(&at(minus(i, 1)), &at(plus(i, -1))));
        assert!(!apart(&at(Expr::var(i)), &at(plus(j, 1))));
        assert!(!apart(&at(Expr::var(i)), &at(Expr::Int(1))));
    }
}
