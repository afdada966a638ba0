//! Vertex elimination: every predecessor is joined to every successor.

use super::{Label, Primal, StepError};
use crate::lcg::Role;

impl Primal<'_> {
    pub(super) fn eliminate_vertex(&mut self, j: u32) -> Result<(), StepError> {
        if (j as usize) >= self.preds.len() || !self.is_eliminable(j) {
            return Err(StepError::Vertex(j));
        }
        let preds: Vec<(u32, Label)> = self.preds[j as usize]
            .iter()
            .map(|(&i, &label)| (i, label))
            .collect();
        let succs: Vec<(u32, Label)> = self.succs[j as usize]
            .iter()
            .map(|(&k, &label)| (k, label))
            .collect();
        for &(i, first) in &preds {
            for &(k, second) in &succs {
                self.multiply(i, k, first, second);
            }
        }
        if self.lcg.role(j) == Role::Intermediate {
            self.isolate(j);
        } else {
            self.delete_out_edges(j);
            self.touch(j);
            for (i, _) in preds {
                self.touch(i);
            }
        }
        Ok(())
    }
}
