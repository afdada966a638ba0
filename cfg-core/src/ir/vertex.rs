//! Vertices: their types, their contents, and their origins in a transformation.

use super::{Annotations, At, Expr, Stmt};
use crate::entity::VarId;
use std::{fmt, num::NonZeroU32};

/// A vertex of a control-flow graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The number that files and pictures show: unique in its graph, not 0, within ±2^53.
    pub id: i64,
    /// Type and contents.
    pub kind: VertexKind,
    /// Mark of a BASICBLOCK or LOOP that runs again in the reverse sweep rather than being recorded.
    pub checkpoint: Option<Checkpoint>,
    /// The vertex from which a transformation made this one.
    pub origin: Option<Origin>,
    /// The piece of a source that the vertex stands for.
    pub at: At,
    /// Free-form data of the front end.
    pub annotations: Annotations,
}

/// The annotation of a LOOP, `true`, that promises independent iterations.
pub const INDEPENDENT: &str = "II-LOOP";

/// The states that are kept of a part of a program which runs again in the reverse sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// The state in front of a block, or in front of each iteration of a loop.
    Each,
    /// States in front of iterations of a loop.
    Snapshots {
        /// At most so many at once, that in front of the first iteration included.
        memory: NonZeroU32,
        /// At most so many more at once in a file.
        disk: u32,
    },
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each => f.write_str("checkpoint"),
            Self::Snapshots { memory, disk: 0 } => write!(f, "checkpoint {memory}"),
            Self::Snapshots { memory, disk } => write!(f, "checkpoint {memory} disk {disk}"),
        }
    }
}

/// Type and contents of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum VertexKind {
    /// The only vertex without predecessors.
    Entry,
    /// The only vertex without successors.
    Exit,
    /// A basic block: straight-line statements.
    Block(Vec<Stmt>),
    /// The header of a loop.
    Loop {
        /// LOOP, or FORLOOP in an adjoint graph.
        form: LoopForm,
        /// The test by which edge 1 is taken.
        test: Box<LoopTest>,
    },
    /// End of a loop body; its successor is its loop header.
    EndLoop,
    /// A branch, which chooses one of its out-edges.
    Branch(Box<Selector>),
    /// End of a branch, where its arms meet.
    EndBranch,
}

/// The name of a loop header: LOOP or FORLOOP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopForm {
    /// LOOP.
    Loop,
    /// FORLOOP, which takes the place of LOOP in an adjoint graph; always counted.
    ForLoop,
}

/// The test by which a loop header takes edge 1 into its body.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopTest {
    /// A condition, evaluated on every arrival: the body is entered while it is true.
    Pre(Expr),
    /// A test as in [`LoopTest::Pre`], but the first pass is unconditional.
    Post(Expr),
    /// Counted: first, last and step are evaluated once on entry; the index is an integer scalar.
    Counted {
        /// The index variable: `first` on entry, `+= step` at each back edge, `first + n*step` afterwards.
        index: VarId,
        /// The first value of the index.
        first: Expr,
        /// The last value of the index, inclusive.
        last: Expr,
        /// The step of the index; 0 is an error.
        step: Expr,
    },
}

impl LoopTest {
    /// The test of a loop that counts from 1 in steps of 1.
    pub fn up_to(index: VarId, last: Expr) -> Self {
        Self::Counted {
            index,
            first: Expr::Int(1),
            last,
            step: Expr::Int(1),
        }
    }
}

/// The value by which a branch chooses its arm.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// A two-way branch: the edge labelled 1 if true, 0 if false.
    Condition(Expr),
    /// A multi-way branch, by an integer.
    Cases {
        /// The integer that chooses the arm.
        value: Expr,
        /// The arms, one per out-edge.
        arms: Box<[Arm]>,
    },
}

/// One arm of a multi-way branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Label of the out-edge that it takes.
    pub label: i64,
    /// The values that choose the arm.
    pub cases: Box<[CaseRange]>,
    /// Chosen if no case of any arm matches. Without a default, no match is a run-time error.
    pub default: bool,
}

/// Values `lower ..= upper`; `None` is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CaseRange {
    /// The smallest value of the range; `None` for no limit.
    pub lower: Option<i64>,
    /// The largest value of the range; `None` for no limit.
    pub upper: Option<i64>,
}

/// The origin of a generated vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The role of the generated vertex towards the vertex that it was made from.
    pub role: OriginRole,
    /// [`Vertex::id`] in the graph that was transformed.
    pub vertex: i64,
}

