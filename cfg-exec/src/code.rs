//! The register code: 8-byte instructions over a window of 256 cells.
//!
//! A frame's registers are a window `[u64; 256]` of the register stack, indexed by a byte, so that
//! register access needs no bounds test. Arrays and scalars whose address is taken live in cell
//! memory; arrays are reached through descriptors ([`Arr`]), addressed scalars through a register that
//! holds a cell address. Rare or big operations are [`Ext`] operations in a side table.

mod ext;
mod regions;

use std::sync::Arc;

pub(crate) use ext::{CallInfo, Ext, Extent, MayOverlap, Passed, SubReg, View};
pub(crate) use regions::{Back, Region, regions};

use cfg_core::{
    entity::{VarId, VertexId},
    ir::{AnyInt, Conversion, IntType, Op},
};

/// A register of the frame's window.
pub(crate) type Reg = u8;
/// A descriptor of the frame, by position. A descriptor of rank r takes `max(1, ceil(r/2))` positions.
pub(crate) type Arr = u16;
/// Position of an instruction; while compiling, a label.
pub(crate) type Target = u32;

/// The comparison of two operands; "greater" is "less" with the operands swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cmp {
    Lt,
    Le,
    Eq,
    Ne,
}

/// One instruction. Field names: `d` destination, `a b c` operands, `s` stored value, `t` target,
/// `p` register with a cell address, `i j` subscripts with small constant offsets `u v`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instr {
    Mov {
        d: Reg,
        a: Reg,
    },
    Const {
        d: Reg,
        k: u32,
    },
    // Reals.
    AddF {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SubF {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    MulF {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DivF {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    NegF {
        d: Reg,
        a: Reg,
    },
    /// `a*b + c`, rounded twice.
    MulAdd {
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// `a*b - c`, rounded twice.
    MulSub {
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// `c - a*b`, rounded twice.
    SubMul {
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// 0 if `a` is 0, else `a*b`.
    StrongMul {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// `c`, plus `a*b` if `a` is not 0.
    StrongMulAdd {
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// `a*b + c`, rounded once.
    Fma {
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Fma32 {
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Round32 {
        d: Reg,
    },
    /// A function of one real, by its position in the table of functions.
    Real1 {
        f: u8,
        d: Reg,
        a: Reg,
    },
    /// A function of two reals, by its position in the table of functions.
    Real2 {
        f: u8,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Real to an integer power.
    PowI {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// `polygamma(n, x)`.
    Polygamma {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    // Integers.
    AddI {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    AddConst {
        d: Reg,
        a: Reg,
        k: i32,
    },
    SubI {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    MulI {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Int1 {
        op: Op,
        d: Reg,
        a: Reg,
    },
    Int2 {
        op: Op,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Trips {
        d: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// An operator of one integer of another type than `integer`.
    Sized1 {
        op: Op,
        ty: IntType,
        d: Reg,
        a: Reg,
    },
    /// An operator of two integers of another type than `integer`.
    Sized2 {
        op: Op,
        ty: IntType,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Fails if a number from a tape is no value of the type.
    Fit {
        ty: IntType,
        d: Reg,
    },
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
    UintToReal {
        d: Reg,
        a: Reg,
    },
    /// A `uint64` as a 32-bit real, rounded once.
    UintToReal32 {
        d: Reg,
        a: Reg,
    },
    IntToReal {
        d: Reg,
        a: Reg,
    },
    IntToReal32 {
        d: Reg,
        a: Reg,
    },
    RealToInt {
        d: Reg,
        a: Reg,
    },
    RealToLogical {
        d: Reg,
        a: Reg,
    },
    IntToLogical {
        d: Reg,
        a: Reg,
    },
    LogicalToInt {
        d: Reg,
        a: Reg,
    },
    LogicalToReal {
        d: Reg,
        a: Reg,
    },
    // Comparisons and logicals.
    CmpF {
        cmp: Cmp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    CmpI {
        cmp: Cmp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// A comparison without signs.
    CmpU {
        cmp: Cmp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    CmpL {
        cmp: Cmp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Not {
        d: Reg,
        a: Reg,
    },
    // Jumps.
    Jump {
        t: Target,
    },
    JumpTrue {
        a: Reg,
        t: Target,
    },
    JumpFalse {
        a: Reg,
        t: Target,
    },
    /// A jump without an error for an uninitialised logical.
    JumpIfNot {
        a: Reg,
        value: u8,
        t: Target,
    },
    JumpLtF {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpLeF {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpEqF {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpNotLtF {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpNotLeF {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpNeF {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpLtI {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpLeI {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpEqI {
        a: Reg,
        b: Reg,
        t: Target,
    },
    JumpNeI {
        a: Reg,
        b: Reg,
        t: Target,
    },
    Switch {
        a: Reg,
        table: u32,
    },
    // Memory.
    LoadFrame {
        d: Reg,
        at: u32,
    },
    StoreFrame {
        s: Reg,
        at: u32,
    },
    LoadGlobal {
        d: Reg,
        at: u32,
    },
    StoreGlobal {
        s: Reg,
        at: u32,
    },
    LoadAt {
        d: Reg,
        p: Reg,
    },
    StoreAt {
        p: Reg,
        s: Reg,
    },
    Load1 {
        d: Reg,
        i: Reg,
        u: i8,
        arr: Arr,
    },
    Store1 {
        s: Reg,
        i: Reg,
        u: i8,
        arr: Arr,
    },
    Load2 {
        d: Reg,
        i: Reg,
        j: Reg,
        u: i8,
        v: i8,
        arr: Arr,
    },
    Store2 {
        s: Reg,
        i: Reg,
        j: Reg,
        u: i8,
        v: i8,
        arr: Arr,
    },
    /// Cell address of an element.
    Addr1 {
        d: Reg,
        i: Reg,
        u: i8,
        arr: Arr,
    },
    Addr2 {
        d: Reg,
        i: Reg,
        j: Reg,
        u: i8,
        v: i8,
        arr: Arr,
    },
    /// Cell address of the first element.
    Base {
        d: Reg,
        arr: Arr,
    },
    /// Adds subscript `i` along one dimension to an address.
    AddrAxis {
        d: Reg,
        i: Reg,
        axis: u8,
        arr: Arr,
    },
    /// Cell address of a scalar in the frame's memory.
    FrameAddr {
        d: Reg,
        at: u32,
    },
    /// `element += s`, reals.
    Inc1 {
        s: Reg,
        i: Reg,
        u: i8,
        arr: Arr,
    },
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
    IncStrong2 {
        a: Reg,
        b: Reg,
        i: Reg,
        j: Reg,
        arr: Arr,
    },
    IncAt {
        p: Reg,
        s: Reg,
    },
    /// Moves an address by one element along a dimension.
    Advance {
        p: Reg,
        axis: u8,
        arr: Arr,
    },
    /// Loads, and moves the address by one element along a dimension.
    LoadNext {
        d: Reg,
        p: Reg,
        axis: u8,
        arr: Arr,
    },
    StoreNext {
        p: Reg,
        s: Reg,
        axis: u8,
        arr: Arr,
    },
    /// `element += s`, reals, and moves the address.
    IncNext {
        p: Reg,
        s: Reg,
        axis: u8,
        arr: Arr,
    },
    /// Moves an address back to the start of a dimension.
    Rewind {
        p: Reg,
        axis: u8,
        arr: Arr,
    },
    Extent {
        d: Reg,
        axis: u8,
        arr: Arr,
    },
    // Counted loops. `q` holds the passes left (at `LoopInit`: the bound), `q + 1` the step.
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
    LoopNext {
        q: Reg,
        index: Reg,
        t: Target,
    },
    /// Goes on to the next pass of a counted loop whose step is 1.
    LoopNext1 {
        q: Reg,
        index: Reg,
        t: Target,
    },
    /// Decrements and jumps unless 0.
    CountDown {
        c: Reg,
        t: Target,
    },
    // Tapes; `h` holds the tape's handle.
    PushReal {
        h: Reg,
        s: Reg,
    },
    PopReal {
        h: Reg,
        d: Reg,
    },
    PushReal32 {
        h: Reg,
        s: Reg,
    },
    PopReal32 {
        h: Reg,
        d: Reg,
    },
    PushInt {
        h: Reg,
        s: Reg,
    },
    PopInt {
        h: Reg,
        d: Reg,
    },
    PushBits {
        h: Reg,
        s: Reg,
        bits: u8,
    },
    PopBits {
        h: Reg,
        d: Reg,
        bits: u8,
    },
    PushLogical {
        h: Reg,
        s: Reg,
    },
    PopLogical {
        h: Reg,
        d: Reg,
    },
    PushCount {
        h: Reg,
        s: Reg,
    },
    PopCount {
        h: Reg,
        d: Reg,
    },
    // The rest.
    Visit {
        v: u32,
    },
    Ext {
        k: u32,
    },
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

/// Jump table of a multi-way branch: ranges in ascending order, not overlapping.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub(crate) cases: Vec<(i64, i64, Target)>,
    pub(crate) default: Option<Target>,
}

/// The place of an argument in the callee's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParameterHome {
    Register(Reg),
    Frame(u32),
    Staged(u16),
}

/// The code of one routine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) instrs: Vec<Instr>,
    pub(crate) ext: Vec<Ext>,
    pub(crate) consts: Vec<u64>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) homes: Vec<ParameterHome>,
    /// Initial contents of the first registers: constants and uninitialised locals.
    pub(crate) template: Vec<u64>,
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

impl Instr {
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
