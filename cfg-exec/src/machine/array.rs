//! Operations on whole arrays: fill, copy, reductions, partial derivatives of reductions, the tape.

use cfg_core::{
    flat::FlatType,
    ir::{Op, Order, ScalarType},
};

use super::Machine;
use super::slow_path::{control_count, control_value, fits, sized, tape_fault};
use crate::{
    cell::{POISON_INT_CELL, POISON_LOGICAL, POISON_REAL, real2, round32},
    code::{Arr, Reg, StackClass, View},
    descriptor::{self, State},
    fault::Fault,
};

impl Machine {
    pub(super) fn fill(&mut self, to: View, cell: u64) -> Result<(), Fault> {
        let part = *self.first_part_mut(to.arr);
        // An array that is absent or not allocated has strides 0.
        if to.rank == 1 && part.axes[0].stride == 1 {
            let n = part.axes[0].extent.max(0) as u64;
            self.burn(n)?;
            let base = part.base as usize;
            self.memory[base..base + n as usize].fill(cell);
            return Ok(());
        }
        let (base, axes) = self.view(to)?;
        self.burn(descriptor::element_count(&axes).unwrap_or(u64::MAX))?;
        let memory = &mut self.memory;
        descriptor::for_each_run(base, &axes, Order::Row, |at, stride, n| {
            if stride == 1 {
                memory[at as usize..(at + n) as usize].fill(cell);
            } else {
                let mut at = at;
                for _ in 0..n {
                    memory[at as usize] = cell;
                    at = at.wrapping_add_signed(stride);
                }
            }
            Ok(())
        })
    }

    /// Copies element by element; both have the same extents and do not overlap.
    pub(super) fn copy(&mut self, to: View, from: Arr) -> Result<(), Fault> {
        let from = View { arr: from, ..to };
        let (to, to_axes) = self.view(to)?;
        let (from, from_axes) = self.view(from)?;
        descriptor::conform(&to_axes, &from_axes)?;
        let n = descriptor::element_count(&to_axes).unwrap_or(u64::MAX);
        self.burn(n)?;
        let dense =
            |axes| [Order::Row, Order::Column].map(|order| descriptor::is_contiguous(axes, order));
        let (a, b) = (dense(&to_axes), dense(&from_axes));
        if (a[0] && b[0]) || (a[1] && b[1]) {
            let from = from as usize;
            self.memory
                .copy_within(from..from + n as usize, to as usize);
            return Ok(());
        }
        // The list of innermost rows has two words for each, and a row has at least one element.
        let _room = self.scratch(n.saturating_mul(2))?;
        let mut sources = Vec::new();
        descriptor::for_each_run(from, &from_axes, Order::Row, |at, stride, _| {
            sources.push((at, stride));
            Ok(())
        })?;
        let mut sources = sources.into_iter();
        let memory = &mut self.memory;
        descriptor::for_each_run(to, &to_axes, Order::Row, |mut at, stride, n| {
            let Some((mut from, step)) = sources.next() else {
                return Ok(());
            };
            for _ in 0..n {
                memory[at as usize] = memory[from as usize];
                at = at.wrapping_add_signed(stride);
                from = from.wrapping_add_signed(step);
            }
            Ok(())
        })
    }

    /// Reduces an array to a scalar, element by element in storage order.
    pub(super) fn reduce(&mut self, op: Op, of: View) -> Result<u64, Fault> {
        let View { order, ty, .. } = of;
        let (base, axes) = self.view(of)?;
        self.burn(descriptor::element_count(&axes).unwrap_or(u64::MAX))?;
        let mut result = initial(op, ty);
        let mut first = true;
        let memory = &self.memory;
        descriptor::for_each_run(base, &axes, order, |mut at, stride, n| {
            for _ in 0..n {
                let x = memory[at as usize];
                // The first element is taken as it is: the initial value of `maxval` and `minval` is no element.
                result = if first && matches!(op, Op::MaxVal | Op::MinVal) {
                    x
                } else {
                    step(op, ty, result, x)?
                };
                first = false;
                at = at.wrapping_add_signed(stride);
            }
            Ok(())
        })?;
        Ok(result)
    }

