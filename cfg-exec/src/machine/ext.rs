//! Operations that are rare or big.

use cfg_core::{
    elemental::{Event, event, event_powi, piece},
    ir::Op,
};

use super::{ABSENT, Image, Machine, Met};
use crate::{
    cell,
    code::{Arr, Ext, View},
    descriptor::{self, Axis, Descriptor, State},
    fault::Fault,
    tape::Tape,
};

impl Machine {
    /// Continues at the handler of the innermost `Try`.
    ///
    /// # Errors
    /// The fault, if there is no handler, or if a limit has been reached.
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

    /// A new array of these bounds, until the statement ends.
    fn temporary(&mut self, to: View, mut axes: Vec<Axis>) -> Result<(), Fault> {
        let size = descriptor::lay_out(&mut axes, to.order).ok_or_else(|| self.too_big())?;
        let base = self.take_cells(size, 0)?;
        self.define(to.arr, base, &axes);
        Ok(())
    }

    /// Runs operation `k` of the current routine; the program counter is already behind it.
    #[allow(
        clippy::too_many_lines,
        reason = "one arm per operation, each a few lines or a call"
    )]
    pub(super) fn ext(&mut self, image: &Image, k: u32) -> Result<(), Box<Fault>> {
        let code = &image.routines[self.now.routine];
        match &code.ext[k as usize] {
            Ext::Call(info) => self.call(image, info)?,
            Ext::NewTape { d } => {
                let tape = match self.spare_tapes.pop() {
                    Some(tape) => tape,
                    None => Tape::paid_by(self.held.memory()),
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
                    let d = self.first_part_mut(*arr);
                    *d = Descriptor {
                        state: State::Absent,
                        ..Descriptor::default()
                    };
                    self.now.pc = *t as usize;
                }
            }
            Ext::BindExplicit {
                to,
                staged,
                dims,
                written,
            } => self.bind_explicit(*to, *staged, *dims, *written)?,
            Ext::BindAssumed {
                to,
                staged,
                dims,
                fixed,
            } => self.bind_assumed(*to, *staged, *dims, fixed)?,
            Ext::BindGlobal { to, global } => {
                let from = *global as usize;
                let n = descriptor::position_count(to.rank.into());
                let to = self.now.descriptors + usize::from(to.arr);
                self.descriptors[to..to + n].copy_from_slice(&image.globals[from..from + n]);
            }
            Ext::AllocLocal { to, dims } => {
                let mut axes = self.declared_axes(*dims, to.rank)?;
                let size =
                    descriptor::lay_out(&mut axes, to.order).ok_or_else(|| self.too_big())?;
                let base = self.take_cells(size, cell::poison(to.ty))?;
                self.now.floor = self.top;
                self.define(to.arr, base, &axes);
            }
            Ext::Unallocated { to, dims } => {
                let usual = Axis {
                    lower: 1,
                    ..Axis::default()
                };
                let axes = match dims {
                    Some(dims) => self.declared_axes(*dims, to.rank)?,
                    None => vec![usual; to.rank.into()],
                };
                self.define(to.arr, 0, &axes);
                self.first_part_mut(to.arr).state = State::Unallocated;
            }
            Ext::Section { d, arr, subscripts } => self.section(*d, *arr, subscripts)?,
            Ext::Transpose { d, arr } => {
                self.check_exists(*arr)?;
                let mut view = *self.first_part_mut(*arr);
                view.axes.swap(0, 1);
                *self.first_part_mut(*d) = view;
            }
            Ext::Try { t } => self.handlers.push(*t as usize),
            Ext::EndTry => {
                self.handlers.pop();
            }
            Ext::Alias { d, of } => {
                self.check_exists(of.arr)?;
                self.same(*d, *of);
            }
            Ext::Same { d, of } => self.same(*d, *of),
            Ext::Untaken { of } => {
                self.define(of.arr, 0, &vec![Axis::default(); of.rank.into()]);
                self.first_part_mut(of.arr).state = State::Untaken;
            }
            Ext::ShapeOf {
                to,
                candidates,
                otherwise,
            } => {
                let state =
                    |arr: &Arr| self.descriptors[self.now.descriptors + usize::from(*arr)].state;
                let found = (candidates.iter().copied())
                    .find(|arr| state(arr) != State::Untaken)
                    .or(otherwise.filter(|arr| state(arr) != State::Unallocated));
                let axes = match found {
                    Some(arr) => self.view(View { arr, ..*to })?.1,
                    None => {
                        let extent = 1;
                        vec![
                            Axis {
                                extent,
                                ..Axis::default()
                            };
                            to.rank.into()
                        ]
                    }
                };
                self.define(to.arr, 0, &axes);
            }
            Ext::Conform { b, .. }
                if self.descriptors[self.now.descriptors + usize::from(*b)].state
                    == State::Untaken => {}
            Ext::Conform { a, b } => {
                let View { arr: a, rank, .. } = a;
                self.check_exists(*a)?;
                self.check_exists(*b)?;
                let part = |arr: Arr| &self.descriptors[self.now.descriptors + usize::from(arr)..];
                let (a, b) = (part(*a), part(*b));
                let same = |k| descriptor::axis(a, k).extent == descriptor::axis(b, k).extent;
                if !(0..usize::from(*rank)).all(same) {
                    let axes = |parts| descriptor::axes(parts, (*rank).into());
                    descriptor::conform(&axes(a), &axes(b))?;
                }
            }
            Ext::Temporary { to, like } => {
                let (_, mut axes) = self.view(View { arr: *like, ..*to })?;
                axes.iter_mut().for_each(|a| a.lower = 1);
                self.temporary(*to, axes)?;
            }
            Ext::TemporaryOf { to, dims } => {
                let axes = self.declared_axes(*dims, to.rank)?;
                self.temporary(*to, axes)?;
            }
            Ext::AxisSize { d, arr, axis } => {
                let n = if self.first_part_mut(*arr).state == State::Unallocated {
                    0
                } else {
                    self.check_exists(*arr)?;
                    self.axis(*arr, *axis).extent as u64
                };
                self.set_register(*d, n);
            }
            Ext::Reallocate { to, like } => self.reallocate(*to, *like)?,
            Ext::Release => self.top = self.now.floor,
            Ext::Fill { to, s } => {
                let cell = self.register(*s);
                self.fill(*to, cell)?;
            }
            Ext::Forget { of } => self.fill(*of, cell::poison(of.ty))?,
            Ext::Copy { to, from } => self.copy(*to, *from)?,
            Ext::Reduce { op, d, of } => {
                let cell = self.reduce(*op, *of)?;
                self.set_register(*d, cell);
            }
            Ext::Partials { op, to, of } => self.partials(*op, *to, *of)?,
            Ext::Size { d, of } => {
                let (_, axes) = self.view(*of)?;
                let n = descriptor::element_count(&axes).unwrap_or(u64::MAX);
                self.set_register(*d, n);
            }
            Ext::LowerBound { d, arr, axis } => {
                self.check_exists(*arr)?;
                let axis = self.axis(*arr, *axis);
                self.set_register(*d, axis.lower as u64);
            }
            Ext::UpperBound { d, arr, axis } => {
                self.check_exists(*arr)?;
                let axis = self.axis(*arr, *axis);
                self.set_register(*d, axis.lower.wrapping_add(axis.extent - 1) as u64);
            }
            Ext::PresentCell { d, p } => {
                let given = self.register(*p) != ABSENT;
                self.set_register(*d, u64::from(given));
            }
            Ext::PresentArray { d, arr } => {
                let given = self.first_part_mut(*arr).state != State::Absent;
                self.set_register(*d, u64::from(given));
            }
            Ext::CellsFrom { d, address, of } => {
                let (base, axes) = self.view(*of)?;
                let address = self.register(*address);
                let n = if descriptor::is_contiguous(&axes, of.order) {
                    let all = descriptor::element_count(&axes).unwrap_or(u64::MAX);
                    all.saturating_sub(address.wrapping_sub(base))
                } else {
                    1
                };
                self.set_register(*d, n);
            }
            Ext::PushArray { h, class, of } => self.push_array(*h, *class, *of)?,
            Ext::PopArray { h, class, to } => self.pop_array(*h, *class, *to)?,
            Ext::PushDisk { h, s, ty } => self.push_disk(*h, *s, *ty)?,
            Ext::PopDisk { h, d, ty } => self.pop_disk(*h, *d, *ty)?,
            Ext::KeepOnDisk { h, of } => self.keep_on_disk(*h, *of)?,
            Ext::ReturnArray { of } => {
                let from = self.now.descriptors + usize::from(of.arr);
                let n = descriptor::position_count(of.rank.into());
                self.check_exists(of.arr)?;
                self.returned.clear();
                self.returned
                    .extend_from_slice(&self.descriptors[from..from + n]);
            }
            Ext::Returned { to } => {
                let n = descriptor::position_count(to.rank.into()).min(self.returned.len());
                let at = self.now.descriptors + usize::from(to.arr);
                self.descriptors[at..at + n].copy_from_slice(&self.returned[..n]);
                // The cells belong to the frame that was left: they are kept until the statement ends.
                let (base, axes) = self.view(*to)?;
                if let Some((_, high)) = descriptor::span(base, &axes) {
                    self.top = self.top.max(high as usize + 1);
                }
            }
            Ext::Stop { text } => return Err(Box::new(Fault::Stop(text.clone()))),
            Ext::NoValue { routine } => {
                return Err(Box::new(Fault::External(
                    image.names[routine.index()].clone(),
                )));
            }
            Ext::Callback { index, d } => {
                let at = self.now.registers + usize::from(*d);
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
            Ext::HandOver { event, row } => self.hand_over(image.program, *event, *row)?,
            Ext::Snapshot { is_kept } => self.meter.count_snapshot(*is_kept),
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
                    // Multiplication by an odd factor and rotation are invertible, so no piece is lost, and the order
                    // counts.
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
}
