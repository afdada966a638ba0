//! Faults: code, message and place of each.

use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    diagnostic::site::{Element, Site},
    entity::{RoutineId, VertexId},
    ir::{
        CaseRange, Dim, Expr, Op,
        ScalarType::{Integer, Logical, Real},
    },
};
use cfg_exec::{CODES, CompileOptions, RunOptions, Value};
use cfg_testkit::flat;

use crate::common::{fault, parsed, program, real, run, run_with};

#[test]
fn subscripts_out_of_bounds_name_value_and_bounds() {
    let mut f = RoutineBuilder::new("f");
    let (i, j) = (f.input("i", Integer), f.input("j", Integer));
    let v = f.local("v", Real.array([0..=4]));
    let m = f.local("m", Real.array([2, 3]));
    let c = f.local("c", Real.array([2, 2, 2]));
    f.assign(v.at(i - 1), 1.0);
    f.assign(m.at((1, j + 1)), 1.0);
    f.assign(c.at((1, 2, i)), 1.0);
    f.assign(v.at(range(j, 4)), 2.0);
    let p = program(f);
    run(&p, &mut [1.into(), 1.into()]).unwrap();
    let at = |i: i64, j: i64| fault(&p, &mut [i.into(), j.into()]);
    let (code, message, element) = at(6, 1);
    assert_eq!(code, "X201");
    assert_eq!(
        message,
        "subscript 1 of 'v' is 5, but the dimension has bounds 0 to 4"
    );
    assert_eq!(element, "routine f, vertex 2, statement 1");
    assert!(at(0, 1).1.contains("is -1"));
    let (_, message, element) = at(1, 3);
    assert_eq!(
        message,
        "subscript 2 of 'm' is 4, but the dimension has bounds 1 to 3"
    );
    assert_eq!(element, "routine f, vertex 2, statement 2");
    let (_, message, element) = at(3, 1);
    assert_eq!(
        message,
        "subscript 3 of 'c' is 3, but the dimension has bounds 1 to 2"
    );
    assert_eq!(element, "routine f, vertex 2, statement 3");
    assert_eq!(
        at(1, -2).1,
        "subscript 2 of 'm' is -1, but the dimension has bounds 1 to 3"
    );
    assert_eq!(at(i64::MIN, 1).0, "X203");
    assert_eq!(at(1, i64::MAX).0, "X203");
}

#[test]
fn uninitialised_values_must_not_decide() {
    // Uses of a value that decide something: a branch, a selector, a range, a subscript, an extent.
    for what in 0..12 {
        let mut f = RoutineBuilder::new("f");
        let set = f.input("set", Logical);
        let y = f.output("y", Real);
        let (u, k, b) = (
            f.local("u", Real),
            f.local("k", Integer),
            f.local("b", Logical),
        );
        let i = f.local("i", Integer);
        let v = f.local("v", Real.array([3]));
        f.if_then(set, |f| {
            f.assign(u, 1.0);
            f.assign(k, 2);
            f.assign(b, true);
        });
        f.assign(y, 0.0);
        f.assign(i, 1);
        f.assign(v, 0.0);
        match what {
            0 => f.if_then(lt(u, 1.0), |f| f.assign(y, 1.0)),
            1 => f.if_then(and(b, lt(k, 3)), |f| f.assign(y, 1.0)),
            2 => {
                f.begin_cases(k);
                f.begin_arm(
                    1,
                    [CaseRange {
                        lower: Some(2),
                        upper: Some(2),
                    }],
                    false,
                );
                f.begin_arm(2, [], true);
                f.end_cases();
            }
            3 => f.for_loop(i, 1, k, |f| f.assign(y, y + 1.0)),
            4 => f.assign(y, v.at(k)),
            5 => f.assign(v.at(range(1, k)), 1.0),
            6 => f.assign(y, cond(ne(u, 1.0), 1.0, 2.0)),
            // Either operand of a comparison.
            7 => f.if_then(lt(i, k), |f| f.assign(y, 1.0)),
            8 => f.if_then(lt(k, i), |f| f.assign(y, 1.0)),
            9 => f.if_then(lt(y, u), |f| f.assign(y, 1.0)),
            10 => f.if_then(eq(b, set), |f| f.assign(y, 1.0)),
            _ => f.assign(v.at(k + 1), 1.0),
        }
        let p = program(f);
        run(&p, &mut [true.into(), 0.0.into()]).unwrap_or_else(|e| panic!("{what}: {e}"));
        let (code, message, _) = fault(&p, &mut [false.into(), 0.0.into()]);
        assert_eq!(code, "X202", "{what}: {message}");
    }
}

