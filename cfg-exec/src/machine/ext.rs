//! Operations that are rare or big.

use cfg_core::{
    elemental::{Event, event, event_powi, piece},
    ir::{Op, Order, ScalarType},
};

use super::{ABSENT, Gathered, Image, Machine, Met, run};
use crate::{
    cell::{self, POISON_INT, POISON_INT_CELL},
    code::{Arr, Ext, Reg, SubReg},
    descriptor::{self, Axis, Descriptor, State},
    fault::Fault,
    tape::Tape,
};

impl Machine {
    /// Copies a descriptor.
    fn same(&mut self, d: Arr, arr: Arr, rank: u8) {
        let n = descriptor::positions(rank.into());
        let at = self.now.descriptors;
        let from = at + usize::from(arr);
        self.descriptors
            .copy_within(from..from + n, at + usize::from(d));
    }

    /// Goes on where a fault is expected.
    ///
    /// # Errors
    /// The fault, if it is not, or is that of a limit.
    pub(super) fn expect(&mut self, fault: Box<Fault>) -> Result<(), Box<Fault>> {
        if fault.is_limit() {
            return Err(fault);
        }
        match self.handlers.pop() {
            Some(t) => {
                self.now.pc = t;
                Ok(())
            }
            None => Err(fault),
        }
    }

