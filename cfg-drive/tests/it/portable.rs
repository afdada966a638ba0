//! Portable math in everything that runs a program: values are those of the table of elementals, bit by bit;
//! gradients, Jacobians, and the gaps that `check` finds have known bits.

use super::*;
use crate::flat;
use cfg_core::{
    elemental::{Math, Scalar, apply, platform_dependent},
    ir::{Domain, OpClass},
};
use cfg_reverse::Blocks;
use cfg_testkit::golden::golden;
use std::fmt::Write as _;

const POINT: [f64; 3] = [0.8125 + 1.0 / 128.0, 0.7, 1.3];

/// Elemental operators with real operands and a real result.
fn operators() -> impl Iterator<Item = Op> {
    let real = |op: &Op| {
        op.class() == OpClass::Elemental
            && !matches!(op, Op::And | Op::Or | Op::Not | Op::ToLogical)
            && !op.is_of_integers()
            && !matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
    };
    Op::ALL.iter().copied().filter(real)
}

/// The operands of an operator, as expressions over three variables and as values.
fn operands(op: Op, of: impl Fn(usize) -> Expr) -> (Vec<Expr>, Vec<Scalar>) {
    let n = match op.arity() {
        (_, usize::MAX) => 3,
        (fewest, _) => fewest,
    };
    let beyond = matches!(op.info().domain, Domain::From(least) if least > POINT[0]);
    let operand = |k| match (op, k) {
        (Op::Polygamma, 0) => (Expr::Int(2), Scalar::Integer(2)),
        (Op::If, 0) => (gt(of(0), 0.5), Scalar::Logical(POINT[0] > 0.5)),
        // The first number of the point lies outside of the domain, the third one inside.
        _ if beyond => (of(2), Scalar::Real(POINT[2])),
        _ => (of(k), Scalar::Real(POINT[k])),
    };
    (0..n).map(operand).unzip()
}

/// The operator; single precision is converted back.
fn applied(op: Op, operands: Vec<Expr>) -> Expr {
    let value = Expr::op(op, operands);
    match op {
        Op::ToReal32 => Expr::op(Op::ToReal, [value]),
        _ => value,
    }
}

/// y(1) = op(x(1), ...), z(k) = op(u(k), ...), the elements of u, v, w being those of x.
fn program(op: Op) -> (ValidProgram, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([3]));
    let y = f.output("y", Real.array([3]));
    let parts = ["u", "v", "w"].map(|name| f.local(name, Real.array([2])));
    f.independents([x]).dependents([y]);
    for (k, part) in (1..).zip(parts) {
        f.assign(part, x.at(k));
    }
    f.assign(
        y.at(1),
        applied(op, operands(op, |k| x.at(k as i64 + 1).into()).0),
    );
    let z = f.local("z", Real.array([2]));
    f.assign(z, applied(op, operands(op, |k| Expr::var(parts[k])).0));
    f.assign(y.at(2), z.at(1));
    f.assign(y.at(3), z.at(2) * y.at(1));
    finish(f)
}

#[test]
fn every_elemental_has_known_bits() {
    let point = format!(r#"{{"x": [{}, {}, {}]}}"#, POINT[0], POINT[1], POINT[2]);
    let portable = Options {
        math: Math::Portable,
        ..Options::default()
    };
    let hex = |list: &[f64]| -> String {
        let words = list.iter().map(|x| format!(" {:016x}", x.to_bits()));
        words.collect()
    };
    let mut text = String::new();
    for op in operators() {
        let (program, f) = program(op);
        let mut primal = Primal::new(&flat(&program), f, &portable).expect("it can be run");
        let at = primal.read_point(point.as_bytes()).expect("a point");
        let values = reals(&primal.run(&at).expect("it runs").value, "y");
        let args = operands(op, |_| Expr::Int(0)).1;
        let expected = apply(op, &args, Math::Portable).expect("a value").to_f64();
        assert_eq!(values[..2], [expected; 2], "{op:?}");
        writeln!(text, "{}: value{}", op.name(), hex(&values)).expect("a string");
        let read = |p: &Primal| p.read_point(point.as_bytes());
        for (mode, blocks) in [
            (Mode::Tangent, Blocks::Statement),
            (Mode::Adjoint, Blocks::Statement),
            (Mode::Adjoint, Blocks::Preaccumulate),
        ] {
            let mut options = portable.clone();
            options.reversal.blocks = blocks;
            let found =
                jacobian(&flat(&program), f, &options, read, Some(mode)).expect("a Jacobian");
            let entries = hex(&found.entries);
            writeln!(text, "  {mode:?} {blocks:?}{entries}").expect("a string");
        }
        let found = check(&flat(&program), f, &portable, read, Tolerances::default());
        let found = found.expect("it can be checked");
        let gaps = [found.dot_product.gap, found.differences.gap.unwrap_or(-1.0)];
        writeln!(text, "  check{}", hex(&gaps)).expect("a string");
    }
    let missing = Op::ALL
        .iter()
        .find(|&&op| platform_dependent(op) && operators().all(|o| o != op));
    assert_eq!(missing, None);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/portable.txt");
    golden(path, &text);
}

/// An extent is computed by the host, before anything runs, and by the program.
#[test]
fn extents_are_portable_too() {
    let mut differ = 0;
    for k in 1..400 {
        let x = f64::from(k) / 200.0;
        let last_bits = |math| -> f64 {
            let value = apply(Op::Sinh, &[Scalar::Real(x)], math).expect("a value");
            (value.to_f64() * 2f64.powi(52)).rem_euclid(64.0)
        };
        let [native, portable] = [Math::Native, Math::Portable].map(last_bits);
        differ += u32::from(native.floor() != portable.floor());
        let mut f = RoutineBuilder::new("f");
        let p = f.input("p", Real);
        let part = Expr::op(
            Op::Mul,
            [
                Expr::op(Op::Sinh, [Expr::var(p)]),
                Expr::Real(2f64.powi(52)),
            ],
        );
        let last = Expr::op(Op::Modulo, [part, Expr::Real(64.0)]);
        let y = f.output("y", Real.array([Dim::from(Expr::op(Op::TO_INT, [last]))]));
        f.assign(y, p);
        let (program, f) = finish(f);
        let options = Options {
            math: Math::Portable,
            ..Options::default()
        };
        let mut primal = Primal::new(&flat(&program), f, &options).expect("it can be run");
        let at = primal.read_point(format!(r#"{{"p": {x}}}"#).as_bytes());
        let run = primal.run(&at.expect("a point")).expect("it runs");
        assert_eq!(reals(&run.value, "y").len(), portable as usize, "x = {x}");
    }
    println!("{differ} extents differ in native math on this platform");
}
