//! The graph editor beside what it is asked for, on random graphs and in the corners.

use super::*;
use crate::{
    ir::MAX_ID,
    structure::Structure,
    testing::{Rng, graph, nested},
};
use std::collections::{BTreeSet, HashSet};

fn block(n: i64) -> Stmt {
    Stmt::assign(crate::ir::Place::whole(VarId::new(0)), Expr::Int(n))
}

/// Id of the source, id of the target, label, id.
fn shown(cfg: &Cfg) -> Vec<(i64, i64, Option<i64>, Option<i64>)> {
    let id = |v| cfg.vertex(v).id;
    let edges = cfg.edges();
    let edges = edges.map(|(_, e)| (id(e.from), id(e.to), e.label, e.id));
    edges.collect()
}

fn ids(cfg: &Cfg) -> Vec<i64> {
    cfg.vertices().map(|(_, v)| v.id).collect()
}

/// Any graph on some vertices, with or without ids of edges.
fn random(rng: &mut Rng) -> Cfg {
    let n = 2 + rng.below(9);
    let mut letters: String = (2..n).map(|_| ['b', ')', ']', 'c'][rng.below(4)]).collect();
    letters.insert(0, 'E');
    letters.push('X');
    let count = rng.below(3 * n);
    let mut end = |n: usize| 1 + rng.below(n);
    let edges = (0..count).map(|_| (end(n), end(n), end(3) as i64 - 2));
    let edges: Vec<_> = edges.collect();
    let (vertices, mut edges) = graph(&letters, &edges).into_parts();
    let named = rng.below(3);
    for (e, edge) in edges.iter_mut().enumerate() {
        edge.id = (rng.below(2) < named).then_some(100 + 3 * e as i64);
    }
    Cfg::new(vertices, edges).expect("the same edges")
}

#[test]
fn a_graph_that_is_not_changed_stays_as_it_is() {
    let mut rng = Rng::new(1);
    for _ in 0..500 {
        let cfg = random(&mut rng);
        let same = Editor::take_apart(cfg.clone()).finish();
        assert_eq!(ids(&same), ids(&cfg));
        let named = cfg.edges().any(|(_, e)| e.id.is_some());
        for ((k, before), (_, after)) in cfg.edges().zip(same.edges()) {
            let id = before.id.or(named.then_some(k.index() as i64));
            assert_eq!(
                *after,
                Edge {
                    id,
                    ..before.clone()
                }
            );
        }
        let mut arranged = Editor::take_apart(same.clone());
        arranged.arrange(0..same.vertex_count());
        assert_eq!(arranged.finish(), same);
    }
}

#[test]
fn what_is_removed_goes_with_its_edges_and_the_rest_keeps_its_order() {
    let mut rng = Rng::new(2);
    for _ in 0..500 {
        let cfg = Editor::take_apart(random(&mut rng)).finish();
        let mut graph = Editor::take_apart(cfg.clone());
        let gone: BTreeSet<usize> = (0..rng.below(4))
            .map(|_| rng.below(cfg.vertex_count()))
            .collect();
        let mut gone_edges = BTreeSet::new();
        if cfg.edge_count() > 0 {
            gone_edges.extend((0..rng.below(3)).map(|_| rng.below(cfg.edge_count())));
        }
        gone.iter().for_each(|&v| graph.remove(v));
        gone_edges.iter().for_each(|&e| graph.remove_edge(e));
        let left = graph.finish();
        let stays = |v: VertexId| !gone.contains(&v.index());
        let expected: Vec<i64> = (cfg.vertices().filter(|(v, _)| stays(*v)))
            .map(|(_, v)| v.id)
            .collect();
        assert_eq!(ids(&left), expected);
        let edges = shown(&cfg).into_iter().zip(cfg.edges());
        let edges = edges.filter(|(_, (e, edge))| {
            !gone_edges.contains(&e.index()) && stays(edge.from) && stays(edge.to)
        });
        let edges: Vec<_> = edges.map(|(shown, _)| shown).collect();
        assert_eq!(shown(&left), edges);
    }
}

