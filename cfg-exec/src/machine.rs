//! The machine: register stack, descriptor stack, cell memory, call frames, tapes.

mod array;
mod bind;
mod call;
mod ext;
mod hand_over;
mod native;
mod pure;
mod run;
mod running;
mod slow_path;
mod view;

use std::{collections::BTreeMap, path::PathBuf};

use cfg_core::{
    elemental::{Binary, Event, Ternary, Unary},
    entity::RoutineId,
    ir::Op,
};

use crate::{
    code::{Arr, Callback, Code, Reg},
    descriptor::{Axis, Descriptor, Staged},
    fault::{Fault, Party},
    memory::{Full, Lease},
    passes::Passes,
    restart::Keeper,
    tape::{Meter, Tape},
};

pub(crate) use call::Incoming;
pub use native::{Callee, Engine, Native, Program, State, operator, refused};
pub use pure::pure;
pub(crate) use run::execute;
pub(crate) use running::running_loops;

/// Registers in a window.
pub const WINDOW: usize = 256;
/// The cell address of an argument that was not given.
pub(crate) const ABSENT: u64 = u64::MAX;

/// Functions of reals by [`MathTable::position`], as function pointers.
#[derive(Clone)]
pub(crate) struct MathTable {
    pub(crate) unary: Box<[Unary; 256]>,
    pub(crate) binary: Box<[Binary; 256]>,
    pub(crate) fma: Ternary,
    pub(crate) fma32: fn(f32, f32, f32) -> f32,
    pub(crate) powi: fn(f64, i64) -> f64,
    pub(crate) polygamma: fn(i64, f64) -> f64,
}

/// A program as the machine runs it.
pub(crate) struct Image {
    pub(crate) routines: Vec<Code>,
    pub(crate) names: Vec<String>,
    /// Descriptors of global arrays.
    pub(crate) globals: Vec<Descriptor>,
    pub(crate) math: MathTable,
    pub(crate) callbacks: Vec<Callback>,
    /// Number of real arguments of each callback.
    pub(crate) callback_arity: Vec<usize>,
    /// The fingerprint of the program and of its functions, if it hands over the progress of loops.
    pub(crate) program: u64,
}

/// A suspended caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) at: Activation,
    pub(crate) result: Option<Reg>,
}

/// A running routine: the beginnings of its registers, descriptors and memory, and its program counter.
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

/// Two arguments that share cells if the parameters cover all that was passed; whether they do is known after
/// binding. For each, the parameter, first cell and dimensions.
#[derive(Clone, Debug)]
pub(crate) struct Doubtful {
    pub(crate) argument: (usize, u64, Vec<Axis>),
    pub(crate) other: (Party, u64, Vec<Axis>),
}

/// The copy of an argument's cells that a parameter is bound to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gathered {
    /// The activation, and its parameter that is bound to the copy.
    pub(crate) activation: u64,
    pub(crate) arr: Arr,
    /// First cell of the copy; the addresses of the argument's cells follow it.
    pub(crate) base: usize,
    pub(crate) cells: usize,
    /// True if the routine writes the parameter.
    pub(crate) written: bool,
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
    /// The lease that pays for the buffers.
    pub(crate) held: Lease,
    pub(crate) staged: Vec<Staged>,
    pub(crate) staged_axes: Vec<Axis>,
    /// Arguments that may overlap, to be compared after binding.
    pub(crate) doubtful: Vec<Doubtful>,
    /// Copies that parameters of suspended and running routines are bound to.
    pub(crate) gathered: Vec<Gathered>,
    /// Descriptor parts of an array result of the last return.
    pub(crate) returned: Vec<Descriptor>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) now: Activation,
    pub(crate) tapes: Vec<Tape>,
    pub(crate) spare_tapes: Vec<Tape>,
    pub(crate) meter: Meter,
    /// The folder for files of tapes; `None`: that of the system.
    pub(crate) folder: Option<PathBuf>,
    /// The progress of loops with checkpoints.
    pub(crate) keeper: Keeper,
    /// Steps that are left; below 0 at a stop.
    pub(crate) fuel: i64,
    pub(crate) passes: Passes,
    /// The places that a fault in the running routine leads to: the innermost last.
    pub(crate) handlers: Vec<usize>,
    pub(crate) activations: u64,
    pub(crate) trace: Vec<Visit>,
    pub(crate) met: Vec<Met>,
    /// Positions in `met`, by routine, instruction, operator and event.
    pub(crate) met_at: BTreeMap<(usize, usize, Op, Event), usize>,
    /// Digest of the pieces of operators with kinks or jumps.
    pub(crate) pieces: u64,
    pub(crate) limits: Option<Limits>,
    /// A buffer of machine code.
    pub(crate) scratch: Vec<u64>,
}

