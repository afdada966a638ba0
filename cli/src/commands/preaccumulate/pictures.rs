//! Pictures: of the graph, one at the start, one after each step, of which the last one is bipartite, each vertex at
//! the same place in all; and the accumulation graphs, of each step and of the whole sequence.

use super::Drawn;
use crate::args::Preaccumulate;
use crate::codes;
use crate::input::Session;
use crate::output::{to_file, to_stdout};
use bb_preaccum::draw::{Accumulation, Change, Picture, Pictures};
use bb_preaccum::lcg::{self, Role};
use cfg_back::dot::{
    Frame, LabelledEdge, LabelledVertex, Line, Mark, Place, States, write_labelled,
};
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_languages::TextWriter;
use std::io;
use std::path::{Path, PathBuf};

/// Edges of all pictures together, at most.
const MOST_EDGES: usize = 20_000_000;

/// Edges of a picture that has all steps, at most.
const MOST_PANEL_EDGES: usize = 200_000;

/// True if pictures of so many steps, each with so many edges, are too many, in one picture or in several.
fn are_too_many(steps: usize, edges: usize, panels: bool) -> bool {
    let most = if panels { MOST_PANEL_EDGES } else { MOST_EDGES };
    steps.saturating_mul(edges) > most
}

/// The graphs that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The graph, and the graph after each step: NAME.000.dot, NAME.001.dot, ...
    Graphs,
    /// The accumulation graphs, of the whole sequence and of each step: NAME.jaes.000.dot, NAME.jaes.001.dot, ...
    Jaes,
}

/// The files to be written.
pub(super) struct Files<'a> {
    folder: &'a Path,
    drawn: &'a Drawn<'a>,
    kind: Kind,
    /// True if one picture has all graphs: NAME.panels.dot.
    panels: bool,
    legend: bool,
    /// True if the graphs between the first and the last are left out.
    ends_only: bool,
}

impl<'a> Files<'a> {
    pub(super) fn new(
        folder: &'a Path,
        args: &Preaccumulate,
        drawn: &'a Drawn<'a>,
        kind: Kind,
    ) -> Self {
        let (steps, edges) = (drawn.found.steps.len(), drawn.lcg.edges().len());
        let panels = kind == Kind::Graphs && args.panels;
        Self {
            folder,
            drawn,
            kind,
            panels,
            legend: args.legend,
            // An accumulation graph has only the edges of its own step, so the pictures of all steps stay small.
            ends_only: kind == Kind::Graphs && are_too_many(steps, edges, panels),
        }
    }

    fn last(&self) -> usize {
        self.drawn.found.steps.len()
    }

    fn path(&self, at: usize) -> PathBuf {
        if self.panels {
            return self.folder.join(format!("{}.panels.dot", self.drawn.stem));
        }
        let digits = self.last().to_string().len();
        let what = match self.kind {
            Kind::Graphs => "",
            Kind::Jaes => ".jaes",
        };
        let stem = &self.drawn.stem;
        self.folder.join(format!("{stem}{what}.{at:0digits$}.dot"))
    }

    fn is_drawn(&self, at: usize) -> bool {
        !self.ends_only || at == 0 || at == self.last()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let last = if self.panels { 0 } else { self.last() };
        let drawn = (0..=last).filter(|&at| self.is_drawn(at));
        drawn.map(|at| self.path(at))
    }

    /// Writes them to their files.
    pub(super) fn write(&self, force: bool, session: &Session) -> anyhow::Result<()> {
        self.each(session, |at, draw| {
            to_file(&self.path(at), force, |out| draw(out))
        })
    }

    /// Prints them, one after the other.
    pub(super) fn print(&self, session: &Session) -> anyhow::Result<()> {
        self.each(session, |_, draw| to_stdout(|out| draw(out)))
    }

    fn each(
        &self,
        session: &Session,
        mut put: impl FnMut(usize, &Draw<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Drawn {
            lcg, found, names, ..
        } = self.drawn;
        if self.kind == Kind::Jaes {
            let all = Accumulation::new(lcg, &found.steps, names)?;
            let pictures = std::iter::once(all.whole()).chain(all.eliminations());
            return (0..).zip(pictures).try_for_each(|(at, picture)| {
                let graph = frame(picture);
                put(at, &|out| {
                    TextWriter::run(out, |out| write_labelled(out, &graph))
                })
            });
        }
        if self.ends_only {
            let warning = Diagnostic::error(
                &codes::TOO_MANY_PICTURES,
                "only the graph and the end of the elimination are drawn",
                "--emit json has every step",
            );
            session.report(&Diagnostics::from(warning.warning()));
        }
        let mut pictures = Pictures::new(lcg, &found.steps, names);
        let mut states = None;
        let mut panels = Vec::new();
        for at in 0..=self.last() {
            if !self.is_drawn(at) {
                pictures.skip_one()?;
            } else if let Some(picture) = pictures.next() {
                let graph = frame(picture?);
                let states = states.get_or_insert_with(|| States::new(&graph, self.legend));
                if self.panels {
                    panels.push(graph);
                } else {
                    put(at, &|out| {
                        TextWriter::run(out, |out| states.write(out, &graph))
                    })?;
                }
            }
        }
        match states {
            Some(states) if self.panels => put(0, &|out| {
                TextWriter::run(out, |out| states.write_panels(out, &panels))
            }),
            Some(_) | None => Ok(()),
        }
    }
}

/// Writes one picture.
type Draw<'a> = dyn Fn(&mut dyn io::Write) -> io::Result<()> + 'a;

/// A picture as it is drawn.
fn frame(picture: Picture) -> Frame {
    let vertices = picture.nodes.into_iter().map(|node| LabelledVertex {
        id: node.id,
        label: node.name,
        place: match node.role {
            Role::Independent => Place::Source,
            Role::Intermediate => Place::Inner,
            Role::Dependent => Place::Sink,
        },
        is_next: node.is_next,
    });
    let edges = picture.edges.into_iter().map(|edge| LabelledEdge {
        source: edge.source,
        target: edge.target,
        label: edge.label,
        line: match edge.kind {
            lcg::Kind::Variable => Line::Solid,
            lcg::Kind::Constant => Line::Dotted,
            lcg::Kind::Unit => Line::Dashed,
        },
        change: match edge.change {
            Change::None => None,
            Change::FillIn => Some(Mark::New),
            Change::Absorption => Some(Mark::Changed),
        },
        is_next: edge.is_next,
    });
    Frame {
        title: picture.title,
        vertices: vertices.collect(),
        edges: edges.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::are_too_many;

    /// Pictures have up to twenty million edges together, one with all steps two hundred thousand.
    #[test]
    fn pictures_have_so_many_edges() {
        assert!(!are_too_many(4_000, 5_000, false));
        assert!(are_too_many(1, 20_000_001, false));
        assert!(are_too_many(usize::MAX, 2, false));
        assert!(!are_too_many(40, 5_000, true));
        assert!(are_too_many(1, 200_001, true));
    }
}
