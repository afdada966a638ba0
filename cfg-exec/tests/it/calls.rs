//! Calls: by reference and by value, globals, recursion, optional arguments, views of other ranks,
//! external routines.

use cfg_testkit::flat;
use std::sync::Arc;

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    elemental::Scalar,
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Dim, Expr, External, Intent, Op, Order, Overlay,
        ScalarType::{Integer, Logical, Real},
    },
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};

use crate::common::{fault, parsed, real, reals, run, run_with};

#[test]
fn written_scalars_are_passed_by_reference() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let (a, b) = (g.input("a", Real), g.inout("b", Real));
    let c = g.output("c", Real);
    g.assign(b, b + a);
    g.assign(c, b * 10.0);
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let (x, v) = (f.input("x", Real), f.inout("v", Real.array([3])));
    let y = f.output("y", Real);
    let t = f.local("t", Real);
    f.assign(t, x);
    f.call(g, [Expr::from(1.0), t.into(), v.at(2).into()]);
    f.call(g, [Expr::from(v.at(2)), t.into(), y.into()]);
    f.assign(v.at(3), t);
    p.add(f);
    let mut a = [2.0.into(), Value::from_reals(&[0.0; 3]).into(), 0.0.into()];
    run(&p.finish().unwrap(), &mut a).unwrap();
    // t = 3, v2 = 30; t = 33, y = 330.
    assert_eq!(reals(&a[1]), [0.0, 30.0, 33.0]);
    assert_eq!(real(&a[2]), 330.0);
}

#[test]
fn overlapping_arguments_are_the_same_cells_where_that_is_allowed() {
    for aliased in [false, true] {
        let mut p = ProgramBuilder::new();
        let mut g = RoutineBuilder::new("g");
        let (a, b) = (g.inout("a", Real), g.inout("b", Real));
        if aliased {
            g.aliased();
        }
        g.assign(a, a + 1.0);
        g.assign(b, b * 10.0);
        g.assign(a, a + 1.0);
        let g = p.add(g);
        let mut f = RoutineBuilder::new("f");
        let v = f.inout("v", Real.array([3]));
        let (i, j) = (f.input("i", Integer), f.input("j", Integer));
        f.call(g, [v.at(i), v.at(j)]);
        p.add(f);
        let p = p.finish().unwrap();
        let mut a = [
            Value::from_reals(&[1.0, 2.0, 3.0]).into(),
            1.into(),
            3.into(),
        ];
        run(&p, &mut a).unwrap();
        assert_eq!(reals(&a[0]), [3.0, 2.0, 30.0]);
        let mut a = [
            Value::from_reals(&[1.0, 2.0, 3.0]).into(),
            2.into(),
            2.into(),
        ];
        match run(&p, &mut a) {
            Ok(_) => {
                assert!(aliased);
                assert_eq!(reals(&a[0]), [1.0, 31.0, 3.0]);
            }
            Err(problem) => {
                assert!(!aliased);
                assert_eq!(problem.code, "X214");
                assert_eq!(
                    problem.at.element.as_deref(),
                    Some("routine f, vertex 2, statement 1")
                );
                // Arguments are as before.
                assert_eq!(reals(&a[0]), [1.0, 2.0, 3.0]);
            }
        }
    }
}

#[test]
fn reading_the_same_cells_twice_is_no_overlap() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let n = 3;
    let (a, b) = (g.input("a", Real.array([n])), g.input("b", Real.array([n])));
    let s = g.input("s", Real);
    let y = g.output("y", Real);
    g.assign(y, Expr::op(Op::Sum, [a * b]) * s);
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let v = f.input("v", Real.array([n]));
    let y = f.output("y", Real);
    f.call(g, [Expr::from(v), v.into(), v.at(2).into(), y.into()]);
    p.add(f);
    let mut a = [Value::from_reals(&[1.0, 2.0, 3.0]).into(), 0.0.into()];
    run(&p.finish().unwrap(), &mut a).unwrap();
    assert_eq!(real(&a[1]), 28.0);
}

#[test]
fn sections_that_interleave_do_not_overlap() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let a = g.inout("a", Real.array([Dim::deferred()]));
    let b = g.input("b", Real.array([Dim::deferred()]));
    g.assign(a, a + b);
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let v = f.inout("v", Real.array([6]));
    let k = f.input("k", Integer);
    f.call(g, [v.at(strided(1, 5, 2)), v.at(strided(k, 6, 2))]);
    p.add(f);
    let p = p.finish().unwrap();
    let start = || Value::from_reals(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).into();
    let mut a = [start(), 2.into()];
    run(&p, &mut a).unwrap();
    assert_eq!(reals(&a[0]), [3.0, 2.0, 7.0, 4.0, 11.0, 6.0]);
    let problem = run(&p, &mut [start(), 1.into()]).unwrap_err();
    assert_eq!(problem.code, "X214");
}

