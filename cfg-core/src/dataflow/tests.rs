use super::*;
use crate::{
    builder::{RoutineBuilder, expr::*},
    entity::{GlobalId, VarId},
    graph::{DiGraph as _, reachable},
    ir::{Control, Program, Routine, ScalarType::Integer, VertexKind},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
        global_set::GlobalSet,
    },
    testing::{Rng, graph, random_routine},
};

/// Variables that are read later and not overwritten before; none is read after EXIT. A LOOP reads and writes the
/// variables of its decision, whichever edge leads to it.
struct ReadLater<'a> {
    accesses: Accesses<'a>,
    variables: usize,
}

impl<'a> ReadLater<'a> {
    fn new(program: &'a Program, effects: &'a Effects, routine: &'a Routine) -> Self {
        Self {
            accesses: Accesses::resolve(program, effects, routine),
            variables: routine.variables.len(),
        }
    }
}

/// The vertices that a path has passed, in sets that share their common members.
struct Passed;

impl Analysis for Passed {
    const NAME: &'static str = "passed";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = GlobalSet;

    fn bottom(&self, _: &Cfg) -> GlobalSet {
        GlobalSet::default()
    }

    fn boundary(&self, _: &Cfg) -> GlobalSet {
        GlobalSet::default()
    }

    fn statement(&self, _: Position, _: &Stmt, _: &mut GlobalSet) {}

    fn decision(&self, v: VertexId, _: &Vertex, state: &mut GlobalSet) {
        state.insert(GlobalId::new(v.index()));
    }
}

#[test]
fn sets_that_share_what_they_have_in_common_grow_around_loops() {
    let mut rng = Rng::new(77);
    let mut around = 0;
    for _ in 0..40 {
        let routine = random_routine(&mut rng, 30, false);
        let cfg = routine.body.as_ref().unwrap();
        let solution = solve(cfg, &Passed);
        for (from, _) in cfg.vertices() {
            let behind: Vec<VertexId> = cfg.successors(from).collect();
            for (v, _) in cfg.vertices() {
                let is_behind =
                    (behind.iter()).any(|s| reachable(cfg, s.index()).contains(v.index()));
                let passed = solution
                    .state_at_inflow(v)
                    .contains(GlobalId::new(from.index()));
                assert_eq!(passed, is_behind, "{from:?} {v:?}");
                around += usize::from(passed && from == v);
            }
        }
    }
    assert!(around > 50, "{around}");
}

fn apply(accesses: &[Access], state: &mut Set) {
    for access in accesses.iter().rev() {
        match *access {
            Access::Read(v) => state.insert(v.index()),
            Access::Write(v) => state.remove(v.index()),
            Access::MayWrite(_) => {}
        }
    }
}

impl Analysis for ReadLater<'_> {
    const NAME: &'static str = "read later";
    const DIRECTION: Direction = Direction::Backward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.variables)
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        self.bottom(cfg)
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        let mut accesses = Vec::new();
        self.accesses
            .each_access(statement, &mut |a| accesses.push(a));
        apply(&accesses, state);
    }

    fn decision(&self, _: VertexId, vertex: &Vertex, state: &mut Set) {
        let mut accesses = Vec::new();
        decision_accesses(vertex, &mut |a| accesses.push(a));
        apply(&accesses, state);
    }
}

/// The accesses of a vertex in order, as a chain of points.
fn chain(analysis: &ReadLater<'_>, vertex: &Vertex) -> Vec<Access> {
    let mut list = Vec::new();
    for s in vertex.statements() {
        analysis.accesses.each_access(s, &mut |a| list.push(a));
    }
    decision_accesses(vertex, &mut |a| list.push(a));
    list
}

/// True if there is a path from the beginning of a vertex to a read of the variable that does not write it before.
fn is_read(analysis: &ReadLater<'_>, cfg: &Cfg, from: VertexId, v: VarId) -> bool {
    let mut seen = vec![false; cfg.vertex_count()];
    let mut work = vec![from];
    while let Some(u) = work.pop() {
        if std::mem::replace(&mut seen[u.index()], true) {
            continue;
        }
        let accesses = chain(analysis, cfg.vertex(u));
        match accesses
            .into_iter()
            .find(|&a| a == Access::Read(v) || a == Access::Write(v))
        {
            Some(Access::Read(_)) => return true,
            Some(_) => {}
            None => work.extend(cfg.successors(u)),
        }
    }
    false
}

