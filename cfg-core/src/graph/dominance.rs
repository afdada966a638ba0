//! Dominators by Semi-NCA, and reducibility.
//!
//! `a` dominates `b` if every path from the root to `b` passes `a`. Post-dominators are the dominators
//! of [`Reversed`](crate::graph::Reversed) from EXIT.
//!
//! Source: L. Georgiadis, R. E. Tarjan, R. F. Werneck, *Finding Dominators in Practice*, JGAA 10(1),
//! 2006, section 2.3 (Semi-NCA); semidominators as in T. Lengauer, R. E. Tarjan, TOPLAS 1(1), 1979,
//! with path compression.
//!
//! Complexity: O(edges log vertices) for the semidominators; finding the nearest common ancestors is
//! linear in practice. No recursion.
//!
//! ```
//! use cfg_core::graph::{Adjacency, dominance::Dominators};
//!
//! let g = Adjacency::new(4, [(0, 1), (0, 2), (1, 3), (2, 3)]);
//! let dominators = Dominators::new(&g, 0);
//! assert_eq!(dominators.immediate(3), Some(0));
//! assert!(!dominators.dominates(1, 3));
//! ```

use crate::graph::DiGraph;

const NONE: u32 = u32::MAX;

/// The dominator tree of the vertices that are reachable from a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dominators {
    root: usize,
    /// Immediate dominator by vertex; [`NONE`] of the root and of unreachable vertices.
    idom: Vec<u32>,
    /// Interval of each vertex's subtree in a preorder of the tree; empty for unreachable vertices.
    interval: Vec<(u32, u32)>,
    /// Reachable vertices in depth-first preorder of the graph.
    preorder: Vec<u32>,
}

impl Dominators {
    /// Dominators of the vertices reachable from `root`.
    pub fn new(graph: &impl DiGraph, root: usize) -> Self {
        let n = graph.len();
        let mut result = Self {
            root,
            idom: vec![NONE; n],
            interval: vec![(0, 0); n],
            preorder: Vec::new(),
        };
        if root >= n {
            return result;
        }
        let (preorder, parent) = depth_first(graph, root);
        let idom = semi_nca(graph, &preorder, &parent);
        for (number, &v) in preorder.iter().enumerate().skip(1) {
            result.idom[v as usize] = preorder[idom[number] as usize];
        }
        result.interval = intervals(n, &preorder, &idom);
        result.preorder = preorder;
        result
    }

    /// The immediate dominator; `None` of the root and of unreachable vertices.
    pub fn immediate(&self, v: usize) -> Option<usize> {
        let idom = self.idom[v];
        (idom != NONE).then_some(idom as usize)
    }

    /// True if the vertex is reachable from the root.
    pub fn is_reachable(&self, v: usize) -> bool {
        let (first, end) = self.interval[v];
        first < end
    }

    /// True if every path from the root to `b` passes `a`; a vertex dominates itself. False if one of
    /// them is not reachable.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        let (first, end) = self.interval[a];
        let (at, _) = self.interval[b];
        self.is_reachable(b) && first <= at && at < end
    }

    /// The dominators of a vertex from itself up to the root; nothing if it is not reachable.
    pub fn chain(&self, v: usize) -> impl Iterator<Item = usize> {
        let start = self.is_reachable(v).then_some(v);
        std::iter::successors(start, |&v| self.immediate(v))
    }

    /// Edges that close a cycle without leading to a dominator of their source, as (source, target) in
    /// depth-first order. A graph without any is reducible: each of its cycles is entered at one vertex.
    pub fn irreducible_edges(&self, graph: &impl DiGraph) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        if self.preorder.is_empty() {
            return found;
        }
        // Retreating edges lead to a vertex that is on the stack of the depth-first search.
        let mut on_stack = vec![false; graph.len()];
        let mut seen = vec![false; graph.len()];
        let mut stack = vec![(self.root, graph.successors(self.root))];
        seen[self.root] = true;
        on_stack[self.root] = true;
        while let Some((v, rest)) = stack.last_mut() {
            let v = *v;
            match rest.next() {
                Some(w) if on_stack[w] => {
                    if !self.dominates(w, v) {
                        found.push((v, w));
                    }
                }
                Some(w) if !seen[w] => {
                    seen[w] = true;
                    on_stack[w] = true;
                    stack.push((w, graph.successors(w)));
                }
                Some(_) => {}
                None => {
                    on_stack[v] = false;
                    stack.pop();
                }
            }
        }
        found
    }
}

/// Depth-first preorder, and the number in it of each vertex's tree parent.
fn depth_first(graph: &impl DiGraph, root: usize) -> (Vec<u32>, Vec<u32>) {
    let mut number = vec![NONE; graph.len()];
    let mut preorder = vec![root as u32];
    let mut parent = vec![0];
    number[root] = 0;
    let mut stack = vec![(0u32, graph.successors(root))];
    while let Some((v, rest)) = stack.last_mut() {
        let v = *v;
        if let Some(w) = rest.find(|&w| number[w] == NONE) {
            let next = preorder.len() as u32;
            number[w] = next;
            preorder.push(w as u32);
            parent.push(v);
            stack.push((next, graph.successors(w)));
        } else {
            stack.pop();
        }
    }
    (preorder, parent)
}

