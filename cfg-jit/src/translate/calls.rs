//! Calls of instances, and returns from them.
//!
//! A call is made as a whole, with the callee's binding: whatever is in the way of it stops machine code in front of
//! the call. Up to then it has written behind the end of memory only, and has made elements of output arrays
//! uninitialised, which the executor does as well.

use cfg_exec::native::{Extent, ParameterHome, Passed, Reg, View, poison};
use cranelift_codegen::ir::{
    InstBuilder, Value,
    condcodes::IntCC,
    types::{I8, I64},
};

use super::{
    Cell, Segment, Translator,
    arrays::{Dense, Dimension, Field, shared},
};
use crate::context;

/// The cell address of an argument that is not given.
const ABSENT: u64 = u64::MAX;

/// An array that waits to be bound.
#[derive(Clone, Copy, Debug)]
enum Staged {
    Array(View),
    From(Dense),
}

/// A call up to the end of its binding, and what remains of it.
pub(super) struct Called {
    /// The segment that ends with the binding.
    segment: Option<Segment>,
    /// The cell address of the frame, and the end of its memory.
    frame: Value,
    floor: Value,
    staged: Vec<(u16, Staged)>,
}

impl Translator<'_, '_> {
    /// Steps of the current block besides those of its instructions: a call is two.
    pub(super) fn more_steps(&self) -> usize {
        let last = self.subject.flow.blocks[self.at].to - 1;
        usize::from(self.unit().callee(last).is_some())
    }

    /// True of an instruction of a binding.
    pub(super) fn is_binding(&self) -> bool {
        self.instance > 0 && self.pc < self.unit().instances[self.instance].bound
    }

    fn called(&mut self, instance: usize) -> Option<&mut Called> {
        self.called[instance].as_mut()
    }

    /// The end of the memory of an instance.
    fn floor(&mut self, instance: usize) -> Value {
        match self.called(instance) {
            Some(called) => called.floor,
            None => self.fixed(context::END),
        }
    }

    /// The cell address of the frame of the current instance.
    pub(super) fn frame_cell(&mut self) -> Value {
        if let Some(called) = self.called(self.instance) {
            return called.frame;
        }
        let bytes = self.b.ins().isub(self.frame, self.cells);
        self.b.ins().ushr_imm(bytes, 3)
    }

    /// The address of a cell of the frame.
    pub(super) fn frame_address(&mut self, at: u32) -> Value {
        let frame = match self.called(self.instance).map(|called| called.frame) {
            Some(cell) => self.address(cell),
            None => self.frame,
        };
        self.b.ins().iadd_imm(frame, 8 * i64::from(at))
    }

    /// Stops if `n` cells from a cell on do not all lie in memory.
    fn must_lie_inside(&mut self, from: Value, n: Value) {
        let cells = self.fixed(context::CELLS);
        let cc = IntCC::UnsignedGreaterThan;
        let beyond = self.b.ins().icmp(cc, from, cells);
        let rest = self.b.ins().isub(cells, from);
        let too_many = self.b.ins().icmp(cc, n, rest);
        let outside = self.b.ins().bor(beyond, too_many);
        self.stop_if(outside);
    }