#[test]
fn pieces_of_an_array_overlap_only_as_far_as_the_parameters_reach() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let n = g.input("n", Integer);
    let (a, b) = (g.inout("a", Real.array([n])), g.input("b", Real.array([n])));
    g.assign(a, a + b);
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let (v, n) = (f.inout("v", Real.array([6])), f.input("n", Integer));
    let k = f.input("k", Integer);
    f.call(g, [Expr::from(n), v.at(1).into(), v.at(k).into()]);
    p.add(f);
    let p = p.finish().unwrap();
    let start = || Value::from_reals(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).into();
    let mut a = [start(), 2.into(), 3.into()];
    run(&p, &mut a).unwrap();
    assert_eq!(reals(&a[0]), [4.0, 6.0, 3.0, 4.0, 5.0, 6.0]);
    let problem = run(&p, &mut [start(), 3.into(), 3.into()]).unwrap_err();
    assert_eq!(problem.code, "X214");
    assert_eq!(
        problem.at.element.as_deref(),
        Some("routine f, vertex 2, statement 1")
    );
}

/// fib(n), with a counter of calls in a global.
fn fibonacci() -> (ProgramBuilder, RoutineId, GlobalId) {
    let mut p = ProgramBuilder::new();
    let calls = p.global("calls", Integer);
    p.initialize(calls, [0]);
    let fib = p.declare("fib");
    let mut f = RoutineBuilder::new("fib");
    let n = f.input("n", Integer);
    let y = f.result("y", Integer);
    let (a, b) = (f.local("a", Integer), f.local("b", Integer));
    let calls_here = f.global(p.program(), calls);
    f.assign(calls_here, calls_here + 1);
    f.if_else(
        lt(n, 2),
        |f| f.assign(y, n),
        |f| {
            f.call_function(a, fib, [n - 1]);
            f.call_function(b, fib, [n - 2]);
            f.assign(y, a + b);
        },
    );
    p.define(fib, f);
    (p, fib, calls)
}

#[test]
fn recursion_and_globals_that_last_from_run_to_run() {
    let (p, fib, calls) = fibonacci();
    let compiled = Compiled::new(&flat(&p.finish().unwrap()), &CompileOptions::default()).unwrap();
    let mut session = Session::new(&compiled);
    let report = session
        .run(fib, &mut [15.into()], &RunOptions::default())
        .unwrap();
    assert_eq!(report.result.unwrap().get(0), Some(Scalar::Integer(610)));
    assert_eq!(session.global(calls).get(0), Some(Scalar::Integer(1973)));
    session
        .run(fib, &mut [1.into()], &RunOptions::default())
        .unwrap();
    assert_eq!(session.global(calls).get(0), Some(Scalar::Integer(1974)));
    session.set_global(calls, &Value::integer(-1)).unwrap();
    session
        .run(fib, &mut [0.into()], &RunOptions::default())
        .unwrap();
    assert_eq!(session.global(calls).get(0), Some(Scalar::Integer(0)));
    session.reset_globals();
    assert_eq!(session.global(calls), Value::integer(0));
    assert_eq!(
        session
            .set_global(calls, &Value::real(1.0))
            .unwrap_err()
            .code,
        "X219"
    );
}

#[test]
fn a_million_nested_calls_need_no_stack_of_the_host() {
    let mut p = ProgramBuilder::new();
    let down = p.declare("down");
    let mut f = RoutineBuilder::new("down");
    let n = f.input("n", Integer);
    let y = f.result("y", Integer);
    f.assign(y, 0);
    f.if_then(gt(n, 0), |f| {
        f.call_function(y, down, [n - 1]);
        f.assign(y, y + 1);
    });
    p.define(down, f);
    let p = p.finish().unwrap();
    let options = RunOptions {
        max_depth: 1_000_002,
        ..RunOptions::default()
    };
    let report = run_with(
        &p,
        &mut [1_000_000.into()],
        &CompileOptions::default(),
        &options,
    );
    assert_eq!(
        report.unwrap().result.unwrap().get(0),
        Some(Scalar::Integer(1_000_000))
    );
    let problem = run(&p, &mut [1_000_000.into()]).unwrap_err();
    assert_eq!(problem.code, "X211");
    assert!(problem.help.contains("--max-depth"), "{problem}");
}

#[test]
fn globals_are_seen_through_arguments_and_overlays() {
    let mut p = ProgramBuilder::new();
    let g = p.global("g", Real);
    p.initialize(g, [1.0]);
    let block = p.global("block", Real.array([4]));
    p.initialize(block, [1.0, 2.0, 3.0, 4.0]);
    let tail = p.global("tail", Real.array([2]));
    p.overlay(
        tail,
        Overlay {
            base: block,
            offset: 2,
        },
    );
    let mut h = RoutineBuilder::new("h");
    let a = h.input("a", Real);
    let y = h.output("y", Real);
    h.aliased();
    let here = h.global(p.program(), g);
    let tail_here = h.global(p.program(), tail);
    // The parameter is the global's cell, so its value changes.
    h.assign(here, 5.0);
    h.assign(y, a + tail_here.at(1));
    let h = p.add(h);
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real);
    let here = f.global(p.program(), g);
    let block_here = f.global(p.program(), block);
    f.assign(block_here.at(3), 30.0);
    f.call(h, [Expr::from(here), y.into()]);
    p.add(f);
    let mut a = [0.0.into()];
    run(&p.finish().unwrap(), &mut a).unwrap();
    assert_eq!(real(&a[0]), 35.0);
}

