//! Register code as functions of Cranelift.
//!
//! Machine code stops with the state that the executor would have. Instructions without effects on memory and tapes
//! form *segments*: whatever stops machine code within one leads to the same exit, which saves the state of the
//! segment's begin; the executor repeats the segment. So a NaN need not be found where it arises: it runs through
//! sums and products, and only what comes out is tested, before the segment's effect.
//!
//! An integer beyond ±2^62 stops machine code too. The pattern of uninitialised integers lies beyond, and sums of two
//! smaller ones do not overflow: one test does for both.

mod arrays;
mod calls;
mod control;
mod memory;
mod numbers;
mod tapes;

use std::collections::{HashMap, HashSet};

use cfg_exec::native::{Code, Instr, Reg};
use cranelift_codegen::ir::{
    self, AbiParam, AliasRegion, BlockArg, Function, InstBuilder, MemFlags, Signature, Type, Value,
    condcodes::FloatCC,
    types::{F64, I64},
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};

use crate::{
    context::{self, Layout},
    flow::Flow,
    loops::{Loop, loops},
    operands::{Access, Bank, for_each, written},
    places::{self, Loc, MOST, Set},
    stacks::Stacks,
    unit::Unit,
};
use arrays::Array;
use calls::Called;

/// Most instructions of a segment, so that values which only its exit needs do not take up registers for long.
const SEGMENT: usize = 24;
/// Most unsaved places between blocks of a large routine.
const UNSAVED: usize = 16;

/// A value of a place, in the banks where it is at hand.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    real: Option<Value>,
    word: Option<Value>,
    /// A truth value of one byte.
    flag: Option<Value>,
    constant: Option<u64>,
}

impl Cell {
    fn real(x: Value) -> Self {
        Self {
            real: Some(x),
            ..Self::default()
        }
    }

    fn word(x: Value) -> Self {
        Self {
            word: Some(x),
            ..Self::default()
        }
    }

    fn constant(cell: u64) -> Self {
        Self {
            constant: Some(cell),
            ..Self::default()
        }
    }
}

/// A place where machine code stops.
struct Exit {
    block: ir::Block,
    position: usize,
    /// Steps that are left behind the block, and those of the block from the place on.
    fuel: (Value, i64),
    saves: Vec<(Loc, Cell)>,
}

/// The begin of the current segment.
struct Segment {
    pc: usize,
    /// Steps that are left behind the block, and those of the block from the begin on.
    fuel: (Value, i64),
    /// The values to be saved if machine code stops within the segment.
    saves: Vec<(Loc, Cell)>,
    exit: Option<ir::Block>,
}

/// The result of translation, besides the function.
pub(crate) struct Translated {
    /// Parts of descriptors that the code reads, with the number of dimensions by which it reads elements.
    pub(crate) parts: Vec<(usize, usize)>,
    /// The number of each entry, by instruction.
    pub(crate) entries: Vec<Option<u32>>,
    /// Cells that there must be from the begin of memory.
    pub(crate) cells: usize,
}

/// A routine to be translated.
pub(crate) struct Subject<'a> {
    pub(crate) unit: &'a Unit<'a>,
    pub(crate) flow: &'a Flow,
    pub(crate) stacks: &'a Stacks,
    pub(crate) layout: Layout,
    /// The instructions, in a copy that the function reads while it runs.
    pub(crate) instrs: &'a [Instr],
}

/// The signature of machine code: context, window, cells, the frame's cells, and the number of an entry.
pub(crate) fn signature(call_conv: CallConv, pointer: Type) -> Signature {
    let mut signature = Signature::new(call_conv);
    let parameters = [pointer, pointer, pointer, pointer, I64];
    signature.params.extend(parameters.map(AbiParam::new));
    signature
}

