//! Whole arrays: elementwise operations, sections, reductions, arrays without a shape.

use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    entity::VarId,
    ir::{
        Dim, Expr, Op, Order,
        ScalarType::{Integer, Logical, Real},
    },
};
use cfg_exec::Value;

use crate::common::{fault, program, real, reals, run};

fn array(shape: &[usize], x: &[f64]) -> cfg_exec::Argument {
    Value::real_array(shape, Order::Row, x).unwrap().into()
}

#[test]
fn elementwise_operations_broadcast_scalars() {
    let mut f = RoutineBuilder::new("f");
    let (a, b) = (
        f.input("a", Real.array([2, 3])),
        f.input("b", Real.array([2, 3]).column()),
    );
    let s = f.input("s", Real);
    let y = f.output("y", Real.array([2, 3]).column());
    f.assign(y, cond(gt(a, s), a * b - s, -a));
    let mut arguments = [
        array(&[2, 3], &[1., 2., 3., 4., 5., 6.]),
        array(&[2, 3], &[10., 20., 30., 40., 50., 60.]),
        2.5.into(),
        array(&[2, 3], &[0.0; 6]),
    ];
    run(&program(f), &mut arguments).unwrap();
    assert_eq!(reals(&arguments[3]), [-1., -2., 87.5, 157.5, 247.5, 357.5]);
}

#[test]
fn the_right_side_is_complete_before_the_left_is_written() {
    let mut f = RoutineBuilder::new("f");
    let a = f.inout("a", Real.array([5]));
    let (k, m) = (f.input("k", Integer), f.inout("m", Real.array([2, 2])));
    f.assign(a.at(range(2, 5)), a.at(range(1, 4)) + 0.0);
    f.assign(a.at(range(1, 4)), a.at(range(2, 5)));
    f.assign(a, a.at(strided(5, 1, -1)) + a.at(k));
    f.assign(m, Expr::op(Op::Transpose, [m.into()]));
    f.assign(m, m + Expr::op(Op::Transpose, [m.into()]));
    f.assign(a, a / a.at(1));
    let mut arguments = [
        array(&[5], &[1., 2., 3., 4., 5.]),
        2.into(),
        array(&[2, 2], &[1., 2., 3., 4.]),
    ];
    run(&program(f), &mut arguments).unwrap();
    // 1 1 2 3 4, then 1 2 3 4 4, then reversed plus 2: 6 6 5 4 3, then divided by 6.
    let sixth = |x: f64| x / 6.0;
    assert_eq!(reals(&arguments[0]), [1.0, 1.0, sixth(5.), sixth(4.), 0.5]);
    assert_eq!(reals(&arguments[2]), [2., 5., 5., 8.]);
}

#[test]
fn sections_of_sections_and_of_higher_ranks() {
    let mut f = RoutineBuilder::new("f");
    let a = f.inout("a", Real.array([0..=2, -1..=1, 5..=7]));
    let y = f.output("y", Real);
    f.assign(a.at((1, full(), strided(7, 5, -2))), 9.0);
    f.assign(a.at((range(2, 1), full(), full())), 7.0);
    f.assign(
        y,
        Expr::op(Op::Sum, [a.at((full(), 0, full())).into()]) + 100.0 * a.at((2, -1, 6)),
    );
    let cells: Vec<f64> = (0..27).map(f64::from).collect();
    let mut arguments = [array(&[3, 3, 3], &cells), 0.0.into()];
    run(&program(f), &mut arguments).unwrap();
    let mut expected = cells;
    for j in 0..3 {
        expected[9 + 3 * j] = 9.0;
        expected[9 + 3 * j + 2] = 9.0;
    }
    assert_eq!(reals(&arguments[0]), expected);
    let sum: f64 = [3., 4., 5., 9., 13., 9., 21., 22., 23.].iter().sum();
    assert_eq!(real(&arguments[1]), sum + 1900.0);
}

