//! Loads, stores and addresses.

use cfg_exec::native::{Arr, Instr, Reg};
use cranelift_codegen::ir::{
    AliasRegion, InstBuilder, MemFlags, Value, condcodes::IntCC, types::F64,
};

use super::{Cell, Translator};
use crate::{context, places::register};

/// Flags of an access to cells.
fn shared() -> MemFlags {
    MemFlags::trusted().with_alias_region(Some(AliasRegion::Heap))
}

impl Translator<'_, '_> {
    /// The first word of a part of a descriptor, of whose elements the code reads `dimensions` subscripts.
    fn part(&mut self, position: usize, dimensions: usize) -> usize {
        let next = self.parts.len();
        let k = *self.part_at.entry(position).or_insert(next);
        if k == next {
            self.parts.push((position, 0));
        }
        self.parts[k].1 = self.parts[k].1.max(dimensions);
        context::array(self.subject.stacks.0.len(), k)
    }

    /// The cells from the element with subscript 0 along a dimension; stops outside of the array.
    fn along(&mut self, part: usize, axis: usize, i: Reg, u: i8) -> Value {
        let axis = context::axis(axis);
        let i = self.word(i);
        let i = self.b.ins().iadd_imm(i, i64::from(u));
        let (lower, room) = (self.fixed(part + axis.lower), self.fixed(part + axis.room));
        let offset = self.b.ins().isub(i, lower);
        let cc = IntCC::UnsignedGreaterThanOrEqual;
        let outside = self.b.ins().icmp(cc, offset, room);
        self.stop_if(outside);
        let stride = self.fixed(part + axis.stride);
        self.b.ins().imul(i, stride)
    }

    /// The part of an array, and the cells from the element with subscripts 0 to another one.
    fn element(&mut self, arr: Arr, subscripts: &[(Reg, i8)]) -> (usize, Value) {
        let part = self.part(arr.into(), subscripts.len());
        let mut cells = self.along(part, 0, subscripts[0].0, subscripts[0].1);
        if let Some(&(j, v)) = subscripts.get(1) {
            let more = self.along(part, 1, j, v);
            cells = self.b.ins().iadd(cells, more);
        }
        (part, cells)
    }

    /// The address of an element.
    fn address_of(&mut self, arr: Arr, subscripts: &[(Reg, i8)]) -> Value {
        let (part, cells) = self.element(arr, subscripts);
        let bytes = self.b.ins().ishl_imm(cells, 3);
        let first = self.fixed(part + context::POINTER);
        self.b.ins().iadd(first, bytes)
    }

    /// The cell address of an element.
    fn cell_of(&mut self, d: Reg, arr: Arr, subscripts: &[(Reg, i8)]) {
        let (part, cells) = self.element(arr, subscripts);
        let zero = self.zero_cell(part, subscripts.len());
        let x = self.b.ins().iadd(zero, cells);
        self.set_word(d, x);
    }

    /// The cell address of the element with subscripts 0.
    fn zero_cell(&mut self, part: usize, dimensions: usize) -> Value {
        let mut cell = self.fixed(part + context::BASE);
        for k in 0..dimensions {
            let axis = context::axis(k);
            let (lower, stride) = (
                self.fixed(part + axis.lower),
                self.fixed(part + axis.stride),
            );
            let less = self.b.ins().imul(lower, stride);
            cell = self.b.ins().isub(cell, less);
        }
        cell
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
        self.set(register(d), cell);
    }

    /// Stores the value of a register: an effect.
    fn store(&mut self, s: Reg, address: Value) {
        let bank = self.banks[usize::from(s)];
        let cell = self.get(register(s), bank);
        let x = match cell.real.or(cell.word) {
            Some(x) => x,
            None => self.as_word(cell),
        };
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

    /// The stride along a dimension, in cells.
    fn stride(&mut self, arr: Arr, axis: u8) -> Value {
        let part = self.part(usize::from(arr) + usize::from(axis / 2), 0);
        self.fixed(part + context::axis(usize::from(axis % 2)).stride)
    }

    fn extent(&mut self, arr: Arr, axis: u8) -> Value {
        let part = self.part(usize::from(arr) + usize::from(axis / 2), 0);
        self.fixed(part + context::axis(usize::from(axis % 2)).extent)
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
                self.frame_needed = self.frame_needed.max(at as usize + 1);
                let address = self.b.ins().iadd_imm(self.frame, 8 * i64::from(at));
                self.load(d, address);
            }
            Instr::StoreFrame { s, at } => {
                self.frame_needed = self.frame_needed.max(at as usize + 1);
                let address = self.b.ins().iadd_imm(self.frame, 8 * i64::from(at));
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
                let part = self.part(arr.into(), 0);
                let base = self.fixed(part + context::BASE);
                self.set_word(d, base);
            }
            Instr::AddrAxis { d, i, axis, arr } => {
                let part = self.part(usize::from(arr) + usize::from(axis / 2), 0);
                let words = context::axis(usize::from(axis % 2));
                let i = self.word(i);
                let (lower, extent) = (
                    self.fixed(part + words.lower),
                    self.fixed(part + words.extent),
                );
                let offset = self.b.ins().isub(i, lower);
                let cc = IntCC::UnsignedGreaterThanOrEqual;
                let outside = self.b.ins().icmp(cc, offset, extent);
                self.stop_if(outside);
                let stride = self.fixed(part + words.stride);
                let cells = self.b.ins().imul(offset, stride);
                let at = self.word(d);
                let x = self.b.ins().iadd(at, cells);
                self.set_word(d, x);
            }
            Instr::FrameAddr { d, at } => {
                let bytes = self.b.ins().isub(self.frame, self.cells);
                let cell = self.b.ins().ushr_imm(bytes, 3);
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
