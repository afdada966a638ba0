//! For each vertex, how many independents reach it and how many dependents it reaches.

use crate::eliminate::Primal;

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
