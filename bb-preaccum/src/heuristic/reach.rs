//! For each vertex, how many independents reach it and how many dependents it reaches.

use fixedbitset::FixedBitSet;

use crate::eliminate::Primal;
use crate::lcg::Role;

/// Numbers of independents before and dependents behind each vertex of a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    pub(super) independents: Vec<u32>,
    pub(super) dependents: Vec<u32>,
}

impl Reach {
    pub(super) fn new(graph: &Primal<'_>) -> Self {
        let lcg = graph.lcg();
        let n = lcg.vertex_count() as u32;
        let mut reach = Self {
            independents: vec![0; n as usize],
            dependents: vec![0; n as usize],
        };
        // 64 terminals at a time: one word per vertex and pass, whatever the number of terminals.
        let mut word = vec![0u64; n as usize];
        for chunk in lcg.inputs().chunks(64) {
            word.fill(0);
            for (bit, &x) in chunk.iter().enumerate() {
                word[x as usize] |= 1 << bit;
            }
            for v in 0..n {
                for i in graph.preds(v) {
                    word[v as usize] |= word[i as usize];
                }
                reach.independents[v as usize] += word[v as usize].count_ones();
            }
        }
        for chunk in lcg.outputs().chunks(64) {
            word.fill(0);
            for (bit, &y) in chunk.iter().enumerate() {
                word[y as usize] |= 1 << bit;
            }
            for v in (0..n).rev() {
                for k in graph.succs(v) {
                    word[v as usize] |= word[k as usize];
                }
                reach.dependents[v as usize] += word[v as usize].count_ones();
            }
        }
        reach
    }
}

/// How many terminals a vertex is joined to now, by a walk.
pub(super) fn walk(graph: &Primal<'_>, from: u32, forward: bool, seen: &mut FixedBitSet) -> u32 {
    seen.clear();
    seen.grow(graph.lcg().vertex_count());
    let wanted = if forward {
        Role::Dependent
    } else {
        Role::Independent
    };
    let mut stack = vec![from];
    seen.insert(from as usize);
    let mut found = 0;
    while let Some(v) = stack.pop() {
        found += u32::from(graph.lcg().role(v) == wanted);
        let mut visit = |w: u32| {
            if !seen.put(w as usize) {
                stack.push(w);
            }
        };
        if forward {
            graph.succs(v).for_each(&mut visit);
        } else {
            graph.preds(v).for_each(&mut visit);
        }
    }
    found
}