/// The order of declarations does not matter: what a global lies over may come after it.
#[test]
fn overlays_may_be_declared_before_what_they_lie_over() {
    let mut p = ProgramBuilder::new();
    let tail = p.global("tail", Real.array([2]));
    let single = p.global("single", Real);
    let block = p.global("block", Real.array([4]));
    p.initialize(block, [1.0, 2.0, 3.0, 4.0]);
    p.overlay(
        tail,
        Overlay {
            base: block,
            offset: 2,
        },
    );
    p.overlay(
        single,
        Overlay {
            base: block,
            offset: 1,
        },
    );
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real);
    let tail = f.global(p.program(), tail);
    let single = f.global(p.program(), single);
    let block = f.global(p.program(), block);
    f.assign(block.at(3), 30.0);
    f.assign(y, tail.at(1) + single);
    p.add(f);
    let mut a = [0.0.into()];
    run(&p.finish().unwrap(), &mut a).unwrap();
    assert_eq!(real(&a[0]), 32.0);
}

#[test]
fn optional_arguments_may_be_absent() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let y = g.output("y", Real);
    let s = g.optional("s", Real, Intent::In);
    let v = g.optional("v", Real.array([2]), Intent::InOut);
    let force = g.optional("force", Logical, Intent::In);
    g.assign(y, 0.0);
    let present = |v: VarId| Expr::op(Op::Present, [v.into()]);
    g.if_then(or(present(s), present(force)), |g| g.assign(y, y + s));
    g.if_then(or(present(v), present(force)), |g| {
        g.assign(y, y + v.at(2));
        g.assign(v.at(2), 0.0);
    });
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real.array([4]));
    let x = f.optional("x", Real, Intent::In);
    let force = f.optional("force", Logical, Intent::In);
    let w = f.local("w", Real.array([2]));
    f.assign(w, 7.0);
    let args = |y: i64, s: Option<Expr>, v: Option<Expr>, force: Option<Expr>| {
        (VarId::new(0).at(y), s, v, force)
    };
    for (at, s, v, forced) in [
        args(1, None, None, None),
        args(2, Some(3.0.into()), None, None),
        args(3, Some(x.into()), Some(w.into()), None),
        args(4, None, None, Some(force.into())),
    ] {
        f.call_with(g, vec![Some(at.into()), s, v, forced], None);
    }
    let _ = y;
    p.add(f);
    let p = p.finish().unwrap();
    let mut a = [
        Value::from_reals(&[0.0; 4]).into(),
        5.0.into(),
        Argument::Absent,
    ];
    run(&p, &mut a).unwrap();
    assert_eq!(reals(&a[0]), [0.0, 3.0, 12.0, 0.0]);
    // An absent argument that is passed on is absent there.
    let mut a = [
        Value::from_reals(&[0.0; 4]).into(),
        Argument::Absent,
        Argument::Absent,
    ];
    run(&p, &mut a).unwrap();
    assert_eq!(reals(&a[0]), [0.0, 3.0, 7.0, 0.0]);
    let mut a = [Value::from_reals(&[0.0; 4]).into(), 5.0.into(), true.into()];
    let problem = run(&p, &mut a).unwrap_err();
    assert_eq!(problem.code, "X213");
    assert!(
        problem
            .at
            .element
            .as_deref()
            .unwrap()
            .starts_with("routine g"),
        "{problem}"
    );
}

#[test]
fn a_parameter_of_explicit_shape_is_a_view_of_the_cells_that_follow() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let (n, m) = (g.input("n", Integer), g.input("m", Integer));
    let a = g.inout("a", Real.array([n, m]).column());
    g.assign(a.at((2, 1)), 100.0 + a.at((1, 2)));
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let v = f.inout("v", Real.array([3, 4]));
    let (n, m) = (f.input("n", Integer), f.input("m", Integer));
    f.call(g, [Expr::from(n), m.into(), v.at((2, 1)).into()]);
    p.add(f);
    let p = p.finish().unwrap();
    let cells: Vec<f64> = (1..=12).map(f64::from).collect();
    let start = || {
        Value::real_array(&[3, 4], Order::Row, &cells)
            .unwrap()
            .into()
    };
    // v(2,1) is cell 5; there, in column order with n = 2, a(2,1) is cell 6 and a(1,2) cell 7.
    let mut a = [start(), 2.into(), 4.into()];
    run(&p, &mut a).unwrap();
    let mut expected = cells.clone();
    expected[5] = 107.0;
    assert_eq!(reals(&a[0]), expected);
    // Nine cells from there on are one too many.
    let problem = run(&p, &mut [start(), 3.into(), 3.into()]).unwrap_err();
    assert_eq!(problem.code, "X212");
    assert!(problem.message.contains("needs 9 elements"), "{problem}");
}

#[test]
fn a_section_with_gaps_is_bound_to_a_shape_that_is_no_larger() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let n = g.input("n", Integer);
    let a = g.inout("a", Real.array([n]));
    g.assign(a, a * 2.0);
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let v = f.inout("v", Real.array([3, 4]));
    let n = f.input("n", Integer);
    f.call(g, [Expr::from(n), v.at((full(), 2)).into()]);
    f.call(g, [Expr::from(n), v.at((3, strided(4, 2, -1))).into()]);
    p.add(f);
    let p = p.finish().unwrap();
    let ones = || {
        Value::real_array(&[3, 4], Order::Row, &[1.0; 12])
            .unwrap()
            .into()
    };
    let mut a = [ones(), 3.into()];
    run(&p, &mut a).unwrap();
    let expected = [1., 2., 1., 1., 1., 2., 1., 1., 1., 4., 2., 2.];
    assert_eq!(reals(&a[0]), expected);
    let mut a = [ones(), 2.into()];
    run(&p, &mut a).unwrap();
    let expected = [1., 2., 1., 1., 1., 2., 1., 1., 1., 1., 2., 2.];
    assert_eq!(reals(&a[0]), expected);
    assert_eq!(run(&p, &mut [ones(), 4.into()]).unwrap_err().code, "X212");
}

