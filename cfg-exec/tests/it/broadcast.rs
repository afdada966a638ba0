//! Elemental operators with scalars and arrays among their operands: the result has the shape of the arrays, whatever
//! a scalar decides. The oracle is the naive interpreter.

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::{RoutineId, VarId},
    ir::{
        Dim, Expr, Op, OpClass, Order,
        ScalarType::{self, Integer, Logical, Real, Real32},
    },
    typing::type_of,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session};
use cfg_testkit::flat;
use cfg_testkit::{
    case::{Case, Datum, Elements},
    interpret::{Limits, Value as Naive},
};

use crate::random::value;

const ARRAY: [usize; 2] = [2, 3];

/// The value of operand `k`, of a scalar or an array; all positive, so that every operator has a value there.
fn datum(ty: ScalarType, k: usize, array: bool, truth: bool) -> Datum {
    let (extents, n) = if array {
        (ARRAY.to_vec(), 6)
    } else {
        (Vec::new(), 1)
    };
    let real = |i: usize| 0.5 + 0.75 * k as f64 + 0.25 * i as f64;
    let elements = match ty {
        Real | ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {
            Elements::Real((0..n).map(real).collect())
        }
        Real32 => Elements::Real32((0..n).map(|i| real(i) as f32).collect()),
        Integer => Elements::Integer((0..n).map(|i| 1 + (2 * k + i) as i64 % 4).collect()),
        ScalarType::Sized(ty) => Elements::Sized(ty, vec![1; n]),
        Logical if array => Elements::Logical((0..n).map(|i| !(i + k).is_multiple_of(3)).collect()),
        Logical => Elements::Logical(vec![truth]),
    };
    Datum { extents, elements }
}

/// An expression over operands.
type Make<'m> = &'m dyn Fn(&[Expr]) -> Expr;

/// The result's extents and elements, as text: in the executor and in the interpreter. `None`: the operands have the
/// wrong types.
fn both(operands: &[(ScalarType, bool)], truths: usize, make: Make<'_>) -> Option<[String; 2]> {
    let mut f = RoutineBuilder::new("f");
    let mut point = Vec::new();
    let mut places = Vec::new();
    for (k, &(ty, array)) in operands.iter().enumerate() {
        let shape = ARRAY.map(|n| n as i64);
        let name = format!("o{k}");
        let v = if array {
            f.input(name, ty.array(shape))
        } else {
            f.input(name, ty)
        };
        point.push((v, datum(ty, k, array, truths >> k & 1 == 1)));
        places.push(Expr::var(v));
    }
    let value_of = make(&places);
    let known: Vec<_> = (0..operands.len())
        .filter_map(|k| f.get(VarId::new(k)).cloned())
        .collect();
    let ty = type_of(&known, &value_of).ok()?;
    assert_eq!(ty.rank, 2);
    // The value as it is stored, its extents, and its elements where the extents are those of the arrays.
    let (m, n) = (f.output("m", Integer), f.output("n", Integer));
    let to = f.output("to", ty.ty.array(ARRAY.map(|n| n as i64)));
    let direct = f.output("direct", ty.ty.array(ARRAY.map(|n| n as i64)));
    let all = f.output("all", Real);
    let h = f.local("h", ty.ty.array([Dim::deferred(), Dim::deferred()]));
    f.assign(h, value_of.clone());
    f.assign(m, Expr::op(Op::Size, [Expr::var(h), 1.into()]));
    f.assign(n, Expr::op(Op::Size, [Expr::var(h), 2.into()]));
    f.if_then(eq(m * 10 + n, 23), |f| f.assign(to, h));
    // The same where the target's shape is known.
    f.assign(direct, value_of.clone());
    // And where nothing but the expression says how many there are.
    let counted = match ty.ty {
        Logical => Expr::op(Op::If, [value_of, 1.0.into(), 0.25.into()]),
        _ => Expr::op(Op::ToReal, [value_of]) * 0.0 + 1.0,
    };
    let counted = Expr::op(Op::ToReal, [counted]);
    f.assign(all, Expr::op(Op::Sum, [counted]));
    let mut p = ProgramBuilder::new();
    p.add(f);
    let program = p.finish().unwrap_or_else(|e| panic!("{e}"));

    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).unwrap();
    let mut session = Session::new(&compiled);
    let main = RoutineId::new(0);
    let mut arguments: Vec<Argument> = point
        .iter()
        .map(|(_, d)| value(d, Order::Row).into())
        .collect();
    arguments.resize(operands.len() + 5, Argument::Absent);
    for k in operands.len()..arguments.len() {
        arguments[k] = session
            .uninitialised_argument(main, VarId::new(k), &arguments)
            .unwrap();
    }
    let ours = match session.run(main, &mut arguments, &RunOptions::default()) {
        Ok(_) => (arguments[operands.len()..].iter())
            .map(|a| {
                let value = a.value().unwrap();
                let all = (0..value.len())
                    .map(|i| value.get(i).map(|x| format!("{:e}", x.to_f64() as f32)));
                format!("{:?}", all.collect::<Vec<_>>())
            })
            .collect(),
        Err(problem) => format!("a fault {problem}"),
    };
    let case = Case {
        program: program.into_program(),
        main,
        point,
        direction: Vec::new(),
        seed: Vec::new(),
    };
    let naive = match case.run(Limits::default()) {
        Ok(outcome) => (outcome.parameters[operands.len()..].iter())
            .map(|a| {
                let all = a.elements.iter().map(|x| {
                    let x = match x {
                        Naive::Undefined | Naive::Pointer(..) => return None,
                        Naive::Real(x, ()) => *x,
                        Naive::Real32(x, ()) => f64::from(*x),
                        Naive::Integer(n) => *n as f64,
                        Naive::Sized(_, n) => *n as f64,
                        Naive::Logical(b) => f64::from(u8::from(*b)),
                    };
                    Some(format!("{:e}", x as f32))
                });
                format!("{:?}", all.collect::<Vec<_>>())
            })
            .collect(),
        Err(fault) => format!("a fault {fault:?}"),
    };
    Some([ours, naive])
}