    /// Runs operation `k` of the current routine; the program counter is already behind it.
    pub(super) fn ext(&mut self, image: &Image, k: u32) -> Result<(), Box<Fault>> {
        let code = &image.routines[self.now.routine];
        match &code.ext[k as usize] {
            Ext::Call(info) => self.call(image, info)?,
            Ext::LoopInitFrame {
                at,
                first,
                last,
                step,
                t,
            } => {
                let (first, step) = (self.register(*first), self.register(*step));
                let n = run::trips_needed(first, self.register(*last), step)?;
                let at = self.now.memory + *at as usize;
                self.memory[at..at + 3].copy_from_slice(&[n, first, step]);
                if n == 0 {
                    self.now.pc = *t as usize;
                }
            }
            Ext::LoopNextFrame { at, t } => {
                let at = self.now.memory + *at as usize;
                let (i, step) = (self.memory[at + 1] as i64, self.memory[at + 2] as i64);
                self.memory[at + 1] = i
                    .checked_add(step)
                    .ok_or_else(|| Fault::Overflow(format!("{i} + {step}")))?
                    as u64;
                self.memory[at] = self.memory[at].wrapping_sub(1);
                if self.memory[at] as i64 > 0 {
                    self.now.pc = *t as usize;
                }
            }
            Ext::NewTape { d } => {
                let tape = match self.spare_tapes.pop() {
                    Some(tape) => tape,
                    None => Tape::of(self.held.memory()),
                };
                self.set_register(*d, self.tapes.len() as u64);
                self.tapes.push(tape);
            }
            Ext::CheckOverlaps => {
                if !self.doubtful.is_empty() {
                    self.check_overlaps(code)?;
                }
            }
            Ext::BindOptional { staged, t, arr } => {
                if self.staged[usize::from(*staged)].state == State::Absent {
                    let d = self.part(*arr);
                    *d = Descriptor {
                        state: State::Absent,
                        ..Descriptor::default()
                    };
                    self.now.pc = *t as usize;
                }
            }
            Ext::BindExplicit {
                arr,
                staged,
                rank,
                order,
                dims,
                written,
            } => self.bind_explicit(*arr, *staged, *rank, *order, *dims, *written)?,
            Ext::BindAssumed {
                arr,
                staged,
                rank,
                dims,
                fixed,
            } => self.bind_assumed(*arr, *staged, *rank, *dims, fixed)?,
            Ext::BindGlobal { arr, global, rank } => {
                let from = *global as usize;
                let n = descriptor::positions((*rank).into());
                let to = self.now.descriptors + usize::from(*arr);
                self.descriptors[to..to + n].copy_from_slice(&image.globals[from..from + n]);
            }
            Ext::AllocLocal {
                arr,
                rank,
                order,
                dims,
                ty,
            } => {
                let mut axes = self.declared_axes(*dims, *rank)?;
                let size = descriptor::lay_out(&mut axes, *order).ok_or_else(|| self.too_big())?;
                let base = self.take(size, cell::poison(*ty))?;
                self.now.floor = self.top;
                self.define(*arr, base, &axes);
            }
            Ext::Unallocated { arr, rank } => {
                self.define(*arr, 0, &vec![Axis::default(); (*rank).into()]);
                self.part(*arr).state = State::Unallocated;
            }
            Ext::Section { d, arr, subscripts } => self.section(*d, *arr, subscripts)?,
            Ext::Transpose { d, arr } => {
                self.exists(*arr)?;
                let mut view = *self.part(*arr);
                view.axes.swap(0, 1);
                *self.part(*d) = view;
            }
            Ext::Try { t } => self.handlers.push(*t as usize),
            Ext::EndTry => {
                self.handlers.pop();
            }
            Ext::Alias { d, arr, rank } => {
                self.exists(*arr)?;
                self.same(*d, *arr, *rank);
            }
            Ext::Same { d, arr, rank } => self.same(*d, *arr, *rank),
            Ext::Untaken { arr, rank } => {
                self.define(*arr, 0, &vec![Axis::default(); (*rank).into()]);
                self.part(*arr).state = State::Untaken;
            }
            Ext::ShapeOf {
                d,
                rank,
                candidates,
                otherwise,
            } => {
                let state =
                    |arr: &Arr| self.descriptors[self.now.descriptors + usize::from(*arr)].state;
                let found = (candidates.iter().copied())
                    .find(|arr| state(arr) != State::Untaken)
                    .or(otherwise.filter(|arr| state(arr) != State::Unallocated));
                let axes = match found {
                    Some(arr) => self.view(arr, *rank)?.1,
                    None => {
                        let extent = 1;
                        vec![
                            Axis {
                                extent,
                                ..Axis::default()
                            };
                            (*rank).into()
                        ]
                    }
                };
                self.define(*d, 0, &axes);
            }
            Ext::Conform { b, .. }
                if self.descriptors[self.now.descriptors + usize::from(*b)].state
                    == State::Untaken => {}
            Ext::Conform { a, b, rank } => {
                self.exists(*a)?;
                self.exists(*b)?;
                let part = |arr: Arr| &self.descriptors[self.now.descriptors + usize::from(arr)..];
                let (a, b) = (part(*a), part(*b));
                let same = |k| descriptor::axis(a, k).extent == descriptor::axis(b, k).extent;
                if !(0..usize::from(*rank)).all(same) {
                    let axes = |parts| descriptor::axes(parts, (*rank).into());
                    descriptor::conform(&axes(a), &axes(b))?;
                }
            }
            Ext::Temporary {
                d,
                like,
                rank,
                order,
            } => {
                let (_, mut axes) = self.view(*like, *rank)?;
                let size = descriptor::lay_out(&mut axes, *order).ok_or_else(|| self.too_big())?;
                axes.iter_mut().for_each(|a| a.lower = 1);
                let base = self.take(size, 0)?;
                self.define(*d, base, &axes);
            }
            Ext::TemporaryOf {
                d,
                rank,
                order,
                dims,
            } => {
                let mut axes = self.declared_axes(*dims, *rank)?;
                let size = descriptor::lay_out(&mut axes, *order).ok_or_else(|| self.too_big())?;
                let base = self.take(size, 0)?;
                self.define(*d, base, &axes);
            }
            Ext::AxisSize { d, arr, axis } => {
                let n = if self.part(*arr).state == State::Unallocated {
                    0
                } else {
                    self.exists(*arr)?;
                    self.axis(*arr, *axis).extent as u64
                };
                self.set_register(*d, n);
            }
            Ext::Reallocate {
                d,
                like,
                rank,
                order,
                ty,
            } => self.reallocate(*d, *like, *rank, *order, *ty)?,
            Ext::Release => self.top = self.now.floor,
            Ext::Fill { arr, rank, s } => {
                let cell = self.register(*s);
                self.fill(*arr, *rank, cell)?;
            }
            Ext::FillConst { arr, rank, cell } => self.fill(*arr, *rank, *cell)?,
            Ext::Copy { d, s, rank } => self.copy(*d, *s, *rank)?,
            Ext::Reduce {
                op,
                ty,
                d,
                arr,
                rank,
                order,
            } => {
                let cell = self.reduce(*op, *ty, *arr, *rank, *order)?;
                self.set_register(*d, cell);
            }
            Ext::Partials {
                op,
                ty,
                d,
                arr,
                rank,
                order,
            } => self.partials(*op, *ty, *d, *arr, *rank, *order)?,
            Ext::Size { d, arr, rank } => {
                let (_, axes) = self.view(*arr, *rank)?;
                let n = descriptor::count(&axes).unwrap_or(u64::MAX);
                self.set_register(*d, n);
            }
            Ext::LowerBound { d, arr, axis } => {
                self.exists(*arr)?;
                let axis = self.axis(*arr, *axis);
                self.set_register(*d, axis.lower as u64);
            }
            Ext::UpperBound { d, arr, axis } => {
                self.exists(*arr)?;
                let axis = self.axis(*arr, *axis);
                self.set_register(*d, axis.lower.wrapping_add(axis.extent - 1) as u64);
            }
            Ext::PresentCell { d, p } => {
                let given = self.register(*p) != ABSENT;
                self.set_register(*d, u64::from(given));
            }
            Ext::PresentArray { d, arr } => {
                let given = self.part(*arr).state != State::Absent;
                self.set_register(*d, u64::from(given));
            }
            Ext::CellsFrom {
                d,
                address,
                arr,
                rank,
                order,
            } => {
                let (base, axes) = self.view(*arr, *rank)?;
                let address = self.register(*address);
                let n = if descriptor::is_contiguous(&axes, *order) {
                    let all = descriptor::count(&axes).unwrap_or(u64::MAX);
                    all.saturating_sub(address.wrapping_sub(base))
                } else {
                    1
                };
                self.set_register(*d, n);
            }
            Ext::PushArray {
                h,
                class,
                arr,
                rank,
                order,
            } => {
                // An array without a shape has no elements; popping into it is popping none.
                if self.part(*arr).state != State::Unallocated {
                    self.push_array(*h, *class, *arr, *rank, *order)?;
                }
            }
            Ext::PopArray {
                h,
                class,
                arr,
                rank,
                order,
            } => {
                if self.part(*arr).state != State::Unallocated {
                    self.pop_array(*h, *class, *arr, *rank, *order)?;
                }
            }
            Ext::ReturnArray { arr, rank } => {
                let from = self.now.descriptors + usize::from(*arr);
                let n = descriptor::positions((*rank).into());
                self.exists(*arr)?;
                self.returned.clear();
                self.returned
                    .extend_from_slice(&self.descriptors[from..from + n]);
            }
            Ext::Returned { d, rank } => {
                let n = descriptor::positions((*rank).into()).min(self.returned.len());
                let to = self.now.descriptors + usize::from(*d);
                self.descriptors[to..to + n].copy_from_slice(&self.returned[..n]);
                // The cells are those of the frame that was left: keep them until the statement ends.
                let (base, axes) = self.view(*d, *rank)?;
                if let Some((_, high)) = descriptor::span(base, &axes) {
                    self.top = self.top.max(high as usize + 1);
                }
            }
            Ext::NoValue { routine } => {
                return Err(Box::new(Fault::External(
                    image.names[routine.index()].clone(),
                )));
            }
            Ext::Callback { index, d } => {
                let at = self.now.registers;
                let n = image.callback_arity[*index as usize];
                let x: Vec<f64> = self.registers[at..at + n]
                    .iter()
                    .map(|&cell| f64::from_bits(cell))
                    .collect();
                let poisoned = self.registers[at..at + n].contains(&cell::POISON_REAL);
                let value = if poisoned {
                    cell::POISON_REAL
                } else {
                    cell::real((image.callbacks[*index as usize])(&x))
                };
                self.set_register(*d, value);
            }
            Ext::Watch { op, a, b } => {
                let mut x = [f64::from_bits(self.register(*a)), 0.0];
                let n = match b {
                    Some(b) => {
                        x[1] = f64::from_bits(self.register(*b));
                        2
                    }
                    None => 1,
                };
                self.meet(*op, event(*op, &x[..n]));
                if let Some(piece) = piece(*op, &x[..n]) {
                    // An odd factor and a rotation: no piece is lost, and their order counts.
                    let mixed = (self.pieces ^ piece).wrapping_add(1);
                    self.pieces = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
                }
            }
            Ext::WatchPower { a, b } => {
                let (x, n) = (f64::from_bits(self.register(*a)), self.register(*b));
                self.meet(Op::Pow, event_powi(x, n as i64));
            }
        }
        Ok(())
    }