    /// Calls an instance.
    pub(super) fn call_instance(&mut self, callee: usize) {
        self.test_doubtful();
        self.begin_segment(self.pc);
        let unit = self.unit();
        let of = &unit.instances[callee];
        let Some(caller) = of.caller else {
            return;
        };
        let depth = self.fixed(context::DEPTH);
        let deep = self
            .b
            .ins()
            .icmp_imm(IntCC::UnsignedLessThan, depth, of.depth as i64);
        self.stop_if(deep);
        for pair in &caller.info.overlaps {
            let [a, b] = pair.extents().map(|extent| self.span(extent));
            self.stop_if_spans_meet(a, b);
        }
        let frame = self.floor(self.instance);
        let cells = self.b.ins().iconst(I64, of.code.frame().len() as i64);
        self.must_lie_inside(frame, cells);
        let memory = self.address(frame);
        for (k, &cell) in of.code.frame().iter().enumerate() {
            let cell = self.b.ins().iconst(I64, cell as i64);
            self.b.ins().store(shared(), cell, memory, 8 * k as i32);
        }
        for r in unit.set_by_call(callee) {
            if let Some(&cell) = of.code.template().get(usize::from(r)) {
                self.set(unit.place(callee, r), Cell::constant(cell));
            }
        }
        let mut staged = Vec::new();
        for (home, passed) in of.code.homes().iter().zip(&caller.info.arguments) {
            let cell = match *passed {
                Passed::Cell(r) => {
                    let loc = self.place(r);
                    let bank = self.banks[usize::from(loc)];
                    self.get(loc, bank)
                }
                Passed::Absent => Cell::constant(ABSENT),
                Passed::Array(view) => {
                    if let ParameterHome::Staged(k) = *home {
                        staged.push((k, Staged::Array(view)));
                    }
                    continue;
                }
                Passed::From { address, count } => {
                    let (base, size) = (self.word(address), self.word(count));
                    self.must_lie_inside(base, size);
                    if let ParameterHome::Staged(k) = *home {
                        let count = None;
                        staged.push((k, Staged::From(Dense { base, size, count })));
                    }
                    continue;
                }
            };
            match *home {
                ParameterHome::Register(d) => self.set(unit.place(callee, d), cell),
                ParameterHome::Frame(at) => {
                    let x = self.in_some_bank(cell);
                    self.b.ins().store(shared(), x, memory, 8 * at as i32);
                }
                ParameterHome::Staged(_) => {}
            }
        }
        let floor = self.b.ins().iadd(frame, cells);
        self.finish_block();
        self.go_on(of.at);
        let none = Segment {
            pc: self.pc,
            fuel: self.segment.fuel,
            saves: Vec::new(),
            exit: None,
        };
        self.called[callee] = Some(Called {
            segment: Some(std::mem::replace(&mut self.segment, none)),
            frame,
            floor,
            staged,
        });
    }

    /// Goes on with the segment of a call at the begin of its instance.
    pub(super) fn go_on_with_call(&mut self) {
        let instance = self.instance;
        if let Some(segment) = self
            .called(instance)
            .and_then(|called| called.segment.take())
        {
            self.segment = segment;
        }
    }

    /// Notes the frame behind the binding, for the executor behind a stop.
    pub(super) fn finish_call(&mut self) {
        self.test_doubtful();
        let instance = self.instance;
        let (frame, floor) = (self.frame_cell(), self.floor(instance));
        let first = self.subject.layout.instance(instance);
        for (word, x) in [(context::FRAME, frame), (context::FLOOR, floor)] {
            let at = 8 * (first + word) as i32;
            self.b.ins().store(Self::own(), x, self.context, at);
        }
    }

    /// Returns from the current instance.
    pub(super) fn return_from_instance(&mut self) {
        let unit = self.unit();
        let of = &unit.instances[self.instance];
        let Some(caller) = of.caller else {
            return;
        };
        if let (Some(d), Some(r)) = (caller.info.result, of.code.result()) {
            let loc = self.place(r);
            let bank = self.banks[usize::from(loc)];
            let cell = self.get(loc, bank);
            self.set(unit.place(caller.instance, d), cell);
        }
        self.finish_block();
        self.go_on(caller.at + 1);
    }

    // --- overlap -----------------------------------------------------------------------------

    /// First and last cell of an argument, and whether there is none.
    fn span(&mut self, extent: Extent) -> [Value; 3] {
        let none = self.b.ins().iconst(I8, 0);
        match extent {
            Extent::Cell(address) => {
                let cell = self.word(address);
                [cell, cell, none]
            }
            Extent::From { address, count } => {
                let (address, count) = (self.word(address), self.word(count));
                self.must_lie_inside(address, count);
                let end = self.b.ins().iadd(address, count);
                let last = self.b.ins().iadd_imm(end, -1);
                let empty = self.b.ins().icmp_imm(IntCC::Equal, count, 0);
                [address, last, empty]
            }
            Extent::Fixed { address, count } => {
                let first = self.b.ins().iconst(I64, address as i64);
                let last = self.b.ins().iconst(I64, address as i64 + count - 1);
                let empty = self.b.ins().iconst(I8, i64::from(count <= 0));
                [first, last, empty]
            }
            Extent::Array(of) => {
                let base = self.field(of.arr.into(), of.rank.into(), Field::Base);
                let (mut first, mut last, mut empty) = (base, base, none);
                let zero = self.b.ins().iconst(I64, 0);
                for k in 0..usize::from(of.rank) {
                    let extent = self.field(of.arr.into(), of.rank.into(), Field::Extent(k));
                    let stride = self.field(of.arr.into(), of.rank.into(), Field::Stride(k));
                    let less = self.b.ins().iadd_imm(extent, -1);
                    let reach = self.b.ins().imul(less, stride);
                    let (down, up) = (
                        self.b.ins().smin(reach, zero),
                        self.b.ins().smax(reach, zero),
                    );
                    first = self.b.ins().iadd(first, down);
                    last = self.b.ins().iadd(last, up);
                    let is_empty = self
                        .b
                        .ins()
                        .icmp_imm(IntCC::SignedLessThanOrEqual, extent, 0);
                    empty = self.b.ins().bor(empty, is_empty);
                }
                [first, last, empty]
            }
        }
    }

