use super::*;
use crate::{
    builder::{RoutineBuilder, expr::*},
    entity::VarId,
    graph::{DiGraph as _, reachable},
    ir::{LoopTest, Program, Routine, ScalarType::Integer, VertexKind},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
        liveness::Liveness,
    },
    testing::{Rng, graph, random_routine},
};
use fixedbitset::FixedBitSet;

/// The program as a graph of single accesses: for each vertex a chain of its accesses, loop headers
/// entered through chains of their own for the entry and the back edge.
struct Points {
    accesses: Vec<Option<Access>>,
    edges: Vec<(usize, usize)>,
    first: Vec<usize>,
    last: Vec<usize>,
}

impl Points {
    fn new(program: &Program, routine: &Routine, cfg: &Cfg) -> Self {
        let mut p = Self {
            accesses: Vec::new(),
            edges: Vec::new(),
            first: Vec::new(),
            last: Vec::new(),
        };
        let effects = Effects::of(program);
        let accesses = Accesses::of(program, &effects, routine);
        for (_, vertex) in cfg.vertices() {
            let mut list = Vec::new();
            for s in vertex.statements() {
                accesses.statement(s, &mut |a| list.push(a));
            }
            if !matches!(vertex.kind, VertexKind::Loop { .. }) {
                decision_accesses(vertex, &mut |a| list.push(a));
            }
            let (first, last) = p.chain(&list);
            p.first.push(first);
            p.last.push(last);
        }
        for (_, e) in cfg.edges() {
            let mut list = Vec::new();
            if let VertexKind::Loop { test, .. } = &cfg.vertex(e.to).kind {
                let back = matches!(cfg.vertex(e.from).kind, VertexKind::EndLoop);
                match (&**test, back) {
                    (LoopTest::Counted { index, .. }, true) => list.push(Access::Read(*index)),
                    (LoopTest::Post(_), false) => {}
                    _ => decision_accesses(cfg.vertex(e.to), &mut |a| list.push(a)),
                }
            }
            let (first, last) = p.chain(&list);
            p.edges.push((p.last[e.from.index()], first));
            p.edges.push((last, p.first[e.to.index()]));
        }
        p
    }

    fn chain(&mut self, list: &[Access]) -> (usize, usize) {
        let first = self.accesses.len();
        self.accesses.push(None);
        for &a in list {
            self.accesses.push(Some(a));
            let at = self.accesses.len();
            self.edges.push((at - 2, at - 1));
        }
        (first, self.accesses.len() - 1)
    }

    /// The graph without the points at which `stop` holds, except as ends of paths.
    fn until(&self, stop: impl Fn(Access) -> bool) -> crate::graph::Adjacency {
        let passes = |p: &usize| !self.accesses[*p].is_some_and(&stop);
        let edges = self.edges.iter().copied().filter(|e| passes(&e.0));
        crate::graph::Adjacency::new(self.accesses.len(), edges)
    }
}

#[test]
fn liveness_is_a_path_to_a_read_without_a_write() {
    let mut rng = Rng::new(31);
    for _ in 0..60 {
        let routine = random_routine(&mut rng, 30, false);
        let program = Program::default();
        let cfg = routine.body.as_ref().unwrap();
        let effects = Effects::default();
        let analysis = Liveness::new(&program, &effects, &routine);
        let solution = solve(cfg, &analysis);
        let points = Points::new(&program, &routine, cfg);
        let exit = cfg.exit().unwrap().index();
        let at_exit = analysis.boundary(cfg);
        for x in 0..routine.variables.len() {
            let v = VarId::new(x);
            let g = points.until(|a| a == Access::Write(v));
            for (u, _) in cfg.vertices() {
                let reached = reachable(&g, points.first[u.index()]);
                let read = reached
                    .ones()
                    .any(|p| points.accesses[p] == Some(Access::Read(v)));
                let expected = read || (at_exit.contains(x) && reached.contains(points.last[exit]));
                let found = solution.before(cfg, &analysis, u).contains(x);
                assert_eq!(
                    found,
                    expected,
                    "{} before {}",
                    routine.variables[x].name,
                    cfg.vertex(u).id
                );
            }
        }
    }
}

#[test]
fn reducible_graphs_converge_in_depth_plus_two_passes() {
    for depth in 1..6 {
        let mut f = RoutineBuilder::new("f");
        let (a, b) = (f.inout("a", Integer), f.inout("b", Integer));
        for _ in 0..depth {
            f.begin_while(lt(a, b));
        }
        f.assign(a, b + 1);
        for _ in 0..depth {
            f.end_loop();
            f.assign(b, a);
        }
        let routine = f.finish().unwrap();
        let cfg = routine.body.as_ref().unwrap();
        let program = Program::default();
        let visits = solve(cfg, &Liveness::new(&program, &Effects::default(), &routine)).visits();
        assert!(
            visits <= (depth + 2) * cfg.vertex_count(),
            "{depth}: {visits}"
        );
    }
}

#[test]
fn every_vertex_of_a_graph_without_way_out_is_visited() {
    // A branch into a loop that never ends: reads there are live all the same.
    let cfg = graph("EcXb", &[(1, 2, -1), (2, 3, 1), (2, 4, 0), (4, 4, -1)]);
    let mut f = RoutineBuilder::new("f");
    let (a, b) = (f.input("a", Integer), f.local("b", Integer));
    let mut cfg = cfg;
    let block = VertexId::new(3);
    cfg.vertex_mut(block).kind = VertexKind::Block(vec![Stmt::assign(b.into(), a + 1)]);
    f.body(cfg, crate::ir::Control::General);
    let routine = f.finish().unwrap();
    let program = Program::default();
    let cfg = routine.body.as_ref().unwrap();
    let effects = Effects::default();
    let live = Liveness::new(&program, &effects, &routine);
    let solution = solve(cfg, &live);
    assert!(
        solution
            .before(cfg, &live, cfg.entry().unwrap())
            .contains(a.index())
    );
    assert!(
        !solution
            .before(cfg, &live, cfg.exit().unwrap())
            .contains(a.index())
    );
}

#[test]
fn joins_say_whether_they_grew() {
    let set = |bits: &[usize]| {
        let mut s = FixedBitSet::with_capacity(200);
        s.extend(bits.iter().copied());
        s
    };
    let mut some = set(&[1, 150]);
    assert!(some.join(&set(&[1, 70])));
    assert!(!some.join(&set(&[70, 150])));
    assert_eq!(some, set(&[1, 70, 150]));
}

#[test]
fn statements_are_visited_with_the_state_in_front_of_them() {
    let mut f = RoutineBuilder::new("f");
    let (a, c, b) = (
        f.input("a", Integer),
        f.output("c", Integer),
        f.local("b", Integer),
    );
    f.assign(b, a + 1);
    f.assign(c, b + 1);
    let routine = f.finish().unwrap();
    let program = Program::default();
    let cfg = routine.body.as_ref().unwrap();
    let effects = Effects::default();
    let live = Liveness::new(&program, &effects, &routine);
    let solution = solve(cfg, &live);
    let mut seen = Vec::new();
    solution.statements(cfg, &live, VertexId::new(1), |s, state| {
        seen.push((s, state.ones().collect::<Vec<_>>()));
    });
    // Backward: the state after each statement.
    assert_eq!(seen, [(1, vec![c.index()]), (0, vec![b.index()])]);
    assert_eq!(reachable(cfg, 0).count_ones(..), cfg.len());
}
