//! Entries, blocks and jumps.

use cfg_exec::native::{Instr, Reg};
use cranelift_codegen::ir::{
    self, BlockCall, InstBuilder, JumpTableData, Value,
    condcodes::{FloatCC, IntCC},
    types::{F64, I64},
};

use super::{NONE, SEGMENT, Translator, UNSAVED};
use crate::places::{self, FUEL};

impl Translator<'_, '_> {
    /// The head of the function: a jump to one of the entries, which load what the block has in registers. Returns
    /// the number of the entry at each instruction.
    pub(super) fn entries(&mut self, number: Value) -> Vec<Option<u32>> {
        let flow = self.subject.flow;
        let mut numbers = vec![None; flow.begins.len()];
        let mut targets: Vec<(usize, ir::Block)> = Vec::new();
        for (k, block) in flow
            .blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| block.is_entry)
        {
            numbers[block.from] = Some(targets.len() as u32);
            targets.push((k, self.b.create_block()));
        }
        let mut calls = Vec::with_capacity(targets.len());
        for (_, block) in &targets {
            calls.push(BlockCall::new(
                *block,
                std::iter::empty(),
                &mut self.b.func.dfg.value_lists,
            ));
        }
        // There is always the entry at the begin.
        let first = calls[0];
        let table = self.b.create_jump_table(JumpTableData::new(first, &calls));
        let number = self.b.ins().ireduce(ir::types::I32, number);
        self.b.ins().br_table(number, table);
        for (k, block) in targets {
            self.b.switch_to_block(block);
            let carried = flow.blocks[k].carried;
            let mut bounded = Vec::new();
            for loc in carried.iter() {
                let bank = self.banks[usize::from(loc)];
                // Registers of callees are set before they are read.
                let x = match (loc < places::CALLEES, bank) {
                    (true, bank) => self.load_home(loc, bank),
                    (false, F64) => self.b.ins().f64const(0.0),
                    (false, bank) => self.b.ins().iconst(bank, 0),
                };
                if self
                    .is_index
                    .get(usize::from(loc))
                    .copied()
                    .unwrap_or(false)
                {
                    bounded.push(x);
                }
                let variable = self.variable(loc);
                self.b.def_var(variable, x);
            }
            let mut beyond = None;
            if let Some(of) = self.loops[k].clone() {
                let value = |t: &mut Self, r| match t.unit().constant(0, r) {
                    Some(cell) => t.b.ins().iconst(I64, cell as i64),
                    None => t.load_home(r.into(), I64),
                };
                let (first, passes) = (value(self, of.index), value(self, of.q));
                let more = self.b.ins().iadd_imm(passes, -1);
                let last = self.b.ins().iadd(first, more);
                let out = self.leads_out(&of, [first, last], value);
                // Within a pass there is at least this one.
                let cc = IntCC::UnsignedGreaterThanOrEqual;
                let odd = self.b.ins().icmp_imm(cc, more, 1 << 60);
                beyond = Some(self.b.ins().bor(out, odd));
                bounded.push(first);
            }
            for x in bounded {
                let of = self.beyond(x, 60);
                beyond = Some(match beyond {
                    Some(other) => self.b.ins().bor(of, other),
                    None => of,
                });
            }
            if let Some(beyond) = beyond {
                // The executor goes on from the entry with what it has.
                let none = self.b.create_block();
                self.b.set_cold_block(none);
                self.b.ins().brif(beyond, none, NONE, self.blocks[k], NONE);
                self.b.switch_to_block(none);
                let fuel = self.load_home(FUEL, I64);
                self.stop(flow.blocks[k].from, (fuel, 0));
            } else {
                self.b.ins().jump(self.blocks[k], NONE);
            }
        }
        numbers
    }

    pub(super) fn block(&mut self, k: usize) {
        let flow = self.subject.flow;
        let block = &flow.blocks[k];
        self.b.switch_to_block(self.blocks[k]);
        self.at = k;
        self.values.fill(None);
        self.small.clear();
        self.tested.clear();
        self.changed = places::Set::default();
        self.unsaved = block.unsaved;
        let unit = self.unit();
        self.instance = unit.instance_at(block.from);
        let of = &unit.instances[self.instance];
        let last = block.to - 1;
        let left = self.subject.stacks.leaves(unit, last);
        // An instruction of the executor is charged there.
        let steps = block.to - block.from + self.more_steps();
        let before = self.get(FUEL, I64);
        let before = self.as_word(before);
        self.fuel = self.b.ins().iadd_imm(before, -(steps as i64));
        self.pc = block.from;
        let begins = self.instance > 0 && block.from == of.at;
        if begins {
            self.go_on_with_call();
        } else {
            self.begin_segment(block.from);
        }
        if steps > usize::from(left) {
            let few = self.b.ins().icmp_imm(IntCC::SignedLessThan, self.fuel, 0);
            self.stop_if(few);
        }
        let fuel = super::Cell::word(self.fuel);
        self.set(FUEL, fuel);
        if begins && of.bound == of.at {
            self.finish_call();
            self.begin_segment(block.from);
        }
        for pc in block.from..block.to {
            let instr = unit.instrs[pc];
            self.pc = pc;
            if !self.is_binding() && pc - self.segment.pc >= SEGMENT {
                self.test_doubtful();
                self.begin_segment(pc);
            }
            if pc == last && left {
                self.leave(pc);
                return;
            }
            if !self.terminator(instr) {
                self.instruction(instr);
                if self.instance > 0 && pc + 1 == of.bound {
                    self.finish_call();
                    if pc < last {
                        self.begin_segment(pc + 1);
                    }
                }
                if !flow.carries && self.unsaved.iter().count() > UNSAVED {
                    self.test_doubtful();
                    self.save_all(pc + 1);
                    self.after_effect();
                }
                if pc == last {
                    self.finish_block();
                    self.go_on(block.to);
                }
            }
        }
    }

    /// Saves what the code from an instruction on may read.
    fn save_all(&mut self, pc: usize) {
        let places = self.unsaved.intersection(&self.subject.flow.needed[pc]);
        for loc in places.iter() {
            if loc != FUEL {
                let bank = self.banks[usize::from(loc)];
                let cell = self.get(loc, bank);
                self.save(loc, cell);
                self.unsaved.remove(loc);
            }
        }
    }

    /// Stops in front of an instruction that the executor runs.
    fn leave(&mut self, pc: usize) {
        self.test_doubtful();
        self.save_all(pc);
        let fuel = self.fuel_at(pc);
        self.stop(pc, fuel);
    }

    /// Tests what is doubtful, and hands on the values that successors have in registers.
    pub(super) fn finish_block(&mut self) {
        self.test_doubtful();
        let flow = self.subject.flow;
        let block = &flow.blocks[self.at];
        if !flow.carries {
            let mut needed = places::Set::default();
            for &s in &block.successors {
                needed.add(&flow.needed[flow.blocks[s].from]);
            }
            for loc in self.unsaved.intersection(&needed).iter() {
                let bank = self.banks[usize::from(loc)];
                let cell = self.get(loc, bank);
                self.save(loc, cell);
            }
            return;
        }
        let mut handed = places::Set::default();
        for &s in &block.successors {
            handed.add(&flow.blocks[s].carried);
        }
        for loc in handed.iter() {
            if !self.changed.contains(loc) && block.carried.contains(loc) {
                continue;
            }
            let bank = self.banks[usize::from(loc)];
            let cell = self.get(loc, bank);
            let x = if bank == F64 {
                self.as_real(cell)
            } else {
                self.as_word(cell)
            };
            let variable = self.variable(loc);
            self.b.def_var(variable, x);
        }
    }

    pub(super) fn block_at(&self, pc: usize) -> ir::Block {
        // Each target of a jump begins a block.
        self.subject.flow.begins[pc].map_or(self.blocks[0], |k| self.blocks[k as usize])
    }

    pub(super) fn go_on(&mut self, pc: usize) {
        let next = self.block_at(pc);
        self.b.ins().jump(next, NONE);
    }

    /// Jumps if a condition holds, else goes on.
    fn fork(&mut self, condition: Value, t: u32) {
        self.finish_block();
        let far = self.unit().target(self.instance, t);
        let (far, near) = (self.block_at(far), self.block_at(self.pc + 1));
        self.b.ins().brif(condition, far, NONE, near, NONE);
    }

    /// A jump by a comparison of reals, which NaN leaves to the executor.
    fn fork_reals(&mut self, cc: FloatCC, a: Reg, b: Reg, t: u32) {
        let (a, b) = (self.real(a), self.real(b));
        self.stop_if_unordered(a, b);
        let condition = self.b.ins().fcmp(cc, a, b);
        self.fork(condition, t);
    }

    fn fork_integers(&mut self, cc: IntCC, a: Reg, b: Reg, t: u32) {
        let (a, b) = (self.small_word(a), self.small_word(b));
        let condition = self.b.ins().icmp(cc, a, b);
        self.fork(condition, t);
    }

    /// A truth value; what is neither true nor false leaves machine code.
    fn truth(&mut self, a: Reg) -> Value {
        if let Some(flag) = self.values[usize::from(self.place(a))].and_then(|cell| cell.flag) {
            return flag;
        }
        let a = self.word(a);
        let neither = self.b.ins().icmp_imm(IntCC::UnsignedGreaterThan, a, 1);
        self.stop_if(neither);
        self.b.ins().icmp_imm(IntCC::NotEqual, a, 0)
    }

    /// Translates an instruction that ends a block; false of all others.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions go on with the next one"
    )]
    fn terminator(&mut self, instr: Instr) -> bool {
        match instr {
            Instr::Jump { t } => {
                self.finish_block();
                self.go_on(self.unit().target(self.instance, t));
            }
            Instr::Ext { .. } => match self.unit().callee(self.pc) {
                Some(callee) => self.call_instance(callee),
                None => return false,
            },
            Instr::Return => self.return_from_instance(),
            Instr::JumpTrue { a, t } => {
                let a = self.truth(a);
                self.fork(a, t);
            }
            Instr::JumpFalse { a, t } => {
                let a = self.truth(a);
                let not = self.b.ins().icmp_imm(IntCC::Equal, a, 0);
                self.fork(not, t);
            }
            Instr::JumpIfNot { a, value, t } => {
                let a = self.word(a);
                let other = self.b.ins().icmp_imm(IntCC::NotEqual, a, i64::from(value));
                self.fork(other, t);
            }
            Instr::JumpLtF { a, b, t } => self.fork_reals(FloatCC::LessThan, a, b, t),
            Instr::JumpLeF { a, b, t } => self.fork_reals(FloatCC::LessThanOrEqual, a, b, t),
            Instr::JumpEqF { a, b, t } => self.fork_reals(FloatCC::Equal, a, b, t),
            Instr::JumpNotLtF { a, b, t } => {
                self.fork_reals(FloatCC::GreaterThanOrEqual, a, b, t);
            }
            Instr::JumpNotLeF { a, b, t } => self.fork_reals(FloatCC::GreaterThan, a, b, t),
            Instr::JumpNeF { a, b, t } => self.fork_reals(FloatCC::NotEqual, a, b, t),
            Instr::JumpLtI { a, b, t } => self.fork_integers(IntCC::SignedLessThan, a, b, t),
            Instr::JumpLeI { a, b, t } => self.fork_integers(IntCC::SignedLessThanOrEqual, a, b, t),
            Instr::JumpEqI { a, b, t } => self.fork_integers(IntCC::Equal, a, b, t),
            Instr::JumpNeI { a, b, t } => self.fork_integers(IntCC::NotEqual, a, b, t),
            Instr::Switch { a, table } => self.switch(a, table),
            Instr::LoopInit1 { q, index, first, t } => {
                let (first, last) = (self.bounded(first, 60), self.bounded(q, 60));
                let difference = self.b.ins().isub(last, first);
                let passes = self.b.ins().iadd_imm(difference, 1);
                let zero = self.b.ins().iconst(I64, 0);
                let passes = self.b.ins().smax(passes, zero);
                self.test_subscripts(first, last, passes);
                self.enter_loop(q, index, first, passes, t);
            }
            Instr::LoopInit { q, index, first, t } => {
                let step = self.word(q.wrapping_add(1));
                let (first, last) = (self.word(first), self.word(q));
                let passes = self.call_fallback([first, last, step]);
                // Uninitialised bounds are an error, and stop machine code.
                let negative = self.b.ins().icmp_imm(IntCC::SignedLessThan, passes, 0);
                self.stop_if(negative);
                self.enter_loop(q, index, first, passes, t);
            }
            Instr::LoopNext1 { q, index, t } => {
                let i = self.small_word(index);
                let next = self.b.ins().iadd_imm(i, 1);
                self.next_pass(q, index, next, t);
            }
            Instr::LoopNext { q, index, t } => {
                let (i, step) = (self.small_word(index), self.small_word(q.wrapping_add(1)));
                let next = self.b.ins().iadd(i, step);
                self.next_pass(q, index, next, t);
            }
            Instr::CountDown { c, t } => {
                let left = self.word(c);
                let left = self.b.ins().iadd_imm(left, -1);
                self.set_word(c, left);
                let more = self.b.ins().icmp_imm(IntCC::NotEqual, left, 0);
                self.fork(more, t);
            }
            _ => return false,
        }
        true
    }

    /// Tests the subscripts of the loop that follows.
    fn test_subscripts(&mut self, first: Value, last: Value, passes: Value) {
        if let Some(of) = self.loops.get(self.at + 1).cloned().flatten() {
            let out = self.leads_out(&of, [first, last], |t, r| t.word(r));
            let some = self.b.ins().icmp_imm(IntCC::NotEqual, passes, 0);
            let out = self.b.ins().band(out, some);
            self.stop_if(out);
        }
    }

    fn enter_loop(&mut self, q: Reg, index: Reg, first: Value, passes: Value, t: u32) {
        self.set_word(q, passes);
        self.set_word(index, first);
        let none = self.b.ins().icmp_imm(IntCC::Equal, passes, 0);
        self.fork(none, t);
    }

    fn next_pass(&mut self, q: Reg, index: Reg, next: Value, t: u32) {
        self.set_word(index, next);
        let left = self.word(q);
        let left = self.b.ins().iadd_imm(left, -1);
        self.set_word(q, left);
        let more = self.b.ins().icmp_imm(IntCC::SignedGreaterThan, left, 0);
        self.fork(more, t);
    }

    /// Compares with the ranges of a table one after the other.
    fn switch(&mut self, a: Reg, table: u32) {
        let code = self.code();
        let table = code.switch(table);
        let a = self.small_word(a);
        if table.default.is_none() {
            // The end of the block saves values; a stop behind it is in front of the switch.
            self.test_doubtful();
            self.begin_segment(self.pc);
        }
        self.finish_block();
        for &(first, last, t) in &table.cases {
            let next = self.b.create_block();
            let offset = self.b.ins().iadd_imm(a, first.wrapping_neg());
            let width = last.wrapping_sub(first);
            let inside = self
                .b
                .ins()
                .icmp_imm(IntCC::UnsignedLessThanOrEqual, offset, width);
            let target = self.block_at(self.unit().target(self.instance, t));
            self.b.ins().brif(inside, target, NONE, next, NONE);
            self.b.switch_to_block(next);
        }
        match table.default {
            Some(t) => self.go_on(self.unit().target(self.instance, t)),
            None => {
                let exit = self.exit();
                self.b.ins().jump(exit, NONE);
            }
        }
    }
}
