//! Machine code of a routine, and the entry into it. All that is not safe is here, but for what machine code calls.
#![expect(
    unsafe_code,
    reason = "machine code is called, and fills buffers up to their capacity"
)]

use std::{
    error::Error,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

use cfg_exec::native::{Axis, Callee, Descriptor, Instr, Program, Reg, State, WINDOW};
use cranelift_codegen::{
    CodegenError, Context,
    isa::OwnedTargetIsa,
    settings::{self, Configurable},
};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, default_libcall_names};

use crate::{
    context::{self, Layout},
    flow::{Flow, WORTH},
    operands::Class,
    stacks::{Stack, Stacks},
    translate::{Subject, signature, translate},
    unit::Unit,
};

/// Machine code: context, window, cells, the frame's cells, number of the entry.
type Function = unsafe extern "C" fn(*mut u64, *mut u64, *mut u64, *mut u64, u64);

/// A compiled routine.
pub(crate) struct Routine {
    function: Function,
    /// The code's memory; given back by [`Drop`].
    module: Mutex<Option<JITModule>>,
    /// Instructions that the code reads, by their addresses.
    _instrs: Arc<[Instr]>,
    /// The identities of the executor's codes from which this one was made, by routine.
    identities: Vec<(usize, u64)>,
    /// The instances of callees, behind the routine itself.
    instances: Vec<Instance>,
    layout: Layout,
    /// The registers and descriptors that instances have, from those of the routine on.
    registers: usize,
    descriptors: usize,
    /// The entry at each instruction, if there is one, by its number.
    entries: Vec<Option<u32>>,
    /// The use of each entry, by number.
    used: Box<[Used]>,
    /// Steps that have been run.
    steps: AtomicU64,
    parts: Vec<(usize, usize)>,
    stacks: Stacks,
    cells: usize,
    frame_cells: usize,
    everywhere: bool,
}

/// The copy of a callee, as it is entered where machine code stops in it.
#[derive(Debug)]
struct Instance {
    /// The instance of the caller.
    caller: usize,
    routine: usize,
    back: usize,
    result: Option<Reg>,
    /// Registers from the routine's that hold constants, with their cells.
    constants: Vec<(usize, u64)>,
    /// Arrays that are bound: the descriptor from the routine's, and the number of dimensions.
    arrays: Vec<(usize, usize)>,
    first_array: usize,
}

impl Instance {
    /// The instances of a unit. The one of the routine itself is never entered.
    fn all(unit: &Unit<'_>) -> Vec<Self> {
        let new = |of: &crate::unit::Instance<'_>| {
            let caller = of.caller.map_or((0, 0, None), |caller| {
                let back = caller.at + 1 - unit.instances[caller.instance].at;
                (caller.instance, back, caller.info.result)
            });
            let template = of.code.template().iter().enumerate();
            let constants =
                template.filter(|(r, _)| of.code.constant_register(*r as Reg).is_some());
            let arrays = (of.arrays.iter())
                .map(|view| (of.descriptors + usize::from(view.arr), view.rank.into()));
            Self {
                caller: caller.0,
                routine: of.routine,
                back: caller.1,
                result: caller.2,
                constants: constants
                    .map(|(r, &cell)| (of.registers + r, cell))
                    .collect(),
                arrays: arrays.collect(),
                first_array: of.first_array,
            }
        };
        unit.instances.iter().map(new).collect()
    }
}

/// The use of an entry.
#[derive(Default)]
struct Used {
    times: AtomicU32,
    steps: AtomicU64,
}

impl Used {
    /// True if machine code has run few steps from here so often that the executor is likely to be faster.
    fn is_vain(&self) -> bool {
        let times = self.times.load(Relaxed);
        times >= TRIES && self.steps.load(Relaxed) < u64::from(times) * WORTH as u64
    }
}

/// Uses of an entry after which it may be given up.
const TRIES: u32 = 32;
/// Uses of an entry after which they are not counted any more.
const KNOWN: u32 = 1 << 12;

/// Instructions of a routine that is left to the executor.
const TOO_LARGE: usize = 200_000;

/// The reason why there is no machine code.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// No entry is worth it.
    NoUse,
    /// Something is in the way.
    Because(String),
}

