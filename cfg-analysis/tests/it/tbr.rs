//! To be recorded, for adjoints that read at random, against paths from reads that nothing overwrites on their way.

use cfg_analysis::tbr::{Restored, ReverseSweep, ToBeRecorded};
use cfg_core::{
    dataflow::{Position, solve, solve_within},
    entity::{EdgeId, GlobalId, VarId, VertexId},
    ir::{
        Cfg, Expr, LoopTest, Place, Program, Range, Routine, Selector, Stmt, StmtKind, Subscript,
        VertexKind,
    },
    memory::{effects::Effects, global_set::GlobalSet, locations::Locations, named::Named},
};
use cfg_testkit::{
    generate::{Options, undamped},
    rng::Rng,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Reads that are made up.
pub(crate) struct Reads<'a> {
    cfg: &'a Cfg,
    variables: usize,
    before: BTreeMap<Position, Vec<u32>>,
    after: BTreeMap<Position, Vec<u32>>,
    loops: BTreeSet<VertexId>,
    /// The selectors of the branches that are evaluated again where these end.
    selectors: BTreeMap<VertexId, &'a Expr>,
    /// The globals that callers need, and those that some calls record.
    at_entry: GlobalSet,
    recorded: BTreeMap<Position, GlobalSet>,
    /// The assignments that are undone, and the values that are computed on edges.
    pub(crate) inverses: BTreeMap<Position, Expr>,
    pub(crate) computed: BTreeMap<EdgeId, Vec<(VarId, Expr)>>,
}

/// Half of so many globals.
fn half(globals: usize, rng: &mut Rng) -> GlobalSet {
    let all = (0..globals).map(GlobalId::new);
    all.filter(|_| rng.below(2) == 0).collect()
}

impl<'a> Reads<'a> {
    pub(crate) fn random(
        routine: &Routine,
        cfg: &'a Cfg,
        locations: usize,
        globals: usize,
        rng: &mut Rng,
    ) -> Self {
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        let (mut loops, mut recorded) = (BTreeSet::new(), BTreeMap::new());
        let mut selectors = BTreeMap::new();
        let ends = cfg.vertices();
        let ends = ends.filter(|(_, vertex)| matches!(vertex.kind, VertexKind::EndBranch));
        let ends: Vec<VertexId> = ends.map(|(v, _)| v).collect();
        let (mut inverses, mut computed) = (BTreeMap::new(), BTreeMap::new());
        let any = |rng: &mut Rng| VarId::new(rng.below(routine.variables.len()));
        for (v, vertex) in cfg.vertices() {
            if let Some(Selector::Condition(e)) = vertex.kind.selector()
                && rng.below(3) == 0
                && !ends.is_empty()
            {
                // The end of any branch will do.
                selectors.insert(ends[rng.below(ends.len())], e);
            }
            for (statement, kind) in vertex.statements().iter().map(|s| &s.kind).enumerate() {
                if kind.callee().is_some() && rng.below(2) == 0 {
                    let at = Position {
                        vertex: v,
                        statement,
                    };
                    recorded.insert(at, half(globals, rng));
                }
                if let Some((target, _)) = kind.assignment()
                    && target.subscripts.is_empty()
                    && rng.below(4) == 0
                {
                    let at = Position {
                        vertex: v,
                        statement,
                    };
                    let first = [target.var, any(rng)][rng.below(2)];
                    let operands = [first, any(rng)].map(Expr::var);
                    inverses.insert(at, Expr::op(cfg_core::ir::Op::Sub, operands));
                }
                for reads in [&mut before, &mut after] {
                    if rng.below(4) == 0 {
                        let at = Position {
                            vertex: v,
                            statement,
                        };
                        let list = (0..1 + rng.below(2)).map(|_| rng.below(locations) as u32);
                        reads.insert(at, list.collect());
                    }
                }
            }
            if matches!(vertex.kind, VertexKind::Loop { .. }) && rng.below(3) > 0 {
                loops.insert(v);
            }
            for &e in cfg.out_edges(v) {
                if rng.below(4) == 0 {
                    let list = (0..1 + rng.below(2)).map(|_| (any(rng), Expr::var(any(rng))));
                    computed.insert(e, list.collect());
                }
            }
        }
        Self {
            cfg,
            variables: routine.variables.len(),
            before,
            after,
            loops,
            selectors,
            at_entry: half(globals, rng),
            recorded,
            inverses,
            computed,
        }
    }
}