#[test]
fn reductions_and_their_partials() {
    let mut f = RoutineBuilder::new("f");
    let a = f.input("a", Real.array([4]));
    let k = f.input("k", Integer.array([2, 2]));
    let y = f.output("y", Real.array([8]));
    let p = f.output("p", Real.array([3, 4]));
    let b = f.output("b", Logical.array([2]));
    let reduce = |op, v: VarId| Expr::op(op, [v.into()]);
    for (at, op) in [
        (1, Op::Sum),
        (2, Op::Product),
        (3, Op::MaxVal),
        (4, Op::MinVal),
    ] {
        f.assign(y.at(at), reduce(op, a));
        f.assign(y.at(at + 4), Expr::op(Op::ToReal, [reduce(op, k)]));
    }
    f.assign(p.at((1, full())), reduce(Op::ProductPartial, a));
    f.assign(p.at((2, full())), reduce(Op::MaxValPartial, a) * 2.0);
    f.assign(p.at((3, full())), reduce(Op::MinValPartial, a));
    f.assign(b.at(1), Expr::op(Op::Any, [gt(a, 4.0)]));
    f.assign(b.at(2), Expr::op(Op::All, [gt(a, 1.0)]));
    let mut integers = Value::uninitialised(Integer, &[2, 2], Order::Row).unwrap();
    for (at, n) in [3, -7, 2, 5].into_iter().enumerate() {
        integers.set(at, cfg_core::elemental::Scalar::Integer(n));
    }
    let mut arguments = [
        array(&[4], &[2.0, 5.0, 0.0, 5.0]),
        integers.into(),
        array(&[8], &[0.0; 8]),
        array(&[3, 4], &[0.0; 12]),
        Value::uninitialised(Logical, &[2], Order::Row)
            .unwrap()
            .into(),
    ];
    run(&program(f), &mut arguments).unwrap();
    assert_eq!(reals(&arguments[2]), [12., 0., 5., 0., 3., -210., 5., -7.]);
    let expected = [0., 0., 50., 0., 0., 2., 0., 0., 0., 0., 1., 0.];
    assert_eq!(reals(&arguments[3]), expected);
    assert_eq!(reals(&arguments[4]), [1.0, 0.0]);
}

#[test]
fn reductions_of_empty_arrays() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let a = f.input("a", Real.array([n]));
    let y = f.output("y", Real.array([4]));
    for (at, op) in [
        (1, Op::Sum),
        (2, Op::Product),
        (3, Op::MaxVal),
        (4, Op::MinVal),
    ] {
        f.assign(y.at(at), Expr::op(op, [a * 2.0]));
    }
    let mut arguments = [0.into(), array(&[0], &[]), array(&[4], &[0.0; 4])];
    run(&program(f), &mut arguments).unwrap();
    let inf = f64::INFINITY;
    assert_eq!(reals(&arguments[2]), [0.0, 1.0, -inf, inf]);
}

#[test]
fn arrays_without_a_shape_take_it_from_an_assignment() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let y = f.output("y", Real.array([3]));
    let (w, i) = (
        f.local("w", Real.array([Dim::deferred()])),
        f.local("i", Integer),
    );
    let v = f.local("v", Real.array([n * 20]));
    let size = |v: VarId| Expr::op(Op::Size, [v.into(), Expr::Int(1)]);
    f.assign(v, 1.0);
    f.assign(w, v.at(range(1, 2)));
    // The array grows and shrinks, and its new value reads the old one.
    f.for_loop(i, 1, n, |f| {
        f.assign(w, v.at(range(1, i * 20)) + w.at(1));
        f.assign(w, w.at(range(1, 3)) * 2.0);
    });
    f.assign(y.at(1), size(w));
    f.assign(y.at(2), w.at(3));
    f.assign(w, w);
    f.assign(y.at(3), Expr::op(Op::Sum, [w.into()]));
    // Integer to real is a conversion.
    let p = cfg_core::validate::validate({
        let mut b = cfg_core::builder::ProgramBuilder::new();
        b.add(f);
        b.into_program().unwrap()
    });
    assert!(p.is_err(), "size is an integer");
}