/// Immediate dominators, by preorder number.
fn semi_nca(graph: &impl DiGraph, preorder: &[u32], parent: &[u32]) -> Vec<u32> {
    let n = preorder.len();
    let mut number = vec![NONE; graph.len()];
    for (i, &v) in preorder.iter().enumerate() {
        number[v as usize] = i as u32;
    }
    let mut forest = Forest {
        ancestor: vec![NONE; n],
        label: (0..n as u32).collect(),
        semi: (0..n as u32).collect(),
        path: Vec::new(),
    };
    for w in (1..n).rev() {
        let mut semi = w as u32;
        for v in graph.predecessors(preorder[w] as usize) {
            let v = number[v];
            if v != NONE {
                let best = forest.eval(v);
                semi = semi.min(forest.semi[best as usize]);
            }
        }
        forest.semi[w] = semi;
        forest.ancestor[w] = parent[w];
    }
    // The immediate dominator is the nearest common ancestor of the semidominator and the parent in
    // the dominator tree built so far.
    let mut idom = parent.to_vec();
    for w in 1..n {
        while idom[w] > forest.semi[w] {
            idom[w] = idom[idom[w] as usize];
        }
    }
    idom
}

/// The vertices processed so far, linked to their tree parents, with compressed paths.
struct Forest {
    ancestor: Vec<u32>,
    /// The vertex of least semidominator on the compressed path above.
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The vertex of least semidominator between `v` and the root of its tree, the root excluded.
    fn eval(&mut self, v: u32) -> u32 {
        let mut x = v;
        while self.ancestor[x as usize] != NONE {
            self.path.push(x);
            x = self.ancestor[x as usize];
        }
        // The vertex below the root of its tree has no path above it to compress.
        self.path.pop();
        while let Some(x) = self.path.pop() {
            let above = self.ancestor[x as usize] as usize;
            let (mine, theirs) = (self.label[x as usize], self.label[above]);
            if self.semi[theirs as usize] < self.semi[mine as usize] {
                self.label[x as usize] = theirs;
            }
            self.ancestor[x as usize] = self.ancestor[above];
        }
        self.label[v as usize]
    }
}

