use super::*;
use crate::{
    diagnostic::MAX_PROBLEMS,
    graph::{self, Adjacency},
    ir::VertexType,
    testing::{Rng, graph as listed, nested, random_nesting},
};

fn ids(cfg: &Cfg, vertices: &[VertexId]) -> Vec<i64> {
    vertices.iter().map(|&v| cfg.vertex(v).id).collect()
}

fn codes_of(cfg: &Cfg) -> Vec<&'static str> {
    match Structure::compute(cfg) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(|p| p.code).collect(),
    }
}

/// The example of section 2 of the paper.
fn paper() -> Cfg {
    nested("bbl([b|b]b)b")
}

#[test]
fn the_papers_example() {
    let cfg = paper();
    let s = Structure::compute(&cfg).unwrap();
    assert_eq!(ids(&cfg, &s.order), (1..=12).collect::<Vec<_>>());
    let v = |id: usize| VertexId::new(id - 1);
    assert_eq!(s.partner(v(4)), Some(v(10)));
    assert_eq!(s.partner(v(10)), Some(v(4)));
    assert_eq!(s.partner(v(5)), Some(v(8)));
    assert_eq!(s.partner(v(9)), None);
    assert_eq!(s.parent[v(4).index()], None);
    assert_eq!(s.parent[v(10).index()], None);
    assert_eq!(s.parent[v(8).index()], Some(v(4)));
    assert_eq!(s.parent[v(7).index()], Some(v(5)));
    let depths: Vec<u32> = s.loop_depth.clone();
    assert_eq!(depths, [0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0]);
    for (e, edge) in cfg.edges() {
        let ends = (cfg.vertex(edge.from).id, cfg.vertex(edge.to).id);
        let expected = match ends {
            (6, 8) | (9, 10) => Some(1),
            (7, 8) => Some(0),
            _ => None,
        };
        assert_eq!(s.in_label(e), expected, "{ends:?}");
        let kind = EdgeKind {
            loop_exit: ends == (4, 11),
            loop_body: ends == (4, 5),
            loop_entry: ends == (3, 4),
            loop_back: ends == (10, 4),
        };
        assert_eq!(s.kind(e), kind, "{ends:?}");
    }
}

#[test]
fn a_branch_as_first_arm_of_a_branch() {
    // The smallest case in which Algorithm 1 as printed removes the wrong ENDBRANCH.
    let cfg = nested("[[b|b]|b]b");
    let s = Structure::compute(&cfg).unwrap();
    // 1 ENTRY 2 BRANCH 3 BRANCH 4 b 5 b 6 ENDBRANCH 7 b 8 ENDBRANCH 9 b 10 EXIT
    assert_eq!(ids(&cfg, &s.order), (1..=10).collect::<Vec<_>>());
    assert_eq!(s.partner(VertexId::new(1)), Some(VertexId::new(7)));
    assert_eq!(s.partner(VertexId::new(2)), Some(VertexId::new(5)));
}

#[test]
fn empty_arms_are_parallel_edges_with_labels_of_their_own() {
    let cfg = nested("[||]l()");
    let s = Structure::compute(&cfg).unwrap();
    let labels: Vec<_> = cfg
        .in_edges(VertexId::new(2))
        .iter()
        .map(|&e| s.in_label(e))
        .collect();
    assert_eq!(labels, [Some(1), Some(2), Some(3)]);
}

#[test]
fn a_loop_exit_that_ends_an_arm_has_an_in_label_only() {
    let cfg = nested("[l(b)|b]");
    let s = Structure::compute(&cfg).unwrap();
    let exit = cfg
        .edges()
        .map(|(e, _)| e)
        .find(|&e| s.kind(e).loop_exit)
        .unwrap();
    assert_eq!(cfg.edge(exit).label, None);
    assert_eq!(s.in_label(exit), Some(1));
}

#[test]
fn a_hundred_thousand_nested_loops_and_branches() {
    let n = 100_000;
    let text = "l([".repeat(n) + &"|])".repeat(n);
    let cfg = nested(&text);
    let s = Structure::compute(&cfg).unwrap();
    assert_eq!(s.order.len(), 4 * n + 2);
    assert_eq!(s.loop_depth.iter().max(), Some(&(n as u32)));
}

