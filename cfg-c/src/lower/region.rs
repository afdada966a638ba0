//! Parts with checkpoints, and jumps, while they are translated.

use cfg_core::{builder::Label, entity::VarId};
use std::{
    collections::{BTreeMap, HashSet},
    rc::Rc,
};

/// A label of the builder, and whether some statement jumps there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) label: Label,
    pub(super) used: bool,
}

/// A jump.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    Break,
    Continue,
    /// Behind the function that stands in place of a call.
    Leave,
    Return,
    Goto(Rc<str>),
}

/// A part with a checkpoint that is being translated.
#[derive(Debug)]
pub(super) struct Region {
    /// The end of the part.
    pub(super) end: Target,
    pub(super) labels: HashSet<Rc<str>>,
    /// The number of targets of `break`, `continue` and [`Exit::Leave`] outside of the part. That of a `break` out of
    /// the loop itself counts.
    pub(super) outside: [usize; 3],
    /// For a loop, the variable for its condition.
    pub(super) more: Option<VarId>,
    /// The variable that says which jump goes on behind the part; 0 stands for none.
    pub(super) way: Option<VarId>,
    /// The jumps that go on, each with its number.
    pub(super) exits: BTreeMap<Exit, i64>,
}