/// The role of a generated vertex towards the vertex that it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OriginRole {
    /// Copy of the vertex in a forward or tangent graph.
    Copy,
    /// Adjoint of the vertex.
    Adjoint,
    /// Inserted before a loop: `ctr := 0`, and values saved at the loop's entry.
    CounterInit,
    /// Inserted before an ENDLOOP: `ctr := ctr + 1`.
    CounterIncrement,
    /// Inserted after a loop: `push(ctr)`.
    CounterPush,
    /// Inserted before an ENDBRANCH: `push(label)`.
    MarkerPush,
    /// Inserted before an adjoint loop: `rBound := pop()`.
    BoundPop,
    /// Inserted before an adjoint branch: `branchId := pop()`.
    MarkerPop,
    /// Inserted at the end of a forward or start of a reverse sweep: values that die at the return.
    ReturnSave,
    /// Inserted elsewhere: saves and restores around a loop, and its index in a reverse loop that counts passes.
    ValueSave,
    /// A FORLOOP or ENDLOOP of the reverse loop of a loop that has no LOOP or several back edges.
    CountedLoop,
    /// The BRANCH at the start of a reverse loop's body, to the point at which the loop was left.
    ExitBranch,
    /// Inserted after the ExitBranch: further passes begin at the back edges.
    ExitSet,
    /// The BRANCH on the marker of a merge that is no ENDBRANCH.
    MarkerBranch,
    /// The ENDLOOP or ENDBRANCH of a vertex that comes from the original vertex, where the graph of a sweep nests.
    End,
    /// The BRANCH through which every point of an irreducible region is entered, and the assignment that chooses the
    /// point.
    Dispatch,
    /// Inserted where blocks are traced: `push(number)`.
    TracePush,
    /// Inserted where blocks are traced: `number := pop()`.
    TracePop,
}

impl OriginRole {
    /// All roles.
    pub const ALL: [Self; 18] = [
        Self::Copy,
        Self::Adjoint,
        Self::CounterInit,
        Self::CounterIncrement,
        Self::CounterPush,
        Self::MarkerPush,
        Self::BoundPop,
        Self::MarkerPop,
        Self::ReturnSave,
        Self::ValueSave,
        Self::CountedLoop,
        Self::ExitBranch,
        Self::ExitSet,
        Self::MarkerBranch,
        Self::End,
        Self::Dispatch,
        Self::TracePush,
        Self::TracePop,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Adjoint => "adjoint",
            Self::CounterInit => "counter-init",
            Self::CounterIncrement => "counter-increment",
            Self::CounterPush => "counter-push",
            Self::MarkerPush => "marker-push",
            Self::BoundPop => "bound-pop",
            Self::MarkerPop => "marker-pop",
            Self::ReturnSave => "return-save",
            Self::ValueSave => "value-save",
            Self::CountedLoop => "counted-loop",
            Self::ExitBranch => "exit-branch",
            Self::ExitSet => "exit-set",
            Self::MarkerBranch => "marker-branch",
            Self::End => "end",
            Self::Dispatch => "dispatch",
            Self::TracePush => "trace-push",
            Self::TracePop => "trace-pop",
        }
    }

    /// True for the roles whose vertices stand for a vertex of the original: copy and adjoint.
    pub fn is_image(self) -> bool {
        matches!(self, Self::Copy | Self::Adjoint)
    }
}

/// The type of a vertex without its contents, as Definition 1 names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VertexType {
    /// ENTRY.
    Entry,
    /// EXIT.
    Exit,
    /// BASICBLOCK.
    BasicBlock,
    /// LOOP.
    Loop,
    /// FORLOOP.
    ForLoop,
    /// ENDLOOP.
    EndLoop,
    /// BRANCH.
    Branch,
    /// ENDBRANCH.
    EndBranch,
}

impl VertexType {
    /// All types.
    pub const ALL: [Self; 8] = [
        Self::Entry,
        Self::Exit,
        Self::BasicBlock,
        Self::Loop,
        Self::ForLoop,
        Self::EndLoop,
        Self::Branch,
        Self::EndBranch,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entry => "ENTRY",
            Self::Exit => "EXIT",
            Self::BasicBlock => "BASICBLOCK",
            Self::Loop => "LOOP",
            Self::ForLoop => "FORLOOP",
            Self::EndLoop => "ENDLOOP",
            Self::Branch => "BRANCH",
            Self::EndBranch => "ENDBRANCH",
        }
    }
}