impl ReverseSweep for &Reads<'_> {
    fn reads_before(&self, at: Position) -> &[u32] {
        self.before.get(&at).map_or(&[], |list| list)
    }

    fn reads_after(&self, at: Position) -> &[u32] {
        self.after.get(&at).map_or(&[], |list| list)
    }

    fn has_reverse_loop(&self, v: VertexId) -> bool {
        self.loops.contains(&v)
    }

    fn decision_reads(&self, v: VertexId, read: &mut dyn FnMut(&Expr)) {
        if let Some(selector) = self.selectors.get(&v) {
            read(selector);
        }
        if self.loops.contains(&v)
            && let VertexKind::Loop { test, .. } = &self.cfg.vertex(v).kind
            && let LoopTest::Counted { first, last, .. } = &**test
        {
            read(first);
            read(last);
        }
    }

    fn indices_left(&self, e: EdgeId) -> Vec<VarId> {
        // As if each edge to EXIT left the loops of its source.
        let edge = self.cfg.edge(e);
        let is_exit = matches!(self.cfg.vertex(edge.to).kind, VertexKind::Exit);
        let index = self.cfg.vertex(edge.from).kind.index();
        index.into_iter().filter(|_| is_exit).collect()
    }

    fn recorded_apart(&self, _: &Stmt) -> HashSet<VarId> {
        // Every other one.
        (1..self.variables).step_by(2).map(VarId::new).collect()
    }

    fn recorded_by_callee(&self, at: Position) -> Option<&GlobalSet> {
        self.recorded.get(&at)
    }

    fn needed_at_entry(&self) -> &GlobalSet {
        &self.at_entry
    }

    fn inverse(&self, at: Position) -> Option<&Expr> {
        self.inverses.get(&at)
    }

    fn computed(&self, e: EdgeId, computed: &mut dyn FnMut(VarId, &[&Expr])) {
        for (v, value) in self.computed.get(&e).into_iter().flatten() {
            computed(*v, &[value]);
        }
    }

    fn is_passed_over(&self, _: VertexId) -> bool {
        false
    }

    fn overwritten_behind(&self, _: EdgeId) -> &[Place] {
        &[]
    }

    fn reads_on(&self, _: EdgeId) -> &[u32] {
        &[]
    }
}

/// A point: the vertex and the number of statements that have been executed there; one more is behind its decision.
type Point = (VertexId, usize);

struct Oracle<'a> {
    cfg: &'a Cfg,
    locations: &'a Locations,
    reads: &'a Reads<'a>,
    globals: &'a Named,
    analysis: &'a ToBeRecorded<'a, &'a Reads<'a>>,
}

impl Oracle<'_> {
    fn locations(&self, place: &Place) -> Vec<usize> {
        let mut found = Vec::new();
        self.locations
            .each_location(place, &mut |l| found.push(l.index()));
        found
    }

    fn in_expr(&self, e: &Expr) -> Vec<usize> {
        let mut found = Vec::new();
        e.walk_places(&mut |p| found.extend(self.locations(p)));
        found
    }

    /// The locations whose values may be needed at each point, by repeating the definition until nothing is added.
    fn solve(&self) -> BTreeSet<(Point, usize)> {
        let mut found = BTreeSet::new();
        let entry = self.cfg.entry().expect("it has one");
        for v in self.globals.variables_in(&self.reads.at_entry) {
            let all = self.locations(&Place::whole(v)).into_iter();
            found.extend(all.map(|l| ((entry, 0), l)));
        }
        loop {
            let size = found.len();
            for (v, vertex) in self.cfg.vertices() {
                for (s, statement) in vertex.statements().iter().enumerate() {
                    let at = Position {
                        vertex: v,
                        statement: s,
                    };
                    let mut here: BTreeSet<usize> = members(&found, (v, s));
                    here.extend(self.reads.reads_before_list(at));
                    let places = self.analysis.overwritten(at, statement);
                    let mut behind = here.clone();
                    if let Some(inverse) = self.undone(at, statement, &here) {
                        let (target, _) = statement.kind.assignment().expect("it is one");
                        self.remove(Some(target.var), &mut behind);
                        behind.extend(self.in_expr(inverse));
                        behind.extend(self.reads.reads_after_list(at));
                        found.extend(behind.into_iter().map(|l| ((v, s + 1), l)));
                        continue;
                    }
                    for place in &places {
                        if self.locations(place).iter().any(|l| here.contains(l)) {
                            for e in place.subscript_exprs() {
                                behind.extend(self.in_expr(e));
                                here.extend(self.in_expr(e));
                            }
                        }
                    }
                    for place in places.iter().filter(|p| self.locations.replaces(p)) {
                        for l in self.locations(place) {
                            behind.remove(&l);
                        }
                    }
                    behind.extend(self.reads.reads_after_list(at));
                    found.extend(behind.into_iter().map(|l| ((v, s + 1), l)));
                }
                let last = vertex.statements().len();
                let mut out = members(&found, (v, last));
                if self.reads.loops.contains(&v) {
                    self.remove(vertex.kind.index(), &mut out);
                }
                (&self.reads).decision_reads(v, &mut |e| out.extend(self.in_expr(e)));
                found.extend(out.iter().map(|&l| ((v, last + 1), l)));
                for &e in self.cfg.out_edges(v) {
                    let mut out = out.clone();
                    for index in (&self.reads).indices_left(e) {
                        self.remove(Some(index), &mut out);
                    }
                    for (x, value) in self.reads.computed.get(&e).into_iter().flatten() {
                        let all = self.locations(&Place::whole(*x));
                        if all.iter().any(|l| out.contains(l)) {
                            self.remove(Some(*x), &mut out);
                            out.extend(self.in_expr(value));
                        }
                    }
                    let w = self.cfg.edge(e).to;
                    found.extend(out.into_iter().map(|l| ((w, 0), l)));
                }
            }
            if found.len() == size {
                return found;
            }
        }
    }

    /// The value before a statement, if it is needed and computed from values behind it.
    fn undone(&self, at: Position, statement: &Stmt, here: &BTreeSet<usize>) -> Option<&Expr> {
        let (target, _) = statement.kind.assignment()?;
        let is_needed = self.locations(target).iter().any(|l| here.contains(l));
        self.reads.inverses.get(&at).filter(|_| is_needed)
    }

    fn remove(&self, v: Option<VarId>, set: &mut BTreeSet<usize>) {
        let place = v.map(Place::whole).filter(|p| self.locations.replaces(p));
        for l in place.iter().flat_map(|p| self.locations(p)) {
            set.remove(&l);
        }
    }
}

