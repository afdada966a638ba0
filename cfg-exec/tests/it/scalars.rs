//! Scalar expressions: random ones against a tree walker, and the corners one by one.

use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    diagnostic::site::{Element, Site},
    elemental::{ArithmeticError, Event, Math, Scalar, apply},
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Expr, Op,
        ScalarType::{self, Integer, Logical, Real, Real32},
    },
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_testkit::flat;
use cfg_testkit::rng::Rng;

use crate::common::{parsed, program, run};

/// The value of a scalar expression over initialised variables, by a walk over the tree.
fn walk(e: &Expr, values: &[Scalar]) -> Result<Scalar, ArithmeticError> {
    match e {
        Expr::Int(n) => Ok(Scalar::Integer(*n)),
        Expr::Real(x) => Ok(Scalar::Real(*x)),
        Expr::Real32(x) => Ok(Scalar::Real32(*x)),
        Expr::Logical(b) => Ok(Scalar::Logical(*b)),
        Expr::Null(_) | Expr::Addr(_) => panic!("a pointer"),
        Expr::Place(place) => Ok(values[place.var.index()]),
        Expr::Op(Op::If, operands) => {
            let chosen = match walk(&operands[0], values)? {
                Scalar::Logical(true) => walk(&operands[1], values)?,
                _ => walk(&operands[2], values)?,
            };
            // The arm that is not taken decides the type too.
            let variables = variables();
            let ty = cfg_core::typing::type_of(&variables, e).unwrap().ty;
            Ok(match (chosen, ty) {
                (Scalar::Integer(n), Real) => Scalar::Real(n as f64),
                (Scalar::Integer(n), Real32) => Scalar::Real32(n as f32),
                (x, _) => x,
            })
        }
        Expr::Op(op @ (Op::And | Op::Or), operands) => {
            for e in operands {
                let Scalar::Logical(b) = walk(e, values)? else {
                    return Err(ArithmeticError::Operands(*op));
                };
                if b == (*op == Op::Or) {
                    return Ok(Scalar::Logical(b));
                }
            }
            Ok(Scalar::Logical(*op == Op::And))
        }
        Expr::Op(op, operands) => {
            let operands: Result<Vec<_>, _> = operands.iter().map(|e| walk(e, values)).collect();
            // A NaN has no sign: `sign(x, NaN)` must not see which one the machine made.
            Ok(match apply(*op, &operands?, Math::Native)? {
                Scalar::Real(x) if x.is_nan() => Scalar::Real(f64::NAN),
                Scalar::Real32(x) if x.is_nan() => Scalar::Real32(f32::NAN),
                x => x,
            })
        }
    }
}

const TYPES: [ScalarType; 4] = [Real, Real32, Integer, Logical];

/// Three variables of each type.
fn declare() -> (RoutineBuilder, Vec<VarId>) {
    let mut f = RoutineBuilder::new("f");
    let mut vars = Vec::new();
    for ty in TYPES {
        for k in 0..3 {
            vars.push(f.input(format!("{}{k}", ty.name()), ty));
        }
    }
    (f, vars)
}

fn variables() -> Vec<cfg_core::ir::Variable> {
    declare().0.finish().unwrap().variables
}

