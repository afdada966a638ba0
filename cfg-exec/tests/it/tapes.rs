//! Tapes: pushes and pops of all classes, counts, tapes that outlive a call.

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::RoutineId,
    ir::{
        ControlWidth, Expr, IntType, Order,
        ScalarType::{self, Integer, Logical, Real, Real32, Tape as TapeType},
        TapeClass,
    },
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Tape, TapeSize, Value};

use crate::common::{fault, program, real, reals, run, run_with};

const BITS3: TapeClass = TapeClass::Control(ControlWidth::Bits(3));
const BIT: TapeClass = TapeClass::Control(ControlWidth::Bits(1));
const COUNT: TapeClass = TapeClass::Control(ControlWidth::Count);

#[test]
fn every_class_comes_back_with_exact_counts() {
    let mut f = RoutineBuilder::new("f");
    let (x, n) = (f.inout("x", Real), f.inout("n", Integer));
    let (b, s) = (f.inout("b", Logical), f.inout("s", Real32));
    let v = f.inout("v", Real.array([2, 3]).column());
    let (m, c) = (f.local("m", Integer), f.local("c", Integer));
    let t = f.local("t", TapeType);
    f.assign(m, 5);
    f.assign(c, 6);
    f.push(t, TapeClass::Real, x * 2.0);
    f.push(t, TapeClass::Integer, n);
    f.push(t, BIT, b);
    f.push(t, TapeClass::Real32, s);
    f.push(t, BITS3, m);
    f.push(t, COUNT, c);
    f.push(t, TapeClass::Real, v.at((full(), range(2, 3))));
    f.assign(x, 0.0);
    f.assign(n, 0);
    f.assign(b, not(b));
    f.assign(s, Expr::Real32(0.0));
    f.assign(v, 0.0);
    f.pop(t, TapeClass::Real, v.at((full(), range(2, 3))));
    f.pop(t, COUNT, c);
    f.pop(t, BITS3, m);
    f.pop(t, TapeClass::Real32, s);
    f.pop(t, BIT, b);
    f.pop(t, TapeClass::Integer, n);
    f.pop(t, TapeClass::Real, x);
    f.assign(n, n + 10 * m + 100 * c);
    let mut arguments = [
        1.5.into(),
        7.into(),
        true.into(),
        Value::real32(0.1).into(),
        Value::real_array(&[2, 3], Order::Row, &[1., 2., 3., 4., 5., 6.])
            .unwrap()
            .into(),
    ];
    let tape = run(&program(f), &mut arguments).unwrap().tape;
    assert_eq!((real(&arguments[0]), real(&arguments[1])), (3.0, 657.0));
    assert_eq!(real(&arguments[2]), 1.0);
    assert_eq!(real(&arguments[3]), f64::from(0.1f32));
    assert_eq!(reals(&arguments[4]), [0., 2., 3., 0., 5., 6.]);
    assert_eq!((tape.pushes, tape.pops), (10, 10));
    // 1 + 3 + the code of 6, which is that of 7: 2*2 + 1.
    assert_eq!(tape.control_bits, 9);
    assert_eq!((tape.integers, tape.reals, tape.reals32), (1, 5, 1));
    assert_eq!(tape.value_bytes, 8 + 40 + 4);
    assert_eq!(tape.peak_bytes, 52 + 2);
    assert_eq!(tape.leftovers, [TapeSize::default()]);
}

#[test]
fn pushes_and_pops_are_no_use_of_an_uninitialised_value() {
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let (x, k, b) = (
        f.output("x", Real),
        f.output("k", Integer),
        f.output("b", Logical),
    );
    let t = f.local("t", TapeType);
    let set = |f: &mut RoutineBuilder| {
        f.assign(x, 1.0);
        f.assign(k, 1);
        f.assign(b, true);
    };
    f.if_then(gt(n, 0), set);
    f.push(t, TapeClass::Real, x);
    f.push(t, TapeClass::Integer, k);
    f.push(t, BIT, b);
    f.push(t, BITS3, k);
    set(&mut f);
    f.pop(t, BITS3, k);
    f.pop(t, BIT, b);
    f.pop(t, TapeClass::Integer, k);
    f.pop(t, TapeClass::Real, x);
    let p = program(f);
    for n in [0, 1] {
        let mut arguments = [n.into(), 0.0.into(), 0.into(), false.into()];
        run(&p, &mut arguments).unwrap();
        for argument in &arguments[1..] {
            assert_eq!(argument.value().unwrap().get_f64(0), (n > 0).then_some(1.0));
        }
    }
}

/// `forward(x, tape)` saves x; `reverse(x, tape)` brings it back.
fn sweeps() -> (cfg_core::validate::ValidProgram, RoutineId, RoutineId) {
    let mut p = ProgramBuilder::new();
    let mut f = RoutineBuilder::new("forward");
    let (x, t) = (f.inout("x", Real), f.inout("tape", TapeType));
    f.push(t, TapeClass::Real, x);
    f.push(t, COUNT, 3);
    f.assign(x, x * x);
    let forward = p.add(f);
    let mut f = RoutineBuilder::new("reverse");
    let (x, t) = (f.inout("x", Real), f.inout("tape", TapeType));
    let n = f.local("n", Integer);
    f.pop(t, COUNT, n);
    f.pop(t, TapeClass::Real, x);
    let reverse = p.add(f);
    let mut f = RoutineBuilder::new("both");
    let x = f.inout("x", Real);
    let t = f.local("t", TapeType);
    f.call(forward, [x, t]);
    f.call(forward, [x, t]);
    f.call(reverse, [x, t]);
    p.add(f);
    (p.finish().unwrap(), forward, reverse)
}