#[test]
fn arrays_without_a_shape_grow_and_shrink() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let y = f.output("y", Real.array([3]));
    let (w, i) = (
        f.local("w", Real.array([Dim::deferred()])),
        f.local("i", Integer),
    );
    let v = f.local("v", Real.array([n * 20]));
    let size = Expr::op(Op::ToReal, [Expr::op(Op::Size, [w.into(), Expr::Int(1)])]);
    f.assign(v, 1.0);
    f.assign(w, v.at(range(1, 2)));
    f.for_loop(i, 1, n, |f| {
        f.assign(w, v.at(range(1, i * 20)) + w.at(1));
        f.assign(w, w.at(range(1, 3)) * 2.0);
    });
    f.assign(y.at(1), size);
    f.assign(y.at(2), w.at(3));
    f.assign(w, w);
    f.assign(y.at(3), Expr::op(Op::Sum, [w.into()]));
    let mut arguments = [3.into(), array(&[3], &[0.0; 3])];
    run(&program(f), &mut arguments).unwrap();
    // w(1) = 1, 4, 10, 22.
    assert_eq!(reals(&arguments[1]), [3.0, 22.0, 66.0]);
}

#[test]
fn temporary_arrays_in_conditions_are_given_back() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let a = f.inout("a", Real.array([n]));
    let k = f.output("k", Integer);
    f.assign(k, 0);
    f.while_loop(lt(Expr::op(Op::Sum, [a * a]), 1e9), |f| {
        f.assign(a, a + 1.0);
        f.assign(k, k + 1);
    });
    let p = program(f);
    let zeros = vec![0.0; 1000];
    let mut arguments = [1000.into(), array(&[1000], &zeros), 0.into()];
    let options = cfg_exec::RunOptions {
        max_memory: 100_000,
        ..Default::default()
    };
    let compile = cfg_exec::CompileOptions::default();
    crate::common::run_with(&p, &mut arguments, &compile, &options).unwrap();
    assert_eq!(real(&arguments[2]), 1000.0);
}

#[test]
fn scalars_that_may_fail_are_evaluated_only_where_they_are_chosen() {
    let mut f = RoutineBuilder::new("f");
    let a = f.inout("a", Real.array([3]));
    let i = f.input("i", Integer);
    f.assign(a, cond(gt(a, 2.0), a.at(i), 0.0));
    let p = program(f);
    // No element is chosen, so a(99) is not read.
    let mut arguments = [array(&[3], &[0., 1., 2.]), 99.into()];
    run(&p, &mut arguments).unwrap();
    assert_eq!(reals(&arguments[0]), [0.0; 3]);
    let mut arguments = [array(&[3], &[1., 2., 3.]), 2.into()];
    run(&p, &mut arguments).unwrap();
    assert_eq!(reals(&arguments[0]), [0.0, 0.0, 2.0]);
    assert_eq!(
        fault(&p, &mut [array(&[3], &[1., 2., 3.]), 99.into()]).0,
        "X201"
    );
}

#[test]
fn shapes_that_do_not_conform_are_faults() {
    let mut f = RoutineBuilder::new("f");
    let (n, m) = (f.input("n", Integer), f.input("m", Integer));
    let (a, b) = (f.inout("a", Real.array([n])), f.input("b", Real.array([m])));
    f.assign(a, a + b);
    let p = program(f);
    let (code, message, element) = fault(
        &p,
        &mut [
            2.into(),
            3.into(),
            array(&[2], &[0.; 2]),
            array(&[3], &[0.; 3]),
        ],
    );
    assert_eq!(code, "X212");
    assert!(
        message.contains("[2]") && message.contains("[3]"),
        "{message}"
    );
    assert_eq!(element, "routine f, vertex 2, statement 1");
}

