//! Basic blocks of a routine's code with its instances, and facts about the places that they use.
//!
//! Per block, by the usual equations:
//!
//! - *needed*: places whose value in the window may be read after the block's begin: by machine code, or by the
//!   executor behind an exit (backward, may).
//! - *wanted*: places that machine code reads before it writes them, without a way through the executor (backward,
//!   may).
//! - *unsaved*: places whose value may be newer than the window's (forward, may).
//!
//! At the begin of a block the values of wanted places, and of unsaved ones that are needed, are in registers of the
//! processor. In a large routine no value is: each block loads and saves, so that the time for compilation stays
//! linear.

use cfg_exec::native::{Instr, Operation};

use crate::{
    operands::{Access, for_each},
    places::{CALLEES, FUEL, Loc, Set},
    stacks::Stacks,
    unit::Unit,
};

/// Routines with more instructions keep no values in registers between blocks.
const LARGE: usize = 4000;

/// Instructions that must follow an entry, on some way up to the next instruction of the executor, so that it is worth
/// its cost.
pub(crate) const WORTH: usize = 100;

/// A sequence of instructions that is entered at its begin.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) successors: Vec<usize>,
    /// True if a run may begin here: at the begin of the routine, at the target of a jump back, and where the
    /// executor has run an instruction.
    pub(crate) is_entry: bool,
    /// Places in registers of the processor at the begin.
    pub(crate) carried: Set,
    /// Places that may be unsaved at the begin.
    pub(crate) unsaved: Set,
}

/// The blocks of a routine.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) blocks: Vec<Block>,
    /// The block that begins at an instruction.
    pub(crate) begins: Vec<Option<u32>>,
    /// The places whose value may be read, in front of each instruction.
    pub(crate) needed: Vec<Set>,
    /// Whether values stay in registers from block to block.
    pub(crate) carries: bool,
}

/// The use that blocks make of places.
#[derive(Clone, Copy, Default)]
struct Use {
    /// Read before written.
    read: Set,
    written: Set,
}

/// Calls `f` for each place that the instruction at a position reads or writes.
fn places(unit: &Unit<'_>, stacks: &Stacks, position: usize, f: &mut dyn FnMut(Access, Loc)) {
    let (instr, instance) = (unit.instrs[position], unit.instance_at(position));
    let code = unit.instances[instance].code;
    let mut visit = |access, instance, r| {
        if unit.constant(instance, r).is_none() {
            f(access, unit.place(instance, r));
        }
    };
    if let Instr::Ext { k } = instr {
        code.for_each_read(k, &mut |r| visit(Access::Read, instance, r));
        if let (Operation::CellsFrom { d, .. }, false) =
            (code.operation(k), stacks.leaves(unit, position))
        {
            visit(Access::Write, instance, d);
        }
        if let Some(callee) = unit.callee(position) {
            unit.set_by_call(callee)
                .for_each(|r| visit(Access::Write, callee, r));
        }
    } else {
        for_each(instr, &mut |access, r, _| visit(access, instance, r));
    }
    if let (Instr::Return, Some(r)) = (instr, code.result()) {
        visit(Access::Read, instance, r);
        if let Some(caller) = unit.instances[instance].caller
            && let Some(d) = caller.info.result
        {
            visit(Access::Write, caller.instance, d);
        }
    }
    if let Some(top) = stacks.top(unit, position) {
        f(Access::Read, top);
        f(Access::Write, top);
    }
}

/// Calls `f` for each position that may follow, but for the next one; true if that may follow too.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other instructions go on with the next one, or at their one target"
)]
fn targets(unit: &Unit<'_>, position: usize, mut f: impl FnMut(usize)) -> bool {
    let (instr, instance) = (unit.instrs[position], unit.instance_at(position));
    let of = &unit.instances[instance];
    let mut go = |t| f(unit.target(instance, t));
    match instr {
        Instr::Switch { table, .. } => {
            let switch = of.code.switch(table);
            switch.cases.iter().for_each(|case| go(case.2));
            switch.default.iter().for_each(|&t| go(t));
            return false;
        }
        Instr::Ext { k } => {
            if let Some(callee) = unit.callee(position) {
                f(unit.instances[callee].at);
                return false;
            }
            of.code.other_target(k).iter().for_each(|&t| go(t));
        }
        Instr::Return => {
            of.caller.iter().for_each(|caller| f(caller.at + 1));
            return false;
        }
        _ => instr.target().iter().for_each(|&t| go(t)),
    }
    !matches!(instr, Instr::Jump { .. })
}

