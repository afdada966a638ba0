//! Pictures of an elimination, as plain data for any back end: the graph, the graph after each step, and at the end
//! the bipartite graph of the Jacobian; and the computation of each label.

mod accumulation;

pub use accumulation::Accumulation;

use crate::eliminate::{Dual, Entry, JaeList, Origin, Primal, Step, StepError};
use crate::lcg::{Kind, Lcg, Role};
use crate::listing::{self, Names};

/// A vertex of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The user's id; in an accumulation graph, a number.
    pub id: i64,
    /// The text in the vertex.
    pub name: String,
    /// The vertex's part in the computation.
    pub role: Role,
    /// True if the next step eliminates the vertex.
    pub is_next: bool,
}

/// The part that the last step has in an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The edge is as it was.
    None,
    /// The step created the edge.
    FillIn,
    /// The step added to the label of the edge.
    Absorption,
}

/// An edge of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The id of the source.
    pub source: i64,
    /// The id of the target.
    pub target: i64,
    /// `c(k,i)` for the partial of k by i. In a sequence of faces an edge can have several labels, so the result of
    /// JAE 7 is `J7`. Empty in an accumulation graph.
    pub label: String,
    /// The kind of the label, known before the program runs.
    pub kind: Kind,
    /// The part that the last step has in the edge.
    pub change: Change,
    /// True if the next step eliminates the edge, or a face between the edge and another.
    pub is_next: bool,
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
    labels: Names<'a>,
    state: State<'a>,
    steps: std::slice::Iter<'a, Step>,
    started: bool,
    /// The number of JAEs before the last step.
    before: u32,
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
            labels: Names::new(lcg, steps, names),
            state,
            steps: steps.iter(),
            started: false,
            before: 0,
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

    fn jaes(&self) -> &JaeList {
        match &self.state {
            State::Primal(graph) => graph.jaes(),
            State::Dual(graph) => graph.jaes(),
        }
    }

    fn apply(&mut self, step: Step) -> Result<(), StepError> {
        self.before = self.jaes().as_slice().len() as u32;
        let done = match &mut self.state {
            State::Primal(graph) => graph.apply(step),
            State::Dual(graph) => graph.apply(step),
        };
        if done.is_err() {
            self.steps = [].iter();
        }
        done.map(|_| ())
    }

    /// True if a step eliminates an edge, or a face between the edge and another.
    fn eliminates(&self, step: Step, edge: &Entry) -> bool {
        match (step, &self.state) {
            (Step::Front(i, k) | Step::Back(i, k), _) => (edge.source, edge.target) == (i, k),
            (Step::Face(i, j), State::Dual(dual)) => [i, j].iter().any(|&at| {
                let vertex = dual.vertex(at);
                vertex.is_some_and(|vertex| vertex.label() == edge.label)
            }),
            (Step::Vertex(_) | Step::Face(..), _) => false,
        }
    }

    fn picture(&self, title: String) -> Picture {
        let entries: Vec<Entry> = match &self.state {
            State::Primal(graph) => graph.entries().collect(),
            State::Dual(graph) => graph.entries().collect(),
        };
        let jaes = self.jaes();
        let next = self.steps.as_slice().first();
        let mut shown: Vec<bool> = (0..self.lcg.vertex_count() as u32)
            .map(|v| self.lcg.role(v) != Role::Intermediate)
            .collect();
        let mut edges = Vec::with_capacity(entries.len());
        for entry in entries {
            shown[entry.source as usize] = true;
            shown[entry.target as usize] = true;
            let change = match jaes.origin(entry.label) {
                Origin::Jae(at) if at >= self.before => {
                    match jaes.as_slice()[at as usize].absorbed {
                        Some(_) => Change::Absorption,
                        None => Change::FillIn,
                    }
                }
                Origin::Jae(_) | Origin::Edge(_) => Change::None,
            };
            edges.push(Arrow {
                source: self.lcg.id(entry.source),
                target: self.lcg.id(entry.target),
                label: self.labels.label(jaes, entry.label),
                kind: entry.kind,
                change,
                is_next: next.is_some_and(|&step| self.eliminates(step, &entry)),
            });
        }
        let nodes = (0u32..)
            .zip(shown)
            .filter(|(_, shown)| *shown)
            .map(|(v, _)| Node {
                id: self.lcg.id(v),
                name: self.names[v as usize].clone(),
                role: self.lcg.role(v),
                is_next: next == Some(&Step::Vertex(v)),
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