#[test]
fn shapes_of_parameters_may_ask_about_each_other() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let (a, b, c) = (VarId::new(0), VarId::new(1), VarId::new(2));
    let size = |v: VarId| Expr::op(Op::Size, [v.into()]);
    g.output("a", Real.array([size(b) + 1]));
    g.input("b", Real.array([size(c)]));
    g.input("c", Real.array([Dim::deferred()]));
    g.assign(a, 1.0);
    g.assign(a.at(range(1, size(b))), b + c);
    let g = p.add(g);
    let p = p.finish().unwrap();
    let compiled = Compiled::new(&flat(&p), &CompileOptions::default()).unwrap();
    let mut session = Session::new(&compiled);
    let mut arguments = [
        Argument::Absent,
        Value::from_reals(&[1.0, 2.0]).into(),
        Value::from_reals(&[10.0, 20.0]).into(),
    ];
    assert_eq!(session.shape_of_parameter(g, a, &arguments).unwrap(), [3]);
    arguments[0] = session.uninitialised_argument(g, a, &arguments).unwrap();
    session
        .run(g, &mut arguments, &RunOptions::default())
        .unwrap();
    assert_eq!(reals(&arguments[0]), [11.0, 22.0, 1.0]);
    // The shape of an assumed-shape array does not follow from anything.
    assert_eq!(
        session
            .shape_of_parameter(g, c, &arguments)
            .unwrap_err()
            .code,
        "X219"
    );
}

#[test]
fn functions_may_return_arrays() {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let n = g.input("n", Integer);
    let y = g.result("y", Real.array([n]));
    let (i, pad) = (g.local("i", Integer), g.local("pad", Real.array([50])));
    g.assign(pad, -1.0);
    g.for_loop(i, 1, n, |g| g.assign(y.at(i), real_of(i)));
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let v = f.output("v", Real.array([2, 3]));
    let w = f.local("w", Real.array([Dim::deferred()]));
    f.assign(v, 0.0);
    f.call_function(v.at((2, full())), g, [3]);
    f.call_function(w, g, [2]);
    f.assign(
        v.at((1, range(1, Expr::op(Op::Size, [w.into()])))),
        w * 10.0,
    );
    p.add(f);
    let mut a = [Value::real_array(&[2, 3], Order::Row, &[0.0; 6])
        .unwrap()
        .into()];
    let p = p.finish().unwrap();
    run(&p, &mut a).unwrap();
    assert_eq!(reals(&a[0]), [10.0, 20.0, 0.0, 1.0, 2.0, 3.0]);
    let compiled = Compiled::new(&flat(&p), &CompileOptions::default()).unwrap();
    let report = Session::new(&compiled)
        .run(RoutineId::new(0), &mut [4.into()], &RunOptions::default())
        .unwrap();
    assert_eq!(
        report.result.unwrap(),
        Value::from_reals(&[1.0, 2.0, 3.0, 4.0])
    );
}

fn real_of(v: VarId) -> Expr {
    Expr::op(Op::ToReal, [v.into()])
}

#[test]
fn external_routines_have_values_or_callbacks() {
    let build = |value: bool| {
        let mut p = ProgramBuilder::new();
        let mut g = RoutineBuilder::new("g");
        let (a, b) = (g.input("a", Real), g.input("b", Real));
        g.result("y", Real);
        g.external(External {
            value: value.then(|| a * b + sin(a)),
            partials: None,
        });
        let g = p.add(g);
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real);
        let y = f.result("y", Real);
        f.call_function(y, g, [x * 2.0, 3.0.into()]);
        p.add(f);
        p.finish().unwrap()
    };
    let value = |report: cfg_exec::RunReport| report.result.unwrap().get_f64(0).unwrap();
    let report = run(&build(true), &mut [0.5.into()]).unwrap();
    assert_eq!(value(report), 3.0 + 1.0f64.sin());
    let problem = run(&build(false), &mut [0.5.into()]).unwrap_err();
    assert_eq!(problem.code, "X218");
    assert!(problem.message.contains("'g'"), "{problem}");
    let mut options = CompileOptions::default();
    options
        .callbacks
        .insert("g".to_owned(), Arc::new(|x: &[f64]| x[0] - x[1]));
    let report = run_with(
        &build(false),
        &mut [0.5.into()],
        &options,
        &RunOptions::default(),
    );
    assert_eq!(value(report.unwrap()), -2.0);
}

