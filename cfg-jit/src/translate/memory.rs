//! Loads, stores and addresses.

use cfg_exec::native::{Arr, Instr, Reg};
use cranelift_codegen::ir::{
    InstBuilder, Value,
    condcodes::IntCC,
    types::{F64, I8},
};

use super::{
    Cell, Translator,
    arrays::{Field, shared},
};
use crate::{
    context,
    loops::{Loop, Subscript},
};

impl Translator<'_, '_> {
    /// The cells from the element with subscript 0 along a dimension; stops outside of the array.
    fn along(&mut self, arr: Arr, dimensions: usize, axis: usize, (i, u): (Reg, i8)) -> Value {
        let subscript = Subscript {
            arr,
            dimensions,
            axis,
            r: i,
            u,
        };
        let of = self.loops[self.at].as_ref();
        let before = of.is_some_and(|of| of.tested.contains(&subscript));
        let i = self.word(i);
        if self.tested.insert((arr, axis, i, u)) && !before {
            let outside = self.outside(subscript, i);
            self.stop_if(outside);
        }
        let i = self.b.ins().iadd_imm(i, i64::from(u));
        let stride = self.field(arr.into(), dimensions, Field::Stride(axis));
        self.b.ins().imul(i, stride)
    }

    /// True if the value of a subscript's register leads out of the array.
    fn outside(&mut self, of: Subscript, i: Value) -> Value {
        let i = self.b.ins().iadd_imm(i, i64::from(of.u));
        let lower = self.field(of.arr.into(), of.dimensions, Field::Lower(of.axis));
        let room = self.field(of.arr.into(), of.dimensions, Field::Room(of.axis));
        let offset = self.b.ins().isub(i, lower);
        let cc = IntCC::UnsignedGreaterThanOrEqual;
        self.b.ins().icmp(cc, offset, room)
    }

    /// True if a subscript of a loop leads out of its array in a pass from one index to another. `value` has the values
    /// of registers.
    pub(super) fn leads_out(
        &mut self,
        of: &Loop,
        [first, last]: [Value; 2],
        value: impl Fn(&mut Self, Reg) -> Value,
    ) -> Value {
        let mut out = self.b.ins().iconst(I8, 0);
        for &subscript in &of.tested {
            let ends = match subscript.r == of.index {
                true => vec![first, last],
                false => vec![value(self, subscript.r)],
            };
            for i in ends {
                let outside = self.outside(subscript, i);
                out = self.b.ins().bor(out, outside);
            }
        }
        out
    }

    /// The cells from the element with subscripts 0 to another one.
    fn element(&mut self, arr: Arr, subscripts: &[(Reg, i8)]) -> Value {
        let mut cells = self.along(arr, subscripts.len(), 0, subscripts[0]);
        if let Some(&second) = subscripts.get(1) {
            let more = self.along(arr, subscripts.len(), 1, second);
            cells = self.b.ins().iadd(cells, more);
        }
        cells
    }

    /// The address of an element.
    fn address_of(&mut self, arr: Arr, subscripts: &[(Reg, i8)]) -> Value {
        let cells = self.element(arr, subscripts);
        let bytes = self.b.ins().ishl_imm(cells, 3);
        let first = self.field(arr.into(), subscripts.len(), Field::Pointer);
        self.b.ins().iadd(first, bytes)
    }

    /// The cell address of an element.
    fn cell_of(&mut self, d: Reg, arr: Arr, subscripts: &[(Reg, i8)]) {
        let cells = self.element(arr, subscripts);
        let mut zero = self.field(arr.into(), subscripts.len(), Field::Base);
        for k in 0..subscripts.len() {
            let lower = self.field(arr.into(), subscripts.len(), Field::Lower(k));
            let stride = self.field(arr.into(), subscripts.len(), Field::Stride(k));
            let less = self.b.ins().imul(lower, stride);
            zero = self.b.ins().isub(zero, less);
        }
        let x = self.b.ins().iadd(zero, cells);
        self.set_word(d, x);
    }