#[test]
fn an_order_places_vertices_and_leaves_out_others() {
    let mut rng = Rng::new(3);
    for _ in 0..500 {
        let cfg = Editor::take_apart(random(&mut rng)).finish();
        let mut order: Vec<usize> = (0..cfg.vertex_count()).collect();
        for k in (1..order.len()).rev() {
            order.swap(k, rng.below(k + 1));
        }
        order.truncate(1 + rng.below(order.len()));
        let mut graph = Editor::take_apart(cfg.clone());
        graph.arrange(order.iter().copied());
        let made = graph.finish();
        let id = |v: &usize| cfg.vertex(VertexId::new(*v)).id;
        assert_eq!(ids(&made), order.iter().map(id).collect::<Vec<_>>());
        let kept: HashSet<i64> = ids(&made).into_iter().collect();
        let mut edges = shown(&cfg);
        edges.retain(|e| kept.contains(&e.0) && kept.contains(&e.1));
        assert_eq!(shown(&made), edges);
    }
}

/// New ids are free, those of vertices also with the other sign, whatever is there.
#[test]
fn what_is_added_comes_last_and_has_a_new_id() {
    for first in [9, -7, MAX_ID, -MAX_ID] {
        let (mut vertices, edges) = nested("b").into_parts();
        vertices[1].id = first;
        let mut graph = Editor::from_parts(vertices, edges);
        graph.edges[0].id = Some(5);
        let v = graph.add(VertexKind::EndBranch);
        let copy = graph.copy(1);
        let e = graph.add_edge(v, copy, Some(3));
        assert_eq!((v, copy, e), (3, 4, 2));
        let cfg = graph.finish();
        let all: HashSet<u64> = ids(&cfg).iter().map(|id| id.unsigned_abs()).collect();
        assert_eq!(all.len(), 5, "{cfg:?}");
        assert!(
            ids(&cfg)
                .iter()
                .all(|id| id.unsigned_abs() <= MAX_ID as u64)
        );
        let named: Vec<_> = cfg.edges().map(|(_, e)| e.id).collect();
        assert_eq!(named, [Some(5), Some(6), Some(7)]);
    }
}

/// Of what leaves a vertex, a new block leaves after a split; splits of the pieces, too.
#[test]
fn a_split_moves_the_out_edge() {
    let mut graph = Editor::take_apart(Editor::line([vec![block(1)]]));
    let [a, b] = [graph.split(1), graph.split(1)];
    assert_eq!((graph.from(1), graph.to(1)), (a, 2));
    graph.add_edge(1, b, None);
    graph.add_edge(b, a, None);
    let c = graph.split(b);
    graph.add_edge(b, c, None);
    graph.push(b, block(2));
    let cfg = graph.finish();
    let ends: Vec<_> = shown(&cfg).into_iter().map(|e| (e.0, e.1)).collect();
    assert_eq!(ends, [(1, 2), (4, 3), (2, 5), (6, 4), (5, 6)]);
    assert_eq!(cfg.vertex(VertexId::new(b)).statements(), [block(2)]);
    // Nothing leaves EXIT.
    let mut graph = Editor::take_apart(cfg);
    let last = graph.split(2);
    assert!(graph.edges.iter().all(|e| e.from.index() != last));
}

#[test]
fn blocks_go_behind_and_before() {
    for statements in [Vec::new(), vec![block(1)]] {
        let cfg = graph("EbbX", &[(1, 2, -1), (2, 4, -1), (3, 4, -1)]);
        let mut graph = Editor::take_apart(cfg.clone());
        graph.insert_behind(0, statements.clone());
        graph.insert_before(3, statements.clone());
        let made = graph.finish();
        if statements.is_empty() {
            assert_eq!(made, cfg);
            continue;
        }
        let ends: Vec<_> = shown(&made).into_iter().map(|e| (e.0, e.1)).collect();
        assert_eq!(ends, [(5, 2), (2, 6), (3, 6), (1, 5), (6, 4)]);
        assert_eq!(made.vertex(VertexId::new(5)).statements(), statements);
    }
}

#[test]
fn unreachable_vertices_go_but_exit() {
    let mut graph = Editor::take_apart(graph(
        "EbbX",
        &[(1, 2, -1), (2, 2, 0), (2, 4, 1), (3, 2, -1), (3, 4, -1)],
    ));
    graph.remove_edge(2);
    graph.remove_unreachable();
    let cfg = graph.finish();
    assert_eq!(ids(&cfg), [1, 2, 4]);
    assert_eq!(shown(&cfg), [(1, 2, None, None), (2, 2, Some(0), None)]);
    // Without ENTRY nothing is known to be unreachable.
    let mut graph = Editor::take_apart(crate::testing::graph("bX", &[]));
    graph.remove_unreachable();
    assert_eq!(ids(&graph.finish()), [1, 2]);
    assert_eq!(Editor::default().finish().vertex_count(), 0);
}

