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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcg::{Lcg, NewEdge};

    /// Whether to stop is asked after more products than the limit, and not after as many.
    #[test]
    fn questions_on_both_sides_of_the_limit() {
        let outputs: Vec<i64> = (1000..1256).collect();
        let most = PATIENCE as i64 / 256;
        for (preds, questions) in [(most, 0), (most + 1, 1)] {
            let inputs: Vec<i64> = (0..preds).collect();
            let into = inputs.iter().map(|&i| NewEdge::new(i, 999, Kind::Variable));
            let out = outputs
                .iter()
                .map(|&k| NewEdge::new(999, k, Kind::Variable));
            let lcg = Lcg::new("star", &inputs, &outputs, into.chain(out)).expect("a graph");
            let middle = lcg.intermediates().next().expect("there is one");
            for stops in [false, true] {
                let mut asked = 0;
                let done = Primal::without_jaes(&lcg).eliminate_vertex(middle, &mut || {
                    asked += 1;
                    stops
                });
                assert_eq!(asked, questions);
                let is_whole = done.is_ok_and(|whole| whole);
                assert_eq!(is_whole, questions == 0 || !stops);
            }
        }
    }
}
