//! Varied and useful against reachability in one graph of all variables at all points of the program.

use cfg_analysis::{
    activity::{Activity, Ends},
    differentiable::differentiable_places,
};
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    dataflow::{FLOW_LIMIT, Position},
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Expr, Intent, Place, Program, Role, Routine,
        ScalarType::{Real, Tape},
        Stmt, StmtKind, TapeClass,
    },
    memory::{effects::Effects, locations::Locations},
    validate::validate,
};
use cfg_format::text;
use cfg_testkit::{
    generate::{Options, undamped},
    rng::Rng,
};
use std::collections::HashMap;

/// A variable at a point: the routine, the vertex, the number of statements that have been executed there, the
/// variable.
type Node = (usize, usize, usize, usize);

/// The graph of all variables at all points, with an edge where a value stays or another one is computed from it
/// differentiably. Calls lead to the routine, and from there back to all of its callers.
#[derive(Default)]
struct Paths {
    number: HashMap<Node, usize>,
    /// The edges; the flag is true if only a varied value contributes along the edge.
    edges: Vec<(usize, usize, bool)>,
}

impl Paths {
    fn node(&mut self, n: Node) -> usize {
        let next = self.number.len();
        *self.number.entry(n).or_insert(next)
    }

    fn edge(&mut self, from: Node, to: Node) {
        let edge = (self.node(from), self.node(to), false);
        self.edges.push(edge);
    }

    fn if_varied(&mut self, from: Node, to: Node) {
        let edge = (self.node(from), self.node(to), true);
        self.edges.push(edge);
    }

    /// The graph of these routines.
    fn build(program: &Program, routines: &[RoutineId]) -> Self {
        let mut paths = Self::default();
        for r in routines {
            paths.routine(program, r.index());
        }
        paths
    }

    fn routine(&mut self, program: &Program, r: usize) {
        let routine = &program.routines[r];
        let Some(cfg) = &routine.body else { return };
        let locations = Locations::divide(program, routine);
        for (v, vertex) in cfg.vertices() {
            for (s, statement) in vertex.statements().iter().enumerate() {
                let (before, after) = ((r, v.index(), s), (r, v.index(), s + 1));
                self.statement(program, routine, &locations, before, after, statement);
            }
            let last = vertex.statements().len();
            for w in cfg.successors(v) {
                for x in 0..routine.variables.len() {
                    self.edge((r, v.index(), last, x), (r, w.index(), 0, x));
                }
            }
        }
    }

    fn statement(
        &mut self,
        program: &Program,
        routine: &Routine,
        locations: &Locations,
        (r, v, s): (usize, usize, usize),
        (_, _, t): (usize, usize, usize),
        statement: &Stmt,
    ) {
        let same = |x: VarId| {
            let all = (0..routine.variables.len()).map(VarId::new);
            let same = all.filter(|&y| locations.may_share(x, y));
            same.map(VarId::index).collect::<Vec<_>>()
        };
        let mut replaced: Vec<usize> = Vec::new();
        let replaces = |place: &Place| place.subscripts.is_empty() && same(place.var).len() == 1;
        match &statement.kind {
            StmtKind::Assign { target, value } => {
                if routine.variable(target.var).ty.is_real() {
                    differentiable_places(routine, value, &mut |place| {
                        for x in same(place.var) {
                            for y in same(target.var) {
                                self.if_varied((r, v, s, x), (r, v, t, y));
                            }
                        }
                    });
                }
                if replaces(target) {
                    replaced.push(target.var.index());
                }
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                let c = callee.index();
                let called = program.routine(*callee);
                let body = called.body.as_ref();
                let mut inputs = Vec::new();
                let mut outputs = Vec::new();
                for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                    let formal = called.variable(p);
                    let Some(argument) = argument else { continue };
                    if formal.intent() != Some(Intent::Out) {
                        differentiable_places(routine, argument, &mut |place| {
                            inputs.extend(same(place.var).into_iter().map(|x| (p, x)));
                        });
                    }
                    if let Expr::Place(place) = argument
                        && formal.intent().is_some_and(Intent::writes)
                        && formal.ty.is_real()
                    {
                        outputs.push((p, place.clone()));
                        let all = formal.intent() == Some(Intent::Out) || body.is_some();
                        if all && formal.rank() == 0 && replaces(place) {
                            replaced.push(place.var.index());
                        }
                    }
                }
                if let (Some(place), Some(q)) = (result, called.result) {
                    outputs.push((q, place.clone()));
                    if replaces(place) {
                        replaced.push(place.var.index());
                    }
                }
                if let Some(cfg) = body {
                    let entry = cfg.entry().expect("it has an ENTRY").index();
                    let exit = cfg.exit().expect("it has an EXIT").index();
                    for &(p, x) in &inputs {
                        self.edge((r, v, s, x), (c, entry, 0, p.index()));
                    }
                    for (q, place) in &outputs {
                        for y in same(place.var) {
                            self.edge((c, exit, 0, q.index()), (r, v, t, y));
                        }
                    }
                }
                if body.is_none() || called.derivatives.is_some() {
                    let partials = called.external.as_ref().and_then(|e| e.partials.as_ref());
                    let partials = partials.filter(|_| called.derivatives.is_none());
                    for &(p, x) in &inputs {
                        if partials.is_some_and(|d| d.iter().all(|d| d.parameter != p)) {
                            continue;
                        }
                        for (_, place) in &outputs {
                            for y in same(place.var) {
                                let ends = ((r, v, s, x), (r, v, t, y));
                                match called.derivatives.is_some() {
                                    true => self.edge(ends.0, ends.1),
                                    false => self.if_varied(ends.0, ends.1),
                                }
                            }
                        }
                    }
                }
            }
            StmtKind::Push { tape, value, .. } => {
                differentiable_places(routine, value, &mut |place| {
                    for x in same(place.var) {
                        self.edge((r, v, s, x), (r, v, t, tape.index()));
                    }
                });
            }
            StmtKind::Pop { tape, target, .. } => {
                if routine.variable(target.var).ty.is_real() {
                    for y in same(target.var) {
                        self.edge((r, v, s, tape.index()), (r, v, t, y));
                    }
                }
                if replaces(target) {
                    replaced.push(target.var.index());
                }
            }
            StmtKind::Opaque { .. }
            | StmtKind::Stop { .. }
            | StmtKind::Allocate { .. }
            | StmtKind::Free { .. }
            | StmtKind::Resize { .. } => {}
        }
        for x in 0..routine.variables.len() {
            if !replaced.contains(&x) {
                self.edge((r, v, s, x), (r, v, t, x));
            }
        }
    }

    /// The nodes that the start reaches; or, given the varied nodes, the nodes that reach it.
    fn reached(&self, start: &[Node], varied: Option<&[bool]>) -> Vec<bool> {
        let mut next = vec![Vec::new(); self.number.len()];
        for &(a, b, conditional) in &self.edges {
            match varied {
                None => next[a].push(b),
                Some(varied) if varied[a] || !conditional => next[b].push(a),
                Some(_) => {}
            }
        }
        let mut seen = vec![false; self.number.len()];
        let mut work: Vec<usize> = start
            .iter()
            .filter_map(|n| self.number.get(n))
            .copied()
            .collect();
        while let Some(n) = work.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                work.extend(&next[n]);
            }
        }
        seen
    }
}