fn members(found: &BTreeSet<(Point, usize)>, at: Point) -> BTreeSet<usize> {
    let all = found.range((at, 0)..=(at, usize::MAX));
    all.map(|&(_, l)| l).collect()
}

impl Reads<'_> {
    pub(crate) fn reads_before_list(&self, at: Position) -> Vec<usize> {
        let list = self.before.get(&at);
        list.into_iter().flatten().map(|&l| l as usize).collect()
    }

    pub(crate) fn reads_after_list(&self, at: Position) -> Vec<usize> {
        let list = self.after.get(&at);
        list.into_iter().flatten().map(|&l| l as usize).collect()
    }
}

fn check(program: &Program, routine: &Routine, cfg: &Cfg, rng: &mut Rng) -> [usize; 4] {
    let effects = Effects::summarise(program);
    let locations = Locations::divide(program, routine).with_elements(program, routine, cfg);
    let globals = Named::collect(routine);
    let reads = Reads::random(routine, cfg, locations.len(), program.globals.len(), rng);
    let analysis = ToBeRecorded::new(program, &effects, &locations, &globals, &reads);
    let oracle = Oracle {
        cfg,
        locations: &locations,
        reads: &reads,
        globals: &globals,
        analysis: &analysis,
    };
    let expected = oracle.solve();
    let solution = solve(cfg, &analysis);
    let single = solve_within(cfg, &analysis, 0);
    let mut counts = [0; 4];
    for (v, vertex) in cfg.vertices() {
        let found: BTreeSet<usize> = solution.state_at_inflow(v).ones().collect();
        let expected = members(&expected, (v, 0));
        assert_eq!(found, expected, "{} {}", routine.name, vertex.id);
        let coarse = single.state_at_inflow(v);
        assert!(found.iter().all(|&l| coarse.contains(l)));
        counts[0] += found.len();
        counts[1] += coarse.ones().count() - found.len();
    }
    // The recorded places, statement by statement.
    solution.each_vertex(cfg, |v, set| {
        for x in (0..routine.variables.len()).map(VarId::new) {
            // The parts of a variable that are named are those whose locations are in the set.
            let parts = analysis.members(set, x);
            let named: BTreeSet<usize> = parts.iter().flat_map(|p| oracle.locations(p)).collect();
            let all: BTreeSet<usize> = oracle.locations(&Place::whole(x)).into_iter().collect();
            let present: BTreeSet<usize> = all.into_iter().filter(|&l| set.contains(l)).collect();
            assert_eq!(named, present, "{x:?}");
        }
        for statement in cfg.vertex(v).statements() {
            let mut places = Vec::new();
            let Some((target, value)) = statement.kind.assignment() else {
                continue;
            };
            let all = oracle.in_expr(value);
            let are_there = all.iter().all(|&l| set.contains(l));
            assert_eq!(analysis.is_all_in(set, value), are_there, "{value:?}");
            places.push(target.clone());
            value.walk_places(&mut |place| places.push(place.clone()));
            for place in places {
                let is_there = oracle.locations(&place).iter().any(|&l| set.contains(l));
                assert_eq!(analysis.contains(set, &place), is_there, "{place:?}");
            }
        }
        for (s, statement) in cfg.vertex(v).statements().iter().enumerate() {
            let at = Position {
                vertex: v,
                statement: s,
            };
            let mut here = members(&expected, (v, s));
            here.extend(reads.reads_before_list(at));
            assert_eq!(analysis.recorded_by_callee(at), reads.recorded.get(&at));
            // Globals that the callee records are left to it.
            if let Some(recorded) = reads.recorded.get(&at) {
                let theirs = globals.variables_in(recorded);
                let places = analysis.overwritten(at, statement);
                let mut passed = Vec::new();
                if let StmtKind::Call {
                    arguments, result, ..
                } = &statement.kind
                {
                    passed.extend(result.iter().map(|place| place.var));
                    for e in arguments.iter().flatten() {
                        e.walk_places(&mut |place| passed.push(place.var));
                    }
                }
                let left = |p: &Place| !theirs.contains(&p.var) || passed.contains(&p.var);
                assert!(places.iter().all(left), "{at:?}");
            }
            // The pops evaluate the subscripts of the saved places.
            let is_assignment = statement.kind.assignment().is_some();
            let apart = (&reads).recorded_apart(statement);
            let mut needed = Vec::new();
            let undone = oracle.undone(at, statement, &here).is_some();
            for (k, place) in analysis.overwritten(at, statement).iter().enumerate() {
                let is_whole = place.subscripts.is_empty();
                let is_apart = !is_assignment && is_whole && apart.contains(&place.var);
                if !is_apart && oracle.locations(place).iter().any(|l| here.contains(l)) {
                    needed.push(match undone {
                        true => Restored::Computed,
                        false => Restored::Popped(k),
                    });
                    for e in place.subscript_exprs() {
                        here.extend(oracle.in_expr(e));
                    }
                }
            }
            let mut saved = Vec::new();
            analysis.saving(at, statement, set, &mut |how, _| saved.push(how));
            assert_eq!(saved, needed, "{at:?}");
            if is_assignment {
                counts[if undone { 3 } else { 2 }] += saved.len();
            }
        }
    });
    counts
}