impl From<ModuleError> for Refusal {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "any other error is told in Cranelift's words"
    )]
    fn from(error: ModuleError) -> Self {
        Self::Because(match error {
            ModuleError::Compilation(CodegenError::CodeTooLarge) => TOO_LARGE_ROUTINE.to_owned(),
            ModuleError::Allocation { err, .. } => format!("memory for it is refused ({err})"),
            ModuleError::Backend(why) => format!("executable memory is refused ({why})"),
            other => other.to_string(),
        })
    }
}

const TOO_LARGE_ROUTINE: &str = "a routine is too large";

/// The time that compilation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    Quick,
    Best,
}

/// The instruction set of this machine, made once for each effort.
fn isa(effort: Effort) -> Result<OwnedTargetIsa, Refusal> {
    static MADE: [OnceLock<Result<OwnedTargetIsa, String>>; 2] = [const { OnceLock::new() }; 2];
    let (of, level) = match effort {
        Effort::Quick => (&MADE[0], "none"),
        Effort::Best => (&MADE[1], "speed"),
    };
    let made = of.get_or_init(|| new_isa(level).map_err(|why| why.to_string()));
    let refused = |why: &String| Refusal::Because(format!("not for this processor ({why})"));
    made.as_ref().map(Arc::clone).map_err(refused)
}

fn new_isa(level: &str) -> Result<OwnedTargetIsa, Box<dyn Error>> {
    let mut flags = settings::builder();
    flags.set("opt_level", level)?;
    let verifies = cfg!(debug_assertions).to_string();
    flags.set("enable_verifier", &verifies)?;
    // Code lies near nothing, and calls go by addresses.
    flags.set("use_colocated_libcalls", "false")?;
    flags.set("is_pic", "false")?;
    // A frame larger than a page may not reach over the guard behind the stack.
    flags.set("enable_probestack", "true")?;
    flags.set("probestack_strategy", "inline")?;
    let flags = settings::Flags::new(flags);
    Ok(cranelift_native::builder()?.finish(flags)?)
}

/// Compiles a function into executable memory.
fn define(module: &mut JITModule, unit: &mut Context) -> Result<FuncId, Refusal> {
    let id = module.declare_anonymous_function(&unit.func.signature)?;
    module.define_function(id, unit)?;
    module.finalize_definitions()?;
    Ok(id)
}

impl Routine {
    /// Compiles a routine, with entries where they are worth it, or `everywhere`.
    pub(crate) fn new(
        program: Program<'_>,
        routine: usize,
        everywhere: bool,
        effort: Effort,
    ) -> Result<Self, Refusal> {
        let code = program.code(routine);
        if code.instrs().len() > TOO_LARGE {
            return Err(Refusal::Because(TOO_LARGE_ROUTINE.to_owned()));
        }
        let unit = Unit::of(program, routine);
        let stacks = Stacks::of(&unit);
        let flow = Flow::of(&unit, &stacks, everywhere);
        let layout = Layout::of(&unit, &stacks);
        if !flow.blocks.iter().any(|block| block.is_entry) {
            return Err(Refusal::NoUse);
        }
        let instrs: Arc<[Instr]> = unit.instrs.as_slice().into();
        let subject = Subject {
            unit: &unit,
            flow: &flow,
            stacks: &stacks,
            layout,
            instrs: &instrs,
        };
        let mut module =
            JITModule::new(JITBuilder::with_isa(isa(effort)?, default_libcall_names()));
        let pointer = module.target_config().pointer_type();
        let mut context = Context::new();
        context.func.signature = signature(module.target_config().default_call_conv, pointer);
        let translated = translate(
            &subject,
            &mut context.func,
            &mut FunctionBuilderContext::new(),
        );
        let id = match define(&mut module, &mut context) {
            Ok(id) => id,
            Err(refusal) => {
                // SAFETY: no function of the module has been handed out.
                unsafe { module.free_memory() };
                return Err(refusal);
            }
        };
        let address = module.get_finalized_function(id);
        // SAFETY: the function has been compiled with this signature and the calling convention of C.
        let function = unsafe { std::mem::transmute::<*const u8, Function>(address) };
        let entries = translated.entries.iter().flatten().count();
        Ok(Self {
            used: (0..entries).map(|_| Used::default()).collect(),
            steps: AtomicU64::new(0),
            everywhere,
            function,
            module: Mutex::new(Some(module)),
            entries: translated.entries,
            parts: translated.parts,
            cells: translated.cells,
            frame_cells: code.frame().len(),
            stacks,
            layout,
            _instrs: instrs,
            identities: (unit.instances.iter())
                .map(|of| (of.routine, of.code.identity()))
                .collect(),
            registers: (unit.instances.iter().map(|of| of.registers + WINDOW).max())
                .unwrap_or(WINDOW),
            descriptors: (unit.instances.iter())
                .map(|of| of.descriptors + of.code.descriptors())
                .max()
                .unwrap_or(0),
            instances: Instance::all(&unit),
        })
    }

