//! Control-flow graphs (Naumann et al. 2004, Definition 1, with the loop and branch forms that the
//! definition leaves to the front end).

use super::{Annotations, Expr, Stmt};
use crate::entity::{EdgeId, VarId, VertexId};
use std::sync::Arc;

/// What a routine declares about its graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Control {
    /// Definition 1 holds: loops and branches nest.
    #[default]
    Structured,
    /// Any graph of blocks and jumps.
    General,
}

/// A control-flow graph: vertices, edges, and both adjacency lists. Immutable; clones share it, until one
/// of them changes what a vertex holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cfg {
    graph: Arc<Graph>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Graph {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    succ_start: Vec<u32>,
    succs: Vec<EdgeId>,
    pred_start: Vec<u32>,
    preds: Vec<EdgeId>,
}

/// A vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The number that files and pictures show: unique in its graph, not 0, within ±2^53.
    pub id: i64,
    /// Type and contents.
    pub kind: VertexKind,
    /// Where a transformation took it from.
    pub origin: Option<Origin>,
    /// Free-form data of the front end.
    pub annotations: Annotations,
}

/// Type and contents of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum VertexKind {
    /// The only vertex without predecessors.
    Entry,
    /// The only vertex without successors.
    Exit,
    /// Straight-line statements.
    Block(Vec<Stmt>),
    /// Loop header.
    Loop {
        /// LOOP, or FORLOOP in an adjoint graph.
        form: LoopForm,
        /// When edge 1 is taken.
        test: Box<LoopTest>,
    },
    /// End of a loop body; its successor is its loop header.
    EndLoop,
    /// Chooses one of its out-edges.
    Branch(Box<Selector>),
    /// Where the arms of a branch meet.
    EndBranch,
}

/// How a loop header is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopForm {
    /// LOOP.
    Loop,
    /// FORLOOP: takes the place of LOOP in an adjoint graph; always counted.
    ForLoop,
}

/// When a loop header takes edge 1 into its body.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopTest {
    /// While the condition is true, evaluated on every arrival.
    Pre(Expr),
    /// As [`LoopTest::Pre`], but the first pass is unconditional.
    Post(Expr),
    /// Counted: first, last and step are evaluated once on entry; the index is an integer scalar.
    Counted {
        /// The index: `first` on entry, `+= step` at each back edge, `first + n*step` afterwards.
        index: VarId,
        /// First value.
        first: Expr,
        /// Bound, inclusive.
        last: Expr,
        /// Step; 0 is an error.
        step: Expr,
    },
}

/// What a branch decides on.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// Two-way: the edge labelled 1 if true, 0 if false.
    Condition(Expr),
    /// Multi-way, by an integer.
    Cases {
        /// The integer.
        value: Expr,
        /// One per out-edge.
        arms: Box<[Arm]>,
    },
}

/// One arm of a multi-way branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Label of the out-edge that it takes.
    pub label: i64,
    /// Values that choose it.
    pub cases: Box<[CaseRange]>,
    /// Chosen if no case of any arm matches. Without a default, no match is a run-time error.
    pub default: bool,
}

/// Values `lower ..= upper`; `None` is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CaseRange {
    /// Smallest value.
    pub lower: Option<i64>,
    /// Largest value.
    pub upper: Option<i64>,
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Source.
    pub from: VertexId,
    /// Target.
    pub to: VertexId,
    /// The out-label: which arm or loop body of its source it starts.
    pub label: Option<i64>,
    /// The number that files show; `None` is the position among the edges.
    pub id: Option<i64>,
    /// Free-form data of the front end.
    pub annotations: Annotations,
}

/// Where a generated vertex comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// What it is to the vertex it comes from.
    pub role: OriginRole,
    /// [`Vertex::id`] in the graph that was transformed.
    pub vertex: i64,
}

/// What a generated vertex is to the vertex it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OriginRole {
    /// Its copy in a forward or tangent graph.
    Copy,
    /// Its adjoint.
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
    /// Inserted after it: the passes that follow begin at the back edges.
    ExitSet,
    /// The BRANCH on the marker of a merge that is no ENDBRANCH.
    MarkerBranch,
    /// The ENDLOOP or ENDBRANCH of a vertex that comes from that one, where the graph of a sweep nests.
    End,
    /// The BRANCH through which the points of an irreducible region are entered, and the choice of one.
    Dispatch,
    /// Inserted where blocks are traced: `push(number)`.
    TracePush,
    /// Inserted where blocks are traced: `number := pop()`.
    TracePop,
}

impl OriginRole {
    /// Every role.
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

    /// True of the two roles that stand for a vertex of the original itself.
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
    /// Every type.
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
    /// A vertex without origin and annotations.
    pub fn new(id: i64, kind: VertexKind) -> Self {
        Self {
            id,
            kind,
            origin: None,
            annotations: None,
        }
    }