impl Machine {
    /// Makes sure that memory reaches up to `top`.
    #[inline]
    pub(crate) fn reserve(&mut self, top: u64) -> Result<(), Fault> {
        if top <= self.memory.len() as u64 {
            return Ok(());
        }
        self.grow(top)
    }

    #[cold]
    fn grow(&mut self, top: u64) -> Result<(), Fault> {
        let limit = self.limit();
        let grown = usize::try_from(top)
            .map_err(|_| Full)
            .and_then(|top| self.held.make_room(&mut self.memory, top, limit));
        grown.map_err(|Full| self.too_big())?;
        self.memory.resize(self.memory.capacity(), 0);
        Ok(())
    }

    /// Most bytes of memory.
    pub(crate) fn limit(&self) -> u64 {
        self.limits.map_or(u64::MAX, |l| l.max_memory)
    }

    /// Leases memory for `words` temporary words.
    pub(crate) fn scratch(&self, words: u64) -> Result<Lease, Fault> {
        let bytes = words.checked_mul(8).ok_or(Full);
        bytes
            .and_then(|bytes| self.held.memory().take(bytes, self.limit()))
            .map_err(|Full| self.too_big())
    }

    /// The fault of a run that needs more memory.
    pub(crate) fn too_big(&self) -> Fault {
        Fault::Memory {
            limit: self.limit(),
        }
    }

    /// Gives back all buffers but the first cells of memory.
    pub(crate) fn give_back(&mut self, cells: usize) {
        self.memory.truncate(cells);
        self.memory.shrink_to_fit();
        self.registers = Vec::new();
        self.descriptors = Vec::new();
        self.frames = Vec::new();
        self.trace = Vec::new();
        self.spare_tapes = Vec::new();
        let kept = 8 * self.memory.capacity() as u64;
        self.held.less(self.held.bytes().saturating_sub(kept));
    }

    /// Takes cells at the end of memory and fills them.
    pub(crate) fn take_cells(&mut self, cells: u64, fill: u64) -> Result<u64, Fault> {
        let base = self.top as u64;
        let top = base.checked_add(cells).ok_or_else(|| self.too_big())?;
        self.reserve(top)?;
        self.burn(cells)?;
        self.memory[base as usize..top as usize].fill(fill);
        self.top = top as usize;
        Ok(base)
    }

    /// Takes steps from the fuel of the run.
    pub(crate) fn burn(&mut self, steps: u64) -> Result<(), Fault> {
        let rest = i64::try_from(steps).map_or(-1, |steps| self.fuel.saturating_sub(steps));
        if rest < 0 {
            return Err(Fault::Fuel(self.limits.map_or(0, |l| l.fuel)));
        }
        self.fuel = rest;
        Ok(())
    }

    pub(crate) fn register(&self, r: Reg) -> u64 {
        self.registers[self.now.registers + usize::from(r)]
    }

    pub(crate) fn set_register(&mut self, r: Reg, cell: u64) {
        self.registers[self.now.registers + usize::from(r)] = cell;
    }

    /// A tape by its handle.
    fn tape(&mut self, handle: u64) -> Result<&mut Tape, Box<Fault>> {
        usize::try_from(handle)
            .ok()
            .and_then(|h| self.tapes.get_mut(h))
            .ok_or_else(|| Box::new(Fault::Absent(None)))
    }
}
