//! Pictures of an elimination, as plain data for whatever draws them: the graph, the graph after each
//! step, and at the end the bipartite graph of the Jacobian; and how each label is computed.

mod accumulation;

pub use accumulation::Accumulation;

use crate::eliminate::{Dual, Entry, JaeList, Origin, Primal, Step, StepError};
use crate::lcg::{Kind, Lcg, Role};
use crate::listing;

/// A vertex of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The user's id; in an accumulation graph, a number.
    pub id: i64,
    /// The text in the vertex.
    pub name: String,
    /// The vertex's part in the computation.
    pub role: Role,
}

/// An edge of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The id of the source.
    pub source: i64,
    /// The id of the target.
    pub target: i64,
    /// `c(k,i)` for the partial of k by i as given, `J7` for the result of JAE 7; empty in an accumulation graph.
    pub label: String,
    /// The kind of the label: what is known about it before the program runs.
    pub kind: Kind,
}

/// The picture of one graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The last step, or the graph's name.
    pub title: String,
    /// Vertices with edges, and all independents and dependents.
    pub nodes: Vec<Node>,
    /// The edges, as arrows.
    pub edges: Vec<Arrow>,
}

/// Draws the graph and the graph after each step, one at a time.
pub struct Pictures<'a> {
    lcg: &'a Lcg,
    names: &'a [String],
    state: State<'a>,
    steps: std::slice::Iter<'a, Step>,
    started: bool,
}

enum State<'a> {
    Primal(Primal<'a>),
    Dual(Dual<'a>),
}

impl<'a> Pictures<'a> {
    /// Pictures of a sequence. `names` has one for each vertex.
    pub fn new(lcg: &'a Lcg, steps: &'a [Step], names: &'a [String]) -> Self {
        let dual = steps.iter().any(|step| matches!(step, Step::Face(..)));
        let state = if dual {
            State::Dual(Dual::new(lcg))
        } else {
            State::Primal(Primal::new(lcg))
        };
        Self {
            lcg,
            names,
            state,
            steps: steps.iter(),
            started: false,
        }
    }

    /// Advances as `next` does, without drawing.
    ///
    /// # Errors
    /// The step is not possible.
    pub fn skip_one(&mut self) -> Result<(), StepError> {
        if !std::mem::replace(&mut self.started, true) {
            return Ok(());
        }
        self.steps.next().map_or(Ok(()), |&step| self.apply(step))
    }

    fn apply(&mut self, step: Step) -> Result<(), StepError> {
        let done = match &mut self.state {
            State::Primal(graph) => graph.apply(step),
            State::Dual(graph) => graph.apply(step),
        };
        if done.is_err() {
            self.steps = [].iter();
        }
        done.map(|_| ())
    }

    fn picture(&self, title: String) -> Picture {
        let (entries, jaes): (Vec<Entry>, &JaeList) = match &self.state {
            State::Primal(graph) => (graph.entries().collect(), graph.jaes()),
            State::Dual(graph) => (graph.entries().collect(), graph.jaes()),
        };
        let mut shown: Vec<bool> = (0..self.lcg.vertex_count() as u32)
            .map(|v| self.lcg.role(v) != Role::Intermediate)
            .collect();
        let mut edges = Vec::with_capacity(entries.len());
        for entry in entries {
            shown[entry.source as usize] = true;
            shown[entry.target as usize] = true;
            let (source, target) = (self.lcg.id(entry.source), self.lcg.id(entry.target));
            let name = |v: u32| &self.names[v as usize];
            let label = match jaes.origin(entry.label) {
                Origin::Edge(_) => format!("c({},{})", name(entry.target), name(entry.source)),
                Origin::Jae(at) => format!("J{at}"),
            };
            edges.push(Arrow {
                source,
                target,
                label,
                kind: entry.kind,
            });
        }
        let nodes = (0u32..)
            .zip(shown)
            .filter(|(_, shown)| *shown)
            .map(|(v, _)| Node {
                id: self.lcg.id(v),
                name: self.names[v as usize].clone(),
                role: self.lcg.role(v),
            })
            .collect();
        Picture {
            title,
            nodes,
            edges,
        }
    }
}

impl Iterator for Pictures<'_> {
    type Item = Result<Picture, StepError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.started {
            self.started = true;
            return Some(Ok(self.picture(self.lcg.name().to_owned())));
        }
        let &step = self.steps.next()?;
        if let Err(error) = self.apply(step) {
            return Some(Err(error));
        }
        Some(Ok(self.picture(listing::step(step, self.names))))
    }
}

/// A step in the paper's notation, with the user's ids.
pub fn describe(lcg: &Lcg, step: Step) -> String {
    listing::step_of(step, |v| lcg.id(v))
}
