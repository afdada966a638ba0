//! Operations that are rare or big, reached through a side table.

use cfg_core::{
    entity::RoutineId,
    ir::{Op, Order, ScalarType},
};

use super::{Arr, Reg, StackClass, Target};
use crate::{fault::Party, restart::HandOver};

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

/// An array of the frame: its descriptor, and the properties that are known at compile time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) arr: Arr,
    pub(crate) rank: u8,
    /// The order in which elements are visited.
    pub(crate) order: Order,
    pub(crate) ty: ScalarType,
}

/// The form in which an argument reaches its parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passed {
    /// A cell: a value, a cell address or a tape handle.
    Cell(Reg),
    /// An array.
    Array(View),
    /// A cell address as an array of `count` elements that begins there: the rest of an array from an element on.
    From { address: Reg, count: Reg },
    /// An argument that is not given.
    Absent,
}

/// An argument that may share storage with another one, or with a global that the routine uses, while one of the two
/// is written: compared at run time.
#[derive(Clone, Debug)]
pub(crate) struct MayOverlap {
    pub(crate) first: (usize, Extent),
    pub(crate) second: (Party, Extent),
    /// True if one of the two is a parameter of explicit shape, which may be smaller than its argument: compared
    /// after binding.
    pub(crate) on_entry: bool,
}

/// Cells that an argument covers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Cell(Reg),
    Array(View),
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
    /// True of a part with a checkpoint that is run without being recorded.
    pub(crate) is_step: bool,
    pub(crate) arguments: Box<[Passed]>,
    pub(crate) overlaps: Box<[MayOverlap]>,
    /// Register for a scalar result.
    pub(crate) result: Option<Reg>,
}