    /// Notes a kink or singular point.
    fn meet(&mut self, op: Op, event: Option<Event>) {
        if let Some(event) = event {
            let (routine, pc) = (self.now.routine, self.now.pc);
            let next = self.met.len();
            let at = *self.met_at.entry((routine, pc, op, event)).or_insert(next);
            if at == next {
                self.met.push(Met {
                    routine,
                    pc,
                    op,
                    event,
                    times: 0,
                });
            }
            self.met[at].times += 1;
        }
    }

    pub(crate) fn too_big(&self) -> Fault {
        Fault::Memory {
            limit: self.limit(),
        }
    }

    /// The first part of a descriptor of the frame.
    pub(super) fn part(&mut self, arr: Arr) -> &mut Descriptor {
        &mut self.descriptors[self.now.descriptors + usize::from(arr)]
    }

    pub(super) fn axis(&self, arr: Arr, axis: u8) -> Axis {
        let from = self.now.descriptors + usize::from(arr);
        descriptor::axis(&self.descriptors[from..], axis.into())
    }

    /// Sets a descriptor of the frame.
    pub(super) fn define(&mut self, arr: Arr, base: u64, axes: &[Axis]) {
        let from = self.now.descriptors + usize::from(arr);
        let parts = &mut self.descriptors[from..];
        parts[0] = Descriptor {
            base,
            ..Descriptor::default()
        };
        for (k, axis) in axes.iter().enumerate() {
            *descriptor::axis_mut(parts, k) = *axis;
        }
    }

