//! A map whose copies share common parts: where paths of the walk fork, each gets a copy and changes a little of it.
//!
//! A trie over the digits of the keys (P. Bagwell, *Ideal hash trees*, 2001, without the hashing). A change copies the
//! nodes on the way to its key, if another map has them too.

use std::{cell::Cell, rc::Rc};

/// Binary digits of a key per level.
const DIGIT: u32 = 3;

/// A map from the numbers below a limit.
#[derive(Clone)]
pub(crate) struct SharedMap<V> {
    root: Rc<Node<V>>,
    /// Levels of nodes below the root; at most 21.
    height: u32,
}

#[derive(Clone)]
struct Node<V> {
    slots: [Slot<V>; 1 << DIGIT],
    /// True if [`SharedMap::show_new`] has shown the entries below.
    shown: Cell<bool>,
}

#[derive(Clone)]
enum Slot<V> {
    Empty,
    Value(V),
    Node(Rc<Node<V>>),
}

impl<V> Node<V> {
    fn new() -> Rc<Self> {
        Rc::new(Self {
            slots: [const { Slot::Empty }; 1 << DIGIT],
            shown: Cell::new(false),
        })
    }
}

fn digit(key: usize, level: u32) -> usize {
    key >> (level * DIGIT) & ((1 << DIGIT) - 1)
}

impl<V: Copy> SharedMap<V> {
    /// An empty map, for keys below `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        let digits = (usize::BITS - limit.saturating_sub(1).leading_zeros()).div_ceil(DIGIT);
        Self {
            root: Node::new(),
            height: digits.saturating_sub(1),
        }
    }

    pub(crate) fn get(&self, key: usize) -> Option<V> {
        let mut node = &self.root;
        for level in (0..=self.height).rev() {
            match &node.slots[digit(key, level)] {
                Slot::Empty => return None,
                Slot::Value(value) => return Some(*value),
                Slot::Node(below) => node = below,
            }
        }
        None
    }

    pub(crate) fn insert(&mut self, key: usize, value: V) -> Option<V> {
        self.replace(key, Slot::Value(value))
    }

    pub(crate) fn remove(&mut self, key: usize) -> Option<V> {
        self.get(key)?;
        self.replace(key, Slot::Empty)
    }

    fn replace(&mut self, key: usize, new: Slot<V>) -> Option<V> {
        let mut node = Rc::make_mut(&mut self.root);
        for level in (1..=self.height).rev() {
            node.shown.set(false);
            let slot = &mut node.slots[digit(key, level)];
            if !matches!(slot, Slot::Node(_)) {
                *slot = Slot::Node(Node::new());
            }
            let Slot::Node(below) = slot else { return None };
            node = Rc::make_mut(below);
        }
        node.shown.set(false);
        match std::mem::replace(&mut node.slots[digit(key, 0)], new) {
            Slot::Value(old) => Some(old),
            Slot::Empty | Slot::Node(_) => None,
        }
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.root = Node::new();
    }

    /// Calls `show` for each entry, in the order of the keys, except in parts that it has already shown of another
    /// copy.
    pub(crate) fn show_new(&self, mut show: impl FnMut(usize, V)) {
        let mut work = vec![(0, &self.root)];
        while let Some((first, node)) = work.pop() {
            if node.shown.replace(true) {
                continue;
            }
            for (k, slot) in node.slots.iter().enumerate().rev() {
                match slot {
                    Slot::Empty => {}
                    Slot::Value(value) => show(first << DIGIT | k, *value),
                    Slot::Node(below) => work.push((first << DIGIT | k, below)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn copies_are_maps_of_their_own() {
        for limit in [0, 1, 2, 8, 9, 64, 65, 1000] {
            let mut bits = 1 + limit as u64;
            let mut below = |n: usize| {
                bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (bits >> 33) as usize % n
            };
            let mut all = vec![(SharedMap::new(limit), BTreeMap::new())];
            let (mut shown, mut seen) = (BTreeSet::new(), BTreeSet::new());
            for step in 0..2000 {
                let at = below(all.len());
                let (map, model) = &mut all[at];
                let key = below(limit.max(1));
                match below(10) {
                    0 => {
                        let copy = all[at].clone();
                        all.push(copy);
                    }
                    1 => assert_eq!(map.remove(key), model.remove(&key)),
                    2 if step % 10 == 0 => {
                        map.clear();
                        model.clear();
                    }
                    3 => {
                        map.show_new(|k, v| {
                            assert_eq!(model.get(&k), Some(&v));
                            shown.insert((k, v));
                        });
                        seen.extend(model.iter().map(|(&k, &v)| (k, v)));
                        assert_eq!(shown, seen);
                    }
                    _ => assert_eq!(map.insert(key, step), model.insert(key, step)),
                }
                let (map, model) = &all[at];
                assert_eq!(map.get(key), model.get(&key).copied());
            }
        }
    }
}
