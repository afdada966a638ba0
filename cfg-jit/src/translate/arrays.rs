//! Arrays: what their descriptors say, and operations on arrays whose elements follow each other.

use cfg_core::ir::Order;
use cfg_exec::native::{Operation, Reg, View, poison};
use cranelift_codegen::ir::{
    AliasRegion, InstBuilder, MemFlags, Value, condcodes::IntCC, types::I64,
};

use super::Translator;
use crate::{call, context};

/// Elements that are filled or copied one by one.
const FEW: u64 = 8;
/// Most elements of a dimension of an array that machine code binds.
const LONGEST: i64 = 1 << 31;

/// The part of a descriptor about two dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    Base,
    Pointer,
    Lower(usize),
    Extent(usize),
    Stride(usize),
    Room(usize),
}

/// Cells that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense {
    pub(super) base: Value,
    /// Number of cells, not 0.
    pub(super) size: Value,
    /// The number, if it is known.
    pub(super) count: Option<u64>,
}

/// A dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dimension {
    pub(super) lower: Value,
    pub(super) extent: Value,
    pub(super) stride: Value,
}

/// An array that the binding of a callee makes. It lies in memory.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) dense: Dense,
    pub(super) order: Order,
    pub(super) axes: Vec<Dimension>,
    /// The address of the element whose subscripts are 0.
    pub(super) pointer: Value,
}

/// Flags of an access to cells.
pub(super) fn shared() -> MemFlags {
    MemFlags::trusted().with_alias_region(Some(AliasRegion::Heap))
}

impl Translator<'_, '_> {
    /// The first word of a part of a descriptor of the routine itself, of whose elements the code reads `dimensions`
    /// subscripts.
    fn part(&mut self, position: usize, dimensions: usize) -> usize {
        let next = self.parts.len();
        let k = *self.part_at.entry(position).or_insert(next);
        if k == next {
            self.parts.push((position, 0));
        }
        self.parts[k].1 = self.parts[k].1.max(dimensions);
        self.subject.layout.array(k)
    }

    /// A field of the part of a descriptor of the current instance.
    pub(super) fn field(&mut self, position: usize, dimensions: usize, field: Field) -> Value {
        self.field_of(self.instance, position, dimensions, field)
    }

    fn field_of(
        &mut self,
        instance: usize,
        position: usize,
        dimensions: usize,
        field: Field,
    ) -> Value {
        if instance == 0 {
            let part = self.part(position, dimensions);
            return self.fixed(
                part + match field {
                    Field::Base => context::BASE,
                    Field::Pointer => context::POINTER,
                    Field::Lower(k) => context::axis(k).lower,
                    Field::Extent(k) => context::axis(k).extent,
                    Field::Stride(k) => context::axis(k).stride,
                    Field::Room(k) => context::axis(k).room,
                },
            );
        }
        // The code of an instance has no arrays but those of its binding.
        let array = self.unit().array(instance, position as u16);
        let array = array.and_then(|k| self.arrays[k].as_ref());
        let value = array.and_then(|array| match field {
            Field::Base => Some(array.dense.base),
            Field::Pointer => Some(array.pointer),
            Field::Lower(k) => array.axes.get(k).map(|axis| axis.lower),
            Field::Extent(k) | Field::Room(k) => array.axes.get(k).map(|axis| axis.extent),
            Field::Stride(k) => array.axes.get(k).map(|axis| axis.stride),
        });
        value.unwrap_or_else(|| self.b.ins().iconst(I64, 0))
    }

    /// The address of a cell that lies in memory.
    pub(super) fn address(&mut self, cell: Value) -> Value {
        let bytes = self.b.ins().ishl_imm(cell, 3);
        self.b.ins().iadd(self.cells, bytes)
    }