    /// Its type.
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

impl Edge {
    /// An edge without id and annotations.
    pub fn new(from: VertexId, to: VertexId, label: Option<i64>) -> Self {
        Self {
            from,
            to,
            label,
            id: None,
            annotations: None,
        }
    }
}

impl Cfg {
    /// Builds a graph; O(vertices + edges). Returns `None` if an edge names a vertex that does not exist.
    pub fn new(vertices: Vec<Vertex>, edges: Vec<Edge>) -> Option<Self> {
        let n = vertices.len();
        let mut graph = Graph {
            vertices,
            succ_start: vec![0; n + 1],
            succs: vec![EdgeId::new(0); edges.len()],
            pred_start: vec![0; n + 1],
            preds: vec![EdgeId::new(0); edges.len()],
            edges,
        };
        // Where the slice of each vertex begins; while slices are filled, where its next edge goes.
        for e in &graph.edges {
            *graph.succ_start.get_mut(e.from.index() + 1)? += 1;
            *graph.pred_start.get_mut(e.to.index() + 1)? += 1;
        }
        let (mut succs, mut preds) = (0, 0);
        for (s, p) in graph.succ_start.iter_mut().zip(&mut graph.pred_start) {
            (succs, preds) = (succs + *s, preds + *p);
            (*s, *p) = (succs - *s, preds - *p);
        }
        for (i, e) in graph.edges.iter().enumerate() {
            let s = &mut graph.succ_start[e.from.index() + 1];
            graph.succs[*s as usize] = EdgeId::new(i);
            *s += 1;
            let p = &mut graph.pred_start[e.to.index() + 1];
            graph.preds[*p as usize] = EdgeId::new(i);
            *p += 1;
        }
        Some(Self {
            graph: Arc::new(graph),
        })
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.graph.vertices.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.graph.edges.len()
    }

    /// All vertices, in the order of the arena (which is the order of the file).
    pub fn vertices(
        &self,
    ) -> impl ExactSizeIterator<Item = (VertexId, &Vertex)> + DoubleEndedIterator {
        self.graph
            .vertices
            .iter()
            .enumerate()
            .map(|(i, v)| (VertexId::new(i), v))
    }

    /// All edges, in the order of the arena (which is the order of the file).
    pub fn edges(&self) -> impl ExactSizeIterator<Item = (EdgeId, &Edge)> + DoubleEndedIterator {
        self.graph
            .edges
            .iter()
            .enumerate()
            .map(|(i, e)| (EdgeId::new(i), e))
    }

    /// One vertex.
    pub fn vertex(&self, v: VertexId) -> &Vertex {
        &self.graph.vertices[v.index()]
    }

    /// One vertex, to change what it holds (the graph itself cannot be changed).
    pub fn vertex_mut(&mut self, v: VertexId) -> &mut Vertex {
        &mut Arc::make_mut(&mut self.graph).vertices[v.index()]
    }

    /// All vertices, to change what they hold.
    pub fn vertices_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Vertex> {
        Arc::make_mut(&mut self.graph).vertices.iter_mut()
    }

    /// One edge.
    pub fn edge(&self, e: EdgeId) -> &Edge {
        &self.graph.edges[e.index()]
    }

    /// Out-edges of a vertex, in arena order.
    pub fn out_edges(&self, v: VertexId) -> &[EdgeId] {
        slice(&self.graph.succ_start, &self.graph.succs, v)
    }

    /// In-edges of a vertex, in arena order.
    pub fn in_edges(&self, v: VertexId) -> &[EdgeId] {
        slice(&self.graph.pred_start, &self.graph.preds, v)
    }

    /// Targets of the out-edges.
    pub fn successors(
        &self,
        v: VertexId,
    ) -> impl ExactSizeIterator<Item = VertexId> + DoubleEndedIterator {
        self.out_edges(v).iter().map(|&e| self.edge(e).to)
    }

    /// Sources of the in-edges.
    pub fn predecessors(
        &self,
        v: VertexId,
    ) -> impl ExactSizeIterator<Item = VertexId> + DoubleEndedIterator {
        self.in_edges(v).iter().map(|&e| self.edge(e).from)
    }

    /// The first ENTRY vertex.
    pub fn entry(&self) -> Option<VertexId> {
        self.first(&VertexKind::Entry)
    }

    /// The first EXIT vertex.
    pub fn exit(&self) -> Option<VertexId> {
        self.first(&VertexKind::Exit)
    }

    fn first(&self, kind: &VertexKind) -> Option<VertexId> {
        self.graph
            .vertices
            .iter()
            .position(|v| std::mem::discriminant(&v.kind) == std::mem::discriminant(kind))
            .map(VertexId::new)
    }

    /// Takes the graph apart again.
    pub fn into_parts(self) -> (Vec<Vertex>, Vec<Edge>) {
        let graph = Arc::unwrap_or_clone(self.graph);
        (graph.vertices, graph.edges)
    }
}

/// Of compressed adjacency, the slice of a vertex: edge ids in arena order.
fn slice<'a>(start: &[u32], list: &'a [EdgeId], v: VertexId) -> &'a [EdgeId] {
    &list[start[v.index()] as usize..start[v.index() + 1] as usize]
}
