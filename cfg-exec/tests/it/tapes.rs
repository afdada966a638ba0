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
use cfg_testkit::flat;

use crate::common::{fault, parsed, program, real, reals, run, run_with};

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
    // The values that the second pop has left. `leftovers` lists tapes in the order in which they end.
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
    let compiled = Compiled::new(&flat(&p), &CompileOptions::default()).unwrap();
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

/// Arrays of every class, type and order are put on a tape and come back, sections and what has no elements, too; each element is
/// counted.
#[test]
fn arrays_of_every_class_come_back() {
    for (ty, class, one, two, bits) in [
        ("real", "real", "1.0", "2.0", 64u64),
        ("real32", "real32", "1.0f", "2.0f", 32),
        ("integer", "integer", "1", "2", 64),
        ("int8", "integer", "int8(1)", "int8(-128)", 64),
        (
            "uint64",
            "integer",
            "uint64(1)",
            "uint64(12345678901234567890)",
            64,
        ),
        ("logical", "control 1", "true", "false", 1),
        ("integer", "control 2", "1", "3", 2),
        ("integer", "control count", "1", "2", 3),
        ("integer", "control count", "0", "0", 1),
    ] {
        let p = parsed(&format!(
            "main subroutine f(out real y)
              local {ty} a[2, 3], c[2, 3] column, v[6], one, two
              local logical ok
              local tape t
              one := {one}
              two := {two}
              a := one
              c := one
              v := one
              a[2, 1] := two
              c[1, 2] := two
              v[2] := two
              push[{class}] a on t
              push[{class}] c on t
              push[{class}] a[:, 3:1:-2] on t
              push[{class}] v[2:6:2] on t
              push[{class}] v[5:4] on t
              a := two
              c := two
              v := two
              v[5:4] := pop[{class}] from t
              v[2:6:2] := pop[{class}] from t
              a[:, 3:1:-2] := pop[{class}] from t
              ok := v[2] == two and v[4] == one and v[6] == one and v[5] == two
              ok := ok and a[1, 1] == one and a[1, 3] == one and a[2, 3] == one
              ok := ok and a[2, 1] == two and a[1, 2] == two
              c := pop[{class}] from t
              a := pop[{class}] from t
              ok := ok and c[1, 2] == two and c[2, 2] == one and c[1, 3] == one
              ok := ok and a[2, 1] == two and a[1, 2] == one and a[2, 3] == one
              y := if(ok, 1.0, 0.0)
            end"
        ));
        let mut arguments = [0.0.into()];
        let tape = run(&p, &mut arguments)
            .unwrap_or_else(|e| panic!("{ty} {class}: {e}"))
            .tape;
        assert_eq!(real(&arguments[0]), 1.0, "{ty} {class}");
        assert_eq!((tape.pushes, tape.pops), (19, 19), "{ty} {class}");
        let of = |other: &str| if class == other { 19 } else { 0 };
        assert_eq!(tape.reals, of("real"));
        assert_eq!(tape.reals32, of("real32"));
        assert_eq!(tape.integers, of("integer"));
        let control = if class.starts_with("control") {
            19 * bits
        } else {
            0
        };
        assert_eq!(tape.control_bits, control, "{ty} {class}");
        assert_eq!(tape.peak_bytes, (19 * bits).div_ceil(8), "{ty} {class}");
        assert_eq!(tape.leftovers, [TapeSize::default()]);
    }
}

/// Elements without a value keep that state on a tape; a count must have one.
#[test]
fn elements_without_a_value_come_back() {
    for (ty, class, one) in [
        ("real", "real", "1.0"),
        ("real32", "real32", "1.0f"),
        ("integer", "integer", "1"),
        ("int8", "integer", "int8(1)"),
        ("uint64", "integer", "uint64(1)"),
        ("logical", "control 1", "true"),
        ("integer", "control 2", "1"),
        ("integer", "control count", "1"),
    ] {
        for [array, element] in [["a", "a[2]"], ["a[1:3:2]", "a[3]"], ["a[2]", "a[2]"]] {
            let p = parsed(&format!(
                "subroutine lose(in logical set, out {ty} x)
                  if set
                    x := {one}
                  end
                end
                main subroutine f(in logical set, out real y)
                  local {ty} a[3]
                  local tape t
                  a := {one}
                  call lose(set, {element})
                  push[{class}] {array} on t
                  a := {one}
                  {array} := pop[{class}] from t
                  y := if({element} == a[1], 1.0, 0.0)
                end"
            ));
            let mut arguments = [true.into(), 0.0.into()];
            run(&p, &mut arguments).unwrap_or_else(|e| panic!("{ty} {class} {array}: {e}"));
            assert_eq!(real(&arguments[1]), 1.0, "{ty} {class} {array}");
            let (code, message, at) = fault(&p, &mut [false.into(), 0.0.into()]);
            assert_eq!(code, "X202", "{ty} {class} {array}");
            let (what, statement) = match class {
                "control count" => ("a count on the control stack", 3),
                _ => ("a condition", 6),
            };
            let expected = format!("{what} depends on an uninitialised value");
            assert_eq!(message, expected, "{ty} {class} {array}");
            let expected = format!("routine f, vertex 2, statement {statement}");
            assert_eq!(at, expected, "{ty} {class} {array}");
        }
    }
}

