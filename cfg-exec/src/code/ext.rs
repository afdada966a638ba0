//! Operations that are rare or big, reached through a side table.

use cfg_core::{
    entity::RoutineId,
    ir::{Op, Order, ScalarType},
};

use super::{Arr, Reg, StackClass, Target};
use crate::fault::Party;

/// One subscript of a section.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SubReg {
    Index(Reg),
    Range {
        lower: Option<Reg>,
        upper: Option<Reg>,
        stride: Option<Reg>,
    },
}

/// The form in which an argument reaches its parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passed {
    /// A cell: a value, a cell address or a tape handle.
    Cell(Reg),
    /// An array.
    Array {
        arr: Arr,
        rank: u8,
        /// The actual is laid out in this order.
        order: Order,
    },
    /// A cell address as an array of this many elements, of which the first is meant: the rest of an
    /// array from an element on.
    From { address: Reg, count: Reg },
    /// An argument that is not given.
    Absent,
}

/// An argument that may share storage with another one, or with a global that the routine uses, although
/// one is written.
#[derive(Clone, Debug)]
pub(crate) struct MayOverlap {
    pub(crate) first: (usize, Extent),
    pub(crate) second: (Party, Extent),
}

/// Cells that an argument covers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Cell(Reg),
    Array {
        arr: Arr,
        rank: u8,
    },
    From {
        address: Reg,
        count: Reg,
    },
    /// Cells of a global.
    Fixed {
        address: u64,
        count: i64,
    },
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallInfo {
    pub(crate) callee: RoutineId,
    pub(crate) arguments: Box<[Passed]>,
    pub(crate) overlaps: Box<[MayOverlap]>,
    /// Register for a scalar result.
    pub(crate) result: Option<Reg>,
}

