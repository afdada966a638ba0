//! The nesting of a structured graph: topological order, matching vertices, labels of ends.

pub(crate) mod check;
mod cure;
mod order;
mod regions;
#[cfg(test)]
mod tests;

pub use regions::{Region, RegionId, RegionKind, RegionTree};

use crate::{
    diagnostic::Diagnostics,
    entity::{EdgeId, VertexId},
    ir::{Cfg, Control},
    recover::classify::{ControlClass, classify},
    validate::codes,
};

/// What is known of a graph that satisfies Definition 1; one per routine of a valid program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Algorithm 1's order: every vertex after its dominators, loop bodies before what follows.
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
    /// The in-label of each edge: of the arm or body that it ends, if its target is ENDBRANCH or ENDLOOP.
    pub in_label: Vec<Option<i64>>,
    /// The role of each edge at its source and target.
    pub edge_kind: Vec<EdgeKind>,
}

/// What an edge is to a loop at one of its ends.
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

/// Checks in-labels that a file gives against those that follow from the nesting. Places are relative
/// to the routine.
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
        problems.push(check::at_edge(cfg, e, &codes::IN_LABEL, message, help));
    }
    problems
}

impl Structure {
    /// Checks Definition 1 and computes the structure; O(vertices + edges), without recursion.
    ///
    /// # Errors
    /// All violations of the local rules (entry and exit, numbers of edges, labels, reachability); if
    /// there are none, cycles with several entries and the first violation of the nesting. Places are relative to the routine.
    pub fn of(cfg: &Cfg) -> Result<Self, Diagnostics> {
        Self::find(cfg, false)
    }

    /// [`Structure::of`], with help that takes loops and nesting into account.
    pub(crate) fn explained(cfg: &Cfg) -> Result<Self, Diagnostics> {
        Self::find(cfg, true)
    }

    fn find(cfg: &Cfg, explain: bool) -> Result<Self, Diagnostics> {
        let mut problems = Diagnostics::default();
        check::local_rules(cfg, Control::Structured, explain, &mut problems);
        if problems.has_errors() {
            return Err(problems);
        }
        order::nest(cfg).map_err(|problem| {
            // Irreducibility explains more than the first end that does not match.
            let mut problems = check::irreducible(cfg);
            let class = classify(cfg);
            let mut problem = *problem;
            if class.class > ControlClass::Structured {
                problem.message = format!("{}; the graph is {class}", problem.message);
            }
            problems.push(problem);
            problems
        })
    }

    /// The other end of a loop or branch.
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