/// The order is right by definition: each vertex comes after its dominators, and before its post-dominators in the
/// acyclic graph in which each back edge leads on to the loop's exit.
fn assert_order(cfg: &Cfg, s: &Structure) {
    let n = cfg.vertex_count();
    let mut acyclic = Vec::new();
    for (e, edge) in cfg.edges() {
        if s.kind(e).loop_back {
            let exit = cfg
                .out_edges(edge.to)
                .iter()
                .find(|&&e| s.kind(e).loop_exit)
                .unwrap();
            acyclic.push((edge.from.index(), cfg.edge(*exit).to.index()));
        } else {
            acyclic.push((edge.from.index(), edge.to.index()));
        }
    }
    for &(from, to) in &acyclic {
        assert!(s.position[from] < s.position[to], "{from} before {to}");
    }
    let acyclic = Adjacency::new(n, acyclic);
    let entry = cfg.entry().unwrap().index();
    for v in 0..n {
        assert_eq!(s.order[s.position[v] as usize].index(), v);
        // Vertices that cannot be reached without v are dominated by v.
        let edges = cfg
            .edges()
            .map(|(_, e)| (e.from.index(), e.to.index()))
            .filter(|e| e.0 != v && e.1 != v);
        let without = graph::reachable(&Adjacency::new(n, edges), entry);
        for w in (0..n).filter(|&w| w != v && (v == entry || !without.contains(w))) {
            assert!(s.position[v] < s.position[w], "{v} dominates {w}");
        }
        let exit = cfg.exit().unwrap().index();
        let edges = (0..n)
            .flat_map(|a| graph::DiGraph::successors(&acyclic, a).map(move |b| (b, a)))
            .filter(|e| e.0 != v && e.1 != v);
        let without = graph::reachable(&Adjacency::new(n, edges), exit);
        for w in (0..n).filter(|&w| w != v && (v == exit || !without.contains(w))) {
            assert!(s.position[w] < s.position[v], "{v} post-dominates {w}");
        }
    }
}

/// Regions by definition: the vertices reachable from a header's inner edges without passing header or end.
fn assert_regions(cfg: &Cfg, s: &Structure) {
    let n = cfg.vertex_count();
    let mut size = vec![usize::MAX; n];
    let mut parent = vec![None; n];
    for (h, _) in cfg.vertices() {
        let Some(end) = s
            .partner(h)
            .filter(|&end| s.position[end.index()] > s.position[h.index()])
        else {
            continue;
        };
        let blocked = |v: usize| v == h.index() || v == end.index();
        let edges: Vec<_> = cfg
            .edges()
            .map(|(_, e)| (e.from.index(), e.to.index()))
            .filter(|e| !blocked(e.0) && !blocked(e.1))
            .collect();
        let inner = Adjacency::new(n, edges);
        let mut region = fixedbitset::FixedBitSet::with_capacity(n);
        for &e in cfg.out_edges(h) {
            let to = cfg.edge(e).to.index();
            if !s.kind(e).loop_exit && !blocked(to) {
                region.union_with(&graph::reachable(&inner, to));
            }
        }
        let count = region.count_ones(..);
        for v in region.ones() {
            if count < size[v] {
                (size[v], parent[v]) = (count, Some(h));
            }
        }
    }
    assert_eq!(s.parent, parent);
}

#[test]
fn random_nestings_are_ordered_and_nested_as_defined() {
    let mut rng = Rng::new(1);
    for _ in 0..300 {
        let size = 1 + rng.below(25);
        let text = random_nesting(&mut rng, size);
        let cfg = nested(&text);
        let s = Structure::compute(&cfg).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_order(&cfg, &s);
        assert_regions(&cfg, &s);
    }
}

#[test]
fn interleaved_loops_are_found() {
    // 1 E, 2 l, 3 l, 4 ENDLOOP of 2, 5 ENDLOOP of 3
    let cfg = listed(
        "Ell))X",
        &[
            (1, 2, -1),
            (2, 3, 1),
            (3, 4, 1),
            (4, 2, -1),
            (2, 5, -1),
            (5, 3, -1),
            (3, 6, -1),
        ],
    );
    assert_eq!(codes_of(&cfg), ["V112"]);
    let problems = Structure::compute(&cfg).unwrap_err();
    assert_eq!(
        problems.0[0].message,
        "ENDLOOP 4 ends LOOP 2, but the innermost open there is LOOP 3"
    );
}

