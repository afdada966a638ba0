//! Loops, branches, graphs that are not structured, traces.

use cfg_core::memory::effects::Effects;
use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    elemental::integer,
    entity::{VarId, VertexId},
    ir::{
        CaseRange, Cfg, Control, Edge, Expr,
        ScalarType::{Integer, Real},
        Selector, Stmt, Vertex, VertexKind,
    },
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_testkit::flat;

use crate::common::{program, real, run, run_with};

/// `sum` of the values of the index, the number of passes, the index afterwards.
fn counted(index_is_global_like: bool) -> RoutineBuilder {
    let mut f = RoutineBuilder::new("f");
    let first = f.input("first", Integer);
    let last = f.input("last", Integer);
    let step = f.input("step", Integer);
    let sum = f.output("sum", Integer);
    let passes = f.output("passes", Integer);
    let i = f.output("i", Integer);
    let own = f.local("own", Integer);
    let index = if index_is_global_like { i } else { own };
    f.assign(sum, 0);
    f.assign(passes, 0);
    f.for_step(index, first, last, step, |f| {
        f.assign(sum, sum + index);
        f.assign(passes, passes + 1);
    });
    f.assign(i, index);
    f
}

#[test]
fn counted_loops_run_as_often_as_the_formula_says() {
    for elsewhere in [false, true] {
        let program = program(counted(elsewhere));
        let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).unwrap();
        let mut session = Session::new(&compiled);
        for first in -3..=3i64 {
            for last in -4..=4i64 {
                for step in [-3, -2, -1, 1, 2, 3, 7] {
                    let mut a = [first, last, step, 0, 0, 0].map(Into::into);
                    let main = cfg_core::entity::RoutineId::new(0);
                    session.run(main, &mut a, &RunOptions::default()).unwrap();
                    let n = integer::trips(first, last, step).unwrap();
                    let sum: i64 = (0..n).map(|k| first + k * step).sum();
                    let got: Vec<f64> = a[3..].iter().map(real).collect();
                    let expected = [sum, n, first + n * step].map(|k| k as f64);
                    assert_eq!(got, expected, "{first} {last} {step}");
                }
            }
        }
    }
}

#[test]
fn counted_loops_at_the_ends_of_the_integers() {
    let program = program(counted(false));
    let top = i64::MAX;
    let mut a = [top - 5, top - 1, 2, 0, 0, 0].map(Into::into);
    let problem = run(&program, &mut a).unwrap_err();
    // The sum overflows, not the loop.
    assert_eq!(problem.code, "X203");
    assert_eq!(
        problem.at.element.as_deref(),
        Some("routine f, vertex 4, statement 1")
    );

    let mut f = RoutineBuilder::new("f");
    let last = f.input("last", Integer);
    let i = f.output("i", Integer);
    f.for_step(i, top - 5, last, 2, |_| {});
    let program = crate::common::program(f);
    let mut a = [(top - 2).into(), 0.into()];
    run(&program, &mut a).unwrap();
    assert_eq!(
        a[1].value().unwrap().get(0),
        Some(cfg_core::elemental::Scalar::Integer(top - 1))
    );
    // One pass more, and the index after the loop does not fit.
    let problem = run(&program, &mut [(top - 1).into(), 0.into()]).unwrap_err();
    assert_eq!(problem.code, "X203");
}

#[test]
fn the_range_of_a_loop_may_depend_on_its_index() {
    let mut f = RoutineBuilder::new("f");
    let i = f.inout("i", Integer);
    let n = f.output("n", Integer);
    f.assign(n, 0);
    f.for_step(i, i + 1, i + 4, i - 1, |f| f.assign(n, n + 1));
    let mut a = [2.into(), 0.into()];
    run(&program(f), &mut a).unwrap();
    assert_eq!((real(&a[0]), real(&a[1])), (7.0, 4.0));
}

#[test]
fn deep_nests_of_counted_loops_keep_their_state_in_memory() {
    let mut f = RoutineBuilder::new("f");
    let n = f.output("n", Integer);
    f.assign(n, 0);
    let indices: Vec<_> = (0..300)
        .map(|k| f.local(format!("i{k}"), Integer))
        .collect();
    for (k, &i) in indices.iter().enumerate() {
        f.begin_for(i, 1, if k % 30 == 7 { 2 } else { 1 }, 1);
    }
    f.assign(n, n + 1);
    for _ in &indices {
        f.end_loop();
    }
    let mut a = [0.into()];
    run(&program(f), &mut a).unwrap();
    assert_eq!(real(&a[0]), 1024.0);
}