fn activity(program: &Program, main: RoutineId) -> Activity {
    within(program, main, FLOW_LIMIT)
}

/// With one set for all points of a routine if its states take more bits.
fn within(program: &Program, main: RoutineId, most: usize) -> Activity {
    let effects = Effects::summarise(program);
    let reachable = effects.calls.reachable(main);
    Activity::within(program, &effects, main, &reachable, Ends::Declared, most)
}

/// Calls `check(found, expected, of)` for each variable that a statement reads differentiably (is the variable
/// varied?) and for each that it assigns (is the variable useful behind it?).
fn compare(
    program: &Program,
    main: RoutineId,
    most: usize,
    mut check: impl FnMut(bool, bool, &str),
) {
    let found = within(program, main, most);
    let effects = Effects::summarise(program);
    let routine = program.routine(main);
    let cfg = routine.body.as_ref().expect("it has a body");
    let reachable = effects.calls.reachable(main);
    let paths = Paths::build(program, &reachable);
    let ends = |vertex: Option<VertexId>, list: &[VarId]| -> Vec<Node> {
        let v = vertex.expect("it has an end").index();
        let main = main.index();
        list.iter().map(|x| (main, v, 0, x.index())).collect()
    };
    let varied = paths.reached(&ends(cfg.entry(), &routine.independents), None);
    let useful = paths.reached(&ends(cfg.exit(), &routine.dependents), Some(&varied));
    let is = |set: &[bool], n: Node| paths.number.get(&n).is_some_and(|&n| set[n]);
    for r in reachable {
        let routine = program.routine(r);
        let Some(cfg) = &routine.body else { continue };
        // Routines without active variables have no exceptions.
        let all = (0..routine.variables.len()).map(VarId::new);
        if !all.into_iter().any(|v| found.is_active(r, routine, v)) && r != main {
            continue;
        }
        for (v, vertex) in cfg.vertices() {
            for (s, statement) in vertex.statements().iter().enumerate() {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                let place = format!("{} in {at:?}", routine.name);
                // A call of whose outputs one is useful is useful.
                let behind = |x: VarId| is(&useful, (r.index(), v.index(), s + 1, x.index()));
                if let StmtKind::Call { result, .. } = &statement.kind
                    && (result.iter()).any(|result| behind(result.var) && !routine.aliased)
                {
                    let here = !found.exceptions(r).is_useless(at);
                    check(here, true, &format!("useful call, {place}"));
                }
                let StmtKind::Assign { target, value } = &statement.kind else {
                    continue;
                };
                differentiable_places(routine, value, &mut |read| {
                    let x = read.var;
                    let here =
                        found.is_varied(r, routine, x) && !found.exceptions(r).is_constant(at, x);
                    // That a parameter may be a global matters only if a call binds it so.
                    let there = is(&varied, (r.index(), v.index(), s, x.index()))
                        && (!routine.aliased || found.is_varied(r, routine, x));
                    let name = &routine.variable(x).name;
                    check(here, there, &format!("varied {name}, {place}"));
                });
                let x = target.var;
                if routine.variable(x).ty.is_real() {
                    let here =
                        found.is_useful(r, routine, x) && !found.exceptions(r).is_useless(at);
                    let there = behind(x) && (!routine.aliased || found.is_useful(r, routine, x));
                    let name = &routine.variable(x).name;
                    check(here, there, &format!("useful {name}, {place}"));
                }
            }
        }
    }
}