#[test]
fn arms_that_meet_elsewhere_are_found() {
    // Two branches whose ends are exchanged: 2 branch, 3 branch in its first arm, 4 and 5 ENDBRANCH.
    let cfg = listed(
        "Ecc]]X",
        &[
            (1, 2, -1),
            (2, 3, 1),
            (2, 4, 0),
            (3, 4, 1),
            (3, 5, 0),
            (4, 5, -1),
            (5, 6, -1),
        ],
    );
    assert_eq!(codes_of(&cfg), ["V112"]);
}

#[test]
fn a_jump_into_a_loop_body_is_found() {
    // A branch whose second arm enters the loop of the first arm.
    let cfg = listed(
        "Ecl])]X",
        &[
            (1, 2, -1),
            (2, 3, 1),
            (2, 4, 0),
            (3, 4, 1),
            (4, 5, -1),
            (5, 3, -1),
            (3, 6, -1),
            (6, 7, -1),
        ],
    );
    assert!(Structure::compute(&cfg).is_err());
}

/// All kinds of vertices once, so that every edge can be broken.
#[test]
fn no_mutation_of_edges_or_types_panics_or_goes_unnoticed() {
    let mut rng = Rng::new(7);
    let letters = ['E', 'X', 'b', 'l', ')', 'c', ']'];
    let mut survivors = 0;
    for _ in 0..3000 {
        let size = 1 + rng.below(12);
        let cfg = nested(&random_nesting(&mut rng, size));
        let (mut vertices, mut edges) = cfg.into_parts();
        for _ in 0..1 + rng.below(2) {
            let (n, m) = (vertices.len(), edges.len());
            let v = VertexId::new(rng.below(n));
            let e = rng.below(m);
            match rng.below(7) {
                0 => edges[e].from = v,
                1 => edges[e].to = v,
                2 => edges[e].label = [None, Some(0), Some(1), Some(2)][rng.below(4)],
                3 => drop(edges.remove(e)),
                4 => edges.push(crate::ir::Edge::new(v, VertexId::new(rng.below(n)), None)),
                5 => {
                    let f = rng.below(m);
                    let to = edges[e].to;
                    edges[e].to = edges[f].to;
                    edges[f].to = to;
                }
                _ => {
                    let letter = letters[rng.below(letters.len())];
                    vertices[v.index()] = crate::testing::vertex(vertices[v.index()].id, letter);
                }
            }
        }
        let cfg = Cfg::new(vertices, edges).unwrap();
        let accepted = Structure::compute(&cfg);
        assert_eq!(
            accepted.is_ok(),
            reducible_to_a_block(&cfg),
            "{accepted:?}\n{cfg:?}"
        );
        if let Ok(s) = &accepted {
            survivors += 1;
            assert_order(&cfg, s);
            assert_regions(&cfg, s);
        }
    }
    assert!(survivors > 50, "{survivors} mutants kept the definition");
}

