//! Tests of the table of elemental functions.

mod closed;
mod corners;
mod differences;
mod documentation;
mod integers;
mod portable;
mod reference;

use cfg_core::elemental::{
    ArithmeticError, Math, Partial, Scalar, Strong, apply, partial, reads_result,
};
use cfg_core::entity::VarId;
use cfg_core::ir::{Expr, Op, OpClass, ScalarType};

/// The operand variables x, y, z.
fn variables(n: usize) -> Vec<Expr> {
    (0..n).map(|k| Expr::var(VarId::new(k))).collect()
}

/// The value of a scalar expression; variables are taken from `env` by index. Operands that the format evaluates
/// lazily are evaluated lazily.
fn eval(e: &Expr, env: &[Scalar], math: Math) -> Result<Scalar, ArithmeticError> {
    Ok(match e {
        Expr::Int(n) => Scalar::Integer(*n),
        Expr::Real(x) => Scalar::Real(*x),
        Expr::Real32(x) => Scalar::Real32(*x),
        Expr::Logical(b) => Scalar::Logical(*b),
        Expr::Null(_) | Expr::Addr(_) => panic!("a pointer"),
        Expr::Place(place) => env[place.var.index()],
        Expr::Op(Op::If, x) => match eval(&x[0], env, math)? {
            Scalar::Logical(c) => eval(&x[if c { 1 } else { 2 }], env, math)?,
            _ => return Err(ArithmeticError::Operands(Op::If)),
        },
        Expr::Op(op @ (Op::And | Op::Or), x) => {
            let decides = Scalar::Logical(*op == Op::Or);
            for e in x {
                if eval(e, env, math)? == decides {
                    return Ok(decides);
                }
            }
            Scalar::Logical(*op == Op::And)
        }
        Expr::Op(op, x) => {
            let args: Result<Vec<_>, _> = x.iter().map(|e| eval(e, env, math)).collect();
            apply(*op, &args?, math)?
        }
    })
}

