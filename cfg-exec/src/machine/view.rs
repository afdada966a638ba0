//! Descriptors of a frame: reading and setting them, sections, and locals that take the shape of a value.

use super::{Machine, slow_path::trips_needed};
use crate::{
    cell::{self, POISON_INT},
    code::{Arr, SubReg, View},
    descriptor::{self, Axis, Descriptor, State},
    fault::Fault,
};

impl State {
    /// Fails if an array in this state is absent or not allocated.
    pub(super) fn must_be_bound(self, arr: Arr) -> Result<(), Fault> {
        match self {
            Self::Bound => Ok(()),
            Self::Absent | Self::Untaken => Err(Fault::Absent(Some(arr))),
            Self::Unallocated => Err(Fault::Unallocated(Some(arr))),
        }
    }
}

impl Machine {
    /// The first part of a descriptor of the frame.
    pub(super) fn first_part_mut(&mut self, arr: Arr) -> &mut Descriptor {
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
    pub(super) fn check_exists(&self, arr: Arr) -> Result<(), Fault> {
        let state = self.descriptors[self.now.descriptors + usize::from(arr)].state;
        state.must_be_bound(arr)
    }

    /// Base and dimensions of an array; fails if it is absent or not allocated.
    pub(super) fn view(&self, View { arr, rank, .. }: View) -> Result<(u64, Vec<Axis>), Fault> {
        self.check_exists(arr)?;
        let from = self.now.descriptors + usize::from(arr);
        let parts = &self.descriptors[from..];
        Ok((parts[0].base, descriptor::axes(parts, rank.into())))
    }

    /// Copies a descriptor.
    pub(super) fn same(&mut self, d: Arr, View { arr, rank, .. }: View) {
        let n = descriptor::position_count(rank.into());
        let at = self.now.descriptors;
        let from = at + usize::from(arr);
        self.descriptors
            .copy_within(from..from + n, at + usize::from(d));
    }

    /// Sets `d` to a section of `arr`, which is a view of the same cells.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "any other fault is handed on"
    )]
    pub(super) fn section(&mut self, d: Arr, arr: Arr, subscripts: &[SubReg]) -> Result<(), Fault> {
        self.check_exists(arr)?;
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
                    let extent = trips_needed(first, last, step).map_err(|fault| match *fault {
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

    /// Gives a local of deferred extents the shape of `like`. Its values are kept if it has that shape already.
    pub(super) fn reallocate(&mut self, to: View, like: Arr) -> Result<(), Fault> {
        let (_, like) = self.view(View { arr: like, ..to })?;
        let d = to.arr;
        if self.first_part_mut(d).state == State::Bound {
            let (_, have) = self.view(to)?;
            if descriptor::conform(&have, &like).is_ok() {
                return Ok(());
            }
        }
        let mut axes = like;
        // The lower bounds are those of the declaration.
        let from = self.now.descriptors + usize::from(d);
        for (k, axis) in axes.iter_mut().enumerate() {
            axis.lower = descriptor::axis(&self.descriptors[from..], k).lower;
        }
        let size = descriptor::lay_out(&mut axes, to.order).ok_or_else(|| self.too_big())?;
        let old = *self.first_part_mut(d);
        let (mut base, mut capacity) = (old.base, old.capacity);
        if size > capacity {
            // Old cells are not reused within a frame: growing by at least half bounds the loss when a loop
            // reallocates.
            capacity = size.max(capacity.saturating_add(capacity / 2));
            base = match self.take_cells(capacity, cell::poison(to.ty)) {
                Ok(base) => base,
                Err(_) => {
                    capacity = size;
                    self.take_cells(size, cell::poison(to.ty))?
                }
            };
            self.now.floor = self.top;
        }
        self.define(d, base, &axes);
        self.first_part_mut(d).capacity = capacity;
        Ok(())
    }
}
