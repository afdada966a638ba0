//! The origins of generated routines, variables and statements.

use std::{fmt, num::NonZeroU32};

/// The origin of a routine, a variable or a global that a transformation made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NameOrigin {
    /// The role of the generated routine, variable or global towards its original.
    pub role: NameRole,
    /// The name of the original routine, variable or global; empty if there is none.
    pub of: String,
    /// For [`NameRole::Objects`]: the variables and fields that hold numbers of its elements, from 1, or 0 for null.
    /// No other pointers lead to the objects.
    pub links: Vec<String>,
}

impl NameOrigin {
    /// An origin from a role and the name of the original.
    pub fn new(role: NameRole, of: impl Into<String>) -> Self {
        Self {
            role,
            of: of.into(),
            links: Vec::new(),
        }
    }
}

/// The name of a role that cfgrev does not write. `NameRole::from` makes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OtherRole(Box<str>);

impl OtherRole {
    /// The name in files.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// The statement of the original that a transformation made a statement from.
///
/// The origin serves messages about runs of derivative programs in the process that made them: files do not have it,
/// and comparisons of programs ignore it.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatementOrigin(Option<NonZeroU32>);

impl StatementOrigin {
    /// The origin of statements made from statement `number` of the original routine, counted from 0 in the order of
    /// [`super::Routine::statements`]. Statements beyond 2^32 have none.
    pub fn from_number(number: usize) -> Self {
        let number = u32::try_from(number).ok();
        Self(number.and_then(|n| NonZeroU32::MIN.checked_add(n)))
    }

    /// The position of the statement in [`super::Routine::statements`] of the original routine, if it is known.
    pub fn number(self) -> Option<usize> {
        self.0.map(|n| n.get() as usize - 1)
    }
}

impl PartialEq for StatementOrigin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

macro_rules! roles {
    ($($(#[$about:meta])* $role:ident = $name:literal,)+) => {
        /// The role of a generated routine, variable or global towards its original.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum NameRole {
            $($(#[$about])* $role,)+
            /// A role that has a meaning only for the front end that wrote it.
            Other(OtherRole),
        }

        impl NameRole {
            /// Every role that cfgrev writes.
            pub const ALL: &[Self] = &[$(Self::$role),+];

            /// The name in files.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$role => $name,)+
                    Self::Other(role) => role.name(),
                }
            }
        }

        impl From<&str> for NameRole {
            fn from(name: &str) -> Self {
                match name {
                    $($name => Self::$role,)+
                    other => Self::Other(OtherRole(other.into())),
                }
            }
        }
    };
}

roles! {
    /// A routine: the forward sweep, which computes and records.
    Forward = "forward",
    /// A routine: the reverse sweep, which computes adjoints.
    Reverse = "reverse",
    /// A routine: the forward sweep of a part that runs again in the reverse sweep, which keeps states.
    KeptForward = "checkpointed forward",
    /// A routine: the reverse sweep of a part that runs again, which begins at states that were kept.
    KeptReverse = "checkpointed reverse",
    /// A routine: the forward sweep of a step that counts the bits of its record instead of recording.
    Measured = "measured",
    /// A routine: the schedule by which states are kept.
    Schedule = "checkpoint schedule",
    /// A routine that says whether a loop keeps its progress.
    RestartBegin = "restart begin",
    /// A routine that takes the progress of a loop from a former run.
    RestartLoad = "restart load",
    /// A routine that says whether the progress of a loop is to be kept now.
    RestartDue = "restart due",
    /// A routine that says whether the progress of a loop that has ended is to be kept.
    RestartEnd = "restart end",
    /// A routine that keeps the progress of a loop.
    RestartSave = "restart save",
    /// A routine: both sweeps in one.
    Gradient = "gradient",
    /// A routine that computes tangents, or the tangent of a variable or global.
    Tangent = "tangent",
    /// The adjoint of a variable or global.
    Adjoint = "adjoint",
    /// A variable of the original, under another name because a global needs its own.
    Primal = "primal",
    /// A local that holds a value for a while.
    Temporary = "temporary",
    /// A local of a loop of a general graph that has no counted form.
    LoopState = "loop state",
    /// A local with the number of the edge by which several loops are left at once.
    WayOut = "way out",
    /// A local that counts the passes of a loop.
    Counter = "counter",
    /// A local that keeps the first value or the step of a counted loop.
    LoopBound = "loop bound",
    /// A local for the popped number that chooses a predecessor.
    Marker = "marker",
    /// A local for an earlier extent of an array.
    Extent = "extent",
    /// A local with the number of the step that a snapshot precedes.
    SnapshotStep = "snapshot step",
    /// A local for the popped number of passes.
    TripCount = "trip count",
    /// The index of a reverse loop.
    LoopCounter = "loop counter",
    /// The index of a loop over directions, whose passes share no cell that one of them writes.
    Direction = "direction",
    /// A local with the number of the point at which a loop was left.
    PointOfExit = "point of exit",
    /// A local with the number of the point at which an irreducible region goes on.
    Dispatch = "dispatch",
    /// A global: all cells of one type that pointers lead to, numbered together.
    Cells = "cells",
    /// A global: like `Cells`, of objects that nobody can use after the program has ended.
    ScratchCells = "scratch cells",
    /// A global: the first cell of each object that pointers lead to.
    FirstCells = "first cells",
    /// A global: the last cell of each object that pointers lead to.
    LastCells = "last cells",
    /// A global: like `FirstCells`, of objects that nobody can use after the program has ended.
    ScratchFirstCells = "first scratch cells",
    /// A global: like `LastCells`, of objects that nobody can use after the program has ended.
    ScratchLastCells = "last scratch cells",
    /// A global: the first cell behind all allocated objects, from which the next one is taken.
    FreeCell = "first free cell",
    /// A global: the least cell of variables that pointers lead to, which lie behind all allocated objects.
    LeastVariable = "least cell of variables",
    /// A global: the objects that were freed, in lists.
    Freed = "freed objects",
    /// A global: like `Freed`, of objects that nobody can use after the program has ended.
    ScratchFreed = "freed scratch objects",
    /// A global: the number of the layout of each object that pointers lead to, where layouts differ.
    Layouts = "layouts",
    /// A global: like `Layouts`, of objects that nobody can use after the program has ended.
    ScratchLayouts = "scratch layouts",
    /// A parameter: the elements of the objects that pointers lead to, one object after the other. The pointers, in
    /// the variable or the field of this name, are integers: the numbers of the elements, 0 for null. A pointer that
    /// is itself a parameter has one object and no name.
    Objects = "objects",
    /// A parameter: a record that is passed by value and has pointers, as the only element of an array. The pointers
    /// are integers as for `Objects`.
    Element = "element",
}

impl NameRole {
    /// True for the cells that pointers lead to, and for the tables of their objects.
    pub fn is_pool(&self) -> bool {
        self.is_scratch_pool()
            || matches!(
                self,
                Self::Cells | Self::FirstCells | Self::LastCells | Self::Freed | Self::Layouts
            )
    }

    /// True for a pool that nobody can use after the program has ended.
    pub fn is_scratch_pool(&self) -> bool {
        matches!(
            self,
            Self::ScratchCells
                | Self::ScratchFirstCells
                | Self::ScratchLastCells
                | Self::ScratchFreed
                | Self::ScratchLayouts
        )
    }
}

impl fmt::Display for NameRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