    /// The elements of an array of an instance; stops if there are none, or if they do not follow each other in the
    /// array's order.
    pub(super) fn dense(&mut self, instance: usize, of: View) -> Dense {
        let rank = usize::from(of.rank);
        let known = self.unit().array(instance, of.arr);
        if let Some(array) = known.and_then(|k| self.arrays[k].as_ref())
            && (rank == 1 || array.order == of.order)
        {
            return array.dense;
        }
        let (inner, outer) = match of.order {
            Order::Row => (rank - 1, 0),
            Order::Column => (0, rank - 1),
        };
        let mut field = |field| self.field_of(instance, of.arr.into(), rank, field);
        let base = field(Field::Base);
        let (room, stride) = (field(Field::Room(inner)), field(Field::Stride(inner)));
        let second = (rank > 1).then(|| (field(Field::Room(outer)), field(Field::Stride(outer))));
        let is_next = self.b.ins().icmp_imm(IntCC::Equal, stride, 1);
        let is_one = self.b.ins().icmp_imm(IntCC::Equal, room, 1);
        let mut follow = self.b.ins().bor(is_next, is_one);
        let mut size = room;
        if let Some((more, stride)) = second {
            let is_next = self.b.ins().icmp(IntCC::Equal, stride, room);
            let is_one = self.b.ins().icmp_imm(IntCC::Equal, more, 1);
            let follows = self.b.ins().bor(is_next, is_one);
            follow = self.b.ins().band(follow, follows);
            size = self.b.ins().imul(room, more);
        }
        let apart = self.b.ins().icmp_imm(IntCC::Equal, follow, 0);
        self.stop_if(apart);
        let none = self.b.ins().icmp_imm(IntCC::Equal, size, 0);
        self.stop_if(none);
        let count = None;
        Dense { base, size, count }
    }

    /// Takes steps; stops where they might not last.
    pub(super) fn burn(&mut self, steps: Value) {
        let left = self.b.ins().isub(self.fuel, steps);
        let few = self.b.ins().icmp_imm(IntCC::SignedLessThan, left, 0);
        self.stop_if(few);
        self.fuel = left;
        self.set(crate::places::FUEL, super::Cell::word(left));
    }

    /// Sets cells.
    pub(super) fn fill(&mut self, to: &Dense, cell: Value) {
        let address = self.address(to.base);
        match to.count {
            Some(n @ 0..=FEW) => {
                for k in 0..n {
                    self.b.ins().store(shared(), cell, address, 8 * k as i32);
                }
            }
            _ => {
                let function = call::fill as *const () as usize;
                self.call(function, &[address, to.size, cell], I64);
            }
        }
    }

    /// Copies as many cells as `like` has, between memory and a stack.
    pub(super) fn copy(&mut self, to: (Value, MemFlags), from: (Value, MemFlags), like: &Dense) {
        match like.count {
            Some(n @ 0..=FEW) => {
                for k in 0..n {
                    let at = 8 * k as i32;
                    let cell = self.b.ins().load(I64, from.1, from.0, at);
                    self.b.ins().store(to.1, cell, to.0, at);
                }
            }
            _ => {
                let function = call::copy as *const () as usize;
                self.call(function, &[to.0, from.0, like.size], I64);
            }
        }
    }