/// The value of the partial by operand `k`, with and without the result offered (in a variable after the
/// operands); asserts that both have the operands' real type and agree. That of `tanh` by its result is accurate in
/// units of 1 only.
fn partial_value(op: Op, args: &[Scalar], k: usize, math: Math) -> f64 {
    let operands = variables(args.len());
    let types: Vec<_> = args.iter().map(|x| x.ty()).collect();
    let ty = real_type(args);
    let mut env = args.to_vec();
    env.push(apply(op, args, math).expect("value"));
    let result = Expr::var(VarId::new(args.len()));
    let value = |result: Option<&Expr>| {
        let p = partial(op, &operands, &types, k, result).expect("partial");
        let v = eval(&p.to_expr(ty), &env, math).expect("value of the partial");
        assert_eq!(v.ty(), ty, "{op:?} {args:?}: {p:?}");
        v.to_f64()
    };
    let (offered, alone) = (value(Some(&result)), value(None));
    let unit = match ty {
        ScalarType::Real32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    let near = op == Op::Tanh && (offered - alone).abs() <= 4.0 * unit;
    assert!(
        near || same(offered, alone),
        "{op:?} {args:?}: {offered} {alone}"
    );
    alone
}

/// The operators whose partials are made of the result are those that say so.
#[test]
fn results_are_read_as_announced() {
    for (op, n) in real_ops() {
        let types: Vec<_> = typed(op, &vec![1.0; n]).iter().map(|x| x.ty()).collect();
        let result = Expr::var(VarId::new(n));
        let reads = |k: usize| {
            let p = partial(op, &variables(n), &types, k, Some(&result)).expect("partial");
            let mut found = false;
            p.to_expr(ScalarType::Real)
                .walk_places(&mut |place| found |= place.var.index() == n);
            found
        };
        assert_eq!((0..n).any(reads), reads_result(op), "{op:?} of {n}");
    }
}

/// The partial of 1/y and -1/y by the result takes no division, and is that by the operand but for rounding.
#[test]
fn reciprocals_by_their_results() {
    let (y, r) = (Expr::var(VarId::new(0)), Expr::var(VarId::new(1)));
    for ty in [ScalarType::Real, ScalarType::Real32] {
        for sign in [1.0, -1.0] {
            let numerator = match ty {
                ScalarType::Real32 => Expr::Real32(sign as f32),
                _ => Expr::Real(sign),
            };
            let operands = [numerator, y.clone()];
            let p = partial(Op::Div, &operands, &[ty, ty], 1, Some(&r)).expect("partial");
            let square = Expr::op(Op::Mul, [r.clone(), r.clone()]);
            let expected = match sign {
                1.0 => Expr::op(Op::Neg, [square]),
                _ => square,
            };
            assert_eq!(p.to_expr(ty), expected);
            let alone = partial(Op::Div, &operands, &[ty, ty], 1, None).expect("partial");
            for y in [
                0.0,
                -0.0,
                1.0,
                -3.0,
                1e-200,
                1e200,
                -7e-310,
                1e154,
                f64::INFINITY,
                -f64::INFINITY,
                f64::NAN,
            ] {
                let y = match ty {
                    ScalarType::Real32 => Scalar::Real32(y as f32),
                    _ => Scalar::Real(y),
                };
                let one =
                    apply(Op::Div, &[constant(&operands[0]), y], Math::Native).expect("value");
                let env = [y, one];
                let by = |p: &Partial| {
                    eval(&p.to_expr(ty), &env, Math::Native)
                        .expect("value")
                        .to_f64()
                };
                let unit = if ty == ScalarType::Real32 {
                    f64::from(f32::EPSILON)
                } else {
                    f64::EPSILON
                };
                let (a, b) = (by(&p), by(&alone));
                let tiny = b.abs() < f64::from(f32::MIN_POSITIVE) && ty == ScalarType::Real32;
                assert!(
                    tiny || error(a, b) <= 2.0 * unit,
                    "{ty:?} {y:?}: {a:e} {b:e}"
                );
            }
        }
    }
}

fn constant(e: &Expr) -> Scalar {
    match e {
        Expr::Real32(x) => Scalar::Real32(*x),
        Expr::Real(x) => Scalar::Real(*x),
        _ => panic!("no constant"),
    }
}

fn real_type(args: &[Scalar]) -> ScalarType {
    let narrow = args.iter().any(|x| x.ty() == ScalarType::Real32);
    if narrow {
        ScalarType::Real32
    } else {
        ScalarType::Real
    }
}

/// Same bits, all NaN being the same.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Error relative to `want`; 0 if both are the same, infinite if only one is finite.
fn error(got: f64, want: f64) -> f64 {
    if got == want || (got.is_nan() && want.is_nan()) {
        0.0
    } else if got.is_finite() && want.is_finite() {
        (got - want).abs() / want.abs().max(f64::MIN_POSITIVE)
    } else {
        f64::INFINITY
    }
}

/// Elemental operators with a real result and real operands, with the number of operands to try.
fn real_ops() -> Vec<(Op, usize)> {
    let logical = |op| {
        matches!(
            op,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::And | Op::Or | Op::Not
        ) || matches!(op, Op::TO_INT | Op::ToLogical)
            || Op::is_of_integers(op)
    };
    let mut ops = Vec::new();
    for &op in Op::ALL {
        if op.class() == OpClass::Elemental && !logical(op) {
            ops.push((op, op.arity().0));
            if op.arity().1 == usize::MAX {
                ops.push((op, 2));
                ops.push((op, 4));
            }
        }
    }
    ops.dedup();
    ops
}

/// Operands for [`real_ops`], all real but the integer of polygamma and the condition of `if`.
fn typed(op: Op, args: &[f64]) -> Vec<Scalar> {
    let scalar = |(k, &x): (usize, &f64)| match (op, k) {
        (Op::Polygamma, 0) => Scalar::Integer(x.clamp(-9.0, 99_999.0) as i64),
        (Op::If, 0) => Scalar::Logical(x > 0.0),
        _ => Scalar::Real(x),
    };
    args.iter().enumerate().map(scalar).collect()
}

/// A small deterministic generator (xorshift64*, S. Vigna 2016): numbers in [-1, 1).
struct Rng(u64);

impl Rng {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        bits as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[test]
fn errors_name_the_operator() {
    let x = variables(1);
    let t = [ScalarType::Real];
    let e = partial(Op::Sum, &x, &t, 0, None).unwrap_err();
    assert_eq!(e.to_string(), "`sum` is not an elemental operator");
    let e = partial(Op::Mul, &x, &t, 0, None).unwrap_err();
    assert_eq!(e.to_string(), "`*` has no such operand");
    assert!(partial(Op::Sin, &x, &t, 1, None).is_err());
    assert_eq!(partial(Op::Neg, &x, &t, 0, None), Ok(Partial::MinusOne));
}