#[test]
fn a_tape_is_passed_on_and_dies_with_its_routine() {
    let (p, ..) = sweeps();
    let mut arguments = [3.0.into()];
    let tape = run(&p, &mut arguments).unwrap().tape;
    assert_eq!(real(&arguments[0]), 9.0);
    assert_eq!((tape.pushes, tape.pops), (4, 2));
    // What the second pop has left, in the order of death.
    let left = TapeSize {
        control_bits: 5,
        reals: 1,
        ..TapeSize::default()
    };
    assert_eq!(tape.leftovers, [left]);
}

#[test]
fn a_tape_of_the_host_carries_values_from_run_to_run() {
    let (p, forward, reverse) = sweeps();
    let compiled = Compiled::new(&p, &CompileOptions::default()).unwrap();
    let mut session = Session::new(&compiled);
    let options = RunOptions::default();
    let mut arguments = [3.0.into(), Argument::Tape(Tape::default())];
    session.run(forward, &mut arguments, &options).unwrap();
    assert_eq!(real(&arguments[0]), 9.0);
    assert_eq!(arguments[1].tape().unwrap().size().reals, 1);
    let report = session.run(reverse, &mut arguments, &options).unwrap();
    assert_eq!(real(&arguments[0]), 3.0);
    assert!(report.tape.leftovers[0].is_empty());
    // Bytes that were there before the run count for the peak.
    assert_eq!(report.tape.peak_bytes, 9);
    let problem = session.run(reverse, &mut arguments, &options).unwrap_err();
    assert_eq!(problem.code, "X216");
    assert!(problem.message.contains("control"), "{problem}");
    assert!(arguments[1].tape().is_some());
}

#[test]
fn tape_memory_is_limited() {
    let mut f = RoutineBuilder::new("f");
    let (n, i, t) = (
        f.input("n", Integer),
        f.local("i", Integer),
        f.local("t", TapeType),
    );
    f.for_loop(i, 1, n, |f| f.push(t, TapeClass::Integer, i));
    let p = program(f);
    let options = RunOptions {
        max_tape: 800,
        ..RunOptions::default()
    };
    let compile = CompileOptions::default();
    run_with(&p, &mut [100.into()], &compile, &options).unwrap();
    let problem = run_with(&p, &mut [101.into()], &compile, &options).unwrap_err();
    assert_eq!(problem.code, "X209");
    assert!(
        problem.message.contains("800") && problem.help.contains("--max-tape"),
        "{problem}"
    );
    assert_eq!(
        problem.at.element.as_deref(),
        Some("routine f, vertex 3, statement 1")
    );
}

#[test]
fn control_values_that_do_not_fit_are_faults() {
    let mut f = RoutineBuilder::new("f");
    let (n, t) = (f.input("n", Integer), f.local("t", TapeType));
    f.push(t, BITS3, n);
    f.push(t, COUNT, n - 2);
    let p = program(f);
    run(&p, &mut [7.into()]).unwrap();
    for (n, part) in [
        (8, "3 control bits"),
        (-1, "3 control bits"),
        (1, "-1 is not a count"),
    ] {
        let (code, message, _) = fault(&p, &mut [n.into()]);
        assert_eq!(code, "X217");
        assert!(message.contains(part), "{message}");
    }
}

/// A tape that dies with values on it gives its memory back: a routine may leave some as often as it is called.
#[test]
fn what_is_left_on_a_tape_that_dies_takes_no_tape_memory() {
    let mut program = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let (x, t) = (g.inout("x", Real), g.local("t", TapeType));
    g.push(t, TapeClass::Real, x);
    g.push(t, TapeClass::Real, x);
    let g = program.add(g);
    let mut f = RoutineBuilder::new("f");
    let (x, n, i) = (
        f.inout("x", Real),
        f.input("n", Integer),
        f.local("i", Integer),
    );
    f.for_loop(i, 1, n, |f| f.call(g, [x]));
    let f = program.add(f);
    program.main(f);
    let p = program.finish().unwrap();
    let options = RunOptions {
        max_tape: 16,
        ..RunOptions::default()
    };
    let compile = CompileOptions::default();
    let mut arguments = [1.0.into(), 50.into()];
    let tape = run_with(&p, &mut arguments, &compile, &options)
        .unwrap()
        .tape;
    assert_eq!((tape.peak_bytes, tape.leftovers.len()), (16, 50));
}

/// A number that is no value of the variable into which it is popped is an error that says both.
#[test]
fn popped_numbers_fit_their_variables() {
    let mut f = RoutineBuilder::new("f");
    let (n, k, t) = (
        f.input("n", Integer),
        f.local("k", ScalarType::Sized(IntType::Int8)),
        f.local("t", TapeType),
    );
    f.push(t, TapeClass::Integer, n);
    f.pop(t, TapeClass::Integer, k);
    let p = program(f);
    for n in [127, -128] {
        run(&p, &mut [n.into()]).unwrap();
    }
    for n in [128, -129] {
        let (code, message, _) = fault(&p, &mut [n.into()]);
        assert_eq!(code, "X203", "{message}");
        let part = format!("{n} from the tape as int8");
        assert!(message.contains(&part), "{message}");
    }
}
