//! Sibling degrees: how much of a step's result falls on edges that the previous step wrote.

use crate::eliminate::{Primal, Step};

/// The sets P' and S' of the previous step, as they were when it was done.
#[derive(Clone, Debug)]
pub(super) struct Siblings {
    preds: Members,
    succs: Members,
}

/// A set of vertices that is asked often and replaced often.
#[derive(Clone, Debug)]
struct Members {
    list: Vec<u32>,
    /// The last set that each vertex was in.
    seen: Vec<u32>,
    now: u32,
}

impl Members {
    fn new(vertices: usize) -> Self {
        Self {
            list: Vec::new(),
            seen: vec![0; vertices],
            now: 1,
        }
    }

    fn replace(&mut self, vertices: impl Iterator<Item = u32>) {
        self.now += 1;
        self.list.clear();
        for v in vertices {
            self.list.push(v);
            self.seen[v as usize] = self.now;
        }
    }

    fn has(&self, v: u32) -> bool {
        self.seen[v as usize] == self.now
    }

    fn common(&self, vertices: impl Iterator<Item = u32>) -> i64 {
        vertices.filter(|&v| self.has(v)).count() as i64
    }
}

impl Siblings {
    /// No step has been done.
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            preds: Members::new(vertices),
            succs: Members::new(vertices),
        }
    }

    /// Takes a step, which is about to be done, for the previous one.
    pub(super) fn follow(&mut self, graph: &Primal<'_>, step: Step) {
        match step {
            Step::Vertex(j) => {
                self.preds.replace(graph.preds(j));
                self.succs.replace(graph.succs(j));
            }
            Step::Front(i, j) => {
                self.preds.replace([i].into_iter());
                self.succs.replace(graph.succs(j));
            }
            Step::Back(j, k) => {
                self.preds.replace(graph.preds(j));
                self.succs.replace([k].into_iter());
            }
            Step::Face(..) => {}
        }
    }

    /// |P ∩ P'|·|S ∩ S'| of a step and the previous one.
    pub(super) fn degree(&self, graph: &Primal<'_>, step: Step) -> i64 {
        match step {
            Step::Vertex(j) => {
                self.preds.common(graph.preds(j)) * self.succs.common(graph.succs(j))
            }
            Step::Front(i, j) if self.preds.has(i) => self.succs.common(graph.succs(j)),
            Step::Back(j, k) if self.succs.has(k) => self.preds.common(graph.preds(j)),
            Step::Front(..) | Step::Back(..) | Step::Face(..) => 0,
        }
    }

    /// The vertices in the middle of steps whose degree can be more than 0.
    pub(super) fn middles(&self, graph: &Primal<'_>) -> Vec<u32> {
        let mut found: Vec<u32> = self
            .preds
            .list
            .iter()
            .flat_map(|&i| graph.succs(i))
            .collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|&j| graph.succs(j).any(|k| self.succs.has(k)));
        found
    }
}