/// A random expression of a type.
fn expression(rng: &mut Rng, ty: ScalarType, depth: usize) -> Expr {
    if depth == 0 || rng.percent(15) {
        if rng.percent(60) {
            let at = TYPES.iter().position(|t| *t == ty).unwrap();
            return Expr::var(VarId::new(3 * at + rng.below(3)));
        }
        return match ty {
            Real => Expr::Real(rng.between(-40, 40) as f64 / 8.0),
            Real32 => Expr::Real32(rng.between(-40, 40) as f32 / 8.0),
            Integer => Expr::Int(rng.between(-6, 6)),
            Logical
            | ScalarType::Sized(_)
            | ScalarType::Tape
            | ScalarType::Record(_)
            | ScalarType::Pointer(_) => Expr::Logical(rng.percent(50)),
        };
    }
    let mut sub = |ty| expression(rng, ty, depth - 1);
    let (a, b, c) = (sub(ty), sub(ty), sub(ty));
    let (i, condition) = (sub(Integer), sub(Logical));
    let other = if ty == Real { Real32 } else { Real };
    let x = sub(other);
    let pick = |rng: &mut Rng, ops: &[Op]| *rng.pick(ops).unwrap();
    match ty {
        Real | Real32 => match rng.below(9) {
            0 => Expr::op(pick(rng, &[Op::Add, Op::Mul, Op::Min, Op::Max]), [a, b, c]),
            1 | 2 => Expr::op(
                pick(
                    rng,
                    &[
                        Op::Add,
                        Op::Sub,
                        Op::Mul,
                        Op::Div,
                        Op::Pow,
                        Op::Sign,
                        Op::Mod,
                        Op::StrongMul,
                    ],
                ),
                [a, b],
            ),
            3 => Expr::op(
                pick(
                    rng,
                    &[
                        Op::Neg,
                        Op::Sqrt,
                        Op::Exp,
                        Op::Sin,
                        Op::Floor,
                        Op::Abs,
                        Op::Log,
                    ],
                ),
                [a],
            ),
            4 => Expr::op(pick(rng, &[Op::Pow, Op::Add, Op::Sub, Op::Mul]), [a, i]),
            5 => Expr::op(
                pick(rng, &[Op::Add, Op::Sub]),
                [Expr::op(Op::Mul, [a, b]), c],
            ),
            6 => Expr::op(
                pick(rng, &[Op::Add, Op::Sub]),
                [c, Expr::op(Op::Mul, [a, b])],
            ),
            7 => Expr::op(Op::If, [condition, a, if rng.percent(30) { i } else { b }]),
            _ => match rng.below(3) {
                0 => Expr::op(Op::Fma, [a, b, c]),
                1 if ty == Real => Expr::op(Op::ToReal, [x]),
                1 => Expr::op(Op::ToReal32, [x]),
                _ if ty == Real => Expr::op(Op::ToReal, [condition]),
                _ => Expr::op(Op::ToReal32, [i]),
            },
        },
        Integer => match rng.below(6) {
            0 => Expr::op(pick(rng, &[Op::Add, Op::Mul, Op::Min, Op::Max]), [a, b, c]),
            1 | 2 => Expr::op(
                pick(
                    rng,
                    &[
                        Op::Add,
                        Op::Sub,
                        Op::Mul,
                        Op::Div,
                        Op::Mod,
                        Op::Modulo,
                        Op::Pow,
                        Op::PosDiff,
                    ],
                ),
                [a, b],
            ),
            3 => Expr::op(pick(rng, &[Op::Neg, Op::Abs]), [a]),
            4 => Expr::op(Op::If, [condition, a, b]),
            _ => match rng.below(3) {
                0 => Expr::op(Op::TO_INT, [x]),
                1 => Expr::op(Op::Trips, [a, b, c]),
                _ => Expr::op(Op::TO_INT, [condition]),
            },
        },
        Logical
        | ScalarType::Sized(_)
        | ScalarType::Tape
        | ScalarType::Record(_)
        | ScalarType::Pointer(_) => {
            let compare = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge];
            match rng.below(6) {
                0 => Expr::op(pick(rng, &[Op::And, Op::Or]), [a, b, c]),
                1 => Expr::op(Op::Not, [a]),
                2 => Expr::op(pick(rng, &[Op::Eq, Op::Ne]), [a, b]),
                3 => {
                    let y = expression(rng, other, depth - 1);
                    Expr::op(pick(rng, &compare), [x, y])
                }
                4 => {
                    let j = expression(rng, Integer, depth - 1);
                    Expr::op(pick(rng, &compare), [i, j])
                }
                _ => Expr::op(pick(rng, &compare), [x, i]),
            }
        }
    }
}

/// Bits, so that -0 is told from 0; every NaN is the same.
fn bits(x: Scalar) -> (ScalarType, u64) {
    let cell = match x {
        Scalar::Real(x) if x.is_nan() => 1,
        Scalar::Real32(x) if x.is_nan() => 1,
        Scalar::Real(x) => x.to_bits(),
        Scalar::Real32(x) => x.to_bits().into(),
        Scalar::Integer(n) | Scalar::Sized(_, n) => n as u64,
        Scalar::Logical(b) => b.into(),
    };
    (x.ty(), cell)
}