/// The interval of the subtree of each vertex in a preorder of the dominator tree.
fn intervals(n: usize, preorder: &[u32], idom: &[u32]) -> Vec<(u32, u32)> {
    let m = preorder.len();
    // A dominator has a smaller number than the vertices that it dominates, so sizes add up from the back.
    let mut size = vec![1u32; m];
    for w in (1..m).rev() {
        size[idom[w] as usize] += size[w];
    }
    // Each vertex takes the next free place inside its dominator's interval.
    let mut free = vec![0u32; m];
    let mut result = vec![(0, 0); n];
    for w in 0..m {
        let first = if w == 0 {
            0
        } else {
            let place = &mut free[idom[w] as usize];
            let first = *place;
            *place += size[w];
            first
        };
        free[w] = first + 1;
        result[preorder[w] as usize] = (first, first + size[w]);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        graph::{Adjacency, Reversed, reachable, reverse_postorder},
        testing::{Rng, nested, random_nesting},
    };

    fn random_graph(rng: &mut Rng, n: usize, m: usize) -> Adjacency {
        let edges: Vec<_> = (0..m).map(|_| (rng.below(n), rng.below(n))).collect();
        Adjacency::new(n, edges)
    }

    /// The dominators by definition: a dominates b if b cannot be reached without a.
    fn by_paths(g: &Adjacency, root: usize) -> Vec<Vec<bool>> {
        let n = g.len();
        let all = reachable(g, root);
        (0..n)
            .map(|a| {
                let edges = (0..n).flat_map(|v| g.successors(v).map(move |w| (v, w)));
                let without = Adjacency::new(n, edges.filter(|e| e.0 != a && e.1 != a));
                let mut left = reachable(&without, root);
                if a == root {
                    left.clear();
                }
                (0..n)
                    .map(|b| all.contains(a) && all.contains(b) && (a == b || !left.contains(b)))
                    .collect()
            })
            .collect()
    }

    /// K. Cooper, T. Harvey, K. Kennedy, *A Simple, Fast Dominance Algorithm*, 2001.
    fn iterative(g: &impl DiGraph, root: usize) -> Vec<Option<usize>> {
        let order = reverse_postorder(g, root);
        let mut place = vec![usize::MAX; g.len()];
        for (i, &v) in order.iter().enumerate() {
            place[v] = i;
        }
        let mut idom: Vec<Option<usize>> = vec![None; order.len()];
        idom[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for i in 1..order.len() {
                let mut new = None;
                for p in g.predecessors(order[i]).map(|p| place[p]) {
                    if p == usize::MAX || idom[p].is_none() {
                        continue;
                    }
                    let mut a = p;
                    let Some(mut b) = new else {
                        new = Some(p);
                        continue;
                    };
                    while a != b {
                        while a > b {
                            a = idom[a].unwrap();
                        }
                        while b > a {
                            b = idom[b].unwrap();
                        }
                    }
                    new = Some(a);
                }
                if idom[i] != new {
                    idom[i] = new;
                    changed = true;
                }
            }
        }
        let mut result = vec![None; g.len()];
        for (i, &v) in order.iter().enumerate().skip(1) {
            result[v] = idom[i].map(|d| order[d]);
        }
        result
    }

    #[test]
    fn random_graphs_agree_with_the_definition_and_with_iteration() {
        let mut rng = Rng::new(5);
        for _ in 0..1500 {
            let n = 1 + rng.below(14);
            let m = rng.below(3 * n + 1);
            let g = random_graph(&mut rng, n, m);
            let d = Dominators::new(&g, 0);
            let expected = by_paths(&g, 0);
            let iterated = iterative(&g, 0);
            for b in 0..n {
                for (a, row) in expected.iter().enumerate() {
                    assert_eq!(d.dominates(a, b), row[b], "{g:?}: {a} dominates {b}");
                }
                assert_eq!(d.immediate(b), iterated[b], "{g:?}: {b}");
                let chain: Vec<usize> = d.chain(b).collect();
                let dominators = (0..n).filter(|&a| expected[a][b]).count();
                assert_eq!(chain.len(), dominators);
            }
        }
    }

    #[test]
    fn post_dominators_of_structured_graphs() {
        let mut rng = Rng::new(6);
        for _ in 0..100 {
            let size = 1 + rng.below(40);
            let text = random_nesting(&mut rng, size);
            let cfg = nested(&text);
            let exit = cfg.exit().unwrap().index();
            let reversed = Reversed(&cfg);
            let d = Dominators::new(&reversed, exit);
            let iterated = iterative(&reversed, exit);
            for (v, expected) in iterated.iter().enumerate() {
                assert_eq!(d.immediate(v), *expected, "{text}: {v}");
            }
            let forward = Dominators::new(&cfg, cfg.entry().unwrap().index());
            assert_eq!(forward.irreducible_edges(&cfg), []);
        }
    }

    /// Removes self-loops and merges vertices with one predecessor into that (T1 and T2 of Hecht and Ullman 1972) as
    /// long as possible: a graph is reducible exactly if one vertex is left.
    fn collapses(g: &Adjacency, root: usize) -> bool {
        let live = reachable(g, root);
        let mut edges: Vec<(usize, usize)> = live
            .ones()
            .flat_map(|v| g.successors(v).map(move |w| (v, w)))
            .collect();
        loop {
            edges.retain(|e| e.0 != e.1);
            edges.sort_unstable();
            edges.dedup();
            let one = live.ones().filter(|&v| v != root).find_map(|v| {
                let mut preds = edges.iter().filter(|e| e.1 == v);
                let first = preds.next()?;
                preds.next().is_none().then_some((v, first.0))
            });
            match one {
                Some((v, into)) => {
                    edges.retain(|e| e.1 != v);
                    for e in edges.iter_mut().filter(|e| e.0 == v) {
                        e.0 = into;
                    }
                }
                None => return edges.is_empty(),
            }
        }
    }

    #[test]
    fn reducibility_agrees_with_collapsing() {
        let mut rng = Rng::new(8);
        let mut irreducible = 0;
        for _ in 0..1500 {
            let n = 1 + rng.below(10);
            let m = n + rng.below(n + 1);
            let g = random_graph(&mut rng, n, m);
            let edges = Dominators::new(&g, 0).irreducible_edges(&g);
            assert_eq!(edges.is_empty(), collapses(&g, 0), "{g:?}");
            irreducible += usize::from(!edges.is_empty());
        }
        assert!(irreducible > 50);
    }

    /// Families on which simple algorithms need quadratic or cubic time: with one of these the test would not end.
    #[test]
    fn families_that_are_bad_for_iteration() {
        let n = 100_000;
        // A chain down and back up with entries to both ends: many passes for the iterative algorithm.
        let down = (0..n - 1).map(|v| (v, v + 1));
        let up = (1..n - 1).map(|v| (v + 1, v));
        let ladder = Adjacency::new(n, down.clone().chain(up).chain([(0, n - 1)]));
        let d = Dominators::new(&ladder, 0);
        assert!((1..n).all(|v| d.immediate(v) == Some(0)));
        // Every vertex jumps back to every header before it at distances that are powers of two.
        let back = (1..n).flat_map(|v| (0..17).map(move |k| (v, v.saturating_sub(1 << k))));
        let d = Dominators::new(&Adjacency::new(n, down.chain(back)), 0);
        assert!((1..n).all(|v| d.immediate(v) == Some(v - 1)));
        assert_eq!(d.chain(n - 1).count(), n);
    }
}