    /// The partials of a reduction; `to` is a new array of the same extents.
    pub(super) fn partials(&mut self, op: Op, to: View, of: View) -> Result<(), Fault> {
        let View { order, ty, .. } = of;
        let (from, axes) = self.view(of)?;
        let (to, to_axes) = self.view(to)?;
        let n = descriptor::element_count(&axes).unwrap_or(u64::MAX);
        self.burn(n)?;
        let _room = self.scratch(n.saturating_mul(2))?;
        let cells = |base, axes: &[descriptor::Axis]| {
            let mut all = Vec::with_capacity(n as usize);
            descriptor::for_each_cell(base, axes, order, |at| {
                all.push(at as usize);
                Ok(())
            })
            .map(|()| all)
        };
        let (from, to) = (cells(from, &axes)?, cells(to, &to_axes)?);
        let one = 1.0f64.to_bits();
        if op == Op::ProductPartial {
            // First the products of all elements before each one, which are then multiplied by the products of all
            // behind it.
            let mut before = one;
            for (&f, &t) in from.iter().zip(&to) {
                self.memory[t] = before;
                before = step(Op::Product, ty, before, self.memory[f])?;
            }
            let mut behind = one;
            for (&f, &t) in from.iter().zip(&to).rev() {
                self.memory[t] = step(Op::Product, ty, self.memory[t], behind)?;
                behind = step(Op::Product, ty, behind, self.memory[f])?;
            }
            return Ok(());
        }
        let reduction = if op == Op::MaxValPartial {
            Op::MaxVal
        } else {
            Op::MinVal
        };
        let mut best: Option<(usize, u64)> = None;
        for (k, &f) in from.iter().enumerate() {
            let x = self.memory[f];
            best = match best {
                None => Some((k, x)),
                Some((at, y)) => {
                    let z = step(reduction, ty, y, x)?;
                    Some(if z == y { (at, y) } else { (k, x) })
                }
            };
        }
        for (k, &t) in to.iter().enumerate() {
            self.memory[t] = match best {
                Some((_, POISON_REAL)) => POISON_REAL,
                Some((at, _)) if at == k => one,
                _ => 0,
            };
        }
        Ok(())
    }

    pub(super) fn push_array(
        &mut self,
        h: Reg,
        class: StackClass,
        of: View,
    ) -> Result<(), Box<Fault>> {
        // An array without a shape has no elements.
        if self.first_part_mut(of.arr).state == State::Unallocated {
            return Ok(());
        }
        let order = of.order;
        let (base, axes) = self.view(of)?;
        self.burn(descriptor::element_count(&axes).unwrap_or(u64::MAX))?;
        let handle = self.register(h);
        self.tape(handle)?;
        let Self {
            tapes,
            memory,
            meter,
            limits,
            folder,
            ..
        } = self;
        let tape = &mut tapes[handle as usize];
        let limits = *limits;
        if class == StackClass::Disk {
            let n = descriptor::element_count(&axes).unwrap_or(0);
            let pushed = tape.push_disk((of.ty, n), folder.as_deref(), meter, |put| {
                descriptor::for_each_cell(base, &axes, order, |at| put(memory[at as usize]))
            });
            return pushed.map_err(Box::new);
        }
        if class == StackClass::Real && descriptor::is_contiguous(&axes, order) {
            let n = descriptor::element_count(&axes).unwrap_or(0);
            let cells = &memory[base as usize..(base + n) as usize];
            let pushed = tape.push_reals(cells, meter);
            return pushed.map_err(|error| tape_fault(error, limits));
        }
        descriptor::for_each_cell(base, &axes, order, |at| {
            let cell = memory[at as usize];
            match class {
                StackClass::Real => tape.push_real(cell, meter),
                StackClass::Real32 => tape.push_real32(cell, meter),
                StackClass::Integer | StackClass::Sized(_) => tape.push_integer(cell, meter),
                StackClass::Logical => tape.push_bits(cell, 1, ScalarType::Logical, meter),
                StackClass::Bits(bits) => {
                    let cell = control_value(cell, bits).map_err(|f| *f)?;
                    tape.push_bits(cell, bits.into(), ScalarType::Integer, meter)
                }
                StackClass::Count => {
                    let n = control_count(cell).map_err(|f| *f)?;
                    tape.push_count(n, meter)
                }
                // Arrays lie there as a whole.
                StackClass::Disk => return Err(Fault::Checksum),
            }
            .map_err(|error| *tape_fault(error, limits))
        })?;
        Ok(())
    }

