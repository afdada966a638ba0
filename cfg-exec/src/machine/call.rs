//! Calls and returns. The machine keeps its own stack of frames, so that recursion does not use the
//! stack of the host.

use cfg_core::ir::Order;

use super::{ABSENT, Activation, Doubtful, Frame, Image, Machine, WINDOW};
use crate::{
    cell::POISON_REAL,
    code::{Arr, CallInfo, Code, Extent, ParameterHome, Party, Passed, Reg},
    descriptor::{self, Axis, Descriptor, Staged, State},
    fault::Fault,
};

/// An argument as it enters a frame.
#[derive(Clone, Debug)]
pub(crate) enum Incoming {
    Cell(u64),
    Array {
        base: u64,
        axes: Vec<Axis>,
        order: Order,
    },
    Absent,
}

/// The array that a parameter of explicit shape is bound to.
fn explicit(code: &Code, party: &Party) -> Option<(Arr, u8)> {
    match party {
        Party::Argument(k) => code.explicit.get(*k).copied().flatten(),
        Party::Global(_) => None,
    }
}

impl Machine {
    /// Starts a routine called by the host; arguments are cells or array descriptors by parameter.
    pub(crate) fn enter(
        &mut self,
        image: &Image,
        routine: usize,
        arguments: &[Incoming],
    ) -> Result<(), Box<Fault>> {
        let code = &image.routines[routine];
        let mut at = Activation {
            routine,
            memory: self.top,
            floor: self.top,
            tapes: self.tapes.len(),
            number: self.activations,
            ..Activation::default()
        };
        self.activations += 1;
        self.prepare(code, &mut at)?;
        for (home, argument) in code.homes.iter().zip(arguments) {
            match argument {
                Incoming::Cell(cell) => self.pass_cell(&at, *home, *cell),
                Incoming::Array { base, axes, order } => {
                    let from = self.staged_axes.len();
                    self.staged_axes.extend_from_slice(axes);
                    self.stage(*home, *base, from, *order);
                }
                Incoming::Absent => self.pass_absent(&at, *home),
            }
        }
        self.now = at;
        Ok(())
    }

    /// Makes room for a frame and fills in what is the same for every call.
    fn prepare(&mut self, code: &Code, at: &mut Activation) -> Result<(), Box<Fault>> {
        let registers = at.registers + WINDOW;
        if self.registers.len() < registers {
            let more = registers.next_multiple_of(4096) - self.registers.len();
            self.registers
                .try_reserve(more)
                .map_err(|_| self.too_big())?;
            self.registers.resize(registers.next_multiple_of(4096), 0);
            // Registers count as memory: compare with the limit again.
            self.within = 0;
        }
        let descriptors = at.descriptors + code.descriptors;
        if self.descriptors.len() < descriptors {
            self.descriptors
                .resize(descriptors.next_multiple_of(256), Descriptor::default());
        }
        let first = at.registers + code.template_at;
        self.registers[first..first + code.template.len()].copy_from_slice(&code.template);
        let top = at.memory as u64 + code.frame.len() as u64;
        self.reserve(top)?;
        self.memory[at.memory..at.memory + code.frame.len()].copy_from_slice(&code.frame);
        self.top = top as usize;
        at.floor = self.top;
        self.staged.clear();
        self.staged.resize(code.staged, Staged::default());
        self.staged_axes.clear();
        Ok(())
    }

    /// Stages the array whose axes are the staged ones from `from` on.
    fn stage(&mut self, home: ParameterHome, base: u64, from: usize, order: Order) {
        if let ParameterHome::Staged(k) = home {
            let axes = &self.staged_axes[from..];
            self.staged[usize::from(k)] = Staged {
                base,
                state: State::Bound,
                contiguous: descriptor::is_contiguous(axes, order),
                cells: descriptor::count(axes).unwrap_or(u64::MAX),
                axes: from,
                rank: axes.len(),
            };
        }
    }

    fn pass_absent(&mut self, at: &Activation, home: ParameterHome) {
        match home {
            ParameterHome::Staged(k) => self.staged[usize::from(k)].state = State::Absent,
            home => self.pass_cell(at, home, ABSENT),
        }
    }

    fn pass_cell(&mut self, at: &Activation, home: ParameterHome, cell: u64) {
        match home {
            ParameterHome::Register(d) => self.registers[at.registers + usize::from(d)] = cell,
            ParameterHome::Frame(offset) => self.memory[at.memory + offset as usize] = cell,
            ParameterHome::Staged(_) => {}
        }
    }

