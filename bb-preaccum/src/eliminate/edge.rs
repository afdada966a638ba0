//! Front and back elimination of edges.

use super::primal::Changes;
use super::{Label, Primal, StepError};
use crate::lcg::{Kind, Role};

impl Primal<'_> {
    fn edge(&self, i: u32, k: u32) -> Result<(Label, Kind), StepError> {
        self.rows.edge(i, k).ok_or(StepError::Edge(i, k))
    }

    /// Joins `i` to the successors of `j`.
    pub(super) fn front_eliminate(&mut self, i: u32, j: u32) -> Result<(), StepError> {
        let first = self.edge(i, j)?;
        if self.lcg.role(j) != Role::Intermediate {
            return Err(StepError::IntoDependent(i, j));
        }
        let succs: Vec<(u32, (Label, Kind))> = self.out_edges(j).collect();
        let mut changes = std::mem::take(&mut self.changes);
        changes.begin((i, j));
        for &(k, second) in &succs {
            if self.multiply(i, k, first, second) {
                changes.preds.push(k);
            }
            self.touch(k);
        }
        self.unlink(i, j);
        self.touch(i);
        self.touch(j);
        changes.preds.push(j);
        changes.succs.push(i);
        if self.in_degree(j) == 0 {
            self.isolate(j);
            changes.succs.push(j);
            changes.preds.extend(succs.iter().map(|&(k, _)| k));
            changes.deleted.extend(succs.iter().map(|&(k, _)| (j, k)));
        }
        self.changes = changes;
        Ok(())
    }

    /// Joins the predecessors of `j` to `k`.
    pub(super) fn back_eliminate(&mut self, j: u32, k: u32) -> Result<(), StepError> {
        let second = self.edge(j, k)?;
        if self.lcg.role(j) == Role::Independent {
            return Err(StepError::FromIndependent(j, k));
        }
        let preds: Vec<(u32, (Label, Kind))> = self.in_edges(j).collect();
        let mut changes = std::mem::take(&mut self.changes);
        changes.begin((j, k));
        for &(i, first) in &preds {
            if self.multiply(i, k, first, second) {
                changes.succs.push(i);
            }
            self.touch(i);
        }
        self.unlink(j, k);
        self.touch(j);
        self.touch(k);
        changes.succs.push(j);
        changes.preds.push(k);
        if self.out_degree(j) == 0 && self.lcg.role(j) == Role::Intermediate {
            self.isolate(j);
            changes.preds.push(j);
            changes.succs.extend(preds.iter().map(|&(i, _)| i));
            changes.deleted.extend(preds.iter().map(|&(i, _)| (i, j)));
        }
        self.changes = changes;
        Ok(())
    }
}

impl Changes {
    /// Starts the record of changes anew, with the edge that is eliminated.
    fn begin(&mut self, edge: (u32, u32)) {
        self.succs.clear();
        self.preds.clear();
        self.deleted.clear();
        self.deleted.push(edge);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cfg_core::random::mix;

    use super::*;
    use crate::eliminate::Step;
    use crate::lcg::{Lcg, NewEdge};

    type Edges = BTreeSet<(u32, u32)>;

    /// The changes of a step are the differences between the graphs before and after it.
    #[test]
    fn changes_are_those_of_the_last_step() {
        // Every vertex reads all before it; one of the outputs is read, too.
        let edges = (2..7).flat_map(|k| (0..k).map(move |i| NewEdge::new(i, k, Kind::Variable)));
        let lcg = Lcg::new("dense", &[0, 1], &[5, 6], edges).expect("a graph");
        let left = |graph: &Primal<'_>| -> Edges {
            let edges = graph.entries();
            edges.map(|entry| (entry.source, entry.target)).collect()
        };
        let front =
            |&(i, j): &(u32, u32)| (lcg.role(j) == Role::Intermediate).then_some(Step::Front(i, j));
        let back =
            |&(j, k): &(u32, u32)| (lcg.role(j) != Role::Independent).then_some(Step::Back(j, k));
        let mut steps = 0;
        for seed in 0..20u64 {
            let mut graph = Primal::new(&lcg);
            for at in 0.. {
                let before = left(&graph);
                let fronts = before.iter().filter_map(front);
                let legal: Vec<Step> = fronts.chain(before.iter().filter_map(back)).collect();
                if legal.is_empty() {
                    break;
                }
                let step = legal[mix(seed << 8 | at) as usize % legal.len()];
                graph.apply(step).expect("legal");
                let after = left(&graph);
                let changed: Edges = before.symmetric_difference(&after).copied().collect();
                let deleted: Edges = before.difference(&after).copied().collect();
                let Changes {
                    succs,
                    preds,
                    deleted: said,
                } = graph.changes().clone();
                let ends = |side: fn(&(u32, u32)) -> u32| changed.iter().map(side).collect();
                let (sources, targets): (BTreeSet<u32>, BTreeSet<u32>) =
                    (ends(|edge| edge.0), ends(|edge| edge.1));
                assert_eq!(BTreeSet::from_iter(succs), sources, "{step:?}");
                assert_eq!(BTreeSet::from_iter(preds), targets, "{step:?}");
                assert_eq!(said.len(), deleted.len(), "{step:?}");
                assert_eq!(Edges::from_iter(said), deleted, "{step:?}");
                steps += 1;
            }
            assert!(graph.is_complete());
        }
        assert!(steps > 40, "{steps}");
    }
}