    /// Steps that have been run for each instruction.
    pub(crate) fn steps_for_each(&self) -> u64 {
        self.steps.load(Relaxed) / self.entries.len().max(1) as u64
    }

    /// Runs from the program counter on, if there is an entry. The state is that in front of an instruction then.
    pub(crate) fn run(&self, mut state: State<'_>) -> bool {
        let program = state.program();
        let same = |&(routine, identity): &(usize, u64)| {
            (program.routine(routine)).is_some_and(|code| code.identity() == identity)
        };
        if self.identities.first().map(|of| of.0) != Some(state.routine())
            || !self.identities.iter().all(same)
        {
            return false;
        }
        let Some(entry) = self.entries.get(state.pc()).copied().flatten() else {
            return false;
        };
        // All but the code may be exchanged by whoever hands on the state.
        let cells = state.memory.len();
        if cells < self.cells
            || cells
                .checked_sub(state.frame)
                .is_none_or(|rest| rest < self.frame_cells)
        {
            return false;
        }
        let used = &self.used[entry as usize];
        if !self.everywhere && used.is_vain() {
            return false;
        }
        let before = *state.fuel;
        let mut words = std::mem::take(state.scratch);
        let cells = state.memory.as_mut_ptr();
        let entered = self.fill(&mut words, &mut state, cells as u64);
        if entered {
            // The frame begins within memory, or behind its last cell.
            let frame = cells.wrapping_add(state.frame);
            // SAFETY: the state runs the code from which the function was made. It stores into the window of 256
            // registers and those of callees behind it, into cells, which are tested against the number in the
            // context or lie within the descriptors that `fill` has tested, into the context, and behind the tops of
            // stacks up to limits within their capacity. No reference to any of these is in use, and it calls nothing
            // that could reach others.
            unsafe {
                (self.function)(
                    words.as_mut_ptr(),
                    state.registers.as_mut_ptr(),
                    cells,
                    frame,
                    entry.into(),
                );
            }
            self.settle(&words, &mut state);
            let steps = before.wrapping_sub(*state.fuel).unsigned_abs();
            // Threads count together, each waiting for the others, so what is known well is not counted any more.
            if used.times.load(Relaxed) < KNOWN {
                used.times.fetch_add(1, Relaxed);
                used.steps.fetch_add(steps, Relaxed);
            }
            if self.steps_for_each() < crate::AGAIN {
                self.steps.fetch_add(steps, Relaxed);
            }
        }
        *state.scratch = words;
        entered
    }

