//! A routine with copies of the callees that its machine code runs by itself.
//!
//! The instructions of all are one sequence: first those of the routine, then those of each *instance* of a callee. A
//! call with an instance goes on at the instance's begin, its return behind the call. An instance has registers and
//! descriptors where the executor would have those of its frame, so that machine code may stop within it. Its
//! *binding*, the instructions up to the last one that binds a parameter or makes a local array, is run as a part of
//! the call.

use std::collections::HashMap;

use cfg_exec::native::{
    Arr, CallInfo, Code, Extent, Instr, Operation, ParameterHome, Passed, Program, Reg, Target,
    View,
};

use crate::{
    operands::{access, written},
    places::{CALLEES, Loc, MOST},
};

/// Most instructions of a callee that is copied.
const CALLEE: usize = 600;
/// Most instructions of a routine with its instances.
const ALL: usize = 2000;
/// Most cells of the frame's memory of a callee that is copied, without arrays.
const FRAME: usize = 64;

/// The call that an instance stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'p> {
    /// The instance of the caller.
    pub(crate) instance: usize,
    /// The position of the call.
    pub(crate) at: usize,
    pub(crate) info: &'p CallInfo,
}

/// The routine itself, or a copy of a callee.
#[derive(Debug)]
pub(crate) struct Instance<'p> {
    pub(crate) routine: usize,
    pub(crate) code: &'p Code,
    /// The position of the first instruction.
    pub(crate) at: usize,
    /// The position behind the binding.
    pub(crate) bound: usize,
    pub(crate) caller: Option<Caller<'p>>,
    pub(crate) depth: usize,
    /// First register and descriptor, from those of the routine itself.
    pub(crate) registers: usize,
    pub(crate) descriptors: usize,
    /// The place of the first register.
    first: Loc,
    /// Registers with handles of tapes, and the registers of the routine itself that hold the same.
    handles: Vec<(Reg, Reg)>,
    /// Arrays that the binding makes, and the number of the first one among those of all instances.
    pub(crate) arrays: Vec<View>,
    pub(crate) first_array: usize,
}

/// A routine with its instances, the routine itself first.
#[derive(Debug)]
pub(crate) struct Unit<'p> {
    pub(crate) program: Program<'p>,
    pub(crate) instances: Vec<Instance<'p>>,
    pub(crate) instrs: Vec<Instr>,
    /// Instances by the positions of their calls.
    callees: HashMap<usize, usize>,
}

/// Registers that an instruction of a code writes.
fn changed(code: &Code) -> [bool; 256] {
    let mut changes = [false; 256];
    for &instr in code.instrs() {
        written(instr, |r, _| changes[usize::from(r)] = true);
    }
    changes
}

/// True if machine code can do all but calls of a code.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "machine code does all other instructions"
)]
fn is_plain(code: &Code) -> bool {
    let plain = |instr: &Instr| match *instr {
        Instr::Visit { .. } | Instr::PushReal32 { .. } | Instr::PopReal32 { .. } => false,
        Instr::Ext { k } => match code.operation(k) {
            Operation::Other => false,
            Operation::BindExplicit { to, is_aliased, .. } => to.rank <= 2 && !is_aliased,
            Operation::BindGlobal { to, .. } | Operation::AllocLocal { to, .. } => to.rank <= 2,
            Operation::Call(_)
            | Operation::CheckOverlaps
            | Operation::Fill { .. }
            | Operation::Reals { .. }
            | Operation::CellsFrom { .. } => true,
        },
        _ => true,
    };
    !code.has_handlers() && code.instrs().iter().all(plain)
}