impl Flow {
    /// The blocks of a routine with its instances. Entries are where they are worth it, or `everywhere`.
    pub(crate) fn of(unit: &Unit<'_>, stacks: &Stacks, everywhere: bool) -> Self {
        let instrs = &unit.instrs;
        let mut leader = vec![false; instrs.len() + 1];
        let mut entry = vec![false; instrs.len() + 1];
        let mut left = vec![false; instrs.len()];
        for of in &unit.instances {
            leader[of.at] = true;
        }
        entry[0] = true;
        for pc in 0..instrs.len() {
            left[pc] = stacks.leaves(unit, pc);
            let left = left[pc];
            let mut jumps = left;
            let falls = targets(unit, pc, |t| {
                jumps = true;
                leader[t] = true;
                entry[t] |= left || t <= pc;
            });
            if jumps || !falls {
                leader[pc + 1] = true;
            }
            entry[pc + 1] |= (left && falls) || unit.callee(pc).is_some();
        }
        // The executor does not come to instances.
        let own = unit.instances[0].code.instrs().len();
        entry[own..].fill(false);
        leader[instrs.len()] = true;
        let starts: Vec<usize> = (0..=instrs.len()).filter(|&pc| leader[pc]).collect();
        let mut begins = vec![None; instrs.len() + 1];
        for (k, &pc) in starts.iter().enumerate() {
            begins[pc] = Some(k as u32);
        }
        let block_at = |pc: usize| begins[pc].map(|k: u32| k as usize);
        let last = starts.len() - 1;
        let blocks = starts.windows(2).map(|ends| {
            let mut successors = Vec::new();
            let at = ends[1] - 1;
            let falls = targets(unit, at, |t| successors.extend(block_at(t)));
            successors.extend(falls.then_some(ends[1]).and_then(block_at));
            // Behind the last instruction there is none.
            successors.retain(|&k| k < last);
            Block {
                from: ends[0],
                to: ends[1],
                successors,
                is_entry: entry[ends[0]],
                carried: Set::default(),
                unsaved: Set::default(),
            }
        });
        let mut flow = Self {
            blocks: blocks.collect(),
            begins,
            needed: Vec::new(),
            carries: instrs.len() <= LARGE,
        };
        if !everywhere {
            flow.keep_worthy_entries(|block| left[block.to - 1]);
        }
        flow.solve(unit, stacks, &left);
        flow
    }