/// Operations that are rare or big.
#[derive(Clone, Debug)]
pub(crate) enum Ext {
    /// Counted loop with its state (passes left, index, step) in the frame's memory.
    LoopInitFrame {
        at: u32,
        first: Reg,
        last: Reg,
        step: Reg,
        t: Target,
    },
    LoopNextFrame {
        at: u32,
        t: Target,
    },
    Call(Box<CallInfo>),
    /// A new, empty tape for a local of type tape.
    NewTape {
        d: Reg,
    },
    /// A view of the staged argument's cells, in its storage order, with the formal's own shape; bounds in
    /// registers `dims, dims+1, ...`: lower and extent of each dimension.
    BindExplicit {
        arr: Arr,
        staged: u16,
        rank: u8,
        order: Order,
        dims: Reg,
        /// The formal is written; unknown in an aliased routine, where a copy would not do.
        written: Option<bool>,
    },
    /// The staged argument's own shape with the formal's lower bounds; fixed extents are compared.
    BindAssumed {
        arr: Arr,
        staged: u16,
        rank: u8,
        dims: Reg,
        fixed: Box<[bool]>,
    },
    /// Tests arguments whose overlap depends on the shape that parameters have.
    CheckOverlaps,
    /// Jumps if the staged argument is absent.
    BindOptional {
        arr: Arr,
        staged: u16,
        t: Target,
    },
    BindGlobal {
        arr: Arr,
        global: u32,
        rank: u8,
    },
    AllocLocal {
        arr: Arr,
        rank: u8,
        order: Order,
        dims: Reg,
        ty: ScalarType,
    },
    /// An array without shape. Its lower bounds are 1, or in these registers, each before an extent of 0.
    Unallocated {
        arr: Arr,
        rank: u8,
        dims: Option<Reg>,
    },
    Section {
        d: Arr,
        arr: Arr,
        subscripts: Box<[SubReg]>,
    },
    Transpose {
        d: Arr,
        arr: Arr,
    },
    /// Makes another descriptor of the cells of an array that must be there.
    Alias {
        d: Arr,
        arr: Arr,
        rank: u8,
    },
    /// Makes another descriptor of the cells of an array that may not be there.
    Same {
        d: Arr,
        arr: Arr,
        rank: u8,
    },
    /// Continues at `t` if something fails before the matching `EndTry`.
    Try {
        t: Target,
    },
    EndTry,
    /// An array in an arm of a conditional expression that is not chosen: it conforms with everything.
    Untaken {
        arr: Arr,
        rank: u8,
    },
    /// The shape of the first of these that is taken; if none is, of another one, or extents of 1.
    ShapeOf {
        d: Arr,
        rank: u8,
        candidates: Box<[Arr]>,
        otherwise: Option<Arr>,
    },
    /// Fails unless the extents are equal.
    Conform {
        a: Arr,
        b: Arr,
        rank: u8,
    },
    /// A temporary array with the extents of another one.
    Temporary {
        d: Arr,
        like: Arr,
        rank: u8,
        order: Order,
    },
    /// A temporary array with given bounds: pairs of registers from `dims` on.
    TemporaryOf {
        d: Arr,
        rank: u8,
        order: Order,
        dims: Reg,
    },
    /// The extent along an axis; 0 of an array that is not allocated.
    AxisSize {
        d: Reg,
        arr: Arr,
        axis: u8,
    },
    /// Gives a local of deferred extents the shape of another array.
    Reallocate {
        d: Arr,
        like: Arr,
        rank: u8,
        order: Order,
        ty: ScalarType,
    },
    /// Gives temporary arrays back.
    Release,
    Fill {
        arr: Arr,
        rank: u8,
        s: Reg,
    },
    FillConst {
        arr: Arr,
        rank: u8,
        cell: u64,
    },
    Copy {
        d: Arr,
        s: Arr,
        rank: u8,
    },
    Reduce {
        op: Op,
        ty: ScalarType,
        d: Reg,
        arr: Arr,
        rank: u8,
        order: Order,
    },
    Partials {
        op: Op,
        ty: ScalarType,
        d: Arr,
        arr: Arr,
        rank: u8,
        order: Order,
    },
    Size {
        d: Reg,
        arr: Arr,
        rank: u8,
    },
    LowerBound {
        d: Reg,
        arr: Arr,
        axis: u8,
    },
    UpperBound {
        d: Reg,
        arr: Arr,
        axis: u8,
    },
    PresentCell {
        d: Reg,
        p: Reg,
    },
    PresentArray {
        d: Reg,
        arr: Arr,
    },
    /// Number of cells from an element's address to the end of the array; 1 unless it is contiguous.
    CellsFrom {
        d: Reg,
        address: Reg,
        arr: Arr,
        rank: u8,
        order: Order,
    },
    PushArray {
        h: Reg,
        class: StackClass,
        arr: Arr,
        rank: u8,
        order: Order,
    },
    PopArray {
        h: Reg,
        class: StackClass,
        arr: Arr,
        rank: u8,
        order: Order,
    },
    /// The array result of the call that has just returned.
    Returned {
        d: Arr,
        rank: u8,
    },
    /// Leaves an array result for the caller.
    ReturnArray {
        arr: Arr,
        rank: u8,
    },
    /// The program ends, with a message.
    Stop {
        text: Box<str>,
    },
    /// An external routine without value.
    NoValue {
        routine: RoutineId,
    },
    Callback {
        index: u32,
        d: Reg,
    },
    /// A kink or singular point, reported if asked for.
    Watch {
        op: Op,
        a: Reg,
        b: Option<Reg>,
    },
    /// A kink or singular point of a real to an integer power, reported if asked for.
    WatchPower {
        a: Reg,
        b: Reg,
    },
}

impl Ext {
    /// The jump target, to turn a label into a position.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions go on with the next one"
    )]
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Self::LoopInitFrame { t, .. }
            | Self::LoopNextFrame { t, .. }
            | Self::BindOptional { t, .. }
            | Self::Try { t } => Some(t),
            _ => None,
        }
    }
}