/// A function of the host is given the values of the parameters, wherever these are: behind the result, by reference.
#[test]
fn callbacks_are_given_the_values_of_parameters() {
    for (what, result_first, by_reference) in [
        ("in order", false, false),
        ("behind the result", true, false),
        ("by reference", false, true),
    ] {
        let mut p = ProgramBuilder::new();
        let mut g = RoutineBuilder::new("g");
        if result_first {
            g.result("y", Real);
        }
        match by_reference {
            true => g.inout("a", Real),
            false => g.input("a", Real),
        };
        g.input("b", Real);
        if !result_first {
            g.result("y", Real);
        }
        g.external(External {
            value: None,
            partials: None,
        });
        let g = p.add(g);
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real);
        let t = f.local("t", Real);
        let y = f.result("y", Real);
        f.assign(t, x * 2.0);
        f.call_function(y, g, [Expr::from(t), 3.0.into()]);
        p.add(f);
        let mut options = CompileOptions::default();
        options
            .callbacks
            .insert("g".to_owned(), Arc::new(|x: &[f64]| x[0] - x[1]));
        let program = p.finish().unwrap();
        let run = run_with(
            &program,
            &mut [0.5.into()],
            &options,
            &RunOptions::default(),
        );
        let y = run.unwrap().result.and_then(|y| y.get_f64(0));
        assert_eq!(y, Some(-2.0), "{what}");
    }
}

#[test]
fn out_parameters_are_uninitialised_at_entry() {
    let mut f = RoutineBuilder::new("f");
    let set = f.input("set", Logical);
    let (y, v) = (f.output("y", Real), f.output("v", Real.array([2])));
    f.if_then(set, |f| f.assign(y, 1.0));
    f.assign(v.at(1), 1.0);
    let p = crate::common::program(f);
    let mut a = [
        false.into(),
        7.0.into(),
        Value::from_reals(&[7.0, 7.0]).into(),
    ];
    run(&p, &mut a).unwrap();
    assert_eq!(a[1].value().unwrap().first_uninitialised(), Some(0));
    assert_eq!(a[2].value().unwrap().first_uninitialised(), Some(1));
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let v = f.inout("v", Real.array([n, n]));
    f.assign(v, 0.0);
    let p = crate::common::program(f);
    let square = || -> Argument {
        Value::real_array(&[2, 2], Order::Row, &[0.0; 4])
            .unwrap()
            .into()
    };
    let code = |arguments: &mut [Argument]| {
        let problem = run(&p, arguments).unwrap_err();
        assert_eq!(problem.code, "X219");
        problem.message
    };
    assert!(code(&mut [2.into()]).contains("takes 2 arguments"));
    assert!(code(&mut [3.into(), square()]).contains("shape [3, 3]"));
    assert!(code(&mut [2.0.into(), square()]).contains("'n' is integer, not real"));
    assert!(code(&mut [2.into(), 1.0.into()]).contains("rank 2"));
    assert!(code(&mut [2.into(), Argument::Absent]).contains("missing"));
    run(&p, &mut [2.into(), square()]).unwrap();
}

#[test]
fn the_order_of_the_hosts_array_does_not_matter() {
    let mut f = RoutineBuilder::new("f");
    let a = f.inout("a", Real.array([2, 3]).column());
    f.assign(a.at((1, 2)), a.at((2, 1)) * 10.0);
    let p = crate::common::program(f);
    for order in [Order::Row, Order::Column] {
        let mut value = Value::uninitialised(Real, &[2, 3], order).unwrap();
        for k in 0..6 {
            let s = value.subscripts(k);
            value.set(k, Scalar::Real((10 * s[0] + s[1]) as f64));
        }
        let mut arguments = [Argument::from(value)];
        run(&p, &mut arguments).unwrap();
        let value = arguments[0].value().unwrap();
        assert_eq!(value.order(), order);
        assert_eq!(value.get_f64(value.position(&[0, 1]).unwrap()), Some(100.0));
        assert_eq!(value.get_f64(value.position(&[1, 2]).unwrap()), Some(12.0));
    }
}

/// Parameters of assumed shape have the lower bounds that they declare, in routines that others have called too.
#[test]
fn parameters_of_assumed_shape_begin_where_they_say() {
    let p = parsed(
        "subroutine g(in integer n, in real x, in real a[: from 3], in real b[2, : from n], out real y)
          y := a[3] + 10.0*a[4] + b[1, n] + 100.0*b[2, n + 1] + x
        end
        subroutine h(in real v[2], in real m[2, 2], out real y)
          local real u
          u := 1000.0
          call g(5, u, v, m, y)
        end
        main subroutine f(out real y)
          local real v[2], m[2, 2]
          v := 1.0
          v[2] := 2.0
          m := 3.0
          m[2, 2] := 4.0
          call h(v, m, y)
        end",
    );
    let mut arguments = [0.0.into()];
    run(&p, &mut arguments).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(real(&arguments[0]), 1.0 + 20.0 + 3.0 + 400.0 + 1000.0);
}