    /// Forgets entries from which no loop is reached, and few instructions, before the executor takes over.
    fn keep_worthy_entries(&mut self, left: impl Fn(&Block) -> bool) {
        let n = self.blocks.len();
        let mut open = vec![0usize; n];
        let mut predecessors = vec![Vec::new(); n];
        for (k, block) in self
            .blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| !left(block))
        {
            open[k] = block.successors.len();
            block
                .successors
                .iter()
                .for_each(|&s| predecessors[s].push(k));
        }
        // The longest way from each block's begin, for blocks that reach no loop.
        let mut longest: Vec<Option<usize>> = vec![None; n];
        let mut ready: Vec<usize> = (0..n).filter(|&k| open[k] == 0).collect();
        while let Some(k) = ready.pop() {
            let block = &self.blocks[k];
            let behind = (block.successors.iter()).filter(|_| !left(block));
            let behind = behind.filter_map(|&s| longest[s]).max();
            longest[k] = Some(block.to - block.from + behind.unwrap_or(0));
            for &p in &predecessors[k] {
                open[p] -= 1;
                if open[p] == 0 {
                    ready.push(p);
                }
            }
        }
        for (block, longest) in self.blocks.iter_mut().zip(longest) {
            block.is_entry &= longest.is_none_or(|n| n >= WORTH);
        }
    }

    fn solve(&mut self, unit: &Unit<'_>, stacks: &Stacks, left: &[bool]) {
        let instrs = &unit.instrs;
        let n = self.blocks.len();
        let uses: Vec<Use> = (self.blocks.iter())
            .map(|block| {
                let mut used = Use::default();
                for pc in block.from..block.to {
                    places(unit, stacks, pc, &mut |access, loc| match access {
                        Access::Read if !used.written.contains(loc) => used.read.insert(loc),
                        Access::Read => {}
                        Access::Write => used.written.insert(loc),
                    });
                }
                used
            })
            .collect();
        let left: Vec<bool> = (self.blocks.iter())
            .map(|block| left[block.to - 1])
            .collect();
        // Machine code reads in a block what the executor's instruction at its end does not read.
        let read: Vec<Set> = (self.blocks.iter().zip(&uses).zip(&left))
            .map(|((block, used), &left)| {
                if !left {
                    return used.read;
                }
                let mut used = Use::default();
                for pc in block.from..block.to - 1 {
                    places(unit, stacks, pc, &mut |access, loc| match access {
                        Access::Read if !used.written.contains(loc) => used.read.insert(loc),
                        Access::Read => {}
                        Access::Write => used.written.insert(loc),
                    });
                }
                used.read
            })
            .collect();
        let always = if unit.instances[0].code.has_handlers() {
            Set::ALL
        } else {
            // Tops of stacks and steps are saved at each exit.
            (FUEL..CALLEES).fold(Set::default(), |mut set, loc| {
                set.insert(loc);
                set
            })
        };
        let mut needed = vec![always; n];
        let mut wanted = vec![Set::default(); n];
        let mut predecessors = vec![Vec::new(); n];
        for (k, block) in self.blocks.iter().enumerate() {
            block
                .successors
                .iter()
                .for_each(|&s| predecessors[s].push(k));
        }
        let mut work: Vec<usize> = (0..n).collect();
        let mut waiting = vec![true; n];
        while let Some(k) = work.pop() {
            waiting[k] = false;
            let (mut need, mut want) = (Set::default(), Set::default());
            for &s in &self.blocks[k].successors {
                need.add(&needed[s]);
                if !left[k] {
                    want.add(&wanted[s]);
                }
            }
            let (mut need, mut want) = (
                need.without(&uses[k].written),
                want.without(&uses[k].written),
            );
            need.add(&uses[k].read);
            want.add(&read[k]);
            want.insert(FUEL);
            if needed[k].add(&need) | wanted[k].add(&want) {
                for &p in &predecessors[k] {
                    if !std::mem::replace(&mut waiting[p], true) {
                        work.push(p);
                    }
                }
            }
        }
        if self.carries {
            let mut unsaved = vec![Set::default(); n];
            work = (0..n).rev().collect();
            waiting = vec![true; n];
            while let Some(k) = work.pop() {
                waiting[k] = false;
                if left[k] {
                    continue;
                }
                let mut out = unsaved[k];
                out.add(&uses[k].written);
                out.insert(FUEL);
                for &s in &self.blocks[k].successors {
                    if unsaved[s].add(&out.intersection(&needed[s])) && !waiting[s] {
                        waiting[s] = true;
                        work.push(s);
                    }
                }
            }
            for (k, block) in self.blocks.iter_mut().enumerate() {
                block.unsaved = unsaved[k].intersection(&needed[k]);
                block.carried = wanted[k];
                block.carried.add(&block.unsaved);
            }
        }
        self.needed = vec![Set::default(); instrs.len() + 1];
        for block in &self.blocks {
            let mut live = always;
            block.successors.iter().for_each(|&s| {
                live.add(&needed[s]);
            });
            for pc in (block.from..block.to).rev() {
                let (mut reads, mut writes) = (Set::default(), Set::default());
                places(unit, stacks, pc, &mut |access, loc| match access {
                    Access::Read => reads.insert(loc),
                    Access::Write => writes.insert(loc),
                });
                live = live.without(&writes);
                live.add(&reads);
                live.add(&always);
                self.needed[pc] = live;
            }
        }
    }
}
