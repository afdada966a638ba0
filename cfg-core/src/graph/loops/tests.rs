use super::*;
use crate::{
    graph::{Adjacency, postorder, reachable},
    testing::{Rng, nested, random_nesting},
};

/// Preorder numbers of the depth-first search that takes successors in order.
fn preorder(g: &Adjacency) -> Vec<usize> {
    fn visit(g: &Adjacency, v: usize, number: &mut Vec<usize>, next: &mut usize) {
        number[v] = *next;
        *next += 1;
        for w in g.successors(v) {
            if number[w] == usize::MAX {
                visit(g, w, number, next);
            }
        }
    }
    let mut number = vec![usize::MAX; g.len()];
    visit(g, 0, &mut number, &mut 0);
    number
}

/// The loops by definition: strongly connected parts, then those of each without the edges to its header.
fn by_parts(g: &Adjacency) -> Vec<(usize, Vec<usize>)> {
    let number = preorder(g);
    let live = reachable(g, 0);
    let mut found = Vec::new();
    let all: Vec<(usize, usize)> = live
        .ones()
        .flat_map(|v| g.successors(v).map(move |w| (v, w)))
        .collect();
    let mut work = vec![(live.ones().collect::<Vec<_>>(), all)];
    while let Some((vertices, edges)) = work.pop() {
        let part = Adjacency::new(g.len(), edges.iter().copied());
        let reach: Vec<_> = (0..g.len()).map(|v| reachable(&part, v)).collect();
        let mut done = vec![false; g.len()];
        for &v in &vertices {
            if done[v] {
                continue;
            }
            let members: Vec<usize> = vertices
                .iter()
                .copied()
                .filter(|&w| reach[v].contains(w) && reach[w].contains(v))
                .collect();
            for &w in &members {
                done[w] = true;
            }
            let inside: Vec<(usize, usize)> = edges
                .iter()
                .copied()
                .filter(|e| members.contains(&e.0) && members.contains(&e.1))
                .collect();
            if inside.is_empty() {
                continue;
            }
            let header = *members.iter().min_by_key(|&&w| number[w]).unwrap();
            found.push((header, members.clone()));
            let rest = inside.into_iter().filter(|e| e.1 != header).collect();
            work.push((members, rest));
        }
    }
    found.sort_by_key(|(header, _)| number[*header]);
    found
}

#[test]
fn random_graphs_agree_with_the_definition() {
    let mut rng = Rng::new(11);
    let (mut irreducible, mut nested_loops) = (0, 0);
    for _ in 0..3000 {
        let n = 1 + rng.below(12);
        let m = n + rng.below(2 * n);
        let edges: Vec<_> = (0..m).map(|_| (rng.below(n), rng.below(n))).collect();
        let g = Adjacency::new(n, edges.iter().copied());
        let live = reachable(&g, 0);
        let f = LoopForest::new(&g, 0);
        let expected = by_parts(&g);
        assert_eq!(f.len(), expected.len(), "{edges:?}");
        assert_eq!(f.is_empty(), expected.is_empty(), "{edges:?}");
        assert_eq!(f.vertex_count(), n);
        for (l, (header, members)) in f.loops().zip(&expected) {
            let found = f.get(l);
            assert_eq!(found.header, *header, "{edges:?}");
            assert_eq!(f.members(l)[0], *header);
            let mut sorted = f.members(l).to_vec();
            sorted.sort_unstable();
            assert_eq!(&sorted, members, "{edges:?}");
            assert_eq!(found.size(), members.len());
            // `among` selects the members of the loop from some vertices.
            let mut some: Vec<usize> = (0..n).filter(|_| rng.below(2) == 0).collect();
            let inner = some.iter().filter(|v| members.contains(v)).count();
            some = some.into_iter().filter_map(|v| f.position(v)).collect();
            some.sort_unstable();
            let among = f.among(l, &some);
            assert_eq!(among.len(), inner, "{edges:?}");
            let places = members.iter().map(|&v| f.position(v));
            let places: Vec<Option<usize>> = places.collect();
            assert!(among.iter().all(|&p| places.contains(&Some(p))));
            let enters = |e: &&(usize, usize)| {
                live.contains(e.0) && !members.contains(&e.0) && members.contains(&e.1)
            };
            let side = edges.iter().filter(enters).any(|e| e.1 != *header);
            assert_eq!(!found.is_reducible(), side, "{edges:?}");
            if let Some(e) = found.side_entry {
                assert!(
                    edges
                        .iter()
                        .filter(enters)
                        .any(|&x| x == e && x.1 != *header)
                );
            }
            irreducible += usize::from(side);
            nested_loops += usize::from(found.depth > 2);
            let around = expected
                .iter()
                .filter(|other| other.1.contains(header) && other.1.len() >= members.len())
                .filter(|other| other.0 != *header)
                .count();
            assert_eq!(found.depth as usize, around + 1, "{edges:?}");
            if let Some(parent) = found.parent {
                assert!(parent < l && f.contains(parent, *header));
            }
            let count = |test: &dyn Fn(&(usize, usize)) -> bool| {
                edges
                    .iter()
                    .filter(|e| live.contains(e.0) && test(e))
                    .count()
            };
            let inside = |v: usize| members.contains(&v);
            assert_eq!(
                f.back_edges(&g, l).count(),
                count(&|e| inside(e.0) && e.1 == *header)
            );
        }
        for v in 0..n {
            let innermost = f.loops().rev().find(|&l| f.contains(l, v));
            let smallest = innermost.map(|l| f.get(l).size());
            assert_eq!(f.innermost(v).map(|l| f.get(l).size()), smallest);
            assert_eq!(f.around(v).count(), f.depth(v) as usize);
            for w in 0..n {
                let left = f.around(v).filter(|&l| !f.contains(l, w)).last();
                assert_eq!(f.outermost_left(v, w), left);
                let back = f.headed_by(w).is_some_and(|l| f.contains(l, v));
                assert_eq!(f.back_to(v, w).is_some(), back);
            }
        }
    }
    assert!(irreducible > 1000 && nested_loops > 1000);
}