#[test]
fn solutions_are_what_paths_say_and_one_state_for_all_points_knows_less() {
    let mut rng = Rng::new(31);
    let mut more = 0;
    for _ in 0..60 {
        let routine = random_routine(&mut rng, 30, false);
        let (program, effects) = (Program::default(), Effects::default());
        let cfg = routine.body.as_ref().unwrap();
        let analysis = ReadLater::new(&program, &effects, &routine);
        let solution = solve(cfg, &analysis);
        let single = solve_within(cfg, &analysis, 0);
        assert!(single.is_single() && !solution.is_single());
        for (u, _) in cfg.vertices() {
            let before = solution.before(cfg, &analysis, u);
            assert_eq!(before, solution.at(cfg, &analysis, Point::Start(u)));
            for x in 0..routine.variables.len() {
                let expected = is_read(&analysis, cfg, u, VarId::new(x));
                assert_eq!(
                    before.contains(x),
                    expected,
                    "{} before {u:?}",
                    routine.variables[x].name
                );
            }
            let coarse = single.before(cfg, &analysis, u);
            assert!(before.ones().all(|x| coarse.contains(x)));
            more += coarse.ones().count() - before.ones().count();
        }
        // Walks see the same states as look-ups, whether each vertex has a state or all share one.
        for solution in [&solution, &single] {
            let mut walked = 0;
            solution.each_vertex(cfg, |v, state| {
                walked += 1;
                assert_eq!(*state, solution.after(cfg, &analysis, v));
                analysis.transfer(cfg, v, state);
                assert_eq!(*state, solution.before(cfg, &analysis, v));
            });
            assert_eq!(walked, cfg.vertex_count());
            assert!(solution.visits() >= cfg.vertex_count());
        }
    }
    assert!(more > 100, "{more}");
}

/// Each vertex has a state of its own up to a limit of bits; beyond it, all vertices share one.
#[test]
fn states_on_both_sides_of_the_limit() {
    let routine = random_routine(&mut Rng::new(32), 30, false);
    let (program, effects) = (Program::default(), Effects::default());
    let cfg = routine.body.as_ref().unwrap();
    let analysis = ReadLater::new(&program, &effects, &routine);
    let bits = cfg.vertex_count() * routine.variables.len();
    assert!(bits > 0);
    for (most, is_single) in [(bits, false), (bits - 1, true)] {
        assert_eq!(solve_within(cfg, &analysis, most).is_single(), is_single);
    }
}

/// Variables into which the value of the first one may have come through assignments. One statement may add a variable
/// that another one reads.
struct Reached<'a>(ReadLater<'a>);

impl Reached<'_> {
    fn step(&self, statement: &Stmt, state: &mut Set) {
        let (mut given, mut written) = (false, Vec::new());
        self.0
            .accesses
            .each_access(statement, &mut |access| match access {
                Access::Read(v) => given |= state.contains(v.index()),
                Access::Write(v) | Access::MayWrite(v) => written.push(v.index()),
            });
        for v in written {
            match given {
                true => state.insert(v),
                false => state.remove(v),
            }
        }
    }
}

impl Analysis for Reached<'_> {
    const NAME: &'static str = "reached";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.0.variables)
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        let mut state = self.bottom(cfg);
        state.insert(0);
        state
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        self.step(statement, state);
    }

    fn decision(&self, _: VertexId, _: &Vertex, _: &mut Set) {}
}