/// The definition by reduction: a graph is structured if it can be reduced to ENTRY -> EXIT by
/// deleting blocks, loops with an empty body and branches whose arms are all empty. Independent of the
/// walk: no order, no stack.
fn reducible_to_a_block(cfg: &Cfg) -> bool {
    let mut kinds: Vec<Option<VertexType>> =
        cfg.vertices().map(|(_, v)| Some(v.vertex_type())).collect();
    let mut edges: Vec<(usize, usize, Option<i64>)> = cfg
        .edges()
        .map(|(_, e)| (e.from.index(), e.to.index(), e.label))
        .collect();
    for (v, vertex) in cfg.vertices() {
        let labels: Vec<_> = cfg
            .out_edges(v)
            .iter()
            .map(|&e| cfg.edge(e).label)
            .collect();
        let ok = match &vertex.kind {
            crate::ir::VertexKind::Loop { .. } => {
                labels == [None, Some(1)] || labels == [Some(1), None]
            }
            crate::ir::VertexKind::Branch(selector) => match &**selector {
                crate::ir::Selector::Condition(_) => {
                    labels == [Some(0), Some(1)] || labels == [Some(1), Some(0)]
                }
                crate::ir::Selector::Cases { arms, .. } => {
                    let mut named: Vec<_> = arms.iter().map(|a| Some(a.label)).collect();
                    let mut labels = labels;
                    named.sort_unstable();
                    labels.sort_unstable();
                    labels.windows(2).all(|w| w[0] != w[1]) && named == labels && labels.len() > 1
                }
            },
            _ => labels.iter().all(Option::is_none),
        };
        if !ok {
            return false;
        }
    }
    loop {
        let outs = |edges: &[(usize, usize, Option<i64>)], v| -> Vec<usize> {
            (0..edges.len()).filter(|&e| edges[e].0 == v).collect()
        };
        let ins = |edges: &[(usize, usize, Option<i64>)], v| -> Vec<usize> {
            (0..edges.len()).filter(|&e| edges[e].1 == v).collect()
        };
        let live: Vec<usize> = (0..kinds.len()).filter(|&v| kinds[v].is_some()).collect();
        if live.len() == 2 {
            let entry = live.iter().find(|&&v| kinds[v] == Some(VertexType::Entry));
            let exit = live.iter().find(|&&v| kinds[v] == Some(VertexType::Exit));
            return match (entry, exit) {
                (Some(&a), Some(&b)) => edges.len() == 1 && (edges[0].0, edges[0].1) == (a, b),
                _ => false,
            };
        }
        let mut step = None;
        for v in live {
            let (i, o) = (ins(&edges, v), outs(&edges, v));
            match kinds[v] {
                Some(VertexType::BasicBlock) if i.len() == 1 && o.len() == 1 && i != o => {
                    step = Some((vec![v], i[0], o[0]));
                }
                Some(VertexType::Loop) if i.len() == 2 && o.len() == 2 => {
                    let body = if edges[o[0]].2 == Some(1) { o[0] } else { o[1] };
                    let exit = o[0] + o[1] - body;
                    let end = edges[body].1;
                    let entry = i.iter().find(|&&e| edges[e].0 != end);
                    if kinds[end] == Some(VertexType::EndLoop)
                        && ins(&edges, end).len() == 1
                        && outs(&edges, end).len() == 1
                        && edges[outs(&edges, end)[0]].1 == v
                        && let Some(&entry) = entry
                    {
                        step = Some((vec![v, end], entry, exit));
                    }
                }
                Some(VertexType::Branch) if i.len() == 1 && o.len() > 1 => {
                    let end = edges[o[0]].1;
                    if kinds[end] == Some(VertexType::EndBranch)
                        && o.iter().all(|&e| edges[e].1 == end)
                        && ins(&edges, end).len() == o.len()
                        && outs(&edges, end).len() == 1
                    {
                        step = Some((vec![v, end], i[0], outs(&edges, end)[0]));
                    }
                }
                _ => {}
            }
            if step.is_some() {
                break;
            }
        }
        let Some((gone, entry, exit)) = step else {
            return false;
        };
        // A block on a back edge would stand behind its ENDLOOP.
        let on_back_edge = kinds[edges[entry].0] == Some(VertexType::EndLoop);
        if on_back_edge || gone.contains(&edges[entry].0) || gone.contains(&edges[exit].1) {
            return false;
        }
        let joined = (edges[entry].0, edges[exit].1, edges[entry].2);
        edges.retain(|e| !gone.contains(&e.0) && !gone.contains(&e.1));
        edges.push(joined);
        for v in gone {
            kinds[v] = None;
        }
    }
}