/// Operations that are rare or big.
#[derive(Clone, Debug)]
pub(crate) enum Ext {
    Call(Box<CallInfo>),
    /// A new, empty tape for a local of type tape.
    NewTape {
        d: Reg,
    },
    /// A view of the staged argument's cells, in its storage order, with the formal's own shape; bounds in
    /// registers `dims, dims+1, ...`: lower and extent of each dimension.
    BindExplicit {
        to: View,
        staged: u16,
        dims: Reg,
        /// Whether the formal is written; `None` in an aliased routine, where a copy of the argument would be wrong.
        written: Option<bool>,
    },
    /// The staged argument's own shape with the formal's lower bounds; fixed extents are compared.
    BindAssumed {
        to: View,
        staged: u16,
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
        to: View,
        global: u32,
    },
    AllocLocal {
        to: View,
        dims: Reg,
    },
    /// An array without a shape. Its lower bounds are 1, or in the registers, each followed by an extent of 0.
    Unallocated {
        to: View,
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
    /// Copies a descriptor; the array must be bound.
    Alias {
        d: Arr,
        of: View,
    },
    /// Copies a descriptor; the array may be absent or not allocated.
    Same {
        d: Arr,
        of: View,
    },
    /// Continues at `t` if something fails before the matching `EndTry`.
    Try {
        t: Target,
    },
    EndTry,
    /// An array in an arm of a conditional expression that is not chosen: it conforms with everything.
    Untaken {
        of: View,
    },
    /// The shape of the first array that is taken; if none is, that of another array, or extents of 1.
    ShapeOf {
        to: View,
        candidates: Box<[Arr]>,
        otherwise: Option<Arr>,
    },
    /// Fails unless the extents are equal.
    Conform {
        a: View,
        b: Arr,
    },
    /// A temporary array with the extents of another one.
    Temporary {
        to: View,
        like: Arr,
    },
    /// A temporary array with given bounds: pairs of registers from `dims` on.
    TemporaryOf {
        to: View,
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
        to: View,
        like: Arr,
    },
    /// Gives temporary arrays back.
    Release,
    Fill {
        to: View,
        s: Reg,
    },
    /// Makes all elements uninitialised.
    Forget {
        of: View,
    },
    Copy {
        to: View,
        from: Arr,
    },
    Reduce {
        op: Op,
        d: Reg,
        of: View,
    },
    Partials {
        op: Op,
        to: View,
        of: View,
    },
    Size {
        d: Reg,
        of: View,
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
        of: View,
    },
    PushArray {
        h: Reg,
        class: StackClass,
        of: View,
    },
    PopArray {
        h: Reg,
        class: StackClass,
        to: View,
    },
    PushDisk {
        h: Reg,
        s: Reg,
        ty: ScalarType,
    },
    PopDisk {
        h: Reg,
        d: Reg,
        ty: ScalarType,
    },
    /// Pushes the scalar or the array that was popped last from disk, and has not changed since.
    KeepOnDisk {
        h: Reg,
        of: Option<View>,
    },
    /// The array result of the call that has just returned.
    Returned {
        to: View,
    },
    /// Leaves an array result for the caller.
    ReturnArray {
        of: View,
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
    /// The progress of a loop is handed over: in a row from `row` on the handles of the tape and the journal, and three
    /// integers. The answer comes into `row`.
    HandOver {
        event: HandOver,
        row: Reg,
    },
    /// Counts a state of a loop that is kept, or one less.
    Snapshot {
        is_kept: bool,
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
    /// Calls `read` for each register that the operation reads.
    pub(crate) fn for_each_read(&self, read: &mut dyn FnMut(Reg)) {
        match self {
            Self::BindExplicit { to, dims, .. }
            | Self::BindAssumed { to, dims, .. }
            | Self::AllocLocal { to, dims }
            | Self::TemporaryOf { to, dims }
            | Self::Unallocated {
                to,
                dims: Some(dims),
            } => {
                let end = usize::from(*dims) + 2 * usize::from(to.rank);
                (usize::from(*dims)..end.min(256)).for_each(|r| read(r as Reg));
            }
            Self::Call(info) => {
                for passed in &info.arguments {
                    match *passed {
                        Passed::Cell(r) => read(r),
                        Passed::From { address, count } => {
                            read(address);
                            read(count);
                        }
                        Passed::Array(_) | Passed::Absent => {}
                    }
                }
                let pairs = info.overlaps.iter();
                for extent in pairs.flat_map(|pair| [pair.first.1, pair.second.1]) {
                    match extent {
                        Extent::Cell(r) => read(r),
                        Extent::From { address, count } => {
                            read(address);
                            read(count);
                        }
                        Extent::Array(_) | Extent::Fixed { .. } => {}
                    }
                }
            }
            Self::Section { subscripts, .. } => {
                for subscript in subscripts {
                    match *subscript {
                        SubReg::Index(r) => read(r),
                        SubReg::Range {
                            lower,
                            upper,
                            stride,
                        } => [lower, upper, stride]
                            .into_iter()
                            .flatten()
                            .for_each(&mut *read),
                    }
                }
            }
            // The number of arguments is the callback's: at most all registers that follow.
            Self::Callback { d, .. } => (*d..=Reg::MAX).for_each(read),
            Self::HandOver { row, .. } => {
                let end = usize::from(*row) + 5;
                (usize::from(*row)..end.min(256)).for_each(|r| read(r as Reg));
            }
            Self::Fill { s, .. } => read(*s),
            Self::PresentCell { p, .. } => read(*p),
            Self::CellsFrom { address, .. } => read(*address),
            Self::PushArray { h, .. }
            | Self::PopArray { h, .. }
            | Self::PopDisk { h, .. }
            | Self::KeepOnDisk { h, .. } => read(*h),
            Self::PushDisk { h, s, .. } => {
                read(*h);
                read(*s);
            }
            Self::Watch { a, b, .. } => {
                read(*a);
                b.iter().copied().for_each(read);
            }
            Self::WatchPower { a, b } => {
                read(*a);
                read(*b);
            }
            Self::NewTape { .. }
            | Self::CheckOverlaps
            | Self::BindOptional { .. }
            | Self::BindGlobal { .. }
            | Self::Unallocated { dims: None, .. }
            | Self::Transpose { .. }
            | Self::Alias { .. }
            | Self::Same { .. }
            | Self::Try { .. }
            | Self::EndTry
            | Self::Untaken { .. }
            | Self::ShapeOf { .. }
            | Self::Conform { .. }
            | Self::Temporary { .. }
            | Self::AxisSize { .. }
            | Self::Reallocate { .. }
            | Self::Release
            | Self::Forget { .. }
            | Self::Copy { .. }
            | Self::Reduce { .. }
            | Self::Partials { .. }
            | Self::Size { .. }
            | Self::LowerBound { .. }
            | Self::UpperBound { .. }
            | Self::PresentArray { .. }
            | Self::Returned { .. }
            | Self::ReturnArray { .. }
            | Self::Stop { .. }
            | Self::NoValue { .. }
            | Self::Snapshot { .. } => {}
        }
    }

    /// The jump target, to turn a label into a position.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions go on with the next one"
    )]
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Self::BindOptional { t, .. } | Self::Try { t } => Some(t),
            _ => None,
        }
    }
}
