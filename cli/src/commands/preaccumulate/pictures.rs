//! Pictures: of the graph, one at the start, one after each step, of which the last one is bipartite; and the accumulation
//! graphs, of each step and of the whole sequence.

use super::Drawn;
use crate::codes;
use crate::input::Session;
use crate::output::{TextWriter, to_file, to_stdout};
use bb_preaccum::draw::{Accumulation, Picture, Pictures};
use bb_preaccum::lcg::{self, Role};
use cfg_back::dot::{LabelledEdge, LabelledVertex, Line, Place, write_labelled};
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use std::io;
use std::path::{Path, PathBuf};

/// Edges of all pictures together, at most.
const MOST_EDGES: usize = 20_000_000;

/// True if pictures of so many steps, each with so many edges, are too many.
fn are_too_many(steps: usize, edges: usize) -> bool {
    steps.saturating_mul(edges) > MOST_EDGES
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
    /// True if the graphs between the first and the last are left out.
    ends_only: bool,
}

impl<'a> Files<'a> {
    pub(super) fn new(folder: &'a Path, drawn: &'a Drawn<'a>, kind: Kind) -> Self {
        let (steps, edges) = (drawn.found.steps.len(), drawn.lcg.edges().len());
        Self {
            folder,
            drawn,
            kind,
            // An accumulation graph has what its step computes, and no more.
            ends_only: kind == Kind::Graphs && are_too_many(steps, edges),
        }
    }

    fn last(&self) -> usize {
        self.drawn.found.steps.len()
    }

    fn path(&self, at: usize) -> PathBuf {
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
        let drawn = (0..=self.last()).filter(|&at| self.is_drawn(at));
        drawn.map(|at| self.path(at))
    }

    /// Writes them to their files.
    pub(super) fn write(&self, force: bool, session: &Session) -> anyhow::Result<()> {
        self.each(session, |at, picture| {
            to_file(&self.path(at), force, |out| draw(out, picture))
        })
    }

    /// Prints them, one after the other.
    pub(super) fn print(&self, session: &Session) -> anyhow::Result<()> {
        self.each(session, |_, picture| to_stdout(|out| draw(out, picture)))
    }

    fn each(
        &self,
        session: &Session,
        mut put: impl FnMut(usize, Picture) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Drawn {
            lcg, found, names, ..
        } = self.drawn;
        if self.kind == Kind::Jaes {
            let all = Accumulation::new(lcg, &found.steps, names)?;
            put(0, all.whole())?;
            let mut steps = (1..).zip(all.eliminations());
            return steps.try_for_each(|(at, picture)| put(at, picture));
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
        for at in 0..=self.last() {
            if !self.is_drawn(at) {
                pictures.skip_one()?;
            } else if let Some(picture) = pictures.next() {
                put(at, picture?)?;
            }
        }
        Ok(())
    }
}

fn draw(out: &mut dyn io::Write, picture: Picture) -> io::Result<()> {
    let vertices = picture.nodes.into_iter().map(|node| LabelledVertex {
        id: node.id,
        label: node.name,
        place: match node.role {
            Role::Independent => Place::Source,
            Role::Intermediate => Place::Inner,
            Role::Dependent => Place::Sink,
        },
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
    });
    TextWriter::run(out, |out| {
        write_labelled(out, &picture.title, vertices, edges)
    })
}

#[cfg(test)]
mod tests {
    use super::are_too_many;

    /// Pictures have up to twenty million edges together.
    #[test]
    fn pictures_have_so_many_edges() {
        assert!(!are_too_many(4_000, 5_000));
        assert!(are_too_many(1, 20_000_001));
        assert!(are_too_many(usize::MAX, 2));
    }
}
