//! Front and back elimination of edges.

use super::{Label, Primal, StepError};
use crate::lcg::Role;

impl Primal<'_> {
    fn edge_label(&self, i: u32, k: u32) -> Result<Label, StepError> {
        self.succs
            .get(i as usize)
            .and_then(|row| row.get(&k))
            .copied()
            .ok_or(StepError::Edge(i, k))
    }

    /// Joins `i` to the successors of `j`.
    pub(super) fn front_eliminate(&mut self, i: u32, j: u32) -> Result<(), StepError> {
        let first = self.edge_label(i, j)?;
        if self.lcg.role(j) != Role::Intermediate {
            return Err(StepError::IntoDependent(i, j));
        }
        let succs: Vec<(u32, Label)> = self.succs[j as usize]
            .iter()
            .map(|(&k, &label)| (k, label))
            .collect();
        for (k, second) in succs {
            self.multiply(i, k, first, second);
            self.touch(k);
        }
        self.unlink(i, j);
        self.touch(i);
        self.touch(j);
        if self.preds[j as usize].is_empty() {
            self.isolate(j);
        }
        Ok(())
    }

    /// Joins the predecessors of `j` to `k`.
    pub(super) fn back_eliminate(&mut self, j: u32, k: u32) -> Result<(), StepError> {
        let second = self.edge_label(j, k)?;
        if self.lcg.role(j) == Role::Independent {
            return Err(StepError::FromIndependent(j, k));
        }
        let preds: Vec<(u32, Label)> = self.preds[j as usize]
            .iter()
            .map(|(&i, &label)| (i, label))
            .collect();
        for (i, first) in preds {
            self.multiply(i, k, first, second);
            self.touch(i);
        }
        self.unlink(j, k);
        self.touch(j);
        self.touch(k);
        if self.succs[j as usize].is_empty() && self.lcg.role(j) == Role::Intermediate {
            self.isolate(j);
        }
        Ok(())
    }
}