/// Arguments of which parameters get copies are compared with others by the cells that the parameters take.
#[test]
fn copies_of_arguments_are_compared_by_the_cells_that_are_taken() {
    // The cells of a are 6, 4, 2, 18 of the 24, behind which 16 and 14 are not taken.
    let a = "m[:, 7:3:-2]";
    let b = "m[2:1:-1, k:1:-4]";
    for (call, k, expected) in [
        (format!("g({a}, {b})"), 9, Ok(8306.0)),
        (format!("g({a}, {b})"), 5, Err("1 and 2")),
        (format!("h({a}, m[1, k])"), 7, Err("1 and 2")),
        (format!("h({a}, m[1, k])"), 5, Err("1 and 2")),
        (format!("h({a}, m[1, k])"), 1, Ok(5282.0)),
        (format!("h({a}, m[2, k])"), 7, Err("1 and 2")),
        (format!("h({a}, m[2, k])"), 5, Ok(5282.0)),
        (format!("i(m[1, k], {a})"), 3, Err("1 and 2")),
        (format!("i(m[2, k], {a})"), 3, Ok(5282.0)),
        (
            format!("j({a}, m[2:1:-1, 9:1:-4], m[2, k])"),
            7,
            Err("1 and 3"),
        ),
        (
            format!("j({a}, m[2:1:-1, 9:1:-4], m[2, k])"),
            9,
            Err("2 and 3"),
        ),
        (
            format!("j({a}, m[2:1:-1, 9:1:-4], m[2, k])"),
            5,
            Err("2 and 3"),
        ),
        (
            format!("j({a}, m[2:1:-1, 9:1:-4], m[1, k])"),
            5,
            Err("1 and 3"),
        ),
        (
            format!("j({a}, m[2:1:-1, 9:1:-4], m[1, k])"),
            12,
            Ok(1332.0),
        ),
    ] {
        let p = parsed(&format!(
            "subroutine g(inout real a[4], inout real b[4])
              a := a + 1000.0
              b := b + a
            end
            subroutine h(inout real a[4], inout real b)
              a := a + 1000.0
              b := b + a[1]
            end
            subroutine i(inout real b, inout real a[4])
              a := a + 1000.0
              b := b + a[1]
            end
            subroutine j(inout real a[4], in real b[4], inout real c)
              a := a + b
              c := c + 1000.0
            end
            main subroutine f(in integer k, out real y)
              local real m[2, 12]
              local integer j
              for j = 1, 12
                m[1, j] := real(j) - 1.0
                m[2, j] := real(j) + 11.0
              end
              call {call}
              y := sum(m)
            end"
        ));
        let mut arguments = [k.into(), 0.0.into()];
        match (run(&p, &mut arguments), expected) {
            (Ok(_), Ok(y)) => assert_eq!(real(&arguments[1]), y, "{call} {k}"),
            (Err(problem), Err(which)) => {
                assert_eq!(problem.code, "X214", "{call} {k}");
                let message =
                    format!("arguments {which} of the call overlap, and one of them is written");
                assert_eq!(problem.message, message, "{call} {k}");
            }
            (found, _) => panic!("{call} {k}: {:?}", found.map(|_| real(&arguments[1]))),
        }
    }
}

/// The routine that the host calls is at depth 1.
#[test]
fn calls_nest_as_deep_as_allowed() {
    let p = parsed(
        "subroutine g(in integer n, inout integer k)
          k := k + 1
          if n > 0
            call g(n - 1, k)
          end
        end
        main subroutine f(in integer n, inout integer k)
          if n >= 0
            call g(n, k)
          end
        end",
    );
    for (n, max_depth, runs) in [
        (-1i64, 0, false),
        (-1, 1, true),
        (0, 1, false),
        (0, 2, true),
        (3, 4, false),
        (3, 5, true),
        (4, 5, false),
    ] {
        let options = RunOptions {
            max_depth,
            ..RunOptions::default()
        };
        let mut arguments = [n.into(), 0.into()];
        let found = run_with(&p, &mut arguments, &CompileOptions::default(), &options);
        let code = found.map(|_| real(&arguments[1])).map_err(|e| e.code);
        let expected = if runs {
            Ok((n + 1) as f64)
        } else {
            Err("X211")
        };
        assert_eq!(code, expected, "{n} {max_depth}");
    }
}

/// Optional arguments that are not given share no cells with others.
#[test]
fn what_is_absent_overlaps_nothing() {
    for (shape, values) in [("", [1.0, 2.0]), ("[:]", [1.0, 2.0])] {
        let p = parsed(&format!(
            "subroutine g(optional inout real a{shape}, optional inout real b{shape})
              if present(a)
                a := 3.0
              end
            end
            aliased main subroutine f(optional inout real x{shape}, optional inout real z{shape})
              call g(x, z)
            end"
        ));
        for given in [[true, true], [true, false], [false, true], [false, false]] {
            let mut arguments = [0, 1].map(|k: usize| match (given[k], shape) {
                (false, _) => Argument::Absent,
                (true, "") => values[k].into(),
                (true, _) => Value::from_reals(&[values[k]]).into(),
            });
            run(&p, &mut arguments).unwrap_or_else(|e| panic!("{given:?}{shape}: {e}"));
            for (k, expected) in [3.0, values[1]].into_iter().enumerate() {
                if given[k] {
                    assert_eq!(real(&arguments[k]), expected, "{given:?}{shape}");
                }
            }
        }
    }
}

/// An array that is not there is bound to no parameter that must be given, whatever its shape.
#[test]
fn arrays_that_are_not_there_are_not_passed_on() {
    for shape in ["3", ":", "3 from 2", "n"] {
        for (call, code) in [
            ("absent(absent, k)", "X213"),
            ("unallocated(k)", "X215"),
            ("given(k)", "runs"),
        ] {
            let p = parsed(&format!(
                "subroutine g(in real a[{shape}], in integer n, inout integer k)
                  k := k + 1
                end
                subroutine absent(optional in real v[3], inout integer k)
                  call g(v, 3, k)
                end
                subroutine unallocated(inout integer k)
                  local real w[:]
                  if k > 5
                    w := 1.0
                  end
                  call g(w, 3, k)
                end
                subroutine given(inout integer k)
                  local real w[:], v[3]
                  v := 1.0
                  w := v
                  call g(w, 3, k)
                end
                main subroutine f(inout integer k)
                  call {call}
                end"
            ));
            let found = run(&p, &mut [0.into()]);
            let at = found.as_ref().err().and_then(|e| e.at.element.clone());
            let found = found.map_or_else(|e| e.code, |_| "runs");
            assert_eq!(found, code, "{shape} {call}");
            if code != "runs" {
                assert_eq!(at.as_deref(), Some("routine g"), "{shape} {call}");
            }
        }
    }
}