#[test]
fn loops_of_structured_graphs_are_their_loops() {
    let mut rng = Rng::new(12);
    for _ in 0..100 {
        let size = 1 + rng.below(60);
        let text = random_nesting(&mut rng, size);
        let cfg = nested(&text);
        let s = crate::structure::Structure::compute(&cfg).unwrap();
        let f = LoopForest::new(&cfg, cfg.entry().unwrap().index());
        let headers = cfg.vertices().filter(|(v, _)| cfg.in_edges(*v).len() == 2);
        let loops = headers.filter(|(v, _)| cfg.out_edges(*v).len() == 2);
        assert_eq!(f.len(), loops.count(), "{text}");
        for (v, vertex) in cfg.vertices() {
            let header = f.headed_by(v.index()).is_some();
            let is_end = matches!(vertex.kind, crate::ir::VertexKind::EndLoop);
            let own = u32::from(header || is_end);
            assert_eq!(f.depth(v.index()), s.loop_depth[v.index()] + own, "{text}");
        }
        assert!(f.loops().all(|l| f.get(l).is_reducible()));
    }
}

/// Families on which a backward search from each header takes quadratic time: the test would not end.
#[test]
fn families_that_are_bad_for_simpler_algorithms() {
    let n = 100_000;
    let chain = (0..n - 1).map(|v| (v, v + 1));
    // Nested loops with one latch, and an entry from outside into each of them.
    let nested = chain.clone().chain((1..n - 1).map(|v| (n - 1, v)));
    let entered = Adjacency::new(n, nested.chain((2..n).map(|v| (0, v))));
    let f = LoopForest::new(&entered, 0);
    assert_eq!(f.len(), n - 2);
    assert!(f.loops().all(|l| !f.get(l).is_reducible()));
    assert_eq!(f.outermost_left(n - 1, 0).map(LoopId::index), Some(0));
    // Down and back up, entered at both ends.
    let up = (1..n - 1).map(|v| (v + 1, v));
    let ladder = Adjacency::new(n, chain.clone().chain(up).chain([(0, n - 1)]));
    let f = LoopForest::new(&ladder, 0);
    assert_eq!(f.len(), n - 2);
    assert_eq!(postorder(&ladder, 0).len(), n);
    assert_eq!(f.get(f.innermost(n - 1).unwrap()).depth as usize, n - 2);
    // Jumps back over all powers of two: many edges per vertex.
    let back = (1..n).flat_map(|v| (0..17).map(move |k| (v, v.saturating_sub(1 << k))));
    let f = LoopForest::new(&Adjacency::new(n, chain.chain(back)), 0);
    assert_eq!(f.len(), n - 1);
    assert!(f.loops().all(|l| f.get(l).is_reducible()));
}
