//! Pushes and pops. The top of a stack is a place like a register; limits and the rest lie in the context.

use cfg_exec::native::{Instr, Reg, View};
use cranelift_codegen::ir::{
    AliasRegion, InstBuilder, MemFlags, Value,
    condcodes::IntCC,
    types::{F64, I64},
};

use super::{Cell, Translator, arrays::shared};
use crate::{context, operands::Class, places::top};

/// Flags of an access to the values of a stack.
fn values() -> MemFlags {
    MemFlags::trusted().with_alias_region(Some(AliasRegion::Table))
}

impl Translator<'_, '_> {
    fn top(&mut self, stack: usize) -> Value {
        let cell = self.get(top(stack), I64);
        self.as_word(cell)
    }

    fn set_top(&mut self, stack: usize, x: Value) {
        self.set(top(stack), Cell::word(x));
    }

    fn of_stack(&mut self, stack: usize, word: usize) -> Value {
        self.fixed(context::stack(stack) + word)
    }

    /// Adds to a count in the context.
    fn count(&mut self, stack: usize, word: usize, more: Value) {
        let (own, at) = (Self::own(), 8 * (context::stack(stack) + word) as i32);
        let n = self.b.ins().load(I64, own, self.context, at);
        let n = self.b.ins().iadd(n, more);
        self.b.ins().store(own, n, self.context, at);
    }

    /// Notes the bits on all tapes in front of a pop: only there may they have been most.
    fn note_peak(&mut self) {
        let stacks = self.subject.stacks;
        if stacks.0.iter().all(|stack| !stack.is_pushed) {
            return;
        }
        let mut bits = self.fixed(context::OTHER_BITS);
        for (k, stack) in stacks.0.iter().enumerate() {
            let top = self.top(k);
            let of = match stack.class {
                Class::Real | Class::Integer => self.b.ins().ishl_imm(top, 3),
                Class::Bits => top,
            };
            bits = self.b.ins().iadd(bits, of);
        }
        let (own, at) = (Self::own(), 8 * context::PEAK_BITS as i32);
        let most = self.b.ins().load(I64, own, self.context, at);
        let most = self.b.ins().umax(most, bits);
        self.b.ins().store(own, most, self.context, at);
    }

    fn count_pops(&mut self, stack: usize, n: Value) {
        let of = self.subject.stacks.0[stack];
        if of.is_pushed || of.class == Class::Bits {
            self.count(stack, context::POPS, n);
        }
    }

    fn count_pop(&mut self, stack: usize) {
        let one = self.b.ins().iconst(I64, 1);
        self.count_pops(stack, one);
    }

