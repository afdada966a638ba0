//! The register code: 8-byte instructions over a window of 256 cells.
//!
//! A frame's registers are a window `[u64; 256]` of the register stack, indexed by a byte, so that
//! register access needs no bounds test. Arrays and scalars whose address is taken live in cell
//! memory; arrays are reached through descriptors ([`Arr`]), addressed scalars through a register that
//! holds a cell address. Rare or big operations ([`Instr::Ext`]) lie in a side table.

mod ext;
mod regions;

use std::sync::Arc;

pub use ext::{CallInfo, Extent, MayOverlap, Operation, Passed, View};
pub(crate) use ext::{Ext, SubReg};
pub(crate) use regions::{Back, Region, regions};

use cfg_core::{
    entity::{VarId, VertexId},
    ir::{AnyInt, Conversion, IntType, Op},
};

/// A register of the frame's window.
pub type Reg = u8;
/// A descriptor of the frame, by position. A descriptor of rank r takes `max(1, ceil(r/2))` positions.
pub type Arr = u16;
/// Position of an instruction; while compiling, a label.
pub type Target = u32;

/// The comparison of two operands; "greater" is "less" with the operands swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cmp {
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
}

/// One instruction; each is one step. Field names: `d` destination, `a b c` operands, `s` stored value, `t` target,
/// `p` register with a cell address, `i j` subscripts with small constant offsets `u v`.
#[allow(missing_docs, reason = "the head has the meaning of the fields' names")]
#[derive(Clone, Copy, Debug)]
pub enum Instr {
    /// A copy.
    Mov { d: Reg, a: Reg },
    /// A constant, by its position among those of the routine.
    Const { d: Reg, k: u32 },
    // Reals.
    /// `a + b`, reals.
    AddF { d: Reg, a: Reg, b: Reg },
    /// `a - b`, reals.
    SubF { d: Reg, a: Reg, b: Reg },
    /// `a*b`, reals.
    MulF { d: Reg, a: Reg, b: Reg },
    /// `a/b`, reals.
    DivF { d: Reg, a: Reg, b: Reg },
    /// `-a`, a real.
    NegF { d: Reg, a: Reg },
    /// `a*b + c`, rounded twice.
    MulAdd { d: Reg, a: Reg, b: Reg, c: Reg },
    /// `a*b - c`, rounded twice.
    MulSub { d: Reg, a: Reg, b: Reg, c: Reg },
    /// `c - a*b`, rounded twice.
    SubMul { d: Reg, a: Reg, b: Reg, c: Reg },
    /// 0 if `a` is 0, else `a*b`.
    StrongMul { d: Reg, a: Reg, b: Reg },
    /// `c`, plus `a*b` if `a` is not 0.
    StrongMulAdd { d: Reg, a: Reg, b: Reg, c: Reg },
    /// `a*b + c`, rounded once.
    Fma { d: Reg, a: Reg, b: Reg, c: Reg },
    /// `a*b + c` of 32-bit reals, rounded once.
    Fma32 { d: Reg, a: Reg, b: Reg, c: Reg },
    /// Rounds a real to 32 bits.
    Round32 { d: Reg },
    /// A function of one real, by its position in the table of functions.
    Real1 { f: u8, d: Reg, a: Reg },
    /// A function of two reals, by its position in the table of functions.
    Real2 { f: u8, d: Reg, a: Reg, b: Reg },
    /// Real to an integer power.
    PowI { d: Reg, a: Reg, b: Reg },
    /// `polygamma(n, x)`.
    Polygamma { d: Reg, a: Reg, b: Reg },
    // Integers.
    /// `a + b`, integers; fails on overflow, as all operators of integers do.
    AddI { d: Reg, a: Reg, b: Reg },
    /// `a + k`, integers.
    AddConst { d: Reg, a: Reg, k: i32 },
    /// `a - b`, integers.
    SubI { d: Reg, a: Reg, b: Reg },
    /// `a*b`, integers.
    MulI { d: Reg, a: Reg, b: Reg },
    /// An operator of one integer.
    Int1 { op: Op, d: Reg, a: Reg },
    /// An operator of two integers.
    Int2 { op: Op, d: Reg, a: Reg, b: Reg },
    /// Passes of a counted loop from `a` to `b` in steps of `c`.
    Trips { d: Reg, a: Reg, b: Reg, c: Reg },
    /// An operator of one integer of another type than `integer`.
    Sized1 { op: Op, ty: IntType, d: Reg, a: Reg },
    /// An operator of two integers of another type than `integer`.
    Sized2 {
        op: Op,
        ty: IntType,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Fails if a number from a tape is no value of the type.
    Fit { ty: IntType, d: Reg },
    // Conversions.
    /// A conversion between integer types.
    IntToInt {
        how: Conversion,
        to: AnyInt,
        from: AnyInt,
        d: Reg,
        a: Reg,
    },
    /// A conversion of a real to any integer type; [`Self::RealToInt`] is the common one.
    RealToAnyInt {
        how: Conversion,
        to: AnyInt,
        d: Reg,
        a: Reg,
    },
    /// A `uint64` as a real.
    UintToReal { d: Reg, a: Reg },
    /// A `uint64` as a 32-bit real, rounded once.
    UintToReal32 { d: Reg, a: Reg },
    /// An integer as a real.
    IntToReal { d: Reg, a: Reg },
    /// An integer as a 32-bit real, rounded once.
    IntToReal32 { d: Reg, a: Reg },
    /// A real as an integer: its whole part.
    RealToInt { d: Reg, a: Reg },
    /// True if a real is not 0.
    RealToLogical { d: Reg, a: Reg },
    /// True if an integer is not 0.
    IntToLogical { d: Reg, a: Reg },
    /// 0 or 1.
    LogicalToInt { d: Reg, a: Reg },
    /// 0.0 or 1.0.
    LogicalToReal { d: Reg, a: Reg },
    // Comparisons and logicals.
    /// A comparison of reals.
    CmpF { cmp: Cmp, d: Reg, a: Reg, b: Reg },
    /// A comparison of integers.
    CmpI { cmp: Cmp, d: Reg, a: Reg, b: Reg },
    /// A comparison without signs.
    CmpU { cmp: Cmp, d: Reg, a: Reg, b: Reg },
    /// A comparison of logicals.
    CmpL { cmp: Cmp, d: Reg, a: Reg, b: Reg },
    /// The other logical.
    Not { d: Reg, a: Reg },
    // Jumps.
    /// A jump.
    Jump { t: Target },
    /// A jump if `a` is true.
    JumpTrue { a: Reg, t: Target },
    /// A jump if `a` is false.
    JumpFalse { a: Reg, t: Target },
    /// A jump without an error for an uninitialised logical.
    JumpIfNot { a: Reg, value: u8, t: Target },
    /// A jump if `a < b`, reals.
    JumpLtF { a: Reg, b: Reg, t: Target },
    /// A jump if `a <= b`, reals.
    JumpLeF { a: Reg, b: Reg, t: Target },
    /// A jump if `a = b`, reals.
    JumpEqF { a: Reg, b: Reg, t: Target },
    /// A jump unless `a < b`, reals.
    JumpNotLtF { a: Reg, b: Reg, t: Target },
    /// A jump unless `a <= b`, reals.
    JumpNotLeF { a: Reg, b: Reg, t: Target },
    /// A jump unless `a = b`, reals.
    JumpNeF { a: Reg, b: Reg, t: Target },
    /// A jump if `a < b`, integers.
    JumpLtI { a: Reg, b: Reg, t: Target },
    /// A jump if `a <= b`, integers.
    JumpLeI { a: Reg, b: Reg, t: Target },
    /// A jump if `a = b`, integers.
    JumpEqI { a: Reg, b: Reg, t: Target },
    /// A jump unless `a = b`, integers.
    JumpNeI { a: Reg, b: Reg, t: Target },
    /// A jump by a table of the routine.
    Switch { a: Reg, table: u32 },
    // Memory.
    /// Loads from the frame's memory.
    LoadFrame { d: Reg, at: u32 },
    /// Stores into the frame's memory.
    StoreFrame { s: Reg, at: u32 },
    /// Loads from a fixed address.
    LoadGlobal { d: Reg, at: u32 },
    /// Stores at a fixed address.
    StoreGlobal { s: Reg, at: u32 },
    /// Loads from the address in `p`.
    LoadAt { d: Reg, p: Reg },
    /// Stores at the address in `p`.
    StoreAt { p: Reg, s: Reg },
    /// Loads an element of an array of one dimension.
    Load1 { d: Reg, i: Reg, u: i8, arr: Arr },
    /// Stores an element of an array of one dimension.
    Store1 { s: Reg, i: Reg, u: i8, arr: Arr },
    /// Loads an element of an array of two dimensions.
    Load2 {
        d: Reg,
        i: Reg,
        j: Reg,
        u: i8,
        v: i8,
        arr: Arr,
    },
    /// Stores an element of an array of two dimensions.
    Store2 {
        s: Reg,
        i: Reg,
        j: Reg,
        u: i8,
        v: i8,
        arr: Arr,
    },
    /// Cell address of an element.
    Addr1 { d: Reg, i: Reg, u: i8, arr: Arr },
    /// Cell address of an element of two dimensions.
    Addr2 {
        d: Reg,
        i: Reg,
        j: Reg,
        u: i8,
        v: i8,
        arr: Arr,
    },
    /// Cell address of the first element.
    Base { d: Reg, arr: Arr },
    /// Adds subscript `i` along one dimension to an address.
    AddrAxis { d: Reg, i: Reg, axis: u8, arr: Arr },
    /// Cell address of a scalar in the frame's memory.
    FrameAddr { d: Reg, at: u32 },
    /// `element += s`, reals.
    Inc1 { s: Reg, i: Reg, u: i8, arr: Arr },
    /// `element += s`, reals, in two dimensions.
    Inc2 {
        s: Reg,
        i: Reg,
        j: Reg,
        u: i8,
        v: i8,
        arr: Arr,
    },
    /// `element += strong product`.
    IncStrong1 {
        a: Reg,
        b: Reg,
        i: Reg,
        u: i8,
        arr: Arr,
    },
    /// `element += strong product`, in two dimensions.
    IncStrong2 {
        a: Reg,
        b: Reg,
        i: Reg,
        j: Reg,
        arr: Arr,
    },
    /// `cell += s`, reals.
    IncAt { p: Reg, s: Reg },
    /// Moves an address by one element along a dimension.
    Advance { p: Reg, axis: u8, arr: Arr },
    /// Loads, and moves the address by one element along a dimension.
    LoadNext { d: Reg, p: Reg, axis: u8, arr: Arr },
    /// Stores, and moves the address by one element along a dimension.
    StoreNext { p: Reg, s: Reg, axis: u8, arr: Arr },
    /// `element += s`, reals, and moves the address.
    IncNext { p: Reg, s: Reg, axis: u8, arr: Arr },
    /// Moves an address back to the start of a dimension.
    Rewind { p: Reg, axis: u8, arr: Arr },
    /// The extent of a dimension.
    Extent { d: Reg, axis: u8, arr: Arr },
    // Counted loops. `q` holds the passes left (at `LoopInit`: the bound), `q + 1` the step.
    /// Enters a counted loop; jumps if there is no pass.
    LoopInit {
        q: Reg,
        index: Reg,
        first: Reg,
        t: Target,
    },
    /// Enters a counted loop whose step is 1.
    LoopInit1 {
        q: Reg,
        index: Reg,
        first: Reg,
        t: Target,
    },
    /// Goes on to the next pass of a counted loop, if there is one.
    LoopNext { q: Reg, index: Reg, t: Target },
    /// Goes on to the next pass of a counted loop whose step is 1.
    LoopNext1 { q: Reg, index: Reg, t: Target },
    /// Decrements and jumps unless 0.
    CountDown { c: Reg, t: Target },
    // Tapes; `h` holds the tape's handle.
    /// Pushes a real.
    PushReal { h: Reg, s: Reg },
    /// Pops a real.
    PopReal { h: Reg, d: Reg },
    /// Pushes a 32-bit real.
    PushReal32 { h: Reg, s: Reg },
    /// Pops a 32-bit real.
    PopReal32 { h: Reg, d: Reg },
    /// Pushes an integer.
    PushInt { h: Reg, s: Reg },
    /// Pops an integer.
    PopInt { h: Reg, d: Reg },
    /// Pushes a control value of a fixed width.
    PushBits { h: Reg, s: Reg, bits: u8 },
    /// Pops a control value of a fixed width.
    PopBits { h: Reg, d: Reg, bits: u8 },
    /// Pushes a logical.
    PushLogical { h: Reg, s: Reg },
    /// Pops a logical.
    PopLogical { h: Reg, d: Reg },
    /// Pushes a count, which takes as many bits as it needs.
    PushCount { h: Reg, s: Reg },
    /// Pops a count.
    PopCount { h: Reg, d: Reg },
    // The rest.
    /// Notes a visit of a vertex; no step.
    Visit { v: u32 },
    /// An operation of the side table.
    Ext { k: u32 },
    /// Leaves the routine.
    Return,
}

/// A stack of a tape with its encoding, as runs need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackClass {
    Real,
    Real32,
    Integer,
    Sized(IntType),
    Logical,
    Bits(u8),
    Count,
    Disk,
}