    pub(super) fn call(&mut self, image: &Image, info: &CallInfo) -> Result<(), Box<Fault>> {
        let limits = self.limits;
        let max_depth = limits.map_or(usize::MAX, |l| l.max_depth);
        // The routine that the host called is at depth 1.
        if self.frames.len() + 1 >= max_depth {
            return Err(Box::new(Fault::Depth(max_depth)));
        }
        self.burn(1)?;
        let callee = info.callee.index();
        let code = &image.routines[callee];
        self.doubtful.clear();
        for pair in &info.overlaps {
            let (i, a) = pair.first;
            let (party, b) = &pair.second;
            let ((a, a_axes), (b, b_axes)) = (self.extent_of(a), self.extent_of(*b));
            if a != ABSENT && b != ABSENT && descriptor::overlap((a, &a_axes), (b, &b_axes)) {
                // A parameter of explicit shape may be smaller than what is passed to it.
                if explicit(code, &Party::Argument(i)).is_none() && explicit(code, party).is_none()
                {
                    return Err(Box::new(Fault::Overlap(i, party.clone())));
                }
                self.doubtful.push(Doubtful {
                    argument: (i, a, a_axes),
                    other: (party.clone(), b, b_axes),
                });
            }
        }
        let caller = self.now;
        let caller_code = &image.routines[caller.routine];
        let mut at = Activation {
            routine: callee,
            pc: 0,
            registers: caller.registers + caller_code.registers,
            descriptors: caller.descriptors + caller_code.descriptors,
            memory: self.top,
            floor: self.top,
            tapes: self.tapes.len(),
            number: self.activations,
        };
        self.activations += 1;
        self.prepare(code, &mut at)?;
        for (home, passed) in code.homes.iter().zip(&info.arguments) {
            match *passed {
                Passed::Cell(r) => {
                    let cell = self.registers[caller.registers + usize::from(r)];
                    self.pass_cell(&at, *home, cell);
                }
                Passed::Array { arr, rank, order } => {
                    let parts = &self.descriptors[caller.descriptors + usize::from(arr)..];
                    let (base, state) = (parts[0].base, parts[0].state);
                    let from = self.staged_axes.len();
                    self.staged_axes
                        .extend((0..usize::from(rank)).map(|k| descriptor::axis(parts, k)));
                    self.stage(*home, base, from, order);
                    if let ParameterHome::Staged(k) = *home {
                        self.staged[usize::from(k)].state = state;
                    }
                }
                Passed::From { address, count } => {
                    let at = |r: Reg| self.registers[caller.registers + usize::from(r)];
                    let (base, extent) = (at(address), at(count) as i64);
                    let from = self.staged_axes.len();
                    self.staged_axes.push(Axis {
                        lower: 1,
                        extent,
                        stride: 1,
                    });
                    self.stage(*home, base, from, Order::Row);
                }
                Passed::Absent => self.pass_absent(&at, *home),
            }
        }
        self.frames.push(Frame {
            at: caller,
            result: info.result,
        });
        self.now = at;
        Ok(())
    }

    /// Tests the doubtful arguments now that the parameters are bound.
    pub(super) fn check_overlaps(&mut self, code: &Code) -> Result<(), Fault> {
        for pair in std::mem::take(&mut self.doubtful) {
            let (i, a, a_axes) = pair.argument;
            let (party, b, b_axes) = pair.other;
            let bound = |party: &Party, passed: (u64, Vec<Axis>)| match explicit(code, party) {
                Some((arr, rank)) => self.view(arr, rank),
                None => Ok(passed),
            };
            let a = bound(&Party::Argument(i), (a, a_axes))?;
            let b = bound(&party, (b, b_axes))?;
            if descriptor::overlap((a.0, &a.1), (b.0, &b.1)) {
                // The place of the error is the call.
                if let Some(frame) = self.frames.pop() {
                    self.now = frame.at;
                }
                return Err(Fault::Overlap(i, party));
            }
        }
        Ok(())
    }

    /// Cells of an argument, for the test of overlap.
    fn extent_of(&self, extent: Extent) -> (u64, Vec<Axis>) {
        match extent {
            Extent::Cell(address) => (self.register(address), Vec::new()),
            Extent::Array { arr, rank } => {
                let from = self.now.descriptors + usize::from(arr);
                let parts = &self.descriptors[from..from + descriptor::positions(rank.into())];
                let base = match parts[0].state {
                    State::Bound => parts[0].base,
                    State::Absent | State::Unallocated | State::Untaken => ABSENT,
                };
                (base, descriptor::axes(parts, rank.into()))
            }
            Extent::From { address, count } => (
                self.register(address),
                vec![Axis {
                    lower: 1,
                    extent: self.register(count) as i64,
                    stride: 1,
                }],
            ),
            Extent::Fixed { address, count } => (
                address,
                vec![Axis {
                    lower: 1,
                    extent: count,
                    stride: 1,
                }],
            ),
        }
    }

    /// Leaves the routine; true if that was the one that the host called.
    pub(super) fn leave(&mut self, image: &Image) -> bool {
        let code = &image.routines[self.now.routine];
        let result = code.result.map(|r| self.register(r));
        while self.tapes.len() > self.now.tapes {
            if let Some(mut tape) = self.tapes.pop() {
                self.meter.bury(&tape);
                tape.clear();
                self.spare_tapes.push(tape);
            }
        }
        self.top = self.now.memory;
        match self.frames.pop() {
            None => {
                self.set_register(0, result.unwrap_or(POISON_REAL));
                true
            }
            Some(frame) => {
                self.now = frame.at;
                if let (Some(d), Some(cell)) = (frame.result, result) {
                    self.set_register(d, cell);
                }
                false
            }
        }
    }
}