struct Translator<'a, 'f> {
    subject: &'a Subject<'a>,
    b: FunctionBuilder<'f>,
    blocks: Vec<ir::Block>,
    context: Value,
    window: Value,
    cells: Value,
    frame: Value,
    variables: Vec<Option<Variable>>,
    /// The bank in which a place's value goes from block to block.
    banks: Vec<Type>,
    /// True of a register that is the index of counted loops alone: it enters loops within ±2^60, and no run is so long
    /// that it leaves ±2^61.
    is_index: Vec<bool>,
    /// The instance of the current block, and what is known of all instances so far.
    instance: usize,
    called: Vec<Option<Called>>,
    arrays: Vec<Option<Array>>,
    /// Values of places in the current block.
    values: Vec<Option<Cell>>,
    /// Places whose value in the current block is not that of the variable.
    changed: Set,
    unsaved: Set,
    /// The current block of the routine.
    at: usize,
    /// The current instruction.
    pc: usize,
    /// Steps that are left behind the current block.
    fuel: Value,
    segment: Segment,
    /// Values to be tested for NaN before the segment's effect.
    doubtful: Vec<Value>,
    /// Loops by block.
    loops: Vec<Option<Loop>>,
    /// Subscripts that have been tested in the current block: array, dimension, value and constant.
    tested: HashSet<(u16, usize, Value, i8)>,
    /// Integers |x| < 2^n by value, in the current block.
    small: HashMap<Value, u32>,
    exits: Vec<Exit>,
    parts: Vec<(usize, usize)>,
    part_at: HashMap<usize, usize>,
    cells_needed: usize,
    signatures: HashMap<(Vec<Type>, Type), ir::SigRef>,
}

/// The bank in which each place's value goes from block to block: that of reals if all instructions that do more than
/// move the value have it there.
fn banks(unit: &Unit<'_>) -> Vec<Type> {
    let mut votes = vec![(0u32, 0u32); usize::from(MOST)];
    for (instance, of) in unit.instances.iter().enumerate() {
        for &instr in of.code.instrs() {
            for_each(instr, &mut |_, r, bank| {
                let votes = &mut votes[usize::from(unit.place(instance, r))];
                match bank {
                    Bank::Real => votes.0 += 1,
                    Bank::Word => votes.1 += 1,
                    Bank::Any => {}
                }
            });
        }
    }
    let of = |(reals, words)| if reals > 0 && words == 0 { F64 } else { I64 };
    votes.into_iter().map(of).collect()
}

/// True of each register that only counted loops write, as their index.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other instructions have no index"
)]
fn indices(unit: &Unit<'_>) -> Vec<bool> {
    let mut index = vec![false; usize::from(MOST)];
    let mut other = index.clone();
    for (instance, of) in unit.instances.iter().enumerate() {
        for &instr in of.code.instrs() {
            let own = match instr {
                Instr::LoopInit1 { index, .. } | Instr::LoopNext1 { index, .. } => Some(index),
                _ => None,
            };
            written(instr, |r, _| {
                let kind = if own == Some(r) {
                    &mut index
                } else {
                    &mut other
                };
                kind[usize::from(unit.place(instance, r))] = true;
            });
        }
        if instance > 0 {
            unit.set_by_call(instance)
                .for_each(|r| other[usize::from(unit.place(instance, r))] = true);
        }
        if let Some(caller) = of.caller
            && let Some(d) = caller.info.result
        {
            other[usize::from(unit.place(caller.instance, d))] = true;
        }
    }
    index
        .iter()
        .zip(other)
        .map(|(&index, other)| index && !other)
        .collect()
}