    /// Writes the context, with the address of the cells; false if two registers hold the handle of one tape, whose
    /// tops would go apart, or if the state is not one of the executor's.
    fn fill(&self, words: &mut Vec<u64>, state: &mut State<'_>, cells: u64) -> bool {
        let stacks = &self.stacks.0;
        words.clear();
        words.resize(self.layout.array(self.parts.len()), 0);
        words[context::FUEL] = *state.fuel as u64;
        words[context::PC] = state.pc() as u64;
        words[context::CELLS] = state.memory.len() as u64;
        words[context::PEAK_BITS] = *state.peak_bits;
        words[context::END] = state.top as u64;
        // Where there is no room, the executor makes it by a call.
        let room =
            self.registers <= state.registers.len() && self.descriptors <= state.descriptors.len();
        words[context::DEPTH] = if room { state.depth as u64 } else { 0 };
        let room = state.max_bits.saturating_sub(*state.bits) / (stacks.len().max(1) as u64);
        let mut other = *state.bits;
        for (k, stack) in stacks.iter().enumerate() {
            let handle = state.registers[usize::from(stack.handle)];
            let twice = |other: &Stack| {
                other.class == stack.class && state.registers[usize::from(other.handle)] == handle
            };
            if stacks[..k].iter().any(twice) {
                return false;
            }
            let words = &mut words[context::stack(k)..];
            // Without a tape all words are 0: there is neither room nor a value.
            let Some(own) = state.stacks(handle) else {
                continue;
            };
            let spare = |len: usize, capacity: usize| (capacity - len).min((room / 64) as usize);
            let (bottom, top, limit) = match stack.class {
                Class::Real => {
                    let (at, len) = (own.reals.as_mut_ptr() as u64, own.reals.len());
                    (at, len, len + spare(len, own.reals.capacity()))
                }
                Class::Integer => {
                    let (at, len) = (own.integers.as_mut_ptr() as u64, own.integers.len());
                    (at, len, len + spare(len, own.integers.capacity()))
                }
                Class::Bits => {
                    let top = *own.bits;
                    if own.words.len() as u64 != top.div_ceil(64) {
                        return false;
                    }
                    if top % 64 == 0 {
                        // The word behind the last one, which pushes add to.
                        if let Some(word) = own.words.spare_capacity_mut().first_mut() {
                            word.write(0);
                        }
                    }
                    // The executor makes room where there are less than two words behind the last one.
                    let whole = (own.words.capacity() as u64).checked_sub(2);
                    let all = whole.map_or(0, |words| 64 * words + 1);
                    let limit = all.min(top.saturating_add(room.saturating_sub(63)));
                    words[context::BOTTOM] = own.words.as_mut_ptr() as u64;
                    words[context::TOP] = top;
                    words[context::LIMIT] = limit;
                    words[context::UNINITIALISED] = own.uninitialised;
                    other = other.wrapping_sub(top);
                    continue;
                }
            };
            words[context::BOTTOM] = bottom;
            words[context::TOP] = bottom + 8 * top as u64;
            words[context::LIMIT] = bottom + 8 * limit as u64;
            other = other.wrapping_sub(8 * words[context::TOP]);
        }
        words[context::OTHER_BITS] = other;
        for (k, &(position, dimensions)) in self.parts.iter().enumerate() {
            let words = &mut words[self.layout.array(k)..];
            let Some(part) = state.descriptors.get(position) else {
                return false;
            };
            let inside = lies_inside(part.base, &part.axes[..dimensions], state.memory.len());
            let mut zero = part.base;
            for (k, axis) in part.axes.iter().enumerate() {
                let at = context::axis(k);
                words[at.lower] = axis.lower as u64;
                words[at.extent] = axis.extent as u64;
                words[at.stride] = axis.stride as u64;
                words[at.room] = if inside { axis.extent.max(0) as u64 } else { 0 };
                if k < dimensions {
                    zero = zero.wrapping_sub((axis.lower as u64).wrapping_mul(axis.stride as u64));
                }
            }
            words[context::BASE] = part.base;
            words[context::POINTER] = cells.wrapping_add(zero.wrapping_mul(8));
        }
        true
    }

    /// Takes over what the code has left in the context.
    fn settle(&self, words: &[u64], state: &mut State<'_>) {
        *state.fuel = words[context::FUEL] as i64;
        let mut bits = words[context::OTHER_BITS];
        for (k, stack) in self.stacks.0.iter().enumerate() {
            let words = &words[context::stack(k)..];
            let (bottom, top) = (words[context::BOTTOM], words[context::TOP]);
            bits = bits.wrapping_add(match stack.class {
                Class::Real | Class::Integer => top.wrapping_mul(8),
                Class::Bits => top,
            });
            let handle = state.registers[usize::from(stack.handle)];
            let Some(own) = state.stacks(handle) else {
                continue;
            };
            // Of no meaning for control bits, whose top is their number.
            let len = (top.wrapping_sub(bottom) / 8) as usize;
            let (pushes, pops) = match stack.class {
                Class::Real => {
                    let before = own.reals.len();
                    // SAFETY: the top lies between the bottom and the limit, within the capacity; cells below it were
                    // there, or have been written.
                    unsafe { own.reals.set_len(len) };
                    let (pushes, pops) = traffic(*stack, before, len, words[context::POPS]);
                    state.counts.reals += pushes;
                    (pushes, pops)
                }
                Class::Integer => {
                    let before = own.integers.len();
                    // SAFETY: as for reals.
                    unsafe { own.integers.set_len(len) };
                    let (pushes, pops) = traffic(*stack, before, len, words[context::POPS]);
                    state.counts.integers += pushes;
                    (pushes, pops)
                }
                Class::Bits => {
                    *own.bits = top;
                    // SAFETY: a push stores the words of its bits, which lie within the capacity.
                    unsafe { own.words.set_len(top.div_ceil(64) as usize) };
                    state.counts.control_bits += words[context::PUSHED_BITS];
                    (words[context::PUSHES], words[context::POPS])
                }
            };
            state.counts.pushes += pushes;
            state.counts.pops += pops;
        }
        *state.bits = bits;
        *state.peak_bits = words[context::PEAK_BITS].max(bits);
        self.enter(words, state);
        state.go_on_at(words[context::PC] as usize);
    }

