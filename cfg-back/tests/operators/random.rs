//! Random expressions: parentheses where they are needed, operands that are not evaluated.

use crate::c::operators::{Code, Pieces, apply};
use crate::compiled::{Function, check};
use crate::table::{constant, variable};
use crate::values::{Typed, all, meaning, nasty, random, worst};
use cfg_core::elemental::{ArithmeticError, Scalar};
use cfg_core::ir::{Op, ScalarType};
use cfg_testkit::rng::Rng;

/// Expressions, and points at which each is evaluated.
const EXPRESSIONS: usize = 1000;
const POINTS: usize = 12;

enum Tree {
    Constant(Scalar),
    Variable(usize),
    Op(Op, Vec<Tree>),
}

/// Variables of each type stand at these places.
const VARIABLES: [ScalarType; 4] = [
    ScalarType::Real,
    ScalarType::Real32,
    ScalarType::Integer,
    ScalarType::Logical,
];

fn tree(rng: &mut Rng, cases: &[Typed], ty: ScalarType, depth: usize) -> Tree {
    if depth == 0 || rng.percent(15) {
        if rng.percent(70) {
            let at = VARIABLES.iter().position(|t| *t == ty);
            return Tree::Variable(at.expect("a type"));
        }
        let value = match rng.pick(&worst(ty)) {
            Some(x) if rng.percent(20) => *x,
            _ => random(rng, ty),
        };
        return Tree::Constant(value);
    }
    let fitting: Vec<&Typed> = cases.iter().filter(|c| c.result == ty).collect();
    let case = rng.pick(&fitting).expect("an operator");
    let operands = case.operands.iter();
    Tree::Op(
        case.op,
        operands
            .map(|&ty| tree(rng, cases, ty, depth - 1))
            .collect(),
    )
}

fn code(e: &Tree, pieces: &mut Pieces) -> Code {
    match e {
        Tree::Constant(x) => constant(*x),
        Tree::Variable(k) => variable(*k, VARIABLES[*k]),
        Tree::Op(op, operands) => {
            let operands = operands.iter().map(|e| code(e, pieces)).collect();
            apply(*op, operands, pieces).expect("well typed")
        }
    }
}

fn ty(e: &Tree) -> ScalarType {
    let code = code(e, &mut Pieces::default());
    code.ty
}

fn value(e: &Tree, variables: &[Scalar]) -> Result<Scalar, ArithmeticError> {
    match e {
        Tree::Constant(x) => Ok(*x),
        Tree::Variable(k) => Ok(variables[*k]),
        Tree::Op(op @ (Op::And | Op::Or), operands) => {
            let decided = Scalar::Logical(*op == Op::Or);
            for e in operands {
                if value(e, variables)? == decided {
                    return Ok(decided);
                }
            }
            Ok(Scalar::Logical(*op == Op::And))
        }
        Tree::Op(Op::If, operands) => {
            let chosen = match value(&operands[0], variables)? {
                Scalar::Logical(true) => 1,
                _ => 2,
            };
            let chosen = value(&operands[chosen], variables)?;
            match (ty(e), chosen) {
                (ScalarType::Real, Scalar::Integer(_)) => meaning(Op::ToReal, &[chosen]),
                (ScalarType::Real32, Scalar::Integer(_)) => meaning(Op::ToReal32, &[chosen]),
                _ => Ok(chosen),
            }
        }
        Tree::Op(op, operands) => {
            let operands: Result<Vec<_>, _> =
                operands.iter().map(|e| value(e, variables)).collect();
            meaning(*op, &operands?)
        }
    }
}

#[test]
fn random_expressions_have_the_executors_bits() {
    let mut rng = Rng::new(3);
    let mut pieces = Pieces::default();
    let mut cases = all();
    // Operators of the other integer types are compared one by one, in the table.
    let plain = |ty: &ScalarType| VARIABLES.contains(ty);
    cases.retain(|c| plain(&c.result) && c.operands.iter().all(plain));
    let mut functions = Vec::new();
    for k in 0..EXPRESSIONS {
        let result = VARIABLES[k % VARIABLES.len()];
        let e = tree(&mut rng, &cases, result, 1 + k % 4);
        let mut rows = Vec::new();
        for _ in 0..POINTS {
            let point = VARIABLES.map(|ty| match rng.pick(&nasty(ty)) {
                Some(x) if rng.percent(30) => *x,
                _ => random(&mut rng, ty),
            });
            if let Ok(expected) = value(&e, &point) {
                rows.push((point.to_vec(), crate::values::plain(expected)));
            }
        }
        functions.push(Function {
            label: format!("expression {k}"),
            parameters: VARIABLES.to_vec(),
            result,
            text: code(&e, &mut pieces).to_string(),
            rows,
        });
    }
    let rows: usize = functions.iter().map(|f| f.rows.len()).sum();
    assert!(
        rows > EXPRESSIONS * POINTS / 2,
        "{rows} points have a value"
    );
    check(&functions, &pieces, true);
}
