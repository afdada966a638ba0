//! Strongly connected parts of a graph (R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM J.
//! Comput. 1, 1972), with a stack of its own.

/// The strongly connected parts of the graph with these successors, each after those that it leads to.
#[must_use]
pub fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = successors.len();
    // The number at which each vertex was found, and the least that it is known to reach of those that
    // are in no part yet.
    let mut low = vec![NEW; n];
    let mut number = vec![NEW; n];
    let mut open = vec![false; n];
    let mut next_number = 0;
    let mut members: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for root in 0..n {
        if number[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((v, next)) = path.last_mut() {
            let v = *v;
            if *next == 0 {
                number[v] = next_number;
                low[v] = next_number;
                next_number += 1;
                open[v] = true;
                members.push(v);
            }
            let Some(&w) = successors[v].get(*next) else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[v]);
                }
                if low[v] == number[v] {
                    let at = members.iter().rposition(|&u| u == v).unwrap_or(0);
                    let component = members.split_off(at);
                    component.iter().for_each(|&u| open[u] = false);
                    found.push(component);
                }
                continue;
            };
            *next += 1;
            if number[w] == NEW {
                path.push((w, 0));
            } else if open[w] {
                low[v] = low[v].min(number[w]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    #[test]
    fn parts_are_those_that_reach_each_other() {
        let mut rng = Rng::new(11);
        for _ in 0..500 {
            let n = 1 + rng.below(12);
            let mut graph = vec![Vec::new(); n];
            for _ in 0..rng.below(2 * n) {
                graph[rng.below(n)].push(rng.below(n));
            }
            let mut reach = vec![vec![false; n]; n];
            for (v, row) in reach.iter_mut().enumerate() {
                let mut work = vec![v];
                while let Some(u) = work.pop() {
                    if !std::mem::replace(&mut row[u], true) {
                        work.extend(&graph[u]);
                    }
                }
            }
            let mut part = vec![usize::MAX; n];
            for (k, component) in components(&graph).iter().enumerate() {
                for &v in component {
                    assert_eq!(part[v], usize::MAX);
                    part[v] = k;
                }
            }
            for v in 0..n {
                for w in 0..n {
                    assert_eq!(part[v] == part[w], reach[v][w] && reach[w][v]);
                    assert!(!reach[v][w] || part[w] <= part[v]);
                }
            }
        }
    }
}
