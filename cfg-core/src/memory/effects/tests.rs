use super::*;
use crate::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::GlobalId,
    ir::{Expr, External, Op, ScalarType::*},
};

fn set(globals: &[GlobalId]) -> GlobalSet {
    globals.iter().copied().collect()
}

/// Effects reach the variables bound to formals through two routines that call each other, and one that calls both.
#[test]
fn effects_go_through_calls_and_recursion() {
    let mut program = ProgramBuilder::new();
    let [a, b, c] = ["a", "b", "c"].map(|n| program.global(n, Real));
    let (even, odd) = (program.declare("even"), program.declare("odd"));
    for (own, other, name) in [(even, odd, "even"), (odd, even, "odd")] {
        let mut f = RoutineBuilder::new(name);
        let (n, x, y) = (
            f.input("n", Integer),
            f.input("x", Real),
            f.inout("y", Real),
        );
        f.if_then(gt(n, 0), |f| f.call(other, [n - 1, x.into(), y.into()]));
        if own == odd {
            let a = f.global(program.program(), a);
            f.assign(y, x * a);
        }
        program.define(own, f);
    }
    let mut main = RoutineBuilder::new("main");
    let n = main.input("n", Integer);
    let [b_here, c_here] = [b, c].map(|g| main.global(program.program(), g));
    main.call(even, [n, b_here, c_here]);
    let main = program.add(main);
    let program = program.finish().expect("the builder is used right");
    let effects = Effects::summarise(&program);
    for r in [even, odd] {
        assert_eq!(effects.named(r), &set(&[a]));
        assert_eq!(effects.read(r), &set(&[a]));
        assert_eq!(effects.written(r), &set(&[]));
        let formals = effects.formals(r);
        assert!(formals.read.ones().eq([0, 1]), "{:?}", formals.read);
        assert!(formals.written.ones().eq([2]));
        assert!(formals.surely_written.ones().eq((r == odd).then_some(2)));
    }
    assert_eq!(effects.named(main), &set(&[a, b, c]));
    assert_eq!(effects.read(main), &set(&[a, b]));
    assert_eq!(effects.written(main), &set(&[c]));
    assert_eq!(
        [a, b, c].map(|g| effects.may_read(main, g)),
        [true, true, false]
    );
    assert_eq!(
        [a, b, c].map(|g| effects.may_write(main, g)),
        [false, false, true]
    );
    assert!(effects.types_written(main).contains(Real));
    assert!(!effects.types_named(main).contains(Integer));
    assert_eq!(effects.calls.callees(main), [even]);
}

/// Writes on all paths and on some, by statements, loops, calls and results; writes of parts, and of arrays larger
/// than a formal.
#[test]
fn what_is_surely_written() {
    let mut program = ProgramBuilder::new();
    let [g, h, k] = [("g", Real), ("h", Real), ("k", Integer)].map(|(n, t)| program.global(n, t));
    let part = program.global("part", Real.array([3]));
    let mut sets = RoutineBuilder::new("sets");
    let [u, v] = [sets.output("u", Real), sets.output("v", Real.array([2]))];
    sets.assign(u, Expr::Real(1.0));
    sets.assign(v, Expr::op(Op::Fill, [Expr::Real(1.0), Expr::Int(2)]));
    let sets = program.add(sets);
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let outs = ["always", "once", "in_loop", "by_call", "array"];
    let [always, once, in_loop, by_call] =
        [outs[0], outs[1], outs[2], outs[3]].map(|n| f.inout(n, Real));
    let array = f.inout("array", Real.array([3]));
    let [g_here, h_here, k_here, part_here] =
        [g, h, k, part].map(|g| f.global(program.program(), g));
    let write = |f: &mut RoutineBuilder, list: &[VarId]| {
        list.iter().for_each(|&v| f.assign(v, Expr::Real(1.0)));
    };
    f.if_else(
        gt(n, 0),
        |f| write(f, &[always, once, g_here]),
        |f| write(f, &[always, g_here, h_here]),
    );
    f.for_loop(k_here, 1, n, |f| write(f, &[in_loop]));
    f.call(sets, [by_call, array]);
    f.assign(part_here.at(1), Expr::Real(1.0));
    let f = program.add(f);
    let mut twice = RoutineBuilder::new("twice");
    let m = twice.input("m", Integer);
    let all: Vec<_> = outs[..4].iter().map(|n| twice.inout(*n, Real)).collect();
    let array = twice.inout("array", Real.array([3]));
    twice.global(program.program(), g);
    twice.call(f, [&[m], &all[..], &[array]].concat());
    let twice = program.add(twice);
    let mut main = RoutineBuilder::new("main");
    let m = main.input("m", Integer);
    let all: Vec<_> = outs[..4].iter().map(|n| main.inout(*n, Real)).collect();
    let array = main.inout("array", Real.array([3]));
    main.call(twice, [&[m], &all[..], &[array]].concat());
    program.add(main);
    let program = program.finish().expect("the builder is used right");
    let effects = Effects::summarise(&program);
    assert!(effects.formals(sets).surely_written.ones().eq([0, 1]));
    assert!(effects.formals(f).surely_written.ones().eq([1, 4]));
    assert_eq!(effects.surely_written(f), &set(&[g, k]));
    assert!(effects.formals(twice).surely_written.ones().eq([1, 4]));
    assert_eq!(effects.surely_written(twice), &set(&[g]));
    assert_eq!(effects.written(twice), &set(&[g, h, k, part]));
}