/// Jump table of a multi-way branch.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Ranges of values (first, last) with their targets, in ascending order, not overlapping.
    pub cases: Vec<(i64, i64, Target)>,
    /// The target of all other values; without one they are an error.
    pub default: Option<Target>,
}

/// The place of an argument in the callee's frame.
#[derive(Clone, Copy, Debug)]
pub enum ParameterHome {
    /// A register.
    Register(Reg),
    /// A cell of the frame's memory.
    Frame(u32),
    /// An array by its number among those that wait to be bound.
    Staged(u16),
}

/// The code of one routine.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// A number that no other code of this process has, copies aside.
    pub(crate) identity: u64,
    pub(crate) instrs: Vec<Instr>,
    pub(crate) ext: Vec<Ext>,
    pub(crate) consts: Vec<u64>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) homes: Vec<ParameterHome>,
    /// Initial contents of the first registers: constants and uninitialised locals.
    pub(crate) template: Vec<u64>,
    /// The registers that hold constants, which no instruction writes.
    pub(crate) constants: std::ops::Range<usize>,
    pub(crate) registers: usize,
    pub(crate) descriptors: usize,
    pub(crate) staged: usize,
    /// Each parameter that is an array of explicit shape.
    pub(crate) explicit: Vec<Option<View>>,
    /// Initial contents of the frame's memory.
    pub(crate) frame: Vec<u64>,
    /// Register of a scalar result at the return.
    pub(crate) result: Option<Reg>,
    /// First instruction of each place, ascending: vertex and statement (from 0; none for the vertex itself).
    pub(crate) places: Vec<(u32, Option<VertexId>, Option<u32>)>,
    /// True if the graph is structured.
    pub(crate) nested: bool,
    /// The places to which the code jumps back, and the jumps.
    pub(crate) regions: Vec<Region>,
    pub(crate) backs: Vec<Back>,
    /// Variables of the descriptors.
    pub(crate) array_names: Vec<(Arr, VarId)>,
}