    /// Fails if the array is absent or not allocated.
    pub(super) fn exists(&self, arr: Arr) -> Result<(), Fault> {
        match self.descriptors[self.now.descriptors + usize::from(arr)].state {
            State::Bound => Ok(()),
            State::Absent | State::Untaken => Err(Fault::Absent(Some(arr))),
            State::Unallocated => Err(Fault::Unallocated(Some(arr))),
        }
    }

    /// Base and dimensions of an array that is there.
    pub(super) fn view(&self, arr: Arr, rank: u8) -> Result<(u64, Vec<Axis>), Fault> {
        self.exists(arr)?;
        let from = self.now.descriptors + usize::from(arr);
        let parts = &self.descriptors[from..];
        Ok((parts[0].base, descriptor::axes(parts, rank.into())))
    }

    /// Lower bounds and extents from registers `dims, dims+1, ...`.
    fn declared_axes(&self, dims: Reg, rank: u8) -> Result<Vec<Axis>, Fault> {
        let at = self.now.registers + usize::from(dims);
        let mut axes = Vec::with_capacity(rank.into());
        for pair in self.registers[at..at + 2 * usize::from(rank)].chunks_exact(2) {
            axes.push(bounds(pair[0], pair[1])?);
        }
        Ok(axes)
    }

    fn bind_explicit(
        &mut self,
        arr: Arr,
        staged: u16,
        rank: u8,
        order: Order,
        dims: Reg,
        written: Option<bool>,
    ) -> Result<(), Fault> {
        let actual = self.staged[usize::from(staged)];
        match actual.state {
            State::Bound => {}
            State::Absent | State::Untaken => return Err(Fault::Absent(Some(arr))),
            State::Unallocated => return Err(Fault::Unallocated(Some(arr))),
        }
        let rank = usize::from(rank);
        let at = self.now.registers + usize::from(dims);
        let dims = &self.registers[at..at + 2 * rank];
        let parts = &mut self.descriptors[self.now.descriptors + usize::from(arr)..];
        parts[0] = Descriptor {
            base: actual.base,
            ..Descriptor::default()
        };
        for (k, pair) in dims.chunks_exact(2).enumerate() {
            *descriptor::axis_mut(parts, k) = bounds(pair[0], pair[1])?;
        }
        let Some(size) = descriptor::lay_out_parts(parts, rank, order) else {
            return Err(self.too_big());
        };
        if size > actual.cells {
            return Err(Fault::Shape(format!(
                "a parameter of shape {} needs {size} elements, but its argument has {}",
                descriptor::shape(&descriptor::axes(parts, rank)),
                actual.cells
            )));
        }
        let of = &self.staged_axes[actual.axes..actual.axes + actual.rank];
        if descriptor::is_contiguous(of, actual.order)
            || descriptor::lay_over(parts, rank, order, (of, actual.order))
        {
            return Ok(());
        }
        self.gather(arr, rank, order, size, staged, written)
    }