    /// The address of a cell; stops outside of memory.
    fn cell_at(&mut self, p: Value) -> Value {
        let cells = self.fixed(context::CELLS);
        let cc = IntCC::UnsignedGreaterThanOrEqual;
        let outside = self.b.ins().icmp(cc, p, cells);
        self.stop_if(outside);
        let bytes = self.b.ins().ishl_imm(p, 3);
        self.b.ins().iadd(self.cells, bytes)
    }

    /// Loads into a register, in the bank where the value will be wanted.
    fn load(&mut self, d: Reg, address: Value) {
        let ty = self.bank_of_load(d);
        let x = self.b.ins().load(ty, shared(), address, 0);
        let cell = if ty == F64 {
            Cell::real(x)
        } else {
            Cell::word(x)
        };
        self.set(self.place(d), cell);
    }

    /// Stores the value of a register: an effect.
    fn store(&mut self, s: Reg, address: Value) {
        let loc = self.place(s);
        let bank = self.banks[usize::from(loc)];
        let cell = self.get(loc, bank);
        let x = self.in_some_bank(cell);
        self.test_doubtful();
        self.b.ins().store(shared(), x, address, 0);
        self.after_effect();
    }

    /// Adds to a cell.
    fn increment(&mut self, address: Value, by: Value) {
        let old = self.b.ins().load(F64, shared(), address, 0);
        let new = self.b.ins().fadd(old, by);
        self.doubtful.retain(|&x| x != by);
        self.doubtful.push(new);
        self.test_doubtful();
        self.b.ins().store(shared(), new, address, 0);
        self.after_effect();
    }

    /// The lower bound, extent, or stride in cells, along any dimension.
    fn along_any(&mut self, arr: Arr, axis: u8, field: fn(usize) -> Field) -> Value {
        let position = usize::from(arr) + usize::from(axis / 2);
        self.field(position, 0, field(usize::from(axis % 2)))
    }

    fn stride(&mut self, arr: Arr, axis: u8) -> Value {
        self.along_any(arr, axis, Field::Stride)
    }

    fn extent(&mut self, arr: Arr, axis: u8) -> Value {
        self.along_any(arr, axis, Field::Extent)
    }

    /// Moves an address by one element; returns what it was.
    fn advance(&mut self, p: Reg, axis: u8, arr: Arr) -> Value {
        let at = self.word(p);
        let stride = self.stride(arr, axis);
        let next = self.b.ins().iadd(at, stride);
        self.set_word(p, next);
        at
    }

