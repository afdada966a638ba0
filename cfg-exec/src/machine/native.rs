//! The interface of machine code: see [`crate::native`].

use cfg_core::{
    diagnostic::Diagnostic,
    elemental::{Binary, Ternary, Unary},
    ir::Op,
};

use super::{Activation, Frame, Image, Machine, WINDOW};
use crate::{
    code::{Code, Reg},
    descriptor::Descriptor,
    fault::NATIVE,
    tape::{Meter, Stacks, Tape, TapeCounts},
};

/// A compiler of programs.
pub trait Engine: Send + Sync {
    /// The machine code of a program of this many routines, none of which is compiled yet.
    fn start(&self, routines: usize) -> Box<dyn Native>;

    /// The reason for which the executor has run what was to become machine code, in any program so far; `None` if
    /// there is no such reason.
    fn refusal(&self) -> Option<String>;
}

/// The warning that the executor has run what was to become machine code.
pub fn refused(engine: &dyn Engine) -> Option<Diagnostic> {
    let message = format!(
        "the executor runs without machine code: {}",
        engine.refusal()?
    );
    let help = "results are the same, and take longer; --engine executor asks for no machine code";
    Some(Diagnostic::error(&NATIVE, message, help).warning())
}

/// Machine code of a program, for all its sessions.
pub trait Native: Send + Sync {
    /// Runs the running routine as far as machine code can, if there is any. Returns the number of jumps back that the
    /// executor may make before it asks again. It asks again earlier where a stretch of instructions ends: the next one
    /// if the number is 0, else one of those that follow.
    fn run(&self, state: State<'_>) -> u64;

    /// Notes that the executor has run this many steps of a routine.
    fn interpreted(&self, routine: usize, steps: u64);
}

/// A program as machine code needs it.
#[derive(Clone, Copy)]
pub struct Program<'p> {
    image: &'p Image,
}

impl std::fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Program").field(&self.image.names).finish()
    }
}

/// The operator of [`Instr::Real1`](crate::native::Instr::Real1) and [`Instr::Real2`](crate::native::Instr::Real2) over
/// 64-bit reals; `None` of those over 32-bit reals.
pub fn operator(f: u8) -> Option<Op> {
    Op::ALL.get(usize::from(f)).copied()
}

impl<'p> Program<'p> {
    /// The code of a routine.
    pub fn code(self, routine: usize) -> &'p Code {
        &self.image.routines[routine]
    }

    /// The code of a routine, if there is such a routine.
    pub fn routine(self, routine: usize) -> Option<&'p Code> {
        self.image.routines.get(routine)
    }

    /// The descriptor of a global array at a position, the first one of those of all its dimensions.
    pub fn global(self, position: u32) -> Descriptor {
        self.image.globals[position as usize]
    }

    /// The function of [`Instr::Real1`](crate::native::Instr::Real1).
    pub fn unary(self, f: u8) -> Unary {
        self.image.math.unary[usize::from(f)]
    }

    /// The function of [`Instr::Real2`](crate::native::Instr::Real2).
    pub fn binary(self, f: u8) -> Binary {
        self.image.math.binary[usize::from(f)]
    }

    /// The function of [`Instr::Fma`](crate::native::Instr::Fma).
    pub fn fma(self) -> Ternary {
        self.image.math.fma
    }

    /// The function of [`Instr::Fma32`](crate::native::Instr::Fma32).
    pub fn fma32(self) -> fn(f32, f32, f32) -> f32 {
        self.image.math.fma32
    }

    /// The function of [`Instr::PowI`](crate::native::Instr::PowI).
    pub fn powi(self) -> fn(f64, i64) -> f64 {
        self.image.math.powi
    }

    /// The function of [`Instr::Polygamma`](crate::native::Instr::Polygamma).
    pub fn polygamma(self) -> fn(i64, f64) -> f64 {
        self.image.math.polygamma
    }
}