/// An array is refused by the tape as its elements are: what does not fit, what is not there.
#[test]
fn arrays_that_do_not_fit_are_faults() {
    let empty = |stack: &str| ("X216", format!("the {stack} stack of the tape is empty"));
    let other = |code, message: &str| (code, message.to_owned());
    for (statement, expected) in [
        (
            "push[control 2] v on t",
            other("X217", "200 does not fit into 2 control bits"),
        ),
        (
            "push[control count] w on t",
            other("X217", "-1 is not a count"),
        ),
        (
            "push[integer] v on t\n  k := pop[integer] from t",
            other("X203", "200 from the tape as int8 does not fit"),
        ),
        ("k := pop[integer] from t", empty("integer")),
        ("v := pop[integer] from t", empty("integer")),
        ("x := pop[real] from t", empty("real")),
        ("x[1:3:2] := pop[real] from t", empty("real")),
        ("s := pop[real32] from t", empty("real32")),
        ("l := pop[control 1] from t", empty("control")),
        ("v := pop[control 2] from t", empty("control")),
        ("v := pop[control count] from t", empty("control")),
    ] {
        let p = parsed(&format!(
            "main subroutine f(out real y)
  local integer v[3], w[3]
  local int8 k[3]
  local real x[3]
  local real32 s[3]
  local logical l[3]
  local tape t
  v := 1
  v[3] := 200
  w := 0
  w[2] := -1
  {statement}
  y := 1.0
end"
        ));
        let (code, message, _) = fault(&p, &mut [0.0.into()]);
        assert_eq!((&*code, message), expected, "{statement}");
    }
}

/// The memory of a tape that has died is used by the next one, which is empty: nothing of what was left is found there.
#[test]
fn a_new_tape_is_empty() {
    for (class, ty, one) in [
        ("real", "real", "1.0"),
        ("real32", "real32", "1.0f"),
        ("integer", "integer", "1"),
        ("control 3", "integer", "1"),
        ("control count", "integer", "1"),
    ] {
        let p = parsed(&format!(
            "subroutine g(in logical pushes)
              local {ty} x
              local tape t
              if pushes
                x := {one}
                push[{class}] x on t
                push[{class}] x on t
              else
                x := pop[{class}] from t
              end
            end
            main subroutine f(in integer n)
              call g(true)
              call g(n > 5)
            end"
        ));
        let tape = run(&p, &mut [9.into()]).unwrap().tape;
        assert_eq!(tape.leftovers.len(), 2, "{class}");
        assert_eq!(tape.leftovers[0], tape.leftovers[1], "{class}");
        assert!(!tape.leftovers[0].is_empty(), "{class}");
        let (code, _, at) = fault(&p, &mut [3.into()]);
        assert_eq!(
            (&*code, &*at),
            ("X216", "routine g, vertex 4, statement 1"),
            "{class}"
        );
    }
}

/// An array without a shape has no elements to push or pop.
#[test]
fn arrays_without_a_shape_are_no_values_on_a_tape() {
    let p = parsed(
        "main subroutine f(in logical set, out real y)
          local real w[:], v[3]
          local tape t
          v := 2.0
          if set
            w := v
          end
          push[real] w on t
          if set
            w := 0.0
          end
          w := pop[real] from t
          y := if(set, w[3], 1.0)
        end",
    );
    for (set, pushes, expected) in [(true, 3, 2.0), (false, 0, 1.0)] {
        let mut arguments = [set.into(), 0.0.into()];
        let tape = run(&p, &mut arguments).unwrap().tape;
        assert_eq!((tape.pushes, tape.pops), (pushes, pushes));
        assert_eq!(real(&arguments[1]), expected);
    }
}

/// Arrays go to a tape and come from one that is there; an optional one that was not given is not.
#[test]
fn arrays_need_a_tape_that_is_there() {
    for statement in ["push[real] w on t", "w := pop[real] from t"] {
        for (given, expected) in [("absent", "X213"), ("u", "runs")] {
            let program = crate::common::parsed(&format!(
                "subroutine g(optional inout tape t, inout real w[3])
                  {statement}
                end
                main subroutine f(inout real w[3])
                  local tape u
                  push[real] w on u
                  call g({given}, w)
                end"
            ));
            let mut arguments = [Value::from_reals(&[1.0, 2.0, 3.0]).into()];
            let ended = crate::common::run(&program, &mut arguments);
            let found = ended.err().map_or("runs", |problem| problem.code);
            assert_eq!(found, expected, "{statement} with {given}");
        }
    }
}
