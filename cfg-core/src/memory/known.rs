//! Look-ups of places in a list that grows.

use crate::ir::{Expr, Place};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Finds places in one list. Most lists are short and searched; in long ones only places with equal fingerprints are
/// compared.
#[derive(Debug, Default)]
pub struct Known {
    by_fingerprint: HashMap<u64, Vec<usize>>,
    seen: usize,
}

impl Known {
    const FEW: usize = 16;

    /// The position of a place in the list of `len` places that `at` gives. The list may only grow between calls.
    pub fn find<'p>(
        &mut self,
        len: usize,
        at: impl Fn(usize) -> &'p Place,
        place: &Place,
    ) -> Option<usize> {
        let is_it = |&k: &usize| at(k) == place;
        if len <= Self::FEW {
            return (0..len).find(is_it);
        }
        for k in self.seen..len {
            let same = self.by_fingerprint.entry(fingerprint(at(k))).or_default();
            same.push(k);
        }
        self.seen = len;
        let same = self.by_fingerprint.get(&fingerprint(place))?;
        same.iter().copied().find(is_it)
    }
}

/// A hash that is equal for equal places.
fn fingerprint(place: &Place) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.var.hash(&mut hasher);
    for e in place.subscript_exprs() {
        e.walk(&mut |e| match e {
            Expr::Int(i) => i.hash(&mut hasher),
            Expr::Logical(b) => b.hash(&mut hasher),
            // Not hashed: zeros of either sign are equal, and so are constant NaNs.
            Expr::Real(_) | Expr::Real32(_) => {}
            Expr::Null(pointer) => pointer.hash(&mut hasher),
            Expr::Place(p) | Expr::Addr(p) => p.var.hash(&mut hasher),
            Expr::Op(op, operands) => (op, operands.len()).hash(&mut hasher),
        });
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::VarId;

    /// Short lists and lists with fingerprints give the position that a search finds.
    #[test]
    fn lists_on_both_sides_of_the_limit() {
        let places: Vec<Place> = (0..2 * Known::FEW as i64)
            .map(|i| Place::element(VarId::new(0), [Expr::Int(i % 23)]))
            .collect();
        let mut known = Known::default();
        for len in 0..=places.len() {
            for place in &places {
                let expected = places[..len].iter().position(|p| p == place);
                assert_eq!(known.find(len, |k| &places[k], place), expected, "{len}");
            }
        }
    }
}