/// True if every routine that is called has active variables.
fn all_are_followed(program: &Program, main: RoutineId) -> bool {
    let found = activity(program, main);
    let reachable = Effects::summarise(program).calls.reachable(main);
    reachable.into_iter().all(|r| {
        let routine = program.routine(r);
        let mut all = (0..routine.variables.len()).map(VarId::new);
        routine.body.is_none() || all.any(|v| found.is_active(r, routine, v))
    })
}

/// Some of the independents and dependents that the generator has declared.
fn with_some_ends(program: &mut Program, main: RoutineId, seed: u64) {
    let mut rng = Rng::new(seed);
    let routine = &mut program.routines[main.index()];
    for list in [&mut routine.independents, &mut routine.dependents] {
        while list.len() > 1 && rng.below(3) > 0 {
            list.swap_remove(rng.below(list.len()));
        }
    }
}

#[test]
fn without_globals_activity_is_what_paths_say() {
    let options = Options {
        globals: 0,
        overlays: 0,
        integer_overlays: 0,
        tapes: 0,
        aliased: 0,
        recursion: 60,
        helpers: 4,
        ..Options::WIDE
    };
    let (mut passive, mut all, mut programs) = (0, 0, 0);
    for seed in 0..300 {
        let mut case = undamped(&options, seed);
        with_some_ends(&mut case.program, case.main, seed);
        let case = case;
        // Activity at points is not known in a routine in which no variable is active anywhere, and the parameters of
        // an aliased routine are one location.
        let exact = all_are_followed(&case.program, case.main)
            && !case.program.routines.iter().any(|r| r.aliased);
        programs += usize::from(exact);
        compare(
            &case.program,
            case.main,
            FLOW_LIMIT,
            |found, expected, of| {
                all += 1;
                passive += usize::from(!found);
                assert!(
                    found || !expected,
                    "seed {seed}: missed {of}\n{}",
                    case.program
                );
                assert!(
                    found == expected || !exact,
                    "seed {seed}: too much {of}\n{}",
                    case.program
                );
            },
        );
    }
    assert!(
        passive > 200 && all > 2000 && programs > 100,
        "{passive} of {all}, {programs}"
    );
}

#[test]
fn with_all_that_the_format_allows_nothing_active_is_missed() {
    let options = Options {
        recursion: 60,
        ..Options::WIDE
    };
    let mut passive = 0;
    for seed in 0..300 {
        let mut case = undamped(&options, seed);
        with_some_ends(&mut case.program, case.main, seed);
        let case = case;
        for most in [FLOW_LIMIT, 0] {
            compare(&case.program, case.main, most, |found, expected, of| {
                passive += usize::from(!found);
                assert!(
                    found || !expected,
                    "seed {seed}, {most}: missed {of}\n{}",
                    case.program
                );
            });
        }
    }
    assert!(passive > 200, "{passive}");
}

/// A statement of the first block.
fn at(statement: usize) -> Position {
    Position {
        vertex: VertexId::new(1),
        statement,
    }
}

/// A value that is overwritten before it is read is not useful, and one that does not depend on the independent
/// contributes nothing, although the same variables are active elsewhere.
#[test]
fn the_flow_decides() {
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real));
    let (t, u) = (f.local("t", Real), f.local("u", Real));
    f.independents([x]).dependents([y]);
    f.assign(t, 2.0);
    f.assign(u, t * x);
    f.assign(t, sin(u));
    f.assign(t, x);
    f.assign(y, t * u);
    f.assign(u, y);
    f.assign(t, 3.0);
    f.assign(y, y + t);
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let found = activity(&program, f);
    let exceptions = found.exceptions(f);
    let useless: Vec<usize> = (0..8).filter(|&s| exceptions.is_useless(at(s))).collect();
    // The zeros that `t` gets are implicit: where `t` is read next it is known to be constant.
    assert_eq!(useless, [0, 2, 5, 6]);
    let constant: Vec<usize> = [1, 4, 7]
        .into_iter()
        .filter(|&s| exceptions.is_constant(at(s), t))
        .collect();
    assert_eq!(constant, [1, 7]);
    let routine = program.routine(f);
    assert!(
        [x, y, t, u]
            .into_iter()
            .all(|v| found.is_active(f, routine, v))
    );
    assert!(exceptions.is_useful_at_entry(x) && !exceptions.is_useful_at_entry(t));
}

