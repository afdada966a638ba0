//! A sequence in the form of the 2004 paper's section 3: each elimination beside its code, in names of vertices, and
//! the entries of the Jacobian that are complete after it and therefore recorded.

use std::fmt::Display;

use serde::Serialize;

use crate::eliminate::{Dual, Entry, JaeList, Label, Origin, Primal, Step, StepError, Term};
use crate::lcg::{Kind, Lcg};

/// One elimination, with the code that it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Elimination {
    /// The step in the paper's notation: `(3,t)f`.
    pub step: String,
    /// The Jacobian accumulation expressions of the elimination.
    pub jaes: Vec<String>,
    /// The values that are pushed: entries of the Jacobian that are complete after the step and not known before the
    /// program runs.
    pub pushes: Vec<String>,
}

/// A sequence of eliminations, each with its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Pushes of entries that are local partials as they are.
    pub partials: Vec<String>,
    /// The eliminations, in order.
    pub eliminations: Vec<Elimination>,
}

enum State<'a> {
    Primal(Primal<'a>),
    Dual(Dual<'a>),
}

impl State<'_> {
    fn jaes(&self) -> &JaeList {
        match self {
            Self::Primal(graph) => graph.jaes(),
            Self::Dual(graph) => graph.jaes(),
        }
    }
}

/// The result of a sequence of eliminations.
pub(crate) struct Done {
    pub(crate) jaes: JaeList,
    /// The number of JAEs after each step.
    pub(crate) ends: Vec<usize>,
    pub(crate) entries: Vec<Entry>,
}

/// Does all steps of a sequence.
pub(crate) fn done(lcg: &Lcg, steps: &[Step]) -> Result<Done, StepError> {
    let mut state = if has_faces(steps) {
        State::Dual(Dual::new(lcg))
    } else {
        State::Primal(Primal::new(lcg))
    };
    let mut ends = Vec::with_capacity(steps.len());
    for &step in steps {
        match &mut state {
            State::Primal(graph) => drop(graph.apply(step)?),
            State::Dual(graph) => drop(graph.apply(step)?),
        }
        ends.push(state.jaes().as_slice().len());
    }
    let (entries, jaes) = match state {
        State::Primal(graph) => (graph.entries().collect(), graph.into_jaes()),
        State::Dual(graph) => (graph.entries().collect(), graph.into_jaes()),
    };
    Ok(Done {
        jaes,
        ends,
        entries,
    })
}

fn has_faces(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step, Step::Face(..)))
}

/// The printed names of labels.
pub(crate) struct Names<'a> {
    lcg: &'a Lcg,
    vertices: &'a [String],
    /// True if several labels may belong to one pair of vertices, so that labels are numbered.
    numbered: bool,
}

impl<'a> Names<'a> {
    /// Names for the labels of a sequence, from one for each vertex.
    pub(crate) fn new(lcg: &'a Lcg, steps: &[Step], vertices: &'a [String]) -> Self {
        Self {
            lcg,
            vertices,
            numbered: has_faces(steps),
        }
    }

    fn edge(&self, source: u32, target: u32) -> String {
        partial(self.vertices, target, source)
    }

    pub(crate) fn label(&self, jaes: &JaeList, label: Label) -> String {
        match jaes.origin(label) {
            Origin::Edge(at) => {
                let edge = &self.lcg.edges()[at as usize];
                self.edge(edge.source, edge.target)
            }
            Origin::Jae(at) if self.numbered => format!("J{at}"),
            Origin::Jae(at) => {
                let jae = &jaes.as_slice()[at as usize];
                self.edge(jae.source, jae.target)
            }
        }
    }

