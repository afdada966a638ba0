//! The class of a graph by how far it nests: structured, structured with exits, reducible or irreducible, and the
//! first obstacle to a better class.
//!
//! ```
//! use cfg_core::ir::{Cfg, Edge, Expr, Selector, Vertex, VertexKind};
//! use cfg_core::{entity::VertexId, recover::classify::{ControlClass, classify}};
//!
//! // Two blocks that jump to each other, entered at both.
//! let branch = || VertexKind::branch_on(Expr::Logical(true));
//! let kinds = [VertexKind::Entry, branch(), VertexKind::Block(vec![]), branch(), VertexKind::Exit];
//! let vertices = (1..).zip(kinds).map(|(id, kind)| Vertex::new(id, kind)).collect();
//! let edges = [(0, 1, None), (1, 2, Some(1)), (1, 3, Some(0)), (2, 3, None), (3, 2, Some(1)), (3, 4, Some(0))];
//! let edges = edges.map(|(a, b, label)| Edge::new(VertexId::new(a), VertexId::new(b), label));
//! let Some(cfg) = Cfg::new(vertices, edges.to_vec()) else { return };
//! let found = classify(&cfg);
//! assert_eq!(found.class, ControlClass::Irreducible);
//! assert_eq!(
//!     found.to_string(),
//!     "irreducible: the loop of BASICBLOCK 3 is also entered by the edge 2 -> 4",
//! );
//! ```

use crate::{
    entity::{EdgeId, VertexId},
    graph::{
        Adjacency,
        loops::{LoopForest, LoopId},
        reverse_postorder,
    },
    ir::{Arm, Cfg, Edge, Expr, Selector, Stmt, StmtKind, Vertex, VertexKind},
    recover,
    structure::local_rules::name,
};
use std::fmt;

/// The class of a graph by how far it nests; each class contains the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ControlClass {
    /// Loops and branches nest.
    Structured,
    /// Loops and branches nest except for jumps out of loops: break, early return, a test in the middle of the body.
    StructuredWithExits,
    /// Every loop is entered at one vertex.
    Reducible,
    /// A loop is entered at several vertices.
    Irreducible,
}

impl ControlClass {
    /// The name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::StructuredWithExits => "structured with exits",
            Self::Reducible => "reducible",
            Self::Irreducible => "irreducible",
        }
    }
}

/// The place at which a graph stops nesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A vertex to which control comes from several places that are not the arms of one branch.
    Vertex(VertexId),
    /// An edge that leaves a loop, or enters one, elsewhere than at its test or header.
    Edge(EdgeId),
}

/// The class of a graph, and the reason why it is no better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The class of the graph.
    pub class: ControlClass,
    /// The first obstacle in reverse postorder; `None` of structured graphs.
    pub obstacle: Option<Obstacle>,
    /// The reason in words, with the ids of the file; empty for structured graphs.
    pub reason: String,
}

impl fmt::Display for Classification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.class.name())?;
        if !self.reason.is_empty() {
            write!(f, ": {}", self.reason)?;
        }
        Ok(())
    }
}