fn compare(what: &str, operands: &[(ScalarType, bool)], make: Make<'_>) -> bool {
    for truths in 0..1 << operands.len() {
        let Some([ours, naive]) = both(operands, truths, make) else {
            return false;
        };
        assert_eq!(ours, naive, "{what} {operands:?} {truths:b}");
        assert!(
            !ours.contains("fault"),
            "{what} {operands:?} {truths:b}: {ours}"
        );
    }
    true
}

/// Scalars and arrays, at least one array.
fn mixtures(types: &[ScalarType]) -> impl Iterator<Item = Vec<(ScalarType, bool)>> {
    (1..1usize << types.len()).map(move |arrays| {
        let is_array = |k: usize| arrays >> k & 1 == 1;
        types
            .iter()
            .enumerate()
            .map(|(k, &ty)| (ty, is_array(k)))
            .collect()
    })
}

#[test]
fn every_operator_of_two_and_three_operands() {
    let mut seen = 0;
    for &op in Op::ALL {
        if op.class() != OpClass::Elemental {
            continue;
        }
        let (least, most) = op.arity();
        for n in [2, 3].into_iter().filter(|n| (least..=most).contains(n)) {
            let types = [Real, Integer, Logical, Real32];
            for code in 0..4usize.pow(n as u32) {
                let types: Vec<_> = (0..n as u32)
                    .map(|k| types[code / 4usize.pow(k) % 4])
                    .collect();
                for operands in mixtures(&types) {
                    let make = |e: &[Expr]| Expr::op(op, e.to_vec());
                    seen += usize::from(compare(op.name(), &operands, &make));
                }
            }
        }
    }
    assert!(seen > 400, "{seen}");
}

#[test]
fn operators_that_stop_at_a_scalar_in_one_another() {
    let and = |a: Expr, b: Expr| Expr::op(Op::And, [a, b]);
    let or = |a: Expr, b: Expr| Expr::op(Op::Or, [a, b]);
    let not = |a: Expr| Expr::op(Op::Not, [a]);
    let choose = |c: Expr, a: Expr, b: Expr| Expr::op(Op::If, [c, a, b]);
    let l = |array| (Logical, array);
    for operands in mixtures(&[Logical; 3]).filter(|o| o[2].1) {
        for (what, make) in [
            (
                "and or",
                &(|e: &[Expr]| and(e[0].clone(), or(e[1].clone(), e[2].clone()))) as Make<'_>,
            ),
            ("or and", &|e: &[Expr]| {
                or(and(e[0].clone(), e[2].clone()), e[1].clone())
            }),
            ("and not", &|e: &[Expr]| {
                and(e[0].clone(), and(e[1].clone(), not(e[2].clone())))
            }),
            ("if and", &|e: &[Expr]| {
                choose(
                    and(e[0].clone(), e[2].clone()),
                    1.5.into(),
                    choose(e[1].clone(), 2.5.into(), 3.5.into()),
                )
            }),
            ("if if", &|e: &[Expr]| {
                choose(
                    e[2].clone(),
                    choose(and(e[0].clone(), e[2].clone()), 1.5.into(), 2.5.into()),
                    3.5.into(),
                )
            }),
            ("and if", &|e: &[Expr]| {
                and(
                    e[0].clone(),
                    choose(e[1].clone(), e[2].clone(), not(e[2].clone())),
                )
            }),
            ("transpose", &|e: &[Expr]| {
                let turned = |e: Expr| Expr::op(Op::Transpose, [e]);
                and(e[0].clone(), or(e[1].clone(), turned(turned(e[2].clone()))))
            }),
        ] {
            assert!(compare(what, &operands, make), "{what}");
        }
    }
    // An array that is out of bounds gives no shape, and is not evaluated; another one does.
    let section = |e: &Expr, to: i64| match e {
        Expr::Place(p) => Expr::Place(p.var.at((range(to - 1, to), range(1, 3)))),
        _ => unreachable!(),
    };
    for (first, expected) in [(7, "2"), (2, "2")] {
        let make =
            |e: &[Expr]| Expr::op(Op::And, [e[0].clone(), section(&e[1], first), e[2].clone()]);
        let [ours, naive] = both(&[l(false), l(true), l(true)], 0, &make).unwrap();
        assert_eq!(ours, naive);
        assert!(
            ours.starts_with(&format!("[Some(\"{expected}e0\")]")),
            "{ours}"
        );
    }
    let make = |e: &[Expr]| Expr::op(Op::And, [e[0].clone(), section(&e[1], 7)]);
    let [ours, naive] = both(&[l(false), l(true)], 0, &make).unwrap();
    assert_eq!(ours, naive);
    let [ours, naive] = both(&[l(false), l(true)], 1, &make).unwrap();
    assert!(
        ours.contains("X201") && naive.contains("Bounds"),
        "{ours} {naive}"
    );
}