impl Code {
    /// A number that only this code and its copies have in this process: machine code is made from one code, and may
    /// run for no other.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// The instructions.
    pub fn instrs(&self) -> &[Instr] {
        &self.instrs
    }

    /// The cell of [`Instr::Const`].
    pub fn constant(&self, k: u32) -> u64 {
        self.consts[k as usize]
    }

    /// The table of [`Instr::Switch`].
    pub fn switch(&self, table: u32) -> &Switch {
        &self.switches[table as usize]
    }

    /// The cell of a register that holds a constant in every call; `None` of other registers.
    pub fn constant_register(&self, r: Reg) -> Option<u64> {
        let r = usize::from(r);
        self.constants.contains(&r).then(|| self.template[r])
    }

    /// Number of registers.
    pub fn registers(&self) -> usize {
        self.registers
    }

    /// The register of the result.
    pub fn result(&self) -> Option<Reg> {
        self.result
    }

    /// Number of positions of descriptors.
    pub fn descriptors(&self) -> usize {
        self.descriptors
    }

    /// Initial contents of the first registers, among them the constants.
    pub fn template(&self) -> &[u64] {
        &self.template
    }

    /// Initial contents of the frame's memory.
    pub fn frame(&self) -> &[u64] {
        &self.frame
    }

    /// The place of each argument.
    pub fn homes(&self) -> &[ParameterHome] {
        &self.homes
    }