/// The class of a graph that keeps the rules of general graphs. O((vertices + edges) log).
pub fn classify(cfg: &Cfg) -> Classification {
    let found = |class, obstacle, reason| Classification {
        class,
        obstacle,
        reason,
    };
    let structured = found(ControlClass::Structured, None, String::new());
    let Some(entry) = cfg.entry().map(VertexId::index) else {
        return structured;
    };
    let forest = LoopForest::new(cfg, entry);
    let ids = |e: EdgeId| {
        let edge = cfg.edge(e);
        let id = |v| cfg.vertex(v).id;
        format!("{} -> {}", id(edge.from), id(edge.to))
    };
    for l in forest.loops() {
        if let Some((from, to)) = forest.get(l).side_entry {
            let edges = cfg.out_edges(VertexId::new(from));
            let edge = edges.iter().find(|&&e| cfg.edge(e).to.index() == to);
            let header = VertexId::new(forest.get(l).header);
            let reason = match edge {
                Some(&e) => format!(
                    "the loop of {} is also entered by the edge {}",
                    name(cfg, header),
                    ids(e)
                ),
                None => String::new(),
            };
            return found(
                ControlClass::Irreducible,
                edge.map(|&e| Obstacle::Edge(e)),
                reason,
            );
        }
    }
    let all: Vec<usize> = (0..cfg.edge_count()).collect();
    if nests(&skeleton(cfg, &all, &[])).is_none() {
        return structured;
    }
    let order = reverse_postorder(cfg, entry);
    // If the graph nests without the further exits of its loops, these exits are the only obstacle.
    let (kept, tests, first_exit) = without_exits(cfg, &forest, &order);
    let graph = skeleton(cfg, &kept, &tests);
    match (nests(&graph), first_exit) {
        (None, Some(e)) => {
            let loops = forest.innermost(cfg.edge(e).from.index());
            let header = loops.map(|l| name(cfg, VertexId::new(forest.get(l).header)));
            let reason = format!(
                "the edge {} leaves the loop of {} elsewhere than at its test",
                ids(e),
                header.unwrap_or_default()
            );
            found(
                ControlClass::StructuredWithExits,
                Some(Obstacle::Edge(e)),
                reason,
            )
        }
        (None, None) => structured,
        (Some(at), _) => {
            let at = at.and_then(|id| usize::try_from(id - 1).ok());
            let at = at.filter(|&v| v < cfg.vertex_count()).map(VertexId::new);
            let reason = at.map(|v| {
                format!(
                    "{} is entered from several places that are not the arms of one branch",
                    name(cfg, v)
                )
            });
            found(
                ControlClass::Reducible,
                at.map(Obstacle::Vertex),
                reason.unwrap_or_default(),
            )
        }
    }
}

/// A test added at the end of a loop without a test at its header: the loop, its header, and the vertex behind it.
type Test = (LoopId, usize, usize);

/// The edges without the exits that leave loops elsewhere than at their tests, the tests added at ends of loops that
/// have no exit at the header, and the first exit that is no test.
fn without_exits(
    cfg: &Cfg,
    forest: &LoopForest,
    order: &[usize],
) -> (Vec<usize>, Vec<Test>, Option<EdgeId>) {
    // The exit of each loop that is kept, by preference at the header, then at a jump back, in the loop itself, in an
    // inner loop.
    let mut kept: Vec<Option<(u8, EdgeId)>> = vec![None; forest.len()];
    let mut left: Vec<Option<LoopId>> = vec![None; cfg.edge_count()];
    let jumps_back = |v: VertexId, l: LoopId| {
        let header = forest.get(l).header;
        cfg.successors(v).any(|w| w.index() == header)
    };
    for &v in order {
        let v = VertexId::new(v);
        for &e in cfg.out_edges(v) {
            let to = cfg.edge(e).to.index();
            let Some(l) = forest.outermost_left(v.index(), to) else {
                continue;
            };
            left[e.index()] = Some(l);
            let kind = if forest.get(l).header == v.index() {
                0
            } else if jumps_back(v, l) {
                1
            } else if forest.innermost(v.index()) == Some(l) {
                2
            } else {
                3
            };
            let slot = &mut kept[l.index()];
            if slot.is_none_or(|(best, _)| kind < best) {
                *slot = Some((kind, e));
            }
        }
    }
    let is_kept = |e: EdgeId, l: LoopId| kept[l.index()].is_some_and(|(_, k)| k == e);
    let at_header = |e: EdgeId, l: LoopId| cfg.edge(e).from.index() == forest.get(l).header;
    let stays = |e: EdgeId| match left[e.index()] {
        None => true,
        Some(l) => is_kept(e, l) && at_header(e, l),
    };
    let tests = forest.loops().filter_map(|l| {
        let (kind, e) = kept[l.index()]?;
        (kind > 0).then_some((l, forest.get(l).header, cfg.edge(e).to.index()))
    });
    let tests: Vec<Test> = tests.collect();
    // A kept exit is a test at the header or at the only jump back; every other exit is an obstacle.
    let ends = |e: EdgeId, l: LoopId| {
        let backs = forest.back_edges(cfg, l).take(2).count();
        at_header(e, l) || (backs == 1 && jumps_back(cfg.edge(e).from, l))
    };
    let first = order
        .iter()
        .flat_map(|&v| cfg.out_edges(VertexId::new(v)))
        .copied()
        .find(|&e| left[e.index()].is_some_and(|l| !(is_kept(e, l) && ends(e, l))));
    // Headers of loops that are tested at their added end: jumps back go to that test.
    let headers: Vec<bool> = {
        let mut headers = vec![false; cfg.vertex_count()];
        for &(_, header, _) in &tests {
            headers[header] = true;
        }
        headers
    };
    let kept_edges = (0..cfg.edge_count()).map(EdgeId::new).filter(|&e| {
        let edge = cfg.edge(e);
        let back = headers[edge.to.index()]
            && forest.back_to(edge.from.index(), edge.to.index()).is_some();
        // A jump back is kept, and `skeleton` leads it to the test.
        back || stays(e)
    });
    (kept_edges.map(EdgeId::index).collect(), tests, first)
}