    /// Pushes the elements of an array.
    pub(super) fn push_reals(&mut self, stack: usize, of: View) {
        let dense = self.dense(self.instance, of);
        let (at, limit) = (self.top(stack), self.of_stack(stack, context::LIMIT));
        let bytes = self.b.ins().ishl_imm(dense.size, 3);
        let room = self.b.ins().isub(limit, at);
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, bytes, room);
        self.stop_if(full);
        self.burn(dense.size);
        self.test_doubtful();
        let from = self.address(dense.base);
        self.copy((at, values()), (from, shared()), &dense);
        let next = self.b.ins().iadd(at, bytes);
        self.set_top(stack, next);
        self.after_effect();
    }

    /// Pops the elements of an array.
    pub(super) fn pop_reals(&mut self, stack: usize, of: View) {
        let dense = self.dense(self.instance, of);
        let (at, bottom) = (self.top(stack), self.of_stack(stack, context::BOTTOM));
        let bytes = self.b.ins().ishl_imm(dense.size, 3);
        let there = self.b.ins().isub(at, bottom);
        let few = self.b.ins().icmp(IntCC::UnsignedGreaterThan, bytes, there);
        self.stop_if(few);
        self.burn(dense.size);
        self.test_doubtful();
        self.note_peak();
        let next = self.b.ins().isub(at, bytes);
        let to = self.address(dense.base);
        self.copy((to, shared()), (next, values()), &dense);
        self.set_top(stack, next);
        self.count_pops(stack, dense.size);
        self.after_effect();
    }

    /// Pushes a cell.
    fn push(&mut self, stack: usize, s: Reg) {
        let loc = self.place(s);
        let bank = self.banks[usize::from(loc)];
        let cell = self.get(loc, bank);
        let x = self.in_some_bank(cell);
        let (at, limit) = (self.top(stack), self.of_stack(stack, context::LIMIT));
        let full = self
            .b
            .ins()
            .icmp(IntCC::UnsignedGreaterThanOrEqual, at, limit);
        self.stop_if(full);
        self.test_doubtful();
        self.b.ins().store(values(), x, at, 0);
        let next = self.b.ins().iadd_imm(at, 8);
        self.set_top(stack, next);
        self.after_effect();
    }

    /// Pops a cell.
    fn pop(&mut self, stack: usize, d: Reg) {
        let (at, bottom) = (self.top(stack), self.of_stack(stack, context::BOTTOM));
        let empty = self
            .b
            .ins()
            .icmp(IntCC::UnsignedLessThanOrEqual, at, bottom);
        self.stop_if(empty);
        self.test_doubtful();
        self.note_peak();
        let ty = self.bank_of_load(d);
        let x = self.b.ins().load(ty, values(), at, -8);
        let next = self.b.ins().iadd_imm(at, -8);
        self.set_top(stack, next);
        self.count_pop(stack);
        let cell = if ty == F64 {
            Cell::real(x)
        } else {
            Cell::word(x)
        };
        self.set(self.place(d), cell);
        self.after_effect();
    }

    /// The address of the word of a control bit.
    fn word_of_bit(&mut self, stack: usize, at: Value) -> Value {
        let word = self.b.ins().ushr_imm(at, 6);
        let bytes = self.b.ins().ishl_imm(word, 3);
        let first = self.of_stack(stack, context::BOTTOM);
        self.b.ins().iadd(first, bytes)
    }

    /// Pushes a control value of some width, whose other bits are 0. The word behind the last one is cleared: the
    /// next push adds to it.
    fn push_bits(&mut self, stack: usize, x: Value, width: Value) {
        let (at, limit) = (self.top(stack), self.of_stack(stack, context::LIMIT));
        let full = self
            .b
            .ins()
            .icmp(IntCC::UnsignedGreaterThanOrEqual, at, limit);
        self.stop_if(full);
        self.test_doubtful();
        let address = self.word_of_bit(stack, at);
        let used = self.b.ins().band_imm(at, 63);
        let old = self.b.ins().load(I64, values(), address, 0);
        let low = self.b.ins().ishl(x, used);
        let new = self.b.ins().bor(old, low);
        self.b.ins().store(values(), new, address, 0);
        let half = self.b.ins().ushr_imm(x, 1);
        let rest = self.b.ins().bxor_imm(used, 63);
        let high = self.b.ins().ushr(half, rest);
        self.b.ins().store(values(), high, address, 8);
        let next = self.b.ins().iadd(at, width);
        self.set_top(stack, next);
        let one = self.b.ins().iconst(I64, 1);
        self.count(stack, context::PUSHES, one);
        self.count(stack, context::PUSHED_BITS, width);
        self.after_effect();
    }

    /// The last 64 control bits, the last one highest, with zeros in front of the first; `at` is their number.
    fn last_bits(&mut self, stack: usize, at: Value) -> Value {
        // Bit 63 of the result is bit `last` of the stack.
        let last = self.b.ins().iadd_imm(at, -1);
        let address = self.word_of_bit(stack, last);
        let used = self.b.ins().band_imm(last, 63);
        let shift = self.b.ins().bxor_imm(used, 63);
        let word = self.b.ins().load(I64, values(), address, 0);
        let high = self.b.ins().ishl(word, shift);
        let first = self.of_stack(stack, context::BOTTOM);
        let is_first = self.b.ins().icmp(IntCC::Equal, address, first);
        let before = self.b.ins().iadd_imm(address, -8);
        let before = self.b.ins().select(is_first, address, before);
        let lower = self.b.ins().load(I64, values(), before, 0);
        let half = self.b.ins().ushr_imm(lower, 1);
        let low = self.b.ins().ushr(half, used);
        let zero = self.b.ins().iconst(I64, 0);
        let low = self.b.ins().select(is_first, zero, low);
        self.b.ins().bor(high, low)
    }

    /// Takes control bits off; they become 0.
    fn drop_bits(&mut self, stack: usize, at: Value, width: Value) {
        self.test_doubtful();
        self.note_peak();
        let next = self.b.ins().isub(at, width);
        let address = self.word_of_bit(stack, next);
        let used = self.b.ins().band_imm(next, 63);
        let one = self.b.ins().iconst(I64, 1);
        let bit = self.b.ins().ishl(one, used);
        let mask = self.b.ins().iadd_imm(bit, -1);
        let old = self.b.ins().load(I64, values(), address, 0);
        let new = self.b.ins().band(old, mask);
        self.b.ins().store(values(), new, address, 0);
        self.set_top(stack, next);
        self.count_pop(stack);
    }

    /// The number of control bits, if that many may be popped as an initialised value.
    fn poppable(&mut self, stack: usize, width: Value) -> Value {
        let at = self.top(stack);
        let few = self.b.ins().icmp(IntCC::UnsignedLessThan, at, width);
        self.stop_if(few);
        let uninitialised = self.of_stack(stack, context::UNINITIALISED);
        let rest = self.b.ins().isub(at, width);
        let doubt = self
            .b
            .ins()
            .icmp(IntCC::UnsignedLessThan, rest, uninitialised);
        self.stop_if(doubt);
        at
    }

    fn pop_bits(&mut self, stack: usize, d: Reg, bits: u8) {
        let width = self.b.ins().iconst(I64, i64::from(bits));
        let at = self.poppable(stack, width);
        let last = self.last_bits(stack, at);
        let x = self.b.ins().ushr_imm(last, 64 - i64::from(bits));
        self.drop_bits(stack, at, width);
        self.small.insert(x, bits.into());
        self.set_word(d, x);
        self.after_effect();
    }

    /// Pops a count of up to 31 digits: zeros, one less than there are digits, and the digits, from the end.
    fn pop_count(&mut self, stack: usize, d: Reg) {
        let at = self.top(stack);
        let none = self.b.ins().icmp_imm(IntCC::Equal, at, 0);
        self.stop_if(none);
        let last = self.last_bits(stack, at);
        let zeros = self.b.ins().clz(last);
        let long = self.b.ins().icmp_imm(IntCC::UnsignedGreaterThan, zeros, 30);
        self.stop_if(long);
        let twice = self.b.ins().ishl_imm(zeros, 1);
        let width = self.b.ins().iadd_imm(twice, 1);
        self.poppable(stack, width);
        let shift = self.b.ins().irsub_imm(twice, 63);
        let more = self.b.ins().ushr(last, shift);
        let n = self.b.ins().iadd_imm(more, -1);
        self.drop_bits(stack, at, width);
        self.small.insert(n, 32);
        self.set_word(d, n);
        self.after_effect();
    }

    /// Translates a push or a pop.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions have been translated, or are the executor's"
    )]
    pub(super) fn tape(&mut self, instr: Instr) {
        // The executor runs instructions of stacks that are not known here.
        let Some(stack) = self.subject.stacks.used(self.unit(), self.pc) else {
            return;
        };
        match instr {
            Instr::PushReal { s, .. } => self.push(stack, s),
            Instr::PushInt { s, .. } => self.push(stack, s),
            Instr::PopReal { d, .. } | Instr::PopInt { d, .. } => self.pop(stack, d),
            Instr::PushBits { s, bits, .. } => self.push_fixed(stack, s, bits),
            Instr::PushLogical { s, .. } => self.push_fixed(stack, s, 1),
            Instr::PopBits { d, bits, .. } => self.pop_bits(stack, d, bits),
            Instr::PopLogical { d, .. } => self.pop_bits(stack, d, 1),
            Instr::PushCount { s, .. } => {
                let n = self.word(s);
                let long =
                    self.b
                        .ins()
                        .icmp_imm(IntCC::UnsignedGreaterThanOrEqual, n, (1 << 31) - 1);
                self.stop_if(long);
                let x = self.b.ins().iadd_imm(n, 1);
                let zeros = self.b.ins().clz(x);
                // With 64 - zeros digits.
                let twice = self.b.ins().ishl_imm(zeros, 1);
                let width = self.b.ins().irsub_imm(twice, 127);
                self.push_bits(stack, x, width);
            }
            Instr::PopCount { d, .. } => self.pop_count(stack, d),
            _ => {}
        }
    }

    /// Pushes a control value of fixed width; what has more bits stops machine code, as what is uninitialised.
    fn push_fixed(&mut self, stack: usize, s: Reg, bits: u8) {
        let x = self.word(s);
        let most = (1i64 << bits.min(62)) - 1;
        let more = self.b.ins().icmp_imm(IntCC::UnsignedGreaterThan, x, most);
        self.stop_if(more);
        let width = self.b.ins().iconst(I64, i64::from(bits));
        self.push_bits(stack, x, width);
    }
}