/// The registers of absent arrays in an earlier call must not count as dimensions of an array of rank 3.
#[test]
fn a_subscript_behind_the_second_is_out_of_bounds_after_other_calls() {
    let p = parsed(
        "subroutine h(optional in real a[2], optional in real b[2], inout real y)
          if present(a)
            y := a[1]
          end
          if present(b)
            y := b[1]
          end
        end
        subroutine k(in real c[2, 2, 2], in integer i, inout real y)
          y := c[1, 1, i]
        end
        main subroutine f(in integer i, inout real y)
          local real c[2, 2, 2]
          c := 1.0
          call h(absent, absent, y)
          call k(c, i, y)
        end",
    );
    run(&p, &mut [2.into(), 0.0.into()]).unwrap();
    let (code, message, at) = fault(&p, &mut [3.into(), 0.0.into()]);
    assert_eq!(code, "X201");
    let expected = "subscript 3 of 'c' is 3, but the dimension has bounds 1 to 2";
    assert_eq!(message, expected);
    assert_eq!(at, "routine k, vertex 2, statement 1");
}

/// Parameters whose shapes ask about each other are bound one after the other, in chains of 64 at most; a shape may ask twice.
#[test]
fn chains_of_shapes_have_an_end() {
    for (n, fits) in [
        (2usize, true),
        (3, true),
        (63, true),
        (64, true),
        (65, false),
    ] {
        let asking: String = (0..n - 1)
            .map(|k| format!("in real a{k}[size(a{}, 1)], ", k + 1))
            .collect();
        let p = parsed(&format!(
            "subroutine g({asking}in real a{}[2])
            end
            main subroutine f(inout real y)
              local real v[2]
              v := 1.0
              call g({})
              y := y + 1.0
            end",
            n - 1,
            vec!["v"; n].join(", ")
        ));
        match Compiled::new(&flat(&p), &CompileOptions::default()) {
            Ok(compiled) => {
                assert!(fits, "{n}");
                let mut arguments = [1.0.into()];
                let main = RoutineId::new(1);
                Session::new(&compiled)
                    .run(main, &mut arguments, &RunOptions::default())
                    .unwrap_or_else(|e| panic!("{n}: {e}"));
                assert_eq!(real(&arguments[0]), 2.0, "{n}");
            }
            Err(problems) => {
                assert!(!fits, "{n}");
                assert_eq!(problems.0[0].code, "X220");
            }
        }
    }
    let p = parsed(
        "subroutine g(in real a[size(b, 1) + size(b, 1)], in real b[n], in integer n, out real y)
          y := a[2*n] + b[n]
        end
        main subroutine f(in integer n, out real y)
          local real v[6], w[3]
          v := 1.0
          v[6] := 2.0
          w := 10.0
          call g(v, w, n, y)
        end",
    );
    let mut arguments = [3.into(), 0.0.into()];
    run(&p, &mut arguments).unwrap();
    assert_eq!(real(&arguments[1]), 12.0);
}

/// An extent that a parameter of assumed shape declares is that of its argument, or the message says which is not.
#[test]
fn extents_that_differ_from_those_declared_are_named() {
    for (shape, actual, message) in [
        (
            ":, 3",
            "2, 4",
            "dimension 2 of an argument has 4 elements, but the parameter 3",
        ),
        (
            "2, :",
            "3, 3",
            "dimension 1 of an argument has 3 elements, but the parameter 2",
        ),
    ] {
        let p = parsed(&format!(
            "subroutine g(in real a[{shape}])
            end
            main subroutine f(inout real y)
              local real m[{actual}]
              m := 0.5
              call g(m)
            end"
        ));
        let (code, found, _) = fault(&p, &mut [0.0.into()]);
        assert_eq!((&*code, &*found), ("X212", message));
    }
}

/// An out parameter has no value at entry, however its cell is passed.
#[test]
fn out_parameters_of_every_convention_have_no_value_at_entry() {
    let heads = ["", "aliased "].map(|head| ["out", "optional out"].map(|intent| (head, intent)));
    for (head, intent) in heads.into_iter().flatten() {
        for uses in ["", "uses w"] {
            let p = parsed(&format!(
                "global real w = 1.0
                {head}subroutine g(in integer n, {intent} real b, inout real y)
                  {uses}
                  if n > 5
                    b := 1.0
                  end
                  if b > 0.0
                    y := 1.0
                  end
                end
                main subroutine f(in integer n, inout real y)
                  local real b
                  b := 3.0
                  call g(n, b, y)
                end"
            ));
            run(&p, &mut [9.into(), 0.0.into()]).unwrap();
            let (code, _, at) = fault(&p, &mut [3.into(), 0.0.into()]);
            assert_eq!(
                (&*code, &*at),
                ("X202", "routine g, vertex 5"),
                "{head}{intent} {uses}"
            );
        }
    }
}

