//! Corners in which machine code could differ, and its executor.

use std::sync::Arc;

use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::flat::Flat;
use cfg_core::ir::{
    ControlWidth, Expr, Op,
    ScalarType::{Integer, Real, Tape},
    TapeClass,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session};
use cfg_jit::Jit;

/// A program of one routine.
pub(crate) fn program(routine: RoutineBuilder) -> Flat {
    let mut program = ProgramBuilder::new();
    program.add(routine);
    let program = program.finish().unwrap_or_else(|e| panic!("{e}"));
    cfg_testkit::flat(&program)
}

/// A program for the executor alone, and with machine code.
struct Both([Compiled; 2]);

impl Both {
    fn of(routine: RoutineBuilder) -> Self {
        let program = program(routine);
        let by_machine_code = CompileOptions {
            engine: Some(Arc::new(Jit::everywhere_after(0))),
            ..CompileOptions::default()
        };
        Self(
            [CompileOptions::default(), by_machine_code]
                .map(|options| Compiled::new(&program, &options).unwrap_or_else(|e| panic!("{e}"))),
        )
    }

    /// The arguments behind a run, or its error: of both the same.
    fn run(&self, arguments: &[Argument]) -> Result<Vec<Argument>, String> {
        let [expected, found] = self.0.each_ref().map(|compiled| {
            let mut arguments = arguments.to_vec();
            let routine = cfg_core::entity::RoutineId::new(0);
            match Session::new(compiled).run(routine, &mut arguments, &RunOptions::default()) {
                Ok(report) => Ok((arguments, report.steps, report.tape)),
                Err(problem) => Err(format!("{problem:?}")),
            }
        });
        assert_eq!(format!("{expected:?}"), format!("{found:?}"));
        found.map(|(arguments, ..)| arguments)
    }
}

/// The index behind a loop up to 2^61 - 1, four times, is an overflow.
#[test]
fn an_index_may_not_grow_beyond_what_sums_bear() {
    for last in [
        (1 << 60) - 1,
        1 << 60,
        (1 << 61) - 1,
        1 << 61,
        (1 << 62) - 1,
    ] {
        let mut f = RoutineBuilder::new("f");
        let n = f.input("n", Integer);
        let t = f.output("t", Integer);
        let i = f.local("i", Integer);
        f.assign(t, 0);
        f.for_loop(i, n, n, |f| f.assign(t, t + 1));
        f.assign(t, i + i);
        f.assign(t, t + t);
        let found = Both::of(f).run(&[Argument::from(last), Argument::from(0)]);
        assert_eq!(found.is_err(), last >= (1 << 61) - 1, "{last}: {found:?}");
    }
}

/// The statement in front of a branch without an arm for its value runs once, in routines that keep no values in
/// registers between blocks too.
#[test]
fn a_case_without_an_arm_is_told_with_its_value() {
    for repetitions in [1, 3000] {
        let mut f = RoutineBuilder::new("f");
        let n = f.input("n", Integer);
        let x = f.output("x", Real);
        let k = f.local("k", Integer);
        f.assign(k, n);
        f.assign(x, 0.0);
        for _ in 0..repetitions {
            f.if_then(lt(k, 100), |f| f.assign(k, k + 1));
            f.assign(x, x + k);
        }
        f.while_loop(lt(x, 0.0), |f| f.assign(x, 1.0));
        f.assign(k, k + 1);
        f.cases(k, |arms| {
            arms.arm([7], |f| f.assign(x, x + 1.0));
            arms.arm([9], |f| f.assign(x, x + k));
            arms.arm([11], |f| f.assign(x, x - k));
        });
        f.assign(x, x + k);
        let found = Both::of(f).run(&[Argument::from(1000), Argument::from(0.0)]);
        let problem = found.expect_err("no arm");
        assert!(problem.contains("1001"), "{problem}");
    }
}

