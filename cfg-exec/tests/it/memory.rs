//! Everything that a run takes is within the limit on memory: at the limit it runs, with one byte less it does not.

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    elemental::Scalar,
    entity::{GlobalId, RoutineId},
    ir::{
        Dim, Expr, Order, Overlay,
        ScalarType::{Integer, Real, Tape},
        TapeClass,
    },
    validate::ValidProgram,
};
use cfg_exec::{Argument, CompileOptions, Compiled, Memory, RunOptions, Session, Value};
use cfg_testkit::flat;

/// A program and the arguments of its last routine, for a size.
type Kind = (
    &'static str,
    fn(usize) -> (ValidProgram, Vec<Argument>),
    u64,
);

fn finish(program: ProgramBuilder) -> ValidProgram {
    program.finish().unwrap_or_else(|e| panic!("{e}"))
}

fn one(f: RoutineBuilder) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    program.add(f);
    finish(program)
}

fn n_of(n: usize) -> Argument {
    Argument::from(n as i64)
}

fn global(n: usize) -> (ValidProgram, Vec<Argument>) {
    let mut p = ProgramBuilder::new();
    let g = p.global("g", Real.array([n as i64]));
    p.initialize(g, [1.0]);
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real);
    let g = f.global(p.program(), g);
    f.assign(y, g.at(1));
    p.add(f);
    (finish(p), vec![0.0.into()])
}

fn argument(n: usize) -> (ValidProgram, Vec<Argument>) {
    let mut f = RoutineBuilder::new("f");
    let x = f.inout("x", Real.array([Dim::deferred()]));
    f.assign(x.at(1), 2.0);
    (one(f), vec![Value::from_reals(&vec![0.0; n]).into()])
}

fn local(n: usize) -> (ValidProgram, Vec<Argument>) {
    let mut f = RoutineBuilder::new("f");
    let n_ = f.input("n", Integer);
    let v = f.local("v", Real.array([n_]));
    f.assign(v, 0.0);
    (one(f), vec![n_of(n)])
}

fn temporary(n: usize) -> (ValidProgram, Vec<Argument>) {
    let mut f = RoutineBuilder::new("f");
    let n_ = f.input("n", Integer);
    let v = f.local("v", Real.array([n_]));
    f.assign(v, 1.0);
    f.assign(v, Expr::from(v.at(strided(n_, 1, -1))) + 1.0);
    (one(f), vec![n_of(n)])
}

fn frames(n: usize) -> (ValidProgram, Vec<Argument>) {
    let mut p = ProgramBuilder::new();
    let id = p.declare("f");
    let mut f = RoutineBuilder::new("f");
    let n_ = f.input("n", Integer);
    f.if_then(gt(n_, 0), |f| f.call(id, [n_ - 1]));
    p.define(id, f);
    (finish(p), vec![n_of(n)])
}

/// Pushes `n` values, by element.
fn pushes(n: usize, class: TapeClass, value: Expr) -> (ValidProgram, Vec<Argument>) {
    let mut f = RoutineBuilder::new("f");
    let n_ = f.input("n", Integer);
    let t = f.local("t", Tape);
    let i = f.local("i", Integer);
    f.for_loop(i, 1, n_, |f| f.push(t, class, value.clone()));
    (one(f), vec![n_of(n)])
}

fn reals(n: usize) -> (ValidProgram, Vec<Argument>) {
    pushes(n, TapeClass::Real, Expr::Real(1.0))
}

fn integers(n: usize) -> (ValidProgram, Vec<Argument>) {
    pushes(n, TapeClass::Integer, Expr::Int(1))
}

fn real32s(n: usize) -> (ValidProgram, Vec<Argument>) {
    pushes(n, TapeClass::Real32, Expr::Real32(1.0))
}

/// A function's result.
fn result(n: usize) -> (ValidProgram, Vec<Argument>) {
    let mut f = RoutineBuilder::new("f");
    let n_ = f.input("n", Integer);
    let r = f.result("r", Real.array([n_]));
    f.assign(r, 1.0);
    (one(f), vec![n_of(n)])
}