/// A parameter is varied if any call makes it so, and useful if any call's result is.
#[test]
fn calls_are_joined() {
    let mut double = RoutineBuilder::new("double");
    let (a, b) = (double.input("a", Real), double.output("b", Real));
    let c = double.local("c", Real);
    double.assign(c, 2.0 * a);
    double.assign(b, c);
    let mut f = RoutineBuilder::new("f");
    let (x, z, y) = (f.input("x", Real), f.input("z", Real), f.output("y", Real));
    let (t, u) = (f.local("t", Real), f.local("u", Real));
    f.independents([x]).dependents([y]);
    let mut program = ProgramBuilder::new();
    let double = program.add(double);
    f.call(double, [z, t]); // constant, useful
    f.call(double, [x, u]); // varied, useless
    f.assign(y, t * x);
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let found = activity(&program, f);
    assert!(found.exceptions(f).is_useless(at(1)) && !found.exceptions(f).is_useless(at(0)));
    // In the routine both come together, so `t` may be varied afterwards.
    let called = program.routine(double);
    assert!(
        [a, b, c]
            .into_iter()
            .all(|v| found.is_active(double, called, v))
    );
    assert!(!found.exceptions(f).is_constant(at(2), t));
    assert_eq!(
        program.routine(f).variable(z).role,
        Role::Parameter {
            intent: Intent::In,
            optional: false
        }
    );
}

/// One routine pops the value that another one has pushed: the tape leads from the one call to the other.
#[test]
fn tapes_lead_from_call_to_call() {
    let mut put = RoutineBuilder::new("put");
    let (a, tape) = (put.input("a", Real), put.inout("tape", Tape));
    put.push(tape, TapeClass::Real, 2.0 * a);
    let mut take = RoutineBuilder::new("take");
    let (back, b) = (take.inout("tape", Tape), take.output("b", Real));
    take.pop(back, TapeClass::Real, b);
    let mut program = ProgramBuilder::new();
    let (put_id, take_id) = (program.add(put), program.add(take));
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real));
    let (u, v) = (f.local("u", Real), f.local("v", Real));
    let (ours, other) = (f.local("ours", Tape), f.local("other", Tape));
    f.independents([x]).dependents([y]);
    f.assign(u, 3.0 * x);
    f.assign(v, 4.0 * x);
    f.call(put_id, [u, ours]);
    f.call(put_id, [v, other]);
    f.call(take_id, [ours, y]);
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let found = activity(&program, f);
    let exceptions = found.exceptions(f);
    // Nothing is popped from the other tape; the arguments of the call count as useful nevertheless.
    let useless: Vec<usize> = (0..5).filter(|&s| exceptions.is_useless(at(s))).collect();
    assert_eq!(useless, [3]);
    let routine = program.routine(f);
    assert!(
        [x, y, u, ours]
            .into_iter()
            .all(|v| found.is_active(f, routine, v))
    );
    let called = program.routine(put_id);
    assert!(
        [a, tape]
            .into_iter()
            .all(|v| found.is_active(put_id, called, v))
    );
    let called = program.routine(take_id);
    assert!(
        [back, b]
            .into_iter()
            .all(|v| found.is_active(take_id, called, v))
    );
}

/// Integers have no derivatives, even as inputs of given derivatives.
#[test]
fn whole_numbers_are_not_useful() {
    let text = "main subroutine f(in real x, out real y)
        independent x
        dependent y
        local integer n
        call count(n)
        call g(n, x, y)
      end
      subroutine count(out integer n)
        n := 2
      end
      external subroutine g(in integer n, in real x, out real y)
        tangent g_t
      end
      subroutine g_t(in integer n, in real x, out real y, in real x_t, out real y_t)
        y := n*x
        y_t := n*x_t
      end";
    let parsed = text::parse(text);
    let problems = parsed.problems;
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
    let program = validate(program).unwrap_or_else(|d| panic!("{d}"));
    let f = RoutineId::new(0);
    let found = activity(&program, f);
    let exceptions = found.exceptions(f);
    assert!(exceptions.is_useless(at(0)) && !exceptions.is_useless(at(1)));
}

fn read(text: &str) -> Program {
    let parsed = text::parse(text);
    let problems = parsed.problems;
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
    validate(program)
        .unwrap_or_else(|d| panic!("{d}"))
        .into_program()
}

/// A global that is no independent is constant where the main routine begins, unless others or the routine itself call
/// it: then the global may have a value from before.
#[test]
fn globals_are_constant_at_entry_unless_the_main_routine_is_called() {
    let text = |again: &str| {
        format!(
            "global real g = 1.0
            main subroutine f(in integer n, in real x, out real y)
              independent x
              dependent y
              uses g
              y := 2.0*g
              g := x
              if n > 0
                {again}
              end
            end"
        )
    };
    for (again, is_constant) in [("y := y + g", true), ("call f(n - 1, x, y)", false)] {
        let program = read(&text(again));
        let f = RoutineId::new(0);
        let found = activity(&program, f);
        let g = (program.routine(f).variables.iter()).position(|v| v.name == "g");
        let g = VarId::new(g.expect("it is used"));
        assert!(found.is_active(f, program.routine(f), g), "{again}");
        let exceptions = found.exceptions(f);
        assert_eq!(exceptions.is_constant(at(0), g), is_constant, "{again}");
    }
}