/// The length of the binding of a code, with the arrays that it makes; `None` if it is not run in one go, or if a
/// second run of it could do anything else than the first.
fn binding(code: &Code) -> Option<(usize, Vec<View>)> {
    let mut arrays = Vec::new();
    let mut end = 0;
    for (k, instr) in code.instrs().iter().enumerate() {
        if let Instr::Ext { k: ext } = *instr {
            match code.operation(ext) {
                Operation::BindExplicit { to, .. }
                | Operation::BindGlobal { to, .. }
                | Operation::AllocLocal { to, .. } => {
                    arrays.push(to);
                    end = k + 1;
                }
                Operation::CheckOverlaps => end = k + 1,
                Operation::Call(_)
                | Operation::Fill { .. }
                | Operation::Reals { .. }
                | Operation::CellsFrom { .. }
                | Operation::Other => {}
            }
        }
    }
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions go on with the next one, or have a target"
    )]
    let is_straight = |instr: &Instr| match *instr {
        Instr::Ext { k } => match code.operation(k) {
            Operation::BindExplicit { .. }
            | Operation::BindGlobal { .. }
            | Operation::AllocLocal { .. }
            | Operation::CheckOverlaps
            | Operation::Fill { s: None, .. } => true,
            Operation::Call(_)
            | Operation::Fill { .. }
            | Operation::Reals { .. }
            | Operation::CellsFrom { .. }
            | Operation::Other => false,
        },
        Instr::Return | Instr::Switch { .. } | Instr::StoreAt { .. } => false,
        instr => instr.target().is_none() && access(instr).is_none(),
    };
    let mut targets = code.instrs().iter().filter_map(|instr| instr.target());
    let straight = code.instrs()[..end].iter().all(is_straight);
    (straight && targets.all(|t| t as usize >= end)).then_some((end, arrays))
}

/// True if each argument comes to where its parameter has it.
fn fits(code: &Code, info: &CallInfo) -> bool {
    let pairs = code.homes().iter().zip(&info.arguments);
    let mut fits = pairs.map(|pair| match pair {
        (
            ParameterHome::Register(_) | ParameterHome::Frame(_),
            Passed::Cell(_) | Passed::Absent,
        ) => true,
        (ParameterHome::Staged(_), Passed::Array(view)) => view.rank <= 2,
        (ParameterHome::Staged(_), Passed::From { .. }) => true,
        (
            ParameterHome::Register(_) | ParameterHome::Frame(_),
            Passed::Array(_) | Passed::From { .. },
        )
        | (ParameterHome::Staged(_), Passed::Cell(_) | Passed::Absent) => false,
    });
    let ranks = info.overlaps.iter().flat_map(|pair| pair.extents());
    let mut ranks = ranks.map(|extent| match extent {
        Extent::Array(view) => view.rank <= 2,
        Extent::Cell(_) | Extent::From { .. } | Extent::Fixed { .. } => true,
    });
    code.homes().len() == info.arguments.len() && fits.all(|fits| fits) && ranks.all(|fits| fits)
}

impl<'p> Unit<'p> {
    /// A routine with instances of the callees that are small and plain.
    pub(crate) fn of(program: Program<'p>, routine: usize) -> Self {
        let code = program.code(routine);
        let mut unit = Self {
            program,
            instances: vec![Instance {
                routine,
                code,
                at: 0,
                bound: 0,
                caller: None,
                depth: 0,
                registers: 0,
                descriptors: 0,
                first: 0,
                handles: Vec::new(),
                arrays: Vec::new(),
                first_array: 0,
            }],
            instrs: code.instrs().to_vec(),
            callees: HashMap::new(),
        };
        if code.has_handlers() || code.instrs().len() > ALL {
            return unit;
        }
        let own = changed(code);
        let mut next = 0;
        while let Some(of) = unit.instances.get(next) {
            let (code, at) = (of.code, of.at);
            for (k, instr) in code.instrs().iter().enumerate() {
                if let Instr::Ext { k: ext } = *instr
                    && let Operation::Call(info) = code.operation(ext)
                {
                    let caller = Caller {
                        instance: next,
                        at: at + k,
                        info,
                    };
                    unit.copy(caller, &own);
                }
            }
            next += 1;
        }
        unit
    }

    /// Adds an instance of a callee, if it is small and plain. `own` has the registers that the routine itself changes.
    fn copy(&mut self, caller: Caller<'p>, own: &[bool; 256]) {
        let (info, of) = (caller.info, &self.instances[caller.instance]);
        let routine = info.callee.index();
        let code = self.program.code(routine);
        let last = self.instances.last();
        let first = last.map_or(CALLEES, |last| match last.caller {
            None => CALLEES,
            Some(_) => last.first + last.code.registers() as Loc,
        });
        let is_small = code.instrs().len() <= CALLEE
            && self.instrs.len() + code.instrs().len() <= ALL
            && code.frame().len() <= FRAME
            && usize::from(first) + code.registers() <= usize::from(MOST);
        let mut above = Some(caller.instance);
        let mut is_recursive = false;
        while let Some(k) = above {
            is_recursive |= self.instances[k].routine == routine;
            above = self.instances[k].caller.map(|caller| caller.instance);
        }
        if info.is_step || is_recursive || !is_small || !fits(code, info) || !is_plain(code) {
            return;
        }
        let Some((bound, arrays)) = binding(code) else {
            return;
        };
        let changes = changed(code);
        let pairs = code.homes().iter().zip(&info.arguments);
        let handles = pairs.filter_map(|pair| match pair {
            (ParameterHome::Register(d), Passed::Cell(r)) if !changes[usize::from(*d)] => {
                Some((*d, self.handle_of(caller.instance, *r, own)?))
            }
            _ => None,
        });
        let instance = Instance {
            routine,
            code,
            at: self.instrs.len(),
            bound: self.instrs.len() + bound,
            caller: Some(caller),
            depth: of.depth + 1,
            registers: of.registers + of.code.registers(),
            descriptors: of.descriptors + of.code.descriptors(),
            first,
            handles: handles.collect(),
            arrays,
            first_array: last.map_or(0, |last| last.first_array + last.arrays.len()),
        };
        self.callees.insert(caller.at, self.instances.len());
        self.instances.push(instance);
        self.instrs.extend_from_slice(code.instrs());
    }

