//! States of a graph as pictures show them: vertices and edges with their texts, and their parts in the steps around
//! the state.

/// The place of a vertex in the graph as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A vertex where paths start.
    Source,
    /// A vertex on the way.
    Inner,
    /// A vertex where paths end.
    Sink,
}

/// The line by which an edge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// A plain line.
    Solid,
    /// A dashed line.
    Dashed,
    /// A dotted line.
    Dotted,
}

/// The part that a vertex or an edge has in the steps before and after a state of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The step before made it.
    New,
    /// The step before changed it.
    Changed,
    /// The step after removes it.
    Next,
}

/// An edge from one id to another.
#[derive(Clone, Debug)]
pub struct LabelledEdge {
    /// Id of the source.
    pub source: i64,
    /// Id of the target.
    pub target: i64,
    /// Text beside the edge.
    pub label: String,
    /// The line by which the edge is drawn.
    pub line: Line,
    /// The edge's part in the step before; it colours the label, and the line unless the step after removes the edge.
    pub change: Option<Mark>,
    /// True if the step after removes the edge.
    pub is_next: bool,
}

/// A vertex with its text.
#[derive(Clone, Debug)]
pub struct LabelledVertex {
    /// The id of the vertex.
    pub id: i64,
    /// Text in the vertex.
    pub label: String,
    /// The vertex's place in the graph as a whole.
    pub place: Place,
    /// True if the step after removes the vertex.
    pub is_next: bool,
}

/// A graph with a title: one state of a graph that changes in steps.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The text above the graph.
    pub title: String,
    /// The vertices, in topological order if frames share places.
    pub vertices: Vec<LabelledVertex>,
    /// The edges.
    pub edges: Vec<LabelledEdge>,
}