/// A caller of the derivative routine may give derivatives of all parameters that are active anywhere, and read those
/// that they have at the end, and that of the result.
#[test]
fn visible_ends_are_parameters_and_the_result() {
    let program = read(
        "main function f(in real x, inout real w) result real y
          independent x
          dependent y
          y := x*w
          w := 2.0*x
        end",
    );
    let f = RoutineId::new(0);
    let effects = Effects::summarise(&program);
    let reachable = effects.calls.reachable(f);
    for (ends, is_declared) in [(Ends::Declared, true), (Ends::Visible, false)] {
        let found = Activity::within(&program, &effects, f, &reachable, ends, FLOW_LIMIT);
        let exceptions = found.exceptions(f);
        let w = VarId::new(1);
        assert!(found.is_active(f, program.routine(f), w));
        assert_eq!(exceptions.is_constant(at(0), w), is_declared, "{ends:?}");
        assert_eq!(exceptions.is_useless(at(1)), is_declared, "{ends:?}");
        assert!(!exceptions.is_useless(at(0)), "{ends:?}");
    }
}

/// An array that a call writes a part of keeps the rest; a scalar and the result are replaced.
#[test]
fn what_a_call_may_leave_as_it_is_stays_varied() {
    let program = |declared: &str, call: &str, value: &str| {
        read(&format!(
            "subroutine part(out real v[2])
              v := 1.0
            end
            subroutine one(out real v)
              v := 1.0
            end
            subroutine again(inout real v)
              v := 1.0
            end
            function of(in integer k) result real v
              v := 1.0
            end
            external subroutine outside(in integer k, out real v)
              tangent outside_t
            end
            subroutine outside_t(in integer k, out real v, out real v_t)
              v := 1.0
              v_t := 0.0
            end
            external subroutine elsewhere(in integer k, inout real v)
              tangent elsewhere_t
            end
            subroutine elsewhere_t(in integer k, inout real v, inout real v_t)
              v := 1.0
              v_t := 0.0
            end
            main subroutine f(in real x, out real y)
              independent x
              dependent y
              local real {declared}
              a := x
              {call}
              y := {value}
            end"
        ))
    };
    for (declared, call, value, is_varied) in [
        ("a[3]", "call part(a)", "a[3]", true),
        ("a[2]", "call part(a)", "a[2]", true),
        ("a", "call one(a)", "a", false),
        ("a", "call again(a)", "a", false),
        ("a", "call outside(2, a)", "a", false),
        ("a", "a := call of(2)", "a", false),
        ("a", "call elsewhere(2, a)", "a", true),
        ("a[3]", "call one(a[1])", "a[3]", true),
    ] {
        let program = program(declared, call, value);
        let f = program.find_routine("f").expect("it is there");
        let found = activity(&program, f);
        let a = program.routine(f).find_variable("a").expect("it is there");
        assert_eq!(
            !found.exceptions(f).is_constant(at(2), a),
            is_varied,
            "{call}"
        );
    }
}

/// A pushed value is useful if the tape is, even if it is not varied: the derivatives' tape has an entry for it, too.
#[test]
fn what_is_pushed_on_a_useful_tape_is_useful() {
    let program = read(
        "main subroutine f(in real x, in real w, out real y)
          independent x
          dependent y
          local real a, c
          local tape t
          a := 2.0*w
          push[real] a on t
          c := x
          push[real] c on t
          y := pop[real] from t
          c := pop[real] from t
          a := c
        end",
    );
    let f = program.main.expect("one is marked");
    let found = activity(&program, f);
    let is_useless = |statement| found.exceptions(f).is_useless(at(statement));
    assert_eq!([0, 2, 6].map(is_useless), [false, false, true]);
}

/// A global that a routine writes, called by the main routine, is varied behind the call and not before it.
#[test]
fn what_a_call_writes_of_globals_is_varied_behind_it() {
    let program = read(
        "global real g = 1.0
        main subroutine f(in real x, out real y)
          independent x
          dependent y
          local real a
          uses g
          g := 2.0
          y := g
          call set(x)
          y := y + g
          a := 3.0
          y := y*a
        end
        subroutine set(in real x)
          uses g
          g := x
        end
        subroutine unused(in real x, out real y)
          y := x
        end",
    );
    let f = program.find_routine("f").expect("it is there");
    let routine = program.routine(f);
    let variable = |name: &str| routine.find_variable(name).expect("it is there");
    let found = activity(&program, f);
    let constant = |s: usize| found.exceptions(f).is_constant(at(s), variable("g"));
    assert!(constant(1) && !constant(3));
    let active: Vec<&str> = (routine.variables.iter().enumerate())
        .filter(|(v, _)| found.is_active(f, routine, VarId::new(*v)))
        .map(|(_, variable)| variable.name.as_str())
        .collect();
    assert_eq!(active, ["x", "y", "g"]);
    let unused = program.find_routine("unused").expect("it is there");
    let [x, y] = [VarId::new(0), VarId::new(1)];
    assert!(
        ![x, y]
            .iter()
            .any(|&v| found.is_active(unused, program.routine(unused), v))
    );
    assert!(!found.nodes().is_empty());
    assert!(
        activity(&read("main subroutine f()\nend"), RoutineId::new(0))
            .nodes()
            .is_empty()
    );
}

