//! Arithmetic, comparisons, conversions.

use cfg_core::ir::Op;
use cfg_exec::native::{Cmp, Instr, Reg, operator};
use cranelift_codegen::ir::{
    InstBuilder, Value,
    condcodes::{FloatCC, IntCC},
    types::{F32, F64, I8, I64},
};

use super::Translator;
use crate::{call, context};

impl Translator<'_, '_> {
    // --- tests -------------------------------------------------------------------------------

    /// True if an integer is not within ±2^n.
    pub(super) fn beyond(&mut self, x: Value, n: i64) -> Value {
        let high = self.b.ins().sshr_imm(x, n);
        let up = self.b.ins().iadd_imm(high, 1);
        self.b.ins().icmp_imm(IntCC::UnsignedGreaterThan, up, 1)
    }

    /// An integer within ±2^n; others stop machine code.
    pub(super) fn bounded(&mut self, r: Reg, n: u32) -> Value {
        let x = self.word(r);
        self.bound(x, n);
        x
    }

    fn bound(&mut self, x: Value, n: u32) {
        if self.small.get(&x).is_some_and(|&known| known <= n) {
            return;
        }
        let beyond = self.beyond(x, n.into());
        self.stop_if(beyond);
        self.small.insert(x, n);
    }

    /// An integer that is initialised, and that may be added to another such without overflow.
    pub(super) fn small_word(&mut self, r: Reg) -> Value {
        self.bounded(r, 62)
    }

    pub(super) fn stop_if_unordered(&mut self, a: Value, b: Value) {
        let unordered = self.b.ins().fcmp(FloatCC::Unordered, a, b);
        self.stop_if(unordered);
    }

    /// Stops in case of an uninitialised logical.
    fn logical(&mut self, r: Reg) -> Value {
        if self.values[usize::from(self.place(r))].is_some_and(|cell| cell.flag.is_some()) {
            return self.word(r);
        }
        let x = self.word(r);
        let neither = self.b.ins().icmp_imm(IntCC::UnsignedGreaterThan, x, 1);
        self.stop_if(neither);
        x
    }

    // --- results -----------------------------------------------------------------------------

    /// The result of an operation that is NaN if one of the operands is. A test of the result makes those of the
    /// operands superfluous.
    fn propagating(&mut self, d: Reg, operands: &[Value], x: Value) {
        self.doubtful.retain(|y| !operands.contains(y));
        self.doubtful.push(x);
        self.set_real(d, x);
    }

    /// `a*b`, or 0 if `a` is 0. Not NaN only if `a` is not; `b` may be.
    pub(super) fn strong(&mut self, a: Value, b: Value) -> Value {
        let zero = self.b.ins().f64const(0.0);
        let is_zero = self.b.ins().fcmp(FloatCC::Equal, a, zero);
        let product = self.b.ins().fmul(a, b);
        self.b.ins().select(is_zero, zero, product)
    }

    /// A function of a real that is not NaN.
    fn ordered(&mut self, r: Reg) -> Value {
        let x = self.real(r);
        self.stop_if_unordered(x, x);
        x
    }

    fn set_small(&mut self, d: Reg, x: Value, bits: u32) {
        self.small.insert(x, bits);
        self.set_word(d, x);
    }

    fn set_by_fallback(&mut self, d: Reg, operands: [Value; 3]) {
        let x = self.call_fallback(operands);
        self.set_word(d, x);
    }

    /// The value of the current instruction by the executor's function; its errors stop machine code.
    pub(super) fn call_fallback(&mut self, operands: [Value; 3]) -> Value {
        let at = &raw const self.subject.instrs[self.pc];
        let at = self.b.ins().iconst(I64, at as i64);
        let value = self
            .b
            .ins()
            .iadd_imm(self.context, 8 * context::VALUE as i64);
        let [a, b, c] = operands;
        let fine = self.call(
            call::fallback as *const () as usize,
            &[at, a, b, c, value],
            I8,
        );
        let fails = self.b.ins().icmp_imm(IntCC::Equal, fine, 0);
        self.stop_if(fails);
        let own = Self::own();
        self.b
            .ins()
            .load(I64, own, self.context, 8 * context::VALUE as i32)
    }

    fn compare_integers(&mut self, cmp: Cmp, signed: bool, a: Value, b: Value) -> Value {
        let cc = match (cmp, signed) {
            (Cmp::Lt, true) => IntCC::SignedLessThan,
            (Cmp::Le, true) => IntCC::SignedLessThanOrEqual,
            (Cmp::Lt, false) => IntCC::UnsignedLessThan,
            (Cmp::Le, false) => IntCC::UnsignedLessThanOrEqual,
            (Cmp::Eq, _) => IntCC::Equal,
            (Cmp::Ne, _) => IntCC::NotEqual,
        };
        self.b.ins().icmp(cc, a, b)
    }