/// Comparisons of all types whose result is kept: without a value on either side it has none.
#[test]
fn comparisons_with_uninitialised_values_have_no_result() {
    for (ty, one) in [
        ("real", "1.0"),
        ("real32", "real32(1.0)"),
        ("integer", "1"),
        ("int8", "int8(1)"),
        ("uint64", "uint64(1)"),
        ("logical", "true"),
    ] {
        let comparisons: &[&str] = match ty {
            "logical" => &["==", "!="],
            _ => &["==", "!=", "<", "<=", ">", ">="],
        };
        for comparison in comparisons {
            for (a, b) in [("u", "one"), ("one", "u"), ("u", "u")] {
                let p = parsed(&format!(
                    "main subroutine f(in logical set, out real y)
                      local {ty} one, u
                      local logical l
                      one := {one}
                      if set
                        u := {one}
                      end
                      l := {a} {comparison} {b}
                      y := if(l, 1.0, 2.0)
                    end"
                ));
                let mut arguments = [true.into(), 0.0.into()];
                run(&p, &mut arguments).unwrap_or_else(|e| panic!("{ty} {comparison}: {e}"));
                let expected = if comparison.contains('=') && *comparison != "!=" {
                    1.0
                } else {
                    2.0
                };
                assert_eq!(real(&arguments[1]), expected, "{ty} {comparison}");
                let (code, message, _) = fault(&p, &mut [false.into(), 0.0.into()]);
                assert_eq!(code, "X202", "{a} {comparison} {b} of {ty}: {message}");
            }
        }
    }
}

#[test]
fn arithmetic_faults() {
    let faults = |e: &dyn Fn(Expr) -> Expr, x: i64| {
        let mut f = RoutineBuilder::new("f");
        let (n, y) = (f.input("n", Integer), f.output("y", Integer));
        f.assign(y, e(n.into()));
        let mut a = [x.into(), 0.into()];
        run(&program(f), &mut a).err().map(|p| p.code)
    };
    let (top, bottom) = (i64::MAX, i64::MIN);
    assert_eq!(faults(&|n| n + 1, top), Some("X203"));
    assert_eq!(faults(&|n| n - 1, bottom), Some("X203"));
    assert_eq!(faults(&|n| n.clone() + n, top), Some("X203"));
    assert_eq!(faults(&|n| n.clone() * n, 1 << 32), Some("X203"));
    assert_eq!(faults(&|n| -n, bottom), Some("X203"));
    assert_eq!(faults(&|n| n / -1, bottom), Some("X203"));
    assert_eq!(faults(&|n| abs(n), bottom), Some("X203"));
    assert_eq!(faults(&|n| pow(2, n), 63), Some("X203"));
    assert_eq!(faults(&|n| pow(2, n), 62), None);
    assert_eq!(faults(&|n| Expr::Int(1) / n, 0), Some("X204"));
    assert_eq!(faults(&|n| modulus(1, n), 0), Some("X204"));
    assert_eq!(
        faults(&|n| Expr::op(Op::TO_INT, [Expr::op(Op::ToReal, [n])]), top),
        Some("X205")
    );
    assert_eq!(
        faults(
            &|n| Expr::op(Op::TO_INT, [sqrt(Expr::op(Op::ToReal, [n]))]),
            -1
        ),
        Some("X205")
    );
    assert_eq!(
        faults(&|n| Expr::op(Op::Trips, [1.into(), 2.into(), n]), 0),
        Some("X206")
    );
}

#[test]
fn a_step_of_zero_and_a_missing_case() {
    let mut f = RoutineBuilder::new("f");
    let (n, i) = (f.input("n", Integer), f.local("i", Integer));
    f.for_step(i, 1, 3, n, |_| {});
    f.begin_cases(n);
    f.begin_arm(
        1,
        [CaseRange {
            lower: Some(1),
            upper: Some(2),
        }],
        false,
    );
    f.begin_arm(
        2,
        [CaseRange {
            lower: Some(4),
            upper: Some(4),
        }],
        false,
    );
    f.end_cases();
    let p = program(f);
    assert_eq!(fault(&p, &mut [0.into()]).0, "X206");
    assert_eq!(fault(&p, &mut [0.into()]).2, "routine f, vertex 2");
    let (code, message, element) = fault(&p, &mut [3.into()]);
    assert_eq!(code, "X207");
    assert!(message.contains("contains 3"), "{message}");
    assert_eq!(element, "routine f, vertex 4");
}