#[test]
fn random_expressions_have_the_value_of_a_tree_walker() {
    let mut rng = Rng::new(7);
    let (mut failed, mut compared) = (0, 0);
    for _ in 0..4000 {
        let ty = *rng.pick(&TYPES).unwrap();
        let e = expression(&mut rng, ty, 4);
        let (mut f, _) = declare();
        let y = f.result("y", ty);
        let branch = f.local("branch", Logical);
        f.assign(y, e.clone());
        if ty == Logical {
            // The same as a condition.
            f.if_else(
                e.clone(),
                |f| f.assign(branch, true),
                |f| f.assign(branch, false),
            );
            f.if_then(ne(branch, y), |f| {
                f.assign(y, Expr::op(Op::Not, [y.into()]));
            });
        }
        let program = program(f);
        let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).unwrap();
        let mut session = Session::new(&compiled);
        for _ in 0..4 {
            let mut values = Vec::new();
            for ty in TYPES {
                for _ in 0..3 {
                    let k = rng.between(-20, 20);
                    values.push(match ty {
                        Real => Scalar::Real(k as f64 / 4.0),
                        Real32 => Scalar::Real32(k as f32 / 4.0),
                        Integer => Scalar::Integer(k / 4),
                        Logical
                        | ScalarType::Sized(_)
                        | ScalarType::Tape
                        | ScalarType::Record(_)
                        | ScalarType::Pointer(_) => Scalar::Logical(k > 0),
                    });
                }
            }
            let mut arguments: Vec<Argument> = values
                .iter()
                .map(|&x| {
                    let mut value =
                        Value::uninitialised(x.ty(), &[], cfg_core::ir::Order::Row).unwrap();
                    assert!(value.set(0, x));
                    value.into()
                })
                .collect();
            let ours = session.run(
                cfg_core::entity::RoutineId::new(0),
                &mut arguments,
                &RunOptions::default(),
            );
            match (walk(&e, &values), ours) {
                (Ok(x), Ok(report)) => {
                    let y = report.result.and_then(|v| v.get(0)).expect("a value");
                    assert_eq!(bits(x), bits(y), "{e:?} at {values:?}");
                    compared += 1;
                }
                (Err(_), Err(problem)) => {
                    assert!(
                        ["X203", "X204", "X205", "X206"].contains(&problem.code),
                        "{problem}"
                    );
                    failed += 1;
                }
                (x, y) => panic!("{e:?} at {values:?}: {x:?}, {y:?}"),
            }
        }
    }
    assert!(compared > 8000 && failed > 100, "{compared} {failed}");
}

#[test]
fn deep_expressions_on_both_sides_work() {
    for right in [false, true] {
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real);
        let y = f.result("y", Real);
        let mut e: Expr = x.into();
        for k in 0..98 {
            let c = Expr::Real(f64::from(k));
            e = if right {
                Expr::op(Op::Add, [Expr::op(Op::Neg, [x.into()]), e])
            } else {
                Expr::op(Op::Add, [e, c])
            };
        }
        f.assign(y, e);
        let report = run(&program(f), &mut [1.0.into()]).unwrap();
        let expected = if right { 1.0 - 98.0 } else { 1.0 + 4753.0 };
        assert_eq!(report.result.unwrap().get_f64(0), Some(expected));
    }
}

#[test]
fn more_variables_and_constants_than_registers_work() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.result("y", Real);
    let locals: Vec<VarId> = (0..400).map(|k| f.local(format!("v{k}"), Real)).collect();
    let i = f.local("i", Integer);
    for (k, &v) in locals.iter().enumerate() {
        f.assign(v, x * (k as f64));
    }
    f.assign(y, 0.0);
    f.for_loop(i, 1, 2, |f| {
        for (k, &v) in locals.iter().enumerate() {
            f.assign(v, v + 1000.0 * (k as f64));
            f.assign(y, y + v);
        }
    });
    let report = run(&program(f), &mut [2.0.into()]).unwrap();
    let sum: f64 = (0..400).map(f64::from).sum();
    let expected = sum * (2.0 + 1000.0) + sum * (2.0 + 2000.0);
    assert_eq!(report.result.unwrap().get_f64(0), Some(expected));
}

#[test]
fn an_assignment_may_read_what_it_writes() {
    let mut f = RoutineBuilder::new("f");
    let a = f.inout("a", Logical);
    let b = f.input("b", Logical);
    f.assign(a, or(and(b, a), and(not(b), not(a))));
    let program = program(f);
    for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut arguments = [x.into(), y.into()];
        run(&program, &mut arguments).unwrap();
        let got = arguments[0].value().unwrap().get(0);
        assert_eq!(got, Some(Scalar::Logical(x == y)));
    }
}

#[test]
fn uninitialised_values_may_be_computed_with_but_not_decide() {
    let mut f = RoutineBuilder::new("f");
    let set = f.input("set", Logical);
    let y = f.output("y", Real);
    let n = f.output("n", Integer);
    let b = f.output("b", Logical);
    let (u, k, l) = (
        f.local("u", Real),
        f.local("k", Integer),
        f.local("l", Logical),
    );
    f.if_then(set, |f| {
        f.assign(u, 0.0);
        f.assign(k, 0);
        f.assign(l, true);
    });
    f.assign(y, u * 2.0 + 1.0);
    f.assign(n, k * 3 - 1);
    f.assign(b, and(lt(u, 1.0), or(l, eq(k, 2))));
    let mut arguments = [false.into(), 0.0.into(), 0.into(), false.into()];
    run(&program(f), &mut arguments).unwrap();
    for argument in &arguments[1..] {
        assert_eq!(argument.value().unwrap().first_uninitialised(), Some(0));
        let problem = argument
            .value()
            .unwrap()
            .check_initialised("y")
            .unwrap_err();
        assert_eq!(problem.code, "X202");
    }
}