#[test]
fn inquiries_give_bounds_and_sizes() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let a = f.input(
        "a",
        Real.array([Dim::with_extent(n.into()), (-2..=4).into()]),
    );
    let y = f.output("y", Integer.array([6]));
    let ask = |op, k: i64| Expr::op(op, [a.into(), Expr::Int(k)]);
    f.assign(y.at(1), Expr::op(Op::Size, [a.into()]));
    f.assign(y.at(2), ask(Op::Size, 2));
    f.assign(y.at(3), ask(Op::LBound, 2));
    f.assign(y.at(4), ask(Op::UBound, 2));
    f.assign(y.at(5), ask(Op::UBound, 1));
    f.assign(y.at(6), ask(Op::LBound, 1));
    let mut arguments = [
        3.into(),
        array(&[3, 7], &[0.0; 21]),
        Value::integers(&[0; 6]).into(),
    ];
    run(&program(f), &mut arguments).unwrap();
    assert_eq!(reals(&arguments[2]), [21., 7., -2., 4., 3., 1.]);
}

/// `y` of 3 elements from `a` of 3 and `b` of 5, as `c` and `n` decide.
fn choosing(e: impl FnOnce(VarId, VarId, VarId, VarId) -> Expr) -> impl Fn(bool) -> Vec<f64> {
    let mut f = RoutineBuilder::new("f");
    let (a, b) = (f.input("a", Real.array([3])), f.input("b", Real.array([5])));
    let (c, n) = (f.input("c", Logical), f.input("n", Integer));
    let y = f.output("y", Real.array([3]));
    f.assign(y, e(a, b, c, n));
    let p = program(f);
    move |c| {
        let mut arguments = [
            array(&[3], &[1., 2., 3.]),
            array(&[5], &[10., 20., 30., 40., 50.]),
            c.into(),
            if c { 3 } else { 100 }.into(),
            array(&[3], &[0.0; 3]),
        ];
        run(&p, &mut arguments).unwrap_or_else(|e| panic!("{e}"));
        reals(&arguments[4])
    }
}

#[test]
fn an_arm_that_a_scalar_does_not_choose_is_not_looked_at() {
    // The section ends at n, which is out of bounds where it is not chosen.
    let y = choosing(|a, b, c, n| a + cond(c, b.at(range(1, n)), a * 2.0));
    assert_eq!((y(true), y(false)), (vec![11., 22., 33.], vec![3., 6., 9.]));
    let y = choosing(|a, b, c, n| cond(not(c), a, b.at(range(1, n))));
    assert_eq!((y(true), y(false)), (vec![10., 20., 30.], vec![1., 2., 3.]));
    // Scalars in arms, with elements that are not there; arms in arms; arms in conditions over arrays.
    let y = choosing(|a, b, c, n| {
        let inner = cond(gt(n, 3), 7.0, b.at(range(1, n)) * b.at(n));
        cond(
            c,
            inner,
            cond(gt(a, 1.5), a + cond(c, b.at(range(1, n)), a), -1.0),
        )
    });
    assert_eq!(
        (y(true), y(false)),
        (vec![300., 600., 900.], vec![-1., 4., 6.])
    );
    // Where only scalars are chosen, a sum is that of one element.
    let sum = |e: Expr| Expr::op(Op::Sum, [e]);
    let y = choosing(|a, b, c, n| a * sum(cond(c, b.at(range(2, n)), 0.0)));
    assert_eq!((y(true), y(false)), (vec![50., 100., 150.], vec![0.; 3]));
    let largest = |e: Expr| Expr::op(Op::MaxVal, [e]);
    let y = choosing(|a, b, c, n| a * largest(cond(c, b.at(range(2, n)) + 1.0, 4.0)));
    assert_eq!(
        (y(true), y(false)),
        (vec![31., 62., 93.], vec![4., 8., 12.])
    );
}

#[test]
fn and_and_or_stop_before_arrays_that_a_scalar_spares_them() {
    let masked = |op, decided: bool| {
        move |a: VarId, b: VarId, c: VarId, n: VarId| {
            let first = if decided { not(c) } else { c.into() };
            let mask = Expr::op(op, [first, gt(b.at(n), 0.0), gt(b.at(range(1, n)), 15.0)]);
            let hit = Expr::op(if op == Op::And { Op::Any } else { Op::All }, [mask]);
            cond(hit, a, a * 2.0)
        }
    };
    let y = choosing(masked(Op::And, false));
    assert_eq!((y(true), y(false)), (vec![1., 2., 3.], vec![2., 4., 6.]));
    let y = choosing(masked(Op::Or, true));
    assert_eq!((y(true), y(false)), (vec![1., 2., 3.], vec![1., 2., 3.]));
}

