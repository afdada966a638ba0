//! The numbers of independents that reach each vertex and of dependents that it reaches.

use cfg_core::dataflow::Worklist;

use crate::eliminate::Primal;

/// Numbers of independents before and dependents behind each vertex of a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    pub(super) independents: Vec<u32>,
    pub(super) dependents: Vec<u32>,
}

/// Visits of edges that counting may take for each edge of the graph, beside [`LEAST`].
const PASSES: u64 = 32;
const LEAST: u64 = 1 << 22;

impl Reach {
    /// The numbers for a graph; `None` if counting takes too long, since no method is linear for all graphs.
    pub(super) fn new(graph: &Primal<'_>) -> Option<Self> {
        let lcg = graph.lcg();
        let n = lcg.vertex_count();
        let mut left = PASSES * lcg.edges().len() as u64 + LEAST;
        let up = |v: u32| v as usize;
        let down = |v: u32| n - 1 - v as usize;
        let independents = count(n, lcg.inputs(), up, &mut left, |at, visit| {
            graph.succs(at as u32).for_each(|k| visit(up(k)));
        })?;
        let mut dependents = count(n, lcg.outputs(), down, &mut left, |at, visit| {
            graph
                .preds(down(at as u32) as u32)
                .for_each(|i| visit(down(i)));
        })?;
        dependents.reverse();
        Some(Self {
            independents,
            dependents,
        })
    }
}

/// The number of terminals that reach each position. Edges lead from lower positions to higher ones.
fn count(
    n: usize,
    terminals: &[u32],
    position: impl Fn(u32) -> usize,
    left: &mut u64,
    successors: impl Fn(usize, &mut dyn FnMut(usize)),
) -> Option<Vec<u32>> {
    let mut counts = vec![0; n];
    // 64 terminals at a time, in one word per vertex. Only reached vertices are visited.
    let mut word = vec![0u64; n];
    let mut reached = Worklist::with_open(n, []);
    let mut terminals: Vec<usize> = terminals.iter().map(|&t| position(t)).collect();
    terminals.sort_unstable();
    for chunk in terminals.chunks(64) {
        for (bit, &x) in chunk.iter().enumerate() {
            word[x] |= 1 << bit;
            reached.add(x);
        }
        while let Some(v) = reached.take() {
            let bits = std::mem::take(&mut word[v]);
            counts[v] += bits.count_ones();
            let mut seen = 1;
            successors(v, &mut |k| {
                word[k] |= bits;
                reached.add(k);
                seen += 1;
            });
            *left = left.checked_sub(seen)?;
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcg::{Kind, Lcg, NewEdge};
    use crate::search::rng::Rng;
    use crate::search::testing::variable;

    #[test]
    fn counts_are_those_of_single_terminals() {
        let mut rng = Rng::new(5);
        for _ in 0..50 {
            let n = 100 + rng.below(150) as i64;
            let inputs: Vec<i64> = (0..90).collect();
            let mut edges = Vec::new();
            let mut read = vec![false; n as usize];
            for v in 90..n {
                let first = rng.below(v as usize) as i64;
                let second = rng.below(v as usize) as i64;
                for u in [first, second]
                    .into_iter()
                    .take(1 + usize::from(first != second))
                {
                    edges.push(NewEdge::new(u, v, Kind::Variable));
                    read[u as usize] = true;
                }
            }
            let outputs: Vec<i64> = (90..n).filter(|&v| !read[v as usize]).collect();
            let lcg = Lcg::new("random", &inputs, &outputs, edges).expect("a graph");
            let graph = Primal::without_jaes(&lcg);
            let reach = Reach::new(&graph).expect("it is small");
            let m = lcg.vertex_count();
            let (mut before, mut behind) = (vec![0; m], vec![0; m]);
            for (terminals, counts, back) in [
                (lcg.inputs(), &mut before, false),
                (lcg.outputs(), &mut behind, true),
            ] {
                for &t in terminals {
                    let mut seen = vec![false; m];
                    let mut work = vec![t];
                    while let Some(v) = work.pop() {
                        if !std::mem::replace(&mut seen[v as usize], true) {
                            counts[v as usize] += 1;
                            match back {
                                false => work.extend(graph.succs(v)),
                                true => work.extend(graph.preds(v)),
                            }
                        }
                    }
                }
            }
            assert_eq!(reach.independents, before);
            assert_eq!(reach.dependents, behind);
        }
    }

    /// A chain of sums of all inputs: every input reaches half of the graph on average.
    #[test]
    fn what_takes_too_long_is_not_counted() {
        let counted = |n: i64| {
            let inputs: Vec<i64> = (0..n).collect();
            let edges = (1..n).flat_map(|k| {
                let last = if k == 1 { 0 } else { n + k - 1 };
                [last, k].map(|u| NewEdge::new(u, n + k, Kind::Variable))
            });
            let lcg = Lcg::new("sum", &inputs, &[2 * n - 1], edges).expect("a graph");
            Reach::new(&Primal::without_jaes(&lcg)).is_some()
        };
        assert!(counted(5_000));
        assert!(!counted(40_000));
    }

    /// A chain behind many inputs is passed once for every 64 of them, and once from its end, as often as is allowed.
    /// One input less saves fewer passes than it takes from the limit.
    #[test]
    fn edges_on_both_sides_of_the_limit() {
        let length = 12_618;
        for (inputs, is_counted) in [(12_429_i64, true), (12_428, false)] {
            let ends = (0..inputs + length - 1).map(|v| (v, inputs.max(v + 1)));
            let sources: Vec<i64> = (0..inputs).collect();
            let last = inputs + length - 1;
            let lcg = Lcg::new("long", &sources, &[last], variable(ends)).expect("a graph");
            let reach = Reach::new(&Primal::without_jaes(&lcg));
            assert_eq!(reach.is_some(), is_counted, "{inputs}");
        }
    }
}