#[test]
fn what_is_recorded_is_what_a_path_leads_to_from_a_read() {
    let mut all = [0; 4];
    for seed in 0..60 {
        let case = undamped(&Options::WIDE, seed);
        let mut rng = Rng::new(seed);
        for routine in &case.program.routines {
            if let Some(cfg) = &routine.body {
                let counts = check(&case.program, routine, cfg, &mut rng);
                (0..4).for_each(|k| all[k] += counts[k]);
            }
        }
    }
    assert!(all.iter().all(|&n| n > 300), "{all:?}");
}

/// An element that is bound to a scalar is recorded alone; bound to an array, its whole variable is recorded; a place
/// that is bound twice is recorded once. Targets of pops and of opaque statements are recorded, tapes are not.
#[test]
fn what_statements_overwrite() {
    let text = "main subroutine f(inout real x[3], out real y)
        local tape t
        call one(x[2])
        call two(x[2])
        call two(x)
        call one(y)
        call both(y, y)
        opaque \"look\" writes x, y
        push[real] y on t
        y := pop[real] from t
        call puts(t, y)
        x[1] := y
      end
      subroutine one(out real a)
        a := 1.0
      end
      subroutine two(inout real a[2])
        a[1] := 2.0
      end
      aliased subroutine both(inout real a, inout real b)
        a := b
      end
      subroutine puts(inout tape s, out real a)
        push[real] 1.0 on s
        a := 1.0
      end";
    let parsed = cfg_format::text::parse(text);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let routine = &program.routines[0];
    let cfg = routine.body.as_ref().expect("it has one");
    let effects = Effects::summarise(&program);
    let locations = Locations::divide(&program, routine).with_elements(&program, routine, cfg);
    let globals = Named::collect(routine);
    let reads = Reads::random(routine, cfg, locations.len(), 0, &mut Rng::new(1));
    let analysis = ToBeRecorded::new(&program, &effects, &locations, &globals, &reads);
    let vertex = VertexId::new(1);
    let calls = cfg.vertex(vertex).statements().iter().enumerate();
    let overwritten: Vec<Vec<Place>> = calls
        .map(|(statement, call)| analysis.overwritten(Position { vertex, statement }, call))
        .collect();
    let [x, y] = [0, 1].map(VarId::new);
    let [first, second] = [1, 2].map(|k| Place::element(x, [Expr::Int(k)]));
    let behind = Range {
        lower: Some(Expr::Int(2)),
        upper: Some(Expr::Int(3)),
        stride: None,
    };
    let behind = Place {
        var: x,
        subscripts: [Subscript::Range(Box::new(behind))].into(),
    };
    let [x, y] = [x, y].map(Place::whole);
    let expected = [
        vec![second],
        vec![behind],
        vec![x.clone()],
        vec![y.clone()],
        vec![y.clone()],
        vec![x, y.clone()],
        Vec::new(),
        vec![y.clone()],
        vec![y],
        vec![first],
    ];
    assert_eq!(overwritten, expected);
}
