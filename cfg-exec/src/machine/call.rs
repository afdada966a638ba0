//! Calls and returns. The machine keeps its own stack of frames, so that recursion does not use the
//! stack of the host.

use cfg_core::ir::Order;

use super::{ABSENT, Activation, Doubtful, Frame, Image, Machine, WINDOW};
use crate::{
    cell::POISON_REAL,
    code::{Arr, CallInfo, Code, Extent, ParameterHome, Passed, Reg, View},
    descriptor::{self, Axis, Descriptor, Staged, State},
    fault::{Fault, Party},
    memory::Lease,
};

/// An argument as it enters a frame.
#[derive(Clone, Debug)]
pub(crate) enum Incoming {
    Cell(u64),
    Array {
        base: u64,
        /// The first axis in the list of all, and the number of axes.
        axes: (usize, usize),
        order: Order,
    },
    Absent,
}

/// The array that a parameter of explicit shape is bound to.
fn explicit(code: &Code, party: &Party) -> Option<View> {
    match party {
        Party::Argument(k) => code.explicit.get(*k).copied().flatten(),
        Party::Global(_) => None,
    }
}

/// The cells of the caller that a parameter stands for.
enum Bound {
    View((u64, Vec<Axis>)),
    /// The cells of a copy, sorted, with the lease for the list.
    Cells {
        cells: Vec<u64>,
        _room: Lease,
    },
}