/// The state of a run, lent to machine code.
pub struct State<'m> {
    /// Steps that are left. Machine code leaves at least 0, and stops where they might not last.
    pub fuel: &'m mut i64,
    /// The routine's registers, at least [`WINDOW`], and those of callees behind them.
    pub registers: &'m mut [u64],
    /// The routine's descriptors, and those of callees behind them.
    pub descriptors: &'m mut [Descriptor],
    /// All cells.
    pub memory: &'m mut [u64],
    /// The cell address of the frame's memory.
    pub frame: usize,
    /// The end of the memory in use.
    pub top: usize,
    /// Calls that may nest in the running routine: as many as there are frames.
    pub depth: usize,
    /// Counts of the use of tapes.
    pub counts: &'m mut TapeCounts,
    /// Bits that all tapes hold now.
    pub bits: &'m mut u64,
    /// Most bits that all tapes have held at one time.
    pub peak_bits: &'m mut u64,
    /// Most bits that all tapes may hold.
    pub max_bits: u64,
    /// A buffer that is kept from call to call, with whatever was in it.
    pub scratch: &'m mut Vec<u64>,
    tapes: &'m mut [Tape],
    // Not to be exchanged: machine code relies on them.
    program: Program<'m>,
    now: &'m mut Activation,
    frames: &'m mut Vec<Frame>,
    activations: &'m mut u64,
    machine_top: &'m mut usize,
}

/// A routine that machine code has called by itself.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    /// The routine.
    pub routine: usize,
    /// The instruction of the caller behind the call.
    pub back: usize,
    /// The caller's register for the result.
    pub result: Option<Reg>,
    /// The cell address of the frame's memory.
    pub frame: usize,
    /// The end of the memory of its locals, and of the memory in use.
    pub top: usize,
}

impl std::fmt::Debug for State<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("routine", &self.now.routine)
            .field("pc", &self.now.pc)
            .finish_non_exhaustive()
    }
}

impl<'m> State<'m> {
    /// The running program.
    pub fn program(&self) -> Program<'m> {
        self.program
    }

    /// The running routine.
    pub fn routine(&self) -> usize {
        self.now.routine
    }

    /// The code of the running routine.
    pub fn code(&self) -> &'m Code {
        self.program.code(self.now.routine)
    }

    /// The next instruction.
    pub fn pc(&self) -> usize {
        self.now.pc
    }

    /// Sets the next instruction.
    pub fn go_on_at(&mut self, pc: usize) {
        self.now.pc = pc;
    }

    /// Makes a routine that the running one has called the running one, at its first instruction. Its registers and
    /// descriptors lie behind those of its caller, and are filled; parameters are bound.
    pub fn enter(&mut self, callee: Callee) {
        let code = self.code();
        let at = Frame {
            at: Activation {
                pc: callee.back,
                ..*self.now
            },
            result: callee.result,
        };
        self.frames.push(at);
        *self.now = Activation {
            routine: callee.routine,
            pc: 0,
            registers: self.now.registers + code.registers,
            descriptors: self.now.descriptors + code.descriptors,
            memory: callee.frame,
            floor: callee.top,
            tapes: self.tapes.len(),
            number: *self.activations,
        };
        *self.activations += 1;
        *self.machine_top = callee.top;
    }

    /// The stacks of a tape by its handle; `None` if there is no such tape.
    pub fn stacks(&mut self, handle: u64) -> Option<Stacks<'_>> {
        let tape = self.tapes.get_mut(usize::try_from(handle).ok()?)?;
        Some(tape.stacks())
    }
}

/// Lets machine code run; returns the number of jumps back that the interpreter may make.
pub(crate) fn run(native: &dyn Native, machine: &mut Machine, image: &Image) -> u64 {
    let Machine {
        registers,
        descriptors,
        memory,
        tapes,
        meter,
        now,
        fuel,
        scratch,
        frames,
        activations,
        top,
        limits,
        ..
    } = machine;
    let registers = registers.get_mut(now.registers..);
    let Some(registers) = registers.filter(|rest| rest.len() >= WINDOW) else {
        return u64::MAX;
    };
    // The routine that the host called is at depth 1.
    let max_depth = limits.map_or(usize::MAX, |l| l.max_depth);
    let depth = max_depth.saturating_sub(frames.len() + 1);
    let Meter {
        counts,
        now_bits,
        peak_bits,
        max_bits,
        ..
    } = meter;
    let state = State {
        program: Program { image },
        fuel,
        registers,
        descriptors: &mut descriptors[now.descriptors..],
        memory: memory.as_mut_slice(),
        frame: now.memory,
        top: *top,
        depth: depth.min(frames.capacity() - frames.len()),
        now,
        frames,
        activations,
        machine_top: top,
        counts,
        bits: now_bits,
        peak_bits,
        max_bits: *max_bits,
        scratch,
        tapes: tapes.as_mut_slice(),
    };
    native.run(state)
}