#[test]
fn a_hundred_thousand_nested_loops_and_branches() {
    let mut f = RoutineBuilder::new("f");
    let n = f.inout("n", Integer);
    for _ in 0..100_000 {
        f.begin_while(gt(n, 0));
        f.begin_if(gt(n, 1));
    }
    f.assign(n, 0);
    for _ in 0..100_000 {
        f.end_if();
        f.end_loop();
    }
    let mut a = [5.into()];
    run(&program(f), &mut a).unwrap();
    assert_eq!(real(&a[0]), 0.0);
}

#[test]
fn loops_that_test_before_and_after() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let before = f.output("before", Integer);
    let after = f.output("after", Integer);
    f.assign(before, 0);
    f.while_loop(lt(before, n), |f| f.assign(before, before + 1));
    f.assign(after, 0);
    f.repeat_while(lt(after, n), |f| f.assign(after, after + 1));
    let program = program(f);
    for n in 0..4i64 {
        let mut a = [n.into(), 0.into(), 0.into()];
        run(&program, &mut a).unwrap();
        assert_eq!(real(&a[1]), n as f64);
        assert_eq!(real(&a[2]), n.max(1) as f64);
    }
}

#[test]
fn multi_way_branches_choose_by_value_range_and_default() {
    let mut f = RoutineBuilder::new("f");
    let k = f.input("k", Integer);
    let y = f.output("y", Integer);
    let range = |lower, upper| CaseRange { lower, upper };
    f.begin_cases(k);
    f.begin_arm(
        1,
        [range(Some(3), Some(3)), range(Some(-2), Some(1))],
        false,
    );
    f.assign(y, 1);
    f.begin_arm(2, [range(Some(10), None)], false);
    f.assign(y, 2);
    f.begin_arm(3, [range(None, Some(-10))], true);
    f.assign(y, 3);
    f.end_cases();
    let program = program(f);
    for (k, expected) in [
        (3, 1),
        (-2, 1),
        (0, 1),
        (1, 1),
        (2, 3),
        (9, 3),
        (10, 2),
        (-10, 3),
        (i64::MAX, 2),
    ] {
        let mut a = [k.into(), 0.into()];
        run(&program, &mut a).unwrap();
        assert_eq!(real(&a[1]), f64::from(expected), "{k}");
    }
}

#[test]
fn graphs_that_are_not_structured_run() {
    // Two loops that share their middle: 2 -> 3 -> 4 -> 2 and 3 -> 4 -> 3, left from 4.
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let y = f.output("y", Real);
    let i = f.local("i", Integer);
    let block = |statements| VertexKind::Block(statements);
    let test = |e: Expr| VertexKind::Branch(Box::new(Selector::Condition(e)));
    let add = |x: f64| Stmt::assign(y.into(), y + x);
    let vertices = [
        VertexKind::Entry,
        block(vec![
            Stmt::assign(y.into(), 0.0.into()),
            Stmt::assign(i.into(), 0.into()),
        ]),
        block(vec![add(1.0)]),
        block(vec![add(100.0), Stmt::assign(i.into(), i + 1)]),
        test(ge(i, n)),
        test(eq(modulus(i, 2), 0)),
        VertexKind::Exit,
    ];
    let edges = [
        (0, 1, None),
        (1, 2, None),
        (2, 3, None),
        (3, 4, None),
        (4, 6, Some(1)),
        (4, 5, Some(0)),
        (5, 2, Some(1)),
        (5, 3, Some(0)),
    ];
    let vertices = vertices
        .into_iter()
        .enumerate()
        .map(|(k, kind)| Vertex::new(k as i64 + 1, kind))
        .collect();
    let edges = edges
        .into_iter()
        .map(|(a, b, label)| Edge::new(VertexId::new(a), VertexId::new(b), label))
        .collect();
    f.body(Cfg::new(vertices, edges).unwrap(), Control::General);
    let mut a = [5.into(), 0.0.into()];
    run(&program(f), &mut a).unwrap();
    assert_eq!(real(&a[1]), 503.0);
}

#[test]
fn traces_show_each_visit_of_a_loop() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let i = f.local("i", Integer);
    let j = f.local("j", Integer);
    f.for_loop(i, 1, n, |f| f.assign(j, i));
    let program = program(f);
    let options = CompileOptions {
        trace: true,
        ..CompileOptions::default()
    };
    let mut a = [2.into()];
    let report = run_with(&program, &mut a, &options, &RunOptions::default()).unwrap();
    let ids: Vec<i64> = report.trace.iter().map(|v| v.id).collect();
    // ENTRY 1, LOOP 2, block 3, ENDLOOP 4, EXIT 5.
    assert_eq!(ids, [1, 2, 3, 4, 2, 3, 4, 2, 5]);
    assert!(
        report
            .trace
            .iter()
            .all(|v| v.activation == 0 && v.origin == v.id)
    );
}