/// A global that is no dependent is not useful where the main routine ends, but if that is called by others or by
/// itself.
#[test]
fn globals_are_not_useful_at_the_end_unless_the_main_routine_is_called() {
    for (again, is_useless) in [("y := y + 1.0", true), ("call f(n - 1, x, y)", false)] {
        let program = read(&format!(
            "global real g = 1.0
            main subroutine f(in integer n, in real x, inout real y)
              independent x
              dependent y
              uses g
              if n > 0
                {again}
              end
              y := g*x
              g := x
            end"
        ));
        let f = RoutineId::new(0);
        let found = activity(&program, f);
        let cfg = program.routine(f).body.as_ref().expect("it has one");
        let assigns = |s: &Stmt| matches!(s.kind.assignment(), Some((to, Expr::Place(_))) if to.var.index() == 3);
        let mut places = Vec::new();
        for (vertex, v) in cfg.vertices() {
            for (statement, s) in v.statements().iter().enumerate() {
                if assigns(s) {
                    places.push(Position { vertex, statement });
                }
            }
        }
        let [last] = &*places else {
            panic!("{places:?}")
        };
        assert_eq!(found.exceptions(f).is_useless(*last), is_useless, "{again}");
    }
}

/// The operands on which a value depends differentiably.
#[test]
fn operands_that_have_derivatives() {
    for (value, is_active) in [
        ("sign(x, 1.0)", true),
        ("sign(1.0, x)", false),
        ("if(x > 0.0, 1.0, 2.0)", false),
        ("if(w > 0.0, x, 2.0)", true),
        ("if(w > 0.0, 2.0, x)", true),
        ("polygamma(1, x)", true),
        ("floor(x)*1.0", false),
        ("sum(fill(x, 2))", true),
        ("sum(fill(1.0, int(x)))", false),
        ("mod(x, w)", true),
        ("maxval(v)", true),
        ("size(v)*1.0", false),
        ("real(int(x))", false),
        ("real(real32(x))", true),
        ("v[int(x)]", true),
        ("w*real(int(v[1]))", false),
    ] {
        let program = read(&format!(
            "main subroutine f(in real x, in real v[3], in real w, out real y)
              independent x, v
              dependent y
              y := {value}
            end"
        ));
        let f = RoutineId::new(0);
        let found = activity(&program, f);
        let y = program.routine(f).find_variable("y").expect("it is there");
        let is_varied = found.is_varied(f, program.routine(f), y);
        assert_eq!(is_varied, is_active, "{value}");
    }
}

/// A call is useful if a variable that it writes is, even beside its arguments.
#[test]
fn calls_that_write_useful_globals_are_useful() {
    for (body, read_after, is_useless) in [
        ("g := x", "y := g", false),
        ("g := x", "y := x", true),
        ("h := g*x", "y := g", true),
        ("h := g*x", "y := h", false),
    ] {
        let program = read(&format!(
            "global real g = 1.0
            global real h = 1.0
            main subroutine f(in real x, out real y)
              independent x
              dependent y
              uses g
              uses h
              g := x
              call set(x)
              {read_after}
            end
            subroutine set(in real x)
              uses g
              uses h
              {body}
            end"
        ));
        let f = program.find_routine("f").expect("it is there");
        let found = activity(&program, f);
        assert_eq!(
            found.exceptions(f).is_useless(at(1)),
            is_useless,
            "{body}; {read_after}"
        );
    }
}

/// A parameter that only gets passive values is active if it overwrites an active variable, whose adjoint is set to 0.
#[test]
fn what_overwrites_active_variables_is_active() {
    for (value, is_active) in [("y := x*a", true), ("y := x", false)] {
        let program = read(&format!(
            "subroutine set(out real v)
              v := 1.0
            end
            main subroutine f(in real x, out real y)
              independent x
              dependent y
              local real a
              a := x
              {value}
              call set(a)
            end"
        ));
        let set = program.find_routine("set").expect("it is there");
        let f = program.find_routine("f").expect("it is there");
        let found = activity(&program, f);
        let v = VarId::new(0);
        assert_eq!(
            found.is_active(set, program.routine(set), v),
            is_active,
            "{value}"
        );
    }
}

/// The main routine is followed, too, if nothing in it is active.
#[test]
fn a_main_routine_without_active_variables_is_followed() {
    let program = read(
        "main subroutine f(in real x, out real y, out real z)
          independent x
          dependent y
          z := 2.0*x
          y := 3.0
          y := y + 1.0
        end",
    );
    let f = RoutineId::new(0);
    let found = activity(&program, f);
    let exceptions = found.exceptions(f);
    let useless: Vec<usize> = (0..3).filter(|&s| exceptions.is_useless(at(s))).collect();
    // The zero that `y` gets is implicit; `z` is useful nowhere, so that it is no exception.
    assert_eq!(useless, [1]);
}