    /// Enters the callees in which the code has stopped.
    fn enter(&self, words: &[u64], state: &mut State<'_>) {
        let mut entered = Vec::new();
        let mut k = words[context::INSTANCE] as usize;
        while k > 0 {
            entered.push(k);
            k = self.instances[k].caller;
        }
        for k in entered.into_iter().rev() {
            let of = &self.instances[k];
            for &(r, cell) in &of.constants {
                state.registers[r] = cell;
            }
            for (n, &(position, rank)) in of.arrays.iter().enumerate() {
                let words = &words[self.layout.bound(of.first_array + n)..];
                let mut axes = [Axis::default(); 2];
                for (axis, words) in axes[..rank].iter_mut().zip(words[1..].chunks(3)) {
                    *axis = Axis {
                        lower: words[0] as i64,
                        extent: words[1] as i64,
                        stride: words[2] as i64,
                    };
                }
                state.descriptors[position] = Descriptor::new(words[0], axes);
            }
            let frame = &words[self.layout.instance(k)..];
            state.enter(Callee {
                routine: of.routine,
                back: of.back,
                result: of.result,
                frame: frame[context::FRAME] as usize,
                top: frame[context::FLOOR] as usize,
            });
        }
    }
}

/// Values pushed and popped between two lengths of a stack. Pops are counted only where both happen.
fn traffic(stack: Stack, before: usize, after: usize, counted: u64) -> (u64, u64) {
    let change = (after as u64).wrapping_sub(before as u64);
    match (stack.is_pushed, stack.is_popped) {
        (true, false) => (change, 0),
        (false, _) => (0, change.wrapping_neg()),
        (true, true) => (change.wrapping_add(counted), counted),
    }
}

/// True if all elements lie in a memory of some cells.
fn lies_inside(base: u64, axes: &[Axis], cells: usize) -> bool {
    let ends = axes.iter().try_fold((base, base), |(low, high), axis| {
        let reach = axis.extent.checked_sub(1)?.checked_mul(axis.stride)?;
        Some((
            low.checked_add_signed(reach.min(0))?,
            high.checked_add_signed(reach.max(0))?,
        ))
    });
    axes.iter().any(|axis| axis.extent <= 0) || ends.is_some_and(|(_, high)| high < cells as u64)
}

impl Drop for Routine {
    fn drop(&mut self) {
        let module = self.module.get_mut();
        if let Some(module) = module.unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: the code runs in `run` alone, which borrows the routine.
            unsafe { module.free_memory() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: i64, stride: i64) -> Axis {
        Axis {
            lower: 1,
            extent,
            stride,
        }
    }

    #[test]
    fn arrays_lie_inside_up_to_the_last_cell() {
        assert!(lies_inside(10, &[axis(5, 2)], 19));
        assert!(!lies_inside(10, &[axis(5, 2)], 18));
        assert!(lies_inside(8, &[axis(3, -4)], 9));
        assert!(!lies_inside(7, &[axis(3, -4)], 9));
        assert!(lies_inside(2, &[axis(3, 4), axis(4, 1)], 14));
        assert!(!lies_inside(2, &[axis(3, 4), axis(4, 1)], 13));
        assert!(lies_inside(99, &[axis(3, 4), axis(0, 1)], 1));
        assert!(!lies_inside(u64::MAX, &[axis(2, i64::MAX)], usize::MAX));
    }
}