    /// An array of an instance's own, from bounds in registers. Its cells lie in memory from `base` on.
    pub(super) fn shape(&mut self, to: View, dims: Reg) -> (Vec<Dimension>, Dense) {
        let rank = usize::from(to.rank);
        let mut axes = Vec::with_capacity(rank);
        let mut count = Some(1u64);
        for k in 0..rank {
            let at = dims.wrapping_add(2 * k as Reg);
            let lower = self.small_word(at);
            let known = self.get(self.place(at.wrapping_add(1)), I64).constant;
            let extent = self.word(at.wrapping_add(1));
            let known = known.filter(|&n| (1..=LONGEST as u64).contains(&n));
            if known.is_none() {
                let less = self.b.ins().iadd_imm(extent, -1);
                let beyond =
                    self.b
                        .ins()
                        .icmp_imm(IntCC::UnsignedGreaterThanOrEqual, less, LONGEST);
                self.stop_if(beyond);
            }
            count = count.zip(known).and_then(|(n, more)| n.checked_mul(more));
            axes.push(Dimension {
                lower,
                extent,
                stride: extent,
            });
        }
        let one = self.b.ins().iconst(I64, 1);
        let mut size = one;
        let mut lay_out = |axis: &mut Dimension| {
            axis.stride = size;
            size = self.b.ins().imul(size, axis.extent);
        };
        match to.order {
            Order::Row => axes.iter_mut().rev().for_each(&mut lay_out),
            Order::Column => axes.iter_mut().for_each(&mut lay_out),
        }
        // The base is not known yet.
        let dense = Dense {
            base: size,
            size,
            count,
        };
        (axes, dense)
    }

    /// Defines an array of the current instance, for machine code, and for the executor behind a stop.
    pub(super) fn define(&mut self, to: View, axes: Vec<Dimension>, dense: Dense) {
        let Some(number) = self.unit().array(self.instance, to.arr) else {
            return;
        };
        let first = 8 * self.subject.layout.bound(number) as i32;
        let own = Self::own();
        self.b.ins().store(own, dense.base, self.context, first);
        let mut zero = dense.base;
        for (k, axis) in axes.iter().enumerate() {
            let at = first + 8 * (1 + 3 * k as i32);
            for (k, x) in [axis.lower, axis.extent, axis.stride]
                .into_iter()
                .enumerate()
            {
                self.b.ins().store(own, x, self.context, at + 8 * k as i32);
            }
            let less = self.b.ins().imul(axis.lower, axis.stride);
            zero = self.b.ins().isub(zero, less);
        }
        let pointer = self.address(zero);
        self.arrays[number] = Some(Array {
            dense,
            order: to.order,
            axes,
            pointer,
        });
    }

    /// Translates an operation that goes on with the next instruction.
    pub(super) fn operation(&mut self, k: u32) {
        match self.code().operation(k) {
            Operation::Fill { to, s } => {
                let cell = match s {
                    Some(s) => {
                        let loc = self.place(s);
                        let cell = self.get(loc, I64);
                        self.as_word(cell)
                    }
                    None => self.b.ins().iconst(I64, poison(to.ty) as i64),
                };
                let dense = self.dense(self.instance, to);
                self.burn(dense.size);
                self.test_doubtful();
                self.fill(&dense, cell);
                self.after_effect();
            }
            Operation::Reals { of, is_push, .. } => {
                // The executor runs instructions of stacks that are not known here.
                let Some(stack) = self.subject.stacks.used(self.unit(), self.pc) else {
                    return;
                };
                if is_push {
                    self.push_reals(stack, of);
                } else {
                    self.pop_reals(stack, of);
                }
            }
            Operation::CellsFrom { d, address, of } => {
                let dense = self.dense(self.instance, of);
                let address = self.word(address);
                let before = self.b.ins().isub(address, dense.base);
                let rest = self.b.ins().isub(dense.size, before);
                let inside = self
                    .b
                    .ins()
                    .icmp(IntCC::UnsignedGreaterThan, dense.size, before);
                let zero = self.b.ins().iconst(I64, 0);
                let n = self.b.ins().select(inside, rest, zero);
                self.set_word(d, n);
            }
            Operation::BindExplicit {
                to, staged, dims, ..
            } => self.bind(to, staged, dims),
            Operation::BindGlobal { to, global } => self.bind_global(to, global),
            Operation::AllocLocal { to, dims } => self.allocate(to, dims),
            // Arguments that overlap stop machine code at the call.
            Operation::CheckOverlaps => {}
            // A call ends a block, and the executor runs the rest.
            Operation::Call(_) | Operation::Other => {}
        }
    }
}