#[test]
fn arrays_in_the_chosen_arm_must_conform() {
    let mut f = RoutineBuilder::new("f");
    let (a, b) = (f.input("a", Real.array([3])), f.input("b", Real.array([5])));
    let (c, n) = (f.input("c", Logical), f.input("n", Integer));
    let y = f.output("y", Real.array([3]));
    f.assign(y, a + cond(c, b.at(range(1, n)), a));
    let p = program(f);
    let arguments = |c: bool| {
        let y = array(&[3], &[0.0; 3]);
        [
            array(&[3], &[1.; 3]),
            array(&[5], &[2.; 5]),
            c.into(),
            5.into(),
            y,
        ]
    };
    assert_eq!(fault(&p, &mut arguments(true)).0, "X212");
    assert!(run(&p, &mut arguments(false)).is_ok());
}

#[test]
fn an_array_without_shape_takes_that_of_the_chosen_arm() {
    let mut f = RoutineBuilder::new("f");
    let (a, b) = (f.input("a", Real.array([3])), f.input("b", Real.array([5])));
    let c = f.input("c", Logical);
    let (n, y) = (f.input("n", Integer), f.output("y", Integer));
    let w = f.local("w", Real.array([Dim::deferred()]));
    f.assign(w, cond(c, b.at(range(1, n)), a));
    f.assign(y, Expr::op(Op::Size, [w.into()]));
    // If a scalar is chosen, the array keeps its own shape, also if it occurs on both sides.
    f.assign(w, cond(c, w.at(strided(5, 1, -1)) + 0.0, 1.0));
    f.assign(y, y + 10 * Expr::op(Op::Size, [w.into()]));
    let p = program(f);
    for (c, size) in [(true, 55), (false, 33)] {
        let mut arguments = [
            array(&[3], &[1.; 3]),
            array(&[5], &[2.; 5]),
            c.into(),
            5.into(),
            0.into(),
        ];
        run(&p, &mut arguments).unwrap();
        assert_eq!(arguments[4], size.into());
    }
}

/// Whole arrays of every rank are read, written, incremented and summed up, whatever the order of their cells.
#[test]
fn whole_arrays_of_every_rank_and_order() {
    let all = [2usize, 3, 2, 2];
    for rank in 1..=4 {
        let shape = &all[..rank];
        let dims: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
        for columns in 0..4 {
            let ordered = |column: bool| match column {
                true => Real.array(dims.clone()).column(),
                false => Real.array(dims.clone()),
            };
            let mut f = RoutineBuilder::new("f");
            let a = f.input("a", ordered(columns & 1 > 0));
            let b = f.inout("b", ordered(columns & 2 > 0));
            let s = f.output("s", Real);
            f.assign(b, a * 2.0);
            f.assign(b, b + a * a);
            f.assign(b, b - a);
            f.assign(s, sum(b * a));
            let x: Vec<f64> = (1..=shape.iter().product())
                .map(|k: usize| k as f64)
                .collect();
            let mut arguments = [array(shape, &x), array(shape, &x), 0.0.into()];
            run(&program(f), &mut arguments).unwrap();
            let y: Vec<f64> = x.iter().map(|x| x + x * x).collect();
            let in_order = match columns & 2 > 0 {
                true => {
                    let mut found = Value::uninitialised(Real, shape, Order::Column).unwrap();
                    for (i, &y) in y.iter().enumerate() {
                        assert!(found.set(i, cfg_core::elemental::Scalar::Real(y)));
                    }
                    found.to_f64s().unwrap()
                }
                false => y.clone(),
            };
            assert_eq!(reals(&arguments[1]), in_order, "{shape:?} {columns}");
            let expected: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
            assert_eq!(real(&arguments[2]), expected, "{shape:?} {columns}");
        }
    }
}