    /// Translates an instruction that reaches memory.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions are those of tapes"
    )]
    pub(super) fn access(&mut self, instr: Instr) {
        match instr {
            Instr::LoadFrame { d, at } => {
                let address = self.frame_address(at);
                self.load(d, address);
            }
            Instr::StoreFrame { s, at } => {
                let address = self.frame_address(at);
                self.store(s, address);
            }
            Instr::LoadGlobal { d, at } => {
                self.cells_needed = self.cells_needed.max(at as usize + 1);
                let address = self.b.ins().iadd_imm(self.cells, 8 * i64::from(at));
                self.load(d, address);
            }
            Instr::StoreGlobal { s, at } => {
                self.cells_needed = self.cells_needed.max(at as usize + 1);
                let address = self.b.ins().iadd_imm(self.cells, 8 * i64::from(at));
                self.store(s, address);
            }
            Instr::LoadAt { d, p } => {
                let p = self.word(p);
                let address = self.cell_at(p);
                self.load(d, address);
            }
            Instr::StoreAt { p, s } => {
                let p = self.word(p);
                let address = self.cell_at(p);
                self.store(s, address);
            }
            Instr::Load1 { d, i, u, arr } => {
                let address = self.address_of(arr, &[(i, u)]);
                self.load(d, address);
            }
            Instr::Store1 { s, i, u, arr } => {
                let address = self.address_of(arr, &[(i, u)]);
                self.store(s, address);
            }
            Instr::Load2 { d, i, j, u, v, arr } => {
                let address = self.address_of(arr, &[(i, u), (j, v)]);
                self.load(d, address);
            }
            Instr::Store2 { s, i, j, u, v, arr } => {
                let address = self.address_of(arr, &[(i, u), (j, v)]);
                self.store(s, address);
            }
            Instr::Addr1 { d, i, u, arr } => self.cell_of(d, arr, &[(i, u)]),
            Instr::Addr2 { d, i, j, u, v, arr } => self.cell_of(d, arr, &[(i, u), (j, v)]),
            Instr::Base { d, arr } => {
                let base = self.field(arr.into(), 0, Field::Base);
                self.set_word(d, base);
            }
            Instr::AddrAxis { d, i, axis, arr } => {
                let i = self.word(i);
                let lower = self.along_any(arr, axis, Field::Lower);
                let extent = self.extent(arr, axis);
                let offset = self.b.ins().isub(i, lower);
                let cc = IntCC::UnsignedGreaterThanOrEqual;
                let outside = self.b.ins().icmp(cc, offset, extent);
                self.stop_if(outside);
                let stride = self.stride(arr, axis);
                let cells = self.b.ins().imul(offset, stride);
                let at = self.word(d);
                let x = self.b.ins().iadd(at, cells);
                self.set_word(d, x);
            }
            Instr::FrameAddr { d, at } => {
                let cell = self.frame_cell();
                let x = self.b.ins().iadd_imm(cell, i64::from(at));
                self.set_word(d, x);
            }
            Instr::Inc1 { s, i, u, arr } => {
                let address = self.address_of(arr, &[(i, u)]);
                let s = self.real(s);
                self.increment(address, s);
            }
            Instr::Inc2 { s, i, j, u, v, arr } => {
                let address = self.address_of(arr, &[(i, u), (j, v)]);
                let s = self.real(s);
                self.increment(address, s);
            }
            Instr::IncStrong1 { a, b, i, u, arr } => {
                let address = self.address_of(arr, &[(i, u)]);
                let (a, b) = (self.real(a), self.real(b));
                let product = self.strong(a, b);
                self.increment(address, product);
            }
            Instr::IncStrong2 { a, b, i, j, arr } => {
                let address = self.address_of(arr, &[(i, 0), (j, 0)]);
                let (a, b) = (self.real(a), self.real(b));
                let product = self.strong(a, b);
                self.increment(address, product);
            }
            Instr::IncAt { p, s } => {
                let p = self.word(p);
                let address = self.cell_at(p);
                let s = self.real(s);
                self.increment(address, s);
            }
            Instr::Advance { p, axis, arr } => {
                self.advance(p, axis, arr);
            }
            Instr::LoadNext { d, p, axis, arr } => {
                let at = self.advance(p, axis, arr);
                let address = self.cell_at(at);
                self.load(d, address);
            }
            Instr::StoreNext { p, s, axis, arr } => {
                let at = self.advance(p, axis, arr);
                let address = self.cell_at(at);
                self.store(s, address);
            }
            Instr::IncNext { p, s, axis, arr } => {
                let at = self.advance(p, axis, arr);
                let address = self.cell_at(at);
                let s = self.real(s);
                self.increment(address, s);
            }
            Instr::Rewind { p, axis, arr } => {
                let (stride, extent) = (self.stride(arr, axis), self.extent(arr, axis));
                let cells = self.b.ins().imul(stride, extent);
                let at = self.word(p);
                let x = self.b.ins().isub(at, cells);
                self.set_word(p, x);
            }
            Instr::Extent { d, axis, arr } => {
                let extent = self.extent(arr, axis);
                self.set_word(d, extent);
            }
            _ => self.tape(instr),
        }
    }
}