/// Two arguments of which the cells are compared one by one.
fn overlap(n: usize) -> (ValidProgram, Vec<Argument>) {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let a = g.inout("a", Real.array([Dim::deferred()]));
    g.input("b", Real.array([Dim::deferred(), Dim::deferred()]));
    g.assign(a.at(1), 0.0);
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    let n_ = f.input("n", Integer);
    let v = f.local("v", Real.array([Dim::from(n_), Dim::from(3)]));
    f.assign(v, 1.0);
    f.call(g, [v.at((full(), 1)), v.at((full(), range(2, 3)))]);
    p.add(f);
    (finish(p), vec![n_of(n)])
}

const KINDS: &[Kind] = &[
    ("global", global, 8),
    ("argument", argument, 8),
    ("local", local, 8),
    ("temporary", temporary, 16),
    ("frames", frames, 8),
    ("reals on a tape", reals, 8),
    ("integers on a tape", integers, 8),
    ("32-bit reals on a tape", real32s, 4),
    ("result", result, 16),
    ("arguments that are compared", overlap, 32),
];

/// How a run within a limit ends, if not well: the code.
fn run(compiled: &Compiled, last: usize, arguments: &[Argument], limit: u64) -> Result<(), String> {
    let memory = Memory::default();
    let mut session = Session::sharing(compiled, &memory, limit);
    let mut arguments = arguments.to_vec();
    let options = RunOptions {
        max_memory: limit,
        max_depth: usize::MAX,
        ..RunOptions::default()
    };
    let ended = session.run(RoutineId::new(last), &mut arguments, &options);
    assert!(memory.used() <= limit, "{} of {limit}", memory.used());
    ended.map(|_| ()).map_err(|problem| {
        assert!(problem.at.element.is_some(), "{problem}");
        problem.code.to_owned()
    })
}

/// The smallest limit with which it runs.
fn needed(name: &str, (program, arguments): (ValidProgram, Vec<Argument>), trace: bool) -> u64 {
    let options = CompileOptions {
        trace,
        ..CompileOptions::default()
    };
    let compiled = Compiled::new(&flat(&program), &options).unwrap_or_else(|e| panic!("{e}"));
    let last = program.routines.len() - 1;
    let run = |limit| run(&compiled, last, &arguments, limit);
    let (mut low, mut high) = (0u64, 1 << 30);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match run(middle) {
            Ok(()) => high = middle,
            Err(code) => {
                assert_eq!(code, "X210", "{name} within {middle}");
                low = middle;
            }
        }
    }
    assert_eq!(run(high), Ok(()), "{name}");
    assert_eq!(run(high - 1), Err("X210".to_owned()), "{name}");
    high
}

#[test]
fn every_kind_is_taken_within_the_limit_and_not_beyond() {
    for &(name, make, each) in KINDS {
        let (few, many) = (
            needed(name, make(1000), false),
            needed(name, make(9000), false),
        );
        assert!(
            many - few >= 8000 * each,
            "{name}: {few} and {many} bytes for 1000 and 9000"
        );
    }
}

#[test]
fn traces_are_taken_within_the_limit() {
    let (few, many) = (
        needed("trace", reals(1000), true),
        needed("trace", reals(9000), true),
    );
    let plain = needed("no trace", reals(9000), false);
    assert!(
        many - few >= 8000 * 60 && many > plain,
        "{few}, {many}, {plain}"
    );
}

/// Copies of one block, and views that strides describe, take no memory besides the arrays. A copy in another order
/// takes at most two words for each element; a view without strides is gathered.
#[test]
fn only_what_strides_cannot_say_takes_memory() {
    let least = |routines: &str, statement: &str| {
        let program = crate::common::parsed(&format!(
            "{routines}
            main subroutine f(out real y)
              local real v[40, 30], w[40, 30]
              local real c[40, 30] column
              v := 1.0
              w := 2.0
              c := 3.0
              {statement}
              y := v[1, 2]
            end"
        ));
        needed(statement, (program, vec![0.0.into()]), false)
    };
    let plain = least("", "y := 0.0");
    assert_eq!(least("", "v := w"), plain);
    assert_eq!(least("", "v := c"), plain + 16 * 1200);
    // The parameter has the extents given, and is row by row.
    let call = |extents: &str, argument: &str| {
        let g = format!("subroutine g(in real a[{extents}])\nend");
        least(&g, &format!("call g({argument})"))
    };
    let view = call("40, 30", "v");
    assert_eq!(call("1200", "v"), view);
    assert_eq!(call("40", "v[:, 2]"), view);
    assert_eq!(call("20, 2", "v[:, 2]"), view);
    assert_eq!(call("1200", "v[:, 30:1:-1]") - view, 16 * 1200);
}