/// The variable of a routine that has a name.
fn variable(program: &Program, routine: RoutineId, name: &str) -> VarId {
    let variables = &program.routine(routine).variables;
    let found = variables.iter().position(|v| v.name == name);
    VarId::new(found.unwrap_or_else(|| panic!("{name} is not declared")))
}

/// Whether two variables of the main routine are active.
fn are_active(program: &Program, main: RoutineId, names: [&str; 2]) -> [bool; 2] {
    let found = activity(program, main);
    let routine = program.routine(main);
    names.map(|name| found.is_active(main, routine, variable(program, main, name)))
}

/// In an external routine that is given by partials, parameters without a partial contribute nothing.
#[test]
fn parameters_without_partials_bring_nothing_in() {
    for (partials, active) in [
        ("partial a: b", [true, false]),
        ("partial b: a", [false, true]),
        ("partial a: b\npartial b: a", [true, true]),
        ("", [true, true]),
    ] {
        let program = read(&format!(
            "external function h(in real a, in real b) result real r
              value a*b
              {partials}
            end
            main subroutine f(in real x, in real w, out real y)
              independent x, w
              dependent y
              y := call h(x, w)
            end"
        ));
        let f = RoutineId::new(1);
        assert_eq!(are_active(&program, f, ["x", "w"]), active, "{partials:?}");
    }
}

/// A call of a routine that is given by partials is varied if an argument with a partial is.
#[test]
fn calls_are_varied_by_arguments_with_partials() {
    for (partial, is_constant) in [("partial a: b", true), ("partial b: a", false)] {
        let program = read(&format!(
            "external function h(in real a, in real b) result real r
              value a*b
              {partial}
            end
            main subroutine f(in real x, in real w, out real y)
              independent x
              dependent y
              local real u, z
              u := w
              z := call h(u, x)
              y := z
              u := x
              z := call h(u, u)
              y := y + z*u
            end"
        ));
        let f = RoutineId::new(1);
        let found = activity(&program, f);
        let z = variable(&program, f, "z");
        assert!(found.is_active(f, program.routine(f), z), "{partial}");
        let exceptions = found.exceptions(f);
        assert_eq!(exceptions.is_constant(at(2), z), is_constant, "{partial}");
        assert!(!exceptions.is_constant(at(5), z), "{partial}");
    }
}

/// Each global is active for itself.
#[test]
fn globals_are_told_apart() {
    for (copied, active) in [("a", [true, false]), ("b", [false, true])] {
        let program = read(&format!(
            "global real a = 1.0
            global real b = 1.0
            main subroutine f(in real x, out real y)
              independent x
              dependent y
              uses a, b
              {copied} := x
              y := {copied}*a*b
            end"
        ));
        let f = RoutineId::new(0);
        assert_eq!(
            are_active(&program, f, ["a", "b"]),
            active,
            "{copied} is written"
        );
    }
}

/// A statement of a block that is not the first one.
fn behind(vertex: usize, statement: usize) -> Position {
    Position {
        vertex: VertexId::new(vertex),
        statement,
    }
}

/// Active globals have derivatives at both ends of the derivative routine for its callers; locals have none there.
#[test]
fn visible_ends_are_globals_and_no_locals() {
    let program = read(
        "global real g = 1.0
        main function f(in integer n, in real x) result real y
          independent x
          dependent y
          uses g
          local real t
          if n > 0
            t := 2.0
          end
          y := t*x*g
          t := x
          y := y*t
          g := y
          t := y
        end",
    );
    let f = RoutineId::new(0);
    let [g, t] = ["g", "t"].map(|name| variable(&program, f, name));
    let effects = Effects::summarise(&program);
    let reachable = effects.calls.reachable(f);
    let cfg = program.routine(f).body.as_ref().expect("it has one");
    let last = cfg.vertices().filter(|(_, v)| v.statements().len() == 5);
    let last: Vec<usize> = last.map(|(v, _)| v.index()).collect();
    for (ends, is_declared) in [(Ends::Declared, true), (Ends::Visible, false)] {
        let found = Activity::within(&program, &effects, f, &reachable, ends, FLOW_LIMIT);
        assert!(
            [g, t]
                .iter()
                .all(|&v| found.is_active(f, program.routine(f), v))
        );
        let exceptions = found.exceptions(f);
        let at = |statement| behind(last[0], statement);
        assert!(exceptions.is_constant(at(0), t), "{ends:?}");
        assert_eq!(exceptions.is_constant(at(0), g), is_declared, "{ends:?}");
        assert_eq!(exceptions.is_useless(at(3)), is_declared, "{ends:?}");
        assert!(exceptions.is_useless(at(4)), "{ends:?}");
        assert!(!exceptions.is_useless(at(2)), "{ends:?}");
    }
}