#[test]
fn a_strong_product_with_a_zero_derivative_forgets_the_partial() {
    let mut f = RoutineBuilder::new("f");
    let d = f.input("d", Real);
    let y = f.result("y", Real);
    let u = f.local("u", Real);
    f.if_then(lt(d, 0.0), |f| f.assign(u, 1.0));
    f.assign(
        y,
        Expr::op(Op::StrongMul, [d.into(), Expr::op(Op::Log, [u.into()])]),
    );
    let program = program(f);
    let report = run(&program, &mut [0.0.into()]).unwrap();
    assert_eq!(report.result.unwrap().get_f64(0), Some(0.0));
    let report = run(&program, &mut [1.0.into()]).unwrap();
    assert_eq!(report.result.unwrap().get_f64(0), None);
}

#[test]
fn every_nan_is_the_same_and_is_a_value() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.result("y", Real);
    f.assign(y, sqrt(x) - (x - x) / (x - x));
    let report = run(&program(f), &mut [Argument::from(-1.0)]).unwrap();
    let value = report.result.unwrap();
    assert!(value.get_f64(0).unwrap().is_nan());
    assert_eq!(value, Value::real(f64::NAN));
    assert_eq!(value, Value::real(-f64::NAN));
}

#[test]
fn kinks_are_reported_when_asked_for() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.result("y", Real);
    f.assign(y, abs(x) + sqrt(x) + max(x, 0.0));
    let options = CompileOptions {
        events: true,
        ..CompileOptions::default()
    };
    let program = program(f);
    let at = |x: f64| {
        let mut arguments = [x.into()];
        crate::common::run_with(&program, &mut arguments, &options, &RunOptions::default())
            .unwrap()
            .events
    };
    assert!(at(1.0).is_empty());
    let ops: Vec<Op> = at(0.0).iter().map(|met| met.op).collect();
    assert_eq!(ops, [Op::Abs, Op::Sqrt, Op::Max]);
    let place = Site::whole(RoutineId::new(0), Element::Statement(VertexId::new(1), 0));
    assert_eq!(at(0.0)[0].site, place);
}

/// Several kinks at one place are reported once, with their number; powers of integers are not watched.
#[test]
fn kinks_are_counted_by_place() {
    let program = parsed(
        "main subroutine f(in real x, in integer n, out real y)
          local integer i, k
          y := 0.0
          for i = 1, 3
            y := y + abs(x)
          end
          y := y + abs(x)
          y := y + x**n
          k := n**(-1)
        end",
    );
    let options = CompileOptions {
        events: true,
        ..CompileOptions::default()
    };
    let kinks = [(Op::Abs, Event::Kink, 3u64), (Op::Abs, Event::Kink, 1)];
    let singular = (Op::Pow, Event::Singular, 1);
    for (x, n, expected) in [
        (0.0, 2, kinks.to_vec()),
        (0.0, -1, [kinks.to_vec(), vec![singular]].concat()),
        (1.0, -1, Vec::new()),
        (1.0, i64::MIN, Vec::new()),
    ] {
        let mut arguments = [x.into(), n.into(), 0.0.into()];
        let report =
            crate::common::run_with(&program, &mut arguments, &options, &RunOptions::default());
        let events = report.unwrap_or_else(|e| panic!("{x} {n}: {e}")).events;
        let found: Vec<_> = events.iter().map(|m| (m.op, m.event, m.times)).collect();
        assert_eq!(found, expected, "{x} {n}");
    }
}

/// Runs on the same pieces of operators with kinks have one digest, and each operator that is on another piece changes it.
#[test]
fn pieces_have_a_digest() {
    let mut f = RoutineBuilder::new("f");
    let [a, b, c] = ["a", "b", "c"].map(|name| f.input(name, Real));
    let y = f.result("y", Real);
    f.assign(y, abs(a) + floor(b) + max(c, 0.0));
    let options = CompileOptions {
        events: true,
        ..CompileOptions::default()
    };
    let program = program(f);
    let digest = |x: [f64; 3]| {
        let mut arguments = x.map(Argument::from);
        crate::common::run_with(&program, &mut arguments, &options, &RunOptions::default())
            .unwrap()
            .pieces
    };
    let base = digest([1.5, 1.5, 1.5]);
    assert_eq!(digest([0.25, 1.25, 7.0]), base);
    let mut digests = vec![base];
    for other in 1..8 {
        let x = |bit: usize| if other >> bit & 1 > 0 { -1.5 } else { 1.5 };
        digests.push(digest([x(0), x(1), x(2)]));
    }
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), 8);
}
