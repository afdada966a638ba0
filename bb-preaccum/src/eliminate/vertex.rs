//! Vertex elimination: every predecessor is joined to every successor.

use super::{Label, Primal, StepError};
use crate::lcg::{Kind, Role};

/// Products between two questions whether to stop.
const PATIENCE: usize = 1 << 16;

impl Primal<'_> {
    /// `false` if it was stopped on the way.
    pub(super) fn eliminate_vertex(
        &mut self,
        j: u32,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<bool, StepError> {
        if (j as usize) >= self.lcg.vertex_count() || !self.is_eliminable(j) {
            return Err(StepError::Vertex(j));
        }
        let preds: Vec<(u32, (Label, Kind))> = self.in_edges(j).collect();
        let succs: Vec<(u32, (Label, Kind))> = self.out_edges(j).collect();
        let mut since = 0;
        for &(i, first) in &preds {
            since += succs.len();
            if since > PATIENCE {
                if stop() {
                    return Ok(false);
                }
                since = 0;
            }
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
        Ok(true)
    }
}
