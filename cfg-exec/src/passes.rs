//! Counts of jumps back, for the message of a run that a limit has stopped: such a run is repeated with counts, so
//! that others need not pay for them.

use crate::code::Code;

/// Jumps back to one region.
#[derive(Clone, Copy, Debug)]
struct Counted {
    activation: u64,
    region: u32,
    times: u64,
    /// The last jump: position and target.
    jump: (usize, usize),
}

/// Counts of jumps back per activation and region, as a stack with outer regions below inner ones. A jump back
/// removes the entries of regions behind its target, since these are entered anew. So there is at most one entry for
/// each region around a running call.
#[derive(Debug, Default)]
pub(crate) struct Passes {
    pub(crate) on: bool,
    stack: Vec<Counted>,
}

impl Passes {
    /// Starts a run.
    pub(crate) fn start(&mut self, on: bool) {
        self.on = on;
        self.stack.clear();
    }

    /// Counts a jump back.
    pub(crate) fn back(&mut self, code: &Code, activation: u64, pc: usize, target: usize) {
        if let Some(last) = self.stack.last_mut()
            && last.activation == activation
            && last.jump == (pc, target)
        {
            last.times += 1;
            return;
        }
        let key = (pc as u32, target as u32);
        let at = code.backs.partition_point(|b| (b.pc, b.target) < key);
        let Some(back) = code.backs.get(at) else {
            return;
        };
        if (back.pc, back.target) != key {
            return;
        }
        let region = back.region;
        while let Some(last) = self.stack.last()
            && (last.activation, last.region) > (activation, region)
        {
            self.stack.pop();
        }
        match self.stack.last_mut() {
            Some(last) if (last.activation, last.region) == (activation, region) => {
                last.times += 1;
                last.jump = (pc, target);
            }
            _ => self.stack.push(Counted {
                activation,
                region,
                times: 1,
                jump: (pc, target),
            }),
        }
    }

    /// Removes the counts of an activation that ends.
    pub(crate) fn leave(&mut self, activation: u64) {
        while self.stack.pop_if(|c| c.activation >= activation).is_some() {}
    }

    /// The number of times that an activation has jumped back to a region.
    pub(crate) fn times(&self, activation: u64, region: u32) -> u64 {
        let key = (activation, region);
        let found = self
            .stack
            .binary_search_by_key(&key, |c| (c.activation, c.region));
        found.map_or(0, |at| self.stack[at].times)
    }
}