/// Translates a routine into a function with the [`signature`].
pub(crate) fn translate(
    subject: &Subject<'_>,
    function: &mut Function,
    context: &mut FunctionBuilderContext,
) -> Translated {
    let mut b = FunctionBuilder::new(function, context);
    let head = b.create_block();
    b.append_block_params_for_function_params(head);
    b.switch_to_block(head);
    let parameters = b.block_params(head).to_vec();
    let blocks = subject
        .flow
        .blocks
        .iter()
        .map(|_| b.create_block())
        .collect();
    let mut t = Translator {
        subject,
        blocks,
        context: parameters[0],
        window: parameters[1],
        cells: parameters[2],
        frame: parameters[3],
        variables: vec![None; usize::from(MOST)],
        banks: banks(subject.unit),
        is_index: indices(subject.unit),
        instance: 0,
        called: subject.unit.instances.iter().map(|_| None).collect(),
        arrays: (0..subject.unit.arrays()).map(|_| None).collect(),
        values: vec![None; usize::from(MOST)],
        changed: Set::default(),
        unsaved: Set::default(),
        at: 0,
        pc: 0,
        fuel: parameters[4],
        segment: Segment {
            pc: 0,
            fuel: (parameters[4], 0),
            saves: Vec::new(),
            exit: None,
        },
        doubtful: Vec::new(),
        loops: loops(subject.unit, subject.flow),
        tested: HashSet::new(),
        small: HashMap::new(),
        exits: Vec::new(),
        parts: Vec::new(),
        part_at: HashMap::new(),
        cells_needed: 0,
        signatures: HashMap::new(),
        b,
    };
    let entries = t.entries(parameters[4]);
    for k in 0..subject.flow.blocks.len() {
        t.block(k);
    }
    t.leave_by_exits();
    t.b.seal_all_blocks();
    t.b.finalize();
    Translated {
        parts: t.parts,
        entries,
        cells: t.cells_needed,
    }
}

