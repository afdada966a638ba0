//! The worklist solver.
//!
//! Vertices are processed in reverse postorder of the direction of flow (G. Kildall, *A Unified Approach
//! to Global Program Optimization*, POPL 1973; priority by reverse postorder as in J. Kam, J. Ullman,
//! JACM 23(1), 1976), so a reducible graph takes a number of passes that is its loop nesting depth plus
//! two at most.
//!
//! Complexity: O(log n) per visit beside the cost of the analysis. One state per vertex is kept.

use super::{Analysis, Direction, Lattice};
use crate::{
    entity::VertexId,
    graph::{DiGraph, Reversed, postorder},
    ir::Cfg,
};
use fixedbitset::FixedBitSet;
use std::{cmp::Reverse, collections::BinaryHeap};

/// The states at all vertices.
#[derive(Clone, Debug)]
pub struct Solution<D> {
    direction: Direction,
    /// The state of each vertex, on the side where the flow comes in.
    incoming: Vec<D>,
    visits: usize,
}

/// Solves an analysis.
pub fn solve<A: Analysis>(cfg: &Cfg, analysis: &A) -> Solution<A::Domain> {
    let n = cfg.vertex_count();
    let root = match A::DIRECTION {
        Direction::Forward => cfg.entry(),
        Direction::Backward => cfg.exit(),
    };
    let order = priorities::<A>(cfg, root);
    let mut rank = vec![0u32; n];
    for (i, &v) in order.iter().enumerate() {
        rank[v as usize] = i as u32;
    }
    let mut incoming = vec![analysis.bottom(cfg); n];
    if let Some(root) = root {
        incoming[root.index()].join(&analysis.boundary(cfg));
    }
    // Every vertex is visited at least once: some do not lie on a path from the root.
    let mut waiting = FixedBitSet::with_capacity(n);
    waiting.insert_range(..);
    let mut work: BinaryHeap<Reverse<u32>> = (0..n as u32).map(Reverse).collect();
    let mut visits = 0;
    while let Some(Reverse(i)) = work.pop() {
        let v = order[i as usize] as usize;
        waiting.set(v, false);
        visits += 1;
        let mut state = incoming[v].clone();
        let vertex = VertexId::new(v);
        analysis.transfer(cfg, vertex, &mut state);
        let edges = match A::DIRECTION {
            Direction::Forward => cfg.out_edges(vertex),
            Direction::Backward => cfg.in_edges(vertex),
        };
        for &e in edges {
            let w = match A::DIRECTION {
                Direction::Forward => cfg.edge(e).to.index(),
                Direction::Backward => cfg.edge(e).from.index(),
            };
            let grew = match analysis.edge(cfg, e, &state) {
                Some(changed) => incoming[w].join(&changed),
                None => incoming[w].join(&state),
            };
            if grew && !waiting.put(w) {
                work.push(Reverse(rank[w]));
            }
        }
    }
    Solution {
        direction: A::DIRECTION,
        incoming,
        visits,
    }
}

/// All vertices, those on paths from the root first and in reverse postorder.
fn priorities<A: Analysis>(cfg: &Cfg, root: Option<VertexId>) -> Vec<u32> {
    let n = cfg.vertex_count();
    let mut order: Vec<u32> = Vec::with_capacity(n);
    let mut seen = FixedBitSet::with_capacity(n);
    if let Some(root) = root {
        let post = match A::DIRECTION {
            Direction::Forward => postorder(cfg, root.index()),
            Direction::Backward => postorder(&Reversed(cfg), root.index()),
        };
        for v in post.into_iter().rev() {
            seen.insert(v);
            order.push(v as u32);
        }
    }
    order.extend(
        (0..cfg.len())
            .filter(|&v| !seen.contains(v))
            .map(|v| v as u32),
    );
    order
}

impl<D: Lattice> Solution<D> {
    /// The state where the flow comes into a vertex: before it (forward) or after it (backward).
    pub fn incoming(&self, v: VertexId) -> &D {
        &self.incoming[v.index()]
    }

    /// The number of times that a vertex was visited, all in all.
    pub fn visits(&self) -> usize {
        self.visits
    }

    /// The state before a vertex is executed.
    pub fn before<A: Analysis<Domain = D>>(&self, cfg: &Cfg, analysis: &A, v: VertexId) -> D {
        match self.direction {
            Direction::Forward => self.incoming(v).clone(),
            Direction::Backward => self.outgoing(cfg, analysis, v),
        }
    }

    /// The state after a vertex has been executed.
    pub fn after<A: Analysis<Domain = D>>(&self, cfg: &Cfg, analysis: &A, v: VertexId) -> D {
        match self.direction {
            Direction::Forward => self.outgoing(cfg, analysis, v),
            Direction::Backward => self.incoming(v).clone(),
        }
    }

    /// The state that leaves a vertex in the direction of flow.
    fn outgoing<A: Analysis<Domain = D>>(&self, cfg: &Cfg, analysis: &A, v: VertexId) -> D {
        let mut state = self.incoming(v).clone();
        analysis.transfer(cfg, v, &mut state);
        state
    }

    /// Calls `visit` for each statement of a vertex, in the direction of flow, with its number and the
    /// state on the side where the flow comes in.
    pub fn statements<A: Analysis<Domain = D>>(
        &self,
        cfg: &Cfg,
        analysis: &A,
        v: VertexId,
        mut visit: impl FnMut(usize, &D),
    ) {
        let mut state = self.incoming(v).clone();
        let statements = cfg.vertex(v).statements();
        let mut step = |i: usize| {
            visit(i, &state);
            analysis.statement(&statements[i], &mut state);
        };
        match self.direction {
            Direction::Forward => (0..statements.len()).for_each(&mut step),
            Direction::Backward => (0..statements.len()).rev().for_each(&mut step),
        }
    }
}