impl Vertex {
    /// A vertex without marks, origin, span and annotations.
    pub fn new(id: i64, kind: VertexKind) -> Self {
        Self {
            id,
            kind,
            checkpoint: None,
            origin: None,
            at: None,
            annotations: None,
        }
    }

    /// The type of the vertex.
    pub fn vertex_type(&self) -> VertexType {
        match &self.kind {
            VertexKind::Entry => VertexType::Entry,
            VertexKind::Exit => VertexType::Exit,
            VertexKind::Block(_) => VertexType::BasicBlock,
            VertexKind::Loop { form, .. } => match form {
                LoopForm::Loop => VertexType::Loop,
                LoopForm::ForLoop => VertexType::ForLoop,
            },
            VertexKind::EndLoop => VertexType::EndLoop,
            VertexKind::Branch(_) => VertexType::Branch,
            VertexKind::EndBranch => VertexType::EndBranch,
        }
    }

    /// The statements of a basic block; nothing for other vertices.
    pub fn statements(&self) -> &[Stmt] {
        match &self.kind {
            VertexKind::Block(statements) => statements,
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Loop { .. }
            | VertexKind::EndLoop
            | VertexKind::Branch(_)
            | VertexKind::EndBranch => &[],
        }
    }
}

/// The expressions of a decision.
macro_rules! decided {
    ($(#[$about:meta])* $name:ident, [$($r:tt)+], [$($b:tt)+]) => {
        $(#[$about])*
        pub fn $name($($r)+ self) -> impl Iterator<Item = $($r)+ Expr> {
            let exprs = match self {
                Self::Branch(selector) => match $($b)+ **selector {
                    Selector::Condition(e) | Selector::Cases { value: e, arms: _ } => [Some(e), None, None],
                },
                Self::Loop { form: _, test } => match $($b)+ **test {
                    LoopTest::Pre(e) | LoopTest::Post(e) => [Some(e), None, None],
                    LoopTest::Counted { index: _, first, last, step } => [first, last, step].map(Some),
                },
                Self::Entry | Self::Exit | Self::Block(_) | Self::EndLoop | Self::EndBranch => [None, None, None],
            };
            exprs.into_iter().flatten()
        }
    };
}

impl VertexKind {
    decided! {
        /// The expressions that a LOOP tests or by which a BRANCH chooses.
        exprs, [&], [&]
    }

    decided! {
        /// The expressions that a LOOP tests or by which a BRANCH chooses, to change them.
        exprs_mut, [&mut], [&mut]
    }

    /// A LOOP with a test.
    pub fn loop_on(test: LoopTest) -> Self {
        Self::Loop {
            form: LoopForm::Loop,
            test: Box::new(test),
        }
    }

    /// A two-way BRANCH.
    pub fn branch_on(condition: Expr) -> Self {
        Self::Branch(Box::new(Selector::Condition(condition)))
    }

    /// The statements of a basic block, to change them; `None` for other vertices.
    pub fn statements_mut(&mut self) -> Option<&mut Vec<Stmt>> {
        match self {
            Self::Block(statements) => Some(statements),
            Self::Entry
            | Self::Exit
            | Self::Loop { .. }
            | Self::EndLoop
            | Self::Branch(_)
            | Self::EndBranch => None,
        }
    }

    /// The test by which a LOOP or FORLOOP enters its body; `None` for other vertices.
    pub fn test(&self) -> Option<&LoopTest> {
        match self {
            Self::Loop { form: _, test } => Some(test),
            Self::Entry
            | Self::Exit
            | Self::Block(_)
            | Self::EndLoop
            | Self::Branch(_)
            | Self::EndBranch => None,
        }
    }

    /// The index of a counted loop, if this is its header.
    pub fn index(&self) -> Option<VarId> {
        match self.test()? {
            LoopTest::Counted { index, .. } => Some(*index),
            LoopTest::Pre(_) | LoopTest::Post(_) => None,
        }
    }

    /// The selector of a BRANCH; `None` for other vertices.
    pub fn selector(&self) -> Option<&Selector> {
        match self {
            Self::Branch(selector) => Some(selector),
            Self::Entry
            | Self::Exit
            | Self::Block(_)
            | Self::Loop { .. }
            | Self::EndLoop
            | Self::EndBranch => None,
        }
    }
}
