//! Pictures of the graph: one at the start, one after each step; the last one is bipartite.

use crate::codes;
use crate::input::Session;
use crate::output::{TextWriter, to_file, to_stdout};
use bb_preaccum::draw::{Picture, Pictures};
use bb_preaccum::eliminate::Step;
use bb_preaccum::lcg::{Kind, Lcg, Role};
use bb_preaccum::search::Outcome;
use cfg_back::dot::{LabelledEdge, Line, Place, write_labelled};
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use std::io;
use std::path::{Path, PathBuf};

/// Edges of all pictures together, at most.
const MOST_EDGES: usize = 20_000_000;

/// The files to be written: NAME.000.dot, NAME.001.dot, ...
pub(super) struct Files<'a> {
    folder: &'a Path,
    stem: &'a str,
    lcg: &'a Lcg,
    steps: &'a [Step],
    /// True if the graphs between the first and the last are left out.
    ends_only: bool,
}

impl<'a> Files<'a> {
    pub(super) fn new(folder: &'a Path, stem: &'a str, lcg: &'a Lcg, found: &'a Outcome) -> Self {
        let all = found.steps.len().saturating_mul(lcg.edges().len());
        Self {
            folder,
            stem,
            lcg,
            steps: &found.steps,
            ends_only: all > MOST_EDGES,
        }
    }

    fn path(&self, at: usize) -> PathBuf {
        let digits = self.steps.len().to_string().len();
        self.folder.join(format!("{}.{at:0digits$}.dot", self.stem))
    }

    fn is_drawn(&self, at: usize) -> bool {
        !self.ends_only || at == 0 || at == self.steps.len()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let drawn = (0..=self.steps.len()).filter(|&at| self.is_drawn(at));
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
        put: impl Fn(usize, Picture) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if self.ends_only {
            let warning = Diagnostic::error(
                &codes::TOO_MANY_PICTURES,
                "only the graph and the end of the elimination are drawn",
                "--emit json has every step",
            );
            session.report(&Diagnostics::from(warning.warning()));
        }
        let mut pictures = Pictures::new(self.lcg, self.steps);
        for at in 0..=self.steps.len() {
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
    let vertices = picture.nodes.into_iter().map(|node| {
        let place = match node.role {
            Role::Independent => Place::Source,
            Role::Intermediate => Place::Inner,
            Role::Dependent => Place::Sink,
        };
        (node.id, place)
    });
    let edges = picture.edges.into_iter().map(|edge| LabelledEdge {
        source: edge.source,
        target: edge.target,
        label: edge.label,
        line: match edge.kind {
            Kind::Variable => Line::Solid,
            Kind::Constant => Line::Dotted,
            Kind::Unit => Line::Dashed,
        },
    });
    TextWriter::run(out, |out| {
        write_labelled(out, &picture.title, vertices, edges)
    })
}