    /// A function of one real.
    fn unary(&mut self, f: u8, d: Reg, a: Reg) {
        let x = self.real(a);
        let y = match operator(f) {
            // The square root is rounded correctly by every implementation.
            Some(Op::Sqrt) => self.b.ins().sqrt(x),
            Some(Op::Abs) => self.b.ins().fabs(x),
            _ => {
                let function = self.unit().program.unary(f) as usize;
                let function = self.b.ins().iconst(I64, function as i64);
                self.call(call::unary as *const () as usize, &[function, x], F64)
            }
        };
        self.doubtful.push(y);
        self.set_real(d, y);
    }

    /// Translates an instruction that goes on with the next one.
    #[allow(clippy::too_many_lines, reason = "one arm per instruction")]
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "jumps end blocks, the rest reaches memory or tapes"
    )]
    pub(super) fn instruction(&mut self, instr: Instr) {
        match instr {
            Instr::Mov { d, a } => {
                let bank = self.bank_of_load(d);
                let cell = self.get(self.place(a), bank);
                self.set(self.place(d), cell);
            }
            Instr::Const { d, k } => {
                let cell = super::Cell::constant(self.code().constant(k));
                self.set(self.place(d), cell);
            }
            Instr::AddF { d, a, b } => {
                let (a, b) = (self.real(a), self.real(b));
                let x = self.b.ins().fadd(a, b);
                self.propagating(d, &[a, b], x);
            }
            Instr::SubF { d, a, b } => {
                let (a, b) = (self.real(a), self.real(b));
                let x = self.b.ins().fsub(a, b);
                self.propagating(d, &[a, b], x);
            }
            Instr::MulF { d, a, b } => {
                let (a, b) = (self.real(a), self.real(b));
                let x = self.b.ins().fmul(a, b);
                self.propagating(d, &[a, b], x);
            }
            Instr::DivF { d, a, b } => {
                let (a, b) = (self.real(a), self.real(b));
                let x = self.b.ins().fdiv(a, b);
                self.propagating(d, &[a, b], x);
            }
            Instr::NegF { d, a } => {
                let a = self.real(a);
                let x = self.b.ins().fneg(a);
                self.propagating(d, &[a], x);
            }
            Instr::MulAdd { d, a, b, c } => {
                let (a, b, c) = (self.real(a), self.real(b), self.real(c));
                let product = self.b.ins().fmul(a, b);
                let x = self.b.ins().fadd(product, c);
                self.propagating(d, &[a, b, c], x);
            }
            Instr::MulSub { d, a, b, c } => {
                let (a, b, c) = (self.real(a), self.real(b), self.real(c));
                let product = self.b.ins().fmul(a, b);
                let x = self.b.ins().fsub(product, c);
                self.propagating(d, &[a, b, c], x);
            }
            Instr::SubMul { d, a, b, c } => {
                let (a, b, c) = (self.real(a), self.real(b), self.real(c));
                let product = self.b.ins().fmul(a, b);
                let x = self.b.ins().fsub(c, product);
                self.propagating(d, &[a, b, c], x);
            }
            Instr::StrongMul { d, a, b } => {
                let (a, b) = (self.real(a), self.real(b));
                let x = self.strong(a, b);
                self.propagating(d, &[a], x);
            }
            Instr::StrongMulAdd { d, a, b, c } => {
                let (a, b, c) = (self.real(a), self.real(b), self.real(c));
                let product = self.strong(a, b);
                let x = self.b.ins().fadd(c, product);
                self.propagating(d, &[a, c], x);
            }
            Instr::Fma { d, a, b, c } => {
                let (a, b, c) = (self.real(a), self.real(b), self.real(c));
                let function = self.unit().program.fma() as usize;
                let function = self.b.ins().iconst(I64, function as i64);
                let address = call::ternary as *const () as usize;
                let x = self.call(address, &[function, a, b, c], F64);
                self.propagating(d, &[a, b, c], x);
            }
            Instr::Fma32 { d, a, b, c } => {
                let (a, b, c) = (self.real(a), self.real(b), self.real(c));
                let function = self.unit().program.fma32() as usize;
                let function = self.b.ins().iconst(I64, function as i64);
                let address = call::fma32 as *const () as usize;
                let x = self.call(address, &[function, a, b, c], F64);
                self.propagating(d, &[a, b, c], x);
            }
            Instr::Round32 { d } => {
                let a = self.real(d);
                let single = self.b.ins().fdemote(F32, a);
                let x = self.b.ins().fpromote(F64, single);
                self.propagating(d, &[a], x);
            }
            Instr::Real1 { f, d, a } => self.unary(f, d, a),
            Instr::Real2 { f, d, a, b } => {
                let (a, b) = (self.ordered(a), self.ordered(b));
                let function = self.unit().program.binary(f) as usize;
                let function = self.b.ins().iconst(I64, function as i64);
                let x = self.call(call::binary as *const () as usize, &[function, a, b], F64);
                self.doubtful.push(x);
                self.set_real(d, x);
            }
            Instr::PowI { d, a, b } => {
                let (a, b) = (self.ordered(a), self.small_word(b));
                let function = self.unit().program.powi() as usize;
                let function = self.b.ins().iconst(I64, function as i64);
                let x = self.call(call::powi as *const () as usize, &[function, a, b], F64);
                self.doubtful.push(x);
                self.set_real(d, x);
            }
            Instr::Polygamma { d, a, b } => {
                let (a, b) = (self.small_word(a), self.ordered(b));
                let function = self.unit().program.polygamma() as usize;
                let function = self.b.ins().iconst(I64, function as i64);
                let address = call::polygamma as *const () as usize;
                let x = self.call(address, &[function, a, b], F64);
                self.doubtful.push(x);
                self.set_real(d, x);
            }
            Instr::AddI { d, a, b } => {
                let (a, b) = (self.small_word(a), self.small_word(b));
                let bits = self.small[&a].max(self.small[&b]) + 1;
                let x = self.b.ins().iadd(a, b);
                self.set_small(d, x, bits);
            }
            Instr::AddConst { d, a, k } => {
                let a = self.small_word(a);
                let bits = self.small[&a].max(31) + 1;
                let x = self.b.ins().iadd_imm(a, i64::from(k));
                self.set_small(d, x, bits);
            }
            Instr::SubI { d, a, b } => {
                let (a, b) = (self.small_word(a), self.small_word(b));
                let bits = self.small[&a].max(self.small[&b]) + 1;
                let x = self.b.ins().isub(a, b);
                self.set_small(d, x, bits);
            }
            Instr::MulI { d, a, b } => {
                let (a, b) = (self.small_word(a), self.small_word(b));
                let bits = self.small[&a] + self.small[&b];
                if bits < 63 {
                    let x = self.b.ins().imul(a, b);
                    self.set_small(d, x, bits);
                } else {
                    let (x, overflow) = self.b.ins().smul_overflow(a, b);
                    self.stop_if(overflow);
                    self.set_word(d, x);
                }
            }
            Instr::IntToReal { d, a } => {
                let a = self.small_word(a);
                let x = self.b.ins().fcvt_from_sint(F64, a);
                self.set_real(d, x);
            }
            Instr::IntToLogical { d, a } => {
                let a = self.small_word(a);
                let flag = self.b.ins().icmp_imm(IntCC::NotEqual, a, 0);
                self.set_flag(d, flag);
            }
            Instr::LogicalToInt { d, a } => {
                let a = self.logical(a);
                self.set_small(d, a, 1);
            }
            Instr::LogicalToReal { d, a } => {
                let a = self.logical(a);
                let x = self.b.ins().fcvt_from_sint(F64, a);
                self.set_real(d, x);
            }
            Instr::CmpF { cmp, d, a, b } => {
                let (a, b) = (self.real(a), self.real(b));
                self.stop_if_unordered(a, b);
                let cc = match cmp {
                    Cmp::Lt => FloatCC::LessThan,
                    Cmp::Le => FloatCC::LessThanOrEqual,
                    Cmp::Eq => FloatCC::Equal,
                    Cmp::Ne => FloatCC::NotEqual,
                };
                let flag = self.b.ins().fcmp(cc, a, b);
                self.set_flag(d, flag);
            }
            Instr::CmpI { cmp, d, a, b } => {
                let (a, b) = (self.small_word(a), self.small_word(b));
                let flag = self.compare_integers(cmp, true, a, b);
                self.set_flag(d, flag);
            }
            Instr::CmpU { cmp, d, a, b } => {
                let (a, b) = (self.small_word(a), self.small_word(b));
                let flag = self.compare_integers(cmp, false, a, b);
                self.set_flag(d, flag);
            }
            Instr::CmpL { cmp, d, a, b } => {
                let (a, b) = (self.logical(a), self.logical(b));
                let flag = self.compare_integers(cmp, false, a, b);
                self.set_flag(d, flag);
            }
            Instr::Not { d, a } => {
                let a = self.logical(a);
                let flag = self.b.ins().icmp_imm(IntCC::Equal, a, 0);
                self.set_flag(d, flag);
            }
            Instr::Int1 { d, a, .. }
            | Instr::Sized1 { d, a, .. }
            | Instr::IntToInt { d, a, .. }
            | Instr::RealToAnyInt { d, a, .. }
            | Instr::UintToReal { d, a }
            | Instr::UintToReal32 { d, a }
            | Instr::IntToReal32 { d, a }
            | Instr::RealToInt { d, a }
            | Instr::RealToLogical { d, a } => {
                let a = self.word(a);
                self.set_by_fallback(d, [a; 3]);
            }
            Instr::Fit { d, .. } => {
                let a = self.word(d);
                self.set_by_fallback(d, [a; 3]);
            }
            Instr::Int2 { d, a, b, .. } | Instr::Sized2 { d, a, b, .. } => {
                let (a, b) = (self.word(a), self.word(b));
                self.set_by_fallback(d, [a, b, b]);
            }
            Instr::Trips { d, a, b, c } => {
                let operands = [self.word(a), self.word(b), self.word(c)];
                self.set_by_fallback(d, operands);
            }
            Instr::Ext { k } => self.operation(k),
            _ => self.access(instr),
        }
    }
}
