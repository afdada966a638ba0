//! The stacks of tapes, with nodes in place of values.
//!
//! A push, a loop that pushes, a branch that pushes and a call of a forward sweep are *pushing*; their mirror images
//! are *popping*. A pushing node lies on every stack that it touches. A popping node meets the nodes on top of the
//! stacks that it touches; all of these must be one node, which touches the same stacks.

use std::collections::BTreeMap;

use crate::code::{Key, NodeId};

/// The result of the meeting of a popping node with the stacks that it touches.
pub(crate) enum Met {
    /// The node meets this pushing node, which is taken off.
    Node(NodeId),
    /// All stacks of the node are empty.
    Nothing,
    /// The node meets different nodes, or one that touches other stacks: this stack has that node on top, or none.
    Other(Key, Option<NodeId>),
}

/// The stacks that a node touches, sorted.
pub(crate) type Touched = Box<[Key]>;

#[derive(Default)]
pub(crate) struct Stacks(BTreeMap<Key, Vec<NodeId>>);

impl Stacks {
    pub(crate) fn push(&mut self, node: NodeId, touched: &[Key]) {
        for key in touched {
            self.0.entry(*key).or_default().push(node);
        }
    }

    /// Lets a popping node meet the tops of the stacks. `touched_by` gives the stacks of a pushing node.
    pub(crate) fn pop<'t>(
        &mut self,
        touched: &[Key],
        touched_by: impl Fn(NodeId) -> &'t [Key],
    ) -> Met {
        let top = |key: &Key| self.0.get(key).and_then(|s| s.last()).copied();
        let Some(first) = touched.first() else {
            return Met::Nothing;
        };
        let Some(met) = top(first) else {
            return match touched.iter().find_map(|k| Some((*k, top(k)?))) {
                None => Met::Nothing,
                Some((key, node)) => Met::Other(key, Some(node)),
            };
        };
        for key in touched {
            let node = top(key);
            if node != Some(met) {
                return Met::Other(*key, node);
            }
        }
        let theirs = touched_by(met);
        if theirs != touched {
            let key = theirs.iter().find(|k| !touched.contains(k));
            return Met::Other(key.copied().unwrap_or(*first), Some(met));
        }
        for key in touched {
            if let Some(stack) = self.0.get_mut(key) {
                stack.pop();
            }
        }
        Met::Node(met)
    }

    /// The top of each stack that is not empty.
    pub(crate) fn left(&self) -> impl Iterator<Item = (Key, NodeId)> {
        self.0.iter().filter_map(|(k, s)| Some((*k, *s.last()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_independent_and_loops_lie_on_several() {
        let touched: [&[Key]; 4] = [&[1], &[2], &[1, 2], &[1]];
        let mut stacks = Stacks::default();
        for (node, keys) in touched.iter().enumerate() {
            stacks.push(node, keys);
        }
        let by = |n: NodeId| touched[n];
        // Node 3 lies on stack 1 above node 2.
        assert!(matches!(
            stacks.pop(&[1, 2], by),
            Met::Other(2, Some(2)) | Met::Other(1, Some(3))
        ));
        assert!(matches!(stacks.pop(&[2], by), Met::Other(1, Some(2))));
        assert!(matches!(stacks.pop(&[1], by), Met::Node(3)));
        assert!(matches!(stacks.pop(&[1, 2], by), Met::Node(2)));
        // On different stacks the order does not matter.
        assert!(matches!(stacks.pop(&[1], by), Met::Node(0)));
        assert!(matches!(
            stacks.pop(&[1, 2], by),
            Met::Other(2, Some(1)) | Met::Other(1, None)
        ));
        assert_eq!(stacks.left().collect::<Vec<_>>(), [(2, 1)]);
        assert!(matches!(stacks.pop(&[2], by), Met::Node(1)));
        assert!(matches!(stacks.pop(&[2], by), Met::Nothing));
    }
}