/// 100 million elements, which must never be allocated, not even temporarily.
#[test]
fn globals_are_not_taken_before_they_are_needed() {
    let (program, mut arguments) = global(100_000_000);
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).expect("it compiles");
    let memory = Memory::default();
    let mut session = Session::sharing(&compiled, &memory, 10 << 20);
    let options = RunOptions {
        max_memory: 10 << 20,
        ..RunOptions::default()
    };
    let main = RoutineId::new(0);
    let problem = session.run(main, &mut arguments, &options).unwrap_err();
    assert_eq!(problem.code, "X210");
    assert_eq!(problem.at.element.as_deref(), Some("routine f"));
    assert_eq!(session.global_shape(GlobalId::new(0)), [100_000_000]);
    assert_eq!(memory.used(), 0);
}

#[test]
fn sessions_that_share_an_account_share_its_limit() {
    let (program, arguments) = local(10_000);
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).expect("it compiles");
    let alone = needed("local", local(10_000), false);
    let memory = Memory::default();
    let options = RunOptions {
        max_memory: alone + alone / 2,
        ..RunOptions::default()
    };
    let main = RoutineId::new(0);
    let session = || Session::sharing(&compiled, &memory, u64::MAX);
    let (mut first, mut second) = (session(), session());
    assert!(first.run(main, &mut arguments.clone(), &options).is_ok());
    // The buffers that the first session keeps leave too little memory.
    let problem = second.run(main, &mut arguments.clone(), &options);
    assert_eq!(problem.unwrap_err().code, "X210");
    drop(second);
    // With a smaller limit the session gives back its own buffers.
    let less = RunOptions {
        max_memory: alone,
        ..options
    };
    assert!(first.run(main, &mut arguments.clone(), &less).is_ok());
    drop(first);
    assert_eq!(memory.used(), 0);
}

#[test]
fn globals_keep_their_values_when_memory_is_given_back() {
    let mut p = ProgramBuilder::new();
    let g = p.global("g", Integer.array([3]));
    p.initialize(g, [1i64, 2, 3]);
    let cells = 10_000;
    let large = p.global("large", Integer.array([cells]));
    p.initialize(large, [0i64]);
    let mut f = RoutineBuilder::new("f");
    let n = f.input("n", Integer);
    let v = f.local("v", Real.array([n]));
    f.assign(v, 0.0);
    let here = f.global(p.program(), g);
    f.assign(here.at(2), here.at(2) + n);
    p.add(f);
    let program = finish(p);
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).expect("it compiles");
    let memory = Memory::default();
    let mut session = Session::sharing(&compiled, &memory, 1 << 30);
    let main = RoutineId::new(0);
    let run = |session: &mut Session, n: i64, limit| {
        let options = RunOptions {
            max_memory: limit,
            ..RunOptions::default()
        };
        session.run(main, &mut [n.into()], &options).map(|_| ())
    };
    run(&mut session, 100_000, 1 << 30).expect("there is room");
    // The second run takes memory for calls only.
    run(&mut session, 0, 200_000).expect("the large array is given back");
    let used = memory.used();
    // A session that never had the large array uses as much memory.
    let alone = Memory::default();
    let mut other = Session::sharing(&compiled, &alone, 1 << 30);
    run(&mut other, 0, 200_000).expect("there is room");
    assert_eq!(used, alone.used());
    let values = session.global(g);
    let values: Vec<_> = (0..3).map(|k| values.get(k)).collect();
    let expected = [1, 100_002, 3].map(|n| Some(Scalar::Integer(n)));
    assert_eq!(values, expected);
    session.reset_globals();
    assert_eq!(session.global(g).get(1), Some(Scalar::Integer(2)));
    let mut set = Value::integers(&[7, 8, 9]);
    set.set(0, Scalar::Integer(-7));
    session.set_global(g, &set).expect("it fits");
    assert_eq!(session.global(g), set);
}

