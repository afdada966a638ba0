//! The machine: register stack, descriptor stack, cell memory, call frames, tapes.

mod array;
mod call;
mod ext;
mod run;

use std::collections::BTreeMap;

use cfg_core::{
    elemental::{Binary, Event, Ternary, Unary},
    entity::RoutineId,
    ir::Op,
};

use crate::{
    code::{Callback, Code, Party, Reg},
    descriptor::{Axis, Descriptor, Staged},
    fault::Fault,
    tape::{Meter, Tape},
};

pub(crate) use call::Incoming;
pub(crate) use run::execute;

/// Registers in a window.
pub(crate) const WINDOW: usize = 256;
/// The cell address of an argument that was not given.
pub(crate) const ABSENT: u64 = u64::MAX;

/// Functions of reals by operator, as function pointers.
#[derive(Clone)]
pub(crate) struct MathTable {
    pub(crate) unary: Box<[Unary; 128]>,
    pub(crate) binary: Box<[Binary; 128]>,
    pub(crate) fma: Ternary,
    pub(crate) fma32: fn(f32, f32, f32) -> f32,
    pub(crate) powi: fn(f64, i64) -> f64,
}

/// What the machine runs.
pub(crate) struct Image {
    pub(crate) routines: Vec<Code>,
    pub(crate) names: Vec<String>,
    /// Descriptors of global arrays.
    pub(crate) globals: Vec<Descriptor>,
    pub(crate) math: MathTable,
    pub(crate) callbacks: Vec<Callback>,
    /// Number of real arguments of each callback.
    pub(crate) callback_arity: Vec<usize>,
}

/// A suspended caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) at: Activation,
    pub(crate) result: Option<Reg>,
}

/// A running routine: where its registers, descriptors and memory begin, and where it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Activation {
    pub(crate) routine: usize,
    pub(crate) pc: usize,
    pub(crate) registers: usize,
    pub(crate) descriptors: usize,
    pub(crate) memory: usize,
    /// Memory below this belongs to locals and is kept when temporaries are released.
    pub(crate) floor: usize,
    /// Tapes of callers.
    pub(crate) tapes: usize,
    /// Number of the activation, for traces.
    pub(crate) number: u64,
}

/// Two arguments that share cells if the parameters cover all that was passed: for each the parameter, first
/// cell and dimensions.
#[derive(Clone, Debug)]
pub(crate) struct Doubtful {
    pub(crate) argument: (usize, u64, Vec<Axis>),
    pub(crate) other: (Party, u64, Vec<Axis>),
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) fuel: u64,
    pub(crate) max_tape: u64,
    pub(crate) max_memory: u64,
    pub(crate) max_depth: usize,
}

/// A vertex visited: routine, activation, vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Visit {
    pub(crate) routine: RoutineId,
    pub(crate) activation: u64,
    pub(crate) vertex: u32,
}

/// A kink or singular point met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Met {
    pub(crate) routine: usize,
    pub(crate) pc: usize,
    pub(crate) op: Op,
    pub(crate) event: Event,
    pub(crate) times: u64,
}

/// The state of the machine; its buffers outlive a run.
#[derive(Default)]
pub(crate) struct Machine {
    pub(crate) registers: Vec<u64>,
    pub(crate) descriptors: Vec<Descriptor>,
    pub(crate) memory: Vec<u64>,
    /// End of the memory in use.
    pub(crate) top: usize,
    /// Memory up to here is there and has been compared with the limit of this run.
    pub(crate) within: u64,
    pub(crate) staged: Vec<Staged>,
    pub(crate) staged_axes: Vec<Axis>,
    /// Arguments that may overlap: known when the parameters are bound.
    pub(crate) doubtful: Vec<Doubtful>,
    /// Descriptor parts of an array result of the last return.
    pub(crate) returned: Vec<Descriptor>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) now: Activation,
    pub(crate) tapes: Vec<Tape>,
    pub(crate) spare_tapes: Vec<Tape>,
    pub(crate) meter: Meter,
    pub(crate) fuel: u64,
    pub(crate) activations: u64,
    pub(crate) trace: Vec<Visit>,
    pub(crate) met: Vec<Met>,
    /// Positions in `met`, by routine, instruction, operator and event.
    pub(crate) met_at: BTreeMap<(usize, usize, Op, Event), usize>,
    /// Digest of the pieces of operators with kinks or jumps.
    pub(crate) pieces: u64,
    pub(crate) limits: Option<Limits>,
}

impl Machine {
    /// Makes sure that memory reaches up to `top`.
    #[inline]
    pub(crate) fn reserve(&mut self, top: u64) -> Result<(), Fault> {
        // What is there already was within the limit when it was taken.
        if top <= self.within {
            return Ok(());
        }
        self.grow(top)
    }

    #[cold]
    fn grow(&mut self, top: u64) -> Result<(), Fault> {
        let limit = self.limits.map_or(u64::MAX, |l| l.max_memory);
        let too_much = || Fault::Memory { limit };
        let others = (self.registers.len() as u64)
            .saturating_add(14 * self.frames.len() as u64)
            .saturating_add(11 * self.descriptors.len() as u64)
            .saturating_add(3 * self.trace.len() as u64);
        let bytes = top
            .checked_add(others)
            .and_then(|cells| cells.checked_mul(8))
            .ok_or_else(too_much)?;
        if bytes > limit {
            return Err(too_much());
        }
        self.within = top;
        let top = usize::try_from(top).map_err(|_| too_much())?;
        if top > self.memory.len() {
            let wanted = top.max(self.memory.len().saturating_mul(2)).max(1024);
            let wanted = wanted
                .min((limit / 8).try_into().unwrap_or(usize::MAX))
                .max(top);
            self.memory
                .try_reserve_exact(wanted - self.memory.len())
                .map_err(|_| too_much())?;
            self.memory.resize(wanted, 0);
        }
        Ok(())
    }

    /// Takes cells at the end of memory and fills them.
    pub(crate) fn take(&mut self, cells: u64, fill: u64) -> Result<u64, Fault> {
        let base = self.top as u64;
        let top = base.checked_add(cells).ok_or(Fault::Memory {
            limit: self.limits.map_or(u64::MAX, |l| l.max_memory),
        })?;
        self.reserve(top)?;
        self.burn(cells)?;
        self.memory[base as usize..top as usize].fill(fill);
        self.top = top as usize;
        Ok(base)
    }

    /// Uses fuel.
    pub(crate) fn burn(&mut self, steps: u64) -> Result<(), Fault> {
        match self.fuel.checked_sub(steps) {
            Some(rest) => {
                self.fuel = rest;
                Ok(())
            }
            None => Err(Fault::Fuel(self.limits.map_or(0, |l| l.fuel))),
        }
    }

    pub(crate) fn register(&self, r: Reg) -> u64 {
        self.registers[self.now.registers + usize::from(r)]
    }

    pub(crate) fn set_register(&mut self, r: Reg, cell: u64) {
        self.registers[self.now.registers + usize::from(r)] = cell;
    }
}