impl Machine {
    /// Starts a routine called by the host; arguments are cells or array descriptors by parameter, with a list of the
    /// arrays' axes.
    pub(crate) fn enter(
        &mut self,
        image: &Image,
        routine: usize,
        (arguments, all): (&[Incoming], &[Axis]),
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
                    let (first, rank) = *axes;
                    self.staged_axes
                        .extend_from_slice(&all[first..first + rank]);
                    self.stage(*home, *base, from, *order);
                }
                Incoming::Absent => self.pass_absent(&at, *home),
            }
        }
        self.now = at;
        Ok(())
    }

    /// Makes room for a frame and fills in its initial contents, which are the same for every call.
    fn prepare(&mut self, code: &Code, at: &mut Activation) -> Result<(), Box<Fault>> {
        let limit = self.limit();
        let registers = at.registers + WINDOW;
        if self.registers.len() < registers {
            let wanted = self.held.make_room(&mut self.registers, registers, limit);
            wanted.map_err(|_| self.too_big())?;
            self.registers.resize(self.registers.capacity(), 0);
        }
        let descriptors = at.descriptors + code.descriptors;
        if self.descriptors.len() < descriptors {
            let wanted = self
                .held
                .make_room(&mut self.descriptors, descriptors, limit);
            wanted.map_err(|_| self.too_big())?;
            let all = self.descriptors.capacity();
            self.descriptors.resize(all, Descriptor::default());
        }
        let first = at.registers;
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
                order,
                cells: descriptor::element_count(axes).unwrap_or(u64::MAX),
                axes: from,
                rank: axes.len(),
            };
        }
    }

    fn pass_absent(&mut self, at: &Activation, home: ParameterHome) {
        match home {
            ParameterHome::Staged(k) => self.staged[usize::from(k)].state = State::Absent,
            home @ (ParameterHome::Register(_) | ParameterHome::Frame(_)) => {
                self.pass_cell(at, home, ABSENT);
            }
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
        self.meter.counts.steps_again += u64::from(info.is_step);
        let callee = info.callee.index();
        let code = &image.routines[callee];
        self.doubtful.clear();
        for pair in &info.overlaps {
            let (i, a) = pair.first;
            let (party, b) = &pair.second;
            let ((a, a_axes), (b, b_axes)) = (self.extent_of(a), self.extent_of(*b));
            if a != ABSENT && b != ABSENT && self.overlap((a, &a_axes), (b, &b_axes))? {
                if !pair.on_entry {
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
                Passed::Array(View {
                    arr, rank, order, ..
                }) => {
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
        let (frames, limit) = (self.frames.len() + 1, self.limit());
        let room = self.held.make_room(&mut self.frames, frames, limit);
        room.map_err(|_| self.too_big())?;
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
                Some(of) => match self.gathered_cells(of.arr)? {
                    Some((cells, room)) => Ok(Bound::Cells { cells, _room: room }),
                    None => self.view(of).map(Bound::View),
                },
                None => Ok(Bound::View(passed)),
            };
            let a = bound(&Party::Argument(i), (a, a_axes))?;
            let b = bound(&party, (b, b_axes))?;
            let meet = match (&a, &b) {
                (Bound::View(a), Bound::View(b)) => self.overlap((a.0, &a.1), (b.0, &b.1))?,
                (Bound::Cells { cells, .. }, Bound::View((base, axes)))
                | (Bound::View((base, axes)), Bound::Cells { cells, .. }) => {
                    descriptor::meets(cells, *base, axes)
                }
                (Bound::Cells { cells: a, .. }, Bound::Cells { cells: b, .. }) => {
                    a.iter().any(|cell| b.binary_search(cell).is_ok())
                }
            };
            if meet {
                // The error is reported at the call.
                if let Some(frame) = self.frames.pop() {
                    self.now = frame.at;
                }
                return Err(Fault::Overlap(i, party));
            }
        }
        Ok(())
    }

    /// The cells of which a parameter of the running routine has a copy, sorted.
    fn gathered_cells(&self, arr: Arr) -> Result<Option<(Vec<u64>, Lease)>, Fault> {
        let number = self.now.number;
        let own = self.gathered.iter().rev();
        let mut own = own.take_while(|g| g.activation == number);
        let Some(found) = own.find(|g| g.arr == arr) else {
            return Ok(None);
        };
        let room = self.scratch(found.cells as u64)?;
        let from = found.base + found.cells;
        let mut cells = self.memory[from..from + found.cells].to_vec();
        cells.sort_unstable();
        Ok(Some((cells, room)))
    }

    /// True if two arrays share a cell.
    fn overlap(&self, a: (u64, &[Axis]), b: (u64, &[Axis])) -> Result<bool, Fault> {
        descriptor::overlap(a, b, |cells| self.scratch(cells))
    }

    /// Cells of an argument, for the test of overlap.
    fn extent_of(&self, extent: Extent) -> (u64, Vec<Axis>) {
        match extent {
            Extent::Cell(address) => (self.register(address), Vec::new()),
            Extent::Array(View { arr, rank, .. }) => {
                let from = self.now.descriptors + usize::from(arr);
                let parts = &self.descriptors[from..from + descriptor::position_count(rank.into())];
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

    /// Copies the values that the routine has written into copies back to the arguments' cells.
    fn scatter(&mut self) {
        let number = self.now.number;
        while let Some(g) = self.gathered.pop_if(|g| g.activation == number) {
            if g.written {
                for k in g.base..g.base + g.cells {
                    let to = self.memory[k + g.cells] as usize;
                    self.memory[to] = self.memory[k];
                }
            }
        }
    }

    /// Leaves the routine; true if that was the one that the host called.
    pub(super) fn leave(&mut self, image: &Image) -> Result<bool, Box<Fault>> {
        let code = &image.routines[self.now.routine];
        let result = code.result.map(|r| self.register(r));
        while self.tapes.len() > self.now.tapes {
            if let Some(mut tape) = self.tapes.pop() {
                self.meter.bury(&tape).map_err(|_| self.too_big())?;
                tape.clear();
                self.spare_tapes.push(tape);
            }
        }
        self.scatter();
        self.passes.leave(self.now.number);
        self.top = self.now.memory;
        match self.frames.pop() {
            None => {
                self.set_register(0, result.unwrap_or(POISON_REAL));
                Ok(true)
            }
            Some(frame) => {
                self.now = frame.at;
                if let (Some(d), Some(cell)) = (frame.result, result) {
                    self.set_register(d, cell);
                }
                Ok(false)
            }
        }
    }
}