#[test]
fn regions_are_what_lies_between_header_and_end() {
    let mut rng = Rng::new(21);
    for _ in 0..300 {
        let size = 1 + rng.below(40);
        let text = random_nesting(&mut rng, size);
        // Edges in any order: a back edge may come before the entry edge.
        let (vertices, mut edges) = nested(&text).into_parts();
        let first = rng.below(edges.len());
        edges.rotate_left(first);
        let cfg = Cfg::new(vertices, edges).expect("the same edges");
        let s = Structure::compute(&cfg).unwrap();
        let tree = RegionTree::build(&cfg, &s);
        let mut direct = 0;
        for r in tree.regions() {
            let region = tree.region(r);
            let inside: Vec<VertexId> = s.order[region.range.clone()].to_vec();
            // By definition: reachable from the edge that begins the region, up to the end.
            let edge = match region.kind {
                RegionKind::Routine => continue,
                RegionKind::LoopBody(h) => *cfg
                    .out_edges(h)
                    .iter()
                    .find(|&&e| s.kind(e).loop_body)
                    .unwrap(),
                RegionKind::Arm { edge, .. } => edge,
            };
            let header = region.kind.header().unwrap();
            let end = s.partner(header).unwrap();
            let blocked = |v: VertexId| v == end || v == header;
            let first = cfg.edge(edge).to;
            let mut expected = Vec::new();
            if !blocked(first) {
                let edges = cfg.edges().map(|(_, e)| (e.from, e.to));
                let edges = edges.filter(|e| !blocked(e.0) && !blocked(e.1));
                let inner = Adjacency::new(
                    cfg.vertex_count(),
                    edges.map(|e| (e.0.index(), e.1.index())),
                );
                let reached = graph::reachable(&inner, first.index());
                expected = reached.ones().map(VertexId::new).collect();
            }
            let mut sorted = inside.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, expected, "{text} {region:?}");
            for v in tree.direct(&s, r) {
                direct += 1;
                assert_eq!(tree.region_of(v), r, "{text}");
                assert_eq!(s.parent[v.index()], Some(header));
            }
            let depth = tree.around(header).count();
            assert_eq!(region.depth as usize, depth);
        }
        direct += tree.direct(&s, RegionId::ROOT).count();
        assert_eq!(direct, cfg.vertex_count());
        for v in s.order.iter().copied() {
            let loops = tree
                .around(v)
                .filter(|&r| matches!(tree.region(r).kind, RegionKind::LoopBody(_)));
            assert_eq!(loops.count(), s.loop_depth[v.index()] as usize);
            let is_loop = |h: &VertexId| {
                let ty = cfg.vertex(*h).vertex_type();
                matches!(ty, VertexType::Loop | VertexType::ForLoop)
            };
            let mut around = std::iter::successors(s.parent[v.index()], |h| s.parent[h.index()]);
            assert_eq!(tree.innermost_loop(v), around.find(is_loop), "{text}");
        }
    }
}

/// Violations beyond the limit are dropped.
#[test]
fn violations_on_both_sides_of_their_limit() {
    let cfg = nested(&"b".repeat(MAX_PROBLEMS + 1));
    let (vertices, edges) = cfg.into_parts();
    for wrong in [MAX_PROBLEMS - 1, MAX_PROBLEMS, MAX_PROBLEMS + 1] {
        let mut vertices = vertices.clone();
        for vertex in &mut vertices[..wrong] {
            vertex.id = 0;
        }
        let cfg = Cfg::new(vertices, edges.clone()).expect("a graph");
        let found = local_rules::violations(&cfg, Control::Structured);
        assert_eq!(found.len(), wrong.min(MAX_PROBLEMS), "{wrong}");
    }
}

/// `Structure::compute` has no insight into loops and jumps: its help for meeting ways is the general one.
#[test]
fn ways_that_meet_are_told_without_insight() {
    for (letters, edges, expected) in [
        (
            "EcbbbX",
            &[
                (1, 2, -1),
                (2, 3, 1),
                (2, 4, 0),
                (3, 5, -1),
                (4, 5, -1),
                (5, 6, -1),
            ][..],
            "let several ways meet at an ENDBRANCH, or add \"control\": \"general\"",
        ),
        (
            "ElbX",
            &[(1, 2, -1), (2, 3, 1), (3, 2, -1), (2, 4, -1)],
            "one edge enters the loop from outside, the other comes from the ENDLOOP of its body",
        ),
        (
            "El)X",
            &[(1, 2, -1), (2, 3, -1), (3, 2, -1), (2, 4, -1)],
            "write \"label\": 1 at the edge into the loop's body",
        ),
    ] {
        let cfg = listed(letters, edges);
        let Err(problems) = Structure::compute(&cfg) else {
            panic!("{letters} is structured")
        };
        let [problem] = &problems.0[..] else {
            panic!("{problems}")
        };
        assert!(problem.help.starts_with(expected), "{problem}");
        let Err(same) = crate::validate::structure(&cfg) else {
            panic!("{letters} is structured")
        };
        assert_eq!(same, problems);
    }
}