/// How a program ends: the values of its arguments, or the code of its error.
fn ends(program: cfg_core::ir::Program, arguments: &[Argument]) -> Result<Vec<String>, String> {
    let program = cfg_core::validate::validate(program).unwrap_or_else(|e| panic!("{e}"));
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default());
    let compiled = compiled.unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions {
        fuel: 3000,
        ..RunOptions::default()
    };
    let mut arguments = arguments.to_vec();
    let main = cfg_core::entity::RoutineId::new(0);
    Session::new(&compiled)
        .run(main, &mut arguments, &options)
        .map_err(|e| e.code.to_owned())?;
    Ok(arguments
        .iter()
        .map(|a| format!("{:?}", a.value()))
        .collect())
}

#[test]
fn counted_loops_written_as_jumps_end_as_before() {
    use cfg_core::recover::{Checked, drop_empty_blocks, flatten_as};
    const ENDS: [i64; 14] = [
        i64::MIN,
        i64::MIN + 1,
        i64::MIN / 2,
        -3,
        -2,
        -1,
        0,
        1,
        2,
        3,
        1 << 62,
        i64::MAX / 2 + 2,
        i64::MAX - 1,
        i64::MAX,
    ];
    // Constants and parameters; with a body that fails outside of 1..3, and one that does not.
    for (constant, subscripts) in [(true, true), (true, false), (false, true), (false, false)] {
        for (first, last) in ENDS.iter().flat_map(|a| ENDS.iter().map(move |b| (*a, *b))) {
            for step in [1, 2, 5, i64::MAX, -1, -2, i64::MIN] {
                let mut f = RoutineBuilder::new("f");
                let (a, b) = (f.input("a", Integer), f.input("b", Integer));
                let n = f.inout("n", Integer);
                let v = f.inout("v", Real.array([3]));
                let i = f.local("i", Integer);
                let bound = |x: i64, p: VarId| if constant { Expr::Int(x) } else { Expr::var(p) };
                f.for_step(i, bound(first, a), bound(last, b), step, |f| {
                    if subscripts {
                        f.assign(v.at(i), v.at(i) + 1.0);
                    }
                    f.assign(n, n + 1);
                });
                let program = program(f).into_program();
                let arguments = [
                    first.into(),
                    last.into(),
                    0.into(),
                    Value::from_reals(&[0.0; 3]).into(),
                ];
                let expected = ends(program.clone(), &arguments);
                let routine = &program.routines[0];
                let flat = flatten_as(
                    &program,
                    &Effects::summarise(&program),
                    routine,
                    Checked::Yes,
                );
                for jumps in [flat.clone(), drop_empty_blocks(flat)] {
                    let program = cfg_core::ir::Program {
                        routines: vec![jumps],
                        ..program.clone()
                    };
                    let what = format!("{first} to {last} by {step}, {constant} {subscripts}");
                    assert_eq!(ends(program, &arguments), expected, "{what}");
                }
            }
        }
    }
}

/// Each call is an activation of its own: the routine that the host runs is 0, the others are numbered as they are called.
#[test]
fn traces_number_the_activations() {
    let source = "main subroutine f(inout real x)
  call g(x)
  x := x*2.0
  call g(x)
end
subroutine g(inout real x)
  x := x + 1.0
end
";
    let program = cfg_format::text::parse(source).program.unwrap();
    let program = cfg_core::validate::validate(program).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions {
        trace: true,
        ..CompileOptions::default()
    };
    let compiled = Compiled::new(&flat(&program), &options).unwrap_or_else(|e| panic!("{e}"));
    let main = cfg_core::entity::RoutineId::new(0);
    let mut session = Session::new(&compiled);
    for _ in 0..2 {
        let mut arguments = [1.0.into()];
        let report = session
            .run(main, &mut arguments, &RunOptions::default())
            .unwrap_or_else(|e| panic!("{e}"));
        let mut found: Vec<(usize, u64)> = (report.trace.iter())
            .map(|v| (v.routine.index(), v.activation))
            .collect();
        found.dedup();
        assert_eq!(found, [(0, 0), (1, 1), (1, 2), (0, 0)]);
    }
}