    /// Stops if arguments may share cells: the executor compares them cell by cell.
    fn stop_if_spans_meet(&mut self, a: [Value; 3], b: [Value; 3]) {
        let cc = IntCC::UnsignedLessThan;
        let (before, behind) = (
            self.b.ins().icmp(cc, a[1], b[0]),
            self.b.ins().icmp(cc, b[1], a[0]),
        );
        let apart = self.b.ins().bor(before, behind);
        let empty = self.b.ins().bor(a[2], b[2]);
        let apart = self.b.ins().bor(apart, empty);
        let meet = self.b.ins().icmp_imm(IntCC::Equal, apart, 0);
        self.stop_if(meet);
    }

    // --- bindings ----------------------------------------------------------------------------

    /// Binds a parameter of explicit shape to cells of its argument that follow each other.
    pub(super) fn bind(&mut self, to: View, staged: u16, dims: Reg) {
        let instance = self.instance;
        let (axes, mut dense) = self.shape(to, dims);
        let caller = self.unit().instances[instance].caller;
        let called = self.called(instance);
        let found =
            called.and_then(|called| called.staged.iter().find(|(k, _)| *k == staged).copied());
        let (Some(caller), Some((_, staged))) = (caller, found) else {
            return;
        };
        let actual = match staged {
            Staged::Array(view) => self.dense(caller.instance, view),
            Staged::From(dense) => dense,
        };
        let fits = dense
            .count
            .zip(actual.count)
            .is_some_and(|(own, of)| own <= of);
        if !fits {
            let cc = IntCC::UnsignedGreaterThan;
            let more = self.b.ins().icmp(cc, dense.size, actual.size);
            self.stop_if(more);
        }
        dense.base = actual.base;
        self.define(to, axes, dense);
    }

    /// Binds a global array.
    pub(super) fn bind_global(&mut self, to: View, global: u32) {
        let of = self.unit().program.global(global);
        let axes = &of.axes[..usize::from(to.rank)];
        let count = axes.iter().try_fold(1u64, |n, axis| {
            let extent = u64::try_from(axis.extent).ok()?;
            n.checked_mul(extent).filter(|&n| n > 0)
        });
        let Some(count) = count else {
            let always = self.b.ins().iconst(I8, 1);
            return self.stop_if(always);
        };
        self.cells_needed = self.cells_needed.max((of.base + count) as usize);
        let mut value = |n: i64| self.b.ins().iconst(I64, n);
        let dense = Dense {
            base: value(of.base as i64),
            size: value(count as i64),
            count: Some(count),
        };
        let axes = axes.iter().map(|axis| Dimension {
            lower: value(axis.lower),
            extent: value(axis.extent),
            stride: value(axis.stride),
        });
        let axes = axes.collect();
        self.define(to, axes, dense);
    }

    /// Makes a local array at the end of the frame's memory.
    pub(super) fn allocate(&mut self, to: View, dims: Reg) {
        let instance = self.instance;
        let (axes, mut dense) = self.shape(to, dims);
        dense.base = self.floor(instance);
        self.must_lie_inside(dense.base, dense.size);
        self.burn(dense.size);
        let cell = self.b.ins().iconst(I64, poison(to.ty) as i64);
        self.fill(&dense, cell);
        let floor = self.b.ins().iadd(dense.base, dense.size);
        if let Some(called) = self.called(instance) {
            called.floor = floor;
        }
        self.define(to, axes, dense);
    }
}
