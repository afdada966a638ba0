//! Sibling degrees: the share of a step's result that falls on edges written by the previous step. The sibling degree
//! of a step is |P ∩ P'|·|S ∩ S'|, where P and S are the ends that it joins, P' and S' those of the previous step.

use std::cell::Cell;

use crate::eliminate::{Primal, Step};

/// The sets P' and S' of the previous step, as they were when it was done.
#[derive(Clone, Debug)]
pub(super) struct Siblings {
    preds: Members,
    succs: Members,
    between: Members,
    /// Vertices visited since [`Siblings::looked`] was called last.
    looked: Cell<u64>,
}

/// A set of vertices with many look-ups and many replacements: clearing it takes constant time.
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
            if self.seen[v as usize] < self.now {
                self.list.push(v);
                self.seen[v as usize] = self.now;
            }
        }
    }

    fn has(&self, v: u32) -> bool {
        self.seen[v as usize] == self.now
    }
}

impl Siblings {
    /// The state in which no step has been done.
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            preds: Members::new(vertices),
            succs: Members::new(vertices),
            between: Members::new(vertices),
            looked: Cell::new(0),
        }
    }

    /// Makes a step, which is about to be done, the previous one.
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

    /// The number of vertices visited since the last call.
    pub(super) fn looked(&self) -> u64 {
        self.looked.take()
    }

    /// |P ∩ P'| and |S ∩ S'| of a vertex.
    pub(super) fn common(&self, graph: &Primal<'_>, v: u32) -> (i64, i64) {
        let degree = graph.in_degree(v) + graph.out_degree(v);
        self.looked.set(self.looked.get() + degree as u64);
        let preds = graph.preds(v).filter(|&i| self.preds.has(i)).count();
        let succs = graph.succs(v).filter(|&k| self.succs.has(k)).count();
        (preds as i64, succs as i64)
    }

    /// True if the edge that a step eliminates has an end in P' or S'.
    pub(super) fn has(&self, step: Step) -> bool {
        match step {
            Step::Front(i, _) => self.preds.has(i),
            Step::Back(_, k) => self.succs.has(k),
            Step::Vertex(_) | Step::Face(..) => true,
        }
    }

    /// The successors of P' or the predecessors of S', whichever are fewer, each once: every vertex between P' and S'
    /// is among both.
    pub(super) fn middles(&mut self, graph: &Primal<'_>) -> Vec<u32> {
        let (preds, succs) = (&self.preds.list, &self.succs.list);
        if preds.len() <= succs.len() {
            let near = preds.iter().flat_map(|&i| graph.succs(i));
            self.between.replace(near);
        } else {
            let near = succs.iter().flat_map(|&k| graph.preds(k));
            self.between.replace(near);
        }
        let (ends, found) = (preds.len().min(succs.len()), &self.between.list);
        self.looked
            .set(self.looked.get() + (ends + found.len()) as u64);
        found.clone()
    }
}