    /// The routine's own register that holds what a register of an instance does in the whole of it.
    fn handle_of(&self, instance: usize, r: Reg, own: &[bool; 256]) -> Option<Reg> {
        if instance == 0 {
            return (!own[usize::from(r)]).then_some(r);
        }
        let of = &self.instances[instance];
        of.handles.iter().find(|(d, _)| *d == r).map(|pair| pair.1)
    }

    /// The register of the routine itself with the handle that a register of an instance holds; it must not be changed.
    pub(crate) fn handle(&self, instance: usize, h: Reg) -> Option<Reg> {
        self.handle_of(instance, h, &[false; 256])
    }

    /// The instance of the instruction at a position.
    pub(crate) fn instance_at(&self, position: usize) -> usize {
        self.instances.partition_point(|of| of.at <= position) - 1
    }

    /// The instance on which a call goes on.
    pub(crate) fn callee(&self, position: usize) -> Option<usize> {
        self.callees.get(&position).copied()
    }

    /// The place of a register of an instance.
    pub(crate) fn place(&self, instance: usize, r: Reg) -> Loc {
        self.instances[instance].first + Loc::from(r)
    }

    /// The cell of a register that holds a constant.
    pub(crate) fn constant(&self, instance: usize, r: Reg) -> Option<u64> {
        self.instances[instance].code.constant_register(r)
    }

    /// The instance of a place that is a register, and the register.
    fn register(&self, loc: Loc) -> Option<(usize, Reg)> {
        if loc < CALLEES {
            return Reg::try_from(loc).ok().map(|r| (0, r));
        }
        let instance = 1 + self.instances[1..].partition_point(|of| of.first <= loc);
        let instance = instance.checked_sub(1).filter(|&k| k > 0)?;
        Some((
            instance,
            Reg::try_from(loc - self.instances[instance].first).ok()?,
        ))
    }

    /// The register at a place, from those of the routine itself.
    pub(crate) fn register_at(&self, loc: Loc) -> usize {
        let (instance, r) = self.register(loc).unwrap_or_default();
        self.instances[instance].registers + usize::from(r)
    }

    /// The constant at a place that is a register.
    pub(crate) fn constant_at(&self, loc: Loc) -> Option<u64> {
        let (instance, r) = self.register(loc)?;
        self.constant(instance, r)
    }

    /// The position of a target.
    pub(crate) fn target(&self, instance: usize, t: Target) -> usize {
        self.instances[instance].at + t as usize
    }

    /// The registers that a call of an instance sets, other than constants.
    pub(crate) fn set_by_call(&self, instance: usize) -> impl Iterator<Item = Reg> {
        let code = self.instances[instance].code;
        let homes = code.homes().iter().filter_map(|home| match *home {
            ParameterHome::Register(d) => Some(d),
            ParameterHome::Frame(_) | ParameterHome::Staged(_) => None,
        });
        let locals = (0..code.template().len()).map(|r| r as Reg);
        locals
            .chain(homes)
            .filter(|&r| code.constant_register(r).is_none())
    }

    /// The number of an array among those of the bindings of all instances.
    pub(crate) fn array(&self, instance: usize, arr: Arr) -> Option<usize> {
        let of = &self.instances[instance];
        let own = of.arrays.iter().position(|view| view.arr == arr)?;
        Some(of.first_array + own)
    }

    /// Number of arrays of the bindings of all instances.
    pub(crate) fn arrays(&self) -> usize {
        self.instances
            .last()
            .map_or(0, |last| last.first_array + last.arrays.len())
    }
}
