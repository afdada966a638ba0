//! The linearized computational graph: a DAG whose edge `(i, k)` carries the local partial
//! `c_ki = dv_k / dv_i`.
//!
//! Vertices are numbered `0..n` in a topological order (by id where the ids already are one), so that
//! every edge runs from a smaller to a larger number. The user's ids are kept for input and output.

mod build;
pub mod petgraph;
mod read;
mod write;

use std::fmt;

use cfg_core::diagnostic::{CodeInfo, Diagnostic, Diagnostics, Location, Severity};

use crate::codes;

pub use build::MAX_EDGES;

/// The kind of a local partial, known before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// +1 or -1.
    Unit,
    /// Any other number that is known at compile time.
    Constant,
    /// A value that is computed at run time.
    Variable,
}

impl Kind {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Constant => "constant",
            Self::Variable => "variable",
        }
    }

    /// The kind of the product of two labels (fill-in).
    #[must_use]
    pub fn product(self, other: Self) -> Self {
        self.max(other)
    }

    /// The kind of the sum of two labels (absorption): never a unit.
    #[must_use]
    pub fn sum(self, other: Self) -> Self {
        self.max(other).max(Self::Constant)
    }
}

/// An edge of the input graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Number of the source vertex.
    pub source: u32,
    /// Number of the target vertex.
    pub target: u32,
    /// The kind of the label, known before the program runs.
    pub kind: Kind,
    /// A unit edge that is -1.
    pub negative: bool,
    /// Opaque to this crate; the builder of the graph may use it to find the label again.
    pub tag: u32,
}

/// A vertex's part in the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An input of the function.
    Independent,
    /// A vertex that is neither input nor output, which elimination removes.
    Intermediate,
    /// An output of the function; other vertices may read it (it may have out-edges).
    Dependent,
}

/// A valid linearized computational graph: acyclic, without self-loops and parallel edges, independents
/// without in-edges, every dependent reached from an independent.
#[derive(Clone, Debug)]
pub struct Lcg {
    name: String,
    ids: Vec<i64>,
    roles: Vec<Role>,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    edges: Vec<Edge>,
    out_start: Vec<u32>,
    out_edges: Vec<u32>,
    in_start: Vec<u32>,
    in_edges: Vec<u32>,
}

impl Lcg {
    /// Reads the JSON form; reports all problems that one pass can find.
    ///
    /// # Errors
    /// The problems of a graph that is not valid; see [`LcgError`].
    pub fn from_json(json: &[u8]) -> Result<Self, LcgError> {
        read::raw_from_json(json).and_then(build::build)
    }

    /// Builds a graph from lists of ids and edges `(source id, target id, kind, negative, tag)`.
    ///
    /// # Errors
    /// The errors are those of [`Lcg::from_json`].
    pub fn new(
        name: &str,
        inputs: &[i64],
        outputs: &[i64],
        edges: impl IntoIterator<Item = NewEdge>,
    ) -> Result<Self, LcgError> {
        let mut raw = build::Raw {
            name: name.to_owned(),
            ..build::Raw::default()
        };
        raw.inputs.extend_from_slice(inputs);
        raw.outputs.extend_from_slice(outputs);
        for edge in edges {
            raw.edges.push(edge);
        }
        build::build(raw)
    }

    /// The graph's name (may be empty).
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.ids.len()
    }

    /// The user's id of a vertex.
    pub fn id(&self, vertex: u32) -> i64 {
        self.ids[vertex as usize]
    }

    /// The vertex with a given id, if there is one (linear time).
    pub fn vertex(&self, id: i64) -> Option<u32> {
        self.ids
            .iter()
            .position(|&known| known == id)
            .and_then(|at| u32::try_from(at).ok())
    }

    /// The role of a vertex.
    pub fn role(&self, vertex: u32) -> Role {
        self.roles[vertex as usize]
    }

    /// Independents, in input order.
    pub fn inputs(&self) -> &[u32] {
        &self.inputs
    }

    /// Dependents, in input order.
    pub fn outputs(&self) -> &[u32] {
        &self.outputs
    }

    /// Intermediates, in topological order.
    pub fn intermediates(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..)
            .zip(&self.roles)
            .filter(|(_, role)| **role == Role::Intermediate)
            .map(|(v, _)| v)
    }

    /// All edges, in input order.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Indices of the edges that leave a vertex, ordered by target.
    pub fn out_edges(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.out_edges[self.out_start[v] as usize..self.out_start[v + 1] as usize]
    }

    /// Indices of the edges that enter a vertex, ordered by source.
    pub fn in_edges(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.in_edges[self.in_start[v] as usize..self.in_start[v + 1] as usize]
    }

    /// The graph in its JSON form.
    pub fn to_json(&self) -> String {
        write::to_json(self)
    }
}

/// An edge to build a graph from, in terms of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewEdge {
    /// The id of the source.
    pub source: i64,
    /// The id of the target.
    pub target: i64,
    /// The kind of the label, known before the program runs.
    pub kind: Kind,
    /// A unit edge that is -1.
    pub negative: bool,
    /// Opaque to this crate.
    pub tag: u32,
}

impl NewEdge {
    /// An edge without tag.
    pub fn new(source: i64, target: i64, kind: Kind) -> Self {
        Self {
            source,
            target,
            kind,
            negative: false,
            tag: 0,
        }
    }
}

/// One problem of an input graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable code, e.g. `L118` for a cycle; see [`crate::codes`].
    pub code: &'static str,
    /// JSON pointer to the offending element.
    pub pointer: String,
    /// Line in the input, for syntax errors.
    pub line: Option<usize>,
    /// Column in the input, for syntax errors.
    pub column: Option<usize>,
    /// The problem, as a sentence.
    pub message: String,
    /// The rule that was broken.
    pub rule: &'static str,
    /// A suggestion for a cure.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?}", self.code, self.pointer)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, " (line {line}, column {column})")?;
        }
        write!(f, ": {} ({}; {})", self.message, self.rule, self.help)
    }
}

/// All problems found in an input graph (at least one, at most [`LcgError::LIMIT`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct LcgError {
    /// The problems, in the order of the checks.
    pub problems: Vec<Problem>,
    /// The number of further problems.
    pub omitted: usize,
}

impl LcgError {
    /// Number of problems that are described; more are only counted.
    pub const LIMIT: usize = 100;

    fn push(
        &mut self,
        code: &CodeInfo,
        pointer: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
        help: &str,
    ) {
        if self.problems.len() >= Self::LIMIT {
            self.omitted += 1;
            return;
        }
        self.problems.push(Problem {
            code: code.code,
            pointer: pointer(),
            line: None,
            column: None,
            message: message(),
            rule: code.rule,
            help: help.to_owned(),
        });
    }

    fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }
}

impl fmt::Display for LcgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl From<LcgError> for Diagnostics {
    fn from(error: LcgError) -> Self {
        let describe = |problem: Problem| Diagnostic {
            code: problem.code,
            severity: Severity::Error,
            message: problem.message,
            rule: problem.rule.to_owned(),
            help: problem.help,
            at: Location {
                pointer: problem.line.is_none().then_some(problem.pointer),
                line: problem.line,
                column: problem.column,
                ..Location::default()
            },
        };
        let mut all: Vec<Diagnostic> = error.problems.into_iter().map(describe).collect();
        if error.omitted > 0 {
            let message = format!("{} more problems are not described", error.omitted);
            let help = "mend those above first";
            all.push(Diagnostic::error(&codes::MORE, message, help).warning());
        }
        Self(all)
    }
}
