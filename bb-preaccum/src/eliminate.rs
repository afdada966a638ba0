//! Elimination steps on the graph ([`Primal`]) and on its dual ([`Dual`]), with the Jacobian accumulation expressions
//! (JAEs) that they imply and their cost.
//!
//! Definitions: Naumann, Optimal accumulation of Jacobian matrices by elimination methods on the dual
//! computational graph, Math. Prog. 99 (2004); Griewank and Walther, Evaluating Derivatives, ch. 9, 10.

mod edge;
mod face;
mod primal;
mod rows;
mod vertex;

pub use face::{Dual, DualVertex};
pub use primal::Primal;

use crate::lcg::{Kind, Lcg};

/// One elimination, in vertex numbers of the [`Lcg`] (or, for a face, in numbers of dual vertices).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// All faces through an intermediate vertex. A dependent that other vertices read may be named too: its out-edges
    /// are back-eliminated, and the dependent stays (as if a copy behind a unit edge took its place).
    Vertex(u32),
    /// Front elimination of edge `(i, j)`; `j` is intermediate.
    Front(u32, u32),
    /// Back elimination of edge `(j, k)`; `j` is not an independent.
    Back(u32, u32),
    /// The face between two adjacent dual vertices: the index of an edge in the input, then numbers in
    /// order of creation.
    Face(u32, u32),
}

/// A value on an edge: first the labels of the input edges, then one per JAE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(crate) u32);

/// The value that a [`Label`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The label of an input edge, by index.
    Edge(u32),
    /// The result of a JAE, by index.
    Jae(u32),
}

/// The leading term of a JAE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A product of two labels.
    Product(Label, Label),
    /// A label as it is (two dual vertices merged).
    Plain(Label),
}

/// A Jacobian accumulation expression: the new label of edge `(source, target)` is
/// `term + absorbed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jae {
    /// Source of the edge that gets the label.
    pub source: u32,
    /// Target of the edge that gets the label.
    pub target: u32,
    /// The product, or for a merge the first summand.
    pub term: Term,
    /// The label the edge had before, if it existed (absorption; else fill-in).
    pub absorbed: Option<Label>,
    /// The kind of the result, known before the program runs.
    pub kind: Kind,
}

/// The JAEs of a sequence, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JaeList {
    pub(crate) inputs: u32,
    pub(crate) list: Vec<Jae>,
}

impl JaeList {
    fn new(lcg: &Lcg) -> Self {
        Self {
            inputs: lcg.edges().len() as u32,
            list: Vec::new(),
        }
    }

    /// All JAEs of the list.
    pub fn as_slice(&self) -> &[Jae] {
        &self.list
    }

    /// The value that a label stands for.
    pub fn origin(&self, label: Label) -> Origin {
        match label.0.checked_sub(self.inputs) {
            None => Origin::Edge(label.0),
            Some(jae) => Origin::Jae(jae),
        }
    }

    /// The label of the JAE with a given index.
    pub fn label(&self, jae: usize) -> Label {
        Label(self.inputs + jae as u32)
    }

    fn kind(&self, lcg: &Lcg, label: Label) -> Kind {
        match self.origin(label) {
            Origin::Edge(edge) => lcg.edges()[edge as usize].kind,
            Origin::Jae(jae) => self.list[jae as usize].kind,
        }
    }

    fn push(&mut self, jae: Jae) -> Label {
        self.list.push(jae);
        Label(self.inputs + self.list.len() as u32 - 1)
    }
}

/// The reason for which a step cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The vertex is gone, independent, or a dependent without out-edges.
    #[error(
        "vertex {0} cannot be eliminated: it is not an intermediate vertex of the graph left (nor a dependent with out-edges)"
    )]
    Vertex(u32),
    /// The graph left has no such edge.
    #[error("there is no edge ({0}, {1}) in the graph left")]
    Edge(u32, u32),
    /// The target is a dependent.
    #[error(
        "edge ({0}, {1}) cannot be front-eliminated: its target is a dependent; back-eliminate the target's out-edges"
    )]
    IntoDependent(u32, u32),
    /// The source is an independent.
    #[error("edge ({0}, {1}) cannot be back-eliminated: its source is an independent")]
    FromIndependent(u32, u32),
    /// The dual graph left has no such face.
    #[error("there is no face ({0}, {1}) in the dual graph left")]
    Face(u32, u32),
    /// Faces and other steps do not mix in one sequence.
    #[error("a sequence is either all faces or all vertices and edges")]
    Mixed,
}

/// One edge of the graph that a sequence left: an entry of the Jacobian, if the sequence was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The source of the edge.
    pub source: u32,
    /// The target of the edge.
    pub target: u32,
    /// The label of the edge.
    pub label: Label,
    /// The kind of the label, as known before the program runs.
    pub kind: Kind,
}