    /// The operation of an [`Instr::Ext`].
    pub fn operation(&self, k: u32) -> Operation<'_> {
        self.ext[k as usize].operation()
    }

    /// Calls `read` for each register that the operation of an [`Instr::Ext`] reads.
    pub fn for_each_read(&self, k: u32, read: &mut dyn FnMut(Reg)) {
        self.ext[k as usize].for_each_read(read);
    }

    /// The place other than the next instruction where a run may go on after the operation of an [`Instr::Ext`].
    pub fn other_target(&self, k: u32) -> Option<Target> {
        self.ext[k as usize].clone().target_mut().copied()
    }

    /// True if faults in the routine may lead to a place in it.
    pub fn has_handlers(&self) -> bool {
        self.ext.iter().any(|ext| matches!(ext, Ext::Try { .. }))
    }
}

impl Instr {
    /// The jump target of an instruction that has one.
    pub fn target(mut self) -> Option<Target> {
        self.target_mut().copied()
    }

    /// The jump target, to turn a label into a position.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions go on with the next one"
    )]
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Self::Jump { t }
            | Self::JumpTrue { t, .. }
            | Self::JumpFalse { t, .. }
            | Self::JumpIfNot { t, .. }
            | Self::JumpLtF { t, .. }
            | Self::JumpLeF { t, .. }
            | Self::JumpEqF { t, .. }
            | Self::JumpNotLtF { t, .. }
            | Self::JumpNotLeF { t, .. }
            | Self::JumpNeF { t, .. }
            | Self::JumpLtI { t, .. }
            | Self::JumpLeI { t, .. }
            | Self::JumpEqI { t, .. }
            | Self::JumpNeI { t, .. }
            | Self::LoopInit { t, .. }
            | Self::LoopInit1 { t, .. }
            | Self::LoopNext { t, .. }
            | Self::LoopNext1 { t, .. }
            | Self::CountDown { t, .. } => Some(t),
            _ => None,
        }
    }
}

/// A function of the host that stands for an external routine: real arguments to a real result.
pub type Callback = Arc<dyn Fn(&[f64]) -> f64 + Send + Sync>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_take_eight_bytes() {
        assert_eq!(size_of::<Instr>(), 8);
    }
}