/// The graph as blocks and branches without contents. Ids are positions in the original, from 1.
fn skeleton(cfg: &Cfg, edges: &[usize], tests: &[Test]) -> Option<Cfg> {
    let n = cfg.vertex_count();
    let mut test_of = vec![None; n];
    for (k, &(_, header, _)) in tests.iter().enumerate() {
        test_of[header] = Some(n + k);
    }
    let entry = cfg.entry()?.index();
    let forest = (!tests.is_empty()).then(|| LoopForest::new(cfg, entry));
    let mut arrows: Vec<(usize, usize)> = Vec::with_capacity(edges.len());
    for &e in edges {
        let edge = cfg.edge(EdgeId::new(e));
        let (from, mut to) = (edge.from.index(), edge.to.index());
        if let (Some(test), Some(forest)) = (test_of[to], &forest)
            && forest.back_to(from, to).is_some()
        {
            to = test;
        }
        arrows.push((from, to));
    }
    for (k, &(_, header, exit)) in tests.iter().enumerate() {
        arrows.push((n + k, header));
        arrows.push((n + k, exit));
    }
    let view = Adjacency::new(n + tests.len(), arrows.iter().copied());
    let reached = crate::graph::reachable(&view, entry);
    let mut degree = vec![0usize; n + tests.len()];
    let mut place = vec![0; n + tests.len()];
    for &(from, _) in &arrows {
        degree[from] += 1;
    }
    let mut vertices = Vec::new();
    for v in reached.ones() {
        place[v] = vertices.len();
        let original = (v < n).then(|| &cfg.vertex(VertexId::new(v)).kind);
        let kind = match (original, degree[v]) {
            (Some(VertexKind::Entry), _) => VertexKind::Entry,
            (Some(VertexKind::Exit), _) => VertexKind::Exit,
            (_, 2) => VertexKind::branch_on(Expr::Logical(true)),
            (_, d) if d > 2 => VertexKind::Branch(Box::new(Selector::Cases {
                value: Expr::Int(0),
                arms: (0..d as i64)
                    .map(|label| Arm {
                        label,
                        cases: Box::default(),
                        default: false,
                    })
                    .collect(),
            })),
            (Some(VertexKind::Block(s)), _) if !s.is_empty() => {
                VertexKind::Block(vec![Stmt::new(StmtKind::Opaque {
                    text: Box::default(),
                    reads: Box::default(),
                    writes: Box::default(),
                })])
            }
            _ => VertexKind::Block(Vec::new()),
        };
        vertices.push(Vertex::new(v as i64 + 1, kind));
    }
    let mut next = vec![0i64; n + tests.len()];
    let edges = arrows.into_iter().filter(|a| reached.contains(a.0));
    let edges = edges.map(|(from, to)| {
        // Labels of two-way branches are 1 and 0.
        let label = (degree[from] > 1).then_some(next[from]);
        next[from] += 1;
        Edge::new(VertexId::new(place[from]), VertexId::new(place[to]), label)
    });
    Cfg::new(vertices, edges.collect())
}

