//! The words that machine code and its caller share: the context of an entry.
//!
//! The head is followed by [`STACK_WORDS`] words for each stack of the routine, by [`FRAME_WORDS`] words for each
//! instance of a callee, by [`BOUND_WORDS`] words for each array that a callee binds, and by [`ARRAY_WORDS`] words for
//! each part of a descriptor that the routine reads.

use crate::{stacks::Stacks, unit::Unit};

/// Steps that are left.
pub(crate) const FUEL: usize = 0;
/// The instruction at which machine code stopped.
pub(crate) const PC: usize = 1;
/// Bits on all tapes, less those of the routine's stacks as their tops count them.
pub(crate) const OTHER_BITS: usize = 2;
/// Most bits on all tapes at one time.
pub(crate) const PEAK_BITS: usize = 3;
/// Number of cells of memory.
pub(crate) const CELLS: usize = 4;
/// The value of a function that may fail.
pub(crate) const VALUE: usize = 5;
/// Calls that may nest.
pub(crate) const DEPTH: usize = 6;
/// The end of the memory in use.
pub(crate) const END: usize = 7;
/// The instance in which machine code stopped.
pub(crate) const INSTANCE: usize = 8;
const HEAD: usize = 9;

const FRAME_WORDS: usize = 2;
/// The cell address of the frame of an instance.
pub(crate) const FRAME: usize = 0;
/// The end of its memory.
pub(crate) const FLOOR: usize = 1;

/// Base, and lower bound, extent and stride of two dimensions.
pub(crate) const BOUND_WORDS: usize = 7;

pub(crate) const STACK_WORDS: usize = 7;
/// The address behind the top value; of control bits their number.
pub(crate) const TOP: usize = 0;
/// The address of the first value; of control bits that of the first word.
pub(crate) const BOTTOM: usize = 1;
/// The top at which there is no room for a push.
pub(crate) const LIMIT: usize = 2;
/// Values popped, where they cannot be told from the tops.
pub(crate) const POPS: usize = 3;
/// Control values pushed.
pub(crate) const PUSHES: usize = 4;
/// Control bits pushed.
pub(crate) const PUSHED_BITS: usize = 5;
/// The position behind the last control value that is uninitialised.
pub(crate) const UNINITIALISED: usize = 6;

pub(crate) const ARRAY_WORDS: usize = 10;
/// Cell address of the first element.
pub(crate) const BASE: usize = 0;
/// Address of the element whose subscripts are 0.
pub(crate) const POINTER: usize = 1;

/// The words of a dimension of a part.
pub(crate) struct Axis {
    pub(crate) lower: usize,
    pub(crate) extent: usize,
    pub(crate) stride: usize,
    /// The extent for accesses to elements: 0 if the array does not lie in memory.
    pub(crate) room: usize,
}

/// The words of a dimension from the first one of a part.
pub(crate) fn axis(k: usize) -> Axis {
    let first = 2 + 4 * k;
    Axis {
        lower: first,
        extent: first + 1,
        stride: first + 2,
        room: first + 3,
    }
}

/// The first word of a stack.
pub(crate) fn stack(k: usize) -> usize {
    HEAD + STACK_WORDS * k
}

/// The numbers of what lies in front of the parts of descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    stacks: usize,
    instances: usize,
    bound: usize,
}

impl Layout {
    pub(crate) fn of(unit: &Unit<'_>, stacks: &Stacks) -> Self {
        Self {
            stacks: stacks.0.len(),
            instances: unit.instances.len(),
            bound: unit.arrays(),
        }
    }

    /// The first word of an instance.
    pub(crate) fn instance(self, k: usize) -> usize {
        stack(self.stacks) + FRAME_WORDS * k
    }

    /// The first word of an array that a callee binds.
    pub(crate) fn bound(self, k: usize) -> usize {
        self.instance(self.instances) + BOUND_WORDS * k
    }

    /// The first word of a part of a descriptor.
    pub(crate) fn array(self, k: usize) -> usize {
        self.bound(self.bound) + ARRAY_WORDS * k
    }
}
