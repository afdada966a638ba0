//! A map from scalar places (variables and array elements) to values. It assumes a stretch of statements that changes
//! no variable of a subscript: places with equal subscripts are then the same cell.

use cfg_core::{entity::VarId, ir::Place};
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
    /// Most places of one variable with subscripts that are not constant: each look-up compares with all of them.
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
