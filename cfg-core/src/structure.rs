//! The nesting of a structured graph: topological order, matching vertices, labels of ends.

pub(crate) mod cure;
pub mod layout;
pub(crate) mod local_rules;
mod order;
mod regions;
#[cfg(test)]
mod tests;

pub use regions::{Region, RegionId, RegionKind, RegionTree};

use crate::{
    codes,
    diagnostic::{Diagnostic, Diagnostics},
    entity::{EdgeId, VertexId},
    ir::{Cfg, Control},
};

/// The nesting of a graph that satisfies Definition 1; one per routine of a valid program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Algorithm 1's order: every vertex after its dominators, loop bodies before the vertices behind the loop.
    pub order: Vec<VertexId>,
    /// Position of each vertex in `order`, by vertex.
    pub position: Vec<u32>,
    /// LOOP <-> ENDLOOP and BRANCH <-> ENDBRANCH, by vertex.
    pub partner: Vec<Option<VertexId>>,
    /// The innermost LOOP or BRANCH around each vertex, by vertex. The header itself and its end belong
    /// to the region outside.
    pub parent: Vec<Option<VertexId>>,
    /// Number of loops around each vertex.
    pub loop_depth: Vec<u32>,
    /// The in-label of each edge into an ENDBRANCH or ENDLOOP: the label of the arm or body that it ends.
    pub in_label: Vec<Option<i64>>,
    /// The role of each edge at its source and target.
    pub edge_kind: Vec<EdgeKind>,
}

/// The role of an edge towards a loop at one of its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EdgeKind {
    /// The source is a LOOP and this edge leaves it.
    pub loop_exit: bool,
    /// The source is a LOOP and this edge starts its body.
    pub loop_body: bool,
    /// The target is a LOOP and this is its entry edge.
    pub loop_entry: bool,
    /// The target is a LOOP and this is its back edge.
    pub loop_back: bool,
}

/// Checks in-labels that a file gives against the in-labels that follow from the nesting. Places are relative to the
/// routine.
pub fn check_in_labels(
    cfg: &Cfg,
    structure: &Structure,
    declared: impl IntoIterator<Item = (EdgeId, i64)>,
) -> Diagnostics {
    let mut problems = Diagnostics::default();
    for (e, label) in declared {
        let computed = structure.in_label(e);
        if computed == Some(label) {
            continue;
        }
        let message = match computed {
            Some(computed) => {
                format!("the edge ends arm or body {computed}, its in_label is {label}")
            }
            None => format!("the edge ends no arm and no body, its in_label is {label}"),
        };
        let help = "correct the in_label, or leave it out: it is computed";
        problems.push(local_rules::at_edge(
            cfg,
            e,
            &codes::IN_LABEL,
            message,
            help,
        ));
    }
    problems
}

impl Structure {
    /// Checks Definition 1 and computes the structure; O(vertices + edges), without recursion.
    ///
    /// # Errors
    /// All violations of the local rules (entry and exit, numbers of edges, labels, reachability); if there are none,
    /// cycles with several entries and the first violation of the nesting. Places are relative to the routine.
    pub fn compute(cfg: &Cfg) -> Result<Self, Diagnostics> {
        let broken = local_rules::violations(cfg, Control::Structured);
        if !broken.is_empty() {
            return Err(cure::explained(cfg, Control::Structured, broken, None));
        }
        Self::nested(cfg).map_err(|nesting| Self::not_nested(cfg, *nesting))
    }

    /// The structure of a graph that keeps the local rules, or the first violation of the nesting.
    pub(crate) fn nested(cfg: &Cfg) -> Result<Self, Box<Diagnostic>> {
        order::nest(cfg)
    }

    /// All problems of the nesting. Irreducible loops explain more than the first end that does not match, so they
    /// come first.
    pub(crate) fn not_nested(cfg: &Cfg, nesting: Diagnostic) -> Diagnostics {
        let mut problems = local_rules::irreducible(cfg);
        problems.push(nesting);
        problems
    }

    /// The ENDLOOP or ENDBRANCH of a header, or the header of an end; `None` for other vertices.
    pub fn partner(&self, v: VertexId) -> Option<VertexId> {
        self.partner[v.index()]
    }

    /// The role of an edge.
    pub fn kind(&self, e: EdgeId) -> EdgeKind {
        self.edge_kind[e.index()]
    }

    /// The label of the arm or body that the edge ends.
    pub fn in_label(&self, e: EdgeId) -> Option<i64> {
        self.in_label[e.index()]
    }
}
