//! Binding of parameters to the cells of their arguments, and declared bounds.

use super::{Gathered, Machine};
use crate::{
    cell::POISON_INT_CELL,
    code::{Reg, View},
    descriptor::{self, Axis, Descriptor},
    fault::Fault,
};

impl Machine {
    /// Lower bounds and extents from registers `dims, dims+1, ...`.
    pub(super) fn declared_axes(&self, dims: Reg, rank: u8) -> Result<Vec<Axis>, Fault> {
        let at = self.now.registers + usize::from(dims);
        let mut axes = Vec::with_capacity(rank.into());
        for pair in self.registers[at..at + 2 * usize::from(rank)].chunks_exact(2) {
            axes.push(bounds(pair[0], pair[1])?);
        }
        Ok(axes)
    }

    /// Binds a parameter of explicit shape: a view of the argument's cells, or a copy.
    pub(super) fn bind_explicit(
        &mut self,
        to: View,
        staged: u16,
        dims: Reg,
        written: Option<bool>,
    ) -> Result<(), Fault> {
        let View {
            arr, rank, order, ..
        } = to;
        let actual = self.staged[usize::from(staged)];
        actual.state.must_be_bound(arr)?;
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
        self.gather(to, size, staged, written)
    }

    /// Binds a parameter to a copy of its cells, if no strides describe their places. Values written into the copy go
    /// back when the routine returns. The program cannot tell the difference: overlapping arguments are refused
    /// unless none of them is written.
    fn gather(
        &mut self,
        View {
            arr, rank, order, ..
        }: View,
        size: u64,
        staged: u16,
        written: Option<bool>,
    ) -> Result<(), Fault> {
        let rank = usize::from(rank);
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
        // The copy holds the values, then their addresses.
        let cells = size.checked_mul(2).ok_or_else(|| self.too_big())?;
        let base = self.take_cells(cells, 0)?;
        self.now.floor = self.top;
        self.first_part_mut(arr).base = base;
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

    /// Binds a parameter of assumed shape: the argument's extents with the parameter's lower bounds.
    pub(super) fn bind_assumed(
        &mut self,
        View { arr, rank, .. }: View,
        staged: u16,
        dims: Reg,
        fixed: &[bool],
    ) -> Result<(), Fault> {
        let actual = self.staged[usize::from(staged)];
        actual.state.must_be_bound(arr)?;
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