/// An optional out parameter has no value at entry where it is given, and is absent where it is not.
#[test]
fn absent_out_parameters_stay_absent() {
    for head in ["", "aliased "] {
        for uses in ["", "uses w"] {
            let p = parsed(&format!(
                "global real w = 1.0
                {head}subroutine g(in real x, optional out real b, optional out real c, inout real y)
                  {uses}
                  if present(b)
                    b := x
                    y := y + 1.0
                  end
                  if present(c)
                    c := x*2.0
                    y := y + 10.0
                  end
                end
                main subroutine f(in real x, inout real y)
                  local real b, c
                  b := 3.0
                  c := 5.0
                  call g(x, absent, absent, y)
                  call g(x, b, absent, y)
                  call g(x, absent, c, y)
                  y := y + b*100.0 + c*1000.0
                end"
            ));
            let mut arguments = [2.0.into(), 0.0.into()];
            run(&p, &mut arguments).unwrap();
            assert_eq!(real(&arguments[1]), 4211.0, "{head}{uses}");
        }
    }
}

/// A function of the host stands for routines of real scalars only.
#[test]
fn callbacks_take_real_scalars() {
    for (parameter, of_ten, fits) in [
        ("real a", "10.0", true),
        ("real32 a", "10.0f", true),
        ("integer a", "10", false),
        ("real a[2]", "v", false),
        ("integer a[2]", "k", false),
    ] {
        let p = parsed(&format!(
            "external function g(in {parameter}) result real r
            end
            main function f() result real y
              local real v[2]
              local integer k[2]
              v := 1.0
              k := 1
              y := call g({of_ten})
            end"
        ));
        let mut options = CompileOptions::default();
        options
            .callbacks
            .insert("g".to_owned(), Arc::new(|x: &[f64]| x[0] + 1.0));
        match Compiled::new(&flat(&p), &options) {
            Ok(compiled) => {
                assert!(fits, "{parameter}");
                let report = Session::new(&compiled)
                    .run(RoutineId::new(1), &mut [], &RunOptions::default())
                    .unwrap_or_else(|e| panic!("{parameter}: {e}"));
                let y = report.result.and_then(|y| y.get_f64(0));
                assert_eq!(y, Some(11.0), "{parameter}");
            }
            Err(problems) => {
                assert!(!fits, "{parameter}");
                assert_eq!(problems.0[0].code, "X221", "{parameter}");
            }
        }
    }
}

/// A function of the host returns a real scalar, which is rounded if the result has 32 bits.
#[test]
fn callbacks_return_real_scalars() {
    for (result, target, wanted) in [
        ("real r", "y", Some(10.1)),
        ("real32 r", "s", Some(f64::from(10.1f32))),
        ("integer r", "k", None),
        ("real r[2]", "v", None),
    ] {
        let p = parsed(&format!(
            "external function g(in real a) result {result}
            end
            main function f() result real y
              local real v[2]
              local real32 s
              local integer k
              v := 1.0
              s := 1.0f
              k := 1
              y := 0.0
              {target} := call g(10.0)
              y := y + if(y == 0.0, real(s), 0.0)
            end"
        ));
        let mut options = CompileOptions::default();
        options
            .callbacks
            .insert("g".to_owned(), Arc::new(|x: &[f64]| x[0] + 0.1));
        match Compiled::new(&flat(&p), &options) {
            Ok(compiled) => {
                let report = Session::new(&compiled)
                    .run(RoutineId::new(1), &mut [], &RunOptions::default())
                    .unwrap_or_else(|e| panic!("{result}: {e}"));
                let y = report.result.and_then(|y| y.get_f64(0));
                assert_eq!(y, wanted, "{result}");
            }
            Err(problems) => {
                assert_eq!(wanted, None, "{result}");
                assert_eq!(problems.0[0].code, "X221", "{result}");
            }
        }
    }
}

/// An external function gives its `out` parameters no value: a scalar, an array, and beside a result that is an array.
#[test]
fn out_parameters_of_external_functions_have_no_value() {
    for (parameter, result, target, argument, read) in [
        ("out real a", "real r", "t", "w", "w"),
        ("out real a[2]", "real r", "t", "v", "v[1]"),
        ("out real a", "real r[2]", "u", "w", "w"),
        ("inout real a", "real r", "t", "w", ""),
        ("inout real a", "real r[2]", "u", "w", ""),
    ] {
        let read = if read.is_empty() { "1.0" } else { read };
        let p = parsed(&format!(
            "external function g(in real b, {parameter}) result {result}
              value b*b
            end
            main function f() result real y
              local real w, t, v[2], u[2]
              w := 3.0
              v := 3.0
              u := 3.0
              t := 3.0
              {target} := call g(2.0, {argument})
              y := w
              if {read} > 0.0
                y := y + t
              end
            end"
        ));
        let found = run(&p, &mut []);
        if read == "1.0" {
            let y = found.unwrap_or_else(|e| panic!("{parameter}, {result}: {e}"));
            let wanted = if target == "t" { 7.0 } else { 6.0 };
            let y = y.result.and_then(|y| y.get_f64(0));
            assert_eq!(y, Some(wanted), "{parameter}, {result}");
        } else {
            let problem = found.expect_err("nothing has a value");
            assert_eq!(problem.code, "X202", "{parameter}, {result}");
        }
    }
}
