//! Vertex elimination: every predecessor is joined to every successor.

use super::{Label, Primal, StepError};
use crate::lcg::{Kind, Role};

/// Products between two questions whether to stop.
const PATIENCE: usize = 1 << 16;

impl Primal<'_> {
    /// Eliminates a vertex; `false` if `stop` ended it on the way.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcg::{Lcg, NewEdge};

    /// A step of many products asks whether to stop each time that so many have been made, one of few products never.
    #[test]
    fn long_steps_ask_whether_to_stop() {
        for (preds, succs, questions) in [
            (3, 3, 0),
            (64, 1 << 10, 0),
            (65, 1 << 10, 1),
            (9, 1 << 14, 1),
        ] {
            let (middle, end) = (preds, preds + 1 + succs);
            let into = (0..preds).map(|u| NewEdge::new(u, middle, Kind::Variable));
            let out = (middle + 1..end).map(|v| NewEdge::new(middle, v, Kind::Variable));
            let sources: Vec<i64> = (0..preds).collect();
            let sinks: Vec<i64> = (middle + 1..end).collect();
            let lcg = Lcg::new("star", &sources, &sinks, into.chain(out)).expect("a graph");
            let mut asked = 0;
            let mut graph = Primal::new(&lcg);
            let mut ask = || {
                asked += 1;
                false
            };
            assert_eq!(graph.eliminate_vertex(middle as u32, &mut ask), Ok(true));
            assert_eq!(asked, questions, "{preds} {succs}");
            let told = Primal::new(&lcg).eliminate_vertex(middle as u32, &mut || true);
            assert_eq!(told, Ok(questions == 0), "{preds} {succs}");
        }
    }
}