#[test]
fn one_state_for_all_points_grows_until_no_vertex_adds_to_it() {
    let mut rng = Rng::new(61);
    let (mut slow, mut more) = (0, 0);
    for _ in 0..200 {
        let routine = random_routine(&mut rng, 30, false);
        let (program, effects) = (Program::default(), Effects::default());
        let cfg = routine.body.as_ref().unwrap();
        let analysis = Reached(ReadLater::new(&program, &effects, &routine));
        // The expected state: all facts that vertices add in any order, none taken out.
        let mut expected = analysis.boundary(cfg);
        let mut rounds = 0;
        loop {
            let before = expected.clone();
            for (_, vertex) in cfg.vertices() {
                let (mut behind, mut added) = (expected.clone(), Vec::new());
                for statement in vertex.statements() {
                    analysis.step(statement, &mut behind);
                    added.extend(behind.ones());
                }
                added.drain(..).for_each(|v| expected.insert(v));
            }
            rounds += 1;
            if expected == before {
                break;
            }
        }
        slow += usize::from(rounds > 2);
        more += expected.ones().count();
        let found = solve_within(cfg, &analysis, 0);
        for (v, _) in cfg.vertices() {
            assert_eq!(found.state_at_inflow(v), expected, "{v:?}");
        }
    }
    assert!(slow > 20 && more > 300, "{slow}, {more}");
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
        let (program, effects) = (Program::default(), Effects::default());
        let visits = solve(cfg, &ReadLater::new(&program, &effects, &routine)).visits();
        assert!(
            visits <= (depth + 2) * cfg.vertex_count(),
            "{depth}: {visits}"
        );
    }
}

#[test]
fn loops_in_a_row_are_done_one_after_the_other() {
    // Each loop reads a variable of its own, so that the state grows in each body before the vertices behind it are
    // visited.
    let mut f = RoutineBuilder::new("f");
    let n = 50;
    for k in 0..n {
        let (a, b) = (
            f.inout(format!("a{k}"), Integer),
            f.inout(format!("b{k}"), Integer),
        );
        f.begin_while(lt(a, b));
        f.assign(a, b + 1);
        f.end_loop();
    }
    let routine = f.finish().unwrap();
    let cfg = routine.body.as_ref().unwrap();
    let (program, effects) = (Program::default(), Effects::default());
    let visits = solve(cfg, &ReadLater::new(&program, &effects, &routine)).visits();
    assert!(visits <= 3 * cfg.vertex_count(), "{visits}");
}

#[test]
fn every_vertex_of_a_graph_without_way_out_is_visited() {
    // A branch into a loop that never ends: reads there are live all the same.
    let mut cfg = graph("EcXb", &[(1, 2, -1), (2, 3, 1), (2, 4, 0), (4, 4, -1)]);
    let mut f = RoutineBuilder::new("f");
    let (a, b) = (f.input("a", Integer), f.local("b", Integer));
    let block = VertexId::new(3);
    cfg.vertex_mut(block).kind = VertexKind::Block(vec![Stmt::assign(b.into(), a + 1)]);
    f.body(cfg, Control::General);
    let routine = f.finish().unwrap();
    let (program, effects) = (Program::default(), Effects::default());
    let cfg = routine.body.as_ref().unwrap();
    let analysis = ReadLater::new(&program, &effects, &routine);
    for solution in [solve(cfg, &analysis), solve_within(cfg, &analysis, 0)] {
        let before = |v| solution.before(cfg, &analysis, v);
        assert!(before(cfg.entry().unwrap()).contains(a.index()));
    }
    let exit = cfg.exit().unwrap();
    assert!(
        !solve(cfg, &analysis)
            .before(cfg, &analysis, exit)
            .contains(a.index())
    );
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
    f.assign(c, c + b);
    let routine = f.finish().unwrap();
    let (program, effects) = (Program::default(), Effects::default());
    let cfg = routine.body.as_ref().unwrap();
    let analysis = ReadLater::new(&program, &effects, &routine);
    let solution = solve(cfg, &analysis);
    let vertex = VertexId::new(1);
    let mut seen = Vec::new();
    solution.statements(cfg, &analysis, vertex, |s, state| {
        seen.push((s, state.ones().collect::<Vec<_>>()));
        // Backward: the state after each statement.
        let at = Position {
            vertex,
            statement: s,
        };
        assert_eq!(*state, solution.at(cfg, &analysis, Point::After(at)));
        assert_eq!(at.statement(cfg), Some(&cfg.vertex(vertex).statements()[s]));
    });
    let (b, c) = (b.index(), c.index());
    assert_eq!(seen, [(2, vec![]), (1, vec![c, b]), (0, vec![b])]);
    let first = Position {
        vertex,
        statement: 0,
    };
    let before = solution.at(cfg, &analysis, Point::Before(first));
    assert_eq!(before.ones().collect::<Vec<_>>(), [a.index()]);
    let edge = cfg.in_edges(vertex)[0];
    assert_eq!(solution.at(cfg, &analysis, Point::Edge(edge)), before);
    assert_eq!(reachable(cfg, 0).count_ones(..), cfg.len());
}