    pub(super) fn pop_array(
        &mut self,
        h: Reg,
        class: StackClass,
        to: View,
    ) -> Result<(), Box<Fault>> {
        // An array without a shape has no elements.
        if self.first_part_mut(to.arr).state == State::Unallocated {
            return Ok(());
        }
        let order = to.order;
        let (base, axes) = self.view(to)?;
        self.burn(descriptor::element_count(&axes).unwrap_or(u64::MAX))?;
        let handle = self.register(h);
        self.tape(handle)?;
        if class == StackClass::Real && descriptor::is_contiguous(&axes, order) {
            let n = descriptor::element_count(&axes).unwrap_or(0);
            let Self {
                tapes,
                memory,
                meter,
                ..
            } = self;
            let cells = &mut memory[base as usize..(base + n) as usize];
            let popped = tapes[handle as usize].pop_reals(cells, meter);
            return popped.map_err(|_| Box::new(Fault::Empty("real")));
        }
        if class == StackClass::Disk {
            let n = descriptor::element_count(&axes).unwrap_or(0);
            let Self {
                tapes,
                memory,
                meter,
                ..
            } = self;
            let popped = tapes[handle as usize].pop_disk((to.ty, n), meter, |get| {
                descriptor::for_each_cell(base, &axes, order, |at| {
                    memory[at as usize] = get()?;
                    Ok(())
                })
            });
            return popped.map_err(Box::new);
        }
        // Negated strides visit the elements from the last to the first.
        let mut last = base;
        let mut turned = axes.clone();
        for (axis, turned) in axes.iter().zip(&mut turned) {
            last = last.wrapping_add_signed((axis.extent - 1).wrapping_mul(axis.stride));
            turned.stride = axis.stride.wrapping_neg();
        }
        let Self {
            tapes,
            memory,
            meter,
            limits,
            ..
        } = self;
        let tape = &mut tapes[handle as usize];
        let limits = *limits;
        descriptor::for_each_cell(last, &turned, order, |at| {
            memory[at as usize] = match class {
                StackClass::Real => tape.pop_real(meter),
                StackClass::Real32 => tape.pop_real32(meter),
                StackClass::Integer => tape.pop_integer(meter),
                StackClass::Sized(ty) => match tape.pop_integer(meter) {
                    Ok(cell) => {
                        fits(ty, cell).map_err(|f| *f)?;
                        Ok(cell)
                    }
                    error => error,
                },
                StackClass::Logical => tape.pop_bits(1, ScalarType::Logical, meter),
                StackClass::Bits(bits) => tape.pop_bits(bits.into(), ScalarType::Integer, meter),
                StackClass::Count => tape.pop_count(meter),
                StackClass::Disk => return Err(Fault::Checksum),
            }
            .map_err(|error| *tape_fault(error, limits))?;
            Ok(())
        })?;
        Ok(())
    }

    pub(super) fn push_disk(&mut self, h: Reg, s: Reg, ty: ScalarType) -> Result<(), Box<Fault>> {
        let (handle, cell) = (self.register(h), self.register(s));
        self.tape(handle)?;
        let tape = &mut self.tapes[handle as usize];
        tape.push_disk((ty, 1), self.folder.as_deref(), &mut self.meter, |put| {
            put(cell)
        })?;
        Ok(())
    }