    /// Binds a parameter to a copy of the cells that it takes, where their places cannot be said by strides.
    /// What is written into the copy goes back when the routine is left. Nobody can tell: arguments that
    /// overlap are refused unless none of them is written.
    fn gather(
        &mut self,
        arr: Arr,
        rank: usize,
        order: Order,
        size: u64,
        staged: u16,
        written: Option<bool>,
    ) -> Result<(), Fault> {
        let actual = self.staged[usize::from(staged)];
        let of = self.staged_axes[actual.axes..actual.axes + actual.rank].to_vec();
        let parts = &mut self.descriptors[self.now.descriptors + usize::from(arr)..];
        descriptor::lay_out_parts(parts, rank, order);
        let Some(written) = written else {
            return Err(Fault::Shape(format!(
                "an argument of shape {} whose cells have gaps cannot be a view of shape {} in a routine that is marked as aliased",
                descriptor::shape(&of),
                descriptor::shape(&descriptor::axes(parts, rank))
            )));
        };
        // Values, then where they come from.
        let cells = size.checked_mul(2).ok_or_else(|| self.too_big())?;
        let base = self.take(cells, 0)?;
        self.now.floor = self.top;
        self.part(arr).base = base;
        let (memory, n) = (&mut self.memory, size as usize);
        let mut next = base as usize;
        let end = next + n;
        descriptor::for_each_run(actual.base, &of, actual.order, |mut at, stride, length| {
            for _ in 0..length.min((end - next) as u64) {
                memory[next] = memory[at as usize];
                memory[next + n] = at;
                next += 1;
                at = at.wrapping_add_signed(stride);
            }
            Ok(())
        })?;
        self.gathered.push(Gathered {
            activation: self.now.number,
            arr,
            base: base as usize,
            cells: n,
            written,
        });
        Ok(())
    }

    fn bind_assumed(
        &mut self,
        arr: Arr,
        staged: u16,
        rank: u8,
        dims: Reg,
        fixed: &[bool],
    ) -> Result<(), Fault> {
        let actual = self.staged[usize::from(staged)];
        match actual.state {
            State::Bound => {}
            State::Absent | State::Untaken => return Err(Fault::Absent(Some(arr))),
            State::Unallocated => return Err(Fault::Unallocated(Some(arr))),
        }
        if actual.rank != usize::from(rank) {
            return Err(Fault::Shape(format!(
                "an argument of rank {} is bound to a parameter of rank {rank}",
                actual.rank
            )));
        }
        let mut axes = self.staged_axes[actual.axes..actual.axes + actual.rank].to_vec();
        let at = self.now.registers + usize::from(dims);
        for (k, axis) in axes.iter_mut().enumerate() {
            let declared = if fixed.get(k) == Some(&true) {
                self.registers[at + 2 * k + 1]
            } else {
                axis.extent as u64
            };
            let declared = bounds(self.registers[at + 2 * k], declared)?;
            if declared.extent != axis.extent {
                return Err(Fault::Shape(format!(
                    "dimension {} of an argument has {} elements, but the parameter {}",
                    k + 1,
                    axis.extent,
                    declared.extent
                )));
            }
            axis.lower = declared.lower;
        }
        self.define(arr, actual.base, &axes);
        Ok(())
    }

