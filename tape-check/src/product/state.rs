//! The state of the walk: the items that wait on the stacks, and the known values of the reverse sweep's variables.

use cfg_core::{
    entity::{VarId, VertexId},
    ir::Expr,
};
use std::collections::{BTreeMap, VecDeque};

use crate::{
    clock::{Clocks, Event},
    code::{Key, NodeId},
    shared_map::SharedMap,
};

/// A node or an event that the walk has passed.
#[derive(Clone, Copy)]
pub(super) enum Item {
    Node(NodeId),
    Event(Event),
}

/// The value of a scalar of the reverse sweep, as far as it is known.
#[derive(Clone, Copy)]
pub(super) enum Value<'p> {
    Constant(i64),
    /// The value of a clock plus a constant, with the push and pop that it comes from, and the number of the clock's
    /// events that had been taken by then.
    Clock(Key, i64, [NodeId; 2], u32),
    /// `trips(...)` of these.
    Trips(&'p [Expr]),
    /// The value of this variable of the forward sweep.
    Of(VarId),
    Unknown,
}

/// The event for which a vertex of the reverse sweep waits; all but [`Wait::Steps`] are for heads of loops.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Wait {
    /// Control came to the vertex, not from an ENDLOOP; its steps are still to do.
    Steps,
    /// The LOOP must have been left at its header.
    Left,
    /// The LOOP may have been left at its header.
    Entered,
    /// The next event of the clock decides about one more pass.
    Pass,
}

/// The place of the reverse sweep.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) vertex: VertexId,
    pub(super) step: usize,
    pub(super) wait: Wait,
}

#[derive(Clone)]
pub(super) struct State<'p> {
    pub(super) at: Place,
    /// The items that wait on each stack, with the time at which the walk passed them.
    pub(super) waiting: BTreeMap<Key, VecDeque<(u32, Item)>>,
    pub(super) time: u32,
    /// Values found since paths last met.
    pub(super) known: SharedMap<Value<'p>>,
    /// The variables with a [`Value::Of`], by the variable of the forward sweep.
    pub(super) held: SharedMap<VarId>,
    /// The number of events of each clock that have been taken since paths last met.
    pub(super) taken: SharedMap<u32>,
}

impl<'p> State<'p> {
    /// The state at the start of both walks. `variables` are the numbers of variables of the forward and the reverse
    /// sweep.
    pub(super) fn new(entry: VertexId, variables: [usize; 2], clocks: usize) -> Self {
        Self {
            at: Place {
                vertex: entry,
                step: 0,
                wait: Wait::Steps,
            },
            waiting: BTreeMap::new(),
            time: 0,
            known: SharedMap::new(variables[1]),
            held: SharedMap::new(variables[0]),
            taken: SharedMap::new(clocks),
        }
    }

    pub(super) fn known(&self, v: VarId) -> Option<Value<'p>> {
        Some(match self.known.get(v.index())? {
            Value::Clock(key, _, _, taken) if taken != self.taken(key) => Value::Unknown,
            value => value,
        })
    }

    /// The number of events of a clock that have been taken.
    pub(super) fn taken(&self, key: Key) -> u32 {
        self.taken.get(Clocks::number(key)).unwrap_or(0)
    }

    pub(super) fn take_event(&mut self, key: Key) {
        self.drop_first(key);
        let taken = self.taken(key) + 1;
        self.taken.insert(Clocks::number(key), taken);
    }

    pub(super) fn put(&mut self, key: Key, item: Item) {
        self.time += 1;
        let queue = self.waiting.entry(key).or_default();
        queue.push_back((self.time, item));
    }

    pub(super) fn first(&self, key: Key) -> Option<(u32, Item)> {
        self.waiting.get(&key)?.front().copied()
    }

    pub(super) fn drop_first(&mut self, key: Key) {
        if let Some(queue) = self.waiting.get_mut(&key) {
            queue.pop_front();
            if queue.is_empty() {
                self.waiting.remove(&key);
            }
        }
    }
}