/// Sets lie in words one behind the other, or one stands for all; a join says whether any word grew.
#[test]
fn sets_of_all_vertices_in_words() {
    let set = |members: &[usize]| {
        let mut set = Set::new(200);
        set.extend(members.iter().copied());
        set
    };
    let load = |store: &Packed, v: usize| {
        let mut state = set(&[199]);
        store.load(v, &mut state);
        state
    };
    for (most, is_single) in [(600, false), (599, true)] {
        let mut store = <Packed as Store<Set>>::new(3, &set(&[5]), most);
        assert_eq!(Store::<Set>::is_single(&store), is_single);
        for (v, more, grows) in [
            (1, &[5][..], false),
            (1, &[6], true),
            (1, &[7, 70], true),
            (1, &[8, 71, 130], true),
            (1, &[5, 70, 130], false),
            (2, &[180], true),
        ] {
            assert_eq!(store.join(v, &set(more)), grows, "{v} {more:?}");
        }
        let second = set(&[5, 6, 7, 8, 70, 71, 130]);
        let all = set(&[5, 6, 7, 8, 70, 71, 130, 180]);
        let expected = match is_single {
            true => [all.clone(), all.clone(), all],
            false => [set(&[5]), second, set(&[5, 180])],
        };
        assert_eq!([0, 1, 2].map(|v| load(&store, v)), expected);
    }
}

/// Edge `e` adds `e` to a state that has `e + steps`; at ENTRY the state has as many numbers behind those of the edges.
struct OnEdges {
    edges: usize,
    steps: usize,
}

impl Analysis for OnEdges {
    const NAME: &'static str = "on edges";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.edges + self.steps)
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        let mut state = self.bottom(cfg);
        state.extend(self.edges..self.edges + self.steps);
        state
    }

    fn statement(&self, _: Position, _: &Stmt, _: &mut Set) {}

    fn decision(&self, _: VertexId, _: &Vertex, _: &mut Set) {}

    fn changes_on(&self, _: &Cfg, _: EdgeId) -> bool {
        true
    }

    fn edge(&self, _: &Cfg, e: EdgeId, state: &mut Set) {
        if state.contains(e.index() + self.steps) {
            state.insert(e.index());
        }
    }
}

/// The last edges of a path change the state first; one state for all points passes gains of edges on until nothing
/// grows.
#[test]
fn edges_that_change_the_state() {
    let edges = 13;
    let letters = format!("E{}X", "b".repeat(edges - 1));
    let list: Vec<(usize, usize, i64)> = (1..=edges).map(|v| (v, v + 1, -1)).collect();
    let cfg = graph(&letters, &list);
    let exit = cfg.exit().expect("it has one");
    for steps in 1..4 {
        let analysis = OnEdges { edges, steps };
        let found = solve(&cfg, &analysis);
        let members = |state: &Set| state.ones().collect::<Vec<usize>>();
        let last: Vec<usize> = (edges - steps..edges + steps).collect();
        assert_eq!(members(&found.state_at_inflow(exit)), last);
        for (e, _) in cfg.edges() {
            let state = found.at(&cfg, &analysis, Point::Edge(e));
            let added = last.iter().copied().filter(|&k| k <= e.index());
            let expected: Vec<usize> = added.chain(edges..edges + steps).collect();
            assert_eq!(members(&state), expected, "{e:?}");
        }
        let single = solve_within(&cfg, &analysis, 0);
        assert!(single.is_single());
        let all: Vec<usize> = (0..edges + steps).collect();
        assert_eq!(members(&single.state_at_inflow(exit)), all, "{steps}");
    }
}
