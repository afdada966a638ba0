//! Accumulation graphs: the products and sums by which the labels of a sequence are computed from each other.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Arrow, Change, Node, Picture};
use crate::eliminate::{Entry, Label, Step, StepError, Term};
use crate::lcg::{Kind, Lcg, Role};
use crate::listing::{self, Done, Names, done};

/// The accumulation graphs of a sequence: one for each elimination, as the 2004 paper draws them, and one for all
/// together.
///
/// The sources are labels that are known before, the inner vertices are products and sums, and the last operation of
/// each label names it. Sinks are the entries of the Jacobian.
pub struct Accumulation<'a> {
    lcg: &'a Lcg,
    steps: &'a [Step],
    vertices: &'a [String],
    names: Names<'a>,
    done: Done,
    entries: HashSet<Label>,
}

impl<'a> Accumulation<'a> {
    /// Replays a sequence. `vertices` has a name for each vertex.
    ///
    /// # Errors
    /// The first step that is not possible.
    pub fn new(lcg: &'a Lcg, steps: &'a [Step], vertices: &'a [String]) -> Result<Self, StepError> {
        let done = done(lcg, steps)?;
        Ok(Self {
            lcg,
            steps,
            vertices,
            names: Names::new(lcg, steps, vertices),
            entries: done.entries.iter().map(|entry| entry.label).collect(),
            done,
        })
    }

    /// The graph of each elimination, in their order.
    pub fn eliminations(&self) -> impl Iterator<Item = Picture> + '_ {
        let mut first = 0;
        self.steps
            .iter()
            .zip(&self.done.ends)
            .map(move |(&step, &end)| {
                let range = std::mem::replace(&mut first, end)..end;
                self.picture(listing::step(step, self.vertices), range, &[])
            })
    }

    /// The graph of the whole sequence, with entries of the Jacobian that are labels as they were given.
    pub fn whole(&self) -> Picture {
        let all = 0..self.done.jaes.as_slice().len();
        self.picture(self.lcg.name().to_owned(), all, &self.done.entries)
    }

    fn picture(&self, title: String, range: Range<usize>, entries: &[Entry]) -> Picture {
        let mut pen = Pen {
            of: self,
            nodes: Vec::new(),
            edges: Vec::new(),
            known: HashMap::new(),
        };
        for at in range {
            pen.jae(at);
        }
        for entry in entries {
            pen.label(entry.label);
        }
        Picture {
            title,
            nodes: pen.nodes,
            edges: pen.edges,
        }
    }
}

/// Draws one graph.
struct Pen<'p, 'a> {
    of: &'p Accumulation<'a>,
    nodes: Vec<Node>,
    edges: Vec<Arrow>,
    /// The vertex of each label that is drawn.
    known: HashMap<Label, i64>,
}

impl Pen<'_, '_> {
    fn node(&mut self, name: String, role: Role) -> i64 {
        let id = self.nodes.len() as i64 + 1;
        self.nodes.push(Node {
            id,
            name,
            role,
            is_next: false,
        });
        id
    }

    fn arrow(&mut self, source: i64, target: i64) {
        self.edges.push(Arrow {
            source,
            target,
            label: String::new(),
            kind: Kind::Variable,
            change: Change::None,
            is_next: false,
        });
    }

    /// The vertex of a label; a source if it is not computed here.
    fn label(&mut self, label: Label) -> i64 {
        if let Some(&known) = self.known.get(&label) {
            return known;
        }
        let name = self.of.names.label(&self.of.done.jaes, label);
        let id = self.node(name, Role::Independent);
        self.known.insert(label, id);
        id
    }

    /// A product, a sum, or both.
    fn jae(&mut self, at: usize) {
        let of = self.of;
        let jaes = &of.done.jaes;
        let (jae, label) = (&jaes.as_slice()[at], jaes.label(at));
        let name = of.names.label(jaes, label);
        let role = if of.entries.contains(&label) {
            Role::Dependent
        } else {
            Role::Intermediate
        };
        let first = match jae.term {
            Term::Product(inner, outer) => {
                let (a, b) = (self.label(inner), self.label(outer));
                let (text, role) = match jae.absorbed {
                    Some(_) => ("*".to_owned(), Role::Intermediate),
                    None => (format!("{name} = *"), role),
                };
                let product = self.node(text, role);
                self.arrow(a, product);
                self.arrow(b, product);
                product
            }
            Term::Plain(label) => self.label(label),
        };
        let last = match jae.absorbed {
            Some(absorbed) => {
                let old = self.label(absorbed);
                let sum = self.node(format!("{name} = +"), role);
                self.arrow(old, sum);
                self.arrow(first, sum);
                sum
            }
            None => first,
        };
        self.known.insert(label, last);
    }
}