    fn section(&mut self, d: Arr, arr: Arr, subscripts: &[SubReg]) -> Result<(), Fault> {
        self.exists(arr)?;
        let from = self.now.descriptors + usize::from(arr);
        let to = self.now.descriptors + usize::from(d);
        let mut base = self.descriptors[from].base;
        let mut rank = 0;
        for (k, subscript) in subscripts.iter().enumerate() {
            let axis = descriptor::axis(&self.descriptors[from..], k);
            let inside = |index: i64| {
                if index == POISON_INT {
                    return Err(Fault::Uninitialised("a subscript"));
                }
                let offset = index.wrapping_sub(axis.lower) as u64;
                if offset >= axis.extent as u64 {
                    return Err(Fault::Bounds {
                        array: Some(arr),
                        axis: k,
                        index,
                        lower: axis.lower,
                        extent: axis.extent,
                    });
                }
                Ok(offset)
            };
            match *subscript {
                SubReg::Index(i) => {
                    let offset = inside(self.register(i) as i64)?;
                    base = base.wrapping_add(offset.wrapping_mul(axis.stride as u64));
                }
                SubReg::Range {
                    lower,
                    upper,
                    stride,
                } => {
                    let first = lower.map_or(axis.lower as u64, |r| self.register(r));
                    let last = upper.map_or_else(
                        || axis.lower.wrapping_add(axis.extent - 1) as u64,
                        |r| self.register(r),
                    );
                    let step = stride.map_or(1, |r| self.register(r));
                    let extent =
                        run::trips_needed(first, last, step).map_err(|fault| match *fault {
                            Fault::Uninitialised(_) => Fault::Uninitialised("a bound of a section"),
                            fault => fault,
                        })? as i64;
                    if extent > 0 {
                        let offset = inside(first as i64)?;
                        base = base.wrapping_add(offset.wrapping_mul(axis.stride as u64));
                        let reach = i128::from(extent - 1) * i128::from(step as i64);
                        let last = i128::from(first as i64) + reach;
                        inside(i64::try_from(last).unwrap_or(i64::MAX))?;
                    }
                    *descriptor::axis_mut(&mut self.descriptors[to..], rank) = Axis {
                        lower: 1,
                        extent,
                        stride: axis.stride.wrapping_mul(step as i64),
                    };
                    rank += 1;
                }
            }
        }
        let view = &mut self.descriptors[to];
        view.base = base;
        view.state = State::Bound;
        view.capacity = 0;
        Ok(())
    }

    fn reallocate(
        &mut self,
        d: Arr,
        like: Arr,
        rank: u8,
        order: Order,
        ty: ScalarType,
    ) -> Result<(), Fault> {
        let (_, like) = self.view(like, rank)?;
        if self.part(d).state == State::Bound {
            let (_, have) = self.view(d, rank)?;
            if descriptor::conform(&have, &like).is_ok() {
                return Ok(());
            }
        }
        let mut axes = like;
        axes.iter_mut().for_each(|a| a.lower = 1);
        let size = descriptor::lay_out(&mut axes, order).ok_or_else(|| self.too_big())?;
        let old = *self.part(d);
        let (mut base, mut capacity) = (old.base, old.capacity);
        if size > capacity {
            // Growing by half at least bounds what is lost in a frame that reallocates in a loop.
            capacity = size.max(capacity.saturating_add(capacity / 2));
            base = match self.take(capacity, cell::poison(ty)) {
                Ok(base) => base,
                Err(_) => {
                    capacity = size;
                    self.take(size, cell::poison(ty))?
                }
            };
            self.now.floor = self.top;
        }
        self.define(d, base, &axes);
        self.part(d).capacity = capacity;
        Ok(())
    }
}

/// Bounds of a declared dimension.
fn bounds(lower: u64, extent: u64) -> Result<Axis, Fault> {
    if lower == POISON_INT_CELL || extent == POISON_INT_CELL {
        return Err(Fault::Uninitialised("an extent"));
    }
    let (lower, extent) = (lower as i64, (extent as i64).max(0));
    if lower.checked_add(extent).is_none() {
        return Err(Fault::Overflow(format!(
            "the upper bound of a dimension from {lower} with {extent} elements"
        )));
    }
    Ok(Axis {
        lower,
        extent,
        stride: 0,
    })
}
