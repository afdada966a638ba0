//! Checked operators over all integer types, and conversions between them, at the ends of the types: values, codes and
//! places are the executor's.

use crate::{
    support::flags,
    trial::{Trial, judge_all},
};
use cfg_cc::Compiler;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder},
    elemental::Scalar,
    ir::{AnyInt, Conversion, Expr, IntType, Op, Order, ScalarType},
};
use cfg_exec::{Argument, Value};
use cfg_testkit::needs;

/// Operators of one operand and of two that integers have.
const ONE: [Op; 4] = [Op::Neg, Op::WrapNeg, Op::Abs, Op::BitNot];
const TWO: [Op; 27] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Pow,
    Op::Mod,
    Op::Modulo,
    Op::Min,
    Op::Max,
    Op::Sign,
    Op::PosDiff,
    Op::WrapAdd,
    Op::WrapSub,
    Op::WrapMul,
    Op::BitAnd,
    Op::BitOr,
    Op::BitXor,
    Op::Shl,
    Op::WrapShl,
    Op::Shr,
    Op::LogicalShr,
    Op::Eq,
    Op::Ne,
    Op::Lt,
    Op::Le,
    Op::Gt,
    Op::Ge,
];

/// Numbers of a type at which something may go wrong.
fn corners(ty: ScalarType) -> Vec<Scalar> {
    const REALS: [f64; 16] = [
        0.0,
        -0.9,
        127.9,
        128.0,
        -128.9,
        -129.0,
        255.5,
        256.0,
        65535.5,
        65536.0,
        -2147483648.9,
        4294967295.5,
        9223372036854775807.0,
        18446744073709549568.0,
        18446744073709551616.0,
        f64::NAN,
    ];
    match ty {
        ScalarType::Real => REALS.map(Scalar::Real).to_vec(),
        ScalarType::Real32 => REALS.map(|x| Scalar::Real32(x as f32)).to_vec(),
        ScalarType::Logical => vec![Scalar::Logical(false), Scalar::Logical(true)],
        ScalarType::Integer => [0, 1, -1, 255, 256, -128, -129, i64::MIN, i64::MAX]
            .map(Scalar::Integer)
            .to_vec(),
        ScalarType::Sized(ty) => {
            let bits = i128::from(ty.bits());
            let numbers = [
                0,
                1,
                2,
                3,
                -1,
                bits - 1,
                bits,
                ty.max(),
                ty.max() - 1,
                ty.max() / 2 + 1,
                ty.min(),
                11,
            ];
            let cells = numbers.iter().filter_map(|&n| ty.cell(n));
            cells.map(|cell| Scalar::Sized(ty, cell)).collect()
        }
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => Vec::new(),
    }
}

fn value(x: Scalar) -> Argument {
    let mut value = Value::uninitialised(x.ty(), &[], Order::Row).unwrap();
    value.set(0, x);
    value.into()
}

/// A routine that assigns an operator's value, called with all combinations of corners; the last with an operand that was
/// never set.
fn trials(op: Op, operands: &[ScalarType], result: ScalarType) -> Vec<Trial> {
    let mut f = RoutineBuilder::new("f");
    let names: Vec<_> = (["x", "y"].iter().zip(operands))
        .map(|(name, &ty)| f.inout(*name, ty))
        .collect();
    let z = f.output("z", result);
    f.assign(z, Expr::op(op, names.iter().map(|&v| Expr::var(v))));
    let mut program = ProgramBuilder::new();
    let routine = program.add(f);
    let program = program.finish().unwrap();
    let mut rows: Vec<Vec<Argument>> = vec![Vec::new()];
    for &ty in operands {
        let with = |row: &Vec<Argument>, x: &Scalar| [row.clone(), vec![value(*x)]].concat();
        let all = corners(ty);
        rows = rows
            .iter()
            .flat_map(|row| all.iter().map(|x| with(row, x)).collect::<Vec<_>>())
            .collect();
    }
    let unset = |ty: ScalarType| Argument::from(Value::uninitialised(ty, &[], Order::Row).unwrap());
    rows.push(operands.iter().map(|&ty| unset(ty)).collect());
    rows.into_iter()
        .filter_map(|mut row| {
            let title = format!("{} {row:?}", op.name());
            row.push(unset(result));
            Trial::run(title, program.clone(), routine, row, Vec::new())
        })
        .collect()
}

/// The trials of all operators over a type, one list for each routine.
fn over(ty: IntType) -> Vec<Vec<Trial>> {
    let of = ScalarType::Sized(ty);
    let mut all: Vec<Vec<Trial>> = ONE.map(|op| trials(op, &[of], of)).into();
    for op in TWO {
        let compares = matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge);
        let result = if compares { ScalarType::Logical } else { of };
        all.push(trials(op, &[of; 2], result));
    }
    for to in [ScalarType::Real, ScalarType::Real32, ScalarType::Logical] {
        let op = match to {
            ScalarType::Real => Op::ToReal,
            ScalarType::Real32 => Op::ToReal32,
            _ => Op::ToLogical,
        };
        all.push(trials(op, &[of], to));
    }
    all
}

/// The trials of all conversions to a type.
fn conversions(to: AnyInt) -> Vec<Vec<Trial>> {
    let mut all = Vec::new();
    let types = ScalarType::ALL.into_iter().filter(|ty| !ty.is_tape());
    for from in types {
        for how in Conversion::ALL {
            if how != Conversion::Wrap || from.is_integer() {
                all.push(trials(Op::Convert(how, to), &[from], to.into()));
            }
        }
    }
    all
}

fn check(lists: Vec<Vec<Trial>>) {
    let Some(command) = needs::tool("cc") else {
        return;
    };
    let count: usize = lists.iter().map(Vec::len).sum();
    let failing = lists.iter().flatten().filter(|t| t.expected.is_err());
    assert!(failing.count() * 20 > count && count > 1000, "{count}");
    let compiler = Compiler {
        command,
        flags: flags(false),
        ..Compiler::default()
    };
    let wrong: Vec<String> = lists
        .chunks(100)
        .flat_map(|lists| judge_all(lists, &compiler))
        .collect();
    let shown: Vec<&str> = wrong.iter().take(20).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        shown.join("\n")
    );
}

#[test]
fn checked_operators_over_integers_of_all_types() {
    check(IntType::ALL.into_iter().flat_map(over).collect());
}

#[test]
fn checked_conversions_between_all_types() {
    check(AnyInt::ALL.into_iter().flat_map(conversions).collect());
}