/// `None` if the graph nests; otherwise the id of the first vertex with several in-edges that is not the end of a
/// branch or loop.
fn nests(graph: &Option<Cfg>) -> Option<Option<i64>> {
    let graph = graph.clone()?;
    let mut known: Vec<i64> = graph.vertices().map(|(_, v)| v.id).collect();
    known.sort_unstable();
    let (cfg, structured) = recover::shape(graph, false)?;
    if structured {
        return None;
    }
    let order = reverse_postorder(&cfg, cfg.entry()?.index());
    let merge = order.into_iter().map(VertexId::new).find(|&v| {
        let vertex = cfg.vertex(v);
        cfg.in_edges(v).len() > 1
            && known.binary_search(&vertex.id).is_ok()
            && !matches!(
                vertex.kind,
                VertexKind::Loop { .. } | VertexKind::EndBranch | VertexKind::EndLoop
            )
    });
    Some(merge.map(|v| cfg.vertex(v).id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, graph, nested, random_nesting};

    fn class_name(letters: &str, edges: &[(usize, usize, i64)]) -> String {
        let mut cfg = graph(letters, edges);
        for v in 0..cfg.vertex_count() {
            if let VertexKind::Block(list) = &mut cfg.vertex_mut(VertexId::new(v)).kind {
                let (reads, writes) = (Box::default(), Box::default());
                let text = "work".into();
                list.push(Stmt::new(StmtKind::Opaque {
                    text,
                    reads,
                    writes,
                }));
            }
        }
        classify(&cfg).to_string()
    }

    #[test]
    fn nested_graphs_are_structured() {
        let mut rng = Rng::new(41);
        for _ in 0..200 {
            let size = 1 + rng.below(40);
            let text = random_nesting(&mut rng, size);
            assert_eq!(classify(&nested(&text)).to_string(), "structured", "{text}");
        }
    }

    #[test]
    fn blocks_and_jumps_that_nest_are_structured() {
        // while (c) { if (d) b }
        let edges = [
            (1, 2, -1),
            (2, 3, 1),
            (2, 5, 0),
            (3, 4, 1),
            (3, 2, 0),
            (4, 2, -1),
        ];
        assert_eq!(class_name("EccbX", &edges), "structured");
    }

    #[test]
    fn breaks_and_returns() {
        // while (2) { if (3) break; 4 } 5
        let edges = [
            (1, 2, -1),
            (2, 3, 1),
            (2, 5, 0),
            (3, 5, 1),
            (3, 4, 0),
            (4, 2, -1),
            (5, 6, -1),
        ];
        assert_eq!(
            class_name("EccbbX", &edges),
            "structured with exits: the edge 3 -> 5 leaves the loop of BRANCH 2 elsewhere than at its test"
        );
        // Two loops, and a return from the inner one.
        let edges = [
            (1, 2, -1),
            (2, 3, 1),
            (2, 6, 0),
            (3, 4, 1),
            (3, 2, 0),
            (4, 6, 1),
            (4, 5, 0),
            (5, 3, -1),
        ];
        assert_eq!(
            class_name("EcccbX", &edges),
            "structured with exits: the edge 4 -> 6 leaves the loop of BRANCH 3 elsewhere than at its test"
        );
        // A test in the middle: 2 if (3) break; 4
        let edges = [(1, 2, -1), (2, 3, -1), (3, 5, 1), (3, 4, 0), (4, 2, -1)];
        assert_eq!(
            class_name("EbcbX", &edges),
            "structured with exits: the edge 3 -> 5 leaves the loop of BASICBLOCK 2 elsewhere than at its test"
        );
    }

    /// A graph that nests, with branches and blocks in place of LOOPs and ends, and with jumps from blocks in loops to
    /// the vertex behind a loop around them, or to EXIT; the jumps are the last edges.
    fn with_breaks(rng: &mut Rng, text: &str, breaks: usize) -> (Cfg, usize) {
        let cfg = nested(text);
        let forest = LoopForest::new(&cfg, 0);
        let mut vertices: Vec<Vertex> = cfg.vertices().map(|(_, v)| v.clone()).collect();
        let mut edges: Vec<Edge> = cfg.edges().map(|(_, e)| e.clone()).collect();
        let plain = edges.len();
        for _ in 0..breaks {
            let v = VertexId::new(rng.below(vertices.len()));
            let is_block = matches!(cfg.vertex(v).kind, VertexKind::Block(_));
            let Some(mut l) = forest.innermost(v.index()) else {
                continue;
            };
            if !is_block || edges[plain..].iter().any(|e| e.from == v) {
                continue;
            }
            while let Some(outer) = forest.get(l).parent
                && rng.below(3) == 0
            {
                l = outer;
            }
            let header = VertexId::new(forest.get(l).header);
            let out = cfg.out_edges(header).iter().map(|&e| cfg.edge(e));
            let behind = out.clone().find(|e| e.label.is_none()).unwrap().to;
            let to = match rng.below(4) {
                0 => cfg.exit().unwrap(),
                _ => behind,
            };
            edges.push(Edge::new(v, to, Some(1)));
        }
        let breaks: Vec<VertexId> = edges[plain..].iter().map(|e| e.from).collect();
        for edge in &mut edges[..plain] {
            let from = &cfg.vertex(edge.from).kind;
            if breaks.contains(&edge.from) || matches!(from, VertexKind::Loop { .. }) {
                edge.label = Some(edge.label.unwrap_or(0));
            }
        }
        for (v, vertex) in vertices.iter_mut().enumerate() {
            let is_branch = breaks.contains(&VertexId::new(v));
            match vertex.kind {
                VertexKind::Block(_) if !is_branch => {
                    let (reads, writes) = (Box::default(), Box::default());
                    let text = "work".into();
                    let work = Stmt::new(StmtKind::Opaque {
                        text,
                        reads,
                        writes,
                    });
                    vertex.kind = VertexKind::Block(vec![work]);
                }
                VertexKind::Block(_) | VertexKind::Loop { .. } => {
                    let condition = Selector::Condition(Expr::Logical(true));
                    vertex.kind = VertexKind::Branch(Box::new(condition));
                }
                VertexKind::EndBranch | VertexKind::EndLoop => {
                    vertex.kind = VertexKind::Block(Vec::new());
                }
                VertexKind::Entry | VertexKind::Exit | VertexKind::Branch(_) => {}
            }
        }
        (Cfg::new(vertices, edges).unwrap(), plain)
    }

    #[test]
    fn what_nests_but_for_jumps_out_of_loops_is_structured_with_exits() {
        let mut rng = Rng::new(43);
        let mut found = [0; 2];
        for _ in 0..400 {
            let size = 10 + rng.below(60);
            let text = random_nesting(&mut rng, size);
            let wanted = rng.below(5);
            let (cfg, plain) = with_breaks(&mut rng, &text, wanted);
            let breaks = cfg.edge_count() - plain;
            let seen = classify(&cfg);
            match (breaks, seen.obstacle) {
                (0, None) => assert_eq!(seen.class, ControlClass::Structured, "{text}"),
                (1.., Some(Obstacle::Edge(e))) => {
                    assert_eq!(seen.class, ControlClass::StructuredWithExits, "{text}");
                    assert!(e.index() >= plain, "{text}: {seen}");
                }
                _ => panic!("{text}, {breaks} jumps: {seen}"),
            }
            found[breaks.min(1)] += 1;
        }
        assert!(found.iter().all(|&n| n > 50), "{found:?}");
    }

    #[test]
    fn forward_jumps_are_reducible() {
        // if (2) { if (3) goto 6; 4 } 5 6: the jump skips 5.
        let edges = [
            (1, 2, -1),
            (2, 3, 1),
            (2, 5, 0),
            (3, 6, 1),
            (3, 4, 0),
            (4, 5, -1),
            (5, 6, -1),
            (6, 7, -1),
        ];
        assert_eq!(
            class_name("EccbbbX", &edges),
            "reducible: BASICBLOCK 5 is entered from several places that are not the arms of one branch"
        );
    }

    #[test]
    fn two_entries_are_irreducible() {
        let edges = [
            (1, 2, -1),
            (2, 3, 1),
            (2, 4, 0),
            (3, 4, -1),
            (4, 3, 1),
            (4, 5, 0),
        ];
        assert_eq!(
            class_name("EcbcX", &edges),
            "irreducible: the loop of BASICBLOCK 3 is also entered by the edge 2 -> 4"
        );
    }
}