    fn jae(&self, jaes: &JaeList, at: usize) -> String {
        let jae = &jaes.as_slice()[at];
        let old = jae.absorbed.map(|old| self.label(jaes, old));
        let term = match jae.term {
            Term::Product(inner, outer) => {
                format!("{}*{}", self.label(jaes, inner), self.label(jaes, outer))
            }
            Term::Plain(label) => self.label(jaes, label),
        };
        let name = self.label(jaes, jaes.label(at));
        match old {
            Some(old) => format!("{name} := {old} + {term}"),
            None => format!("{name} := {term}"),
        }
    }
}

/// The printed partial of vertex `k` by vertex `i`: `c(7,4)`, also for the names `v7` and `v4`.
pub(crate) fn partial(vertices: &[String], k: u32, i: u32) -> String {
    let bare = |v: u32| {
        let name = vertices[v as usize].as_str();
        let number = name.strip_prefix('v');
        number
            .filter(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
            .unwrap_or(name)
    };
    format!("c({},{})", bare(k), bare(i))
}

/// A step in the paper's notation, with names of vertices (one for each).
pub fn step(step: Step, vertices: &[String]) -> String {
    step_of(step, |v| &vertices[v as usize])
}

pub(crate) fn step_of<T: Display>(step: Step, name: impl Fn(u32) -> T) -> String {
    match step {
        Step::Vertex(j) => format!("({})", name(j)),
        Step::Front(i, j) => format!("({},{})f", name(i), name(j)),
        Step::Back(j, k) => format!("({},{})b", name(j), name(k)),
        Step::Face(i, j) => format!("face({i},{j})"),
    }
}

/// The ids of a graph's vertices as names.
pub fn ids(lcg: &Lcg) -> Vec<String> {
    (0..lcg.vertex_count() as u32)
        .map(|v| lcg.id(v).to_string())
        .collect()
}

/// Replays a sequence and lists the code of each step. `vertices` has a name for each vertex.
///
/// # Errors
/// The first step that is not possible.
pub fn listing(lcg: &Lcg, steps: &[Step], vertices: &[String]) -> Result<Listing, StepError> {
    let names = Names::new(lcg, steps, vertices);
    let Done {
        jaes,
        ends,
        entries,
    } = &done(lcg, steps)?;
    let mut recorded = vec![false; jaes.as_slice().len()];
    let mut partials = Vec::new();
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Variable) {
        match jaes.origin(entry.label) {
            Origin::Edge(_) => partials.push(format!("push {}", names.label(jaes, entry.label))),
            Origin::Jae(at) => recorded[at as usize] = true,
        }
    }
    let mut first = 0;
    let eliminations = steps.iter().zip(ends).map(|(&one, &end)| {
        let range = std::mem::replace(&mut first, end)..end;
        let complete = range.clone().filter(|&at| recorded[at]);
        Elimination {
            step: step(one, vertices),
            pushes: complete
                .map(|at| format!("push {}", names.label(jaes, jaes.label(at))))
                .collect(),
            jaes: range.map(|at| names.jae(jaes, at)).collect(),
        }
    });
    Ok(Listing {
        eliminations: eliminations.collect(),
        partials,
    })
}

impl Listing {
    /// The listing in columns, a line per JAE.
    pub fn text(&self) -> String {
        let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
        let all = &self.eliminations;
        let step = longest(&mut all.iter().map(|one| one.step.chars().count()));
        let code = longest(
            &mut all
                .iter()
                .flat_map(|one| one.jaes.iter().map(|jae| jae.chars().count())),
        );
        let mut text = String::new();
        let mut line = |columns: [&str; 3]| {
            let [a, b, c] = columns;
            let line = format!("{a:step$}  {b:code$}  {c}");
            text.push_str(line.trim_end());
            text.push('\n');
        };
        for one in all {
            for at in 0..one.jaes.len().max(one.pushes.len()).max(1) {
                let cell = |list: &[String]| list.get(at).cloned().unwrap_or_default();
                let name = if at == 0 { one.step.as_str() } else { "" };
                line([name, &cell(&one.jaes), &cell(&one.pushes)]);
            }
        }
        for push in &self.partials {
            line(["", "", push]);
        }
        text
    }
}