#[test]
fn the_program_stops_with_its_message() {
    let mut f = RoutineBuilder::new("f");
    let (n, y) = (f.input("n", Integer), f.inout("y", Real));
    f.assign(y, y + 1.0);
    f.if_then(lt(n, 0), |f| f.stop("n is negative: %d"));
    f.assign(y, y * 2.0);
    let p = program(f);
    let mut arguments = [2.into(), 3.0.into()];
    run(&p, &mut arguments).unwrap();
    assert_eq!(arguments[1], 8.0.into());
    let (code, message, element) = fault(&p, &mut [(-1).into(), 3.0.into()]);
    assert_eq!(code, "X223");
    assert_eq!(message, "the program stopped: n is negative: %d");
    assert_eq!(element, "routine f, vertex 4, statement 1");
    let stop = Element::Statement(VertexId::new(3), 0);
    let made = cfg_exec::stopped(&p, RoutineId::new(0), VertexId::new(3), 0).unwrap();
    assert_eq!(
        made.at.site.as_deref(),
        Some(&Site::whole(RoutineId::new(0), stop))
    );
    assert_eq!((made.code, made.message), ("X223", message));
    assert_eq!(made.at.element.as_deref(), Some(&*element));
    for (routine, vertex, statement) in [(0, 3, 1), (0, 2, 0), (0, 99, 0), (1, 3, 0)] {
        let (r, v) = (RoutineId::new(routine), VertexId::new(vertex));
        assert_eq!(cfg_exec::stopped(&p, r, v, statement), None);
    }
}

#[test]
fn runaway_loops_run_out_of_fuel() {
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real);
    f.assign(y, 0.0);
    f.while_loop(lt(y, 1.0), |f| f.assign(y, y * 2.0));
    let p = program(f);
    let options = RunOptions {
        fuel: 1000,
        ..RunOptions::default()
    };
    let problem =
        run_with(&p, &mut [0.0.into()], &CompileOptions::default(), &options).unwrap_err();
    assert_eq!(problem.code, "X208");
    assert!(
        problem.message.contains("1000") && problem.help.contains("--fuel"),
        "{problem}"
    );
}

#[test]
fn memory_is_limited_before_it_is_taken() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let v = f.local("v", Real.array([n, n]));
    f.assign(v, 0.0);
    let p = program(f);
    let options = RunOptions {
        max_memory: 1 << 20,
        ..RunOptions::default()
    };
    let compile = CompileOptions::default();
    run_with(&p, &mut [100.into()], &compile, &options).unwrap();
    for n in [400, 1 << 20, 1 << 32, i64::MAX] {
        let problem = run_with(&p, &mut [n.into()], &compile, &options).unwrap_err();
        assert!(["X210", "X203"].contains(&problem.code), "{problem}");
        assert!(
            problem.code == "X203" || problem.help.contains("--max-memory"),
            "{problem}"
        );
    }
    run_with(&p, &mut [(-5).into()], &compile, &options).unwrap();
}

#[test]
fn arrays_without_a_shape_are_not_used() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let y = f.output("y", Real);
    let w = f.local("w", Real.array([Dim::deferred()]));
    let v = f.local("v", Real.array([2]));
    f.assign(v, 1.0);
    f.if_then(gt(n, 0), |f| f.assign(w, v));
    f.assign(y, w.at(1));
    let p = program(f);
    run(&p, &mut [1.into(), 0.0.into()]).unwrap();
    let (code, message, _) = fault(&p, &mut [0.into(), 0.0.into()]);
    assert_eq!(code, "X215");
    assert!(message.contains("'w'"), "{message}");
}

#[test]
fn too_many_temporaries_are_refused_when_compiling() {
    // Elements as subscripts of subscripts, each level holding several values.
    let mut f = RoutineBuilder::new("f");
    let k = f.input("k", Integer.array([2, 2, 2]));
    let y = f.output("y", Integer);
    let mut e: Expr = k.at((1, 1, 1)).into();
    for _ in 0..45 {
        let x: Expr = k.at((2, 1, 1)).into();
        e = Expr::op(Op::Add, [x.clone() * x.clone(), Expr::op(Op::Max, [x, e])]);
    }
    f.assign(y, e);
    let p = program(f);
    let compiled = cfg_exec::Compiled::new(&flat(&p), &CompileOptions::default());
    // Whatever the limit is, the answer is a diagnostic or the right value.
    match compiled {
        Ok(compiled) => {
            let mut k =
                Value::uninitialised(Integer, &[2, 2, 2], cfg_core::ir::Order::Row).unwrap();
            k.fill(cfg_core::elemental::Scalar::Integer(1));
            let mut a = [k.into(), 0.into()];
            let main = cfg_core::entity::RoutineId::new(0);
            cfg_exec::Session::new(&compiled)
                .run(main, &mut a, &RunOptions::default())
                .unwrap();
            assert_eq!(crate::common::real(&a[1]), 46.0);
        }
        Err(problems) => assert_eq!(problems.0[0].code, "X220"),
    }
}

#[test]
fn every_code_has_a_rule_and_an_explanation() {
    for code in CODES {
        assert!(code.code.starts_with("X2"));
        assert!(
            code.rule.ends_with('.') && code.explanation.ends_with(['.', ')']),
            "{code:?}"
        );
    }
}