/// Inquiries about formals are no reads, and a routine without a body has the effects that its declaration gives.
#[test]
fn inquiries_and_routines_without_a_body() {
    let mut program = ProgramBuilder::new();
    let mut e = RoutineBuilder::new("e");
    let [x, y] = [e.input("x", Real), e.output("y", Real)];
    e.external(External::default());
    let e = program.add(e);
    let mut f = RoutineBuilder::new("f");
    let v = f.input("v", Real.array([3]));
    let [w, n] = [f.inout("w", Real), f.output("n", Integer)];
    f.assign(n, Expr::op(Op::Size, [v.into(), Expr::Int(1)]));
    f.call(e, [w, w]);
    let f = program.add(f);
    let program = program.into_program().expect("the builder is used right");
    let effects = Effects::summarise(&program);
    let formals = effects.formals(e);
    assert!(formals.read.ones().eq([x.index()]));
    assert!(formals.written.ones().eq([y.index()]));
    assert!(formals.surely_written.ones().eq([y.index()]));
    let formals = effects.formals(f);
    assert!(formals.asked.ones().eq([v.index()]));
    assert!(formals.read.ones().eq([w.index()]));
    assert!(effects.has(f) && !effects.has(RoutineId::new(9)));
}

/// Beyond the limit nothing is surely written, and all else is the same; at the limit the search still runs.
#[test]
fn beyond_the_limit_nothing_is_surely_written() {
    let mut program = ProgramBuilder::new();
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real);
    f.assign(y, Expr::Real(1.0));
    let f = program.add(f);
    let mut main = RoutineBuilder::new("main");
    let y = main.output("y", Real);
    main.call(f, [y]);
    program.add(main);
    let program = program.finish().expect("the builder is used right");
    let called = program.routine(f);
    let vertices = called.body.as_ref().map_or(0, |cfg| cfg.vertex_count());
    let size = called.variables.len() * vertices;
    assert!(size > 0);
    let [inside, outside] = [size, size - 1].map(|most| Effects::summarise_within(&program, most));
    assert!(inside.formals(f).surely_written.ones().eq([0]));
    assert!(outside.formals(f).surely_written.is_clear());
    for effects in [&inside, &outside] {
        assert!(effects.formals(f).written.ones().eq([0]));
        assert!(effects.formals(f).read.is_clear());
    }
    assert_eq!(inside.formals(f), Effects::summarise(&program).formals(f));
}

/// In an invalid program, globals and variables that do not exist have no effects.
#[test]
fn what_is_not_there_has_no_effects() {
    for beyond in 0..3 {
        let mut program = ProgramBuilder::new();
        let a = program.global("a", Integer);
        let mut f = RoutineBuilder::new("f");
        let x = f.inout("x", Real);
        let i = f.local("i", Integer);
        let here = f.global(program.program(), a);
        f.for_loop(i, 1, 3, |f| f.assign(x, x * 2.0));
        f.assign(here, 1);
        program.add(f);
        let mut program = program.into_program().expect("the builder is used right");
        let f = RoutineId::new(0);
        let last = program.routines[0].variables.len();
        program.routines[0].variables[here.index()].role = Role::Global(GlobalId::new(1 + beyond));
        for vertex in program.routines[0]
            .body
            .as_mut()
            .expect("it has a body")
            .vertices_mut()
        {
            if let crate::ir::VertexKind::Loop { test, .. } = &mut vertex.kind
                && let crate::ir::LoopTest::Counted { index, .. } = &mut **test
            {
                *index = VarId::new(last + beyond);
            }
        }
        let effects = Effects::summarise(&program);
        for set in [effects.named(f), effects.written(f), effects.read(f)] {
            assert_eq!(set, &GlobalSet::default(), "{beyond}");
        }
    }
}