/// A global may share the storage of one that is declared after it.
#[test]
fn the_owner_of_storage_may_be_declared_later() {
    let mut p = ProgramBuilder::new();
    let part = p.global("part", Real.array([2]));
    let owner = p.global("owner", Real.array([4]));
    p.initialize(owner, [1.0, 2.0, 3.0, 4.0]);
    let base = owner;
    p.overlay(part, Overlay { base, offset: 1 });
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real);
    let here = f.global(p.program(), part);
    f.assign(y, here.at(2));
    p.add(f);
    let program = finish(p);
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).expect("it compiles");
    let mut arguments = [0.0.into()];
    let mut session = Session::new(&compiled);
    session
        .run(RoutineId::new(0), &mut arguments, &RunOptions::default())
        .expect("it runs");
    assert_eq!(crate::common::real(&arguments[0]), 3.0);
    let expected = Value::real_array(&[2], Order::Row, &[2.0, 3.0]).expect("two elements");
    assert_eq!(session.global(part), expected);
}

/// A global without elements needs no initial values.
#[test]
fn globals_without_elements_have_no_values() {
    let mut p = ProgramBuilder::new();
    let none = p.global("none", Real.array([0]));
    p.initialize(none, [] as [f64; 0]);
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real);
    let here = f.global(p.program(), none);
    f.assign(y, sum(here) + 1.0);
    p.add(f);
    let program = finish(p);
    let mut arguments = [0.0.into()];
    crate::common::run(&program, &mut arguments).expect("it runs");
    assert_eq!(crate::common::real(&arguments[0]), 1.0);
}

/// The result of a function is taken from the machine when the run is over; where memory for it is refused, nothing has been
/// written to the arguments.
#[test]
fn a_result_without_memory_leaves_arguments_as_they_are() {
    let mut f = RoutineBuilder::new("f");
    let x = f.inout("x", Real);
    let r = f.result("r", Real.array([500]));
    f.assign(x, x + 1.0);
    f.assign(r, x);
    let program = one(f);
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).expect("it compiles");
    let mut session = Session::new(&compiled);
    let (mut refused, mut ran) = (0, 0);
    for max_memory in (0..20_000).step_by(8) {
        let options = RunOptions {
            max_memory,
            ..RunOptions::default()
        };
        let mut arguments = [1.0.into()];
        match session.run(RoutineId::new(0), &mut arguments, &options) {
            Ok(_) => ran += 1,
            Err(problem) => {
                assert_eq!(problem.code, "X210");
                assert_eq!(crate::common::real(&arguments[0]), 1.0, "{max_memory}");
                refused += 1;
            }
        }
    }
    assert!(ran > 0 && refused > 500, "{ran} {refused}");
}

/// Memory that one pass of a loop takes temporarily is given back before the next one: for conditions with
/// reductions, expressions that read their target, and arrays that change between shapes of one size.
#[test]
fn passes_give_back_what_they_take() {
    for (statements, growth) in [
        (
            "while maxval(a*2.0) + maxval(a*3.0) < 1.0 and i < n\n  i := i + 1\n  end",
            0,
        ),
        (
            "for i = 1, n\n  if maxval(a*2.0) < maxval(a*3.0)\n  y := 1.0\n  end\n  end",
            0,
        ),
        (
            "for i = 1, n\n  if not (maxval(a*2.0) < 0.0)\n  y := 1.0\n  end\n  end",
            0,
        ),
        ("for i = 1, n\n  a := 2.0*a[100:1:-1]\n  end", 0),
        ("for i = 1, n\n  w := b\n  w := c\n  end", 0),
        // A shape that grows from pass to pass loses less than three times what it has in the end.
        ("for i = 1, n\n  v := d[1:i]\n  end", 8 * 4 * 1000),
    ] {
        let least = |n: usize| {
            let program = crate::common::parsed(&format!(
                "main subroutine f(in integer n, inout real y)
  local real a[100], w[:, :], b[20, 30], c[30, 20], v[:], d[1000]
  local integer i
  a := 0.0
  b := 0.0
  c := 0.0
  d := 0.0
  i := 0
  {statements}
end"
            ));
            needed(statements, (program, vec![n_of(n), 0.0.into()]), false)
        };
        let (few, many) = (least(10), least(1000));
        assert!(
            few <= many && many <= few + growth,
            "{statements}: {few} and {many} bytes"
        );
    }
}