impl<'a> Translator<'a, '_> {
    fn unit(&self) -> &'a Unit<'a> {
        self.subject.unit
    }

    /// The code of the current instance.
    fn code(&self) -> &'a Code {
        self.unit().instances[self.instance].code
    }

    /// The place of a register of the current instance.
    fn place(&self, r: Reg) -> Loc {
        self.unit().place(self.instance, r)
    }

    /// The constant at a place.
    fn constant(&self, loc: Loc) -> Option<u64> {
        self.unit().constant_at(loc)
    }

    // --- homes of values ---------------------------------------------------------------------

    /// Flags of an access to the context or the window.
    fn own() -> MemFlags {
        MemFlags::trusted().with_alias_region(Some(AliasRegion::Vmctx))
    }

    /// A word of the context that stays the same from the entry to the exit.
    fn fixed(&mut self, word: usize) -> Value {
        let flags = MemFlags::trusted().with_readonly().with_can_move();
        self.b.ins().load(I64, flags, self.context, 8 * word as i32)
    }

    /// The address of the saved value of a place.
    fn home(&self, loc: Loc) -> (Value, i32) {
        match places::stack_of(loc) {
            Some(stack) => (
                self.context,
                8 * (context::stack(stack) + context::TOP) as i32,
            ),
            None if loc == places::FUEL => (self.context, 8 * context::FUEL as i32),
            None => (self.window, 8 * self.unit().register_at(loc) as i32),
        }
    }

    fn load_home(&mut self, loc: Loc, ty: Type) -> Value {
        let (base, offset) = self.home(loc);
        self.b.ins().load(ty, Self::own(), base, offset)
    }

    fn save(&mut self, loc: Loc, cell: Cell) {
        let (base, offset) = self.home(loc);
        let x = self.in_some_bank(cell);
        self.b.ins().store(Self::own(), x, base, offset);
    }

    fn variable(&mut self, loc: Loc) -> Variable {
        let ty = self.banks[usize::from(loc)];
        let b = &mut self.b;
        *self.variables[usize::from(loc)].get_or_insert_with(|| b.declare_var(ty))
    }

    // --- values ------------------------------------------------------------------------------

    /// The value of a place, wherever it is.
    fn get(&mut self, loc: Loc, bank: Type) -> Cell {
        if let Some(cell) = self.values[usize::from(loc)] {
            return cell;
        }
        if let Some(cell) = self.constant(loc) {
            return Cell::constant(cell);
        }
        let carried = self.subject.flow.blocks[self.at].carried.contains(loc);
        let x = if carried {
            let variable = self.variable(loc);
            self.b.use_var(variable)
        } else {
            self.load_home(loc, bank)
        };
        if self
            .is_index
            .get(usize::from(loc))
            .copied()
            .unwrap_or(false)
            && carried
        {
            self.small.insert(x, 61);
        }
        let is_real = self.b.func.dfg.value_type(x) == F64;
        let cell = if is_real {
            Cell::real(x)
        } else {
            Cell::word(x)
        };
        self.values[usize::from(loc)] = Some(cell);
        cell
    }

    fn set(&mut self, loc: Loc, cell: Cell) {
        self.values[usize::from(loc)] = Some(cell);
        self.changed.insert(loc);
        self.unsaved.insert(loc);
    }

    fn as_real(&mut self, cell: Cell) -> Value {
        match (cell.real, cell.constant) {
            (Some(x), _) => x,
            (None, Some(k)) => self.b.ins().f64const(f64::from_bits(k)),
            (None, None) => {
                let x = self.as_word(cell);
                self.b.ins().bitcast(F64, MemFlags::new(), x)
            }
        }
    }

    fn as_word(&mut self, cell: Cell) -> Value {
        match (cell.word, cell.flag, cell.constant, cell.real) {
            (Some(x), ..) => x,
            (None, Some(flag), ..) => self.b.ins().uextend(I64, flag),
            (None, None, Some(k), _) => {
                let x = self.b.ins().iconst(I64, k as i64);
                let magnitude = (k as i64).unsigned_abs();
                if magnitude < 1 << 62 {
                    self.small.insert(x, 64 - magnitude.leading_zeros());
                }
                x
            }
            (None, None, None, Some(x)) => self.b.ins().bitcast(I64, MemFlags::new(), x),
            // A cell has at least one of these.
            (None, None, None, None) => self.b.ins().iconst(I64, 0),
        }
    }

    fn in_some_bank(&mut self, cell: Cell) -> Value {
        match cell.real.or(cell.word) {
            Some(x) => x,
            None => self.as_word(cell),
        }
    }

    fn real(&mut self, r: Reg) -> Value {
        let loc = self.place(r);
        let cell = self.get(loc, F64);
        let x = self.as_real(cell);
        if let Some(known) = &mut self.values[usize::from(loc)] {
            known.real = Some(x);
        }
        x
    }

    fn word(&mut self, r: Reg) -> Value {
        let loc = self.place(r);
        let cell = self.get(loc, I64);
        let x = self.as_word(cell);
        if let Some(known) = &mut self.values[usize::from(loc)] {
            known.word = Some(x);
        }
        x
    }

    fn set_real(&mut self, d: Reg, x: Value) {
        self.set(self.place(d), Cell::real(x));
    }

    fn set_word(&mut self, d: Reg, x: Value) {
        self.set(self.place(d), Cell::word(x));
    }

    fn set_flag(&mut self, d: Reg, flag: Value) {
        let cell = Cell {
            flag: Some(flag),
            ..Cell::default()
        };
        self.set(self.place(d), cell);
    }

    /// The bank in which a loaded value will be wanted, as far as a look ahead in the block shows.
    fn bank_of_load(&self, d: Reg) -> Type {
        let block = &self.subject.flow.blocks[self.at];
        let ahead = &self.unit().instrs[self.pc + 1..block.to];
        for &instr in ahead.iter().take(SEGMENT) {
            let mut found = None;
            for_each(instr, &mut |access, r, bank| {
                if r == d && found.is_none() {
                    found = match (access, bank) {
                        (Access::Read, Bank::Real) => Some(F64),
                        (Access::Read, Bank::Word) => Some(I64),
                        (Access::Read, Bank::Any) => None,
                        (Access::Write, _) => Some(I64),
                    };
                }
            });
            if let Some(ty) = found {
                return ty;
            }
        }
        self.banks[usize::from(self.place(d))]
    }

    // --- segments ----------------------------------------------------------------------------

    /// Begins a segment at an instruction.
    fn begin_segment(&mut self, pc: usize) {
        let places = self.unsaved.intersection(&self.subject.flow.needed[pc]);
        let saves = places.iter().map(|loc| {
            let bank = self.banks[usize::from(loc)];
            (loc, self.get(loc, bank))
        });
        let saves = saves.collect();
        self.segment = Segment {
            pc,
            fuel: self.fuel_at(pc),
            saves,
            exit: None,
        };
    }

    /// The steps that are left behind the current block, and those of the block from an instruction on.
    fn fuel_at(&self, pc: usize) -> (Value, i64) {
        let block = &self.subject.flow.blocks[self.at];
        (self.fuel, (block.to - pc + self.more_steps()) as i64)
    }

    /// The block that stops at the begin of the segment.
    fn exit(&mut self) -> ir::Block {
        if let Some(exit) = self.segment.exit {
            return exit;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.segment.exit = Some(block);
        self.exits.push(Exit {
            block,
            position: self.segment.pc,
            fuel: self.segment.fuel,
            saves: std::mem::take(&mut self.segment.saves),
        });
        block
    }

    /// Stops at the begin of the segment if a condition holds.
    fn stop_if(&mut self, condition: Value) {
        let exit = self.exit();
        let next = self.b.create_block();
        self.b.ins().brif(condition, exit, &[], next, &[]);
        self.b.switch_to_block(next);
    }

    /// Stops if one of the doubtful values is NaN.
    fn test_doubtful(&mut self) {
        let doubtful = std::mem::take(&mut self.doubtful);
        for pair in doubtful.chunks(2) {
            let last = pair[pair.len() - 1];
            let is_nan = self.b.ins().fcmp(FloatCC::Unordered, pair[0], last);
            self.stop_if(is_nan);
        }
    }

    /// Ends the segment behind an effect of the current instruction.
    fn after_effect(&mut self) {
        if self.pc + 1 < self.subject.flow.blocks[self.at].to && !self.is_binding() {
            self.begin_segment(self.pc + 1);
        }
    }

    fn leave_by_exits(&mut self) {
        for exit in std::mem::take(&mut self.exits) {
            self.b.switch_to_block(exit.block);
            for (loc, cell) in exit.saves {
                if loc != places::FUEL {
                    self.save(loc, cell);
                }
            }
            self.stop(exit.position, exit.fuel);
        }
    }

    /// Stops in front of an instruction.
    fn stop(&mut self, position: usize, (fuel, rest): (Value, i64)) {
        let instance = self.unit().instance_at(position);
        let pc = position - self.unit().instances[instance].at;
        let fuel = self.b.ins().iadd_imm(fuel, rest);
        self.save(places::FUEL, Cell::word(fuel));
        let at = self.b.ins().iconst(I64, pc as i64);
        let own = Self::own();
        self.b
            .ins()
            .store(own, at, self.context, 8 * context::PC as i32);
        if instance > 0 {
            let instance = self.b.ins().iconst(I64, instance as i64);
            self.b
                .ins()
                .store(own, instance, self.context, 8 * context::INSTANCE as i32);
        }
        self.b.ins().return_(&[]);
    }

    // --- calls -------------------------------------------------------------------------------

    /// Calls a function of this process.
    fn call(&mut self, address: usize, arguments: &[Value], result: Type) -> Value {
        let types: Vec<Type> = (arguments.iter())
            .map(|&x| self.b.func.dfg.value_type(x))
            .collect();
        let call_conv = self.b.func.signature.call_conv;
        let b = &mut self.b;
        let signature =
            *self
                .signatures
                .entry((types, result))
                .or_insert_with_key(|(types, result)| {
                    let mut signature = Signature::new(call_conv);
                    signature
                        .params
                        .extend(types.iter().copied().map(AbiParam::new));
                    signature.returns.push(AbiParam::new(*result));
                    b.import_signature(signature)
                });
        let callee = b.ins().iconst(I64, address as i64);
        let call = b.ins().call_indirect(signature, callee, arguments);
        b.inst_results(call)[0]
    }
}

/// Arguments of a block without parameters.
const NONE: &[BlockArg] = &[];