/// All constructs in each other nest, in the order in which they are appended.
#[test]
fn what_is_appended_nests() {
    let mut rng = Rng::new(4);
    for _ in 0..300 {
        let mut graph = Editor::default();
        let mut tail = Tail(graph.add(VertexKind::Entry), None);
        let mut open = Vec::new();
        let mut statements = 0;
        for _ in 0..rng.below(20) {
            match rng.below(4) {
                0 => open.push(graph.begin_loop(&mut tail, LoopTest::Pre(Expr::Logical(true)))),
                1 => {
                    if let Some(header) = open.pop() {
                        graph.end_loop(&mut tail, header);
                    }
                }
                2 => {
                    let is_true = Expr::Logical(true);
                    let [branch, _] = graph.append_if(&mut tail, is_true, vec![block(0)]);
                    graph.add_edge(branch, tail.0, Some(0));
                    statements += 1;
                }
                _ => {
                    graph.append_block(&mut tail, vec![block(1)]);
                    statements += 1;
                }
            }
        }
        for header in open.into_iter().rev() {
            graph.end_loop(&mut tail, header);
        }
        graph.append(&mut tail, VertexKind::Exit);
        let cfg = graph.finish();
        assert!(Structure::compute(&cfg).is_ok(), "{cfg:?}");
        assert_eq!(
            ids(&cfg),
            (1..=cfg.vertex_count() as i64).collect::<Vec<_>>()
        );
        let found: usize = cfg.vertices().map(|(_, v)| v.statements().len()).sum();
        assert_eq!(found, statements);
    }
}

#[test]
fn optional_arguments_guard_what_nests() {
    let mut graph = Editor::take_apart(Editor::line([vec![block(0)]]));
    let at = graph.if_present(1, VarId::new(1), vec![block(1)]);
    let [_, absent, at] = graph.if_present_else(at, VarId::new(2), [vec![block(2)], Vec::new()]);
    graph.push(absent, block(3));
    graph.push(at, block(4));
    let cfg = graph.finish();
    assert!(Structure::compute(&cfg).is_ok(), "{cfg:?}");
    let mut values: Vec<_> = cfg.vertices().flat_map(|(_, v)| v.statements()).collect();
    values.sort_by_key(|s| format!("{s:?}"));
    assert_eq!(
        values,
        [0, 1, 2, 3, 4].map(block).iter().collect::<Vec<_>>()
    );
}

/// Statements come back up to the one that is looked for; what is added then has its marks.
#[test]
fn statements_are_put_back_with_their_marks() {
    let number = |s: &Stmt| s.origin.number();
    let numbered = |n: usize| Stmt {
        origin: StatementOrigin::from_number(n),
        ..block(n as i64)
    };
    let is_meant = |s: &Stmt| (number(s) == Some(1)).then_some("found");
    let mut body = Some(Editor::line([(0..3).map(numbered).collect(), Vec::new()]));
    assert!(Editor::where_any(&mut body, |s| number(s) == Some(7)).is_none());
    assert!(body.is_some());
    let mut graph = Editor::where_any(&mut body, |s| is_meant(s).is_some()).expect("one is there");
    assert!(body.is_none());
    let mut all = graph.take_statements();
    assert_eq!(all.len(), 2);
    let (v, rest) = &mut all[0];
    let (found, what) = graph.fill(*v, rest, is_meant).expect("the second one");
    assert_eq!((number(&found), what), (Some(1), "found"));
    graph.push(*v, block(9));
    let made = graph.block(vec![block(8)]);
    assert!(graph.fill(*v, rest, is_meant).is_none());
    graph.push(*v, block(7));
    let origins =
        |v: usize| -> Vec<_> { graph.vertices[v].statements().iter().map(number).collect() };
    assert_eq!(origins(1), [Some(0), Some(1), Some(2), None]);
    assert_eq!(origins(made), [Some(1)]);
}
