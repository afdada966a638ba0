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
pub struct View {
    /// The descriptor.
    pub arr: Arr,
    /// The number of dimensions.
    pub rank: u8,
    /// The order in which elements are visited.
    pub order: Order,
    /// The type of the elements.
    pub ty: ScalarType,
}

/// The form in which an argument reaches its parameter.
#[derive(Clone, Copy, Debug)]
pub enum Passed {
    /// A cell: a value, a cell address or a tape handle.
    Cell(Reg),
    /// An array.
    Array(View),
    /// A cell address as an array of `count` elements that begins there: the rest of an array from an element on.
    From {
        /// The register with the address.
        address: Reg,
        /// The register with the number of elements.
        count: Reg,
    },
    /// An argument that is not given.
    Absent,
}

/// An argument that may share storage with another one, or with a global that the routine uses, while one of the two
/// is written: compared at run time.
#[derive(Clone, Debug)]
pub struct MayOverlap {
    pub(crate) first: (usize, Extent),
    pub(crate) second: (Party, Extent),
    /// True if one of the two is a parameter of explicit shape, which may be smaller than its argument: compared
    /// after binding.
    pub(crate) on_entry: bool,
}

impl MayOverlap {
    /// The cells of both.
    pub fn extents(&self) -> [Extent; 2] {
        [self.first.1, self.second.1]
    }
}

/// Cells that an argument covers.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// The cell whose address is in a register.
    Cell(Reg),
    /// The elements of an array.
    Array(View),
    /// The cells from an address on.
    From {
        /// The register with the address.
        address: Reg,
        /// The register with the number of cells.
        count: Reg,
    },
    /// Cells of a global.
    Fixed {
        /// The first cell.
        address: u64,
        /// The number of cells.
        count: i64,
    },
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallInfo {
    /// The routine that is called.
    pub callee: RoutineId,
    /// True of a part with a checkpoint that is run without being recorded.
    pub is_step: bool,
    /// The arguments by parameter.
    pub arguments: Box<[Passed]>,
    /// Arguments to be compared with others.
    pub overlaps: Box<[MayOverlap]>,
    /// Register for a scalar result.
    pub result: Option<Reg>,
}

/// An operation that machine code may run by itself.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'c> {
    /// A call.
    Call(&'c CallInfo),
    /// Binds a parameter of explicit shape to an array that waits, with lower bound and extent of each dimension in
    /// registers `dims, dims+1, ...`.
    BindExplicit {
        /// The parameter.
        to: View,
        /// The number of the array that waits.
        staged: u16,
        /// The first register of the bounds.
        dims: Reg,
        /// True in a routine whose parameters may share cells.
        is_aliased: bool,
    },
    /// Binds a global array.
    BindGlobal {
        /// The array in the frame.
        to: View,
        /// Position of the global's descriptor.
        global: u32,
    },
    /// Tests arguments whose overlap depends on the shape that parameters have.
    CheckOverlaps,
    /// Makes an array in the frame's memory, with bounds as those of a parameter. Its elements are uninitialised.
    AllocLocal {
        /// The array.
        to: View,
        /// The first register of the bounds.
        dims: Reg,
    },
    /// Sets all elements to the value of a register; without one they become uninitialised.
    Fill {
        /// The array.
        to: View,
        /// The register.
        s: Option<Reg>,
    },
    /// Pushes 64-bit reals, or pops them, in the order of the array.
    Reals {
        /// The register with the tape's handle.
        h: Reg,
        /// The array.
        of: View,
        /// True of a push.
        is_push: bool,
    },
    /// The number of cells from an element's address to the end of the array; 1 unless it is contiguous.
    CellsFrom {
        /// The register of the result.
        d: Reg,
        /// The register with the address.
        address: Reg,
        /// The array.
        of: View,
    },
    /// Any other operation.
    Other,
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
    /// The operation, as far as machine code may run it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the executor runs all other operations"
    )]
    pub(crate) fn operation(&self) -> Operation<'_> {
        match *self {
            Self::Call(ref info) => Operation::Call(info),
            Self::BindExplicit {
                to,
                staged,
                dims,
                written,
            } => Operation::BindExplicit {
                to,
                staged,
                dims,
                is_aliased: written.is_none(),
            },
            Self::BindGlobal { to, global } => Operation::BindGlobal { to, global },
            Self::CheckOverlaps => Operation::CheckOverlaps,
            Self::AllocLocal { to, dims } => Operation::AllocLocal { to, dims },
            Self::Fill { to, s } => Operation::Fill { to, s: Some(s) },
            Self::Forget { of } => Operation::Fill { to: of, s: None },
            Self::PushArray {
                h,
                class: StackClass::Real,
                of,
            } => Operation::Reals {
                h,
                of,
                is_push: true,
            },
            Self::PopArray {
                h,
                class: StackClass::Real,
                to,
            } => Operation::Reals {
                h,
                of: to,
                is_push: false,
            },
            Self::CellsFrom { d, address, of } => Operation::CellsFrom { d, address, of },
            _ => Operation::Other,
        }
    }

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