/// A routine without active variables has the facts that hold anywhere: its arguments are useful if the parameters are
/// useful anywhere, and its outputs are varied if they are varied anywhere.
#[test]
fn calls_of_routines_in_which_nothing_is_active() {
    let program = |statements: &str| {
        read(&format!(
            "subroutine copy(in real a, out real b)
              b := a
            end
            main subroutine f(in real x, out real y)
              independent x
              dependent y
              local real t, z, w
              {statements}
            end"
        ))
    };
    let useful = program("t := 2.0\ncall copy(t, z)\ny := x*z");
    let f = useful.find_routine("f").expect("it is there");
    assert!(!activity(&useful, f).exceptions(f).is_useless(at(0)));
    let varied = program("call copy(x, z)\nw := z*2.0\ny := x");
    let z = variable(&varied, f, "z");
    assert!(!activity(&varied, f).exceptions(f).is_constant(at(1), z));
    // Where nothing is varied anywhere nothing is said.
    let copy = varied.find_routine("copy").expect("it is there");
    for program in [&useful, &varied] {
        let found = activity(program, f);
        let routine = program.routine(copy);
        assert!(
            ![0, 1]
                .iter()
                .any(|&v| found.is_active(copy, routine, VarId::new(v)))
        );
    }
}

/// An external routine does not change its `in` parameters, and its `out` parameters contribute nothing.
#[test]
fn parameters_of_external_routines() {
    let program = read(
        "external subroutine h(in real c, in real d, out real p, out real q)
        end
        main subroutine f(in real x, in real w, out real y)
          independent x
          dependent y
          local real s, t
          call h(x, w, s, t)
          y := t
        end",
    );
    let f = program.find_routine("f").expect("it is there");
    let h = program.find_routine("h").expect("it is there");
    let found = activity(&program, f);
    let routine = program.routine(h);
    for (name, expected) in [
        ("c", [true, true]),
        ("d", [false, true]),
        ("p", [true, false]),
        ("q", [true, true]),
    ] {
        let v = variable(&program, h, name);
        let is = [
            found.is_varied(h, routine, v),
            found.is_useful(h, routine, v),
        ];
        assert_eq!(is, expected, "{name}");
        let is_active = expected == [true; 2];
        assert_eq!(found.is_active(h, routine, v), is_active, "{name}");
    }
}

/// Given derivatives may take from every input to every output, whatever the body or the partials say.
#[test]
fn given_derivatives_go_beyond_bodies_and_partials() {
    for (tangents, is_beyond) in [(["", ""], false), (["tangent g_t", "tangent h_t"], true)] {
        let program = read(&format!(
            "subroutine g(in real a, out real b)
              {}
              b := 1.0
            end
            subroutine g_t(in real a, out real b, in real a_t, out real b_t)
              b := 1.0
              b_t := a_t
            end
            external function h(in real a, in real b) result real r
              value a*b
              partial a: b
              {}
            end
            subroutine h_t(in real a, in real b, out real r, in real a_t, in real b_t, out real r_t)
              r := a*b
              r_t := a_t*b + a*b_t
            end
            main subroutine f(in real x, in real w, out real y)
              independent x, w
              dependent y
              local real p, q, u
              u := x*w
              call g(u, p)
              q := call h(2.0, u)
              y := p*q
            end",
            tangents[0], tangents[1]
        ));
        let f = program.find_routine("f").expect("it is there");
        let found = activity(&program, f);
        for name in ["p", "q", "u"] {
            let v = variable(&program, f, name);
            let is_active = found.is_active(f, program.routine(f), v);
            assert_eq!(is_active, is_beyond, "{name} {tangents:?}");
            let is_constant = found.exceptions(f).is_constant(at(3), v);
            assert!(!is_constant, "{name} {tangents:?}");
        }
        assert!(!found.exceptions(f).is_useless(at(0)), "{tangents:?}");
    }
}

/// A value written under one name of a storage may be read under another one, in any routine, but not under a name of
/// another storage.
#[test]
fn globals_in_one_storage_are_active_together() {
    for (written, read, is_active) in [
        ("base", "over", true),
        ("over", "base", true),
        ("over", "other", false),
        ("other", "base", false),
        ("over", "third", true),
    ] {
        let program = read_overlays(written, read);
        let f = program.find_routine("f").expect("it is there");
        let found = activity(&program, f);
        let y = variable(&program, f, "y");
        let is = found.is_active(f, program.routine(f), y);
        assert_eq!(is, is_active, "{written}, {read}");
        // The call that writes it is useful although the routine names no global.
        let is_useless = found.exceptions(f).is_useless(at(0));
        assert_eq!(is_useless, !is_active, "{written}, {read}");
    }
}

/// A program that writes one global and reads another one, both in calls.
fn read_overlays(written: &str, read_by: &str) -> Program {
    read(&format!(
        "global real base[3]
        global real over[2] overlays base at 1
        global real third[1] overlays base at 1
        global real other[2]
        subroutine put(in real a)
          uses {written}
          {written} := a
        end
        subroutine take(out real b)
          uses {read_by}
          b := sum({read_by}*1.0)
        end
        main subroutine f(in real x, out real y)
          independent x
          dependent y
          call put(x)
          call take(y)
        end"
    ))
}
