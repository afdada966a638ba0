//! Sibling degrees: how much of a step's result falls on edges that the previous step wrote.

use crate::eliminate::{Primal, Step};

/// The sets P and S of a step, as they were when it was done.
#[derive(Clone, Debug, Default)]
pub(super) struct Siblings {
    pub(super) preds: Vec<u32>,
    pub(super) succs: Vec<u32>,
}

impl Siblings {
    pub(super) fn of(graph: &Primal<'_>, step: Step) -> Self {
        match step {
            Step::Vertex(j) => Self {
                preds: graph.preds(j).collect(),
                succs: graph.succs(j).collect(),
            },
            Step::Front(i, j) => Self {
                preds: vec![i],
                succs: graph.succs(j).collect(),
            },
            Step::Back(j, k) => Self {
                preds: graph.preds(j).collect(),
                succs: vec![k],
            },
            Step::Face(..) => Self::default(),
        }
    }

    /// |P ∩ P'|·|S ∩ S'| of a step and the previous one.
    pub(super) fn degree(&self, graph: &Primal<'_>, step: Step) -> i64 {
        let common = |set: &[u32], vertices: &mut dyn Iterator<Item = u32>| {
            vertices.filter(|v| set.binary_search(v).is_ok()).count() as i64
        };
        match step {
            Step::Vertex(j) => {
                common(&self.preds, &mut graph.preds(j)) * common(&self.succs, &mut graph.succs(j))
            }
            Step::Front(i, j) => {
                i64::from(self.preds.binary_search(&i).is_ok())
                    * common(&self.succs, &mut graph.succs(j))
            }
            Step::Back(j, k) => {
                common(&self.preds, &mut graph.preds(j))
                    * i64::from(self.succs.binary_search(&k).is_ok())
            }
            Step::Face(..) => 0,
        }
    }

    /// The vertices in the middle of steps whose degree can be more than 0.
    pub(super) fn middles(&self, graph: &Primal<'_>) -> Vec<u32> {
        let mut found: Vec<u32> = self.preds.iter().flat_map(|&i| graph.succs(i)).collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|&j| graph.succs(j).any(|k| self.succs.binary_search(&k).is_ok()));
        found
    }
}
