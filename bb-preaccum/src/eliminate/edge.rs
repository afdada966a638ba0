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
    /// Forgets all but the edge that is eliminated.
    fn begin(&mut self, edge: (u32, u32)) {
        self.succs.clear();
        self.preds.clear();
        self.deleted.clear();
        self.deleted.push(edge);
    }
}