    pub(super) fn pop_disk(&mut self, h: Reg, d: Reg, ty: ScalarType) -> Result<(), Box<Fault>> {
        let handle = self.register(h);
        self.tape(handle)?;
        let mut cell = 0;
        self.tapes[handle as usize].pop_disk((ty, 1), &mut self.meter, |get| {
            cell = get()?;
            Ok(())
        })?;
        self.set_register(d, cell);
        Ok(())
    }

    pub(super) fn keep_on_disk(&mut self, h: Reg, of: Option<View>) -> Result<(), Box<Fault>> {
        let cells = match of {
            Some(of) if self.first_part_mut(of.arr).state == State::Unallocated => return Ok(()),
            Some(of) => descriptor::element_count(&self.view(of)?.1).unwrap_or(0),
            None => 1,
        };
        let handle = self.register(h);
        self.tape(handle)?;
        self.tapes[handle as usize].keep_on_disk(cells, &mut self.meter);
        Ok(())
    }
}

/// The value of a reduction over no elements.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn initial(op: Op, ty: ScalarType) -> u64 {
    let integer = ty.is_integer();
    match (op, ty) {
        (Op::MaxVal, ScalarType::Sized(ty)) => return ty.min() as u64,
        (Op::MinVal, ScalarType::Sized(ty)) => return ty.max() as u64,
        _ => {}
    }
    match op {
        Op::Product if integer => 1,
        Op::Product => 1.0f64.to_bits(),
        Op::MaxVal if integer => i64::MIN as u64,
        Op::MaxVal => f64::NEG_INFINITY.to_bits(),
        Op::MinVal if integer => i64::MAX as u64,
        Op::MinVal => f64::INFINITY.to_bits(),
        Op::All => 1,
        _ => 0,
    }
}

/// The value of a reduction with one more element.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn step(op: Op, ty: ScalarType, so_far: u64, x: u64) -> Result<u64, Fault> {
    match FlatType::view(ty) {
        FlatType::Integer => {
            if so_far == POISON_INT_CELL || x == POISON_INT_CELL {
                return Ok(POISON_INT_CELL);
            }
            let (a, b) = (so_far as i64, x as i64);
            let result = match op {
                Op::Sum => a.checked_add(b),
                Op::Product => a.checked_mul(b),
                Op::MaxVal => Some(a.max(b)),
                _ => Some(a.min(b)),
            };
            result
                .map(|n| n as u64)
                .ok_or_else(|| Fault::Overflow(format!("{} of an array", op.name())))
        }
        FlatType::Sized(ty) => {
            let op = match op {
                Op::Sum => Op::Add,
                Op::Product => Op::Mul,
                Op::MaxVal => Op::Max,
                _ => Op::Min,
            };
            sized(op, ty, so_far, Some(x)).map_err(|f| *f)
        }
        FlatType::Logical | FlatType::Tape => {
            Ok(if so_far == POISON_LOGICAL || x == POISON_LOGICAL {
                POISON_LOGICAL
            } else if op == Op::All {
                so_far & x
            } else {
                so_far | x
            })
        }
        FlatType::Real | FlatType::Real32 => {
            let (a, b) = (f64::from_bits(so_far), f64::from_bits(x));
            let cell = match op {
                Op::Sum => real2(a + b, so_far, x),
                Op::Product => real2(a * b, so_far, x),
                _ if a.is_nan() || b.is_nan() => real2(f64::NAN, so_far, x),
                Op::MaxVal if b > a => x,
                Op::MinVal if b < a => x,
                _ => so_far,
            };
            Ok(if ty == ScalarType::Real32 {
                round32(cell)
            } else {
                cell
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell;

    #[test]
    fn empty_reductions_have_the_documented_values() {
        assert_eq!(
            cell::real(f64::NEG_INFINITY),
            initial(Op::MaxVal, ScalarType::Real)
        );
        assert_eq!(initial(Op::Sum, ScalarType::Integer), 0);
        assert_eq!(initial(Op::All, ScalarType::Logical), 1);
    }
}
