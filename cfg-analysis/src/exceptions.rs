//! The statements at which fewer variables are active than anywhere.

use cfg_core::{dataflow::Position, entity::VarId};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

/// The statements of one routine at which variables that are varied or useful anywhere are not. Variables that are not
/// varied, or not useful, anywhere have no exceptions: ask
/// [`Activity::is_varied`](crate::activity::Activity::is_varied) and
/// [`Activity::is_useful`](crate::activity::Activity::is_useful) first.
#[derive(Clone, Debug, Default)]
pub struct Exceptions {
    pub(crate) statements: HashMap<Position, Exception>,
    pub(crate) useful_at_entry: FixedBitSet,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Exception {
    /// True if nothing that the statement writes is useful behind it.
    pub(crate) useless: bool,
    /// The variables that the expressions of the statement read, and that are varied anywhere but not here, in
    /// ascending order.
    pub(crate) constant: Box<[VarId]>,
}

impl Exceptions {
    /// True if nothing that the statement writes is useful behind it, although the variable that it assigns, if it is
    /// an assignment, is useful anywhere.
    pub fn is_useless(&self, at: Position) -> bool {
        self.statements.get(&at).is_some_and(|e| e.useless)
    }

    /// True if a variable that the statement reads, and that is varied anywhere, is not varied before it.
    pub fn is_constant(&self, at: Position, v: VarId) -> bool {
        (self.statements.get(&at)).is_some_and(|e| e.constant.binary_search(&v).is_ok())
    }

    /// True if the value of a variable at ENTRY is useful.
    pub fn is_useful_at_entry(&self, v: VarId) -> bool {
        self.useful_at_entry.contains(v.index())
    }
}