/// Values at the limits of every operator that machine code does by itself.
#[test]
fn values_at_the_limits_are_those_of_the_executor() {
    let integers = [
        i64::MIN,
        -(1 << 62) - 1,
        -(1 << 62),
        -(1 << 31),
        -1,
        0,
        1,
        (1 << 31) - 1,
        (1 << 62) - 1,
        1 << 62,
        i64::MAX,
    ];
    let mut f = RoutineBuilder::new("f");
    let (a, b) = (f.input("a", Integer), f.input("b", Integer));
    let op = f.input("op", Integer);
    let r = f.output("r", Integer);
    let x = f.output("x", Real);
    f.assign(x, 0.5);
    f.cases(op, |arms| {
        arms.arm([0], |f| f.assign(r, a + b));
        arms.arm([1], |f| f.assign(r, a - b));
        arms.arm([2], |f| f.assign(r, a * b));
        arms.arm([3], |f| f.assign(r, a / b));
        arms.arm([4], |f| f.assign(r, modulus(a, b)));
        arms.arm([5], |f| f.assign(r, min(a, b)));
        arms.arm([6], |f| f.assign(r, -Expr::from(a)));
        arms.arm([7], |f| f.assign(r, abs(a)));
        arms.arm([8], |f| f.assign(r, a + -2_147_483_648));
        arms.arm([9], |f| f.assign(r, (a + b) + (a + b)));
        arms.arm([10], |f| f.assign(r, (a - b) * (b - a)));
        arms.arm([11], |f| {
            f.assign(x, real(a));
            f.assign(r, int(x * 1.0));
        });
        arms.default(|f| f.if_else(lt(a, b), |f| f.assign(r, 1), |f| f.assign(r, 2)));
    });
    let both = Both::of(f);
    for a in integers {
        for b in integers {
            for op in 0..13 {
                let mut arguments = vec![Argument::from(a), Argument::from(b), Argument::from(op)];
                arguments.extend([Argument::from(0), Argument::from(0.0)]);
                drop(both.run(&arguments));
            }
        }
    }
}

/// The strong product.
fn strong(a: cfg_core::entity::VarId, b: cfg_core::entity::VarId) -> Expr {
    Expr::op(Op::StrongMul, [a.into(), b.into()])
}

/// Reals at the limits: signed zeros, infinities, NaN, the conversion's limits.
#[test]
fn reals_at_the_limits_are_those_of_the_executor() {
    let reals = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE / 4.0,
        f64::MAX,
        9_223_372_036_854_774_784.0,
        9_223_372_036_854_775_808.0,
        -9_223_372_036_854_775_808.0,
    ];
    let mut f = RoutineBuilder::new("f");
    let (a, b) = (f.input("a", Real), f.input("b", Real));
    let op = f.input("op", Integer);
    let x = f.output("x", Real);
    let n = f.output("n", Integer);
    f.assign(n, 0);
    f.cases(op, |arms| {
        arms.arm([0], |f| f.assign(x, min(a, b)));
        arms.arm([1], |f| f.assign(x, max(a, b)));
        arms.arm([2], |f| f.assign(x, a * b + a));
        arms.arm([3], |f| f.assign(x, a - b * a));
        arms.arm([4], |f| f.assign(x, a / b));
        arms.arm([5], |f| f.assign(x, strong(a, b)));
        arms.arm([6], |f| f.assign(x, Expr::from(b) + strong(a, b)));
        arms.arm([7], |f| f.assign(x, sqrt(a) + abs(b)));
        arms.arm([8], |f| f.assign(x, sign(a, b)));
        arms.arm([9], |f| f.assign(n, int(a)));
        arms.arm([10], |f| f.assign(x, -Expr::from(a)));
        arms.arm([11], |f| {
            f.if_else(le(a, b), |f| f.assign(n, 1), |f| f.assign(n, 2));
        });
        arms.arm([12], |f| {
            f.if_else(ne(a, b), |f| f.assign(n, 1), |f| f.assign(n, 2));
        });
        arms.default(|f| f.assign(x, pow(a, b)));
    });
    let both = Both::of(f);
    for a in reals {
        for b in reals {
            for op in 0..14 {
                let mut arguments = vec![Argument::from(a), Argument::from(b), Argument::from(op)];
                arguments.extend([Argument::from(0.0), Argument::from(0)]);
                drop(both.run(&arguments));
            }
        }
    }
}

/// Pushes and pops by machine code alone, in tapes that have had room since an earlier pass: most bytes at one time are
/// in front of a pop, and control values lie across words.
#[test]
fn tapes_that_are_filled_and_emptied_count_alike() {
    let digits = TapeClass::Control(ControlWidth::Bits(3));
    let count = TapeClass::Control(ControlWidth::Count);
    let mut f = RoutineBuilder::new("f");
    let passes = f.input("passes", Integer);
    let s = f.output("s", Real);
    let (k, j) = (f.local("k", Integer), f.local("j", Integer));
    let (m, c) = (f.local("m", Integer), f.local("c", Integer));
    let x = f.local("x", Real);
    let t = f.local("t", Tape);
    f.assign(s, 0.0);
    f.for_loop(k, 1, passes, |f| {
        f.for_loop(j, 1, k + 100, |f| {
            f.push(t, TapeClass::Real, s + j);
            f.push(t, digits, modulus(j, 8));
            f.push(t, count, j);
        });
        f.for_loop(j, 1, k + 100, |f| {
            f.pop(t, count, c);
            f.pop(t, digits, m);
            f.pop(t, TapeClass::Real, x);
            f.assign(s, s * 0.5 + (x * m + c));
        });
    });
    let both = Both::of(f);
    for passes in 1..30 {
        let found = both.run(&[Argument::from(passes), Argument::from(0.0)]);
        assert!(found.is_ok(), "{found:?}");
    }
}
