//! Nodes for the variables of a program, and reachability among them.

use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Program, Role, Routine},
};
use fixedbitset::FixedBitSet;

/// Numbers every variable of every routine, globals once.
#[derive(Clone, Debug)]
pub struct Numbering {
    offset: Vec<usize>,
    globals: usize,
    len: usize,
}

impl Numbering {
    /// The numbers of a program's variables.
    pub fn new(program: &Program) -> Self {
        let mut len = program.globals.len();
        let offset = program
            .routines
            .iter()
            .map(|r| {
                let start = len;
                len += r.variables.len();
                start
            })
            .collect();
        Self {
            offset,
            globals: program.globals.len(),
            len,
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the program has no variable.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The node of a global.
    pub fn global(&self, g: GlobalId) -> usize {
        debug_assert!(g.index() < self.globals);
        g.index()
    }

    /// The node of a variable of a routine.
    pub fn node(&self, routine: RoutineId, r: &Routine, v: VarId) -> usize {
        match r.variable(v).role {
            Role::Global(g) => self.global(g),
            Role::Parameter { .. } | Role::Local => self.offset[routine.index()] + v.index(),
        }
    }
}

/// A directed graph in compressed form, for reachability.
#[derive(Clone, Debug)]
pub struct Reach {
    edges: Vec<(u32, u32)>,
    /// Edges that were added lately, not to be added again: programs repeat edges often.
    recent: [(u32, u32); 64],
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            edges: Vec::new(),
            recent: [(u32::MAX, u32::MAX); 64],
        }
    }
}

impl Reach {
    /// Adds an edge.
    pub fn edge(&mut self, from: usize, to: usize) {
        let edge = (from as u32, to as u32);
        let slot = &mut self.recent[(from.wrapping_mul(7) ^ to) % 64];
        if *slot != edge {
            *slot = edge;
            self.edges.push(edge);
        }
    }

    /// All nodes that `start` reaches, `start` included.
    pub fn forward(&self, nodes: usize, start: &FixedBitSet) -> FixedBitSet {
        self.reach(nodes, start, |e| e)
    }

    /// All nodes that reach `start`, `start` included.
    pub fn backward(&self, nodes: usize, start: &FixedBitSet) -> FixedBitSet {
        self.reach(nodes, start, |(a, b)| (b, a))
    }

    fn reach(
        &self,
        nodes: usize,
        start: &FixedBitSet,
        direction: impl Fn((u32, u32)) -> (u32, u32),
    ) -> FixedBitSet {
        let mut first = vec![0u32; nodes + 1];
        for &e in &self.edges {
            first[direction(e).0 as usize + 1] += 1;
        }
        for i in 0..nodes {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut targets = vec![0u32; self.edges.len()];
        for &e in &self.edges {
            let (from, to) = direction(e);
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        let mut seen = start.clone();
        let mut work: Vec<usize> = start.ones().collect();
        while let Some(node) = work.pop() {
            for &to in &targets[first[node] as usize..first[node + 1] as usize] {
                if !seen.put(to as usize) {
                    work.push(to as usize);
                }
            }
        }
        seen
    }
}
